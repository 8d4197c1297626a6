"""What WeCom accepts as a reply, as far as its pages 101031, 101032 and 101463 say: one line for each fault."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from typing import Any

CONTENT_BYTES = 20480
Body = dict[str, Any]

_TASK_ID = re.compile(r"[0-9A-Za-z_@-]{1,128}\Z")
_TAG = re.compile(r"<(?=[A-Za-z/@!?])")
_REQUIRED = {
    "button_interaction": ("main_title", "button_list", "task_id"),
    "multiple_interaction": ("main_title", "select_list", "submit_button"),
    "vote_interaction": ("main_title", "checkbox", "submit_button", "task_id"),
    "text_notice": ("card_action",),
    "news_notice": ("main_title", "card_action"),
}
_CARD_FIELDS = frozenset(
    {
        "card_type",
        "source",
        "action_menu",
        "main_title",
        "emphasis_content",
        "quote_area",
        "sub_title_text",
        "horizontal_content_list",
        "jump_list",
        "card_action",
        "card_image",
        "image_text_area",
        "vertical_content_list",
        "button_selection",
        "button_list",
        "checkbox",
        "select_list",
        "submit_button",
        "task_id",
        "feedback",
    }
)


def stream_faults(stream: object) -> Iterator[str]:
    """Faults of the `stream` part."""
    if not isinstance(stream, dict):
        yield "stream is missing"
        return
    yield from _unknown(stream, {"id", "finish", "content", "msg_item", "feedback"}, "stream")
    if not isinstance(stream.get("id"), str) or not stream["id"]:
        yield "stream.id is missing"
    if type(stream.get("finish", False)) is not bool:
        yield "stream.finish is not a boolean"
    yield from content_faults(stream.get("content", ""), "stream.content")
    items = stream.get("msg_item", [])
    if items and not stream.get("finish"):
        yield "msg_item is allowed with finish=true only"
    if len(items) > 10:
        yield "more than 10 images"
    for item in items:
        image = item.get("image", {})
        raw = base64.b64decode(image.get("base64", ""))
        if hashlib.md5(raw).hexdigest() != image.get("md5"):
            yield "md5 does not fit the image"
    yield from feedback_faults(stream.get("feedback"))


def content_faults(content: object, name: str) -> Iterator[str]:
    """Faults of a markdown text."""
    if not isinstance(content, str):
        yield f"{name} is not text"
        return
    if len(content.encode()) > CONTENT_BYTES:
        yield f"{name} is longer than {CONTENT_BYTES} bytes"
    if not content.strip():
        yield f"{name} is empty"
    if "\ufffd" in content:
        yield f"{name} was cut inside a character"
    if _TAG.search(content):
        yield f"{name} holds a tag"


def feedback_faults(feedback: object) -> Iterator[str]:
    """Faults of a feedback id."""
    if feedback is None:
        return
    if not isinstance(feedback, dict) or not isinstance(feedback.get("id"), str) or not feedback["id"]:
        yield "feedback.id is missing"
    elif len(feedback["id"].encode()) > 256:
        yield "feedback.id is longer than 256 bytes"


def card_faults(card: object, *, updating: bool = False) -> Iterator[str]:
    """Faults of a template card."""
    if not isinstance(card, dict):
        yield "template_card is missing"
        return
    kind = card.get("card_type")
    if kind not in _REQUIRED:
        yield f"card_type {kind!r} is unknown"
        return
    yield from _unknown(card, _CARD_FIELDS, "card")
    for name in _REQUIRED[kind]:
        if not card.get(name):
            yield f"{kind} needs {name}"
    if "task_id" in card and not _TASK_ID.match(str(card["task_id"])):
        yield "task_id is longer than 128 or holds other than 0-9A-Za-z_@-"
    yield from _title_faults(card)
    yield from _button_faults(card)
    for select in card.get("select_list", ()):
        yield from _select_faults(select, updating)
    if len(card.get("select_list", ())) > 3:
        yield "more than 3 selectors"
    if len(card.get("horizontal_content_list", ())) > 6:
        yield "more than 6 lines"
    yield from feedback_faults(card.get("feedback"))


def _title_faults(card: Body) -> Iterator[str]:
    title = card.get("main_title", {})
    if len(title.get("title", "")) > 26:
        yield "main_title.title is longer than 26"
    if len(card.get("sub_title_text", "")) > 112:
        yield "sub_title_text is longer than 112"


def _button_faults(card: Body) -> Iterator[str]:
    buttons = [*card.get("button_list", ()), *([card["submit_button"]] if card.get("submit_button") else [])]
    if len(card.get("button_list", ())) > 6:
        yield "more than 6 buttons"
    keys = [button.get("key", "") for button in buttons]
    if len(set(keys)) != len(keys):
        yield "two buttons with one key"
    for button in buttons:
        if not button.get("text") or not button.get("key"):
            yield "a button without text or key"
        if len(button.get("key", "").encode()) > 1024:
            yield "a key longer than 1024 bytes"
        if button.get("style", 1) not in {1, 2, 3, 4}:
            yield "an unknown button style"


def _select_faults(select: Body, updating: bool) -> Iterator[str]:
    options = select.get("option_list", [])
    if not 1 <= len(options) <= 10:
        yield "a selector takes 1 to 10 options"
    ids = [option.get("id", "") for option in options]
    if len(set(ids)) != len(ids):
        yield "two options with one id"
    if any(not 0 < len(one.encode()) <= 128 for one in ids):
        yield "an option id longer than 128 bytes"
    if not select.get("question_key"):
        yield "a selector without question_key"
    if "disable" in select and not updating:
        yield "disable is allowed when updating only"


def reply_faults(body: object, allowed: frozenset[str]) -> Iterator[str]:
    """Faults of a reply whose `msgtype` must be one of `allowed`."""
    if not isinstance(body, dict):
        yield "the reply is no object"
        return
    kind = body.get("msgtype")
    if kind not in allowed:
        yield f"msgtype {kind!r} is not allowed here"
    elif kind == "stream":
        yield from stream_faults(body.get("stream"))
    elif kind == "template_card":
        yield from card_faults(body.get("template_card"))
    elif kind == "stream_with_template_card":
        yield from stream_faults(body.get("stream"))
        yield from card_faults(body.get("template_card"))
    elif kind == "markdown":
        markdown = body.get("markdown") or {}
        yield from content_faults(markdown.get("content"), "markdown.content")
        yield from feedback_faults(markdown.get("feedback"))
    elif kind == "text" and not (body.get("text") or {}).get("content"):
        yield "text.content is missing"


def update_faults(body: object, task_id: str) -> Iterator[str]:
    """Faults of the body that updates the card `task_id`."""
    if not isinstance(body, dict) or body.get("response_type") != "update_template_card":
        yield "response_type must be update_template_card"
        return
    yield from _unknown(body, {"response_type", "userids", "template_card"}, "update")
    userids = body.get("userids", [])
    if not isinstance(userids, list) or not all(isinstance(one, str) for one in userids):
        yield "userids is no list of ids"
    card = body.get("template_card")
    yield from card_faults(card, updating=True)
    if isinstance(card, dict) and card.get("task_id") != task_id:
        yield "task_id is not that of the pressed card"


def _unknown(part: Body, known: frozenset[str] | set[str], name: str) -> Iterator[str]:
    for field in sorted(part.keys() - known):
        yield f"{name}.{field} is unknown"
