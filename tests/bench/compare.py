"""This tree beside an earlier commit, in one run: `python -m tests.bench.compare [REVISION] [--write]`.

Both answer the same questions in turn, a round of the one and a round of the other, in processor time; each pair of
rounds gives a ratio, so that what a machine is and what else it does falls out. A figure is the middle of its ratios,
and a loss is named where the middle is 15 % or more and three of four pairs bear it out. Calls are counted, too: they
are the same on every machine, and a busy one changes nothing. `--write` adds a line to the history.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Final, Protocol

ROOT: Final = Path(__file__).resolve().parents[2]
HISTORY: Final = ROOT / "tests" / "bench" / "history.jsonl"
PROBE: Final = Path(__file__).with_name("probe.py")
LOSS: Final = 1.15
_FOLDERS: Final = ("advisor", "bot", "knowledge", "templates", "tests", "pyproject.toml")
_QUESTIONS: Final = 120
_WARM_UP: Final = ("reply", "understand")
_ROUNDS: Final = {"reply": 11, "understand": 11, "calls": 1, "updates": 3}
"""How often each figure is measured on both sides: an update starts a service anew, and what is counted varies by
nothing."""

Rounds = Mapping[str, Sequence[float]]
"""By figure one value a round."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Now over before: the middle of all pairs of rounds, and from where on three of four pairs are."""

    middle: float
    least: float

    @property
    def lost(self) -> bool:
        """Whether a loss can be believed: large enough, and borne out by most pairs."""
        return self.middle >= LOSS and self.least >= (1 + LOSS) / 2


def ratios(now: Rounds, before: Rounds) -> dict[str, Ratio]:
    """By figure that both sides give."""
    found: dict[str, Ratio] = {}
    for name in (one for one in now if one in before):
        pairs = sorted(mine / theirs for mine, theirs in zip(now[name], before[name], strict=True))
        found[name] = Ratio(round(statistics.median(pairs), 3), round(pairs[len(pairs) // 4], 3))
    return found


def lines(found: Mapping[str, Ratio], revision: str) -> list[str]:
    """What the log says: every ratio, and each loss by its name."""
    told = [f"bench: {name} takes {one.middle:.2f} times as much as at {revision}" for name, one in found.items()]
    lost = [f"bench: LOSS of {one.middle - 1:.0%}: {name}" for name, one in found.items() if one.lost]
    return told + (lost or [f"bench: no figure lost {LOSS - 1:.0%} or more"])


def questions() -> list[str]:
    """Labelled questions that stand alone, evenly over the files, always the same ones."""
    listed = [
        json.loads(line)
        for path in sorted((ROOT / "tests" / "evaluation").glob("questions_dev_*.jsonl"))
        for line in path.open(encoding="utf-8")
    ]
    texts = [record["text"] for record in listed if not record.get("context")]
    return texts[:: max(1, len(texts) // _QUESTIONS)][:_QUESTIONS]


class Asked(Protocol):
    """What can be measured round by round."""

    def round(self, figure: str) -> dict[str, float]:
        """One round of a figure."""
        ...


class Side:
    """One tree in a process of its own, asked round by round."""

    def __init__(self, tree: Path, asked: Path, log: IO[str]) -> None:
        """Start it; what it has to complain of goes to `log`."""
        self._process = subprocess.Popen(
            [sys.executable, str(PROBE), str(tree), str(asked)],
            cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
        self._told()

    def round(self, figure: str) -> dict[str, float]:
        """One round of a figure. Raises OSError where the process is gone."""
        if self._process.stdin is None:
            raise OSError("nothing listens")
        self._process.stdin.write(f"{figure}\n")
        self._process.stdin.flush()
        return self._told()

    def _told(self) -> dict[str, float]:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if not line:
            raise OSError("it ended")
        found: dict[str, float] = json.loads(line)
        return found

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def measured(now: Asked, before: Asked) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Every round of both sides, in turn, each side first as often as second."""
    found: tuple[dict[str, list[float]], dict[str, list[float]]] = ({}, {})
    for side in (now, before):
        for figure in _WARM_UP:
            side.round(figure)
    for figure, rounds in _ROUNDS.items():
        for number in range(rounds):
            order = ((now, found[0]), (before, found[1]))
            for side, kept in order if number % 2 else reversed(order):
                for name, value in side.round(figure).items():
                    kept.setdefault(name, []).append(value)
    return found


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def _compared(tree: Path) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Rounds of this tree and of an earlier one. Raises OSError, saying why, where one cannot be measured."""
    sides: list[Side] = []
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "questions.json"
        asked.write_text(json.dumps(questions()), encoding="utf-8")
        with (Path(folder) / "log").open("w+", encoding="utf-8") as log:
            try:
                for one in (ROOT, tree):
                    sides.append(Side(one, asked, log))
                return measured(*sides)
            except OSError as error:
                log.seek(0)
                raise OSError(f"{error}: {log.read().strip()[-300:]}") from error
            finally:
                for side in sides:
                    side.close()


def main(arguments: list[str]) -> int:
    """Measure, tell, and write where asked. A loss is named and fails nothing: whoever reads the log decides."""
    revision = next((one for one in arguments if not one.startswith("-")), "HEAD~1")
    try:
        name = _git("rev-parse", "--short", revision).decode().strip()
        packed = _git("archive", revision, *_FOLDERS)
    except (OSError, subprocess.CalledProcessError):
        print(f"bench: there is no commit {revision} here to compare with", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        try:
            now, before = _compared(Path(folder))
        except OSError as error:
            print(f"bench: {name} cannot be measured as this tree is: {error}", file=sys.stderr)
            return 0
    found = ratios(now, before)
    print("\n".join(lines(found, name)))
    if "--write" in arguments:
        record = {
            "day": datetime.now(UTC).date().isoformat(),
            "commit": _git("rev-parse", "--short", "HEAD").decode().strip(),
            "before": name,
            "ratios": {key: one.middle for key, one in found.items()},
            "processor_us": {key: round(statistics.median(now[key]), 1) for key in found},
        }
        with HISTORY.open("a", encoding="utf-8") as history:
            history.write(json.dumps(record) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
