"""Measurements in what people paste: a llama-bench table, a vLLM start log, nvidia-smi, a training log, a typed line.

Only figures, names and settings are taken out; nothing else of the text goes further. Formats as the tools print them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from advisor.models import Frozen
from bot.lexicons import load_lexicons

_MOST_CHARACTERS: Final = 20_000
_GIB_A_GB: Final = 1e9 / 2**30
_DEVICE: Final = re.compile(r"Device (\d+): ([^,\n]+), compute capability")
_ALONE: Final = r"(?<![\w.,+-])(\d+(?:\.\d+)?)"
"""A figure that stands by itself: "1e99" and "-5" are none."""
_POSSIBLE: Final = {"GiB": (0.01, 4096.0), "tok/s": (0.01, 1e6), "img/s": (1e-4, 1e6), "samples/s": (1e-4, 1e6)}
"""Between which figures of one run lie."""
_ROUNDED: Final = 1.02
"""How far a peak may lie above the memory it was measured in: both are rounded."""
_SMI_USED: Final = re.compile(r"(\d+)MiB\s*/\s*(\d+)MiB")
_SMI_CARD: Final = re.compile(r"\|\s+\d+\s+((?:NVIDIA|Tesla|Quadro|GeForce)[^|]*?)\s+(?:On|Off|N/A)\b")
_VLLM_LOADED: Final = re.compile(r"(?:Model loading|Loading model weights) took ([\d.]+) (GiB|GB)")
_VLLM_MODEL: Final = re.compile(r"model='([^']+)'")
_VLLM_CARDS: Final = re.compile(r"tensor_parallel_size=(\d+)")
_VLLM_FORMAT: Final = re.compile(r"quantization=(\w+)")
_TRAIN_PEAK: Final = re.compile(
    r"(?:peak|max)[\w ./]{0,20}mem\w*[^\d\n]{0,30}([\d.]+)\s*(GiB|GB|MiB|MB)|Memory used:\s*([\d.]+)\s*(GB)",
    re.IGNORECASE,
)
_TRAIN_RATE: Final = re.compile(r"train_samples_per_second['\"]?\s*[:=]\s*([\d.]+)")
_RATE_UNIT: Final = {"t/s": "tok/s", "tok/s": "tok/s", "tokens/s": "tok/s", "token/s": "tok/s", "img/s": "img/s"}
_GENERATION: Final = re.compile(r"^tg\s?(\d+)$")
_COUNT_MOST: Final = 64


class Words(Frozen):
    """Everything in lexicon/reports.yaml."""

    commands: tuple[str, ...]
    confirm: tuple[str, ...]
    peak: tuple[str, ...]
    rate: dict[str, tuple[str, ...]]
    memory_units: dict[str, float]
    asking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure out of a text, with what the text says of the run."""

    value: float
    unit: str
    """GiB | tok/s | img/s | samples/s"""
    metric: str
    """What the number counts: nvidia-smi, torch max allocated, weights loaded, generation, training, stated."""
    software: str = ""
    card: str = ""
    model: str = ""
    number_format: str = ""
    cards: int = 1
    device_gib: float | None = None
    settings: str = ""
    """What the user wrote beside it."""

    @property
    def is_possible(self) -> bool:
        """Whether some run gives such a figure: no more memory than its card has, no rate beyond any machine's."""
        least, most = _POSSIBLE[self.unit]
        return least <= self.value <= min(most, (self.device_gib or most) * _ROUNDED)

    @property
    def words(self) -> str:
        """The run in words, for the reader of questions."""
        count = f"{self.cards} x " if self.cards > 1 else ""
        return " ".join(filter(None, (self.settings, f"{count}{self.card}".strip(), self.model, self.number_format)))


@cache
def words() -> Words:
    """The words, read once."""
    path = Path(__file__).parent / "lexicon" / "reports.yaml"
    return Words.model_validate(load_lexicons([path], [])[str(path)])


def argument_of(text: str) -> str | None:
    """What stands behind the command, with its lines; None when the text is none."""
    found = re.match(r"\s*(\S+)\s*", text)
    if found is None or found[1].split("@", 1)[0].casefold() not in words().commands:
        return None
    return text[found.end() :]


def is_confirming(argument: str) -> bool:
    """Whether the command agrees to keep what was measured."""
    return argument.strip().casefold() in words().confirm


def asks(text: str) -> bool:
    """Whether a text asks about a log instead of reporting it."""
    lowered = text.casefold()
    return any(word in lowered for word in words().asking)


def measured_in(text: str, *, commanded: bool = False) -> Measured | None:
    """The figure of a report; None when there is none. Behind the command an amount of memory is the peak."""
    text = text[:_MOST_CHARACTERS]
    for reader in (_llama_bench, _vllm, _smi, _training, _typed):
        found = reader(text)
        if found is not None:
            return found
    return _plain(text) if commanded else None


def is_log(text: str) -> bool:
    """Whether a text is a tool's own output and no sentence."""
    return "\n" in text and any(reader(text[:_MOST_CHARACTERS]) for reader in (_llama_bench, _vllm, _smi))


def _settings(text: str) -> str:
    """The first line, where it is the user's own: logs begin with their marks."""
    first = text.strip().split("\n", 1)[0].strip()
    own = not first.startswith(("|", "+", "INFO", "ggml", "Device", "(", "[", "{", "Memory used"))
    return first[:200] if own else ""


def _llama_bench(text: str) -> Measured | None:
    """Rows of a llama-bench table: the generation rate of the first model."""
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.lstrip().startswith("|") else []
        if {"model", "test", "t/s"} <= set(cells):
            columns = cells
        elif columns and len(cells) == len(columns):
            row = dict(zip(columns, cells, strict=True))
            rate = re.match(r"([\d.]+)", row["t/s"])
            if rate is not None and _GENERATION.match(row["test"]):
                return _of_bench(text, row["model"], float(rate[1]))
    return None


def _of_bench(text: str, model: str, rate: float) -> Measured:
    devices = list(dict(_DEVICE.findall(text)).values())  # a log pasted twice names each twice
    named = re.match(r"(?P<name>.+?)\s+(?P<format>(?:I?Q\d|F16|BF16|F32|MXFP4)\S*)", model)
    return Measured(
        value=rate,
        unit="tok/s",
        metric="generation",
        software="llama.cpp",
        card=devices[0] if devices else "",
        model=named["name"] if named else model,
        number_format=named["format"].casefold() if named else "",
        cards=max(1, min(len(devices), _COUNT_MOST)),
        settings=_settings(text),
    )


def _vllm(text: str) -> Measured | None:
    """The line of a vLLM start log that says what the weights took."""
    loaded = _VLLM_LOADED.search(text)
    if loaded is None:
        return None
    model, cards, number_format = _VLLM_MODEL.search(text), _VLLM_CARDS.search(text), _VLLM_FORMAT.search(text)
    quantised = number_format[1] if number_format and number_format[1] != "None" else ""
    return Measured(
        value=float(loaded[1]),  # vLLM divides by 2^30 under either name
        unit="GiB",
        metric="weights loaded",
        software="vLLM",
        model=model[1].rstrip("/").rsplit("/", 1)[-1] if model else "",
        number_format=quantised,
        cards=min(int(cards[1]), _COUNT_MOST) if cards else 1,
        settings=_settings(text),
    )


def _smi(text: str) -> Measured | None:
    """The fullest card of an nvidia-smi table."""
    used = [(int(one), int(whole)) for one, whole in _SMI_USED.findall(text)]
    if not used:
        return None
    card = _SMI_CARD.search(text)
    peak, whole = max(used)
    return Measured(
        value=peak / 1024,
        unit="GiB",
        metric="nvidia-smi",
        card=card[1].strip() if card else "",
        device_gib=round(whole / 1024, 1),
        settings=_settings(text),
    )


def _training(text: str) -> Measured | None:
    """Peak memory of a training log, else its rate."""
    peak = _TRAIN_PEAK.search(text)
    if peak is not None and "\n" in text:
        number, unit = (peak[1], peak[2]) if peak[1] else (peak[3], peak[4])
        gib = float(number) * words().memory_units[unit.casefold()]
        return Measured(value=gib, unit="GiB", metric="torch max allocated", settings=_settings(text))
    rate = _TRAIN_RATE.search(text)
    if rate is not None:
        return Measured(value=float(rate[1]), unit="samples/s", metric="training", settings=_settings(text))
    return None


def _typed(text: str) -> Measured | None:
    """A line such as "4090 qwen2.5-7b lora batch 1 2048: peak 17.1 GiB" or "... 130 tok/s"."""
    units = "|".join(sorted(map(re.escape, words().memory_units), key=len, reverse=True))
    rates = "|".join(sorted(map(re.escape, _RATE_UNIT), key=len, reverse=True))
    rate = re.search(rf"{_ALONE}\s*({rates})", text, re.IGNORECASE)
    if rate is not None:
        rest = text[: rate.start()] + text[rate.end() :]
        return Measured(float(rate[1]), _RATE_UNIT[rate[2].casefold()], "stated", settings=rest.strip()[:200])
    peaks = "|".join(map(re.escape, words().peak))
    return _peak(
        text, list(re.finditer(rf"(?:{peaks})[\s:=\uff1a]{{0,3}}{_ALONE}\s*({units})\b", text, re.IGNORECASE))[:1]
    )


def _plain(text: str) -> Measured | None:
    """The last amount of memory in full units: "24g" is rather the card's."""
    return _peak(text, list(re.finditer(rf"{_ALONE}\s*(gib|gb|mib|mb)\b", text, re.IGNORECASE))[-1:])


def _peak(text: str, found: list[re.Match[str]]) -> Measured | None:
    """The peak that was found, the rest of the text as its settings."""
    if not found:
        return None
    (peak,) = found
    rest = text[: peak.start()] + text[peak.end() :]
    gib = float(peak[1]) * words().memory_units[peak[2].casefold()]
    return Measured(gib, "GiB", "stated", settings=rest.strip()[:200])
