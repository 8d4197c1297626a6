"""Prices from other catalogues: SkyPilot and gpuhunt CSV files become offers, compared before anything is written.

Per provider, card and terms the cheapest single-card price of the file is taken, with its region. Rows that name no
known card are counted, not guessed. One bad file or row never blocks the others.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from advisor.catalog import Catalog
from advisor.errors import BadData, Problem

COLUMNS = (
    "id", "provider", "gpu", "quoted_as", "pricing_model", "tier", "low", "high", "currency", "unit", "cards", "market",
    "region", "as_of", "as_of_precision", "confidence", "historical", "source", "note",
)  # fmt: skip
_SKYPILOT = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price"}
_GPUHUNT = {"instance_name", "price", "gpu_count", "gpu_name"}
_DEAREST = Decimal(200)  # USD per card and hour; nothing real is dearer, so such a row is a fault of the file


@dataclass(frozen=True, slots=True)
class Quote:
    """One usable row of a foreign catalogue."""

    gpu: str
    quoted_as: str
    pricing_model: str
    price: Decimal
    region: str


@dataclass(slots=True)
class Import:
    """What a file would bring: rows by id, and what was left out."""

    provider: str
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def _decimal(text: str | None) -> Decimal | None:
    try:
        value = Decimal((text or "").strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and value > 0 else None


def _per_card(price: str | None, count: str | None) -> Decimal | None:
    amount, cards = _decimal(price), _decimal(count)
    if amount is None or cards is None or cards < 1:
        return None
    return amount / cards


def _skypilot(row: Mapping[str, str]) -> Iterable[tuple[str, str, Decimal | None, str]]:
    name, count, region = row["AcceleratorName"], row["AcceleratorCount"], row.get("Region") or ""
    yield name, "on_demand", _per_card(row["Price"], count), region
    if row.get("SpotPrice"):
        yield name, "spot", _per_card(row["SpotPrice"], count), region


def _gpuhunt(row: Mapping[str, str]) -> Iterable[tuple[str, str, Decimal | None, str]]:
    terms = "spot" if (row.get("spot") or "").casefold() == "true" else "on_demand"
    name = row["gpu_name"]
    memory = _decimal(row.get("gpu_memory"))
    if memory is not None:
        name = f"{name} {memory.normalize():f}GB"
    yield name, terms, _per_card(row["price"], row["gpu_count"]), row.get("location") or ""


def _card(catalog: Catalog, name: str) -> str | None:
    """Id of the card a foreign name means: with its memory first, then without."""
    for spelling in (name, name.rsplit(" ", 1)[0], name.replace("-", " ")):
        found = catalog.find_gpu(spelling)
        if found is not None:
            return found.id
    return None


def read_prices(path: Path, provider: str, catalog: Catalog, *, as_of: date, source: str) -> Import:
    """Read one file; the format is known by its columns.

    Args:
        path: CSV of SkyPilot's catalogue or of gpuhunt.
        provider: id in providers.yaml that all rows belong to.
        catalog: knows cards and providers.
        as_of: day of the prices.
        source: id in sources.yaml to cite.

    Raises:
        BadData: the file cannot be read, has another format, or names an unknown provider or source.
    """
    if provider not in catalog.providers:
        raise BadData([Problem(str(path), 1, f"no provider {provider!r} in providers.yaml")])
    if source not in catalog.sources:
        raise BadData([Problem(str(path), 1, f"no source {source!r} in sources.yaml: add a record first")])
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read: {type(error).__name__}")]) from None
    reader = csv.DictReader(io.StringIO(text))
    columns = set(reader.fieldnames or ())
    if columns >= _SKYPILOT:
        split = _skypilot
    elif columns >= _GPUHUNT:
        split = _gpuhunt
    else:
        raise BadData([Problem(str(path), 1, "neither SkyPilot's nor gpuhunt's columns")])
    result = Import(provider)
    cheapest: dict[tuple[str, str], Quote] = {}
    for number, row in enumerate(reader, 2):
        for name, terms, price, region in split(row):
            _take(result, cheapest, catalog, (str(path), number), name, terms, price, region)
    for quote in cheapest.values():
        made = _row(result.provider, quote, as_of, source)
        result.rows[made["id"]] = made
    return result


def _take(
    result: Import,
    cheapest: dict[tuple[str, str], Quote],
    catalog: Catalog,
    where: tuple[str, int],
    name: str,
    terms: str,
    price: Decimal | None,
    region: str,
) -> None:
    if not name.strip():
        return  # a machine without an accelerator
    card = _card(catalog, name)
    if card is None:
        result.unknown[name] = result.unknown.get(name, 0) + 1
        return
    if price is None or price > _DEAREST:
        result.problems.append(Problem(*where, f"no believable price for {name}"))
        return
    known = cheapest.get((card, terms))
    if known is None or price < known.price:
        cheapest[card, terms] = Quote(card, name, terms, price, region)


def _row(provider: str, quote: Quote, as_of: date, source: str) -> dict[str, str]:
    amount = f"{quote.price:.4f}".rstrip("0").rstrip(".")
    values = (
        f"{provider}-{quote.gpu}-{quote.pricing_model}-import-{as_of:%Y-%m}", provider, quote.gpu, quote.quoted_as,
        quote.pricing_model, "", amount, amount, "USD", "gpu_hour", "1", "US", quote.region, as_of.isoformat(), "day",
        "B", "no", source, "cheapest single-card price of the imported file",
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


@dataclass(frozen=True, slots=True)
class Difference:
    """What an import changes in prices.csv."""

    added: tuple[dict[str, str], ...]
    changed: tuple[tuple[dict[str, str], dict[str, str]], ...]
    same: int


def compare(rows: Mapping[str, dict[str, str]], prices: Path) -> Difference:
    """Against the file as it stands, by id."""
    with prices.open(encoding="utf-8", newline="") as handle:
        known = {row["id"]: row for row in csv.DictReader(handle)}
    added = tuple(row for key, row in rows.items() if key not in known)
    changed = tuple((known[key], row) for key, row in rows.items() if key in known and known[key]["low"] != row["low"])
    return Difference(added, changed, len(rows) - len(added) - len(changed))


def write(rows: Mapping[str, dict[str, str]], prices: Path) -> None:
    """Put the rows into prices.csv: replaced by id, new ones at the end; all other lines stay byte by byte.

    The file is written beside and swapped in one step.
    """
    lines = prices.read_text(encoding="utf-8").splitlines()
    columns = next(csv.reader(lines[:1]))

    def line_of(row: dict[str, str]) -> str:
        out = io.StringIO()
        csv.DictWriter(out, columns, restval="", lineterminator="").writerow(row)
        return out.getvalue()

    left = dict(rows)
    standing = []
    for line in lines:
        row = left.pop(line.split(",", 1)[0], None)
        standing.append(line_of(row) if row else line)
    standing += [line_of(row) for row in left.values()]
    beside = prices.with_suffix(".csv.new")
    beside.write_text("\n".join(standing) + "\n", encoding="utf-8")
    beside.replace(prices)
