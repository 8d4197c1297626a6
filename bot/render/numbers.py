"""Numbers, amounts, dates and text of others as neutral Markdown: the filters of the templates."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from advisor.models import Estimate, Money, Step

_MARKUP: Final = re.compile(r"[\\*_`\[\]|<>#~]")
_SYMBOLS: Final = {"CNY": "\u00a5", "USD": "$", "EUR": "\u20ac", "GBP": "\u00a3", "HKD": "HK$", "TWD": "NT$"}


def plain(value: object) -> object:
    """The number inside an Estimate or Money, or the value itself."""
    if isinstance(value, Estimate):
        return value.value
    if isinstance(value, Money):
        return value.amount
    return value


def _number(value: object) -> float:
    """The number of a value; text that spells one is taken for it."""
    inner = plain(value)
    return float(inner if isinstance(inner, (int, float, Decimal)) else str(inner))


def num(value: object, digits: int = 3) -> str:
    """A number with about `digits` significant digits, thousands grouped, no trailing zeros."""
    return _num(value if type(value) is float else _number(value), digits)


@lru_cache(maxsize=4096)
def _num(number: float, digits: int) -> str:
    if number == 0:
        return "0"
    size = abs(number)
    if digits < 3 and size >= 1000:
        number = float(f"{number:.3g}")
    if size >= 10 ** (digits - 1):
        return f"{number:,.0f}"
    decimals = digits - 1
    while size < 1 and decimals < 9:
        size *= 10
        decimals += 1
    while size >= 10 and decimals > 0:
        size /= 10
        decimals -= 1
    text = f"{number:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def gib(value: object) -> str:
    """Memory in GiB."""
    return f"{num(value)} GiB"


def gb(value: object) -> str:
    """Capacity or traffic in GB."""
    return f"{num(value)} GB"


def pct(value: object, digits: int = 2) -> str:
    """A fraction as percent."""
    return f"{num(_number(value) * 100, digits)}%"


def span(value: Estimate) -> str:
    """The band of an estimate, low to high."""
    return f"{num(value.low)}\u2013{num(value.high)}"


def money(value: object, currency: str = "") -> str:
    """An amount with its currency: whole units from 100 on, else two decimals."""
    if isinstance(value, Money):
        amount, currency = value.amount, value.currency
    else:
        amount = value if isinstance(value, Decimal) else Decimal(str(plain(value)))
    text = f"{amount:,.0f}" if abs(amount) >= 100 else f"{amount:,.2f}"
    if text.endswith(".00"):
        text = text[:-3]
    symbol = _SYMBOLS.get(currency)
    return f"{symbol}{text}" if symbol else f"{text} {currency}".strip()


def day(value: object) -> str:
    """A date as ISO text."""
    if isinstance(value, datetime):
        value = value.date()
    return value.isoformat() if isinstance(value, date) else str(value)


def figure(step: Step) -> str:
    """The value of a step with its unit."""
    value = step.value
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    text = num(value) if is_number else escape(value)
    return f"{text} {escape(step.unit)}".strip()


def escape(value: object) -> str:
    """Make text from a user or a file harmless in neutral Markdown."""
    return _MARKUP.sub(_escaped, str(value)).replace("\r", " ").replace("\n", " ")


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"
