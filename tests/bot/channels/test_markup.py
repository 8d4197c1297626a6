"""Neutral Markdown in each channel's own markup: balanced, within limits, and deaf to what users typed."""

from __future__ import annotations

import cProfile
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.channels.markup import escape, parse, plain_text, telegram_html, wecom_markdown
from bot.channels.markup.blocks import clean
from bot.channels.markup.html import utf16_length
from bot.channels.markup.tables import display_width
from bot.render import escape as render_escape
from tests.fakes.telegram_html import parse_html

SAMPLE = """**RTX 4090** · 显存 24 GiB，需要约 `9.8 GiB`
Second line: a<b & c

### Why
- first [source](https://example.org/a?b=1&c=2)
  - below
- second
> as of 2026-11-21

| 卡 | 显存 | price |
|---|---:|---|
| RTX 4090 | 24 GiB | ¥12,999 |
| 昇腾 910B | 64 GiB | - |"""

ANY = st.text(max_size=400)
NASTY = st.lists(
    st.sampled_from(
        [
            "**",
            "`",
            "[x](https://e.org)",
            "](",
            "\\",
            "<b>",
            "</pre>",
            "&lt;",
            "|",
            "\n",
            "\n- ",
            "\n> ",
            "\n### ",
            "\n| a | b |\n",
            " ",
            "显卡",
            "\U0001f600",
            "e\u0301",
            "\u202e",
            "\x00",
            "<@u>",
            "<think>",
            "~~",
            "#K7QK",
            "a",
            "1.",
        ]
    ),
    max_size=60,
).map("".join)


def test_the_sample_in_telegram_html() -> None:
    assert telegram_html(SAMPLE) == [
        "<b>RTX 4090</b> · 显存 24 GiB，需要约 <code>9.8 GiB</code>\n"
        "Second line: a&lt;b &amp; c\n"
        "\n"
        "<b>Why</b>\n"
        '• first <a href="https://example.org/a?b=1&amp;c=2">source</a>\n'
        "    • below\n"
        "• second\n"
        "<blockquote>as of 2026-11-21</blockquote>\n"
        "\n"
        "<pre>卡           显存  price\n"
        "--------------------------\n"
        "RTX 4090   24 GiB  ¥12,999\n"
        "昇腾 910B  64 GiB  -</pre>"
    ]


def test_the_sample_in_wecom_markdown() -> None:
    (text,) = wecom_markdown(SAMPLE)
    assert "**RTX 4090** · 显存" in text
    assert "| RTX 4090 | 24 GiB | ¥12,999 |" in text
    assert "### Why\n- first [source](https://example.org/a?b=1&c=2)\n  - below" in text
    assert "> as of 2026-11-21" in text


def test_the_sample_in_plain_text() -> None:
    text = plain_text(SAMPLE)
    assert text.startswith("RTX 4090 · 显存 24 GiB，需要约 9.8 GiB\n")
    assert "- first source (https://example.org/a?b=1&c=2)\n  - below" in text
    assert "**" not in text


def test_columns_line_up_where_han_is_two_wide() -> None:
    lines = plain_text("| 名称 | n |\n|---|---|\n| 显卡 | 1 |\n| GPU | 22 |").split("\n")
    assert len({display_width(line) for line in lines}) == 1


def test_a_table_too_wide_for_a_phone_becomes_one_entry_a_row() -> None:
    wide = "| card | terms | remark |\n|---|---|---|\n| T4 | " + "spot " * 8 + "| " + "x" * 30 + " |"
    (text,) = telegram_html(wide)
    assert text.startswith("<b>T4</b>: terms: spot")
    assert "<pre>" not in text


@pytest.mark.parametrize(
    "text", ["**open", "a ** b", "`open", "[a](b", "[a] (b)", "\\", "a\\", "* item", "_x_", "####x"]
)
def test_what_is_not_closed_is_text(text: str) -> None:
    shown, entities = parse_html("".join(telegram_html(text)))
    assert shown == text.strip().replace("\\\\", "\\")
    assert entities == []


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//e.org", "https://e.org/<b>", 'https://"x']
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert "<a" not in "".join(telegram_html(f"[click]({url})"))


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY, NASTY))
def test_any_text_gives_html_that_parses_within_the_limits(text: str) -> None:
    for limit in (1024, 4096):
        for part in telegram_html(text, limit):
            assert utf16_length(part) <= limit
            parse_html(part)


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY, NASTY))
def test_what_a_user_typed_comes_out_as_typed(text: str) -> None:
    expected = " ".join(clean(text).replace("\n", " ").split())
    for make in (escape, render_escape):
        source = f"You said **{make(text)}** and `x`."
        shown, entities = parse_html("".join(telegram_html(source)))
        assert " ".join(shown.split()) == f"You said {expected} and x.".replace("  ", " ")
        assert {entity["type"] for entity in entities} <= {"bold", "code"}


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY, NASTY))
def test_no_tag_of_a_user_survives_in_wecom_and_no_byte_limit_breaks_a_character(text: str) -> None:
    for source in (text, escape(text)):
        for part in wecom_markdown(source, 200):
            assert not re.search(r"<[A-Za-z/@!?]", part)
            part.encode()
            assert len(part.encode()) <= 200


@settings(max_examples=200, deadline=None)
@given(NASTY, NASTY)
def test_a_users_text_cannot_reach_beyond_its_place_in_wecom(text: str, other: str) -> None:
    calm = wecom_markdown(f"- one {escape('x')}\n- two")[0]
    wild = wecom_markdown(f"- one {escape(text)}\n- two")[0]
    assert wild.count("\n") == calm.count("\n")
    table = wecom_markdown(f"| a | b |\n|---|---|\n| {escape(text)} | {escape(other)} |")[0]
    bars = [re.sub(r"\\.", "", line).count("|") for line in table.split("\n")]
    assert bars == [3, 3, 3]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab \U0001f600显é*`", min_size=1, max_size=300), min_size=1, max_size=30))
def test_splitting_loses_and_doubles_nothing(paragraphs: list[str]) -> None:
    source = "\n\n".join(escape(paragraph) for paragraph in paragraphs)
    parts = telegram_html(source, 300)
    assert all(utf16_length(part) <= 300 for part in parts)
    shown = "".join(parse_html(part)[0] for part in parts)
    assert "".join(shown.split()) == "".join("".join(paragraphs).split())


def test_parts_end_at_paragraphs_when_these_fit() -> None:
    source = "\n\n".join(f"paragraph {number} " + "x" * 900 for number in range(9))
    parts = telegram_html(source)
    assert len(parts) == 3
    assert all(part.startswith("paragraph") for part in parts)


def test_a_long_table_repeats_its_header_in_each_part() -> None:
    rows = "\n".join(f"| card {number} | {number} GiB |" for number in range(400))
    parts = telegram_html(f"| name | memory |\n|---|---|\n{rows}")
    assert len(parts) > 1
    assert all(part.startswith("<pre>name") and part.endswith("</pre>") for part in parts)


def test_no_part_holds_more_than_a_hundred_entities() -> None:
    parts = telegram_html("\n".join(f"- **b{number}** `c{number}`" for number in range(150)))
    assert [len(parse_html(part)[1]) for part in parts] == [100, 100, 100]


def test_an_emoji_at_the_limit_stays_whole() -> None:
    parts = telegram_html("\U0001f600" * 3000)
    assert len(parts) == 2
    assert "".join(parts) == "\U0001f600" * 3000
    assert all(4000 < utf16_length(part) <= 4096 for part in parts[:1])


def test_an_empty_text_gives_no_message() -> None:
    assert telegram_html(" \n\n\t") == []
    assert wecom_markdown("") == []
    assert parse("") == ()


@pytest.mark.parametrize("unit", ["[", "`", "**", "\\`", "[a](", "|", "`\\", "- ", "| a |\n", "> ", "a " * 9, "<"])
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    """Twice the text may take at most three times the calls: quadratic growth would take four times.

    Calls are counted instead of seconds, so that a busy machine changes nothing. Both sizes are beyond WeCom's limit,
    so that both are cut.
    """

    def calls(size: int) -> int:
        text = (unit * (size // len(unit) + 1))[:size]
        counting = cProfile.Profile()
        with counting:
            telegram_html(text)
            wecom_markdown(text)
        return sum(one.callcount for one in counting.getstats())

    assert calls(42_000) < 3 * calls(21_000)
