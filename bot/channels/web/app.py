"""The web app. Every request is bounded in size, time and number; what is refused is refused with the right status."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.channels.described import Described, Describer
from bot.channels.json_lines import AskIn, Line, reply_object
from bot.channels.markup import plain_text
from bot.channels.web.api.routes import Api, body_of
from bot.channels.web.callers import caller_of, not_allowed, unknown_key
from bot.channels.web.chat import ChatPage
from bot.channels.web.limits import Bounded, Bounds
from bot.channels.web.problems import invalid, of_router, problem
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import WAITING, Intake, StoreUnavailable
from bot.core.request import Services
from bot.core.stations import Gate, Verdict

_LONGEST_NAME = 128
"""Of chats, users and ids that a caller of the API makes up."""
_UNREAD = Describer(lambda _: None, {})
"""Tells of a reply without the message that it answers."""
Ready = Callable[[], Awaitable[dict[str, str]]]
"""What is not ready, by name; empty when everything is."""


class WebChannel:
    """Routes over an intake."""

    def __init__(
        self,
        intake: Intake,
        ready: Ready,
        metrics: Callable[[], bytes] | None = None,
        *,
        in_trouble: Callable[[], dict[str, str]] = dict,
        is_https: bool = False,
        keys: Mapping[str, str] | None = None,
        describe: Callable[[str, Reply], Described] = _UNREAD,
        services: Callable[[], Services] | None = None,
        pause_s: int = 60,
        gate: Gate | None = None,
        origins: Sequence[str] = (),
    ) -> None:
        """Take the door, the readiness check and the metrics page.

        `in_trouble`: channels from which nothing comes in, and why; the others work, so this is only told.
        `is_https`: browsers reach it by TLS only. `keys`: name -> key of callers of the API who are known.
        `describe`: what programs are told beside a reply. `services`: the data in use, for the functions of the
        API. `pause_s`: after how long somebody over his limit may ask again. `gate`: who is allowed at all, and the
        limits of the functions, which delivery does not see. `origins`: whose pages may embed the chat.
        """
        self._describe = describe
        self._intake, self._ready, self._metrics = intake, ready, metrics
        self._keys, self._in_trouble = dict(keys or {}), in_trouble
        self._pause_s, self._gate = pause_s, gate
        version = (lambda: services().catalog.version) if services is not None else str
        self._page = ChatPage(self._chat_answer, version, self._turned_away, is_https=is_https, origins=origins)
        self._api = Api(services, self._turned_away) if services is not None else None

    def routes(self) -> list[BaseRoute]:
        """All routes of this channel."""
        found: list[BaseRoute] = [
            Route("/api/v1/ask", self.ask, methods=["POST"]),
            *self._page.routes(),
            *(self._api.routes() if self._api is not None else ()),
            *self.probes(),
        ]
        return found

    def probes(self) -> list[BaseRoute]:
        """The routes of health, readiness and metrics, which may also have a door of their own."""
        found: list[BaseRoute] = [
            Route("/healthz", self.health, methods=["GET"]),
            Route("/readyz", self.readiness, methods=["GET"]),
        ]
        if self._metrics is not None:
            found.append(Route("/metrics", self.metrics_page, methods=["GET"]))
        return found

    def is_known(self, headers: Headers) -> bool:
        """Whether a caller sent a key that is known."""
        return bool(caller_of(headers.get("authorization", ""), self._keys))

    # --- questions ---------------------------------------------------------------------------------------------------

    async def ask(self, request: Request) -> Response:
        """One object of `bot batch` in, one out. Who sends a key is known by its name, everybody else is a stranger."""
        caller = caller_of(request.headers.get("authorization", ""), self._keys)
        if caller is None:
            return unknown_key()
        said = await body_of(request)
        if isinstance(said, Response):
            return said
        line = _line_of(said)
        if isinstance(line, Response):
            return line
        started = time.perf_counter()
        key = request.headers.get("idempotency-key", "")
        # Who names neither himself nor a key for repeats never comes back for anything that would be kept.
        passing = _is_alone(line) and not key
        message = _api_message(line, key, caller)
        reply = await self._answer(message, passing=passing)
        if isinstance(reply, Response):
            return reply
        if reply.intent == WAITING or (reply.decision == "ignore" and message.addressed):
            return self._over_limit(message, reply)
        elapsed = (time.perf_counter() - started) * 1000
        return JSONResponse(reply_object(line.id, reply, elapsed, self._describe(line.text, reply)))

    async def _turned_away(self, request: Request) -> Response | None:
        """What turns a caller of a function away: a key that is not known, the lists, the limit of all callers."""
        caller = caller_of(request.headers.get("authorization", ""), self._keys)
        if caller is None:
            return unknown_key()
        if self._gate is None:
            return None
        if not self._gate.lets_in(caller):
            return not_allowed()
        asked = IncomingMessage(
            channel="api", bot_id=caller, event_id="", chat_id="", user_id="", text="", received_at=datetime.now(UTC)
        )
        try:
            verdict, _ = await self._gate.admit(asked)
        except StoreUnavailable:
            return _refuse(503, "busy, try again in a moment", retry_after=2)
        return None if verdict is Verdict.ADMIT else _refuse(429, "over the limit, try again later", retry_after=1)

    def _over_limit(self, message: IncomingMessage, reply: Reply) -> Response:
        """429 for who asked too much, 403 for who is not on the lists; `decision` and `text` as in an answer."""
        more: dict[str, object] = {"decision": reply.decision, "text": plain_text(reply.text)}
        if self._gate is not None and not self._gate.knows(message):
            return not_allowed(more)
        return problem(429, "over the limit, try again later", {"retry-after": str(self._pause_s)}, more)

    async def _chat_answer(self, message: IncomingMessage, passing: bool) -> Reply | Response:
        """The reply to a turn of the chat page, or what tells it to wait."""
        reply = await self._answer(message, passing=passing)
        if isinstance(reply, Reply) and (reply.intent == WAITING or reply.decision == "ignore"):
            return self._over_limit(message, reply)
        return reply

    async def _answer(self, message: IncomingMessage, *, passing: bool) -> Reply | Response:
        """The reply; to somebody who only passes by nothing of it is kept."""
        try:
            reply = await (self._intake.answer_passing(message) if passing else self._intake.answer_now(message))
        except StoreUnavailable:
            return _refuse(503, "busy, try again in a moment", retry_after=2)
        return reply or Reply(decision="ignore", language="en")

    # --- operation ---------------------------------------------------------------------------------------------------

    async def health(self, _request: Request) -> Response:
        """The process lives."""
        return PlainTextResponse("ok")

    async def readiness(self, _request: Request) -> Response:
        """Whether work can be taken: the store takes a write; 503 names what cannot. A channel in trouble is told."""
        missing, trouble = await self._ready(), self._in_trouble()
        body = {"ready": not missing, "missing": missing} | ({"trouble": trouble} if trouble else {})
        return JSONResponse(body, status_code=503 if missing else 200)

    async def metrics_page(self, _request: Request) -> Response:
        """Prometheus text."""
        body = self._metrics() if self._metrics else b""
        return Response(body, media_type="text/plain; version=0.0.4; charset=utf-8")


def _line_of(said: bytes) -> Line | Response:
    """The object of a body; a refusal where it is none, or names are too long."""
    try:
        line = AskIn.model_validate_json(said, strict=True)
    except ValidationError as error:
        return invalid(error)
    if max(len(str(name)) for name in (line.id, line.chat, line.user)) > _LONGEST_NAME:
        return problem(422, f"id, chat, user: at most {_LONGEST_NAME} characters")
    return line


def _is_alone(line: Line) -> bool:
    return not line.user and line.chat == Line.model_fields["chat"].default


def _api_message(line: Line, idempotency_key: str, caller: str) -> IncomingMessage:
    """The message of an API call. Names are quoted, because keys of conversations are joined by colons.

    Whatever channel and user a line names: it comes from the API, and only a caller with a key is verified.
    A line that names neither chat nor user stands alone. A key makes a repeat only for the same chat and user: nobody
    gets somebody else's reply.
    """
    alone = _is_alone(line)
    event = secrets.token_hex(12)
    if idempotency_key:
        whose = json.dumps([idempotency_key, line.chat, line.user, str(line.id) if alone else "", caller])
        event = hashlib.sha256(whose.encode("utf-8", "replace")).hexdigest()[:32]
    message = line.message(event, datetime.now(UTC))
    names = {"chat_id": quote(line.chat, safe=""), "user_id": quote(message.user_id, safe="")}
    if alone:
        names = {"chat_id": f"alone-{event}", "user_id": f"alone-{event}"}
    return message.model_copy(update={"channel": "api", "bot_id": caller, "verified": bool(caller), **names})


def _refuse(status: int, reason: str, retry_after: int = 0) -> Response:
    return problem(status, reason, {"retry-after": str(retry_after)} if retry_after else None)


def build_web(routes: Sequence[BaseRoute], bounds: Bounds | None = None, origins: Sequence[str] = ()) -> Starlette:
    """The ASGI app over the routes of all channels, bounded by address, bytes, requests at once and time.

    Args:
        routes: of all channels.
        bounds: of the whole app.
        origins: pages of these origins may call it from a browser, without cookies.
    """
    shared = Middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type", "idempotency-key"],
        expose_headers=["etag", "retry-after"],
        max_age=600,
    )
    inner = Middleware(Bounded, bounds=bounds or Bounds())
    return Starlette(
        routes=list(routes),
        middleware=[shared, inner] if origins else [inner],
        exception_handlers={HTTPException: of_router},
    )
