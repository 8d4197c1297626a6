"""Facts of a question that decide who answers it (routes.yaml): each over what is said and given, none over words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Final

from bot.answers import buying_facts, choice_facts, job_facts, premise, rent_facts
from bot.answers.asked import is_judged, means_bill
from bot.answers.asked_job import gguf_of
from bot.answers.choose.gpu_specs import asked_attributes
from bot.answers.common import NamedGpu, most_of, named_gpus
from bot.answers.documents import known_error, own_words
from bot.answers.speed.amounts import tokens_of
from bot.core.answers import Decline
from bot.core.request import Request

_CARD_ALONE: Final = frozenset({"gpu", "vram_gb"})
_PARTS: Final = ("psu_w", "cpu", "ram_gb", "disk")
_WHOLE: Final = 2
"""Parts of a machine beside its card from which the machine is asked about, and not one part."""
_BILLS: Final = frozenset({"estimate_cost", "price_lookup"})
"""Needs that tell what renting comes to."""
_SHORT: Final = 24
"""Characters of a line that does no more than settle on one card."""
_LONG_HOURS: Final = 90 * 24.0


def two_sizes_of(request: Request) -> list[str]:
    """A card named with one amount of memory, and its kin of the other amount that is said; empty without such two."""
    named, stated = request.slot("gpu") or [], request.slot("vram_gb")
    if len(named) != 1 or not stated:
        return []
    base, _, size = str(named[0]).rpartition(" ")
    other = f"{base} {stated:g}GB"
    if not base or not size.endswith("GB") or size == f"{stated:g}GB":
        return []
    return [str(named[0]), other] if request.services.catalog.gpu_variants(other) else []


def _cards(request: Request) -> list[NamedGpu]:
    """The known cards of a question; none where one of them is not known."""
    named = named_gpus(request)
    return [] if isinstance(named, Decline) else named


def _machine_beside(request: Request) -> bool:
    from bot.answers.choose.compare_gpus import is_beside_machine

    heard = request.heard
    return bool(heard.wished("gpu_family") and heard.wished("gpu")) and is_beside_machine(request, _cards(request))


def _run_within_money(request: Request) -> bool:
    """Whether money is asked to be enough for a run of so much data or so many steps."""
    from bot.answers.money.paid import money_at_hand

    sized = request.slot("dataset") or request.slot("train_steps") or tokens_of(request)
    return bool(sized) and request.heard.speaks_of("enough", "able", "fits") and money_at_hand(request) is not None


def _card_alone(request: Request) -> bool:
    return request.slots.keys() <= _CARD_ALONE and bool(_cards(request))


def _place_named(request: Request) -> bool:
    return bool(request.slot("gpu") or request.slot("vram_gb"))


def _one_platform(request: Request) -> bool:
    from bot.answers.money.platform_choice import platforms_meant

    return len(platforms_meant(request)) == 1


def _for_months(request: Request) -> bool:
    from bot.answers.choose.wishes import total_hours_of

    return (total_hours_of(request) or 0.0) >= _LONG_HOURS


def _runs_on_ram(request: Request) -> bool:
    named = bool(request.slot("model")) and not request.slot("gpu")
    return named and request.heard.speaks_of("no_gpu") and request.heard.side("ram_sizing") != "killed"


def _whole_machine(request: Request) -> bool:
    return sum(bool(request.slot(name)) for name in _PARTS) >= _WHOLE and bool(_cards(request))


def _is_out_of_memory(request: Request) -> bool:
    """Whether it ran out of memory, and nobody asks whether it would."""
    heard = request.heard
    asked = heard.speaks_of("fits", "enough") or heard.shows("asked", "runs")
    return heard.speaks_of("out_of_memory") and not asked


def _is_set_beside(request: Request) -> bool:
    """Whether a card is set beside the one spoken of, and how fast it is asked by comparison."""
    heard = request.heard
    settles = heard.shows("talk", "settles") and len(heard.wished("gpu")) == 1 and heard.is_within(_SHORT)
    return heard.speaks_of("compare", "exceeds") and not settles and len(sides_spoken_of(request)) > 1


def sides_spoken_of(request: Request) -> list[str]:
    """The card of the answer before and the one that is named now; that one alone where there was none."""
    named = [str(name) for name in request.slot("gpu") or []]
    before = request.subject
    if len(named) != 1 or before is None or len(request.heard.named("gpu")) != 1:
        return named
    held = before.slots.get("gpu")
    cards = held.value if held is not None and isinstance(held.value, list) else []
    picked = [str(fact.value) for fact in before.facts if fact.name == "pick"]
    return list(dict.fromkeys((*(picked or map(str, cards)), *named)))


def _asks_how_many(request: Request) -> bool:
    """Whether a number of cards is asked for, and none said."""
    heard = request.heard
    counted = heard.speaks_of("count_question", "how_many") and not request.slot("gpu_count")
    return counted and not any(heard.shows("asked", other) for other in ("work_a_second", "card_hours"))


def _is_bought_instead(request: Request) -> bool:
    """Whether buying is spoken of after a rent was told."""
    heard, subject = request.heard, request.subject
    after_rent = subject is not None and subject.intent in _BILLS and "deploy" in subject.slots
    return after_rent and heard.speaks_of("buying") and not heard.speaks_of("renting", "electricity")


def _is_power_paid(request: Request) -> bool:
    """Whether electricity over some time is asked for, and neither rent nor the price of a card."""
    heard = request.heard
    power = heard.speaks_of("electricity") and bool(heard.sides("period"))
    return power and not heard.speaks_of("renting", "buying", "second_hand")


def _several_to_rent(request: Request) -> bool:
    """Whether several cards are set side by side as rentals, and buying is not spoken of."""
    spoken = request.heard.placed("price")
    to_rent = "rent" in spoken and "buy" not in spoken
    return to_rent and len(_cards(request)) > 1 and not choice_facts.is_purchase_priced(request)


def _card_to_rent_asked(request: Request) -> bool:
    """Whether it is asked which of several cards to rent, and not at whom."""
    return _several_to_rent(request) and not request.heard.shows("platform", "place")


def _several_sides(request: Request) -> bool:
    """Whether more than one card is named: then they are chosen from, whatever else is asked of them."""
    return len(request.heard.wished("gpu")) > 1


def _is_sold(request: Request) -> bool:
    """Whether it is asked what the one card that is named sells for."""
    shows = request.heard.shows
    other = request.intent in {"recommend_gpu", "power_supply"} or request.slot("model") or shows("asked", "time")
    return not (other or rent_facts.is_rent_named(request)) and shows("deal", "sold") and len(_cards(request)) == 1


def _is_price_judged(request: Request) -> bool:
    """Whether it is asked if a price of the one card that is named is a good one."""
    from bot.answers.choose.own_prices import asked_price

    judged = request.heard.shows("deal", "judged") or request.heard.speaks_of("worth")
    return judged and len(_cards(request)) == 1 and asked_price(request) is not None


def _are_cards_compared(request: Request) -> bool:
    """Whether one card is set against another in words."""
    return request.heard.speaks_of("compare", "or_word") and len(request.heard.wished("gpu")) > 1


def _are_cards_together(request: Request) -> bool:
    """Whether cards of several kinds are to do one job together, and none of them is to be taken."""
    heard = request.heard
    if len({card.gpu.id for card in _cards(request)}) < _WHOLE or heard.speaks_of("or_word", "compare"):
        return False
    return heard.speaks_of("together") or heard.shows("pick", "together")


def _apple_alone(request: Request) -> bool:
    from bot.answers.choose.makers import vendors_of

    return vendors_of(request) == ("Apple",)


def _several_makers(request: Request) -> bool:
    from bot.answers.choose.vendor_choice import cards_meant

    return len({one.gpu.vendor for one in cards_meant(request, _cards(request))}) > 1


def _mac_of_known_size(request: Request) -> bool:
    from bot.answers.memory.check_fit import is_mac_of_known_size

    return is_mac_of_known_size(request)


def _figure_of_a_card(request: Request) -> bool:
    """Whether a figure of one known card is asked for, and no job on it."""
    if len(_cards(request)) != 1 or request.slot("model") or request.slot("task"):
        return False
    return bool(asked_attributes(request))


def _figure_claimed(request: Request) -> bool:
    claimed = premise.claim_of(request) or premise.multiple_of(request)
    if request.heard.shows("form", "alike"):  # of the cards as a whole, whatever figure is spoken of beside it
        return False
    return len(_cards(request)) > 1 and bool(claimed and asked_attributes(request))


def _one_card_in_a_number(request: Request) -> bool:
    from bot.answers.choose.compare_gpus import is_one_card_in_a_number

    return is_one_card_in_a_number(request, _cards(request))


def _software_on_a_card(request: Request) -> bool:
    from bot.answers.machine.software_support import is_asked

    return "open" not in request.heard.sides("form") and not request.slot("model") and is_asked(request)


def _requirement_published(request: Request) -> bool:
    from bot.answers.memory.published import is_asked

    return is_asked(request)


def _technique_weighed(request: Request) -> bool:
    from bot.answers.documents.technique import is_weighed

    return is_weighed(request)


def _is_fit_asked(request: Request) -> bool:
    """Whether it is asked if a job runs at all. In English the idea of fitting is wider than that question."""
    heard = request.heard
    return heard.shows("asked", "runs") or (request.language == "zh" and heard.speaks_of("fits", "enough"))


def _is_listening(request: Request) -> bool:
    """Whether the model that is named takes down speech."""
    model = request.services.catalog.find_ml_model(str(request.first("model")))
    return model is not None and model.modality == "speech"


def named_job_of(request: Request) -> dict[str, object]:
    """Model, card and memory that a message names, whatever its need takes of them."""
    heard = request.heard
    lists = {name: found for name in ("model", "gpu") if (found := heard.wished(name))}
    sizes = heard.wished("vram_gb")
    return {**lists, **({"vram_gb": sizes[0]} if sizes else {}), **request.slots}


def _contexts_compared(request: Request) -> bool:
    from bot.answers.memory.kv_size import are_compared

    return are_compared(request)


def _is_drawing(request: Request) -> bool:
    """Whether the model that is named makes pictures or clips."""
    model = request.services.catalog.find_ml_model(str(request.first("model")))
    return model is not None and model.modality == "image-gen"


def _asks(module: str, question: str = "is_asked") -> Callable[[Request], bool]:
    """Whether a family below this package takes a question for its own, imported on first use."""
    family = cache(partial(import_module, f"bot.answers.{module}"))

    def asked(request: Request) -> bool:
        return bool(getattr(family(), question)(request))

    return asked


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "apple_alone": _apple_alone,
    "batch_measured": _asks("memory.measured_batch"),
    "bill_asked": means_bill,
    "bought_instead": _is_bought_instead,
    "cache_asked": _asks("memory.kv_size"),
    "card_alone": _card_alone,
    "card_doubted": _asks("machine.on_processor"),
    "card_to_rent_asked": _card_to_rent_asked,
    "cards_compared": _are_cards_compared,
    "cards_known": lambda request: bool(_cards(request)),
    "of_hardware": lambda request: request.heard.speaks_of("ecc", "nvlink") and not _several_sides(request),
    "error_known": known_error.is_shown,
    "own_words": own_words.is_asked,
    "fit_asked": _is_fit_asked,
    "figure_of_a_card": _figure_of_a_card,
    "contexts_compared": _contexts_compared,
    "figure_claimed": _figure_claimed,
    "for_months": _for_months,
    "drawing": _is_drawing,
    "file_format_named": lambda request: bool(gguf_of(request)),
    "format_paces_compared": _asks("speed.format_pace"),
    "formats_compared": _asks("memory.formats"),
    "hourly_price_judged": rent_facts.is_hourly_price_judged,
    "job_named": lambda request: bool(request.slot("model") or request.slot("task")),
    "judged": is_judged,
    "worth_weighed": lambda request: request.heard.speaks_of("worth"),
    "cache_weighed": _asks("memory.kv_room"),
    "largest_batch_asked": lambda request: most_of(request) == "batch",
    "most_asked": lambda request: request.heard.shows("job", "most"),
    "most_requests_asked": lambda request: most_of(request) == "requests",
    "listening": _is_listening,
    "longest_asked": lambda request: most_of(request) == "context",
    "memory_reason_asked": _asks("memory.reasons"),
    "mac_of_known_size": _mac_of_known_size,
    "machine_beside": _machine_beside,
    "no_card_at_hand": lambda request: request.heard.speaks_of("no_gpu"),
    "number_asked": _asks_how_many,
    "one_card_in_a_number": _one_card_in_a_number,
    "one_platform": _one_platform,
    "one_box": lambda request: request.heard.shows("rig", "one_box"),
    "out_of_memory": _is_out_of_memory,
    "rate_asked": lambda request: request.heard.shows("asked", "rate"),
    "pace_asked": lambda request: request.heard.shows("asked", "real_time"),
    "place_named": _place_named,
    "reason_asked": lambda request: request.heard.shows("form", "why"),
    "rented_for_a_time": rent_facts.is_rented_for_a_time,
    "several_rented": rent_facts.are_several_rented,
    "price_judged": _is_price_judged,
    "psu_named": lambda request: (
        not (request.heard.shows("interconnect", "dock") or request.heard.speaks_of("matter"))
        and request.heard.speaks_of("psu")
    ),
    "supply_judged": lambda request: request.heard.speaks_of("psu") and not choice_facts.is_change_weighed(request),
    "power_paid": _is_power_paid,
    "requirement_published": _requirement_published,
    "rents_compared": _several_to_rent,
    "run_within_money": _run_within_money,
    "runs_on_ram": _runs_on_ram,
    "set_beside": _is_set_beside,
    "settings_compared": _asks("memory.settings"),
    "method_chosen": _asks("memory.methods", "is_chosen"),
    "several_makers": _several_makers,
    "used_ruled_out": lambda request: (
        "purchase_used" in request.excluded.get("pricing_model", ()) and not request.heard.shows("worth", "shunned")
    ),
    "which_model_asked": lambda request: (
        request.heard.speaks_of("which_llm") or request.heard.shows("asked", "which_model")
    ),
    "watts_seen": _asks("speed.watts_seen"),
    "whole_machine": _whole_machine,
    "share_of_peak_said": lambda request: (
        request.heard.mfu is not None and not request.heard.speaks_of("fits", "enough")
    ),
    "sold": _is_sold,
    "spilled": lambda request: request.heard.symptom == "spill" and not request.heard.speaks_of("rent", "compare"),
    "spent_once": rent_facts.is_spent_once,
    "price_of_versions_asked": rent_facts.is_price_of_versions_asked,
    "slow_said": lambda request: request.heard.speaks_of("slow") and not request.heard.speaks_of("fits", "enough"),
    "software_on_a_card": _software_on_a_card,
    "slices_asked": _asks("memory.slices"),
    "timed_elsewhere": _asks("speed.measured_run"),
    "time_asked": lambda request: request.heard.shows("asked", "time"),
    "tensor_parallel_asked": _asks("memory.tensor_cards"),
    "file_kinds_compared": _asks("memory.file_kind"),
    "file_kind_of_model": _asks("memory.file_kind", "is_run_in_one"),
    "pace_seen": lambda request: request.heard.tokens_per_second is not None,
    "pace_complained_of": lambda request: request.heard.speaks_of("howto", "why_ask", "slow", "normal_speed"),
    "setting_asked": _asks("documents.switch"),
    "technique_weighed": _technique_weighed,
    "two_sizes_of_one_card": lambda request: bool(two_sizes_of(request)),
    **choice_facts.FACTS,
    **buying_facts.FACTS,
    **job_facts.FACTS,
}
"""Name in routes.yaml -> whether it holds of a question."""
FILLS: Final[Mapping[str, Callable[[Request], dict[str, object]]]] = {
    **buying_facts.FILLS,
    **job_facts.FILLS,
    "named_job": lambda request: named_job_of(request),
    "rented": lambda _: {"deploy": "rent"},
    "pieces": choice_facts.pieces_standing,
    "sizes": choice_facts.first_size,
    "sides": lambda request: {"gpu": sides_spoken_of(request)},
    "training": lambda _: {"method": "train"},
    "two_sizes": lambda request: {"gpu": two_sizes_of(request), "vram_gb": None},
}
"""Name in routes.yaml -> slots that follow from what was said."""
