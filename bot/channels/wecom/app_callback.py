"""The callback of a self-built app: XML, single chats only, answered inside WeCom's request.

WeCom repeats what is not answered with status 200 within five seconds, three times in all, so an answer that is not
ready is simply left to the repeat. Source: developer pages 90238 to 90241.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from datetime import datetime
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.channels.markup import escape, plain_text
from bot.channels.wecom.doorway import Doorway, Turned
from bot.channels.wecom.parts import is_silent
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Language, Reply
from bot.core.ports import Intake, StoreUnavailable

_LOG = logging.getLogger("xuanka.wecom")
DEFAULT_PATH = "/wecom/app"
TEXT_BYTES = 2048
_ANSWER_S = 4.0
_SEALED = re.compile(rb"<Encrypt>\s*(?:<!\[CDATA\[)?\s*([A-Za-z0-9+/=]+)\s*(?:\]\]>)?\s*</Encrypt>")
_SPOKEN = frozenset({"text", "image", "voice", "video", "location", "link"})
_WELCOMED = frozenset({"subscribe"})


class AppDoor:
    """The callback of one self-built app."""

    def __init__(
        self,
        doorway: Doorway,
        corp_id: str,
        words: ChannelWords,
        language: Language,
        intake: Intake,
        now: Callable[[], datetime],
        answer_s: float = _ANSWER_S,
    ) -> None:
        """`corp_id` is also what replies are sealed for."""
        self._doorway, self._corp_id, self._words, self._language = doorway, corp_id, words, language
        self._intake, self._now, self._answer_s = intake, now, answer_s
        self._tasks: set[asyncio.Future[Reply | None]] = set()

    def routes(self, path: str = DEFAULT_PATH) -> list[Route]:
        """The routes of the web app."""
        return [Route(path, self._verify, methods=["GET"]), Route(path, self._receive, methods=["POST"])]

    async def _verify(self, request: Request) -> Response:
        try:
            query = self._doorway.query(request)
            if not query.get("echostr"):
                raise Turned(400, "no echostr")
            return PlainTextResponse(await self._doorway.open(query, query["echostr"]))
        except Turned as turned:
            _LOG.warning("the app's callback turned a request away: %s", turned)
            return Response(status_code=turned.status)

    async def _receive(self, request: Request) -> Response:
        try:
            query = self._doorway.query(request)
            push = _fields(await self._doorway.open(query, _sealed(await self._doorway.body(request))))
            await self._doorway.admit_once(query, _event_id(push))
            text = await self._answer(push)
        except Turned as turned:
            _LOG.warning("the app's callback turned a request away: %s", turned)
            return Response(status_code=turned.status)
        except (StoreUnavailable, TimeoutError):
            return Response(status_code=503)
        except Exception as error:
            _LOG.error("the app's callback failed: %s", type(error).__name__)
            return Response(status_code=503)
        if not text:
            return Response(status_code=200)
        return Response(self._envelope(push, text, query["nonce"]), media_type="text/xml")

    async def _answer(self, push: dict[str, str]) -> str:
        """What goes back as a text; nothing for an empty body.

        Raises:
            TimeoutError: not ready; the repeat gets it.
        """
        if push["MsgType"] == "event":
            is_new = push.get("Event", "").casefold() in _WELCOMED
            return self._words("welcome", self._language) if is_new else ""
        if push["MsgType"] not in _SPOKEN:
            return ""
        message = self._incoming(push)
        task = asyncio.ensure_future(self._intake.answer_now(message))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        reply = await asyncio.wait_for(asyncio.shield(task), self._answer_s)
        if reply is None or is_silent(message, reply):
            return ""
        return _cut(_text(reply), self._words("more", reply.language))

    def _done(self, task: asyncio.Future[Reply | None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _LOG.warning("an answer is left to the repeat")

    def _incoming(self, push: dict[str, str]) -> IncomingMessage:
        user = push["FromUserName"]
        return IncomingMessage(
            channel="wecom-app",
            bot_id=f"{self._corp_id}.{push.get('AgentID', '')}",
            event_id=_event_id(push),
            chat_id=user,
            user_id=user,
            verified=True,
            text=push.get("Content", "").strip() if push["MsgType"] == "text" else "",
            addressed_how="private",
            message_id=push.get("MsgId", ""),
            received_at=self._now(),
            lang_hint=self._language,
        )

    def _envelope(self, push: dict[str, str], text: str, nonce: str) -> str:
        fields: dict[str, str | int] = {
            "ToUserName": push["FromUserName"],
            "FromUserName": push.get("ToUserName", "") or self._corp_id,
            "CreateTime": int(self._now().timestamp()),
            "MsgType": "text",
            "Content": text,
        }
        encrypted, signature, timestamp = self._doorway.seal(_xml(fields), nonce)
        return _xml({"Encrypt": encrypted, "MsgSignature": signature, "TimeStamp": timestamp, "Nonce": nonce})


def _text(reply: Reply) -> str:
    """The reply as plain text, its options as a list."""
    options = [choice for choice in reply.choices if not choice.key.startswith("do:")]
    text = reply.text
    if options and reply.decision in {"ask", "clarify"}:
        text += "\n\n" + "\n".join(f"- {escape(choice.label)}" for choice in options)
    return plain_text(text)


def _cut(text: str, more: str) -> str:
    """The text within the byte limit, cut at a line or else between characters, with a word that there is more."""
    if len(text.encode()) <= TEXT_BYTES:
        return text
    room = TEXT_BYTES - len(more.encode()) - 1
    head = text.encode()[:room].decode(errors="ignore")
    border = head.rfind("\n")
    return f"{head[:border] if border > len(head) // 2 else head}\n{more}"


def _sealed(body: bytes) -> str:
    """The sealed text of a request. Nothing unauthenticated is parsed as XML: no entity can expand.

    Raises:
        Turned: there is none, or the body declares types or entities.
    """
    found = _SEALED.search(body)
    if found is None or b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise Turned(400, "no callback: nothing sealed inside")
    return found[1].decode()


def _fields(text: str) -> dict[str, str]:
    """The fields of a decrypted message.

    Raises:
        Turned: it is none.
    """
    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise Turned(400, "a callback that holds no XML") from None
    fields = {child.tag: (child.text or "").strip() for child in root}
    if not fields.get("FromUserName") or not fields.get("MsgType") or not _event_id(fields):
        raise Turned(400, "a callback of unknown shape")
    return fields


def _event_id(fields: dict[str, str]) -> str:
    """Messages are known by MsgId, events by sender and time."""
    if fields.get("MsgId"):
        return fields["MsgId"]
    created = fields.get("CreateTime", "")
    return f"{fields.get('FromUserName', '')}-{created}" if created else ""


def _xml(fields: dict[str, str | int]) -> str:
    parts = (
        f"<{name}>{value}</{name}>" if isinstance(value, int) else f"<{name}>{_cdata(value)}</{name}>"
        for name, value in fields.items()
    )
    return f"<xml>{''.join(parts)}</xml>"


def _cdata(text: str) -> str:
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"
