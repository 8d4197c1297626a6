"""`reports export`: measurements told in chats, in the columns of the calibration files, for a person to look at."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.chat_reports import cases_in, memory_table, rate_table
from bot.core.reports import Cases
from bot.settings import Settings
from bot.stores import open_store


def export(out: Path, address: str) -> str:
    """Write both tables into a folder; gives a line about how many cases there are."""
    cases = asyncio.run(_kept(address or Settings().store))
    out.mkdir(parents=True, exist_ok=True)
    (out / "memory_cases.csv").write_text(memory_table(cases.held), encoding="utf-8")
    (out / "throughput_cases.csv").write_text(rate_table(cases.held), encoding="utf-8")
    return f"{len(cases.held)} cases written to {out}"


async def _kept(address: str) -> Cases:
    store = open_store(address)
    await store.open()
    try:
        return await cases_in(store)
    finally:
        await store.close()
