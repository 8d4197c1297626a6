"""One message is read and answered while another one is, or while the process still warms up: neither takes from the other."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest

from advisor import prices
from advisor.prices import price_of
from advisor.recommend import market as markets
from bot.answers.memory.capacity import _Kept
from bot.app import reader_of
from bot.computing import Overdue
from bot.read.reader import Reader
from knowledge.index import Index
from knowledge.lanes import Lanes
from knowledge.search import Searcher
from knowledge.store import Library, load_library
from tests.fakes.meanwhile import before_line, is_free, meanwhile
from tests.knowledge.helpers import make_home, passage_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.pipeline import Assistant

DAY: Final = date(2026, 11, 21)
_searcher_of: Final = cast("Callable[[Library], Searcher]", vars(Library)["searcher"].fget)


def test_signs_of_a_message_are_its_own(assistant: Assistant) -> None:
    reader, text = reader_of(assistant), "which of the two cards should I not buy?"
    alone = reader.look(text)
    found = list(meanwhile(lambda: reader.look(text), lambda: reader.look("how long does it take"), Reader._marks))
    assert alone.marks.places
    assert len(found) > 2
    assert [one.marks for one in found] == [alone.marks] * len(found)


def test_a_price_list_is_found_although_the_kept_ones_go(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = assistant.services.catalog
    one, other = catalog.get_gpu("RTX 4090"), catalog.get_gpu("RTX 3090")
    alone = price_of(catalog, [one], on=DAY, currency="CNY")
    monkeypatch.setattr(prices, "_KEPT", 1)

    def anew() -> object:
        prices._LISTS.clear()
        return price_of(catalog, [one], on=DAY, currency="CNY")

    found = list(meanwhile(anew, lambda: price_of(catalog, [other], on=DAY, currency="CNY"), price_of))
    assert len(found) > 4
    assert all(listed == alone for listed in found)


def test_what_is_worked_out_once_is_found_although_the_kept_goes(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = assistant.services.catalog
    monkeypatch.setattr("bot.answers.memory.capacity._MOST_KEPT", 1)
    kept: list[_Kept[str]] = []

    def anew() -> str:
        kept.append(_Kept())
        return kept[-1].once(catalog, "one", lambda: "made")

    found = list(meanwhile(anew, lambda: kept[-1].once(catalog, "other", lambda: "another"), _Kept.once))
    assert len(found) > 4
    assert set(found) == {"made"}


def test_a_market_is_found_while_another_one_is_opened(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = assistant.services.catalog
    monkeypatch.setattr(markets, "_build", lambda _, today, currency: (today, currency))
    monkeypatch.setattr(markets, "_MARKETS", {})
    days = iter(range(1, 29))

    def anew() -> object:
        markets._MARKETS.clear()
        markets.market(catalog, date(2026, 1, 1), "EUR")
        return markets.market(catalog, DAY, "CNY")

    def other() -> object:
        return markets.market(catalog, date(2026, 2, next(days)), "USD")

    found = list(meanwhile(anew, other, markets.market))
    assert len(found) > 4
    assert all(one == (DAY, "CNY") for one in found)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    texts = {name: passage_text(name, en=f"{name} needs a fan and a case. " * 20) for name in ("alpha", "beta")}
    return load_library(make_home(Path(tmp_path_factory.mktemp("meanwhile")), **texts))


def test_a_search_finds_the_same_while_the_index_is_prepared(library: Library) -> None:
    def ranked(searcher: Searcher) -> object:
        searcher._read.clear()
        return searcher.rank("alpha", 2, lambda _: 1.0)

    made, searchers = library.searcher, []

    def anew() -> object:
        index = Index(made.index.size, {}, made.index._raw)
        searchers.append(Searcher(index, made.terms, made.questions, made.analyzer))
        return ranked(searchers[-1])

    def prepare() -> None:
        if is_free(searchers[-1]._making):  # else this thread would wait
            searchers[-1].prepare()

    alone = anew()
    found = list(meanwhile(anew, prepare, Searcher._weigh, Searcher._closest, Searcher._read_asked, Index.idf))
    assert len(found) > 20
    assert all(one == alone for one in found)
    assert all(ranked(one) == alone for one in searchers)


def test_there_is_one_index_whoever_asks_first(library: Library) -> None:
    libraries: list[Library] = []
    others: list[Searcher] = []

    def anew() -> tuple[Library, Searcher]:
        libraries.append(load_library(library.directory))
        return libraries[-1], libraries[-1].searcher

    def other() -> None:
        if is_free(libraries[-1]._loading):
            others.append(libraries[-1].searcher)

    found = list(meanwhile(anew, other, _searcher_of))
    assert len(found) > 3
    assert len(others) > 1
    assert all(one.searcher is searcher for one, searcher in found)


def test_a_term_that_was_ended_half_way_leaves_no_gap() -> None:
    documents = [{"fan": 1.0, "case": 2.0}, {"fan": 3.0}, {"case": 1.0}]
    index, asks = Index.build(documents), [frozenset(one) for one in documents]
    fan, case = index.read("fan"), index.read("case")
    assert fan is not None
    assert case is not None
    best = []
    for nth in range(40):
        lanes = Lanes(3)
        with suppress(Overdue):
            before_line(nth, lambda held=lanes: held.term(fan, 1.0, asks, "fan"), _end, Lanes.term)
        best.append(lanes.best([lanes.term(case, 1.0, asks, "case")], 3))
    assert best[1:] == best[:1] * 39


def _end() -> None:
    raise Overdue
