"""Bounds that the documents promise, measured: one advisor call, a recommendation, the longest hostile message."""

from __future__ import annotations

from datetime import date

from tests.bench.__main__ import at, show, timed


def bench_bounds() -> None:
    """Each figure beside its bound."""
    from advisor.catalog import load_catalog
    from advisor.memory import estimate_memory
    from advisor.models import Method, Precision, Workload
    from advisor.recommend import Need, recommend
    from advisor.speed import estimate_throughput
    from bot.channels.markup import telegram_html
    from bot.understand import load_understander

    catalog = load_catalog()
    model, card = catalog.get_ml_model("llm-7b"), catalog.get_gpu("RTX 3090")
    job = Workload(ml_model=model, method=Method.QLORA, precision=Precision.INT4, quant="nf4", batch=1, seq_len=2048)
    show("memory_p50_us", at(timed(estimate_memory, [job] * 40), 0.5), "us", "bound 2000")
    serving = Workload(ml_model=model, method=Method.INFERENCE, precision=Precision.FP16, batch=1, seq_len=4096)
    speed = timed(lambda work: estimate_throughput(work, card), [serving] * 40)
    show("throughput_p50_us", at(speed, 0.5), "us", "bound 2000")
    need = Need(workload=job)
    choice = timed(lambda wish: recommend(wish, catalog, date(2026, 11, 21)), [need] * 10)
    show("recommend_catalogue_p50_us", at(choice, 0.5), "us", "bound 10000, the whole catalogue with flips")
    reader = load_understander(catalog)
    hostile = ["a" * 100_000, "e" + "\u0301" * 10_000, "3090 " * 20_000, "9" * 400, "\u200b" * 5000 + "3090"]
    show("hostile_worst_us", timed(reader.understand, hostile)[-1], "us", "100 kB, marks, 20,000 cards, 400 digits")
    show("markup_100kb_us", at(timed(telegram_html, ["| a |\n" * 16_000], rounds=2), 0.5), "us")
