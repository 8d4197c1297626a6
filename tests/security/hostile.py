"""Hostile conversations without end, made by a seed: number words, scripts, signs, markup, traps for patterns.

`python -m tests.security.hostile MINUTES [SEED]` sends them down the whole road with their state and prints one JSON
line: messages, exceptions by kind, processor time (p50, p99, share over 20 ms).
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from bot.core.conversation import Conversation
from bot.core.languages import load_languages
from bot.core.message import IncomingMessage, Reply
from bot.pipeline import Assistant
from bot.stores import records
from tests.conftest import NOW, make_message

_LANGUAGES: Final = load_languages()
DIGITS: Final = tuple(word for words in _LANGUAGES for word in words.digits)
SCALES: Final = tuple(word for words in _LANGUAGES for word in words.scales)
UNITS: Final = tuple(one for words in _LANGUAGES for spellings in words.units.values() for one in spellings)
FIGURES: Final = (
    *("0", "1", "7", "24", "4090", "1e9", "1e99", "9e308", "2e-5", "1,000", "1,2,3", "1.2.3.4", "3.5.9", "0.0", "00007"),
    *("9" * 17, "9" * 400, "1" + ",000" * 60, "\u00bd", "\u00b2", "\u2155", "\u2460", "\u2167", "\u0663\u0662", "\u0967"),
    *("\uff14\uff10\uff19\uff10", "\U0001d7db", "-5", "+3", "1/0", "inf", "nan", "0x10", "1_000", "MCMXC", "iv", "1e", ".5", "5."),
)  # fmt: skip
NAMES: Final = (
    *("4090", "rtx 3090 ti", "a100 80g", "h20", "m3 ultra", "mi300x", "910b", "5070 super", "gtx1060", "4060ti 16g"),
    *("qwen3.5.9b", "qwen2.5.1-7b", "qwen2.5-14b", "llama 3.1 70b", "mixtral 8x7b", "deepseek r1", "sdxl", "flux", "bert"),
    *("resnet50", "yolov8x", "whisper", "7b", "0.5b", "671b-a37b", "foobar-13b", "gpt-4"),
)  # fmt: skip
ASKS: Final = (
    *("how much vram for", "can i run", "which gpu for", "how long to train", "cost of", "compare", "vs", "rent or buy"),
    *("budget", "batch", "context", "users", "hours a day", "and with", "what about", "why?", "the second one", "no, i meant"),
    *("\u80fd\u8dd1", "\u591a\u5c11\u94b1", "\u591a\u5c11\u663e\u5b58", "\u9884\u7b97", "\u8bad\u7ec3\u8981\u591a\u4e45", "\u79df\u8fd8\u662f\u4e70", "\u90a3", "\u4e0d\u8981", "\u6362\u6210", "\u4e3a\u4ec0\u4e48"),
    *("cheaper?", "cancel", "psu", "nvlink", "cuda", "oom", "lora", "int4", "epochs", "tokens", "per hour", "%", "w", "gb"),
)  # fmt: skip
SIGNS: Final = (
    *("\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e8\U0001f1f3", "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff"),
    *("\ud800", "\udfff", "\udc00\ud800", "\x00", "\x07", "\x1b[31m", "\r\n", "\t", "\u0301" * 9, "\u0e49" * 20, "\ufdfa", "\u3000"),
    *("\u0645\u0631\u062d\u0628\u0627", "\u05e9\u05dc\u05d5\u05dd", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u041f\u0440\u0438\u0432\u0435\u0442", "\uac00\ub098", "\u3042\u30a2", "\U00020000", "\uf8ff", "\ufffe"),
)  # fmt: skip
MARKUP: Final = (
    *("<b>", "</b>", "<script>alert(1)</script>", "<a href='x'>", "[x](javascript:1)", "**", "__", "`", "```", "||", "| a | b |"),
    *("{{7*7}}", "{% for x in y %}", "${x}", "#{x}", "%s%n", "%(x)s", "{0}", "\\", "\\u0000", "&amp;", "&#x41;", "]]>", "<!--"),
    *("'; DROP TABLE inbox;--", "../../etc/passwd", "@bot", "@all", "/ask", "/forget", "/broadcast x", "#K7QK", "> quoted\n", "-- ", "~~"),
)  # fmt: skip
BAIT: Final = (
    "a",
    "1",
    "x",
    "-",
    " ",
    ".",
    ",",
    "@",
    ">",
    "\n",
    "(",
    "1 ",
    "a1",
    "x8",
    "4x",
    "1-",
    "1~",
    "aA",
    "\u4e00",
    "3o",
    "oil0",
)
KEYS: Final = (
    *("set:gpu_count=\u00bd", "set:gpu_count=\u00b2", "set:gpu_count=0", "set:gpu_count=99999999999999999999", "set:batch=-1"),
    *("set:budget=x", "set:budget=inf CNY", "set:budget=1e400", "set:budget=", "set:duration=nan day", "set:vram_gb=-inf"),
    *("set:utilization=nan", "set:gpu=nothing", "set:model=\u0000", "set:precision=fp3", "set:nothing=1", "set:", "set:=", "set:task=fly"),
    *("ask:recommend_gpu", "ask:nothing", "ask:", "do:why", "do:why#ZZZZ", "do:details", "do:sources", "do:chart", "do:good", "do:nothing"),
    *("do:want-gpu", "do:want-nothing", "do:", ":", "#", "##", "x", "set:resolution=0x0", "set:resolution=99999x99999", "set:seq_len=0"),
    *("set:framework=x", "set:dataset=x", "set:provider=x", "set:region=x", "set:persona=x", "set:users=100000", "set:psu_w=1e15"),
    *("set:duration=1e15 year", "set:duration=1 fortnight", "set:price=1 XXX eon", "set:budget=5 CNY once", "set:method=x", "set:cpu=x"),
)  # fmt: skip


def number_words(chance: random.Random) -> str:
    """Digits, scales and units of all scripts, in orders nobody says."""
    parts = [
        chance.choice(chance.choice((DIGITS, SCALES, SCALES, UNITS, FIGURES))) for _ in range(chance.randint(1, 14))
    ]
    if chance.random() < 0.3:
        parts = [chance.choice(DIGITS), *([chance.choice(SCALES)] * chance.choice((3, 39, 200)))]
    return chance.choice(("", "", " ", "-", ", ")).join(parts)


def sentence(chance: random.Random) -> str:
    """Words of the subject with what does not belong between them."""
    pools = (ASKS, NAMES, FIGURES, DIGITS, UNITS, SIGNS, MARKUP)
    words = [chance.choice(chance.choice(pools[: chance.choice((2, 4, 5, 7))])) for _ in range(chance.randint(1, 9))]
    return chance.choice((" ", " ", "", "\n")).join(words)


def repeated(chance: random.Random) -> str:
    """One piece over and over, and what breaks the run at its end."""
    piece = chance.choice(chance.choice((BAIT, SIGNS, DIGITS, SCALES, UNITS, NAMES, MARKUP, ASKS)))
    return piece * chance.choice((2, 30, 400, 2500)) + chance.choice(("", "!", " b", "\n", "4090"))


def nested(chance: random.Random) -> str:
    """Brackets in brackets."""
    left, right = chance.choice(("()", "[]", "{}", "<>", "\uff08\uff09"))
    depth = chance.choice((3, 60, 900))
    return left * depth + sentence(chance) + right * chance.choice((0, depth))


def long_token(chance: random.Random) -> str:
    """One word that does not end."""
    letters = chance.choice(("abcxyz", "0123456789", "a1-b2.c3", "oil01", "\u4e00\u4e8c\u4e09", "qwen2.5"))
    return "".join(chance.choice(letters) for _ in range(chance.choice((40, 700, 4000)))) + chance.choice(
        ("", "b", "gb")
    )


def any_characters(chance: random.Random) -> str:
    """Characters of the whole range."""
    most = chance.choice((0x7F, 0xFF, 0x2FFF, 0xFFFF, 0x10FFFF))
    return "".join(chr(chance.randint(0, most)) for _ in range(chance.choice((3, 40, 600))))


def mixed(chance: random.Random) -> str:
    """Two families in one message."""
    one, other = chance.choice(FAMILIES[:-1]), chance.choice(FAMILIES[:-1])
    return f"{one(chance)} {sentence(chance)} {other(chance)}"


FAMILIES: Final[tuple[Callable[[random.Random], str], ...]] = (
    *(number_words, sentence, sentence, repeated, nested, long_token, any_characters, mixed),
)  # fmt: skip


def conversations(seed: int) -> Iterator[list[IncomingMessage]]:
    """Conversations of up to nine turns, typed and pressed, each its own."""
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        turns = []
        for turn in range(chance.randint(1, 9)):
            text = chance.choice(FAMILIES)(chance)
            action = chance.choice(KEYS) if chance.random() < 0.12 else ""
            fields: dict[str, object] = {
                "event_id": f"{number}-{turn}",
                "chat_id": str(number),
                "chat_type": chance.choice(("private", "group")),
                "action": action,
                "lang_hint": chance.choice(("", "zh", "en", "\ud800")),
            }
            if chance.random() < 0.1:
                fields["reply_to"] = {
                    "own": chance.random() < 0.5,
                    "text": sentence(chance),
                    "case": chance.choice(("", "ZZZZ")),
                }
            turns.append(make_message("" if action else text, **fields))
        yield turns


def pressed(chance: random.Random, reply: Reply, message: IncomingMessage) -> IncomingMessage:
    """The message, or one of the buttons of the last reply instead of it."""
    if reply.choices and chance.random() < 0.25:
        return message.model_copy(update={"text": "", "action": chance.choice(reply.choices).key})
    return message


def converse(
    assistant: Assistant, turns: list[IncomingMessage], chance: random.Random
) -> Iterator[tuple[float, IncomingMessage]]:
    """Go down the road turn by turn, the state through the store's form; gives processor seconds and the message."""
    state: Conversation | None = None
    reply: Reply | None = None
    for turn in turns:
        message = pressed(chance, reply, turn) if reply else turn
        begun = time.thread_time()
        try:
            reply, after = assistant.respond(message, state, NOW)
        finally:
            spent = time.thread_time() - begun
        records.load_reply(records.dump_reply(reply))
        state = records.load_conversation(records.dump_conversation(after))
        yield spent, message


def main(minutes: float, seed: int) -> int:
    """Converse for so long; the exit status is 1 when anything was raised."""
    from bot.app import build_assistant

    assistant = build_assistant(warm=True)
    chance = random.Random(seed)
    times: list[float] = []
    raised: Counter[str] = Counter()
    slow: list[tuple[float, str]] = []
    end = time.monotonic() + minutes * 60
    for turns in conversations(seed):
        if time.monotonic() > end:
            break
        try:
            for spent, message in converse(assistant, turns, chance):
                times.append(spent)
                if spent > 0.02:
                    slow.append((round(spent * 1000, 1), ascii(message.text[:80] or message.action)))
        except Exception as error:  # what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} {last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
            if not raised[kind]:
                print(kind, ascii(error)[:200], [ascii(one.text[:80] or one.action) for one in turns], file=sys.stderr)
            raised[kind] += 1
    times.sort()
    print(
        json.dumps(
            {
                "messages": len(times),
                "exceptions": dict(raised),
                "p50_ms": round(times[len(times) // 2] * 1000, 2),
                "p99_ms": round(times[int(len(times) * 0.99)] * 1000, 2),
                "over_20_ms": f"{len(slow) / len(times):.4%}",
                "slowest": sorted(slow, reverse=True)[:12],
            }
        )
    )
    return 1 if raised else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
