"""What can go wrong between WeCom and us.

WecomStartError   the channel cannot start; one line that says what to do
CryptoError       a callback is not from WeCom, or not for us
  BadSignature    the signature does not fit
  BadEnvelope     it cannot be decrypted
  WrongReceiver   it is meant for another company or bot
LinkError         the long connection
  LinkClosed      it ended; `sent` tells whether the frame had left
  AckTimeout      WeCom did not acknowledge in time: delivered or not, nobody knows
  Refused         WeCom acknowledged with an error code
"""

from __future__ import annotations


class WecomStartError(RuntimeError):
    """The channel cannot start. The message is one line and holds no secret."""


class CryptoError(ValueError):
    """A callback that is not for us."""


class BadSignature(CryptoError):
    """The signature does not fit token, time, nonce and body."""


class BadEnvelope(CryptoError):
    """The body cannot be decrypted."""


class WrongReceiver(CryptoError):
    """The body was encrypted for another receiver."""


class LinkError(RuntimeError):
    """A request over the long connection did not end well."""


class LinkClosed(LinkError):
    """The connection is gone."""

    def __init__(self, sent: bool) -> None:
        """`sent`: the frame had left before."""
        self.sent = sent
        super().__init__("the connection is closed")


class AckTimeout(LinkError):
    """No acknowledgement in time."""


class Refused(LinkError):
    """WeCom refused a request."""

    def __init__(self, code: int) -> None:
        """`code` is WeCom's errcode; its errmsg may quote texts and is not kept."""
        self.code = code
        super().__init__(f"errcode {code}")
