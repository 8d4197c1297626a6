"""What a machine draws, its cards at full load and at work, and the rest. One model for supply, bill and carbon.

A supply is sized by full load; a bill and its carbon by what busy cards draw on average. A limit lowers both; what was
measured at the socket stands for the whole machine at work.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from advisor.models import Gpu
from advisor.money.energy import energy_data
from advisor.money.span import Span, exact, positive

_SERVER: Final = frozenset({"sxm", "oam", "superchip"})
"""How cards are built in that only stand on a server's board, with its fans and switches around them."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Watts of a machine with `n` cards of one kind."""

    card_w: float
    """Of one card at full load: its limit where one is set, else its board power."""
    n: int
    cards: Span
    """Of all cards at work, on average."""
    host: Decimal
    """Of the rest at work; 0 where the whole machine was measured."""
    limited: bool = False
    measured: bool = False

    @property
    def full_w(self) -> float:
        """Of all cards at full load."""
        return self.card_w * self.n

    @property
    def machine(self) -> Span:
        """Of the whole machine at work."""
        return self.cards.plus(self.host)


def draw_of(gpu: Gpu, n: int = 1, limit_w: float | None = None, wall_w: float | None = None) -> Draw | None:
    """The draw of a machine; None when neither the card's board power nor a figure of the asker's is known.

    Args:
        gpu: the card.
        n: how many of it.
        limit_w: a power limit of one card; one above its board power changes nothing.
        wall_w: measured at the socket, of the whole machine at work.

    Raises:
        OutOfRange: a limit or a measured figure that no machine has.
    """
    board = gpu.board_power_w
    limit = float(positive("power_w", limit_w, 100_000, "W")) if limit_w is not None else None
    known = [watts for watts in (board, limit) if watts is not None]
    if not known and wall_w is None:
        return None
    card = min(known) if known else 0.0
    if wall_w is not None:
        return Draw(card, n, Span.of(positive("power_w", wall_w, 100_000, "W")), Decimal(0), limit is not None, True)
    defaults = energy_data().power
    full = exact(card) * n
    low = defaults.load_low if limit is None else defaults.load
    busy = Span(value=full * defaults.load, low=full * low, high=full * defaults.load_high)
    return Draw(card, n, busy, _host_of(gpu, full), limit is not None and (board is None or limit < board))


def idle_draw(gpu: Gpu, n: int = 1) -> Draw | None:
    """The draw of a machine that waits with nothing loaded; None for cards on a server's board, which have no figure.

    Args:
        gpu: the card.
        n: how many of it.
    """
    if gpu.mount in _SERVER:
        return None
    defaults = energy_data().power
    low, high = defaults.idle_low * n, defaults.idle_high * n
    return Draw(float(defaults.idle_high), n, Span(value=(low + high) / 2, low=low, high=high), defaults.idle_host_w)


def _host_of(gpu: Gpu, full: Decimal) -> Decimal:
    """The rest of the machine at work: a computer's, or that of a server by the full load of its cards."""
    defaults = energy_data().power
    return max(defaults.host_w, full * defaults.server_share) if gpu.mount in _SERVER else defaults.host_w
