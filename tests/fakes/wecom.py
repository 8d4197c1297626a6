"""A WeCom server for the long connection that enforces what WeCom enforces; validated by the official Node client.

Codes whose number is documented or was seen in the field carry it; the others are invented and only said to be errors.
Whatever no well-behaved bot would do lands in `findings` besides being refused.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tests.fakes.wecom_pushes import BOT_ID, SECRET, Push, Pushes
from tests.fakes.wecom_rules import reply_faults, update_faults

OK, BUSY, NOT_SUBSCRIBED, BAD_SECRET, BAD_FRAME = 0, 45009, 846600, 40001, 846601
INVALID_REQ_ID, STREAM_EXPIRED, BAD_CONTENT, BAD_CHAT = 846605, 846608, 40058, 93006

_STREAM_S, _EVENT_S, _CALLBACK_S = 360.0, 5.0, 86_400.0
_ANSWERS = frozenset({"stream", "template_card", "markdown"})
_PUSHES = frozenset({"markdown", "template_card", "image"})
_UPLOADS = {"aibot_upload_media_init", "aibot_upload_media_chunk", "aibot_upload_media_finish"}
MOST_CHUNK, MOST_CHUNKS = 512 * 1024, 100
_WELCOMES = frozenset({"text", "template_card"})


@dataclass
class Asked:
    """A push that may be answered."""

    push: Push
    at: float
    connection: ServerConnection
    stream_at: float = 0.0
    stream_id: str = ""
    finished: bool = False
    answered: int = 0


@dataclass
class Shown:
    """What a chat shows."""

    chat: str
    body: Push
    req_id: str
    pushed: bool
    at: float = 0.0

    @property
    def text(self) -> str:
        """The words, whatever the kind."""
        kind = self.body["msgtype"]
        part = self.body.get("stream" if kind.startswith("stream") else kind, {})
        return str(part.get("content", ""))

    @property
    def card(self) -> Push:
        """The card, or an empty one."""
        return dict(self.body.get("template_card", {}))

    @property
    def feedback(self) -> str:
        """The feedback id, or nothing."""
        kind = self.body["msgtype"]
        return str((self.body.get(kind, {}).get("feedback") or {}).get("id", ""))


@dataclass
class Trouble:
    """What goes wrong on purpose."""

    silent_pings: bool = False
    lose_acks: int = 0
    """So many acknowledgements of answers and pushes are lost, though the frames are taken."""
    ack_delay_s: float = 0.0
    refuse: deque[int] = field(default_factory=deque)
    """Codes for the next answers or pushes."""
    refuse_subscriptions: deque[int] = field(default_factory=deque)
    drop_after_subscribe: int = 0


class FakeWecom:
    """The server. `shown` is what people see; `findings` what the bot did wrong."""

    def __init__(self, bot_id: str = BOT_ID, secret: str = SECRET, clock: Callable[[], float] = time.monotonic) -> None:
        self.bot_id, self.secret, self.clock = bot_id, secret, clock
        self.pushes = Pushes(bot_id)
        self.url = ""
        self.live: ServerConnection | None = None
        self.shown: list[Shown] = []
        self.welcomes: list[Push] = []
        self.updates: list[tuple[str, Push]] = []
        self.findings: list[str] = []
        self.subscriptions: list[float] = []
        self.pings = 0
        self.refused: list[int] = []
        self.trouble = Trouble()
        self.limits = (30, 1000)
        self._asked: dict[str, Asked] = {}
        self._known_chats: set[str] = set()
        self._tasks: set[str] = set()
        self._sent: defaultdict[str, deque[float]] = defaultdict(deque)
        self._numbers = itertools.count(1)
        self._changed = asyncio.Condition()
        self._open: set[ServerConnection] = set()
        self._unacked: set[str] = set()
        self._uploads: dict[str, Push] = {}
        self.media: dict[str, bytes] = {}
        """Pictures that were uploaded, by media id."""
        self.takes_pictures = True

    # --- life --------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[FakeWecom]:
        async with serve(self._connection, "127.0.0.1", port, ping_interval=None, close_timeout=0.2) as server:
            self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            yield self

    async def until(self, condition: Callable[[], object], timeout_s: float = 10.0) -> None:
        """Wait until something that the server sees has happened."""
        async with asyncio.timeout(timeout_s), self._changed:
            await self._changed.wait_for(condition)

    async def connected(self, timeout_s: float = 10.0) -> None:
        await self.until(lambda: self.live is not None, timeout_s)

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def close_clean(self) -> None:
        """End the connection as a server does that restarts."""
        assert self.live is not None
        connection, self.live = self.live, None
        await connection.close(1000)

    async def close_abrupt(self) -> None:
        """Cut the connection."""
        assert self.live is not None
        self.live.transport.abort()
        await self.until(lambda: self.live is None)

    # --- people ------------------------------------------------------------------------------------------------------

    async def push(self, push: Push, cmd: str = "") -> str:
        """Push to the bot; the request id comes back."""
        await self.connected()
        assert self.live is not None
        req_id = f"req-{next(self._numbers):06d}"
        chat = push.get("chatid") or push["from"]["userid"]
        self._known_chats.add(chat)
        self._asked[req_id] = Asked(push, self.clock(), self.live)
        kind = "aibot_event_callback" if push["msgtype"] == "event" else "aibot_msg_callback"
        await self._write(self.live, {"cmd": cmd or kind, "headers": {"req_id": req_id}, "body": push})
        return req_id

    async def say(self, user: str, text: str, *, group: str = "", quote: str = "") -> str:
        return await self.push(self.pushes.text(user, text, group=group, quote=quote))

    def in_chat(self, chat: str) -> list[Shown]:
        return [one for one in self.shown if one.chat == chat]

    async def answer(self, chat: str, count: int = 1, timeout_s: float = 10.0) -> Shown:
        """Wait until so many messages stand in a chat, and give the last."""
        await self.until(lambda: len(self.in_chat(chat)) >= count, timeout_s)
        return self.in_chat(chat)[-1]

    async def kick(self) -> None:
        """Tell the live connection that another took over, and close it."""
        if self.live is not None:
            await self._kick(self.live)

    # --- connections -------------------------------------------------------------------------------------------------

    async def _connection(self, connection: ServerConnection) -> None:
        self._open.add(connection)
        is_subscribed = False
        try:
            async for text in connection:
                frame = json.loads(text)
                if not is_subscribed:
                    is_subscribed = await self._subscribe(connection, frame)
                    if not is_subscribed:
                        return
                    continue
                await self._frame(connection, frame)
        except ConnectionClosed:
            pass
        finally:
            self._open.discard(connection)
            if self.live is connection:
                self.live = None
            await self._note()

    async def _subscribe(self, connection: ServerConnection, frame: Push) -> bool:
        req_id, body = frame["headers"]["req_id"], frame.get("body") or {}
        self.subscriptions.append(self.clock())
        if frame.get("cmd") != "aibot_subscribe":
            self.findings.append("the first frame is no subscription")
            await self._ack(connection, req_id, NOT_SUBSCRIBED)
            return False
        code = OK
        if self.trouble.refuse_subscriptions:
            code = self.trouble.refuse_subscriptions.popleft()
        elif body.get("bot_id") != self.bot_id or body.get("secret") != self.secret:
            code = BAD_SECRET
        if code == OK and self.live is not None:
            await self._kick(self.live)
        await self._ack(connection, req_id, code)
        if code != OK:
            await self._note()
            return False
        if self.trouble.drop_after_subscribe:
            self.trouble.drop_after_subscribe -= 1
            return False
        self.live = connection
        await self._note()
        return True

    async def _kick(self, connection: ServerConnection) -> None:
        event = self.pushes.event("", "disconnected_event")
        frame = {"cmd": "aibot_event_callback", "headers": {"req_id": f"kick-{next(self._numbers)}"}, "body": event}
        if self.live is connection:
            self.live = None
        try:
            await self._write(connection, frame)
            await connection.close(1000)
        except ConnectionClosed:
            pass

    async def _write(self, connection: ServerConnection, frame: Push) -> None:
        await connection.send(json.dumps(frame, ensure_ascii=False))

    async def _ack(self, connection: ServerConnection, req_id: str, code: int) -> None:
        ack = {"headers": {"req_id": req_id}, "errcode": code, "errmsg": "ok" if code == OK else "refused"}
        await self._write(connection, ack)

    # --- frames ------------------------------------------------------------------------------------------------------

    async def _frame(self, connection: ServerConnection, frame: Push) -> None:
        cmd, req_id = frame.get("cmd", ""), frame["headers"]["req_id"]
        if cmd == "ping":
            self.pings += 1
            if not self.trouble.silent_pings:
                await self._ack(connection, req_id, OK)
            await self._note()
            return
        if req_id in self._unacked:
            self.findings.append("a frame before the acknowledgement of the one before")
        if cmd in _UPLOADS:
            await self._upload(connection, cmd, req_id, frame["body"])
            return
        code = self._judge(connection, cmd, req_id, frame.get("body"))
        if code != OK:
            self.refused.append(code)
        if self.trouble.lose_acks and code == OK and cmd != "aibot_subscribe":
            self.trouble.lose_acks -= 1
        elif self.trouble.ack_delay_s:
            self._unacked.add(req_id)
            asyncio.get_running_loop().create_task(self._ack_later(connection, req_id, code))
        else:
            await self._ack(connection, req_id, code)
        await self._note()

    async def _upload(self, connection: ServerConnection, cmd: str, req_id: str, body: Push) -> None:
        """The three steps of an upload, each acknowledged with what the next one needs."""
        if not self.takes_pictures:
            await self._ack(connection, req_id, BAD_CONTENT)
            return
        told: Push = {}
        if cmd == "aibot_upload_media_init":
            told["upload_id"] = f"upload-{next(self._numbers)}"
            self._uploads[told["upload_id"]] = {**body, "parts": []}
            self._found([] if 1 <= body["total_chunks"] <= MOST_CHUNKS else ["chunks of an upload"])
        elif cmd == "aibot_upload_media_chunk":
            begun, raw = self._uploads[body["upload_id"]], base64.b64decode(body["base64_data"], validate=True)
            self._found([] if len(raw) <= MOST_CHUNK else ["a chunk is too large"])
            self._found([] if body["chunk_index"] == len(begun["parts"]) else ["chunks out of order"])
            begun["parts"].append(raw)
        else:
            begun = self._uploads.pop(body["upload_id"])
            whole = b"".join(begun["parts"])
            right = (len(whole), len(begun["parts"]), hashlib.md5(whole).hexdigest())
            promised = (begun["total_size"], begun["total_chunks"], begun["md5"])
            self._found([] if right == promised else ["an upload is not what was promised"])
            self._found([] if whole.startswith((b"\x89PNG", b"\xff\xd8")) else ["no picture"])
            told["media_id"] = f"media-{next(self._numbers)}"
            self.media[told["media_id"]] = whole
        await self._write(connection, {"headers": {"req_id": req_id}, "errcode": OK, "errmsg": "ok", "body": told})

    async def _ack_later(self, connection: ServerConnection, req_id: str, code: int) -> None:
        await asyncio.sleep(self.trouble.ack_delay_s)
        self._unacked.discard(req_id)
        with suppress(ConnectionClosed):
            await self._ack(connection, req_id, code)

    def _judge(self, connection: ServerConnection, cmd: str, req_id: str, body: Any) -> int:
        if cmd == "aibot_subscribe":
            self.findings.append("a second subscription on one connection")
            return BAD_FRAME
        if self.trouble.refuse and cmd in {"aibot_respond_msg", "aibot_send_msg"}:
            return self.trouble.refuse.popleft()
        if cmd == "aibot_send_msg":
            return self._judge_push(req_id, body)
        asked = self._asked.get(req_id)
        judge = {
            "aibot_respond_msg": self._judge_answer,
            "aibot_respond_welcome_msg": self._judge_welcome,
            "aibot_respond_update_msg": self._judge_update,
        }.get(cmd)
        if judge is None:
            self.findings.append(f"unknown cmd {cmd!r}")
            return BAD_FRAME
        if asked is None:
            return INVALID_REQ_ID
        return judge(req_id, asked, body)

    def _found(self, faults: list[str]) -> bool:
        self.findings += faults
        return bool(faults)

    def _judge_answer(self, req_id: str, asked: Asked, body: Any) -> int:
        now = self.clock()
        if asked.push["msgtype"] == "event" or now - asked.at > _CALLBACK_S:
            return INVALID_REQ_ID
        if self._found(list(reply_faults(body, _ANSWERS))):
            return BAD_CONTENT
        chat = asked.push.get("chatid") or asked.push["from"]["userid"]
        if body["msgtype"] == "stream":
            stream = body["stream"]
            if asked.stream_id and asked.stream_id != stream["id"]:
                self.findings.append("two streams for one message")
                return INVALID_REQ_ID
            if asked.stream_id and now - asked.stream_at > _STREAM_S:
                return STREAM_EXPIRED
            if not self._spend(chat):
                return BUSY
            asked.stream_id, asked.stream_at = stream["id"], asked.stream_at or now
            asked.finished = bool(stream.get("finish"))
            for one in self.shown:
                if one.req_id == req_id:
                    one.body = body
                    return OK
        elif not self._is_new_task(body) or not self._spend(chat):
            return BAD_CONTENT if not self._is_new_task(body) else BUSY
        else:
            self._use_task(body)
        asked.answered += 1
        if asked.answered > 1:
            self.findings.append("a message answered twice")
        self.shown.append(Shown(chat, body, req_id, pushed=False, at=now))
        return OK

    def _judge_welcome(self, req_id: str, asked: Asked, body: Any) -> int:
        is_enter = asked.push.get("event", {}).get("eventtype") == "enter_chat"
        if not is_enter or asked.answered or self.clock() - asked.at > _EVENT_S:
            return INVALID_REQ_ID
        if self._found(list(reply_faults(body, _WELCOMES))):
            return BAD_CONTENT
        asked.answered += 1
        self.welcomes.append(body)
        return OK

    def _judge_update(self, req_id: str, asked: Asked, body: Any) -> int:
        event = asked.push.get("event", {})
        if event.get("eventtype") != "template_card_event" or asked.answered or self.clock() - asked.at > _EVENT_S:
            return INVALID_REQ_ID
        if self._found(list(update_faults(body, event["template_card_event"]["task_id"]))):
            return BAD_CONTENT
        asked.answered += 1
        self.updates.append((asked.push["msgid"], body))
        return OK

    def _judge_push(self, req_id: str, body: Any) -> int:
        chat = body.get("chatid", "") if isinstance(body, dict) else ""
        if req_id in self._asked:
            self.findings.append("a push under the id of a callback")
        if chat not in self._known_chats:
            return BAD_CHAT
        reply = {name: value for name, value in body.items() if name not in {"chatid", "chat_type"}}
        if "feedback" in reply.get("markdown", {}):
            self.findings.append("a push takes no feedback id")
        if self._found(list(reply_faults(reply, _PUSHES))):
            return BAD_CONTENT
        if not self._is_new_task(reply):
            return BAD_CONTENT
        if reply["msgtype"] == "image" and reply["image"].get("media_id") not in self.media:
            return BAD_CONTENT
        if not self._spend(chat):
            return BUSY
        self._use_task(reply)
        self.shown.append(Shown(chat, reply, req_id, pushed=True, at=self.clock()))
        return OK

    def _is_new_task(self, body: Push) -> bool:
        task = body.get("template_card", {}).get("task_id")
        return task is None or task not in self._tasks

    def _use_task(self, body: Push) -> None:
        task = body.get("template_card", {}).get("task_id")
        if task:
            self._tasks.add(task)

    def _spend(self, chat: str) -> bool:
        """Whether the chat's limits allow one more. Going over them is a finding: a bot has to know better."""
        now, sent = self.clock(), self._sent[chat]
        while sent and now - sent[0] > 3600:
            sent.popleft()
        per_minute, per_hour = self.limits
        if sum(now - at < 60 for at in sent) >= per_minute or len(sent) >= per_hour:
            self.findings.append(f"more than {per_minute} a minute or {per_hour} an hour in {chat}")
            return False
        sent.append(now)
        return True
