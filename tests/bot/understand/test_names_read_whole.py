"""A card whose name goes on behind what was read is another card: told as unknown, never answered as its neighbour."""

from __future__ import annotations

import pytest

from bot.channels.markup import plain_text
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant

ASSISTANT = shared_assistant()


def said(text: str) -> str:
    return plain_text(ASSISTANT.explain(message(text), None, NOW).reply.text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("P106-110 memory", "P106-110"),
        ("P104-101 显存", "P104-101"),
        ("Trainium 4 memory", "Trainium 4"),
        ("RX 580 2048SP memory", "RX 580 2048SP"),
        ("H800 NVL memory", "H800 NVL"),
        ("H100 CNX memory", "H100 CNX"),
        ("RTX PRO 3000 memory", "RTX Pro 3000"),
        ("A100 30GB memory", "A100 30GB"),
        ("Jetson AGX Orin Industrial memory", "Jetson AGX Orin Industrial"),
        ("MLU370-S4 显存", "MLU370-S4"),
    ],
)
def test_a_name_that_goes_on_is_not_in_the_catalogue(text: str, name: str) -> None:
    first = said(text).partition("\n")[0]
    assert name in first
    assert "GiB" not in first


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("P106-100 memory", "P106-100"),
        ("P106 6G 显存", "P106-100"),
        ("CMP 100-210 memory", "CMP 100-210"),
        ("H100 NVL memory", "H100 NVL 94GB"),
        ("GB200 NVL72 memory", "GB200"),
        ("RTX PRO 4000 memory", "RTX PRO 4000 Blackwell"),
        ("quadro rtx 3000 memory", "Quadro RTX 3000"),
        ("Arc Pro B60 memory", "Arc Pro B60"),
        ("Trainium 2 memory", "Trainium 2"),
        ("MLU370 显存", "MLU370-X8"),
        ("Jetson Thor T4000 memory", "Jetson T4000"),
        ("4090-24G memory", "RTX 4090"),
        ("L40S PCIe memory", "L40S"),
    ],
)
def test_a_name_that_is_read_whole_is_answered(text: str, name: str) -> None:
    told = said(text)
    assert name in told
    assert " GB" in told
