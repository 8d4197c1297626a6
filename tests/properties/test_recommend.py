"""What must hold for every market: the picks follow price, memory and speed, not order, habit or noise."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.models import Gpu, Money, Offer, PricingModel
from advisor.recommend import Channel, Need, Objective, Recommendation, recommend
from advisor.recommend.models import Option
from advisor.recommend.rank import dominates
from advisor.recommend.settings import tasks
from tests.advisor.recommend_market import PLAIN, TODAY, card, catalog, dollars, inference, offer, training
from tests.conftest import shared_catalog

REAL = shared_catalog()
QUICK = settings(max_examples=120, deadline=None)
TERMS = st.sampled_from([PricingModel.ON_DEMAND, PricingModel.PURCHASE_NEW])
ENTRY = st.tuples(
    st.sampled_from([4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 80.0, 96.0]),
    st.integers(1, 200),
    st.integers(1, 4000),
    TERMS,
)
MARKETS = st.lists(ENTRY, min_size=1, max_size=12)
OBJECTIVES = st.sampled_from(list(Objective))
JOBS = st.sampled_from([training(), training(64, 512), inference(), inference(4, 4096)])
CHANNELS = st.sampled_from(list(Channel))
Entry = tuple[float, int, int, PricingModel]


def market_of(entries: list[Entry]) -> tuple[list[Gpu], list[Offer]]:
    gpus, offers = [], []
    for number, (vram, speed, price, terms) in enumerate(entries):
        name = f"Card{number:02d}"
        gpus.append(card(name, vram, float(speed)))
        offers.append(offer(name.lower(), price / (100 if terms is PricingModel.ON_DEMAND else 1), terms))
    return gpus, offers


def ask(entries: list[Entry], need: Need) -> Recommendation:
    return recommend(need, catalog(*market_of(entries)), TODAY, PLAIN, with_flips=False)


def names(found: Recommendation) -> list[str]:
    return [pick.option.gpu.name for pick in found.picks]


def beats(one: Option, other: Option) -> bool:
    """Strictly better in one of price, memory and speed, and worse in none."""
    mine = (-one.cost, one.vram_gib, one.speed or 0.0)
    theirs = (-other.cost, other.vram_gib, other.speed or 0.0)
    return all(a >= b for a, b in zip(mine, theirs, strict=True)) and mine != theirs


@QUICK
@given(MARKETS, JOBS, OBJECTIVES, CHANNELS)
def test_no_pick_is_dominated(entries, job, objective, channel):
    found = ask(entries, Need(workload=job, objective=objective, deploy=channel, gpu_count=1))
    for pick in found.picks:
        assert not [other for other in found.ranked if beats(other, pick.option)]


@QUICK
@given(MARKETS, JOBS, OBJECTIVES, CHANNELS, st.integers(1, 5000), st.integers(1, 5000))
def test_more_budget_never_gives_a_worse_pick(entries, job, objective, channel, budget, more):
    period = "once" if channel is Channel.BUY else "hour"
    scale = 1 if channel is Channel.BUY else 100
    wish = Need(workload=job, objective=objective, deploy=channel, budget_period=period)
    small = ask(entries, wish.model_copy(update={"budget": dollars(budget / scale)}))
    large = ask(entries, wish.model_copy(update={"budget": dollars((budget + more) / scale)}))
    if small.winner is None:
        return
    assert large.winner is not None
    before = next(o for o in large.ranked if o.key == small.winner.option.key)
    assert large.ranked.index(large.winner.option) <= large.ranked.index(before)


@QUICK
@given(MARKETS, JOBS, OBJECTIVES, st.randoms(use_true_random=False))
def test_order_of_the_catalogue_is_irrelevant(entries, job, objective, random):
    need = Need(workload=job, objective=objective)
    gpus, offers = market_of(entries)
    one = recommend(need, catalog(gpus, offers), TODAY, PLAIN)
    random.shuffle(gpus)
    random.shuffle(offers)
    other = recommend(need, catalog(gpus, offers), TODAY, PLAIN)
    assert one == other


@QUICK
@given(MARKETS, JOBS, OBJECTIVES, CHANNELS, st.integers(0, 11), st.integers(0, 3), st.integers(0, 50))
def test_a_dominated_card_changes_no_pick(entries, job, objective, channel, which, slower, dearer):
    need = Need(workload=job, objective=objective, deploy=channel, gpu_count=1)
    vram, speed, price, terms = entries[which % len(entries)]
    worse = (vram, max(1, speed - slower), price + dearer + 1, terms)
    assert names(ask(entries, need)) == names(ask([*entries, worse], need))


@QUICK
@given(MARKETS, JOBS, st.integers(0, 11), st.floats(0.5, 64))
def test_more_memory_never_stops_fitting(entries, job, which, extra):
    need = Need(workload=job, gpu_count=1)
    place = which % len(entries)
    vram, speed, price, terms = entries[place]
    larger = [*entries]
    larger[place] = (vram + extra, speed, price, terms)
    name = f"Card{place:02d}"

    def feasible(found: Recommendation) -> bool:
        return all(name not in group.gpus for group in found.ruled_out if group.reason.code == "out_too_small")

    assert feasible(ask(larger, need)) or not feasible(ask(entries, need))


@QUICK
@given(MARKETS, JOBS, OBJECTIVES, st.one_of(st.none(), st.integers(1, 5000)))
def test_every_flip_holds_on_both_sides(entries, job, objective, budget):
    made = catalog(*market_of(entries))
    need = Need(workload=job, objective=objective, budget=dollars(budget) if budget else None)
    found = recommend(need, made, TODAY, PLAIN)
    for flip in found.flips:
        if flip.axis not in {"batch", "seq_len"}:
            continue
        field = flip.axis
        for value, same in ((flip.last, True), (flip.at, False)):
            changed = need.model_copy(update={"workload": job.model_copy(update={field: int(value)})})
            again = recommend(changed, made, TODAY, PLAIN, with_flips=False)
            winner = again.winner.option.gpu.name if again.winner else ""
            channel = again.channel if again.winner else None
            if same:
                assert (winner, channel) == (found.picks[0].option.gpu.name, found.channel)
            else:
                assert (winner, channel) == (flip.winner, flip.channel)


@QUICK
@given(MARKETS, JOBS, OBJECTIVES)
def test_the_winner_leads_the_ranking_and_holds_the_job(entries, job, objective):
    found = ask(entries, Need(workload=job, objective=objective))
    if found.winner is None:
        assert found.nearest or not found.ranked
        return
    assert found.ranked[0].key == found.winner.option.key
    assert found.winner.option.vram_gib >= found.requirement.gib


PERSONAS = st.one_of(st.none(), st.sampled_from(["student", "hobbyist", "lab", "company", "kaggler"]))
MONEY = st.one_of(st.none(), st.tuples(st.floats(0.01, 1e7), st.sampled_from(["USD", "CNY", "EUR"])))


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(tasks())),
    MONEY,
    st.sampled_from(["once", "hour", "day", "week", "month", "year"]),
    st.one_of(st.none(), st.floats(0.5, 100)),
    st.one_of(st.none(), st.integers(1, 16)),
    st.one_of(st.none(), st.sampled_from(list(Channel))),
    OBJECTIVES,
    PERSONAS,
)
def test_any_wish_over_the_real_catalogue_gets_a_sound_answer(
    task, money, period, vram, count, channel, objective, persona
):
    currency = money[1] if money else "USD"
    need = Need(
        task=task,
        budget=Money(amount=Decimal(repr(money[0])), currency=currency) if money else None,
        budget_period=period,
        vram_gib=vram,
        gpu_count=count,
        deploy=channel,
        objective=objective,
        persona=persona,
        currency=currency,
        region="CN" if currency == "CNY" else "",
    )
    found = recommend(need, REAL, TODAY)
    for option in found.ranked:
        assert 0 < option.cost < 1e9
        assert option.vram_gib >= (vram or 0)
        assert count is None or option.n == count
    for pick in found.picks:
        assert not [other for other in found.ranked if dominates(other, pick.option)]
    if money and period == "once" and found.channel is Channel.BUY:
        assert all(option.cost <= money[0] * (1 + 1e-9) for option in found.ranked)
    assert found.picks or found.nearest or not found.ranked
