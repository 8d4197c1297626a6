"""`serve` up to the moment at which something has to be loaded: settings, files, and the ports it will listen on."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
from typing import Final

from bot.channels.registry import channel_named
from bot.running import log_for, spare_looks
from bot.settings import load_settings, require_webhook_secret

_FILES: Final = 8192


def run_serve() -> None:
    """Serve HTTP and every channel that has settings.

    Raises:
        SettingsError: settings are wrong.
        OSError: the port is in use.
    """
    spare_looks()
    settings = load_settings()
    require_webhook_secret(settings)
    if channel_named("wecom").wanted(settings):
        from bot.channels.wecom.run import check_settings

        check_settings(settings)
    log_for(settings)
    _allow_files()
    listener = _listen(settings.http_host, settings.http_port)
    health = _listen(settings.http_host, settings.health_port) if settings.health_port else None
    # only now, so that what is wrong is told before anything is loaded
    from bot.cli.serving import serve

    asyncio.run(serve(settings, listener, health))


def _allow_files() -> None:
    """Take as many open files as the system gives: connections are bounded here, not by a lack of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _listen(host: str, port: int) -> socket.socket:
    """Bind before anything is loaded, so that a taken port is said at once."""
    # named TCP, or asyncio leaves Nagle on: then the body of an answer waits 40 ms until its head is acknowledged
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(512)
    listener.setblocking(False)
    return listener
