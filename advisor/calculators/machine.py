"""Watts of a machine against its supply and its outlet; energy and carbon. One sum of watts feeds all of them."""

from __future__ import annotations

from math import floor
from typing import Final

from advisor.calculators.entry import Entry

_BTU_PER_WH: Final = 3.412
"""British thermal units of a watt-hour."""

TABLE: Final[tuple[Entry, ...]] = (
    # a reading at the socket is the whole machine: nothing is multiplied or added to it
    ("load_w", ("wall_w",), "{wall_w} × {machines}", lambda a, b: a * b, ("machines",)),
    ("load_w", ("card_limit_w",), "{cards} × {card_limit_w} + {cpu_w} + {rest_w}", lambda a, b, c, d: a * b + c + d, ("cards", "cpu_w", "rest_w")),
    ("load_w", ("card_w",), "{cards} × {card_w} + {cpu_w} + {rest_w}", lambda a, b, c, d: a * b + c + d, ("cards", "cpu_w", "rest_w")),
    ("load_w", ("kwh_hour",), "{kwh_hour}", lambda a: a * 1000.0),
    # what a supply or an outlet must carry is the whole machine: cards alone do not tell
    ("full_load_w", ("load_w", "cpu_w"), "{load_w}", lambda a, _: a),
    ("full_load_w", ("load_w", "rest_w"), "{load_w}", lambda a, _: a),
    ("full_load_w", ("wall_w",), "{wall_w} × {machines}", lambda a, b: a * b, ("machines",)),
    ("supply_w", ("psu_w",), "{psus} × {psu_w} × {psu_share}", lambda a, b, c: a * b * c, ("psus", "psu_share")),
    ("supply_left_w", ("supply_w", "full_load_w"), "{supply_w} − {full_load_w}", lambda a, b: a - b),
    ("psu_enough", ("full_load_w", "supply_w"), "{full_load_w} ≤ {supply_w}", lambda a, b: float(a <= b), (), ("001-079",)),
    ("outlet_w", ("volts", "amps"), "{volts} × {amps} × {outlet_share}", lambda a, b, c: a * b * c, ("outlet_share",)),
    ("outlet_enough", ("full_load_w", "outlet_w"), "{full_load_w} ≤ {outlet_w}", lambda a, b: float(a <= b)),
    ("pue", ("cooling_share",), "1 + {cooling_share}", lambda a: 1 + a),
    ("kwh", ("kwh_metered",), "{kwh_metered} × {pue}", lambda a, b: a * b, ("pue",)),
    ("kwh", ("load_w", "hours_total"), "{load_w} × {hours_total} × {pue}", lambda a, b, c: a * b * c / 1000, ("pue",)),
    ("kwh", ("load_w", "run_hours", "runs_total"), "{load_w} × {run_hours} × {runs_total} × {pue}", lambda a, b, c, d: a * b * c * d / 1000, ("pue",)),
    ("kwh", ("load_w", "one_card_hours"), "{load_w} × {one_card_hours} × {pue}", lambda a, b, c: a * b * c / 1000, ("pue",)),
    ("kg", ("kwh", "kg_per_kwh"), "{kwh} × {kg_per_kwh}", lambda a, b: a * b),
    # a supply draws more at the wall than it gives; all of it turns into heat
    ("psu_need_w", ("full_load_w", "headroom"), "{full_load_w} × (1 + {headroom})", lambda a, b: a * (1 + b)),
    ("psu_need_w", ("full_load_w", "psu_share"), "{full_load_w} ÷ {psu_share}", lambda a, b: a / b),
    ("drawn_w", ("load_w", "psu_efficiency"), "{load_w} ÷ {psu_efficiency}", lambda a, b: a / b),
    ("drawn_w", ("load_w",), "{load_w}", lambda a: a),
    ("amps_drawn", ("drawn_w", "volts"), "{drawn_w} ÷ {volts}", lambda a, b: a / b),
    ("btu_h", ("drawn_w",), "{drawn_w} × 3.412", lambda a: a * _BTU_PER_WH),
    ("cooling_tons", ("drawn_w",), "{drawn_w} ÷ {w_per_ton}", lambda a, b: a / b, ("w_per_ton",)),
    ("machines_on_outlet", ("outlet_w", "wall_w"), "{outlet_w} ÷ {wall_w}", lambda a, b: float(floor(a / b + 1e-9))),
    ("hours_on_battery", ("kwh_metered", "load_w"), "{kwh_metered} ÷ {load_w}", lambda a, b: a * 1000 / b),
    ("outlet_w", ("volt_amps",), "{volt_amps} × {power_factor}", lambda a, b: a * b, ("power_factor",)),
    ("cooler_enough", ("btu_h", "cooler_btu"), "{btu_h} ≤ {cooler_btu}", lambda a, b: float(a <= b)),
)  # fmt: skip
