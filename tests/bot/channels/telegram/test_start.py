"""Starting: what is wrong is said in one line, menus are published, and the token stays secret."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

import pytest

from bot.channels.telegram.commands import MENU
from bot.channels.telegram.errors import TelegramStartError
from bot.channels.telegram.run import Telegram, run_telegram
from bot.channels.words import channel_words
from bot.delivery import Delivery
from bot.settings import Settings, SettingsError
from bot.stores.memory import MemoryStore
from tests.fakes.stage import Script, on_stage, settings_for, until
from tests.fakes.telegram import TOKEN, FakeTelegram


async def test_menus_are_published_in_both_languages_for_each_scope() -> None:
    async with on_stage() as stage:
        published = stage.fake.methods.commands
        scopes = {"default", "all_private_chats", "all_group_chats"}
        assert set(published) == {(scope, code) for scope in scopes for code in ("", "zh")}
        names = [command["command"] for command in published["all_private_chats", "zh"]]
        assert names == list(MENU)
        assert "privacy" not in [command["command"] for command in published["all_group_chats", ""]]
        assert set(stage.fake.methods.descriptions) == {
            (kind, code) for kind in ("long", "short") for code in ("", "zh")
        }


async def test_menus_that_fail_do_not_stop_the_bot() -> None:
    async with FakeTelegram() as fake:
        fake.fail("setMyCommands", 404, "Not Found")
        store = MemoryStore()
        await store.open()
        channel = Telegram(settings_for(fake), store)
        await channel.start(Delivery(store, Script(), {"telegram": channel}))
        await channel.stop()
        await store.close()


async def start_against(fake: FakeTelegram, **changes: object) -> str:
    """The line that a failing start says."""
    store = MemoryStore()
    await store.open()
    channel = Telegram(settings_for(fake, **changes), store)
    with pytest.raises(TelegramStartError) as caught:
        await run_telegram(channel, Delivery(store, Script(), {}), asyncio.Event())
    await store.close()
    return str(caught.value)


async def test_a_refused_token_is_one_line_without_the_token() -> None:
    async with FakeTelegram(token="1:another") as fake:
        line = await start_against(fake, telegram_token=TOKEN)
    assert "XUANKA_TELEGRAM_TOKEN" in line
    assert TOKEN not in line
    assert "\n" not in line


async def test_a_server_out_of_reach_is_one_line() -> None:
    async with FakeTelegram() as fake:
        line = await start_against(fake, telegram_base_url="http://127.0.0.1:9")
    assert "XUANKA_TELEGRAM_BASE_URL" in line
    assert "\n" not in line


def test_a_missing_token_is_one_line() -> None:
    with pytest.raises(SettingsError, match="XUANKA_TELEGRAM_TOKEN is missing"):
        Telegram(Settings(_env_file=None), MemoryStore())


async def test_a_webhook_that_is_refused_is_one_line() -> None:
    async with on_stage(poll=False, telegram_webhook_url="https://bot.example/tg") as stage:
        stage.fake.fail("setWebhook", 400, "Bad Request: bad webhook: HTTPS url must be provided")
        with pytest.raises(TelegramStartError, match="XUANKA_TELEGRAM_WEBHOOK_URL"):
            await stage.channel.register_webhook()


async def test_neither_token_nor_words_reach_the_logs_even_when_everything_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "my-salary-is-4242"
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        for status, description in (
            (500, "Internal"),
            (400, "Bad Request: x"),
            (401, "Unauthorized"),
            (403, "Forbidden: x"),
        ):
            stage.fake.fail("sendMessage", status, description)
            await stage.fake.say(lin, None, secret)
        stage.fake.cut("sendMessage", delivered=False)
        stage.fake.fail("getUpdates", 502, "Bad Gateway")
        await stage.fake.say(lin, None, secret)

        async def all_tried() -> bool:
            stage.clock.offset += 1
            return len(stage.calls("sendMessage")) >= 6

        await until(all_tried)
    text = "\n".join(f"{record.name} {record.getMessage()} {record.exc_text}" for record in caplog.records)
    assert "xuanka.telegram" in text
    assert TOKEN not in text
    assert TOKEN.split(":")[1] not in text
    assert secret not in text


def test_both_languages_have_the_same_words() -> None:
    words = channel_words("telegram")
    for key in (*words.keys(),):
        for language in ("zh", "en"):
            assert words(key, language, username="x")


def test_asking_on_the_console_imports_no_channel() -> None:
    heavy = "{'telegram', 'matplotlib', 'starlette', 'uvicorn', 'httpx'}"
    code = f"import sys, bot.cli.commands, bot.app; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_polling_needs_no_web_framework() -> None:
    code = "import sys; sys.modules['starlette'] = None; import bot.channels.telegram.run"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
