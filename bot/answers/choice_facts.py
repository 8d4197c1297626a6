"""What is true of a question about choosing, for the rows of routes.yaml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.answers.choose.gpu_specs import asked_attributes
from bot.core.request import Request

_TWO: Final = 2


def _is_card_sought(request: Request) -> bool:
    """Whether a card is looked for that suits a place or a supply, and none is named."""
    from bot.answers.choose.room import is_spoken_of

    asked = request.heard.speaks_of("which_card")
    if request.slot("gpu"):
        return False
    wanted = asked or bool(request.slot("model") or request.slot("task"))
    supplied = bool(request.slot("psu_w")) and (asked or bool(request.slot("budget")))
    return (wanted and is_spoken_of(request)) or supplied


def _is_card_to_take(request: Request) -> bool:
    """Whether a card is to be chosen together with its number: none is named, and how it is had or how many is."""
    if request.slot("gpu") or request.slot("vram_gb"):
        return False
    asked = request.heard.speaks_of("which_card") and bool(request.slot("gpu_count") or request.slot("budget"))
    return asked or request.slot("deploy") == "rent" or bool(request.slot("provider"))


def _is_best_of_size(request: Request) -> bool:
    """Whether the best for the money is asked for among cards of a size."""
    heard = request.heard
    return heard.shows("wish", "value") or heard.shows("wish", "worth_most")


def _are_places_weighed(request: Request) -> bool:
    from bot.answers.choose.places import are_weighed

    return are_weighed(request)


def _are_pieces_weighed(request: Request) -> bool:
    """Whether memory in one card is set against the same in several."""
    from bot.answers.choose.pieces import are_weighed

    return are_weighed(request)


def pieces_standing(request: Request) -> dict[str, object]:
    """The cards that stand for sizes in so many pieces."""
    from bot.answers.choose.pieces import standing_for

    return standing_for(request)


def _are_series_weighed(request: Request) -> bool:
    """Whether two series of cards are set side by side."""
    from bot.answers.choose.series import are_weighed

    return bool(request.slot("gpu_family")) and are_weighed(request)


def _is_waiting_weighed(request: Request) -> bool:
    """Whether it is asked if to buy now or later."""
    from bot.answers.choose.waiting import is_asked

    return bool(request.slot("gpu") or request.slot("deploy") or request.heard.speaks_of("next_gen")) and is_asked(
        request
    )


def _is_too_much_asked(request: Request) -> bool:
    """Whether it is asked if a card is more than a job needs."""
    from bot.answers.choose.overkill import is_asked

    return is_asked(request)


def _is_rent_or_buy_asked(request: Request) -> bool:
    """Whether renting is set against buying, or against a machine of one's own, and no card is named."""
    heard = request.heard
    own = heard.speaks_of("buying", "workstation", "server")
    return own and heard.speaks_of("renting") and heard.speaks_of("or_word", "compare")


def _is_purchase_doubted(request: Request) -> bool:
    """Whether a card is worth buying at all for so many hours is asked, and none is named."""
    return not request.slot("gpu") and bool(request.slot("duration")) and request.heard.shows("wish", "doubted")


def is_purchase_priced(request: Request) -> bool:
    """Whether a card is said to cost so much to buy."""
    return any(price.unit == "card" for price in request.heard.prices)


def _is_rent_alone(request: Request) -> bool:
    """Whether rent over a time is spoken of, and buying is not."""
    duration, heard = request.slot("duration"), request.heard
    stays = isinstance(duration, dict) and not duration.get("per")
    bought = heard.speaks_of("buying", "rent_versus_buy", "compare", "worth") or is_purchase_priced(request)
    return stays and heard.speaks_of("renting") and not bought


def _is_priced_by_hour(request: Request) -> bool:
    """Whether several cards are each said to cost so much an hour."""
    return len({price.of for price in request.heard.prices if price.unit == "hour" and price.of}) >= _TWO


def _is_money_without_time(request: Request) -> bool:
    """Whether money is named and no length of time is asked for."""
    return not request.heard.speaks_of("time_question")


def _is_shunned_asked(request: Request) -> bool:
    from bot.answers.choose.shunned import is_asked

    return is_asked(request)


def _is_same_asked(request: Request) -> bool:
    """Whether two cards are asked to be the same."""
    return len(request.slot("gpu") or ()) == _TWO and request.heard.shows("form", "alike")


def _are_boxes_weighed(request: Request) -> bool:
    """Whether a server is set against desktops to buy, and renting is not spoken of."""
    from bot.answers.machine.cluster_design import are_boxes_weighed

    return not request.heard.speaks_of("renting") and are_boxes_weighed(request)


def _is_rented_or_bought(request: Request) -> bool:
    """Whether one card is to be rented or another one bought."""
    said = set(request.heard.placed("price"))
    return (
        len(request.slot("gpu") or ()) == _TWO
        and {"rent", "buy"} <= said
        and request.heard.speaks_of("or_word", "compare")
    )


def _is_priced_both_ways(request: Request) -> bool:
    """Whether a card is said to cost so much to buy, and so much an hour or is to be rented: one against the other."""
    heard, named = request.heard, len(request.slot("gpu") or ())
    units = {price.unit for price in heard.prices}
    if request.slot("budget") or "card" not in units:
        return False
    either = heard.speaks_of("renting") and heard.speaks_of("or_word", "compare") and named <= _TWO
    return either if units == {"card"} else named <= 1


def _are_sizes_weighed(request: Request) -> bool:
    """Whether a card's memory is spoken of by its size, and no card and no RAM is named."""
    heard = request.heard
    plain = not heard.wished("gpu") and not heard.wished("ram_gb") and not request.slot("ram_gb")
    sizes = len(set(heard.gigabytes))
    return plain and (
        (sizes >= _TWO and heard.speaks_of("or_word", "compare")) or (sizes > 0 and heard.speaks_of("vram"))
    )


def first_size(request: Request) -> dict[str, object]:
    """The first amount of memory as that of a card."""
    return {"vram_gb": request.heard.gigabytes[0]}


def _is_dock_asked(request: Request) -> bool:
    """Whether a card outside of its computer is asked about, and no other card beside it."""
    heard, one = request.heard, len(request.slot("gpu") or ()) <= 1
    return (
        one and request.intent != "interconnect" and heard.shows("interconnect", "dock") and not heard.speaks_of("psu")
    )


def is_change_weighed(request: Request) -> bool:
    """Whether it is asked if one of two cards is to take the place of the other, or one more to stand beside it."""
    heard, several = request.heard, len(set(map(str, request.heard.wished("gpu")))) >= _TWO
    own = heard.speaks_of("own") and (heard.shows("rig", "added") or heard.shows("wish", "one_more"))
    return several and (own or heard.speaks_of("upgrade", "swap")) and heard.speaks_of("worth", "or_word", "compare")


def _is_other_card_the_cure(request: Request) -> bool:
    """Whether one card is too small for a job, and another one is named that does not stand beside it."""
    heard = request.heard
    two = len(set(map(str, heard.wished("gpu")))) == _TWO and bool(request.slot("model"))
    return two and not heard.shows("pick", "together") and not request.slot("card_counts")


def _is_noise_told_apart(request: Request) -> bool:
    """Whether cards are told apart by their noise."""
    from bot.answers.choose.quieter import is_asked

    return is_asked(request)


def _is_one_of_several(request: Request) -> bool:
    """Whether one of several cards is to be taken for something, and not all of them together."""
    heard = request.heard
    several = len(heard.wished("gpu")) > 1
    return several and heard.shows("pick", "which") and not heard.shows("pick", "together")


def _is_least_put_up(request: Request) -> bool:
    from bot.answers.memory.least import is_asked

    return is_asked(request)


def _is_priced_per_gb(request: Request) -> bool:
    from bot.answers.choose.per_gb import is_asked

    return is_asked(request)


def _is_lasting_asked(request: Request) -> bool:
    """Whether it is asked how long a card stays good."""
    return request.heard.shows("wish", "future")


def _is_figure_apart(request: Request) -> bool:
    """Whether one figure of two cards is set side by side, and not asked which of them to take."""
    heard = request.heard
    asked = asked_attributes(request)
    if len(request.slot("gpu") or ()) != _TWO or len(heard.placed("attribute")) != 1 or not asked:
        return False
    plain = not _PLAIN_FIGURES.isdisjoint(asked) and not heard.speaks_of("worth", "buying", "second_hand", "renting")
    return heard.shows("form", "apart") or (plain and not request.slot("model"))


_PLAIN_FIGURES: Final = frozenset({"memory_bandwidth_gb_per_s", "compute_capability", "bus_width_bit", "pcie_gen"})
"""Figures that are asked for by themselves; memory, power and speed are reasons to choose as well."""


def _is_room_left_asked(request: Request) -> bool:
    """Whether it is asked what a model leaves of a card for its cache."""
    heard = request.heard
    placed = bool(request.slot("gpu") or request.slot("vram_gb"))
    return placed and heard.shows("job", "left") and heard.speaks_of("kv_cache")


def _is_limit_weighed(request: Request) -> bool:
    """Whether it is asked what a limit of watts costs in speed."""
    return bool(request.slot("limit_w")) and request.heard.shows("effect", "speed")


def _is_format_of_family(request: Request) -> bool:
    """Whether it is asked if the cards of a series have a number format."""
    return not request.heard.speaks_of("compute_power") and "compute" not in request.heard.placed("attribute")


def _is_capability_asked(request: Request) -> bool:
    """Whether the compute capability of a card is asked for, and no version that it should run."""
    heard = request.heard
    named = heard.placed("attribute")[:1] == ("compute_capability",)
    return named and not request.slot("cuda_version") and not heard.error and not heard.capability


def _is_power_of_two(request: Request) -> bool:
    """Whether the electricity of two cards is set side by side."""
    from bot.answers.money.power_of_sides import is_asked

    return is_asked(request)


def _is_pace_judged(request: Request) -> bool:
    """Whether it is asked if a pace of writing that is seen is as it should be."""
    heard = request.heard
    return heard.tokens_per_second is not None and heard.shows("asked", "normal")


_BESIDE_TRAINING: Final = frozenset({"price_lookup", "platform_choice", "vendor_choice"})
"""Needs that a question is read for where its reason is a price or a maker."""


def _is_training_asked(request: Request) -> bool:
    """Whether it is asked if the one card that is named trains at all, of a maker whose cards run the usual code."""
    heard, named = request.heard, request.slot("gpu") or ()
    if request.intent not in _BESIDE_TRAINING:
        return False
    trains = request.slot("method") == "train" or heard.speaks_of("training")
    if len(named) != 1 or request.slot("model") or request.slot("task") or not trains:
        return False
    known = request.services.catalog.gpu_variants(str(request.first("gpu")))
    return (
        bool(known)
        and known[0].vendor == "NVIDIA"
        and heard.speaks_of("able", "fits")
        and not heard.speaks_of("money_question")
    )


def _is_quant_asked(request: Request) -> bool:
    """Whether one of a model's quantised files is to be chosen."""
    from bot.answers.memory.quant_choice import is_asked

    return is_asked(request)


def is_work_rate_asked(request: Request) -> bool:
    """Whether it is asked how much a card gets through in a second or a minute, or how fast it writes."""
    heard = request.heard
    asked = heard.shows("asked", "work_a_second") or heard.shows("asked", "rate") or heard.speaks_of("throughput")
    return asked and heard.tokens_per_second is None


_MANY_PEOPLE: Final = 10
"""From so many on a model is served to them, and is no longer one person's."""


def _are_many_served(request: Request) -> bool:
    """Whether a language model is to answer many people: how many ask at once decides, and not what one does."""
    return request.slot("task") == "llm_inference" and int(request.slot("users") or 0) >= _MANY_PEOPLE


def _is_lent_or_own(request: Request) -> bool:
    from bot.answers.documents.lent_or_own import is_asked

    return is_asked(request)


def _gain_little(request: Request) -> bool:
    """Whether several cards are hardly faster than one, and no sign of what they wait for is told."""
    heard = request.heard
    several = int(request.slot("gpu_count") or 1) > 1
    return several and heard.shows("scaling", "slow") and not (heard.symptom or heard.error)


def _are_cards_alternatives(request: Request) -> bool:
    """Whether one of several cards is asked about, and none is put beside another."""
    heard = request.heard
    either = len(request.slot("gpu") or ()) > 1 and heard.shows("alternative", "either")
    return either and not heard.shows("pick", "together")


def _are_cards_together(request: Request) -> bool:
    """Whether cards of several kinds are to do one job together, and none of them is to be taken."""
    heard = request.heard
    if len(set(request.slot("gpu") or ())) < _TWO or heard.speaks_of("or_word", "compare"):
        return False
    return heard.speaks_of("together") or heard.shows("pick", "together")


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "best_of_size": _is_best_of_size,
    "lent_or_own_asked": _is_lent_or_own,
    "many_served": _are_many_served,
    "gain_little": _gain_little,
    "cards_alternative": _are_cards_alternatives,
    "cards_together": _are_cards_together,
    "which_of_them_asked": lambda request: request.heard.shows("pick", "which"),
    "card_open": lambda request: not request.heard.shows("platform", "free"),
    "than_one_asked": lambda request: request.heard.shows("against", "one"),
    "card_sought": _is_card_sought,
    "card_to_take": _is_card_to_take,
    "lasting_asked": _is_lasting_asked,
    "places_weighed": _are_places_weighed,
    "pieces_weighed": _are_pieces_weighed,
    "too_much_asked": _is_too_much_asked,
    "rent_alone": _is_rent_alone,
    "rent_or_buy_asked": _is_rent_or_buy_asked,
    "purchase_doubted": _is_purchase_doubted,
    "same_asked": _is_same_asked,
    "priced_by_hour": _is_priced_by_hour,
    "money_without_time": _is_money_without_time,
    "shunned_asked": _is_shunned_asked,
    "boxes_weighed": _are_boxes_weighed,
    "rented_or_bought": _is_rented_or_bought,
    "priced_both_ways": _is_priced_both_ways,
    "sizes_weighed": _are_sizes_weighed,
    "dock_asked": _is_dock_asked,
    "change_weighed": is_change_weighed,
    "other_card_the_cure": _is_other_card_the_cure,
    "noise_told_apart": _is_noise_told_apart,
    "waiting_weighed": _is_waiting_weighed,
    "series_weighed": _are_series_weighed,
    "priced_per_gb": _is_priced_per_gb,
    "one_of_several": _is_one_of_several,
    "figure_apart": _is_figure_apart,
    "capability_asked": _is_capability_asked,
    "format_of_family": _is_format_of_family,
    "limit_weighed": _is_limit_weighed,
    "is_run": lambda request: request.slot("method") in {None, "inference"} and request.slot("task") != "llm_finetune",
    "work_rate_asked": is_work_rate_asked,
    "images_a_second_asked": lambda request: is_work_rate_asked(request) and not request.heard.speaks_of("fits"),
    "room_left_asked": _is_room_left_asked,
    "least_put_up": _is_least_put_up,
    "power_of_two_asked": _is_power_of_two,
    "pace_judged": _is_pace_judged,
    "quant_asked": _is_quant_asked,
    "training_asked": _is_training_asked,
}
"""Name in routes.yaml -> whether it holds of a question."""
