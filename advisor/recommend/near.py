"""What comes close to a wish: when nothing fulfils it, and what a lighter method would take instead of the pick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.models import Method, Note, Precision, Workload, note_of
from advisor.recommend.candidates import Prepared, prepare
from advisor.recommend.choose import Choice
from advisor.recommend.ground import is_legacy
from advisor.recommend.models import Channel, Need, Option, Prospect
from advisor.recommend.need import Models

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_LIGHTER: Final = frozenset({Method.INFERENCE, Method.LORA, Method.FULL})
_COMMON_GIB: Final = 32.0  # above, a single card is no longer what people have at home


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish and what answers are worked out from."""

    need: Need
    catalog: Catalog
    today: date
    models: Models

    def choice(self, need: Need) -> Choice:
        """What answers this wish, or another one. Raises AdvisorError where no estimate is supported."""
        return Choice(prepare(need, self.catalog, self.today, self.models), need)


def nearest(ask: Ask, choice: Choice, unpriced: tuple[str, ...] = ()) -> tuple[Note, ...]:
    """What comes closest to a wish that nothing fulfils: the other channel, more money, a lighter method."""
    found = [*_other_channel(ask.need, choice), *_beyond_budget(ask.need, choice)]
    if not found:
        found += _later(ask.need, choice.made)
    found += _lighter_method(ask, choice.made)
    if not found and unpriced:
        found.append(note_of("rec_near_unpriced", {"names": list(unpriced[:4]), "count": len(unpriced)}))
    return tuple(found)


def _other_channel(need: Need, choice: Choice) -> Iterator[Note]:
    yield from (_near("rec_near_other", option, need) for option in choice.other().order[:1])


def _beyond_budget(need: Need, choice: Choice) -> Iterator[Note]:
    """The cheapest of each channel that a larger budget would allow, unless the channel has an answer already."""
    beyond = choice.over()
    over = [one for one in beyond if one.sure and not is_legacy(one.gpu)] or beyond
    answered = {option.quote.channel for option in choice.other().order[:1]}
    for channel in (Channel.RENT, Channel.BUY):
        pool = [one for one in over if one.quote.channel is channel]
        if pool and channel not in answered:
            cheapest = min(pool, key=lambda one: (one.quote.firmness, one.cost, one.key))
            yield _near("rec_near_budget", cheapest, need)


def _later(need: Need, made: Prepared) -> Iterator[Note]:
    """How long the fastest option takes that misses the deadline."""
    if made.best_too_slow and need.samples and need.deadline_hours:
        hours = need.samples / made.best_too_slow / 3600
        yield note_of("rec_near_slow", {"hours": hours, "limit": need.deadline_hours})


def _lighter_method(ask: Ask, made: Prepared) -> Iterator[Note]:
    """What the next lighter method would take."""
    lighter = _lighter(ask.need, made.job)
    option = _cheapest_of(ask, lighter, beyond=not made.modern()) if lighter else None
    if lighter is None or lighter.workload is None or option is None:
        return
    light = lighter.workload
    quant = light.quant if light.method is Method.INFERENCE else None
    near = _near("rec_near_method", option, ask.need)
    yield note_of(near.code, {**near.values, "method": light.method.value, "quant": quant or ""})


def _cheapest_of(ask: Ask, need: Need, *, beyond: bool) -> Option | None:
    """What such a wish would take: within the budget, or else (`beyond`) whatever it costs to rent."""
    wishes = (need, need.model_copy(update={"budget": None, "deploy": Channel.RENT})) if beyond else (need,)
    try:
        return next((option for wish in wishes if (option := ask.choice(wish).winner) is not None), None)
    except AdvisorError:
        return None


def _is_large(winner: Option) -> bool:
    """Whether a pick takes more than what people have at home."""
    return winner.n > 1 or not winner.sure or winner.vram_gib > _COMMON_GIB


def lighter_note(ask: Ask, choice: Choice) -> tuple[Note, ...]:
    """When serving or fine-tuning takes a large or several cards: what 4-bit weights would need instead."""
    winner, job = choice.winner, choice.made.job
    if winner is None or job is None or job.method not in _LIGHTER or not _is_large(winner):
        return ()
    lighter = _lighter(ask.need.model_copy(update={"workload": job}), job)
    if lighter is None or lighter.workload is None:
        return ()
    light = lighter.workload
    try:
        option = ask.choice(lighter).winner
        if option is None or option.cost >= winner.cost:
            return ()
        gib = ask.models.gib(light, option.n)
    except AdvisorError:
        return ()
    near = _near("rec_lighter" if light.method is Method.INFERENCE else "rec_lighter_method", option, ask.need)
    return (note_of(near.code, {**near.values, "need": gib, "method": light.method.value}),)


def _near(code: str, option: Option | Prospect, need: Need) -> Note:
    hours = None
    if need.budget is not None and option.quote.channel is Channel.RENT and option.cost:
        hours = float(need.budget.amount) / option.cost
    return note_of(
        code,
        {
            "name": option.gpu.name,
            "n": option.n,
            "channel": option.quote.channel.value,
            "price": option.money,
            "currency": need.currency,
            "hours": hours,
            "provider": option.quote.provider_name,
            "as_of": option.quote.as_of,
        },
    )


def _lighter(need: Need, job: Workload | None) -> Need | None:
    """The same wish with the next lighter method."""
    if job is None:
        return None
    if (
        job.method in (Method.FULL, Method.LORA, Method.TRAIN, Method.PRETRAIN)
        and job.ml_model.modality == "text-decoder"
    ):
        smaller = job.model_copy(
            update={
                "method": Method.QLORA,
                "quant": "nf4",
                "precision": Precision.INT4,
                "checkpointing": True,
                "optimizer": None,
            }
        )
    elif job.method is Method.INFERENCE and job.precision is not Precision.INT4:
        smaller = job.model_copy(update={"precision": Precision.INT4, "quant": "q4_k_m"})
    else:
        return None
    return need.model_copy(update={"workload": smaller})
