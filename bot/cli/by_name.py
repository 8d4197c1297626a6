"""Commands that take names: fit, memory, speed, time, cost, rent-or-buy, recommend, compare, price, runs, machine.

Each is a face of one function of `advisor.named`; what they share stands in `asked.py` and `shapes.py`.
"""

from __future__ import annotations

from typing import Annotated, Final

import typer

from bot.cli import completing
from bot.cli.options import (
    Batch,
    Card,
    Cards,
    Csv,
    Currency,
    DataSet,
    Epochs,
    Gpu,
    Gpus,
    Json,
    Lang,
    Markdown,
    MaybeModel,
    Memory,
    Method,
    Model,
    Names,
    Precision,
    Samples,
    SeqLen,
    Task,
    Tokens,
    Users,
    Week,
    card_and_model,
    currency_for,
    how_many,
    job_words,
    saying,
    shape_for,
)


def fit(
    names: Names,
    gpu: Gpu = "",
    gpus: Gpus = 1,
    method: Method = "",
    precision: Precision = "",
    task: Task = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
    memory: Memory = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="End with status 1 where it does not fit.")] = False,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Does a model fit a card?  fit qwen2.5-14b --gpu 4090 --method lora"""
    from advisor.named import fit as work
    from bot.cli.asked import FITS_NOT, give

    card, model = card_and_model(names, gpu)
    card, gpus = how_many(card, gpus)
    job = job_words(method, precision, task, batch, seq_len, users)
    say, shape = saying(lang), shape_for(json, markdown, csv)
    found = give(lambda: work(card, model, gpus=gpus, memory_gb=memory, **job), shape, say)
    if exit_code and getattr(found, "verdict", "") not in {"fits", "tight"}:
        raise typer.Exit(FITS_NOT)


def memory(
    model: Model,
    gpus: Gpus = 1,
    method: Method = "",
    precision: Precision = "",
    task: Task = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """How much memory does a model take?  memory qwen2.5-14b --method lora"""
    from advisor.named import memory_of
    from bot.cli.asked import give

    job = job_words(method, precision, task, batch, seq_len, users)
    give(lambda: memory_of(model, gpus=gpus, **job), shape_for(json, markdown, csv), saying(lang))


def speed(
    names: Names,
    gpu: Gpu = "",
    gpus: Gpus = 1,
    method: Method = "",
    precision: Precision = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """How fast is it?  speed qwen2.5-7b --gpu 4090"""
    from advisor.named import speed_of
    from bot.cli.asked import give

    card, model = card_and_model(names, gpu)
    card, gpus = how_many(card, gpus)
    job = job_words(method, precision, "", batch, seq_len, users)
    give(lambda: speed_of(card, model, gpus=gpus, **job), shape_for(json, markdown, csv), saying(lang))


def time(
    names: Names,
    gpu: Gpu = "",
    gpus: Gpus = 1,
    method: Method = "",
    precision: Precision = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    dataset: DataSet = "",
    samples: Samples = None,
    tokens: Tokens = None,
    epochs: Epochs = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """How long does a training run take?  time qwen2.5-7b --gpu 4090 --method lora --dataset alpaca-52k"""
    from advisor.named import time_of
    from bot.cli.asked import give

    card, model = card_and_model(names, gpu)
    card, gpus = how_many(card, gpus)
    job = job_words(method, precision, "", batch, seq_len, None, dataset, epochs)
    shape, say = shape_for(json, markdown, csv), saying(lang)
    give(lambda: time_of(card, model, gpus=gpus, samples=samples, tokens=tokens, **job), shape, say)


def cost(
    names: Names,
    hours: Annotated[float | None, typer.Option("--hours", help="On the clock.")] = None,
    gpu: Gpu = "",
    gpus: Gpus = 1,
    provider: Annotated[str, typer.Option("--provider", help="Only this one.")] = "",
    currency: Currency = "",
    method: Method = "",
    precision: Precision = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    dataset: DataSet = "",
    samples: Samples = None,
    tokens: Tokens = None,
    epochs: Epochs = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """What does renting cost?  cost 4090 --hours 100; cost qwen2.5-7b --gpu 4090 --dataset alpaca-52k"""
    from advisor.named import cost_of
    from bot.cli.asked import give

    card, model = (names[0], None) if len(names) == 1 and not gpu else card_and_model(names, gpu)
    card, gpus = how_many(card, gpus)
    job = job_words(method, precision, "", batch, seq_len, None, dataset, epochs)
    say = saying(lang)
    unit = currency_for(currency, say)
    give(
        lambda: cost_of(
            card, model, hours=hours, gpus=gpus, currency=unit, provider=provider or None, samples=samples,
            tokens=tokens, **job,
        ),
        shape_for(json, markdown, csv),
        say,
    )  # fmt: skip


def rent_or_buy(
    gpu: Card,
    hours_per_week: Week = None,
    months: Annotated[float, typer.Option("--months", help="How far to look ahead.")] = 12,
    gpus: Gpus = 1,
    currency: Currency = "",
    buy_price: Annotated[float | None, typer.Option("--buy-price", help="Of one card, where you know better.")] = None,
    rent_price: Annotated[float | None, typer.Option("--rent-price", help="Of one card and hour.")] = None,
    kwh_price: Annotated[float | None, typer.Option("--kwh-price", help="Of electricity.")] = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Rent or buy?  rent-or-buy 4090 --hours-per-week 20"""
    from advisor.named import rent_or_buy_of
    from bot.cli.asked import give

    say = saying(lang)
    gpu, gpus = how_many(gpu, gpus)
    unit = currency_for(currency, say)
    give(
        lambda: rent_or_buy_of(
            gpu, hours_per_week=hours_per_week, months=months, gpus=gpus, currency=unit, buy_price=buy_price,
            rent_price=rent_price, kwh_price=kwh_price,
        ),
        shape_for(json, markdown, csv),
        say,
    )  # fmt: skip


def recommend(
    model: Annotated[str, typer.Argument(help="Model; or --task.", autocompletion=completing.models)] = "",
    task: Task = "",
    budget: Annotated[float | None, typer.Option("--budget", help="Money to spend.")] = None,
    period: Annotated[str, typer.Option("--period", help="once | hour | day | week | month | year")] = "once",
    currency: Currency = "",
    deploy: Annotated[str, typer.Option("--deploy", help="rent | buy; the better one without it.")] = "",
    objective: Annotated[str, typer.Option("--objective", help="cheapest | fastest | balanced | frugal | most")] = "",
    method: Method = "",
    precision: Precision = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
    gpus: Annotated[int | None, typer.Option("--gpus", "-n", help="How many cards.")] = None,
    memory: Annotated[float | None, typer.Option("--memory", help="Least GB of a card.")] = None,
    hours_per_week: Week = None,
    vendor: Annotated[str, typer.Option("--vendor", help="Only this maker.")] = "",
    exclude: Annotated[list[str] | None, typer.Option("--exclude", help="A card that is not wanted.")] = None,
    no_used: Annotated[bool, typer.Option("--no-used", help="No used cards.")] = False,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Which card?  recommend --task llm_finetune --budget 2000; recommend qwen2.5-14b --method lora"""
    from advisor.named import advise
    from advisor.named.choosing import WishWords
    from bot.cli.asked import give

    say = saying(lang)
    wish: WishWords = {
        **job_words(method, precision, task, batch, seq_len, users),
        "budget": budget,
        "period": period,
        "currency": currency_for(currency, say),
        "deploy": deploy,
        "objective": objective,
        "gpus": gpus,
        "memory_gb": memory,
        "hours_per_week": hours_per_week,
        "vendor": vendor,
        "exclude": exclude or (),
        "used": not no_used,
        "on": None,
    }
    give(lambda: advise(model or None, **wish), shape_for(json, markdown, csv), say)


def compare(
    gpus: Cards,
    model: MaybeModel = "",
    method: Method = "",
    precision: Precision = "",
    batch: Batch = None,
    seq_len: SeqLen = None,
    currency: Currency = "",
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Which of these cards?  compare 3090 4090; compare "2x 3090" 4090 --model qwen2.5-32b"""
    from advisor.named import compare as work
    from bot.cli.asked import give

    say = saying(lang)
    unit, job = currency_for(currency, say), job_words(method, precision, "", batch, seq_len)
    give(lambda: work(*gpus, model=model or None, currency=unit, **job), shape_for(json, markdown, csv), say)


def price(
    gpu: Card, currency: Currency = "", lang: Lang = "", json: Json = False, markdown: Markdown = False,
    csv: Csv = False,
) -> None:  # fmt: skip
    """What does a card cost?  price 4090"""
    from advisor.named import prices_of
    from bot.cli.asked import give

    say = saying(lang)
    unit = currency_for(currency, say)
    give(lambda: prices_of(gpu, currency=unit), shape_for(json, markdown, csv), say)


def gpus(
    search: Annotated[list[str] | None, typer.Argument(help="Words of a name, maker or series.")] = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Cards on record.  gpus rtx 40"""
    from advisor.named import gpus_of
    from bot.cli.asked import give

    give(lambda: gpus_of(" ".join(search or ())), shape_for(json, markdown, csv), saying(lang))


def models(
    search: Annotated[list[str] | None, typer.Argument(help="Words of a name, family or kind.")] = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Models on record.  models qwen"""
    from advisor.named import models_of
    from bot.cli.asked import give

    give(lambda: models_of(" ".join(search or ())), shape_for(json, markdown, csv), saying(lang))


def runs(
    gpu: Annotated[str, typer.Argument(help="Card; or --memory.", autocompletion=completing.cards)] = "",
    gpus: Gpus = 1,
    memory: Memory = None,
    lang: Lang = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """What can a card do?  runs 3060; runs --memory 16"""
    from advisor.named import runs_on
    from bot.cli.asked import give

    gpu, gpus = how_many(gpu, gpus)
    give(lambda: runs_on(gpu, gpus=gpus, memory_gb=memory), shape_for(json, markdown, csv), saying(lang))


def machine(lang: Lang = "", json: Json = False, markdown: Markdown = False, csv: Csv = False) -> None:
    """What does this machine have, and what can it do?  (nvidia-smi, rocm-smi, amd-smi, system_profiler, /proc)"""
    from bot.cli.machine import tell

    status = tell(shape_for(json, markdown, csv), saying(lang))
    if status:
        raise typer.Exit(status)


COMMANDS: Final = (
    fit, memory, speed, time, cost, rent_or_buy, recommend, compare, price, runs, gpus, models, machine,
)  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Put the commands into the program, in this order."""
    for command in COMMANDS:
        app.command(name=command.__name__.replace("_", "-"))(command)
