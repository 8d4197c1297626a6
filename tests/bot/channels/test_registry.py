"""Channels are found by name, opened when their settings are there, and say which extra they lack."""

from __future__ import annotations

import asyncio
from importlib.metadata import EntryPoint

import pytest

from bot.channels import registry
from bot.channels.registry import HOUSE, ChannelEntry, ChannelStartError, channel_named, channels
from bot.cli.channels import run_channel
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent
from bot.settings import Settings
from bot.stores.memory import MemoryStore
from tests.fakes.stage import Script


class Echo:
    """A channel of another distribution, as small as one can be."""

    names = ("echo",)
    trouble = ""

    def __init__(self) -> None:
        self.sender = self

    def routes(self):
        return ()

    async def run(self, stop: asyncio.Event) -> None:
        await stop.wait()

    async def close(self) -> None:
        return None

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        return Sent(Outcome.SENT)


def open_echo(settings, intake, store) -> Echo:
    return Echo()


ECHO = ChannelEntry("echo", "tests.bot.channels.test_registry:open_echo", ("default_language",), ())


@pytest.fixture
def _others(monkeypatch: pytest.MonkeyPatch):
    points = [
        EntryPoint("echo", "tests.bot.channels.test_registry:ECHO", "xuanka.channels"),
        EntryPoint("nothing", "tests.bot.channels.test_registry:open_echo", "xuanka.channels"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "xuanka.channels" else [])
    channels.cache_clear()
    yield
    channels.cache_clear()


@pytest.mark.usefixtures("_others")
async def test_a_package_of_another_distribution_is_a_channel():
    assert [one.name for one in channels()] == [*(one.name for one in HOUSE), "echo"]
    settings = Settings(_env_file=None)
    assert channel_named("echo").wanted(settings)
    opened = channel_named("echo").open(settings, Script(), MemoryStore())
    assert opened.names == ("echo",)


@pytest.mark.parametrize("entry", HOUSE, ids=lambda entry: entry.name)
def test_every_channel_of_the_house_names_settings_that_exist_and_an_extra(entry: ChannelEntry):
    assert set(entry.needs) | set(entry.also) <= set(Settings.model_fields)
    assert entry.libraries
    assert not entry.wanted(Settings(_env_file=None))


def test_a_channel_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(ChannelStartError, match=r"pip install 'xuanka\[telegram\]'"):
        run_channel("telegram")


def test_a_channel_that_is_none_is_told_with_those_there_are():
    with pytest.raises(ChannelStartError, match="there are telegram, wecom"):
        run_channel("icq")
