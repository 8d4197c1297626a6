"""A question in two turns is answered with the figures of the same question asked at once, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.core.message import Reply
    from bot.pipeline import Assistant

CARDS: Final = (("4090", "3090"), ("L40S", "5090"), ("A100 80GB PCIe", "H100 80GB PCIe"))
MODELS: Final = ("Qwen2.5-14B", "Llama-3.1-8B", "qwen3 32b")
IN_TWO_TURNS: Final = (
    ("can a {c} run {m}?", "and {d}?", "can a {d} run {m}?"),
    ("{c}能跑{m}吗", "{d}呢", "{d}能跑{m}吗"),
    ("can a {c} run {m}?", "in fp16?", "can a {c} run {m} in fp16?"),
    ("{c}能跑{m}吗", "fp16呢", "{c} fp16能跑{m}吗"),
    ("can a {c} run {m}?", "with 16k context?", "can a {c} run {m} with 16k context?"),
    ("{c}能跑{m}吗", "上下文16k呢", "{c}能跑{m} 上下文16k吗"),
    ("can a {c} run {m}?", "and two of them?", "can two {c} run {m}?"),
    ("{c}能跑{m}吗", "两张呢", "两张{c}能跑{m}吗"),
    ("can a {c} run {m}?", "how fast?", "how fast does a {c} run {m}?"),
    ("{c}能跑{m}吗", "多快", "{c}跑{m}多快"),
    ("how fast does a {c} run {m}?", "and a {d}?", "how fast does a {d} run {m}?"),
    ("{c}跑{m}多快", "换成{d}呢", "{d}跑{m}多快"),
    ("how long to qlora {m} on a {c} with 10k samples", "30k samples?", "how long to qlora {m} on a {c} with 30k samples"),
    ("{c} qlora微调{m} 1万条要多久", "3万条呢", "{c} qlora微调{m} 3万条要多久"),
    ("{c} qlora微调{m} 1万条要多久", "换{d}", "{d} qlora微调{m} 1万条要多久"),
    ("{c} qlora微调{m} 1万条要多久", "3轮呢", "{c} qlora微调{m} 1万条3轮要多久"),
    ("rent a {c} for 3 days, how much?", "5 days?", "rent a {c} for 5 days, how much?"),
    ("租{c} 3天多少钱", "5天呢", "租{c} 5天多少钱"),
    ("租{c} 3天多少钱", "两张呢", "租两张{c} 3天多少钱"),
    ("rent a {c} for 3 days, how much?", "make it a week", "rent a {c} for a week, how much?"),
    ("租{c} 3天多少钱", "那{d}呢", "租{d} 3天多少钱"),
    ("{c}和{d}哪个跑{m}好", "fp16呢", "{c}和{d}哪个跑{m} fp16好"),
    ("what psu does a {c} need", "two of them?", "what psu do two {c} need"),
    ("{c}要多大电源", "那{d}呢", "{d}要多大电源"),
    ("electricity cost of a {c} at 8 hours a day", "12 hours a day?", "electricity cost of a {c} at 12 hours a day"),
    ("{c}每天跑8小时一个月电费多少", "电价1块呢", "{c}每天跑8小时一个月电费多少,电价1块"),
    ("how many {c} for {m} in fp16", "in int8?", "how many {c} for {m} in int8"),
    ("{m} fp16要几张{c}", "int8呢", "{m} int8要几张{c}"),
    ("how much vram does {m} need in fp16", "with 32k context?", "how much vram does {m} need in fp16 with 32k context"),
    ("{m}要多少显存", "lora微调呢", "lora微调{m}要多少显存"),
)  # fmt: skip
IN_BOTH_LANGUAGES: Final = (
    (("can a {c} run {m}?", "and {d}?", "how fast?"), ("{c}能跑{m}吗", "{d}呢", "多快")),
    (("how fast does a {c} run {m}?", "with two of them?"), ("{c}跑{m}多快", "两张呢")),
    (("how long to qlora {m} on a {c} with 10k samples", "on a {d}?"), ("{c} qlora微调{m} 1万条要多久", "换成{d}")),
    (("how many {c} for {m} in fp16", "in int8?"), ("{m} fp16要几张{c}", "int8呢")),
)


def played(assistant: Assistant, *lines: str) -> Reply:
    """The last reply of a conversation."""
    state, reply = None, None
    for number, line in enumerate(lines):
        message = make_message(line, chat_type="group", event_id=str(number))
        reply, state = assistant.respond(message, state, NOW)
    assert reply is not None
    return reply


def figures(reply: Reply) -> dict[str, object]:
    """What was worked out, and not which passage stands beside it."""
    found: dict[str, object] = {fact.name: fact.value for fact in reply.facts if fact.name != "passage"}
    assert found, reply.text
    return found


@pytest.mark.parametrize("place", range(len(CARDS)))
def test_a_question_in_two_turns_has_the_figures_of_the_whole(assistant: Assistant, place: int) -> None:
    (card, other), model = CARDS[place], MODELS[place]
    for opener, follow, whole in IN_TWO_TURNS:
        first, then, at_once = (line.format(c=card, d=other, m=model) for line in (opener, follow, whole))
        assert figures(played(assistant, first, then)) == figures(played(assistant, at_once)), (first, then, at_once)


@pytest.mark.parametrize("place", range(len(CARDS)))
def test_a_talk_has_the_same_figures_in_both_languages(assistant: Assistant, place: int) -> None:
    (card, other), model = CARDS[place], MODELS[place]
    for english, chinese in IN_BOTH_LANGUAGES:
        talks = [[line.format(c=card, d=other, m=model) for line in talk] for talk in (english, chinese)]
        one, two = (figures(played(assistant, *talk)) for talk in talks)
        assert one == two, talks
