"""Keys of choices stay within 40 ASCII bytes, and a pressed one means what its button said."""

from __future__ import annotations

import pytest

from bot.choice_keys import MOST_BYTES, ChoiceKeys
from bot.core.message import Choice
from bot.pipeline import Assistant
from tests.conftest import NOW, make_message


@pytest.fixture(scope="module")
def keys(assistant: Assistant) -> ChoiceKeys:
    return ChoiceKeys(assistant.services.catalog)


@pytest.mark.parametrize("kind", ["gpus", "ml_models"])
def test_every_name_of_the_catalogue_travels_and_comes_back(assistant: Assistant, keys: ChoiceKeys, kind: str) -> None:
    slot = {"gpus": "gpu", "ml_models": "model"}[kind]
    for record in getattr(assistant.services.catalog, kind).values():
        (found,) = keys.tagged([Choice(label="x", key=f"set:{slot}={record.name}")], "K7QK")
        assert len(found.key.encode()) <= MOST_BYTES
        assert found.key.isascii()
        assert keys.whole(found.key) == f"set:{slot}={record.name}#K7QK"


def test_what_cannot_travel_is_left_out(keys: ChoiceKeys) -> None:
    choices = [Choice(label="x", key="set:model=" + "y" * 60), Choice(label="x", key="set:region=\u5317\u4eac")]
    assert keys.tagged(choices, "K7QK") == ()
    assert keys.whole("set:model=~000000000000#K7QK") == "set:model=~000000000000#K7QK"


def test_a_long_name_can_be_pressed(assistant: Assistant, keys: ChoiceKeys) -> None:
    asked, state = assistant.respond(make_message("how much VRAM do I need?"), None, NOW)
    (choice,) = keys.tagged([Choice(label="x", key="set:model=DeepSeek-R1-Distill-Llama-70B")], asked.case)
    reply, _ = assistant.respond(make_message("", event_id="2", action=choice.key), state, NOW)
    assert reply.slots["model"] == ["DeepSeek-R1-Distill-Llama-70B"]
