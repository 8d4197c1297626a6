"""Cards and networks as published tables write them, found among the catalogue's names.

Tables add what a name does not need: memory sizes, boards, power, formats, file endings, owners. These are taken off,
longest remaining name first; a size that the name states must be that of the record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from advisor.catalog import Catalog
from advisor.errors import UnsupportedCombination
from advisor.kept import Memo
from advisor.models import Gpu, MlModel
from advisor.names import name_key
from advisor.speed.benchmarks import BENCHMARK_MODELS
from advisor.speed.networks import network_named

_PROCESSOR: Final = re.compile(
    r"\(cpu only\)|(?<![a-z])(?:xeon|epyc|threadripper|core\(?t?m?\)? ?i\d"
    r"|core ultra|i[3579]-\d|snapdragon|raspberry|cpu)"
    r"|ryzen \d (?!.*(?:radeon|\d{3}m))",
    re.IGNORECASE,
)
_WATTS: Final = re.compile(r"(?<![\w.])(\d{2,4}) ?W(?![a-zA-Z])")
_BRACKETS: Final = re.compile(r"\(([^()]*)\)")
_SIZE: Final = re.compile(r"(?<![\w.])(\d{1,4}) ?(?:gb|gib|g)(?![a-z])", re.IGNORECASE)
_FILLING: Final = re.compile(
    r"nvidia|geforce|instinct|radeon pro|class|superchip|grace hopper|hbm\w*|gen\d|nvlink|nps\d|spx|dlc|\d+ ?w(?![a-z])"
    r"|\d+-core gpu|integrated|graphics|gpu|accelerator|generation|amd(?= (?:mi|instinct|radeon rx))|intel(?= arc)",
    re.IGNORECASE,
)
_BOARDS: Final = ("sxm5", "sxm4", "sxm2", "sxm", "pcie", "nvl")
_MEMORY_OF_BOARD: Final = {
    "a100": ("80gb sxm4",),
    "a800": ("80gb sxm4",),
    "h100": ("80gb sxm5",),
    "v100": ("sxm2 16gb",),
}
_USUAL_BOARD: Final = {"a100": ("sxm4",), "a800": ("sxm4",), "v100": ("sxm2",)}
"""Published tables of servers leave out the board that servers carry."""

_ENDINGS: Final = re.compile(
    r"(?:[-_.: ](?:gguf|ggml|mlx|awq|gptq|exl2|bnb|nvfp4|mxfp4|fp8|fp16|bf16|f16|int4|int8|w4a16|\d(?:\.\d)?-?bit|ud"
    r"|i?q\d(?:_\w+)?"
    r"|qat|mtp|it|hf|instruct|chat|base|latest|fast|quantized|crack|jangtq|dq|imatrix|hd|v?\d\.\d|unsloth|2bit|thinking"
    r"|small|all|\d{4}|preview|text|vl))+$",
    re.IGNORECASE,
)
_MPT: Final = re.compile(r"(?:mpt-)?(\d{2,4})m(?![a-z\d])", re.IGNORECASE)
_STATED: Final = re.compile(r"(?<![\w.])(\d{1,4}(?:\.\d+)?) ?b(?![a-z\d])", re.IGNORECASE)
_UNIFIED_OWN: Final = re.compile(r"\(([\d.]+) ?gb\)", re.IGNORECASE)


def is_processor(name: str) -> bool:
    """Whether a table's column of cards names a processor that does everything."""
    return bool(_PROCESSOR.search(name))


def memory_in(name: str) -> float | None:
    """GiB that a table's name of a card or machine states, or None."""
    found = _SIZE.findall(name)
    return float(found[-1]) if found else None


@lru_cache(maxsize=1024)
def _plain(name: str) -> str:
    text = _FILLING.sub(" ", _BRACKETS.sub(" ", name).replace("-", " ").replace("/", " ").replace("_", " "))
    return " ".join(text.split())


def _texts(name: str) -> Iterator[str]:
    """The name, what stands in its brackets, and its parts around a stroke."""
    inner = [part.split(",")[0] for part in _BRACKETS.findall(name)]
    outer = _BRACKETS.sub(" ", name).strip()
    yield from (name, *inner)
    yield from (f"{outer} {part.split(' by ')[0]}" for part in inner if " by " in part)
    yield from name.split(" / ")


def _with_each(stem: str, boards: Iterable[str]) -> Iterator[str]:
    return (f"{stem} {board}" for board in boards)


def _variants(name: str) -> Iterator[str]:
    """Spellings to look up, the most exact first."""
    for text in _texts(name):
        yield from _variants_of(text)


def _variants_of(text: str) -> Iterator[str]:
    """Spellings of one text: with the board and the memory that it states or that are usual, then without."""
    plain = _plain(text)
    bare = " ".join(_SIZE.sub(" ", plain).split())
    stem = " ".join(word for word in bare.split() if word.lower() not in _BOARDS)
    stated, usual = [board for board in _BOARDS if board in plain.lower()], _USUAL_BOARD.get(stem.lower(), ())
    if not stated:
        yield from _with_each(plain, usual)
    yield from (text, plain)
    size = memory_in(plain)
    if size:
        sized = f"{stem} {size:.0f}GB"
        yield from _with_each(sized, (*stated, *usual))
        yield sized
        yield from _with_each(sized, _BOARDS)
    yield from _with_each(stem, (*stated, *_MEMORY_OF_BOARD.get(stem.lower(), ())))
    yield from (bare, stem)


def find_gpu(catalog: Catalog, name: str) -> Gpu:
    """The card a table means, whatever it adds to the name (NVLink, memory, power, a chassis).

    Raises:
        UnsupportedCombination: the catalogue has no such card; the message repeats the name.
    """
    found = _card_named(catalog, name.replace("RTX Quadro", "Quadro RTX"))
    if found is None:
        raise UnsupportedCombination(f"the catalogue has no card called {name!r}", gpu=name)
    return _limited(found, name)


def _limited(gpu: Gpu, name: str) -> Gpu:
    """The card at the power that a table's name states, where that is less than the record's."""
    found = _WATTS.search(name)
    if found is None or not gpu.board_power_w or float(found[1]) >= 0.9 * gpu.board_power_w:
        return gpu
    return gpu.model_copy(update={"board_power_w": float(found[1])})


def _card_named(catalog: Catalog, turned: str) -> Gpu | None:
    """The card by the most exact of the spellings of a name, else by its words."""
    for spelling in _variants(turned):
        found = catalog.find_gpu(spelling) if len(spelling) > 1 else None
        if found is not None:
            return found
    words = _plain(turned).split()
    for end in range(len(words), 0, -1):
        for start in range(0, min(3, end)):
            if end - start > 1 or (end == 1 and re.search(r"\d", words[0])):
                found = catalog.find_gpu(" ".join(words[start:end]))
                if found is not None:
                    return found
    return None


def _model_spellings(name: str) -> Iterator[str]:
    text = name.strip().rsplit("/", 1)[-1].replace(":", "-")
    text = re.sub(r"\.gguf$", "", text, flags=re.IGNORECASE)
    for owner in (text, text.split("_", 1)[-1], text.split("-", 1)[-1]):
        yield owner
        shorter = owner
        for _ in range(4):
            cut = _ENDINGS.sub("", shorter)
            if cut == shorter:
                break
            shorter = cut
            yield shorter
        parts = re.split(r"[-_ ]", owner)
        for end in range(len(parts) - 1, 1, -1):
            yield "-".join(parts[:end])


_TELLING: Final = frozenset(
    {"flash", "next", "lite", "nano", "super", "ultra", "e2b", "e4b", "air", "270m", "lightning", "scout", "maverick"}
)
"""Words that make another network of a name; a spelling without them is not that network."""


def _leaves_out(name: str, spelling: str) -> bool:
    words = set(re.split(r"[-_ :/.]", name.lower())) & _TELLING
    return bool(words - set(re.split(r"[-_ :/.]", spelling.lower())))


def _agrees(model: MlModel, name: str) -> bool:
    """The size that a name states is that of the record, where it states one."""
    stated = [float(size) for size in _STATED.findall(name.replace("-", " ").replace("_", " ").replace(":", " "))]
    if not stated:
        return True
    billions = model.parameters / 1e9
    return any(0.6 * size <= billions <= 1.7 * size for size in stated)


_STACK: Final = re.compile(r"(\d+) layers, width (\d+)")


def _stack_of_layers(name: str) -> MlModel | None:
    """A plain stack of transformer layers that is described by depth and width."""
    found = _STACK.search(name)
    if found is None:
        return None
    layers, width = int(found[1]), int(found[2])
    return MlModel(
        id=f"stack-{layers}x{width}",
        name=name,
        modality="text-decoder",
        parameters=12.0 * layers * width**2,
        layers=layers,
        hidden=width,
    )


_KEPT: Memo[tuple[int, str], MlModel | None] = Memo()


_OPEN: Final = re.compile(r"not stated|see page", re.IGNORECASE)
"""What stands beside a model's name where its source leaves open which size or which steps were run."""


def check_settled(name: str) -> None:
    """Raises UnsupportedCombination where a line's model leaves open which network it is about."""
    if _OPEN.search(name):
        raise UnsupportedCombination(f"the line leaves open which network it is about: {name}", model=name)


def find_model(catalog: Catalog, name: str) -> MlModel:
    """The network a table means; sizes within an unknown name give a decoder of that size.

    Raises:
        UnsupportedCombination: neither the name nor a size in it is known; the message repeats the name.
    """
    key = (id(catalog), name)
    if key not in _KEPT:
        _KEPT[key] = _find_model(catalog, name)
    found = _KEPT[key]
    if found is None:
        raise UnsupportedCombination(f"no network called {name!r} is known, and the name states no size", model=name)
    return found


def _find_model(catalog: Catalog, name: str) -> MlModel | None:
    """What the first reading that knows the name makes of it."""
    return next((found for read in _READINGS if (found := read(catalog, name)) is not None), None)


def _benchmark(catalog: Catalog, name: str) -> MlModel | None:
    """A network that only benchmarks run."""
    return next((made for made in BENCHMARK_MODELS if made.name == name), None)


def _recorded(catalog: Catalog, name: str) -> MlModel | None:
    """The record of this name, brackets or not."""
    return catalog.find_ml_model(name) or catalog.find_ml_model(_BRACKETS.sub(" ", name).strip())


def _respelt(catalog: Catalog, name: str) -> MlModel | None:
    """The record of a shorter spelling that says the same size and leaves out nothing that tells."""
    for spelling in _model_spellings(name):
        found = catalog.find_ml_model(spelling)
        if found is not None and _agrees(found, name) and not _leaves_out(name, spelling):
            return found
    return None


def _millions(catalog: Catalog, name: str) -> MlModel | None:
    """A decoder of as many millions of parameters as the name says."""
    found = _MPT.search(name)
    return catalog.size_stand_in(f"llm-{float(found[1]) / 1000.0:g}b") if found else None


def _billions(catalog: Catalog, name: str) -> MlModel | None:
    """A decoder of the size in the name, active parameters written with a hyphen or without."""
    plain = re.sub(r"(\db)a(\d)", r"\1-a\2", name.lower().replace("_", "-").replace(":", "-"))
    return catalog.size_stand_in(name) or catalog.size_stand_in(plain)


_ONLY_SIZES: Final = re.compile(r"\d+(?:\.\d+)?b(?:a\d+(?:\.\d+)?b)?")


def _only_size_left_out(catalog: Catalog, name: str) -> MlModel | None:
    """The one model whose name is this one followed by its sizes ("Nemotron 3 Super")."""
    key = name_key(name)
    found = [
        one
        for one in catalog.ml_models.values()
        if name_key(one.name).startswith(key) and _ONLY_SIZES.fullmatch(name_key(one.name)[len(key) :])
    ]
    return found[0] if len(found) == 1 else None


_READINGS: Final[tuple[Callable[[Catalog, str], MlModel | None], ...]] = (
    _benchmark,
    _recorded,
    lambda _, name: network_named(name),
    _respelt,
    lambda _, name: _stack_of_layers(name),
    _millions,
    _billions,
    _only_size_left_out,
)
"""How a name is read, the surest way first."""
