"""Why the winner wins, what the runner-ups trade, and which options are worth showing beside the winner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from advisor.models import Note, note_of
from advisor.recommend.choose import Choice
from advisor.recommend.models import Channel, Need, Objective, Option, Pick, Requirement, Standing
from advisor.recommend.rank import dominates, pareto_front

_STEP_UP: Final = (
    5.0  # a runner-up may cost up to this many times the winner's price: beyond, it answers another question
)
_ALIKE: Final = 0.05  # differences below this are not worth a word
_LITTLE: Final = 1.2  # up to so many times the speed is little more


def picks_of(choice: Choice, need: Need, want: Requirement) -> tuple[Pick, ...]:
    """The winner and up to two runner-ups, none of them dominated."""
    winner = choice.winner
    if winner is None:
        return ()
    front = pareto_front(choice.order)
    shown = [("best", winner)]
    for role, option in _runner_ups(winner, front, choice.order, need):
        if len(shown) < 3 and all(option.gpu.id != kept.gpu.id for _, kept in shown):
            shown.append((role, option))
    undominated = {option.key for option in front}
    second = next((o for o in choice.order if o.gpu.id != winner.gpu.id and o.key in undominated), None)
    picks = [_pick("best", winner, winner, _winner_reasons(winner, second, need, want, choice))]
    picks += [_pick(role, option, winner, trade(option, winner)) for role, option in shown[1:]]
    return tuple(picks)


def first_pick(choice: Choice, need: Need, want: Requirement) -> Pick | None:
    """The winner alone, as `picks_of` has it."""
    winner = choice.winner
    if winner is None:
        return None
    order = choice.order
    others = (option for option in order if option.gpu.id != winner.gpu.id)
    second = next((option for option in others if not any(dominates(one, option) for one in order)), None)
    return _pick("best", winner, winner, _winner_reasons(winner, second, need, want, choice))


def _runner_ups(
    winner: Option, front: Sequence[Option], order: Sequence[Option], need: Need
) -> list[tuple[str, Option]]:
    """Candidates for places two and three, by what they offer that the winner does not."""
    limit = winner.cost * (_STEP_UP if need.budget is None else float("inf"))
    place = {option.key: rank for rank, option in enumerate(order)}
    near = sorted((one for one in front if _is_choice(one, winner, limit)), key=lambda one: place[one.key])
    return [(role, one) for role, offers in _OFFERS.items() for one in offers(near, winner)]


def _is_choice(option: Option, winner: Option, limit: float) -> bool:
    """Whether another card is within reach, and does not speak against the pick."""
    return option.gpu.id != winner.gpu.id and option.cost <= limit and not _belies(option, winner)


def _cheapest(near: list[Option], winner: Option) -> list[Option]:
    cheaper = (one for one in near if one.cost < winner.cost and one.sure >= winner.sure)
    return sorted(cheaper, key=lambda one: (one.cost, one.key))[:1]


def _fastest(near: list[Option], winner: Option) -> list[Option]:
    faster = (one for one in near if _rate(one) > _rate(winner) * (1 + _ALIKE))
    return sorted(faster, key=lambda one: (_rate(one), -one.cost, one.key))[-1:]


def _roomier(near: list[Option], winner: Option) -> list[Option]:
    return [one for one in near if one.total_vram_gib > winner.total_vram_gib][:1]


_OFFERS: Final[dict[str, Callable[[list[Option], Option], list[Option]]]] = {
    "cheapest": _cheapest,
    "fastest": _fastest,
    "roomier": _roomier,
    "alternative": lambda near, _: near,
}
"""What a runner-up may be good for, and which of the options, best first, are that."""


def _rate(option: Option) -> float:
    """Speed, 0 where none is known."""
    return option.speed or 0.0


def _belies(option: Option, winner: Option) -> bool:
    """Whether it is cheaper and clearly faster, and stands behind only because it is several cards.

    Said in the reason of the winner (`rec_why_fewer`); listed as a choice it would speak against the pick.
    """
    if option.n <= winner.n or option.cost > winner.cost or not option.sure or option.ample < winner.ample:
        return False
    return _rate(option) > _rate(winner) * (1 + _ALIKE)


def _pick(role: str, option: Option, winner: Option, reasons: tuple[Note, ...]) -> Pick:
    return Pick(
        role=role,
        option=option,
        speed_ratio=_ratio(option.speed, winner.speed),
        price_ratio=option.cost / winner.cost if winner.cost else None,
        extra_gib=option.total_vram_gib - winner.total_vram_gib,
        reasons=reasons + caveats(option),
    )


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one and other else None


def _winner_reasons(
    winner: Option, second: Option | None, need: Need, want: Requirement, choice: Choice
) -> tuple[Note, ...]:
    notes: list[Note] = []
    made = choice.made
    if want.gib > 0:
        code = "rec_has_vram" if want.estimate is None else "rec_fits" if winner.sure else "rec_tight"
        values: dict[str, object] = {
            "need": want.gib,
            "low": want.low,
            "high": want.high,
            "vram": winner.vram_gib,
            "n": winner.n,
        }
        values["model"] = made.job.ml_model.name if made.job is not None else ""
        notes.append(note_of(code, values))
    if want.headroom_gib and winner.ample:
        notes.append(note_of("rec_headroom", {"gib": winner.total_vram_gib}))
    elif want.guide_gib and winner.ample:
        notes.append(note_of("rec_guide", {"guide": want.guide_gib}))
    if second is not None:
        return (*notes, _why_first(winner, second, choice))
    return (*notes, note_of("rec_only", {})) if winner.sure else tuple(notes)


def _why_first(winner: Option, second: Option, choice: Choice) -> Note:
    speed = _ratio(winner.speed, second.speed)
    values: dict[str, object] = {
        "second": second.gpu.name,
        "speed": speed,
        "price": winner.cost / second.cost if second.cost else None,
        **_claims(winner, choice.order),
        "n": second.n,
        "own": winner.n,
        "room": winner.total_vram_gib,
        "less_room": second.total_vram_gib if second.total_vram_gib < winner.total_vram_gib else None,
    }
    if second.n > winner.n and (speed or 0.0) < 1.0:
        return note_of("rec_why_fewer", values)
    return note_of(_why(winner, second, choice), values)


def _why(winner: Option, second: Option, choice: Choice) -> str:
    """The reason by what was wished for, then by what only the winner has, then by what things cost."""
    per_work = winner.quote.channel is Channel.RENT and choice.made.work_shrinks
    if choice.objective in _STATED:
        cheapest_work = per_work and choice.objective is Objective.CHEAPEST
        return "rec_why_work" if cheapest_work else _STATED[choice.objective]
    if winner.sure and not second.sure:
        return "rec_why_safe"
    if winner.ample and not second.ample:
        return "rec_why_ample"
    if choice.objective is Objective.MOST:
        return "rec_why_most"
    return "rec_why_work" if per_work else "rec_why_value"


_STATED: Final = {
    Objective.CHEAPEST: "rec_why_cheapest",
    Objective.FRUGAL: "rec_why_frugal",
    Objective.FASTEST: "rec_why_fastest",
}


def _claims(winner: Option, order: Sequence[Option]) -> dict[str, bool]:
    """Superlatives that are true of the winner among everything that was ranked; only those may be said."""
    per_money = winner.fast / winner.cost if winner.cost else 0.0
    return {
        "fastest": all(one.fast <= winner.fast for one in order),
        "cheapest": all(one.cost >= winner.cost for one in order),
        "most": all(one.fast <= per_money * one.cost for one in order),
        "paced": winner.speed is None,
        "level": all(one.fast <= _LITTLE * winner.fast for one in order),
    }


def trade(option: Option, winner: Option) -> tuple[Note, ...]:
    """What choosing this option instead of the winner gains and costs."""
    notes: list[Note] = []
    price = option.cost / winner.cost if winner.cost else 1.0
    if price < 1 - _ALIKE:
        notes.append(note_of("rec_trade_cheaper", {"share": 1 - price}))
    elif price > 1 + _ALIKE:
        notes.append(note_of("rec_trade_dearer", {"times": price}))
    speed = _ratio(option.speed, winner.speed)
    if speed is not None and speed < 1 - _ALIKE:
        notes.append(note_of("rec_trade_slower", {"times": speed}))
    elif speed is not None and speed > 1 + _ALIKE:
        notes.append(note_of("rec_trade_faster", {"times": speed}))
    more = option.total_vram_gib - winner.total_vram_gib
    if more > 0:
        notes.append(note_of("rec_trade_more_memory", {"gib": more}))
    elif more < 0:
        notes.append(note_of("rec_trade_less_memory", {"gib": -more}))
    if not option.sure:
        notes.append(note_of("rec_trade_tight", {}))
    return tuple(notes)


def caveats(option: Option) -> tuple[Note, ...]:
    """What must be said with an option: old prices, second-hand, several cards."""
    notes: list[Note] = []
    quote = option.quote
    if quote.standing is Standing.LAUNCH:
        notes.append(note_of("rec_price_launch", {"year": quote.year}))
    elif quote.standing is Standing.EXPIRED:
        notes.append(note_of("rec_price_expired", {"year": quote.year}))
    elif quote.standing is Standing.STALE:
        notes.append(note_of("rec_price_stale", {"as_of": quote.as_of}))
    if quote.terms == "purchase_used":
        notes.append(note_of("rec_used", {}))
    if quote.terms == "marketplace":
        notes.append(note_of("rec_marketplace", {}))
    if quote.terms == "spot":
        notes.append(note_of("rec_spot", {}))
    if option.paid > option.n:
        notes.append(note_of("rec_whole_node", {"together": quote.together, "n": option.n}))
    if option.n > 1:
        notes.append(note_of("rec_several", {"n": option.n}))
    return tuple(notes)
