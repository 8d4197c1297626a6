"""Each example sentence is answered by the unknown that it stands for, with the value written beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from advisor.errors import Problem
from advisor.files import load_yaml_files
from bot.answers.sums.choose import Chosen, choose
from bot.answers.sums.dealt import dealt
from bot.answers.sums.fitted import fitted
from bot.answers.sums.topical import on_topic
from bot.core.languages import load_languages
from bot.read.amounts import AmountReader
from bot.read.placed import Amounts
from bot.resources import lexicon_directory
from bot.understand.load import load_understander
from bot.understand.recognise import Understander

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_NEAR: Final = 0.01
"""Examples state values rounded to this share."""


def check_examples(catalog: Catalog) -> list[Problem]:
    """Every example of lexicon/sum_examples.yaml that lands elsewhere."""
    problems: list[Problem] = []
    path = lexicon_directory() / "sum_examples.yaml"
    examples: list[dict[str, Any]] = load_yaml_files([path], problems).get(str(path), [])
    understander = load_understander(catalog)
    reader = AmountReader(load_languages(), understander)
    for place, example in enumerate(examples, start=1):
        for language in ("zh", "en"):
            text = example[language]
            chosen = _told(reader, understander, text)
            found = {one.name: one.value for one in chosen.solutions} if chosen is not None else {}
            value = found.get(example["unknown"])
            wanted = float(example["value"])
            if value is None or abs(value - wanted) > _NEAR * abs(wanted):
                told = ", ".join(f"{name} {one:g}" for name, one in found.items()) or "no sum"
                problems.append(
                    Problem(
                        str(path), 1, f"example {place} ({language}), {example['unknown']} {wanted:g}: gives {told}"
                    )
                )
    return problems


def _told(reader: AmountReader, understander: Understander, text: str) -> Chosen | None:
    """The sums of a message by itself."""
    even = understander.even(text)
    trade = on_topic(reader.on_topics(even))
    if trade is not None:
        return trade.chosen
    amounts = reader.read(even, understander.understand(text), reader.blanks(even))
    return _chosen(amounts) if amounts is not None else None


def _chosen(amounts: Amounts) -> Chosen | None:
    """The sums of a message by itself."""
    own = dealt(amounts, None)
    if own is not None:
        return own[0]
    alone = choose(amounts, None)
    whole = fitted(alone, amounts)
    return whole[0] if whole is not None else alone
