"""How long a card stays good: what its software support and its memory say, and which of them ends first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Final

from advisor.models import Gpu
from bot.answers.choose.worth import Holds, holds
from bot.answers.common import elicit_gpu, named_gpus, source_refs
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_COMMON: Final = "NVIDIA"
_ROOMY: Final = 24.0
"""GB from which memory is not what ends first: larger models have always meant several cards."""
_SMALL: Final = 12.0
"""GB below which models of today are left out already."""


def handle(request: Request) -> Outcome:
    """Whether support or memory ends first for the card that is named."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    if not named:
        return elicit_gpu()
    gpu = named[0].gpu
    first, last = dropped_after(request.services.catalog)
    held = holds(request.services.catalog, gpu)
    values = _values(gpu, held, (first, last), _arrival(request.services.catalog, gpu))
    return answer_with(
        headline=(Line(_code(gpu, values, request.now.year), values),),
        lines=tuple(_lines(gpu, values)),
        facts=(
            fact_of(name="released", value=gpu.release_date.isoformat() if gpu.release_date else None),
            fact_of(name="largest_llm", value=held.run, unit="B", basis="4 bit, 4096 tokens"),
        ),
        sources=source_refs(request, [gpu.sources.get("*", "")]),
        notes=tuple(one.note for one in named if one.note),
    )


def dropped_after(catalog: Catalog) -> tuple[int, int]:
    """Least and most years from the first card of an architecture to the toolkit that left it out, of those left out.

    Years run to the day of the newest toolkit that none of them has: the first cards of each architecture count.
    """
    firsts: dict[str, date] = {}
    for gpu in catalog.gpus.values():
        if gpu.vendor == _COMMON and gpu.last_cuda is not None and gpu.release_date is not None:
            firsts[gpu.architecture] = min(gpu.release_date, firsts.get(gpu.architecture, gpu.release_date))
    years = [_LEFT_OUT.year - day.year for day in firsts.values() if day.year >= _OLDEST]
    return min(years), max(years)


_LEFT_OUT: Final = date(2025, 8, 4)
"""Release of CUDA 13.0, which left out Maxwell, Pascal and Volta (release notes of CUDA 13.0)."""
_SOON: Final = 1
"""Years to the end of support within which a card is late."""
_OLDEST: Final = 2014
"""Year of the oldest architecture that it left out: Maxwell."""


def _arrival(catalog: Catalog, gpu: Gpu) -> int | None:
    """Year of the first card of the same architecture: support ends for all of them together."""
    kin = (one for one in catalog.gpus.values() if one.architecture == gpu.architecture and one.vendor == gpu.vendor)
    return min((one.release_date.year for one in kin if one.release_date is not None), default=None)


def _code(gpu: Gpu, values: Mapping[str, Worded], year: int) -> str:
    until = values["until"]
    if gpu.last_cuda is not None:
        return "lasts.over"
    if isinstance(until, int) and until <= year + _SOON:
        return "lasts.late"
    size = gpu.vram_gib or 0.0
    return "lasts.memory" if size <= _SMALL else "lasts.well" if size >= _ROOMY else "lasts.both"


def _values(gpu: Gpu, held: Holds, years: tuple[int, int], arrival: int | None) -> dict[str, Worded]:
    return {
        "card": gpu.name,
        "year": arrival,
        "until": arrival + years[0] if arrival and gpu.vendor == _COMMON else None,
        "vram": Figure(gpu.vram_gib, "GB") if gpu.vram_gib else None,
        "run": Figure(float(held.run)) if held.run else None,
        "tune": Figure(float(held.tune)) if held.tune else None,
        "cuda": gpu.last_cuda,
        "first": Figure(float(years[0])),
        "last": Figure(float(years[1])),
    }


def _lines(gpu: Gpu, values: Mapping[str, Worded]) -> Iterator[Line]:
    yield Line("lasts.holds", values)
    if gpu.last_cuda is None and gpu.vendor == _COMMON:
        yield Line("lasts.support", values)
    if gpu.fp8_tflops is None and gpu.vendor == _COMMON:
        yield Line("lasts.no_fp8", values)
    yield Line("lasts.rule")
