"""Fresh data without a restart: whole or not at all, on every replica, never while a message is on its way."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot import service as service_module
from bot.core.ports import Store
from bot.service import Service
from bot.settings import Settings
from bot.stores import open_store
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import Road, until

DATA = Path(service_module.DATA)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An operator's own data folder."""
    shutil.copytree(DATA, tmp_path / "own" / "advisor" / "data")
    return tmp_path / "own"


@asynccontextmanager
async def running(folder: Path | str, store: Store | None = None, **changes: Any) -> AsyncIterator[Service]:
    settings = Settings(
        store="memory:",
        data_dir=str(folder),
        admins=("telegram:1",),
        _env_file=None,
        **changes,
    )
    service = Service(settings, store=store or MemoryStore())
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


async def ask(service: Service, text: str, event: str, user: str = "2") -> str:
    message = make_message(text, channel="telegram", event_id=event, user_id=user, lang_hint="en")
    reply = await service.delivery.answer_now(message)
    assert reply is not None
    return reply.text


def add_a_card(folder: Path) -> None:
    """A new card, as an operator would add one."""
    gpus = folder / "advisor" / "data" / "gpus"
    template = (gpus / "rtx-4090.yaml").read_text(encoding="utf-8")
    lines = []
    for line in template.splitlines():
        if line.startswith("id:"):
            line = "id: rtx-9999"
        elif line.startswith("name:"):
            line = "name: RTX 9999"
        elif line.startswith("aliases:"):
            line = 'aliases: ["9999"]'
        lines.append(line)
    lines = [line for line in lines if not line.startswith("one_witness:")] + ['one_witness: ["*"]']
    (gpus / "rtx-9999.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


async def test_broken_data_keeps_the_old_and_says_why_and_sound_data_is_taken(folder: Path) -> None:
    async with running(folder) as service:
        before, old = service.responder.assistant, service.responder.version
        told = await ask(service, "how much VRAM does a 4090 have?", "1")
        rates = folder / "advisor" / "data" / "rates.csv"
        sound = rates.read_text(encoding="utf-8")
        rates.write_text(sound + "nonsense\n", encoding="utf-8")
        assert "rates.csv" in await ask(service, "/reload", "2", user="1")
        rates.unlink()
        done, line = await service.reload()
        assert not done
        assert line
        assert service.responder.assistant is before
        assert await ask(service, "how much VRAM does a 4090 have?", "3", user="v") == told
        assert service.responder.version not in await ask(service, "/reload", "4")
        rates.write_text(sound, encoding="utf-8")
        add_a_card(folder)
        told = await ask(service, "/reload", "5", user="1")
        assert service.responder.version in told
        assert service.responder.version != old
        assert "9999" in await ask(service, "RTX 9999 specs", "6")


class Stub:
    """An assistant that only has a version."""

    def __init__(self, version: str) -> None:
        self.services = SimpleNamespace(catalog=SimpleNamespace(version=version))

    def respond(self, message: Any, conversation: Any, now: Any, borrowed: Any = None) -> Any:
        return Road().respond(message, conversation, now)

    def say(self, message: Any, page: str, block: str = "short", **values: Any) -> Any:
        return Road().say(message, page, block, **values)


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Versions of the data on disk, the newest last."""
    versions = ["v1"]
    monkeypatch.setattr(service_module, "build_assistant", lambda *_args, **_kwargs: Stub(versions[-1]))
    monkeypatch.setattr(service_module, "_build_checked", lambda _directory: Stub(versions[-1]))
    monkeypatch.setattr(service_module, "_TEND_EVERY_S", 0.01)
    return versions


async def test_one_operator_asks_and_all_replicas_follow(stubs: list[str], tmp_path: Path) -> None:
    path = f"sqlite:///{tmp_path / 'shared.sqlite'}"
    async with running("", open_store(path)) as one, running("", open_store(path)) as two:
        stubs.append("v2")
        assert await ask(one, "/reload", "1", user="1") == "desk/reloaded done=True line=v2"
        await until(lambda: two.responder.version == "v2")
        stubs.append("v3")
        async with running("", open_store(path)) as late:
            assert late.responder.version == "v3"
        assert one.responder.version == two.responder.version == "v2"


async def test_a_message_sees_one_set_of_data_from_start_to_end(stubs: list[str]) -> None:
    async with running("") as service:
        held = service.responder.assistant
        stubs.append("v2")
        await service.reload()
        assert held.services.catalog.version == "v1"
        assert service.responder.version == "v2"


async def test_a_broadcast_goes_to_every_chat_once(stubs: list[str]) -> None:
    from bot.core.ports import Outcome, Sent

    class Chat:
        def __init__(self) -> None:
            self.said: list[tuple[str, str]] = []

        async def send(self, message: Any, reply: Any, *, edit: str = "") -> Sent:
            self.said.append((message.chat_id, reply.text))
            return Sent(Outcome.SENT, "1")

    chat = Chat()
    settings = Settings(store="memory:", admins=("telegram:1",), allow_broadcast=True, _env_file=None)
    service = Service(settings, store=MemoryStore())
    service.senders["telegram"] = chat
    await service.start()
    try:
        for number, name in enumerate(("a", "b", "a")):
            await service.delivery.accept(make_message("hi", channel="telegram", event_id=str(number), chat_id=name))
        await until(lambda: len(chat.said) == 3)
        chat.said.clear()
        await service.delivery.accept(
            make_message("/broadcast **news** today", channel="telegram", event_id="9", user_id="1")
        )
        await until(lambda: len(chat.said) >= 3)
    finally:
        await service.stop()
    news = sorted(name for name, text in chat.said if text == "**news** today")
    assert news == ["a", "b"]
