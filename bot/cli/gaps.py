"""`gaps`: what could not be answered, by shape, similar shapes together."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import Final

from rapidfuzz import fuzz

from bot.desk import FEEDBACK, GAP_TEXTS, GAPS
from bot.settings import load_settings
from bot.stores import open_store

_ALIKE: Final = 85.0  # similarity from which two shapes are one gap; a shape inside a longer one is not the same gap


def _clusters(counts: dict[str, int]) -> list[tuple[str, int, list[str]]]:
    """Shapes gathered under the most frequent alike one: (shape, total, members)."""
    found: list[tuple[str, int, list[str]]] = []
    for shape, total in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        for index, (head, count, members) in enumerate(found):
            if fuzz.token_sort_ratio(head, shape) >= _ALIKE:
                found[index] = (head, count + total, [*members, shape])
                break
        else:
            found.append((shape, total, [shape]))
    return sorted(found, key=lambda item: (-item[1], item[0]))


async def _read(address: str) -> tuple[dict[str, int], dict[str, object], dict[str, int]]:
    store = open_store(address)
    await store.open()
    try:
        counts = await store.counts(GAPS)
        texts = {shape: await store.get(f"{GAP_TEXTS}:{shape}") for shape in counts}
        feedback = await store.counts(FEEDBACK)
    finally:
        await store.close()
    return counts, texts, feedback


def report(kind: str) -> str:
    """The gaps as Markdown or CSV. Example texts appear only where an operator switched keeping them on.

    Raises:
        StoreUnavailable: the store cannot be read.
    """
    counts, texts, feedback = asyncio.run(_read(load_settings().store))
    rows = [(total, shape, len(members), _example(members, texts)) for shape, total, members in _clusters(counts)]
    if kind == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["times", "shape", "variants", "example"])
        writer.writerows([total, shape, variants, _harmless(example)] for total, shape, variants, example in rows)
        return out.getvalue().rstrip()
    if not rows and not feedback:
        return "No unanswered questions so far."
    lines = ["| times | shape | variants | example |", "|---|---|---|---|"]
    lines += [
        f"| {total} | `{shape}` | {variants} | {_one_cell(example)} |" for total, shape, variants, example in rows
    ]
    return "\n".join([*lines, *_feedback(feedback)])


def _feedback(counts: dict[str, int]) -> list[str]:
    """Marks of users per intent and data version, the least helpful first."""
    marks: dict[tuple[str, str], dict[str, int]] = {}
    for field, total in counts.items():
        intent, version, mark = field.rsplit("|", 2)
        marks.setdefault((intent, version), {"good": 0, "bad": 0})[mark] = total
    if not marks:
        return []
    order = sorted(marks.items(), key=lambda item: (item[1]["good"] - item[1]["bad"], item[0]))
    return [
        "",
        "| intent | data version | helpful | not helpful |",
        "|---|---|---|---|",
        *(f"| {intent} | {version} | {one['good']} | {one['bad']} |" for (intent, version), one in order),
    ]


def _example(members: list[str], texts: dict[str, object]) -> str:
    return next((str(texts[shape]) for shape in members if texts.get(shape)), "")


def _harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text


def _one_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
