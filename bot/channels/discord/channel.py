"""The connection to Discord: holds an interaction open within its three seconds, stores it, and lets workers answer."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

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
        client = self._client = discord.Client(intents=discord.Intents.none(), max_messages=None)
        client.event(self.on_interaction)
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
        await self._store.put(token_key(message.bot_id, heard.id), heard.token, TOKEN_S, owner=message.owner_key)
        accepted = await self._intake.accept(message)
        if accepted in (Accepted.STORED, Accepted.DUPLICATE):
            return
        await self._store.delete(token_key(message.bot_id, heard.id))
        why = "not_allowed" if accepted is Accepted.IGNORED else "busy"
        await self._client_post().fill(heard.token, {"content": self._words(why, reader.language(heard))})

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
    """Writes messages of interactions through the library, which keeps the limits."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def fill(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        return await self._ask("PATCH", "/messages/@original", token, payload, picture)

    async def follow(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        return await self._ask("POST", "", token, payload, picture)

    async def _ask(self, method: str, tail: str, token: str, payload: dict[str, object], picture: bytes) -> str:
        route = Route(
            method,
            "/webhooks/{application_id}/{interaction_token}" + tail,
            application_id=self._client.application_id or 0,
            interaction_token=token,
        )
        try:
            if picture:
                made = await self._client.http.request(route, form=_form(payload, picture))
            else:
                made = await self._client.http.request(route, json=payload)
        except discord.HTTPException as error:
            raise Refused(error.status) from None
        return str(made["id"]) if isinstance(made, dict) and "id" in made else ""


def _form(payload: dict[str, object], picture: bytes) -> list[dict[str, object]]:
    """A message with a picture, as the parts of a form. Source: Discord's reference of uploads."""
    whole = {**payload, "attachments": [{"id": 0, "filename": _PICTURE}]}
    return [
        {"name": "payload_json", "value": json.dumps(whole)},
        {"name": "files[0]", "value": picture, "filename": _PICTURE, "content_type": "image/png"},
    ]
