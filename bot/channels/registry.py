"""Channels, found by name: a package that says how it is opened is a channel, here or in another distribution.

Those of the house stand in `HOUSE`; others name a `ChannelEntry` in the entry-point group `xuanka.channels`. Nothing of
a channel is imported before it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

from bot.core.ports import Intake, Sender, Store

if TYPE_CHECKING:
    import asyncio

    from starlette.routing import Route

    from bot.settings import Settings

_GROUP: Final = "xuanka.channels"


class ChannelStartError(RuntimeError):
    """A channel cannot be opened; the message says what to do."""


class Channel(Protocol):
    """A channel that was opened."""

    @property
    def names(self) -> Sequence[str]:
        """Names under which its messages come; replies to them are sent by `sender`."""
        ...

    @property
    def sender(self) -> Sender:
        """The way out. Works once `run` has connected."""
        ...

    @property
    def trouble(self) -> str:
        """Why nothing comes in now; empty when all is well."""
        ...

    def routes(self) -> Sequence[Route]:
        """Routes of a web app that bring messages; none for a channel that fetches them."""
        ...

    async def run(self, stop: asyncio.Event) -> None:
        """Connect and bring messages until `stop` is set; the way out stays open until `close`."""
        ...

    async def close(self) -> None:
        """Finish what is in hand and disconnect."""
        ...


Open = Callable[["Settings", Intake, Store], Channel]
"""Makes a channel without connecting it. The store keeps what all replicas share."""


@dataclass(frozen=True, slots=True)
class ChannelEntry:
    """How a channel is found and opened."""

    name: str
    """What the command and the extra are called."""
    opener: str
    """`module:function` of an `Open`."""
    needs: tuple[str, ...]
    """Settings that it cannot do without; with any of them set, `serve` opens it."""
    libraries: tuple[str, ...]
    """Top-level modules that the extra brings."""
    also: tuple[str, ...] = ()
    """Further settings of which any one calls for it."""

    def wanted(self, settings: Settings) -> bool:
        """Whether any of its settings is there."""
        return any(getattr(settings, name, None) for name in (*self.needs, *self.also))

    def check_installed(self) -> None:
        """Look whether the extra is there, without importing it.

        Raises:
            ChannelStartError: it is not; the message says how to install it.
        """
        if any(find_spec(name) is None for name in self.libraries):
            raise ChannelStartError(f"{self.name} needs its extra: pip install 'xuanka[{self.name}]'")

    def open(self, settings: Settings, intake: Intake, store: Store) -> Channel:
        """Make the channel.

        Raises:
            ChannelStartError: its extra is not installed.
            SettingsError: its settings are wrong.
        """
        self.check_installed()
        module, _, function = self.opener.partition(":")
        opener: Open = getattr(import_module(module), function)
        return opener(settings, intake, store)


HOUSE: Final = (
    ChannelEntry(
        name="telegram",
        opener="bot.channels.telegram.entry:open_telegram",
        needs=("telegram_token",),
        libraries=("telegram", "httpx"),
    ),
    ChannelEntry(
        name="wecom",
        opener="bot.channels.wecom.entry:open_wecom",
        needs=("wecom_bot_id", "wecom_secret"),
        libraries=("websockets", "cryptography", "httpx", "defusedxml"),
        also=("wecom_token", "wecom_aes_key", "wecom_app_token", "wecom_app_aes_key"),
    ),
    ChannelEntry(
        name="discord",
        opener="bot.channels.discord.entry:open_discord",
        needs=("discord_token",),
        libraries=("discord",),
    ),
    ChannelEntry(
        name="feishu",
        opener="bot.channels.feishu.entry:open_feishu",
        needs=("feishu_app_id", "feishu_secret"),
        libraries=("lark_channel",),
    ),
)


@cache
def channels() -> tuple[ChannelEntry, ...]:
    """All channels: those of the house, then those of other distributions by name; a name that is taken stays."""
    found = {entry.name: entry for entry in HOUSE}
    for point in sorted(entry_points(group=_GROUP), key=lambda one: one.name):
        loaded = point.load()
        if isinstance(loaded, ChannelEntry):
            found.setdefault(loaded.name, loaded)
    return tuple(found.values())


def channel_named(name: str) -> ChannelEntry:
    """The channel of a name.

    Raises:
        ChannelStartError: there is none; the message names those there are.
    """
    found = next((entry for entry in channels() if entry.name == name), None)
    if found is None:
        raise ChannelStartError(f"no channel is called {name}: there are {', '.join(one.name for one in channels())}")
    return found
