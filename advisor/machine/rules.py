"""Rules about machines, read from data/machine.yaml on first use, and the steps that cite them."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from advisor.datafiles import read_data
from advisor.models import Frozen, Step, step_of


class Rule(Frozen):
    """One statement of a source: a figure, a range, or words alone."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    source: str = ""
    as_of: date | None = None
    rows: tuple[str, ...] = ()
    assumed: bool = False
    """A working figure that no source states."""

    def step(self, name: str, unit: str = "", *inputs: Step, value: float | str | None = None) -> Step:
        """This rule as a step of a trail."""
        shown = value if value is not None else self.value
        if shown is None and self.low is not None:
            shown = f"{self.low:g}-{self.high:g}"
        return step_of(
            name=name,
            value=shown,
            unit=unit,
            how="assumption" if self.assumed else "claim",
            inputs=inputs,
            sources=(self.source,) if self.source else (),
            as_of=self.as_of,
            rows=self.rows,
        )

    @property
    def number(self) -> float:
        """The figure of a rule that has one."""
        assert self.value is not None, "this rule has no figure"
        return self.value


class Connectors(Frozen):
    """Watts a power connector carries."""

    sixteen: float
    eight: float
    six: float
    slot: float
    source: str


class Limit(Frozen):
    """A power limit that was measured: watts and the share of speed kept."""

    watts: float
    keeps: float
    job: str
    """What was measured: training | games"""
    source: str
    as_of: date | None = None


class LimitCurve(Frozen):
    """Speed kept under power limits that were measured: share of the board power, and share of the speed at it."""

    points: tuple[tuple[float, float], ...]
    sources: tuple[str, ...]


class Circuit(Frozen):
    """A wall socket. `continuous`: share of it that a load of many hours may take."""

    volts: float
    amps: float
    continuous: float

    @property
    def watts(self) -> float:
        """What it carries for hours."""
        return self.volts * self.amps * self.continuous


class PowerRules(Frozen):
    """Power supplies."""

    rest_w: Rule
    comfortable_rest_w: Rule
    rest_big_cpu_w: Rule
    card_headroom: Rule
    sizes_w: tuple[int, ...]
    largest_w: Rule
    efficiency: Rule
    spike: Rule
    spike_atx3: Rule
    connector_w: Connectors
    sixteen_pin_series: tuple[str, ...]
    sixteen_pin_from_w: float
    limits: dict[str, Limit]
    limit_curves: dict[str, LimitCurve]
    """training | text"""
    limit_stress: Rule
    limit_share: Rule
    circuits: dict[str, tuple[Circuit, ...]]
    circuit_source: str


class CpuModel(Frozen):
    """Cores of a processor that the documents name."""

    cores: int
    threads: int


class CpuRules(Frozen):
    """Processors."""

    cores_low: Rule
    cores_high: Rule
    outrun: Rule
    workers: Rule
    clock: Rule
    dali: Rule
    server_many_cores: Rule
    brand: Rule
    four: Rule
    eight: Rule
    classes: dict[str, int]
    classes_source: str
    models: dict[str, CpuModel]


class RamRules(Frozen):
    """System memory."""

    floor: Rule
    system_gib: Rule
    sizes_gib: tuple[int, ...]
    killed: Rule
    more: Rule
    monitor: Rule
    proportional: Rule


class DiskKind(Frozen):
    """Random reading and writing in MB/s."""

    read: float
    write: float
    rows: tuple[str, ...]


class LoadExample(Frozen):
    """Pictures a second that a known machine reads."""

    images_per_s: float
    gpus: int
    source: str
    as_of: date | None = None
    rows: tuple[str, ...] = ()


class DiskRules(Frozen):
    """Disks."""

    kinds: dict[str, DiskKind]
    source: str
    as_of: date
    bound: Rule
    example: LoadExample


class CoolingRules(Frozen):
    """Heat and space."""

    gap_c: Rule
    case_c: Rule
    easy_cards: Rule
    gap_slots: Rule
    tight: Rule
    water: Rule
    extenders: Rule
    throttle_c: Rule
    board_slots: Rule
    target_c: Rule
    limit_c: Rule
    series_limit_c: dict[str, float]
    series_source: str
    memory_limit_c: Rule
    passive_source: str


class LinkRules(Frozen):
    """Links between cards and machines."""

    nvlink: Rule
    nvlink_ddp: Rule
    nvlink_measured: Rule
    lanes_fine: Rule
    lanes_four_cards: Rule
    lanes_loss: Rule
    pcie4_gain: Rule
    pcie4: Rule
    network_gbit: Rule


class Tier(Frozen):
    """Sizes of clusters up to `upto` cards."""

    upto: int
    name: str
    rows: tuple[str, ...] = ()


class ClusterRules(Frozen):
    """Clusters."""

    tiers: tuple[Tier, ...]
    source: str
    as_of: date
    weak_network: Rule
    slurm: Rule
    licence: Rule
    cards_per_node: int
    dgx_card_gb: Rule
    dgx_link_gb_per_s: Rule
    active_share: Rule
    pace_tokens: Rule
    busy_share: Rule


class BuildFloor(Frozen):
    """PyTorch builds from a release on, for a CUDA family, that leave out older cards."""

    since: str
    cuda: str
    lowest: str
    source: str


class LastBuild(Frozen):
    """The last build that is known to hold an old architecture."""

    pytorch: str
    cuda: str
    capability: str
    source: str


class FlashRule(Frozen):
    """Compute capability that FlashAttention 2 and 3 need."""

    lowest: str
    v3: str
    source: str


class CompatRules(Frozen):
    """CUDA, drivers, frameworks."""

    min_cuda: Rule
    families: dict[str, int]
    families_source: str
    drivers: dict[str, tuple[str, str]]
    drivers_source: str
    pytorch: dict[str, tuple[str, ...]]
    pytorch_source: str
    pytorch_as_of: date
    pytorch_newest: str
    majors: dict[str, str]
    """Major compute capability -> CUDA from which code of that major exists."""
    pytorch_floors: tuple[BuildFloor, ...]
    kepler: LastBuild
    legacy_cuda: str
    legacy_source: str
    flash_attention: FlashRule


class PrecisionRules(Frozen):
    """Number formats by compute capability."""

    bf16_from: str
    tf32_from: str
    fp8_from: str
    fp4_from: str
    int8_tensor_from: str
    fp16_tensor_from: str
    fp16_slow: tuple[str, ...]
    mixed: Rule
    bf16: Rule
    fp16_range: Rule
    tf32: Rule
    sparsity: Rule


class MachineRules(Frozen):
    """All of data/machine.yaml."""

    power: PowerRules
    cpu: CpuRules
    ram: RamRules
    disk: DiskRules
    cooling: CoolingRules
    interconnect: LinkRules
    cluster: ClusterRules
    compat: CompatRules
    precision: PrecisionRules


@lru_cache(maxsize=1)
def rules() -> MachineRules:
    """The rules, read on first use.

    Raises:
        BadData: the file is not what it must be.
    """
    result: MachineRules = read_data("machine.yaml", MachineRules)
    return result


def given(name: str, value: float | str | None, unit: str = "") -> Step:
    """A value that the user stated."""
    return step_of(name=name, value=value, unit=unit, how="given")


@lru_cache(maxsize=1024)
def version(text: str) -> tuple[int, ...]:
    """A version as numbers to compare: "12.8" gives (12, 8). Empty when it holds no number."""
    parts: list[int] = []
    for part in text.strip().split("."):
        digits = "".join(letter for letter in part if letter.isdecimal())
        if not digits:
            break
        parts.append(int(digits[:6]))
    return tuple(parts)
