"""What a reply says in WeCom: its text with case tag, the options that have no buttons, split at the byte limit."""

from __future__ import annotations

import hashlib

from bot.channels.markup import escape, wecom_markdown
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Reply

_PARTS_IN_GROUP = 3
_HINTS = ("why", "details", "sources", "chart")
_SILENT = ("do:good", "do:bad")


def is_silent(message: IncomingMessage, reply: Reply) -> bool:
    """Whether nothing is to be said: ignored, or only counted."""
    return reply.decision == "ignore" or not reply.text.strip() or message.action.startswith(_SILENT)


def reply_parts(message: IncomingMessage, reply: Reply, words: ChannelWords, *, with_options: bool) -> list[str]:
    """The reply as markdown_v2, in order.

    Args:
        message: what is answered.
        reply: the answer.
        words: the channel's own.
        with_options: list the options of a question, because no buttons go with it.
    """
    text = reply.text
    options = [choice for choice in reply.choices if not choice.key.startswith("do:")]
    if with_options and options and reply.decision in {"ask", "clarify"}:
        text += "\n\n" + "\n".join(f"- {escape(choice.label)}" for choice in options)
    parts = wecom_markdown(text + _footer(reply, words))
    if message.chat_type == "group" and len(parts) > _PARTS_IN_GROUP:
        parts = parts[:_PARTS_IN_GROUP]
    return parts


def _footer(reply: Reply, words: ChannelWords) -> str:
    """The case tag, by which a quote of this answer is known again, and what can be asked about it."""
    if not reply.case or not (reply.choices or reply.facts or reply.sources):
        return ""
    acts = {choice.key.partition("#")[0].removeprefix("do:") for choice in reply.choices}
    hints = [words(f"hint.{act}", reply.language) for act in _HINTS if act in acts]
    tag = f"#{reply.case}"
    line = words("footer", reply.language, tag=tag, hints=" / ".join(hints)) if hints else tag
    return f"\n\n> {line}"


def stable_id(prefix: str, message: IncomingMessage) -> str:
    """An id that a repeat of the same event gets again; letters, digits and dashes, 34 characters at most."""
    name = f"{message.bot_id}\0{message.event_id}".encode()
    return f"{prefix}-{hashlib.sha256(name).hexdigest()[:30]}"
