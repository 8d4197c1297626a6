"""A Bot API server on loopback that refuses what Telegram refuses.

It parses HTML, counts lengths, checks reply targets, topics, buttons and edits, enforces flood limits, hands out
updates with confirming offsets or posts them to a webhook until it hears a 2xx, and holds every request and result
against the published specification. Faults can be ordered: `fail` answers with an error, `cut` closes the connection,
before or after the request took effect.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from email import policy
from email.parser import BytesParser
from typing import Any, Self
from urllib.parse import parse_qsl

import httpx
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.fakes.serving import caller, serve
from tests.fakes.telegram_methods import ApiError, Methods
from tests.fakes.telegram_spec import check_request, check_result, check_value, decode_fields
from tests.fakes.telegram_world import World

TOKEN = "7000000001:AAfake-token_fake-token_fake-token-00"


@dataclass
class Call:
    """One request of the bot and what became of it."""

    method: str
    fields: dict[str, Any]
    error: int = 0
    at: float = 0.0


@dataclass
class _Fault:
    method: str
    status: int
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cut: bool = False
    delivered: bool = False


@dataclass
class _Poll:
    """A getUpdates call that waits."""

    ended: str = ""
    """released (returns empty) or superseded (by another call)"""


@dataclass
class Flood:
    """Limits that the server enforces; zero for none."""

    overall_per_s: int = 0
    chat_per_s: int = 0
    group_per_min: int = 0


class FakeTelegram(World):
    """The server. Use as an async context manager."""

    def __init__(self, *, token: str = TOKEN, flood: Flood | None = None, **world: Any) -> None:
        super().__init__(**world)
        self.token, self.flood = token, flood or Flood()
        self.calls: list[Call] = []
        self.findings: list[str] = []
        self.webhook: dict[str, Any] = {"url": ""}
        self.webhook_tries: list[tuple[int, int]] = []
        """(update id, status) of each delivery; status 0 when nothing answered."""
        self.confirmed = 0
        self.methods = Methods(self)
        self._faults: list[_Fault] = []
        self._sent: dict[str, deque[float]] = {}
        self._poll: _Poll | None = None
        self._open = AsyncExitStack()
        self.raw_batch: list[Any] = []
        """Put before the updates of the next poll, whatever it is."""

    # --- life --------------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        app = Starlette(routes=[Route("/bot{token}/{method}", self._serve, methods=["GET", "POST"])])
        self.url = await self._open.enter_async_context(serve(app))
        self._poster = asyncio.create_task(self._post_updates())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._poster.cancel()
        await self.release_poll()
        with suppress(asyncio.CancelledError):
            await self._poster
        await self._open.aclose()

    async def release_poll(self) -> None:
        """Let the poll that waits return empty."""
        if self._poll is not None:
            self._poll.ended = "released"
        await self.notify()

    # --- faults ------------------------------------------------------------------------------------------------------

    def fail(self, method: str, status: int, description: str, *, times: int = 1, **parameters: Any) -> None:
        """Let the next calls of a method fail."""
        self._faults += [_Fault(method, status, description, parameters) for _ in range(times)]

    def cut(self, method: str, *, delivered: bool) -> None:
        """Close the connection on the next call, with or without having carried it out."""
        self._faults.append(_Fault(method, 0, "", cut=True, delivered=delivered))

    @staticmethod
    def flood_error(seconds: int) -> ApiError:
        """What the server says to somebody who sends too much."""
        return ApiError(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)

    # --- requests ----------------------------------------------------------------------------------------------------

    async def _serve(self, request: Request) -> Response:
        try:
            return await self._handle(request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it: a poll that was called off
        except Exception:
            self.findings.append(traceback.format_exc())
            raise

    async def _handle(self, request: Request) -> Response:
        method = request.path_params["method"]
        if request.path_params["token"] != self.token:
            return _error(ApiError(401, "Unauthorized"))
        known = self.methods.find(method)
        if known is None:
            return _error(ApiError(404, "Not Found"))
        fields = decode_fields(known, await _fields(request))
        call = Call(known, fields, at=self.clock())
        if known != "getUpdates":
            self.calls.append(call)
        self.findings += check_request(known, fields)
        fault = next((entry for entry in self._faults if entry.method == known), None)
        if fault is not None:
            self._faults.remove(fault)
            if not fault.cut:
                call.error = fault.status
                await self.notify()
                return _error(ApiError(fault.status, fault.description, **fault.parameters))
            if fault.delivered:
                await self._carry_out(known, fields, call)
            await self.notify()
            return _cut_off()
        return await self._carry_out(known, fields, call)

    async def _carry_out(self, method: str, fields: dict[str, Any], call: Call) -> Response:
        try:
            self._check_flood(method, fields)
            if method == "getUpdates":
                result: Any = await self._get_updates(fields)
            else:
                result = self.methods.call(method, fields)
        except ApiError as error:
            call.error = error.status
            await self.notify()
            return _error(error)
        if method != "getUpdates":
            self.findings += check_result(method, result)
        await self.notify()
        return JSONResponse({"ok": True, "result": result})

    def _check_flood(self, method: str, fields: dict[str, Any]) -> None:
        if "chat_id" not in fields or not method.startswith(("send", "edit")) or method == "sendChatAction":
            return
        chat = str(fields["chat_id"])
        windows = [("*", self.flood.overall_per_s, 1.0), (f"s{chat}", self.flood.chat_per_s, 1.0)]
        if chat.startswith("-"):
            windows.append((f"m{chat}", self.flood.group_per_min, 60.0))
        now = self.clock()
        for key, count, period in windows:
            taken = self._sent.setdefault(key, deque())
            while taken and taken[0] <= now - period:
                taken.popleft()
            if count and len(taken) >= count:
                wait = max(1, int(taken[0] + period - now + 0.999))
                raise self.flood_error(wait)
        for key, count, _ in windows:
            if count:
                self._sent[key].append(now)

    # --- updates -----------------------------------------------------------------------------------------------------

    def pending(self) -> list[dict[str, Any]]:
        """Updates that are not confirmed."""
        return [update for update in self.updates if update["update_id"] >= self.confirmed]

    async def _get_updates(self, fields: dict[str, Any]) -> list[dict[str, Any]]:
        if self.webhook["url"]:
            raise ApiError(409, "Conflict: can't use getUpdates method while webhook is active")
        if self._poll is not None:
            self._poll.ended = "superseded"
        mine = self._poll = _Poll()
        allowed = fields.get("allowed_updates")
        self.confirmed = max(self.confirmed, int(fields.get("offset") or 0))
        self.updates = self.pending()
        await self.notify()

        def ready() -> list[dict[str, Any]]:
            found = [update for update in self.updates if not allowed or _kind(update) in allowed]
            return found[: int(fields.get("limit") or 100)]

        if not (ready() or self.raw_batch) and fields.get("timeout"):
            with suppress(TimeoutError):
                await self.until(lambda: ready() or self.raw_batch or mine.ended, float(fields["timeout"]))
        if mine.ended == "superseded":
            raise ApiError(409, "Conflict: terminated by other getUpdates request")
        self._poll = None
        raw, self.raw_batch = self.raw_batch, []
        return [*raw, *ready()]

    async def _post_updates(self) -> None:
        """Deliver to the webhook, one after the other; what is not acknowledged comes again."""
        async with caller(timeout=10.0) as client:
            while True:
                await self.until(lambda: self.webhook["url"] and self.pending(), timeout_s=86_400)
                update = self.pending()[0]
                secret = self.webhook.get("secret_token")
                headers = {"x-telegram-bot-api-secret-token": secret} if secret else {}
                try:
                    answer = await client.post(self.webhook["url"], json=update, headers=headers)
                    status = answer.status_code
                except httpx.HTTPError:
                    status = 0
                self.webhook_tries.append((update["update_id"], status))
                if 200 <= status < 300:
                    self.confirmed = update["update_id"] + 1
                    self.updates = self.pending()
                else:
                    await asyncio.sleep(0.02)
                await self.notify()

    def check_updates(self) -> list[str]:
        """What is wrong, by the specification, with the updates that wait."""
        return [fault for update in self.updates for fault in check_value("Update", ["Update"], update)]


def _kind(update: dict[str, Any]) -> str:
    return next((name for name in update if name != "update_id"), "")


async def _fields(request: Request) -> dict[str, Any]:
    """Fields of the query and of a JSON, urlencoded or multipart body; files as bytes."""
    fields: dict[str, Any] = dict(request.query_params)
    kind, body = request.headers.get("content-type", ""), await request.body()
    if kind.startswith("application/json"):
        return fields | dict(json.loads(body or b"{}"))
    if kind.startswith("multipart/form-data"):
        parsed = BytesParser(policy=policy.HTTP).parsebytes(f"content-type: {kind}\r\n\r\n".encode() + body)
        return fields | _linked({_name(part): _content(part) for part in parsed.iter_parts()})
    return fields | dict(parse_qsl(body.decode(), keep_blank_values=True))


def _name(part: Any) -> str:
    return str(part.get_param("name", header="content-disposition"))


def _content(part: Any) -> Any:
    raw = part.get_payload(decode=True)
    return raw if part.get_filename() else raw.decode()


def _linked(fields: dict[str, Any]) -> dict[str, Any]:
    """Files that a field names by attach://."""
    files = {f"attach://{name}": name for name, value in fields.items() if isinstance(value, bytes)}
    used = {value for value in fields.values() if isinstance(value, str) and value in files}
    content = {
        name: fields[files[value]] if isinstance(value, str) and value in used else value
        for name, value in fields.items()
    }
    return {name: value for name, value in content.items() if f"attach://{name}" not in used}


def _error(error: ApiError) -> JSONResponse:
    body: dict[str, Any] = {"ok": False, "error_code": error.status, "description": error.description}
    if error.parameters:
        body["parameters"] = error.parameters
    return JSONResponse(body, error.status)


def _cut_off() -> StreamingResponse:
    """A response that ends before its announced length: the client sees a broken connection."""

    async def nothing() -> AsyncIterator[bytes]:
        yield b"{"

    return StreamingResponse(nothing(), headers={"content-length": "1000"})
