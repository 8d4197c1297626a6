"""The crypto: fixed vectors made with `@wecom/crypto` 1.0.1, and everything that must be refused."""

from __future__ import annotations

import base64
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.wecom.crypto import WecomCrypto
from bot.channels.wecom.errors import BadEnvelope, BadSignature, WecomStartError, WrongReceiver
from tests.fakes.wecom_crypto import Seal

TOKEN, TIMESTAMP, NONCE = "QDG6eK", "1409659813", "1372623149"
AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
VECTORS = [
    (
        "",
        '{"msgid":"m1","msgtype":"text","text":{"content":"@选卡助手 BERT 微调用什么显卡?"}}',
        "+9BDbT6SdqhFdX6nOYCjCtVYPjaCwJ8Zp0knAmsUnN1u5ZaYwcZy32VI7U5LOgeBHhIkCO4dKNtPAOZJ9k/yZi3/rST/zrUsccEYVWaI"
        "uSdxQnriTyCtbaWKCIfs+TwPa7/WWrPrppxsCurBWpsxU/PnPs0zEFAGV13NMArJbaY=",
        "6baf99d13e91992b5bf5d2a77cea11243c0dd491",
    ),
    (
        "",
        "1616140317555161061",
        "RGsWjz9riWkOgbnlIKQtuO+kGsvcCL/cRSM1LhQEVngZOl3VxDWD/aVWaf4TzljuDs5nJE32dBUyfQTZWlBKtg==",
        "1e9de3fc66b84e0ed90ead3bbd6d6f39281045dd",
    ),
    (
        "wx5823bf96d3bd56c7",
        "<xml><Content><![CDATA[hi]]></Content></xml>",
        "Iu392m8e9Pa7+/La+AA/AvQ2FMgYW1xj+8sH/axv4nmmuoIWjm6KxpBfydyn3gYA1nPfzA1WCJThEANudbS/muZ+dDNl6Uu1rmmEoTYD"
        "7sK0QmHbwe18ToJfqmdlfR9L",
        "8e30bd85ce669872745d329db283ec4ecce17031",
    ),
]


@pytest.mark.parametrize(("receive_id", "plain", "encrypted", "signature"), VECTORS)
def test_vectors_of_the_official_library_are_opened_and_their_signatures_fit(
    receive_id: str, plain: str, encrypted: str, signature: str
) -> None:
    crypto = WecomCrypto(TOKEN, AES_KEY, receive_id)
    assert crypto.decrypt(encrypted) == plain
    assert crypto.signature(TIMESTAMP, NONCE, encrypted) == signature
    crypto.verify(signature, TIMESTAMP, NONCE, encrypted)


@given(st.text(max_size=300), st.sampled_from(["", "ww123"]))
def test_what_is_sealed_can_be_opened_by_the_other_side_and_back(text: str, receive_id: str) -> None:
    crypto, seal = WecomCrypto(TOKEN, AES_KEY, receive_id), Seal(TOKEN, AES_KEY, receive_id)
    encrypted = crypto.encrypt(text)
    assert seal.open(encrypted) == (text.encode(), receive_id)
    assert crypto.decrypt(seal.close(text.encode())) == text
    assert crypto.signature("1", "2", encrypted) == seal.sign("1", "2", encrypted)


@pytest.mark.parametrize("count", range(1, 33))
def test_all_pad_values_from_1_to_32_are_opened(count: int) -> None:
    message = b"x" * ((64 - count - 20) % 32 + 32)
    plain = os.urandom(16) + len(message).to_bytes(4, "big") + message
    assert (len(plain) + count) % 32 == 0
    sealed = Seal(TOKEN, AES_KEY).close_raw(plain, bytes([count]) * count)
    assert WecomCrypto(TOKEN, AES_KEY).decrypt(sealed) == message.decode()


@pytest.mark.parametrize(
    "pad", [b"\0" * 32, b"\x21" * 33 + b"\x21" * 15, b"\x01\x02\x03\x04" * 8, b"\x10" * 15 + b"\x11"]
)
def test_wrong_padding_is_refused(pad: bytes) -> None:
    plain = b"r" * 16 + (5).to_bytes(4, "big") + b"hello"
    plain += b"z" * (-(len(plain) + len(pad)) % 16)
    with pytest.raises((BadEnvelope, WrongReceiver)):
        WecomCrypto(TOKEN, AES_KEY).decrypt(Seal(TOKEN, AES_KEY).close_raw(plain, pad))


@pytest.mark.parametrize("length", [6, 2**31, 2**32 - 1])
def test_a_length_beyond_the_text_is_refused(length: int) -> None:
    with pytest.raises(BadEnvelope):
        WecomCrypto(TOKEN, AES_KEY).decrypt(Seal(TOKEN, AES_KEY).close(b"hello", length=length))


@pytest.mark.parametrize(("mine", "theirs"), [("", "ww1"), ("ww1", ""), ("ww1", "ww2"), ("ww1", "ww11")])
def test_another_receiver_is_refused(mine: str, theirs: str) -> None:
    with pytest.raises(WrongReceiver):
        WecomCrypto(TOKEN, AES_KEY, mine).decrypt(Seal(TOKEN, AES_KEY, theirs).close(b"hello"))


def test_text_that_is_no_utf8_is_refused() -> None:
    with pytest.raises(BadEnvelope):
        WecomCrypto(TOKEN, AES_KEY).decrypt(Seal(TOKEN, AES_KEY).close(b"\xff\xfe"))


@given(st.binary(max_size=200))
def test_garbage_is_refused_and_nothing_else_happens(raw: bytes) -> None:
    for text in (base64.b64encode(raw).decode(), raw.decode("latin-1")):
        with pytest.raises((BadEnvelope, WrongReceiver)):
            WecomCrypto(TOKEN, AES_KEY).decrypt(text)


@pytest.mark.parametrize("signature", ["", "x", "6BAF99D13E91992B5BF5D2A77CEA11243C0DD491", "\ud800", "é" * 40])
def test_wrong_signatures_are_refused(signature: str) -> None:
    with pytest.raises(BadSignature):
        WecomCrypto(TOKEN, AES_KEY).verify(signature, TIMESTAMP, NONCE, VECTORS[0][2])


@pytest.mark.parametrize("key", ["", "short", AES_KEY + "H", AES_KEY[:-1] + "!", AES_KEY[:-1] + "="])
def test_a_key_that_is_none_is_named_at_the_start(key: str) -> None:
    with pytest.raises(WecomStartError, match="43"):
        WecomCrypto(TOKEN, key)
