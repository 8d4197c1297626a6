"""Decides about a pressed button or a verdict: who may, what it stands for, how the card looks afterwards.

The signature alone carries what a press means, so it outlives restarts and is good on any replica. The store keeps how
the card looked, for its settled form, and which presses were taken, so that a double click asks once.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.channels.signing import Forged, Pressed, Signer
from bot.channels.wecom.cards import PICK, Card, label_of, noted_card, settled_card
from bot.channels.wecom.reading import Push, Reader
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Language
from bot.core.ports import Store

_LOG = logging.getLogger("xuanka.wecom")
_KEPT_S = 86_400.0
_DOUBLE_CLICK_S = 20.0
_VERDICTS = {1: "do:good", 2: "do:bad"}
_FEEDBACK = "do:feedback"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What follows from a press."""

    message: IncomingMessage | None = None
    """To be answered, when the press counts."""
    update: dict[str, object] | None = None
    """Body of `update_template_card`, when the card is known."""


class Presses:
    """The rulings of one bot."""

    def __init__(self, store: Store, signer: Signer, reader: Reader, words: ChannelWords, language: Language) -> None:
        """Share store and signer with whoever makes the cards."""
        self._store, self._signer, self._reader = store, signer, reader
        self._words, self._language = words, language

    async def remember(self, card: Card, language: Language, owner: str) -> None:
        """Keep how a card looks before it is sent; it is about `owner`, who was asked."""
        await self._store.put(_card_key(card["task_id"]), {"card": card, "language": language}, _KEPT_S, owner=owner)

    def feedback_id(self, case: str) -> str:
        """What an answer carries so that a verdict on it comes back. A verdict is no secret: no chat, no asker."""
        return self._signer.sign(f"{_FEEDBACK}#{case}" if case else _FEEDBACK, chat_id="")

    async def pressed(self, push: Push, now: datetime, message_id: str) -> Ruling:
        """Rule on a press of a card."""
        try:
            shown, pressed = self._verified(push)
        except Forged:
            _LOG.warning("a card press with a wrong signature was refused")
            return Ruling()
        known = await self._store.get(_card_key(push.task_id)) if push.task_id else None
        card, language = (known["card"], known["language"]) if isinstance(known, dict) else (None, self._language)
        if not pressed.may(push.user_id):
            return Ruling(update=_update(card, lambda old: noted_card(old, self._words("not_yours", language)), push))
        message = None
        if await self._is_first(push, pressed):
            message = self._reader.acted(push, pressed.key, now, message_id, "button")
        if not pressed.asker:
            return Ruling(message=message)
        label = label_of(card, shown) if card else ""
        note = self._words("chosen", language, label=label) if label else self._words("noted", language)
        return Ruling(message, _update(card, lambda old: settled_card(old, shown, note), None))

    def judged(self, push: Push, now: datetime) -> IncomingMessage | None:
        """The message that a feedback event stands for; None when withdrawn or not ours."""
        verdict = push.event.feedback_event if push.event else None
        if verdict is None or verdict.type not in _VERDICTS:
            return None
        try:
            key = self._signer.verify(verdict.id, chat_id="").key
        except Forged:
            _LOG.warning("a verdict with a wrong signature was refused")
            return None
        name, mark, case = key.partition("#")
        if name != _FEEDBACK:
            return None
        return self._reader.acted(push, f"{_VERDICTS[verdict.type]}{mark}{case}", now, "", "feedback")

    def _verified(self, push: Push) -> tuple[str, Pressed]:
        """The signed key that was chosen, and what it says.

        Raises:
            Forged: a signature does not fit, or nothing was picked.
        """
        pressed = self._signer.verify(push.pressed_key, chat_id=push.chat_id)
        if pressed.key.partition("#")[0] != PICK:
            return push.pressed_key, pressed
        if not push.picked:
            raise Forged("nothing was picked")
        shown = push.picked[0]
        picked = self._signer.verify(shown, chat_id=push.chat_id)
        return shown, Pressed(picked.key, pressed.asker)

    async def _is_first(self, push: Push, pressed: Pressed) -> bool:
        """Whether this press is not a double click. A repeat of the same event counts as first again: it is deduped."""
        who = pressed.asker or push.user_id
        name = hashlib.sha256(f"{push.task_id}\0{who}\0{pressed.key}".encode()).hexdigest()[:32]
        key = f"wecom:pressed:{name}"
        known = await self._store.get(key)
        if known is None:
            await self._store.put(key, push.msgid, _DOUBLE_CLICK_S)
            return True
        return bool(known == push.msgid)


def _update(card: Card | None, change: Callable[[Card], Card], only_for: Push | None) -> dict[str, object] | None:
    if card is None:
        return None
    update: dict[str, object] = {"response_type": "update_template_card", "template_card": change(card)}
    if only_for is not None:
        update["userids"] = [only_for.user_id]
    return update


def _card_key(task_id: str) -> str:
    return f"wecom:card:{task_id[:128]}"
