"""`serve`: the web app with every configured channel, on one port, any number of replicas side by side."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import AsyncExitStack

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from bot.channels.web.app import WebChannel, build_web
from bot.core.ports import StoreUnavailable
from bot.logs import set_up_logs
from bot.metrics import Metrics
from bot.service import Service, run_until_stopped
from bot.settings import Settings, load_settings

_LOG = logging.getLogger("xuanka.serve")
_LOOK_EVERY_S = 5.0


def run_serve() -> None:
    """Serve HTTP and every channel that has settings.

    Raises:
        SettingsError: settings are wrong.
        OSError: the port is in use.
    """
    settings = load_settings()
    set_up_logs(settings.log_level)
    listener = _listen(settings)
    asyncio.run(_serve(settings, listener))


def _listen(settings: Settings) -> socket.socket:
    """Bind before anything is loaded, so that a taken port is said at once."""
    listener = socket.socket(socket.AF_INET6 if ":" in settings.http_host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((settings.http_host, settings.http_port))
    listener.listen(512)
    listener.setblocking(False)
    return listener


class Server:
    """Service, channels and web app, put together from settings."""

    def __init__(self, settings: Settings) -> None:
        """Load data and wire; nothing is connected yet."""
        self.settings = settings
        self.metrics = Metrics()
        self.service = Service(settings, meter=self.metrics)
        self.metrics.follow(lambda: self.service.responder.version)

    async def ready(self) -> dict[str, str]:
        """What cannot take work, by name."""
        try:
            backlog = await self.service.store.backlog(self.service.delivery.now())
        except StoreUnavailable as error:
            return {"store": str(error)}
        self.metrics.backlog(backlog.waiting, backlog.oldest_s)
        return {}

    async def app(self, stack: AsyncExitStack, stop: asyncio.Event) -> Starlette:
        """Start everything; `stack` undoes it in reverse order."""
        web = WebChannel(self.service.delivery, self.ready, self.metrics.page)
        routes: list[BaseRoute] = web.routes()
        await self._telegram(stack, stop, routes)
        await self.service.start()
        stack.push_async_callback(self.service.stop)
        watcher = asyncio.create_task(self._watch(stop))
        stack.callback(watcher.cancel)
        return build_web(routes)

    async def _telegram(self, stack: AsyncExitStack, stop: asyncio.Event, routes: list[BaseRoute]) -> None:
        if not self.settings.telegram_token:
            return
        from bot.channels.telegram.run import Telegram

        channel = Telegram(self.settings, self.service.store)
        for name in ("telegram", "telegram-inline"):
            self.service.senders[name] = channel
        await self.service.store.open()
        await channel.start(self.service.delivery)
        stack.push_async_callback(channel.stop)
        if self.settings.telegram_mode == "webhook":
            routes += channel.routes()
            await channel.register_webhook()
            return
        task = asyncio.create_task(channel.poll(stop))
        stack.callback(task.cancel)

    async def _watch(self, stop: asyncio.Event) -> None:
        """Keep the gauges fresh between scrapes."""
        while not stop.is_set():
            await self.ready()
            await asyncio.sleep(_LOOK_EVERY_S)


async def _serve(settings: Settings, listener: socket.socket) -> None:
    server = Server(settings)

    async def body(stop: asyncio.Event) -> None:
        async with AsyncExitStack() as stack:
            app = await server.app(stack, stop)
            config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_keep_alive=30)
            http = uvicorn.Server(config)
            http.install_signal_handlers = lambda: None  # type: ignore[attr-defined]  # signals are ours
            serving = asyncio.create_task(http.serve(sockets=[listener]))
            host, port = listener.getsockname()[:2]
            _LOG.info("listening on %s:%d", host, port)
            waiting = asyncio.create_task(stop.wait())
            await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            http.should_exit = True
            await serving

    await run_until_stopped(body, server.service.reload)
