"""Small markets for tests of the recommendation: cards, offers and plain models of memory and speed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from advisor.catalog import Catalog
from advisor.models import Estimate, Gpu, Method, MlModel, Money, Offer, PricingModel, Step, Workload
from advisor.recommend.need import Models

TODAY = date(2026, 11, 21)
BERT = MlModel(id="bert", name="bert", modality="text-encoder", parameters=110e6, max_seq=512)
DECODER = MlModel(id="llm", name="llm", modality="text-decoder", parameters=7e9, max_seq=8192)


@dataclass(frozen=True)
class PlainMemory:
    total: Estimate


def plain_memory(workload: Workload, n: int) -> PlainMemory:
    """Two bytes a parameter, shared by the cards, and one MiB a sample and token."""
    gib = workload.ml_model.parameters * 2 / 2**30 / n + (workload.batch or 1) * (workload.seq_len or 128) / 1024
    step = Step(name="vram_needed", value=gib, unit="GiB", how="plain")
    return PlainMemory(Estimate(value=gib, low=gib * 0.9, high=gib * 1.1, unit="GiB", basis="plain", trace=step))


def plain_speed(workload: Workload, gpu: Gpu, n: int) -> float | None:
    """The card's FP32 figure times the number of cards."""
    return gpu.fp32_tflops * n if gpu.fp32_tflops else None


PLAIN = Models(memory=plain_memory, speed=plain_speed, gib=lambda job, n: plain_memory(job, n).total.value)


def card(name: str, vram: float, speed: float, **more: object) -> Gpu:
    """A card with Tensor Cores."""
    values: dict[str, object] = {
        "id": name.lower(),
        "name": name,
        "vendor": "NVIDIA",
        "family": "GeForce",
        "architecture": "Ampere",
        "vram_gib": vram,
        "fp32_tflops": speed,
        "tensor_core_gen": 3,
        "board_power_w": 300,
        "release_date": date(2023, 1, 1),
    }
    return Gpu(**{**values, **more})


def offer(
    gpu: str,
    price: float,
    terms: PricingModel = PricingModel.ON_DEMAND,
    as_of: date = date(2026, 11, 1),
    provider: str = "runpod",
    currency: str = "USD",
) -> Offer:
    """An offer of a card, by the hour or as a purchase."""
    amount = Decimal(str(price))
    rental = terms in {PricingModel.ON_DEMAND, PricingModel.SPOT, PricingModel.MARKETPLACE, PricingModel.RESERVED}
    return Offer(
        id=f"{provider}-{gpu}-{terms.value}-{price}",
        provider=provider,
        provider_name=provider,
        gpu=gpu,
        pricing_model=terms,
        low=amount,
        high=amount,
        currency=currency,
        unit="gpu_hour" if rental else "card",
        market="CN" if currency == "CNY" else "US",
        as_of=as_of,
        confidence="A",
        source="test",
    )


def catalog(gpus: list[Gpu], offers: list[Offer]) -> Catalog:
    """A catalogue of these cards and offers."""
    return Catalog(gpus=gpus, ml_models=[BERT, DECODER], offers=offers, sources=[])


def inference(batch: int = 1, seq_len: int = 1024) -> Workload:
    """A 7B decoder that answers."""
    return Workload(ml_model=DECODER, method=Method.INFERENCE, batch=batch, seq_len=seq_len)


def training(batch: int = 16, seq_len: int = 128) -> Workload:
    """BERT, fine-tuned."""
    return Workload(ml_model=BERT, method=Method.FULL, batch=batch, seq_len=seq_len)


def dollars(amount: float) -> Money:
    """An amount in US dollars."""
    return Money(amount=Decimal(str(amount)), currency="USD")
