"""What knows the words that signs, places and amounts are said with."""

from __future__ import annotations

from typing import Protocol

from bot.core.ran_out import RanOut


class Lexicon(Protocol):
    """Knows the words that signs, places and amounts are said with. Words come folded, in lower case."""

    def standing(self, words: str) -> frozenset[str]:
        """Words of signs, troubles and replies whose letters stand somewhere in these: what these are found by."""
        ...

    def groups(self, standing: frozenset[str], ideas: frozenset[str]) -> frozenset[str]:
        """The groups of signs that such words or ideas may speak of: most messages speak of few."""
        ...

    def sides(self, group: str, words: str, standing: frozenset[str], ideas: frozenset[str]) -> tuple[str, ...]:
        """Names of a group of signs that the words speak of, in the order of the group."""
        ...

    def placed(self, group: str, words: str, standing: frozenset[str]) -> tuple[str, ...]:
        """Names of a group in the order of the words; where one word is part of a longer one, the longer counts."""
        ...

    def symptom(self, standing: frozenset[str]) -> str:
        """The place on the path of troubles that words which stand in a message point to, "" for none."""
        ...

    def error(self, standing: frozenset[str]) -> str:
        """The known message of a program or fault that the words hold, "" for none."""
        ...

    def reply(self, place: str, standing: frozenset[str]) -> str:
        """The next place that the words answer the question of a place with, "" for none."""
        ...

    def words(self, words: str) -> tuple[str, ...]:
        """Latin words, numbers and what mixes them, one by one."""
        ...

    def epochs(self, words: str) -> int | None:
        """How many times data is gone through."""
        ...

    def train_tokens(self, words: str) -> float | None:
        """An amount of training tokens."""
        ...

    def tokens_per_second(self, words: str) -> float | None:
        """A pace of writing that is said."""
        ...

    def mfu(self, words: str) -> float | None:
        """The share of the peak that training uses."""
        ...

    def rate(self, words: str) -> tuple[float, str] | None:
        """A rate of work and its unit: token/s, image/s or it/s."""
        ...

    def steps(self, words: str) -> int | None:
        """A number of steps, as pictures are drawn in."""
        ...

    def drawn(self, words: str) -> tuple[int, ...]:
        """Numbers that may be those of pictures or clips."""
        ...

    def machine(self, words: str) -> tuple[str, str]:
        """The processor that is named, and kind, speed and channels of the machine's memory; "" for what is not."""
        ...

    def numbers(self, words: str) -> tuple[str, ...]:
        """Numbers as written, in their order."""
        ...

    def bare_numbers(self, words: str) -> tuple[str, ...]:
        """Numbers that are no part of a name and have no unit right behind."""
        ...

    def gbit(self, words: str) -> float | None:
        """Gbit/s of a network that is named."""
        ...

    def slot(self, kind: str, words: str) -> frozenset[int]:
        """What a slot of a board is said to be: its `lanes`, its `generation`; the `amps` of a circuit."""
        ...

    def driver(self, words: str) -> str:
        """Version of a driver that is named, "" for none."""
        ...

    def capability(self, words: str) -> str:
        """A compute capability ("8.6") that is named as an sm number, "" for none."""
        ...

    def ran_out(self, words: str) -> RanOut | None:
        """The figures of a message that memory ran out."""
        ...

    def batches(self, words: str) -> tuple[int, ...]:
        """Sizes of batches in their order."""
        ...

    def caches(self, words: str) -> tuple[str, ...]:
        """Number formats of the KV cache in their order."""
        ...

    def words_of_weights(self, words: str) -> tuple[str, ...]:
        """Latin words, numbers and what mixes them, but for formats of a cache."""
        ...
