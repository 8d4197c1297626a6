"""Whose rules a passage tells: a question about one platform is not answered with another one's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.models import Provider
from bot.answers.asked import says_only
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from knowledge.models import Passage
    from knowledge.search import Hit
    from knowledge.store import Library

MEANT = frozenset({"platform_choice", "platform_howto"})
"""Intents about platforms; their passages are meant for them."""
FIRST_STEPS = "getting started"
"""Topic of the passage that shows how to begin on a platform."""
_SHOPS = frozenset({"shop", "market"})
_GENERAL = 3
"""A passage that names so many platforms compares them: it belongs to none."""
_LIFT = 1.1
BILLING = ("stopped instance", "storage", "storage charges", "billing")
"""Topics of the passages that tell how a platform charges, the first to be shown of one."""


def named_platforms(request: Request) -> list[Provider]:
    """The named providers of rentals that are on record, in the user's order, each once."""
    slot = request.slot("provider")
    names = slot if isinstance(slot, list) else [slot] if slot else []
    found = (request.services.catalog.find_provider(str(name)) for name in names)
    return list({one.id: one for one in found if one is not None and one.kind not in _SHOPS}.values())


def platforms_of(passage: Passage, catalog: Catalog, library: Library) -> frozenset[str]:
    """Ids of the platforms that a passage is about, empty for one about platforms in general."""
    key = ("platforms", passage.id, "")
    made: frozenset[str] | None = library.memo.get(key)
    if made is None:
        found = (catalog.find_provider(topic) for topic in passage.topics)
        held = frozenset(one.id for one in found if one is not None)
        made = library.memo[key] = held if len(held) < _GENERAL else frozenset()
    return made


def about_named(request: Request, hits: Iterable[Hit], named: Sequence[Provider]) -> list[Hit]:
    """Hits without those about other platforms than the named ones; those about a named one are lifted."""
    if not named:
        return list(hits)
    catalog, library = request.services.catalog, request.services.library
    wanted = frozenset(one.id for one in named)
    kept = []
    for hit in hits:
        about = platforms_of(hit.passage, catalog, library)
        if about & wanted or not about:
            kept.append((hit.score * (_LIFT if about else 1.0), hit))
    return [hit for _, hit in sorted(kept, key=lambda one: (-one[0], one[1].passage.id))]


def passages_about(request: Request, provider: Provider) -> list[Passage]:
    """Passages about one platform, how it charges first."""
    library = request.services.library
    key = ("platform passages", provider.id, "")
    made: list[Passage] | None = library.memo.get(key)
    if made is None:
        catalog = request.services.catalog
        found = [
            one
            for one in library.passages.values()
            if provider.id in platforms_of(one, catalog, library) and _is_platforms(one)
        ]
        made = library.memo[key] = sorted(found, key=_place)
    return made


def only_named(request: Request) -> bool:
    """Whether the message says no more than the name of a platform."""
    if not request.heard.is_read or request.heard.is_elliptical:
        return False
    return says_only(request, "provider")


def _is_platforms(passage: Passage) -> bool:
    return bool(MEANT & set(passage.intents))


def _place(passage: Passage) -> tuple[int, str]:
    place = next((at for at, topic in enumerate(BILLING) if topic in passage.topics), len(BILLING))
    return place, passage.id
