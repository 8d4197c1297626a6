"""`bot learn`: weights of the understanding from labelled lines."""

from __future__ import annotations

import json
from importlib.util import find_spec

from bot.cli.commands import fail


def learn_weights(*, write: bool) -> str:
    """Learn, write when asked to, and report how lines were read that had been left out."""
    if find_spec("sklearn") is None:
        raise fail("scikit-learn is missing: run `make learn`, or pip install scikit-learn")
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # sums in the same order on any number of cores: the same lines, the same bytes
        return _learned(write=write)


def _learned(*, write: bool) -> str:
    """The same with scikit-learn at hand."""
    from advisor.catalog import load_catalog
    from bot.core.intents import load_intents
    from bot.evaluate.corpus import all_lines
    from bot.evaluate.learn import learn
    from bot.evaluate.learn_reading import learn_reading
    from bot.evaluate.written import needs_of_messages
    from bot.read.load import reader_over, weights_file
    from bot.understand.load import evidence_file, load_reader, load_understander
    from knowledge.store import load_library

    intents = load_intents()
    lines = all_lines(intents, load_library())
    catalog = load_catalog()
    learned = learn(load_reader(catalog), [*lines, *needs_of_messages()], list(intents))
    report = [f"{origin:<24} {right / total:.3f} of {total}" for origin, (right, total) in learned.left_out.items()]
    right = sum(count for count, _ in learned.left_out.values())
    report.append(
        f"{'all, each left out once':<24} {right / learned.content['lines']:.3f} of {learned.content['lines']}"
    )
    report.append(f"{len(learned.content['signs'])} signs, temperature {learned.content['temperature']}")
    if write:
        text = json.dumps(learned.content, ensure_ascii=False, indent=0, separators=(",", ":"))
        evidence_file().write_text(f"{text}\n", encoding="utf-8")
        report.append(f"written to {evidence_file().name}")
    understander = load_understander(catalog) if write else load_reader(catalog)
    content, more = learn_reading(reader_over(understander, blank=True), catalog, lines, learned.needs)
    report += more
    if write:
        text = json.dumps(content, ensure_ascii=False, indent=0, separators=(",", ":"))
        weights_file().write_text(f"{text}\n", encoding="utf-8")
        report.append(f"written to {weights_file().name}")
    return "\n".join(report)
