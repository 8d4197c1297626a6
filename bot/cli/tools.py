"""`mcp`: the advisor as tools for other assistants."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from bot.app import build_assistant
from bot.channels.mcp.server import build, http_app
from bot.cli.version import version
from bot.core.message import IncomingMessage, Reply
from bot.pipeline import Assistant


@cache
def _assistant() -> Assistant:
    return build_assistant()


def answer(message: IncomingMessage) -> Reply:
    """The reply to a question that stands alone; the assistant is built at the first one."""
    return _assistant().respond(message, None, datetime.now(UTC))[0]


def serve_stdio() -> None:
    """Serve the process that started this one, until it closes the stream."""
    build(answer, version()).run("stdio")


def serve_http(host: str, port: int, hosts: list[str], origins: list[str]) -> None:
    """Serve HTTP at /mcp.

    Raises:
        OSError: the port is in use.
    """
    import uvicorn

    app = http_app(build(answer, version()), hosts, origins)
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)
