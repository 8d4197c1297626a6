"""The validation page: how far off each model is, on which cases, and where not to trust it.

Each module of the advisor that predicts contributes a section (`advisor.validation_<module>.section() -> str`). The
page is a pure function of code, calibration and the published cases kept with the tests, so a test can tell whether
the committed page is current.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

PAGE = Path(__file__).parent / "VALIDATION.md"
CASES = Path(__file__).parents[1] / "tests" / "evaluation"
PEERS = CASES / "peers.md"
"""Other calculators on the same cases, as `python -m tests.bench.peers --write` wrote it."""
_SECTIONS = ("advisor.validation_memory", "advisor.validation_throughput")

_HEAD = """# How true the estimates are

Made by `python -m advisor validation --write` from the published cases in `tests/evaluation`; a test fails when this
page is not current. Errors are of predicted against reported; "in band" counts reports inside the 90 % band.
"""


def render() -> str:
    """The whole page. Raises BadData when the case files are not there (they live with the tests)."""
    parts = [_HEAD]
    for name in _SECTIONS:
        if find_spec(name) is not None:
            parts.append(import_module(name).section())
    if PEERS.exists():
        parts.append(PEERS.read_text(encoding="utf-8"))
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def write() -> Path:
    """Write the page beside this module and say where."""
    PAGE.write_text(render(), encoding="utf-8")
    return PAGE
