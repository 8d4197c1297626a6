"""A reply as a card (JSON 2.0): its words, its picture, its buttons. Feishu takes no unknown properties."""

from __future__ import annotations

import json
from typing import Final

from bot.channels.markup import feishu_markdown
from bot.channels.signing import Signer
from bot.core.message import Choice, IncomingMessage, Reply

Card = dict[str, object]

MOST_BYTES: Final = 30_000
"""Of a card. Source: Feishu's page on sending messages."""
_MOST_BUTTONS: Final = 12
_LABEL: Final = 60
KEY, PRIVATE, THREAD = "k", "p", "t"
"""Under which a button carries its signed key, and what a press does not tell: the kind of its chat, its thread."""


def card_of(message: IncomingMessage, reply: Reply, signer: Signer, picture: str = "") -> Card:
    """The card of a reply.

    Args:
        message: what is answered.
        reply: the answer.
        signer: of the buttons' keys.
        picture: image key of its chart, once uploaded.
    """
    elements: list[Card] = [{"tag": "markdown", "content": feishu_markdown(reply.text) or "\u2026"}]
    if picture:
        title = reply.chart.title if reply.chart else ""
        elements.append({"tag": "img", "img_key": picture, "alt": {"tag": "plain_text", "content": title}})
    buttons = _buttons(message, reply, signer)
    if buttons:
        columns: list[Card] = [{"tag": "column", "width": "auto", "elements": [one]} for one in buttons]
        elements.append({"tag": "column_set", "flex_mode": "flow", "columns": columns})
    return {"schema": "2.0", "config": {"update_multi": True}, "body": {"elements": elements}}


def fits(card: Card) -> bool:
    """Whether a card is small enough to be taken."""
    return len(json.dumps(card, ensure_ascii=False).encode()) <= MOST_BYTES


def _buttons(message: IncomingMessage, reply: Reply, signer: Signer) -> list[Card]:
    asker = "" if reply.shared else message.user_id
    made = [_button(choice, message, asker, signer) for choice in reply.choices]
    return [one for one in made if one][:_MOST_BUTTONS]


def _button(choice: Choice, message: IncomingMessage, asker: str, signer: Signer) -> Card:
    label = choice.label.strip()[:_LABEL]
    if not label or not choice.key.isascii():
        return {}
    place = {PRIVATE: message.chat_type == "private", THREAD: message.thread_id}
    value = {KEY: signer.sign(choice.key, chat_id=message.chat_id, asker=asker), **place}
    return {
        "tag": "button",
        "text": {"tag": "plain_text", "content": label},
        "behaviors": [{"type": "callback", "value": value}],
    }
