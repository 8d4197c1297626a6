"""What one tree of the program costs: asked round by round by `tests.bench.compare`, for this tree and an earlier one.

    python tests/bench/probe.py TREE QUESTIONS

Imports everything from TREE and nothing from where this file lies. Says `{}` when it is ready. Then each line of its
input is a figure, each line of its output one round of that figure as JSON: microseconds of processor time a call or an
update (`reply`, `understand`, `updates`), or calls of Python and C a question (`calls`), which no other work on the
machine changes. A figure that the tree cannot give is `{}`.
"""

from __future__ import annotations

import cProfile
import json
import sys
import time
from collections.abc import Callable
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bot.core.message import IncomingMessage
    from bot.pipeline import Assistant

_UPDATES: Final = 240


class Probe:
    """One tree, warmed up once."""

    def __init__(self, texts: list[str]) -> None:
        """`texts`: the questions of each round."""
        self._texts = texts

    @cached_property
    def _assistant(self) -> Assistant:
        from bot.app import build_assistant

        return build_assistant(warm=True)

    @cached_property
    def _messages(self) -> list[IncomingMessage]:
        from tests.conftest import make_message

        return [make_message(text, chat_type="group") for text in self._texts]

    def _answer(self) -> None:
        from tests.conftest import NOW

        for message in self._messages:
            self._assistant.respond(message, None, NOW)

    def _understand(self) -> None:
        for text in self._texts:
            self._assistant.understander.understand(text)

    def reply(self) -> dict[str, float]:
        """From text to reply."""
        return {"reply": self._spent(self._answer)}

    def understand(self) -> dict[str, float]:
        """Understanding alone."""
        return {"understand": self._spent(self._understand)}

    def calls(self) -> dict[str, float]:
        """Calls of Python and of C that a reply and understanding make."""
        return {
            f"calls_{name}": _calls_of(work) / len(self._texts)
            for name, work in (("reply", self._answer), ("understand", self._understand))
        }

    def updates(self) -> dict[str, float]:
        """An update from the raw JSON of Telegram to the request that answers it, on a network that costs nothing."""
        spec = spec_from_file_location("echo_beside", Path(__file__).with_name("echo.py"))
        if spec is None or spec.loader is None:
            return {}
        echo = module_from_spec(spec)
        sys.modules[spec.name] = echo
        spec.loader.exec_module(echo)
        updates = echo._updates(self._texts)[:_UPDATES]
        return {f"update_{name}": pace.processor_us for name, pace in echo.paces(updates).items()}

    def _spent(self, work: Callable[[], object]) -> float:
        """Microseconds of processor time a question, all threads of the process together."""
        started = time.process_time()
        work()
        return (time.process_time() - started) * 1e6 / len(self._texts)


def _calls_of(work: Callable[[], object]) -> int:
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    return sum(int(entry.callcount) for entry in profile.getstats())


def main(tree: Path, questions: Path) -> None:
    """Answer what is asked until nothing more is."""
    sys.path[:0] = [str(tree)]
    probe = Probe(json.loads(questions.read_text(encoding="utf-8")))
    known = {"reply": probe.reply, "understand": probe.understand, "calls": probe.calls, "updates": probe.updates}
    print("{}", flush=True)
    for line in sys.stdin:
        try:
            found = known[line.strip()]()
        except (ImportError, AttributeError, TypeError) as error:
            print(f"{line.strip()}: {type(error).__name__}: {error}", file=sys.stderr)
            found = {}
        print(json.dumps({name: round(value, 1) for name, value in found.items()}), flush=True)


if __name__ == "__main__":
    sys.path = [one for one in sys.path if Path(one or ".").resolve() != Path(__file__).resolve().parent]
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
