"""Feishu's API and long connection, as far as the bot needs them; frames are the SDK's own, faults are findings.

A closed list of card properties stands for Feishu, which refuses every property that it does not know.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web
from lark_channel.ws import client as sdk
from lark_channel.ws.pb.pbbp2_pb2 import Frame

sdk.loop.close()  # the SDK makes one when it is imported; the channel gives it another
asyncio.set_event_loop(None)

APP, SECRET, ME = "cli_a1b2c3", "a-secret-of-feishu", "ou_me"
GROUP, ALONE = "oc_group", "oc_alone"
MOST_CARD = 30_000
_CONFIG = {"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 1, "PingInterval": 60}

_PROPERTIES = {
    "": {"schema", "config", "body"},
    "config": {"update_multi"},
    "body": {"elements"},
    "markdown": {"tag", "content"},
    "img": {"tag", "img_key", "alt"},
    "plain_text": {"tag", "content"},
    "column_set": {"tag", "flex_mode", "columns"},
    "column": {"tag", "width", "elements"},
    "button": {"tag", "text", "behaviors"},
    "callback": {"type", "value"},
}


class FakeFeishu:
    """One app in one company: a group and a private chat."""

    def __init__(self) -> None:
        self.replies: list[dict[str, Any]] = []
        """What the bot wrote: {"to", "id", "kind", "content"}."""
        self.pictures: list[bytes] = []
        self.answers: dict[str, dict[str, Any]] = {}
        """Event id -> what the bot said to it over the connection."""
        self.findings: list[str] = []
        self.refusing: list[int] = []
        """Codes for the next replies."""
        self.cards_taken = True
        self.may_be_refused = False
        """Whether the bot may say that it has not taken an event."""
        self.signs_in = self.connects = True
        self.signed_in = 0
        self.is_slow = asyncio.Event()
        self.is_slow.set()
        """While it is not set, nothing that the bot writes is answered."""
        self.connections = 0
        self._uuids: dict[str, str] = {}
        self._socket: web.WebSocketResponse | None = None
        self._number = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeFeishu]:
        app = web.Application()
        app.router.add_post("/callback/ws/endpoint", self._endpoint)
        app.router.add_get("/socket", self._connected)
        app.router.add_post("/open-apis/auth/v3/tenant_access_token/internal", self._token)
        app.router.add_get("/open-apis/bot/v3/info", self._info)
        app.router.add_post("/open-apis/im/v1/messages/{id}/reply", self._reply)
        app.router.add_post("/open-apis/im/v1/messages", self._write)
        app.router.add_post("/open-apis/im/v1/images", self._image)
        runner = web.AppRunner(app, shutdown_timeout=0.2)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self._port = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self._port}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def until(self, ready: Callable[[], object], timeout_s: float = 20.0) -> None:
        async with asyncio.timeout(timeout_s):
            while not ready():
                await asyncio.sleep(0.01)

    # --- what people do ------------------------------------------------------------------------------------------

    async def say(
        self, user: str, text: str, *, chat: str = GROUP, mention: bool = True, parent: str = "", parts: int = 1
    ) -> str:
        """Say something, in the group with a mention of the bot; gives the message's id."""
        ident = self._next("om")
        mentions = [{"key": "@_user_1", "id": {"open_id": ME}, "name": "选卡"}] if mention and chat == GROUP else []
        await self.bring(
            "im.message.receive_v1",
            {
                "sender": {"sender_id": {"open_id": user}, "sender_type": "user"},
                "message": {
                    "message_id": ident,
                    "chat_id": chat,
                    "chat_type": "group" if chat == GROUP else "p2p",
                    "message_type": "text",
                    "content": json.dumps({"text": f"@_user_1 {text}" if mentions else text}),
                    "mentions": mentions,
                    **({"parent_id": parent, "root_id": parent} if parent else {}),
                },
            },
            parts=parts,
        )
        return ident

    async def press(self, user: str, reply: dict[str, Any], label: str, *, chat: str = GROUP) -> dict[str, Any]:
        """Press a button of a card; gives what the presser sees at once."""
        (value,) = [button["behaviors"][0]["value"] for button in buttons(reply) if button["text"]["content"] == label]
        event = await self.bring(
            "card.action.trigger",
            {
                "operator": {"open_id": user},
                "token": "c-token",
                "action": {"tag": "button", "value": value},
                "context": {"open_message_id": reply["id"], "open_chat_id": chat},
            },
        )
        await self.until(lambda: event in self.answers)
        answered = self.answers[event]
        return json.loads(base64.b64decode(answered["data"])) if answered.get("data") else {}

    async def bring(self, kind: str, event: dict[str, Any], *, parts: int = 1, ident: str = "") -> str:
        """Push an event, in several frames if asked; gives its id."""
        ident = ident or self._next("ev")
        header = {"event_id": ident, "event_type": kind, "create_time": "0", "token": "", "app_id": APP}
        whole = json.dumps({"schema": "2.0", "header": header, "event": event}).encode()
        await self.until(lambda: self._socket is not None)
        assert self._socket is not None
        size = -(-len(whole) // parts)
        for number in range(parts):
            told = {"type": "event", "message_id": ident, "sum": str(parts), "seq": str(number), "trace_id": "t"}
            frame = _frame(1, told, whole[number * size : (number + 1) * size])
            await self._socket.send_bytes(frame)
        return ident

    async def drop(self) -> None:
        """Cut the connection, with words on how soon to come back."""
        assert self._socket is not None
        socket, self._socket = self._socket, None
        await socket.close()

    def _next(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_{self._number:06d}"

    # --- the long connection -------------------------------------------------------------------------------------

    async def _endpoint(self, request: web.Request) -> web.Response:
        body = await request.json()
        if body != {"AppID": APP, "AppSecret": SECRET} or not self.connects:
            return web.json_response({"code": 1000040345, "msg": "app not found"})
        url = f"ws://127.0.0.1:{self._port}/socket?device_id=d1&service_id=7"
        return web.json_response({"code": 0, "data": {"URL": url, "ClientConfig": _CONFIG}})

    async def _connected(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections += 1
        self._socket = socket
        async for message in socket:
            if message.type is not WSMsgType.BINARY:
                break
            frame = Frame()
            frame.ParseFromString(message.data)
            headers = {header.key: header.value for header in frame.headers}
            if frame.method == 0:
                await socket.send_bytes(
                    _frame(0, {"type": "pong"}, json.dumps({**_CONFIG, "PingInterval": 30}).encode())
                )
            else:
                self.answers[headers["message_id"]] = json.loads(frame.payload)
                taken = self.answers[headers["message_id"]]["code"] == 200
                self._check(taken or self.may_be_refused, "an event is taken")
        return socket

    # --- the API -------------------------------------------------------------------------------------------------

    async def _token(self, request: web.Request) -> web.Response:
        body = await request.json()
        if (body["app_id"], body["app_secret"]) != (APP, SECRET) or not self.signs_in:
            return web.json_response({"code": 10014, "msg": "app secret invalid"})
        self.signed_in += 1
        return web.json_response({"code": 0, "tenant_access_token": "t-1", "expire": 7200})

    async def _info(self, request: web.Request) -> web.Response:
        self._check(request.headers.get("Authorization") == "Bearer t-1", "signed in")
        return web.json_response({"code": 0, "bot": {"open_id": ME, "app_name": "xuanka"}})

    async def _write(self, request: web.Request) -> web.Response:
        self._check(request.query.get("receive_id_type") == "chat_id", "kind of the receiver")
        body = await request.json()
        return await self._posted(body, body["receive_id"])

    async def _reply(self, request: web.Request) -> web.Response:
        return await self._posted(await request.json(), request.match_info["id"])

    async def _posted(self, body: dict[str, Any], to: str) -> web.Response:
        await self.is_slow.wait()
        if self.refusing:
            return web.json_response({"code": self.refusing.pop(0), "msg": "refused"})
        content, uuid = json.loads(body["content"]), body["uuid"]
        self._check(len(uuid) <= 50, "length of the uuid")
        if uuid in self._uuids:
            return web.json_response({"code": 0, "data": {"message_id": self._uuids[uuid]}})
        if body["msg_type"] == "interactive":
            if not self.cards_taken:
                return web.json_response({"code": 230099, "msg": "failed to create card content"})
            self._check(content["schema"] == "2.0", "schema of the card")
            self._check(len(body["content"].encode()) <= MOST_CARD, "size of the card")
            self._look(content, "")
        else:
            self._check(body["msg_type"] == "text" and bool(content["text"]), "a text")
        ident = self._uuids[uuid] = self._next("om")
        self.replies.append({"to": to, "id": ident, "kind": body["msg_type"], "content": content})
        return web.json_response({"code": 0, "data": {"message_id": ident}})

    async def _image(self, request: web.Request) -> web.Response:
        parts = {part.name: await part.read() async for part in await request.multipart()}
        self._check(parts["image_type"] == b"message", "kind of the picture")
        self.pictures.append(bytes(parts["image"]))
        return web.json_response({"code": 0, "data": {"image_key": f"img_{len(self.pictures)}"}})

    def _look(self, part: Any, name: str) -> None:
        """Every property of a card is one that Feishu knows."""
        if isinstance(part, list):
            for one in part:
                self._look(one, name)
        elif isinstance(part, dict):
            kind = part.get("tag") or (part.get("type") if name == "behaviors" else name)
            known = _PROPERTIES.get(str(kind))
            self._check(known is not None, f"{kind} is known")
            self._check(
                not known or set(part) <= known, f"properties of {kind}: {sorted(set(part) - (known or set()))}"
            )
            if kind == "img":
                self._check(part["img_key"] in [f"img_{n + 1}" for n in range(len(self.pictures))], "a picture")
            for key, value in part.items():
                if kind != "callback" and isinstance(value, dict | list):
                    self._look(value, key)

    def _check(self, holds: bool, what: str) -> None:
        if not holds:
            self.findings.append(what)


def _frame(method: int, headers: dict[str, str], payload: bytes) -> bytes:
    frame = Frame()
    frame.SeqID, frame.LogID, frame.service, frame.method = 1, 1, 7, method
    for key, value in headers.items():
        header = frame.headers.add()
        header.key, header.value = key, value
    frame.payload = payload
    made: bytes = frame.SerializeToString()
    return made


def words(reply: dict[str, Any]) -> str:
    """What a reply says."""
    if reply["kind"] == "text":
        return str(reply["content"]["text"])
    return str(reply["content"]["body"]["elements"][0]["content"])


def buttons(reply: dict[str, Any]) -> list[dict[str, Any]]:
    """The buttons of a card."""
    sets = [one for one in reply["content"]["body"]["elements"] if one["tag"] == "column_set"]
    return [column["elements"][0] for one in sets for column in one["columns"]]
