"""Shows how the last answer, or a single number of it, came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from advisor.calculators import QUANTITIES
from advisor.models import Step
from bot.answers.phrases import in_turn
from bot.core.answers import Answer, Outcome, answer_with
from bot.core.conversation import Episode
from bot.core.line import Depth, Figure, Label, Line, Listing, Prose, Sum, measured
from bot.core.message import Fact
from bot.core.numbers import figure
from bot.core.request import Request
from bot.words.figures import without

_SHORT_DEPTH: Final = 1
_FULL_DEPTH: Final = 4
_SHORT_LINES: Final = 8
_FULL_LINES: Final = 60
_TAKEN: Final = frozenset({"given", "assumption", ""})
"""How a value came about that nothing was worked out for."""
_CARD, _COUNT = "gpu", "gpu_count"
"""Steps that say whose figure it is."""
_MOST_REASONS: Final = 2
_CODE: Final = 3
"""Letters of the code of a currency."""


def _unfolded(
    roots: tuple[Step, ...], limit: int, most: int, currency: str
) -> tuple[tuple[Line, ...], tuple[int, ...]]:
    """Steps with those that they rest on, down to a depth, and how deep each stands; so many of them at most."""
    found = [one for root in roots for one in _below(root, 0, limit, currency)][:most]
    return tuple(line for _, line in found), tuple(depth for depth, _ in found)


def _below(step: Step, depth: int, limit: int, currency: str) -> Iterator[tuple[int, Line]]:
    yield depth, _line(step, currency)
    if depth < limit:
        unlike = _unlike(step.inputs)
        for part in step.inputs:
            if not _is_sum(step) or (part.inputs and not _hands_on(part)):
                lines = _below(part, depth + 1, limit, currency)
                told = next(lines)[1]
                yield depth + 1, _of_side(part, unlike[part.name]) if part.name in unlike else told
                yield from lines


def _unlike(parts: Sequence[Step]) -> Mapping[str, Sequence[str]]:
    """Names of steps that several sides have, each with the names of what the sides differ in below them."""
    sides: dict[str, list[Mapping[str, Step]]] = {}
    for part in parts:
        sides.setdefault(part.name, []).append(_leaves(part))
    return {name: _differing(each) for name, each in sides.items() if all(_CARD in one for one in each) and each[1:]}


def _leaves(step: Step) -> Mapping[str, Step]:
    """What a step rests on in the end, by name."""
    below = {name: leaf for part in step.inputs for name, leaf in _leaves(part).items()}
    return {**below, **{part.name: part for part in step.inputs if not part.inputs}}


def _differing(sides: Sequence[Mapping[str, Step]]) -> Sequence[str]:
    """What all sides rest on, each on another value of it."""
    shared = [name for name in sides[0] if name != _CARD and all(name in one for one in sides)]
    return [name for name in shared if len({one[name].value for one in sides}) > 1][:_MOST_REASONS]


def _of_side(step: Step, reasons: Sequence[str]) -> Line:
    """A step of one of several sides: whose it is, its value, and what it owes that to."""
    leaves = _leaves(step)
    by = tuple(_part(leaves[name]) for name in reasons)
    count = leaves.get(_COUNT)
    n = int(count.value) if count is not None and isinstance(count.value, int) and count.value > 1 else None
    values = {"card": str(leaves[_CARD].value), "n": n, "name": Label(step.name, "step"), "value": _value(step)}
    return Line("why.side", {**values, "by": by or None})


def _part(step: Step) -> Line:
    """A value that a side owes its figure to."""
    return Line("why.part", {"name": Label(step.name, "step"), "value": _value(step)})


def _is_sum(step: Step) -> bool:
    """Whether a step is arithmetic over what was said, which shows its numbers and needs no names."""
    return step.name in QUANTITIES and step.how not in _TAKEN and "{" in step.how


def _sum(step: Step, currency: str) -> Line:
    """The arithmetic of a step with its numbers."""
    values = {one.name: _figure(one, currency) for one in step.inputs}
    return Line("why.sum", {"sum": (Sum(_pattern(step), values, _figure(step, currency)),)})


def _pattern(step: Step) -> str:
    """How a step was worked out, without what nobody said and what changes nothing."""
    return without(step.how, frozenset(one.name for one in step.inputs if one.how == "assumption"))


def _hands_on(step: Step) -> bool:
    """Whether a step only gives a value another name."""
    return _pattern(step).strip("{}").isidentifier()


def _figure(step: Step, currency: str) -> Figure:
    value = float(step.value) if isinstance(step.value, int | float | Decimal) else 0.0
    return Figure(value, step.unit, currency if step.unit.startswith("money") else "")


def _currency(episode: Episode) -> str:
    """The currency of the figures of an answer, "" where none is money."""
    units = (one.unit.partition("/")[0] for one in episode.facts)
    return next((unit for unit in units if len(unit) == _CODE and unit.isupper()), "")


def _line(step: Step, currency: str) -> Line:
    """One step: its name, its value, how it came about and of which day."""
    if _is_sum(step):
        return _sum(step, currency)
    how = Label(step.how, "how") if step.how and not _adds_up(step) else None
    dated = Line("why.dated", {"how": how, "as_of": step.as_of}) if how and step.as_of else how
    return Line("why.step", {"name": Label(step.name, "step"), "value": _value(step), "how": dated})


def _adds_up(step: Step) -> bool:
    """Whether a formula does no more than add up the steps that are told below it."""
    parts = step.how.split(" + ")
    return bool(step.inputs) and len(parts) > 1 and all(part.replace("_", "").isalpha() for part in parts)


def _value(step: Step) -> Figure | str | None:
    value = step.value
    if value is None:
        return None
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return measured(float(value), step.unit)
    return f"{value} {step.unit}".strip()


def _numbers(request: Request) -> list[float]:
    return [value for found in request.heard.numbers if (value := figure(found)) is not None]


def _matches(step: Step, wanted: list[float]) -> bool:
    if isinstance(step.value, bool) or not isinstance(step.value, (int, float)):
        return False
    value = float(step.value)
    return any(abs(value - number) <= max(0.051, 0.006 * abs(number)) for number in wanted)


def _find(steps: tuple[Step, ...], wanted: list[float]) -> Step | None:
    """The first step, outermost first, whose value the user named."""
    level = list(steps)
    while level:
        for step in level:
            if _matches(step, wanted):
                return step
        level = [part for step in level for part in step.inputs]
    return None


def handle(request: Request) -> Outcome:
    """Another card against the pick, or the trace of the answer that the message is about; of a number it names."""
    if not request.act and request.heard.named("gpu"):
        from bot.answers.choose.why_not import card_against_pick  # only where a card is named

        against = card_against_pick(request)
        if against is not None:
            return against
    episode: Episode | None = request.reviewed
    if episode is None or not (episode.trace or episode.details):
        return answer_with(headline=(Line("why.nothing"),), is_talk=True)
    wanted = _numbers(request) if not request.act else []
    single = _find(episode.trace, wanted) if wanted else None
    roots = (single,) if single else episode.trace
    return _worked(episode, roots, request.language, is_one=single is not None) if roots else _details(episode)


def _details(episode: Episode) -> Answer:
    """The details of an answer that left no trace."""
    return answer_with(
        headline=(Line("why.details", {"text": Prose(episode.details)}),),
        facts=episode.facts,
        sources=episode.sources,
        is_talk=True,
        is_whole=True,
    )


def _opening(episode: Episode, language: str) -> Line:
    """What was answered, which is what is to be explained: it holds the figures that decide.

    Words of another language than the answer's are not repeated.
    """
    told = episode.details.partition("\n")[0].strip("* ") if episode.language == language else ""
    return Line("why.worked", {"told": Prose(told)}) if told else Line("why.steps")


def _deciding(roots: Sequence[Step], facts: Sequence[Fact]) -> Line | None:
    """The first figure of the cards in which the side that is ahead has the most; None where there is none."""
    for step in roots:
        if not _is_ahead(str(step.value), facts):
            continue
        names = next(iter(_unlike(step.inputs).values()), ())
        sides = [_leaves(part) for part in step.inputs]
        name = next((one for one in names if one.startswith(_OF_SPEED) and _is_most(one, sides, step.value)), "")
        if name:
            return Line("why.because", {"name": Label(name, "step"), "sides": in_turn(_each(name, sides))})
    return None


_CLEARLY: Final = 1.05
"""Speeds that differ by less are called the same."""


def _is_ahead(side: str, facts: Sequence[Fact]) -> bool:
    """Whether a side is clearly the faster one at some job that was told, and clearly the slower one at none."""
    told: dict[str, dict[str, float]] = {}
    for fact in facts:
        job, _, name = fact.name.partition(":")
        if job.startswith("speed_") and isinstance(fact.value, (int, float)):
            told.setdefault(job, {})[name] = float(fact.value)
    rivals = [(job.pop(side, 0.0), max(job.values(), default=0.0)) for job in told.values()]
    slower = any(rival >= _CLEARLY * own for own, rival in rivals)
    return not slower and any(own >= _CLEARLY * rival for own, rival in rivals)


_OF_SPEED: Final = ("memory_bandwidth", "peak")
"""Figures of a card of which more is faster."""


def _is_most(name: str, sides: Sequence[Mapping[str, Step]], ahead: object) -> bool:
    """Whether the side that is ahead has the most of a figure that all sides have."""
    values = {str(one[_CARD].value): one[name].value for one in sides if name in one and _CARD in one}
    known = {card: float(value) for card, value in values.items() if isinstance(value, (int, float, Decimal))}
    return len(known) == len(sides) > 1 and max(known, key=known.__getitem__) == str(ahead)


def _each(name: str, sides: Sequence[Mapping[str, Step]]) -> tuple[Line, ...]:
    """A figure of each side."""
    pairs = ((one[_CARD].value, one[name]) for one in sides)
    return tuple(Line("why.because_side", {"card": str(card), "value": _value(step)}) for card, step in pairs)


def _worked(episode: Episode, roots: tuple[Step, ...], language: str, *, is_one: bool) -> Answer:
    """How the numbers of an answer came about, or `is_one` number that was named: the whole of it, and in brief."""
    (brief, brief_depths), (whole, depths) = (
        _unfolded(roots, _SHORT_DEPTH, _SHORT_LINES, _currency(episode)),
        _unfolded(roots, _FULL_DEPTH, _FULL_LINES, _currency(episode)),
    )
    opening = Line("why.number") if is_one else _opening(episode, language)
    reason = None if is_one else _deciding(roots, episode.facts)
    return answer_with(
        headline=(reason or opening,),
        lines=(opening,) if reason is not None else (),
        blocks=(
            Listing(brief, depth=Depth.GROUP, last=Depth.GROUP, indents=brief_depths),
            Listing(whole, indents=depths),
        ),
        facts=episode.facts,
        trace=roots,
        sources=episode.sources,
        is_talk=True,
    )
