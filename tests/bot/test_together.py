"""A group decides together: wishes gathered, conflicts named, one recommendation for all."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.boards import GroupBoards
from bot.channels.markup import plain_text
from bot.core.board import MOST_CONSTRAINTS, Board, Constraint
from bot.core.conversation import Conversation, HeldSlot
from bot.core.message import IncomingMessage, Reply
from bot.dialogue.together import merge
from bot.pipeline import Assistant
from bot.stores.memory import MemoryStore
from tests.conftest import NOW, make_message


def wish(slot: str, value: object, by: str = "a", minutes: int = 0) -> Constraint:
    return Constraint(slot=slot, value=value, by=by, name=by.upper(), at=NOW + timedelta(minutes=minutes))


def cny(amount: float) -> dict[str, object]:
    return {"amount": amount, "currency": "CNY", "period": "once"}


def test_a_newer_word_replaces_ones_own_older_one_only() -> None:
    board = Board().with_wishes((wish("vram_gb", 16, "a"), wish("vram_gb", 24, "b")))
    board = board.with_wishes((wish("vram_gb", 48, "a"),))
    assert [(one.by, one.value) for one in board.constraints] == [("b", 24), ("a", 48)]


def test_the_largest_demand_and_the_smallest_budget_are_taken_and_named_as_conflicts() -> None:
    need = merge(
        Board(
            constraints=(
                wish("vram_gb", 16, "a"),
                wish("vram_gb", 24, "b"),
                wish("budget", cny(10_000), "a"),
                wish("budget", cny(8_000), "b"),
                wish("model", ["llm-7b"], "a"),
                wish("model", ["llm-13b"], "b"),
            )
        )
    )
    assert need.slots["vram_gb"] == 24
    assert need.slots["budget"]["amount"] == 8_000
    assert need.slots["model"] == ["llm-7b", "llm-13b"]
    assert {conflict.slot for conflict in need.conflicts} == {"vram_gb", "budget"}
    assert need.missing == ("deploy",)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(1, 96)), max_size=100))
def test_a_board_stays_bounded_and_merging_never_fails(said: list[tuple[str, int]]) -> None:
    board = Board()
    for by, value in said:
        board = board.with_wishes((wish("vram_gb", value, by),))
    assert len(board.constraints) <= min(MOST_CONSTRAINTS, 3)
    need = merge(board)
    assert need.slots.get("vram_gb", 0) == max((one.value for one in board.constraints), default=0)


async def test_wishes_of_a_group_come_together_with_their_names(assistant: Assistant) -> None:
    store = MemoryStore()
    await store.open()
    boards = GroupBoards(store, ttl_s=3600)
    states: dict[str, Conversation] = {}
    for number, (who, text) in enumerate(
        [("wang", "7b lora 用什么卡，显存至少24G"), ("li", "预算一万，推荐什么卡"), ("zhang", "预算八千，推荐什么卡")]
    ):
        message = make_message(
            text, event_id=str(number), chat_id="g", chat_type="group", user_id=who, user_name=who.title()
        )
        assert not boards.is_asked(message)
        _, states[who] = assistant.respond(message, states.get(who), NOW)
        await boards.note(message, states[who])
    asked = make_message("汇总一下大家的要求", chat_id="g", chat_type="group", user_id="wang")
    assert boards.is_asked(asked)
    reply, _ = assistant.decide_together(asked, await boards.load(asked), NOW)
    for fragment in ("Wang", "Li", "Zhang", "24", "8,000", "10,000"):
        assert fragment in reply.text
    assert reply.intent == "recommend_gpu"
    assert reply.shared
    elsewhere = make_message("/decide", chat_id="other", chat_type="group")
    assert (await boards.load(elsewhere)).constraints == ()
    await store.close()


async def test_a_wish_goes_after_its_time_and_can_be_forgotten_as_long_as_it_is_there() -> None:
    passed = 0.0
    store = MemoryStore(lambda: 1_000_000.0 + passed)
    await store.open()
    boards = GroupBoards(store, ttl_s=3600)

    async def wishes(who: str) -> IncomingMessage:
        at = NOW + timedelta(seconds=passed)
        message = make_message(
            "", chat_id="g", chat_type="group", user_id=who, user_name=f"Name of {who}", received_at=at
        )
        slots = {"vram_gb": HeldSlot(value=24.0, said_by=who, said_at=at, turn=1)}
        await boards.note(message, Conversation(key="k", intent="recommend_gpu", turn=1, updated_at=at, slots=slots))
        return message

    amy = await wishes("amy")
    passed = 3000.0
    eve = await wishes("eve")
    assert [one.by for one in (await boards.load(eve)).constraints] == ["amy", "eve"]
    passed = 6000.0  # what eve said keeps the board, and amy's wish in it
    assert await boards.forget(amy.model_copy(update={"received_at": NOW + timedelta(seconds=passed)})) == 1
    assert "amy" not in str(await store.get(boards._key(amy)))
    await wishes("bob")
    passed = 7000.0
    await wishes("lin")
    assert [one.by for one in (await boards.load(eve)).constraints] == ["bob", "lin"]
    await store.close()


def test_an_empty_board_says_how_to_fill_it(assistant: Assistant) -> None:
    reply, _ = assistant.decide_together(make_message("decide for us", chat_type="group"), Board(), NOW)
    assert reply.text
    assert reply.choices == ()


def test_in_private_there_is_no_board() -> None:
    boards = GroupBoards(MemoryStore(), ttl_s=1)
    assert not boards.is_asked(make_message("decide for us"))


async def _decided(assistant: Assistant, said: list[tuple[str, str]], asking: str) -> Reply:
    """What a group reads after its members said these."""
    store = MemoryStore()
    await store.open()
    boards = GroupBoards(store, ttl_s=3600)
    states: dict[str, Conversation] = {}
    for number, (who, text) in enumerate(said):
        message = make_message(
            text, event_id=str(number), chat_id="g", chat_type="group", user_id=who.lower(), user_name=who
        )
        _, states[who] = assistant.respond(message, states.get(who), NOW)
        await boards.note(message, states[who])
    asked = make_message(asking, chat_id="g", chat_type="group", user_id=said[0][0].lower())
    assert boards.is_asked(asked)
    reply, _ = assistant.decide_together(asked, await boards.load(asked), NOW)
    await store.close()
    return reply


async def test_two_jobs_are_judged_one_by_one_and_never_mixed(assistant: Assistant) -> None:
    said = [
        ("Ann", "we need Qwen3-32B int4 with 16k context"),
        ("Bob", "I want LoRA on Qwen3-8B"),
        ("Cat", "budget is 2000 usd"),
    ]
    reply = await _decided(assistant, said, "/decide")
    lines = plain_text(reply.text).splitlines()
    assert lines[0].startswith("Buy ")
    ann, bob = (next(line for line in lines if line.startswith(f"- {name}:")) for name in ("Ann", "Bob"))
    assert "Qwen3-32B" in ann
    assert "23.2 GiB" in ann
    assert "LoRA" in bob
    assert "21.4 GiB" in bob
    assert "QLoRA" not in reply.text
    assert "take turns" in reply.text
    assert len([line for line in lines if line]) <= 8
    assert len(plain_text(reply.text)) <= 450


async def test_a_command_is_answered_in_the_language_and_currency_of_the_group(assistant: Assistant) -> None:
    said = [("小王", "我要跑 Qwen3-14B"), ("老李", "预算一万五，别超"), ("小张", "我想微调 BERT")]
    reply = await _decided(assistant, said, "/decide")
    assert reply.language == "zh"
    assert plain_text(reply.text).startswith("买 ")
    for fragment in ("小王", "老李", "小张", "¥15,000", "Qwen3-14B", "BERT-base"):
        assert fragment in reply.text
    assert "$" not in plain_text(reply.text).splitlines()[2]
