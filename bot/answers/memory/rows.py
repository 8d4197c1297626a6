"""Rows of a sizing table: what a way needs, its verdict on the user's card, which usual cards hold it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.usual import usual_tokens
from advisor.memory import FitResult, MemoryEstimate, Verdict
from advisor.memory.estimate import brief
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import BY_A_HAIR, Fit, fit_of
from advisor.models import Banded, Estimate, Frozen, Gpu, Method, Parallel, Workload
from bot.answers.memory.sizing import format_code, ladder
from bot.answers.phrases import cards_named, model_named, way_named
from bot.core.line import Line, Worded, gib
from bot.core.request import Request

_SHOWN_CARDS: Final = 3
_LIKELY: Final = 0.75
"""Probability from which a split over cards is named: its bands are wide."""
_ROOMY: Final = 0.92
"""Share of a card that each part of a split may take to be named for its expected need alone (as in `gpu_count`)."""


class Split(Frozen):
    """The fewest cards of a kind that share a job."""

    n: int
    gpu: str
    need: Estimate
    """On each card."""


class Row(Frozen):
    """One line of a sizing table."""

    model: str
    method: str
    format: str
    """Number format as a label code: fp16, int8, q4_k_m, nf4 ..."""
    by_turns: bool = False
    """Parts of a drawing pipeline come to the card one after the other (model offload)."""
    cached: bool = False
    """Outputs of text encoders were worked out before."""
    length: int | None = None
    """Tokens of a sample, where a way is told apart by them."""
    frames: int | None = None
    """Of a clip that is trained on, where they are not the usual ones."""
    batch: int | None = None
    seq_len: int | None = None
    need: Estimate
    verdict: str = ""
    """On the user's card, empty without one."""
    usable: float | None = None
    cards: tuple[str, ...] = ()
    """Common cards that surely hold it, smallest first."""
    split: Split | None = None
    """When no single common card holds it."""
    large: str = ""
    """A card of servers that holds it alone, when no common one does."""
    n: int = 1
    """Cards that take part, as said; the need and what holds it are of each."""


def holding_cards(request: Request, need: Banded) -> tuple[str, ...]:
    """Common cards that surely hold what one card of a job needs, smallest first."""
    return _holding(request, need, ladder().cards, _SHOWN_CARDS)


def _holding(request: Request, need: Banded, idents: tuple[str, ...], most: int) -> tuple[str, ...]:
    catalog, found = request.services.catalog, []
    for ident in idents:
        gpu = catalog.gpus.get(ident)
        if gpu is None or gpu.vram_gib is None:
            continue
        if fit_of(need, gpu).verdict is Verdict.FITS:
            found.append(gpu.name)
        if len(found) == most:
            break
    return tuple(found)


def split_for(request: Request, workload: Workload, gpus: Iterable[Gpu] = (), more_than: int = 1) -> Split | None:
    """Fewest cards that share a job, more than the user has of the given ones, or else of the usual large ones."""
    if workload.ml_model.modality == "image-gen" and workload.method is Method.INFERENCE:
        return None  # a picture is made on one card
    own, catalog = list(gpus), request.services.catalog
    options = own or [catalog.gpus[one] for one in ladder().split_over if one in catalog.gpus]
    counts = [count for count in ladder().own_counts if count > more_than] if own else ladder().counts
    for count in counts:
        figure = _shared_by(workload, count)
        if figure is None:
            return None
        gpu = next((one for one in options if _roomy(figure, one)), None)
        if gpu is not None:
            return Split(n=count, gpu=gpu.name, need=brief(figure))
    return None


def _shared_by(workload: Workload, count: int) -> Figure | None:
    """The need on each of so many cards; None where more cards do not help or no estimate is supported."""
    try:
        figure = figure_of(workload.model_copy(update={"n_gpus": count, "parallel": None}))
    except AdvisorError:
        return None
    # every card of data parallel training holds all of it
    return None if figure.job.parallel is Parallel.DATA else figure


def _roomy(figure: Figure, gpu: Gpu) -> bool:
    """Whether a part of a split likely fits a card, or leaves enough of it free."""
    fit = fit_of(figure, gpu)
    if fit.probability is None or fit.usable_gib is None:
        return False
    return fit.probability >= _LIKELY or figure.value <= _ROOMY * fit.usable_gib


def _lacks_little(fit: FitResult | Fit) -> bool:
    """Whether what is missing is a small part of what there is; a wide band alone makes no near miss."""
    return fit.usable_gib is None or -(fit.margin_gib or 0.0) <= _LITTLE * fit.usable_gib


def _verdict(fit: FitResult | Fit | None) -> str:
    """Label code of a verdict; "over" for what lacks next to nothing."""
    if fit is None:
        return ""
    if fit.verdict is Verdict.NO and (fit.probability or 0.0) >= BY_A_HAIR and _lacks_little(fit):
        return "over"
    return fit.verdict.value


def row_of(
    request: Request,
    estimate: MemoryEstimate | Figure,
    fit: FitResult | Fit | None = None,
    *,
    with_cards: bool = True,
) -> Row:
    """One line of a table from an estimate, with the verdict on the user's card where there is one."""
    job = estimate.workload
    need = brief(estimate) if isinstance(estimate, Figure) else estimate.total
    cards = holding_cards(request, need) if with_cards else ()
    unheld = with_cards and not cards
    return Row(
        model=job.ml_model.name,
        method=job.done,
        format=format_code(job),
        by_turns=_by_turns(job),
        cached=job.cached_text,
        length=_length(request, job),
        frames=job.frames if job.method is not Method.INFERENCE else None,
        batch=job.batch,
        seq_len=job.seq_len,
        need=need,
        verdict=_verdict(fit),
        usable=fit.usable_gib if fit else None,
        cards=cards,
        split=split_for(request, job) if unheld and estimate.n_gpus == 1 else None,
        large=next(iter(_holding(request, need, ladder().large, 1)), "") if unheld else "",
        n=estimate.n_gpus,
    )


def _by_turns(job: Workload) -> bool:
    """Whether parts of a model that draws, or blocks of one that is tuned, come to the card one after the other."""
    return job.ml_model.modality == "image-gen" and (
        bool(job.offloads) if job.method is not Method.INFERENCE else job.offload
    )


def _length(request: Request, job: Workload) -> int | None:
    """The length of a way that is shorter than usual, where nobody said one."""
    shorter = job.method is Method.QLORA and (job.seq_len or 0) < (usual_tokens(job.ml_model, job.method) or 0)
    return job.seq_len if shorter and request.slot("seq_len") is None else None


def way_and_need(row: Row, *, named: bool = False) -> Line:
    """A way with what it needs; with its model where several stand side by side."""
    values: dict[str, Worded] = {"way": way_named(row), "need": gib(row.need)}
    return Line("rows.named", {**values, "model": model_named(row.model)}) if named else Line("rows.way", values)


def by_verdict(rows: Sequence[Row], *, named: bool = False) -> dict[str, Worded]:
    """Several ways for one line, grouped by verdict: fits, tight, no; None where there are none."""
    told: dict[str, Worded] = {}
    for name, words in _GROUPS.items():
        told[name] = tuple(way_and_need(row, named=named) for row in rows if row.verdict in words) or None
    return told


_LITTLE: Final = 0.2
_GROUPS: Final = {"fits": ("fits",), "tight": ("tight",), "no": ("over", "no")}


def shared_over(split: Split) -> Line:
    """So many cards that share a job."""
    return Line("rows.split", {"cards": cards_named(split.gpu, split.n), "need": gib(split.need)})


def held_by(row: Row) -> Line:
    """The smallest usual card that holds a row, or what shares it."""
    if row.cards:
        return Line("rows.from", {"card": row.cards[0]})
    if row.split is not None:
        return Line("rows.shared", {"split": shared_over(row.split), "large": row.large or None})
    if row.large:
        return Line("rows.from", {"card": row.large})
    return Line("rows.no_card") if row.n > 1 else Line("rows.nowhere")
