"""GPU advice as pure functions over a dated catalogue: memory, speed, money, machine. Knows nothing of chat.

    >>> import advisor
    >>> advisor.fit("4090", "qwen2.5-14b", method="qlora").verdict
    'fits'

The public functions are found here by name and their modules loaded on first use: `advisor.estimate_memory(...)`.
"""

from __future__ import annotations

from importlib import import_module

_HOMES: dict[str, str] = {
    "fit": "advisor.named",
    "compare": "advisor.named",
    "estimate_speed": "advisor.named:speed_of",
    "list_prices": "advisor.named:prices_of",
    "what_runs": "advisor.named:runs_on",
    "list_gpus": "advisor.named:gpus_of",
    "list_models": "advisor.named:models_of",
    "check_fit": "advisor.memory",
    "estimate_memory": "advisor.named.calls",
    "largest_batch": "advisor.memory",
    "largest_model": "advisor.memory",
    "largest_seq": "advisor.memory",
    "memory_tricks": "advisor.memory",
    "estimate_cost": "advisor.named.calls",
    "rent_or_buy": "advisor.named.calls",
    "carbon_footprint": "advisor.money",
    "budget_split": "advisor.money",
    "data_loading_bound": "advisor.speed",
    "estimate_throughput": "advisor.speed",
    "estimate_time": "advisor.named.calls",
    "gpus_needed": "advisor.speed",
    "relative_speed": "advisor.speed",
    "scaling": "advisor.speed",
    "tokens_per_second": "advisor.speed",
    "offloaded_generation": "advisor.speed",
    "serving_throughput": "advisor.speed",
    "pictures_per_minute": "advisor.speed",
    "speech_real_time": "advisor.speed",
    "pretraining_time": "advisor.speed",
    "check_machine": "advisor.machine",
    "recommend": "advisor.named.calls",
    "recommend_as_of": "advisor.recommend.history",
}


def __getattr__(name: str) -> object:
    """Load the module that holds a public function, on first use."""
    home, _, other = _HOMES.get(name, "").partition(":")
    if not home:
        raise AttributeError(f"module 'advisor' has no attribute {name!r}")
    return getattr(import_module(home), other or name)


def __dir__() -> list[str]:
    """The public functions."""
    return sorted(_HOMES)
