"""Card facts and unit prices: what the handlers answer, and that both languages can word it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from advisor.models import Step
from bot.answers.choose.gpu_specs import asked_attributes
from bot.answers.choose.gpu_specs import handle as specs
from bot.answers.money.price_lookup import handle as prices
from bot.core.answers import Answer, Decline, Elicit, Outcome
from bot.core.conversation import Conversation
from bot.core.message import Language
from bot.core.request import Request
from bot.read.signs import hear
from bot.render import Renderer
from tests.conftest import shared_assistant

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
SERVICES = shared_assistant().services
RENDERER = Renderer()


def request(text: str, language: Language = "zh", **slots: Any) -> Request:
    return Request(
        intent="",
        slots=slots,
        heard=hear(text),
        language=language,
        now=NOW,
        services=SERVICES,
        conversation=Conversation(key="test"),
    )


def told(outcome: Outcome, language: Language) -> tuple[str, str]:
    """Short and full form of an answer."""
    assert isinstance(outcome, Answer)
    rendered = RENDERER.answer(outcome, language)
    return rendered.text, rendered.details


class TestCardFacts:
    @pytest.mark.parametrize(
        ("text", "language", "gpu", "figure"),
        [
            ("4090显存带宽多少", "zh", "RTX 4090", "1,008 GB/s"),
            ("L20显存多大", "zh", "L20", "48 GB"),
            ("memory bandwidth of the A30?", "en", "A30", "933.1 GB/s"),
            ("A5000 fp16算力", "zh", "RTX A5000", "111.1 TFLOPS"),
            ("3090功耗", "zh", "RTX 3090", "350 W"),
            ("4090有nvlink吗", "zh", "RTX 4090", "没有"),
            ("does the 1660 have tensor cores", "en", "GTX 1660", "none"),
            ("compute capability of T4", "en", "Tesla T4", "7.5"),
            ("5090首发价", "zh", "RTX 5090", "$1,999"),
        ],
    )
    def test_the_asked_fact_stands_in_the_first_line(
        self, text: str, language: Language, gpu: str, figure: str
    ) -> None:
        short, full = told(specs(request(text, language, gpu=[gpu])), language)
        assert figure in short.splitlines()[0]
        assert figure in full

    def test_bandwidth_is_not_taken_for_memory(self) -> None:
        assert asked_attributes(request("4090显存带宽")) == ("memory_bandwidth_gb_per_s",)
        assert asked_attributes(request("memory bandwidth")) == ("memory_bandwidth_gb_per_s",)
        assert asked_attributes(request("fp16算力"))[0] == "fp16_tensor_fp32acc_tflops"
        assert asked_attributes(request("怎么样")) == ()

    def test_a_generic_name_shows_all_its_versions(self) -> None:
        short, _ = told(specs(request("A100几G显存", gpu=["A100"])), "zh")
        assert "40 GB" in short
        assert "80 GB" in short
        assert "4 个版本" in short

    def test_versions_that_are_alike_are_told_once(self) -> None:
        answer = specs(request("A100 fp16", gpu=["A100"]))
        assert isinstance(answer, Answer)
        assert [fact.value for fact in answer.facts] == [312]
        assert [note.code for note in answer.notes] == ["spec_same"]

    def test_counting_bases_are_explained_when_they_differ(self) -> None:
        answer = specs(request("why 150 and 70", "en", gpu=["RTX 3090", "RTX A6000"], precision="fp16"))
        assert isinstance(answer, Answer)
        assert [note.code for note in answer.notes] == ["spec_basis"]
        assert "142.3" in told(answer, "en")[0]

    def test_the_figure_with_sparsity_is_recognised(self) -> None:
        answer = specs(request("H800 lists 1979 TFLOPS for bf16", "en", gpu=["H800"], precision="bf16"))
        assert isinstance(answer, Answer)
        assert "spec_sparse" in [note.code for note in answer.notes]

    def test_a_bandwidth_that_no_memory_has_is_doubted(self) -> None:
        answer = specs(request("我测出来4090带宽3868 GB/s", gpu=["RTX 4090"]))
        assert isinstance(answer, Answer)
        assert [note.code for note in answer.notes] == ["spec_above"]

    def test_unverified_figures_are_marked(self) -> None:
        short, _ = told(specs(request("昇腾310显存", gpu=["Ascend 310"])), "zh")
        assert "未核实" in short.splitlines()[0]

    def test_what_is_not_known_is_not_invented(self) -> None:
        answer = specs(request("摩尔线程S5000 FP32 算力", gpu=["MTT S5000"]))
        assert isinstance(answer, Answer)
        assert answer.facts == ()
        assert [note.code for note in answer.notes] == ["spec_unknown"]

    def test_a_family_lists_its_members(self) -> None:
        short, _ = told(specs(request("30系有哪些卡", gpu_family="RTX 30")), "zh")
        for name in ("RTX 3060 12GB", "RTX 3080 Ti", "RTX 3090 Ti"):
            assert name in short
        assert isinstance(specs(request("x", gpu_family="Voodoo")), Decline)

    def test_without_a_card_it_asks_for_one(self) -> None:
        outcome = specs(request("显存多大"))
        assert isinstance(outcome, Elicit)
        assert outcome.slot == "gpu"

    def test_an_unknown_card_is_declined_with_near_names(self) -> None:
        outcome = specs(request("4099显存", gpu=["RTX 4099"]))
        assert isinstance(outcome, Decline)
        assert outcome.reason.values["near"]

    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_every_card_can_be_told(self, language: Language) -> None:
        for card in SERVICES.catalog.gpus.values():
            short, full = told(specs(request("参数", language, gpu=[card.name])), language)
            assert card.name in short.replace("\\", "")
            assert len(short.splitlines()) <= 14
            assert full


def leaves_of(step: Step) -> list[Step]:
    """What a trail comes down to."""
    return [leaf for one in step.inputs for leaf in leaves_of(one)] if step.inputs else [step]


class TestPrices:
    def test_rental_prices_come_cheapest_first_with_day_and_terms(self) -> None:
        short, full = told(prices(request("4090一小时多少钱", gpu=["RTX 4090"])), "zh")
        assert short.startswith("**RTX 4090 租用：¥1.88/小时起（AutoDL，按量，会员价，2026-10-04）")
        assert "AutoDL：¥1.88–¥1.98（2026-10-04）" in short
        assert "首发价 $1,599（2022 年）" in short
        assert "按量，会员价" in full

    def test_only_what_was_asked_for_is_told(self) -> None:
        rent, _ = told(prices(request("租4090", gpu=["RTX 4090"], deploy="rent")), "zh")
        buy, _ = told(prices(request("buy a 4090", "en", gpu=["RTX 4090"], deploy="buy")), "en")
        assert "首发价" not in rent
        assert "AutoDL" not in buy
        assert "launch price $1,599 (2022)" in buy

    def test_what_was_asked_for_goes_first(self) -> None:
        used, _ = told(prices(request("price 4090 used", "en", gpu=["RTX 4090"])), "en")
        launch, _ = told(prices(request("5090首发价", gpu=["RTX 5090"])), "zh")
        month, _ = told(prices(request("包月4090", gpu=["RTX 4090"], deploy="rent")), "zh")
        both, _ = told(prices(request("5090 price", "en", gpu=["RTX 5090"])), "en")
        assert used.startswith(
            "**RTX 4090, used: $1,520–$4,100 (US, 2026-04, not recent, $2,470 then, one report, check first)"
        )
        assert launch.startswith("**RTX 5090 首发价：$1,999（2025 年）**")
        assert month.startswith("**RTX 4090 包月：¥1,155（")
        assert "730 小时 × ¥1.88" in month
        assert "rented: from $0.69 an hour" in both.splitlines()[0]
        assert "new: $3,800–$7,300 (US, 2026-09, $5,258 then, one report)" in both.splitlines()[0]

    def test_an_old_purchase_price_is_told_with_its_day_and_a_missing_one_is_said(self) -> None:
        old, _ = told(prices(request("buy h100 price", "en", gpu=["H100"], deploy="buy")), "en")
        system, _ = told(prices(request("b200 buy price", "en", gpu=["B200 SXM"], deploy="buy")), "en")
        none, _ = told(prices(request("H20 买多少钱", gpu=["H20 96GB"], deploy="buy")), "zh")
        assert "$17,600–$49,000 (H100 80GB PCIe, US, 2026-09, $29,200 then, one report)" in old.splitlines()[0]
        assert system.startswith("**No purchase price of the B200 SXM on record**")
        assert "$50,000" not in system.splitlines()[0]  # a share of a machine is no price of a card
        assert none.startswith("**H20 96GB 没有购买价记录**")
        assert "¥10.50" in none

    def test_who_buys_gets_the_used_price_where_no_new_one_is_held(self) -> None:
        buy, _ = told(prices(request("buy a p40", "en", gpu=["Tesla P40"], deploy="buy")), "en")
        new, _ = told(prices(request("p40 new price", "en", gpu=["Tesla P40"])), "en")
        assert buy.startswith("**Tesla P40, used: $173–$500 (US, 2026-06-20, $260–$330 then, one report)")
        assert new.startswith("**No new price of the Tesla P40 on record**")

    def test_a_version_without_a_price_is_answered_with_its_sisters(self) -> None:
        answer = prices(request("rtx pro 6000 多少钱", gpu=["RTX PRO 6000 Blackwell WS"]))
        short, _ = told(answer, "zh")
        assert "¥7.35" in short
        assert isinstance(answer, Answer)
        assert answer.notes[0].code == "price_sibling_home"

    @pytest.mark.parametrize(
        ("text", "language", "gpu", "first"),
        [
            (
                "昇腾 910C 多少钱",
                "zh",
                "Ascend 910C",
                "整机租用：8 卡 Ascend 910C 每月 ¥51,000–¥82,000，合每卡约 ¥8,125",
            ),
            ("B300 多少钱", "zh", "B300 SXM", "整机租用：8 卡 B300 SXM 每月 ¥230,000–¥360,000"),
            ("Ascend 910C price", "en", "Ascend 910C", "rented as a server: 8x Ascend 910C a month ¥51,000–¥82,000"),
            ("B300 price", "en", "B300 SXM", "rented: from $6.94 an hour"),
        ],
    )
    def test_a_server_by_the_month_is_told_where_the_own_market_has_nothing_else(
        self, text: str, language: Language, gpu: str, first: str
    ) -> None:
        short, full = told(prices(request(text, language, gpu=[gpu])), language)
        assert first in short.splitlines()[0]
        assert "¥290,000" in full or gpu != "B300 SXM"

    def test_a_named_country_has_its_own_market(self) -> None:
        short, _ = told(prices(request("4090 price in china", "en", gpu=["RTX 4090"], region="中国")), "en")
        assert "vast.ai" not in short.splitlines()[0]
        assert "used: ¥7,900–¥22,000 (China, 2026-05" in short.splitlines()[0], "what still counts goes first"
        assert "new ¥22,559 (China, 2025, old)" in short

    def test_a_named_provider_filters(self) -> None:
        short, _ = told(prices(request("autodl h20", gpu=["H20 96GB"], provider="autodl")), "zh")
        assert "¥10.50" in short
        assert "vast.ai" not in short

    def test_a_provider_without_that_card_is_said_and_others_shown(self) -> None:
        answer = prices(request("恒源云5090", gpu=["RTX 5090"], provider="hengyuanyun"))
        assert isinstance(answer, Answer)
        assert answer.notes[0].code == "price_provider_none"
        assert answer.facts

    def test_a_provider_alone_gives_its_list(self) -> None:
        short, full = told(prices(request("autodl价目", provider="autodl")), "zh")
        assert "RTX 3060 12GB：¥0.63" in short
        assert "H800 80GB SXM5" in full
        assert isinstance(prices(request("Kaggle 价目", provider="kaggle")), Decline)

    def test_old_used_prices_keep_their_year_and_their_dispute(self) -> None:
        answer = prices(request("used 2070", "en", gpu=["RTX 2070"]))
        short, _ = told(answer, "en")
        assert short.startswith("**No recent used price of the RTX 2070; on record: $260 (US, 2020-10-09, old)")
        assert isinstance(answer, Answer)
        assert answer.conflicts == ("E01",)

    def test_amounts_are_converted_with_a_dated_rate(self) -> None:
        answer = prices(request("price of 3090", "en", gpu=["RTX 3090"]))
        assert isinstance(answer, Answer)
        rates = {note.values["base"]: note.values["day"] for note in answer.notes if note.code == "price_rate"}
        assert {"CNY", "GBP"} <= set(rates)
        assert all(day.year == 2026 for day in rates.values())

    def test_a_price_of_the_users_own_is_put_beside_the_record(self) -> None:
        own = {"amount": 6000, "currency": "CNY", "unit": "card"}
        answer = prices(request("4090多少钱，有人卖6000", gpu=["RTX 4090"], deploy="buy", price=own))
        assert isinstance(answer, Answer)
        (note,) = [note for note in answer.notes if note.code == "price_yours"]
        assert note.values["verdict"] == "below"

    def test_a_price_that_is_to_be_judged_is_judged_first(self) -> None:
        own = {"amount": 6000, "currency": "CNY", "unit": "card"}
        answer = prices(request("4090卖6000贵吗", gpu=["RTX 4090"], deploy="buy", price=own))
        assert isinstance(answer, Answer)
        assert answer.headline[0].say == "price.deal.below"
        assert not [note for note in answer.notes if note.code == "price_yours"]

    def test_without_a_card_it_asks_for_one(self) -> None:
        outcome = prices(request("多少钱"))
        assert isinstance(outcome, Elicit)
        assert outcome.slot == "gpu"

    def test_a_currency_without_a_rate_is_declined(self) -> None:
        own = {"amount": 1, "currency": "XAU", "unit": "card"}
        assert isinstance(prices(request("?", gpu=["RTX 4090"], price=own)), Decline)

    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_every_card_and_provider_can_be_told(self, language: Language) -> None:
        for card in SERVICES.catalog.gpus.values():
            short, full = told(prices(request("?", language, gpu=[card.name])), language)
            assert short
            assert full
        for provider in SERVICES.catalog.providers:
            outcome = prices(request("?", language, provider=provider))
            if isinstance(outcome, Answer):
                assert told(outcome, language)[0]

    def test_every_amount_shown_has_a_trail(self) -> None:
        answer = prices(request("a100一小时多少钱", gpu=["A100"]))
        assert isinstance(answer, Answer)
        assert answer.trace
        leaves = [leaf for root in answer.trace for leaf in leaves_of(root)]
        assert all(step.sources and step.as_of for step in leaves)
