"""`prices import`: shows what other catalogues would change, and writes it on request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from advisor.catalog import load_catalog
from advisor.catalog_files import DATA
from advisor.errors import BadData
from advisor.imports import compare, read_prices, write


def import_files(files: list[Path], provider: str, source: str, as_of: date, *, really: bool) -> Iterator[str]:
    """One report line for each finding. A bad file is named and the next one is read."""
    catalog = load_catalog()
    prices = DATA / "prices.csv"
    rows: dict[str, dict[str, str]] = {}
    for path in files:
        try:
            found = read_prices(path, provider, catalog, as_of=as_of, source=source)
        except BadData as error:
            yield f"skipped: {error}"
            continue
        rows |= found.rows
        yield from (f"left out: {problem}" for problem in found.problems)
        for name, count in sorted(found.unknown.items()):
            yield f"unknown card: {name} ({count} rows)"
    difference = compare(rows, prices)
    for row in difference.added:
        yield f"+ {row['provider']} {row['gpu']} {row['pricing_model']} {row['low']} {row['currency']}"
    for old, new in difference.changed:
        yield f"~ {new['provider']} {new['gpu']} {new['pricing_model']} {old['low']} -> {new['low']} {new['currency']}"
    yield f"{len(difference.added)} new, {len(difference.changed)} changed, {difference.same} the same"
    if really and rows:
        write(rows, prices)
        yield "written; run `python -m bot check`"
    elif rows:
        yield "nothing written: add --write"
