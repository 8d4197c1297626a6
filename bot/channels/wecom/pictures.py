"""A chart as a picture: inside a passive reply, or uploaded over the long connection. Source: pages 101031, 101463."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from bot.channels.wecom import frames
from bot.channels.wecom.errors import Refused
from bot.channels.wecom.link import Link

_CHUNK: Final = 384 * 1024
"""Bytes of one part; WeCom takes 512 KB."""


def picture_items(picture: bytes) -> list[dict[str, object]]:
    """The picture as a part of a finished stream; nothing where there is none."""
    if not picture:
        return []
    told = {"base64": base64.b64encode(picture).decode(), "md5": _digest(picture)}
    return [{"msgtype": "image", "image": told}]


async def upload(link: Link, picture: bytes) -> str:
    """Bring a picture to WeCom over the long connection; gives the id under which it can be sent.

    Raises:
        Refused: WeCom does not take it.
        AckTimeout, LinkClosed: see `Link.request`; nothing of it can be seen, so it may be tried again.
    """
    parts = [picture[start : start + _CHUNK] for start in range(0, len(picture), _CHUNK)]
    opened = await link.request(
        frames.UPLOAD_INIT,
        link.own_id("upload"),
        {
            "type": "image",
            "filename": "chart.png",
            "total_size": len(picture),
            "total_chunks": len(parts),
            "md5": _digest(picture),
        },
    )
    upload_id = _named(opened, "upload_id")
    for number, part in enumerate(parts):
        chunk = {"upload_id": upload_id, "chunk_index": number, "base64_data": base64.b64encode(part).decode()}
        await link.request(frames.UPLOAD_CHUNK, link.own_id("upload"), chunk)
    return _named(await link.request(frames.UPLOAD_FINISH, link.own_id("upload"), {"upload_id": upload_id}), "media_id")


def _named(body: dict[str, object], name: str) -> str:
    found = body.get(name)
    if not isinstance(found, str) or not found:
        raise Refused(-1)
    return found


def _digest(picture: bytes) -> str:
    return hashlib.md5(picture, usedforsecurity=False).hexdigest()
