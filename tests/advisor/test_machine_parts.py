"""Processor, memory, disks, cooling, links and clusters: the documents' rules with their own numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import OutOfRange
from advisor.machine import CardGroup, Machine, Verdict, check_machine
from advisor.machine.check import picture_rate
from advisor.machine.cluster import cards_for_people, check_cluster, cluster_plan
from advisor.machine.cooling import check_cooling, is_passive, layout, temperature_limit
from advisor.machine.cpu import check_cpu, check_workers, core_need, known_threads
from advisor.machine.disk import check_disk, disk_rates, example_rate, samples_per_s, space_need
from advisor.machine.interconnect import check_lanes, check_network, check_nvlink
from advisor.machine.ram import allocation, check_ram, ram_need
from advisor.machine.serving import serve_plan
from advisor.models import Method, Optimizer, Precision, Workload
from tests.conftest import shared_catalog

CATALOG = shared_catalog()


def machine(name: str, count: int = 1, **more: object) -> Machine:
    return Machine.model_validate({"cards": (CardGroup(gpu=CATALOG.get_gpu(name), count=count),), **more})


class TestProcessor:
    def test_four_cards_want_16_to_32_logical_cores(self) -> None:
        need = core_need(4)
        assert (need.low, need.high) == (4 * 4, 4 * 8)

    @pytest.mark.parametrize(("cores", "verdict"), [(8, Verdict.PASS), (7, Verdict.WARN), (3, Verdict.FAIL)])
    def test_two_cards_are_content_from_eight_cores_on(self, cores: int, verdict: Verdict) -> None:
        assert check_cpu(machine("RTX 3090", 2, cpu_cores=cores)).verdict is verdict

    def test_processors_of_the_documents_are_known_by_name(self) -> None:
        assert known_threads("EPYC 7543") == 64
        assert known_threads("Xeon Gold 6330") == 56
        assert known_threads("16") == 16
        assert known_threads("some CPU") is None

    def test_loader_processes_stay_within_the_cores(self) -> None:
        fits = check_workers(machine("RTX 3090", cpu_cores=16, num_workers=16))
        many = check_workers(machine("RTX 3090", cpu_cores=16, num_workers=17))
        assert fits is not None
        assert fits.verdict is Verdict.PASS
        assert many is not None
        assert many.verdict is Verdict.WARN

    def test_the_trail_names_the_rows_it_applies(self) -> None:
        rows = {row for step in check_cpu(machine("RTX 3090", 4)).steps for row in _rows(step)}
        assert {"000-007", "000-012", "000-013", "000-014", "000-016", "001-047", "002-207"} <= rows


def _rows(step: object) -> set[str]:
    rows = set(getattr(step, "rows", ()))
    for part in getattr(step, "inputs", ()):
        rows |= _rows(part)
    return rows


class TestMemory:
    def test_the_titan_rtx_of_the_document_wants_24_gib(self) -> None:
        need = ram_need((CardGroup(gpu=CATALOG.get_gpu("TITAN RTX")),))
        assert need is not None
        assert need.floor_gib == 24

    def test_more_cards_leave_the_floor_where_it_is(self) -> None:
        one = ram_need(machine("RTX 3090").cards)
        four = ram_need(machine("RTX 3090", 4).cards)
        assert one is not None
        assert four is not None
        assert one.floor_gib == four.floor_gib == 24
        assert four.comfortable_gib == 4 * 24 + 8

    @pytest.mark.parametrize(
        ("ram", "verdict"), [(64, Verdict.PASS), (32, Verdict.PASS), (23.9, Verdict.FAIL), (None, Verdict.OPEN)]
    )
    def test_two_3090_are_content_with_64_gib(self, ram: float | None, verdict: Verdict) -> None:
        assert check_ram(machine("RTX 3090", 2, ram_gib=ram)).verdict is verdict

    def test_rented_instances_get_memory_by_cards(self) -> None:
        assert allocation(64, 2, "GiB").value == 128
        assert "000-003" in _rows(allocation(64, 2, "GiB"))

    @given(st.integers(1, 64))
    def test_the_advised_size_holds_all_cards(self, count: int) -> None:
        need = ram_need(machine("RTX 4090", count).cards)
        assert need is not None
        assert need.size >= 24 * count
        assert need.floor_size <= need.size


class TestDisks:
    def test_ratios_of_the_table_are_those_of_the_document(self) -> None:
        ratios = {rate.kind: rate.times_hdd for rate in disk_rates()}
        assert ratios["ssd"] == pytest.approx(2.5)
        assert ratios["nvme"] == pytest.approx(12)

    def test_samples_are_rate_over_size(self) -> None:
        assert samples_per_s("ssd", 100).value == pytest.approx(500 / 0.1)
        assert samples_per_s(1000.0, 250).value == pytest.approx(4000)

    def test_eight_v100_outrun_a_sata_disk(self) -> None:
        rate = example_rate().value
        assert rate == pytest.approx(8000 * 0.115)
        assert isinstance(rate, float)
        assert rate > 500

    @pytest.mark.parametrize(
        ("disk", "wanted", "verdict"),
        [
            ("hdd", None, Verdict.WARN),
            ("ssd", None, Verdict.PASS),
            ("ssd", 600.0, Verdict.FAIL),
            ("ssd", 400.0, Verdict.WARN),
            ("nvme", 600.0, Verdict.PASS),
            ("", None, Verdict.OPEN),
        ],
    )
    def test_disks_against_rates(self, disk: str, wanted: float | None, verdict: Verdict) -> None:
        assert check_disk(machine("RTX 3090", disk=disk, wanted_mb_per_s=wanted)).verdict is verdict

    def test_an_unknown_disk_is_refused(self) -> None:
        with pytest.raises(OutOfRange):
            samples_per_s("tape", 100)

    def test_room_is_data_twice_weights_and_three_checkpoints(self) -> None:
        step = space_need(148, 7e9).steps[0]
        assert step.value == (2 * 148 + 7 * 2 + 3 * 7 * 14 + 100)

    def test_resnet_on_more_cards_reads_more(self) -> None:
        work = Workload(ml_model=CATALOG.get_ml_model("resnet50"), method=Method.TRAIN, batch=64)
        one, four = picture_rate(machine("RTX 4090"), work), picture_rate(machine("RTX 4090", 4), work)
        assert one is not None
        assert four is not None
        assert four > 2 * one


class TestCooling:
    def test_four_three_slot_cards_need_twelve_places(self) -> None:
        plan = layout(machine("RTX 3090", 4))
        assert plan.bare == 12
        assert plan.gapped == 12 + 3
        assert check_cooling(machine("RTX 3090", 4)).verdict is Verdict.FAIL

    def test_two_cards_with_a_gap_are_fine(self) -> None:
        assert check_cooling(machine("RTX 3090", 2, gap_slots=1)).verdict is Verdict.PASS
        assert check_cooling(machine("RTX 3080 10GB", 2)).verdict is Verdict.PASS

    def test_server_cards_have_no_fan(self) -> None:
        assert is_passive(CATALOG.get_gpu("Tesla P40"))
        assert not is_passive(CATALOG.get_gpu("RTX 3090"))

    def test_limits_go_by_series(self) -> None:
        assert temperature_limit(CATALOG.get_gpu("RTX 3090")).headline.values["series_limit"] == 93
        assert temperature_limit(CATALOG.get_gpu("RTX 4090")).headline.values["series_limit"] == 89

    @given(st.integers(1, 30))
    def test_more_cards_are_never_easier_to_cool(self, count: int) -> None:
        order = [Verdict.PASS, Verdict.WARN, Verdict.FAIL]
        fewer = check_cooling(machine("RTX 3080 10GB", count)).verdict
        more = check_cooling(machine("RTX 3080 10GB", count + 1)).verdict
        assert order.index(more) >= order.index(fewer)


class TestLinks:
    def test_nvlink_is_built_in_bridged_or_missing(self) -> None:
        heads = {
            name: check_nvlink(machine(name, 2)).headline.code for name in ("A100 80GB SXM4", "RTX 3090", "RTX 4090")
        }
        assert heads == {
            "A100 80GB SXM4": "machine_nvlink_builtin",
            "RTX 3090": "machine_nvlink_bridge",
            "RTX 4090": "machine_nvlink_none",
        }

    def test_beyond_128_cards_it_is_needed(self) -> None:
        assert check_nvlink(machine("RTX 4090", 8, nodes=17)).verdict is Verdict.WARN

    @pytest.mark.parametrize(
        ("count", "lanes", "verdict"),
        [(2, 4, Verdict.PASS), (4, 8, Verdict.PASS), (4, 4, Verdict.WARN), (2, 1, Verdict.FAIL)],
    )
    def test_lanes_by_number_of_cards(self, count: int, lanes: int, verdict: Verdict) -> None:
        assert check_lanes(machine("RTX 3090", count, lanes=lanes)).verdict is verdict

    @pytest.mark.parametrize(("gbit", "verdict"), [(10, Verdict.FAIL), (50, Verdict.PASS), (100, Verdict.PASS)])
    def test_networks_from_50_gbit_on(self, gbit: float, verdict: Verdict) -> None:
        assert check_network(machine("RTX 3090", nodes=2, network_gbit=gbit)).verdict is verdict


class TestClusters:
    @pytest.mark.parametrize(
        ("cards", "tier"),
        [
            (8, "machine"),
            (64, "small"),
            (127, "small"),
            (128, "a100"),
            (256, "a100"),
            (257, "superpod"),
            (1024, "thousand"),
        ],
    )
    def test_sizes_of_the_guide(self, cards: int, tier: str) -> None:
        assert cluster_plan(cards).tier == tier

    @pytest.mark.parametrize(("cards", "disputed"), [(256, False), (257, True), (512, True), (513, False)])
    def test_between_256_and_512_the_guide_disagrees_with_itself(self, cards: int, disputed: bool) -> None:
        assert cluster_plan(cards).disputed is disputed
        if disputed:
            assert "E07" in check_cluster(cards).conflicts

    def test_ten_people_need_six_cards(self) -> None:
        assert cards_for_people(10).value == 6  # 60 % of them compute at once

    @pytest.mark.parametrize("people", [0, -3, 10_000_000])
    def test_impossible_groups_are_refused(self, people: int) -> None:
        with pytest.raises(OutOfRange):
            cards_for_people(people)

    def test_more_people_never_need_fewer_cards(self) -> None:
        work = Workload(
            ml_model=CATALOG.get_ml_model("llm-14b"),
            method=Method.INFERENCE,
            precision=Precision.FP16,
            optimizer=Optimizer.NONE,
            batch=1,
            seq_len=4096,
        )
        plans = [serve_plan(work, CATALOG.get_gpu("RTX 4090"), people) for people in (1, 20, 200, 2000)]
        counts = [plan.n_gpus for plan in plans if plan is not None]
        assert len(counts) == 4
        assert counts == sorted(counts)
        assert all(plan.n_gpus == plan.replicas * plan.per_replica for plan in plans if plan)


class TestWholeMachine:
    def test_a_sound_machine_passes(self) -> None:
        report = check_machine(
            machine(
                "RTX 3090",
                2,
                psu_w=1300,
                cpu_cores=16,
                ram_gib=64,
                disk="nvme",
                lanes=8,
                gap_slots=1,
                cuda="12.4",
                precision=("bf16",),
                region="CN",
            )
        )
        assert report.verdict is Verdict.PASS
        assert not [item.name for item in report.items if item.verdict in {Verdict.WARN, Verdict.FAIL}]
        assert {"power", "cpu", "ram", "disk", "lanes", "nvlink", "cuda", "precision", "slots", "circuit"} <= {
            item.name for item in report.items
        }

    def test_the_worst_stands_first(self) -> None:
        report = check_machine(machine("RTX 3090", 4, psu_w=1000, cpu_cores=32, ram_gib=256, disk="hdd"))
        assert report.verdict is Verdict.FAIL
        assert report.items[0].verdict is Verdict.FAIL
        order = [Verdict.FAIL, Verdict.WARN, Verdict.OPEN, Verdict.PASS]
        places = [order.index(item.verdict) for item in report.items]
        assert places == sorted(places)

    def test_a_rented_machine_is_not_asked_for_its_supply(self) -> None:
        report = check_machine(machine("RTX 4090", 2, rented=True))
        assert report.item("power") is None
        assert report.item("ram") is not None

    def test_every_item_says_where_it_comes_from(self) -> None:
        report = check_machine(machine("RTX 4090", 2, psu_w=1000, cuda="12.8", precision=("fp8",), region="US"))
        known = set(CATALOG.sources)
        assert report.sources
        assert set(report.sources) <= known
        assert all(item.steps for item in report.items)
