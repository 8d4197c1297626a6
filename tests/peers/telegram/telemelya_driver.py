"""Runs among the peers: plays a user through telemelya's own client, prints what the bot did."""

import json
import sys

from telemelya.client.client import TelegramTestClient

SERVER, TOKEN = sys.argv[1:3]


def take(client, count):
    """The next responses of the bot, in order."""
    return [client.wait_for_response(10.0) or {"method": "none"} for _ in range(count)]


def main() -> None:
    """Ask, press, command, inline."""
    report = {}
    with TelegramTestClient(SERVER, "k1", TOKEN) as client:
        client.send_message(42, "which GPU? <b>&")
        question = take(client, 1)[0]
        report["question"] = question["text"]
        button = question["reply_markup"]["inline_keyboard"][0][0]
        report["button"] = button["text"]
        client.send_callback_query(42, button["callback_data"], question["message_id"])
        after = take(client, 2)
        report["after_press"] = sorted(entry["method"] for entry in after)
        report["answer"] = next(entry["text"] for entry in after if entry["method"] == "editMessageText")
        client.send_command(42, "/compare")
        report["command"] = take(client, 1)[0]["text"]
        client.send_message(42, "draw")
        shown = take(client, 1)[0]
        button = shown["reply_markup"]["inline_keyboard"][0][0]
        client.send_callback_query(42, button["callback_data"], shown["message_id"])
        photo = next(entry for entry in take(client, 2) if entry["method"] == "sendPhoto")
        report["photo"] = [photo["caption"], client.get_media(photo["file_id"])[:4].hex()]
        query = client.send_inline_query("3090 vs 4090", from_user={"id": 42, "first_name": "Lin"}, chat_id=42)
        answers = [entry for entry in take(client, 1) if entry["method"] == "answerInlineQuery"]
        report["inline"] = [bool(query), len(answers)]
    print(json.dumps(report))


main()
