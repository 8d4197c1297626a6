"""`prices import` and `prices refresh`: what other catalogues would change is shown, and written on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import yaml
from pydantic import ValidationError

from advisor.catalog import Catalog, load_catalog
from advisor.catalog_files import DATA
from advisor.errors import BadData, Problem
from advisor.imports import Difference, compare, read_line, read_prices, rows_in, write
from advisor.jumps import Jump, set_apart
from advisor.refresh import Feeds, Outcome, keep, quarantine, quarantine_of, refresh

SKIPPED: Final = "skipped: "
"""What a line about a whole file or typed line that was not taken begins with."""
_SECONDS: Final = 30
_MOST_BYTES: Final = 64 * 2**20


def import_files(
    files: list[Path],
    provider: str,
    source: str,
    as_of: date,
    lines: Iterable[str] = (),
    *,
    really: bool,
    accepted: Iterable[str] = (),
    prices: Path = DATA / "prices.csv",
) -> Iterator[str]:
    """One report line for each finding. A bad file or line is named and the next one is read.

    A price that jumped is named and waits in quarantine, unless its id is accepted.
    """
    catalog = load_catalog()
    rows: dict[str, dict[str, str]] = {}
    for path in files:
        try:
            found = read_prices(path, provider, catalog, as_of=as_of, source=source)
        except BadData as error:
            yield f"{SKIPPED}{error}"
            continue
        rows |= found.rows
        yield from (f"left out: {problem}" for problem in found.problems)
        for name, count in sorted(found.unknown.items()):
            yield f"unknown card: {name} ({count} rows)"
    typed, skipped = _typed(lines, catalog)
    yield from skipped
    rows |= typed
    calm, jumps = set_apart(rows.values(), rows_in(prices), catalog, accepted)
    kept = {row["id"]: row for row in calm}
    yield from _told(compare(kept, prices))
    yield from map(_waiting, jumps)
    if really and kept:
        write(kept, prices)
        yield "written; run `python -m bot check`"
    elif kept:
        yield "nothing written: add --write"
    if really:
        quarantine(jumps, prices, kept)


def _typed(lines: Iterable[str], catalog: Catalog) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Rows of typed lines by id, and what is wrong with the others."""
    rows: dict[str, dict[str, str]] = {}
    skipped: list[str] = []
    for line in lines:
        try:
            row = read_line(line, catalog)
        except BadData as error:
            skipped.append(f"{SKIPPED}{error}")
        else:
            rows[row["id"]] = row
    return rows, skipped


def _waiting(jump: Jump) -> str:
    """A price that stands apart, what it was held against, and what to do with it."""
    new = jump.new
    amount = (
        f"{new['low']} {new['currency']}"
        if new["low"] == new["high"]
        else f"{new['low']}-{new['high']} {new['currency']}"
    )
    moved = f"{jump.old['low']} -> {amount}" if jump.old else f"{amount} a {new['unit']}"
    times = "" if jump.times == 1 else f"{jump.times:.2f} times "
    return f"quarantine: {new['id']} {moved} ({times}{jump.why}): look at it, then --accept {new['id']}"


def _told(difference: Difference) -> Iterator[str]:
    for row in difference.added:
        yield f"+ {row['provider']} {row['gpu']} {row['pricing_model']} {row['low']} {row['currency']}"
    for old, new in difference.changed:
        yield f"~ {new['provider']} {new['gpu']} {new['pricing_model']} {old['low']} -> {new['low']} {new['currency']}"
    yield f"{len(difference.added)} new, {len(difference.changed)} changed, {difference.same} the same"


# --- on a schedule ---------------------------------------------------------------------------------------------------


def load_feeds(path: Path) -> Feeds:
    """The file of feeds.

    Raises:
        BadData: it cannot be read or is not what it must be.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Feeds.model_validate(content)
    except OSError as error:
        raise BadData([Problem(str(path), 1, f"cannot be read: {type(error).__name__}")]) from None
    except yaml.YAMLError:
        raise BadData([Problem(str(path), 1, "is no YAML")]) from None
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise BadData([Problem(str(path), 1, fault) for fault in faults]) from None


def fetched(address: str) -> str:
    """The text behind an https address, or of a file.

    Raises:
        OSError: it cannot be had.
        ValueError: another kind of address, no text, or too much of it.
    """
    if "://" not in address:
        return Path(address).read_text(encoding="utf-8-sig")
    if not address.startswith("https://"):
        raise ValueError("only https addresses and files are read")
    asked = Request(address, headers={"User-Agent": "xuanka-prices"})  # noqa: S310 - https alone, checked above
    with urlopen(asked, timeout=_SECONDS) as answer:  # noqa: S310 - https alone, checked above
        body: bytes = answer.read(_MOST_BYTES + 1)
    if len(body) > _MOST_BYTES:
        raise ValueError("larger than 64 MiB")
    return body.decode("utf-8-sig")


def refresh_prices(
    config: Path, data: Path | None, accepted: list[str], today: date, *, dry: bool
) -> tuple[Iterator[str], Outcome]:
    """One round over the configured feeds: its report, and what it brought (kept unless `dry`)."""
    directory = data or DATA
    prices = directory / "prices.csv"
    outcome = refresh(load_feeds(config), fetched, load_catalog(directory), prices, today=today, accepted=accepted)
    if not dry:
        keep(outcome, prices)
    return _report(outcome, prices, dry=dry), outcome


def _report(outcome: Outcome, prices: Path, *, dry: bool) -> Iterator[str]:
    yield from (f"left out: {note}" for note in outcome.notes)
    yield from (f"failed: {name}: {reason}" for name, reason in outcome.failed)
    yield from _told(outcome.difference)
    yield from map(_waiting, outcome.jumps)
    for card, days in outcome.stale:
        yield (
            f"alert: {card} has no dated price" if days < 0 else f"alert: the newest price of {card} is {days} days old"
        )
    if dry:
        yield "dry run: nothing written"
    elif outcome.jumps:
        yield f"{len(outcome.jumps)} waiting in {quarantine_of(prices).name}"
