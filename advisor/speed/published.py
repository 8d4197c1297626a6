"""The documents' own estimates and examples, computed the way the documents compute them.

They are shown as what they are, with their year, beside the calibrated figure; nothing else here rests on them.
Rows are ids of the fact list.
"""

from __future__ import annotations

from datetime import date

from advisor.errors import OutOfRange
from advisor.models import Gpu, Step
from advisor.speed.results import PublishedFigure

_GUIDE = "seed-002"
_GUIDE_DAY = date(2020, 9, 7)
_AUTODL = "seed-000"
_AUTODL_DAY = date(2022, 9, 1)
V100_BANDWIDTH = 900.0
"""GB/s, the figure the 2020 guide divides by."""
A100_BANDWIDTH = 1555.0
"""GB/s of the 40 GB version, the only one of 2020."""


def _step(name: str, value: float, unit: str, how: str, rows: tuple[str, ...], *inputs: Step) -> Step:
    return Step(
        name=name, value=value, unit=unit, how=how, inputs=inputs, sources=(_GUIDE,), as_of=_GUIDE_DAY, rows=rows
    )


def _figure(
    code: str, step: Step, *, low: float | None = None, high: float | None = None, year: int = 2020
) -> PublishedFigure:
    return PublishedFigure(
        code=code,
        value=float(step.value or 0),
        low=low,
        high=high,
        unit=step.unit,
        year=year,
        source=step.sources[0],
        as_of=step.as_of or _GUIDE_DAY,
        rows=step.rows,
        trace=step,
    )


def bandwidth_ratio(bandwidth: float = A100_BANDWIDTH, against: float = V100_BANDWIDTH) -> PublishedFigure:
    """The guide's first estimate: speed goes as memory bandwidth, 1555 / 900 = 1.73.

    >>> round(bandwidth_ratio().value, 2)
    1.73
    """
    step = _step("bandwidth_ratio", bandwidth / against, "x", f"{bandwidth:g} / {against:g} GB/s", ("002-051",))
    return _figure("by_bandwidth", step)


def theory_range(bandwidth: float = A100_BANDWIDTH) -> PublishedFigure:
    """The guide's theory for Ampere over V100: bandwidth, 2-5 % of shared memory, 1-3 % of Tensor Cores.

    >>> figure = theory_range(); round(figure.low, 2), round(figure.high, 2)
    (1.78, 1.87)
    """
    ratio = bandwidth_ratio(bandwidth)
    low, high = ratio.value * 1.02 * 1.01, ratio.value * 1.05 * 1.03
    step = _step(
        "theory_ratio",
        (low * high) ** 0.5,
        "x",
        "bandwidth ratio x (1.02 to 1.05) x (1.01 to 1.03)",
        ("002-059", "002-062", "002-064", "002-065"),
        ratio.trace,
    )
    return _figure("by_theory", step, low=low, high=high)


_MEASURED: tuple[tuple[str, float, str], ...] = (
    ("measured_nlp", 1.70, "002-067"),
    ("measured_cv", 1.45, "002-067"),
    ("measured_se_resnext101", 1.43, "002-077"),
    ("measured_mask_rcnn", 1.47, "002-078"),
    ("measured_transformer", 1.70, "002-079"),
)


def measured_ratios() -> tuple[PublishedFigure, ...]:
    """A100 over V100 as the guide reads it off vendor benchmarks, batch size and card count evened out."""
    return tuple(_figure(code, _step(code, value, "x", "claim", (row,))) for code, value, row in _MEASURED)


def rtx3090_over_2080ti() -> tuple[PublishedFigure, ...]:
    """The guide's 3090 over 2080 Ti, and per dollar at a price 15 % higher.

    >>> [round(one.value, 2) for one in rtx3090_over_2080ti()]
    [1.57, 1.5, 1.37, 1.3]
    """
    made = []
    for code, value in (("conv", 1.57), ("transformer", 1.5)):
        made.append(_figure(f"rtx3090_{code}", _step(f"rtx3090_{code}", value, "x", "claim", ("002-115",))))
    for one in tuple(made):
        step = _step(
            f"{one.code}_per_price", one.value / 1.15, "x", "speed ratio / price ratio 1.15", ("002-116",), one.trace
        )
        made.append(_figure(f"{one.code}_per_price", step))
    return tuple(made)


def value_per_price(speed: float, base_system: float, gpu_price: float, n_gpus: int = 1) -> Step:
    """The guide's value figure: speed of the machine over its whole price, base system included.

    A costly base system makes a dearer card the better deal. Prices in one currency.

    Raises:
        OutOfRange: a price that is not above zero.

    >>> value_per_price(1.57, 1000, 1499).value > value_per_price(1.0, 1000, 1199).value
    True
    """
    total = base_system + n_gpus * gpu_price
    if not 0 < total < 1e15:
        raise OutOfRange("the machine must cost something", name="price", value=total)
    given = (
        Step(name="speed", value=speed, unit="x", how="given"),
        Step(name="machine_price", value=total, how="base system + cards x price"),
    )
    return _step("value_per_price", speed / total, "", "speed / (base system + cards)", ("002-117", "002-118"), *given)


def batch_doubling(doublings: float, *, transformer: bool = False) -> PublishedFigure:
    """Throughput gain of doubling the batch n times: 13.6 % each for CNNs, 13.5 % for Transformers.

    >>> round(batch_doubling(1).value, 3), round(batch_doubling(2, transformer=True).value, 3)
    (1.136, 1.288)
    """
    each, row = (1.135, "002-071") if transformer else (1.136, "002-070")
    step = _step("batch_gain", each**doublings, "x", f"{each} ^ doublings", (row,))
    return _figure("batch_doubling", step)


def eight_cards() -> tuple[PublishedFigure, ...]:
    """One to eight cards in the guide: A100 7x, V100 7 / 1.05 = 6.67x, the Transformer's 7 % giving 6.54x.

    >>> [round(one.value, 2) for one in eight_cards()]
    [7.0, 6.67, 6.54]
    """
    seven = _step("eight_a100", 7.0, "x", "claim", ("002-074",))
    older = _step("eight_v100", 7.0 / 1.05, "x", "7 / 1.05: 5 % more overhead", ("002-073", "002-075"), seven)
    text = _step("eight_v100_transformer", 7.0 / 1.07, "x", "7 / 1.07 (derived, E36)", ("002-076",), seven)
    return (_figure("eight_a100", seven), _figure("eight_v100", older), _figure("eight_v100_transformer", text))


def dgx_images() -> tuple[PublishedFigure, ...]:
    """ResNet-50 on a server of eight V100: about 8000 images a second, 1000 each; sixteen would ideally give 16000."""
    given = {"sources": (_AUTODL,), "as_of": _AUTODL_DAY}
    total = Step(name="dgx_images", value=8000.0, unit="img/s", how="claim", rows=("000-008",), **given)
    each = Step(
        name="dgx_images_each", value=1000.0, unit="img/s", how="8000 / 8", inputs=(total,), rows=("000-009",), **given
    )
    sixteen = Step(
        name="dgx2_ideal", value=16000.0, unit="img/s", how="1000 x 16", inputs=(each,), rows=("000-009",), **given
    )
    return tuple(_figure(one.name, one, year=2022) for one in (total, each, sixteen))


def cards_by_day_rule(one_card_hours: float, deadline_hours: float = 24.0) -> int | None:
    """The AutoDL rule: smallest of 1, 2, 4, 8 cards with one-card hours / n within a day, scaling taken as linear.

    None when more than eight would be needed (000-040, 000-041).

    >>> [cards_by_day_rule(hours) for hours in (20, 40, 90, 190, 200)]
    [1, 2, 4, 8, None]
    """
    return next((n for n in (1, 2, 4, 8) if one_card_hours / n <= deadline_hours), None)


MEANING_OF_COUNT: dict[int, tuple[str, str]] = {
    1: ("small_sets", "000-042"),
    2: ("two_runs", "000-043"),
    4: ("medium_sets", "000-044"),
    8: ("papers", "000-045"),
    16: ("beyond", "000-046"),
}
"""What 1, 2, 4, 8 and more cards are for, as the AutoDL page sees it: code of the words, and row."""

LATENCY_CYCLES: dict[str, tuple[int, str]] = {
    "global_memory": (200, "002-027"),
    "shared_memory": (20, "002-028"),
    "fused_multiply_add": (4, "002-029"),
    "tensor_core": (1, "002-030"),
}
"""Cycles of one access or operation in the 2020 guide."""


def matmul_cycles() -> tuple[PublishedFigure, PublishedFigure, PublishedFigure]:
    """The guide's 32 x 32 product on 8 SMs with 8 warps each: 392 cycles without, 221 with Tensor Cores.

    A deliberate simplification of the guide (E39): a full product of 4 x 4 blocks has 512 block products.

    >>> [round(one.value, 2) for one in matmul_cycles()]
    [392.0, 221.0, 1.77]
    """
    load, shared, fma, tensor = (LATENCY_CYCLES[name][0] for name in LATENCY_CYCLES)
    latency = {
        name: _step(name, float(cycles), "cycles", "claim", (row,)) for name, (cycles, row) in LATENCY_CYCLES.items()
    }
    warps = _step("warps_loading", 64.0, "warps", "2 x 32 warps = 8 SM x 8 warps: one load", ("002-037",))
    without = _step(
        "cycles_without_tensor_cores",
        float(load + 8 * shared + 8 * fma),
        "cycles",
        f"{load} + 8 x {shared} + 8 x {fma}",
        ("002-039",),
        warps,
        latency["global_memory"],
        latency["shared_memory"],
        latency["fused_multiply_add"],
    )
    operations = _step("tensor_operations", 64.0, "", "8 x 8 = 8 SM x 8 Tensor Cores: one round", ("002-042",))
    with_cores = _step(
        "cycles_with_tensor_cores",
        float(load + shared + tensor),
        "cycles",
        f"{load} + {shared} + {tensor}",
        ("002-043",),
        operations,
        latency["global_memory"],
        latency["shared_memory"],
        latency["tensor_core"],
    )
    gain = _step(
        "cycles_ratio",
        float(without.value or 0) / float(with_cores.value or 1),
        "x",
        "cycles without / with Tensor Cores",
        ("002-044",),
        without,
        with_cores,
    )
    return (_figure("without_cores", without), _figure("with_cores", with_cores), _figure("cycles_ratio", gain))


def warp_figures() -> tuple[PublishedFigure, ...]:
    """A warp loads 32 x 4 = 128 bytes; 32 warps of 32 threads make 1024 on an SM (Turing's limit, E40)."""
    load = _step("warp_load", 128.0, "bytes", "32 threads x 4 bytes", ("002-032",))
    threads = _step("threads_per_sm", 1024.0, "threads", "32 warps x 32 threads", ("002-033",))
    return (_figure("warp_load", load), _figure("threads_per_sm", threads))


def tensor_idle() -> PublishedFigure:
    """BERT Large uses about 30 % of the Tensor Core peak in the guide, so they wait 70 % of the time."""
    used = _step("tensor_used", 0.30, "", "claim", ("002-048",))
    return _figure("tensor_idle", _step("tensor_idle", 0.70, "", "1 - 0.30", ("002-048",), used))


_RTX2080TI_OVER_2080 = 1.40


def known_pairs(gpu: Gpu, against: Gpu) -> tuple[PublishedFigure, ...]:
    """What the documents say of this very pair, the faster card first; empty when they say nothing."""
    a100, v100 = gpu.series.startswith("A100") or gpu.name.startswith("A100"), "V100" in against.name
    if a100 and v100:
        return (bandwidth_ratio(), theory_range(), *measured_ratios()[:2])
    pair = (gpu.name, against.name)
    if pair == ("RTX 3090", "RTX 2080 Ti"):
        return rtx3090_over_2080ti()
    if pair == ("RTX 2080 Ti", "RTX 2080"):
        step = Step(
            name="lambda_2080ti",
            value=_RTX2080TI_OVER_2080,
            unit="x",
            how="claim",
            sources=("seed-003",),
            as_of=date(2020, 2, 1),
            rows=("003-041",),
        )
        return (_figure("lambda_2080ti", step),)
    return ()
