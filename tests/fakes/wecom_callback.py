"""WeCom as the caller of a callback: signs, seals, posts, and refuses replies that it would refuse.

It also serves the one-shot `response_url`. What a well-behaved bot would not do lands in `findings`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.fakes.serving import serve
from tests.fakes.wecom_crypto import Seal
from tests.fakes.wecom_pushes import Push, Pushes
from tests.fakes.wecom_rules import reply_faults, update_faults

PATH = "/wecom/callback"
_ANSWERS = frozenset({"stream", "template_card", "stream_with_template_card"})
_STREAMS = frozenset({"stream", "stream_with_template_card"})
_WELCOMES = frozenset({"text", "template_card"})
_POSTS = frozenset({"markdown", "template_card"})
_MESSAGE_S, _VERIFY_S, _URL_S = 5.0, 1.0, 3600.0


@dataclass
class Answer:
    """What came back: the status, and the reply inside when there was one."""

    status: int
    body: Push | None
    raw: bytes

    @property
    def text(self) -> str:
        """Words of a stream or welcome."""
        part = (self.body or {}).get("stream") or (self.body or {}).get("text") or {}
        return str(part.get("content", ""))

    @property
    def card(self) -> Push:
        """The card inside."""
        return dict((self.body or {}).get("template_card", {}))


@dataclass
class Sealed:
    """A request as it goes over the wire; change it to spoil it."""

    query: dict[str, str]
    body: bytes


@dataclass
class _Address:
    push: Push
    at: float
    used: bool = False


@dataclass
class FakePlatform:
    """WeCom's servers."""

    app: Any
    seal: Seal
    clock: Callable[[], float] = time.time
    pushes: Pushes = field(default_factory=Pushes)
    findings: list[str] = field(default_factory=list)
    posted: list[tuple[str, Push]] = field(default_factory=list)
    """(msgid, body) of what came through response addresses."""
    refuse_posts: int = 0
    slow_s: list[float] = field(default_factory=list)
    _addresses: dict[str, _Address] = field(default_factory=dict)
    _nonces: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakePlatform]:
        """Serve the response addresses."""
        routes = [Route("/reply/{msgid}", self._receive, methods=["POST"])]
        async with serve(Starlette(routes=routes)) as url:
            self.pushes.with_response_url = f"{url}/reply"
            yield self

    # --- calling -----------------------------------------------------------------------------------------------------

    def sealed(self, plain: Push | bytes, **changes: str) -> Sealed:
        """A request ready to be posted; `changes` replace parts of the query before it is signed."""
        raw = plain if isinstance(plain, bytes) else json.dumps(plain, ensure_ascii=False).encode()
        return self.signed(self.seal.close(raw), **changes)

    def signed(self, encrypted: str, **changes: str) -> Sealed:
        """The same for a text that is encrypted already."""
        query = {"timestamp": str(int(self.clock())), "nonce": f"n{next(self._nonces):08d}"} | changes
        signature = self.seal.sign(query["timestamp"], query["nonce"], encrypted)
        return Sealed({"msg_signature": signature, **query}, json.dumps({"encrypt": encrypted}).encode())

    async def push(self, push: Push) -> Answer:
        """Post a push, and check what comes back as WeCom would."""
        if push.get("response_url"):
            self._addresses.setdefault(push["msgid"], _Address(push, self.clock()))
        answer = await self.post(self.sealed(push))
        self._check(push, answer)
        return answer

    async def post(self, request: Sealed, method: str = "POST") -> Answer:
        """Post as it is; the reply's envelope is checked."""
        began = time.monotonic()
        response = await self._call(method, request.query, request.body)
        self.slow_s.append(time.monotonic() - began)
        if time.monotonic() - began > _MESSAGE_S:
            self.findings.append("no answer within five seconds")
        body = None
        if response.status_code == 200 and response.content:
            body = self._unseal(response.content, request.query["nonce"])
        return Answer(response.status_code, body, response.content)

    async def verify(self, echo: str, **spoil: str) -> Answer:
        """Check the address as the admin console does."""
        encrypted = self.seal.close(echo.encode())
        request = self.signed(encrypted)
        query = {**request.query, "echostr": encrypted} | spoil
        began = time.monotonic()
        response = await self._call("GET", query, b"")
        if time.monotonic() - began > _VERIFY_S:
            self.findings.append("the address was not verified within one second")
        return Answer(response.status_code, None, response.content)

    async def _call(self, method: str, query: dict[str, str], body: bytes) -> httpx.Response:
        text = "&".join(f"{quote(name, safe='')}={quote(value, safe='+')}" for name, value in query.items())
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot.invalid") as client:
            return await client.request(method, f"{PATH}?{text}", content=body)

    def _unseal(self, raw: bytes, nonce: str) -> Push | None:
        envelope = json.loads(raw)
        if set(envelope) != {"encrypt", "msgsignature", "timestamp", "nonce"}:
            self.findings.append(f"envelope with {sorted(envelope)}")
            return None
        if type(envelope["timestamp"]) is not int or envelope["nonce"] != nonce:
            self.findings.append("envelope with a wrong timestamp or nonce")
        wanted = self.seal.sign(str(envelope["timestamp"]), nonce, envelope["encrypt"])
        if envelope["msgsignature"] != wanted:
            self.findings.append("envelope with a wrong signature")
        plain, receiver = self.seal.open(envelope["encrypt"])
        if receiver != self.seal.receive_id:
            self.findings.append("reply sealed for another receiver")
        body: Push = json.loads(plain)
        return body

    def _check(self, push: Push, answer: Answer) -> None:
        if answer.body is None:
            return
        event = push.get("event", {}).get("eventtype", "")
        if event == "template_card_event":
            task_id = push["event"]["template_card_event"]["task_id"]
            self.findings += update_faults(answer.body, task_id)
        elif event == "feedback_event":
            self.findings.append("a feedback event takes an empty body only")
        elif event == "enter_chat":
            self.findings += reply_faults(answer.body, _WELCOMES)
        elif push["msgtype"] == "stream":
            self.findings += reply_faults(answer.body, _STREAMS)
            if answer.body.get("stream", {}).get("id") != push["stream"]["id"]:
                self.findings.append("a refresh answered with another stream")
        else:
            self.findings += reply_faults(answer.body, _ANSWERS)
            if not answer.body.get("stream", {"finish": True}).get("finish"):
                self.findings.append("a stream left open")

    # --- response addresses ------------------------------------------------------------------------------------------

    async def _receive(self, request: Request) -> Response:
        address = self._addresses.get(request.path_params["msgid"])
        if address is None or self.clock() - address.at > _URL_S:
            return JSONResponse({"errcode": 40001, "errmsg": "expired"})
        if address.used:
            self.findings.append("a response address used twice")
            return JSONResponse({"errcode": 40002, "errmsg": "used"})
        if self.refuse_posts:
            self.refuse_posts -= 1
            return JSONResponse({"errcode": -1, "errmsg": "busy"})
        body = await request.json()
        faults = list(reply_faults(body, _POSTS))
        if body.get("msgtype") == "template_card" and address.push["chattype"] == "group":
            faults.append("a card through response_url in a group")
        if faults:
            self.findings += faults
            return JSONResponse({"errcode": 40058, "errmsg": "invalid"})
        address.used = True
        self.posted.append((address.push["msgid"], body))
        async with self._changed:
            self._changed.notify_all()
        return JSONResponse({"errcode": 0, "errmsg": "ok"})

    async def until_posted(self, count: int = 1, timeout_s: float = 10.0) -> Push:
        """Wait for so many posts, and give the last."""
        async with asyncio.timeout(timeout_s), self._changed:
            await self._changed.wait_for(lambda: len(self.posted) >= count)
        return self.posted[-1][1]
