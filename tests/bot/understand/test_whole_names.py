"""A name is read whole or it is not that record: every spelling of every record, and names with a part too many."""

from __future__ import annotations

from collections import Counter

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
