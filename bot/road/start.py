"""What a turn begins with: the state to go on with, its subject, the language of the reply."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Language
from bot.core.understanding import Understanding
from bot.dialogue.ground import wants_language
from bot.dialogue.policy import POLICY
from bot.dialogue.turn import find_subject

_HAN: Final = re.compile("[\u4e00-\u9fff]")
_FEW_LETTERS: Final = 2
"""Letters beside the names of a message from which its own words tell its language."""


_LATIN: Final = re.compile(r"[A-Za-z']+")
_FEW_WORDS: Final = 1
_GREETING: Final = "greeting"


_SHARED: Final = re.compile(r"\b(?:vs|pk)\b", re.IGNORECASE)
"""What stands between two names in every language; it tells none where the talk or the page has one."""


def refreshed(conversation: Conversation | None, message: IncomingMessage, now: datetime) -> Conversation:
    """The state to go on with: expired slots and questions are gone, earlier answers stay."""
    if conversation is None:
        return Conversation(key=message.conversation_key)
    if conversation.updated_at and now - conversation.updated_at > POLICY.conversation_ttl:
        return conversation.model_copy(
            update={"slots": {}, "older": {}, "excluded": {}, "pending": None, "intent": "", "offered_intent": ""}
        )
    return conversation


def subject_of(message: IncomingMessage, state: Conversation, borrowed: Episode | None) -> str:
    """The intent that a message may go on with: of the answer replied to, else of the conversation so far."""
    if message.reply_to:
        subject = find_subject(message, state, borrowed)
        if subject is not None:
            return subject.intent
    return state.intent


def language_of(message: IncomingMessage, understanding: Understanding, state: Conversation) -> Language:
    """Language of the reply: that of the words; of a message of names and figures alone that of the conversation."""
    if message.language:
        return "zh" if message.language.startswith("zh") else "en"
    wanted = _wanted(message, state)
    if wanted is not None:
        return wanted
    if not message.action:
        if _HAN.search(message.text):
            return "zh"
        if _has_words(message, understanding, state) and not _is_a_word(message, understanding, state):
            return understanding.language
    known = state.language or message.lang_hint
    if not known:
        return understanding.language
    return "zh" if known.startswith("zh") else "en"


def _wanted(message: IncomingMessage, state: Conversation) -> Language | None:
    """The language in which the last answer is asked for once more."""
    named = "" if message.action or not state.turn else wants_language(message.text)
    return None if not named else "zh" if named == "zh" else "en"


def _is_a_word(message: IncomingMessage, understanding: Understanding, state: Conversation) -> bool:
    """Whether a message of one word is put into a talk: but for a greeting, it tells no language of its own."""
    greets = bool(understanding.ranking) and understanding.ranking[0].intent == _GREETING
    return bool(state.language) and not greets and len(_LATIN.findall(message.text)) <= _FEW_WORDS


def _has_words(message: IncomingMessage, understanding: Understanding, state: Conversation) -> bool:
    """Whether there are words beside the names, from which the language of a message without Han can be told."""
    spans = {found.span: found.text for found in understanding.slots}
    named = "".join(spans.values())
    has_language = bool(state.language) or message.page
    shared = "".join(_SHARED.findall(message.text)) if has_language else ""
    return sum(map(str.isalpha, message.text)) - sum(map(str.isalpha, named + shared)) >= _FEW_LETTERS


def language_of_page(message: IncomingMessage) -> Language:
    """Language of a page that answers no question: that of the chat, else of the words."""
    named = message.language or message.lang_hint
    return "zh" if named.startswith("zh") or _HAN.search(message.text) else "en"
