"""The committed validation page is what the code says today, all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor import validation
from advisor.memory.assume import complete, job_of
from advisor.memory.shapes import shape_of
from advisor.models import Method, Workload
from tests.advisor.memory_jobs import model
from tests.bench import peers


def test_the_page_is_current() -> None:
    made, kept = validation.render(), validation.PAGE.read_text(encoding="utf-8")
    assert "## Memory" in made
    assert "## Speed" in made
    assert kept == made, "run `python -m advisor validation --write`"


def test_other_calculators_stand_beside_it_as_their_formulas_say_today() -> None:
    made = peers.table()
    assert made == peers.RECORD.read_text(encoding="utf-8"), "run `python -m tests.bench.peers --write`"
    assert made in validation.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("peer", "method", "gib"),
    [
        ("LLaMA-Factory table", "full", 18 * 7e9 / 2**30),
        ("LLaMA-Factory table", "lora", 2 * 7e9 / 2**30),
        ("LLaMA-Factory table", "qlora", 7e9 / 2 / 2**30),
        ("accelerate estimate-memory", "full", 8 * 7e9 / 2**30),
    ],
)
def test_formulas_of_others_say_what_their_pages_say_of_seven_billion(peer: str, method: str, gib: float) -> None:
    job = job_of(complete(Workload(ml_model=model("llm-7b"), method=Method(method)))[0])
    shape = replace(shape_of(job.model), parameters=7e9)
    assert peers.MEMORY[peer](job, shape) == pytest.approx(gib, rel=0.01)
