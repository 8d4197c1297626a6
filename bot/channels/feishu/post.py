"""The requests that are made of Feishu's API, through the SDK, in threads: it signs in by itself and waits there."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from bot.channels.registry import ChannelStartError

if TYPE_CHECKING:
    from lark_channel import Client
    from lark_channel.core.model import BaseResponse

T = TypeVar("T")
_TIMEOUT_S: Final = 10.0
_AT_ONCE: Final = 8
"""Requests that wait for Feishu in threads of their own: however slow it is, nothing else waits with them."""
_LIMITED: Final = frozenset({99991400, 230020})
"""Codes for too many requests. Source: Feishu's list of common error codes, and its page on replying."""
_CARD: Final = 230099
"""A card that cannot be made."""
_TOKEN: Final = frozenset({99991661, 99991663, 99991664, 99991668, 99991671})
"""A token that is missing, wrong or over. Source: Feishu's list of common error codes."""
NOT_SIGNED_IN: Final = 401
"""The app is not signed in: what is sent was not taken."""


class NotTaken(RuntimeError):
    """Feishu answered with an error. `code` is its own, or that of HTTP."""

    def __init__(self, code: int) -> None:
        """Keep the code; nothing of what was sent."""
        super().__init__(f"code {code}")
        self.code = code

    @property
    def is_limit(self) -> bool:
        """Whether it may be tried again after a pause."""
        return self.code in _LIMITED or self.code in {429, NOT_SIGNED_IN} or 500 <= self.code < 600

    @property
    def is_of_card(self) -> bool:
        """Whether the card was at fault, so that plain words may do."""
        return self.code == _CARD


class Post:
    """One app's way to the API."""

    def __init__(self, app_id: str, secret: str, domain: str) -> None:
        """Make the client; nothing is asked yet. Raises ValueError for a domain that is none."""
        import lark_channel
        from lark_channel.core.enum import LogLevel

        builder = lark_channel.Client.builder().app_id(app_id).app_secret(secret).domain(domain)
        self._client: Client = builder.timeout(_TIMEOUT_S).log_level(LogLevel.CRITICAL).build()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="feishu-post")

    def close(self) -> None:
        """Make no more requests; those that are out end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def own_id(self) -> str:
        """The bot's open id.

        Raises:
            ChannelStartError: Feishu does not accept the app's id and secret, or the app is no bot.
            OSError: it cannot be reached.
        """
        return await self._beside(self._own_id)

    async def reply(self, message_id: str, kind: str, content: dict[str, object], uuid: str) -> str:
        """Reply to a message; gives the id of what was sent. A repeat with the same `uuid` sends nothing twice.

        Raises:
            NotTaken: it was refused.
            OSError: it cannot be reached.
        """
        said = json.dumps(content, ensure_ascii=False)
        return await self._beside(lambda: self._reply(message_id, kind, said, uuid))

    async def write(self, chat_id: str, kind: str, content: dict[str, object], uuid: str) -> str:
        """Write into a chat; else as `reply`."""
        said = json.dumps(content, ensure_ascii=False)
        return await self._beside(lambda: self._write(chat_id, kind, said, uuid))

    async def upload(self, picture: bytes) -> str:
        """Bring a picture to Feishu; gives its key. Raises NotTaken, OSError."""
        return await self._beside(lambda: self._upload(picture))

    async def _beside(self, ask: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, ask)

    def _own_id(self) -> str:
        from lark_channel.core.enum import AccessTokenType, HttpMethod
        from lark_channel.core.exception import ObtainAccessTokenException
        from lark_channel.core.model import BaseRequest

        asked = BaseRequest.builder().http_method(HttpMethod.GET).uri("/open-apis/bot/v3/info")
        try:
            got = self._client.request(asked.token_types({AccessTokenType.TENANT}).build())
        except ObtainAccessTokenException:
            raise ChannelStartError("Feishu does not accept XUANKA_FEISHU_APP_ID and XUANKA_FEISHU_SECRET") from None
        told = json.loads(got.raw.content) if got.success() and got.raw is not None else {}
        found = (told.get("bot") or {}).get("open_id")
        if not found:
            raise ChannelStartError("the Feishu app has no bot: add the ability on its page and publish a version")
        return str(found)

    def _reply(self, message_id: str, kind: str, content: str, uuid: str) -> str:
        from lark_channel.api.im.v1.model.reply_message_request import ReplyMessageRequest
        from lark_channel.api.im.v1.model.reply_message_request_body import ReplyMessageRequestBody

        body = ReplyMessageRequestBody.builder().msg_type(kind).content(content).uuid(uuid).build()
        asked = ReplyMessageRequest.builder().message_id(message_id).request_body(body).build()
        with _signed_in():
            got = self._client.im.v1.message.reply(asked)
        if not got.success() or got.data is None:
            raise NotTaken(_code(got))
        return str(got.data.message_id)

    def _write(self, chat_id: str, kind: str, content: str, uuid: str) -> str:
        from lark_channel.api.im.v1.model.create_message_request import CreateMessageRequest
        from lark_channel.api.im.v1.model.create_message_request_body import CreateMessageRequestBody

        body = CreateMessageRequestBody.builder().receive_id(chat_id).msg_type(kind).content(content).uuid(uuid)
        asked = CreateMessageRequest.builder().receive_id_type("chat_id").request_body(body.build()).build()
        with _signed_in():
            got = self._client.im.v1.message.create(asked)
        if not got.success() or got.data is None:
            raise NotTaken(_code(got))
        return str(got.data.message_id)

    def _upload(self, picture: bytes) -> str:
        from lark_channel.api.im.v1.model.create_image_request import CreateImageRequest
        from lark_channel.api.im.v1.model.create_image_request_body import CreateImageRequestBody

        held = io.BytesIO(picture)
        held.name = "chart.png"
        body = CreateImageRequestBody.builder().image_type("message").image(held).build()
        with _signed_in():
            got = self._client.im.v1.image.create(CreateImageRequest.builder().request_body(body).build())
        if not got.success() or got.data is None:
            raise NotTaken(_code(got))
        return str(got.data.image_key)


@contextmanager
def _signed_in() -> Iterator[None]:
    """A request for which the SDK could not sign in was not made: it may be tried again."""
    from lark_channel.core.exception import ObtainAccessTokenException

    try:
        yield
    except ObtainAccessTokenException:
        raise NotTaken(NOT_SIGNED_IN) from None


def _code(got: BaseResponse) -> int:
    """Feishu's code for a refusal, else that of HTTP."""
    if got.code in _TOKEN:
        from lark_channel.core.token.manager import TokenManager

        # The SDK goes by the wall clock, which may have been set back: a token that is over must not be used again.
        TokenManager.cache.cache.clear()
        return NOT_SIGNED_IN
    return got.code or (got.raw.status_code if got.raw and got.raw.status_code else -1)
