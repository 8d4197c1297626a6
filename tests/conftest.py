"""One assistant for all tests (loading data takes a moment; everything in it is immutable) and small factories."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis.strategies import none

from advisor.catalog import Catalog, load_catalog
from bot.core.message import IncomingMessage
from bot.running import spare_looks
from knowledge.store import Library, load_library
from tests.stores.server import BINARY, running_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.pipeline import Assistant

os.environ.setdefault("XUANKA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / ".cache"))


spare_looks()
# a test that is held up by its neighbour is no failure: what a call costs is counted in tests/security and measured in tests/bench
settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


def pytest_collection() -> None:
    """Let hypothesis find numpy's dice before anything is set apart from the collector: later it takes them for garbage."""
    with suppress(ImportError):
        import_module("numpy")

    @given(none())
    @settings(max_examples=1)
    def drawn(_: None) -> None:
        """Nothing: drawing it is all."""

    drawn()


def pytest_collection_finish() -> None:
    """Thousands of tests are here to stay: looking through them for circles took a third of the time of the cheap ones."""
    gc.collect()
    gc.freeze()


_ASKED_IN_PARTS = "tests/every_question/"
_WAITING = ("tests/stores/", "tests/security/", "tests/faults/", "tests/ops/", "tests/peers/", "tests/bench/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start programs of their own and wait for them come first, so that no process ends with them alone.

    Then those that ask questions part by part: whoever has nothing left takes from the end of another's list, and would ask
    a part of which the other has asked half.
    """
    items.sort(key=lambda item: (not item.nodeid.startswith(_WAITING), not item.nodeid.startswith(_ASKED_IN_PARTS)))


@cache
def shared_catalog() -> Catalog:
    """The shipped cards, models and prices, read once for all tests of a process: nothing in them can be changed."""
    return load_catalog()


@cache
def shared_library() -> Library:
    """The shipped passages as a search by itself sees them, without the names of the catalogue; it remembers and never changes."""
    return load_library()


@cache
def shared_assistant() -> Assistant:
    """The one assistant over the shipped data of all tests of a process, warm as a server is: no first answer is slower.

    It keeps nothing of what it is asked; who changes a part of it puts that back, or builds one of his own.
    """
    from bot.app import build_assistant

    assistant = build_assistant(warm=True)
    spare_looks()  # a warm server looks for circles every few answers, so that no look is long: here nobody waits for one
    return assistant


@pytest.fixture(scope="session")
def assistant() -> Assistant:
    """See `shared_assistant`."""
    return shared_assistant()


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a store server; who uses it empties it first."""
    yield from _serving(tmp_path_factory.mktemp("valkey"), cluster=False)


@pytest.fixture(scope="session")
def valkey_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a cluster of one, which takes two seconds to come up; who uses it empties it first."""
    yield from _serving(tmp_path_factory.mktemp("cluster"), cluster=True)


def _serving(folder: Path, *, cluster: bool) -> Iterator[str]:
    if BINARY is None and not os.environ.get("CI"):
        pytest.skip("no redis-server or valkey-server installed (CI installs one)")
    with running_server(folder, cluster=cluster) as server:
        yield server.address


@pytest.fixture
def now() -> datetime:
    """The day of the data."""
    return NOW


def make_message(text: str, **changes: object) -> IncomingMessage:
    """A private message on the console; name what differs."""
    fields: dict[str, object] = {
        "channel": "test",
        "event_id": "1",
        "chat_id": "c",
        "user_id": "u",
        "verified": True,
        "text": text,
        "received_at": NOW,
    }
    return IncomingMessage.model_validate(fields | changes)
