"""What a running bot counts for Prometheus. Labels hold intents, decisions and outcomes: no ids, no texts."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Counters and timers of one process (port `Meter`)."""

    def __init__(self) -> None:
        """Register everything on a registry of its own."""
        self.registry = CollectorRegistry()
        self._version: Callable[[], str] = str
        self._accepted = self._counter("accepted", "Updates at the door", ["channel", "outcome"])
        self._decisions = self._counter("replies", "Replies by decision", ["channel", "decision", "intent", "language"])
        self._sends = self._counter("sends", "Sends by outcome", ["channel", "outcome"])
        self._errors = self._counter("errors", "Unexpected faults", ["where"])
        self._steps = Histogram(
            "xuanka_step_seconds", "Time of a step", ["step"], buckets=_BUCKETS, registry=self.registry
        )
        self._waiting = Gauge("xuanka_inbox_waiting", "Messages in the inbox", registry=self.registry)
        self._oldest = Gauge("xuanka_inbox_oldest_seconds", "Age of the oldest of them", registry=self.registry)
        self._ready = Gauge("xuanka_ready", "1 while store and channels can take work", registry=self.registry)
        self._data = Gauge("xuanka_data_info", "Version of the data in use", ["version"], registry=self.registry)

    def _counter(self, name: str, text: str, labels: list[str]) -> Counter:
        return Counter(f"xuanka_{name}", text, labels, registry=self.registry)

    def accepted(self, channel: str, outcome: str) -> None:
        """An update came to the door."""
        self._accepted.labels(channel, outcome).inc()

    def replied(self, channel: str, decision: str, intent: str, language: str) -> None:
        """A message got its reply."""
        self._decisions.labels(channel, decision, intent or "none", language).inc()

    def sent(self, channel: str, outcome: str) -> None:
        """A send ended."""
        self._sends.labels(channel, outcome).inc()

    def failed(self, where: str) -> None:
        """Something unexpected was caught."""
        self._errors.labels(where).inc()

    def took(self, step: str, seconds: float) -> None:
        """A step took so long: wait, respond, send."""
        self._steps.labels(step).observe(seconds)

    def backlog(self, waiting: int, oldest_s: float) -> None:
        """What waits."""
        self._waiting.set(waiting)
        self._oldest.set(oldest_s)

    def ready(self, is_ready: bool) -> None:
        """Whether work can be taken."""
        self._ready.set(is_ready)

    def follow(self, version: Callable[[], str]) -> None:
        """Where the version of the data in use is asked for."""
        self._version = version

    def page(self) -> bytes:
        """Prometheus text."""
        self._data.clear()
        self._data.labels(self._version()).set(1)
        return generate_latest(self.registry)
