"""What is said of a job on a card: whether it fits with both numbers, what makes it fit, what else would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.memory import MemoryEstimate, Trick, Verdict
from advisor.models import Method, Note, Parallel
from bot.answers.machine.processor import SYSTEM_RAM
from bot.answers.memory.breakdown import breakdown, sum_line
from bot.answers.memory.cards import gives, label_of, named_card
from bot.answers.memory.fit_job import Judgement, Tried
from bot.answers.memory.on_card import context_line, length_line
from bot.answers.memory.rows import by_verdict, held_by, shared_over
from bot.answers.phrases import in_turn, model_named, used_way, way_named
from bot.core.answers import Answer
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Single, Table, Worded, gib
from bot.core.message import Fact, fact_of

_MOST_HEADS: Final = 4
_LIGHTEST: Final = frozenset({Method.INFERENCE, Method.QLORA})
"""Of these the lightest way that does not fit is told as such."""
_LAYERS: Final = "offload"
_LENGTH: Final = "seq_len"
_SWAPPED: Final = "plan_block_swap"
_LENT: Final = "plan_in_ram"
_IN_RAM: Final = frozenset({"plan_in_ram", _SWAPPED})
"""Remarks that say what RAM makes possible, in numbers."""


def told(made: Answer, found: Judgement, estimate: MemoryEstimate, ram_gb: float | None = None) -> Answer:
    """An answer with the lines and blocks of a judgement.

    Args:
        made: facts, trail and remarks of it.
        found: what was judged.
        estimate: that of the way that is meant.
        ram_gb: the machine's RAM, where it was said.
    """
    heads = found.heads[:_MOST_HEADS]
    made = made.model_copy(update={"blocks": (*made.blocks, *_blocks(found, estimate))})
    if len(heads) == 1:
        return _told_of_one(made, found, ram_gb)
    lines = tuple(_verdict(one, found.n) for one in heads[1:])
    return made.model_copy(update={"headline": (_verdict(heads[0], found.n),), "lines": lines})


def _told_of_one(made: Answer, found: Judgement, ram_gb: float | None) -> Answer:
    """What a single way comes to: on the card, or with a part of it in RAM where a remark says that this works."""
    no = found.head.fit.verdict is Verdict.NO
    ram = {note.code: note for note in made.notes if note.code in _IN_RAM}
    lent = ram.get(_LENT) if no and found.works is None else None
    swapped = lent is not None or (no and _SWAPPED in ram)
    headline = _lent(found, lent, ram_gb) if lent is not None else headline_of(found, swapped=swapped)
    fixes = [*_in_another_format(found), *(_beside(found, lent) if swapped else _fixes(found, in_ram=bool(ram)))]
    blocks = (*made.blocks, *_other_uses(found))
    told_with: dict[str, object] = {"headline": (headline,), "lines": (*fixes, *_rest(found)), "blocks": blocks}
    told_with["facts"] = (*made.facts, *_pace_facts(lent))
    return made.model_copy(update={**told_with, "notes": tuple(note for note in made.notes if note is not lent)})


def _pace_facts(lent: Note | None) -> tuple[Fact, ...]:
    """The pace with a part in RAM, for programs."""
    if lent is None:
        return ()
    low, high = _number(lent, "low"), _number(lent, "high")
    return (fact_of(name="tokens_per_second", value=_number(lent, "speed"), low=low, high=high, unit="token/s"),)


def _in_another_format(found: Judgement) -> list[Line]:
    """The format that fits where the one that was named does not."""
    row = found.instead
    return [Line("fit.instead", {"way": used_way(row), "need": gib(row.need)})] if row is not None else []


def _beside(found: Judgement, lent: Note | None) -> list[Line]:
    """What would do without a part in RAM: a larger card, for a model that writes."""
    return [*_on_card(found), *_larger(found)] if lent is not None else []


def _on_card(found: Judgement) -> list[Line]:
    """The least change that keeps all of it on the card."""
    line = context_line(found.head)
    return [line] if line is not None else []


# --- whether ---------------------------------------------------------------------------------------------------------


def headline_of(found: Judgement, *, swapped: bool = False) -> Line:
    """Whether it fits; `swapped` where a part of it lies in RAM."""
    head, works = found.head, found.works
    if swapped:
        return Line("fit.swapped", _values(head, found.n))
    if works is not None:
        values: dict[str, Worded] = {
            **_values(head, found.n),
            "works": used_way(works.row),
            "less": gib(works.row.need),
        }
        return Line(f"fit.other.{head.row.verdict}", values)
    least = head.job.workload.method in _LIGHTEST and _least(found)
    if head.fit.verdict is Verdict.NO and head.row.verdict == "no" and least:
        return Line("fit.none", _values(head, found.n))
    return _verdict(head, found.n)


def _lent(found: Judgement, note: Note, ram_gb: float | None) -> Line:
    """What the card does not hold lies in RAM, and how fast that runs; "yes" only where enough RAM was named."""
    lent = Figure(_number(note, "ram"), "GB")
    values: dict[str, Worded] = {
        **_values(found.head, found.n),
        "part": Line("fit.part_experts" if note.values["experts"] else "fit.part_layers", {"ram": lent}),
        "speed": Figure(_number(note, "speed"), "token/s", low=_number(note, "low"), high=_number(note, "high")),
        "memory": _memory(note),
    }
    if ram_gb is None:
        return Line("fit.none_alone" if _least(found) else "fit.no_alone", values)
    if ram_gb < lent.value + SYSTEM_RAM:
        return Line("fit.ram_short", {**values, "said": Figure(float(ram_gb), "GB")})
    return Line("fit.in_ram", values)


def _memory(note: Note) -> Line:
    """The machine's memory that a pace rests on: as it was said, or assumed."""
    values: dict[str, Worded] = {
        "kind": str(note.values["kind"]) or None,
        "channels": Figure(_number(note, "channels"), ""),
        "rate": Figure(_number(note, "rate"), "GB/s"),
    }
    return Line("fit.memory" if note.values["stated"] else "fit.memory_assumed", values)


def _number(note: Note, name: str) -> float:
    value = note.values[name]
    return float(value) if isinstance(value, (int, float)) else 0.0


def _verdict(one: Tried, n: int) -> Line:
    if one.row.usable is None:
        return Line("fit.unknown", {"card": named_card(one.card, n)})
    return Line(f"fit.{one.row.verdict}", _values(one, n))


def _values(one: Tried, n: int) -> dict[str, Worded]:
    return {
        "way": used_way(one.row),
        "model": model_named(one.row.model),
        "need": gib(one.row.need),
        "each": _shared(one, n),
        "gives": gives(one.card, n),
    }


def _shared(one: Tried, n: int) -> Line | None:
    """That a need is that of each of several cards, with the sum of what a model takes that is cut over them."""
    if n == 1:
        return None
    cut = one.figure.job.parallel is not Parallel.DATA
    return Line("fit.each", {"total": gib(n * one.row.need.value) if cut else None})


def _least(found: Judgement) -> bool:
    """Whether no other way of the same kind needs less."""
    return bool(found.rest) and all(one.row.need.value >= found.head.row.need.value for one in found.rest)


# --- what would do ---------------------------------------------------------------------------------------------------


def _fixes(found: Judgement, *, in_ram: bool) -> list[Line]:
    """What makes it fit, the least change first."""
    if found.head.fits or found.works is not None:
        return []
    if found.hopeless:
        return _instead(found)
    lines = [*(_on_card(found) or _recipe(found, in_ram=in_ram)), *_larger(found)]
    return [*lines, *_largest(found)] if len(found.tried) > 1 else lines


def _instead(found: Judgement) -> list[Line]:
    """What can be done about a job that nothing brings onto the card."""
    lines = [] if found.rest else [Line("fit.hopeless")]
    if found.nearest is not None:
        lines.append(Line("fit.nearest", {"need": gib(found.nearest.need), "held": held_by(found.nearest)}))
    if found.split is not None and not found.cards:
        return [*lines, *_largest(found), Line("fit.as_asked", {"split": shared_over(found.split)})]
    return [*lines, *_larger(found), *_largest(found)]


def _largest(found: Judgement) -> list[Line]:
    held = found.largest
    if held is None or not held.model:
        return []
    values: dict[str, Worded] = {
        "card": named_card(found.head.card, found.n),
        "way": used_way(held),
        "model": model_named(held.model),
    }
    return [Line("fit.largest", values)]


def _recipe(found: Judgement, *, in_ram: bool) -> list[Line]:
    steps = found.recipe
    if not steps or (found.head.draws and len(found.tried) > 1):
        return []
    if steps[-1].code == _LAYERS:
        return _from_ram(found, steps, in_ram=in_ram)
    if [one.code for one in steps] == [_LENGTH] and (line := length_line(found.head)) is not None:
        return [line]
    values: dict[str, Worded] = {"steps": in_turn([_cost(found, one) for one in steps]), "need": gib(steps[-1].need)}
    return [Line("fit.together" if len(steps) > 1 else "fit.easiest", values)]


def _from_ram(found: Judgement, steps: Sequence[Trick], *, in_ram: bool) -> list[Line]:
    """Weights in RAM as the last resort; for running a model the words that its users know."""
    if found.head.runs:
        return [] if in_ram or found.head.card.shares_ram else [Line("fit.layers")]
    return [Line("fit.last_resort", {"steps": in_turn([_cost(found, one) for one in steps])})]


def _cost(found: Judgement, trick: Trick) -> Line | Note:
    full = found.head.job.workload.method is Method.FULL
    return Line("fit.full_to_qlora") if trick.code == "qlora" and full else trick.costs


def _larger(found: Judgement) -> list[Line]:
    """A larger card, or more of them, with the settings as they are."""
    split, own = found.split, found.head.card.label
    if found.cards:
        also = shared_over(split) if split is not None and split.gpu == own else None
        return [Line("fit.larger", {"card": found.cards[0], "also": also})]
    return [Line("fit.shared_by", {"split": shared_over(split)})] if split is not None else []


def _rest(found: Judgement) -> list[Line]:
    """The other formats or methods of the same use."""
    same = [one.row for one in found.rest]
    return [Line("fit.rest", by_verdict(same))] if same else []


def _other_uses(found: Judgement) -> list[Block]:
    """Training beside running, or the reverse: what nobody asked is not told in a group."""
    other = [one.row for one in found.other_uses]
    line = Line("fit.trained" if found.head.runs else "fit.run", by_verdict(other)) if other else None
    return [Listing((line,), depth=Depth.PRIVATE)] if line is not None else []


# --- below -----------------------------------------------------------------------------------------------------------


def _blocks(found: Judgement, estimate: MemoryEstimate) -> list[Block]:
    parts = [one for one in breakdown(estimate, short=True) if one.value]
    more = [Line("fit.cards", {"cards": found.cards})] if len(found.cards) > 1 else []
    table = [_table(found)] if len(found.tried) > 1 else []
    return [Listing((sum_line(parts, estimate.total.value), *more)), *_tricks(found), *table]


def _tricks(found: Judgement) -> list[Block]:
    """Ways to need less, in order; where a card shares the machine's RAM nothing is gained by moving there."""
    shared, tricks = found.head.card.shares_ram, found.plan.tricks if found.plan else ()
    steps = [_trick(one) for one in tricks if one.saves_gib and not (shared and one.code == _LAYERS)]
    return [Listing(tuple(steps), Line("fit.tricks"))] if steps else []


def _trick(trick: Trick) -> Line:
    fits = Line("fit.trick_enough") if trick.fits else None
    values: dict[str, Worded] = {
        "costs": trick.costs,
        "saves": gib(trick.saves_gib),
        "left": gib(trick.need.value),
        "fits": fits,
    }
    return Line("fit.trick", values)


def _table(found: Judgement) -> Table:
    """Every way with its band."""
    several = len({id(one.card) for one in found.tried}) > 1, len({one.row.model for one in found.tried}) > 1
    columns = (Line("column.use"), Line("column.needs"), Line("column.verdict"))
    rows = [
        (
            _what(one, several, found.n),
            Line("memory.band", {"need": gib(one.row.need)}),
            Label(one.row.verdict, "verdict"),
        )
        for one in found.tried
    ]
    return Table(columns, tuple(rows), depth=Depth.DETAILS)


def _band(one: Tried) -> Line:
    return Line("memory.band", {"need": gib(one.row.need)})


def _what(one: Tried, several: tuple[bool, bool], n: int) -> Single:
    cards, models = several
    values: dict[str, Worded] = {
        "way": way_named(one.row),
        "model": model_named(one.row.model) if models else None,
        "card": label_of(one.card, n) if cards else None,
    }
    return Line("column.what", values)
