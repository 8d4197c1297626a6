"""What one tree of the program costs, in processor time: run by `tests.bench.compare` for this tree and an earlier one.

    python tests/bench/probe.py TREE

Imports everything from TREE and nothing from where this file lies, and prints one JSON object: microseconds a call or
an update by name. Figures that the tree cannot give are left out.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

_QUESTIONS: Final = 240
_UPDATES: Final = 240


def questions(tree: Path) -> list[str]:
    """Labelled questions that stand alone, evenly over the files of the tree, always the same ones."""
    lines = [
        json.loads(line)
        for path in sorted((tree / "tests" / "evaluation").glob("questions_dev_*.jsonl"))
        for line in path.open(encoding="utf-8")
    ]
    texts = [record["text"] for record in lines if not record.get("context")]
    return texts[:: max(1, len(texts) // _QUESTIONS)][:_QUESTIONS]


def spent(work: Callable[[], object], count: int) -> float:
    """Microseconds of processor time a call, all threads of the process together."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1e6 / count


def replies(texts: list[str]) -> dict[str, float]:
    """Understanding, and text to reply, each question asked once after a first round that warms up."""
    from bot.app import build_assistant
    from tests.conftest import NOW, make_message

    assistant = build_assistant(warm=True)
    messages = [make_message(text, chat_type="group") for text in texts]

    def answer() -> None:
        for message in messages:
            assistant.respond(message, None, NOW)

    def understand() -> None:
        for text in texts:
            assistant.understander.understand(text)

    found = {}
    for name, work in (("reply", answer), ("understand", understand)):
        work()
        found[name] = statistics.median(spent(work, len(texts)) for _ in range(3))
    return found


def road(texts: list[str]) -> dict[str, float]:
    """An update from the raw JSON of Telegram to the request that answers it, on a network that costs nothing."""
    spec = spec_from_file_location("echo_beside", Path(__file__).with_name("echo.py"))
    if spec is None or spec.loader is None:
        return {}
    echo = module_from_spec(spec)
    sys.modules[spec.name] = echo
    spec.loader.exec_module(echo)
    return {f"update_{name}": pace.processor_us for name, pace in echo.paces(echo._updates(texts)[:_UPDATES]).items()}


def main(tree: Path) -> None:
    """All figures that this tree can give."""
    sys.path[:0] = [str(tree)]
    texts = questions(tree)
    found: dict[str, float] = {}
    for part in (replies, road):
        try:
            found |= part(texts)
        except (ImportError, AttributeError, TypeError) as error:
            print(f"{part.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    print(json.dumps({name: round(value, 1) for name, value in found.items()}))


if __name__ == "__main__":
    sys.path = [one for one in sys.path if Path(one or ".").resolve() != Path(__file__).resolve().parent]
    main(Path(sys.argv[1]).resolve())
