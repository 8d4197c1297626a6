"""One job, one truth: whoever asks whether it fits, what it takes, how long, what it costs and how many cards it needs
is told of the same way, the same need and the same verdict, in both languages and over the whole road.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.bot.labelled import NOW, message

if TYPE_CHECKING:
    from bot.core.message import Reply
    from bot.pipeline import Assistant

CARDS: Final = ("RTX 3060 12GB", "RTX 4060 Ti 16GB", "RTX 3090", "RTX 4090", "A100 80GB")
RUNS: Final = (
    ("run Qwen3-8B", "跑 Qwen3-8B"),
    ("run Qwen2.5-14B", "跑 Qwen2.5-14B"),
    ("run Qwen3-32B", "跑 Qwen3-32B"),
    ("run FLUX.1-dev", "用 FLUX.1-dev 出图"),
    ("run SDXL", "用 SDXL 出图"),
)
TRAINS: Final = (
    ("fine-tune Qwen2.5-7B", "微调 Qwen2.5-7B"),
    ("fine-tune Llama-3-8B", "微调 Llama-3-8B"),
    ("LoRA fine-tune Qwen2.5-7B", "用 LoRA 微调 Qwen2.5-7B"),
    ("QLoRA fine-tune Qwen2.5-14B", "用 QLoRA 微调 Qwen2.5-14B"),
    ("fine-tune bert-large", "微调 bert-large"),
    ("train ResNet-50", "训练 ResNet-50"),
    ("train YOLOv8m", "训练 YOLOv8m"),
)
ENGLISH: Final = {
    "check_fit": "can a {card} {job}?",
    "estimate_memory": "how much memory does it need to {job} on a {card}?",
    "estimate_time": "how fast does a {card} {job}?",
    "gpu_count": "how many {card} do I need to {job}?",
    "estimate_cost": "how much does it cost to {job} on a rented {card}?",
}
CHINESE: Final = {
    "check_fit": "{card} 能{job}吗",
    "estimate_memory": "在 {card} 上{job}要多少显存",
    "estimate_time": "{card} {job}有多快",
    "gpu_count": "{job}要几张 {card}",
    "estimate_cost": "租 {card} {job}要花多少钱",
}
RUN: Final = ("how long does it take to {job} on 10000 samples on a {card}?", "{card} {job} 1 万条数据要多久")
"""What the time of a training is asked for with."""

Truth = tuple[object, object, object]


def _said(assistant: Assistant, text: str) -> Reply:
    return assistant.respond(message(text), None, NOW)[0]


def _truth(reply: Reply, name: str = "") -> Truth:
    """Way, need and verdict; None where the reply does not hold it."""
    facts = {fact.name: fact.value for fact in reply.facts}
    tail = f":{name}" if name else ""
    need = facts.get(f"vram_needed{tail}")
    return facts.get(f"way{tail}"), round(float(need), 3) if need else None, facts.get(f"verdict{tail}")


def _truths(assistant: Assistant, card: str, job: str, words: dict[str, str]) -> dict[str, Truth]:
    """By need; a question that is answered by asking for a price has none."""
    told = {}
    for need, template in words.items():
        reply = _said(assistant, template.format(card=card, job=job))
        assert reply.intent == need, f"{template.format(card=card, job=job)} is read as {reply.intent}"
        if reply.decision != "ask":
            told[need] = _truth(reply)
    return told


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("job", RUNS + TRAINS, ids=lambda job: job[0])
def test_every_need_tells_of_one_way_need_and_verdict(assistant: Assistant, card: str, job: tuple[str, str]) -> None:
    truths: list[Truth] = []
    for place, words in enumerate((ENGLISH, CHINESE)):
        asked = dict(words)
        if job in TRAINS:
            asked["estimate_time"] = RUN[place]
        else:
            del asked["estimate_cost"]
        told = _truths(assistant, card, job[place], asked)
        assert len(told) >= 4
        truths += told.values()
    assert None not in truths[0]
    assert set(truths) == {truths[0]}


@pytest.mark.parametrize("pair", [("RTX 3090", "RTX 4090"), ("RTX 3060 12GB", "RTX 4090"), ("A100 80GB", "RTX 3090")])
@pytest.mark.parametrize("job", RUNS[:3] + TRAINS[:4], ids=lambda job: job[0])
def test_a_comparison_tells_of_each_side_what_the_pair_is_told(
    assistant: Assistant, pair: tuple[str, str], job: tuple[str, str]
) -> None:
    english = _said(assistant, f"{pair[0]} or {pair[1]} to {job[0]}?")
    chinese = _said(assistant, f"{pair[0]} 和 {pair[1]} 哪个适合{job[1]}")
    assert english.intent == chinese.intent == "compare_gpus"
    sides = [fact.name.removeprefix("way:") for fact in english.facts if fact.name.startswith("way:")]
    assert len(sides) == 2
    for side in sides:
        assert _truth(english, side) == _truth(chinese, side)
        assert None not in _truth(english, side)
    ways = {_truth(english, side)[0] for side in sides}
    assert len(ways) == 1, "sides are weighed by one way"
    for side in sides:  # where the way is the first that fits the side alone, the answer about it alone is the same
        alone = _truth(_said(assistant, f"can a {side} {job[0]}?"))
        if alone[0] in ways:
            assert _truth(english, side) == alone


@pytest.mark.parametrize("budget", [("$600", "4000 元"), ("$1500", "1 万元"), ("$4000", "3 万元")])
@pytest.mark.parametrize("job", RUNS + TRAINS, ids=lambda job: job[0])
def test_a_pick_fits_when_it_is_asked_about(
    assistant: Assistant, job: tuple[str, str], budget: tuple[str, str]
) -> None:
    for place, words in enumerate(("which card should I buy to {} for {}?", "{}，{}以内买什么卡")):
        reply = _said(assistant, words.format(job[place], budget[place]))
        assert reply.intent == "recommend_gpu"
        facts = {fact.name: fact.value for fact in reply.facts}
        if "pick" not in facts:
            continue
        count = int(str(facts["pick_count"]))
        cards = f"{count} x {facts['pick']}" if count > 1 else f"a {facts['pick']}"
        assert _truth(reply) == _truth(_said(assistant, f"can {cards} {_as_met(job[0], _truth(reply)[0])}?"))


def _as_met(job: str, way: object) -> str:
    """The job in the way in which a pick does it: of a LoRA that no sound card holds for the money the lighter kind."""
    lighter = str(way).startswith("qlora") and "QLoRA" not in job
    return job.replace("LoRA", "QLoRA") if lighter else job
