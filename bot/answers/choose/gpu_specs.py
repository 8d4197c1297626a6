"""Facts about cards: one figure, the sheet of a card, several cards side by side, the members of a family."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from advisor.claims import Dissent
from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.models import Gpu, Note, note_of
from advisor.specs import CORE, SHEET, SpecTable, SpecValue, spec_dissents, spec_table
from bot.answers import premise
from bot.answers.choose.ecc import with_ecc
from bot.answers.choose.spec_lines import (
    Family,
    Mode,
    Series,
    Specs,
    blocks_of,
    family_blocks,
    family_headline,
    family_lines,
    headline_of,
    lines_of,
)
from bot.answers.common import NamedGpu, elicit_gpu, named_gpus, source_refs
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_SHOWS: Final = Path(__file__).with_name("attributes.yaml")
_PIECES: Final = re.compile(r"\d+|\D+")
_MOST_CARDS: Final = 8
"""Cards side by side in one answer; more become a list."""
_BRIEF: Final = (
    *("vram_gib", "memory_options_gib", "memory_bandwidth_gb_per_s", "fp32_tflops", "fp16_tensor_fp32acc_tflops"),
    *("board_power_w", "release_date"),
)
"""What is compared at a glance when nothing in particular was asked."""
_EVERY: Final = "*"
"""In the marks of a card: all of its figures."""
_MODIFIED: Final = "(mod)"
"""Part of the name of a board whose memory was changed after it was sold: listed last."""
_QUIET: Final = ("form_factor", "slots")  # marked as doubtful, but not worth a remark
_FAMILY: Final = ("vram_gib", "memory_options_gib", "memory_bandwidth_gb_per_s", "fp32_tflops", "release_date")
_PLAIN: Final = 2
"""Words of the name of a series of desk cards: a prefix and its number."""
_FORMATS: Final = ("fp32", "fp16", "bf16", "tf32", "fp8", "int8")
_PEAKS: Final = ("fp16_tensor_fp32acc_tflops", "bf16_tflops", "tf32_tflops", "fp8_tflops", "int8_tops")
_SPARSE: Final = 0.02
"""How near to twice our dense figure a user's number must be to be taken for the figure with sparsity."""
_KNOWN: Final = 0.05
"""A number this near to one of our figures is that figure."""
_ABOVE: Final = 1.15
"""A measured bandwidth this far above the memory's rate was not measured in the memory."""


# --- what was asked --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _shows() -> dict[str, tuple[str, ...]]:
    """Attributes that are shown for each thing that is asked."""
    problems: list[Problem] = []
    content = load_yaml_files([_SHOWS], problems).get(str(_SHOWS), {})
    if problems:
        raise BadData(problems)
    return {str(name): tuple(attributes) for name, attributes in content.items()}


def asked_attributes(request: Request) -> tuple[str, ...]:
    """Attributes that a question names, in its order; empty when it names none."""
    shows, names = _shows(), dict.fromkeys(request.heard.placed("attribute") or request.heard.sides("attribute"))
    if request.heard.speaks_of("throughput") or (len(names) > 1 and any(name in names for name in _FORMATS)):
        names.pop("compute", None)  # tokens are counted, or a number format asks for that format only
    return tuple(dict.fromkeys(attribute for name in names for attribute in shows[name]))


def _carried(request: Request) -> tuple[str, ...]:
    """What the last answer was about, for a follow-up that names a card alone."""
    if request.heard.is_read and not request.heard.is_elliptical:
        return ()
    episodes = request.conversation.episodes
    if not episodes or episodes[-1].intent != request.intent:
        return ()
    earlier = dict.fromkeys(fact.name.rsplit(".", 1)[-1] for fact in episodes[-1].facts)
    names = tuple(name for name in earlier if name in SHEET)
    return names if 0 < len(names) <= 4 else ()


def _wanted(request: Request) -> tuple[str, ...]:
    """Attributes to show: of the number format when one is named, else of the words, else of the last answer."""
    shows = _shows()
    formats = request.slot("precision")
    named = formats if isinstance(formats, list) else [formats] if formats else []
    by_format = dict.fromkeys(attribute for name in named for attribute in shows.get(name, ()))
    asked = asked_attributes(request)
    asked = tuple(dict.fromkeys((*premise.sizes_said(request), *asked)))
    return tuple(by_format) or asked or _carried(request)


def _relevant(gpus: tuple[Gpu, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """Of the FP16 figures only those that tell something: no second one when it is the same, none of plain cores
    beside tensor cores."""
    kept = list(asked)
    slow, fast, plain = "fp16_tensor_fp32acc_tflops", "fp16_tensor_fp16acc_tflops", "fp16_nontensor_tflops"
    if fast in kept and all(getattr(gpu, slow) == getattr(gpu, fast) for gpu in gpus):
        kept.remove(fast)
    if plain in kept and all(getattr(gpu, slow) for gpu in gpus):
        kept.remove(plain)
    return tuple(kept)


# --- the answer ------------------------------------------------------------------------------------------------------


def handle(request: Request) -> Outcome:
    """A fact, a sheet, a table or a list of cards."""
    if not request.slot("gpu"):
        listed = _by_memory(request)
        if listed is not None:
            return listed
    family = request.slot("gpu_family")
    if family and _only_family_is_named(request):
        return _family(request, str(family))
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    if not named:
        return _family(request, str(family)) if family else elicit_gpu()
    return with_ecc(request, _of_cards(request, named), [one.gpu for one in named], asked_attributes(request))


def _of_cards(request: Request, named: list[NamedGpu]) -> Answer:
    """What was asked of the named cards; a sheet or a table where nothing in particular was."""
    catalog = request.services.catalog
    gpus = premise.version_meant(request, _shown(named), _BRIEF) if len(named) == 1 else _shown(named)
    asked = _relevant(gpus, _wanted(request))
    if len(gpus) == 1:
        asked = tuple(dict.fromkeys((*asked, *premise.figures_said(request, gpus[0], _BRIEF))))
    table = spec_table(catalog, gpus, asked or SHEET)
    notes = _variant_notes(named, gpus)
    if len(named) == 1 and asked and len(gpus) > 1 and _all_alike(table):
        notes = (note_of("spec_same", {"asked": named[0].asked, "count": len(gpus)}),)
        gpus = gpus[:1]
        table = spec_table(catalog, gpus, asked)
    mode: Mode = "fact" if asked else "sheet" if len(gpus) == 1 else "table"
    brief = table if asked else spec_table(catalog, gpus, _BRIEF)
    notes = (*notes, *_remarks(request, gpus, table, mode))
    return _answer(request, Specs(mode, _title(named, gpus), table, brief), gpus, notes)


def _title(named: list[NamedGpu], gpus: tuple[Gpu, ...]) -> str:
    """The name as it was said where all its versions are alike, else the card's own."""
    as_said = len(gpus) == 1 and len(named) == 1 and named[0].others
    return named[0].asked if as_said else gpus[0].name


def _by_memory(request: Request) -> Answer | None:
    """Cards of a size, or with the most memory."""
    from bot.answers.choose.card_lists import asks_list, card_list  # only where no card is named

    return card_list(request) if asks_list(request) else None


def _only_family_is_named(request: Request) -> bool:
    """Whether this message names a family and no card, whatever card was spoken of before."""
    return bool(request.heard.wished("gpu_family")) and not request.heard.wished("gpu")


def _all_alike(table: SpecTable) -> bool:
    """Whether all cards have the same figures."""
    return all(cell.value == row[0].value for row in table.rows for cell in row)


def _shown(named: list[NamedGpu]) -> tuple[Gpu, ...]:
    """All variants of a single generic name; the variant taken when several cards are named."""
    if len(named) == 1:
        return (named[0].gpu, *named[0].others)[:_MOST_CARDS]
    return tuple({one.gpu.id: one.gpu for one in named}.values())[:_MOST_CARDS]


def _variant_notes(named: list[NamedGpu], gpus: tuple[Gpu, ...]) -> tuple[Note, ...]:
    if len(named) == 1:
        if len(gpus) == 1:
            return ()
        return (note_of("spec_variants", {"asked": named[0].asked, "count": len(gpus)}),)
    return tuple(one.note for one in named if one.note)


def _answer(request: Request, told: Specs, gpus: tuple[Gpu, ...], notes: tuple[Note, ...]) -> Answer:
    table = told.table
    catalog = request.services.catalog
    known = [cell for row in table.rows for cell in row if cell.value not in (None, ())]
    differing = spec_dissents(gpus, table.attributes, catalog.rulings)
    ledger = dict.fromkeys(one.ruling.conflict for one in differing if one.ruling and one.ruling.conflict)
    own = tuple(_dissent_note(request, one) for one in differing if not (one.ruling and one.ruling.conflict))
    return answer_with(
        headline=(premise.told(request, _holds(request, told), headline_of(told)),),
        lines=lines_of(told),
        blocks=blocks_of(told),
        result=table,
        facts=tuple(_fact(cell, len(gpus)) for cell in known),
        trace=table.steps,
        sources=source_refs(request, table.sources),
        notes=(*notes, *own),
        conflicts=tuple(ledger),
    )


def _holds(request: Request, told: Specs) -> bool | None:
    """Whether the figures bear out what the message puts up; None where it puts up nothing that they could."""
    if told.mode != "fact" or not premise.is_put_up(request):
        return None
    rows = [[_number(cell.value) for cell in row] for row in told.table.known]
    if len(told.table.names) > 1:
        return premise.holds_of(request, *rows[0][:2]) if rows else None
    return _is_so(request, told, [row[0] for row in rows if row[0] is not None])


def _is_so(request: Request, told: Specs, figures: Sequence[float]) -> bool | None:
    """Whether the figures of one card are those that are said; of what it has or has not, whether that is claimed."""
    if figures or not told.table.known:
        return premise.are_so(request, figures, _said(request, told), told.table.attributes)
    # a premise of absence is borne out by absence
    return any(bool(row[0].value) for row in told.table.known) != request.heard.shows("claim", "none")


def _said(request: Request, told: Specs) -> list[float]:
    """Numbers of the message that are no part of the card's name."""
    names = {part for name in (*told.table.names, told.title) for part in _PIECES.findall(name)}
    said = [float(number) for number in request.heard.numbers if number not in names]
    return [*said, *premise.memory_said(request)]


def _fact(cell: SpecValue, cards: int) -> Fact:
    value = "/".join(f"{one:g}" for one in cell.value) if isinstance(cell.value, tuple) else cell.value
    return fact_of(
        name=cell.attribute if cards == 1 else f"{cell.gpu}.{cell.attribute}",
        value=value,
        unit=cell.unit,
        basis=cell.basis,
        sources=(cell.source,) if cell.source else (),
        as_of=cell.as_of,
    )


# --- remarks ---------------------------------------------------------------------------------------------------------


def _remarks(request: Request, gpus: tuple[Gpu, ...], table: SpecTable, mode: str) -> tuple[Note, ...]:
    """What must be said beside the figures."""
    notes = [*_doubts(request, gpus, table), *_counting(gpus, table, mode), *_gaps(gpus, table, mode)]
    if mode == "fact":
        return tuple(notes)
    texts: dict[str, list[str]] = {}
    for gpu in gpus:
        text = (gpu.notes_zh if request.language == "zh" else "") or gpu.notes
        if text:
            texts.setdefault(text, []).append(gpu.name)
    return (*notes, *(note_of("spec_remark", {"gpus": names, "text": text}) for text, names in texts.items()))


def _gaps(gpus: tuple[Gpu, ...], table: SpecTable, mode: str) -> Iterator[Note]:
    """What is not known, not verified, or said by one source only."""
    unknown = [row[0].attribute for row in table.rows if all(cell.value in (None, ()) for cell in row)]
    if mode == "fact" and len(unknown) == len(table.rows):
        yield note_of("spec_unknown", {"gpus": list(table.names), "attributes": unknown[:1]})
    marked = dict.fromkeys(c.attribute for row in table.rows for c in row if not c.verified and c.value is not None)
    marks = [attribute for attribute in marked if attribute not in _QUIET]
    if marks:
        yield note_of("spec_unverified", {"attributes": marks})
    elif mode == "fact" and (lone := _seen_once(gpus, table)):
        yield note_of("spec_one_witness", {"gpus": lone})


def _seen_once(gpus: tuple[Gpu, ...], table: SpecTable) -> list[str]:
    """The card of whose asked figure, the first one, only one source speaks; nothing where cards are compared."""
    asked = table.attributes[0]
    if asked not in CORE or len(gpus) > 1:
        return []
    return [gpu.name for gpu in gpus if getattr(gpu, asked) and not {asked, _EVERY}.isdisjoint(gpu.one_witness)]


def _counting(gpus: tuple[Gpu, ...], table: SpecTable, mode: str) -> list[Note]:
    """What to know about how FP16 figures are counted."""
    shown = {row[0].attribute for row in table.known}
    if "fp16_tensor_fp32acc_tflops" in shown and mode != "sheet":
        halved = [gpu.name for gpu in gpus if _halved(gpu)]
        full = [gpu.name for gpu in gpus if gpu.fp16_tensor_fp32acc_tflops and not _halved(gpu)]
        if halved:
            return [note_of("spec_basis", {"halved": halved, "full": full})]
    slow = [gpu.name for gpu in gpus if gpu.fp16_nontensor_tflops and gpu.fp16_nontensor_tflops < 1]
    if slow and (mode == "sheet" or "fp16_nontensor_tflops" in shown):
        return [note_of("spec_slow_fp16", {"gpu": slow[0]})]
    return []


def _halved(gpu: Gpu) -> bool:
    """Whether FP16 with FP32 accumulation runs at half the rate, as on GeForce."""
    slow, fast = gpu.fp16_tensor_fp32acc_tflops, gpu.fp16_tensor_fp16acc_tflops
    return bool(slow and fast and fast > 1.5 * slow)


def _doubts(request: Request, gpus: tuple[Gpu, ...], table: SpecTable) -> list[Note]:
    """A user's own number that is the figure with sparsity, or a bandwidth that no memory has."""
    names = {part for gpu in gpus for name in (gpu.name, *gpu.aliases) for part in _PIECES.findall(name)}
    numbers = [float(found) for found in request.heard.bare_numbers if found not in names]
    rated = [(cell, value) for row in table.rows for cell in row if (value := _number(cell.value)) is not None]
    fresh = [n for n in numbers if not any(abs(n / value - 1) < _KNOWN for _, value in rated)]
    for cell, value in rated:
        for said in fresh:
            if cell.attribute in _PEAKS and abs(said / (2 * value) - 1) <= _SPARSE:
                return [note_of("spec_sparse", {"gpu": cell.gpu_name, "said": said, "dense": value})]
            if cell.attribute == "memory_bandwidth_gb_per_s" and value * _ABOVE < said < value * 20:
                return [note_of("spec_above", {"gpu": cell.gpu_name, "said": said, "rated": value})]
    return []


def _number(value: object) -> float | None:
    """A positive number as such, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if value > 0 else None


def _dissent_note(request: Request, one: Dissent) -> Note:
    sources = request.services.catalog.sources
    zh = request.language == "zh"
    told = []
    for claim in one.others:
        record = sources.get(claim.source)
        title = (record.title_zh if zh and record.title_zh else record.title) if record else claim.source
        told.append({"value": claim.value, "source": title})
    reason = (one.ruling.reason_zh if zh and one.ruling.reason_zh else one.ruling.reason) if one.ruling else ""
    values = {"attribute": one.attribute, "value": one.followed.value, "others": told, "reason": reason}
    return note_of("spec_dissent", values)


# --- families --------------------------------------------------------------------------------------------------------


def _family(request: Request, slot: str) -> Outcome:
    """The members of one or several families, oldest first."""
    catalog = request.services.catalog
    families: list[Family] = []
    members: dict[str, Gpu] = {}
    wanted = frozenset(request.heard.numbers)
    for name in dict.fromkeys(part.strip() for part in slot.split(",") if part.strip()):
        name, found = _narrowed(name, catalog.gpus_of(name), wanted)
        if not found or any(one.name == name for one in families):
            continue
        members.update((gpu.id, gpu) for gpu in found)
        families.append(Family(name, len(found), _by_series(found)))
    if not members:
        return Decline(reason=note_of("unknown_family", {"name": slot}))
    gpus = tuple(members.values())
    asked = asked_attributes(request)
    table = spec_table(catalog, gpus, tuple(dict.fromkeys((*asked, *_FAMILY))))
    return answer_with(
        headline=(family_headline(families[0]),),
        lines=family_lines(families),
        blocks=family_blocks(table),
        result=table,
        facts=(fact_of(name="cards", value=len(gpus)),),
        trace=tuple(row[index].step for row in table.rows[:1] for index in range(len(gpus))),
        sources=source_refs(request, table.sources[:4]),
    )


def _narrowed(name: str, gpus: Sequence[Gpu], wanted: frozenset[str]) -> tuple[str, Sequence[Gpu]]:
    """Of a family the series whose number is said: its name and its cards; else the whole family."""
    names = {gpu.series: gpu.series.split()[1] for gpu in gpus if gpu.series and len(gpu.series.split()) == _PLAIN}
    said = [series for series, number in names.items() if number in wanted]
    if not said or name in names:
        return name, gpus
    return " / ".join(dict.fromkeys(said)), [gpu for gpu in gpus if gpu.series in said]


def _by_series(gpus: Sequence[Gpu]) -> tuple[Series, ...]:
    series: dict[str, list[str]] = {}
    for gpu in gpus:
        series.setdefault(gpu.series or gpu.family, []).append(gpu.name)
    return tuple(
        Series(name, tuple(sorted(names, key=lambda one: (_MODIFIED in one, _natural(one)))))
        for name, names in series.items()
    )


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key that reads numbers as numbers: 3060, 3060 Ti, 3070; 8GB before 12GB."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in _PIECES.findall(name)]
