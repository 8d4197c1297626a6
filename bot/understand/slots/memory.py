"""Tells GPU memory from system memory, disks and data among the amounts in GB."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.numbers import Quantity
from bot.understand.slots.verdicts import Rows, verdict

_LARGEST_VRAM = 4000.0
_RAM_SIZES = frozenset({8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768})
"""Sizes of system memory that are said without a unit."""
_VRAM_SIZES = frozenset({2, 3, 4, 6, 8, 10, 11, 12, 16, 20, 22, 24, 32, 40, 48, 80, 96, 141})
_LONGEST_WITH = 8
"""Characters of a word such as "with" between a card and its memory."""
_MOST_COMMON_VRAM = 100
_LEAST_MIB = 1000
"""Mebibytes that are spoken of as the memory of a card, not as a part of it."""
_OTHER_UNITS = frozenset({"%", "0", "m", "t"})
"""What right behind a number makes it a share, or another number."""
_ASKED = frozenset({"vram_amount", "fits", "enough"})
_MEMORY = frozenset({"gib", "mib", "tib"})
_LINE_RATES = frozenset({10, 25, 40, 50, 56, 100, 200, 400, 800})
"""Gigabits a second of network cards, said without their unit."""


_PARTS = frozenset({"cpu", "psu_w"})
_PART_UNITS = frozenset({"core"})
_MOST_CORES = 256
"""Of a processor; a card has more."""
_BETWEEN = frozenset({"and", "with"})
_NAMED = ("memory", "of memory")
_JOINING = str.maketrans(",+/", "   ")
"""What stands beside system memory where the parts of a machine are listed."""
_LIST = 3
"""Characters between a card and its memory."""
_LONGEST_LIST = 22
"""Characters between two parts of a list."""


class _Found(NamedTuple):
    """An amount of memory, and whether it is one that the user has."""

    value: Value
    is_own: bool


def read_memory(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Add vram_gb, ram_gb, disk sizes and data set sizes; gives back the quantities that are no memory."""
    rest: list[Quantity] = []
    found: list[_Found] = []
    labels_first = _labels_first(reading, quantities, cues)
    for quantity in quantities:
        if quantity.unit not in _MEMORY:
            slot = _slot_of_bare(reading, quantity, cues) if quantity.unit == "" else ""
            if slot:
                _keep(found, reading, quantity, slot, cues)
            else:
                rest.append(quantity)
        elif reading.is_free(quantity.start, quantity.end):
            slot = _slot_of(reading, quantity, cues, labels_first)
            if slot in _SIZED:
                reading.values.append(_SIZED[slot](quantity))
            elif slot:
                _keep(found, reading, quantity, slot, cues)
            reading.claim(quantity.start, quantity.end)
    _choose(reading, found)
    return rest


def _of_disk(quantity: Quantity) -> Value:
    size = quantity.value * (1000 if quantity.unit == "tib" else 1)
    return Value("disk", f"{size:g}", quantity.start, quantity.end, "memory: of a disk")


def _of_data(quantity: Quantity) -> Value:
    size = f"{quantity.value:g}{'TB' if quantity.unit == 'tib' else 'GB'}"
    return Value("dataset", size, quantity.start, quantity.end, "memory: of data")


_SIZED: Final[Mapping[str, Callable[[Quantity], Value]]] = {"disk": _of_disk, "dataset": _of_data}
"""What is no memory of a computer, with its value."""


def _labels_first(reading: Reading, quantities: list[Quantity], cues: Cues) -> bool:
    """Whether the first amount has its label before it: then so have those after it ("RAM 16g VRAM 8g")."""
    first = next((quantity for quantity in quantities if quantity.unit in _MEMORY), None)
    return first is not None and any(
        cues.before(kind, reading, first.start) and not cues.after(kind, reading, first.end) for kind, _ in _BESIDE
    )


def _slot_of_bare(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """What memory a number without a unit is: by its label, or right behind a card ("my 3090 with 24")."""
    if reading.text[quantity.end : quantity.end + 1] in _OTHER_UNITS or _is_width(reading, quantity, cues):
        return ""
    if quantity.value in _VRAM_SIZES and _is_bare_vram(reading, quantity, cues):
        return "vram_gb"
    if quantity.value in _RAM_SIZES and cues.before("ram", reading, quantity.start):
        return "ram_gb"
    free = "ram" in reading.concepts and reading.text[quantity.end : quantity.end + 5].lstrip().startswith("free")
    return "ram_gb" if free and quantity.value >= 4 else ""


def _is_width(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a word for bits stands right behind: the number is how wide weights are."""
    return reading.text[quantity.end :].lstrip(" -").startswith(cues.words["width"])


def _is_bare_vram(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a size is that of a card: by its label, behind a card, or owned where it is asked if that is enough."""
    start = quantity.start
    if cues.before("vram", reading, start):
        return True
    if not _ends_clause(reading.text, quantity.end):
        return False
    card = next((v for v in reading.values if v.slot == "gpu" and 0 <= start - v.end <= _LONGEST_WITH), None)
    if card is not None and reading.text[card.end : start].strip(" (") in ("", *cues.words["having"]):
        return True
    return bool(reading.concepts & _ASKED) and cues.owned(reading, start) and not reading.has("gpu")


def _ends_clause(text: str, end: int) -> bool:
    """Whether nothing but the end of a clause follows."""
    return text[end : end + 1] in {"", ".", ",", ";", "?", "!", ")"} and not text[end + 1 : end + 2].isdigit()


def _keep(found: list[_Found], reading: Reading, quantity: Quantity, slot: str, cues: Cues) -> None:
    amount = (
        quantity.value / 1024 if quantity.unit == "mib" else quantity.value * (1024 if quantity.unit == "tib" else 1)
    )
    if quantity.unit == "mib" and amount < 1:
        return
    value = Value(slot, plain_number(round(amount, 2)), quantity.start, quantity.end, f"memory: {slot[:-3]}",
                  approximate=quantity.approximate, bound=quantity.bound)  # fmt: skip
    beside_card = any(
        other.slot == "gpu" and (0 <= quantity.start - other.end <= 2 or 0 <= other.start - quantity.end <= 2)
        for other in reading.values
    )
    free = reading.text[quantity.end : quantity.end + 6].lstrip().startswith("free")
    found.append(_Found(value, beside_card or free or cues.owned(reading, quantity.start)))


_BOTH: Final = 2
_CLAUSE_ENDS: Final = ",;.?!"
_RATES: Final = ("/s", "ps", "bps", "bit", "hz")
_BESIDE = (("vram", "vram_gb"), ("ram", "ram_gb"), ("disk", "disk"), ("data", "dataset"))


def _slot_of(reading: Reading, quantity: Quantity, cues: Cues, labels_first: bool) -> str:
    """What an amount is by the words beside it, else by the subject of the message."""
    if _is_rate(reading.text[quantity.end : quantity.end + 6].lstrip(), quantity):
        return ""
    if "no_gpu" in reading.concepts and cues.after("ram", reading, quantity.end):
        return "ram_gb"  # a card that is said to be missing is no label of what follows
    paired = _by_place_in_pair(reading, quantity, cues)
    if paired:
        return paired
    leading = _by_leading_label(reading, quantity, cues) if labels_first else ""
    return leading or _by_label(reading, quantity, cues) or _by_subject(reading, quantity, cues)


def _is_rate(after: str, quantity: Quantity) -> bool:
    """Whether an amount is one a second, or of bits."""
    return after.startswith(_RATES) or (quantity.unit_text == "gbs" and after.startswith("/"))


def _first(of_kind: Callable[[str], bool]) -> str:
    """The first slot whose kind of cue is seen, else ""."""
    return next((slot for kind, slot in _BESIDE if of_kind(kind)), "")


def _by_place_in_pair(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """Of two amounts that are added up ("24g+64g"), where memory of both kinds is spoken of: in that order."""
    places = {kind: _first_place(reading, kind) for kind in ("vram", "ram")}
    if None in places.values() or any(cues.after(kind, reading, quantity.end) for kind, _ in _BESIDE):
        return ""
    before, behind = reading.text[: quantity.start].rstrip(), reading.text[quantity.end :].lstrip()
    kinds = sorted(places, key=lambda kind: places[kind] or 0)
    if behind[:1] == "+" and behind[1:].lstrip()[:1].isdigit():
        return f"{kinds[0]}_gb"
    return f"{kinds[1]}_gb" if before.endswith("+") and before[:-1].rstrip()[-1:] in {"g", "b"} else ""


def _first_place(reading: Reading, concept: str) -> int | None:
    """Where a concept is first spoken of."""
    return min((place.start for place in reading.places if concept in place.concepts), default=None)


def _by_leading_label(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """By the label before it, where labels stand before their amounts."""
    start, end = quantity.start, quantity.end
    before = [kind for kind, _ in _BESIDE if cues.before(kind, reading, start)]
    if not before:
        return ""
    alone = _first(lambda kind: kind in before and not cues.after(kind, reading, end))
    if alone or not any(cues.labels_next(kind, reading, end) for kind, _ in _BESIDE):
        return alone
    return _first(lambda kind: kind in before)


def _by_label(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """By the label behind it, else by the one before it."""
    after = [kind for kind, _ in _BESIDE if cues.after(kind, reading, quantity.end)]
    if "vram" in after and "ram" in after:
        return "ram_gb"
    return _first(lambda kind: kind in after) or _first(lambda kind: cues.before(kind, reading, quantity.start))


def _by_subject(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    return verdict(_SUBJECTS, reading, quantity, cues, otherwise="vram_gb")


# --- what the subject says of an amount without a label ---------------------------------------------------------------


def _tebibytes_of_ram(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    return quantity.unit == "tib" and "ram" in reading.concepts and "disk" not in reading.concepts


def _tebibytes(_: Reading, quantity: Quantity, __: Cues) -> bool:
    return quantity.unit == "tib"


def _few_mebibytes(_: Reading, quantity: Quantity, __: Cues) -> bool:
    return quantity.unit == "mib" and quantity.value < _LEAST_MIB


def _of_apple(reading: Reading, _: Quantity, __: Cues) -> bool:
    """Whether a computer whose processor and graphics share one memory is spoken of."""
    named = any(v.slot == "gpu" and str(v.value).startswith("Apple") for v in reading.values)
    return named or ("apple_silicon" in reading.concepts and not reading.has("gpu"))


def _of_ram_alone(reading: Reading, _: Quantity, __: Cues) -> bool:
    concepts = reading.concepts
    return "ram" in concepts and concepts.isdisjoint({"vram", "out_of_memory"}) and not reading.has("gpu")


def _beyond_cards(_: Reading, quantity: Quantity, __: Cues) -> bool:
    return quantity.value > _LARGEST_VRAM


def _of_network(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """Whether a line rate is spoken of, and no memory."""
    if quantity.value not in _LINE_RATES or "network" not in reading.concepts:
        return False
    return reading.concepts.isdisjoint({"vram", "vram_amount", "out_of_memory"}) and not reading.has("gpu")


def _used_up(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    return cues.before("not_vram", reading, quantity.start) or cues.after("not_vram", reading, quantity.end)


def _of_machine(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """Whether it stands in a list of the parts of a machine, behind a processor or a supply, and beside no card."""
    if quantity.unit != "gib" or any(_is_of_card(reading, quantity, value) for value in reading.values):
        return False
    ends = [value.end for value in reading.values if value.slot in _PARTS]
    ends += [one.end for one in reading.quantities if one.unit in _PART_UNITS and one.value <= _MOST_CORES]
    named = reading.text[quantity.end :].lstrip().startswith(_NAMED)
    return any(_is_listed(reading.text[end : quantity.start], named=named) for end in ends if end <= quantity.start)


def _is_listed(between: str, *, named: bool) -> bool:
    """Whether two amounts stand beside each other in a list, or a little apart where the later is called memory."""
    if named:
        return len(between) <= _LONGEST_LIST and not any(map(str.isdigit, between))
    return set(between.translate(_JOINING).split()) <= _BETWEEN


def _is_of_card(reading: Reading, quantity: Quantity, value: Value) -> bool:
    """Whether a card stands right beside an amount, with no comma between where it comes behind."""
    if value.slot != "gpu":
        return False
    behind = value.start - quantity.end
    return 0 <= quantity.start - value.end <= _LIST or (
        0 <= behind <= _LIST and "," not in reading.text[quantity.end : value.start]
    )


def _large_ram(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """Whether system memory is spoken of and hardly a card has as much, or an amount that only comes as such."""
    large = quantity.value > _MOST_COMMON_VRAM or quantity.value in _RAM_SIZES
    large = large and quantity.value not in _VRAM_SIZES
    return large and not reading.concepts.isdisjoint({"ram", "killed"})


_SUBJECTS: Final[Rows[str]] = (
    (_tebibytes_of_ram, "ram_gb"),
    (_tebibytes, "disk"),
    (_few_mebibytes, ""),
    (_of_apple, "ram_gb"),
    (_of_machine, "ram_gb"),
    (_of_ram_alone, "ram_gb"),
    (_beyond_cards, ""),
    (_of_network, ""),
    (_used_up, ""),
    (_large_ram, "ram_gb"),
)
"""What an amount without a label is by the subject of the message; "" for none."""


# --- one amount of each kind ------------------------------------------------------------------------------------------


def _choose(reading: Reading, found: list[_Found]) -> None:
    """Keep one amount of each kind: the only one, else the only one the user says is his."""
    for slot in ("vram_gb", "ram_gb"):
        here = [one for one in found if one.value.slot == slot]
        if here:
            reading.traits.add(f"slot:{slot}")
        own = [one for one in here if one.is_own]
        value = _only(here) or _only(own) or _of_each(reading, here) or _told_first(reading, here)
        if value is not None:
            reading.values.append(value)


def _of_each(reading: Reading, found: list[_Found]) -> Value | None:
    """The smaller of two amounts where the larger is the sum of so many cards as are counted."""
    amounts = sorted(found, key=lambda one: float(one.value.value))
    if len(amounts) != _BOTH or not amounts[0].value.value:
        return None
    times = float(amounts[1].value.value) / float(amounts[0].value.value)
    return amounts[0].value if times > 1 and any(one.value == times for one in reading.quantities) else None


def _told_first(reading: Reading, found: list[_Found]) -> Value | None:
    """The amount of system memory that is there, where a later clause speaks of more ("64 GB now, is 128 ...")."""
    if not found or found[0].value.slot != "ram_gb":
        return None
    first, second = found[0].value, found[1].value
    apart = any(sign in _CLAUSE_ENDS for sign in reading.text[first.end : second.start])
    return first if apart and first.value < second.value else None


def _only(found: list[_Found]) -> Value | None:
    """The first of several that say the same, None where they differ or there is none."""
    return found[0].value if len({one.value.value for one in found}) == 1 else None
