"""Which models are meant where a family, a size or a name without a record stands alone or beside another."""

from __future__ import annotations

from typing import Final

from advisor.models import MlModel, Note, note_of
from bot.core.answers import Assumption, assumption_of
from bot.core.request import Request

_SIZED: Final = "llm-"
"""How a model is named of which only a size was said."""
_SAME_SIZE: Final = 0.15


def of_one_size(request: Request, names: list[str]) -> list[str]:
    """The models that are meant: a family and a size that one of its members has are that member."""
    catalog = request.services.catalog
    sizes = [name for name in names if name.startswith(_SIZED)]
    others = [name for name in names if name not in sizes]
    size = catalog.find_ml_model(sizes[0]) if len(sizes) == len(others) == 1 else None
    if size is None:
        return names
    members = catalog.ml_model_variants(others[0])
    near = [one for one in members if abs(one.parameters / size.parameters - 1) <= _SAME_SIZE]
    return [near[0].name] if near and len(members) > 1 else names


def sized_elsewhere(request: Request, names: list[str], notes: list[Note]) -> list[str]:
    """The models without an unknown one whose size stands beside it: the size is counted, and that is said."""
    catalog = request.services.catalog
    sizes = [name for name in names if name.startswith(_SIZED)]
    others = [name for name in names if name not in sizes]
    if len(sizes) != 1 or len(others) != 1 or catalog.find_ml_model(others[0]) or catalog.closed_model(others[0]):
        return names
    size = catalog.find_ml_model(sizes[0])
    if size is None or only_member(request, others[0]) is not None:
        return names
    notes.append(note_of("memory_model_stand_in", {"name": others[0], "size": size.called.lower()}))
    return sizes


def only_member(request: Request, name: str) -> MlModel | None:
    """The record that goes by a family's name with a version behind it; None where several of other sizes do."""
    head = f"{name.lower()}-"
    members = [one for one in request.services.catalog.ml_models.values() if one.name.lower().startswith(head)]
    alike = members and max(one.parameters for one in members) <= (1 + _SAME_SIZE) * members[0].parameters
    return members[0] if alike else None


_UNSURE: Final = "C"
"""Grade of a record whose figures nobody has read in a source."""


def record_taken(request: Request, name: str, notes: list[Note], assumed: list[Assumption]) -> MlModel | None:
    """The record that a name is counted by, with what has to be said about it; None where nothing is known of it.

    Args:
        request: the message.
        name: a model as it was named.
        notes: what is said of the records; added to.
        assumed: which one of a family was taken, where the name leaves it open; added to.
    """
    catalog = request.services.catalog
    found, member = catalog.find_ml_model(name), None
    if found is None:
        member = only_member(request, name)
        found = member or catalog.size_stand_in(name)
    if found is None:
        return None
    if member is not None or len(catalog.ml_model_variants(name)) > 1:
        assumed.append(assumption_of(slot="model", value=found.name))
    elif catalog.find_ml_model(name) is None:
        notes.append(note_of("memory_model_stand_in", {"name": name, "size": found.called.lower()}))
    if found.confidence == _UNSURE:
        notes.append(note_of("model_unsure", {"name": found.name}))
    return found
