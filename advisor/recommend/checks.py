"""Holds the files of recommendation and money against the catalogue: names, sources, doubles, all faults at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.datafiles import DATA
from advisor.errors import BadData, Problem
from advisor.files import line_of
from advisor.money.energy import energy_data
from advisor.recommend.history import advice_by_year
from advisor.recommend.settings import settings, tasks
from advisor.recommend.vendors import vendor_rules

if TYPE_CHECKING:
    from advisor.catalog import Catalog


def check_advice(catalog: Catalog) -> list[Problem]:
    """Faults in data/tasks.yaml, recommend.yaml, energy.yaml, advice_by_year.yaml and vendors.yaml."""
    problems: list[Problem] = []
    for check in (_tasks, _settings, _energy, _advice, _vendors):
        try:
            problems += check(catalog)
        except BadData as error:
            problems += error.problems
    return sorted(problems)


def _problem(name: str, key: str, message: str) -> Problem:
    path = DATA / name
    return Problem(str(path), line_of(path.read_text(encoding="utf-8"), key), message)


def _unknown_gpus(catalog: Catalog, name: str, key: str, ids: Iterable[str]) -> Iterator[Problem]:
    for gpu_id in ids:
        if gpu_id not in catalog.gpus:
            yield _problem(name, key, f"no card has the id {gpu_id!r}")


def _unknown_sources(catalog: Catalog, name: str, key: str, ids: Iterable[str]) -> Iterator[Problem]:
    for source in ids:
        if source not in catalog.sources:
            yield _problem(name, key, f"no source has the id {source!r}")


def _tasks(catalog: Catalog) -> Iterator[Problem]:
    for key, task in tasks().items():
        if catalog.find_ml_model(task.model) is None:
            yield _problem("tasks.yaml", key, f"no model is called {task.model!r}")


def _settings(catalog: Catalog) -> Iterator[Problem]:
    name = "recommend.yaml"
    data = settings()
    yield from _unknown_sources(catalog, name, "base_system", (data.base_system.source,))
    for key, region in data.regions.items():
        yield from _unknown_gpus(catalog, name, key, (*region.not_sold_new, *region.made_for))
        yield from _unknown_sources(catalog, name, key, region.sources)
        for provider in region.providers:
            if catalog.find_provider(provider) is None:
                yield _problem(name, key, f"no provider is called {provider!r}")
    for key, usage in data.usage.items():
        if not 0 < usage.utilization <= 1:
            yield _problem(name, key, "utilization must lie above 0 and up to 1")


def _energy(catalog: Catalog) -> Iterator[Problem]:
    name = "energy.yaml"
    seen: dict[str, str] = {}
    regions = energy_data().regions
    for key, region in regions.items():
        sources = [factor.source for factor in region.factors] + ([region.price.source] if region.price else [])
        yield from _unknown_sources(catalog, name, key, sources)
        if not region.factors:
            yield _problem(name, key, "a region needs at least one factor")
        if region.parent and region.parent not in regions:
            yield _problem(name, key, f"no region is called {region.parent!r}")
        for factor in region.factors:
            if not 0 < factor.g_per_kwh < 2000:
                yield _problem(name, key, "g_per_kwh must lie between 0 and 2000")
        for alias in region.aliases:
            other = seen.setdefault(alias.strip().lower(), key)
            if other != key:
                yield _problem(name, key, f"{alias!r} already means {other}")


def _advice(catalog: Catalog) -> Iterator[Problem]:
    name = "advice_by_year.yaml"
    seen: set[str] = set()
    for entry in advice_by_year():
        if entry.id in seen:
            yield _problem(name, entry.id, f"{entry.id!r} stands twice")
        seen.add(entry.id)
        yield from _unknown_sources(catalog, name, entry.id, (entry.source,))
        for gpu in entry.advises:
            if catalog.find_gpu(gpu) is None:
                yield _problem(name, entry.id, f"no card is called {gpu!r}")
        if entry.differs and entry.replay is None:
            yield _problem(name, entry.id, "`differs` without `replay`")
        if entry.replay is not None:
            yield from _unknown_gpus(catalog, name, entry.id, entry.replay.excluded_gpus)


def _vendors(catalog: Catalog) -> Iterator[Problem]:
    known = {gpu.vendor for gpu in catalog.gpus.values()}
    for rule in vendor_rules():
        if rule.vendor not in known:
            yield _problem("vendors.yaml", "vendor", f"no card is by {rule.vendor!r}")
        yield from _unknown_gpus(catalog, "vendors.yaml", "vendor", rule.gpus)
        yield from _unknown_sources(catalog, "vendors.yaml", "vendor", (rule.source,))
