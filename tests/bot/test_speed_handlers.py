"""The five speed intents, from slots to words, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.answers.speed.amounts import dataset_of
from bot.core.answers import Answer, Decline, Elicit, Outcome
from bot.core.conversation import Conversation
from bot.core.message import Language
from bot.core.request import Request, Services
from bot.pipeline import Assistant
from bot.read.rounds import amount_of, epochs_of, tokens_of
from bot.read.signs import hear
from bot.render import Renderer
from tests.bot.routed import answered_by
from tests.conftest import NOW, make_message


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


@pytest.fixture(scope="module")
def services(assistant: Assistant) -> Services:
    return assistant.services


class Desk:
    """Asks handlers with slots, or with text that is understood first."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.services = assistant.services

    def request(self, intent: str, text: str = "", language: Language = "zh", **slots: Any) -> Request:
        return Request(
            intent=intent,
            slots=slots,
            heard=hear(text),
            language=language,
            now=datetime(2026, 11, 21, tzinfo=UTC),
            services=self.services,
            conversation=Conversation(key="t"),
        )

    def ask(self, intent: str, text: str = "", **slots: Any) -> Outcome:
        outcome: Outcome = answered_by(self.request(intent, text, **slots))
        return outcome

    def answer(self, intent: str, text: str = "", **slots: Any) -> Answer:
        outcome = self.ask(intent, text, **slots)
        assert isinstance(outcome, Answer)
        return outcome

    def said(self, intent: str, text: str, **slots: Any) -> Answer:
        """Answer to a text, its counts beside cards read by the understanding room."""
        request = replace(
            self.request(intent, text, **slots), heard=hear(text, self.assistant.understander.understand(text))
        )
        outcome = answered_by(request)
        assert isinstance(outcome, Answer)
        return outcome


@pytest.fixture(scope="module")
def desk(assistant: Assistant) -> Desk:
    return Desk(assistant)


def facts(answer: Answer) -> dict[str, Any]:
    return {fact.name: fact.value for fact in answer.facts}


SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("compare_gpus", {"gpu": ["RTX 4090", "RTX 3090"]}),
    ("compare_gpus", {"gpu": ["A100", "V100"]}),
    ("compare_gpus", {"gpu": ["RTX 4090", "RTX 3090"], "model": ["llm-7b"]}),
    ("compare_gpus", {"gpu": ["RTX 4090", "RTX 3090"], "model": ["llm-70b"], "method": "inference"}),
    ("compare_gpus", {"gpu": ["RTX 3080 10GB", "RTX 3090"], "model": ["Qwen2.5-14B"], "precision": "fp16"}),
    ("compare_gpus", {"gpu": ["RTX 4070", "RTX 3090"], "model": ["stable-diffusion-xl-base-1.0"]}),
    ("compare_gpus", {"gpu": ["RTX 3080 10GB", "RTX 4070", "RTX 2080 Ti", "MI300X"]}),
    ("compare_gpus", {"gpu": ["RTX 4090", "Apple M2 Ultra"]}),
    ("compare_gpus", {"gpu": ["Ascend 310", "RTX 4090", "RTX 3090"], "model": ["llm-7b"]}),
    ("compare_gpus", {"gpu": ["RTX 3060 Ti", "RTX 3070"], "model": ["instant-ngp"]}),
    ("compare_gpus", {"gpu": ["RTX 4090", "Ascend 910B"], "task": "llm_finetune"}),
    ("estimate_time", {"gpu": ["RTX 4090"], "model": ["llm-7b"]}),
    ("estimate_time", {"gpu": ["RTX 4090", "RTX 3090"], "model": ["Llama-3-8B"], "users": 8}),
    ("estimate_time", {"gpu": ["RTX 3090"], "model": ["resnet50"], "method": "train"}),
    ("estimate_time", {"gpu": ["RTX 3090"], "dataset": "imagenet", "gpu_count": 4}),
    ("estimate_time", {"gpu": ["GTX 1080 Ti"], "model": ["YOLOv8x"], "dataset": "coco"}),
    ("estimate_time", {"gpu": ["RTX 3060 12GB"], "model": ["llm-70b"], "method": "full", "dataset": "my own photos"}),
    ("multi_gpu_scaling", {}),
    ("multi_gpu_scaling", {"gpu": ["RTX 3090"], "gpu_count": 4}),
    ("multi_gpu_scaling", {"gpu": ["RTX 4090"], "gpu_count": 2, "model": ["llm-70b"], "method": "inference"}),
    ("multi_gpu_scaling", {"gpu": ["RTX 4090"], "model": ["resnet50"], "method": "train"}),
    ("multi_gpu_scaling", {"gpu": ["A100"], "gpu_count": 8}),
    ("gpu_count", {}),
    ("gpu_count", {"model": ["llm-70b"], "method": "full", "gpu": ["A100"]}),
    ("gpu_count", {"dataset": "coco"}),
    ("gpu_count", {"model": ["Llama-3-70B"], "method": "inference", "gpu": ["RTX 4090"]}),
    ("gpu_count", {"model": ["DeepSeek-V3"], "method": "full", "gpu": ["GTX 1060 6GB"]}),
    ("gpu_count", {"model": ["resnet50"], "dataset": "imagenet", "gpu": ["GTX 1080 Ti"], "method": "train"}),
    ("mixed_gpu_types", {"gpu": ["RTX 3090", "RTX 2080 Ti"]}),
    ("mixed_gpu_types", {"gpu": ["GTX 1080 Ti", "RTX 5090"]}),
    ("mixed_gpu_types", {"gpu": ["RX 7900 XTX", "RTX 4090"]}),
    ("mixed_gpu_types", {"gpu": ["RTX 3090", "RTX 3090 Ti"]}),
]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("intent", "slots"), SHAPES)
def test_every_shape_of_answer_has_words(
    desk: Desk, renderer: Renderer, intent: str, slots: dict[str, Any], language: Language
) -> None:
    answer = desk.answer(intent, **slots)
    rendered = renderer.answer(answer, language)
    assert rendered.text.startswith("**")
    assert len(rendered.text.splitlines()) <= 16
    assert rendered.details
    assert "None" not in rendered.text + rendered.details
    assert "nan" not in rendered.text


class TestCompare:
    def test_the_faster_card_wins_for_the_job(self, desk: Desk) -> None:
        made = desk.answer("compare_gpus", gpu=["RTX 3090", "RTX 4090"], task="image_classification").result
        assert made.reason == "faster"
        assert made.sides[made.winner].name == "RTX 4090"

    def test_when_only_one_holds_the_model_it_wins(self, desk: Desk) -> None:
        answer = desk.answer(
            "compare_gpus",
            gpu=["RTX 3080 10GB", "RTX 3090"],
            model=["Qwen2.5-7B"],
            method="inference",
            precision="fp16",
        )
        assert answer.result.reason == "only_one_fits"
        assert answer.result.sides[answer.result.winner].name == "RTX 3090"

    def test_each_side_keeps_its_own_count(self, desk: Desk) -> None:
        made = desk.said("compare_gpus", "one 4090 or four 4060 ti 16g?", gpu=["RTX 4090", "RTX 4060 Ti 16GB"]).result
        assert [side.n for side in made.sides] == [1, 4]
        assert made.sides[1].total_vram_gib == 64

    def test_a100_over_v100_shows_the_documents_beside_the_estimate(self, desk: Desk) -> None:
        found = facts(desk.answer("compare_gpus", gpu=["A100", "V100"]))
        assert found["by_bandwidth"] == pytest.approx(1.73, abs=0.01)
        assert found["measured_nlp"] == 1.70
        assert found["measured_cv"] == 1.45
        assert found["speed_train:A100 40GB PCIe"] > 1.2

    def test_an_open_name_says_which_variant_was_taken(self, desk: Desk) -> None:
        codes = [note.code for note in desk.answer("compare_gpus", gpu=["A100", "RTX 4090"]).notes]
        assert "gpu_variant" in codes

    def test_fp16_figures_share_one_counting_basis(self, desk: Desk) -> None:
        found = facts(desk.answer("compare_gpus", gpu=["RTX 3090", "RTX A6000"]))
        assert found["fp16_dense_fp32acc:RTX 3090"] == pytest.approx(71.2)
        assert found["fp16_dense_fp32acc:RTX A6000"] == pytest.approx(154.8)

    def test_prices_carry_their_day(self, desk: Desk) -> None:
        answer = desk.answer("compare_gpus", gpu=["RTX 3090", "RTX 4090"])
        priced = [fact for fact in answer.facts if fact.name.startswith("price_")]
        assert priced
        assert all(fact.as_of for fact in priced)

    def test_the_loser_is_told_a_reason_to_exist(self, desk: Desk) -> None:
        answer = desk.answer("compare_gpus", gpu=["RTX 4090", "RTX 3090"])
        (line,) = [line for line in answer.lines if line.say == "cmp.anyway"]
        assert line.values["merits"]

    def test_one_card_asks_for_the_other(self, desk: Desk) -> None:
        assert isinstance(desk.ask("compare_gpus", gpu=["RTX 4090"]), Elicit | Answer)

    def test_an_unknown_card_is_named_not_guessed(self, desk: Desk) -> None:
        assert isinstance(desk.ask("compare_gpus", gpu=["RTX 4090", "RTX 9999 Super"]), Decline)


class TestTime:
    def test_generation_and_training_are_told_apart(self, desk: Desk) -> None:
        assert desk.answer("estimate_time", gpu=["RTX 4090"], model=["llm-7b"]).result.kind == "generate"
        assert desk.answer("estimate_time", gpu=["RTX 4090"], model=["llm-7b"], dataset="alpaca").result.kind == "train"

    def test_a_model_that_fits_only_in_4_bits_is_run_so_and_that_is_said(self, desk: Desk) -> None:
        answer = desk.answer("estimate_time", gpu=["RTX 3060 12GB"], model=["llm-8b"], method="inference")
        assert answer.result.format == "int4"
        assert ("precision", "int4") in [(one.slot, one.value) for one in answer.assumptions]

    def test_what_does_not_fit_is_said(self, desk: Desk) -> None:
        answer = desk.answer("estimate_time", gpu=["RTX 3060 12GB"], model=["llm-70b"], method="inference")
        told, lent = answer.headline[0], answer.result.lent
        assert answer.result.fits == "no"
        assert told.say == "time.writes_in_ram"
        assert lent.made.in_ram_gb > 20
        assert answer.result.rate.value == pytest.approx(lent.made.decode.value), "not at the card's own pace"

    def test_a_training_that_does_not_fit_is_said(self, desk: Desk) -> None:
        answer = desk.answer("estimate_time", gpu=["RTX 3060 12GB"], model=["llm-70b"], method="lora")
        assert "speed_no_fit" in [note.code for note in answer.notes]

    def test_stated_rounds_count(self, desk: Desk) -> None:
        common: dict[str, Any] = {"gpu": ["RTX 3090"], "dataset": "imagenet"}
        one = desk.answer("estimate_time", "3090训一轮imagenet多久", **common).result.hours.value
        ninety = desk.answer("estimate_time", "3090训imagenet多久", **common).result.hours.value
        assert ninety == pytest.approx(90 * one)

    def test_four_cards_are_faster_than_one(self, desk: Desk) -> None:
        one, four = (
            desk.answer("estimate_time", gpu=["RTX 3090"], dataset="coco", gpu_count=n).result.hours.value
            for n in (1, 4)
        )
        assert one / 4 < four < one

    def test_a_data_set_taken_for_a_model_is_the_data(self, desk: Desk) -> None:
        answer = desk.answer("estimate_time", gpu=["RTX 4090"], model=["llm-7b", "alpaca"], method="lora")
        assert answer.headline[0].values["data"].values["name"] == "Alpaca-52k"

    def test_pretraining_on_tokens_gives_the_whole_run(self, desk: Desk) -> None:
        text = "how long to pretrain a 1B model on 100B tokens"
        answer = desk.answer("estimate_time", text, gpu=["H100"], gpu_count=8, model=["llm-1b"], method="pretrain")
        assert 24 < answer.result.hours.value < 24 * 60
        assert {one.slot: one.value for one in answer.assumptions}["batch"] > 1

    def test_no_card_no_model_asks(self, desk: Desk) -> None:
        outcome = desk.ask("estimate_time", model=["llm-7b"])
        assert isinstance(outcome, Elicit)
        assert outcome.slot == "gpu"

    def test_a_picture_takes_longer_on_a_slower_card_and_its_memory_is_told(self, desk: Desk) -> None:
        lines = {
            name: desk.answer("estimate_time", gpu=[name], model=["FLUX.1-dev"]).result[0]
            for name in ("RTX 4060 Ti 16GB", "RTX 4090")
        }
        slow, fast = lines.values()
        assert slow.low < slow.seconds < slow.high
        assert slow.seconds > 2 * fast.seconds
        assert slow.row.verdict == "fits"
        assert slow.row.need.value < 15.5

    def test_speech_is_told_in_times_real_time_for_both_programs(self, desk: Desk) -> None:
        answer = desk.answer("estimate_time", gpu=["RTX 3090"], model=["whisper-large-v3"])
        compiled, original = answer.result
        assert compiled.times_real_time.value > 1.5 * original.times_real_time.value > 3
        assert compiled.minutes_per_hour * compiled.times_real_time.value == pytest.approx(60)

    def test_unsupported_models_are_declined_not_guessed(self, desk: Desk) -> None:
        outcome = desk.ask("estimate_time", gpu=["RTX 4090"], model=["CosyVoice-300M"], method="full")
        assert isinstance(outcome, Decline | Answer)
        if isinstance(outcome, Answer):
            assert outcome.template == "passage"

    def test_steps_of_training_are_an_amount(self, desk: Desk) -> None:
        short, long = (
            desk.answer("estimate_time", gpu=["RTX 4090"], model=["FLUX.1-dev"], method="lora", train_steps=steps)
            for steps in (1_000, 2_000)
        )
        assert long.result.hours.value == pytest.approx(2 * short.result.hours.value)


class TestSeveralCards:
    def test_memory_does_not_add_up(self, desk: Desk) -> None:
        answer = desk.answer("multi_gpu_scaling", "两张3090显存能叠加吗", gpu=["RTX 3090"], gpu_count=2)
        assert answer.headline[0].say == "scaling.pool.cards"
        assert answer.headline[0].values["total"].value == 48

    @pytest.mark.parametrize(
        ("text", "topic"),
        [
            ("为什么多卡没有变快", "scaling.slow"),
            ("how to train on multiple gpus", "scaling.howto"),
            ("will 4 gpus be 4x faster", "scaling.gain.several"),
            ("does vram add up over two cards", "scaling.pool.any"),
        ],
    )
    def test_the_question_decides_what_comes_first(self, desk: Desk, text: str, topic: str) -> None:
        assert desk.answer("multi_gpu_scaling", text).headline[0].say == topic

    def test_an_open_name_in_a_box_of_eight_is_the_board_with_nvlink(self, desk: Desk) -> None:
        answer = desk.answer("multi_gpu_scaling", gpu=["A100"], gpu_count=8)
        assert answer.result.link == "nvlink"
        assert facts(answer)["eight_a100"] == 7.0

    def test_batch_doubling_is_quoted_when_batch_is_asked(self, desk: Desk) -> None:
        found = desk.answer("multi_gpu_scaling", "what does doubling the batch gain", gpu_count=2)
        assert facts(found)["batch_doubling"] == pytest.approx(1.135, abs=0.002)


class TestCount:
    def test_a_day_and_coco(self, desk: Desk) -> None:
        answer = desk.answer("gpu_count", dataset="coco", gpu=["RTX 3090"])
        assert [line.values["meaning"] for line in answer.lines if line.say == "count.timed"] == [4]
        assert answer.result.count == answer.result.by_time.n_gpus

    def test_a_tighter_deadline_never_needs_fewer(self, desk: Desk) -> None:
        common: dict[str, Any] = {"dataset": "imagenet", "gpu": ["RTX 3090"]}
        day = desk.answer("gpu_count", **common).result.count
        week = desk.answer("gpu_count", duration={"amount": 1, "unit": "week"}, **common).result.count
        assert week <= day

    def test_fewer_bits_need_fewer_cards(self, desk: Desk) -> None:
        answer = desk.answer("gpu_count", model=["llm-70b"], method="inference", gpu=["RTX 4090"])
        counts = {name.rpartition(":")[2]: value for name, value in facts(answer).items() if name.startswith("gpus:")}
        assert list(counts) == ["int4", "fp16"]
        assert counts["int4"] < counts["fp16"]

    def test_without_a_job_the_usual_counts_are_explained_with_their_rows(self, desk: Desk) -> None:
        answer = desk.answer("gpu_count")
        rows = {row for step in answer.trace for part in (step, *step.inputs) for row in part.rows}
        assert {"000-040", "000-041", "000-042", "000-043", "000-044", "000-045", "000-046", "001-062"} <= rows


class TestMixed:
    def test_the_slowest_card_sets_the_pace_and_the_smallest_the_memory(self, desk: Desk) -> None:
        made = desk.answer("mixed_gpu_types", gpu=["RTX 4090", "RTX 3060 12GB"]).result
        assert made.slowest == "RTX 3060 12GB"
        assert made.smallest_gib == 12
        assert made.together < made.apart

    def test_equal_cards_lose_nothing(self, desk: Desk) -> None:
        made = desk.answer("mixed_gpu_types", gpu=["RTX 3090", "RTX 3090 Ti"]).result
        assert made.together == pytest.approx(made.apart, rel=0.1)

    def test_old_cards_limit_cuda(self, desk: Desk) -> None:
        made = desk.answer("mixed_gpu_types", gpu=["Tesla K80", "RTX 5090"]).result
        assert not made.compatible
        assert made.limited_by == "Tesla K80"


class TestAmounts:
    @pytest.mark.parametrize(
        ("text", "amount"),
        [("100,000 images", 100_000), ("5w张", 50_000), ("1.5万条", 15_000), ("20k samples", 20_000), ("none", None)],
    )
    def test_numbers_with_scales(self, text: str, amount: float | None) -> None:
        assert amount_of(text) == amount

    @pytest.mark.parametrize(
        ("text", "rounds"),
        [("100轮", 100), ("训一轮", 1), ("for 3 epochs", 3), ("30个epoch", 30), ("3090训多久", None)],
    )
    def test_rounds(self, text: str, rounds: int | None) -> None:
        assert epochs_of(text) == rounds

    @pytest.mark.parametrize(
        ("text", "tokens"),
        [("on 100B tokens", 1e11), ("3000亿token", 3e11), ("1.5T tokens", 1.5e12), ("50 tokens/s", None), ("4k", None)],
    )
    def test_training_tokens(self, text: str, tokens: float | None) -> None:
        assert tokens_of(text) == tokens

    def test_data_sets_by_any_name(self) -> None:
        names = [found.name for text in ("ILSVRC2012", "ms coco", "squad v1.1") if (found := dataset_of(text))]
        assert names == ["ImageNet-1k", "COCO", "SQuAD v1.1"]


def test_the_speed_of_one_card_is_drawn_over_the_context_as_far_as_the_card_holds_it(assistant: Assistant) -> None:
    def chart(text: str) -> Any:
        reply, _ = assistant.respond(make_message(text), None, NOW)
        return reply.chart

    small, large = chart("tokens/s of qwen2.5-14b q4 on a 4090"), chart("tokens/s of qwen2.5-14b q4 on an A100 80GB")
    reached = [points[-1][0] for one in (small, large) for _, points in one.series]
    assert reached[0] < reached[1]
    speeds = [speed for _, speed in small.series[0][1]]
    assert speeds == sorted(speeds, reverse=True), "longer contexts are slower"
    assert all(
        low < speed < high for (_, speed), (_, low, high) in zip(small.series[0][1], small.bands[0][1], strict=True)
    )
    assert chart("how long does resnet50 on imagenet take on a 3090?") is None
