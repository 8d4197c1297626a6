"""Inline mode: `@bot 3090 vs 4090` in any chat gives up to ten finished answers to choose from.

Each query is answered on its own, as a fresh conversation, so that the server may give one user's results to the next.
Only where the language hangs on who asks ("3090?") or on his own settings are the results personal.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from telegram import (
    InlineQuery,
    InlineQueryResultArticle,
    InlineQueryResultsButton,
    InputTextMessageContent,
    LinkPreviewOptions,
)
from telegram.constants import ParseMode

from bot.channels.markup import plain_text, telegram_html
from bot.channels.telegram.chat_settings import SettingsBook
from bot.channels.telegram.commands import encode_question
from bot.channels.telegram.reading import Reader
from bot.channels.words import ChannelWords, has_han
from bot.core.message import IncomingMessage, Language, Reply
from bot.core.ports import Intake

_LOG = logging.getLogger("xuanka.telegram")
MOST_RESULTS = 10
_EXAMPLES = 4
_QUERY_LIMIT = 256
_TITLE_LENGTH, _DESCRIPTION_LENGTH = 80, 160
_CACHE_S, _HELP_CACHE_S = 300, 3600
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_FINISHED = frozenset({"answer"})


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Something to answer: a question, or a choice that the first answer offered."""

    text: str = ""
    action: str = ""
    title: str = ""


@dataclass(slots=True)
class InlineAnswers:
    """Answers inline queries through the same road as messages."""

    intake: Intake
    reader: Reader
    words: ChannelWords
    book: SettingsBook
    now: Callable[[], datetime]
    enabled: bool = True

    async def answer(self, update_id: int, query: InlineQuery) -> None:
        """Answer one query; an empty one with examples."""
        if not self.enabled or query.from_user.is_bot:
            return
        text = query.query.strip()[:_QUERY_LIMIT]
        settings = await self.book.load(str(query.from_user.id))
        language = self.reader.language(query.from_user, settings)
        seeds = [_Candidate(text=text)] if text else self._examples(language)
        results = await self._results(update_id, query, seeds, language, settings.language)
        is_personal = bool(settings.language) or not (has_han(text) or _reads_english(text))
        parameter = encode_question(text) if text else "inline"
        await query.answer(
            results,
            cache_time=_CACHE_S if text else _HELP_CACHE_S,
            is_personal=is_personal,
            button=InlineQueryResultsButton(self.words("inline.more", language), start_parameter=parameter or "inline"),
        )

    def _examples(self, language: Language) -> list[_Candidate]:
        texts = [self.words(f"inline.example.{number}", language) for number in range(1, _EXAMPLES + 1)]
        return [_Candidate(text=text, title=text) for text in texts]

    async def _results(
        self, update_id: int, query: InlineQuery, seeds: list[_Candidate], language: Language, fixed: str
    ) -> list[InlineQueryResultArticle]:
        """Finished answers, best first: to the query, to each choice it leaves open, to what one may ask next."""
        found: dict[str, InlineQueryResultArticle] = {}
        waiting = list(seeds)
        tried = 0
        while waiting and len(found) < MOST_RESULTS and tried < 2 * MOST_RESULTS:
            candidate = waiting.pop(0)
            reply = await self.intake.answer_now(self._incoming(update_id, query, candidate, tried, language, fixed))
            tried += 1
            if reply is None:
                continue
            if tried <= len(seeds) and not candidate.title:
                waiting += _offered(reply)
            article = _article(candidate, reply)
            if article is not None and (reply.decision in _FINISHED or not found):
                found.setdefault(article.id, article)
        return list(found.values())

    def _incoming(
        self, update_id: int, query: InlineQuery, candidate: _Candidate, number: int, language: Language, fixed: str
    ) -> IncomingMessage:
        """Choices share the conversation of the query that they complete; everything else starts afresh."""
        thread = f"{update_id}" if candidate.action or not candidate.title else f"{update_id}.{number}"
        return IncomingMessage(
            channel="telegram-inline",
            bot_id=str(self.reader.me.id),
            event_id=f"{update_id}.{number}",
            chat_id=str(query.from_user.id),
            chat_type="group",
            thread_id=thread,
            user_id=str(query.from_user.id),
            verified=True,
            text=candidate.text,
            addressed_how="inline",
            action=candidate.action,
            received_at=self.now(),
            lang_hint=language,
            language=fixed,
        )


def _offered(reply: Reply) -> list[_Candidate]:
    """What an answer leaves open: its choices, then what one may ask next."""
    choices = [choice for choice in reply.choices if choice.key.startswith(("set:", "ask:"))]
    return [
        *(_Candidate(action=choice.key, title=choice.label) for choice in choices),
        *(_Candidate(text=text, title=text) for text in reply.suggestions),
    ]


def _article(candidate: _Candidate, reply: Reply) -> InlineQueryResultArticle | None:
    """A reply as a result; its id is the hash of what would be sent, so equal answers appear once."""
    parts = telegram_html(reply.text)
    if reply.decision == "ignore" or not parts:
        return None
    lines = [line.strip("-> ") for line in plain_text(reply.text).splitlines() if line.strip("-> ")]
    title = candidate.title or lines.pop(0)
    return InlineQueryResultArticle(
        id=hashlib.sha256(parts[0].encode()).hexdigest()[:32],
        title=title[:_TITLE_LENGTH],
        description=" ".join(lines)[:_DESCRIPTION_LENGTH] or None,
        input_message_content=InputTextMessageContent(
            parts[0], parse_mode=ParseMode.HTML, link_preview_options=_NO_PREVIEW
        ),
    )


def _reads_english(text: str) -> bool:
    """Whether the words settle the language: two lower-case words or more, beyond names of cards."""
    return sum(word.isalpha() and word.islower() and len(word) > 1 for word in text.split()) >= 2
