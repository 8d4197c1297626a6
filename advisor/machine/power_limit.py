"""What a power limit costs in speed: of one card to so many watts, of one card to what pays best, or as a rule."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from advisor.machine.models import Item, Verdict
from advisor.machine.power import sensible_limit
from advisor.machine.rules import LimitCurve, rules
from advisor.models import Frozen, Gpu, Step, note_of, step_of

_TRAINING: Final = "training"
_TEXT: Final = "text"


class Kept(Frozen):
    """Share of its speed that a card keeps under a power limit, by the kind of work."""

    training: float
    text: float
    """Writing text for one reader, which is bound by memory bandwidth."""


def kept_speed(board_w: float, limit_w: float) -> Kept | None:
    """Speed that is left at a limit, read between points measured on RTX 3090 cards by the share of their 350 W.

    Args:
        board_w: board power of the card.
        limit_w: the limit; one at or above the board power costs nothing.

    Returns:
        None below the lowest point that was measured: there speed falls away faster than power.
    """
    curves = rules().power.limit_curves
    share = limit_w / board_w
    training, text = (_read(curves[job], share) for job in (_TRAINING, _TEXT))
    return None if training is None or text is None else Kept(training=training, text=text)


def _read(curve: LimitCurve, share: float) -> float | None:
    if share >= 1:
        return 1.0
    for (low, at_low), (high, at_high) in pairwise(sorted((*curve.points, (1.0, 1.0)))):
        if low <= share <= high:
            return at_low + (at_high - at_low) * (share - low) / (high - low)
    return None


def limit_advice(gpu: Gpu | None = None, limit_w: float | None = None) -> Item:
    """What a power limit costs in speed: of one card, or the rule with everything that was measured.

    Args:
        gpu: the card.
        limit_w: watts that were asked about; without them what pays best.
    """
    item = _advice(gpu)
    if gpu is None or gpu.board_power_w is None or limit_w is None:
        return item
    return _at(gpu, gpu.board_power_w, limit_w, item)


def _at(gpu: Gpu, board_w: float, limit_w: float, item: Item) -> Item:
    """The same advice led by what the limit that was asked about costs."""
    kept = kept_speed(board_w, limit_w)
    values = {"gpu": gpu.name, "board": board_w, "watts": limit_w, "sensible": sensible_limit(gpu)}
    if limit_w >= board_w:
        return item.model_copy(update={"headline": note_of("machine_limit_none", values), "reasons": ()})
    if kept is None:
        return item.model_copy(update={"headline": note_of("machine_limit_low", values)})
    lost = {name: round(1 - left, 2) for name, left in (("training", kept.training), ("text", kept.text))}
    lost["saved"] = round(1 - limit_w / board_w, 2)
    steps = (_curve_step(_TRAINING, kept.training), _curve_step(_TEXT, kept.text))
    return item.model_copy(
        update={
            "headline": note_of("machine_limit_at", values | lost),
            "reasons": (note_of("machine_limit_from"), *item.reasons),
            "steps": (*steps, *item.steps),
        }
    )


def _curve_step(job: str, kept: float) -> Step:
    return step_of(
        name=f"speed_kept {job}",
        value=round(kept, 3),
        how="between points measured on RTX 3090 cards",
        sources=rules().power.limit_curves[job].sources,
    )


def _card_values(gpu: Gpu | None, known: list[dict[str, object]]) -> dict[str, object]:
    """What a limit means for one card: its watts, and what was measured of it in training and in games."""
    if gpu is None:
        return {"gpu": "", "board": None, "watts": None, "keeps": None, "games": []}
    own = [one for one in known if one["id"] == gpu.id]
    keeps = [one["keeps"] for one in own if one["job"] == _TRAINING]
    return {
        "gpu": gpu.name,
        "board": gpu.board_power_w,
        "watts": sensible_limit(gpu),
        "keeps": keeps[0] if keeps else None,
        "games": [one for one in own if one["job"] != _TRAINING],
    }


def _advice(gpu: Gpu | None) -> Item:
    """What pays best: of one card, or the rule with everything that was measured."""
    rule = rules().power
    known: list[dict[str, object]] = [
        {"id": name, "watts": one.watts, "keeps": one.keeps, "job": one.job} for name, one in rule.limits.items()
    ]
    values = _card_values(gpu, known) | {
        "share": rule.limit_share.number,
        "known": known,
        "stress": rule.limit_stress.number,
    }
    shown = rule.limits if gpu is None else {name: one for name, one in rule.limits.items() if name == gpu.id}
    steps = [
        step_of(
            name=f"power_limit {name}",
            value=one.watts,
            unit="W",
            how="measured",
            sources=(one.source,),
            as_of=one.as_of,
        )
        for name, one in shown.items()
    ]
    return Item(
        name="limit",
        verdict=Verdict.OPEN,
        headline=note_of("machine_limit_card" if values["watts"] else "machine_limit_rule", values),
        reasons=(note_of("machine_limit_known", values),),
        actions=(note_of("machine_limit_how"),),
        steps=(*steps, rule.limit_share.step("limit_share"), rule.limit_stress.step("loss_in_a_stress_test")),
    )
