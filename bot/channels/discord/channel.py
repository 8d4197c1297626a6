"""The connection to Discord: holds an interaction open within its three seconds, stores it, and lets workers answer."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import aiohttp
import discord
from discord.http import Route

from bot.channels.discord.commands import described
from bot.channels.discord.reading import CHANNEL, COMMAND, COMPONENT, Interaction, Reader, read_interaction
from bot.channels.discord.sender import TOKEN_S, DiscordSender, Refused, token_key
from bot.channels.registry import ChannelStartError
from bot.channels.signing import Signer
from bot.channels.words import channel_words
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted, Intake, Outcome, Sent, Store, StoreUnavailable
from bot.settings import Settings, require

if TYPE_CHECKING:
    from starlette.routing import Route as WebRoute

_LOG: Final = logging.getLogger("xuanka.discord")
_SAY, _HOLD = 4, 5
"""Kinds of answers to an interaction: a message at once, or one that comes. Source: reference of interactions."""
_ONLY_YOU: Final = 64
_PICTURE: Final = "chart.png"
_TIMEOUT: Final = aiohttp.ClientTimeout(total=20)
_LONGEST_PAUSE_S: Final = 30.0
"""The library waits so long in place; what is told to wait longer is handed back."""


class DiscordChannel:
    """See `bot.channels.registry.Channel`."""

    names = (CHANNEL,)

    def __init__(
        self, settings: Settings, intake: Intake, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        """Prepare without connecting. Raises SettingsError."""
        require(settings, "discord_token")
        self._settings, self._intake, self._store, self._now = settings, intake, store, now
        self._words = channel_words(CHANNEL)
        self._client: discord.Client | None = None
        self._reader: Reader | None = None
        self._sender: DiscordSender | None = None

    @property
    def sender(self) -> DiscordChannel:
        """The channel itself: it sends once it is connected."""
        return self

    @property
    def bot_id(self) -> str:
        """Which bot it is: what was said to another one on the same store is left to that one's process."""
        return self._reader.bot_id if self._reader is not None else ""

    @property
    def trouble(self) -> str:
        """Why nothing comes in now."""
        return "" if self._client is not None and self._client.is_ready() else "not connected"

    def routes(self) -> Sequence[WebRoute]:
        """None: the connection brings everything."""
        return ()

    async def run(self, stop: asyncio.Event) -> None:
        """Connect and bring interactions until `stop` is set.

        Raises:
            ChannelStartError: Discord does not accept the token.
        """
        client = self._client = discord.Client(
            intents=discord.Intents.none(),
            max_messages=None,
            max_ratelimit_timeout=_LONGEST_PAUSE_S,
            guild_ready_timeout=0.0,  # without intents no server is told of: nothing to wait for
        )
        client.event(self.on_interaction)
        try:
            await self._connected(client, stop)
        except BaseException:
            await client.close()  # the next try takes a client of its own
            raise

    async def _connected(self, client: discord.Client, stop: asyncio.Event) -> None:
        token = self._settings.discord_token
        try:
            await client.login(token.get_secret_value().strip() if token else "")
        except discord.LoginFailure:
            raise ChannelStartError("Discord does not accept XUANKA_DISCORD_TOKEN") from None
        await self._wire(client)
        connected = asyncio.create_task(client.connect(), name="discord")
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({connected, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if connected.done():
                connected.result()
        finally:
            stopping.cancel()

    async def close(self) -> None:
        """Disconnect; the library lets what it has begun finish."""
        if self._client is not None:
            await self._client.close()

    async def _wire(self, client: discord.Client) -> None:
        bot_id = str(client.application_id)
        key = self._settings.signing_key or self._settings.discord_token
        signer = Signer(key.get_secret_value() if key else "", f"{CHANNEL}:{bot_id}")
        self._reader = Reader(bot_id, self._words, signer, self._settings.default_language)
        self._sender = DiscordSender(_Post(client), self._store, signer)
        try:
            await client.http.bulk_upsert_global_commands(client.application_id or 0, described(self._words))
        except discord.HTTPException as error:
            _LOG.warning("the commands could not be set: status %d", error.status)

    # --- in ----------------------------------------------------------------------------------------------------------

    async def on_interaction(self, event: discord.Interaction) -> None:
        """Take what the connection brings. What cannot be read is let go: it does not come again."""
        try:
            await self._attend(read_interaction(event))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            _LOG.warning("an interaction of unknown shape is ignored: %s", type(error).__name__)
        except (discord.HTTPException, Refused, StoreUnavailable, OSError) as error:
            _LOG.error("an interaction was not taken: %s", type(error).__name__)

    async def _attend(self, heard: Interaction) -> None:
        """Check who presses, hold the answer open, then store the message: within three seconds."""
        reader = self._reader
        if reader is None or heard.kind not in (COMMAND, COMPONENT):
            return
        key = ""
        if heard.kind == COMPONENT:
            pressed = reader.pressed(heard)
            if pressed is None or not pressed.may(heard.user_id):
                await self._whisper(heard, "expired" if pressed is None else "not_yours")
                return
            key = pressed.key
        await self._respond(heard, {"type": _HOLD})
        message = reader.message(heard, self._now(), key)
        accepted = await self._taken(heard, message)
        if accepted in (Accepted.STORED, Accepted.DUPLICATE):
            return
        why = "not_allowed" if accepted is Accepted.IGNORED else "busy"
        await self._client_post().fill(heard.token, {"content": self._words(why, reader.language(heard))})

    async def _taken(self, heard: Interaction, message: IncomingMessage) -> Accepted:
        """Store the message and the token to answer it with; a store that is away is as good as a full one."""
        key = token_key(message.bot_id, heard.id)
        try:
            await self._store.put(key, heard.token, TOKEN_S, owner=message.owner_key)
            accepted = await self._intake.accept(message)
            if accepted not in (Accepted.STORED, Accepted.DUPLICATE):
                await self._store.delete(key)
        except StoreUnavailable as error:
            _LOG.error("an interaction was not taken: %s", type(error).__name__)
            return Accepted.FULL
        return accepted

    async def _whisper(self, heard: Interaction, key: str) -> None:
        """Say something that only the one who pressed can see."""
        language = self._reader.language(heard) if self._reader else self._settings.default_language
        await self._respond(heard, {"type": _SAY, "data": {"content": self._words(key, language), "flags": _ONLY_YOU}})

    async def _respond(self, heard: Interaction, payload: dict[str, object]) -> None:
        if self._client is not None:
            route = Route(
                "POST",
                "/interactions/{interaction_id}/{interaction_token}/callback",
                interaction_id=heard.id,
                interaction_token=heard.token,
            )
            await self._client.http.request(route, json=payload)

    def _client_post(self) -> _Post:
        if self._client is None:
            raise RuntimeError("the channel is not connected")
        return _Post(self._client)

    # --- out ---------------------------------------------------------------------------------------------------------

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`)."""
        if self._sender is None:
            return Sent(Outcome.RETRY, retry_after=1.0, begun=False)
        return await self._sender.send(message, reply, edit=edit)


class _Post:
    """Writes messages of interactions.

    What may be said twice goes through the library, which keeps the limits and repeats by itself; what must not goes
    out once and never again, whatever comes back.
    """

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def fill(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        route = self._route("PATCH", "/messages/@original", token)
        return await self._through(route, payload, picture)

    async def write(self, channel_id: str, payload: dict[str, object], nonce: str) -> str:
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id)
        return await self._through(route, {**payload, "nonce": nonce, "enforce_nonce": True}, b"")

    async def follow(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        form = _form_data(payload, picture) if picture else None
        route = self._route("POST", "", token)
        try:
            async with (
                aiohttp.ClientSession(timeout=_TIMEOUT) as session,
                session.post(f"{route.url}?wait=true", data=form, json=None if picture else payload) as got,
            ):
                told = await got.json(content_type=None) if got.content_length != 0 else None
                if not 200 <= got.status < 300:
                    raise Refused(got.status, _pause(told))
        except (aiohttp.ClientError, ValueError) as error:
            raise OSError(type(error).__name__) from None
        return _id_of(told)

    def _route(self, method: str, tail: str, token: str) -> Route:
        return Route(
            method,
            "/webhooks/{application_id}/{interaction_token}" + tail,
            application_id=self._client.application_id or 0,
            interaction_token=token,
        )

    async def _through(self, route: Route, payload: dict[str, object], picture: bytes) -> str:
        try:
            if picture:
                made = await self._client.http.request(route, form=_form(payload, picture), timeout=_TIMEOUT)
            else:
                made = await self._client.http.request(route, json=payload, timeout=_TIMEOUT)
        except discord.RateLimited as error:
            raise Refused(429, error.retry_after) from None
        except discord.HTTPException as error:
            raise Refused(error.status) from None
        except aiohttp.ClientError as error:
            raise OSError(type(error).__name__) from None
        return _id_of(made)


def _id_of(made: object) -> str:
    return str(made["id"]) if isinstance(made, dict) and "id" in made else ""


def _pause(told: object) -> float:
    """For how long Discord wants to be left alone."""
    found = told.get("retry_after") if isinstance(told, dict) else None
    return float(found) if isinstance(found, int | float) else 0.0


def _form_data(payload: dict[str, object], picture: bytes) -> aiohttp.FormData:
    form = aiohttp.FormData(quote_fields=False)
    for field in _form(payload, picture):
        form.add_field(**field)  # type: ignore[arg-type]  # names as the library's own form has them
    return form


def _form(payload: dict[str, object], picture: bytes) -> list[dict[str, object]]:
    """A message with a picture, as the parts of a form. Source: Discord's reference of uploads."""
    whole = {**payload, "attachments": [{"id": 0, "filename": _PICTURE}]}
    return [
        {"name": "payload_json", "value": json.dumps(whole)},
        {"name": "files[0]", "value": picture, "filename": _PICTURE, "content_type": "image/png"},
    ]
