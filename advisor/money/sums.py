"""Small sums of the documents: budget splits, value for money, what several cards cost together."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from advisor.models import Frozen, Money, Step, step_of
from advisor.money.span import Number, Span, exact, positive


class SplitPart(Frozen):
    """One share of a budget."""

    purpose: str
    """prototype | scale"""
    share: Span
    amount: Span
    gpu: str
    """The card the document names, of its year."""


class BudgetSplit(Frozen):
    """How a lab or start-up divides its money between many small machines and a few large ones."""

    budget: Money
    parts: tuple[SplitPart, ...]
    basis: str
    """budget | machines: what the shares count"""
    as_of: date
    source: str
    conflicts: tuple[str, ...] = ("E57",)
    trace: Step


def budget_split(budget: Money, basis: str = "budget") -> BudgetSplit:
    """The 2020 advice for labs and start-ups: 66-80 % for prototypes, 20-33 % for scaling up (row 002-140).

    The summary of the same article counts machines, 66 % to 33 % (E57); `basis="machines"` gives those shares.
    """
    positive("budget", budget.amount)
    if basis == "machines":
        shares = (Span.of(Decimal("0.66")), Span.of(Decimal("0.33")))
    else:
        shares = (Span.between(Decimal("0.66"), Decimal("0.80")), Span.between(Decimal("0.20"), Decimal("0.33")))
    parts = tuple(
        SplitPart(purpose=purpose, share=share, amount=share.times(budget.amount).rounded("0.01"), gpu=gpu)
        for purpose, share, gpu in zip(("prototype", "scale"), shares, ("RTX 3080 10GB", "RTX 3090"), strict=True)
    )
    as_of = date(2020, 10, 9)
    trace = step_of(
        name="budget_split",
        value=budget.amount,
        unit=budget.currency,
        how="budget x share",
        inputs=tuple(
            step_of(
                name=part.purpose,
                value=part.amount.value,
                unit=budget.currency,
                how="passage",
                sources=("seed-002",),
                as_of=as_of,
            )
            for part in parts
        ),
        rows=("002-140",),
    )
    return BudgetSplit(budget=budget, parts=parts, basis=basis, as_of=as_of, source="seed-002", trace=trace)


def value_gain(speed_ratio: Number, price_ratio: Number) -> Step:
    """How much more work a unit of money buys: speed ratio / price ratio (row 002-116: 1.57 / 1.15 = 1.37)."""
    faster, dearer = positive("speed_ratio", speed_ratio, 1000), positive("price_ratio", price_ratio, 1000)
    return step_of(
        name="value_gain",
        value=float(faster / dearer),
        unit="x",
        how="speed ratio / price ratio",
        inputs=(
            step_of(name="speed_ratio", value=float(faster), unit="x", how="given"),
            step_of(name="price_ratio", value=float(dearer), unit="x", how="given"),
        ),
        rows=("002-116",),
    )


def value_for_money(speed: Number, base_price: Number, card_price: Number, n: int = 1) -> Step:
    """Performance for the money of the whole computer: speed / (base system + n x card) (row 002-118)."""
    base = exact(base_price)
    money = base + positive("card_price", card_price) * n
    return step_of(
        name="value",
        value=float(positive("speed", speed)) / float(money),
        how="performance / (base system + cards)",
        inputs=(
            step_of(name="speed", value=float(exact(speed)), how="given"),
            step_of(name="base_system", value=base, how="given"),
            step_of(name="cards", value=money - base, how="n x price"),
        ),
        rows=("002-118", "002-117"),
    )


def price_gap(one: Money, other: Money) -> Step:
    """Difference of two prices in one currency (row 002-150: RTX 3080 less RTX 3070 = 200 USD)."""
    if one.currency != other.currency:
        raise ValueError("convert to one currency first")
    return step_of(
        name="price_gap",
        value=one.amount - other.amount,
        unit=one.currency,
        how="price - price",
        inputs=(
            step_of(name="price", value=one.amount, unit=one.currency, how="given"),
            step_of(name="price", value=other.amount, unit=other.currency, how="given"),
        ),
        rows=("002-150",),
    )


def price_of_several(unit_price: Money, n: int) -> Step:
    """Price of `n` equal cards, without the machine around them (row 004-004: 8 x 15000 = 120000 USD)."""
    count = positive("gpu_count", n, 100_000)
    return step_of(
        name="price_of_cards",
        value=positive("price", unit_price.amount) * count,
        unit=unit_price.currency,
        how="price x count",
        inputs=(
            step_of(name="price", value=unit_price.amount, unit=unit_price.currency, how="given"),
            step_of(name="gpu_count", value=n, how="given"),
        ),
        rows=("004-004",),
    )


def subscription(monthly: Money, months: Number) -> Step:
    """A monthly fee over some months (row 003-023: Colab Pro, 10 USD a month in 2022)."""
    return step_of(
        name="subscription_cost",
        value=monthly.amount * positive("months", months, 1200),
        unit=monthly.currency,
        how="fee x months",
        inputs=(step_of(name="fee", value=monthly.amount, unit=f"{monthly.currency}/month", how="price"),),
        rows=("003-023",),
    )
