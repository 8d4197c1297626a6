"""What Telegram may answer to a message, and what becomes of the message then."""

from __future__ import annotations

import httpx
import pytest
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.channels.telegram.errors import Kind, diagnose
from bot.core.message import IncomingMessage
from bot.core.ports import Outcome
from tests.fakes.stage import Script, Stage, answer, echo, on_stage, question, until
from tests.fakes.telegram_methods import ApiError
from tests.fakes.telegram_world import USERNAME

GROUP = -1001000000001
ME = f"@{USERNAME}"


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    """An error of the library with what the network said."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RetryAfter(7), Kind.FLOOD),
        (ChatMigrated(-100), Kind.MIGRATED),
        (Forbidden("Forbidden: bot was blocked by the user"), Kind.GONE),
        (InvalidToken("Not Found"), Kind.TOKEN),
        (BadRequest("Message is not modified: specified ..."), Kind.NOT_MODIFIED),
        (BadRequest("Can't parse entities: unsupported start tag"), Kind.MARKUP),
        (BadRequest("Message thread not found"), Kind.NO_THREAD),
        (BadRequest("Message to be replied not found"), Kind.NO_TARGET),
        (BadRequest("Message to edit not found"), Kind.NOT_EDITABLE),
        (BadRequest("Chat not found"), Kind.GONE),
        (BadRequest("Not enough rights to send text messages to the chat"), Kind.GONE),
        (BadRequest("Query is too old and response timeout expired or query id is invalid"), Kind.TOO_OLD),
        (BadRequest("Something new"), Kind.REFUSED),
        (NetworkError("Bad Gateway"), Kind.UNKNOWN),
        (caused(NetworkError("x"), httpx.ConnectError("x")), Kind.NOT_SENT),
        (caused(NetworkError("x"), httpx.ReadError("x")), Kind.UNKNOWN),
        (caused(NetworkError("x"), httpx.RemoteProtocolError("x")), Kind.UNKNOWN),
        (caused(TimedOut(), httpx.ReadTimeout("x")), Kind.UNKNOWN),
        (caused(TimedOut(), httpx.WriteTimeout("x")), Kind.UNKNOWN),
        (caused(TimedOut(), httpx.ConnectTimeout("x")), Kind.NOT_SENT),
        (caused(TimedOut(), httpx.PoolTimeout("x")), Kind.NOT_SENT),
        (TimedOut(), Kind.UNKNOWN),
        (Conflict("x"), Kind.NOT_SENT),
    ],
)
def test_errors_are_sorted_by_what_to_do_about_them(error: TelegramError, kind: Kind) -> None:
    failure = diagnose(error)
    assert failure.kind is kind
    assert (failure.retry_after, failure.new_chat_id) == (
        (7.0, 0) if kind is Kind.FLOOD else (0.0, -100) if kind is Kind.MIGRATED else (0.0, 0)
    )


def incoming(stage: Stage, chat: int = 11, **changes: object) -> IncomingMessage:
    """A question that was asked in a chat."""
    fields: dict[str, object] = {
        "channel": "telegram",
        "event_id": "77",
        "chat_id": str(chat),
        "chat_type": "private" if chat > 0 else "group",
        "user_id": "11",
        "text": "?",
        "message_id": "1",
        "received_at": stage.clock.now(),
    }
    return IncomingMessage.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("status", "description", "more", "outcome", "wait"),
    [
        (429, "Too Many Requests: retry after 5", {"retry_after": 5}, Outcome.RETRY, 5.0),
        (500, "Internal Server Error", {}, Outcome.UNKNOWN, 0.0),
        (502, "Bad Gateway", {}, Outcome.UNKNOWN, 0.0),
        (504, "Gateway Timeout", {"retry_after": 1}, Outcome.UNKNOWN, 0.0),
        (401, "Unauthorized", {}, Outcome.RETRY, 60.0),
        (403, "Forbidden: bot was blocked by the user", {}, Outcome.REFUSED, 0.0),
        (400, "Bad Request: chat not found", {}, Outcome.REFUSED, 0.0),
        (400, "Bad Request: something new", {}, Outcome.REFUSED, 0.0),
    ],
)
async def test_outcomes(status: int, description: str, more: dict[str, int], outcome: Outcome, wait: float) -> None:
    async with on_stage(poll=False) as stage:
        stage.fake.user(11)
        stage.fake.fail("sendMessage", status, description, **more)
        sent = await stage.channel.send(incoming(stage), echo("hi"))
        assert (sent.outcome, sent.retry_after) == (outcome, wait)
        assert stage.fake.said_by_bot(11) == []


@pytest.mark.parametrize("delivered", [True, False])
async def test_a_send_whose_fate_is_unknown_is_not_repeated(delivered: bool) -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        stage.fake.cut("sendMessage", delivered=delivered)
        await stage.fake.say(lin, None, "first")
        await stage.fake.say(lin, None, "second")
        await stage.fake.until(lambda: any("second" in m["text"] for m in stage.fake.said_by_bot(11)))
        await stage.quiet()
        texts = [message["text"] for message in stage.fake.said_by_bot(11)]
        assert texts == (["You said: first", "You said: second"] if delivered else ["You said: second"])
        assert len(stage.calls("sendMessage")) == 2


async def test_an_edit_whose_fate_is_unknown_is_repeated() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        asked = await stage.fake.say(lin, None, "3090?")
        await stage.reply(lin)
        await stage.quiet()
        stage.fake.cut("editMessageText", delivered=True)
        await stage.fake.edit(asked, "4090?")
        await stage.fake.until(lambda: len(stage.calls("editMessageText")) == 1)
        stage.clock.offset += 5
        await stage.quiet()
        assert [message["text"] for message in stage.fake.said_by_bot(11)] == ["You said: 4090?"]
        assert len(stage.calls("editMessageText")) == 2


async def test_flood_control_delays_and_loses_nothing() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        stage.fake.fail("sendMessage", 429, "Too Many Requests: retry after 30", times=2, retry_after=30)
        for number in range(3):
            await stage.fake.say(lin, None, f"question {number}")

        async def answered() -> bool:
            stage.clock.offset += 1
            return len(stage.fake.said_by_bot(11)) == 3

        await until(answered)
        assert [m["text"][-1] for m in stage.fake.said_by_bot(11)] == ["0", "1", "2"]


async def test_parts_that_stand_are_not_sent_again() -> None:
    text = "\n\n".join(f"part{number} " + "word " * 600 for number in range(3))
    async with on_stage(poll=False) as stage:
        stage.fake.user(11)
        sent = await stage.channel.send(incoming(stage), answer(text, "why"))
        again = await stage.channel.send(incoming(stage), answer(text, "why"))
        assert [m["text"][:5] for m in stage.fake.said_by_bot(11)] == ["part0", "part1", "part2"]
        assert again.message_id == sent.message_id


async def test_a_failure_between_parts_resumes_where_it_stopped() -> None:
    text = "\n\n".join(f"part{number} " + "word " * 600 for number in range(3))
    async with on_stage(poll=False) as stage:
        stage.fake.user(11)
        seen = 0
        inner = stage.fake.methods.call

        def fail_second(method: str, fields: dict[str, object]) -> object:
            nonlocal seen
            seen += method == "sendMessage"
            if seen == 2:
                raise ApiError(429, "Too Many Requests: retry after 4", retry_after=4)
            return inner(method, fields)

        stage.fake.methods.call = fail_second
        sent = await stage.channel.send(incoming(stage), answer(text))
        assert (sent.outcome, sent.retry_after) == (Outcome.RETRY, 4.0)
        stage.clock.offset += 4
        sent = await stage.channel.send(incoming(stage), answer(text))
        assert sent.outcome is Outcome.SENT
        assert [m["text"][:5] for m in stage.fake.said_by_bot(11)] == ["part0", "part1", "part2"]
        assert sent.message_id == ",".join(str(m["message_id"]) for m in stage.fake.said_by_bot(11))


async def test_markup_that_does_not_parse_goes_out_as_plain_text_with_an_alert(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.channels.telegram.sender.telegram_html", lambda _: ["<b>9.8 GiB</b> <oops> &amp; more"])
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "a private question")
        reply = await stage.reply(lin)
        assert reply["text"] == "9.8 GiB  & more"
    alerts = [record.getMessage() for record in caplog.records if "ALERT" in record.getMessage()]
    assert len(alerts) == 1
    assert "private" not in alerts[0]


async def test_a_question_message_that_was_deleted_gets_its_answer_as_a_new_message() -> None:
    road = Script({"q": question("Which model?", "model", "bert"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        asked = await stage.reply(lin)
        await stage.fake.press(lin, asked, "bert")
        del stage.fake.chats[11].messages[asked["message_id"]]
        await stage.fake.until(lambda: [m for m in stage.fake.said_by_bot(11) if m["text"].startswith("A T4.")])


async def test_a_press_that_telegram_no_longer_knows_is_still_answered() -> None:
    road = Script({"q": question("Which model?", "model", "bert"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        asked = await stage.reply(lin)
        stage.fake.fail(
            "answerCallbackQuery",
            400,
            "Bad Request: query is too old and response timeout expired or query ID is invalid",
        )
        await stage.fake.press(lin, asked, "bert")
        await stage.fake.until(lambda: stage.fake.said_by_bot(11)[0]["text"].startswith("A T4."))


async def test_replies_that_say_nothing_send_nothing() -> None:
    async with on_stage(poll=False) as stage:
        stage.fake.user(11)
        for reply in (echo("x").model_copy(update={"decision": "ignore"}), echo("x").model_copy(update={"text": " "})):
            assert (await stage.channel.send(incoming(stage), reply)).outcome is Outcome.SENT
        assert stage.calls("sendMessage") == []


async def test_a_choice_of_forty_bytes_and_the_longest_id_fit_a_button() -> None:
    key = "set:model=" + "x" * 25 + "#K7QK"
    asked = question("Which?", "model", "bert")
    asked = asked.model_copy(update={"choices": (asked.choices[0].model_copy(update={"key": key}),)})
    async with on_stage(poll=False) as stage:
        user = 2**52 - 1
        stage.fake.user(user)
        sent = await stage.channel.send(incoming(stage, user, user_id=str(user)), asked)
        assert sent.outcome is Outcome.SENT
        data = stage.fake.said_by_bot(user)[0]["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        assert len(key) == 40
        assert len(data) <= 64


async def test_a_key_that_is_too_long_costs_its_button_and_not_the_answer() -> None:
    asked = question("Which?", "model", "bert", "x" * 60)
    async with on_stage(poll=False) as stage:
        stage.fake.user(11)
        assert (await stage.channel.send(incoming(stage), asked)).outcome is Outcome.SENT
        labels = [row[0]["text"] for row in stage.fake.said_by_bot(11)[0]["reply_markup"]["inline_keyboard"]]
        assert labels == ["bert"]
