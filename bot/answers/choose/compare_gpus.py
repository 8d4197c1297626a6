"""Which of several named cards, or groups of them: the verdict for the job, then figures and each side's merits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from advisor.errors import AdvisorError
from advisor.memory import Verdict
from advisor.memory.estimate import brief
from advisor.memory.figure import figure_of
from advisor.memory.fit import fit_of
from advisor.models import Frozen, Gpu, Method, MlModel, Note, Precision, note_of
from advisor.speed.contest import Contender, Contest, Side, contest
from advisor.speed.uses import LADDER, Uses, uses
from advisor.trusted import trusted
from bot.answers.asked_job import plan_facts
from bot.answers.choose.family_sides import chips_of_family, sized
from bot.answers.choose.side_jobs import SideJob, jobs_of_sides
from bot.answers.choose.side_prices import Prices, PriceView, price_facts
from bot.answers.common import (
    Job,
    Named,
    NamedGpu,
    decline_error,
    elicit_gpu,
    fact,
    job_of,
    models_of,
    named_gpus,
    source_refs,
    step_sources,
)
from bot.answers.documents.passages import passage_answer
from bot.answers.memory.sizing import is_llm
from bot.answers.speed.pace import counts_of, figure_fact, filled, plan_on, variant_notes, with_memory
from bot.core.answers import Answer, Decline, Elicit, Outcome, answer_with, offered_of
from bot.core.message import Chart, Fact, fact_of
from bot.core.request import Request

_MOST_SIDES: Final = 4
_BANDWIDTH_CONFLICT: Final = "E67"
_LAPTOP: Final = " Laptop"
_NUMBER: Final = re.compile(r"\d{3,}")
_WORD: Final = re.compile(r"[a-z]+|\d+[a-z]*")


class Column(Frozen):
    """One side with its prices."""

    side: Contender
    rent: PriceView | None
    buy: PriceView | None
    shown: PriceView | None = None
    """The price that compares with the other sides', where there is one kind that all have."""
    value: float | None = None
    """Speed per money over the worst side; None when prices do not compare."""


_column = trusted(Column)


def handle(request: Request) -> Outcome:
    """Compare the named cards; with fewer than two of them answer from the documents or ask."""
    found = named_gpus(request)
    if isinstance(found, Decline):
        return found
    cards = _of_this_message(request, found)
    models = models_of(request)
    known, notes = (models.models, models.notes) if isinstance(models, Named) else ((), (models.reason,))
    chips, source = _machine_beside(request, cards)
    cards = [*chips, *cards]
    if len(cards) < 2 and not _several_counts(request, cards):
        return _fewer(request, cards)
    try:
        return _compared(request, _alike(cards[:_MOST_SIDES]), known, notes, source)
    except AdvisorError as error:
        return decline_error(error)


def _several_counts(request: Request, cards: list[NamedGpu]) -> bool:
    """One card in two counts ("one A100 or two?") is a comparison too."""
    return len(cards) == 1 and len(_counts_of_one(request)) > 1


def _said_twice(request: Request, name: str) -> bool:
    """The same number stands on both sides ("4090 vs 4090")."""
    number = max(_NUMBER.findall(name), key=len, default="")
    return bool(number) and sum(word.count(number) for word in request.heard.words) > 1


def _base(request: Request, cards: list[NamedGpu]) -> str:
    """The desk card beside its notebook namesake ("4090 laptop or 4090?"); empty when that was not said."""
    if len(cards) != 1 or not cards[0].asked.endswith(_LAPTOP) or not _said_twice(request, cards[0].asked):
        return ""
    base = cards[0].asked.removesuffix(_LAPTOP)
    return base if request.services.catalog.gpu_variants(base) else ""


def is_beside_machine(request: Request, cards: list[NamedGpu]) -> bool:
    """Whether one card stands beside a machine that is named without its chip."""
    return bool(_machine_beside(request, _of_this_message(request, cards))[0])


def is_one_card_in_a_number(request: Request, cards: list[NamedGpu]) -> bool:
    """Whether one card is asked about in one number and nothing stands beside it."""
    if len(cards) != 1 or (request.slot("gpu_count") or 1) <= 1 or _several_counts(request, cards):
        return False
    return not is_beside_machine(request, cards) and not _said_twice(request, cards[0].asked)


def _of_this_message(request: Request, cards: list[NamedGpu]) -> list[NamedGpu]:
    """Where a message names a family and one card, that card: what was compared before stands on neither side."""
    if not request.heard.wished("gpu_family"):
        return cards
    names = set(request.heard.wished("gpu"))
    own = [card for card in cards if card.asked in names]
    return own if len(own) == 1 and _machine_beside(request, own)[0] else cards


def _machine_beside(request: Request, cards: list[NamedGpu]) -> tuple[list[NamedGpu], str]:
    """The chips of a machine that stands beside one card of another maker, and the source that names them."""
    if len(cards) != 1:
        return [], ""
    chips, source = chips_of_family(request)
    return ([], "") if any(chip.gpu.vendor == cards[0].gpu.vendor for chip in chips) else (chips, source)


def _kin(request: Request, name: str) -> list[str]:
    """Cards whose names begin like this one."""
    return sorted(gpu.name for gpu in request.services.catalog.gpus.values() if gpu.name.startswith(f"{name} "))


def _names(request: Request, suffix: str) -> bool:
    """Whether every word of a name's ending was said ("4090 laptop against the desktop 4090")."""
    return set(_WORD.findall(suffix.lower())) <= {part for word in request.heard.words for part in _WORD.findall(word)}


def _counts_of_one(request: Request) -> list[int]:
    return sorted({int(one.value) for one in request.heard.named("gpu_count")})


def _fewer(request: Request, cards: list[NamedGpu]) -> Outcome:
    base = _base(request, cards)
    if base:
        return handle(replace(request, slots={**request.slots, "gpu": [base, cards[0].asked], "deploy": None}))
    if len(cards) == 1 and _said_twice(request, cards[0].asked):
        kin = _kin(request, cards[0].asked)
        meant = [name for name in kin if _names(request, name.removeprefix(cards[0].asked))]
        if meant:
            return handle(replace(request, slots={**request.slots, "gpu": [cards[0].asked, *meant[:1]]}))
        return Decline(reason=note_of("unknown_second_card", {"name": cards[0].asked, "kin": kin[:3]}))
    answer = passage_answer(request, "compare_gpus")
    if answer is not None and not request.slot("gpu"):
        return answer
    asked: Elicit = elicit_gpu()
    return answer or asked


def _alike(cards: list[NamedGpu]) -> list[NamedGpu]:
    """Of two names one of which is open, the variants that compare: the same memory first, then the same form.

    "A800 against A100" is a question about two chips, not about 80 GB against 40.
    """
    if len(cards) != 2 or not any(card.others for card in cards):
        return cards
    first, second = [(card.gpu, *card.others) for card in cards]
    pairs = [
        ((one.form_factor != other.form_factor, bool(place) + bool(rank), place + rank), one, other)
        for place, one in enumerate(first)
        for rank, other in enumerate(second)
        if one.vram_gib == other.vram_gib
    ]
    if not pairs or cards[0].gpu.vram_gib == cards[1].gpu.vram_gib:
        return cards
    _, *taken = min(pairs, key=lambda pair: pair[0])
    return [_as_variant(card, gpu) for card, gpu in zip(cards, taken, strict=True)]


def _as_variant(card: NamedGpu, gpu: Gpu) -> NamedGpu:
    return NamedGpu(card.asked, gpu, tuple(one for one in (card.gpu, *card.others) if one.id != gpu.id))


def _compared(
    request: Request, cards: list[NamedGpu], models: tuple[MlModel, ...], notes: tuple[Note, ...], source: str
) -> Answer:
    cards = [sized(with_memory(request, card)) for card in cards]
    sides = _sides(request, cards)
    planned = plan_on(request, models[0], sides) if models else None
    job = filled(request, job_of(request, planned.way), sides) if planned else None
    jobs = jobs_of_sides(request, sides, job)
    made = contest(sides, [one.row for one in jobs])
    if models and not any(result.factor for side in made.sides for result in side.results):
        jobs = (*jobs, *jobs_of_sides(request, sides, None)[:1])
        made = contest(sides, [one.row for one in jobs])
    catalog = request.services.catalog
    use = uses(sides, [catalog.get_ml_model(name) for name in LADDER])
    prices = Prices(request)
    columns = _columns(sides, made, prices, [card.others for card in cards])
    alone = made.reason == "only_one_fits"
    best = None if alone else _best_value(columns)
    return answer_with(
        template="compare_gpus",
        facts=(*(plan_facts(planned) if planned else ()), *_facts(made, columns)),
        trace=(made.trace, *(figure.trace for figure in made.published)),
        sources=source_refs(request, (*_sources(made, columns), *((source,) if source else ()))),
        assumptions=job.assumptions if job else (),
        notes=(
            *variant_notes(cards),
            *notes,
            *_smaller_way(made, sides, job),
            *(() if use else _less_compute(made)),
            *made.notes,
            *_remarks(request, sides),
        ),
        conflicts=(_BANDWIDTH_CONFLICT,) if made.published else (),
        asks=None if models or request.slot("task") else offered_of(slot="task"),
        chart=_chart(made, jobs),
        result=made,
        extra={
            "columns": columns,
            "winner": columns[made.winner] if made.winner is not None else None,
            "loser": None if alone else _loser(made, columns),
            "best_value": best,
            "same_value": best is not None and made.winner is not None and best is columns[made.winner],
            "rated": [any(side.results[row].factor for side in made.sides) for row in range(len(made.jobs))],
            "single": [any(side.results[row].rate for side in made.sides) for row in range(len(made.jobs))],
            "needs": [any(side.results[row].need_gib for side in made.sides) for row in range(len(made.jobs))],
            "currency": prices.currency,
            "model": models[0].name if models else "",
            "jobs": jobs,
            "uses": use,
            "ranked": _ranked(request, made, use),
            "rest_refused": bool(models) and _refused(made, use),
            "differing": _differing(sides),
            "bandwidths": _bandwidths(sides),
            "priced": "" if alone else _priced(columns),
            "gap": _gap(request, columns),
        },
    )


_MEMORY_DECIDES: Final = frozenset({"only_one_fits", "none_fits"})


def _ranked(request: Request, made: Contest, use: Uses | None) -> bool:
    """Whether one order of the sides answers the question, and not which of them is for what."""
    if use is None or made.reason in _MEMORY_DECIDES:
        return True
    job = bool(request.slot("model")) or request.slot("method") not in {None, "inference"}
    return use.kind == "counts" and (job or use.rest is None)


def _refused(made: Contest, use: Uses | None) -> bool:
    """The side that is for everything else does not hold the job that was named."""
    return use is not None and use.rest is not None and made.sides[use.rest].results[0].fits == Verdict.NO.value


def _gap(request: Request, columns: list[Column]) -> tuple[Note, ...]:
    """How much dearer one side is, when that is what was asked."""
    if request.slot("aspect") != "price":
        return ()
    from bot.answers.choose.price_gap import Priced, gap_notes  # only where the gap was asked for

    return gap_notes([Priced(name=one.side.name, rent=one.rent, buy=one.buy) for one in columns])


def _smaller_way(made: Contest, sides: Sequence[Side], job: Job | None) -> tuple[Note, ...]:
    """QLoRA of the same model, when a full or LoRA training of it fits none of the sides."""
    if made.reason != "none_fits" or job is None or not is_llm(job.workload.ml_model):
        return ()
    if job.workload.method not in (Method.FULL, Method.LORA):
        return ()
    changed = {"method": Method.QLORA, "precision": Precision.INT4, "quant": "nf4", "optimizer": None, "n_gpus": 1}
    work = job.workload.model_copy(update={**changed, "parallel": None})
    need = figure_of(work)
    values = {
        "need": brief(need),
        "names": [side.gpu.name for side in sides if fit_of(need, side.gpu).verdict is not Verdict.NO],
    }
    return (note_of("contest_qlora", values),)


_MUCH_LESS: Final = 0.7


def _less_compute(made: Contest) -> tuple[Note, ...]:
    """A winner by bandwidth with far less compute than another side loses to it on large, compute-bound training."""
    if made.winner is None or made.reason != "faster":
        return ()
    own = _compute(made.sides[made.winner])
    most = max((_compute(side), side.name) for side in made.sides)
    if not own or own >= _MUCH_LESS * most[0]:
        return ()
    return (
        note_of(
            "contest_less_compute", {"name": made.sides[made.winner].name, "other": most[1], "share": own / most[0]}
        ),
    )


def _compute(side: Contender) -> float:
    """FP16 of all its cards together."""
    return (side.fp16_tflops or 0.0) * side.n


_LINK: Final = "nvlink_gb_per_s"
_KIN: Final = ("architecture", "vram_gib")
_FINE: Final = ("fp16_tensor_fp32acc_tflops", "fp8_tflops", "int8_tops", "fp32_tflops", "memory_type")
"""What two cards of one chip may differ in beside the figures that every comparison shows."""
_SAME: Final = 1.02
_SAME_LINK: Final = 1.2
"""Bridges of two generations differ by less; what counts is a cut link, or none."""


class Difference(Frozen):
    """One figure in which two cards differ, in their order."""

    attribute: str
    values: tuple[Any, ...]


def _differing(sides: Sequence[Side]) -> tuple[Difference, ...]:
    """NVLink where it differs, and between cards of one chip and memory every figure that differs."""
    gpus = [side.gpu for side in sides]
    names = [_LINK] if len({gpu.vendor for gpu in gpus}) == 1 else []
    if len({tuple(getattr(gpu, name) for name in _KIN) for gpu in gpus}) == 1:
        names += _FINE
    found = ((name, tuple(getattr(gpu, name) for gpu in gpus)) for name in names)
    return tuple(Difference(attribute=name, values=values) for name, values in found if _unlike(values, name))


def _bandwidths(sides: Sequence[Side]) -> tuple[float, ...]:
    """Memory bandwidth of each side over the least of them; empty when one is unknown, or when counts differ."""
    rates = [side.gpu.memory_bandwidth_gb_per_s or 0.0 for side in sides]
    if not all(rates) or any(side.n > 1 for side in sides) or max(rates) <= _SAME * min(rates):
        return ()
    return tuple(rate / min(rates) for rate in rates)


def _unlike(values: tuple[Any, ...], name: str) -> bool:
    if any(value is None for value in values):
        return False
    numbers = [value for value in values if isinstance(value, (int, float))]
    if len(numbers) < len(values):
        return len(set(values)) > 1
    return max(numbers) > (_SAME_LINK if name == _LINK else _SAME) * min(numbers)


def _remarks(request: Request, sides: Sequence[Side]) -> tuple[Note, ...]:
    """What the catalogue says of cards that are told apart by it: export variants, modified cards."""
    if len({tuple(getattr(side.gpu, name) for name in _KIN) for side in sides}) > 1:
        return ()
    told = {side.gpu.name: _remark(request, side.gpu) for side in sides}
    return tuple(note_of("spec_remark", {"gpus": [name], "text": text}) for name, text in told.items() if text)


def _remark(request: Request, gpu: Gpu) -> str:
    return (gpu.notes_zh if request.language == "zh" else "") or gpu.notes


def _sides(request: Request, cards: list[NamedGpu]) -> list[Side]:
    if len(cards) == 1:
        return [Side(cards[0].gpu, n) for n in _counts_of_one(request)[:_MOST_SIDES]]
    return [Side(card.gpu, n) for card, n in zip(cards, counts_of(request, cards), strict=True)]


def _columns(sides: list[Side], made: Contest, prices: Prices, variants: Sequence[tuple[Gpu, ...]]) -> list[Column]:
    others = variants if len(variants) == len(sides) else [variants[0]] * len(sides)
    columns = [
        _column(side=one, rent=prices.rent(side.gpu, side.n, more), buy=prices.buy(side.gpu, side.n))
        for side, one, more in zip(sides, made.sides, others, strict=True)
    ]
    columns = _with_shown(columns)
    for channel in ("buy", "rent"):
        values = [_speed_per_money(one, channel) for one in columns]
        known = [value for value in values if value]
        if known and len(known) == len(columns):
            return [
                one.model_copy(update={"value": value / min(known)})
                for one, value in zip(columns, values, strict=True)
                if value
            ]
    return columns


def _with_shown(columns: list[Column]) -> list[Column]:
    """Purchase prices of today when all sides have one, else rentals when all have one, else whatever is known."""
    if all(one.buy and one.buy.solid for one in columns):
        shown = [one.buy for one in columns]
    elif all(one.rent for one in columns):
        shown = [one.rent for one in columns]
    else:
        shown = [one.buy if one.buy and one.buy.solid else one.rent or one.buy for one in columns]
    return [one.model_copy(update={"shown": view}) for one, view in zip(columns, shown, strict=True)]


def _speed_per_money(column: Column, channel: str) -> float | None:
    view = column.buy if channel == "buy" else column.rent
    factor = column.side.results[0].factor if column.side.results else None
    if view is None or view.variant or view.abroad or not view.solid or factor is None or view.price.amount <= 0:
        return None
    return factor.value / float(view.price.amount)


def _priced(columns: list[Column]) -> str:
    """What the value figures divide by: buy | rent, empty when there are none."""
    if not columns or columns[0].value is None:
        return ""
    return "buy" if all(one.buy and one.buy.solid for one in columns) else "rent"


def _best_value(columns: list[Column]) -> Column | None:
    rated = [one for one in columns if one.value is not None]
    if len(rated) < 2:
        return None
    best = max(rated, key=lambda one: one.value or 0.0)
    return best if (best.value or 0.0) > 1.05 else None


def _loser(made: Contest, columns: list[Column]) -> Column | None:
    """The side that keeps a good reason to exist: the one with the most merits among the others."""
    others = [one for index, one in enumerate(columns) if index != made.winner and one.side.merits]
    return max(others, key=lambda one: len(one.side.merits)) if others and made.winner is not None else None


def _facts(made: Contest, columns: list[Column]) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for number, code in enumerate(made.jobs):
        for side in made.sides:
            factor = side.results[number].factor
            if factor is not None:
                facts.append(fact(f"speed_{code}:{side.name}", factor))
    for column in columns:
        side = column.side
        figures: tuple[tuple[str, Any, str], ...] = (
            ("vram", side.total_vram_gib, "GiB"),
            ("bandwidth", side.bandwidth_gb_per_s, "GB/s"),
            ("fp16_dense_fp32acc", side.fp16_tflops, "TFLOPS"),
            ("power", side.power_w, "W"),
        )
        facts += [fact_of(name=f"{name}:{side.name}", value=value, unit=unit) for name, value, unit in figures if value]
        facts += [price_facts(f"price_{view.channel}:{side.name}", view) for view in (column.rent, column.buy) if view]
    facts += [figure_fact(figure) for figure in made.published]
    return tuple(facts)


def _sources(made: Contest, columns: list[Column]) -> tuple[str, ...]:
    found = list(step_sources(made.trace))
    for figure in made.published:
        found.append(figure.source)
    for column in columns:
        found += [view.source for view in (column.rent, column.buy) if view and view.source]
    return tuple(dict.fromkeys(found))


def _chart(made: Contest, jobs: tuple[SideJob, ...]) -> Chart | None:
    series = []
    for number, job in enumerate(jobs):
        points = [(side.name, round(f.value, 2)) for side in made.sides if (f := side.results[number].factor)]
        if len(points) == len(made.sides):
            series.append((job.row.code, tuple(points)))
    if not series:
        return None
    return Chart(kind="bars", title="Relative speed", x_label="card", y_label="times the slowest", series=tuple(series))
