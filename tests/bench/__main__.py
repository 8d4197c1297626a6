"""Runs all benchmarks side by side in one process tree and prints one JSON line for each figure."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = ROOT / "tests" / "evaluation"


def show(name: str, value: float, unit: str, note: str = "") -> None:
    """One figure."""
    line: dict[str, Any] = {"name": name, "value": round(value, 4), "unit": unit}
    if note:
        line["note"] = note
    print(json.dumps(line, ensure_ascii=False), flush=True)


def timed(run: Callable[[Any], object], items: list[Any], rounds: int = 5) -> list[float]:
    """Microseconds of each call, sorted; the first round warms up and is not counted."""
    for item in items:
        run(item)
    times = []
    for _ in range(rounds):
        for item in items:
            times.append(_once(run, item))
    return sorted(times)


def _once(run: Callable[[Any], object], item: Any) -> float:
    start = time.perf_counter_ns()
    run(item)
    return (time.perf_counter_ns() - start) / 1000


def at(times: list[float], share: float) -> float:
    """The time below which this share of calls stays."""
    return times[min(len(times) - 1, int(len(times) * share))]


def questions() -> list[dict[str, Any]]:
    """The labelled questions that stand alone, both languages."""
    lines = [line for path in sorted(QUESTIONS.glob("questions_dev_*.jsonl")) for line in path.open(encoding="utf-8")]
    return [record for record in map(json.loads, lines) if not record.get("context")]


def bench_reply() -> None:
    """Text to reply, and understanding alone, over the labelled questions."""
    from bot.app import build_assistant
    from tests.conftest import NOW, make_message

    started = time.perf_counter()
    assistant = build_assistant(warm=True)
    show("start_s", time.perf_counter() - started, "s", "everything loaded: library, handlers, templates")
    texts = [record["text"] for record in questions()]
    messages = [make_message(text, chat_type="group") for text in texts]
    first = sorted(_once(lambda message: assistant.respond(message, None, NOW), message) for message in messages)
    show("reply_first_p50_us", at(first, 0.5), "us", "each question asked once, right after the start")
    show("reply_first_p99_us", at(first, 0.99), "us")
    replies = timed(lambda message: assistant.respond(message, None, NOW), messages)
    show("reply_p50_us", at(replies, 0.5), "us", f"group form, {len(texts)} labelled questions of all intents")
    show("reply_p99_us", at(replies, 0.99), "us")
    show("reply_mean_us", statistics.fmean(replies), "us")
    understand = timed(assistant.understander.understand, texts)
    show("understand_p50_us", at(understand, 0.5), "us")
    show("understand_p99_us", at(understand, 0.99), "us")
    advice = [make_message("which GPU for BERT fine-tuning?"), make_message("\u9884\u7b97\u4e00\u4e07\u8dd1 7b lora")]
    recommend = timed(lambda message: assistant.respond(message, None, NOW), advice, rounds=50)
    show("recommend_p50_us", at(recommend, 0.5), "us", "a whole recommendation from text to reply, flips included")


def bench_understander() -> None:
    """Loading language understanding in a new process, beyond Python, pydantic and the catalogue."""
    code = (
        "import mmap,time;from pathlib import Path;from advisor.catalog import load_catalog;"
        "import bot.core.languages,bot.core.intents;"
        "held=lambda: int(Path('/proc/self/statm').read_text().split()[1])*mmap.PAGESIZE/2**20;"
        "catalog=load_catalog();before=held();t=time.perf_counter();"
        "from bot.understand.load import load_understander;kept=load_understander(catalog);"
        "print(time.perf_counter()-t,held()-before)"
    )
    runs = []
    for _ in range(5):
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
        runs.append([float(part) for part in out.stdout.split()])
    show("understander_load_s", statistics.median(seconds for seconds, _ in runs), "s", "imports and data")
    show("understander_mb", max(megabytes for _, megabytes in runs), "MB", "resident memory it adds (Linux)")


def bench_search() -> None:
    """Passage search at 10,000 and 100,000 passages."""
    from knowledge.bench import synthetic_library

    asked = [json.loads(line)["question"] for line in (QUESTIONS / "passages_dev_zh.jsonl").open(encoding="utf-8")]
    asked += [json.loads(line)["question"] for line in (QUESTIONS / "passages_dev_en.jsonl").open(encoding="utf-8")]
    for size, label in ((100, "100"), (10_000, "10k"), (100_000, "100k")):
        library = synthetic_library(size)
        times = timed(lambda query, found=library: found.search(query, "zh", limit=3), asked, rounds=3)
        show(f"search_p50_us_{label}", at(times, 0.5), "us", f"p99 {at(times, 0.99):.0f} us")


def _children(code: str, runs: int = 5) -> Iterator[tuple[float, float]]:
    """Seconds and peak MB of fresh interpreters."""
    probe = (
        "import resource,subprocess,sys,time;t=time.perf_counter();"
        f"subprocess.run([sys.executable,*{code!r}.split('|')],stdout=subprocess.DEVNULL,check=True);"
        "print(time.perf_counter()-t, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024)"
    )
    for _ in range(runs):
        out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT)
        seconds, megabytes = out.stdout.split()
        yield float(seconds), float(megabytes)


def bench_cold() -> None:
    """A cold `python -m bot ask`."""
    runs = list(_children("-m|bot|ask|which GPU for BERT fine-tuning?"))
    show("ask_cold_s", statistics.median(seconds for seconds, _ in runs), "s", "new process, caches of files warm")
    show("rss_mb", max(megabytes for _, megabytes in runs), "MB", "peak of that process")


def main() -> None:
    """Everything, in order."""
    bench_reply()
    bench_understander()
    bench_search()
    bench_cold()
    from tests.bench.bounds import bench_bounds

    bench_bounds()
    try:
        from tests.bench.echo import bench_echo
    except ImportError as error:
        print(f"echo_ratio needs the telegram extra: {error}", file=sys.stderr)
        return
    bench_echo()


if __name__ == "__main__":
    main()
