"""From a text to its amounts: measures, the quantities they are, and what is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from advisor.calculators import QUANTITIES
from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.languages import LanguageWords
from bot.core.understanding import Understanding
from bot.read.blanks import Blanks
from bot.read.forms import Forms
from bot.read.measures import Measure, MeasureReader, UnitTable
from bot.read.quantities import Amounts, Placed, QuantityTable
from bot.resources import lexicon_directory
from bot.understand.language import detect_language
from bot.understand.normalise import NormalisedText
from bot.understand.slots.found import Reading
from bot.understand.tokens import tokenise

_NAMES: Final = frozenset({"gpu", "model", "provider", "gpu_family", "cuda_version", "framework"})
_FEWEST: Final = 1


class AmountReader:
    """Reads amounts. Holds no state."""

    def __init__(self, languages: Iterable[LanguageWords], even: Callable[[str], str]) -> None:
        """`even` normalises a spelling as messages are. Raises BadData with every fault of the lexicon."""
        problems: list[Problem] = []
        paths = [lexicon_directory() / name for name in ("units.yaml", "measures.yaml", "asking.yaml")]
        loaded = load_yaml_files(paths, problems, salt="lexicon")
        if problems:
            raise BadData(problems)
        units, measures, asking = (loaded[str(path)] for path in paths)
        table = UnitTable(units, even)
        self._measures = MeasureReader(table, measures, languages, even)
        self._table = QuantityTable(measures, even)
        self._forms = Forms(measures, even)
        self._blanks = Blanks(asking, table, even)

    def read(self, normalised: NormalisedText, understanding: Understanding) -> Amounts:
        """What a message gives and asks for.

        Args:
            normalised: the even text with the places of the raw one.
            understanding: the same message as read for names: nothing is read out of a name.
        """
        text = normalised.text
        pieces = tokenise(text)
        reading = Reading(text, normalised.raw, normalised.offsets, pieces, detect_language(text, pieces.shape))
        reading.concepts = frozenset(understanding.concepts)
        self._claim(reading, understanding)
        spotted = self._table.spot(text)
        for start, end in self._table.phrases(spotted):
            reading.claim(start, end)
        measures = (*self._forms.clock_ranges(reading), *self._measures.read(reading))
        placed, unplaced = self._table.place(spotted, measures)
        odd = tuple(one for one in placed if _is_odd(one))
        return Amounts(
            placed=placed,
            unplaced=unplaced,
            asked=self._table.asked(spotted, self._blanks.read(text)),
            implied=self._table.implied(spotted, measures) + self._forms.sparsity(text),
            currency=_currency(placed),
            currencies=frozenset(one.measure.currency for one in placed if one.measure.currency),
            odd=odd,
            flags=self._table.flags(spotted),
            adding=frozenset(one.quantity for one in placed if self._table.adds(text, one.measure)),
        )

    def _claim(self, reading: Reading, understanding: Understanding) -> None:
        text = reading.text
        for slot in understanding.slots:
            if slot.slot not in _NAMES:
                continue
            inside = [i for i, place in enumerate(reading.offsets) if slot.span.start <= place < slot.span.end]
            size = inside and slot.text.isdigit() and self._measures.sized(text, inside[-1] + 1)
            if inside and not size and _is_name(slot.slot, slot.value):
                reading.claim(inside[0], inside[-1] + 1)


def _is_name(slot: str, value: object) -> bool:
    """Whether a slot's words are a name and not a bare size ("34B")."""
    return slot != "model" or not str(value).startswith("llm-")


def _is_odd(one: Placed) -> bool:
    quantity = QUANTITIES[one.quantity]
    return not quantity.low <= one.value <= quantity.high or (quantity.positive and one.value == 0)


def _currency(placed: tuple[Placed, ...]) -> str:
    named = Counter(one.measure.currency for one in placed if one.measure.currency)
    return named.most_common(1)[0][0] if named else ""


__all__ = ["AmountReader", "Measure"]
