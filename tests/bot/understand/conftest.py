"""One understander for all tests of this room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from advisor.catalog import Catalog
from bot.understand import load_understander
from bot.understand.recognise import Understander
from tests.conftest import shared_catalog


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return shared_catalog()


@pytest.fixture(scope="session")
def understander(catalog: Catalog) -> Understander:
    made = load_understander(catalog)
    made.prepare()
    made.understand("\u4f60\u597d")  # what is made on first use is no part of the time of the first test
    return made


@pytest.fixture(scope="session")
def slots(understander: Understander) -> Callable[[str], dict[str, Any]]:
    """Wished slot values of a text: a list where several were found."""

    def read(text: str) -> dict[str, Any]:
        found: dict[str, list[Any]] = {}
        for value in understander.understand(text).slots:
            if not value.negated and value.value not in found.setdefault(value.slot, []):
                found[value.slot].append(value.value)
        return {slot: values[0] if len(values) == 1 else values for slot, values in found.items() if values}

    return read


@pytest.fixture(scope="session")
def intent(understander: Understander) -> Callable[..., str]:
    def read(text: str, context: str | None = None) -> str:
        ranking = understander.understand(text, context_intent=context).ranking
        return ranking[0].intent if ranking else "out_of_scope"

    return read
