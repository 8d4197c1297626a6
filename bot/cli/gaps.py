"""`gaps`: what could not be answered, by shape, similar shapes together."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import Any

from rapidfuzz import fuzz

from bot.desk import GAP_TEXTS, GAPS
from bot.settings import load_settings
from bot.stores import open_store

_ALIKE = 85.0  # token-set similarity from which two shapes are one gap


def _clusters(counts: dict[str, int]) -> list[tuple[str, int, list[str]]]:
    """Shapes gathered under the most frequent alike one: (shape, total, members)."""
    found: list[tuple[str, int, list[str]]] = []
    for shape, total in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        for index, (head, count, members) in enumerate(found):
            if fuzz.token_set_ratio(head, shape) >= _ALIKE:
                found[index] = (head, count + total, [*members, shape])
                break
        else:
            found.append((shape, total, [shape]))
    return sorted(found, key=lambda item: (-item[1], item[0]))


async def _read(address: str) -> tuple[dict[str, int], dict[str, Any]]:
    store = open_store(address)
    await store.open()
    try:
        counts = await store.counts(GAPS)
        texts = {shape: await store.get(f"{GAP_TEXTS}:{shape}") for shape in counts}
    finally:
        await store.close()
    return counts, texts


def report(kind: str) -> str:
    """The gaps as Markdown or CSV. Example texts appear only where an operator switched keeping them on."""
    counts, texts = asyncio.run(_read(load_settings().store))
    clusters = _clusters(counts)
    if kind == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["times", "shape", "variants", "example"])
        writer.writerows([total, shape, len(members), texts.get(shape) or ""] for shape, total, members in clusters)
        return out.getvalue().rstrip()
    lines = ["| times | shape | variants | example |", "|---|---|---|---|"]
    lines += [
        f"| {total} | `{shape}` | {len(members)} | {texts.get(shape) or ''} |" for shape, total, members in clusters
    ]
    return "\n".join(lines) if clusters else "No unanswered questions so far."
