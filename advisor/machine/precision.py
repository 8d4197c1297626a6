"""Which number formats a card has, and which one to compute in."""

from __future__ import annotations

from typing import Final

from advisor.machine.models import Item, Verdict
from advisor.machine.rules import rules, version
from advisor.models import Frozen, Gpu, Note, Step, note_of, step_of
from advisor.specs import has_tensor_cores

FORMATS = ("fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4")


class FormatSupport(Frozen):
    """One number format on one card."""

    format: str
    support: str
    """tensor: in the matrix units | plain: on ordinary cores | slow: exists without gain | none | unknown
    | storage: packed weights only, computed in another format"""
    tflops: float | None = None
    """Dense peak, when on record."""


def formats_of(gpu: Gpu) -> dict[str, FormatSupport]:
    """What the card has, format by format. NVIDIA cards follow their compute capability; others what is on record."""
    return {name: FormatSupport(format=name, support=_support(gpu, name), tflops=_peak(gpu, name)) for name in FORMATS}


def flash_attention(gpu: Gpu) -> str:
    """v3 | v2 | none | unknown: newest FlashAttention whose own kernels run on the card."""
    rule = rules().compat.flash_attention
    capability = version(gpu.compute_capability or "")
    if gpu.vendor != "NVIDIA" or not capability:
        return "unknown"
    if capability == version(rule.v3):
        return "v3"
    return "v2" if capability >= version(rule.lowest) else "none"


def training_format(gpu: Gpu) -> str:
    """Format to train in: bf16 where the card computes it, else fp16 with loss scaling on matrix units, else fp32."""
    have = formats_of(gpu)
    if have["bf16"].support in {"tensor", "plain"}:
        return "bf16"
    return "fp16" if have["fp16"].support in {"tensor", "plain"} else "fp32"


def check_precision(gpu: Gpu, wanted: str = "") -> Item:
    """Verdict on one format, or the formats of the card and which to take."""
    rule = rules().precision
    have = formats_of(gpu)
    values: dict[str, object] = {
        "gpu": gpu.name,
        "architecture": gpu.architecture,
        "format": wanted,
        "support": have[wanted].support if wanted in have else "",
        "tflops": have[wanted].tflops if wanted in have else None,
        "advised": training_format(gpu),
        "formats": {name: one.support for name, one in have.items()},
        "unverified": wanted == "bf16" and "bf16_supported" in gpu.unverified,
        "no_gain": gpu.compute_capability in rule.fp16_slow,
        "mixed": rule.mixed.number,
    }
    verdict, code = _verdict(have.get(wanted), wanted)
    if wanted == "mixed":
        gains = values["advised"] != "fp32"
        verdict = Verdict.PASS if gains else Verdict.WARN
        code = "machine_format_mixed_yes" if gains else "machine_format_mixed_no"
    return Item(
        name="precision",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=_reasons(gpu, wanted, values),
        actions=(note_of("machine_format_train", values), *_instead(wanted, verdict)),
        steps=_steps(gpu, wanted, have),
        conflicts=_conflicts(gpu, wanted),
    )


# --- parts -----------------------------------------------------------------------------------------------------------


def _support(gpu: Gpu, name: str) -> str:
    if name in _EVERYWHERE:
        return _EVERYWHERE[name]
    capability = version(gpu.compute_capability or "")
    if gpu.vendor != "NVIDIA" or not capability:
        return _other(gpu, name)
    rule = rules().precision
    if name == "fp16":
        return _fp16(gpu, capability)
    if name == "int8":
        return _int8(gpu, capability)
    first = {"bf16": rule.bf16_from, "tf32": rule.tf32_from, "fp8": rule.fp8_from, "fp4": rule.fp4_from}[name]
    return "tensor" if capability >= version(first) else "none"


_EVERYWHERE: Final = {"fp32": "plain", "int4": "storage"}


def _fp16(gpu: Gpu, capability: tuple[int, ...]) -> str:
    rule = rules().precision
    if capability >= version(rule.fp16_tensor_from):
        return "tensor" if has_tensor_cores(gpu) else "plain"
    return "slow" if gpu.compute_capability in rule.fp16_slow or capability < (6, 0) else "plain"


def _int8(gpu: Gpu, capability: tuple[int, ...]) -> str:
    if capability >= version(rules().precision.int8_tensor_from):
        return "tensor" if has_tensor_cores(gpu) else "plain"
    return "plain" if capability >= (6, 1) else "storage"


def _other(gpu: Gpu, name: str) -> str:
    """Cards of other makers: what the catalogue says, nothing inferred."""
    if name == "bf16" and gpu.bf16_supported is not None:
        return "plain" if gpu.bf16_supported else "none"
    return "plain" if _peak(gpu, name) else "unknown"


def _peak(gpu: Gpu, name: str) -> float | None:
    if name == "fp16":
        return gpu.fp16_tensor_fp32acc_tflops or gpu.fp16_nontensor_tflops
    attribute = {"fp32": "fp32_tflops", "bf16": "bf16_tflops", "tf32": "tf32_tflops", "fp8": "fp8_tflops"}.get(name)
    return getattr(gpu, attribute) if attribute else gpu.int8_tops if name == "int8" else None


def _verdict(support: FormatSupport | None, wanted: str) -> tuple[Verdict, str]:
    if not wanted or support is None:
        return Verdict.OPEN, "machine_format_card"
    table = {
        "tensor": (Verdict.PASS, "machine_format_yes"),
        "plain": (Verdict.PASS, "machine_format_yes"),
        "slow": (Verdict.WARN, "machine_format_slow"),
        "storage": (Verdict.PASS, "machine_format_storage"),
        "none": (Verdict.FAIL, "machine_format_no"),
        "unknown": (Verdict.OPEN, "machine_format_unknown"),
    }
    return table[support.support]


def _reasons(gpu: Gpu, wanted: str, values: dict[str, object]) -> tuple[Note, ...]:
    notes: list[Note] = []
    if wanted and wanted != "mixed":
        notes.append(note_of("machine_format_why", values))
    if values["no_gain"]:
        notes.append(note_of("machine_format_pascal", values))
    if wanted in {"fp16", "mixed", ""} and values["advised"] != "fp32":
        notes.append(note_of("machine_format_mixed", values))
    if wanted == "tf32":
        notes.append(note_of("machine_format_tf32"))
    flash = flash_attention(gpu)
    if flash != "unknown" and wanted in {"", "bf16", "fp16"}:
        notes.append(note_of("machine_flash", {"gpu": gpu.name, "flash": flash}))
    return tuple(notes)


def _instead(wanted: str, verdict: Verdict) -> tuple[Note, ...]:
    """What to do with weights in a format that the card lacks."""
    return (note_of("machine_format_convert"),) if wanted == "bf16" and verdict is Verdict.FAIL else ()


def _conflicts(gpu: Gpu, wanted: str) -> tuple[str, ...]:
    found = []
    if gpu.compute_capability in rules().precision.fp16_slow:
        found.append("E13")
    if wanted == "tf32":
        found.append("E20")
    if wanted == "fp16":
        found.append("E41")
    return tuple(found)


def _steps(gpu: Gpu, wanted: str, have: dict[str, FormatSupport]) -> tuple[Step, ...]:
    rule = rules().precision
    shown = [wanted] if wanted in have else ["bf16", "fp16", "tf32", "fp8", "int8"]
    steps = []
    for name in shown:
        source = gpu.sources.get(f"{name}_supported") or gpu.sources.get(f"{name}_tflops") or gpu.sources.get("*", "")
        steps.append(
            step_of(
                name=f"{gpu.name} {name}",
                value=have[name].support,
                how="architecture",
                inputs=(step_of(name="compute_capability", value=gpu.compute_capability, how="claim"),),
                sources=(source,) if source else (),
            )
        )
    steps.append(rule.mixed.step("mixed_at_least_times"))
    if wanted == "bf16":
        steps.append(rule.bf16.step("bf16_needs_no_loss_scaling"))
    if wanted == "fp16":
        steps.append(rule.fp16_range.step("fp16_range"))
    if wanted == "tf32":
        steps.append(rule.tf32.step("tf32_default"))
    if flash_attention(gpu) != "unknown":
        flash = rules().compat.flash_attention
        steps.append(step_of(name="flash_attention", value=flash_attention(gpu), how="claim", sources=(flash.source,)))
    return tuple(steps)
