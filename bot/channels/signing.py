"""Signs the keys of buttons, so that any replica can trust them without having kept anything.

A signed key is `mac.asker:key`: 12 characters of HMAC-SHA256 (72 bits), who may press it, and the choice's own key with
its commonest beginnings shortened. The code also covers the scope (channel and bot) and the chat, so a key is worth
nothing in another chat. A Telegram id (at most 52 bits) and a key of 40 bytes stay within Telegram's 64 bytes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MAC_LENGTH = 12
_CASE = re.compile(r"#([0-9A-Z]{3,6})\Z")
_CASE_IN_TEXT = re.compile(r"(?<![\w&#/])#([2-9A-HJ-NP-Z]{4})(?!\w)")
_SHORT = (("set:model=", "M"), ("set:gpu=", "G"), ("set:", "S"), ("ask:", "A"), ("do:", "D"), ("", "_"))
"""Beginnings of keys and the letter that stands for each; the first that fits is used."""
_LONG = {letter: beginning for beginning, letter in _SHORT}


class Forged(ValueError):
    """A pressed key does not bear our signature for this chat, or is no key at all."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A verified key. `asker` is empty when every member of the chat may press it."""

    key: str
    asker: str

    @property
    def case(self) -> str:
        """Tag of the answer that the key belongs to, or nothing."""
        return case_of_key(self.key)

    def may(self, user_id: str) -> bool:
        """Whether this user may press it."""
        return not self.asker or hmac.compare_digest(self.asker, user_id)


class Signer:
    """Signs and verifies keys of one channel and bot."""

    def __init__(self, secret: str, scope: str) -> None:
        """Derive the key of this scope, such as `telegram:12345`, from a secret that all replicas share."""
        self._key = hmac.digest(secret.encode(), b"buttons\0" + scope.encode(), hashlib.sha256)

    def sign(self, key: str, *, chat_id: str, asker: str = "") -> str:
        """The key as it travels. Without `asker`, any member of the chat may press it.

        Raises:
            ValueError: the key is empty or not printable ASCII.
        """
        if not key or not key.isascii() or not key.isprintable():
            raise ValueError("a choice's key is printable ASCII")
        body = f"{_pack_id(asker)}:{_pack_key(key)}"
        return f"{self._mac(body, chat_id)}.{body}"

    def verify(self, data: str, *, chat_id: str) -> Pressed:
        """The key inside signed data.

        Raises:
            Forged: not ours, or not of this chat.
        """
        mac, dot, body = data.partition(".")
        packed, colon, short = body.partition(":")
        if not dot or not colon or not short or not data.isascii():
            raise Forged("not a signed key")
        if not hmac.compare_digest(mac, self._mac(body, chat_id)):
            raise Forged("the signature does not fit")
        return Pressed(_unpack_key(short), _unpack_id(packed))

    def _mac(self, body: str, chat_id: str) -> str:
        digest = hmac.digest(self._key, f"{chat_id}\0{body}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).decode()[:_MAC_LENGTH]


def peek_key(data: str) -> str:
    """The key in signed data that is not verified: for finding a context, never for acting."""
    return _unpack_key(data.partition(":")[2])


def case_of_key(key: str) -> str:
    """The case tag at the end of a key, or nothing."""
    found = _CASE.search(key)
    return found[1] if found else ""


def case_in_text(text: str) -> str:
    """The last visible case tag in a text of ours, or nothing."""
    found = _CASE_IN_TEXT.findall(text)
    return found[-1] if found else ""


def _pack_key(key: str) -> str:
    beginning, letter = next(pair for pair in _SHORT if key.startswith(pair[0]))
    return letter + key[len(beginning) :]


def _unpack_key(short: str) -> str:
    return _LONG.get(short[:1], "") + short[1:]


def _pack_id(user_id: str) -> str:
    if not (user_id.isascii() and user_id.isdigit()) or user_id.startswith("0"):
        return "_" + base64.urlsafe_b64encode(user_id.encode()).decode().rstrip("=") if user_id else ""
    number, packed = int(user_id), ""
    while number:
        number, digit = divmod(number, 62)
        packed = _DIGITS[digit] + packed
    return packed


def _unpack_id(packed: str) -> str:
    if packed.startswith("_"):
        return base64.urlsafe_b64decode(packed[1:] + "=" * (-len(packed[1:]) % 4)).decode()
    number = 0
    for char in packed:
        number = number * 62 + _DIGITS.index(char)
    return str(number) if packed else ""
