"""Frames of the long connection, and what WeCom's error codes mean. Source: developer pages 101463 and 90313."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

SUBSCRIBE = "aibot_subscribe"
PING = "ping"
MESSAGE = "aibot_msg_callback"
EVENT = "aibot_event_callback"
RESPOND = "aibot_respond_msg"
WELCOME = "aibot_respond_welcome_msg"
UPDATE = "aibot_respond_update_msg"
PUSH = "aibot_send_msg"
UPLOAD_INIT = "aibot_upload_media_init"
UPLOAD_CHUNK = "aibot_upload_media_chunk"
UPLOAD_FINISH = "aibot_upload_media_finish"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as it came. `cmd` is empty for acknowledgements."""

    cmd: str
    req_id: str
    body: dict[str, object]
    errcode: int = 0

    @property
    def is_kick(self) -> bool:
        """Whether WeCom says that another connection took over."""
        event = self.body.get("event")
        return self.cmd == EVENT and isinstance(event, dict) and event.get("eventtype") == "disconnected_event"


def read_frame(text: str | bytes) -> Frame | None:
    """The frame in a text, or None when it is none."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict):
        return None
    headers, body, cmd, code = raw.get("headers"), raw.get("body"), raw.get("cmd"), raw.get("errcode", 0)
    req_id = headers.get("req_id") if isinstance(headers, dict) else None
    if not isinstance(req_id, str) or not req_id:
        return None
    return Frame(
        cmd if isinstance(cmd, str) else "",
        req_id,
        body if isinstance(body, dict) else {},
        code if type(code) is int else -1,
    )


def write_frame(cmd: str, req_id: str, body: dict[str, object] | None = None) -> str:
    """A frame of ours."""
    frame: dict[str, object] = {"cmd": cmd, "headers": {"req_id": req_id}}
    if body is not None:
        frame["body"] = body
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))


class Meaning(Enum):
    """What to do about an error code."""

    CLOSED = auto()
    """The callback can no longer be answered: push instead."""
    BUSY = auto()
    """Too much or too fast: later."""
    GONE = auto()
    """The bot may not write there."""
    OTHER = auto()
    """Not to be repeated."""


_CLOSED = frozenset({846605, 846608})
_BUSY = frozenset({-1, 45009, 45011, 45033, 45047})
_GONE = frozenset({93001, 93006, 93008, 93019})


def meaning_of(code: int) -> Meaning:
    """Sort an error code into what follows from it."""
    if code in _CLOSED:
        return Meaning.CLOSED
    if code in _BUSY:
        return Meaning.BUSY
    return Meaning.GONE if code in _GONE else Meaning.OTHER


def stream_body(
    stream_id: str, content: str, feedback_id: str = "", items: Sequence[dict[str, object]] = ()
) -> dict[str, object]:
    """A finished stream reply; `items`: its pictures, in a passive reply only."""
    stream: dict[str, object] = {"id": stream_id, "finish": True, "content": content}
    if feedback_id:
        stream["feedback"] = {"id": feedback_id}
    if items:
        stream["msg_item"] = list(items)
    return {"msgtype": "stream", "stream": stream}


def markdown_body(content: str, feedback_id: str = "") -> dict[str, object]:
    """A text to push or to post."""
    markdown: dict[str, object] = {"content": content}
    if feedback_id:
        markdown["feedback"] = {"id": feedback_id}
    return {"msgtype": "markdown", "markdown": markdown}


def card_body(card: dict[str, object]) -> dict[str, object]:
    """A card to reply with, to push or to post."""
    return {"msgtype": "template_card", "template_card": card}


def image_body(media_id: str) -> dict[str, object]:
    """A picture that was uploaded, to push."""
    return {"msgtype": "image", "image": {"media_id": media_id}}


def text_body(content: str) -> dict[str, object]:
    """A plain text, allowed as a welcome only."""
    return {"msgtype": "text", "text": {"content": content}}
