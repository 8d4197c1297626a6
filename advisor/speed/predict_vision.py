"""Lines about pictures that are looked at: labels, boxes, masks; and text that is encoded."""

from __future__ import annotations

from advisor.errors import UnsupportedCombination
from advisor.models import Workload
from advisor.speed.cases import Case
from advisor.speed.hosts import usual_host
from advisor.speed.rate import rate_of
from advisor.speed.vision import eager_rate, engine_rate, forward_ops, host_rate

_ENGINES = ("tensorrt", "onnx", "openvino")


def _job(case: Case) -> Workload:
    if case.workload is None:
        raise UnsupportedCombination("the line names no job", task=case.task)
    return case.workload


def seen(case: Case) -> tuple[float, str]:
    """Pictures or sequences a second, or milliseconds of one, in the line's unit."""
    workload, said = _job(case), case.said
    mlperf = "mlperf" in case.task.lower()
    if case.gpu is None:
        rate = host_rate(said.host or usual_host(), forward_ops(workload), narrow=mlperf)
    elif mlperf or any(word in said.software.lower() for word in _ENGINES):
        rate = case.n_gpus * engine_rate(case.gpu, workload, narrow=mlperf, alone=case.kind == "infer-latency")
    else:
        image = workload.ml_model.modality == "vision"
        gpu, n = case.gpu, case.n_gpus
        rate = n * eager_rate(gpu, workload) if image else rate_of(workload, gpu, n, stack=case.stack).per_second
    return (1000.0 / rate if case.unit.startswith("ms") else rate), "vision"
