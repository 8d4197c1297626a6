"""The functions of the HTTP API: numbers of the advisor with sources, problems that say what to do, tags, origins."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from advisor.catalog import Catalog, load_catalog
from advisor.memory import estimate_memory
from advisor.models import Method, Workload
from bot.channels.web.api.routes import ENDPOINTS, openapi
from bot.channels.web.app import WebChannel, build_web
from bot.cli.commands import app as command_line
from bot.gate import Access, AccessGate
from bot.identity import read_identities
from bot.stores.memory import MemoryStore
from tests.conftest import shared_assistant
from tests.ops.test_web import Away, nothing_missing, site

FIT = {"model": "Qwen2.5-14B", "gpu": "4090", "method": "lora"}
KEY = "k" * 24


@asynccontextmanager
async def api(**more: Any) -> AsyncIterator[httpx.AsyncClient]:
    origins = more.pop("origins", ())
    services = shared_assistant().services
    channel = WebChannel(Away(), nothing_missing, services=lambda: services, **more)
    async with site(build_web(channel.routes(), origins=origins)) as client:
        yield client


async def told(client: httpx.AsyncClient, name: str, **body: Any) -> dict[str, Any]:
    response = await client.post(f"/api/v1/{name}", json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    assert found["data_version"]
    assert found["sources"]
    assert any(source["url"] for source in found["sources"])
    return found


async def test_memory_and_fit_are_the_advisors_own_figures() -> None:
    catalog: Catalog = load_catalog()
    work = Workload(ml_model=catalog.get_ml_model("Qwen2.5-14B"), method=Method.LORA)
    expected = estimate_memory(work).total.value
    async with api() as client:
        memory = await told(client, "memory", model="Qwen2.5-14B", method="lora")
        fit = await told(client, "fit", **FIT)
    assert memory["need"]["value"] == pytest.approx(expected, rel=1e-3)
    assert memory["need"]["low"] < memory["need"]["value"] < memory["need"]["high"]
    assert sum(part["gib"] for part in memory["parts"]) == pytest.approx(expected, rel=1e-2)
    assert "context" in memory["settings"]["assumed"]
    assert fit["verdict"] == "no"
    assert fit["gpu"] == "RTX 4090"
    assert fit["margin_gib"] == pytest.approx(fit["usable_gib"] - fit["need"]["value"], abs=0.02)


async def test_speed_time_and_money() -> None:
    async with api() as client:
        speed = await told(client, "speed", model="Qwen2.5-14B", gpu="4090", quant="q4_k_m")
        assert speed["rate"]["unit"] == "tokens/s"
        assert 20 < speed["rate"]["value"] < 150
        time = await told(client, "time", model="Qwen2.5-7B", gpu="4090", method="qlora", samples=10_000)
        assert time["hours"]["low"] < time["hours"]["value"] < time["hours"]["high"]
        cost = await told(client, "cost", gpu="4090", hours=20, currency="CNY")
        first = cost["bills"][0]
        assert first["hourly"]["currency"] == "CNY"
        assert first["total"] == pytest.approx(20 * first["hourly"]["value"], rel=0.01)
        assert date.fromisoformat(first["hourly"]["as_of"]) <= datetime.now(UTC).date()
        own = await told(client, "rent-or-buy", gpu="4090", card_price=1, rent_per_hour=2, host_price=0)
        assert own["verdict"] == "buy"
        assert own["purchase"] is None
        usual = await told(client, "rent-or-buy", gpu="4090", hours_per_week=1)
        assert usual["verdict"] == "rent"
        assert usual["purchase"]["as_of"]


@pytest.mark.parametrize(
    ("name", "body", "line"),
    [
        ("fit", {"model": "flux.1-dev", "gpu": "4090"}, "fit flux.1-dev --gpu 4090"),
        ("fit", {"model": "llama-3.1-70b", "gpu": "3090", "cards": 2}, "fit llama-3.1-70b --gpu 3090 --gpus 2"),
        ("fit", {"model": "qwen2.5-7b", "gpu": "4060", "quant": "awq"}, "fit qwen2.5-7b --gpu 4060 --precision awq"),
        ("speed", {"model": "qwen2.5-7b", "gpu": "4090"}, "speed qwen2.5-7b --gpu 4090"),
        ("speed", {"model": "whisper-large-v3", "gpu": "3060"}, "speed whisper-large-v3 --gpu 3060"),
        (
            "time",
            {"model": "qwen2.5-7b", "gpu": "4090", "dataset": "alpaca-52k"},
            "time qwen2.5-7b --gpu 4090 --dataset alpaca-52k",
        ),
        ("rent-or-buy", {"gpu": "4090"}, "rent-or-buy 4090 --hours-per-week 20"),
        ("recommend", {"task": "llm_inference", "budget": 1000}, "recommend --task llm_inference --budget 1000"),
        ("compare", {"gpus": ["3090", "4080"]}, "compare 3090 4080"),
    ],
)
async def test_programs_and_the_command_line_are_told_the_same(name: str, body: dict[str, Any], line: str) -> None:
    """What is left open is filled in as in a chat: nobody runs a large model in 16 bit on a small card."""
    printed = CliRunner().invoke(command_line, [*line.split(), "--json", "--lang", "en"])
    said = json.loads(printed.stdout)
    async with api() as client:
        found = await told(client, name, **body)
    same = {"way", "verdict", "winner", "reason", "model"} & set(found) & set(said)
    assert same
    assert {key: found[key] or "" for key in same} == {key: said[key] for key in same}
    for figure in {"need", "rate", "hours"} & set(found):
        assert found[figure]["value"] == pytest.approx(said[figure]["value"], rel=1e-3)
    if name == "rent-or-buy":
        assert found["cost_rent"]["value"] == pytest.approx(said["rent"]["value"], rel=1e-3)
        assert found["break_even_days"]["value"] == pytest.approx(
            said["break_even_months"]["value"] * 365 / 12, rel=0.01
        )
    if name == "recommend":
        assert [pick["gpu"] for pick in found["picks"]] == [pick["gpu"] for pick in said["picks"]]


async def test_recommend_and_compare() -> None:
    async with api() as client:
        found = await told(client, "recommend", model="7B", method="qlora", budget=1000)
        best = found["picks"][0]
        assert best["role"] == "best"
        assert best["total"] <= 1000 or best["deploy"] == "rent"
        assert best["price"]["as_of"]
        sides = (await told(client, "compare", gpus=["3090", "RTX 4090"], model="Qwen2.5-14B"))["sides"]
    assert [side["gpu"] for side in sides] == ["RTX 3090", "RTX 4090"]
    assert sides[1]["speed"]["value"] > sides[0]["speed"]["value"]
    assert {side["fit"] for side in sides} <= {"fits", "tight", "no"}


async def test_lists_have_parts_and_filters() -> None:
    async with api() as client:
        cards = (await client.get("/api/v1/gpus", params={"q": "4090", "limit": 2})).json()
        assert cards["total"] >= 1
        assert all("4090" in one["name"] for one in cards["gpus"])
        big = (await client.get("/api/v1/gpus", params={"min_vram_gib": 80, "vendor": "nvidia"})).json()
        assert {one["vendor"] for one in big["gpus"]} == {"NVIDIA"}
        models = (await client.get("/api/v1/models", params={"modality": "text-decoder", "limit": 3})).json()
        assert len(models["models"]) == 3 < models["total"]
        prices = (await client.get("/api/v1/prices", params={"gpu": "3090"})).json()
        days = [one["price"]["as_of"] for one in prices["offers"]]
        assert days == sorted(days, reverse=True)
        passages = (await client.get("/api/v1/passages", params={"q": "什么是 LoRA", "language": "zh"})).json()
        assert "LoRA" in passages["passages"][0]["title"]


CHARTS = {
    "memory": {"model": "Qwen2.5-14B", "gpu": "4090", "method": "lora"},
    "price-speed": {"model": "7B", "method": "qlora"},
    "break-even": {"gpu": "4090", "hours_per_week": 40, "months": 24},
    "scaling": {"gpu": "4090", "model": "bert-base-uncased", "method": "full"},
    "context": {"gpu": "4090", "model": "Qwen2.5-7B", "quant": "q4_k_m"},
}


@pytest.mark.parametrize("about", CHARTS)
async def test_every_chart_is_drawn_as_svg_and_png_with_a_tag(about: str) -> None:
    async with api() as client:
        for form, start, kind in (("svg", b"<?xml", "image/svg+xml"), ("png", b"\x89PNG", "image/png")):
            query = {"about": about, **CHARTS[about], "format": form, "theme": "dark", "lang": "zh"}
            response = await client.get("/api/v1/chart", params=query)
            assert response.status_code == 200, response.text
            assert response.content.startswith(start)
            assert response.headers["content-type"] == kind
            assert "sandbox" in response.headers["content-security-policy"]
            tag = {"if-none-match": response.headers["etag"]}
            assert (await client.get("/api/v1/chart", params=query, headers=tag)).status_code == 304
        missing = await client.get("/api/v1/chart", params={"about": about})
        assert missing.status_code == 422
        assert missing.json()["detail"]


async def test_a_budget_for_one_card_shows_what_somewhat_more_would_buy() -> None:
    async with api() as client:
        query = {"about": "price-speed", "task": "llm_finetune", "budget": 2000}
        assert (await client.get("/api/v1/chart", params=query)).status_code == 200


@pytest.mark.parametrize(
    ("name", "body", "pointer"),
    [
        ("fit", {"model": "7B"}, "#/gpu"),
        ("fit", {**FIT, "cards": "2"}, "#/cards"),
        ("fit", {**FIT, "batch": 0}, "#/batch"),
        ("compare", {"gpus": ["4090"]}, "#/gpus"),
        ("cost", {"gpu": "4090", "hours": 1, "currency": "dollars"}, "#/currency"),
        ("memory", {"model": "7B", "surprise/~": 1}, "#/surprise~1~0"),
    ],
)
async def test_wrong_values_are_pointed_at(name: str, body: dict[str, Any], pointer: str) -> None:
    async with api() as client:
        response = await client.post(f"/api/v1/{name}", json=body)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("name", "body", "word"),
    [
        ("fit", {**FIT, "gpu": "RTX 4900"}, "RTX 4900"),
        ("memory", {"model": "qwen2.5-14"}, "qwen2.5-14"),
        ("cost", {"gpu": "4090", "hours": 1, "currency": "XXX"}, "XXX"),
        ("time", FIT, "how much data"),
        ("recommend", {}, "model"),
    ],
)
async def test_what_cannot_be_worked_out_is_said(name: str, body: dict[str, Any], word: str) -> None:
    async with api() as client:
        response = await client.post(f"/api/v1/{name}", json=body)
    assert response.status_code == 422
    assert word in response.json()["detail"]


async def test_near_names_are_suggested() -> None:
    async with api() as client:
        found = (await client.post("/api/v1/memory", json={"model": "qwen2.5-14"})).json()
    assert any("14B" in name for name in found["suggestions"])


async def test_a_list_has_a_tag_and_is_not_sent_twice() -> None:
    async with api() as client:
        for path in ("/api/v1/gpus?q=4090", "/openapi.json"):
            first = await client.get(path)
            again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
        other = await client.get("/api/v1/gpus?q=3090")
        assert other.headers["etag"] != first.headers["etag"]
        wrong = await client.get("/api/v1/gpus?limit=x")
        assert wrong.status_code == 422
        assert "etag" not in wrong.headers


async def test_a_false_key_is_refused_everywhere_and_no_key_is_needed() -> None:
    async with api(keys={"shop": KEY}) as client:
        for given, status in ((KEY, 200), ("x" * 24, 401)):
            headers = {"authorization": f"Bearer {given}"}
            response = await client.get("/api/v1/gpus", headers=headers)
            assert response.status_code == status
            assert (await client.post("/api/v1/fit", json=FIT, headers=headers)).status_code == status
        assert response.headers["www-authenticate"] == "Bearer"
        assert (await client.get("/api/v1/gpus")).status_code == 200


async def test_only_pages_of_listed_origins_may_call_from_a_browser() -> None:
    async with api(origins=("https://docs.example.org",)) as client:
        mine = await client.get("/api/v1/gpus?limit=1", headers={"origin": "https://docs.example.org"})
        assert mine.headers["access-control-allow-origin"] == "https://docs.example.org"
        assert "etag" in mine.headers["access-control-expose-headers"].casefold()
        assert "access-control-allow-credentials" not in mine.headers
        other = await client.get("/api/v1/gpus?limit=1", headers={"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers
    async with api() as client:
        nobody = await client.get("/api/v1/gpus?limit=1", headers={"origin": "https://docs.example.org"})
        assert "access-control-allow-origin" not in nobody.headers


async def test_the_document_names_every_endpoint_and_the_page_shows_it() -> None:
    async with api() as client:
        found = (await client.get("/openapi.json")).json()
        page = (await client.get("/api/v1/docs")).text
        offered = (await client.get("/openapi.json")).json()
    assert found == offered == json.loads(json.dumps(openapi()))
    assert found["openapi"].startswith("3.1")
    assert set(found["paths"]) == {"/api/v1/ask", *(f"/api/v1/{one.name}" for one in ENDPOINTS)}
    for path, verbs in found["paths"].items():
        for operation in verbs.values():
            assert operation["summary"]
            assert {"401", "422", "429"} <= set(operation["responses"])
        assert path in page
    assert "<script" not in page


def test_every_member_that_goes_in_or_out_is_described() -> None:
    schemas = json.loads(json.dumps(openapi()))["components"]["schemas"]
    for name, schema in schemas.items():
        for member, about in schema.get("properties", {}).items():
            told = about.get("description") or "$ref" in about
            assert told, f"{name}.{member}"


@pytest.mark.parametrize(
    ("allowed", "sent", "status"),
    [
        ((), "", 200),
        (("telegram:1:5",), "", 403),
        (("telegram:1:5",), KEY, 403),
        (("api:desk:777",), KEY, 200),
        (("api:other:777",), KEY, 403),
    ],
)
async def test_functions_follow_the_lists(allowed: tuple[str, ...], sent: str, status: int) -> None:
    store = MemoryStore()
    await store.open()
    gate = AccessGate(Access(allow_users=read_identities(allowed)), store)
    headers = {"authorization": f"Bearer {sent}"} if sent else {}
    async with api(gate=gate, keys={"desk": KEY}) as client:
        assert (await client.post("/api/v1/fit", json=FIT, headers=headers)).status_code == status
        assert (await client.get("/api/v1/prices?gpu=4090", headers=headers)).status_code == status
    await store.close()


async def test_functions_count_for_the_limit_of_all_callers() -> None:
    store = MemoryStore(clock=lambda: 1.0)
    await store.open()
    async with api(gate=AccessGate(Access(bot_per_second=2), store)) as client:
        codes = [(await client.post("/api/v1/fit", json=FIT)).status_code for _ in range(3)]
        assert codes == [200, 200, 429]
    await store.close()
    async with api(gate=AccessGate(Access(), store)) as client:
        assert (await client.post("/api/v1/fit", json=FIT)).status_code == 503
