"""The command line: one function a command, each importing only what it needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.cli import by_name

app = typer.Typer(
    name="xuanka",
    help="Xuanka answers which GPU to use, in Chinese and English: computed, sourced, dated.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LanguageOption = Annotated[str, typer.Option("--lang", help="zh or en; otherwise the language of the question.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]


def fail(*lines: str) -> typer.Exit:
    """Print what to do, one line a fault, and give the exit that means "cannot run" (2)."""
    for line in lines:
        print(line, file=sys.stderr)
    return typer.Exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        from bot.version import version

        print(f"xuanka {version()}")
        raise typer.Exit


@app.callback()
def _program(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Xuanka answers which GPU to use, in Chinese and English: computed, sourced, dated."""


by_name.add_to(app)


@app.command()
def ask(text: str, lang: LanguageOption = "", json: JsonOption = False) -> None:
    """Answer one question."""
    from bot.cli.talk import ask_once

    ask_once(text, lang, as_json=json)


@app.command()
def chat(lang: LanguageOption = "") -> None:
    """Talk on the console; /help inside."""
    from bot.cli.talk import converse

    converse(lang)


@app.command()
def explain(text: str, lang: LanguageOption = "", json: JsonOption = False) -> None:
    """Show every step from text to reply."""
    from bot.cli.explain import explain_text

    print(explain_text(text, lang, as_json=json))


@app.command()
def batch(file: Annotated[Path | None, typer.Argument(help="JSON lines; standard input when absent.")] = None) -> None:
    """Answer JSON lines with JSON lines, keeping a conversation per channel, chat and user."""
    from bot.cli.batch import answer_lines

    if file is None:
        lines = iter(sys.stdin)
    else:
        try:
            lines = iter(file.read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError) as error:
            raise fail(f"{file} cannot be read: {type(error).__name__}") from None
    for line in answer_lines(lines):
        print(line)


@app.command()
def check(
    age: Annotated[bool, typer.Option("--age", help="List what is oldest.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Data only; skip running every phrase.")] = False,
) -> None:
    """Validate data, templates, intents and settings; all problems at once."""
    from bot.cli.check import age_lines, find_problems

    if age:
        for line in age_lines():
            print(line)
        return
    problems, summary = find_problems(quick=quick)
    for problem in problems:
        print(problem)
    print(summary)
    if problems:
        raise typer.Exit(1)


def _must_exist(files: list[Path]) -> None:
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise fail(*(f"{name}: no such file" for name in missing))


@app.command(name="eval")
def evaluate(files: list[Path], json: JsonOption = False) -> None:
    """Score labelled question files."""
    from bot.cli.evaluate import report

    _must_exist(files)
    print(report(files, as_json=json))


@app.command(name="eval-messages")
def evaluate_messages(files: list[Path], json: JsonOption = False) -> None:
    """Score labelled messages: need, mentions with roles, slots, and what is not ours."""
    from bot.cli.evaluate import report_messages

    _must_exist(files)
    print(report_messages(files, as_json=json))


@app.command()
def before(
    folder: Annotated[Path, typer.Argument(help="Folder of labelled questions and conversations.")] = Path("tests"),
    out: Annotated[Path | None, typer.Option(help="Write what is said today to this file.")] = None,
    compare: Annotated[Path | None, typer.Option(help="Show what differs from this earlier file.")] = None,
) -> None:
    """Record what is said to every labelled question, or show what a change changed."""
    import tempfile

    from bot.cli.before import differences, write

    if (out is None and compare is None) or not folder.is_dir():
        raise fail("name a folder, and --out FILE or --compare FILE")
    with tempfile.TemporaryDirectory() as scratch:
        made = out or Path(scratch) / "now.jsonl"
        print(f"{write(folder, made)} turns")
        for line in differences(compare, made) if compare is not None else ():
            print(line)


@app.command(name="eval-turns")
def evaluate_turns(files: list[Path], json: JsonOption = False) -> None:
    """Score labelled later turns: the operation and what it changes."""
    from bot.cli.evaluate import report_turns

    _must_exist(files)
    print(report_turns(files, as_json=json))


@app.command()
def learn(
    parts: Annotated[list[str] | None, typer.Argument(help="needs, roles, scope; roles where none is named.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the weights; otherwise only report.")] = False,
) -> None:
    """Learn weights from the labelled lines and messages of bot/corpus (needs scikit-learn)."""
    from bot.cli.learn import learn_weights

    print(learn_weights(parts or (), write=write))


@app.command()
def gaps(csv: Annotated[bool, typer.Option("--csv", help="CSV instead of Markdown.")] = False) -> None:
    """List what could not be answered, by shape."""
    from bot.cli.gaps import report

    print(report("csv" if csv else "markdown"))


prices = typer.Typer(help="Prices of the catalogue.", no_args_is_help=True)
app.add_typer(prices, name="prices")


@prices.command(name="import")
def import_prices(
    files: Annotated[list[Path] | None, typer.Argument(help="CSV of gpuhunt, SkyPilot or a vendor.")] = None,
    provider: Annotated[str, typer.Option(help="Provider id in providers.yaml.")] = "",
    source: Annotated[str, typer.Option(help="Source id in sources.yaml.")] = "",
    as_of: Annotated[str, typer.Option(help="Day of the prices, such as 2026-11-21.")] = "",
    line: Annotated[
        list[str] | None, typer.Option(help="card; terms; price CUR; unit; provider; YYYY-MM-DD; source id")
    ] = None,
    accept: Annotated[list[str] | None, typer.Option(help="Id of a price that jumped and is right.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write; otherwise only show the difference.")] = False,
) -> None:
    """Take prices from files of gpuhunt, SkyPilot or a vendor and typed lines; status 3 when one was skipped."""
    from datetime import UTC, date, datetime

    from bot.cli.prices import SKIPPED, import_files

    try:
        day = date.fromisoformat(as_of) if as_of else datetime.now(UTC).date()
    except ValueError:
        raise fail(f"--as-of {as_of}: write a day such as 2026-11-21") from None
    skipped = False
    for told in import_files(files or [], provider, source, day, line or [], really=write, accepted=accept or []):
        print(told)
        skipped = skipped or told.startswith(SKIPPED)
    if skipped:
        raise typer.Exit(3)


reports = typer.Typer(help="Measurements that were told in chats.", no_args_is_help=True)
app.add_typer(reports, name="reports")


@reports.command(name="export")
def export_reports(
    out: Annotated[Path, typer.Argument(help="Folder for memory_cases.csv and throughput_cases.csv.")],
    store: Annotated[str, typer.Option(help="Address of the store; the configured one without it.")] = "",
) -> None:
    """Write what was told with consent, in the columns of the calibration files."""
    from bot.cli.reports import export

    print(export(out, store))


@prices.command(name="refresh")
def refresh_prices(
    config: Annotated[Path, typer.Option(help="File of feeds, see deploy/prices.yaml.")],
    data: Annotated[Path | None, typer.Option(help="Catalogue directory; the one of the program without it.")] = None,
    accept: Annotated[list[str] | None, typer.Option(help="Id of a price in quarantine that is right.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the difference, write nothing.")] = False,
) -> None:
    """Take prices from the configured feeds; status 3 when a feed fails or a popular card's price is old."""
    from datetime import UTC, datetime

    from bot.cli.prices import refresh_prices as run

    report, outcome = run(config, data, accept or [], datetime.now(UTC).date(), dry=dry_run)
    for told in report:
        print(told)
    if outcome.failed or outcome.stale:
        raise typer.Exit(3)


@app.command()
def telegram() -> None:
    """Run the Telegram bot (polling). Needs XUANKA_TELEGRAM_TOKEN."""
    from bot.cli.channels import run_channel

    run_channel("telegram")


@app.command()
def wecom() -> None:
    """Run the WeCom bot over the long connection. Needs XUANKA_WECOM_BOT_ID and XUANKA_WECOM_SECRET."""
    from bot.cli.channels import run_channel

    run_channel("wecom")


@app.command()
def discord() -> None:
    """Run the Discord bot (slash commands). Needs XUANKA_DISCORD_TOKEN."""
    from bot.cli.channels import run_channel

    run_channel("discord")


@app.command()
def feishu() -> None:
    """Run the Feishu or Lark bot (long connection). Needs XUANKA_FEISHU_APP_ID and XUANKA_FEISHU_SECRET."""
    from bot.cli.channels import run_channel

    run_channel("feishu")


@app.command()
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Over HTTP at /mcp; over stdio without it.")] = False,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at.")] = 8090,
    allow_host: Annotated[list[str] | None, typer.Option(help="Name by which it is reached, with its port.")] = None,
    allow_origin: Annotated[list[str] | None, typer.Option(help="Page that may call it from a browser.")] = None,
) -> None:
    """Be tools for other assistants (Model Context Protocol); needs the extra `mcp`."""
    from bot.cli.errors import needs

    needs("mcp")
    from bot.cli.tools import serve_http, serve_stdio

    if http:
        serve_http(host, port, allow_host or [], allow_origin or [])
    else:
        serve_stdio()


@app.command(hidden=True)
def reference() -> None:
    """Write the pages of reference in docs/reference from the program itself."""
    from bot.cli.reference import write

    for path in write(command_line()):
        print(path)


@app.command()
def serve() -> None:
    """Run the web app (API, chat page, health, metrics) with every configured channel."""
    from bot.cli.serve import run_serve

    run_serve()


def command_line() -> typer.core.TyperGroup:
    """All commands, as the library below runs them."""
    made = typer.main.get_command(app)
    if not isinstance(made, typer.core.TyperGroup):
        raise TypeError("the program has no commands")
    return made
