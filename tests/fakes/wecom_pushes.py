"""Builds what WeCom pushes, alike for callback and long connection: messages, quotes, events."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import Any

BOT_ID = "aib-test"
SECRET = "s3cr3t-of-the-bot"
BOT_NAME = "选卡助手"
Push = dict[str, Any]


@dataclass
class Pushes:
    """Numbers messages and fills in what all of them carry."""

    bot_id: str = BOT_ID
    with_response_url: str = ""
    """Base of response addresses; empty: none are given."""
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def _base(self, user: str, group: str, kind: str) -> Push:
        number = next(self._numbers)
        push: Push = {
            "msgid": f"m{number:06d}",
            "aibotid": self.bot_id,
            "chattype": "group" if group else "single",
            "from": {"userid": user},
            "msgtype": kind,
        }
        if group:
            push["chatid"] = group
        if self.with_response_url:
            push["response_url"] = f"{self.with_response_url}/{push['msgid']}"
        return push

    def text(self, user: str, text: str, *, group: str = "", quote: str = "") -> Push:
        push = self._base(user, group, "text") | {"text": {"content": text}}
        if quote:
            push["quote"] = {"msgtype": "text", "text": {"content": quote}}
        return push

    def voice(self, user: str, text: str) -> Push:
        return self._base(user, "", "voice") | {"voice": {"content": text}}

    def image(self, user: str) -> Push:
        return self._base(user, "", "image") | {"image": {"url": "https://media.invalid/1", "aeskey": "k"}}

    def mixed(self, user: str, *texts: str, group: str = "") -> Push:
        items: list[Push] = [{"msgtype": "image", "image": {"url": "https://media.invalid/1"}}]
        items += [{"msgtype": "text", "text": {"content": text}} for text in texts]
        return self._base(user, group, "mixed") | {"mixed": {"msg_item": items}}

    def event(self, user: str, kind: str, *, group: str = "", **event: Any) -> Push:
        return self._base(user, group, "event") | {
            "create_time": int(time.time()),
            "event": {"eventtype": kind, **event},
        }

    def enter(self, user: str) -> Push:
        return self.event(user, "enter_chat")

    def press(self, user: str, card: Push, key: str, *, group: str = "", picked: str = "") -> Push:
        event: Push = {"card_type": card["card_type"], "event_key": key, "task_id": card["task_id"]}
        if picked:
            question = card["select_list"][0]["question_key"]
            chosen = [{"question_key": question, "option_ids": {"option_id": [picked]}}]
            event["selected_items"] = {"selected_item": chosen}
        return self.event(user, "template_card_event", group=group, template_card_event=event)

    def feedback(self, user: str, feedback_id: str, kind: int, *, group: str = "") -> Push:
        return self.event(user, "feedback_event", group=group, feedback_event={"id": feedback_id, "type": kind})

    def stream(self, user: str, stream_id: str) -> Push:
        return self._base(user, "", "stream") | {"stream": {"id": stream_id}}
