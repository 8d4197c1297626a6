"""What weights are learned from is the same whatever order sets and hashes come in: the same lines give the same file.

The weights in use are those that were learned, from the labelled data as they stand where `bot/corpus/learned.yaml` says so.
"""

from __future__ import annotations

import base64
import copy
import itertools
import os
import subprocess
import sys
import zlib
from typing import Any

import pytest

from bot.core.intents import load_intents
from bot.evaluate import learned
from bot.evaluate.corpus import Line, own_lines
from bot.evaluate.corpus import fingerprint as digest_of_lines
from bot.evaluate.learn import in_order
from bot.evaluate.learn_samples import fingerprint
from bot.read.load import weights
from bot.understand.load import read_evidence

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


def test_no_weight_was_changed_since_it_was_learned() -> None:
    assert learned.weights_in_use() == {part: entry["weights"] for part, entry in learned.entries().items()}


@pytest.mark.parametrize("part", learned.PARTS)
def test_one_weight_that_is_changed_by_hand_is_noticed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one step, of one sign, for one label: a hundredth of what tells one need from another."""
    needs, reading = copy.deepcopy(dict(read_evidence())), copy.deepcopy(weights())
    _turn_one_weight(needs if part == learned.NEEDS else reading[part])
    monkeypatch.setattr(learned, "read_evidence", lambda: needs)
    monkeypatch.setattr(learned, "weights", lambda: reading)
    changed = [
        name for name, digest in learned.weights_in_use().items() if digest != learned.entries()[name]["weights"]
    ]
    assert changed == [part]


def _turn_one_weight(packed: Any) -> None:
    table = bytearray(zlib.decompress(base64.b64decode(packed["weights"])))
    table[100] += 1
    packed["weights"] = base64.b64encode(zlib.compress(bytes(table), 9)).decode()


def test_roles_and_clauses_were_learned_from_the_labelled_messages_beside_the_needs_in_use() -> None:
    """Who adds a message or a clause runs `make learn`."""
    kept = learned.entries()
    assert {kept[part]["data"] for part in (learned.ROLES, learned.ASKING)} == {fingerprint()}
    assert {kept[part]["beside"] for part in (learned.ROLES, learned.ASKING)} == {kept[learned.NEEDS]["weights"]}
    assert all(kept[part]["signs"] and kept[part]["tools"] for part in (learned.ROLES, learned.ASKING))


def test_needs_were_learned_from_the_lines_of_the_corpus_and_parts_of_other_days_name_theirs() -> None:
    kept = learned.entries()
    assert kept[learned.NEEDS]["data"] == digest_of_lines(own_lines(load_intents()))
    assert kept[learned.SCOPE]["data"] == fingerprint(scope=True) or kept[learned.SCOPE]["at"]


def test_what_was_learned_otherwise_than_before_is_said_with_the_reason() -> None:
    was = learned.entries()[learned.ROLES]
    lines = learned.compared({learned.ROLES: was, learned.SCOPE: {**was, "weights": "0"}})
    assert lines[0] == "roles: the same bytes as in use"
    assert lines[1].startswith(
        "scope: not what is in use; other than when that was learned: data, signs, beside, tools"
    )
