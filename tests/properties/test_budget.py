"""Money over the whole road: more of it never buys a slower pick, what is ruled out stays out, and a home can use the pick."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pytest

from advisor.jobs.plan import plan_for
from advisor.jobs.spoken import Spoken
from advisor.recommend.estimates import speed_on
from advisor.recommend.home import for_home, pace_of
from tests.bot.labelled import NOW, message

if TYPE_CHECKING:
    from advisor.models import Gpu
    from bot.core.message import Reply
    from bot.pipeline import Assistant

JOBS: Final = (
    ("SDXL", "run SDXL", "用 SDXL 出图", None),
    ("FLUX.1-dev", "run FLUX.1-dev", "用 FLUX.1-dev 出图", None),
    ("Qwen3-8B", "run Qwen3-8B", "跑 Qwen3-8B", None),
    ("Qwen2.5-7B", "fine-tune Qwen2.5-7B", "微调 Qwen2.5-7B", "llm_finetune"),
    ("ResNet-50", "train ResNet-50", "训练 ResNet-50", None),
    ("YOLOv8m", "train YOLOv8m", "训练 YOLOv8m", None),
)
DOLLARS: Final = (150, 250, 400, 600, 900, 1500, 2500, 4000, 9000)
YUAN: Final = (1000, 1500, 2500, 4000, 6000, 10000, 20000, 60000)


def _said(assistant: Assistant, text: str) -> Reply:
    return assistant.respond(message(text), None, NOW)[0]


def _picked(assistant: Assistant, reply: Reply) -> tuple[Gpu, int] | None:
    facts = {fact.name: fact.value for fact in reply.facts}
    gpu = assistant.services.catalog.find_gpu(str(facts["pick"])) if facts.get("pick") else None
    return (gpu, int(str(facts["pick_count"]))) if gpu is not None else None


def _questions(job: tuple[str, str, str, str | None]) -> tuple[list[str], list[str]]:
    english = [f"which card should I buy to {job[1]} at home for at most ${money}?" for money in DOLLARS]
    return english, [f"在家{job[2]}，{money} 元以内买什么卡" for money in YUAN]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job[1])
def test_more_money_never_buys_a_slower_card_nor_one_that_a_home_cannot_use(
    assistant: Assistant, job: tuple[str, str, str, str | None]
) -> None:
    catalog = assistant.services.catalog
    model = catalog.find_ml_model(job[0]) or catalog.ml_model_variants(job[0])[0]
    work = plan_for(Spoken(task=job[3]), model).usual.workload
    for questions in _questions(job):
        found: list[tuple[bool, float, float, str]] = []
        for question in questions:
            reply = _said(assistant, question)
            assert reply.intent == "recommend_gpu"
            picked = _picked(assistant, reply)
            if picked is None:
                continue
            gpu, n = picked
            assert for_home(gpu), f"{question}: {gpu.name}"
            speed = speed_on(work, gpu, n) or pace_of(gpu, n)
            facts = {fact.name: fact.value for fact in reply.facts}
            need = float(str(facts["vram_needed"])) * n
            found.append((facts["verdict"] == "fits", need, speed or 0.0, f"{question}: {n} x {gpu.name}"))
        assert len(found) >= 5
        for (was_sure, held, before, _), (sure, holds, after, said) in pairwise(found):
            # what more money may buy instead of speed: a card that surely holds what was tight before, or the usual
            # batch where less money held a smaller one; never a smaller batch than less money held
            assert sure >= was_sure, said
            assert holds >= held * 0.999 or (sure and not was_sure), said
            assert after >= before * 0.999 or (sure and (not was_sure or holds > held * 1.001)), said


@pytest.mark.parametrize(
    ("question", "terms", "names"),
    [
        ("which card to run Qwen3-32B for $1500? no used cards", "used", ()),
        ("which card to train YOLOv8m for $1500, anything but a 3090", "", ("RTX 3090",)),
        ("训练 YOLOv8m，一万以内买什么卡，不要 3090", "", ("RTX 3090",)),
    ],
)
def test_what_is_ruled_out_in_a_first_message_is_not_picked(
    assistant: Assistant, question: str, terms: str, names: tuple[str, ...]
) -> None:
    facts = {fact.name: fact for fact in _said(assistant, question).facts}
    shown = [fact for name, fact in facts.items() if name == "pick" or name.startswith("runner_up_")]
    assert not [one for one in shown if one.value in names]
    if terms:
        reply = _said(assistant, question)
        assert "second-hand" not in reply.text.split("\n", 1)[0]
