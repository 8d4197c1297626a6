"""Section of the validation page on speed: errors per group, in and out of sample, worst cases, limits of trust."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from advisor.catalog import load_catalog
from advisor.scoring_throughput import (
    Outcome,
    bandwidth_rule,
    card_from_card,
    groups_of,
    percent,
    read_rows,
    scaling_errors,
    score_rows,
    summary,
)
from advisor.speed import calibration
from advisor.speed.refit import Measured, refit
from advisor.validation import CASES

_FILE = CASES / "throughput_cases.csv"
_SPLITS = 3
_SEED = 20_261_121
_SUSPICIOUS = "C"
_TARGETS = {"median_abs_error_pct": 20, "card_from_card_pct": 12, "scaling_pct": 8}


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _group_rows(outcomes: list[Outcome]) -> Iterable[tuple[object, ...]]:
    for name, members in groups_of(outcomes).items():
        facts = summary(members)
        bold = "**" if name.startswith("kind:") else ""
        yield (
            bold + name.split(":", 1)[-1] + bold,
            facts["cases"],
            facts["unsupported"] or None,
            facts["median_abs_error_pct"],
            facts["median_error_pct"],
            facts["in_band_pct"],
            facts["card_from_card_pct"],
            facts["scaling_pct"],
        )


def _fit_cases(outcomes: Iterable[Outcome]) -> list[Measured]:
    """Throughput cases that constants may be fitted on: suspicious reports left out."""
    return [
        (one.case, one.measured)
        for one in outcomes
        if one.case
        and one.case.workload
        and one.measured
        and one.kind == "train-throughput"
        and one.quality != _SUSPICIOUS
    ]


def _held_out(name: str, outcomes: list[Outcome]) -> tuple[object, ...]:
    facts = summary(outcomes)
    return (
        name,
        facts["measured"],
        facts["median_abs_error_pct"],
        facts["in_band_pct"],
        facts["card_from_card_pct"],
        facts["scaling_pct"],
    )


def _halves(rows: list[dict[str, str]], training: list[Outcome]) -> Iterable[tuple[object, ...]]:
    """Class constants fitted on a random half of the training throughputs, tried on the other."""
    shuffler = random.Random(_SEED)  # noqa: S311 - a split for validation, not a secret
    catalog = load_catalog()
    by_id = {row["case_id"]: row for row in rows}
    for number in range(1, _SPLITS + 1):
        order = list(training)
        shuffler.shuffle(order)
        half = len(order) // 2
        classes = refit(_fit_cases(order[:half]))
        held = score_rows([by_id[one.ident] for one in order[half:]], catalog, classes)
        yield _held_out(f"random half {number}", held)


def _generation(one: Outcome) -> str:
    if one.case is None:
        return ""
    gpu = one.case.gpu
    return f"{gpu.architecture} {'data centre' if (gpu.memory_type or '').startswith('HBM') else 'GDDR'}"


def _generations(rows: list[dict[str, str]], training: list[Outcome]) -> Iterable[tuple[object, ...]]:
    """Each generation of cards left out of the fit and predicted from its specifications; pairs are with the others."""
    catalog = load_catalog()
    for name in sorted({_generation(one) for one in training if one.case}):
        classes = refit(_fit_cases(one for one in training if _generation(one) != name), sweeps=2)
        scored = score_rows([row for row in rows if row["kind"] == "train-throughput"], catalog, classes)
        held = [one for one in scored if _generation(one) == name]
        across = _across(scored, {one.ident for one in held})
        facts = summary(held)
        yield (
            name,
            facts["measured"],
            facts["median_abs_error_pct"],
            facts["in_band_pct"],
            percent(across),
            facts["scaling_pct"],
        )


def _across(outcomes: list[Outcome], held: set[str]) -> list[float]:
    """Ratios of a held-out single card to a card that took part in the fit, same job."""
    single = [one for one in outcomes if one.case and one.case.n_gpus == 1 and one.prediction and one.measured]
    by_setting: dict[tuple[str, ...], list[Outcome]] = {}
    for one in single:
        by_setting.setdefault(one.setting, []).append(one)
    errors = []
    for members in by_setting.values():
        for a in members:
            for b in members:
                if a.ident in held and b.ident not in held and a.prediction and b.prediction:
                    predicted = a.prediction.predicted / b.prediction.predicted
                    errors.append(abs(predicted / ((a.measured or 1.0) / (b.measured or 1.0)) - 1.0))
    return errors


def _worst_rows(outcomes: list[Outcome]) -> Iterable[tuple[object, ...]]:
    measured = [one for one in outcomes if one.error is not None]
    measured.sort(key=lambda one: (-abs(one.error or 0.0), one.ident))
    for one in measured[:10]:
        case, made = one.case, one.prediction
        assert case is not None
        assert made is not None
        model = case.workload.ml_model.name if case.workload else ""
        batch = case.workload.batch if case.workload else None
        yield (
            one.ident,
            one.group,
            model,
            f"{case.n_gpus} x {case.gpu.name}",
            f"b{batch}" if batch else "",
            one.quality,
            one.measured,
            f"{made.predicted:.4g}",
            f"{100 * (one.error or 0.0):+.0f} %",
        )


def _class_rows() -> Iterable[tuple[object, ...]]:
    names = calibration.CLASSES["cnn"].__slots__
    for name in names:
        yield (name, *(getattr(one, name) for one in calibration.CLASSES.values()))


def _unsupported_rows(outcomes: Iterable[Outcome]) -> Iterable[tuple[object, ...]]:
    counted: dict[str, int] = {}
    for one in outcomes:
        if one.prediction is None:
            counted[one.reason] = counted.get(one.reason, 0) + 1
    yield from sorted(counted.items())


_TRUST = """### Where not to trust it

Answers in these regions carry a note that says so, and a wider band.

- Makers other than NVIDIA, and cards before Pascal: no training case at hand; peaks are scaled by the largest measured
  matrix products of the maker.
- One to four samples per card on models of hundreds of millions of parameters, several cards without NVLink: the
  exchange of gradients decides, and reports of the same machine differ by a factor of two (worst cases above; those
  marked C are suspicious to those who collected them).
- Depthwise networks (EfficientNet, MobileNet): eight reports; vision transformers: none, they borrow the encoder's.
- Whole fine-tuning runs on Alpaca: the length of its samples is a guess of ours, and times scatter by a third.
- Two cards of the same recipe table may have run different recipes (torchtune: an A6000 above a 4090).
- Diffusion and speech models, CPU offload, nnU-Net: unsupported, nothing is predicted.
- Serving many users: weights read once per token, exchange and scheduling as ideal; no published case at hand.
"""


def section() -> str:
    """The speed section. Raises BadData when the cases are not there."""
    rows = read_rows(_FILE)
    outcomes = score_rows(rows, load_catalog())
    training = [one for one in outcomes if one.kind == "train-throughput" and one.case]
    head = ("held out", "cases", "median abs. error %", "in band %", "card from card %", "scaling %")
    everything = summary(outcomes)
    targets = ", ".join(f"{name.removesuffix('_pct')} {value} %" for name, value in _TARGETS.items())
    blocks = [
        "## Speed",
        f"{len(outcomes)} published cases. Targets: {targets}. All together: "
        f"{everything['median_abs_error_pct']} %, {everything['card_from_card_pct']} %, {everything['scaling_pct']} %. "
        "Card from card compares two single cards on the same job "
        f"({len(card_from_card(outcomes))} pairs; ratio of bandwidths alone: {percent(bandwidth_rule(outcomes))} %), "
        f"scaling several cards with one ({len(scaling_errors(outcomes))} pairs).",
        _table(
            (
                "group",
                "cases",
                "unsupported",
                "median abs. error %",
                "bias %",
                "in band %",
                "card from card %",
                "scaling %",
            ),
            _group_rows(outcomes),
        ),
        "### Out of sample",
        "Class constants fitted anew, from a neutral start, on a random half of the training throughputs and tried on "
        "the other half; and on all generations of cards but one, tried on that one. Constants of cards, links and "
        "software generations stay.",
        _table(head, [*_halves(rows, training), *_generations(rows, training)]),
        "### Ten worst cases",
        _table(
            ("case", "group", "model", "cards", "size", "quality", "reported", "predicted", "error"),
            _worst_rows(outcomes),
        ),
        "### Not predicted",
        _table(("reason", "cases"), _unsupported_rows(outcomes)),
        _TRUST.strip(),
        "### Calibrated constants",
        "Meaning of each in `advisor/speed/constants.py`; all cards share them.",
        _table(("constant", *calibration.CLASSES), _class_rows()),
        _spreads(calibration.SPREADS),
    ]
    return "\n\n".join(blocks) + "\n"


def _spreads(spreads: Mapping[str, float]) -> str:
    rows = sorted(spreads.items())
    return "Half-widths of the bands in logarithm:\n\n" + _table(("estimate", "half-width"), rows)
