"""What an expert would object to when an answer is read aloud, question by question: each was wrong once."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.answers.facts import two_sizes_of
from bot.core.answers import Answer, Decline
from bot.core.line import Figure, Line, Table
from bot.pipeline import Assistant
from bot.render import Renderer
from tests.bot.test_speed_handlers import Desk, facts

LANGUAGES = ("zh", "en")


@pytest.fixture(scope="module")
def desk(assistant: Assistant) -> Desk:
    return Desk(assistant)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


def short(renderer: Renderer, outcome: Any, language: Any = "en") -> str:
    if isinstance(outcome, Decline):
        return renderer.decline(outcome, language).text
    return renderer.answer(outcome, language).text


class TestComparisons:
    def test_cards_are_compared_at_a_batch_that_fills_them(self, desk: Desk) -> None:
        made = desk.answer("compare_gpus", gpu=["A100", "RTX 3090"], model=["bert-base-uncased"])
        # published ratios of these two lie between 1.6 and 2.2
        assert made.result.margin.value >= 1.6
        assert made.result.margin.low <= 2.2
        assumed = {one.slot: one.value for one in made.assumptions}
        assert assumed["batch"] >= 64

    def test_a_stated_batch_is_kept(self, desk: Desk) -> None:
        made = desk.answer("compare_gpus", gpu=["A100", "RTX 3090"], model=["bert-base-uncased"], batch=16)
        assert "batch" not in {one.slot for one in made.assumptions}
        filled = desk.answer("compare_gpus", gpu=["A100", "RTX 3090"], model=["bert-base-uncased"])
        # a small batch fills neither card: the larger one is ahead by less
        assert made.result.margin.value < 0.7 * filled.result.margin.value

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_a_variant_without_a_price_shows_one_that_has(self, desk: Desk, renderer: Renderer, language: str) -> None:
        made = desk.answer("compare_gpus", gpu=["A100 80GB", "RTX 4090"])
        costs = next(block for block in made.blocks if block.title == Line("cmp.costs"))
        rent = costs.rows[0][2]
        assert rent.say in {"cmp.money", "cmp.money.variant"}
        if rent.values["variant"]:
            assert rent.values["variant"] in short(renderer, made, language)

    def test_the_same_card_twice_is_said_so(self, desk: Desk, renderer: Renderer) -> None:
        outcome = desk.ask("compare_gpus", "4090 vs 4090", gpu=["RTX 4090"])
        assert isinstance(outcome, Decline)
        assert "same card" in short(renderer, outcome)

    @pytest.mark.parametrize(
        ("text", "other"), [("4090 d vs 4090", "RTX 4090 D"), ("4090 laptop vs desktop 4090", "RTX 4090 Laptop")]
    )
    def test_the_ending_of_a_name_tells_the_sides_apart(self, desk: Desk, text: str, other: str) -> None:
        made = desk.answer("compare_gpus", text, gpu=["RTX 4090"])
        assert [side.name for side in made.result.sides] == ["RTX 4090", other]

    def test_two_amounts_of_memory_are_two_variants(self, desk: Desk) -> None:
        asked = desk.request("check_fit", "A100 40G vs 80G", gpu=["A100 40GB"], vram_gb=80)
        made = desk.answer("compare_gpus", gpu=two_sizes_of(asked))
        assert [side.vram_gib for side in made.result.sides] == [40, 80]

    def test_unified_memory_is_the_memory_of_the_machine(self, desk: Desk) -> None:
        made = desk.answer(
            "compare_gpus", gpu=["Apple M4 Max", "RTX 4090"], ram_gb=128, model=["llm-70b"], task="llm_inference"
        )
        assert made.result.reason == "only_one_fits"
        assert made.result.sides[made.result.winner].name == "Apple M4 Max"

    def test_a_need_split_over_cards_is_said_per_card(self, desk: Desk, renderer: Renderer) -> None:
        made = desk.said(
            "compare_gpus", "2 x 3090 or 1 x 4090 for 70B int4", gpu=["RTX 3090", "RTX 4090"], model=["llm-70b"],
            precision="int4",
        )  # fmt: skip
        assert "on each card" in short(renderer, made)


class TestMemory:
    @pytest.mark.parametrize(
        ("model", "slots"),
        [
            ("bert-base-uncased", {}),
            ("bert-large-uncased", {"batch": 64, "seq_len": 512}),
            ("llm-70b", {"method": "qlora"}),
            ("llm-7b", {"method": "full"}),
            ("stable-diffusion-xl-base-1.0", {"method": "lora"}),
            ("resnet50", {"method": "train", "batch": 256}),
        ],
    )
    def test_the_breakdown_adds_up_to_the_total_as_shown(
        self, desk: Desk, renderer: Renderer, model: str, slots: dict[str, Any]
    ) -> None:
        made = desk.answer("estimate_memory", model=[model], **slots)
        line = next(part for part in short(renderer, made).splitlines() if part.endswith("(GiB)"))
        left, right = line.removesuffix(" (GiB)").split(" = ")
        shown = [float(number.replace(",", "")) for number in re.findall(r" ([\d.,]+)(?= \+|$)", left)]
        assert sum(shown) == pytest.approx(float(right.replace(",", "")), abs=1e-6)
        for name in ("weights", "gradients", "optimizer", "activations", "framework"):
            assert name in line

    def test_the_cache_of_a_long_context_is_counted_once(self, desk: Desk) -> None:
        made = desk.answer("estimate_memory", model=["Llama-3-8B"], seq_len=131072, method="inference")
        note = next(note for note in made.notes if note.code == "memory_kv_share")
        assert note.values["gib"] == pytest.approx(2 * 32 * 8 * 128 * 2 * 131072 / 2**30)
        assert made.result.total.value < 40

    def test_one_larger_card_is_named_before_several(self, desk: Desk, renderer: Renderer) -> None:
        text = short(renderer, desk.answer("check_fit", vram_gb=5, model=["llm-7b"]))
        assert "RTX 4060 or larger" in text
        assert "2 x" not in text

    def test_a_picture_is_not_split_over_cards(self, desk: Desk, renderer: Renderer) -> None:
        made = desk.answer("check_fit", gpu=["RTX 3060 12GB"], model=["FLUX.1-dev"])
        text = renderer.answer(made, "en").details
        assert "sharing it" not in text
        assert all(f"| {way}" in text for way in ("FP16", "FP8", "4 bit"))

    def test_full_tuning_goes_to_qlora_in_one_step(self, desk: Desk, renderer: Renderer) -> None:
        text = short(renderer, desk.answer("check_fit", vram_gb=24, model=["LLaMA-13B"], method="full"))
        assert "instead of full tuning" in text
        assert "instead of LoRA" not in text

    def test_a_question_about_tuning_is_not_answered_with_inference(self, desk: Desk) -> None:
        made = desk.said("check_fit", "rtx 3090 24g能微调14b吗", gpu=["RTX 3090"], model=["llm-14b"])
        ways = [row[0].values["way"] for block in made.blocks if isinstance(block, Table) for row in block.rows]
        assert {way.values["method"].code for way in ways} == {"qlora", "lora", "full"}


class TestCounts:
    def test_no_count_whose_share_exceeds_the_card(self, desk: Desk) -> None:
        made = desk.answer("gpu_count", gpu=["A100"], model=["llama-70b"], method="full")
        needs = {name: value for name, value in facts(made).items() if name.startswith("vram_needed_per_card:")}
        counted = {name.partition(":")[2] for name in facts(made) if name.startswith("gpus_by_memory:")}
        assert counted
        for name, need in needs.items():
            if name.partition(":")[2] in counted:
                assert need < float(re.findall(r"(\d+)GB", name)[0])

    def test_a_thousand_cards_get_no_figure(self, desk: Desk, renderer: Renderer) -> None:
        text = short(renderer, desk.answer("multi_gpu_scaling", gpu_count=1000, method="train"))
        assert "1000" in text.splitlines()[0]
        assert "1000 × " not in text

    def test_training_from_scratch_counts_tokens(self, desk: Desk) -> None:
        made = desk.answer("estimate_time", gpu=["A100"], gpu_count=8, model=["llm-1b"], method="train")
        assumed = {one.slot: one.value for one in made.assumptions}
        assert assumed["train_tokens"] == "20B"
        hours = next(value for name, value in facts(made).items() if name.startswith("hours"))
        flops = 6 * 1e9 * 20e9
        assert 0.2 < flops / (hours * 3600 * 8 * 312e12) < 0.6, "share of the peak that training reaches"

    def test_doubling_the_batch_is_answered_as_such(self, desk: Desk, renderer: Renderer) -> None:
        first = short(renderer, desk.answer("multi_gpu_scaling", "what does doubling the batch gain")).splitlines()[0]
        assert "13.6%" in first
        assert "13.5%" in first


class TestMoney:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_a_source_at_odds_with_itself_gives_a_span(self, desk: Desk, renderer: Renderer, language: str) -> None:
        made = desk.answer("used_or_cheap", gpu=["RTX 2070"])
        text = short(renderer, made, language)
        assert "$260–400" in text
        assert facts(made)["used_price"] == 260

    def test_hours_a_month_are_the_usage(self, desk: Desk) -> None:
        per_month = {"amount": 100, "unit": "hour", "per": "month"}
        made = desk.answer("rent_or_buy", gpu=["RTX 4090"], duration=per_month)
        assert "utilization" not in {one.slot for one in made.assumptions}
        other = desk.answer("rent_or_buy", gpu=["RTX 4090"], duration={"amount": 20, "unit": "hour", "per": "week"})
        assert facts(made) != facts(other)

    def test_a_bill_comes_from_the_data(self, desk: Desk) -> None:
        made = desk.answer("estimate_cost", gpu=["RTX 4090"], model=["llm-7b"], method="lora", dataset="50000 samples")
        figures = facts(made)
        assert figures["rental_cost"] == pytest.approx(figures["gpu_hours"] * figures["price_per_gpu_hour"], rel=0.01)
        (head,) = made.headline
        cost = head.values["cost"]
        assert isinstance(cost, Figure)
        assert cost.low is not None
        assert cost.high is not None
        assert cost.low < figures["rental_cost"] < cost.high

    def test_ten_yuan_for_a_large_training_is_refused_with_a_way_out(self, desk: Desk, renderer: Renderer) -> None:
        budget = {"amount": 10, "currency": "CNY", "period": "once"}
        outcome = desk.ask("recommend_gpu", model=["llm-70b"], method="train", budget=budget)
        assert isinstance(outcome, Decline)
        text = short(renderer, outcome)
        assert "¥10" in text.splitlines()[0]
        assert "rents" in text.splitlines()[0]
        assert "Nearest" in text

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_flips_read_as_sentences(self, desk: Desk, renderer: Renderer, language: Any) -> None:
        from advisor.models import Note

        for axis in ("price", "model", "budget", "hours_per_week", "batch", "seq_len"):
            values = {
                "axis": axis, "at": 2.0, "last": 1.0, "winner": "", "n": 1, "channel": "", "currency": "USD",
                "renting": False, "percent": 0.2, "label": "RTX 3090" if axis == "price" else "llm-14b",
            }  # fmt: skip
            text = renderer.note(Note("flip_none", values), language)
            assert "llm-" not in text
            assert "None" not in text

    def test_a_winner_is_not_praised_with_worse_figures(self, desk: Desk) -> None:
        made = desk.answer("recommend_gpu", model=["Qwen2.5-32B"], users=20, method="inference")
        assert isinstance(made, Answer)
        for note in made.result.picks[0].reasons:
            if note.code == "rec_why_value" and note.values["speed"]:
                assert note.values["speed"] > 1 or note.values["price"] < 1
