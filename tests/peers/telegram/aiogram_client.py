"""Runs among the peers: an aiogram bot against the project's fake server, through everything the project relies on."""

import asyncio
import json
import sys

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramConflictError,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.types import (
    BotCommand,
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQueryResultArticle,
    InputTextMessageContent,
    ReplyParameters,
)

PNG = bytes.fromhex("89504e470d0a1a0a") + b"\0" * 64


async def main(url: str, token: str) -> None:
    """Talk to the server and print what came of it."""
    session = AiohttpSession(api=TelegramAPIServer.from_base(url))
    bot = Bot(token, session=session)
    report = {"me": (await bot.get_me()).username}
    await bot.set_my_commands([BotCommand(command="ask", description="Ask")])
    report["errors"] = {
        "html": await refused(bot.send_message(11, "<oops>", parse_mode="HTML")),
        "unclosed": await refused(bot.send_message(11, "<b>oops", parse_mode="HTML")),
        "empty": await refused(bot.send_message(11, " ")),
        "long": await refused(bot.send_message(11, "x" * 4097)),
        "chat": await refused(bot.send_message(404, "x")),
        "target": await refused(bot.send_message(11, "x", reply_parameters=ReplyParameters(message_id=999))),
        "thread": await refused(bot.send_message(-1001, "x", message_thread_id=5)),
        "data": await refused(bot.send_message(11, "x", reply_markup=keyboard("x" * 65))),
        "gone": await refused(bot.send_message(12, "x")),
        "moved": await refused(bot.send_message(-500, "x")),
        "flood": await refused(bot.send_message(13, "x")),
        "server": await refused(bot.send_message(14, "x")),
        "token": await refused(Bot(token + "x", session=session).get_me()),
    }
    sent = await bot.send_message(11, "<b>hello</b>", parse_mode="HTML", reply_markup=keyboard("press me"))
    report["sent"] = [sent.text, sent.entities[0].type]
    same = bot.edit_message_text(
        "<b>hello</b>", chat_id=11, message_id=sent.message_id, parse_mode="HTML", reply_markup=keyboard("press me")
    )
    report["errors"]["same"] = await refused(same)
    edited = await bot.edit_message_text("changed", chat_id=11, message_id=sent.message_id)
    report["edited"] = [edited.text, edited.edit_date is not None]
    photo = await bot.send_photo(11, BufferedInputFile(PNG, "x.png"), caption="<i>c</i>", parse_mode="HTML")
    report["photo"] = [photo.caption, photo.caption_entities[0].type]
    report["member"] = (await bot.get_chat_member(-1001, 11)).status
    report["heard"] = await poll(bot)
    await bot.session.close()
    print(json.dumps(report))


def keyboard(data):
    return InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="go", callback_data=data)]])


async def refused(call):
    """The class of the error that a call ends with."""
    known = (
        TelegramRetryAfter,
        TelegramMigrateToChat,
        TelegramForbiddenError,
        TelegramUnauthorizedError,
        TelegramConflictError,
        TelegramServerError,
        TelegramBadRequest,
        TelegramNetworkError,
    )
    try:
        await call
    except known as error:
        return type(error).__name__ + ": " + str(error).partition("Bad Request: ")[2][:40]
    return "accepted"


async def poll(bot):
    """Answer one message, one press and one inline query through the dispatcher, then stop."""
    heard = []
    dispatcher = Dispatcher()

    @dispatcher.message(F.text)
    async def on_message(message):
        heard.append(["message", message.text, message.entities[0].type if message.entities else ""])
        await message.reply("got it")

    @dispatcher.edited_message(F.text)
    async def on_edit(message):
        heard.append(["edited", message.text, ""])

    @dispatcher.callback_query()
    async def on_press(query):
        heard.append(["press", query.data, ""])
        await query.answer("thanks")

    @dispatcher.my_chat_member()
    async def on_member(change):
        heard.append(["member", change.new_chat_member.status, ""])

    @dispatcher.inline_query()
    async def on_inline(query):
        heard.append(["inline", query.query, ""])
        content = InputTextMessageContent(message_text="<b>x</b>", parse_mode="HTML")
        await query.answer([InlineQueryResultArticle(id="1", title="x", input_message_content=content)])
        await dispatcher.stop_polling()

    await dispatcher.start_polling(bot, handle_signals=False, close_bot_session=False)
    return heard


asyncio.run(main(*sys.argv[1:3]))
