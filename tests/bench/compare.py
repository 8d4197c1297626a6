"""This tree beside an earlier commit, in one run: `python -m tests.bench.compare [REVISION] [--write]`.

Both are measured one after the other and back again, in processor time, so that what a machine is and what else it does
falls out of the ratio. A figure that takes 15 % more than before is named. `--write` adds a line to the history.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
HISTORY: Final = ROOT / "tests" / "bench" / "history.jsonl"
PROBE: Final = Path(__file__).with_name("probe.py")
LOSS: Final = 1.15
_FOLDERS: Final = ("advisor", "bot", "knowledge", "templates", "tests", "pyproject.toml")


def ratios(now: Sequence[Mapping[str, float]], before: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Now over before by figure: the least of each side, since what disturbs a run only adds."""
    names = [name for name in now[0] if all(name in run for run in (*now, *before))]
    return {name: round(min(run[name] for run in now) / min(run[name] for run in before), 3) for name in names}


def lines(found: Mapping[str, float], revision: str) -> list[str]:
    """What the log says: every ratio, and each loss by its name."""
    told = [f"bench: {name} takes {ratio:.2f} times as much as at {revision}" for name, ratio in found.items()]
    lost = [f"bench: LOSS of {ratio - 1:.0%}: {name}" for name, ratio in found.items() if ratio >= LOSS]
    return told + (lost or [f"bench: no figure lost {LOSS - 1:.0%} or more"])


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def _measured(tree: Path) -> dict[str, float]:
    run = subprocess.run([sys.executable, str(PROBE), str(tree)], cwd=tree, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


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
            runs = [(tree, _measured(tree)) for tree in (Path(folder), ROOT, ROOT, Path(folder))]
        except subprocess.CalledProcessError as error:
            print(f"bench: {name} cannot be measured as this tree is: {error.stderr.strip()[-300:]}", file=sys.stderr)
            return 0
        now = [found for tree, found in runs if tree == ROOT]
        before = [found for tree, found in runs if tree != ROOT]
    found = ratios(now, before)
    print("\n".join(lines(found, name)))
    if "--write" in arguments:
        record = {
            "day": datetime.now(UTC).date().isoformat(),
            "commit": _git("rev-parse", "--short", "HEAD").decode().strip(),
            "before": name,
            "ratios": found,
            "processor_us": {key: round(statistics.median(run[key] for run in now), 1) for key in found},
        }
        with HISTORY.open("a", encoding="utf-8") as history:
            history.write(json.dumps(record) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
