"""A notebook, a desktop or somebody else's card: where to do one's work, by the memory that each of them gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from advisor.jobs.plan import figure_on
from advisor.memory.fit import usable_gib
from advisor.models import Gpu
from bot.answers.choose.wishes import Wish, read_wish
from bot.answers.common import source_refs
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_NOTEBOOK: Final = "rtx-4060-laptop"
"""The notebook card that is meant where none is named: the usual one of gaming notebooks."""
_DESKTOP: Final = "rtx-5060-ti-16gb"
"""The desktop card that is usual for starting."""
_FREE: Final = "tesla-t4"
"""The card that Colab gives out for nothing."""
_MOBILE: Final = "laptop"


def are_weighed(request: Request) -> bool:
    """Whether a notebook is set against a desktop or somebody else's card, or it is asked if one is to be had."""
    sites, heard = request.heard.sides("site"), request.heard
    compared = bool(request.slot("gpu")) and request.intent == "compare_gpus"
    return "notebook" in sites and len(sites) > 1 and len(heard.wished("gpu")) <= 1 and not compared


def handle(request: Request) -> Outcome:
    """The place that gives the job its memory for the least: a free card first, a desktop before a notebook."""
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    gpus = request.services.catalog.gpus
    notebook = next((one.gpu for one in wish.named if one.gpu.form_factor == _MOBILE), gpus[_NOTEBOOK])
    cards = {"notebook": notebook, "desktop": gpus[_DESKTOP], "free": gpus[_FREE]}
    need = _need(wish)
    values = _values(cards, need)
    code = _code(set(request.heard.sides("site")), need, cards)
    return answer_with(
        headline=(Line(code, values),),
        lines=tuple(_lines(code, values)),
        facts=tuple(fact_of(name=f"vram:{gpu.name}", value=gpu.vram_gib, unit="GiB") for gpu in cards.values()),
        sources=source_refs(request, [gpu.sources.get("*", "") for gpu in cards.values()]),
        assumptions=wish.assumptions,
    )


def _need(wish: Wish) -> float | None:
    """GiB of the job in its lightest way: the first that anybody tries where memory is short."""
    needs = [figure_on(way, 1).value for way in wish.ladder]
    return min(needs, default=None)


def _code(sites: set[str], need: float | None, cards: Mapping[str, Gpu]) -> str:
    """place.<what is taken>: a desktop where only that stands beside, else the free card where the job fits it."""
    if "lent" not in sites and "desktop" in sites:
        return "place.desktop"
    free = usable_gib(cards["free"], cards["free"].vram_gib or 0.0)
    if need is not None and need > free:
        return "place.rent"
    return "place.free_then_desktop" if "desktop" in sites else "place.free"


def _values(cards: Mapping[str, Gpu], need: float | None) -> dict[str, Worded]:
    values: dict[str, Worded] = {"need": gib(need) if need is not None else None}
    for name, gpu in cards.items():
        values[name] = gpu.name
        values[f"{name}_vram"] = Figure(gpu.vram_gib, "GB") if gpu.vram_gib else None
        values[f"{name}_watts"] = Figure(gpu.board_power_w, "W") if gpu.board_power_w else None
    return values


def _lines(code: str, values: Mapping[str, Worded]) -> Iterator[Line]:
    yield Line("place.notebook", values)
    if code != "place.desktop":
        yield Line("place.limits")
    yield Line("place.unless")
