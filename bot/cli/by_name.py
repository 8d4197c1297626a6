"""Commands that take names: fit, memory, speed, time, cost, rent-or-buy, recommend, compare, price, runs, machine.

Each is a face of one function of `advisor.named`; what they share stands in `asked.py` and `shapes.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.cli import completing

if TYPE_CHECKING:
    from advisor.named.asking import JobWords
    from bot.cli.shapes import Shape
    from bot.cli.telling import Saying

_METHODS: Final = ("full", "lora", "qlora", "ptuning", "pretrain", "train", "inference")
_FORMATS: Final = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "q4_k_m", "nf4", "awq")

Names = Annotated[
    list[str], typer.Argument(help="Names; a card and a model in either order.", autocompletion=completing.anything)
]
Cards = Annotated[list[str], typer.Argument(help="Cards; a count as '2x 3090'.", autocompletion=completing.cards)]
Card = Annotated[str, typer.Argument(help="Card, such as 4090.", autocompletion=completing.cards)]
Model = Annotated[str, typer.Argument(help="Model, or a size such as 7b.", autocompletion=completing.models)]
MaybeModel = Annotated[str, typer.Option("--model", help="Model to judge by.", autocompletion=completing.models)]
Gpu = Annotated[str, typer.Option("--gpu", "-g", help="Card.", autocompletion=completing.cards)]
Gpus = Annotated[int, typer.Option("--gpus", "-n", help="How many cards.")]
Method = Annotated[
    str, typer.Option("--method", "-m", help=" | ".join(_METHODS), autocompletion=completing.words(*_METHODS))
]
Precision = Annotated[
    str,
    typer.Option("--precision", "-p", help=", ".join(_FORMATS) + " ...", autocompletion=completing.words(*_FORMATS)),
]
Task = Annotated[str, typer.Option("--task", "-t", help="Such as llm_inference.", autocompletion=completing.tasks)]
Batch = Annotated[int | None, typer.Option("--batch", "-b", help="Samples per card and step.")]
SeqLen = Annotated[int | None, typer.Option("--seq-len", "--context", help="Tokens at once.")]
Users = Annotated[int | None, typer.Option("--users", help="People at the same time.")]
Memory = Annotated[float | None, typer.Option("--memory", help="GB of one card, where it is sold with several sizes.")]
DataSet = Annotated[str, typer.Option("--dataset", "-d", help="A known data set, such as alpaca-52k.")]
Samples = Annotated[float | None, typer.Option("--samples", help="Training samples of a round.")]
Tokens = Annotated[float | None, typer.Option("--tokens", help="Training tokens of a round.")]
Epochs = Annotated[float | None, typer.Option("--epochs", help="Rounds.")]
Currency = Annotated[str, typer.Option("--currency", "-c", help="USD, CNY, EUR ...; by the locale without it.")]
Week = Annotated[float | None, typer.Option("--hours-per-week", help="Hours of use a week.")]
Lang = Annotated[str, typer.Option("--lang", help="zh or en; the locale's without it.")]
Json = Annotated[bool, typer.Option("--json", help="Everything as JSON.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="As Markdown, with links to the sources.")]
Csv = Annotated[bool, typer.Option("--csv", help="The table as CSV.")]


def _say(lang: str) -> Saying:
    from bot.cli.locales import language_of
    from bot.cli.telling import Saying

    return Saying(language_of(lang))


def _money(currency: str, say: Saying) -> str:
    from bot.cli.locales import currency_of

    return currency or currency_of(say.language)


def _shape(json: bool, markdown: bool, csv: bool) -> Shape:
    from bot.cli.shapes import Shape

    if json + markdown + csv > 1:
        raise typer.BadParameter("choose one of --json, --markdown, --csv")
    return Shape.JSON if json else Shape.MARKDOWN if markdown else Shape.CSV if csv else Shape.TEXT


def _job(
    method: str = "",
    precision: str = "",
    task: str = "",
    batch: int | None = None,
    seq_len: int | None = None,
    users: int | None = None,
    dataset: str = "",
    epochs: float | None = None,
) -> JobWords:
    """What was said of the job; what was not is left open."""
    return {
        "method": method or None,
        "precision": precision or None,
        "task": task or None,
        "batch": batch,
        "seq_len": seq_len,
        "users": users,
        "dataset": dataset or None,
        "epochs": epochs,
    }


def _two(names: list[str], gpu: str) -> tuple[str, str]:
    """Card and model of `fit MODEL --gpu CARD` and of `fit CARD MODEL`."""
    if gpu and len(names) == 1:
        return gpu, names[0]
    if not gpu and len(names) == 2:
        return names[0], names[1]
    raise typer.BadParameter("name one card and one model: `qwen2.5-14b --gpu 4090`, or `4090 qwen2.5-14b`")


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

    card, model = _two(names, gpu)
    job = _job(method, precision, task, batch, seq_len, users)
    say, shape = _say(lang), _shape(json, markdown, csv)
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

    job = _job(method, precision, task, batch, seq_len, users)
    give(lambda: memory_of(model, gpus=gpus, **job), _shape(json, markdown, csv), _say(lang))


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

    card, model = _two(names, gpu)
    job = _job(method, precision, "", batch, seq_len, users)
    give(lambda: speed_of(card, model, gpus=gpus, **job), _shape(json, markdown, csv), _say(lang))


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

    card, model = _two(names, gpu)
    job = _job(method, precision, "", batch, seq_len, None, dataset, epochs)
    shape, say = _shape(json, markdown, csv), _say(lang)
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

    card, model = (names[0], None) if len(names) == 1 and not gpu else _two(names, gpu)
    job = _job(method, precision, "", batch, seq_len, None, dataset, epochs)
    say = _say(lang)
    unit = _money(currency, say)
    give(
        lambda: cost_of(
            card, model, hours=hours, gpus=gpus, currency=unit, provider=provider or None, samples=samples,
            tokens=tokens, **job,
        ),
        _shape(json, markdown, csv),
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

    say = _say(lang)
    unit = _money(currency, say)
    give(
        lambda: rent_or_buy_of(
            gpu, hours_per_week=hours_per_week, months=months, gpus=gpus, currency=unit, buy_price=buy_price,
            rent_price=rent_price, kwh_price=kwh_price,
        ),
        _shape(json, markdown, csv),
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

    say = _say(lang)
    wish: WishWords = {
        **_job(method, precision, task, batch, seq_len, users),
        "budget": budget,
        "period": period,
        "currency": _money(currency, say),
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
    give(lambda: advise(model or None, **wish), _shape(json, markdown, csv), say)


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

    say = _say(lang)
    unit, job = _money(currency, say), _job(method, precision, "", batch, seq_len)
    give(lambda: work(*gpus, model=model or None, currency=unit, **job), _shape(json, markdown, csv), say)


def price(
    gpu: Card, currency: Currency = "", lang: Lang = "", json: Json = False, markdown: Markdown = False,
    csv: Csv = False,
) -> None:  # fmt: skip
    """What does a card cost?  price 4090"""
    from advisor.named import prices_of
    from bot.cli.asked import give

    say = _say(lang)
    unit = _money(currency, say)
    give(lambda: prices_of(gpu, currency=unit), _shape(json, markdown, csv), say)


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

    give(lambda: gpus_of(" ".join(search or ())), _shape(json, markdown, csv), _say(lang))


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

    give(lambda: models_of(" ".join(search or ())), _shape(json, markdown, csv), _say(lang))


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

    give(lambda: runs_on(gpu, gpus=gpus, memory_gb=memory), _shape(json, markdown, csv), _say(lang))


def machine(lang: Lang = "", json: Json = False, markdown: Markdown = False, csv: Csv = False) -> None:
    """What does this machine have, and what can it do?  (nvidia-smi, rocm-smi, amd-smi, system_profiler, /proc)"""
    from bot.cli.machine import tell

    status = tell(_shape(json, markdown, csv), _say(lang))
    if status:
        raise typer.Exit(status)


COMMANDS: Final = (
    fit, memory, speed, time, cost, rent_or_buy, recommend, compare, price, runs, gpus, models, machine,
)  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Put the commands into the program, in this order."""
    for command in COMMANDS:
        app.command(name=command.__name__.replace("_", "-"))(command)
