"""The callback of the AI bot: every message is answered inside WeCom's own request, by whichever replica gets it.

One finished stream reply, so nothing has to be remembered between requests; a repeat of a message gets the same reply
from the store. What cannot be ready in time, and answers to card presses, go through the message's `response_url`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import datetime

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.channels.charts import in_words, picture_of
from bot.channels.signing import Signer
from bot.channels.wecom import frames
from bot.channels.wecom.cards import question_card
from bot.channels.wecom.doorway import Doorway, Turned
from bot.channels.wecom.parts import is_silent, reply_parts, stable_id
from bot.channels.wecom.pictures import picture_items
from bot.channels.wecom.presses import Presses
from bot.channels.wecom.reading import Push, Reader, Unreadable, read_push
from bot.channels.wecom.response_url import ResponsePoster
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Language, Reply
from bot.core.ports import Intake, Store, StoreUnavailable

_LOG = logging.getLogger("xuanka.wecom")
DEFAULT_PATH = "/wecom/callback"
_ANSWER_S = 3.0
"""WeCom drops the request after five seconds; two are left for the way."""
_LATE_S = 120.0
_LATE_TRIES = 20
_RETRY_S = "2"

Body = dict[str, object]


class CallbackDoor:
    """The callback of one bot."""

    def __init__(
        self,
        doorway: Doorway,
        reader: Reader,
        presses: Presses,
        signer: Signer,
        words: ChannelWords,
        language: Language,
        intake: Intake,
        store: Store,
        poster: ResponsePoster,
        now: Callable[[], datetime],
        answer_s: float = _ANSWER_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`answer_s`: after so long the answer follows through `response_url`."""
        self._doorway, self._reader, self._presses, self._signer = doorway, reader, presses, signer
        self._words, self._language, self._intake, self._store = words, language, intake, store
        self._poster, self._now, self._answer_s, self._sleep = poster, now, answer_s, sleep
        self._tasks: set[asyncio.Task[None]] = set()

    def routes(self, path: str = DEFAULT_PATH) -> list[Route]:
        """The routes of the web app."""
        return [
            Route(path, self._verify, methods=["GET"]),
            Route(path, self._receive, methods=["POST"]),
        ]

    async def close(self, timeout_s: float) -> None:
        """Let follow-ups finish."""
        if self._tasks:
            _, late = await asyncio.wait(set(self._tasks), timeout=timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    # --- requests ----------------------------------------------------------------------------------------------------

    async def _verify(self, request: Request) -> Response:
        """The check of the address: the decrypted text, bare."""
        try:
            query = self._doorway.query(request)
            if not query.get("echostr"):
                raise Turned(400, "no echostr")
            return PlainTextResponse(await self._doorway.open(query, query["echostr"]))
        except Turned as turned:
            _LOG.warning("the callback turned a request away: %s", turned)
            return Response(status_code=turned.status)

    async def _receive(self, request: Request) -> Response:
        try:
            query = self._doorway.query(request)
            push = _parse(await self._doorway.open(query, _sealed(await self._doorway.body(request))))
            await self._doorway.admit_once(query, push.msgid)
            body = await self._reply_to(push)
        except Turned as turned:
            _LOG.warning("the callback turned a request away: %s", turned)
            return Response(status_code=turned.status)
        except StoreUnavailable as error:
            _LOG.error("a callback was not taken: %s", error)
            return Response(status_code=503, headers={"retry-after": _RETRY_S})
        except Exception as error:
            _LOG.error("a callback failed: %s", type(error).__name__)
            return Response(status_code=503, headers={"retry-after": _RETRY_S})
        if body is None:
            return Response(status_code=200)
        encrypted, signature, timestamp = self._doorway.seal(json.dumps(body, ensure_ascii=False), query["nonce"])
        sealed = {
            "encrypt": encrypted,
            "msgsignature": signature,
            "timestamp": timestamp,
            "nonce": query["nonce"],
        }
        return Response(json.dumps(sealed), media_type="application/json")

    async def _reply_to(self, push: Push) -> Body | None:
        """What goes back inside the request; None for an empty body."""
        if push.msgtype == "stream":
            # Our replies are finished at once, so a refresh can only be about a reply that nobody knows.
            stream_id = push.stream.id if push.stream else ""
            return frames.stream_body(stream_id or f"s-{push.msgid[:30]}", self._words("gone", self._language))
        if push.event_type == "enter_chat":
            return frames.text_body(self._words("welcome", self._language))
        if push.event_type == "template_card_event":
            return await self._press(push)
        if push.event_type == "feedback_event":
            verdict = self._presses.judged(push, self._now())
            if verdict is not None:
                await self._intake.answer_now(verdict)
            return None
        if push.is_message:
            return await self._answer(push, self._reader.incoming(push, self._now(), push.msgid))
        return None

    # --- messages ----------------------------------------------------------------------------------------------------

    async def _answer(self, push: Push, message: IncomingMessage) -> Body | None:
        late = _late_key(message)
        if await self._store.get(late):
            return None
        task = asyncio.ensure_future(self._intake.answer_now(message))
        done, _ = await asyncio.wait({task}, timeout=self._answer_s)
        if done:
            reply = task.result()
            return await self._body(push, message, reply) if reply is not None else None
        await self._store.put(late, True, _LATE_S)
        self._beside(self._follow_late(task, push, message))
        return None

    async def _body(self, push: Push, message: IncomingMessage, reply: Reply) -> Body | None:
        """The reply to a message as WeCom takes it passively: a stream, a card, or both."""
        if is_silent(message, reply):
            return None
        card = question_card(message, reply, self._words, self._signer)
        if card is not None:
            await self._presses.remember(card, reply.language, message.owner_key)
            if not reply.shared:
                return frames.card_body(card)
        picture = await picture_of(reply)
        parts = reply_parts(message, reply if picture else in_words(reply), self._words, with_options=card is None)
        body = frames.stream_body(stable_id("s", message), parts[0], self._feedback(reply), picture_items(picture))
        if card is not None:
            return {**body, "msgtype": "stream_with_template_card", "template_card": card}
        if len(parts) > 1 and await self._is_first(f"rest:{message.bot_key}:{message.event_id}"):
            self._beside(self._post(push, frames.markdown_body(parts[1])))
        return body

    async def _follow_late(self, task: asyncio.Future[Reply | None], push: Push, message: IncomingMessage) -> None:
        """Wait for an answer that missed the request, and post it."""
        reply: Reply | None = None
        for attempt in range(_LATE_TRIES):
            try:
                reply = await (task if attempt == 0 else self._intake.answer_now(message))
                break
            except StoreUnavailable:
                await self._sleep(1.0)
        else:
            _LOG.error("an answer was not ready in two minutes")
        if reply is None or not await self._post_reply(push, message, reply):
            await self._store.delete(_late_key(message))

    # --- presses -----------------------------------------------------------------------------------------------------

    async def _press(self, push: Push) -> Body | None:
        ruling = await self._presses.pressed(push, self._now(), push.msgid)
        if ruling.message is not None:
            self._beside(self._follow_press(push, ruling.message))
        return ruling.update

    async def _follow_press(self, push: Push, message: IncomingMessage) -> None:
        reply: Reply | None = None
        for _ in range(_LATE_TRIES):
            with suppress(StoreUnavailable):
                reply = await self._intake.answer_now(message)
                break
            await self._sleep(0.5)
        if reply is not None and await self._is_first(f"press:{message.bot_key}:{message.event_id}"):
            await self._post_reply(push, message, reply)

    # --- follow-ups --------------------------------------------------------------------------------------------------

    async def _post_reply(self, push: Push, message: IncomingMessage, reply: Reply) -> bool:
        """Post a reply to the response address: cards in single chats only."""
        if is_silent(message, reply):
            return True
        card = None
        if message.chat_type == "private" and not reply.shared:
            card = question_card(message, reply, self._words, self._signer)
        if card is not None:
            await self._presses.remember(card, reply.language, message.owner_key)
            return await self._poster.post(push.response_url, frames.card_body(card))
        parts = reply_parts(message, in_words(reply), self._words, with_options=True)
        return await self._poster.post(push.response_url, frames.markdown_body(parts[0], self._feedback(reply)))

    async def _post(self, push: Push, body: Body) -> None:
        await self._poster.post(push.response_url, body)

    def _feedback(self, reply: Reply) -> str:
        return self._presses.feedback_id(reply.case) if reply.decision == "answer" and reply.case else ""

    async def _is_first(self, name: str) -> bool:
        """Whether this is done for the first time, on any replica."""
        wait = await self._store.take(f"wecom:once:{name}", rate_per_s=1 / 86_400, burst=1.0)
        return wait == 0.0

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _late_key(message: IncomingMessage) -> str:
    return f"wecom:late:{message.bot_id}:{message.event_id}"


def _sealed(body: bytes) -> str:
    """The sealed text of a request.

    Raises:
        Turned: it is no JSON object with one.
    """
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        raw = None
    encrypted = raw.get("encrypt") if isinstance(raw, dict) else None
    if not isinstance(encrypted, str) or not encrypted:
        raise Turned(400, "no callback: nothing sealed inside")
    return encrypted


def _parse(text: str) -> Push:
    """The push in a decrypted text.

    Raises:
        Turned: it is none.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raise Turned(400, "a callback that holds no JSON") from None
    if not isinstance(raw, dict):
        raise Turned(400, "a callback that holds no object")
    try:
        return read_push(raw)
    except Unreadable as error:
        raise Turned(400, f"a callback of unknown shape, {error}") from None


async def _guarded(work: Coroutine[object, object, None]) -> None:
    try:
        await work
    except StoreUnavailable as error:
        _LOG.error("a follow-up was not sent: %s", error)
    except Exception as error:
        _LOG.error("a follow-up failed: %s", type(error).__name__)
