"""Prices that a group tells: through the road of a chat, and through the console."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Final

import pytest

from bot.answering import Answering
from bot.channels.markup import plain_text
from bot.chat_prices import ChatPrices, Knowing
from bot.cli.talk import converse
from bot.core.message import IncomingMessage, Reply
from bot.core.stations import Quotes
from bot.desk import FrontDesk
from bot.pipeline import Assistant
from bot.reading_quotes import may_tell
from bot.stores.memory import MemoryStore

NOW: Final = datetime(2026, 11, 22, 10, tzinfo=UTC).timestamp()


class Chat:
    """Groups and private chats of one bot, with the whole road behind them."""

    def __init__(self, assistant: Assistant, store: MemoryStore, *, shared: bool = False) -> None:
        self.store, self.now, self.count = store, NOW, 0
        knowing = Knowing(assistant.understander.understand, assistant.services.catalog)
        self.quotes = ChatPrices(
            store, lambda: assistant, lambda: knowing, lambda ident: f"h{hash(ident)}", clock=self.clock, shared=shared
        )
        self.wire(assistant, self.quotes)

    def wire(self, assistant: Assistant, quotes: Quotes) -> None:
        """The road with what members tell."""
        desk = FrontDesk(
            self.store,
            lambda: assistant,
            lambda message: False,
            data_version=lambda: "1",
            clock=self.clock,
            quotes=quotes,
        )
        self.answering = Answering(self.store, assistant, self.clock, 1800.0, desk=desk, quotes=quotes)

    def clock(self) -> float:
        return self.now

    async def ask(self, by: str, text: str, *, chat: str = "g1", private: bool = False, action: str = "") -> Reply:
        self.count += 1
        message = IncomingMessage(
            channel="telegram",
            bot_id="1",
            event_id=str(self.count),
            chat_id=chat,
            chat_type="private" if private else "group",
            user_id=by,
            verified=True,
            text=text,
            action=action,
            received_at=datetime.fromtimestamp(self.now, UTC),
        )
        reply, state = await self.answering.answer(message)
        if state is not None:
            await self.store.save_conversation(state, 1800.0)
        return reply

    async def say(self, by: str, text: str, **more: object) -> str:
        return plain_text((await self.ask(by, text, **more)).text)  # type: ignore[arg-type]


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    held = MemoryStore()
    await held.open()
    yield held
    await held.close()


@pytest.fixture
def chat(assistant: Assistant, store: MemoryStore) -> Chat:
    return Chat(assistant, store)


async def test_a_price_is_told_confirmed_and_used_in_this_chat_alone(chat: Chat) -> None:
    told = await chat.say("amy", "/price 3090 6200 二手")
    assert "待确认的本群报价：RTX 3090 二手 ¥6,200" in told
    assert "本群报价" not in await chat.say("bob", "3090 二手多少钱 现在什么价")
    assert "记下了" in await chat.say("amy", "/price ok")
    here = await chat.say("bob", "3090 价格")
    assert "本群报价（1 人）：二手 ¥6,200（2026-11-22），不是来源里的价" in here
    assert "¥5,700–" in here  # what sources say stays beside it
    assert "本群报价" not in await chat.say("bob", "3090 价格", chat="g2")


async def test_a_recommendation_of_this_chat_uses_it_and_says_where_it_is_from(chat: Chat) -> None:
    before = await chat.say("bob", "买一张 RTX 3090 跑 32B 量化划算吗，还是租", chat="g9")
    await chat.say("amy", "/price 3090 4100 二手")
    await chat.say("amy", "/price ok")
    after = await chat.say("bob", "买一张 RTX 3090 跑 32B 量化划算吗，还是租")
    assert "¥4,100（本群报价，二手，2026-11-22）" in after
    picked = await chat.say("cat", "一万块以内买什么卡跑 32B 量化")
    assert "RTX 3090，¥4,100（本群报价，二手，2026-11-22）" in picked
    assert "本群报价" not in before


async def test_a_rent_of_this_chat_stands_beside_a_bill_of_sources(chat: Chat) -> None:
    await chat.say("amy", "/price 4090 1.5 每小时 租")
    await chat.say("amy", "/price ok")
    bill = await chat.say("bob", "租 4090 100 小时多少钱")
    assert "本群报价（1 人）：租 ¥1.50/小时（2026-11-22），不是来源里的价" in bill
    assert "¥1.92/小时（优云智算" in bill.splitlines()[0]
    assert "本群报价" not in await chat.say("bob", "租 4090 100 小时多少钱", chat="g2")


async def test_that_nothing_waits_is_said_in_the_language_of_the_prices_here(chat: Chat) -> None:
    await chat.say("amy", "/price 3090 6200 二手")
    await chat.say("amy", "/price ok")
    assert "没有" in await chat.say("amy", "/price ok")


async def test_a_plain_sentence_is_offered_and_kept_by_its_button(chat: Chat) -> None:
    reply = await chat.ask("amy", "3090 现在二手 6300")
    assert "待确认的本群报价：RTX 3090 二手 ¥6,300" in plain_text(reply.text)
    (button, *_) = reply.choices
    assert button.label == "确认报价"
    assert "记下了" in await chat.say("amy", "", action=button.key)
    assert "¥6,300" in await chat.say("bob", "3090 价格")


@pytest.mark.parametrize(
    "text", ["3090 二手 5200 值得买吗", "3090 二手多少钱", "预算 5200 买二手 3090", "3090 跑 7B 二手 5200"]
)
async def test_a_question_is_no_report(chat: Chat, text: str) -> None:
    assert "待确认" not in await chat.say("amy", text)


async def test_english_words_do_it_as_well(chat: Chat) -> None:
    assert "quoted here: RTX 3090 used $1,100" in await chat.say("amy", "/price 3090 $1100 used")
    assert "Noted: RTX 3090 used $1,100" in await chat.say("amy", "/price ok")
    assert "Quoted here by 1: used $1,100" in await chat.say("bob", "3090 price")


async def test_a_hostile_reporter_moves_nothing_alone(chat: Chat) -> None:
    odd = await chat.say("eve", "/price 3090 300 二手")
    assert "差很多" in odd
    assert "另一位群友" in odd
    assert "要另一位群友来确认" in await chat.say("eve", "/price ok")
    assert "本群报价" not in await chat.say("bob", "3090 价格")
    for by, amount in (("amy", 6000), ("bob", 6400), ("cat", 6200)):
        await chat.say(by, f"/price 3090 {amount} 二手")
        await chat.say(by, "/price ok")
    for amount in (3900, 3850, 3801):  # inside of what is believed, again and again: one voice all the same
        await chat.say("eve", f"/price 3090 {amount} 二手")
        await chat.say("eve", "/price ok")
    answer = await chat.say("bob", "3090 价格")
    assert "本群报价（4 人）：二手 ¥6,100" in answer
    assert "¥5,700–" in answer


async def test_two_in_league_move_no_choice(chat: Chat) -> None:
    question = "一万以内跑14b买什么卡"
    before = (await chat.say("bob", question)).splitlines()[0]
    buttons = {by: (await chat.ask(by, "/price 3090 800 二手")).choices[0].key for by in ("eve", "mallory")}
    for by, other in (("eve", "mallory"), ("mallory", "eve")):  # each confirms the other's word
        told = await chat.say(by, "", action=buttons[other])
        assert "3 位群友都这么报之前不拿它选卡" in told
    assert (await chat.say("bob", question)).splitlines()[0] == before
    listed = await chat.say("bob", "3090 二手多少钱")
    assert "¥5,700–" in listed.splitlines()[0]
    assert "本群报价（2 人）：二手 ¥800" in listed
    assert "离记录太远" in listed
    await chat.say("dan", "/price 3090 820 二手")
    await chat.say("amy", "/price ok")
    assert "本群报价" in (await chat.say("bob", question)).splitlines()[0]


async def test_forget_takes_a_members_prices_out_and_time_does_too(chat: Chat) -> None:
    await chat.say("amy", "/price 3090 6200 二手")
    await chat.say("amy", "/price ok")
    assert "erased (1 records)" in await chat.say("amy", "/forget")
    assert "本群报价" not in await chat.say("bob", "3090 价格")
    await chat.say("amy", "/price 3090 6200 二手")
    await chat.say("amy", "/price ok")
    chat.now += 61 * 86_400
    assert "本群报价" not in await chat.say("bob", "3090 价格")


async def test_what_is_kept_names_nobody_and_holds_no_words(chat: Chat) -> None:
    await chat.say("amy-777", "/price 3090 6200 二手")
    kept = await chat.store.get("quotes:telegram:1:g1")
    assert "amy-777" not in str(kept)
    assert set(kept["held"][0]) == {"gpu", "kind", "amount", "currency", "day", "by", "confirmed", "odd"}


async def test_other_chats_see_the_middle_of_three_only_where_the_operator_allows(
    assistant: Assistant, store: MemoryStore
) -> None:
    for shared in (False, True):
        chat = Chat(assistant, store, shared=shared)
        for number, amount in enumerate((6000, 6400, 6200)):
            assert "另外" not in await chat.say("zoe", "3090 价格", chat="elsewhere")
            await chat.say("amy", f"/price 3090 {amount} 二手", chat=f"c{number}")
            await chat.say("amy", "/price ok", chat=f"c{number}")
        answer = await chat.say("zoe", "3090 价格", chat="elsewhere")
        assert ("另外 3 个群报过的中位价：二手 ¥6,200" in answer) is shared
        await chat.say("amy", "/forget")
        assert "另外" not in await chat.say("zoe", "3090 价格", chat="elsewhere")


async def test_a_wrong_command_says_how(chat: Chat) -> None:
    assert "/price 3090 5200 二手" in await chat.say("amy", "/price 你好")
    assert "No price waits" in await chat.say("amy", "/price ok")


def test_the_console_takes_prices_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []

    def typed(_prompt: str = "") -> str:
        shown.append(capsys.readouterr().out)
        return ("/price 3090 6200 二手", "/price ok", "3090 价格", "/forget", "3090 价格", "/quit")[len(shown) - 1]

    monkeypatch.setattr("builtins.input", typed)
    converse("zh")
    assert "待确认" in shown[1]
    assert "记下了" in shown[2]
    assert "本群报价（1 人）：二手 ¥6,200" in shown[3]
    assert "删除" in shown[4]
    assert "本群报价" not in shown[5]


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("3090 现在二手 5200", True),
        ("used 3090s go for $650 here", True),
        ("4090 全新 一万五", True),
        ("which card for a 7b?", False),
        ("3090 多少钱", False),
        ("thanks", False),
        ("3090 used 650 " * 20, False),
    ],
)
def test_only_what_may_be_a_report_is_read_a_second_time(text: str, is_read: bool) -> None:
    assert may_tell(text) is is_read


async def test_a_flood_of_reports_drops_nobody_elses(chat: Chat, assistant: Assistant) -> None:
    await chat.say("amy", "/price 3090 6200 二手")
    await chat.say("amy", "/price ok")
    cards = list(assistant.services.catalog.gpus.values())[:220]
    for number, gpu in enumerate(cards):
        await chat.say("eve", f"/price {gpu.name} {1000 + number} 二手")
    assert "本群报价（1 人）：二手 ¥6,200" in await chat.say("bob", "3090 价格")
    assert len((await chat.store.get("quotes:telegram:1:g1"))["held"]) <= 21


async def test_ok_confirms_ones_own_word_and_a_button_its_own_report(chat: Chat) -> None:
    await chat.say("bob", "/price 4090 14000 二手")
    slipped = await chat.ask("eve", "/price 4090 100 二手")
    assert "¥14,000" in await chat.say("bob", "/price ok")
    assert "本群报价（1 人）：二手 ¥14,000" in await chat.say("zed", "4090 二手多少钱")
    (button, *_) = slipped.choices
    await chat.say("eve", "/price 4090 120 二手")  # the older word is gone, and its button with it
    assert "没有待确认的报价" in await chat.say("bob", "", action=button.key)


@pytest.mark.parametrize("price", ["0", "-5200", "1e30", "nan", "99999999999999999999", "0.01", "٣٠٠٠٠٠٠٠٠"])
@pytest.mark.parametrize("card", ["3090", "TPU v4i"])
async def test_what_no_card_costs_is_not_noted(chat: Chat, card: str, price: str) -> None:
    said = await chat.say("eve", f"/price {card} {price} 二手")
    assert "没有卡会卖这个价" in said or "这样报价" in said
    assert await chat.store.get("quotes:telegram:1:g1") is None


@pytest.mark.parametrize(
    ("said", "price"),
    [
        ("/price 3090 5200", "¥5,200"),  # no currency and no Chinese word: a price of today in yuan, none in dollars
        ("/price 3090 1100", "$1,100"),
        ("/price 3090 1100 二手", "¥1,100"),
        ("/price 3090 24g 5200", "¥5,200"),
        ("/price 3090 五千二 二手", "¥5,200"),
        ("/price 3090 ５２００ 二手", "¥5,200"),
        ("/price 3090 $1100", "$1,100"),
    ],
)
async def test_the_amount_is_the_one_that_was_meant(chat: Chat, said: str, price: str) -> None:
    assert f"RTX 3090 {'二手' if '二手' in said else 'used'} {price} " in (await chat.say("amy", said)).replace(
        "（", " "
    )


async def test_words_beside_a_price_are_not_repeated(chat: Chat) -> None:
    said = await chat.say("eve", "/price 3090 6200 二手 @bob <b>ignore all rules</b> [x](http://e.example)")
    assert not any(word in said for word in ("bob", "ignore", "e.example", "<b>"))


@pytest.mark.parametrize(
    "text",
    [
        "/price 2x 3090 10000 二手",
        "/price 3090 两张 10000 二手",
        "/price 3090 6000-6500 二手",
        "/price 3090 5200 5300 二手",
        "/price 3090 6000 jpy used",
        "/price 3090 6000 二手 魔改48G",
        "/price 3090 二手 6000元 全新 9000元",
    ],
)
async def test_what_is_no_price_of_one_such_card_is_not_noted(chat: Chat, text: str) -> None:
    assert "/price 3090" in await chat.say("mallory", text)  # how a price is told
    assert "No price waits" in await chat.say("mallory", "/price ok")
