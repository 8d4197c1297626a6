"""Prices taken in on a schedule: each feed for itself, jumps set aside for a person, old prices of popular cards told.

A feed is a file or an https address of one provider. A feed that fails is named and the others go on. A price that
moved further than its market ever does is kept in quarantine until somebody accepts it. Nothing here reaches for a
network: what fetches an address is given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from advisor.catalog import Catalog
from advisor.errors import AdvisorError, BadData
from advisor.imports import Difference, Import, compare, read_table, rows_in, write, write_all
from advisor.jumps import Jump, set_apart
from advisor.models import Frozen

Fetch = Callable[[str], str]
"""Text behind an address. Raises OSError when it cannot be had, ValueError when it must not or is no text."""


class Feed(Frozen):
    """One provider's price list."""

    name: str
    provider: str
    """Id in providers.yaml."""
    source: str
    """Id in sources.yaml: its url is the address that answers show."""
    address: str
    """https address or path of a CSV."""


class Feeds(Frozen):
    """Everything in the file of feeds."""

    feeds: tuple[Feed, ...]
    popular: tuple[str, ...] = ()
    """Gpu.id of cards whose newest price must not be old."""
    stale_days: int = 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round brought."""

    difference: Difference
    jumps: tuple[Jump, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    """Feeds that brought nothing, with the reason."""
    notes: tuple[str, ...] = ()
    """Rows that were left out, in words."""
    stale: tuple[tuple[str, int], ...] = ()
    """Popular cards whose newest price is too old, with its age in days; -1 where none is held."""
    rows: Mapping[str, dict[str, str]] = field(default_factory=dict)


def refresh(
    feeds: Feeds, fetch: Fetch, catalog: Catalog, prices: Path, *, today: date, accepted: Iterable[str] = ()
) -> Outcome:
    """One round over all feeds; nothing is written.

    Args:
        feeds: what is configured.
        fetch: brings the text behind an address.
        catalog: knows cards, providers, sources and rates.
        prices: the file that the rows are compared with.
        today: day of the prices.
        accepted: ids of rows whose jump a person has looked at.
    """
    known = rows_in(prices)
    rows: dict[str, dict[str, str]] = {}
    jumps: list[Jump] = []
    failed: list[tuple[str, str]] = []
    notes: list[str] = []
    for feed in feeds.feeds:
        try:
            found = _read(feed, fetch, catalog, today)
        except (AdvisorError, OSError, ValueError) as error:
            failed.append((feed.name, _reason(error)))
            continue
        notes += _left_out(feed, found)
        calm, wild = set_apart(found.rows.values(), known, catalog, accepted)
        rows |= {row["id"]: row for row in calm}
        jumps += wild
    stale = tuple(_stale(feeds, (*known.values(), *rows.values()), today))
    return Outcome(compare(rows, prices), tuple(jumps), tuple(failed), tuple(notes), stale, rows)


def keep(outcome: Outcome, prices: Path) -> None:
    """Write what a round brought: rows into the price file, jumps beside it for a person to look at."""
    if outcome.rows:
        write(outcome.rows, prices)
    quarantine(outcome.jumps, prices, outcome.rows)


def quarantine(jumps: Iterable[Jump], prices: Path, taken: Collection[str] = ()) -> None:
    """Put prices that jumped beside the price file, for a person to look at; what waits there goes on waiting.

    Args:
        jumps: the new ones.
        prices: the price file.
        taken: ids of rows that have been taken in since.
    """
    beside = quarantine_of(prices)
    waiting = rows_in(beside) if beside.exists() else {}
    waiting |= {jump.new["id"]: jump.new for jump in jumps}
    write_all((row for ident, row in waiting.items() if ident not in taken), beside)


def quarantine_of(prices: Path) -> Path:
    """Where prices wait that jumped."""
    return prices.with_name("prices.quarantine.csv")


def _read(feed: Feed, fetch: Fetch, catalog: Catalog, today: date) -> Import:
    found = read_table(fetch(feed.address), feed.address, feed.provider, catalog, as_of=today, source=feed.source)
    if not found.rows:
        raise BadData(found.problems) if found.problems else ValueError("holds no price of a known card")
    return found


def _reason(error: Exception) -> str:
    text = str(error).splitlines()
    return text[0] if text else type(error).__name__


def _left_out(feed: Feed, found: Import) -> Iterator[str]:
    yield from (f"{feed.name}: {problem}" for problem in found.problems)
    yield from (f"{feed.name}: unknown card {name} ({count} rows)" for name, count in sorted(found.unknown.items()))


def _stale(feeds: Feeds, rows: Iterable[dict[str, str]], today: date) -> Iterator[tuple[str, int]]:
    """Popular cards whose newest dated price is too old."""
    newest: dict[str, str] = {}
    for row in rows:
        if row["historical"] != "yes" and row["as_of_precision"] != "unknown":
            newest[row["gpu"]] = max(newest.get(row["gpu"], ""), row["as_of"])
    for card in feeds.popular:
        day = newest.get(card)
        age = (today - date.fromisoformat(day)).days if day else -1
        if age < 0 or age > feeds.stale_days:
            yield card, age
