"""What an old card's age means for software: no Tensor Cores, the last CUDA and PyTorch that hold it."""

from __future__ import annotations

from advisor.machine.builds import builds_for
from advisor.machine.rules import rules
from advisor.models import Gpu, Note, note_of

_MODULES = "Jetson"


def age_note(gpu: Gpu) -> Note | None:
    """A remark (`machine_old_card`) on a card without Tensor Cores, or one that newer toolkits left out; else None.

    Its values: `tensor` (whether it has them), `last_cuda` (None while toolkits still know it), `pytorch` (the newest
    release with a build for it, None for none on record), `cuda` (that of this build), `current` (that release is the
    newest there is).
    """
    if gpu.vendor != "NVIDIA" or gpu.family == _MODULES or gpu.compute_capability is None:
        return None
    tensor = bool(gpu.tensor_core_gen or gpu.fp16_tensor_fp32acc_tflops)
    if tensor and gpu.last_cuda is None:
        return None
    rule, builds = rules().compat, builds_for(gpu)
    kepler = rule.kepler.pytorch if gpu.compute_capability == rule.kepler.capability else None
    release = kepler or (builds[0].pytorch if builds else None)
    values = {
        "gpu": gpu.name,
        "sm": gpu.compute_capability.replace(".", ""),
        "tensor": tensor,
        "last_cuda": gpu.last_cuda,
        "pytorch": release,
        "cuda": builds[0].cuda if builds else None,
        "current": release == rule.pytorch_newest,
    }
    return note_of("machine_old_card", values)
