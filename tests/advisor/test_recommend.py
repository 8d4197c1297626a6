"""The recommendation: what it assumes, what it rules out, what it says about prices, and what flips it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

import advisor
from advisor.errors import NoRate, OutOfRange
from advisor.models import Method, Money, Precision, PricingModel, Workload
from advisor.recommend import Channel, Need, Objective, UserPrice, recommend
from advisor.recommend.checks import check_advice
from advisor.recommend.estimates import default_models, speed_on
from advisor.recommend.market import market
from advisor.recommend.models import Standing
from advisor.recommend.settings import settings, tasks
from advisor.speed.rate import rate_of
from tests.advisor.recommend_market import PLAIN, TODAY, card, catalog, dollars, inference, offer, training
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
BUY = PricingModel.PURCHASE_NEW
BERT = Workload(
    ml_model=CATALOG.get_ml_model("bert"), method=Method.FULL, precision=Precision.FP16_MIXED, batch=16, seq_len=128
)


def yuan(amount: float) -> Money:
    return Money(amount=Decimal(str(amount)), currency="CNY")


def china(**changes: object) -> Need:
    return Need(currency="CNY", region="CN", **changes)


def name_of(found: object) -> str:
    winner = found.winner
    return winner.option.gpu.name if winner else ""


# --- the need ---


def test_the_default_pick_for_bert_meets_the_eleven_gb_of_the_guide():
    found = recommend(Need(workload=BERT), CATALOG, TODAY)
    assert found.requirement.guide_gib == 11
    assert found.winner is not None
    assert found.winner.option.vram_gib >= 11
    assert found.requirement.gib < 11  # the computed need alone would take less


def test_the_memory_need_is_a_sum_of_its_parts():
    found = recommend(Need(workload=BERT), CATALOG, TODAY)
    parts = sum(part.value for part in found.requirement.breakdown.components)
    assert parts == pytest.approx(found.requirement.estimate.value)


def test_a_task_alone_is_answered_for_its_typical_job():
    found = recommend(Need(task="llm_finetune"), CATALOG, TODAY)
    assert found.workload is not None
    assert found.workload.method is Method.LORA
    assert found.requirement.gib > 12


@pytest.mark.parametrize("task", sorted(tasks()))
def test_every_task_has_a_model_of_the_catalogue_and_an_answer(task):
    assert CATALOG.find_ml_model(tasks()[task].model) is not None
    assert recommend(Need(task=task), CATALOG, TODAY, with_flips=False).winner is not None


def test_stated_memory_is_a_floor_for_every_pick():
    found = recommend(Need(vram_gib=40), CATALOG, TODAY)
    assert found.picks
    assert all(pick.option.vram_gib >= 40 for pick in found.picks)


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": Money(amount=Decimal(0), currency="USD")},
        {"budget": Money(amount=Decimal(-5), currency="USD")},
        {"vram_gib": float("nan")},
        {"gpu_count": 1000},
        {"hours_per_week": 200.0},
    ],
)
def test_impossible_numbers_are_refused(wrong):
    with pytest.raises(OutOfRange):
        recommend(Need(workload=BERT, **wrong), CATALOG, TODAY)


def test_a_currency_without_a_rate_is_refused():
    with pytest.raises(NoRate):
        recommend(Need(workload=BERT, currency="XAU"), CATALOG, TODAY)


# --- prices ---


def test_an_old_price_never_wins_against_a_price_of_today():
    gpus = [card("Old", 24, 100), card("New", 24, 50)]
    offers = [offer("old", 100, BUY, date(2022, 1, 1)), offer("new", 900, BUY, date(2026, 11, 1))]
    found = recommend(Need(workload=training(), deploy=Channel.BUY), catalog(gpus, offers), TODAY, PLAIN)
    assert name_of(found) == "New"


def test_with_old_prices_alone_the_year_is_said():
    made = catalog([card("Old", 24, 100)], [offer("old", 100, BUY, date(2022, 1, 1))])
    found = recommend(Need(workload=training(), deploy=Channel.BUY), made, TODAY, PLAIN)
    assert found.winner is not None
    assert found.winner.option.quote.standing is Standing.EXPIRED
    codes = {note.code for note in (*found.winner.reasons, *found.notes)}
    assert {"rec_price_expired", "rec_check_price"} <= codes


def test_the_users_price_wins_over_every_price_on_record():
    gpus = [card("A", 24, 100), card("B", 24, 100)]
    offers = [offer("a", 500, BUY), offer("b", 600, BUY)]
    need = Need(workload=training(), deploy=Channel.BUY)
    assert name_of(recommend(need, catalog(gpus, offers), TODAY, PLAIN)) == "A"
    own = need.model_copy(update={"prices": (UserPrice(gpu="b", money=dollars(300), unit="card"),)})
    found = recommend(own, catalog(gpus, offers), TODAY, PLAIN)
    assert name_of(found) == "B"
    assert found.winner is not None
    assert found.winner.option.quote.standing is Standing.USER


def test_a_card_without_a_price_is_listed_and_not_ranked():
    found = recommend(
        Need(workload=training()), catalog([card("A", 24, 9), card("B", 24, 9)], [offer("a", 1)]), TODAY, PLAIN
    )
    assert found.unpriced == ("B",)
    assert [option.gpu.name for option in found.ranked] == ["A"]


def test_spot_and_reserved_terms_are_only_taken_when_the_provider_is_named():
    offers = [offer("a", 1), offer("a", 0.2, PricingModel.SPOT)]
    made = catalog([card("A", 24, 9)], offers)
    plain = recommend(Need(workload=training()), made, TODAY, PLAIN)
    named = recommend(Need(workload=training(), providers=("runpod",)), made, TODAY, PLAIN)
    assert plain.winner is not None
    assert plain.winner.option.quote.terms == "on_demand"
    assert named.winner is not None
    assert named.winner.option.quote.terms == "on_demand"  # a spot price is not what one can count on


def test_launch_prices_of_cards_no_longer_sold_are_left_out():
    quotes = market(CATALOG, TODAY, "USD").buy["rtx-3090"]
    assert quotes
    assert all(quote.terms != "launch_price" for quote in quotes)


def test_second_hand_prices_of_this_year_are_on_record():
    used = [q for q in market(CATALOG, TODAY, "USD").buy["rtx-3090"] if q.terms == "purchase_used"]
    assert used
    assert used[0].as_of is not None
    assert used[0].as_of.year == 2026


# --- where and how ---


def test_yuan_means_domestic_providers_and_cards_sold_in_china():
    found = recommend(china(workload=BERT), CATALOG, TODAY)
    assert {o.quote.provider for o in found.ranked} <= set(settings().regions["CN"].providers)
    bought = recommend(china(workload=BERT, deploy=Channel.BUY), CATALOG, TODAY)
    banned = set(settings().regions["CN"].not_sold_new)
    sold = [o for o in bought.ranked if o.gpu.id in banned and o.quote.terms == "purchase_new"]
    assert all(o.quote.market == "CN" for o in sold)  # only where somebody in China asks a price for it


def test_dollars_do_not_rent_at_domestic_chinese_providers():
    found = recommend(Need(workload=BERT), CATALOG, TODAY)
    assert not {o.quote.provider for o in found.ranked} & set(settings().regions["CN"].providers)


def test_other_software_stacks_only_when_named():
    plain = recommend(Need(workload=BERT), CATALOG, TODAY)
    assert {o.gpu.vendor for o in plain.ranked} == {"NVIDIA"}
    named = recommend(Need(workload=BERT, vendors=("Huawei",), currency="CNY", region="CN"), CATALOG, TODAY)
    assert {o.gpu.vendor for o in named.ranked} == {"Huawei"}


def test_exclusions_are_kept():
    full = recommend(china(workload=BERT), CATALOG, TODAY)
    first = full.ranked[0].gpu
    without = recommend(china(workload=BERT, excluded_gpus=(first.id,)), CATALOG, TODAY)
    assert first.id not in {o.gpu.id for o in without.ranked}
    new_only = recommend(china(workload=BERT, deploy=Channel.BUY, excluded_terms=("purchase_used",)), CATALOG, TODAY)
    assert "purchase_used" not in {o.quote.terms for o in new_only.ranked}


def test_a_one_off_budget_means_buying_when_it_suffices():
    assert recommend(china(workload=BERT, budget=yuan(5000)), CATALOG, TODAY).channel is Channel.BUY
    assert recommend(china(workload=BERT, budget=yuan(300)), CATALOG, TODAY).channel is Channel.RENT


def test_an_hourly_budget_is_kept():
    need = china(workload=BERT, budget=yuan(1), budget_period="hour")
    found = recommend(need, CATALOG, TODAY)
    assert found.channel is Channel.RENT
    assert all(option.cost <= 1 for option in found.ranked)


def test_ten_yuan_get_a_clear_no_and_the_nearest_thing():
    found = recommend(china(workload=BERT, budget=yuan(10)), CATALOG, TODAY)
    assert found.winner is None
    assert [note.code for note in found.nearest][:1] == ["rec_near_budget"]
    assert found.nearest[0].values["hours"] > 1


def test_seventy_billion_fully_tuned_is_turned_to_a_lighter_method():
    job = Workload(ml_model=CATALOG.get_ml_model("llm-70b"), method=Method.FULL, batch=1, seq_len=2048)
    found = recommend(Need(workload=job, gpu_count=1), CATALOG, TODAY)
    assert found.winner is None
    assert "rec_near_method" in {note.code for note in found.nearest}


@pytest.mark.parametrize(
    ("model", "method", "code"),
    [
        ("llm-70b", Method.LORA, "rec_lighter_method"),
        ("llm-70b", Method.INFERENCE, "rec_lighter"),
        ("llm-7b", Method.LORA, "rec_lighter_method"),
        ("llm-7b", Method.QLORA, ""),
    ],
)
def test_several_cards_come_with_what_four_bits_would_take(model: str, method: Method, code: str):
    job = Workload(ml_model=CATALOG.get_ml_model(model), method=method, batch=1, seq_len=2048, checkpointing=True)
    found = recommend(Need(workload=job, excluded_gpus=("b200-sxm", "b300-sxm")), CATALOG, TODAY)
    notes = {note.code: note.values for note in found.notes if note.code.startswith("rec_lighter")}
    assert set(notes) == ({code} if code else set())
    for values in notes.values():
        assert values["n"] <= found.winner.option.n
        assert values["price"] < found.winner.option.cost


def test_the_cheapest_rental_of_a_run_is_the_cheapest_for_the_whole_of_it():
    job = Workload(ml_model=CATALOG.get_ml_model("llm-70b"), method=Method.LORA, batch=1, seq_len=2048)
    found = recommend(Need(workload=job, objective=Objective.CHEAPEST, deploy=Channel.RENT), CATALOG, TODAY)
    codes = {note.code for note in found.winner.reasons}
    assert codes & {"rec_why_work", "rec_why_fewer"}
    assert "rec_why_cheapest" not in codes


def test_cards_without_tensor_cores_only_when_nothing_else_is_affordable():
    rich = recommend(Need(vram_gib=24, budget=dollars(2000), deploy=Channel.BUY), CATALOG, TODAY)
    poor = recommend(Need(vram_gib=24, budget=dollars(250), deploy=Channel.BUY), CATALOG, TODAY)
    assert all(o.gpu.tensor_core_gen for o in rich.ranked)
    assert name_of(poor) in {"Tesla P40", "Tesla M40 24GB"}
    assert "rec_fallback_legacy" in {note.code for note in poor.notes}


def test_hours_decide_between_renting_and_buying():
    gpus = [card("A", 24, 10)]
    offers = [offer("a", 1), offer("a", 1000, BUY)]
    made = catalog(gpus, offers)
    little = recommend(Need(workload=training(), hours_per_week=5), made, TODAY, PLAIN)
    much = recommend(Need(workload=training(), hours_per_week=100), made, TODAY, PLAIN)
    assert (little.channel, much.channel) == (Channel.RENT, Channel.BUY)
    flip = next(f for f in recommend(Need(workload=training()), made, TODAY, PLAIN).flips if f.axis == "hours_per_week")
    # 1000 + 701 for the computer is what 1701 hours of rent cost: 32.7 a week for a year
    assert flip.last < 1701 / 52 <= flip.at + 0.3


def test_a_deadline_rules_out_slow_cards():
    gpus = [card("Slow", 24, 1), card("Fast", 24, 100)]
    made = catalog(gpus, [offer("slow", 0.1), offer("fast", 5)])
    need = Need(workload=training(), samples=3600 * 10, deadline_hours=1)
    found = recommend(need, made, TODAY, PLAIN)
    assert name_of(found) == "Fast"
    assert "out_too_slow" in {group.reason.code for group in found.ruled_out}


# --- objectives, picks, flips ---


def test_objectives_pick_different_ends_of_the_market():
    gpus = [card("Cheap", 24, 10), card("Value", 24, 60), card("Fast", 24, 100)]
    offers = [offer("cheap", 0.2), offer("value", 0.4), offer("fast", 5)]
    job = inference()
    picks = {
        objective: name_of(recommend(Need(workload=job, objective=objective), catalog(gpus, offers), TODAY, PLAIN))
        for objective in Objective
    }
    cheap = dict.fromkeys((Objective.CHEAPEST, Objective.FRUGAL), "Cheap")
    assert picks == {**cheap, Objective.FASTEST: "Fast", Objective.MOST: "Fast", Objective.BALANCED: "Value"}


def test_the_cheapest_memory_is_ranked_by_price():
    gpus = [card("Small", 24, 10), card("Huge", 288, 100)]
    found = recommend(
        Need(vram_gib=24, objective=Objective.CHEAPEST, deploy=Channel.RENT),
        catalog(gpus, [offer("small", 0.3), offer("huge", 142)]),
        TODAY,
        PLAIN,
    )
    assert name_of(found) == "Small"


def test_who_starts_gets_the_least_money_with_headroom():
    gpus = [card("Tiny", 6, 10), card("Enough", 12, 20), card("Fast", 24, 100)]
    offers = [offer("tiny", 0.1), offer("enough", 0.2), offer("fast", 0.4)]
    job = inference()
    small = job.model_copy(update={"ml_model": job.ml_model.model_copy(update={"parameters": 1e9})})
    need = Need(workload=small, objective=Objective.FRUGAL, headroom_gib=12, deploy=Channel.RENT)
    assert name_of(recommend(need, catalog(gpus, offers), TODAY, PLAIN)) == "Enough"


def test_three_picks_with_reasons_and_trades():
    found = recommend(china(workload=BERT), CATALOG, TODAY)
    assert len(found.picks) == 3
    assert all(pick.reasons for pick in found.picks)
    assert len({pick.option.gpu.id for pick in found.picks}) == 3


def test_every_reason_for_leaving_a_card_out_names_its_cards():
    found = recommend(china(workload=BERT, budget=yuan(3000)), CATALOG, TODAY)
    seen = [name for group in found.ruled_out for name in group.gpus]
    assert len(seen) == len(set(seen))
    assert {option.gpu.name for option in found.ranked}.isdisjoint(seen)


def test_money_flips_hold_on_both_sides():
    need = china(workload=BERT, budget=yuan(2000))
    found = recommend(need, CATALOG, TODAY)
    up = next(flip for flip in found.flips if flip.axis == "budget" and flip.direction == "up")
    before = need.model_copy(update={"budget": yuan(up.at - 1)})
    after = need.model_copy(update={"budget": yuan(up.at + 0.01)})
    assert name_of(recommend(before, CATALOG, TODAY)) == name_of(found)
    assert name_of(recommend(after, CATALOG, TODAY)) == up.winner != name_of(found)


def test_a_price_flip_is_the_rise_that_changes_the_winner():
    gpus = [card("A", 24, 10), card("B", 24, 10)]
    made = catalog(gpus, [offer("a", 1.0), offer("b", 1.5)])
    found = recommend(Need(workload=training()), made, TODAY, PLAIN)
    flip = next(flip for flip in found.flips if flip.axis == "price")
    assert flip.last <= 1.5 <= flip.at
    assert flip.winner == "B"


def test_a_larger_model_flips_the_winner():
    job = Workload(
        ml_model=CATALOG.get_ml_model("llm-7b"),
        method=Method.INFERENCE,
        precision=Precision.FP16,
        batch=1,
        seq_len=2048,
    )
    found = recommend(Need(workload=job), CATALOG, TODAY)
    flip = next(flip for flip in found.flips if flip.axis == "model")
    bigger = job.model_copy(update={"ml_model": CATALOG.get_ml_model(flip.label)})
    assert name_of(recommend(Need(workload=bigger), CATALOG, TODAY)) == flip.winner != name_of(found)


# --- the whole ---


def test_the_same_question_gives_the_same_answer():
    need = china(workload=BERT)
    assert recommend(need, CATALOG, TODAY) == recommend(need, CATALOG, TODAY)


def test_the_speed_used_for_ranking_is_that_of_the_speed_model():
    for gpu_id, n in (("rtx-4090", 1), ("a100-80gb-sxm4", 4), ("rtx-3060-12gb", 2)):
        gpu = CATALOG.gpus[gpu_id]
        assert speed_on(BERT, gpu, n) == pytest.approx(rate_of(BERT, gpu, n, split="tensor").per_second)


def test_the_trace_names_rows_and_sources():
    found = recommend(Need(workload=BERT), CATALOG, TODAY)
    assert {"002-118", "002-129", "002-130"} <= set(found.trace.rows)
    price = next(step for step in found.trace.inputs if step.name == "price")
    assert price.sources
    assert price.as_of is not None


def test_the_package_can_be_called_by_its_public_name():
    found = advisor.recommend(Need(workload=BERT), CATALOG, TODAY, default_models(), with_flips=False)
    assert found.winner is not None


def test_the_shipped_data_of_recommendation_and_money_is_sound():
    assert check_advice(CATALOG) == []


def test_faults_are_named_with_file_and_line():
    faults = check_advice(catalog([card("A", 24, 10)], []))
    assert any(fault.path.endswith("tasks.yaml") and "no model is called" in fault.message for fault in faults)
    assert any(fault.path.endswith("energy.yaml") and "no source" in fault.message for fault in faults)
    assert any(fault.path.endswith("advice_by_year.yaml") and "no card" in fault.message for fault in faults)
    assert all(fault.line >= 1 for fault in faults)
