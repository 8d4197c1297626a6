"""The machine around the card as people name it: its processor, kind, speed and channels of its memory."""

from __future__ import annotations

from advisor.speed.hosts import bank_of, processor_in
from bot.read.rounds import channels_of, has_two_sockets


def memory_of(text: str) -> str:
    """Kind, speed and channels of the memory that a text names ("DDR5-6000, 2 channels"), "" where it names no kind."""
    bank = bank_of(text)
    if bank is None:
        return ""
    count = bank.channels or channels_of(text)
    return f"{bank.kind}, {count} channels" if count else bank.kind


def processor_of(text: str) -> str:
    """The processor that a text names, as the advisor's table spells it, "2 x" before two of them; "" for none."""
    return processor_in(f"dual socket {text}" if has_two_sockets(text) else text)
