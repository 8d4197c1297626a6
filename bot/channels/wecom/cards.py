"""Template cards: a question with buttons, or with a selector when there are more; and its settled form.

Limits are those of developer page 101032: 6 buttons, 10 options, keys of 1024 and option ids of 128 bytes, task ids of
128 characters. Cards show plain text, so nothing of a user can become markup.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.channels.markup import plain_text
from bot.channels.markup.tables import display_width
from bot.channels.signing import Signer
from bot.channels.wecom.parts import stable_id
from bot.channels.words import ChannelWords
from bot.core.message import Choice, IncomingMessage, Reply

Card = dict[str, Any]

PICK = "do:pick"
"""Key of a selector's submit button; what was picked stands beside it."""
_QUESTION = "choice"
_TITLE, _TEXT = 26, 112
_BUTTON_COLUMNS = 20
_MOST_BUTTONS, _MOST_OPTIONS = 6, 10
_LETTERS = "ABCDEF"
_QUESTIONS = frozenset({"ask", "clarify"})


def question_card(message: IncomingMessage, reply: Reply, words: ChannelWords, signer: Signer) -> Card | None:
    """A card for a question with options, or None when it is none or does not fit a card."""
    options = _options(reply)
    head = _head(reply, words) if options else None
    if head is None:
        return None
    card: Card = {**head, "task_id": stable_id("q", message)}
    asker = "" if reply.shared else message.user_id

    def sign(key: str, asker: str = asker) -> str:
        return signer.sign(key, chat_id=message.chat_id, asker=asker)

    narrow = all(display_width(choice.label) <= _BUTTON_COLUMNS for choice in options)
    if len(options) <= _MOST_BUTTONS:
        return {"card_type": "button_interaction", **card, **_buttons(options, sign, lettered=not narrow)}
    if narrow and len(options) <= _MOST_OPTIONS:
        submit = {"text": words("card.submit", reply.language), "key": sign(_pick_key(reply))}
        listed = [{"id": sign(choice.key, ""), "text": choice.label} for choice in options]
        select = {"question_key": _QUESTION, "title": words("card.pick", reply.language), "option_list": listed}
        return {"card_type": "multiple_interaction", **card, "select_list": [select], "submit_button": submit}
    return None


def _options(reply: Reply) -> list[Choice]:
    """What a question, or a shared answer, offers to choose from."""
    if reply.decision not in _QUESTIONS and not reply.shared:
        return []
    return [choice for choice in reply.choices if not choice.key.startswith("do:")]


def _buttons(options: list[Choice], sign: Callable[[str], str], *, lettered: bool) -> Card:
    """A button for each option; where labels are too wide, a letter that stands before its label above."""
    if not lettered:
        return {"button_list": [_button(choice.label, sign(choice.key)) for choice in options]}
    named = list(zip(_LETTERS, options, strict=False))
    return {
        "horizontal_content_list": [{"keyname": letter, "value": choice.label} for letter, choice in named],
        "button_list": [_button(letter, sign(choice.key)) for letter, choice in named],
    }


def settled_card(card: Card, key: str, note: str) -> Card:
    """The card once something was chosen: only the chosen button stays, a selector is locked; `note` says it."""
    settled = {**card, "sub_title_text": note}
    buttons = [button for button in card.get("button_list", ()) if button["key"] == key]
    if buttons:
        settled["button_list"] = buttons
    if "select_list" in card:
        settled["select_list"] = [
            {**select, "disable": True, **({"selected_id": key} if _offers(select, key) else {})}
            for select in card["select_list"]
        ]
    return settled


def noted_card(card: Card, note: str) -> Card:
    """The card as it is, with a note for whoever pressed what he may not."""
    return {**card, "sub_title_text": note}


def label_of(card: Card, key: str) -> str:
    """What stood on the button or option of a signed key, or nothing."""
    for line, button in zip(card.get("horizontal_content_list", ()), card.get("button_list", ()), strict=False):
        if button["key"] == key:
            return str(line["value"])
    for button in card.get("button_list", ()):
        if button["key"] == key:
            return str(button["text"])
    for select in card.get("select_list", ()):
        for option in select["option_list"]:
            if option["id"] == key:
                return str(option["text"])
    return ""


def _head(reply: Reply, words: ChannelWords) -> Card | None:
    """Title and text of the question; None when they are too long for a card. A shared answer has its text outside."""
    if reply.decision not in _QUESTIONS:
        return {"main_title": {"title": words("card.shared", reply.language)}}
    first, _, rest = plain_text(reply.text).strip().partition("\n")
    if len(first) > _TITLE:
        first, rest = words("card.title", reply.language), f"{first}\n{rest}"
    rest = rest.strip()
    if len(rest) > _TEXT:
        return None
    head: Card = {"main_title": {"title": first}}
    if rest:
        head["sub_title_text"] = rest
    return head


def _button(label: str, key: str) -> Card:
    return {"text": label, "style": 1, "key": key}


def _pick_key(reply: Reply) -> str:
    return f"{PICK}#{reply.case}" if reply.case else PICK


def _offers(select: Card, key: str) -> bool:
    return any(option["id"] == key for option in select["option_list"])
