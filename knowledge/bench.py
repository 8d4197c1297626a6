"""Libraries of any size for measuring search: real passages mixed and thinned, with made-up rare words in between.

Deterministic. A synthetic passage keeps the record of a real one under another id, so everything above search works.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence

from knowledge.index import Index
from knowledge.search import Searcher, document_terms
from knowledge.store import Library, load_library

TERMS_EACH = 90
RARE_EACH = 8
RARE_WORDS = 50_000
_SEED = 20261121
QUESTIONS = (
    "how many CPU cores per GPU",
    "is NVLink useful for 4 GPUs",
    "RTX 3090 memory bandwidth",
    "how much RAM for two cards",
    "which card for fine-tuning a 7B model",
)
"""Asked in English here (code holds no Han characters); pass others to `search_p50_us`."""


def synthetic_library(size: int, library: Library | None = None) -> Library:
    """A library of `size` passages made from the real ones, ready to be searched."""
    base = library or load_library()
    analyzer = base.analyzer()
    records = [base.record(name) for name in base.ids]
    terms = [list(document_terms(record, analyzer).items()) for record in records]
    questions = base.searcher.questions
    chance = random.Random(_SEED)  # noqa: S311 - test data, not a secret
    chosen = [chance.randrange(len(records)) for _ in range(size)]
    passages = {f"synthetic-{number:06d}": records[place] for number, place in enumerate(chosen)}

    def documents() -> Iterator[dict[str, float]]:
        for place in chosen:
            other = terms[chance.randrange(len(terms))]
            mixed = dict(chance.sample(terms[place], min(TERMS_EACH, len(terms[place]))))
            mixed.update(chance.sample(other, min(TERMS_EACH // 4, len(other))))
            for _ in range(RARE_EACH):
                mixed[f"w{int(RARE_WORDS ** chance.random())}"] = 1.0
            yield mixed

    asked = [questions[place] for place in chosen]
    searcher = Searcher(Index.build(documents()), base.searcher.terms, asked, analyzer)
    return base.with_passages(passages, searcher)


def search_p50_us(library: Library, questions: Sequence[str] = QUESTIONS, rounds: int = 20) -> float:
    """Median time of one search in microseconds, after one warm round."""
    for question in questions:
        library.search(question)
    times = []
    for _ in range(rounds):
        for question in questions:
            start = time.perf_counter()
            library.search(question)
            times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e6
