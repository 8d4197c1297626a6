"""Long, mixed and misleading messages stay above the bars of thresholds.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.errors import BadData
from bot.core.question import Mention
from bot.core.understanding import Span
from bot.evaluate.composed import composed_messages
from bot.evaluate.messages import LabelledMention, Message, match_mentions, read_rows, score_messages, to_text
from bot.evaluate.written import read_written, written_files
from bot.read.asking import asked_text
from bot.read.load import weights
from bot.read.reader import Reader
from tests.conftest import shared_assistant

HERE = Path(__file__).parent
FILE = HERE / "messages_dev.jsonl"
ROLES = frozenset(
    [
        "own",
        "wanted",
        "compared",
        "excluded",
        "past",
        "quoted",
        "background",
        "job",
        "setting",
        "measured",
        "limit",
        "budget",
        "purchase_price",
        "rent_price",
        "electricity_price",
        "resale_value",
        "deadline",
        "usage",
        "span",
        "total",
        "per_card",
        "count",
        "people",
        "card_power",
        "wall_power",
        "rate",
        "off_topic",
    ]
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    found = shared_assistant().understander
    assert isinstance(found, Reader)
    return found


@pytest.fixture(scope="module")
def result(reader: Reader) -> dict[str, Any]:
    return score_messages(shared_assistant(), reader, [FILE])


@pytest.fixture(scope="module")
def bars() -> dict[str, float]:
    return yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["messages_dev"]


def test_the_labels_are_what_they_should_be() -> None:
    rows = read_rows(FILE, Message)
    assert len(rows) == 260
    assert {mention.role for row in rows for mention in row.mentions} == ROLES
    assert all(row.text[mention.start : mention.end] == mention.text for row in rows for mention in row.mentions)


def test_messages_are_read(result: dict[str, Any], bars: dict[str, float]) -> None:
    assert result["intent"] >= bars["intent"]
    assert result["mentions"]["f1"] >= bars["mentions_f1"]
    assert result["slots"]["f1"] >= bars["slots_f1"]
    assert result["out_of_scope"]["caught"] >= bars["out_of_scope_caught"]
    assert len(result["out_of_scope"]["turned_away"]) <= bars["turned_away_at_most"]


def test_few_messages_are_asked_back_and_the_others_are_read_better(
    result: dict[str, Any], bars: dict[str, float]
) -> None:
    back = result["asked_back"]
    assert 0 < len(back["asked"]) <= bars["asked_back_at_most"] * result["messages"]
    assert back["answered_right"] >= bars["answered_right"] > result["intent"]


def test_made_up_messages_are_read(reader: Reader, tmp_path: Path) -> None:
    rows = [row for path in written_files() for row in read_written(path)]
    assert len(rows) == 554 == len({row.id for row in rows})
    assert {row.lang for row in rows} == {"zh", "en"}
    assert {mention.role for row in rows for mention in row.mentions} <= ROLES
    assert all(part in row.text for row in rows for part in row.asking)
    rows = [row for row in rows if "_groups" not in row.id]
    file = tmp_path / "made_up.jsonl"
    file.write_text("\n".join(row.model_dump_json() for row in rows), "utf-8")
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["messages_made_up"]
    found = score_messages(shared_assistant(), reader, [file])
    assert found["intent"] >= bars["intent"]
    assert found["slots"]["f1"] >= bars["slots_f1"]
    assert found["out_of_scope"]["caught"] >= bars["out_of_scope_caught"]
    assert len(found["out_of_scope"]["turned_away"]) <= bars["turned_away_at_most"]


def test_fresh_messages_are_read(reader: Reader) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["messages_fresh"]
    found = score_messages(shared_assistant(), reader, [HERE / "messages_fresh.jsonl"])
    assert found["messages"] == 60
    assert found["intent"] >= bars["intent"]
    assert found["mentions"]["f1"] >= bars["mentions_f1"]
    assert found["slots"]["f1"] >= bars["slots_f1"]
    assert found["out_of_scope"]["caught"] >= bars["out_of_scope_caught"]
    assert len(found["out_of_scope"]["turned_away"]) <= bars["turned_away_at_most"]


def test_sloppy_messages_are_read(reader: Reader) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["messages_sloppy"]
    found = score_messages(shared_assistant(), reader, [HERE / "messages_sloppy.jsonl"])
    assert found["messages"] == 40
    assert found["intent"] >= bars["intent"]
    assert found["mentions"]["f1"] >= bars["mentions_f1"]
    assert found["slots"]["f1"] >= bars["slots_f1"]
    assert found["out_of_scope"]["caught"] >= bars["out_of_scope_caught"]
    assert not found["out_of_scope"]["turned_away"]


def test_messages_of_groups_that_nothing_is_learned_from_are_read(reader: Reader, tmp_path: Path) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["messages_held"]
    rows = [row for path in sorted((HERE / "messages_held").glob("*.tsv")) for row in read_written(path)]
    file = tmp_path / "held.jsonl"
    file.write_text("\n".join(row.model_dump_json() for row in rows), "utf-8")
    found = score_messages(shared_assistant(), reader, [file])
    assert found["messages"] == 100
    assert found["intent"] >= bars["intent"]
    assert found["mentions"]["f1"] >= bars["mentions_f1"]
    assert found["slots"]["f1"] >= bars["slots_f1"]
    assert not found["out_of_scope"]["turned_away"]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("messages_posted", 60),
        ("messages_told", 140),
        ("messages_unread", 24),
        ("messages_mixed", 30),
        ("messages_mixed_later", 30),
    ],
)
def test_messages_as_they_are_posted_are_read(reader: Reader, tmp_path: Path, name: str, size: int) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))[name]
    rows = [row for path in sorted((HERE / name).glob("*.tsv")) for row in read_written(path)]
    file = tmp_path / "posted.jsonl"
    file.write_text("\n".join(row.model_dump_json() for row in rows), "utf-8")
    found = score_messages(shared_assistant(), reader, [file])
    assert found["messages"] == size
    assert found["intent"] >= bars["intent"]
    assert found["mentions"]["f1"] >= bars["mentions_f1"]
    assert found["slots"]["f1"] >= bars["slots_f1"]
    assert not found["out_of_scope"]["turned_away"]


@pytest.mark.parametrize("name", ["scope_near_misses", "scope_posted"])
def test_lines_near_the_border_are_told_apart(reader: Reader, name: str) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))[name]
    lines = [line.split("\t") for line in (HERE / f"{name}.tsv").read_text("utf-8").splitlines()]
    rows = [(side, text) for side, text in (line for line in lines if len(line) == 2)]
    out = [(side, reader.understand(text).ranking[0].intent == "out_of_scope") for side, text in rows]
    assert sum(found for side, found in out if side == "outside") >= bars["caught"]
    assert sum(not found for side, found in out if side == "ours") >= bars["let_in"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("check_fit\t{}\t[own=3090] enough?", "3 columns"),
        ("check_fit\t{gpu}\t\tis a [own=3090] enough?", "Expecting property name"),
    ],
)
def test_a_faulty_message_is_named_with_its_line(tmp_path: Path, row: str, fault: str) -> None:
    path = tmp_path / "en.tsv"
    path.write_text(f"# heading\n{row}\n", "utf-8")
    with pytest.raises(BadData, match=f"en.tsv:2.*{fault}"):
        read_written(path)


def test_what_asks_is_weighed_beside_a_long_background(reader: Reader) -> None:
    text = (
        "Management wants the full deepseek v3 671B on prem, distills are not acceptable to them. I read 8x H200 in one "
        "blog and 16 A100 in another, our old box had a single T4 that nobody used. How much memory does this really take?"
    )
    asked = reader.look(text)
    spans = [asked.analysis.normalised.raw_span(part.start, part.end) for part in asked.parts]
    assert asked_text(asked.analysis.normalised.raw, spans, asked.asking) == "How much memory does this really take?"
    before = {item.intent: item.score for item in asked.analysis.understanding.ranking}["estimate_memory"]
    (found,) = [item for item in reader.understand(text).ranking if item.intent == "estimate_memory"]
    assert found.score > before


def test_others_cards_take_their_number_with_them(reader: Reader) -> None:
    text = "The paper trained on 32 H100s for 5 days. I have 4 A100 80GB and the same recipe. How long would mine take?"
    slots = {slot.slot: slot.value for slot in reader.understand(text).slots}
    assert (slots["gpu"], slots["gpu_count"]) == ("A100 80GB", 4)
    assert "duration" not in slots


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Three open air 3090s in one tower", 3),
        ("3090 24g x2 跑得动吗", 2),
        ("I need one number. 8 H100 rented for 6 days", 8),
    ],
)
def test_cards_are_counted_with_words_between(reader: Reader, text: str, count: int) -> None:
    assert [slot.value for slot in reader.understand(text).slots if slot.slot == "gpu_count"] == [count]


def test_what_was_approved_may_be_spent(reader: Reader) -> None:
    text = (
        "64gb ram, 750w corsair. wife approved $900 for the card only, no used ones pls (ebay burned me), want to run 24B "
        "models in 4 bit. what should I buy"
    )
    slots = {slot.slot: slot.value for slot in reader.understand(text).slots if not slot.negated}
    assert slots["budget"] == {"amount": 900, "currency": "USD", "period": "once"}


def test_two_amounts_of_memory_are_no_range(reader: Reader) -> None:
    two = [one.value for one in reader.look("a 4080 with 16GB and 32GB of system RAM").analysis.reading.quantities]
    one = [one.value for one in reader.look("a card between 16GB and 32GB").analysis.reading.quantities]
    assert (two, one) == ([16.0, 32.0], [32.0])


def test_left_out_messages_are_read(bars: dict[str, float]) -> None:
    """As measured when the weights were learned: each message read by weights that were learned without it."""
    left_out = weights()["left_out"]
    assert left_out["mentions"] >= bars["mentions_cross_validated"]
    assert left_out["clauses"] >= bars["clauses_cross_validated"]
    assert left_out["mentions_of_groups"] >= bars["groups_cross_validated"]
    assert left_out["caught"] >= bars["caught_cross_validated"]
    assert left_out["turned_away"] <= bars["turned_away_cross_validated"]


def test_the_report_names_every_part(result: dict[str, Any]) -> None:
    text = to_text(result)
    for heading in (
        "intent",
        "out of scope",
        "mentions F1",
        "slots F1",
        "by role",
        "by slot",
        "needs that were missed",
    ):
        assert heading in text


def test_a_mention_needs_its_place_and_its_role() -> None:
    label = LabelledMention(text="3090", kind="gpu", role="past", start=10)
    found = [Mention(Span(7, 14), "my 3090", "gpu", "RTX 3090", role="past")]
    assert match_mentions([label], found) == [(0, 0)]
    assert match_mentions([label.model_copy(update={"role": "own"})], found) == []
    assert match_mentions([label.model_copy(update={"start": 14})], found) == []
    assert match_mentions([label, label], found) == [(0, 0)], "one mention counts once"


def test_composed_messages_are_the_same_each_time_and_hold_what_is_labelled() -> None:
    first, second = composed_messages(), composed_messages()
    assert first == second
    assert {label.label for message in first for label in message.mentions} == ROLES
    assert composed_messages(seed=2) != first


HEARD = [
    ("论文用了8张A100，我手上两张3090，能微调14b吗", {"quoted": "A100", "own": "3090", "job": "14b"}),
    ("the paper used 8 V100, I have a 3080, can it run sdxl", {"quoted": "V100", "own": "3080", "job": "sdxl"}),
    ("原来的2080ti卖了，预算六千，想换4080", {"past": "2080ti", "budget": "六千", "wanted": "4080"}),
]


@pytest.mark.parametrize(("text", "roles"), HEARD)
def test_each_name_and_number_has_its_part_and_says_why(reader: Reader, text: str, roles: dict[str, str]) -> None:
    found = {(mention.role, mention.text): mention.evidence for mention in reader.read(text, explain=True).mentions}
    assert set(roles.items()) <= found.keys()
    assert all(found.values())


def test_what_is_quoted_or_sold_is_no_wish(reader: Reader) -> None:
    cards = [slot.value for slot in reader.understand(HEARD[0][0]).slots if slot.slot == "gpu"]
    assert cards == ["RTX 3090"]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("视频里那个博主两张3090跑得飞起，我就一张4060ti 16g，内存48G，想跑qwen3 30b，带得动吗", ["RTX 4060 Ti 16GB"]),
        (
            "my son has a 3070 in his gaming pc but that's his. One A6000 is free at night and a buddy of mine did the "
            "same on his 4090 over a weekend. How long will whisper large v3 take for 900 hours here?",
            ["RTX A6000"],
        ),
        (
            "以前买过一张P40，太吵就出了。这回刷到个2080ti 22g，卖家要1900，这种魔改卡现在能入不",
            ["RTX 2080 Ti 22GB (mod)"],
        ),
    ],
)
def test_cards_of_others_are_not_taken_for_ones_own(reader: Reader, text: str, cards: list[str]) -> None:
    assert [slot.value for slot in reader.understand(text).slots if slot.slot == "gpu" and not slot.negated] == cards


@pytest.mark.parametrize(
    "text",
    [
        "We want a full fine-tune of a 13B (LoRA is not acceptable to the reviewers), how many A100?",
        "Our PI insists on a full finetune of a 13B, lora is not up for debate apparently. How many A100?",
    ],
)
def test_a_way_that_is_ruled_out_gives_way_to_the_one_that_is_meant(reader: Reader, text: str) -> None:
    slots = reader.understand(text).slots
    assert [slot.value for slot in slots if slot.slot == "method" and not slot.negated] == ["full"]


def test_numbers_belong_to_their_card(reader: Reader) -> None:
    question = reader.read("机器是两张3090，每张24G，想换4090")
    (own,) = [side for side in question.sides if side.role == "own"]
    assert (own.name, own.count, own.memory_gb) == ("RTX 3090", 2, 24)
    assert [mention.of for mention in question.mentions if mention.role == "count"] == [own.id]


@pytest.mark.parametrize(
    "text",
    [
        "128G的sd卡拍4k够吗",
        "best credit card for travel",
        "3060 hashrate on ravencoin",
        "/weather paris",
        "剪视频的笔记本，4060够吗",
    ],
)
def test_another_subject_is_turned_away(reader: Reader, text: str) -> None:
    assert reader.read(text).ours < 0.6
    assert reader.understand(text).ranking[0].intent == "out_of_scope"


@pytest.mark.parametrize(
    "text",
    [
        "机房淘汰的P40能跑小模型吗",
        "ex eth 3080 for 250 each, safe for training runs?",
        "矿卡3080拿来训练敢要吗",
        "how much can I sell my 3090 for",
        "7900xtx现在多少钱合适入",
        "朋友五千五出我一张4080s，值得收不",
        "lights flicker in the whole flat as soon as training kicks in lol",
        "3090 24G够微调7b吗",
    ],
)
def test_ours_in_odd_words_is_not(reader: Reader, text: str) -> None:
    assert reader.understand(text).ranking[0].intent != "out_of_scope"
