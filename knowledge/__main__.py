"""Command line of the knowledge base: search, batch, coverage, check, age. `python -m knowledge --help`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from knowledge.store import load_library


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit status says whether all was well."""
    parser = argparse.ArgumentParser(prog="python -m knowledge", description="Passages about choosing GPUs.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("search", help="the passages that answer a question")
    one.add_argument("question")
    one.add_argument("--lang", choices=("zh", "en"), help="language of the text shown (that of the question)")
    one.add_argument("--full", action="store_true", help="show full texts")
    many = commands.add_parser("batch", help='JSON lines {"id", "question"} in, hits out')
    many.add_argument("file", help="a file, or - for standard input")
    page = commands.add_parser("coverage", help="where each row of the fact list is answered")
    page.add_argument("--write", action="store_true", help="write knowledge/COVERAGE.md")
    commands.add_parser("check", help="every fault of the files, with file and line")
    commands.add_parser("age", help="passages in the order in which they want a fresh look")
    options = parser.parse_args(arguments)
    if options.command == "search":
        return _search(options.question, options.lang, options.full)
    if options.command == "batch":
        return _batch(options.file)
    if options.command == "coverage":
        return _coverage(options.write)
    return _check() if options.command == "check" else _age()


def _search(question: str, language: str | None, full: bool) -> int:
    library = load_library()
    language = language or ("zh" if any("\u4e00" <= char <= "\u9fff" for char in question) else "en")
    hits = library.search(question)
    for hit in hits:
        passage = hit.passage
        texts = passage.texts(language)
        print(f"{hit.score:.3f}  {passage.id}  {passage.title.get(language)}  ({passage.as_of.date})")
        print(f"       {texts.full if full else texts.short}")
    if not hits:
        print("not in the documents; nearest:")
        for hit in library.nearest(question):
            print(f"{hit.score:.3f}  {hit.passage.id}  {hit.passage.title.get(language)}")
    return 0 if hits else 1


def _batch(file: str) -> int:
    library = load_library()
    lines = sys.stdin if file == "-" else Path(file).read_text(encoding="utf-8").splitlines()
    for line in lines:
        if not line.strip():
            continue
        record = json.loads(line)
        hits = [
            {"passage": hit.passage.id, "score": hit.score, "covers": list(hit.passage.covers)}
            for hit in library.search(str(record["question"]))
        ]
        print(json.dumps({"id": record.get("id"), "hits": hits}, ensure_ascii=False))
    return 0


def _coverage(write: bool) -> int:
    from knowledge.coverage import PAGE, coverage, render_page, unanswered

    rows = coverage()
    if write:
        PAGE.write_text(render_page(rows), encoding="utf-8")
    missing = unanswered(rows)
    answerable = sum(covered.row.answerable for covered in rows)
    print(f"{len(rows)} rows, {answerable} answerable, {answerable - len(missing)} answered")
    for row in missing:
        print(f"{row}: nothing answers it")
    return 1 if missing else 0


def _check() -> int:
    from knowledge.checks import check_library

    problems = check_library()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def _age() -> int:
    from knowledge.checks import age_report

    for aged in age_report():
        print(aged)
    return 0


if __name__ == "__main__":
    sys.exit(main())
