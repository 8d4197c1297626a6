"""Prices of other catalogues come in checked, compared and only when told to be written."""

from __future__ import annotations

import shutil
import time
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from advisor.catalog_files import DATA
from advisor.errors import BadData
from advisor.imports import Import, compare, read_line, read_prices, rows_in, write
from advisor.refresh import Feed, Feeds, keep, quarantine_of, refresh
from bot.cli.prices import fetched, import_files, load_feeds
from tests.conftest import shared_catalog

DAY = date(2026, 11, 20)
CATALOG = shared_catalog()
GIB80 = "\"{'Gpus': [{'Name': 'H100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 81920}}]}\""
GIB94 = "\"{'Gpus': [{'Name': 'H100', 'Count': 1.0, 'MemoryInfo': {'SizeInMiB': 96256}}]}\""
SKYPILOT = f"""InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo
a,H100,8,192,2048,32.0,16.0,eu-1,{GIB80}
b,H100,1,24,256,4.4,,us-1,{GIB80}
c,L4,1,8,32,0.8,0.3,us-1,
d,FutureCard,1,8,32,9.9,,us-1,
e,,,8,32,0.1,,us-1,
f,T4,1,8,32,-3,,us-1,
g,T4,0,8,32,3,,us-1,
h,L40S,1,8,32,nan,,us-1,
i,H100,1,24,256,3.1,,us-1,
j,L40S,1,8,32
k,H100,1,24,256,5.0,,us-1,{GIB94}
"""
GPUHUNT = """instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size
x,EU,0.44,8,32,1,RTX4090,24,False,
y,EU,0.30,8,32,1,RTX4090,24,True,
z,EU,0.90,8,32,1,RTX4090,96,False,
w,EU,9999,8,32,1,L4,24,False,
"""
VENDOR = """gpu,price,currency,unit,terms,tier,note
RTX 3090,1.32-1.39,CNY,gpu_hour,on_demand,list,home page
RTX 4090,free,CNY,gpu_hour,on_demand,,
RTX 5090,2.9,CNY,fortnight,on_demand,,
RTX 5090,2.9,XAU,gpu_hour,on_demand,,
RTX 5090,2.9,CNY,gpu_hour,perhaps,,
"""
SOURCE = "runpod-pricing"


def read(tmp_path: Path, text: str, provider: str = "runpod") -> Import:
    path = tmp_path / "prices.csv"
    path.write_text(text, encoding="utf-8")
    return read_prices(path, provider, CATALOG, as_of=DAY, source=SOURCE)


def test_the_cheapest_price_per_card_is_taken_and_the_rest_is_named(tmp_path: Path) -> None:
    found = read(tmp_path, SKYPILOT)
    prices = {(row["gpu"], row["pricing_model"]): Decimal(row["low"]) for row in found.rows.values()}
    assert prices == {
        ("h100-80gb-sxm5", "on_demand"): Decimal(4),
        ("h100-80gb-sxm5", "spot"): Decimal(2),
        ("h100-nvl-94gb", "on_demand"): Decimal(5),
        ("l4", "on_demand"): Decimal("0.8"),
        ("l4", "spot"): Decimal("0.3"),
    }
    assert found.unknown == {"FutureCard": 1, "H100": 1}  # a name that fits cards of several sizes is not guessed
    assert [problem.line for problem in found.problems] == [7, 8, 9, 11]


def test_gpuhunt_files_are_known_by_their_columns_and_another_memory_is_another_card(tmp_path: Path) -> None:
    found = read(tmp_path, GPUHUNT)
    assert {(row["gpu"], row["pricing_model"], row["low"]) for row in found.rows.values()} == {
        ("rtx-4090", "on_demand", "0.44"),
        ("rtx-4090", "spot", "0.3"),
    }
    assert found.unknown == {"RTX4090": 1}
    assert len(found.problems) == 1


def test_a_vendors_list_keeps_its_market_and_its_faults_are_named(tmp_path: Path) -> None:
    found = read(tmp_path, VENDOR, "autodl")
    (row,) = found.rows.values()
    assert (row["gpu"], row["low"], row["high"], row["market"], row["tier"]) == (
        "rtx-3090",
        "1.32",
        "1.39",
        "CN",
        "list",
    )
    told = [problem.message for problem in found.problems]
    assert [problem.line for problem in found.problems] == [3, 4, 5, 6]
    assert "no believable price" in told[0]
    assert "unit 'fortnight'" in told[1]
    assert "no rate" in told[2]
    assert "terms 'perhaps'" in told[3]


def test_a_line_typed_by_hand_is_one_report_with_an_address() -> None:
    row = read_line("RTX 3090; purchase_used; 5200 CNY; card; xianyu; 2026-11-20; taobao-listing", CATALOG)
    assert (row["gpu"], row["low"], row["confidence"], row["market"]) == ("rtx-3090", "5200", "C", "CN")
    for wrong, why in (
        ("3090 5200", "write it as"),
        ("RTX 3090; purchase_used; 5200 CNY; card; ebey; 2026-11-20; taobao-listing", "no provider"),
        ("RTX 3090; purchase_used; 5200 CNY; card; xianyu; yesterday; taobao-listing", "is not a day"),
        ("RTX 3091; purchase_used; 5200 CNY; card; xianyu; 2026-11-20; taobao-listing", "no card"),
        ("RTX 3090; purchase_used; 5 CNY; card; xianyu; 2026-11-20; taobao-listing", "no believable price"),
        ("RTX 3090; purchase_used; 5200 CNY; card; xianyu; 2026-11-20; unsourced", "has no url"),
    ):
        with pytest.raises(BadData, match=why):
            read_line(wrong, CATALOG)


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


# --- on a schedule ---------------------------------------------------------------------------------------------------


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    shutil.copy(DATA / "prices.csv", path)
    return path


def feeds(**addresses: str) -> Feeds:
    held = tuple(Feed(name=name, provider=name, source=SOURCE, address=where) for name, where in addresses.items())
    return Feeds(feeds=held, popular=("rtx-4090", "rtx-3090"), stale_days=30)


TEXTS = {
    "good": GPUHUNT,
    "broken": "nothing, of\nthis kind",
    "empty": "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\n",
    "jump": "gpu,price,currency,unit,terms,tier\nRTX 4090,19.8,CNY,gpu_hour,on_demand,list\n",
}


def behind(address: str) -> str:
    """What stands behind an address; nothing behind one that is not kept."""
    if address not in TEXTS:
        raise OSError("timed out")
    return TEXTS[address]


def test_one_bad_provider_never_blocks_the_others(prices: Path) -> None:
    config = Feeds(
        feeds=(
            Feed(name="gone", provider="lambda", source=SOURCE, address="gone"),
            Feed(name="broken", provider="vast.ai", source=SOURCE, address="broken"),
            Feed(name="empty", provider="vast.ai", source=SOURCE, address="empty"),
            Feed(name="nobody", provider="nobody", source=SOURCE, address="good"),
            Feed(name="runpod", provider="runpod", source=SOURCE, address="good"),
        )
    )
    outcome = refresh(config, behind, CATALOG, prices, today=DAY)
    assert [name for name, _ in outcome.failed] == ["gone", "broken", "empty", "nobody"]
    assert {row["provider"] for row in outcome.rows.values()} == {"runpod"}


def test_a_round_writes_nothing_until_it_is_kept(prices: Path) -> None:
    before = prices.read_bytes()
    outcome = refresh(feeds(runpod="good"), behind, CATALOG, prices, today=DAY)
    assert outcome.difference.added
    assert prices.read_bytes() == before
    keep(outcome, prices)
    assert refresh(feeds(runpod="good"), behind, CATALOG, prices, today=DAY).difference.same == len(outcome.rows)


def test_a_price_that_jumps_waits_for_a_person(prices: Path) -> None:
    outcome = refresh(feeds(autodl="jump"), behind, CATALOG, prices, today=DAY)
    (jump,) = outcome.jumps
    assert (jump.old["low"], jump.new["low"], round(jump.times)) == ("1.98", "19.8", 10)
    assert not outcome.rows
    keep(outcome, prices)
    assert "19.8" in quarantine_of(prices).read_text(encoding="utf-8")
    assert "19.8" not in prices.read_text(encoding="utf-8")
    taken = refresh(feeds(autodl="jump"), behind, CATALOG, prices, today=DAY, accepted=[jump.new["id"]])
    assert [row["low"] for row in taken.rows.values()] == ["19.8"]
    assert not taken.jumps


def test_an_import_holds_back_a_price_that_jumps_and_takes_the_rest(prices: Path, tmp_path: Path) -> None:
    lists = tmp_path / "list.csv"
    rows = "RTX 4090,19.8,CNY,gpu_hour,on_demand,list\nRTX 3090,1.4,CNY,gpu_hour,on_demand,list\n"
    lists.write_text(TEXTS["jump"].splitlines()[0] + "\n" + rows, encoding="utf-8")

    def imported(*accepted: str) -> list[str]:
        return list(import_files([lists], "autodl", SOURCE, DAY, really=True, accepted=accepted, prices=prices))

    (named,) = [told for told in imported() if told.startswith("quarantine: ")]
    ident = named.split()[1]
    assert "1.98 -> 19.8 CNY (10.00 times its last price)" in named
    assert ident in quarantine_of(prices).read_text(encoding="utf-8")
    assert not any("rtx-4090" in line and "19.8" in line for line in prices.read_text("utf-8").splitlines())
    held = rows_in(prices).values()
    assert any(row["gpu"] == "rtx-3090" and "-import-" in row["id"] and row["low"] == "1.4" for row in held)
    assert not any(told.startswith("quarantine") for told in imported(ident))
    assert rows_in(prices)[ident]["low"] == "19.8"


def test_the_newest_price_of_a_popular_card_may_not_be_old(prices: Path) -> None:
    outcome = refresh(feeds(runpod="good"), behind, CATALOG, prices, today=DAY)
    assert [card for card, _ in outcome.stale] == ["rtx-3090"]  # the 4090 has a price of today
    assert dict(outcome.stale)["rtx-3090"] > 30


def test_only_https_and_files_are_read(tmp_path: Path) -> None:
    for address in ("http://example.org/x.csv", "ftp://example.org/x", "file:///etc/passwd"):
        with pytest.raises(ValueError, match="https"):
            fetched(address)
    path = tmp_path / "x.csv"
    path.write_text(GPUHUNT, encoding="utf-8")
    assert fetched(str(path)) == GPUHUNT


def test_the_shipped_file_of_feeds_names_what_the_catalogue_knows() -> None:
    shipped = load_feeds(Path("deploy/prices.yaml"))
    assert shipped.feeds
    for feed in shipped.feeds:
        assert feed.provider in CATALOG.providers
        assert CATALOG.sources[feed.source].url
    assert set(shipped.popular) <= set(CATALOG.gpus)


HEADER = "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\n"


@pytest.mark.parametrize(
    ("row", "taken"),
    [
        ("a,L4,1,0.5,us", True),
        ('a,L4,1,"1,000.5",us', False),  # read as a thousand, which no hour costs
        ('a,L4,1,"0,5",us', False),  # nobody knows whether this is 0.5 or 5
        ("a,L4,1.5,4,us", False),
        ("a,L4,eight,4,us", False),
        ("a,L4,1,$0.5,us", False),
        ("a,L4,1,inf,us", False),
    ],
)
def test_amounts_and_counts_are_what_they_say_or_left_out(tmp_path: Path, row: str, taken: bool) -> None:
    found = read(tmp_path, HEADER + row + "\n")
    assert bool(found.rows) is taken
    assert bool(found.problems) is not taken


def test_a_column_named_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="columns named twice: Price"):
        read(tmp_path, "InstanceType,AcceleratorName,AcceleratorCount,Price,Price\na,L4,1,0.5,9\n")


def test_a_file_without_a_price_says_so_and_a_byte_order_mark_is_none_of_its_columns(tmp_path: Path) -> None:
    assert [problem.message for problem in read(tmp_path, HEADER).problems] == ["no price in it"]
    assert len(read(tmp_path, "\ufeff" + HEADER + "a,L4,1,0.5,us\n").rows) == 1
    path = tmp_path / "marked.csv"
    path.write_text("\ufeff\ufeff" + HEADER + "a,L4,1,0.5,us\n", encoding="utf-8")
    assert len(read_prices(path, "runpod", CATALOG, as_of=DAY, source=SOURCE).rows) == 1


def test_terms_that_gpuhunt_does_not_know_are_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, "instance_name,price,gpu_count,gpu_name,gpu_memory,spot\nx,0.4,1,L4,24,maybe\n")
    assert found.rows == {}
    assert "terms 'maybe'" in str(found.problems[0])


@pytest.mark.parametrize(("day", "why"), [("2999-01-01", "still to come"), ("1999-01-01", "came out on")])
def test_a_typed_price_has_a_day_on_which_it_could_be_asked(day: str, why: str) -> None:
    with pytest.raises(BadData, match=why):
        read_line(f"RTX 3090; purchase_used; 5200 CNY; card; xianyu; {day}; {SOURCE}", CATALOG)


def test_a_day_to_come_is_refused_for_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(GPUHUNT, encoding="utf-8")
    with pytest.raises(BadData, match="still to come"):
        read_prices(path, "runpod", CATALOG, as_of=date(2999, 1, 1), source=SOURCE)


def test_a_file_that_is_no_csv_is_named_and_not_raised_at_the_reader(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="cannot be read"):
        read(tmp_path, "instance_name,price,gpu_count,gpu_name\ny,2,1," + "H" * 200_000 + "\n")


# --- hostile catalogues ----------------------------------------------------------------------------------------------

LIST = "gpu,price,currency,unit,terms,tier,region,day\n"
GPUHUNT_HEADER = "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\n"


def told(tmp_path: Path, prices: Path, text: str | bytes, provider: str = "runpod", source: str = SOURCE) -> str:
    """What an import says of a file that holds this text, everything taken that is taken."""
    path = tmp_path / "hostile.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return "\n".join(import_files([path], provider, source, DAY, really=True, prices=prices))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LIST + "RTX 5090,69,USD,gpu_hour,on_demand,premium,,", "times this seller's other prices of it"),
        (LIST + "RTX 5090,0.69-69,USD,gpu_hour,on_demand,secure,,", "no believable price"),
        (LIST + "RTX 5090,0.9-3.9,USD,gpu_hour,on_demand,secure,,", "times its last price"),
        (LIST + "RTX 5090,0.69,USD,gpu_hour,on_demand,,,2027-01-15", "2027-01-15 is after 2026-11-20"),
        (LIST + "RTX 5090,0.69,USD,gpu_hour,on_demand,,,15.11.2026", "is not a day"),
        (LIST + "RTX 5090,0.69,USD,gpu_hour,on_demand,,,2020-01-15", "came out on"),
        (LIST + "RTX 5090,5.1,CNY,gpu_hour,on_demand,,,", "runpod asks USD on record"),
        (LIST + "RTX 5090,-0.69,USD,gpu_hour,on_demand,,,", "no believable price"),
        (LIST + "RTX 5090,0,USD,gpu_hour,on_demand,,,", "no believable price"),
        (LIST + "RTX 5090,NaN,USD,gpu_hour,on_demand,,,", "no believable price"),
        (LIST + "RTX 5090,1e3,USD,gpu_hour,on_demand,,,", "no believable price"),
        (LIST + "RTX 3090,150,USD,gpu_hour,on_demand,monthly,,", "times this seller's other prices of it"),
        (LIST + "RTX 3090,950,USD,gpu_hour,purchase_used,,,", "are not paid by the gpu_hour"),
        (LIST + "RTX 3090,0.3,USD,card,on_demand,,,", "are not paid by the card"),
        (GPUHUNT_HEADER + "x,EU,23.9,1,H100,80,False", "times this seller's other prices of it"),
        (GPUHUNT_HEADER + "x,EU,0.7,8,RTX5090,32,False", "times this seller's other prices of it"),
        (GPUHUNT_HEADER + "x,EU,0.7,1,RTX6090,48,False", "unknown card: RTX6090"),
        (GPUHUNT_HEADER + "x,EU,0.7,1,RTX\x1b[31m6090\x00,48,False", "unknown card: RTX [31m6090"),
        (LIST.encode() + "RTX 5090,0.69,USD,gpu_hour,on_demand,\u5957\u9910,,".encode("gbk"), "cannot be read"),
        ((LIST + "RTX 5090,0.69,USD,gpu_hour,on_demand,,,").encode("utf-16"), "cannot be read"),
    ],
)
def test_a_hostile_row_is_refused_or_waits_and_never_becomes_a_price(
    tmp_path: Path, prices: Path, text: str | bytes, why: str
) -> None:
    before = prices.read_bytes()
    assert why in told(tmp_path, prices, text)
    assert prices.read_bytes() == before


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("RTX 5090,69,USD,gpu_hour,on_demand", "times what others ask for it"),
        ("RTX 4090,0.05,USD,gpu_hour,on_demand", "times what others ask for it"),
        ("H100 80GB SXM,24,USD,gpu_hour,on_demand", "times what others ask for it"),
        ("GTX 960,45,USD,gpu_hour,on_demand", "look at it"),
    ],
)
def test_a_seller_without_a_price_on_record_is_held_against_the_market(
    tmp_path: Path, prices: Path, row: str, why: str
) -> None:
    newcomer = next(one for one in CATALOG.providers if all(row["provider"] != one for row in rows_in(prices).values()))
    header = "gpu,price,currency,unit,terms\n"
    assert why in told(tmp_path, prices, header + row, newcomer)
    fair = told(tmp_path, prices, header + "RTX 5090,0.6,USD,gpu_hour,on_demand", newcomer)
    assert "1 new" in fair
    assert "quarantine" not in fair


def test_the_faults_of_a_file_do_not_hide_its_good_rows(tmp_path: Path, prices: Path) -> None:
    rows = [f"x,EU,{amount},1,RTX5090,32,False" for amount in ("0.02", "0.7", "0.7", "0.8")]
    said = told(tmp_path, prices, GPUHUNT_HEADER + "\n".join(rows))
    assert "0.02 is far below the others" in said
    assert "1 new" in said
    (kept,) = [row for row in rows_in(prices).values() if "rtx-5090-on_demand-import" in row["id"]]
    assert kept["low"] == "0.7"


def test_one_card_in_two_currencies_is_neither(tmp_path: Path, prices: Path) -> None:
    rows = "RTX 3090,1.4,CNY,gpu_hour,on_demand,,,\nRTX 3090,1.4,USD,gpu_hour,on_demand,,,\n"
    said = told(tmp_path, prices, LIST + rows, "autodl")
    assert "asked in CNY and USD" in said
    assert "0 new" in said


def test_a_day_of_its_own_is_kept_with_a_row(tmp_path: Path, prices: Path) -> None:
    told(tmp_path, prices, LIST + "RTX 3090,1.4,CNY,gpu_hour,on_demand,list,,2026-10-30", "autodl")
    assert "2026-10-30" in {row["as_of"] for row in rows_in(prices).values() if row["id"].endswith("import-2026-10")}


def test_text_of_a_file_stays_on_the_line_of_its_price(tmp_path: Path, prices: Path) -> None:
    victim = next(iter(rows_in(prices)))
    count = len(rows_in(prices))
    region = f'"eu\n{victim},runpod\u2028x"'
    told(tmp_path, prices, LIST + f'RTX 5090,0.7,USD,gpu_hour,on_demand,"a,b",{region},')
    told(tmp_path, prices, LIST + f'RTX 5090,0.7,USD,gpu_hour,on_demand,"a,b",{region},')
    held = rows_in(prices)
    assert len(held) == count + 1
    assert len(prices.read_text("utf-8").splitlines()) == count + 2
    assert held[victim]["low"]


def test_what_waits_goes_on_waiting_when_another_list_comes(tmp_path: Path, prices: Path) -> None:
    told(tmp_path, prices, LIST + "RTX 5090,69,USD,gpu_hour,on_demand,premium,,")
    told(tmp_path, prices, LIST + "RTX 3090,0.46,USD,gpu_hour,on_demand,secure,,")
    assert "69" in quarantine_of(prices).read_text("utf-8")


def test_a_file_of_many_rows_is_read_in_seconds(tmp_path: Path, prices: Path) -> None:
    started = time.process_time()
    assert "1 new" in told(tmp_path, prices, GPUHUNT_HEADER + "x,EU,0.7,1,RTX5090,32,False\n" * 100_000)
    assert time.process_time() - started < 20


def test_what_was_skipped_ends_with_a_status_of_its_own(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from bot.cli.commands import app

    good = tmp_path / "good.csv"
    good.write_text("gpu,price,currency,unit,terms\nRTX 4090,0.5,USD,gpu_hour,on_demand\n", "utf-8")
    told = ["prices", "import", "--provider", "runpod", "--source", "runpod-pricing", "--as-of", "2026-11-20"]
    for files, status in (([good], 0), ([tmp_path / "none.csv"], 3), ([good, tmp_path / "none.csv"], 3)):
        ended = CliRunner().invoke(app, [*told, *map(str, files)])
        assert ended.exit_code == status, ended.output
