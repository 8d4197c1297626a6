"""A name is read whole or it is not that record: every spelling of every record, and names with a part too many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from advisor.catalog import Catalog
from advisor.names import name_key
from advisor.spellings import card_spellings
from bot.understand.recognise import Understander

FRAMES = ("{} 能跑 7B 吗", "can one {} run a 7B model?")


def cards_of(reader: Understander, text: str) -> list[tuple[str, bool]]:
    """The cards read from a text, each with whether the catalogue has it."""
    return [(str(slot.value), slot.known) for slot in reader.understand(text).slots if slot.slot == "gpu"]


def means(catalog: Catalog, name: str) -> set[str]:
    """Ids of the records that a name read from a message may stand for."""
    return {gpu.id for gpu in catalog.gpu_variants(name)}


def test_every_spelling_of_a_card_is_read_as_that_card(catalog: Catalog, understander: Understander) -> None:
    others: list[str] = []
    tried = 0
    made = {gpu.id: (gpu.name, *gpu.aliases, *card_spellings(gpu)) for gpu in catalog.gpus.values()}
    shared = Counter(name_key(spelling) for names in made.values() for spelling in {name_key(one) for one in names})
    for gpu in catalog.gpus.values():
        for spelling in made[gpu.id]:
            if shared[name_key(spelling)] > 1:
                continue  # two records could mean it: "TITAN X"
            for frame in FRAMES:
                tried += 1
                read = cards_of(understander, frame.format(spelling))
                for name, known in read:
                    if known and gpu.id not in means(catalog, name):
                        others.append(f"{spelling!r} of {gpu.name} is read as {name}")
    assert tried > 3000
    assert others == []


SAID = Path(__file__).with_name("said_names.tsv")
"""Names as people write them, each with the id of its record, "?" where none has it, "~" where its size alone is used."""
ASKED = {
    "gpu": ("{} 显存多大", "is a {} any good for training?"),
    "model": ("4090 能跑 {} 吗", "does {} fit on a 4090?"),
}
UNKNOWN, BY_SIZE = "?", "~"


def read_as(catalog: Catalog, kind: str, name: str) -> str:
    """Id of the record that a read name stands for, or one of the two signs."""
    if kind == "gpu":
        gpu = catalog.find_gpu(name)
        return gpu.id if gpu else UNKNOWN
    model = catalog.find_ml_model(name) or catalog.size_stand_in(name)
    return UNKNOWN if model is None else BY_SIZE if model.generic else model.id


@pytest.mark.parametrize(("kind", "most", "wrong_at_most"), [("gpu", 185, 3), ("model", 218, 5)])
def test_names_as_people_write_them(
    catalog: Catalog, understander: Understander, kind: str, most: int, wrong_at_most: int
) -> None:
    rows = [line.split("\t") for line in SAID.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row[0] == kind]
    wrong: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for _, said, wanted in rows:
        for frame in ASKED[kind][: 1 if not said.isascii() else 2]:
            slots = understander.understand(frame.format(said)).slots
            read = [read_as(catalog, kind, str(slot.value)) for slot in slots if slot.slot == kind]
            if read != [wanted] and not (wanted == UNKNOWN and set(read) <= {UNKNOWN}):
                wrong[said] = read
            if any(one not in (wanted, UNKNOWN, BY_SIZE) for one in read):
                others[said] = read
    assert len(rows) == most
    assert others == {}, "silently another record"
    assert len(wrong) <= wrong_at_most, wrong
