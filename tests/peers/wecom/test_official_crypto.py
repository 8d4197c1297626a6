"""Our crypto and the fake's against `@wecom/crypto` and the one in WeCom's client, both ways."""

from __future__ import annotations

import json

import pytest

from bot.channels.wecom.crypto import WecomCrypto
from tests.fakes.wecom_callback import Sealed
from tests.fakes.wecom_crypto import Seal
from tests.fakes.wecom_stage import AES_KEY, TOKEN, on_callback_stage
from tests.peers.wecom.node import run_crypto

pytestmark = pytest.mark.peer

TEXTS = ["x", "a" * 73, "@选卡助手 BERT 微调用什么显卡? \U0001f600", "显存" * 7000, ""]
RECEIVERS = ["", "ww123"]
CASES = [(text, receiver) for text in TEXTS for receiver in RECEIVERS]


def job(op: str, receiver: str, **more: str) -> dict[str, str]:
    return {"op": op, "token": TOKEN, "key": AES_KEY, "id": receiver, "timestamp": "1409659813", "nonce": "n1", **more}


async def test_what_wecom_seals_we_open() -> None:
    sealed = await run_crypto([job("encrypt", receiver, text=text) for text, receiver in CASES])
    for (text, receiver), result in zip(CASES, sealed, strict=True):
        crypto = WecomCrypto(TOKEN, AES_KEY, receiver)
        for encrypted, signature in (
            (result["encrypt"], result["signature"]),
            (result["other"], result["otherSignature"]),
        ):
            crypto.verify(signature, "1409659813", "n1", encrypted)
            assert crypto.decrypt(encrypted) == text
            assert Seal(TOKEN, AES_KEY, receiver).open(encrypted) == (text.encode(), receiver)


@pytest.mark.parametrize("who", ["the bot", "the fake"])
async def test_what_we_seal_wecom_opens(who: str) -> None:
    jobs = []
    for text, receiver in CASES:
        if who == "the bot":
            crypto = WecomCrypto(TOKEN, AES_KEY, receiver)
            encrypted = crypto.encrypt(text)
            signature = crypto.signature("1409659813", "n1", encrypted)
        else:
            seal = Seal(TOKEN, AES_KEY, receiver)
            encrypted = seal.close(text.encode())
            signature = seal.sign("1409659813", "n1", encrypted)
        jobs.append(job("decrypt", receiver, encrypt=encrypted, signature=signature))
    for (text, receiver), given, result in zip(CASES, jobs, await run_crypto(jobs), strict=True):
        assert (result["text"], result["id"], result["other"]) == (text, receiver, text)
        assert result["signature"] == given["signature"]
        assert result["accepted"] is True


async def test_a_whole_callback_sealed_and_opened_by_wecoms_own_crypto() -> None:
    async with on_callback_stage() as stage:
        push = stage.platform.pushes.text("lin", "which GPU?")
        timestamp = str(int(stage.clock.wall()))
        (sealed,) = await run_crypto([job("encrypt", "", text=json.dumps(push)) | {"timestamp": timestamp}])
        query = {"msg_signature": sealed["signature"], "timestamp": timestamp, "nonce": "n1"}
        answered = await stage.platform.post(Sealed(query, json.dumps({"encrypt": sealed["encrypt"]}).encode()))
        envelope = json.loads(answered.raw)
        reply = job("decrypt", "", encrypt=envelope["encrypt"], signature=envelope["msgsignature"])
        (opened,) = await run_crypto([reply | {"timestamp": str(envelope["timestamp"]), "nonce": envelope["nonce"]}])
        assert opened["accepted"] is True
        assert json.loads(opened["text"])["stream"]["content"] == "You said: which GPU?"
