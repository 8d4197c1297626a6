"""What a budget trains from scratch: card hours, tokens, and the language model that many tokens are enough for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.errors import AdvisorError
from advisor.models import Frozen, Gpu, Method, MlModel, Money, Precision, Step, Workload, step_of
from advisor.recommend.estimates import default_models
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Channel, Need, Quote
from bot.answers.choose.wishes import Wish
from bot.answers.common import source_refs
from bot.answers.memory.sizing import is_llm
from bot.answers.phrases import size_named
from bot.core.answers import Answer, answer_with, assumption_of
from bot.core.line import Figure, Line, amount
from bot.core.message import fact_of
from bot.core.request import Request

TOKENS_PER_PARAMETER: Final = 20
"""Training tokens for each parameter of a language model trained from scratch (Chinchilla, arXiv 2203.15556)."""
_CARDS: Final = ("RTX 4090", "RTX 5090", "A100 80GB SXM4", "H100 80GB SXM5")
_SIZES: Final = (0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 14, 20, 32, 70)
"""Billions of parameters that are tried."""
_BATCHES: Final = (32, 16, 8, 4, 2, 1)
_SEQ: Final = 1024
_USUAL: Final = "llm-7b"
"""What people have in mind when they say a language model."""
_HOPELESS: Final = 10.0
"""The usual model costs this many times the budget: said plainly."""


class Trained(Frozen):
    """The largest model that a budget trains on one kind of rented card."""

    gpu: str
    model: str
    parameters: float
    hours: float
    """Card hours that the budget rents."""
    needed: float
    """Card hours of the run."""
    price: Money
    tokens: float


def trains_from_scratch(request: Request) -> bool:
    """Whether money is to train a language model from nothing, or the question is how large a one it trains."""
    if not request.slot("budget") or request.slot("dataset") or request.slot("gpu"):
        return False
    trains = request.slot("method") in {"train", "pretrain"} or request.slot("task") == "pretrain"
    return trains and (request.heard.shows("wish", "from_scratch") or request.heard.shows("wish", "how_large"))


def scratch_answer(request: Request, wish: Wish) -> Answer | None:
    """What the money rents, and how large a model that trains; None for other kinds of models and for running costs."""
    model = wish.job.workload.ml_model if wish.job is not None else None
    need = wish.need
    if need.budget is None or need.budget_period != "once" or (model is not None and not is_llm(model)):
        return None
    rented = _rentals(request, need)
    budget = float(need.budget.amount)
    found = [one for gpu, quote in rented if (one := _largest(request, gpu, quote, budget, need.currency)) is not None]
    if not found:
        return None
    best = max(found, key=lambda one: (one.parameters, -one.needed, one.gpu))
    asked = model or request.services.catalog.get_ml_model(_USUAL)
    costs = [cost for gpu, quote in rented if (cost := _cost(asked, gpu, quote)) is not None]
    cost = min(costs, default=None)
    quote = next(quote for gpu, quote in rented if gpu.name == best.gpu)
    return answer_with(
        headline=(_headline(best, need.budget),),
        lines=tuple(_lines(best, asked, cost, need.budget)),
        facts=(
            fact_of(name="trained_parameters", value=best.parameters, basis="20 tokens a parameter"),
            fact_of(name="gpu_hours", value=round(best.hours, 1), unit="h"),
            fact_of(name="hours_needed", value=round(best.needed, 1), unit="h"),
            *((fact_of(name=f"cost:{asked.name}", value=round(cost), unit=need.currency),) if cost else ()),
        ),
        trace=(_trace(best, quote),),
        sources=source_refs(request, (quote.source,) if quote.source else ()),
        assumptions=(
            assumption_of(slot="precision", value=Precision.BF16_MIXED.value),
            assumption_of(slot="seq_len", value=_SEQ),
        ),
        result=best,
    )


def _rentals(request: Request, need: Need) -> list[tuple[Gpu, Quote]]:
    """What the cards that people train on are let for, of the firmest kind of price there is."""
    catalog = request.services.catalog
    quotes = quotes_for(catalog, request.now.date(), need.model_copy(update={"gpu_count": None}))
    rented = [
        (gpu, quote)
        for gpu in map(catalog.get_gpu, _CARDS)
        for quote in quotes.get(gpu.id, ())
        if quote.channel is Channel.RENT
    ]
    firmest = min((quote.firmness for _, quote in rented), default=0)
    return [(gpu, quote) for gpu, quote in rented if quote.firmness == firmest]


def _headline(best: Trained, budget: Money) -> Line:
    return Line("scratch.buys", {"budget": amount(budget), "size": _billions(best.parameters)})


def _lines(best: Trained, asked: MlModel, cost: float | None, budget: Money) -> Iterator[Line]:
    """The hours that the money rents, what the model that was asked about would cost, and what to do instead."""
    yield Line(
        "scratch.hours",
        {
            "card": best.gpu,
            "hours": Figure(round(best.hours), "hour"),
            "price": amount(best.price, "hour"),
            "per": TOKENS_PER_PARAMETER,
            "size": _billions(best.parameters),
            "tokens": _billions(best.tokens),
            "needed": Figure(round(best.needed), "hour"),
        },
    )
    if cost is not None:
        times = cost / float(budget.amount)
        told = {
            "model": size_named(asked.name),
            "cost": Figure(round(cost), "money", best.price.currency),
            "times": Figure(times, "times"),
        }
        code = "scratch.within" if times <= 1 else "scratch.hopeless" if times > _HOPELESS else "scratch.beyond"
        yield Line(code, told)
    yield Line("scratch.instead")


def _billions(count: float) -> Figure:
    return Figure(float(f"{count / 1e9:.2g}"))


def _largest(request: Request, gpu: Gpu, quote: Quote, budget: float, currency: str) -> Trained | None:
    """The largest model whose run this card ends within the hours that the budget rents."""
    price = float(quote.price) * quote.together
    hours = budget / price if price > 0 else 0.0
    best: Trained | None = None
    for size in _SIZES:
        model = request.services.catalog.find_ml_model(f"llm-{size:g}b")
        needed = _hours(model, gpu) if model is not None else None
        if model is None or needed is None:
            continue
        if needed > hours:
            break
        best = Trained(
            gpu=gpu.name,
            model=model.name,
            parameters=model.parameters,
            hours=hours,
            needed=needed,
            price=Money(amount=quote.price, currency=currency),
            tokens=TOKENS_PER_PARAMETER * model.parameters,
        )
    return best


def _hours(model: MlModel, gpu: Gpu, *, held: bool = True) -> float | None:
    """Card hours of a run over 20 tokens a parameter, at the largest batch that fits; None when none does.

    `held`: the card must hold it; otherwise the work is shared by as many cards as that takes, at no loss.
    """
    used = default_models()
    for batch in _BATCHES:
        work = Workload(
            ml_model=model, method=Method.PRETRAIN, precision=Precision.BF16_MIXED, batch=batch, seq_len=_SEQ
        )
        try:
            if held and used.gib(work, 1) > used.usable(gpu):
                continue
            rate = used.speed(work, gpu, 1)
        except AdvisorError:
            return None
        return TOKENS_PER_PARAMETER * model.parameters / rate / 3600 if rate else None
    return None


def _cost(model: MlModel, gpu: Gpu, quote: Quote) -> float | None:
    """Rent of the whole run, on as many of these cards as hold it."""
    hours = _hours(model, gpu, held=False)
    return hours * float(quote.price) if hours is not None else None


def _trace(best: Trained, quote: Quote) -> Step:
    price = step_of(
        name="price",
        value=quote.price,
        unit=f"{best.price.currency}/h",
        how="price",
        sources=(quote.source,) if quote.source else (),
        as_of=quote.as_of,
    )
    hours = step_of(name="gpu_hours", value=best.hours, unit="h", how="budget / price of an hour", inputs=(price,))
    tokens = step_of(name="training_tokens", value=best.tokens, unit="tokens", how="20 x parameters")
    return step_of(
        name="trained_parameters",
        value=best.parameters,
        unit="parameters",
        how="largest size whose tokens / tokens per second stay within the hours",
        inputs=(hours, tokens),
    )
