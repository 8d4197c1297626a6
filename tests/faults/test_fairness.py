"""One noisy group cannot starve the rest: counted in answers between question and answer, not in seconds."""

from __future__ import annotations

import pytest

from bot.core.ports import Accepted, Store
from bot.stores import open_store
from tests.ops.stage import on_stage

NOISY, QUIET = 400, 12


@pytest.mark.parametrize("workers", [1, 4])
async def test_quiet_chats_are_answered_at_once_beside_a_noisy_one(workers: int) -> None:
    store: Store = open_store("memory:")
    async with on_stage(store, workers=workers) as stage:
        await stage.delivery.stop(1.0)
        for number in range(NOISY):
            assert await stage.say("noise", f"n{number}", chat_id="noisy", user_id=f"u{number % 40}") is Accepted.STORED
        for number in range(QUIET):
            assert await stage.say("quiet", f"q{number}", chat_id=f"quiet{number}") is Accepted.STORED
        await stage.delivery.start()
        await stage.quiet()
    order = [chat_id for chat_id, _ in stage.chat.tries]
    assert len(order) == NOISY + QUIET
    last_quiet = max(place for place, chat_id in enumerate(order) if chat_id != "noisy")
    # Chats take turns: before the last quiet one stand the other quiet ones and one of the noisy chat a round.
    assert last_quiet <= QUIET + workers + 1
