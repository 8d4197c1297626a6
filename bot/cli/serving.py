"""`serve`: the web app with every configured channel, on one port, any number of replicas side by side.

On SIGTERM nothing new is taken first (the port closes, polling ends), then what is in hand is answered within the grace
period, and only then do channels and store let go.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import resource
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Final

import uvicorn
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from bot.app import describer_of
from bot.channels.charts import rehearse
from bot.channels.registry import ChannelEntry, channels
from bot.channels.web.addresses import Proxies
from bot.channels.web.app import WebChannel, build_web
from bot.channels.web.connections import guarded
from bot.channels.web.limits import Bounds
from bot.cli.channels import join
from bot.core.ports import StoreUnavailable
from bot.metrics import Metrics
from bot.running import run_until_stopped
from bot.service import Service
from bot.settings import Settings

_LOG: Final = logging.getLogger("xuanka.serve")
_LOOK_EVERY_S: Final = 5.0
_PROBE_EVERY_S: Final = 1.0
_CHANNELS_FIRST_S: Final = 5.0
_LOOK_AT_CHANNELS_EVERY_S: Final = 0.05
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 60.0
_MOST_CONNECTIONS: Final = 1000
_PER_ADDRESS: Final = 256
"""Connections of one address that is no trusted proxy."""
_MOST_PROBES: Final = 64
"""Connections at the door for health."""
_OTHER_FILES: Final = 256


def _most_connections() -> int:
    """Connections for which there are files, some left for everything else."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(64, min(_MOST_CONNECTIONS, soft - _OTHER_FILES))


class _Http(uvicorn.Server):
    """The HTTP server; signals are ours, not its."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


class Server:
    """Service, channels and web app, put together from settings."""

    def __init__(self, settings: Settings) -> None:
        """Load data and wire; nothing is connected yet."""
        self.settings = settings
        self.metrics = Metrics()
        self.service = Service(settings, meter=self.metrics)
        self.metrics.follow(lambda: self.service.responder.version)
        self.stop = asyncio.Event()
        self.running: list[asyncio.Task[None]] = []
        """Channels that bring messages by themselves. Each fails alone, and is begun again."""
        self.troubles: dict[str, Callable[[], str]] = {}
        """What each channel suffers from, empty when all is well."""
        self._probed: tuple[float, str] = (float("-inf"), "")
        self.web = WebChannel(
            self.service.delivery,
            self.ready,
            self.metrics.page,
            in_trouble=self.in_trouble,
            is_https=self.settings.http_public_url.startswith("https://"),
            keys={name: key.get_secret_value() for name, key in self.settings.api_keys.items()},
            describe=lambda text, reply: describer_of(self.service.responder.assistant)(text, reply),
            services=lambda: self.service.responder.assistant.services,
            pause_s=math.ceil(60 / min(self.settings.user_per_minute, self.settings.chat_per_minute)),
            gate=self.service.gate,
            origins=self.settings.http_origins,
        )

    async def ready(self) -> dict[str, str]:
        """What cannot take work, by name. A channel in trouble keeps no other from working: it is only told."""
        missing: dict[str, str] = {}
        try:
            await self._probe()
            backlog = await self.service.store.backlog()
            self.metrics.backlog(backlog.waiting, backlog.oldest_s)
        except StoreUnavailable as error:
            missing["store"] = str(error)
        if self.stop.is_set():
            missing["server"] = "stopping"
        self.metrics.ready(not missing)
        return missing

    async def _probe(self) -> None:
        """Whether the store takes a write; asked once a second at most, whoever wants to know.

        Raises:
            StoreUnavailable: it does not.
        """
        at, fault = self._probed
        if time.monotonic() - at >= _PROBE_EVERY_S:
            fault = ""
            try:
                await self.service.store.probe()
            except StoreUnavailable as error:
                fault = str(error)
            self._probed = (time.monotonic(), fault)
        if fault:
            raise StoreUnavailable(fault)

    def in_trouble(self) -> dict[str, str]:
        """Channels from which nothing comes in now, and why."""
        found = {name: trouble() for name, trouble in self.troubles.items()}
        return {name: trouble for name, trouble in found.items() if trouble}

    async def start(self, stack: AsyncExitStack) -> list[BaseRoute]:
        """Start store, channels and workers; `stack` undoes it in the right order. Gives the routes of all channels."""
        routes: list[BaseRoute] = self.web.routes()
        stack.push_async_callback(self.service.stop)
        await self.service.store.open()
        for entry in channels():
            if entry.wanted(self.settings):
                self._open(entry, stack, routes)
        await self.service.start()
        # Last in, first undone: answers in hand still need the channels and the store.
        stack.push_async_callback(self.service.delivery.stop, self.settings.grace_s)
        watcher = asyncio.create_task(self._watch(), name="watch")
        stack.callback(watcher.cancel)
        stack.push_async_callback(self._end_running)
        return routes

    def _open(self, entry: ChannelEntry, stack: AsyncExitStack, routes: list[BaseRoute]) -> None:
        """Open a channel and let it run beside the others."""
        channel = entry.open(self.settings, self.service.delivery, self.service.store)
        join(self.service, channel)
        stack.push_async_callback(channel.close)
        routes += channel.routes()
        self._run(entry.name, lambda: channel.run(self.stop), lambda: channel.trouble)

    def _run(self, name: str, run: Callable[[], Awaitable[None]], trouble: Callable[[], str]) -> None:
        self.troubles[name] = trouble
        self.running.append(asyncio.create_task(self._keep_running(name, run), name=name))

    async def _keep_running(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run a channel; when it fails, say so, and begin it again after a while. The others do not notice."""
        pause = _FIRST_PAUSE_S
        while not self.stop.is_set():
            begun = time.monotonic()
            try:
                await run()
                return
            except Exception as error:  # one channel must not end the others
                line = str(error) if type(error).__name__.endswith("StartError") else type(error).__name__
                self.metrics.failed(name)
                _LOG.error("ALERT: %s cannot work and is tried again: %s", name, line)
            pause = _FIRST_PAUSE_S if time.monotonic() - begun > _LONGEST_PAUSE_S else pause
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _end_running(self) -> None:
        """Let polls end by themselves before anything they need goes."""
        self.stop.set()
        if self.running:
            _, late = await asyncio.wait(self.running, timeout=self.settings.grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*self.running, return_exceptions=True)

    async def _watch(self) -> None:
        """Keep the gauges fresh between scrapes."""
        while True:
            await self.ready()
            await asyncio.sleep(_LOOK_EVERY_S)


def _door(app: ASGIApp, settings: Settings, most: int, per_address: int) -> _Http:
    """A server for one port whose connections are bounded."""
    config = uvicorn.Config(
        app,
        http=guarded(most, per_address, Proxies(settings.http_trusted_proxies)),
        ws="none",
        proxy_headers=False,  # whose word counts is a setting, not whoever is near
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=max(1, int(settings.grace_s)),
    )
    return _Http(config)


def _bounds(server: Server) -> Bounds:
    settings = server.settings
    return Bounds(
        per_minute=settings.http_per_minute,
        bytes_per_minute=settings.http_mb_per_minute * 1_000_000,
        proxies=Proxies(settings.http_trusted_proxies),
        is_known=server.web.is_known,
    )


async def _end_door(door: _Http, serving: asyncio.Task[None]) -> None:
    door.should_exit = True
    await serving


async def _warm(server: Server) -> None:
    """Do beforehand, once the door is open, what is otherwise done on first use; channels connect first."""
    if not server.service.settings.warm_up:
        return
    server.service.delivery.patient(cold=True)
    begun = time.monotonic()
    while server.in_trouble() and time.monotonic() - begun < _CHANNELS_FIRST_S:
        await asyncio.sleep(_LOOK_AT_CHANNELS_EVERY_S)
    await server.service.warm()
    await asyncio.to_thread(rehearse)


async def serve(settings: Settings, listener: socket.socket, health: socket.socket | None) -> None:
    """Serve until told to stop, on a port that is open already; `health` is another one for probes alone."""
    server = Server(settings)

    async def body(stop: asyncio.Event) -> None:
        server.stop = stop
        async with AsyncExitStack() as stack:
            routes = await server.start(stack)
            http = _door(
                build_web(routes, _bounds(server), settings.http_origins), settings, _most_connections(), _PER_ADDRESS
            )
            serving = asyncio.create_task(http.serve(sockets=[listener]), name="http")
            host, port = listener.getsockname()[:2]
            _LOG.warning("listening on %s:%d", host, port)
            if health is not None:
                probes = _door(build_web(server.web.probes()), settings, _MOST_PROBES, _MOST_PROBES)
                probing = asyncio.create_task(probes.serve(sockets=[health]), name="health")
                stack.push_async_callback(_end_door, probes, probing)
            warming = asyncio.create_task(_warm(server), name="warming")
            stack.callback(warming.cancel)
            waiting = asyncio.create_task(stop.wait())
            await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            http.should_exit = True
            await serving

    await run_until_stopped(body, server.service.reload)
