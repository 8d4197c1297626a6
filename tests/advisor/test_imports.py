"""Prices of other catalogues come in checked, compared and only when told to be written."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from advisor.catalog import load_catalog
from advisor.catalog_files import DATA
from advisor.errors import BadData
from advisor.imports import compare, read_prices, write

DAY = date(2026, 11, 20)
SKYPILOT = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region
a,H100,8,192,2048,32.0,16.0,eu-1
b,H100,1,24,256,4.4,,us-1
c,L4,1,8,32,0.8,0.3,us-1
d,FutureCard,1,8,32,9.9,,us-1
e,,,8,32,0.1,,us-1
f,T4,1,8,32,-3,,us-1
"""
GPUHUNT = """instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot
x,EU,0.44,8,32,1,RTX4090,24,False
y,EU,0.30,8,32,1,RTX4090,24,True
"""


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "prices.csv"
    path.write_text(text, encoding="utf-8")
    return read_prices(path, "runpod", load_catalog(), as_of=DAY, source=next(iter(load_catalog().sources)))


def test_the_cheapest_price_per_card_is_taken_and_the_rest_is_named(tmp_path: Path) -> None:
    found = read(tmp_path, SKYPILOT)
    prices = {(row["gpu"], row["pricing_model"]): Decimal(row["low"]) for row in found.rows.values()}
    h100 = load_catalog().get_gpu("H100").id
    assert prices[h100, "on_demand"] == 4
    assert prices[h100, "spot"] == 2
    assert prices["l4", "spot"] == Decimal("0.3")
    assert found.unknown == {"FutureCard": 1}
    assert [problem.line for problem in found.problems] == [7]


def test_gpuhunt_files_are_known_by_their_columns(tmp_path: Path) -> None:
    found = read(tmp_path, GPUHUNT)
    assert {(row["gpu"], row["pricing_model"], row["low"]) for row in found.rows.values()} == {
        ("rtx-4090", "on_demand", "0.44"),
        ("rtx-4090", "spot", "0.3"),
    }


def test_another_format_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="columns"):
        read(tmp_path, "a,b\n1,2\n")


def test_nothing_changes_before_write_and_writing_twice_changes_nothing_more(tmp_path: Path) -> None:
    prices = tmp_path / "catalogue.csv"
    shutil.copy(DATA / "prices.csv", prices)
    before = prices.read_bytes()
    found = read(tmp_path, GPUHUNT)
    assert len(compare(found.rows, prices).added) == 2
    assert prices.read_bytes() == before
    write(found.rows, prices)
    assert compare(found.rows, prices).same == 2
    assert prices.read_bytes().startswith(before)
