"""Logs as JSON lines with a correlation id. Ids of people and chats appear only hashed; texts never appear.

The formatter writes the message, never the arguments of an exception: an exception's own words may quote a user. Should
a secret reach a line all the same, it is replaced by stars.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import hmac
import json
import logging
import sys
import traceback
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

_LOG = logging.getLogger("xuanka")
_SHORTEST_SECRET = 6

correlation: contextvars.ContextVar[str] = contextvars.ContextVar("correlation", default="")
"""Names the message being worked on in every line logged meanwhile."""


class Hasher:
    """Stable short hashes of ids, keyed, so that logs can be joined but not turned back."""

    def __init__(self, salt: str) -> None:
        """Replicas with the same salt give the same hashes."""
        self._key = salt.encode()

    def __call__(self, ident: str) -> str:
        """Ten hex digits for an id."""
        return hmac.new(self._key, ident.encode(), hashlib.sha256).hexdigest()[:10]


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, logger, message, correlation id, and where it broke."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if correlation.get():
            line["correlation"] = correlation.get()
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["where"] = [
                f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(record.exc_info[2])[-6:]
            ]
        return json.dumps(line, ensure_ascii=False)


class PlainFormatter(logging.Formatter):
    """For a person at a terminal: the same content on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, message, correlation id."""
        tag = f" [{correlation.get()}]" if correlation.get() else ""
        error = f" ({record.exc_info[0].__name__})" if record.exc_info and record.exc_info[0] else ""
        clock = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        return f"{clock} {record.levelname.lower()} {record.name}: {record.getMessage()}{error}{tag}"


class Discreet(logging.StreamHandler[TextIO]):
    """Writes lines with every known secret struck out."""

    def __init__(self, stream: TextIO, secrets: Iterable[str]) -> None:
        """Secrets shorter than six characters are left alone: striking them out would garble every line."""
        super().__init__(stream)
        self._secrets = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line


def set_up_logs(level: str, stream: TextIO | None = None, secrets: Iterable[str] = ()) -> None:
    """Send all logs to one stream: JSON, or plain lines for a terminal. Libraries that log addresses are quiet.

    What nobody caught is logged by its kind and place only, for the same reason.
    """
    stream = stream or sys.stderr
    handler = Discreet(stream, secrets)
    handler.setFormatter(PlainFormatter() if stream.isatty() else JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("httpx", "httpcore", "telegram", "telegram.ext", "websockets", "uvicorn.access", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    sys.excepthook = _log_uncaught


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        # RuntimeError stands in for the exception: its own words stay out of every formatter.
        _LOG.critical("stopped by %s", kind.__name__, exc_info=(kind, RuntimeError(kind.__name__), trace))


def log_stray(_loop: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
    """Exception handler of the event loop: what a forgotten task died of, by kind and place."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        trace = error.__traceback__
        _LOG.error("a task died of %s", type(error).__name__, exc_info=(type(error), RuntimeError(), trace))
    else:
        _LOG.warning("the event loop complains")
