"""What the comparison with the commit before says: ratios within one run, and each loss by its name."""

from __future__ import annotations

import json

from tests.bench.compare import HISTORY, LOSS, lines, ratios


def test_a_loss_of_fifteen_percent_is_named_and_less_is_not() -> None:
    now = [{"reply": 1200.0, "understand": 250.0}, {"reply": 1160.0, "understand": 400.0}]
    before = [{"reply": 1000.0, "understand": 240.0}, {"reply": 1100.0, "understand": 300.0}]
    found = ratios(now, before)
    assert found == {"reply": 1.16, "understand": 1.042}
    told = lines(found, "abc1234")
    assert told[-1] == "bench: LOSS of 16%: reply"
    assert "understand takes 1.04 times as much as at abc1234" in told[1]
    assert lines({"reply": LOSS - 0.01}, "abc1234")[-1] == "bench: no figure lost 15% or more"


def test_what_one_side_cannot_give_is_left_out() -> None:
    assert ratios([{"reply": 2.0, "new": 1.0}], [{"reply": 1.0}]) == {"reply": 2.0}


def test_the_history_says_which_commits_and_by_how_much() -> None:
    for line in HISTORY.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == {"day", "commit", "before", "ratios", "processor_us"}
        assert record["ratios"].keys() == record["processor_us"].keys()
        assert all(0 < value < 100 for value in record["ratios"].values())
