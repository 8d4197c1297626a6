"""Writes names as their records do: parts that were run together or torn apart, versions without their point.

Only what makes a name that is known is rewritten: "h100sxm" and "the5070ti" are parted, "mi300 x" and "7900 xt x" are
joined, "qwen25 14b" gets its point back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from bot.understand.files import Cards, ModelSpelling
from bot.understand.gazetteer import MachineName
from bot.understand.normalise import NormalisedText, rewritten

_RUN: Final = re.compile(r"(?<![a-z0-9.\-_])(?=[a-z]*\d)[a-z0-9]{6,24}(?![a-z0-9])")
"""Letters and figures written together, long enough to be a card and more."""
_SIZE: Final = r"\d{1,3}(?:\.\d)?"
_BEHIND: Final = r"(?:on|at|in|with|vram|run|fit|q\d|int\d|fp\d+|awq|gptq|gguf|q?lora)(?![a-z])"
"""Words behind a size that is said without its unit."""
_END: Final = r"(?![a-z0-9])"
_MEMORY: Final = re.compile(r"[1-9]\d{0,2}gb?")
_TORN: Final = re.compile(
    r"(?<![a-z0-9])([a-z]{0,3}\d{2,4}(?: ?(?:xt|ti))?) (x|s|b|d|a|i)(?![a-z0-9'.])(?! ?\d(?!\d{0,2} ?g))"
)
"""A name and its last letter, with a space between; behind it a memory size, but no other number."""
_TORN_TI: Final = re.compile(r"(?<![a-z0-9])(\d{4}) t i(?![a-z0-9'])")
_OF_TI: Final = re.compile(r"(?<=\d)( ?(?:ti|xt|xtx|super))'s(?![a-z])")
_SPOKEN_A: Final = re.compile(r"(?<=rtx )a (\d000)(?!\d)")
_TENS: Final = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SPOKEN: Final = re.compile(rf"(?<![a-z\-])({'|'.join(_TENS)})[ \-]({'|'.join(_TENS)})(?![a-z\-])")
_JOINED_SIZES: Final = re.compile(rf"(?<![a-z\d.])(\d{{2,3}})b?[ \-]?(a\d{{1,3}}b){_END}")
_TORN_SIZE: Final = re.compile(rf"(?<=[a-z\d] )({_SIZE}) b(?![a-z0-9'])")
_MIXTURE: Final = re.compile(rf"(?<=mixtral )(\d) ?x ?({_SIZE})b{_END}")
_CLOUDS: Final = r"(?:ecs\.|standard[_ ])?"
"""What may stand before the name of a cloud's machine."""
_SIGNS: Final = ("large", "gpu-", "standard-", "_v")
"""Each name of such a machine holds one of these; they are looked for first."""
_COUNTED: Final = r"(?<![a-z0-9_.\-])(?:(\d{1,2}) ?[x*] ?)?"
_NAME_ENDS: Final = r"(?![a-z0-9_\-]| ?[(\[])"
"""What stands in brackets behind tells the cards itself."""
_SERIES_ON: Final = re.compile(r"(tesla|rtx)([a-z]\d{1,4})")
"""A series written on to a name that begins with a letter: "teslap40", "rtxa6000"."""


class _Rule(NamedTuple):
    """One way in which names are miswritten."""

    hint: str
    """Stands in every text with such a name: looked for first, as most texts hold none."""
    pattern: re.Pattern[str]
    write: Callable[[re.Match[str]], str]


class NameSpelling:
    """The rules by which names are set right, made from the keys of cards and the lists of families."""

    def __init__(
        self,
        keys: frozenset[str],
        cards: Cards,
        models: ModelSpelling,
        versions: Iterable[str] = (),
        machines: Iterable[MachineName] = (),
    ) -> None:
        """Take the lists.

        Args:
            keys: joined spellings of cards ("3090ti", "a100").
            cards: `languages/names/cards.yaml`: what is written on to the name of a card.
            models: versions of families, and what stands between a name and its size.
            versions: families with the version of a record ("qwen3.6"), beside those of the list.
            machines: what clouds let, by name.
        """
        self._keys = keys
        self._before = tuple(map(str, (*cards["one"], *cards["spelling"]["before"])))
        written = {word: word for word in map(str, (*cards["forms"], *cards["laptop"])) if word.isascii()}
        self._behind = {**written, **cards["spelling"]["behind"]}
        sized, between = tuple(map(str, models["sized_before"])), tuple(map(str, models["between"]))
        self._of_all = (
            *_of_machines(machines),
            _Rule("'s", _OF_TI, lambda match: match[1]),
            _Rule(" t i", _TORN_TI, self._torn_ti),
            *(
                _Rule(str(word), _told(str(word)), _in_latin(suffix))
                for word, suffix in cards["spelling"]["told"].items()
            ),
            _Rule("", _suffix_first(cards["spelling"]["first"]), self._suffix_behind),
            _Rule("", _TORN, self._torn),
            _Rule("rtx a ", _SPOKEN_A, self._spoken_a),
            _Rule("ty", _SPOKEN, self._spoken),
            _Rule("", _misspelt(models["misspelt"]), lambda match: str(models["misspelt"][match[0]])),
            *(
                _Rule(str(name), _with_letter(str(name)), lambda match: match[0].replace(" ", "-"))
                for name in models["with_letter"]
            ),
            _Rule("yolo", _lettered(models["lettered"]), lambda match: match[1].replace(" ", "") + match[2]),
            _Rule("", _RUN, self._parted_run),
        )
        dotted = (*models["dotted"], *versions)
        listed = (*dotted, *models["whole"], *models["sized"], *sized)
        self._family = re.compile("|".join(sorted({re.split(r"[^a-z]", str(name))[0] for name in listed})))
        self._of_families = (
            _Rule("", _pointless(dotted), _with_point),
            _Rule("", _run_on(models["whole"], dotted), lambda match: f"{match[1]} {match[2]}"),
            _Rule("", _unitless(models["sized"]), lambda match: f"{match[1]}-{match[2]}b"),
            _Rule("", _apart(models["apart"], models["counters"]), lambda match: f"{match[1]}-{match[2]}b"),
            _Rule("v", _lettered_version(sized), lambda match: f"{match[1]} {match[2]}"),
            _Rule(".", _decimal(models["decimals"]), lambda match: f"{match[0]}b"),
            _Rule("a", _JOINED_SIZES, lambda match: f"{match[1]}b-{match[2]}"),
            _Rule("mixtral", _MIXTURE, lambda match: f"{match[1]}x{match[2]}b"),
            _Rule(" b", _TORN_SIZE, lambda match: f"{match[1]}b"),
            _Rule("b", _size_first(sized, between), lambda match: f"{match[2]} {match[1]}"),
            _Rule("b", _parted(between), lambda match: f"{match[1]} {match[2]}"),
        )

    def __call__(self, normalised: NormalisedText) -> NormalisedText:
        """A text with its names set right; every character still knows where it came from."""
        normalised = _set_right(normalised, self._of_all)
        return _set_right(normalised, self._of_families) if self._family.search(normalised.text) else normalised

    def _torn(self, match: re.Match[str]) -> str:
        """A name whose last letter stands apart, if both together are one; an "s" is a Super."""
        body, letter = match[1].replace(" ", ""), match[2]
        if letter == "s" and f"{body}super" in self._keys:
            return f"{body} super"
        return body + letter if body + letter in self._keys else match[0]

    def _torn_ti(self, match: re.Match[str]) -> str:
        return f"{match[1]}ti" if f"{match[1]}ti" in self._keys else match[0]

    def _suffix_behind(self, match: re.Match[str]) -> str:
        return f"{match[2]} {match[1]}" if match[2] + match[1] in self._keys else match[0]

    def _spoken_a(self, match: re.Match[str]) -> str:
        return f"a{match[1]}" if f"a{match[1]}" in self._keys else match[0]

    def _spoken(self, match: re.Match[str]) -> str:
        number = f"{_TENS[match[1]]}{_TENS[match[2]]}"
        return number if number in self._keys else match[0]

    def _parted_run(self, match: re.Match[str]) -> str:
        """A card with a word before it, or its form or memory behind, each as a word of its own."""
        run = match[0]
        if (said := _SERIES_ON.fullmatch(run)) and (said[1] == "tesla" or said[2] in self._keys):
            return f"{said[1]} {said[2]}"
        if run in self._keys:
            return run
        for head in ("", *self._before):
            rest = run.removeprefix(head)
            if (not head or rest != run) and (parts := self._with_tail(rest, alone=not head)):
                return f"{head} {parts}".strip()
        return run

    def _with_tail(self, text: str, *, alone: bool) -> str:
        """A card and what is written on to it, parted; "" where nothing is to be parted (`alone`: no word before)."""
        if text in self._keys:
            return "" if alone else text
        for word, means in self._behind.items():
            if text.endswith(word) and text.removesuffix(word) in self._keys:
                return f"{text.removesuffix(word)} {means}"
        cuts = (text[:cut] for cut in range(3, len(text)) if _MEMORY.fullmatch(text, cut))
        card = next((one for one in cuts if one in self._keys), "")
        return f"{card} {text[len(card) :]}" if card else ""


def _of_machines(machines: Iterable[MachineName]) -> list[_Rule]:
    """Names of machines that clouds let, written as the cards in them: "p4d.24xlarge", "aws 8x a100 40gb sxm4"."""
    by_sign: dict[str, dict[str, MachineName]] = {}
    for one in machines:
        by_sign.setdefault(next(sign for sign in _SIGNS if sign in one.name), {})[one.name] = one
    return [
        _Rule(sign, re.compile(rf"{_COUNTED}{_CLOUDS}({_either(named)}){_NAME_ENDS}"), _as_cards(named))
        for sign, named in by_sign.items()
    ]


def _as_cards(machines: Mapping[str, MachineName]) -> Callable[[re.Match[str]], str]:
    """Writes a machine's name as who lets it and the cards in all of them."""

    def write(match: re.Match[str]) -> str:
        one, several = machines[match[2]], int(match[1] or 1)
        said = match.string[: match.start()].rstrip().endswith(one.provider)
        return f"{'' if said else one.provider + ' '}{one.cards * several}x {one.card.lower()}"

    return write


def _set_right(normalised: NormalisedText, rules: Iterable[_Rule]) -> NormalisedText:
    """A text with what these rules write otherwise."""
    for rule in rules:
        if rule.hint not in normalised.text:
            continue
        written = [(match, rule.write(match)) for match in rule.pattern.finditer(normalised.text)]
        pieces = [_least(match, right) for match, right in written if right != match[0]]
        if pieces:
            normalised = rewritten(normalised, pieces)
    return normalised


def _least(match: re.Match[str], right: str) -> tuple[int, int, str]:
    """The part of a match that is written otherwise: what both begin and end with keeps its place."""
    wrong = match[0]
    most = min(len(wrong), len(right))
    same = next((at for at in range(most) if wrong[at] != right[at]), most)
    rest = next((at for at in range(most - same) if wrong[-1 - at] != right[-1 - at]), most - same)
    return match.start() + same, match.end() - rest, right[same : len(right) - rest]


def _either(words: Iterable[str]) -> str:
    """A pattern for one of these words, the longer ones first."""
    return "|".join(map(re.escape, sorted(map(str, words), key=lambda word: (-len(word), word))))


def _told(word: str) -> re.Pattern[str]:
    """A suffix told in Chinese behind the number of a card."""
    return re.compile(rf"(?<=\d{{4}}) ?{re.escape(word)}")


def _suffix_first(suffixes: Iterable[str]) -> re.Pattern[str]:
    """The suffix of a card before its number ("ti 5070"), where it ends no card of its own ("3060 ti 5070")."""
    return re.compile(
        rf"(?<![a-z0-9])(?<!\d[ \-])({_either(suffixes)}) ?(\d{{4}})(?![a-z0-9]| ?(?:{_either(suffixes)})(?![a-z]))"
    )


def _with_letter(name: str) -> re.Pattern[str]:
    """A name that ends with a letter of its own, both apart."""
    return re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9'])")


def _in_latin(suffix: str) -> Callable[[re.Match[str]], str]:
    """Writes a suffix as a word of its own."""
    return lambda _match: f" {suffix} "


def _misspelt(words: Mapping[str, str]) -> re.Pattern[str]:
    """Short names of families with a slip, before a figure."""
    return re.compile(rf"(?<![a-z])(?:{_either(words)})(?=[ \-]?\d)")


def _pointless(names: Iterable[str]) -> re.Pattern[str]:
    """Versions without their point: "llama33" and "wan2_2", but not the 33 billion of "llama33b"."""
    listed = _either(str(name).replace(".", sign) for name in names for sign in ("", "_"))
    return re.compile(rf"(?<![a-z0-9])({listed})(?![\d.]| ?b{_END})")


def _with_point(match: re.Match[str]) -> str:
    return f"{match[1][:-1].rstrip('_')}.{match[1][-1]}"


def _run_on(names: Iterable[str], dotted: Iterable[str]) -> re.Pattern[str]:
    """A version with the size written on to it: "gemma327b", but not "llama33b", which may be one of 33 billion."""
    open_ones = _either(str(name).replace(".", "") for name in dotted)
    return re.compile(rf"(?<![a-z0-9])(?!(?:{open_ones})b)({_either(names)})(\d{{2,3}}b|[1-9]b)(?=a\d|[^a-z0-9]|$)")


def _size_first(names: Iterable[str], between: Iterable[str]) -> re.Pattern[str]:
    """A size before its name: "70b llama3"; not where the name has one behind it."""
    small = f" ?(?:{_either(between)})? ?"
    named = rf"(?:{_either(names)})(?:[ \-]?v?\d(?:\.\d)?)?"
    return re.compile(rf"(?<![a-z0-9.])({_SIZE}b){small}({named})(?![a-z0-9_.\-]| ?{_SIZE}b| v?\d)")


def _unitless(names: Iterable[str]) -> re.Pattern[str]:
    """A size that lacks its unit, tied to a name by a hyphen or written on to it: "qwen2.5-72", "gpt-oss120"."""
    return re.compile(rf"(?<![a-z0-9])({_either(names)})-?(\d{{2,3}})(?![a-z0-9.\-]| ?b{_END})")


def _apart(sizes: Mapping[str, Iterable[int]], counters: str) -> re.Pattern[str]:
    """A known size without its unit, a space behind its name: "gpt oss 120", unless it counts what follows."""
    each = "|".join(rf"{re.escape(str(name))}(?= (?:{_either(map(str, held))})(?!\d))" for name, held in sizes.items())
    return re.compile(rf"(?<![a-z0-9])({each}) (\d{{2,3}})(?=$|[?!,;]|\.$| ?{_BEHIND}| ?[^\x00-\x7f{counters}])")


def _decimal(sizes: Mapping[str, Iterable[float]]) -> re.Pattern[str]:
    """A small size without its unit behind the name that has it: "qwen3 1.7"."""
    each = "|".join(f"{re.escape(name)}[ \\-](?:{_either(map(str, held))})" for name, held in sizes.items())
    return re.compile(rf"(?<![a-z0-9])(?:{each})(?![\d.a-z]| ?[a-z](?![a-z]))")


def _parted(between: Iterable[str]) -> re.Pattern[str]:
    """A size behind its name with a small word between."""
    return re.compile(rf"([a-z\d])(?:{_either(between)})({_SIZE}b){_END}")


def _lettered_version(names: Iterable[str]) -> re.Pattern[str]:
    """A version with its v written on to a family: "deepseekv3.1"."""
    return re.compile(rf"(?<![a-z])({_either(names)})(v\d(?:\.\d)?)(?![a-z0-9])")


def _lettered(names: Iterable[str]) -> re.Pattern[str]:
    """The letter of a size apart from its name: "yolo v8 m"."""
    return re.compile(rf"(?<![a-z])((?:{_either(names)})\d{{1,2}}) ([nsmlx])(?![a-z0-9'])(?! ?\d)")
