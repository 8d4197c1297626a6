"""Options that the commands by name share, and what is made of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.cli import completing

if TYPE_CHECKING:
    from advisor.named.asking import JobWords
    from bot.cli.shapes import Shape
    from bot.cli.telling import Saying

_COUNTED: Final = re.compile(
    r"(?P<before>\d{1,2})\s?[x\u00d7*]\s?(?P<name>\S.*)|(?P<named>\S.*\S)\s?[x\u00d7*]\s?(?P<behind>\d{1,2})"
)
"""A number of cards before or behind their name."""
_METHODS: Final = ("full", "lora", "qlora", "ptuning", "pretrain", "train", "inference")
_FORMATS: Final = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "q4_k_m", "nf4", "awq")

Names = Annotated[
    list[str], typer.Argument(help="Names; a card and a model in either order.", autocompletion=completing.anything)
]
Cards = Annotated[list[str], typer.Argument(help="Cards; a count as '2x 3090'.", autocompletion=completing.cards)]
Card = Annotated[str, typer.Argument(help="Card, such as 4090.", autocompletion=completing.cards)]
Model = Annotated[str, typer.Argument(help="Model, or a size such as 7b.", autocompletion=completing.models)]
MaybeModel = Annotated[str, typer.Option("--model", help="Model to judge by.", autocompletion=completing.models)]
Gpu = Annotated[str, typer.Option("--gpu", "-g", help="Card; several as '2x 4090'.", autocompletion=completing.cards)]
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


def saying(lang: str) -> Saying:
    """Words in the language that was named, else in the locale's."""
    from bot.cli.locales import language_of
    from bot.cli.telling import Saying

    return Saying(language_of(lang))


def currency_for(currency: str, say: Saying) -> str:
    """The currency that was named, else the language's."""
    from bot.cli.locales import currency_of

    return currency or currency_of(say.language)


def shape_for(json: bool, markdown: bool, csv: bool) -> Shape:
    """The one shape that was asked for. Raises typer.BadParameter for several."""
    from bot.cli.shapes import Shape

    if json + markdown + csv > 1:
        raise typer.BadParameter("choose one of --json, --markdown, --csv")
    return Shape.JSON if json else Shape.MARKDOWN if markdown else Shape.CSV if csv else Shape.TEXT


def job_words(
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


def how_many(card: str, gpus: int) -> tuple[str, int]:
    """A card and its number, also where the number stands at the name: "2x 4090", "4090x2". Raises BadParameter."""
    found = _COUNTED.fullmatch(card.strip())
    if found is None:
        return card, gpus
    count, name = int(found["before"] or found["behind"]), found["name"] or found["named"]
    if gpus not in {1, count}:
        raise typer.BadParameter(f"{card} and --gpus {gpus} are two numbers of cards")
    return name, count


def card_and_model(names: list[str], gpu: str) -> tuple[str, str]:
    """Card and model of `fit MODEL --gpu CARD` and of `fit CARD MODEL`."""
    if gpu and len(names) == 1:
        return gpu, names[0]
    if not gpu and len(names) == 2:
        return names[0], names[1]
    raise typer.BadParameter("name one card and one model: `qwen2.5-14b --gpu 4090`, or `4090 qwen2.5-14b`")
