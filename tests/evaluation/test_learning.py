"""What weights are learned from is the same whatever order sets and hashes come in: the same lines give the same file."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

from bot.evaluate.corpus import Line
from bot.evaluate.learn import in_order

PRINTS = """
from bot.running import spare_looks
spare_looks()
import hashlib
from advisor.catalog import load_catalog
from bot.evaluate import learn_reading, learn_samples
from bot.evaluate.learn_reading import scope_lines
from bot.evaluate.learn_samples import samples_of, weak_samples
from bot.read.load import reader_over
from bot.understand.load import load_understander

def thinned(module, name):
    whole = getattr(module, name)
    setattr(module, name, lambda *args: list(whole(*args))[::4])

thinned(learn_samples, "labelled_messages")
thinned(learn_samples, "composed_messages")
thinned(learn_samples, "read_records")
thinned(learn_reading, "read_lines")
catalog = load_catalog()
reader = reader_over(load_understander(catalog), blank=True)
written, composed = samples_of(reader)
digest = hashlib.sha256()
for sample in (*written, *composed):
    rows = [*map(sorted, sample.read.signs), *map(sorted, sample.clause_signs)]
    digest.update(repr((sample.text, sample.roles, sample.clauses, rows)).encode())
for weak in weak_samples(reader, catalog):
    digest.update(repr((list(map(sorted, weak.read.signs)), weak.allowed)).encode())
for line in scope_lines(reader, (), written):
    digest.update(repr((sorted(line.signs), line.ours, line.weight)).encode())
print(digest.hexdigest(), len(written), len(composed))
"""


def test_every_fourth_of_what_is_learned_from_is_the_same_under_every_hash_seed() -> None:
    """A set in another order under another seed would have another fourth, too."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", PRINTS],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    first, second = (run.communicate()[0].split() for run in runs)
    assert first == second
    assert min(map(int, first[1:])) > 100, "messages that were written and composed"


def test_lines_that_differ_in_one_thing_alone_are_in_the_same_order_in_every_run() -> None:
    """A set of lines comes in another order under another hash seed; sums over them must not."""
    line = Line("asking", "check_fit", (), (), "does it fit?")
    lines = [line, line._replace(origin="messages"), line._replace(others=("estimate_memory",)), line._replace(of="a")]
    found = {tuple(sorted(its, key=in_order)) for its in itertools.permutations(lines)}
    assert len(found) == 1
