"""Discord's REST and gateway, as far as slash commands and buttons need them; refuses what Discord refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import yarl
from aiohttp import WSMsgType, web

APP, TOKEN = "111111111111111111", "a-token-of-discord"
CHANNEL, GUILD = "222222222222222222", "333333333333333333"
MOST_CONTENT, MOST_ROWS, MOST_BUTTONS, MOST_LABEL, MOST_KEY = 2000, 5, 5, 80, 100


class FakeDiscord:
    """One application, one channel."""

    def __init__(self) -> None:
        self.commands: list[dict[str, Any]] = []
        self.held: dict[str, dict[str, Any]] = {}
        """Interaction id -> the first answer to it."""
        self.shown: list[tuple[str, dict[str, Any]]] = []
        """(token, message) in the order in which they were written."""
        self.findings: list[str] = []
        self.expired: set[str] = set()
        self.failing = 0
        self.answers: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        """Method -> statuses and bodies for the next messages written by it."""
        self.tries: list[str] = []
        self.told: list[tuple[str, str]] = []
        """(channel, content) of what answers nobody."""
        self._nonces: set[str] = set()
        self._socket: web.WebSocketResponse | None = None
        self._number = 400000000000000000
        self.changed = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeDiscord]:
        app = web.Application()
        app.router.add_get("/api/users/@me", self._me)
        app.router.add_get("/api/oauth2/applications/@me", self._application)
        app.router.add_put("/api/applications/{app}/commands", self._put_commands)
        app.router.add_post("/api/interactions/{id}/{token}/callback", self._callback)
        app.router.add_patch("/api/webhooks/{app}/{token}/messages/@original", self._write)
        app.router.add_post("/api/webhooks/{app}/{token}", self._write)
        app.router.add_post("/api/channels/{id}/messages", self._tell)
        app.router.add_get("/gateway/", self._gateway)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        self.rest = f"http://127.0.0.1:{port}/api"
        self.gateway = yarl.URL(f"ws://127.0.0.1:{port}/gateway/")
        try:
            yield self
        finally:
            await runner.cleanup()

    async def until(self, ready: Any, timeout_s: float = 20.0) -> None:
        async with asyncio.timeout(timeout_s):
            while not ready():
                await asyncio.sleep(0.01)

    def _next(self) -> str:
        self._number += 1
        return str(self._number)

    # --- what people do ------------------------------------------------------------------------------------------

    async def use(self, user: str, name: str, locale: str = "en-US", *, private: bool = False, **options: str) -> str:
        """Use a command; gives the interaction's token."""
        listed = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
        known = {one["name"]: [option["name"] for option in one["options"]] for one in self.commands}
        assert list(options) == known[name], "only what was registered can be typed"
        return await self._bring(
            user, locale, private, 2, {"id": self._next(), "name": name, "type": 1, "options": listed}
        )

    async def press(self, user: str, custom_id: str, locale: str = "en-US") -> str:
        """Press a button; gives the interaction's token."""
        return await self._bring(user, locale, False, 3, {"custom_id": custom_id, "component_type": 2})

    async def _bring(self, user: str, locale: str, private: bool, kind: int, data: dict[str, Any]) -> str:
        ident = self._next()
        token = f"token-{ident}"
        person = {"id": user, "username": f"user{user[-2:]}", "discriminator": "0", "avatar": None, "global_name": None}
        member = {
            "user": person,
            "roles": [],
            "joined_at": "2026-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "flags": 0,
            "permissions": "0",
        }
        where = {"user": person} if private else {"guild_id": GUILD, "member": member}
        event = {
            "id": ident,
            "application_id": APP,
            "type": kind,
            "data": data,
            "channel_id": CHANNEL,
            "channel": {"id": CHANNEL, "type": 1}
            if private
            else {"id": CHANNEL, "type": 0, "name": "gpus", "position": 0},
            "token": token,
            "version": 1,
            "locale": locale,
            "entitlements": [],
            "attachment_size_limit": 10485760,
            "authorizing_integration_owners": {},
            **where,
        }
        await self.until(lambda: self._socket is not None)
        assert self._socket is not None
        await self._socket.send_str(json.dumps({"op": 0, "t": "INTERACTION_CREATE", "s": 2, "d": event}))
        return token

    def said(self, token: str) -> list[dict[str, Any]]:
        return [message for one, message in self.shown if one == token]

    # --- REST ----------------------------------------------------------------------------------------------------

    def _allowed(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bot {TOKEN}"

    async def _me(self, request: web.Request) -> web.Response:
        if not self._allowed(request):
            return self._json({"message": "401: Unauthorized", "code": 0}, 401)
        return self._json({"id": APP, "username": "xuanka", "discriminator": "0", "avatar": None, "bot": True})

    async def _application(self, request: web.Request) -> web.Response:
        return self._json(
            {
                "id": APP,
                "name": "xuanka",
                "icon": None,
                "description": "",
                "bot_public": True,
                "bot_require_code_grant": False,
                "verify_key": "",
                "flags": 0,
                "owner": {"id": "1", "username": "o", "discriminator": "0", "avatar": None},
            }
        )

    async def _put_commands(self, request: web.Request) -> web.Response:
        self.commands = await request.json()
        for one in self.commands:
            self._check(1 <= len(one["name"]) <= 32 and one["name"].islower(), "a command's name")
            for described in (one, *one["options"]):
                texts = [described["description"], *described["description_localizations"].values()]
                self._check(all(1 <= len(text) <= 100 for text in texts), f"description of {described['name']}")
        return self._json([{**one, "id": self._next(), "application_id": APP, "version": "1"} for one in self.commands])

    async def _callback(self, request: web.Request) -> web.Response:
        body = await request.json()
        ident = request.match_info["id"]
        self._check(ident not in self.held, "an interaction is answered once")
        self._check(body["type"] in (4, 5), "kind of the answer")
        self.held[ident] = body
        return self._json({"interaction": {"id": ident, "type": 2}, "resource": {"type": body["type"]}})

    async def _write(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        self.tries.append(request.method)
        if self.answers.get(request.method):
            status, told = self.answers[request.method].pop(0)
            return web.Response(
                body=json.dumps(told).encode(), status=status, content_type="application/json", headers={"Via": "1.1 x"}
            )
        if self.failing:
            self.failing -= 1
            return self._json({"message": "not permitted", "code": 1}, 403)
        if token in self.expired:
            return self._json({"message": "Unknown Webhook", "code": 10015}, 404)
        body = await self._read(request)
        first = request.method == "PATCH"
        self._check(token.removeprefix("token-") in self.held, "held open first")
        self._check(first or bool(self.said(token)), "the message held open is written first")
        self._check(1 <= len(body["content"]) <= MOST_CONTENT, "length of a message")
        if "allowed_mentions" in body:
            self._check(body["allowed_mentions"] == {"parse": []}, "nobody is notified")
        rows = body.get("components", [])
        self._check(len(rows) <= MOST_ROWS and all(0 < len(row["components"]) <= MOST_BUTTONS for row in rows), "rows")
        for button in (button for row in rows for button in row["components"]):
            self._check(len(button["label"]) <= MOST_LABEL and 0 < len(button["custom_id"]) <= MOST_KEY, "a button")
        self.shown.append((token, body))
        told = {name: value for name, value in body.items() if name != "picture"}
        return self._json({"id": self._next(), "channel_id": CHANNEL, **told})

    async def _tell(self, request: web.Request) -> web.Response:
        body = await request.json()
        self._check(self._allowed(request) and body["enforce_nonce"] and len(body["nonce"]) <= 25, "a nonce")
        if body["nonce"] not in self._nonces:
            self._nonces.add(body["nonce"])
            self.told.append((request.match_info["id"], body["content"]))
        return self._json({"id": self._next(), "channel_id": CHANNEL})

    async def _read(self, request: web.Request) -> Any:
        """The message, also out of a form with a picture."""
        if request.content_type == "application/json":
            return await request.json()
        form = await request.post()
        body, sent = json.loads(str(form["payload_json"])), form["files[0]"]
        assert isinstance(sent, web.FileField)
        self._check(body["attachments"] == [{"id": 0, "filename": sent.filename}], "the picture is named")
        return {**body, "picture": sent.file.read()}

    def _check(self, holds: bool, what: str) -> None:
        if not holds:
            self.findings.append(what)

    @staticmethod
    def _json(body: Any, status: int = 200) -> web.Response:
        # with a charset the library takes it for text
        return web.Response(body=json.dumps(body).encode(), status=status, content_type="application/json")

    # --- gateway -------------------------------------------------------------------------------------------------

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": 40000}}))
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            read = json.loads(message.data)
            if read["op"] == 1:
                await socket.send_str(json.dumps({"op": 11}))
            if read["op"] == 2:
                self._check(read["d"]["intents"] == 0, "no intent is asked for")
                user = {"id": APP, "username": "xuanka", "discriminator": "0", "avatar": None, "bot": True}
                ready = {
                    "v": 10,
                    "user": user,
                    "guilds": [],
                    "session_id": "s",
                    "resume_gateway_url": str(self.gateway),
                    "application": {"id": APP, "flags": 0},
                }
                await socket.send_str(json.dumps({"op": 0, "t": "READY", "s": 1, "d": ready}))
                self._socket = socket
        return socket
