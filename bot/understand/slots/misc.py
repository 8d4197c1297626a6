"""Reads what has a shape of its own: batch, sequence length, resolution, versions, CPUs, PSUs, utilisation, data."""

from __future__ import annotations

import re

from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.numbers import Quantity

_RESOLUTION = re.compile(r"(?<![\d.])(\d{3,4}) ?[x*] ?(\d{3,4})(?![\d.])")
_LINES = re.compile(r"(?<![\d.])(480|720|1080|1440|2160)p(?![a-z])")
_WIDE = {"480": "854x480", "720": "1280x720", "1080": "1920x1080", "1440": "2560x1440", "2160": "3840x2160"}
_CUDA = re.compile(r"(?<![a-z])cuda[ \-]?(?:version|toolkit|v|\u7248\u672c|:|=| )*(\d{1,2}(?:\.\d)?)(?!\d)")
_CU = re.compile(r"(?<![a-z])cu(\d{2})(\d)(?!\d)")
_DECIMAL = re.compile(r"(?<![\d.a-z])(1[0-3]\.\d|[89]\.\d)(?![\d.])")
_FRAMEWORK = re.compile(
    r"(?<![a-z])(pytorch|torch|tensorflow|paddle(?:paddle)?|mindspore|jax|keras|tf)[ \-]?(?:=|v|\u7248\u672c| )*(\d+\.\d+(?:\.\d+)?)"
)
_CPU = re.compile(
    r"(?<![a-z0-9])(i[3579](?:[ \-]?\d{4,5}[a-z]{0,2})?(?![a-z0-9])|ryzen \d \d{4}[a-z0-9]*|(?:ryzen )?threadripper(?: pro)?(?: \d{4}[a-z]*)?|ryzen(?: \d)?(?! ai)|"
    r"xeon(?: (?:e[357]|gold|silver|platinum|w|bronze))?(?:[ \-]?\w?\d{3,5}\w*)?(?: ?v\d)?(?: x\d)?|epyc(?: \d{4}\w*)?|e5[ \-]?\d{4}\w?(?: ?v\d)?|core ultra \d(?: \d{3}\w*)?|1[0-4][14679]00[fk]{0,2}|[3579][5-9][05]0x(?:3d)?)(?![a-z0-9])"
)
_TOKEN_RATE = re.compile(r"/ ?s|per sec|a sec|/sec")
_DEGREES = re.compile(r"(?<![\d.])([5-9]\d|1[0-2]\d) ?(?:\u5ea6|\u00b0|c(?![a-z])|degrees|deg(?![a-z]))")
_USED = re.compile(r"(?<!is )(?<!was )(?<!are )(?<!were )(?<!be )(?<!i )(?<!we )(?<!you )(?<![a-z])used (?:nvidia |geforce )?$")
_PICTURE = "\u56fe"
_SEQ_LIMITS = (64, 2_000_000)


def read_shapes(reading: Reading) -> None:
    """Values that are recognised by their shape, before numbers are read."""
    text = reading.text
    for match in _RESOLUTION.finditer(text) if "gaming" not in reading.concepts else ():
        _add(reading, "resolution", f"{match[1]}x{match[2]}", match.span(), "shape: width x height")
        break
    for match in _LINES.finditer(text):
        if not reading.has("resolution") and "gaming" not in reading.concepts:
            _add(reading, "resolution", _WIDE[match[1]], match.span(), "shape: lines")
    versions = [(match.start(1), match[1], match.span()) for match in _CUDA.finditer(text)]
    versions += [(match.start(), f"{match[1]}.{match[2]}", match.span()) for match in _CU.finditer(text)]
    if versions:
        versions += [(m.start(), m[1], m.span()) for m in _DECIMAL.finditer(text) if reading.is_free(*m.span())]
        for _, version, span in sorted(versions)[-1:]:
            _add(reading, "cuda_version", version, span, "shape: CUDA version")
    for match in _FRAMEWORK.finditer(text):
        name = {"torch": "pytorch", "tf": "tensorflow", "paddle": "paddlepaddle"}.get(match[1], match[1])
        _add(reading, "framework", f"{name} {match[2]}", match.span(), "shape: framework and version")
        break
    _signs(reading)
    match = _CPU.search(text)
    if match and reading.is_free(*match.span()):
        value = re.sub(r"^(i[3579]) (?=\d)", r"\1-", match[1])
        _add(reading, "cpu", value, match.span(), "shape: CPU name")


def _signs(reading: Reading) -> None:
    """Signs that are no slots: a temperature, a framework or CUDA version, one card plus another."""
    if _DEGREES.search(reading.text):
        reading.traits.add("trait:degrees")
    if any(v.slot == "cuda_version" or (v.slot == "framework" and " " in str(v.value)) for v in reading.values):
        reading.traits.add("trait:version")
    for value in reading.values:
        if value.slot == "gpu" and _USED.search(reading.text[max(0, value.start - 24) : value.start]):
            reading.traits.add("second_hand")
    cards = [value for value in reading.values if value.slot == "gpu"]
    for left, right in zip(cards, cards[1:], strict=False):
        if reading.text[left.end : right.start].strip() in {"+", "plus", "and a", "and one", "\u52a0", "\u52a0\u4e00\u5f20"}:
            reading.traits.add("trait:plus")


def _add(reading: Reading, slot: str, value: object, span: tuple[int, int], rule: str) -> None:
    reading.values.append(Value(slot, value, span[0], span[1], rule))
    reading.claim(*span)


def read_settings(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Batch, sequence length, resolution, utilisation, PSU, cores and data sizes; gives back what is left."""
    rest: list[Quantity] = []
    watts: list[Quantity] = []
    for quantity in quantities:
        if not reading.is_free(quantity.start, quantity.end):
            continue
        if _setting(reading, quantity, cues):
            continue
        if quantity.unit in {"watt", "kilowatt"}:
            watts.append(quantity)
            continue
        rest.append(quantity)
    _psu(reading, watts, cues)
    return rest


def _setting(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    text, start, end = reading.text, quantity.start, quantity.end
    value = quantity.value
    whole = value == int(value)
    if whole and 1 <= value <= 1_000_000 and quantity.unit in {"", "card"} and not quantity.magnitude:
        if cues.before("batch", text, start) or (
            quantity.unit == "" and cues.after("batch", text, end) and not quantity.words
        ):
            if not reading.has("batch"):
                _add(reading, "batch", int(value), (start, quantity.number_end), "number after batch")
            return True
    if _is_sequence(reading, quantity, cues):
        if not reading.has("seq_len"):
            length = value / 1000 * 1024 if quantity.magnitude == "k" else value
            _add(reading, "seq_len", int(length), (start, end), "number of tokens")
        return True
    if quantity.unit == "percent":
        if cues.either("utilization", text, start, end) and value <= 100 and not reading.has("utilization"):
            _add(reading, "utilization", plain_number(value / 100), (start, end), "percent of use")
        return True
    if (
        quantity.unit == "core"
        and whole
        and "cuda_core" not in reading.concepts
        and "tensor_core" not in reading.concepts
    ):
        if not reading.has("cpu"):
            _add(reading, "cpu", f"{value:g}", (start, end), "number of cores")
        return True
    if quantity.unit in {"image", "sample"} and value >= 10 and not quantity.words:
        if not _TOKEN_RATE.match(text[end : end + 6].lstrip()) and not reading.has("dataset"):
            noun = "images" if quantity.unit == "image" else "samples"
            _add(
                reading,
                "dataset",
                f"{value:g} {noun}" if value < 1e6 else f"{int(value)} {noun}",
                (start, end),
                "amount of data",
            )
        return True
    if quantity.unit == "card" and value >= 1000 and _PICTURE in text[end : end + 5] and not reading.has("dataset"):
        _add(reading, "dataset", f"{value:g} images", (start, end), "amount of data")
        return True
    if quantity.unit == "" and whole and 64 <= value <= 8192 and cues.either("resolution", text, start, end):
        if not reading.has("resolution"):
            _add(reading, "resolution", f"{int(value)}x{int(value)}", (start, end), "number of pixels")
        return True
    return False


def _is_sequence(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    text, start, end = reading.text, quantity.start, quantity.end
    if quantity.value != int(quantity.value) or not _SEQ_LIMITS[0] <= quantity.value <= _SEQ_LIMITS[1]:
        return False
    if quantity.unit == "token":
        rate = _TOKEN_RATE.match(text[end : end + 8].lstrip()) or "throughput" in reading.concepts
        return not rate and quantity.value >= 128
    if quantity.unit == "":
        return cues.before("seq_len", text, start) or cues.after("seq_len", text, end)
    return False


def _psu(reading: Reading, watts: list[Quantity], cues: Cues) -> None:
    """The size of the power supply: the amount beside such a word, else the largest where power supplies are the subject."""
    if not watts:
        return
    if any(quantity.value >= 150 or quantity.unit == "kilowatt" for quantity in watts):
        reading.traits.add("trait:watts")

    def amount(quantity: Quantity) -> float:
        return quantity.value * (1000 if quantity.unit == "kilowatt" else 1)

    named = [q for q in watts if cues.either("psu", reading.text, q.start, q.end) and amount(q) >= 200]
    if not named and "psu" in reading.concepts:
        named = [q for q in watts if amount(q) >= 300]
    if not named and reading.concepts & {"enough", "fits"}:
        named = [q for q in watts if amount(q) >= 450]
    if named:
        best = max(named, key=lambda q: (amount(q), -q.start))
        _add(reading, "psu_w", int(amount(best)), (best.start, best.end), "watts of a power supply")
