"""Slots of a request as what the rooms below plan with: the job as spoken, the sides, the means.

The only place that reads slots of a job. It fills nothing in: what nobody said is decided by `advisor.jobs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from advisor.errors import UnsupportedCombination
from advisor.jobs.plan import Place, Plan, figure_on, plan_for
from advisor.jobs.spoken import Amount, Budget, Hours, Means, Period, Spoken
from advisor.jobs.usage import HOURS, Usage, usage_of
from advisor.jobs.usual import Does
from advisor.jobs.verdict import Verdict, judge
from advisor.jobs.ways import Way
from advisor.memory.estimate import brief
from advisor.memory.formats import GGUF, parse_format
from advisor.memory.runtimes import GGML
from advisor.memory.stacks import find_stack
from advisor.models import Estimate, Method, MlModel
from advisor.speed.denoise import frames_of
from bot.core.answers import Assumption, assumption_of
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_FEW_PEOPLE: Final = 20
"""Up to so many people are taken to ask at the same time."""
_PERIODS: Final[Mapping[str, Period]] = {period.value: period for period in Period}
_ASKED: Final = ("year", "month", "week")
"""Periods that a bill may be asked for, the longest first."""
_WEEKEND_DAYS: Final = 2.0
_GGUF: Final = re.compile(r"i?q[2-8]_[a-z0-9_]+|q[23568]")
_BARE: Final = len("q4")
_FOUR: Final = "q4"
_WRITES: Final = frozenset({"text-decoder", "multimodal"})
_GGUF_BEGINS: Final = "iq"
_GGUF_ENDING: Final = ".gguf"
_ANY_GGUF: Final = re.compile(r"i?q[2-8]_[a-z0-9_]+|q[2-8]")
"""Names of GGUF files; the first alone tells more than the slot, which knows of four and eight bits."""


def spoken_of(request: Request, *, method: Method | None = None, task: str | None = None) -> Spoken:
    """The job of the slots. `method`, `task`: what they are for this question, whatever the slots say."""
    methods = (method.value,) if method is not None else _methods_of(request)
    return Spoken(
        models=_texts(request.slot("model")),
        task=task if task is not None else request.slot("task"),
        methods=methods,
        precisions=gguf_of(request) or _texts(request.slot("weight_files")) or _texts(request.slot("precision")),
        batch=request.slot("batch"),
        seq_len=request.slot("seq_len"),
        resolution=_size(request.slot("resolution")),
        frames=_frames(request),
        dataset=_dataset(request),
        epochs=request.slot("epochs"),
        people=people_of(request),
        software=program_of(request),
        cache=request.slot("kv_precision"),
        optimizer=request.slot("optimizer"),
        recompute=request.slot("recompute"),
        scratch=_is_from_scratch(request),
        critic=request.heard.shows("job", "critic"),
        settings=_settings(request),
    )


_PLACED: Final = frozenset({"experts_in_ram"})
"""Settings of where weights lie, which a plan finds by itself where a card or a pace is asked for."""


def _settings(request: Request) -> tuple[str, ...]:
    """Settings of a program that were named; of an amount of memory also those of where weights lie."""
    stated = _texts(request.slot("settings"))
    return stated if request.intent == "estimate_memory" else tuple(one for one in stated if one not in _PLACED)


def _frames(request: Request) -> int | None:
    """Frames of a clip whose length is said in seconds; None where none is, or no clips are made."""
    seconds = request.slot("clip_seconds")
    model = request.services.catalog.find_ml_model(str(request.first("model"))) if seconds else None
    return frames_of(model, float(seconds)) if model is not None else None


_FROM_SCRATCH: Final = 1e10
"""Nobody tunes a model with as many tokens."""


def _is_from_scratch(request: Request) -> bool:
    """Whether training from the first token on was said, now or of this job before, or that many tokens."""
    tokens = request.slot("train_tokens") or request.heard.train_tokens or 0.0
    return bool(request.slot("scratch")) or tokens >= _FROM_SCRATCH or request.heard.shows("wish", "from_scratch")


def _methods_of(request: Request) -> tuple[str, ...]:
    """Methods that were named. To train, said of a model that is tuned, names none of them."""
    stated = _texts(request.slot("method"))
    return () if stated == (Method.TRAIN.value,) and request.heard.shows("job", "tuning") else stated


def gguf_of(request: Request) -> tuple[str, ...]:
    """Formats of GGUF files that are named and stand in no slot: Q5_K_M, Q6_K; none where weights are trained."""
    if not request.heard.is_read or request.slot("method") not in (None, Method.INFERENCE.value):
        return ()
    likely = [word.removesuffix(_GGUF_ENDING) for word in request.heard.words_of_weights if word[0] in _GGUF_BEGINS]
    words = [word for word in likely if _ANY_GGUF.fullmatch(word)]
    words = words if _name_files(request, words) else []
    return tuple(dict.fromkeys(name for word in words if (name := _file_format(word)) in GGUF))


def _name_files(request: Request, words: Sequence[str]) -> bool:
    """Whether one of these words names a file."""
    return any(_GGUF.fullmatch(word) for word in words) or (_FOUR in words and _is_local_text(request))


def _is_local_text(request: Request) -> bool:
    """Whether one language model is spoken of that no server of many is named for: Q4 of such a one is a GGUF file.

    Models that draw and servers have 4-bit formats of their own, which people call Q4, too.
    """
    named = request.services.catalog.find_ml_model(str(request.first("model")))
    if named is None or named.modality not in _WRITES or len(_texts(request.slot("model"))) > 1:
        return False
    program = program_of(request)
    return not program or find_stack(program, "llama.cpp").runtime is GGML


def _file_format(word: str) -> str:
    """The format of GGUF files that a word names, "" for none that is known."""
    try:
        return parse_format(f"{word}_k" if len(word) == _BARE else word).name
    except UnsupportedCombination:
        return ""


def program_of(request: Request) -> str | None:
    """The program that the job is run with: as a slot, else as the words name it; None where neither does."""
    stated = request.slot("framework")
    return str(stated) if stated else next(iter(request.heard.sides("programs")), None)


def people_of(request: Request) -> int | None:
    """How many use it at the same time: all of a few people, the usual share of many."""
    people = request.slot("users")
    if not people:
        return None
    from bot.answers.machine.rig import asks_at_once, at_once_of  # only where people are counted

    return int(people) if people <= _FEW_PEOPLE or asks_at_once(request) else at_once_of(people)


def means_of(request: Request) -> Means:
    """The means of the slots: money, hours, span, places, what is ruled out."""
    rated, whole = _duration(request, rated=True), _duration(request, rated=False)
    hours: Hours | None = None
    span: float | None = None
    if rated is not None:
        hours = Hours(_hours(rated), _PERIODS[str(rated["per"])])
        span = _hours(whole) / 24 if whole is not None else _asked_days(request, str(rated["per"]))
    elif whole is not None:
        hours = Hours(_hours(whole))
    elif "weekend" in request.heard.sides("period"):
        hours = Hours(_WEEKEND_DAYS * HOURS[Period.DAY])
    return Means(
        budget=_budget(request.slot("budget")),
        hours=hours,
        utilization=request.slot("utilization"),
        span_days=span,
        electricity=_amount(request.slot("electricity_price")),
        deploy=request.slot("deploy"),
        providers=_texts(request.slot("provider")),
        region=request.slot("region"),
        currency=request.slot("currency"),
        excluded=tuple((kind, str(value)) for kind, values in request.excluded.items() for value in values),
        bounds=tuple(request.bounds.items()),
    )


def _asked_days(request: Request, rate: str) -> float | None:
    """Days of the period that a bill is asked for, beside hours of use per `rate`; None where none longer is said."""
    asked = request.heard.sides("period")
    longer = _ASKED[: _ASKED.index(rate)] if rate in _ASKED else _ASKED
    period = next((one for one in longer if one in asked), None)
    return HOURS[_PERIODS[period]] / HOURS[Period.DAY] if period is not None else None


def usage_for(request: Request, cards: int = 1) -> Usage:
    """The use that was said. Raises OutOfRange."""
    return usage_of(means_of(request), cards)


def plan_of(
    request: Request,
    model: MlModel,
    places: Sequence[Place] = (),
    *,
    method: Method | None = None,
    task: str | None = None,
    does: Does | None = None,
) -> Plan:
    """The plan of the request's job for one model. Raises LookupError for work without a usual way."""
    return plan_for(spoken_of(request, method=method, task=task), model, places, does=does)


def assumptions_of(way: Way) -> tuple[Assumption, ...]:
    """What a way rests on that nobody said, for the line of assumptions."""
    return tuple(assumption_of(slot=one.field, value=one.value) for one in way.assumed)


def code_of(way: Way) -> str:
    """A way in one word for programs: the method, and the format where it runs."""
    return way.code


def verdict_facts(verdict: Verdict, way: Way, *, name: str = "", need: Estimate | None = None) -> tuple[Fact, ...]:
    """Way, need and verdict of one side, the same in every answer; `name` where several sides stand side by side."""
    tail = f":{name}" if name else ""
    figure = need or brief(verdict.figure)
    facts = [
        fact_of(name=f"way{tail}", value=code_of(way), basis="plan"),
        fact_of(name=f"vram_needed{tail}", value=figure.value, low=figure.low, high=figure.high, unit="GiB"),
    ]
    if verdict.usable is not None and verdict.margin is not None:
        facts.append(fact_of(name=f"vram_usable{tail}", value=verdict.usable, unit="GiB", basis="nominal less reserve"))
        facts.append(fact_of(name=f"vram_margin{tail}", value=verdict.margin, unit="GiB", basis="usable minus needed"))
        facts.append(fact_of(name=f"verdict{tail}", value=verdict.word.value, basis="90 % band"))
    return tuple(facts)


def plan_facts(planned: Plan) -> tuple[Fact, ...]:
    """Way, need and verdict: under their plain names for the first side, under its name for each of several."""
    if not planned.chosen:
        return verdict_facts(judge(figure_on(planned.usual, 1), None), planned.usual)
    facts = list(verdict_facts(planned.chosen[0].verdict, planned.chosen[0].way))
    for one in planned.chosen if len(planned.chosen) > 1 else ():
        facts += verdict_facts(one.verdict, one.way, name=side_name(one.place))
    return tuple(facts)


def side_name(place: Place) -> str:
    """What programs call a side."""
    name = place.gpu.name if place.gpu is not None else f"{place.vram_gib:g} GB"
    return name if place.n == 1 else f"{place.n} x {name}"


def _dataset(request: Request) -> str | None:
    """The data that were named: a known set by its name, else as typed."""
    from bot.answers.speed.amounts import dataset_named  # its words are read on first use

    known, stated = dataset_named(request), request.slot("dataset")
    return known.name if known is not None else str(stated) if stated else None


def _texts(stated: object) -> tuple[str, ...]:
    if not stated:
        return ()
    return tuple(str(one) for one in stated) if isinstance(stated, list) else (str(stated),)


def _size(text: object) -> tuple[int, int] | None:
    if not text or "x" not in str(text):
        return None
    width, height = str(text).split("x", 1)
    return int(width), int(height)


def _duration(request: Request, *, rated: bool) -> dict[str, object] | None:
    """The first duration that is a rate (so much a day or a week), or that is none."""
    slots = ("duration", "usage") if rated else ("duration", "span")
    stated = (request.slot(name) for name in slots)
    return next((one for one in stated if isinstance(one, dict) and bool(one.get("per")) is rated), None)


def _hours(stated: Mapping[str, Any]) -> float:
    return float(stated["amount"]) * HOURS.get(_PERIODS.get(str(stated.get("unit")), Period.HOUR), 1.0)


def _amount(stated: object) -> Amount | None:
    if not isinstance(stated, dict) or stated.get("amount") is None:
        return None
    return Amount(Decimal(str(stated["amount"])), str(stated.get("currency") or ""))


def _budget(stated: object) -> Budget | None:
    amount = _amount(stated)
    if amount is None or not isinstance(stated, dict):
        return None
    return Budget(amount, _PERIODS.get(str(stated.get("period") or "once"), Period.ONCE))
