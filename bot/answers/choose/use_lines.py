"""Which side for what, where one speed figure does not rank them: other software, shared memory, other counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.speed.contest import Contest
from advisor.speed.uses import SideUse, Uses
from bot.answers.phrases import cards_named, model_named, size_named
from bot.core.line import Figure, Label, Line, Single, Worded, gib

_UNIFIED: Final = "unified"
_COUNTS: Final = "counts"
_STACKS: Final = "stacks"
_ALIKE: Final = 0.9
"""Share of the larger memory from which two sides are called alike in it."""
_HOLDS: Final = frozenset({"fits", "tight"})


def held_by(use: Uses, made: Contest, model: str) -> Line:
    """The sides that hold a named model, where the one for everything else does not."""
    rest = use.sides[use.rest or 0]
    need = made.sides[use.rest or 0].results[0].need_gib
    names = [_named(side) for side, one in zip(use.sides, made.sides, strict=True) if one.results[0].fits in _HOLDS]
    values: dict[str, Worded] = {
        "sides": tuple(names) or None,
        "rest": _named(rest),
        "model": model_named(model),
        "need": gib(need) if need is not None else None,
    }
    return Line("use.held_by.each" if rest.n > 1 else "use.held_by", values)


def use_headline(use: Uses, purpose: str = "") -> Line:
    """One side for large models, the other for the rest; one of them where it is better at both.

    `purpose`: train | run | draw, "" where nothing was said of it.
    """
    told = _for_purpose(use, purpose) if purpose and use.rest is not None else None
    if told is not None:
        return told
    big = use.sides[use.big] if use.big is not None else None
    if use.rest is None:
        return Line("use.open")
    rest = use.sides[use.rest]
    values: dict[str, Worded] = {
        "rest": _named(rest),
        "holds": gib(rest.total_gib) if rest.total_gib else None,
        "big": _named(big) if big is not None else None,
        "stack": Label(big.stack, "stack") if big is not None else None,
        "memory": _most(big),
    }
    return Line(f"use.{_case(use.kind, big, rest)}", values)


def _for_purpose(use: Uses, purpose: str) -> Line | None:
    """The side for the work that was said; None where that settles nothing."""
    rest, big = use.sides[use.rest or 0], use.sides[use.big] if use.big is not None else None
    if use.kind == _STACKS:
        return _on_stacks(rest, None if big is None or big.name == rest.name else big, purpose)
    return _for_work(use, rest, big, purpose) if use.kind == _UNIFIED and big is not None else None


def _on_stacks(rest: SideUse, big: SideUse | None, purpose: str) -> Line | None:
    """Of two software stacks the side for the work that was said, and what the other one is worth beside it.

    To run language models memory decides, as their programs know both stacks; to draw and to train the software does.
    """
    if purpose == "run" and (big is None or not big.largest or big.largest == rest.largest):
        return None
    values: dict[str, Worded] = {"rest": _named(rest), "holds": gib(rest.total_gib) if rest.total_gib else None}
    if big is not None:
        largest = size_named(big.largest) if big.largest else None
        values |= {"big": _named(big), "stack": Label(big.stack, "stack"), "memory": _most(big), "largest": largest}
    return Line(f"use.stacks.to_{purpose}", {**_NO_OTHER, **values})


_NO_OTHER: Final[dict[str, Worded]] = {"big": None, "stack": None, "memory": None, "largest": None}


def _for_work(use: Uses, rest: SideUse, big: SideUse, purpose: str) -> Line | None:
    """The card with memory of its own for the work that was said, and what the shared memory is worth beside it."""
    if not rest.largest or not big.unified:
        return None
    values: dict[str, Worded] = {
        "rest": _named(rest),
        "holds": gib(rest.total_gib) if rest.total_gib else None,
        "largest": size_named(rest.largest),
        "big": _named(big),
        "memory": _most(big),
        "start": size_named(big.only[0]) if big.only else None,
    }
    if purpose == "train":
        if not rest.arithmetic_tflops or not big.arithmetic_tflops:
            return None
        times = float(f"{rest.arithmetic_tflops / big.arithmetic_tflops:.2g}")
        more = {"tflops": Figure(rest.arithmetic_tflops), "less": Figure(big.arithmetic_tflops, "TFLOPS")}
        return Line("use.unified.train", {**values, **more, "times": Figure(times, "times")})
    faster = use.bandwidth is not None and use.sides[use.bandwidth].name == rest.name
    return Line("use.unified.faster" if faster else "use.unified.run", values)


def _case(kind: str, big: SideUse | None, rest: SideUse) -> str:
    apart = big is not None and big.name != rest.name
    if kind == "stacks":
        return "stacks.apart" if apart else "stacks.more" if big is not None else "stacks.same"
    if kind == "unified":
        return "unified.apart" if big is not None and big.unified else "unified.neither"
    if big is None:
        return "counts.same"
    if apart:
        return "counts.apart"
    return "counts.one" if rest.n == 1 else "counts.rest"


def by_price(
    use: Uses, prices: tuple[Line, Line], taken: int, faster: Figure | None, *, cheaper: bool = True
) -> Line | None:
    """One of two sides with as much memory in another number of cards; None where they differ in more than that.

    Args:
        use: the two sides.
        prices: what each costs.
        taken: the place of the one that is surely faster, else of the one that costs less.
        faster: by how much, where that is sure.
        cheaper: whether the one that is taken costs less.
    """
    sizes = [side.total_gib or 0.0 for side in use.sides]
    if use.kind != _COUNTS or min(sizes) < _ALIKE * max(sizes):
        return None
    side, other = use.sides[taken], use.sides[1 - taken]
    values: dict[str, Worded] = {
        "side": _named(side),
        "other": _named(other),
        "price": prices[taken],
        "more": prices[1 - taken],
        "memory": gib(max(sizes)),
        "power": Figure(side.power_w, "W") if side.power_w else None,
        "watts": Figure(other.power_w, "W") if other.power_w else None,
        "faster": faster,
    }
    if faster is not None:
        return Line("use.counts.better" if cheaper else "use.counts.faster", values)
    return Line("use.counts.cheaper" if side.n > other.n else "use.counts.single", values)


def _most(big: SideUse | None) -> Single:
    """Its memory, the most where it is sold with several sizes."""
    if big is None or not big.total_gib:
        return None
    total = Figure(big.total_gib, "GB") if big.unified else gib(big.total_gib)
    return Line("use.up_to", {"total": total}) if len(big.options_gib) > 1 else total


def use_lines(use: Uses, *, rated: bool = False, writes: bool = True) -> Iterator[Line]:
    """What each side has, what only one of them holds, and what decides where both hold it.

    `rated`: how much faster one side is was told; `writes`: language models may be meant, and not pictures.
    """
    for place, side in enumerate(use.sides):
        yield _offers(use, place, side, writes=writes)
    if not writes:
        return
    yield from _only(use)
    yield from _pace(use)
    if use.kind == "stacks" and not rated:
        yield Line("use.no_ratio")
    elif use.kind == "counts":
        yield Line("use.layers")


def _offers(use: Uses, place: int, side: SideUse, *, writes: bool) -> Line:
    """Memory, bandwidth, compute, power, the largest model, links between cards, software."""
    values: dict[str, Worded] = {
        "side": _named(side),
        "memory": _memory(side),
        "bandwidth": Figure(side.bandwidth_gb_per_s, "GB/s") if side.bandwidth_gb_per_s else None,
        "power": Figure(side.power_w, "W") if side.power_w else None,
        "largest": size_named(side.largest) if side.largest and writes else None,
        "unknown": None if side.bandwidth_gb_per_s else Line("use.no_bandwidth"),
        **_of_counts(side, counts=use.kind == "counts"),
        **_of_stack(use, place, side),
    }
    return Line("use.side.several" if side.n > 1 else "use.side", values)


def _of_counts(side: SideUse, *, counts: bool) -> dict[str, Worded]:
    """Compute and links, told where numbers of cards are set side by side."""
    tflops = Figure(side.tflops, "TFLOPS") if counts and side.tflops else None
    return {"tflops": tflops, "link": _link(side) if counts and side.link else None}


def _of_stack(use: Uses, place: int, side: SideUse) -> dict[str, Worded]:
    """The software, at the first side that has it."""
    apart = len({one.stack for one in use.sides}) > 1
    named = apart and (place == 0 or use.sides[place - 1].stack != side.stack)
    labels = (Label(side.stack, "stack"), Label(side.stack, "stack_verdict")) if named else (None, None)
    return {"stack": labels[0], "said": labels[1]}


def _memory(side: SideUse) -> Line:
    if not side.total_gib:
        return Line("use.memory.unknown")
    if len(side.options_gib) > 1:
        sizes = tuple(Figure(size, "GB") for size in side.options_gib)
        return Line("use.memory.options", {"sizes": sizes})
    return Line("use.memory.shared" if side.unified else "use.memory", {"total": gib(side.total_gib)})


def _link(side: SideUse) -> Line:
    if side.link == "pcie":
        return Line("use.link.pcie")
    return Line(f"use.link.{side.link}", {"rate": Figure(side.nvlink_gb_per_s or 0.0, "GB/s")})


def _only(use: Uses) -> Iterator[Line]:
    """Models that one side alone holds in 4 bit."""
    big = use.sides[use.big].name if use.big is not None else ""
    for side in use.sides:
        if not side.only or (use.kind == "unified" and big and side.name != big):
            continue
        other = use.sides[use.rest] if use.kind == "unified" and use.rest is not None else None
        values: dict[str, Worded] = {
            "side": _named(side),
            "other": _named(other) if other is not None else None,
            "model": size_named(side.only[0]),
            "need": gib(side.needs_gib) if side.needs_gib else None,
            "larger": Line("use.and_larger") if len(side.only) > 1 else None,
            "start": Line("use.from_here") if len(side.only) > 1 else None,
            "cards": Line("use.over_cards", {"n": side.n}) if side.n > 1 else None,
        }
        yield Line("use.only.other" if other is not None else "use.only", values)


def _pace(use: Uses) -> Iterator[Line]:
    """How much faster the side with more bandwidth writes what both hold."""
    if use.kind == "counts" or use.bandwidth is None or use.bandwidth_ratio is None:
        return
    values: dict[str, Worded] = {
        "side": _named(use.sides[use.bandwidth]),
        "times": Figure(float(f"{use.bandwidth_ratio:.2g}"), "times"),
    }
    yield Line("use.pace.unified" if use.kind == "unified" else "use.pace", values)


def _named(side: SideUse) -> Line:
    return cards_named(side.name.removeprefix(f"{side.n} x "), side.n)
