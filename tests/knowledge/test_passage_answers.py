"""Handlers that answer from passages: what they say, whose word it is, and where they stop."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from advisor.models import Note
from bot.answers.documents.beside import plain_answer, with_documents
from bot.answers.documents.passages import passage_answer
from bot.answers.speed.perf_troubleshooting import PATH, generation_bound
from bot.core.answers import Answer, Decline, Elicit, Outcome
from bot.core.conversation import Conversation, Episode
from bot.core.message import Language
from bot.core.passages import Told
from bot.core.request import Request, Services
from bot.core.understanding import Understanding
from bot.read.signs import hear
from bot.render import Renderer
from tests.bot.routed import answered_by
from tests.conftest import shared_assistant

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
LANGUAGES: tuple[Language, ...] = ("zh", "en")


@cache
def services() -> Services:
    return shared_assistant().services


@cache
def renderer() -> Renderer:
    return Renderer()


def request(intent: str, text: str, language: Language = "zh", subject: Episode | None = None, **slots: Any) -> Request:
    return Request(
        intent=intent,
        slots=slots,
        heard=hear(
            text,
            Understanding(
                text=text,
                normalised=text.lower(),
                tokens=(),
                language=language,
                slots=(),
                ranking=(),
                in_domain=True,
                elliptical=subject is not None,
            ),
        ),
        language=language,
        now=NOW,
        services=services(),
        conversation=Conversation(key="test"),
        subject=subject,
    )


def handled(intent: str, text: str, language: Language = "zh", **slots: Any) -> Outcome:
    return answered_by(request(intent, text, language, **slots))


def answered(intent: str, text: str, language: Language = "zh", **slots: Any) -> Answer:
    outcome = handled(intent, text, language, **slots)
    assert isinstance(outcome, Answer), outcome
    return outcome


def told(answer: Answer, language: Language) -> tuple[str, str]:
    library = services().library
    lines = tuple(library.conflicts[name].line.get(language) for name in answer.conflicts)
    rendered = renderer().answer(answer, language, dissent=lines)
    return rendered.text, rendered.details


@pytest.mark.parametrize(
    ("intent", "text", "language", "says"),
    [
        ("platform_howto", "autodl关机后数据保留几天", "zh", ["15 天", "30 天"]),
        ("platform_howto", "how long does AutoDL keep my data", "en", ["15 days", "30"]),
        ("platform_howto", "胜算云怎么租机器", "zh", ["租赁", "数据盘"]),
        ("concept_explain", "tensor core和cuda core哪个快", "zh", ["Tensor Core"]),
        ("concept_explain", "what is a warp", "en", ["32 threads"]),
        ("what_matters_in_gpu", "which spec matters for RNNs", "en", ["bandwidth"]),
        ("platform_choice", "百度ai studio怎么样", "zh", ["PaddlePaddle"]),
    ],
)
def test_the_key_figures_stand_in_the_short_form(intent: str, text: str, language: Language, says: list[str]) -> None:
    short, full = told(answered(intent, text, language), language)
    assert all(each in short for each in says), short
    assert len(full) >= len(short) or intent == "concept_explain"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_of_an_answer_has_a_trail(language: Language) -> None:
    questions = {
        "zh": ["nvme随机读速度", "dgx a100 总显存多大", "autodl 各型号 gpu 对比表"],
        "en": ["NVMe random read speed", "total memory of a DGX A100", "table of GPU models with memory and TFLOPS"],
    }
    for question in questions[language]:
        answer = passage_answer(request("gpu_specs", question, language), "gpu_specs")
        assert answer is not None
        trail = " ".join(
            str(value)
            for step in answer.trace
            for value in (step.value, *(part.value for part in step.inputs), step.as_of)
        )
        shown = [answer.told.lead.full, *(part.short for part in answer.told.also)]
        known = set(re.findall(r"\d+(?:\.\d+)?", trail + " ".join(part.short for part in answer.told.also)))
        assert set(re.findall(r"\d+(?:\.\d+)?", " ".join(shown))) <= known


def test_an_answer_names_document_section_and_year() -> None:
    answer = answered("platform_howto", "autodl关机后数据保留几天")
    assert answer.sources[0].id == "seed-000"
    assert answer.sources[0].section
    assert answer.sources[0].as_of == "2022"
    assert answer.trace[0].rows
    assert answer.told.passages[0] == "autodl-retention"


def test_dissent_is_told_in_one_line() -> None:
    answer = answered("platform_howto", "how long does AutoDL keep my data", "en")
    assert answer.conflicts[0] == "E31"
    short, _ = told(answer, "en")
    assert sum("plan with 15 days" in line for line in short.splitlines()) == 1


def test_tables_are_rendered_as_tables() -> None:
    _, full = told(answered("platform_howto", "北京A区3090是什么U"), "zh")
    assert "| 地区 | GPU | CPU |\n| --- | --- | --- |\n| 内蒙 A 区 |" in full


def test_passages_shown_together_do_not_repeat_each_other() -> None:
    for text in ("数据加载慢怎么办", "选卡先看显存还是算力", "两张卡内存要翻倍吗"):
        answer = passage_answer(request("cpu_sizing", text), "cpu_sizing")
        assert answer is not None
        library = services().library
        covers = [set(library.get(name).covers) for name in answer.told.passages]
        assert len(covers) <= 3
        assert sum(map(len, covers)) == len(set().union(*covers))


def test_a_follow_up_stays_on_the_passage() -> None:
    first = answered("platform_howto", "autodl关机后数据保留几天")
    before = Episode(
        case="AAAA", intent="platform_howto", language="zh", slots={}, passages=first.told.passages, at=NOW
    )
    outcome = answered_by(request("platform_howto", "那还能恢复吗", subject=before))
    assert isinstance(outcome, Answer)
    assert outcome.told.passages[0] == "autodl-retention"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_there_is_declined_with_the_nearest_titles(language: Language) -> None:
    text = {"zh": "快照一年9块这个价咋算的", "en": "must I copy my weights and the repo over to AWS"}[language]
    outcome = handled("platform_howto", text, language)
    assert isinstance(outcome, Decline)
    assert outcome.reason.code == "not_in_documents"
    assert len(outcome.reason.values["titles"]) == 2
    said = renderer().decline(outcome, language).text
    assert outcome.reason.values["titles"][0] in said


def test_old_advice_is_marked_with_its_year() -> None:
    answer = passage_answer(request("recommend_gpu", "best overall GPU in 2019", "en"), "recommend_gpu")
    assert answer is not None
    assert [note.values["year"] for note in answer.notes if note.code == "passage_old"] == [2019]


class TestMatmulExample:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_it_is_computed_step_by_step(self, language: Language) -> None:
        text = {"zh": "没有张量核时矩阵乘法要多少周期", "en": "cycles with tensor cores in the 32x32 example"}[language]
        answer = answered("concept_explain", text, language)
        short, _ = told(answer, language)
        assert "392" in short
        assert "221" in short
        assert "200 + 8 x 20 + 8 x 4" in short
        assert {fact.value for fact in answer.facts if fact.unit == "cycles"} == {392.0, 221.0}


class TestSlowTraining:
    def test_every_place_can_be_reached_and_worded(self) -> None:
        asked = {answer for stage in PATH.values() for answer in stage.answers}
        assert asked <= set(PATH)
        for language in LANGUAGES:
            words = renderer().words(language)
            for stage in PATH.values():
                assert all(code in renderer().note_codes(language) for code in stage.advice)
                assert not stage.question or words.has(f"offer.{stage.question}")
                assert all(words.has(f"symptom.{answer}") for answer in stage.answers)

    def test_it_asks_one_thing_at_a_time_down_to_a_cause(self) -> None:
        code, seen = "", []
        while True:
            slots = {"symptom": code} if code else {}
            answer = answered("perf_troubleshooting", "训练好慢", **slots)
            seen.append(code)
            if answer.asks is None:
                break
            assert answer.asks.fills == "symptom"
            assert 2 <= len(answer.asks.values) <= 4
            code = answer.asks.values[0]
        assert seen == ["", "low", "low.full"]
        short, _ = told(answer, "zh")
        assert "num_workers" in short
        assert "DALI" in short

    @pytest.mark.parametrize(
        ("text", "language", "slots", "place"),
        [
            ("gpu利用率一直20%怎么回事", "zh", {"utilization": 0.2}, "low"),
            ("GPU util drops to 0 between batches", "en", {}, "low"),
            ("一训练cpu就100%，gpu反而没怎么用", "zh", {}, "low.full"),
            ("training process got killed, exit code 137", "en", {}, "killed"),
            ("双卡训练没变快", "zh", {}, "multi"),
            ("数据在机械硬盘上，训练慢", "zh", {}, "low.idle.slow"),
            ("gpu at 98% but still slow", "en", {"utilization": 0.98}, "high"),
            ("单张H20生成好慢", "zh", {"method": "inference", "gpu": ["H20 96GB"]}, "generation"),
        ],
    )
    def test_what_was_said_decides_where_it_begins(
        self, text: str, language: Language, slots: dict[str, Any], place: str
    ) -> None:
        opening = answered("perf_troubleshooting", text, language, **slots).headline[0]
        assert opening.values["said"].code == PATH[place].advice[0]

    def test_a_button_fills_the_place(self) -> None:
        answer = answered("perf_troubleshooting", "训练好慢")
        assert answer.asks is not None
        offered = Elicit(slot=answer.asks.fills, values=answer.asks.values)
        keys = [choice.key for choice in renderer().choices(offered, "zh")]
        assert keys[0] == "set:symptom=low"
        assert all(len(key.encode()) <= 40 for key in keys)

    def test_generation_is_bound_by_bandwidth(self) -> None:
        bound = generation_bound(request("perf_troubleshooting", "", gpu=["RTX 3090"], model=["llm-7b"]))
        bandwidth, weights = (float(part.value or 0) for part in bound.inputs)
        assert bound.value == pytest.approx(bandwidth / weights, rel=0.01)
        halved = generation_bound(
            request("perf_troubleshooting", "", gpu=["RTX 3090"], model=["llm-7b"], precision="int8")
        )
        assert float(halved.value or 0) == pytest.approx(2 * float(bound.value or 0), rel=0.01)


class TestPlatforms:
    def test_a_named_card_brings_dated_prices_cheapest_provider_first(self) -> None:
        answer = answered("platform_choice", "cheapest place to rent an A100", "en", gpu=["A100"])
        offers = [one.offer for one in answer.result]
        assert len(offers) >= 2
        assert [offer.provider for offer in offers] == list(dict.fromkeys(offer.provider for offer in offers))
        assert all(offer.as_of for offer in offers)
        assert answer.headline[0].say == "platform.first"
        assert {fact.unit for fact in answer.facts if fact.name == "offer"} == {"USD/h"}

    def test_without_a_card_it_compares_platforms_and_offers_cards(self) -> None:
        answer = answered("platform_choice", "租算力哪家好", deploy="rent")
        assert answer.told.passages[0] == "rental-platforms-overview"
        assert answer.asks is not None
        assert answer.asks.fills == "gpu"

    def test_an_unknown_card_is_declined(self) -> None:
        assert isinstance(handled("platform_choice", "where to rent a RTX 7777", "en", gpu=["RTX 7777"]), Decline)


class TestDocumentsBeside:
    """What the documents say stands beside what the advisor computes, and answers where no intent was sure."""

    def test_a_computed_answer_gets_the_passage_it_is_about(self) -> None:
        text = "which card has the best cost efficiency, RTX 2060 or V100, in 2019"
        asked = request("price_lookup", text, "en", gpu=["RTX 2060", "V100"])
        found = with_documents(asked, Answer(template="price_lookup", suggestions=("kept",)))
        assert isinstance(found, Answer)
        assert found.told.beside.id == "rtx-2060-value-2019"
        assert found.suggestions == ("kept",)
        assert found.sources
        assert "E66" in found.conflicts

    def test_an_unrelated_answer_stays_as_it_is(self) -> None:
        plain = Answer(template="check_fit")
        assert (
            with_documents(request("check_fit", "4090 能跑 qwen2.5-14b 的 lora 吗", gpu=["RTX 4090"]), plain) is plain
        )

    def test_a_passage_is_not_told_twice(self) -> None:
        text = "is the RTX 2060 good value"
        told_already = Answer(template="used_or_cheap", told=Told(passages=("rtx-2060-value-2019",)))
        found = with_documents(request("used_or_cheap", text, "en"), told_already)
        assert isinstance(found, Answer)
        assert found.told == told_already.told

    def test_a_question_back_says_what_the_documents_know(self) -> None:
        found = with_documents(request("check_fit", "单张卡够训啥规模的数据"), Elicit(slot="model"))
        assert isinstance(found, Elicit)
        assert "Pascal VOC" in renderer().elicit(found, "zh").text

    @pytest.mark.parametrize(
        ("text", "language", "passage"),
        [
            ("hy-tmp 是什么目录", "zh", "hy-tmp-path"),
            ("which series are P4 and P40", "en", "tesla-models"),
            ("共享内存延迟大概几个周期", "zh", "gpu-latency-table-2020"),
        ],
    )
    def test_a_plain_question_needs_no_intent(self, text: str, language: Language, passage: str) -> None:
        answer = plain_answer(request("", text, language), "out_of_scope")
        assert answer is not None
        assert answer.told.passages[0] == passage

    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("推荐一款适合打原神的手机", "zh"),
            ("how much does a tesla model 3 cost", "en"),
            ("内存卡和U盘哪个好", "zh"),
            ("租房子多少钱一个月", "zh"),
            ("怎么训练狗狗上厕所", "zh"),
            ("how long does it take to fly to london", "en"),
            ("write me a poem", "en"),
            ("what are you good for?", "en"),
            ("有人吗", "zh"),
            ("", "zh"),
        ],
    )
    def test_what_only_sounds_alike_stays_out(self, text: str, language: Language) -> None:
        assert plain_answer(request("", text, language), "out_of_scope") is None

    def test_a_passage_that_answers_plainly_replaces_a_needless_question(self) -> None:
        asked = request("gpu_specs", "latency of shared memory in cycles?", "en")
        found = with_documents(asked, Elicit(slot="gpu"))
        assert isinstance(found, Answer)
        assert found.told.lead.id == "gpu-latency-table-2020"
        about_a_job = request("estimate_memory", "显存要几g的卡")
        assert isinstance(with_documents(about_a_job, Elicit(slot="model")), Elicit)

    def test_an_unknown_name_stays_declined(self) -> None:
        refused = Decline(reason=Note("unknown_gpu", {"name": "RTX 7777", "near": []}))
        assert with_documents(request("gpu_specs", "RTX 3090 显存多大"), refused) is refused
