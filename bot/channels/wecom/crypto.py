"""WeCom's callback crypto: AES-256-CBC with 32-byte PKCS#7 padding, and SHA-1 signatures.

Layout of a plain text: 16 random bytes, length (uint32, big endian), message (UTF-8), receiver id. Source: WeCom
developer pages 101033 and "encryption and decryption scheme"; vectors in tests/bot/channels/wecom/test_crypto.py.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from bot.channels.wecom.errors import BadEnvelope, BadSignature, WecomStartError, WrongReceiver

_BLOCK = 32
_AES_BLOCK = 16
_RANDOM = 16
_HEAD = _RANDOM + 4
_KEY_LENGTH = 43


class WecomCrypto:
    """Signs, seals and opens callbacks of one bot or app."""

    def __init__(self, token: str, encoding_aes_key: str, receive_id: str = "") -> None:
        """Take what the admin console shows.

        Args:
            token: of the callback.
            encoding_aes_key: 43 characters.
            receive_id: empty for an AI bot of the own company, the corp id for a self-built app.

        Raises:
            WecomStartError: the key is none.
        """
        try:
            key = base64.b64decode(encoding_aes_key.strip() + "=", validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if len(encoding_aes_key.strip()) != _KEY_LENGTH or len(key) != _BLOCK:
            raise WecomStartError("the EncodingAESKey must be the 43 letters and digits that the admin console shows")
        self._token, self._key, self._receive_id = token, key, receive_id.encode()

    def signature(self, timestamp: str, nonce: str, encrypted: str) -> str:
        """SHA-1 over the sorted parts, as WeCom defines it; not for secrecy, hence `usedforsecurity`."""
        parts = sorted([self._token, timestamp, nonce, encrypted])
        return hashlib.sha1("".join(parts).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()

    def verify(self, signature: str, timestamp: str, nonce: str, encrypted: str) -> None:
        """Check a signature in constant time.

        Raises:
            BadSignature: it does not fit.
        """
        wanted = self.signature(timestamp, nonce, encrypted)
        if not hmac.compare_digest(wanted.encode(), signature.encode("utf-8", "replace")):
            raise BadSignature("the signature does not fit")

    def encrypt(self, text: str) -> str:
        """Seal a text for the other side."""
        message = text.encode()
        plain = secrets.token_bytes(_RANDOM) + struct.pack(">I", len(message)) + message + self._receive_id
        count = _BLOCK - len(plain) % _BLOCK
        encryptor = self._cipher().encryptor()
        sealed = encryptor.update(plain + bytes([count]) * count) + encryptor.finalize()
        return base64.b64encode(sealed).decode()

    def decrypt(self, encrypted: str) -> str:
        """Open a sealed text.

        Raises:
            BadEnvelope: it is no sealed text of this key.
            WrongReceiver: it was sealed for somebody else.
        """
        try:
            sealed = base64.b64decode(encrypted, validate=True)
        except (binascii.Error, ValueError):
            raise BadEnvelope("not base64") from None
        if not sealed or len(sealed) % _AES_BLOCK:
            raise BadEnvelope("not whole blocks")
        decryptor = self._cipher().decryptor()
        return self._unpack(decryptor.update(sealed) + decryptor.finalize())

    def _unpack(self, padded: bytes) -> str:
        count = padded[-1]
        if not 1 <= count <= _BLOCK or count > len(padded) or padded[-count:] != bytes([count]) * count:
            raise BadEnvelope("wrong padding")
        plain = padded[:-count]
        if len(plain) < _HEAD:
            raise BadEnvelope("too short")
        (length,) = struct.unpack(">I", plain[_RANDOM:_HEAD])
        if length > len(plain) - _HEAD:
            raise BadEnvelope("wrong length")
        if not hmac.compare_digest(plain[_HEAD + length :], self._receive_id):
            raise WrongReceiver("sealed for another receiver")
        try:
            return plain[_HEAD : _HEAD + length].decode()
        except UnicodeDecodeError:
            raise BadEnvelope("not UTF-8") from None

    def _cipher(self) -> Cipher[modes.CBC]:
        return Cipher(algorithms.AES256(self._key), modes.CBC(self._key[:_AES_BLOCK]))
