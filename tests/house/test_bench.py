"""What the comparison with the commit before says: ratios within one run, and each loss by its name."""

from __future__ import annotations

import json

from tests.bench.compare import HISTORY, LOSS, Ratio, lines, measured, ratios


def test_a_loss_that_most_pairs_of_rounds_bear_out_is_named_and_less_is_not() -> None:
    now = {"reply": [1180.0, 1190.0, 1200.0, 1310.0], "understand": [250.0, 200.0, 900.0, 250.0]}
    before = {"reply": [1000.0, 1000.0, 1000.0, 1100.0], "understand": [240.0, 210.0, 300.0, 240.0]}
    found = ratios(now, before)
    assert found == {"reply": Ratio(1.19, 1.19), "understand": Ratio(1.042, 1.042)}
    told = lines(found, "abc1234")
    assert told[-1] == "bench: LOSS of 19%: reply"
    assert "understand takes 1.04 times as much as at abc1234" in told[1]
    assert lines({"reply": Ratio(LOSS - 0.01, 1.1)}, "abc1234")[-1] == "bench: no figure lost 15% or more"


def test_a_loss_in_some_rounds_of_a_busy_machine_is_none() -> None:
    found = ratios({"reply": [900.0, 950.0, 1300.0, 1900.0]}, {"reply": [1000.0] * 4})
    assert found["reply"].middle == 1.125
    assert not Ratio(1.3, 1.02).lost
    assert Ratio(1.3, 1.2).lost


def test_what_one_side_cannot_give_is_left_out() -> None:
    assert ratios({"reply": [2.0], "new": [1.0]}, {"reply": [1.0]}) == {"reply": Ratio(2.0, 2.0)}


class _Counted:
    """A side that gives the number of its round."""

    def __init__(self, log: list[str], name: str) -> None:
        self._log, self._name = log, name

    def round(self, figure: str) -> dict[str, float]:
        self._log.append(f"{self._name} {figure}")
        return {figure: float(len(self._log))}


def test_both_sides_are_measured_in_turn_and_each_first_as_often() -> None:
    log: list[str] = []
    now, before = measured(_Counted(log, "now"), _Counted(log, "before"))
    assert now.keys() == before.keys() == {"reply", "understand", "calls", "updates"}
    replies = [line.split()[0] for line in log if line.endswith(" reply")][2:]
    assert replies[:4] == ["before", "now", "now", "before"]
    assert len(now["reply"]) == len(before["reply"]) == len(replies) / 2 >= 11


def test_the_history_says_which_commits_and_by_how_much() -> None:
    for line in HISTORY.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == {"day", "commit", "before", "ratios", "processor_us"}
        assert record["ratios"].keys() == record["processor_us"].keys()
        assert all(0 < value < 100 for value in record["ratios"].values())
