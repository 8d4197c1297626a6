"""Answers of lines: how values are written, what is left out where nothing is known, what each form shows."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from advisor.models import Money
from bot.core.answers import Answer
from bot.core.line import Depth, Figure, Label, Line, Listing, Table, Worded, amounts, gib
from bot.words.sentences import Sentences, load_sentences
from bot.words.telling import told

SENTENCES = {
    "zh": 'fit: "放得下：{model} 要 {need:band}，{card} 能用 {spare:bare} GiB[[，{price:range}]]。"\nitem: "{n}，{way}"\n',
    "en": 'fit: "Yes: {model} needs {need:band}, {card} gives {spare:bare}[[, {price:range}]]."\nitem: "{n} by {way}"\n',
}
NEED = Figure(8.314, "GiB", low=7.1, high=9.44)


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sentences]:
    """Two sentences in both languages, the units of the house."""
    folder = tmp_path_factory.mktemp("words")
    for language, text in SENTENCES.items():
        (folder / language).mkdir()
        (folder / language / "own.yaml").write_text(text, "utf-8")
        units = Path("templates", language, "units.yaml").read_text("utf-8")
        (folder / language / "units.yaml").write_text(units, "utf-8")
    terms = {language: (lambda label: label.code.upper()) for language in SENTENCES}
    return dict(load_sentences(folder, terms))


def fit(**more: Worded) -> Line:
    values: dict[str, Worded] = {
        "model": "Qwen_3 [8B]",
        "need": NEED,
        "card": "RTX 4070",
        "spare": Figure(11.5, "GiB"),
        **more,
    }
    return Line("fit", values)


def test_a_figure_is_told_with_its_band_and_names_are_harmless(sentences: dict[str, Sentences]) -> None:
    assert (
        sentences["en"].say(fit(price=None)) == "Yes: Qwen\\_3 \\[8B\\] needs 8.31 GiB (7.1–9.44), RTX 4070 gives 11.5."
    )
    assert sentences["zh"].say(fit()) == "放得下：Qwen\\_3 \\[8B\\] 要 8.31 GiB（7.1–9.44），RTX 4070 能用 11.5 GiB。"


def test_what_is_known_is_told_and_a_range_names_its_currency_once(sentences: dict[str, Sentences]) -> None:
    price = amounts(Money(amount=Decimal(700), currency="USD"), Money(amount=Decimal(900), currency="USD"))
    assert sentences["en"].say(fit(price=price)).endswith("gives 11.5, $700–900.")
    assert sentences["en"].say(fit(price=Figure(700, "money", "USD", 700, 700))).endswith("gives 11.5, $700.")


def test_both_ends_of_a_range_are_in_one_unit(sentences: dict[str, Sentences]) -> None:
    long = Figure(1.5, "hour", low=0.5, high=4)
    assert "needs 90 minutes (30–240)" in sentences["en"].say(fit(need=long))


def test_a_sentence_without_a_value_it_needs_is_an_error(sentences: dict[str, Sentences]) -> None:
    with pytest.raises(LookupError):
        sentences["en"].say(Line("fit", {"model": "x"}))
    with pytest.raises(LookupError, match="no sentence for 'never'"):
        sentences["en"].say(Line("never"))


def test_each_form_shows_the_blocks_of_its_depth(sentences: dict[str, Sentences]) -> None:
    row = Line("item", {"n": gib(4.0), "way": Label("lora", "method")})
    answer = Answer(
        headline=(fit(),),
        lines=(row,),
        blocks=(
            Table(columns=(Label("card"), Label("need")), rows=(("A|B", NEED),)),
            Listing((row,), depth=Depth.DETAILS),
        ),
        more=(row,),
    )
    group, private = (told(answer, sentences["en"], depth) for depth in (Depth.GROUP, Depth.PRIVATE))
    assert "|" not in group.first
    assert group.first.count("4 GiB by LORA") == 1
    assert "| CARD | NEED |\n| --- | --- |\n| A\\|B | 8.31 GiB |" in private.first
    assert private.first.count("LORA") == 1
    assert group.details == private.details
    bodies = group
    assert bodies.details.count("LORA") == 3
    assert "\n- 4 GiB by LORA" in bodies.details


def test_each_asking_part_has_a_numbered_headline(sentences: dict[str, Sentences]) -> None:
    bodies = told(Answer(headline=(fit(), fit())), sentences["en"])
    assert bodies.first.startswith("1) **Yes")
    assert "\n\n2) **Yes" in bodies.first
