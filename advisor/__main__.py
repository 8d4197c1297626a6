"""Command line of the advisor: `python -m advisor score memory|throughput FILE.csv` and `... validation [--write]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from advisor.errors import AdvisorError

_SCORERS = {"memory": "advisor.scoring_memory", "throughput": "advisor.scoring_throughput"}
"""Module per kind of case file; each has `score_file(path) -> lines`."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m advisor", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    score = commands.add_parser("score", help="predict every case of a CSV file, one JSON line each, then summaries")
    score.add_argument("kind", choices=sorted(_SCORERS))
    score.add_argument("file", type=Path)
    validation = commands.add_parser("validation", help="the validation page, made from the cases kept with the tests")
    validation.add_argument("--write", action="store_true", help="write VALIDATION.md instead of printing it")
    return parser


def _run(arguments: argparse.Namespace) -> Iterable[str]:
    if arguments.command == "score":
        lines: Iterable[str] = import_module(_SCORERS[arguments.kind]).score_file(arguments.file)
        return lines
    page = import_module("advisor.validation")
    if arguments.write:
        return (f"wrote {page.write()}",)
    return (page.render(),)


def main(argv: list[str] | None = None) -> int:
    """Run one command. 0 on success, 2 with one line per problem when input is faulty."""
    arguments = _parser().parse_args(argv)
    try:
        for line in _run(arguments):
            print(line)
    except AdvisorError as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
