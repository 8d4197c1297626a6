"""WeCom's side of the callback crypto, written apart from the bot's and able to do it wrong on purpose.

Held against `@wecom/crypto` in tests/peers/wecom.
"""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC


@dataclass(frozen=True)
class Seal:
    """The secrets of one callback."""

    token: str
    aes_key: str
    receive_id: str = ""

    @property
    def _cipher(self) -> Cipher[CBC]:
        key = base64.b64decode(self.aes_key + "=")
        return Cipher(AES(key), CBC(key[:16]))

    def sign(self, timestamp: str, nonce: str, encrypted: str) -> str:
        joined = "".join(sorted((self.token, timestamp, nonce, encrypted)))
        return hashlib.sha1(joined.encode()).hexdigest()

    def close(self, message: bytes, *, receive_id: str | None = None, length: int | None = None) -> str:
        """Encrypt; `length` writes a wrong length field."""
        receiver = (self.receive_id if receive_id is None else receive_id).encode()
        size = len(message) if length is None else length
        return self.close_raw(os.urandom(16) + size.to_bytes(4, "big") + message + receiver)

    def close_raw(self, plain: bytes, pad: bytes | None = None) -> str:
        """Encrypt with correct padding, or with `pad` as it is (whole blocks are the caller's business)."""
        if pad is None:
            count = 32 - len(plain) % 32
            pad = bytes([count]) * count
        encryptor = self._cipher.encryptor()
        return base64.b64encode(encryptor.update(plain + pad) + encryptor.finalize()).decode()

    def open(self, encrypted: str) -> tuple[bytes, str]:
        """Decrypt to message and receiver id; asserts what the other side must keep to."""
        decryptor = self._cipher.decryptor()
        padded = decryptor.update(base64.b64decode(encrypted, validate=True)) + decryptor.finalize()
        assert len(padded) % 32 == 0, "padding is not to 32 bytes"
        assert 1 <= padded[-1] <= 32
        assert padded[-padded[-1] :] == bytes([padded[-1]]) * padded[-1]
        plain = padded[: -padded[-1]]
        size = int.from_bytes(plain[16:20], "big")
        return plain[20 : 20 + size], plain[20 + size :].decode()
