"""Several cards for one job: whether memory adds up, how to split, how much faster it gets, why it does not."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import Verdict
from advisor.memory.fit import fit_on
from advisor.models import Gpu, Method, MlModel, Note, Parallel, Precision, Step, Workload
from advisor.speed import tokens_per_second
from advisor.speed.compare import Growth, growth
from advisor.speed.contest import Side
from advisor.speed.published import batch_doubling, eight_cards
from advisor.speed.rate import generates
from advisor.speed.results import PublishedFigure
from bot.answers.boards import on_board
from bot.answers.choose.side_jobs import draws, trains
from bot.answers.common import NamedGpu, decline_error, fact, models_of, named_gpus, source_refs, step_sources
from bot.answers.speed.pace import figure_fact, job_that_fits, variant_notes
from bot.answers.speed.scaling_lines import Generating, Pool, Scaling, ScalingRow, blocks, headline, lines
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.message import Fact, fact_of
from bot.core.pictures import scaling_chart
from bot.core.request import Request

_PAIR: Final = 2
_COUNTS = (2, 4, 8)
_EXAMPLES = ("RTX 4090", "A100 80GB SXM4")
"""A consumer box on PCIe and a board with NVLink, when no card was named."""
_GROWTH_CONFLICT = "E36"
_MOST = 64
"""Beyond these counts nothing published supports a figure: clusters are laid out by cluster_design."""
_BY_SIZE: Final = "llm-"
"""Head of the name of a size that stands for no model of its own."""


def handle(request: Request) -> Outcome:
    """Answer what was asked first (memory, slowness, how to, speed-up) and show the table."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    models = models_of(request)
    if isinstance(models, Decline):
        return models
    try:
        return _answer(request, cards, models.models[0] if models.models else None, models.notes)
    except AdvisorError as error:
        return decline_error(error)


def _topic(request: Request) -> str:
    """What the question is about: pooling | slow | howto | speedup."""
    topic = request.heard.side("scaling")
    if topic not in {"", "batch"}:
        return topic
    heard = request.heard
    of_speed = heard.speaks_of("rate_words") and not heard.speaks_of("vram", "vram_amount")
    pooled = heard.speaks_of("pooling", "exceeds") and not of_speed
    return "pooling" if pooled or request.slot("vram_gb") else "speedup"


def _counts(request: Request) -> tuple[int, ...]:
    stated = request.slot("gpu_count")
    return tuple(sorted({*_COUNTS, stated})) if stated and 1 < stated <= _MOST else _COUNTS


def _answer(request: Request, cards: list[NamedGpu], model: MlModel | None, notes: tuple[Note, ...]) -> Answer:
    asked = max(int(request.slot("gpu_count") or _PAIR), _PAIR)
    n = asked if asked <= _MOST else _COUNTS[-1]
    cards = [on_board(card, n) for card in cards]
    gpus = [card.gpu for card in cards] or [request.services.catalog.get_gpu(name) for name in _EXAMPLES]
    counts = _counts(request)
    pool = _pool(request, gpus[0], n, model) if cards else None
    generating = _generating(request, model, gpus[0], n, pool)
    topic = _of_use(request, _told_topic(request, named=bool(cards)), model, generating)
    rows, traces = _rows(request, gpus, model, counts, topic)
    figures = _figures(request, cards, counts)
    found = Scaling(
        topic=topic,
        beyond=asked if asked > _MOST else None,
        rows=tuple(rows),
        counts=counts,
        n=n,
        pool=pool,
        figures=figures,
        generating=generating,
    )
    return answer_with(
        headline=(headline(found),),
        lines=lines(found),
        blocks=blocks(found),
        facts=_facts(rows, counts, found.pool, figures, found.generating),
        trace=(*traces, *(figure.trace for figure in figures)),
        sources=source_refs(request, step_sources(*traces, *(figure.trace for figure in figures))),
        notes=(*variant_notes(cards), *notes),
        conflicts=(_GROWTH_CONFLICT,) if any(figure.code.startswith("eight") for figure in figures) else (),
        chart=scaling_chart([(row.gpu, _called(row.job), row.speedups) for row in rows], counts),
        result=rows[0] if rows else None,
    )


def _told_topic(request: Request, *, named: bool) -> str:
    """The topic; what a larger batch gains, where that is asked of no card and no count."""
    topic = _topic(request)
    alone = topic == "speedup" and not named and not request.slot("gpu_count")
    return "batch" if alone and request.heard.shows("scaling", "batch") else topic


_WITHOUT_GRADIENTS: Final = frozenset({"draw", "run"})
"""Topics of work that exchanges no gradients."""


def _of_use(request: Request, topic: str, model: MlModel | None, generating: Generating | None) -> str:
    """The topic by what the cards do: pictures are drawn and texts written without any training to be shared."""
    if topic != "speedup" or trains(request):
        return topic
    if draws(request, () if model is None else (model,)):
        return "draw"
    return "run" if generating is not None else topic


def _rows(
    request: Request, gpus: list[Gpu], model: MlModel | None, counts: tuple[int, ...], topic: str
) -> tuple[list[ScalingRow], list[Step]]:
    """The speed-up of each job on the first two kinds of cards, and the trail of each; none where none is shared."""
    if topic in _WITHOUT_GRADIENTS:
        return [], []
    rows: list[ScalingRow] = []
    traces: list[Step] = []
    usual = _usual_jobs(request) if model is None else []
    for gpu in gpus[:2]:
        for name, work in usual if model is None else _jobs(request, model, gpu):
            made = growth(gpu, counts, work)
            rows.append(_row(gpu, name, made))
            traces.append(made.speedups[-1].trace)
    return rows, traces


def _jobs(request: Request, model: MlModel, gpu: Gpu) -> list[tuple[str, Workload]]:
    """The named job; for a language model that only runs, two ways to train it."""
    work = job_that_fits(request, model, [Side(gpu)]).workload
    if not generates(work):
        return [(model.name, _shared(work))]
    return _large_jobs(model) if model.modality == "text-decoder" else []


def _usual_jobs(request: Request) -> list[tuple[str, Workload]]:
    """A convolution network, a Transformer and a language model, in order of gradients."""
    catalog = request.services.catalog
    train = {"precision": Precision.FP16_MIXED}
    small = [
        ("resnet50", Workload(ml_model=catalog.get_ml_model("resnet50"), method=Method.TRAIN, batch=64, **train)),
        (
            "bert-large-uncased",
            Workload(
                ml_model=catalog.get_ml_model("bert-large-uncased"), method=Method.FULL, batch=8, seq_len=384, **train
            ),
        ),
    ]
    return [*small, *_large_jobs(catalog.get_ml_model("llm-7b"))]


def _large_jobs(model: MlModel) -> list[tuple[str, Workload]]:
    name = model.called
    common = {"ml_model": model, "batch": 1, "seq_len": 1024, "checkpointing": True}
    return [
        (f"{name} LoRA", Workload(method=Method.LORA, precision=Precision.BF16, **common)),
        (
            f"{name} ZeRO-3",
            Workload(method=Method.FULL, precision=Precision.BF16_MIXED, parallel=Parallel.ZERO3, **common),
        ),
    ]


def _shared(work: Workload) -> Workload:
    large = work.ml_model.parameters > 1.5e9 and work.method in (Method.FULL, Method.PRETRAIN)
    return work.model_copy(update={"parallel": Parallel.ZERO3}) if large else work


def _row(gpu: Gpu, name: str, made: Growth) -> ScalingRow:
    return ScalingRow(
        gpu=gpu.name,
        job=name,
        link=made.link,
        speedups=made.speedups,
        sources=step_sources(made.speedups[-1].trace),
        efficiency=made.efficiency,
    )


def _pool(request: Request, gpu: Gpu, n: int, model: MlModel | None) -> Pool | None:
    if gpu.vram_gib is None:
        return None
    pool = Pool(gpu=gpu.name, n=n, each_gib=gpu.vram_gib, total_gib=gpu.vram_gib * n)
    if model is None:
        return pool
    work = job_that_fits(request, model, [Side(gpu, n)]).workload
    try:
        (together, need), (alone, _) = fit_on(_shared(work), gpu, n), fit_on(work, gpu, 1)
    except AdvisorError:
        return pool
    return pool.model_copy(
        update={
            "model": model.name,
            "need_gib": need.value,
            "fits": together.verdict.value,
            "fits_one": alone.verdict.value if alone.verdict is not Verdict.UNKNOWN else "",
        }
    )


def _generating(request: Request, model: MlModel | None, gpu: Gpu, n: int, pool: Pool | None) -> Generating | None:
    """Single-stream generation split both ways, for questions about running a language model."""
    if model is None or model.modality != "text-decoder":
        return None
    work = job_that_fits(request, model, [Side(gpu, n)]).workload
    if not generates(work):
        return None
    return Generating(
        model=model.name,
        one=tokens_per_second(work, gpu).decode,
        layers=tokens_per_second(work, gpu, n).decode,
        tensor=tokens_per_second(work, gpu, n, split="tensor").decode,
        held=pool is None or pool.fits_one != Verdict.NO.value,
    )


def _figures(request: Request, cards: list[NamedGpu], counts: tuple[int, ...]) -> tuple[PublishedFigure, ...]:
    """The documents' figures that touch the question: eight cards, doubling the batch."""
    figures: list[PublishedFigure] = []
    if (request.slot("gpu_count") == 8 and not cards) or any(
        one in card.gpu.name for card in cards for one in ("A100", "V100")
    ):
        figures += eight_cards()[:2]
    if request.heard.shows("scaling", "batch"):
        figures += [batch_doubling(1), batch_doubling(1, transformer=True)]
    return tuple(figures)


def _facts(
    rows: list[ScalingRow],
    counts: tuple[int, ...],
    pool: Pool | None,
    figures: tuple[PublishedFigure, ...],
    generating: Generating | None,
) -> tuple[Fact, ...]:
    facts = [
        fact(f"speedup_{n}:{row.gpu}:{row.job}", estimate, row.sources)
        for row in rows
        for n, estimate in zip(counts, row.speedups, strict=True)
    ]
    if pool is not None:
        facts.append(fact_of(name="vram_total", value=pool.total_gib, unit="GiB", basis="sum; only when split"))
        if pool.need_gib is not None:
            facts.append(fact_of(name="vram_needed_per_card", value=pool.need_gib, unit="GiB"))
    if generating is not None:
        facts.append(fact("throughput_layers", generating.layers))
        facts.append(fact("throughput_tensor", generating.tensor))
    return (*facts, *(figure_fact(figure) for figure in figures))


def _called(job: str) -> str:
    """A job as people name it: a size that stands for no model of its own is 13B."""
    size = job.removeprefix(_BY_SIZE)
    return job if size == job else size.upper()
