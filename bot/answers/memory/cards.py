"""What a job should fit: a card, a bare amount of memory, the RAM of a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.memory.fit import usable_gib
from advisor.models import Gpu, MlModel, Note, Step, step_of
from bot.answers.common import NamedGpu, named_gpus
from bot.answers.memory.sizing import for_first_model
from bot.answers.phrases import cards_named
from bot.core.answers import Decline, Outcome
from bot.core.line import Line, Worded, gib, measured
from bot.core.request import Request


@dataclass(frozen=True, slots=True)
class Card:
    """What the job should fit: a card, a bare amount of memory, or the RAM of a machine without a card."""

    gpu: Gpu | None
    vram: float | None
    """Per card, where it was stated or the card has several sizes."""
    note: Note | None = None
    ram_only: bool = False
    named: str = ""
    """How it was named, where that is not the card's own name."""

    @property
    def label(self) -> str | None:
        """What to call it; None for a bare amount of memory."""
        return self.named or (self.gpu.name if self.gpu else None)

    @property
    def nominal(self) -> float | None:
        """Memory per card."""
        return self.vram if self.vram is not None else (self.gpu.vram_gib if self.gpu else None)

    @property
    def usable(self) -> float:
        """What a job can get of it, in GiB; 0 when its memory is not known."""
        return usable_gib(self.gpu, self.nominal or 0.0)

    @property
    def shares_ram(self) -> bool:
        """Whether it is a machine that people run language models on and hardly train with."""
        return self.ram_only or (self.gpu is not None and self.gpu.unified_memory)


def label_of(card: Card, n: int = 1) -> Line:
    """What to call a card, or several of it, in a table."""
    if card.ram_only:
        return Line("cards.ram")
    if card.label:
        return cards_named(card.label, n)
    amount = measured(card.nominal or 0.0, "GB")
    return Line("cards.amounts", {"n": n, "amount": amount}) if n > 1 else Line("cards.amount", {"amount": amount})


def named_card(card: Card, n: int = 1) -> Line:
    """The same within a sentence."""
    return Line("cards.the", {"gpu": card.label}) if card.label and n == 1 else label_of(card, n)


def gives(card: Card, n: int = 1) -> Line:
    """What a job can get of a card, or of each of several."""
    values: dict[str, Worded] = {"card": named_card(card, n), "usable": gib(card.usable)}
    return Line("cards.give", values) if n > 1 else Line("cards.gives", values)


def usable_step(card: Card, usable: float) -> Step:
    """The step of the trail from the printed to the usable memory."""
    nominal = step_of(
        name="vram_nominal",
        value=card.nominal,
        unit="GiB",
        how="claim" if card.vram is None else "given",
        sources=sources_of(card.gpu),
    )
    how = "nominal - driver, ECC, desktop"
    return step_of(name="vram_usable", value=usable, unit="GiB", how=how, inputs=(nominal,))


def sources_of(gpu: Gpu | None) -> tuple[str, ...]:
    """Where the memory of a card is stated."""
    if gpu is None:
        return ()
    source = gpu.sources.get("vram_gib") or gpu.sources.get("*")
    return (source,) if source else ()


def for_model_and_card(request: Request, answer: Callable[[Request, MlModel, Card], Outcome]) -> Outcome:
    """What `answer` says of the first model and the first card or memory that are named; the card may be none.

    Asks for a model where none is named, declines what is unknown.
    """

    def on_card(asked: Request, model: MlModel) -> Outcome:
        cards = named_gpus(asked)
        return cards if isinstance(cards, Decline) else answer(asked, model, card_among(asked, cards))

    return for_first_model(request, on_card)


def card_among(request: Request, cards: Sequence[NamedGpu]) -> Card:
    """The first of the cards that are named, with the memory that is said of it."""
    stated = request.slot("vram_gb")
    return Card(cards[0].gpu if cards else None, float(stated) if stated else None)
