"""Which card (or cards) for a job, a budget, a person: three picks with reasons and what would change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.ways import Way
from advisor.models import Note, note_of
from advisor.recommend import Channel, Objective, Recommendation, Selection, choose
from advisor.recommend.estimates import speed_on
from advisor.recommend.ground import is_past
from advisor.recommend.home import pace_of
from advisor.recommend.rank import gained
from bot.answers.asked import is_bare_wish
from bot.answers.asked_job import assumptions_of
from bot.answers.choose.for_a_sum import for_a_sum
from bot.answers.choose.laptops import laptop_answer
from bot.answers.choose.recommend_told import answer_of
from bot.answers.choose.room import is_spoken_of
from bot.answers.choose.whole_budget import for_the_cards
from bot.answers.choose.wishes import Wish, read_wish, sizes_of
from bot.answers.common import decline_error, fact, source_refs, step_sources
from bot.core.answers import Answer, Assumption, Decline, Outcome, elicit_of
from bot.core.line import Line
from bot.core.request import Request

TASK_CHOICES: Final = ("llm_inference", "llm_finetune", "nlp", "cv", "image_generation", "learning")
_ENOUGH: Final = ("model", "task", "method", "vram_gb", "budget", "gpu", "provider")
_ROOMY: Final = 0.875
"""Share of a card's memory that a language model of a size may take where the size is ours to choose."""
_NAMED: Final = 4
"""Cards without a price that are named instead of a pick."""
_FEW_CARDS: Final = 2
"""Cards that people put into one computer at home."""
_PRICED: Final = ("rec_near_other", "rec_near_budget")
"""Notes of what would do it for a price."""
_RENTED: Final = "rec_none_bought"
_LIGHTER: Final = "rec_lighter_bought"
"""What is said where a sum buys nothing and rents something for some hours."""
_FITTING: Final = 0.85
"""Search score from which a passage answers a question that names neither job nor means."""


def handle(request: Request) -> Outcome:
    """Recommend, for a usual job where none is named; ask for the task when not even a card is spoken of."""
    if request.heard.shows("wish", "most_memory"):
        from bot.answers.choose.card_lists import asks_list, card_list  # a fact about cards and no choice

        listed = card_list(request) if asks_list(request) else None
        if listed is not None:
            return listed
    if _is_too_open(request):
        return _of_documents(request) or elicit_of(slot="task", values=TASK_CHOICES)
    request = _with_money(request)
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    if request.slot("cheaper_than"):
        return _cheaper(request, wish)
    return _spent(request, wish) or _chosen(request, for_the_cards(request, wish))


def _with_money(request: Request) -> Request:
    """A sum named beside no card as what may be spent: where a card is wished for, it is the price of none."""
    price = request.slot("price")
    if not price or request.slot("budget") or request.slot("gpu") or price.get("unit") != "card":
        return request
    budget = {"amount": price["amount"], "currency": price["currency"], "period": "once"}
    return replace(request, slots={**request.slots, "budget": budget})


def _of_documents(request: Request) -> Answer | None:
    """What the documents recommend; None for a wish of today: in a few words, or a bare one that they do not pick for.

    A passage that is meant for other needs tells of cards, and picks none.
    """
    from bot.answers.documents.passages import passage_answer  # searching is not paid for when a card is recommended

    wish = is_bare_wish(request)
    if request.heard.is_few_words or (wish and request.excluded):
        return None
    told = passage_answer(request, "recommend_gpu", floor=_FITTING, only=True)
    meant = told is None or "recommend_gpu" in request.services.library.get(told.told.passages[0]).intents
    return told if meant or not wish else None


def _is_too_open(request: Request) -> bool:
    """Whether neither job nor means is known, nor where the card goes or who asks."""
    known = request.slot("deploy") == "laptop" or any(request.slot(name) for name in _ENOUGH)
    return not known and not is_spoken_of(request) and not _asks_plainly(request)


def _chosen(request: Request, wish: Wish) -> Outcome:
    """The best card for a wish, or what stands in the way."""
    try:
        wish, found = on_ladder(request, wish)
        served = _served(request, wish, found)
        if served is not None:
            return served
        wish, found = for_a_sum(request, *_to_own(request, wish, found))
        wish = _beside_rental(request, wish, found)
    except AdvisorError as error:
        return decline_error(error)
    return _told(request, wish, found.told())


def on_ladder(request: Request, wish: Wish) -> tuple[Wish, Selection]:
    """The verdict for the first way that some card surely does for the money, else for the usual one.

    Every candidate is judged by the same way. Who wants a language model and names none gets the largest for the money.
    """
    catalog, today = request.services.catalog, request.now.date()
    for larger in sizes_of(request, wish):
        found = choose(larger.need, catalog, today)
        if _affords(larger, found):
            return larger, found
    tried = [(wish, choose(wish.need, catalog, today))]
    most = wish.need.objective is Objective.MOST
    for way in wish.ladder[1:]:
        if _settled(wish, tried[-1][1]) and not most:
            break
        lighter = wish.need.model_copy(update={"workload": way.workload})
        other = replace(wish, need=lighter, ladder=(way,), assumptions=_in_way(wish, way))
        tried.append((other, choose(lighter, catalog, today)))
    settled = [one for one in tried if _settled(wish, one[1])]
    if settled:  # the fastest of them, the usual way first
        return max(settled, key=lambda one: _worth(wish, one[1])) if most else settled[0]
    return _likeliest(tried)


def _likeliest(tried: Sequence[tuple[Wish, Selection]]) -> tuple[Wish, Selection]:
    """Of ways none of which settles it: one whose card is bought for pictures, one that surely does, the usual one."""
    bought = [one for one in tried if _is_drawn_on_what_is_bought(one[0], one[1])]
    sure = [one for one in tried if one[1].winner is not None and one[1].winner.sure]
    return (bought or sure or tried)[0]


def _is_drawn_on_what_is_bought(wish: Wish, found: Selection) -> bool:
    """Whether a sum to spend once buys a card that may hold a job of pictures, whose programs make do with less."""
    work, once = wish.need.workload, wish.need.budget is not None and wish.need.budget_period == "once"
    draws = work is not None and work.ml_model.modality == "image-gen"
    return draws and once and found.winner is not None and found.channel is Channel.BUY


def _affords(wish: Wish, found: Selection) -> bool:
    """Whether the money gets a few cards that hold a model of this size surely, or one that holds it with room."""
    option = found.winner
    if option is None or not _as_money_goes(wish, found) or is_past(option.gpu, found.channel):
        return False
    roomy = option.n == 1 and found.requirement.gib <= _ROOMY * option.vram_gib
    return option.n <= _FEW_CARDS and (option.sure or roomy)


def _as_money_goes(wish: Wish, found: Selection) -> bool:
    """Whether what is named to spend once buys: renting is no answer to it unless renting was asked for."""
    once = wish.need.budget is not None and wish.need.budget_period == "once"
    return not once or wish.need.deploy is not None or found.channel is Channel.BUY


def _worth(wish: Wish, found: Selection) -> float:
    """What a pick brings for its money, by its speed in the usual way: ways of different length do not compare."""
    option = found.winner
    if option is None or wish.way is None:
        return 0.0
    speed = speed_on(wish.way.workload, option.gpu, option.n) or pace_of(option.gpu, option.n) or 0.0
    return gained(speed, option.cost)


def _settled(wish: Wish, found: Selection) -> bool:
    """Whether a card surely does the job, and is bought where a sum is named to spend once."""
    return found.winner is not None and found.winner.sure and _as_money_goes(wish, found)


def _in_way(wish: Wish, way: Way) -> tuple[Assumption, ...]:
    """The assumptions of a wish, those of another way in the place of the usual one's."""
    own = {one.slot: one for one in assumptions_of(way)}
    return tuple(own.get(one.slot, one) for one in wish.assumptions)


def _cheaper(request: Request, wish: Wish) -> Outcome:
    """The best below the price of the pick before, which was too dear."""
    from bot.answers.choose.cheaper import below

    try:
        wish, found, lead = below(request, wish)
    except AdvisorError as error:
        return decline_error(error)
    return _told(request, wish, found, lead)


def _told(request: Request, wish: Wish, found: Recommendation, lead: Line | None = None) -> Outcome:
    if wish.laptop:
        return laptop_answer(request, wish, found)
    return answer_of(request, wish, found, lead) if found.winner is not None else declined(request, wish, found)


def _spent(request: Request, wish: Wish) -> Answer | None:
    """A run from scratch, or servers, where that is what the budget is for."""
    if wish.need.budget is None or wish.laptop:
        return None
    from bot.answers.choose.scratch import scratch_answer, trains_from_scratch  # only where money is named

    if trains_from_scratch(request):
        trained = scratch_answer(request, wish)
        if trained is not None:
            return trained
    from bot.answers.choose.servers import means_servers, servers_answer  # only where money is named

    return servers_answer(request, wish) if means_servers(request, wish) else None


def _only_rents(wish: Wish, found: Selection) -> bool:
    """Whether a sum rents what it is spent on although nobody said that it should."""
    return wish.need.budget is not None and found.channel is Channel.RENT and wish.need.deploy is None


def _served(request: Request, wish: Wish, found: Selection) -> Answer | None:
    """Servers, where a one-off budget buys no card that holds the job."""
    if not _only_rents(wish, found):
        return None
    from bot.answers.choose.servers import instead_of_rental  # only where a sum buys nothing

    return instead_of_rental(request, wish)


def _to_own(request: Request, wish: Wish, found: Selection) -> tuple[Wish, Selection]:
    """The choice to buy in the place of one to rent, where the budget buys the cards."""
    if not _only_rents(wish, found):
        return wish, found
    from bot.answers.choose.servers import to_buy

    owned = to_buy(request, wish)
    if owned.need is wish.need:
        return wish, found
    return owned, choose(owned.need, request.services.catalog, request.now.date())


def _beside_rental(request: Request, wish: Wish, found: Selection) -> Wish:
    """The wish with what buying would take, where a one-off budget is spent on renting."""
    if not _only_rents(wish, found):
        return wish
    from bot.answers.choose.servers import purchase_notes

    return replace(wish, notes=(*wish.notes, *purchase_notes(request, wish)))


def _way(wish: Wish) -> str:
    """How the cards were to be had, when that was said."""
    return wish.need.deploy.value if wish.need.deploy is not None else ""


_OF_OTHERS: Final = ("author_used", "compare")
_HALF_SAID: Final = ("finetuning", "pretraining", "inference")
"""Something is to be done with a model, but which one is open: that is asked for first."""
_PLAIN: Final = frozenset({"persona", "deploy", "region", "os", "objective"})
"""Slots that say who asks and how; any other is a condition that this answer would pass over."""


def _asks_plainly(request: Request) -> bool:
    """Whether somebody says who they are and leaves everything else open: beginners start with the same few jobs."""
    if request.heard.speaks_of(*_OF_OTHERS, *_HALF_SAID) or not request.slots.keys() <= _PLAIN:
        return False
    return bool(request.slot("persona"))


def _narrowed(wish: Wish) -> bool:
    """Whether the wish leaves few makers or sizes of card: then those that would do are named, price or none."""
    need = wish.need
    return bool(
        need.vendors
        or need.excluded_vendors
        or need.max_length_mm
        or need.max_slots
        or need.max_power_w
        or need.unplugged
    )


def _in_the_way(wish: Wish, found: Recommendation) -> Note:
    """Time, the price that nobody knows, the budget, or memory."""
    budget, values = wish.need.budget, {"need": found.requirement.gib}
    if any(note.code == "rec_near_slow" for note in found.nearest):
        return note_of("rec_none_fast", values)
    over = any(group.reason.code == "out_over_budget" for group in found.ruled_out)
    if found.unpriced and not over and _narrowed(wish):
        named = {"names": list(found.unpriced[:_NAMED]), "count": len(found.unpriced), "budget": budget}
        return note_of("rec_none_priced", {**values, **named})
    if budget is not None and (over or any(note.code in _PRICED for note in found.nearest)):
        return _too_little(wish, found, {**values, "budget": budget})
    return note_of("rec_none_fits", {**values, "budget": budget})


def _too_little(wish: Wish, found: Recommendation, values: Mapping[str, object]) -> Note:
    """That the money buys nothing, or what it rents all the same."""
    rented = _hours_bought(found) if wish.need.deploy is not Channel.BUY else None
    if rented is not None:
        return note_of(_RENTED, {**values, **rented.values})
    lighter = _bought_lighter(found)
    if lighter is not None and wish.need.workload is not None:
        return note_of(_LIGHTER, {**values, **lighter.values, "said": wish.need.workload.method.value})
    return note_of("rec_none_budget", {**values, "period": wish.need.budget_period, "way": _way(wish)})


def _bought_lighter(found: Recommendation) -> Note | None:
    """The card that the money buys where the job is done in a lighter way; None where it buys none."""
    near = next((note for note in found.nearest if note.code == "rec_near_method"), None)
    return near if near is not None and near.values.get("channel") == Channel.BUY.value else None


def _hours_bought(found: Recommendation) -> Note | None:
    """What a sum that buys nothing rents, and for how long; None where it rents nothing for an hour."""
    near = next((note for note in found.nearest if note.code == "rec_near_budget"), None)
    hours = near.values.get("hours") if near is not None else None
    return near if isinstance(hours, int | float) and hours >= 1 else None


def _none(_: Recommendation) -> None:
    """Nothing that comes near is told in the reason."""


def declined(request: Request, wish: Wish, found: Recommendation) -> Decline:
    """Nothing can be had for this: say what stands in the way and what comes nearest."""
    reason = _in_the_way(wish, found)
    estimate = found.requirement.estimate
    told = {_RENTED: _hours_bought, _LIGHTER: _bought_lighter}.get(reason.code, _none)(found)
    return Decline(
        reason=reason,
        nearest=tuple(note for note in found.nearest if note is not told),
        facts=(fact("vram_needed", estimate),) if estimate else (),
        trace=(estimate.trace,) if estimate else (),
        sources=source_refs(request, step_sources(estimate.trace)) if estimate else (),
    )
