"""A run full of secrets, tokens and names: afterwards everything that was written is searched for them."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from bot.channels.web.app import WebChannel, build_web
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent
from bot.delivery import Delivery, DeliveryOptions
from bot.desk import FrontDesk
from bot.gate import Access, AccessGate
from bot.logs import Discreet, Hasher, JsonFormatter, PlainFormatter
from bot.metrics import Metrics
from bot.stores.sqlite import SqliteStore
from tests.conftest import make_message
from tests.ops.stage import until
from tests.ops.test_web import site

TOKEN = "123456789:AAHsecretTokenOfTheBotThatNobodyMaySee"
WORDS = ["hunter2-password", "sk-live-4242424242", "zhang.san@example.com", "保密项目代号青鸟"]
IDS = ["user-77001122", "chat-88003344"]


class Quoting(Exception):
    """Quotes what it was given, as many libraries do."""


class Breaking:
    """The assistant, except that some messages break it in ways that quote them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def respond(self, message: IncomingMessage, *args: Any, **kwargs: Any) -> Any:
        if message.event_id.endswith("0"):
            try:
                raise ValueError(message.text)
            except ValueError as error:
                raise Quoting(f"cannot parse {message.text!r} of {message.user_id} with {TOKEN}") from error
        return self._inner.respond(message, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Leaky:
    """A sender whose failures quote everything, too."""

    def __init__(self) -> None:
        self.tries = 0

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        self.tries += 1
        if self.tries % 7 == 0:
            raise ConnectionError(f"https://api.telegram.org/bot{TOKEN}/sendMessage {reply.text}")
        logging.getLogger("httpx").info("POST https://api.telegram.org/bot%s/sendMessage", TOKEN)
        logging.getLogger("third.party").warning("using token %s", TOKEN)
        return Sent(Outcome.SENT, str(self.tries))


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Everything at every level, as the bot writes it."""
    stream = io.StringIO()
    handler = Discreet(stream, [TOKEN])
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def hostile(text: str) -> list[str]:
    return [
        text,
        f"/ask {text}",
        f"4090 {text}",
        f"{text} 能跑 7b 吗",
        f"{{{{ {text} }}}}",
        f"<b>{text}</b>",
        f"/why {text}",
    ]


async def test_nothing_said_no_id_and_no_secret_is_in_anything_written(
    assistant: Any, log: io.StringIO, tmp_path: Path
) -> None:
    path = tmp_path / "state.sqlite"
    store = SqliteStore(str(path))
    await store.open()
    metrics, sender, road = Metrics(), Leaky(), Breaking(assistant)
    gate = AccessGate(Access(user_per_minute=10_000, chat_per_minute=10_000), store)
    desk = FrontDesk(
        store,
        lambda: road,
        lambda message: False,
        data_version=lambda: "v1",
        clock=lambda: 0.0,
    )
    options = DeliveryOptions(workers=3, idle_s=0.005)
    delivery = Delivery(
        store,
        road,
        {"test": sender},
        options,
        gate=gate,
        desk=desk,
        meter=metrics,
        name_of=Hasher("salt"),
    )
    await delivery.start()
    said = [text for words in WORDS for text in hostile(words)]
    for number, text in enumerate(said):
        await delivery.accept(
            make_message(
                text,
                event_id=f"event-{number}",
                user_id=IDS[0],
                user_name=WORDS[2],
                chat_id=IDS[1],
                chat_type="group" if number % 2 else "private",
                message_id=str(number),
                reply_to={"own": False, "text": f"quoted {text}"},
            )
        )

    async def ready() -> dict[str, str]:
        return {}

    async with site(build_web(WebChannel(delivery, ready, metrics.page).routes())) as client:
        for number, text in enumerate(said):
            body = {"id": number, "text": text, "chat": IDS[1], "user": IDS[0]}
            assert (await client.post("/api/v1/ask", json=body)).status_code == 200
            assert (await client.post("/chat", json={"text": text})).status_code == 200
            assert (await client.post("/api/v1/ask", content=text.encode())).status_code == 400
        page = (await client.get("/metrics")).text

    async def is_done() -> bool:
        return (await store.backlog(0.0)).waiting == 0

    await until(is_done, 20)
    await delivery.stop(5.0)
    await store.tidy(0.0)
    lines = log.getvalue()
    assert "answering failed" in lines, "the run was not hostile enough"
    assert "a sender failed" in lines
    assert "using token ***" in lines
    assert all(json.loads(line)["level"] for line in lines.splitlines())
    for secret in (TOKEN, *WORDS, *IDS):
        assert secret not in page, "in the metrics"
        assert secret not in lines, "in the log"
    rows = "\n".join(store._db.iterdump())
    await store.close()
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    kept = rows.encode() + written
    assert TOKEN.encode() not in kept
    # Names of chat and user stand in the keys of running conversations; they go with them, or with /forget.
    for words in ("quoted ", *WORDS[:2], WORDS[3]):
        assert f'"text":"{words}'.encode() not in kept
    closed = [line for line in rows.splitlines() if line.startswith('INSERT INTO "inbox"') and "event-" in line]
    assert len(closed) == len(said)
    assert not [line for line in closed for secret in (*WORDS, *IDS) if secret in line]


def test_hashes_are_stable_short_and_keyed() -> None:
    one, same, other = Hasher("a"), Hasher("a"), Hasher("b")
    assert one("user-1") == same("user-1") != other("user-1")
    assert len(one("user-1")) == 10
    assert one("user-1") != one("user-2")


@pytest.mark.parametrize("formatter", [JsonFormatter(), PlainFormatter()])
def test_no_formatter_writes_what_an_exception_says(formatter: logging.Formatter) -> None:
    try:
        raise Quoting(WORDS[0])
    except Quoting as error:
        record = logging.LogRecord("x", logging.ERROR, "f.py", 1, "it broke", (), (Quoting, error, error.__traceback__))
    line = formatter.format(record)
    assert "Quoting" in line
    assert WORDS[0] not in line


def test_what_nobody_caught_is_logged_without_its_words(log: io.StringIO) -> None:
    from bot.logs import _log_uncaught, log_stray

    try:
        raise Quoting(WORDS[0])
    except Quoting as error:
        _log_uncaught(Quoting, error, error.__traceback__)
        log_stray(None, {"exception": error, "message": WORDS[1]})
    assert log.getvalue().count("Quoting") >= 2
    assert not [words for words in WORDS if words in log.getvalue()]
