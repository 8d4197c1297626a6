"""`bot learn`: weights of the understanding from labelled lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from bot.cli.commands import fail
from bot.core.intents import load_intents

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from bot.evaluate.corpus import Line
    from bot.evaluate.learn_reading import Reading
    from bot.evaluate.learned import Entry

LEARNABLE: Final = ("needs", "roles", "scope")
"""What is learned on its own; clauses that ask are learned with roles."""
USUAL: Final = ("roles",)
"""What is learned where nothing is named: why not the rest, bot/read/README.md tells."""


def learn_weights(parts: Sequence[str], *, write: bool) -> str:
    """Learn, write when asked to, and report how lines were read that had been left out."""
    unknown = [part for part in parts if part not in LEARNABLE]
    if unknown:
        raise fail(f"{unknown[0]!r} is not learned: name some of {', '.join(LEARNABLE)}")
    if find_spec("sklearn") is None:
        raise fail("scikit-learn is missing: run `make learn`, or pip install scikit-learn")
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # sums in the same order on any number of cores: the same lines, the same bytes
        return "\n".join(_learned(parts or USUAL, write=write))


def _learned(parts: Sequence[str], *, write: bool) -> list[str]:
    """The same with scikit-learn at hand."""
    from advisor.catalog import load_catalog
    from bot.evaluate.corpus import all_lines
    from bot.evaluate.learned import compared, keep
    from knowledge.store import load_library

    catalog, lines = load_catalog(), all_lines(load_intents(), load_library())
    fresh: dict[str, Entry] = {}
    report: list[str] = []
    needs: dict[str, str] = {}
    if "needs" in parts:
        needs = _needs(catalog, lines, fresh, report, write=write)
    elif _knows_messages():
        raise fail("needs were learned from messages: roles beside them are learned with them, `needs roles`")
    found = _reading(catalog, lines, parts, needs, write=write) if {"roles", "scope"} & set(parts) else []
    for one in found:
        report += one.report
        fresh |= one.entries
    if write and found:
        report.append(_write_reading(found))
    report += compared(fresh)
    if write:
        keep(fresh)
    return report


def _reading(
    catalog: Catalog, lines: Sequence[Line], parts: Sequence[str], needs: Mapping[str, str], *, write: bool
) -> list[Reading]:
    """Learn what of `reading.json` is named."""
    from bot.evaluate.learn_reading import learn_roles, learn_scope
    from bot.evaluate.learn_samples import samples_of
    from bot.read.load import reader_over
    from bot.understand.load import load_reader, load_understander

    # needs that were learned and not written are in no file: what is read beside them is read without any
    understander = load_understander(catalog) if write or not needs else load_reader(catalog)
    reader = reader_over(understander, blank=True)
    samples = samples_of(reader)
    found = [learn_roles(reader, catalog, samples, needs)] if "roles" in parts else []
    return [*found, *([learn_scope(reader, lines, samples)] if "scope" in parts else [])]


def _write_reading(found: Sequence[Reading]) -> str:
    """Put what was learned into `reading.json`; the parts that were not stay."""
    from bot.read.load import weights, weights_file

    content = {name: its for name, its in weights().items() if name != "learned_from"}  # told in learned.yaml now
    for one in found:
        content |= one.parts
        content["left_out"] = {**_figures(content), **one.left_out}
    text = json.dumps(content, ensure_ascii=False, indent=0, separators=(",", ":"))
    weights_file().write_text(f"{text}\n", encoding="utf-8")
    return f"written to {weights_file().name}"


def _figures(content: Mapping[str, object]) -> dict[str, float]:
    figures = content["left_out"]
    return dict(figures) if isinstance(figures, Mapping) else {}


def _knows_messages() -> bool:
    """Whether the needs in use were learned from messages, which then tell nothing of how new ones are read."""
    from bot.evaluate.corpus import MESSAGES
    from bot.understand.load import read_evidence

    return MESSAGES in dict(read_evidence()).get("left_out", ())  # type: ignore[operator]


def _needs(
    catalog: Catalog, lines: Sequence[Line], fresh: dict[str, Entry], report: list[str], *, write: bool
) -> dict[str, str]:
    """Learn needs; what each message is taken for by weights that were learned without it."""
    from bot.evaluate.learn import learn
    from bot.evaluate.learned import NEEDS, Entry, digest_of, tools
    from bot.evaluate.written import needs_of_messages
    from bot.understand.load import evidence_file, load_reader

    learned = learn(load_reader(catalog), [*lines, *needs_of_messages()], list(load_intents()))
    report += [f"{origin:<24} {right / total:.3f} of {total}" for origin, (right, total) in learned.left_out.items()]
    right = sum(count for count, _ in learned.left_out.values())
    report.append(
        f"{'all, each left out once':<24} {right / learned.content['lines']:.3f} of {learned.content['lines']}"
    )
    report.append(f"{len(learned.content['signs'])} signs, temperature {learned.content['temperature']}")
    fresh[NEEDS] = Entry(
        weights=digest_of(learned.content), data=learned.content["learned_from"], signs=learned.signs, tools=tools()
    )
    if write:
        text = json.dumps(learned.content, ensure_ascii=False, indent=0, separators=(",", ":"))
        evidence_file().write_text(f"{text}\n", encoding="utf-8")
        report.append(f"written to {evidence_file().name}")
    return learned.needs
