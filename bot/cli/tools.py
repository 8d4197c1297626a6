"""`mcp`: the advisor as tools for other assistants."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Final

from bot.app import build_assistant
from bot.channels.mcp.server import build, http_app
from bot.channels.web.addresses import Proxies
from bot.channels.web.callers import caller_of
from bot.channels.web.connections import guarded
from bot.channels.web.limits import Bounds
from bot.core.message import IncomingMessage, Reply
from bot.gate import Access
from bot.identity import read_identities
from bot.pipeline import Assistant
from bot.settings import load_settings
from bot.version import version

_MOST_CONNECTIONS: Final = 500
_PER_ADDRESS: Final = 256


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
    """Serve HTTP at /mcp, to whom the settings let in, and no more of it to anybody than they say.

    Raises:
        OSError: the port is in use.
        SettingsError: settings are wrong.
    """
    import uvicorn

    settings = load_settings()
    access = Access(
        allow_chats=read_identities(settings.allow_chats), allow_users=read_identities(settings.allow_users)
    )
    proxies = Proxies(settings.http_trusted_proxies)
    keys = {name: key.get_secret_value() for name, key in settings.api_keys.items()}
    bounds = Bounds(
        per_minute=settings.http_per_minute,
        bytes_per_minute=settings.http_mb_per_minute * 1_000_000,
        proxies=proxies,
        is_known=lambda headers: bool(caller_of(headers.get("authorization", ""), keys)),
    )
    app = http_app(build(answer, version()), hosts, origins, bounds, keys, access.lets_in)
    door = guarded(_MOST_CONNECTIONS, _PER_ADDRESS, proxies)
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False, proxy_headers=False, http=door)
