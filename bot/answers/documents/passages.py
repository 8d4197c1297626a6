"""Answers from passages: what the documents say about a question, with its year, its sources and its dissent.

Other handlers use `passage_answer`; it gives None when nothing fits, and `not_in_documents` says so politely.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from advisor.models import Note, Step, note_of
from bot.core.answers import Answer, Decline, answer_with
from bot.core.conversation import Episode
from bot.core.message import Fact, Language, SourceRef
from bot.core.passages import PassageView, TableView, Told
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Passage, Table
    from knowledge.search import Hit
    from knowledge.store import Library

TOGETHER = 0.72
"""A further passage is shown beside the first when its score is at least this share of the first one's."""
NEARLY = 0.85
"""Share of the best score from which a passage fits about as well."""
_USED = TOGETHER * NEARLY - 0.01
"""Share of the best score below which a passage is shown in no case, less what rounding may take."""
TOO_ALIKE = 0.5
"""Share of common terms from which two short texts say the same."""
OLD_AFTER_YEARS = 5
_WEIGHT = {
    kind: place
    for place, kind in enumerate(
        ("conflict", "outdated", "superseded", "policy", "ambiguity", "questionable", "simplification", "imprecise")
    )
}
_LAST = frozenset({"trivial", "duplicate", "erratum", "date", "gap"})
"""Kinds of conflicts that passages mend in passing; told only when nothing weightier is."""
_MOST_DISPUTES = 3
_ADVICE = frozenset(
    {
        "recommend_gpu",
        "used_or_cheap",
        "compare_gpus",
        "upgrade_or_not",
        "cluster_design",
        "price_lookup",
        "vendor_choice",
        "platform_choice",
        "rent_or_buy",
        "gpu_count",
    }
)
"""Intents whose answers age: advice of an old year is marked as such."""


_NAMED = frozenset({"gpu", "model", "gpu_family", "provider", "framework", "cpu", "task", "persona"})
"""With one of these a question is about something, however few words it has."""


def passage_answer(
    request: Request,
    intent: str,
    limit: int = 3,
    *,
    query: str = "",
    floor: float = 0.0,
    template: str = "passage",
    only: bool = False,
) -> Answer | None:
    """The passages that answer the request, up to `limit` of them together; None when none does.

    Args:
        request: its text is searched, in the light of its cards, models and the passage talked about before.
        intent: passages meant for it are lifted.
        limit: most passages shown together.
        query: searched instead of the user's words.
        floor: least score of the first passage, above the library's own floor.
        template: folder of templates that shows it.
        only: use passages that are meant for the intent, unless another one fits plainly better.
    """
    library = request.services.library
    if not request.slots.keys() & _NAMED and library.says_nothing(request.heard.terms):
        return None
    hits = find_passages(request, intent, limit * 6 if only else limit, query, least=floor, within=_USED)
    if only:
        meant = [hit for hit in hits if intent in hit.passage.intents]
        # a passage that is not meant for the intent goes first where it fits plainly better
        hits = (meant if meant and meant[0].score >= NEARLY * hits[0].score else hits)[:limit]
    if not hits or hits[0].score < floor:
        return None
    return answer_from(request, chosen(_use_before_term(request, hits), library), template)


def _use_before_term(request: Request, hits: list[Hit]) -> list[Hit]:
    """The hits; without terms of the glossary where it is asked if something is needed, and one that fits says so."""
    others = [hit for hit in hits if hit.passage.origin != "glossary"]
    asked = request.heard.shows("wish", "wanted") and not request.heard.speaks_of("explain")
    return others if asked and others and others[0].score >= NEARLY * hits[0].score else hits


def find_passages(
    request: Request, intent: str, limit: int = 3, query: str = "", least: float = 0.0, within: float = 0.0
) -> list[Hit]:
    """The best passages for a request, best first. A follow-up is searched together with the passage before it.

    `least`: score that the best must reach to be of use; maybe nothing is found where none reaches it. `within`: share
    of the best score that any beyond the first three must reach.
    """
    text = query or request.heard.terms
    if not any(letter.isalnum() for letter in text):
        text = " ".join(str(value) for value in request.slots.values())
    library = request.services.library
    held = _before(request, intent) if request.heard.is_elliptical and not query else ()
    if held:
        text = f"{text} {library.get(held[0]).title.get(request.language)}"
    found = library.search(
        text,
        request.language,
        intent,
        limit,
        gpus=_names(request, "gpu"),
        ml_models=_names(request, "model"),
        least=least,
        within=within,
    )
    return [hit for hit in found if not library.is_of_other_programs(text, hit.passage)]


def without_ruled_out(request: Request, passages: Iterable[Passage]) -> list[Passage]:
    """The passages that send nobody to a platform that is not wanted: none of its names stands in them."""
    catalog, language = request.services.catalog, request.language
    found = (catalog.find_provider(str(name)) for name in request.excluded.get("provider", ()))
    names = {name.casefold() for one in found if one for name in (one.name, one.name_zh, *one.aliases) if name}
    if not names:
        return list(passages)
    return [one for one in passages if not any(name in _said_in(one, language) for name in names)]


def _said_in(passage: Passage, language: str) -> str:
    texts = passage.texts(language)
    return f"{passage.title.get(language)} {texts.short} {texts.full}".casefold()


def answer_from(request: Request, passages: Sequence[Passage], template: str = "passage") -> Answer:
    """An answer that shows these passages, the first one as the answer proper."""
    library, language = request.services.library, request.language
    views = [view_of(passage, language, library, request.heard.terms) for passage in passages]
    lead = passages[0]
    return answer_with(
        template=template,
        facts=tuple(_fact(passage, language, library) for passage in passages),
        trace=tuple(step_of(passage, language, library) for passage in passages),
        sources=passage_sources(request, passages),
        notes=_notes(request, lead),
        conflicts=_disputes(passages, library),
        suggestions=_further(passages, library, language),
        told=Told(passages=tuple(passage.id for passage in passages), lead=views[0], also=tuple(views[1:])),
    )


def not_in_documents(request: Request, intent: str) -> Decline:
    """Say that the documents do not answer this, with the two nearest titles to go on with."""
    library, language = request.services.library, request.language
    near = [hit.passage for hit in library.nearest(request.heard.terms, intent, 2)]
    return Decline(
        reason=Note("not_in_documents", {"titles": [passage.title.get(language) for passage in near]}),
        suggestions=tuple(_question(passage, language) for passage in near),
    )


def chosen(hits: Sequence[Hit], library: Library) -> list[Passage]:
    """The hit that tells what was asked, and those close behind the best one that add something."""
    lead = _nearest(hits)
    kept = [lead.passage]
    for hit in hits:
        if hit is lead:
            continue
        if hit.score < TOGETHER * hits[0].score:
            break
        if not any(repeats(hit.passage, passage, library) for passage in kept):
            kept.append(hit.passage)
    return kept


def _nearest(hits: Sequence[Hit]) -> Hit:
    """Of the hits that fit about as well as the best, the one whose title or questions come nearest."""
    fitting = [hit for hit in hits if hit.score >= NEARLY * hits[0].score]
    return max(fitting, key=lambda hit: hit.score * hit.closeness)


def view_of(passage: Passage, language: Language, library: Library, asked: str = "") -> PassageView:
    """A passage as a template shows it; `asked`: the question, whose answer the short form is to hold."""
    key = ("view", passage.id, language)
    view: PassageView | None = library.memo.get(key)
    if view is None:
        texts = passage.texts(language)
        view = library.memo[key] = PassageView(
            id=passage.id,
            title=passage.title.get(language),
            short=texts.short,
            full=texts.full,
            today=texts.today,
            as_of=passage.as_of.date,
            origin=passage.origin,
            tables=tuple(_table(library.tables[name], language) for name in passage.tables if name in library.tables),
        )
    more = library.telling(passage.id, language, asked) if asked else ""
    return view.model_copy(update={"more": more}) if more else view


def step_of(passage: Passage, language: Language, library: Library) -> Step:
    """The trail of a passage: what it says, on whose word, of which day, covering which rows."""
    key = ("step", passage.id, language)
    made: Step | None = library.memo.get(key)
    if made is None:
        made = library.memo[key] = _step(passage, language, library)
    return made


def _step(passage: Passage, language: Language, library: Library) -> Step:
    texts = passage.texts(language)
    day = _day(passage.as_of.date)
    parts = [Step(name="passage_full", value=texts.full, how="passage", sources=passage.source_ids, as_of=day)]
    if texts.today:
        newer = tuple(source for source in passage.source_ids if not source.startswith("seed-"))
        parts.append(Step(name="passage_today", value=texts.today, how="passage", sources=newer))
    for name in passage.tables:
        if name in library.tables:
            table = library.tables[name]
            cells = "; ".join(" | ".join(row) for row in table.cells(language))
            parts.append(Step(name="passage_table", value=cells, how="passage", sources=_table_sources(table)))
    return Step(
        name="passage",
        value=passage.title.get(language),
        how="passage",
        inputs=tuple(parts),
        sources=passage.source_ids,
        as_of=day,
        rows=passage.covers,
    )


def passage_sources(request: Request, passages: Sequence[Passage]) -> tuple[SourceRef, ...]:
    """Where the passages come from: documents with section and year of the statement, then newer pages."""
    refs: dict[str, SourceRef] = {}
    for passage in passages:
        for ref in _sources_of(passage, request.language, request.services.library):
            refs.setdefault(ref.id, ref)
    return tuple(refs.values())


def _sources_of(passage: Passage, language: Language, library: Library) -> tuple[SourceRef, ...]:
    """Where one passage comes from."""
    key = ("sources", passage.id, language)
    made: tuple[SourceRef, ...] | None = library.memo.get(key)
    if made is None:
        sections: dict[str, list[str]] = {}
        for seed in passage.seeds:
            sections.setdefault(f"seed-{seed.file}", []).append(seed.section)
        known = ((name, library.sources[name]) for name in passage.source_ids if name in library.sources)
        made = library.memo[key] = tuple(
            SourceRef(
                id=name,
                title=source.title_zh if language == "zh" and source.title_zh else source.title,
                section="; ".join(sections.get(name, ())),
                as_of=passage.as_of.date if name in sections else source.as_of,
                url=source.url,
            )
            for name, source in known
        )
    return made


# --- parts -----------------------------------------------------------------------------------------------------------


def _before(request: Request, intent: str) -> tuple[str, ...]:
    """Passages of the answer that this message goes on from."""
    episode: Episode | None = request.subject
    if episode is None or episode.intent != intent:
        return ()
    return tuple(name for name in episode.passages if name in request.services.library.passages)


def _names(request: Request, slot: str) -> tuple[str, ...]:
    value = request.slot(slot) or ()
    return (value,) if isinstance(value, str) else tuple(str(name) for name in value)


def repeats(passage: Passage, other: Passage, library: Library) -> bool:
    """Whether one passage tells what another already tells."""
    if set(passage.covers) & set(other.covers):
        return True
    one, two = (library.short_terms(each.id) for each in (passage, other))
    return len(one & two) > TOO_ALIKE * min(len(one), len(two))


def _disputes(passages: Sequence[Passage], library: Library) -> tuple[str, ...]:
    """Conflicts that the passages take part in, the weightiest first."""
    named = dict.fromkeys(name for passage in passages for name in passage.conflicts if name in library.conflicts)
    told = [name for name in named if library.conflicts[name].type not in _LAST]
    told = told or [name for name in named if library.conflicts[name].type not in {"trivial", "duplicate"}]
    ranked = sorted(told, key=lambda name: _WEIGHT.get(library.conflicts[name].type, len(_WEIGHT)))
    return tuple(ranked[:_MOST_DISPUTES])


def _notes(request: Request, lead: Passage) -> tuple[Note, ...]:
    year = int(lead.as_of.date[:4])
    if lead.origin == "beyond":
        if year >= request.now.year:
            return ()
        return (note_of("passage_beyond", {"as_of": lead.as_of.date}),)
    old = request.now.year - year >= OLD_AFTER_YEARS and not lead.en.today
    if lead.origin == "seed" and old and _ADVICE & set(lead.intents):
        return (note_of("passage_old", {"year": year}),)
    return ()


def _further(passages: Sequence[Passage], library: Library, language: Language) -> tuple[str, ...]:
    shown = {passage.id for passage in passages}
    names = dict.fromkeys(name for passage in passages for name in passage.related if name not in shown)
    return tuple(_question(library.get(name), language) for name in names if name in library.passages)[:2]


def _question(passage: Passage, language: Language) -> str:
    questions = passage.questions.zh if language == "zh" else passage.questions.en
    return questions[0]


def _fact(passage: Passage, language: Language, library: Library) -> Fact:
    key = ("fact", passage.id, language)
    made: Fact | None = library.memo.get(key)
    if made is None:
        made = library.memo[key] = Fact(
            name="passage",
            value=passage.id,
            basis=passage.title.get(language),
            sources=passage.source_ids,
            as_of=_day(passage.as_of.date),
        )
    return made


def _table(table: Table, language: Language) -> TableView:
    return TableView(
        title=table.title.get(language),
        columns=tuple(column.get(language) for column in table.columns),
        rows=table.cells(language),
        note=table.note.get(language) if table.note else "",
    )


def _table_sources(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"seed-{seed.file}" for seed in table.seeds))


def _day(text: str) -> date | None:
    """A full date; None when only a year or month is known."""
    return date.fromisoformat(text) if len(text) == 10 else None
