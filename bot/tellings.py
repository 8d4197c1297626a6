"""What members tell the bot: prices and measurements, as one thing that is attended to before questions are."""

from __future__ import annotations

from collections.abc import Mapping

from bot.chat_prices import ChatPrices
from bot.chat_reports import ChatReports
from bot.core.message import IncomingMessage, Reply


class Tellings:
    """Port `Quotes` over both."""

    def __init__(self, prices: ChatPrices, reports: ChatReports) -> None:
        """Take both."""
        self._prices, self._reports = prices, reports

    async def attend(self, message: IncomingMessage) -> Reply | None:
        """See the port: a price first, then a measurement."""
        return await self._prices.attend(message) or await self._reports.attend(message)

    def keys(self, message: IncomingMessage) -> tuple[str, ...]:
        """See the port."""
        return self._prices.keys(message)

    async def attached(self, message: IncomingMessage, kept: Mapping[str, object]) -> IncomingMessage:
        """See the port."""
        return await self._prices.attached(message, kept)

    async def offer(self, message: IncomingMessage, reply: Reply) -> Reply:
        """See the port."""
        return await self._prices.offer(message, reply)

    async def forget(self, message: IncomingMessage) -> int:
        """See the port."""
        return await self._prices.forget(message) + await self._reports.forget(message)
