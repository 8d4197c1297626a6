"""How long a month, a week and a year are, everywhere: a month is a twelfth of a year of 8760 hours.

So twelve months are a year, a month is 730 hours as providers bill it, and 8 hours a day for a month are 243 hours.
"""

from __future__ import annotations

from typing import Final

HOURS_A_DAY: Final = 24.0
HOURS_A_WEEK: Final = 168.0
HOURS_A_MONTH: Final = 730.0
HOURS_A_YEAR: Final = 8760.0
DAYS_A_MONTH: Final = HOURS_A_MONTH / HOURS_A_DAY
