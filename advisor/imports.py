"""Prices from elsewhere: catalogues of gpuhunt and SkyPilot, vendors' lists and typed lines become rows of prices.csv.

Per provider, card and terms the cheapest single-card price of a file is taken, with its region. Rows that name no known
card, or a name that fits cards of another memory, are counted, not guessed. One bad file or row never blocks the
others, and nothing is written before the difference is shown.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from statistics import median
from typing import Final

from advisor.catalog import Catalog
from advisor.errors import BadData, NoRate, Problem
from advisor.import_formats import LINE_FORM, Asked, Split, format_of, typed_line
from advisor.models import Gpu, PricingModel

COLUMNS: Final = (
    "id", "provider", "gpu", "quoted_as", "pricing_model", "tier", "low", "high", "currency", "unit", "cards", "market",
    "region", "as_of", "as_of_precision", "confidence", "historical", "source", "note",
)  # fmt: skip
_MARKET_OF: Final = {"CNY": "CN", "USD": "US", "EUR": "EU", "GBP": "UK"}
_BELIEVED: Final = {"gpu_hour": (Decimal("0.02"), Decimal(200)), "card": (Decimal(20), Decimal(200_000))}
"""US dollars between which a price of this unit lies; anything else is a fault of the file."""
_TERMS: Final = frozenset(one.value for one in PricingModel) - {"launch_price", "subscription"}
_UNIT_OF: Final = {"purchase_new": "card", "purchase_used": "card"}
"""Unit of terms on which a card is bought; on all others an hour is paid."""
_WIDEST: Final = 5
"""High end over low end of a price, above which a range says nothing."""
_CROWD: Final = 3
_ALONE: Final = 3
"""Of so many prices of one card on the same terms the cheapest is not believed where it is less than the middle by such
a factor: what is picked as the cheapest is picked from the faults of a file, too."""
_TEXT_MOST: Final = 120
_NOT_IN_ID: Final = re.compile(r"[^a-z0-9.]+")
_SAME_MEMORY: Final = 0.1
_MOST_BYTES: Final = 64 * 2**20


@dataclass(slots=True)
class Import:
    """What a file would bring: rows by id, and what was left out."""

    provider: str
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


_MARK: Final = "\ufeff"
"""Byte order mark that some tools write first."""


def card_of(catalog: Catalog, name: str, memory_gib: float | None) -> str | None:
    """Id of the card that a foreign name means; None when it is not known, or is a card of another memory.

    A name that fits several cards is resolved by the stated memory alone.
    """
    spellings = [name, name.replace("-", " "), name.replace("_", " ")]
    if memory_gib is not None:
        spellings = [f"{one} {memory_gib:g}GB" for one in spellings] + spellings
    for spelling in spellings:
        found = catalog.gpu_variants(spelling)
        fitting = [one for one in found if memory_gib is None or _holds(one.vram_gib, memory_gib)]
        sizes = {one.vram_gib for one in found}
        if fitting and (memory_gib is not None or len(sizes) == 1):
            return fitting[0].id
    return None


def _holds(vram_gib: float | None, memory_gib: float) -> bool:
    return vram_gib is not None and abs(vram_gib - memory_gib) <= _SAME_MEMORY * vram_gib


def read_prices(path: Path, provider: str, catalog: Catalog, *, as_of: date, source: str) -> Import:
    """Read one file; the format is known by its columns.

    Args:
        path: CSV of SkyPilot's catalogue, of gpuhunt, or of a vendor (gpu, price, currency, unit, terms).
        provider: id in providers.yaml that all rows belong to.
        catalog: knows cards and providers.
        as_of: day of the prices.
        source: id in sources.yaml to cite; its url is the address of the prices.

    Raises:
        BadData: the file cannot be read, has another format, or names an unknown provider or source.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadData([Problem(str(path), 1, "larger than 64 MiB")])
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read: {type(error).__name__}")]) from None
    return read_table(text, str(path), provider, catalog, as_of=as_of, source=source)


def _layout(columns: list[str], where: str) -> Split:
    """How a row of a file with these columns is read. Raises BadData for columns of no known file."""
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise BadData([Problem(where, 1, f"columns named twice: {', '.join(twice)}")])
    split = format_of(columns)
    if split is None:
        wanted = "neither SkyPilot's nor gpuhunt's columns, nor gpu, price, currency, unit, terms"
        raise BadData([Problem(where, 1, wanted)])
    return split


def read_table(text: str, where: str, provider: str, catalog: Catalog, *, as_of: date, source: str) -> Import:
    """As `read_prices`, from a text; `where` names it in problems."""
    _known(catalog, where, provider, source)
    if as_of > datetime.now(UTC).date():
        raise BadData([Problem(where, 1, f"{as_of} is still to come")])
    found = _Found(Import(provider), catalog, where, as_of)
    for line, asked in _all_asked(text, where):
        found.take(line, asked)
    result = found.result
    if not (found.asked or result.unknown or result.problems):
        result.problems.append(Problem(where, 2, "no price in it"))
    for asked in found.cheapest():
        day = date.fromisoformat(asked.day) if asked.day else as_of
        note = "cheapest single-card price of the imported file"
        made = row_of(provider, found.card(asked) or "", asked, day, source, "B", note)
        result.rows[made["id"]] = made
    return result


def _all_asked(text: str, where: str) -> Iterator[tuple[int, Asked]]:
    """Every price that a file states, with its line. Raises BadData where it is no CSV of a known format."""
    columns, rows = _rows(text, where)
    split = _layout(columns, where)
    for number, row in enumerate(rows, 2):
        for asked in split({name: value or "" for name, value in row.items() if isinstance(name, str)}):
            yield number, asked


def _rows(text: str, where: str) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and rows of a file. Raises BadData where it is no CSV."""
    reader = csv.DictReader(io.StringIO(text.removeprefix(_MARK)))
    try:
        return list(reader.fieldnames or ()), list(reader)
    except csv.Error as error:
        raise BadData([Problem(where, reader.line_num, f"cannot be read: {error}")]) from None


def read_line(text: str, catalog: Catalog) -> dict[str, str]:
    """A row from a line typed by hand, as one report.

    Raises:
        BadData: another form, or an unknown card, provider, source, term or day.
    """
    typed = typed_line(text)
    if typed is None:
        raise BadData([Problem("--line", 1, f"write it as: {LINE_FORM}")])
    _known(catalog, "--line", typed.provider, typed.source)
    try:
        day = date.fromisoformat(typed.day)
    except ValueError:
        raise BadData([Problem("--line", 1, f"{typed.day!r} is not a day such as 2026-11-21")]) from None
    card = card_of(catalog, typed.asked.name, typed.asked.memory_gib)
    if card is None:
        raise BadData([Problem("--line", 1, f"no card {typed.asked.name!r}, or several: say it with its memory")])
    fault = _fault(catalog, typed.asked, day) or _day_fault(catalog.gpus[card], day)
    if fault:
        raise BadData([Problem("--line", 1, fault)])
    return row_of(typed.provider, card, typed.asked, day, typed.source, "C", "typed by hand")


def _known(catalog: Catalog, where: str, provider: str, source: str) -> None:
    if provider not in catalog.providers:
        raise BadData([Problem(where, 1, f"no provider {provider!r} in providers.yaml")])
    record = catalog.sources.get(source)
    if record is None:
        raise BadData([Problem(where, 1, f"no source {source!r} in sources.yaml: add a record first")])
    if not record.url:
        raise BadData([Problem(where, 1, f"source {source!r} has no url: a price needs an address")])


@dataclass
class _Found:
    """What has been read of a file so far."""

    result: Import
    catalog: Catalog
    where: str
    as_of: date
    asked: dict[tuple[str, ...], list[tuple[int, Asked]]] = field(default_factory=dict)
    """Prices that are believed, with their lines, by card, terms, tier, month and unit."""

    def __post_init__(self) -> None:
        self._card_of = cache(lambda name, memory: card_of(self.catalog, name, memory))

    def card(self, asked: Asked) -> str | None:
        """Id of the card that is meant."""
        return self._card_of(asked.name.strip(), asked.memory_gib)

    def take(self, line: int, asked: Asked) -> None:
        """Keep a price, or name what is wrong with it."""
        if not asked.name.strip():
            return  # a machine without an accelerator
        card = self.card(asked)
        if card is None:
            name = _tidy(asked.name)
            self.result.unknown[name] = self.result.unknown.get(name, 0) + 1
            return
        fault = _fault(self.catalog, asked, self.as_of) or _row_day_fault(self.catalog.gpus[card], asked, self.as_of)
        if fault:
            self._problem(line, asked, fault)
            return
        self.asked.setdefault((card, asked.terms, asked.tier, asked.day[:7], asked.unit), []).append((line, asked))

    def cheapest(self) -> Iterator[Asked]:
        """The lowest believable price of each kind; one that is stated in several currencies is left out."""
        for held in self.asked.values():
            currencies = sorted({asked.currency for _, asked in held})
            if len(currencies) > 1:
                self._problem(*held[0], f"asked in {' and '.join(currencies)}: which one holds?")
                continue
            middle = median(asked.low or Decimal(0) for _, asked in held)
            for line, asked in sorted(held, key=lambda one: one[1].low or Decimal(0)):
                if len(held) < _CROWD or (asked.low or Decimal(0)) * _ALONE >= middle:
                    yield asked
                    break
                self._problem(line, asked, f"{asked.low} is far below the others of this file (middle {middle})")

    def _problem(self, line: int, asked: Asked, fault: str) -> None:
        self.result.problems.append(Problem(self.where, line, f"{_tidy(asked.name)}: {fault}"))


def _row_day_fault(gpu: Gpu, asked: Asked, as_of: date) -> str:
    """What is wrong with the day that a row states for itself."""
    if not asked.day:
        return _day_fault(gpu, as_of)
    try:
        day = date.fromisoformat(asked.day)
    except ValueError:
        return f"{_tidy(asked.day)!r} is not a day such as 2026-11-21"
    return f"{day} is after {as_of}, the day of the file" if day > as_of else _day_fault(gpu, day)


def _fault(catalog: Catalog, asked: Asked, as_of: date) -> str:
    """Why a price is not believed; empty when it is."""
    if asked.low is None or asked.high is None or not asked.low <= asked.high <= asked.low * _WIDEST:
        return "no believable price"
    return _kind_fault(asked) or _amount_fault(catalog, asked, asked.low, asked.high, as_of)


def _kind_fault(asked: Asked) -> str:
    """Terms or a unit that are none, or that do not go together."""
    if asked.terms not in _TERMS:
        return f"terms {asked.terms!r} are not one of {', '.join(sorted(_TERMS))}"
    if asked.unit not in _BELIEVED:
        return f"unit {asked.unit!r} is not one of {', '.join(_BELIEVED)}"
    if asked.unit != _UNIT_OF.get(asked.terms, "gpu_hour"):
        return f"terms {asked.terms} are not paid by the {asked.unit}"
    return ""


def _amount_fault(catalog: Catalog, asked: Asked, low: Decimal, high: Decimal, as_of: date) -> str:
    """An amount that no such thing costs, or a currency that is not kept."""
    try:
        rate = catalog.rate(asked.currency, "USD", as_of).value
    except NoRate:
        return f"no rate for {asked.currency!r}"
    least, most = _BELIEVED[asked.unit]
    if not (least <= low * rate and high * rate <= most):
        return "no believable price"
    return "" if asked.currency in _MARKET_OF else f"{asked.currency} is of no market that is kept"


def _day_fault(gpu: Gpu, day: date) -> str:
    """Why nobody can have asked this on a day: it is still to come, or the card was not yet announced."""
    first = gpu.announced_date or gpu.release_date
    if day > datetime.now(UTC).date():
        return f"{day} is still to come"
    return f"{gpu.name} came out on {first}" if first is not None and day < first else ""


def row_of(
    provider: str, card: str, asked: Asked, as_of: date, source: str, confidence: str, note: str
) -> dict[str, str]:
    """A row of prices.csv; one a provider, card, terms and month, so that a later import replaces it."""
    low, high = (_plain(amount or Decimal(0)) for amount in (asked.low, asked.high))
    tier = _tidy(asked.tier)
    kind = "-".join(filter(None, (asked.terms, _NOT_IN_ID.sub("-", tier.casefold()).strip("-"))))
    values = (
        f"{provider}-{card}-{kind}-import-{as_of:%Y-%m}", provider, card, _tidy(asked.name), asked.terms, tier,
        low, high, asked.currency, asked.unit, "1", _MARKET_OF[asked.currency], _tidy(asked.region), as_of.isoformat(),
        "day", confidence, "no", source, _tidy(asked.note) or note,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def _tidy(text: str) -> str:
    """Words of a foreign file on one line and of a believable length: a line of prices.csv is one price."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:_TEXT_MOST]


def _plain(amount: Decimal) -> str:
    text = f"{amount:.4f}"
    return text.rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Difference:
    """What an import changes in prices.csv."""

    added: tuple[dict[str, str], ...]
    changed: tuple[tuple[dict[str, str], dict[str, str]], ...]
    same: int


def rows_in(prices: Path) -> dict[str, dict[str, str]]:
    """Rows of a price file by id."""
    with prices.open(encoding="utf-8", newline="") as handle:
        return {row["id"]: row for row in csv.DictReader(handle)}


def compare(rows: Mapping[str, dict[str, str]], prices: Path) -> Difference:
    """Against the file as it stands, by id."""
    known = rows_in(prices)
    added = tuple(row for key, row in rows.items() if key not in known)
    changed = tuple(
        (known[key], row)
        for key, row in rows.items()
        if key in known and any(known[key][one] != row[one] for one in ("low", "high", "as_of"))
    )
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
    put_beside(prices, "\n".join(standing) + "\n")


def put_beside(path: Path, text: str) -> None:
    """Write a file beside the old one and swap it in one step."""
    beside = path.with_suffix(f"{path.suffix}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def write_all(rows: Iterable[dict[str, str]], path: Path) -> None:
    """A file of rows with the columns of prices.csv, replaced in one step."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    put_beside(path, out.getvalue())
