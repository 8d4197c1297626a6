"""Finds concepts: the shared ideas behind the words of both languages ("vram", "enough", "second_hand").

Surfaces come from the shared synonym table and from `bot/languages/concepts`. The longest match wins, and a surface
may stand for several concepts. Slips are tolerated: an English word may have one wrong, missing, doubled or swapped
letter (`spelling.py`); a Chinese surface may have two neighbours swapped or, from three characters on, one missing.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

from bot.understand.files import Concept, Concepts
from bot.understand.finder import Hit, Meant, Surfaces, settle
from bot.understand.normalise import is_han

_LONGEST_SLIP = 8
_LINE, _PART = "\x7f", "|"
"""What stands between the forms of the table, and between the parts of one; no form holds either."""


class Found(NamedTuple):
    """Concepts read at one place. `slip` is what stood there when it had to be mended, else empty."""

    start: int
    end: int
    concepts: tuple[str, ...]
    surface: str
    slip: str = ""


def flatten(text: str) -> str:
    """The form surfaces are matched in: hyphens and underscores as spaces, same length."""
    return text.replace("-", " ").replace("_", " ")


def inflections(phrase: str) -> tuple[str, ...]:
    """An English phrase and its regular plural; anything else as it is."""
    last = phrase.rsplit(" ", 1)[-1]
    if not last.isascii() or not last.isalpha() or len(last) < 3:
        return (phrase,)
    if phrase.endswith(("s", "x", "ch", "sh")):
        return (phrase, f"{phrase}es")
    if phrase.endswith("y") and phrase[-2] not in "aeiou":
        return (phrase, f"{phrase[:-1]}ies")
    return (phrase, f"{phrase}s")


class SurfaceTable(TypedDict):
    """All forms of all surfaces, JSON-able, so that it is worked out once for each state of the data."""

    meant: list[str]
    """What surfaces stand for: concepts, with spaces between them."""
    forms: dict[str, str]
    """By first character the surfaces and their slips, each behind the place in `meant` of what it stands for; a slip
    before the surface that it is one of, a stem with a star."""
    words: list[str]
    """The English words of all surfaces."""
    stems: list[str]
    """What words begin with that may end in any way."""
    following: dict[str, str]
    """For each character the ones that come next in some form, where one of the two is Han."""


def surface_table(
    concepts: Mapping[str, Iterable[str]],
    implied: Mapping[str, tuple[str, ...]],
    swapped_pairs: Iterable[str] = (),
    denying: str = "",
) -> SurfaceTable:
    """All forms of all surfaces.

    Args:
        concepts: concept -> surfaces.
        implied: concept -> others it brings.
        swapped_pairs: Chinese surfaces of two characters that may be swapped, see `han_slips`.
        denying: characters that no slip moves or leaves out, see `han_slips`.
    """
    owners, stems = _owners(concepts)
    slips_of = _slips(sorted(owners), frozenset(swapped_pairs), denying)
    meant: dict[str, int] = {}
    forms: dict[str, list[str]] = {}
    for form, slips in slips_of.items():
        named = {other for concept in owners[form] for other in (concept, *implied.get(concept, ()))}
        place = meant.setdefault(" ".join(sorted(named)), len(meant))
        forms.setdefault(form[0], []).append(f"{place}{_PART}{form}{'*' if form in stems else ''}")
        for slip in slips:
            forms.setdefault(slip[0], []).append(f"{place}{_PART}{slip}{_PART}{form}")
    return {
        "meant": list(meant),
        # as few texts as can be: thousands of small ones take much longer to read, and more room
        "forms": {head: _LINE.join(lines) for head, lines in forms.items()},
        "words": sorted({word for form in owners for word in form.split() if _is_word(word)}),
        "stems": sorted(filter(str.isascii, stems)),
        "following": _following(owners),
    }


def _owners(concepts: Mapping[str, Iterable[str]]) -> tuple[dict[str, set[str]], set[str]]:
    """The concepts of each form, and the forms that are stems: their surfaces end with a star."""
    owners: dict[str, set[str]] = {}
    stems: set[str] = set()
    for concept in sorted(concepts):
        for surface in concepts[concept]:
            base = flatten(surface.rstrip("*"))
            if surface.endswith("*"):
                stems.add(base)
            for form in inflections(base) if base not in stems else (base,):
                owners.setdefault(form, set()).add(concept)
    return owners, stems


def _slips(forms: Sequence[str], pairs: frozenset[str], denying: str) -> dict[str, list[str]]:
    """Each form with its slips, as far as they are no other form and no slip of an earlier one."""
    taken = set(forms)
    found: dict[str, list[str]] = {}
    for form in forms:
        mended = han_slips(form, denying) if len(form) > 2 or form in pairs else ()
        found[form] = list(dict.fromkeys(slip for slip in mended if slip not in taken))
        taken.update(found[form])
    return found


def _is_word(word: str) -> bool:
    """Whether this is an English word of three letters or more."""
    return len(word) > 2 and word.isascii() and word.isalpha()


def _following(forms: Iterable[str]) -> dict[str, str]:
    """For each character the ones that come next in some form, where one of the two is Han."""
    found: dict[str, set[str]] = {}
    for form in forms:
        if not form.isascii():
            for left, right in itertools.pairwise(form):
                if is_han(left) or is_han(right):
                    found.setdefault(left, set()).add(right)
    return {left: "".join(sorted(found[left])) for left in sorted(found)}


class LexiconBook(Mapping[str, Surfaces[Meant]]):
    """What a `Finder` looks for on behalf of a `Lexicon`: read from the table when it is asked for."""

    def __init__(self, table: SurfaceTable) -> None:
        """`table` is what `surface_table` gave."""
        self._forms = table["forms"]
        self._meant = [tuple(map(sys.intern, named.split(" "))) for named in table["meant"]]

    def __getitem__(self, head: str) -> Surfaces[Meant]:
        """The surfaces that begin with a character."""
        return [self._surface(*line.split(_PART)) for line in self._forms[head].split(_LINE)]

    def _surface(self, place: str, form: str, slip_of: str = "") -> tuple[str, int, bool, Meant]:
        plain = form.rstrip("*")
        return plain, int(bool(slip_of)), plain != form, (self._meant[int(place)], slip_of or plain)

    def __iter__(self) -> Iterator[str]:
        """The characters that surfaces begin with."""
        return iter(self._forms)

    def __len__(self) -> int:
        """How many characters surfaces begin with."""
        return len(self._forms)


class Lexicon:
    """All surfaces of all concepts."""

    def __init__(self, table: SurfaceTable) -> None:
        """`table` is what `surface_table` gave."""
        self.words = frozenset(table["words"])
        self.stems = tuple(table["stems"])
        self._following = table["following"]

    def may_mend(self, text: str, at: int) -> bool:
        """Whether surfaces of four characters in all may stand where the one at `at` and the one after it change over.

        A cheap test by the pairs that such surfaces would hold: where it says no, there are none.
        """
        left, right = text[at + 1], text[at]
        opens = at > 0 and self._may_follow(text[at - 1], left)
        closes = at + 2 < len(text) and self._may_follow(right, text[at + 2])
        if opens and closes:
            return True
        if (opens or closes) and self._may_follow(left, right):
            return True
        # a surface that ends with the left one or begins with the right one must be long enough alone
        if opens:
            return at > 2 and self._chains(text[at - 3 : at])
        return closes and self._chains(text[at + 2 : at + 5])

    def _chains(self, three: str) -> bool:
        """Whether three characters may follow each other within surfaces."""
        return len(three) == 3 and self._may_follow(three[1], three[2]) and self._may_follow(three[0], three[1])

    def _may_follow(self, left: str, right: str) -> bool:
        """Whether a character comes after another one in some surface; of two that are not Han it is not known."""
        return right in self._following.get(left, "") or not (is_han(left) or is_han(right))


def settled(hits: list[Hit[Meant]], text: str, blocked: Iterable[tuple[int, int]] = ()) -> list[Found]:
    """Longest non-overlapping surfaces of a text, in its order; `blocked` spans are left out."""
    make = tuple.__new__  # a third of the time of the class call
    return [
        make(Found, (start, end, concepts, surface, "" if worth == length else text[start:end]))
        for worth, length, start, end, (concepts, surface) in settle(hits, len(text), blocked)
    ]


def han_slips(form: str, denying: str = "") -> list[str]:
    """Forms with one slip: two neighbours swapped; from four characters on an inner one left out.

    A character of `denying` stays where it stands: elsewhere it denies another thing ("cannot reach" is no "ask no
    more"), and without it what was denied is said.
    """
    if not 2 <= len(form) <= _LONGEST_SLIP or not all(map(is_han, form)):
        return []
    free = [char not in denying for char in form]
    return [*_swapped(form, free), *(_shortened(form, free) if len(form) >= 4 else ())]


def _swapped(form: str, free: Sequence[bool]) -> Iterator[str]:
    """A form with two neighbours that may move, changed over."""
    for at, (left, right) in enumerate(itertools.pairwise(form)):
        if left != right and free[at] and free[at + 1]:
            yield form[:at] + right + left + form[at + 2 :]


def _shortened(form: str, free: Sequence[bool]) -> Iterator[str]:
    """A form without an inner character that may be missing."""
    return (form[:at] + form[at + 1 :] for at in range(1, len(form) - 1) if free[at])


def concept_surfaces(content: Concepts, even: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Surfaces of each concept of one file (`concept: {zh: [...], en: [...]}`), both languages together."""
    return {concept: surfaces_of(words, even) for concept, words in content.items()}


def surfaces_of(words: Concept, even: Callable[[str], str]) -> tuple[str, ...]:
    """The surfaces of one concept, both languages together."""
    return tuple(even(str(surface)) for surface in (*words.get("zh", ()), *words.get("en", ())))
