"""No message takes more work than a bound, whatever it is made of: counted in calls, so a busy machine changes nothing.

The assistant is warm, as a server has it: what is loaded once is no message's work.

A loop that calls nothing is caught by the processor time of its thread, with a margin of a thousand.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

from bot.computing import Overdue, raise_overdue
from bot.core.conversation import Pending
from bot.core.numbers import LARGEST, figure, is_readable, whole
from bot.core.text import MOST_FOREIGN, MOST_KEPT, MOST_READ, read_part
from tests.conftest import NOW, make_message
from tests.security import hostile

if TYPE_CHECKING:
    from bot.pipeline import Assistant

MOST_CALLS = 150_000
"""Of Python and of C. The dearest of 500 labelled questions takes 78,000, the dearest of 900 hostile ones 92,000."""
MOST_SECONDS = 10.0
SAMPLES = 40


class TooMuch(BaseException):
    """The bound is passed; nothing on the road catches it."""


def calls_of(work: Callable[[], object]) -> int:
    """How many calls some work makes. Raises TooMuch beyond the bound."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}
        if count > MOST_CALLS:
            sys.setprofile(None)
            raise TooMuch

    watch = Watch()
    sys.setprofile(counted)
    try:
        work()
    except Overdue:
        raise TooMuch from None
    finally:
        sys.setprofile(None)
        watch.end()
    return count


class Watch:
    """Ends the thread it was made in when that has spent its processor time on one piece of work."""

    def __init__(self) -> None:
        ident = threading.get_ident()
        clock = time.pthread_getcpuclockid(ident)
        begun, self._over = time.clock_gettime(clock), threading.Event()

        def watch() -> None:
            while not self._over.wait(0.25):
                if time.clock_gettime(clock) - begun > MOST_SECONDS:
                    raise_overdue(ident)
                    return

        threading.Thread(target=watch, daemon=True).start()

    def end(self) -> None:
        self._over.set()


def test_the_bound_is_one() -> None:
    def calls() -> None:
        for number in range(MOST_CALLS * 2):
            abs(number)

    with pytest.raises(TooMuch):
        calls_of(calls)
    assert calls_of(lambda: [abs(n) for n in range(100)]) < 200


def test_a_loop_without_calls_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "MOST_SECONDS", 0.3)

    def spin() -> None:
        while True:
            pass

    with pytest.raises(TooMuch):
        calls_of(spin)


def worst() -> Iterator[str]:
    """Messages that took far too much once, and their kin."""
    for word in dict.fromkeys((*hostile.SCALES, *hostile.DIGITS)):
        for head in ("", "\u4e24\u4e09", "dozen ", "1", "3-4 ", "\u4e00~"):
            yield f"{head}{word * 39}"
            yield f"{head}{' '.join([word] * 39)}"


@pytest.mark.parametrize("piece", [*hostile.NAMES, *hostile.ASKS, *hostile.BAIT, "1 ", "4090 24g ", "\ufdfa"])
def test_one_piece_over_and_over_is_bounded(assistant: Assistant, piece: str) -> None:
    assert calls_of(lambda: assistant.respond(make_message(piece * 900), None, NOW)) > 0


@pytest.mark.parametrize("ask", ["4090 \u80fd\u8dd1 ", "how much vram for ", "compare ", "which gpu for ", ""])
def test_a_message_of_a_hundred_names_is_bounded(assistant: Assistant, ask: str) -> None:
    catalog = assistant.services.catalog
    models = [one.name for one in catalog.ml_models.values()]
    cards = [one.name for one in catalog.gpus.values()]
    both = [name for pair in zip(models[100:160], cards[100:160], strict=False) for name in pair]
    for names in (models[:120], cards[:120], both):
        text = ask + ", ".join(names)
        assert calls_of(lambda text=text: assistant.respond(make_message(text), None, NOW)) > 0, text[:40]


def test_of_many_models_the_first_are_looked_at_and_the_rest_are_named_as_left(assistant: Assistant) -> None:
    names = [
        "qwen2.5-7b",
        "qwen2.5-14b",
        "qwen2.5-32b",
        "llama-3.1-8b",
        "llama-3.1-70b",
        "gemma-2-9b",
        "phi-4",
        "qwen3-8b",
    ]
    few, many = names, [*names, "qwen3-14b", "mixtral-8x7b"]
    said = [
        assistant.respond(make_message(f"can a 4090 run {', '.join(one)}?"), None, NOW)[0].text for one in (few, many)
    ]
    assert "ask again for the other" not in said[0]
    assert "these are the first 8; ask again for the other 2" in said[1]


def test_number_words_in_every_script_and_order_are_bounded(assistant: Assistant) -> None:
    for text in worst():
        assert calls_of(lambda text=text: assistant.respond(make_message(text), None, NOW)) > 0, text


@pytest.mark.parametrize("family", dict.fromkeys(hostile.FAMILIES), ids=lambda one: one.__name__)
def test_no_family_of_hostile_text_takes_more_work_than_the_bound(
    assistant: Assistant, family: Callable[[random.Random], str]
) -> None:
    chance = random.Random(family.__name__)
    for _ in range(SAMPLES):
        text = family(chance)
        for chat_type in ("private", "group"):
            message = make_message(text, chat_type=chat_type)
            assert calls_of(lambda message=message: assistant.respond(message, None, NOW)) > 0, ascii(text[:200])


def test_hostile_conversations_raise_nothing(assistant: Assistant) -> None:
    chance, turns = random.Random(11), 0
    for conversation in hostile.conversations(11):
        for _, message in hostile.converse(assistant, conversation, chance):
            turns += 1
            assert len(message.text) <= MOST_KEPT
        if turns > 400:
            break


@pytest.mark.parametrize("slot", ["price", "budget", "electricity_price", "duration", "gpu_count", "seq_len", "batch"])
@pytest.mark.parametrize("said", ["5", "5000", "crore--5-triple", "\u4e24\u4e09\u4ebf", "half", "0", "-7"])
def test_a_bare_number_answers_whatever_was_asked_for(assistant: Assistant, slot: str, said: str) -> None:
    _, state = assistant.respond(make_message("rent or buy a 4090"), None, NOW)
    asked = Pending(kind="ask", intent="rent_or_buy", slot=slot, asked_at=NOW)
    reply, _ = assistant.respond(make_message(said), state.model_copy(update={"pending": asked}), NOW)
    assert reply.text


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,024", 1024.0), ("2.5", 2.5), ("1e15", 1e15), ("1e16", None), ("9" * 400, None), ("inf", None), ("nan", None),
     ("\u00bd", None), ("1.2.3", None), ("", None), ("\u0663", 3.0), ("0x10", None)],
)  # fmt: skip
def test_the_gate_of_numbers(text: str, value: float | None) -> None:
    assert figure(text) == value


def test_whole_numbers_and_ranges() -> None:
    assert [whole(text) for text in ("7", "\u0667", "\u00b2", "7.0", "-1", "9" * 30)] == [7, 7, None, None, None, None]
    assert [is_readable(value) for value in (LARGEST, 2 * LARGEST, float("inf"), float("nan"))] == [
        True, False, False, False
    ]  # fmt: skip


def test_a_text_is_cut_once_and_a_cut_one_stays_as_it_is() -> None:
    for text in ("x " * 40_000, "9" * 5000, "\u4e00" * 9000, "a" * 5000 + " 4090"):
        message = make_message(text)
        assert len(message.text) <= MOST_KEPT
        read = read_part(message.text)
        assert len(read) <= MOST_READ
        assert read_part(read) == read
    assert make_message("\ud800 4090").text == "\ufffd 4090"
    assert read_part("x" * 5000 + " 4090").endswith(" 4090")


def test_what_is_said_over_and_over_is_read_a_few_times() -> None:
    asked = "how much vram for llama 70b? "
    assert read_part(asked + "\u79df\u8fd8\u662f\u4e70" * 150) == asked + "\u79df\u8fd8\u662f\u4e70" * 8
    assert read_part("-" * 200 + " 4090") == "-" * 8 + " 4090"
    assert read_part("x " * 100 + "1" + "0" * 20) == "x " * 8 + "1" + "0" * 20
    lines = "\n".join(f"step {number} loss 0.{number:03}" for number in range(12))
    assert read_part(lines) == lines


def test_letters_of_scripts_that_nobody_reads_are_cut() -> None:
    thai = "\u0e2a\u0e27\u0e31\u0e14\u0e35\u0e04\u0e23\u0e1a" * 3 + " "
    text = "".join(f"{thai}{number} " for number in range(20)) + "which gpu? \u9884\u7b97\uff15\u5343\u20ac"
    read = read_part(text)
    assert sum("\u0e00" <= letter <= "\u0e7f" for letter in read) == MOST_FOREIGN
    assert read.endswith("which gpu? \u9884\u7b97\uff15\u5343\u20ac")
    assert " 19 " in read
    assert read_part(read) == read


@pytest.mark.parametrize("mark", ["\u2783", "\u00b2", "\u2460", "\u2155", "\u0664"])
def test_a_sign_that_looks_like_a_figure_points_to_nothing_that_is_not_there(assistant: Assistant, mark: str) -> None:
    _, state = assistant.respond(make_message("compare 4090 and 3090 for bert"), None, NOW)
    reply, _ = assistant.respond(make_message(mark, event_id="2"), state, NOW)
    assert reply.text.strip()


@pytest.mark.parametrize("key", hostile.KEYS)
def test_no_key_breaks_a_conversation(assistant: Assistant, key: str) -> None:
    _, state = assistant.respond(make_message("can i run llama 70b on a 4090"), None, NOW)
    reply, after = assistant.respond(make_message("", event_id="2", action=key), state, NOW)
    assert reply.text.strip()
    assert assistant.respond(make_message("and on two of them?", event_id="3"), after, NOW)[0].text.strip()
