"""Signed keys of buttons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.signing import Forged, Signer, case_in_text, peek_key

KEYS = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=40)
SIGNER = Signer("secret", "telegram:1")


@given(KEYS, st.integers(1, 2**52), st.integers(-(2**52), 2**52))
def test_a_key_comes_back_with_its_asker_and_fits_sixty_four_bytes(key: str, asker: int, chat: int) -> None:
    data = SIGNER.sign(key, chat_id=str(chat), asker=str(asker))
    pressed = SIGNER.verify(data, chat_id=str(chat))
    assert (pressed.key, pressed.asker) == (key, str(asker))
    assert pressed.may(str(asker))
    assert not pressed.may(str(asker + 1))
    assert len(data.encode()) <= 64


@given(KEYS, st.text(min_size=1, max_size=64))
def test_ids_that_are_names_work_too(key: str, asker: str) -> None:
    pressed = SIGNER.verify(SIGNER.sign(key, chat_id="c", asker=asker), chat_id="c")
    assert (pressed.key, pressed.asker) == (key, asker)


@given(KEYS, st.integers(0, 63), st.integers(1, 127))
def test_no_changed_byte_is_accepted(key: str, place: int, change: int) -> None:
    data = SIGNER.sign(key, chat_id="c", asker="5")
    place %= len(data)
    forged = data[:place] + chr(ord(data[place]) ^ change) + data[place + 1 :]
    with pytest.raises(Forged):
        SIGNER.verify(forged, chat_id="c")


@given(st.text(max_size=80))
def test_anything_else_is_refused(data: str) -> None:
    with pytest.raises(Forged):
        SIGNER.verify(data, chat_id="c")


@pytest.mark.parametrize(
    "other", [Signer("another", "telegram:1"), Signer("secret", "telegram:2"), Signer("secret", "wecom:1")]
)
def test_keys_of_other_secrets_bots_and_channels_are_refused(other: Signer) -> None:
    with pytest.raises(Forged):
        SIGNER.verify(other.sign("do:why", chat_id="c"), chat_id="c")


def test_a_key_is_worth_nothing_in_another_chat() -> None:
    with pytest.raises(Forged):
        SIGNER.verify(SIGNER.sign("do:why", chat_id="-1"), chat_id="-2")


def test_another_replica_with_the_same_secret_accepts_it() -> None:
    data = SIGNER.sign("do:why#K7QK", chat_id="-1", asker="5")
    pressed = Signer("secret", "telegram:1").verify(data, chat_id="-1")
    assert pressed.case == "K7QK"
    assert peek_key(data) == "do:why#K7QK"


@pytest.mark.parametrize(
    "key", ["set:model=stable-diffusion-xl-base-1.0#9BC3", "set:gpu=RTX PRO 6000 Blackwell 96GB#9BC3"]
)
def test_long_names_fit_too(key: str) -> None:
    assert len(SIGNER.sign(key, chat_id="-1001000000001", asker=str(2**52 - 1))) <= 64


def test_without_an_asker_everybody_may_press() -> None:
    assert SIGNER.verify(SIGNER.sign("do:why", chat_id="c"), chat_id="c").may("anybody")


@pytest.mark.parametrize("key", ["", "显卡", "a\nb"])
def test_keys_that_do_not_fit_are_not_signed(key: str) -> None:
    with pytest.raises(ValueError, match="ASCII"):
        SIGNER.sign(key, chat_id="c")


@pytest.mark.parametrize(
    ("text", "case"),
    [("24 GiB\n\n#K7QK", "K7QK"), ("#AAA2 then #BBB3", "BBB3"), ("C#ABCD &#1234", ""), ("#abcd", ""), ("#K7QKX", "")],
)
def test_the_last_visible_tag_counts(text: str, case: str) -> None:
    assert case_in_text(text) == case
