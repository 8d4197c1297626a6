"""Why the winner wins, what the runner-ups trade, and which options are worth showing beside the winner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from advisor.models import Note, note_of
from advisor.recommend.choose import Choice
from advisor.recommend.models import Channel, Need, Objective, Option, Pick, Requirement, Standing
from advisor.recommend.rank import dominates, pareto_front
from advisor.trusted import trusted

_STEP_UP: Final = (
    5.0  # a runner-up may cost up to this many times the winner's price: beyond, it answers another question
)
_ALIKE: Final = 0.05  # differences below this are not worth a word
_picked = trusted(Pick)


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
    others = [o for o in front if o.gpu.id != winner.gpu.id]
    limit = winner.cost * (_STEP_UP if need.budget is None else float("inf"))
    near = [o for o in others if o.cost <= limit and not _belies(o, winner)]
    found: list[tuple[str, Option]] = []
    cheaper = [o for o in near if o.cost < winner.cost and o.sure >= winner.sure]
    if cheaper:
        found.append(("cheapest", min(cheaper, key=lambda o: (o.cost, o.key))))
    faster = [o for o in near if (o.speed or 0.0) > (winner.speed or 0.0) * (1 + _ALIKE)]
    if faster:
        found.append(("fastest", max(faster, key=lambda o: (o.speed or 0.0, -o.cost, o.key))))
    roomier = [o for o in near if o.total_vram_gib > winner.total_vram_gib]
    place = {option.key: rank for rank, option in enumerate(order)}
    if roomier:
        found.append(("roomier", min(roomier, key=lambda o: place[o.key])))
    found.extend(("alternative", o) for o in sorted(near, key=lambda o: place[o.key]))
    return found


def _belies(option: Option, winner: Option) -> bool:
    """Whether it is cheaper and clearly faster, and stands behind only because it is several cards.

    Said in the reason of the winner (`rec_why_fewer`); listed as a choice it would speak against the pick.
    """
    if option.n <= winner.n or option.cost > winner.cost or not option.sure or option.ample < winner.ample:
        return False
    return (option.speed or 0.0) > (winner.speed or 0.0) * (1 + _ALIKE)


def _pick(role: str, option: Option, winner: Option, reasons: tuple[Note, ...]) -> Pick:
    return _picked(
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
        values: dict[str, Any] = {
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
    if second is None:
        notes.append(note_of("rec_only", {}))
    else:
        notes.append(_why_first(winner, second, choice))
    return tuple(notes)


def _why_first(winner: Option, second: Option, choice: Choice) -> Note:
    values: dict[str, Any] = {
        "second": second.gpu.name,
        "speed": _ratio(winner.speed, second.speed),
        "price": winner.cost / second.cost if second.cost else None,
        **_claims(winner, choice.order),
    }
    values["n"], values["own"] = second.n, winner.n
    if second.n > winner.n and (values["speed"] or 0.0) < 1.0:
        return note_of("rec_why_fewer", values)
    per_work = winner.quote.channel is Channel.RENT and choice.made.work_shrinks
    stated = _STATED.get(choice.objective)
    if choice.objective is Objective.CHEAPEST and per_work:
        stated = "rec_why_work"
    if stated:
        return note_of(stated, values)
    if winner.sure and not second.sure:
        return note_of("rec_why_safe", values)
    if winner.ample and not second.ample:
        return note_of("rec_why_ample", values)
    if choice.objective is Objective.MOST:
        return note_of("rec_why_most", values)
    return note_of("rec_why_work" if per_work else "rec_why_value", values)


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
