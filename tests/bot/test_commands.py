"""The command line as it is typed: headlines, shapes for programs, exit codes, completion, the machine, the console."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import readline
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console as Screen
from typer.testing import CliRunner

from advisor.named import fit, prices_of
from advisor.named.asking import shipped
from bot.channels.words import channel_words
from bot.cli import detect, errors
from bot.cli.by_name import COMMANDS
from bot.cli.commands import app
from bot.cli.console import Console
from bot.cli.detect import Box, Found, this_machine
from bot.cli.history import History
from bot.cli.locales import language_of
from bot.cli.machine import known_card, tell
from bot.cli.shapes import Shape, show
from bot.cli.telling import Saying
from bot.cli.wrapping import wrapped
from bot.pipeline import Assistant

LINES = {
    "fit": "fit qwen2.5-14b --gpu 4090 --method lora",
    "fit both": "fit 4090 qwen2.5-14b -m qlora -n 2",
    "memory": "memory qwen2.5-14b --method lora",
    "speed": "speed qwen2.5-7b --gpu 4090",
    "pictures": "speed 4090 flux.1-dev",
    "time": "time qwen2.5-7b --gpu 4090 --method lora --dataset alpaca-52k",
    "cost": "cost 4090 --hours 100",
    "run": "cost qwen2.5-7b --gpu 4090 --method lora --dataset alpaca-52k",
    "rent-or-buy": "rent-or-buy 4090 --hours-per-week 20",
    "recommend": "recommend --task llm_inference --budget 2000",
    "recommend model": "recommend qwen2.5-14b --method lora --deploy rent",
    "compare": "compare 3090 4090",
    "price": "price 4090",
    "runs": "runs 3060",
    "gpus": "gpus rtx 40",
    "models": "models qwen",
}


def run(line: str, **environment: str):
    known = {"LC_ALL": "", "LANG": "", "COLUMNS": "80", **environment}
    return CliRunner().invoke(app, line.split(), env=known, catch_exceptions=False)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", LINES)
def test_the_first_line_answers_and_no_line_is_wider_than_the_terminal(name, lang):
    found = run(f"{LINES[name]} --lang {lang}")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert bool(re.search("[\u4e00-\u9fff]", lines[0])) == (lang == "zh")
    told = [line for line in lines if not line.startswith("- ")]
    assert max(map(cell_len, told)) <= 80


@pytest.mark.parametrize("name", LINES)
def test_programs_get_json_csv_and_markdown_with_codes_and_sources(name):
    read = json.loads(run(f"{LINES[name]} --json").stdout)
    assert "sources" in read or "records" in read
    rows = list(csv.DictReader(io.StringIO(run(f"{LINES[name]} --csv").stdout)))
    assert rows
    assert all(None not in row for row in rows)
    shown = run(f"{LINES[name]} --markdown --lang en").stdout
    assert shown.startswith("**")
    assert "| --- |" in shown


def test_both_languages_say_the_same_codes_in_json():
    assert run(f"{LINES['fit']} --json --lang zh").stdout == run(f"{LINES['fit']} --json --lang en").stdout


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("fit 4990 qwen2.5-7b --lang en", 3, "Did you mean RTX 4090"),
        ("fit 4990 qwen2.5-7b --lang zh", 3, "是不是指"),
        ("fit 4090 qwen2.5-7b -m lorra --lang en", 3, "Did you mean lora"),
        ("fit 4090 qwen2.5-7b -n 0 --lang en", 3, "gpus = 0"),
        ("fit 4090", 2, "name one card and one model"),
        ("fit 4090 qwen2.5-7b --json --csv", 2, "choose one"),
        ("compare 3090", 2, "two to eight"),
        ("time 4090 qwen2.5-7b --lang en", 3, "--dataset"),
        ("cost 4090 --lang en", 3, "--hours"),
        ("nonsense", 2, "No such command"),
    ],
)
def test_a_mistake_ends_with_a_code_and_one_helpful_line_on_the_error_stream(line, code, says):
    found = run(line)
    assert found.exit_code == code
    assert says in found.stderr
    assert not found.stdout
    assert "Traceback" not in found.stderr


def test_a_script_can_ask_whether_it_fits():
    assert run("fit 4090 qwen2.5-14b -m lora --exit-code").exit_code == 1
    assert run("fit 4090 qwen2.5-7b --exit-code").exit_code == 0


def test_the_version_and_the_list_of_commands():
    assert re.fullmatch(r"xuanka \d+\.\d+\.\d+\S*\n", run("--version").stdout)
    shown = run("-h").stdout
    assert all(command.__name__.replace("_", "-") in shown for command in COMMANDS)


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("xuanka fit qwen2.5-1", "qwen2.5-14b"),
        ("xuanka price rtx-40", "rtx-4090"),
        ("xuanka recommend --task llm", "llm_finetune"),
    ],
)
def test_names_are_completed(typed, given):
    words = typed.split()
    asked = {"_XUANKA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    found = CliRunner().invoke(app, [], env=asked, prog_name="xuanka")
    assert given in found.stdout.split()


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "zh_TW", "LANG": "en_US"}, "zh"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_language_is_the_locales(environment, language):
    assert language_of("", environment) == language


def test_yuan_where_the_locale_is_chinese():
    assert json.loads(run("price 4090 --json", LC_ALL="zh_CN.UTF-8").stdout)["currency"] == "CNY"
    assert json.loads(run("price 4090 --json", LC_ALL="en_US.UTF-8").stdout)["currency"] == "USD"


@pytest.mark.parametrize("width", [40, 80, 120])
def test_chinese_wraps_between_characters_and_never_before_a_closing_mark(width):
    text = "显存不够：Qwen2.5-14B 需要 34.6 GiB（27.8–43.2），RTX 4090 可用 23.5 GiB，还差 11.1 GiB。" * 3
    lines = wrapped(text, width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert not any(line[0] in "，。：）、" for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert len(lines) <= cell_len(text) / (width - 12) + 2


def test_a_narrow_terminal_drops_the_least_important_columns():
    out = io.StringIO()
    show(prices_of("4090"), Saying("en"), Screen(file=out, width=44))
    head = next(line for line in out.getvalue().splitlines() if "provider" in line)
    assert "price" in head
    assert "source" not in head


@pytest.mark.parametrize(
    ("lang", "said"), [("zh", ("AutoDL", "\u5171\u7ee9\u7b97\u529b")), ("en", ("vast.ai", "Gongji"))]
)
def test_a_long_list_leaves_the_first_line_in_sight(lang, said):
    out = io.StringIO()
    console = Screen(file=out, width=80, height=24, force_terminal=True, color_system=None)
    show(prices_of("4090", currency="CNY" if lang == "zh" else "USD"), Saying(lang), console)
    lines = out.getvalue().splitlines()
    assert len(lines) < 24
    assert "RTX 4090" in lines[0]
    assert re.search(r"20\d\d-\d\d-\d\d", "".join(lines[:2])), "a day beside the price"
    assert all(name in "\n".join(lines) for name in said)


def test_both_languages_of_the_command_line_have_the_same_values():
    words = channel_words("cli")
    for key in sorted(set(words.keys())):
        fields = [set(re.findall(r"\{(\w+)", words._labels[language][f"cli.{key}"])) for language in ("zh", "en")]
        assert fields[0] == fields[1], key


def test_tools_without_their_extra_say_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        errors.guarded(lambda: CliRunner().invoke(app, ["mcp"], catch_exceptions=False))
    assert ended.value.code == 2
    assert "pip install 'xuanka[mcp]'" in capsys.readouterr().err


# --- the machine -----------------------------------------------------------------------------------------------------

MEMINFO = "MemTotal:       131072000 kB\nMemFree: 1 kB\n"
NVIDIA = {
    "NVIDIA GeForce RTX 4090, 24564": ("RTX 4090", 1),
    "NVIDIA A100-SXM4-80GB, 81920\nNVIDIA A100-SXM4-80GB, 81920": ("A100 80GB SXM4", 2),
    "NVIDIA H100 80GB HBM3, 81559": ("H100 80GB SXM5", 1),
    "NVIDIA RTX 6000 Ada Generation, 49140": ("RTX 6000 Ada", 1),
    "Tesla T4, 15360": ("Tesla T4", 1),
    "NVIDIA GeForce RTX 4060 Ti, 16380": ("RTX 4060 Ti 16GB", 1),
    "NVIDIA GeForce RTX 4070 Laptop GPU, 8188": ("RTX 4070 Laptop", 1),
    "NVIDIA GB10, [N/A]": ("DGX Spark", 1),
    "NVIDIA Nonsuch 9000, 12288": ("", 1),
}


def told(**printed: str):
    return lambda command: printed.get(command[0].replace("-", "_"), "")


@pytest.fixture
def meminfo(tmp_path: Path) -> Path:
    path = tmp_path / "meminfo"
    path.write_text(MEMINFO, encoding="ascii")
    return path


@pytest.mark.parametrize("printed", NVIDIA)
def test_what_nvidia_smi_prints_is_a_card_of_the_catalogue(printed, meminfo):
    box = this_machine(told(nvidia_smi=printed), meminfo)
    assert box.ram_gib == pytest.approx(125, abs=0.1)
    card = known_card(shipped(), box.cards[0], box.ram_gib)
    assert (card.name, card.found.count) == NVIDIA[printed]


def test_other_makers_tools_are_read_too(meminfo, tmp_path):
    rocm = json.dumps(
        {"card0": {"Card Series": "Radeon RX 7900 XTX", "VRAM Total Memory (B)": "25753026560"}, "system": {}}
    )
    amd = json.dumps(
        [{"gpu": 0, "asic": {"market_name": "Radeon RX 7900 XTX"}, "vram": {"size": {"value": 24560, "unit": "MB"}}}]
    )
    mac = json.dumps({"SPDisplaysDataType": [{"sppci_model": "Apple M2 Max"}]})
    for printed in ({"rocm_smi": rocm}, {"amd_smi": amd}, {"rocm_smi": rocm, "amd_smi": amd}):
        cards = this_machine(told(**printed), meminfo).cards
        assert [known_card(shipped(), one, 125).name for one in cards] == ["RX 7900 XTX"]
    box = this_machine(told(system_profiler=mac, sysctl="68719476736\n"), tmp_path / "none")
    assert box.ram_gib == 64
    assert known_card(shipped(), box.cards[0], box.ram_gib).memory_gib == 64


@pytest.mark.parametrize("printed", ["", "No devices were found", "garbage, more", "{}", "[1, 2]", '{"card0": 3}'])
def test_strange_answers_of_tools_are_no_cards_that_crash(printed, meminfo):
    box = this_machine(lambda command: printed, meminfo)
    for one in box.cards:
        known_card(shipped(), one, box.ram_gib)


def test_a_tool_that_is_missing_fails_or_hangs_says_nothing(tmp_path, monkeypatch):
    for name, body in (("good", "echo yes"), ("bad", "echo no; exit 9"), ("slow", "sleep 30")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n", encoding="ascii")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(detect, "_PATIENCE_S", 0.2)
    assert [detect.ask([name]) for name in ("good", "bad", "slow", "absent")] == ["yes\n", "", "", ""]


@pytest.mark.parametrize("shape", list(Shape))
def test_the_machine_says_what_it_can_do(shape, capsys):
    box = Box((Found("NVIDIA GeForce RTX 4090", 23.99), Found("NVIDIA Nonsuch 9000", 12.0)), 64.0, ("nvidia-smi",))
    assert tell(shape, Saying("en"), box) == 0
    out = capsys.readouterr().out
    assert "RTX 4090" in out
    assert "llm-8b" in out
    assert tell(shape, Saying("en"), Box((), 16.0, ("nvidia-smi",))) == 1
    alone = capsys.readouterr().out
    assert "llm-8b" in alone
    assert "tokens/s" in alone
    assert "FLUX" not in alone


# --- the console -----------------------------------------------------------------------------------------------------


def spoken(console: Console, *lines: str) -> list[str]:
    async def talk() -> list[str]:
        await console.store.open()
        return [await console.answer(line, number) for number, line in enumerate(lines, 1)]

    return asyncio.run(talk())


def test_the_console_decides_on_what_the_talk_has_brought_and_forgets_it(assistant: Assistant):
    found = spoken(Console(assistant, "zh"), "预算 8000 想跑 7b 推理用什么卡", "/decide", "/forget", "/decide")
    assert "8,000" in found[1]
    assert "删除" in found[2] or "忘" in found[2] or "清" in found[2]
    assert "8,000" not in found[3]


def test_settings_of_the_console_hold_for_what_follows(assistant: Assistant):
    console = Console(assistant, "zh")
    found = spoken(console, "4090 能跑 7b 吗", "/settings en short", "4090 能跑 7b 吗", "/settings")
    assert len(found[2]) < len(found[0])
    assert not re.search("[\u4e00-\u9fff]", found[2].splitlines()[0])
    assert "English" in found[3]


def test_ctrl_c_drops_the_line_and_not_the_talk(assistant, monkeypatch, capsys, tmp_path):
    typed = iter([KeyboardInterrupt(), "4090 能跑 7b 吗", EOFError()])

    def input_(_prompt: str = "") -> str:
        line = next(typed)
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("builtins.input", input_)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    Console(assistant, "zh").run()
    out = capsys.readouterr().out
    assert "Ctrl-C" in out
    assert "RTX 4090" in out


def test_what_was_typed_is_kept_for_its_owner_alone_and_forgotten_on_request(tmp_path):
    readline.clear_history()
    history = History(tmp_path / "state" / "history")
    readline.add_history("4090 能跑 7b 吗")
    history.save()
    assert (history.path.stat().st_mode & 0o777) == 0o600
    again = History(history.path)
    assert readline.get_current_history_length() >= 1
    again.forget()
    assert "4090" not in history.path.read_text(encoding="utf-8")


def test_results_of_the_command_line_are_those_of_python():
    assert json.loads(run("fit 4090 qwen2.5-7b --json").stdout) == fit("4090", "qwen2.5-7b").as_dict()


@pytest.mark.parametrize(
    "line", ["price gtx-750", "gpus zzz", "models zzz", "recommend --task llm_finetune --budget 1"]
)
def test_a_program_is_told_by_the_status_that_nothing_is_on_record(line: str) -> None:
    assert run(line).exit_code == 3
    assert run(f"{line} --json").exit_code == 3


@pytest.mark.parametrize("named", ["2x 4090", "4090x2", "4090 x2", "2*4090", "2 × RTX 4090"])
def test_a_number_of_cards_may_stand_at_their_name(named: str) -> None:
    given = ["fit", "qwen2.5-14b", "--gpu", named, "--method", "lora", "--json"]
    found = CliRunner().invoke(app, given, env={"LANG": ""}, catch_exceptions=False)
    assert (json.loads(found.stdout)["gpu"], json.loads(found.stdout)["gpus"]) == ("RTX 4090", 2)


def test_two_numbers_of_cards_are_no_number() -> None:
    found = CliRunner().invoke(app, ["fit", "qwen2.5-14b", "--gpu", "2x 4090", "-n", "3"], env={"LANG": ""})
    assert found.exit_code == 2
    assert "two numbers of cards" in found.output


@pytest.mark.parametrize(("lang", "told"), [("en", "in training"), ("zh", "训练速度")])
def test_a_comparison_says_in_what_a_card_is_faster_and_how_sure_that_is(lang: str, told: str) -> None:
    first = run(f"compare 3090 4090 --lang {lang}").stdout.splitlines()[0]
    assert told in first
    assert re.search(r"1\.\d+[-–]2\.\d+", first), "its band"


def test_the_table_of_this_machine_is_all_that_a_program_reads(capsys: pytest.CaptureFixture[str]) -> None:
    box = Box(cards=(), ram_gib=32.0, looked=("nvidia-smi",))
    assert tell(Shape.CSV, Saying("en"), box) == 1
    told = capsys.readouterr()
    assert next(csv.reader(io.StringIO(told.out)))[:2] == ["gpu", "task"]
    assert "No graphics card" in told.err
