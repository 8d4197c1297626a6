"""The nine machine intents: the verdict stands in the first line, in both languages, with sources and disputes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from advisor.errors import OutOfRange
from bot.core.answers import Answer, Decline, Elicit, Outcome
from bot.core.conversation import Conversation
from bot.core.message import Language
from bot.core.request import Request
from bot.read.signs import hear
from bot.render import Renderer
from tests.bot.routed import answered_by
from tests.conftest import shared_assistant

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
SERVICES = shared_assistant().services
RENDERER = Renderer()
INTENTS = (
    "cpu_sizing",
    "ram_sizing",
    "disk_choice",
    "power_supply",
    "cooling",
    "interconnect",
    "cluster_design",
    "cuda_compat",
    "precision_advice",
)


def outcome(intent: str, text: str, language: Language = "zh", **slots: Any) -> Outcome:
    request = Request(
        intent=intent,
        slots=slots,
        heard=hear(text),
        language=language,
        now=NOW,
        services=SERVICES,
        conversation=Conversation(key="test"),
    )
    result: Outcome = answered_by(request)
    return result


def told(intent: str, text: str, language: Language = "zh", **slots: Any) -> str:
    """The full form of the answer."""
    answer = outcome(intent, text, language, **slots)
    assert isinstance(answer, Answer)
    rendered = RENDERER.answer(answer, language)
    return rendered.details or rendered.text


FIRST_LINES: list[tuple[str, str, Language, dict[str, Any], str]] = [
    ("power_supply", "双4090配多大电源", "zh", {"gpu": ["RTX 4090"], "gpu_count": 2}, "1,500 W"),
    (
        "power_supply",
        "is 1200w enough for 3x3090",
        "en",
        {"gpu": ["RTX 3090"], "gpu_count": 3, "psu_w": 1200},
        "Not enough",
    ),
    ("power_supply", "850w电源够带4090吗", "zh", {"gpu": ["RTX 4090"], "psu_w": 850}, "够用"),
    ("power_supply", "should i power limit my 3090", "en", {"gpu": ["RTX 3090"]}, "280 W"),
    ("power_supply", "家里插座能带动四张卡吗", "zh", {"gpu_count": 4}, "2,200 W"),
    ("power_supply", "训练时电脑突然断电重启", "zh", {}, "过流保护"),
    ("power_supply", "12vhpwr adapter safe", "en", {}, "600 W"),
    ("cooling", "四张3090散热怎么解决", "zh", {"gpu": ["RTX 3090"], "gpu_count": 4}, "12 个槽位"),
    ("cooling", "is 85c normal for a 4090 under load", "en", {"gpu": ["RTX 4090"]}, "89 C"),
    ("cooling", "被动散热的p40怎么加风扇", "zh", {"gpu": ["Tesla P40"]}, "导风罩"),
    ("cpu_sizing", "4卡要配多少核cpu", "zh", {"gpu_count": 4}, "16–32"),
    ("cpu_sizing", "is 8 cores enough for 4 gpus", "en", {"gpu_count": 4, "cpu": "8"}, "Too few"),
    ("cpu_sizing", "num_workers设多少合适", "zh", {}, "num_workers"),
    ("ram_sizing", "两张3090配64g内存够不", "zh", {"gpu": ["RTX 3090"], "gpu_count": 2, "ram_gb": 64}, "够"),
    ("ram_sizing", "is 16g enough for a 3090", "en", {"gpu": ["RTX 3090"], "ram_gb": 16}, "Not enough"),
    ("ram_sizing", "how much ram for one 4090", "en", {"gpu": ["RTX 4090"]}, "32 GB"),
    ("disk_choice", "机械盘放数据集会不会慢", "zh", {"disk": "hdd"}, "会慢"),
    ("disk_choice", "do i need nvme", "en", {"disk": "nvme"}, "SATA"),
    (
        "disk_choice",
        "ssd够8张4090训resnet50吗",
        "zh",
        {"disk": "ssd", "gpu": ["RTX 4090"], "gpu_count": 8, "model": ["resnet50"]},
        "跟不上",
    ),
    ("interconnect", "4090不支持nvlink影响大吗", "zh", {"gpu": ["RTX 4090"]}, "影响不大"),
    ("interconnect", "10gbe enough for multi node training", "en", {}, "10 Gbit/s is below 50"),
    ("interconnect", "显卡插x4槽会慢吗", "zh", {}, "x4"),
    ("cluster_design", "design a 64 gpu cluster", "en", {"gpu_count": 64}, "8 servers"),
    ("cluster_design", "实验室十个人搭个什么样的服务器集群", "zh", {"users": 10}, "6 张卡"),
    ("cluster_design", "并发100人用32b要什么配置", "zh", {"users": 100, "model": ["llm-32b"]}, "100 路并发"),
    ("cuda_compat", "3060能用cuda10.2吗", "zh", {"gpu": ["RTX 3060 12GB"], "cuda_version": "10.2"}, "不能用"),
    ("cuda_compat", "which cuda for rtx 5090", "en", {"gpu": ["RTX 5090"]}, "12.8"),
    ("cuda_compat", "老卡k80还能用新版pytorch吗", "zh", {"gpu": ["Tesla K80"], "framework": "pytorch"}, "2.0.1"),
    ("cuda_compat", "minimum driver for cuda 12.8", "en", {"cuda_version": "12.8"}, "570.26"),
    ("cuda_compat", "sm_120 is not compatible with the current pytorch", "en", {}, "sm_120"),
    ("cuda_compat", "cuda version for ampere cards", "en", {"gpu_family": "Ampere"}, "11.1"),
    ("precision_advice", "2080ti能开bf16吗", "zh", {"gpu": ["RTX 2080 Ti"], "precision": "bf16"}, "不支持"),
    ("precision_advice", "does 4090 support fp8", "en", {"gpu": ["RTX 4090"], "precision": "fp8"}, "Yes"),
    ("precision_advice", "can a 2080 ti use flash attention", "en", {"gpu": ["RTX 2080 Ti"]}, "No"),
    ("precision_advice", "1080ti开混合精度", "zh", {"gpu": ["GTX 1080 Ti"], "precision": "mixed"}, "不快"),
]


@pytest.mark.parametrize(("intent", "text", "language", "slots", "says"), FIRST_LINES)
def test_the_answer_stands_in_the_first_line(
    intent: str, text: str, language: Language, slots: dict[str, Any], says: str
) -> None:
    assert says in told(intent, text, language, **slots).splitlines()[0]


@pytest.mark.parametrize(("intent", "text", "language", "slots", "says"), FIRST_LINES)
def test_every_answer_can_be_said_in_both_languages_and_both_forms(
    intent: str, text: str, language: Language, slots: dict[str, Any], says: str
) -> None:
    for other in ("zh", "en"):
        answer = outcome(intent, text, other, **slots)
        assert isinstance(answer, Answer)
        rendered = RENDERER.answer(answer, other)
        assert rendered.text
        assert len(rendered.text.splitlines()) <= 16
        if other == "en":
            assert not any("\u4e00" <= letter <= "\u9fff" for letter in rendered.text)


@pytest.mark.parametrize(("intent", "text", "language", "slots", "says"), FIRST_LINES)
def test_every_answer_has_sources_that_are_on_record(
    intent: str, text: str, language: Language, slots: dict[str, Any], says: str
) -> None:
    answer = outcome(intent, text, language, **slots)
    assert isinstance(answer, Answer)
    if answer.trace:
        assert answer.sources
    assert all(SERVICES.library.conflicts.get(name) for name in answer.conflicts)


@pytest.mark.parametrize("intent", INTENTS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_nothing_named_still_gets_the_rule(intent: str, language: Language) -> None:
    found = outcome(intent, "", language)
    assert isinstance(found, (Answer, Elicit))
    if isinstance(found, Answer):
        assert found.asks is not None
        assert any(letter.isdigit() for letter in RENDERER.answer(found, language).text)


@pytest.mark.parametrize("intent", INTENTS)
def test_unknown_cards_are_declined(intent: str) -> None:
    assert isinstance(outcome(intent, "", gpu=["RTX 9999"]), Decline)


@pytest.mark.parametrize("intent", INTENTS)
@pytest.mark.parametrize(
    "gpu", ["Apple M4 Max", "RX 7900 XTX", "Ascend 910B", "RTX 4090 Laptop", "TPU v4", "Tesla K10"]
)
def test_odd_cards_are_answered_or_declined_but_never_break(intent: str, gpu: str) -> None:
    found = outcome(intent, "这张卡行吗", gpu=[gpu], precision="bf16", cuda_version="12.4", gpu_count=2)
    assert isinstance(found, (Answer, Decline, Elicit))
    if isinstance(found, Answer):
        assert RENDERER.answer(found, "zh").text


def test_two_kinds_of_cards_are_summed() -> None:
    text = told("power_supply", "3090 加 4090 要多大电源", gpu=["RTX 3090", "RTX 4090"])
    assert "1,100 W" in text  # 350 + 450 + 300


def test_disputes_of_the_documents_are_passed_on() -> None:
    assert "E06" in getattr(outcome("interconnect", "nvlink有用吗", gpu=["RTX 3090"]), "conflicts", ())
    assert "E07" in getattr(outcome("cluster_design", "400卡集群", gpu_count=400), "conflicts", ())
    assert "E52" in getattr(outcome("cluster_design", "机房能放geforce卡吗"), "conflicts", ())


def test_absurd_numbers_are_declined() -> None:
    assert isinstance(outcome("power_supply", "", gpu=["RTX 4090"], psu_w=-5), Decline)
    with pytest.raises(OutOfRange):  # the pipeline words what a handler lets pass
        outcome("ram_sizing", "", gpu=["RTX 4090"], ram_gb=0)
    assert isinstance(outcome("power_supply", "", gpu=["RTX 4090"], gpu_count=5000), Decline)
    assert isinstance(outcome("cluster_design", "", users=10**9), Decline)


def test_a_34b_model_does_not_load_through_63_gb() -> None:
    text = told("ram_sizing", "加载到87%进程就没了", model=["llm-34b"], ram_gb=63, gpu=["V100 32GB"])
    assert text.splitlines()[0].startswith("**不够")  # 34 billion x 2 bytes are 63 GiB, and the system wants 8


def test_a_framework_that_cannot_work_goes_before_a_toolkit_that_could() -> None:
    text = told("cuda_compat", "锁了 torch 2.4.1", gpu_family="RTX 50", cuda_version="12.8", framework="pytorch 2.4.1")
    assert text.splitlines()[0].startswith("**不能用：PyTorch 2.4")


def test_of_several_cards_the_one_that_lacks_the_format_leads() -> None:
    text = told("precision_advice", "A800 训完 V100 能推理吗", gpu=["A800", "V100"], precision="bf16")
    assert "不支持：Tesla V100" in text.splitlines()[0]
    assert "A800" in text


def test_several_parts_in_one_question_are_all_answered() -> None:
    found = outcome("cpu_sizing", "i7-13700 够两张 3090 吗", gpu=["RTX 3090"], gpu_count=2, cpu="i7-13700")
    assert isinstance(found, Answer)
    assert found.result.headline.values["cores"] == 16


def test_a_monthly_budget_says_how_many_cards_it_rents() -> None:
    budget = {"amount": 20000, "currency": "CNY", "period": "month"}
    found = outcome("cluster_design", "预算每月两万搭集群", budget=budget, gpu=["RTX 4090"])
    assert isinstance(found, Answer)
    row = found.headline[0].values["rows"][0]
    assert row["n"] == int(20000 / (float(row["price"].amount) * 730))
