"""The few calibrated constants of the memory model: value, meaning, and the published cases that set each.

Everything else in this package is counted from shapes. A constant stands here only when counting cannot settle it
(what an eager framework keeps for the backward pass, what an allocator wastes). `MEANING` documents every field and
a test holds the two together. Re-fitting changes this file and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calibration:
    """Values in force. Units are in `MEANING`."""

    norm_units_rms: float = 3.9
    norm_units_layer: float = 2.4
    encoder_units: float = 16.5
    adapter_input_units: float = 1.9
    quantised_input_units: float = 1.4
    attention_copies: float = 2.2
    relative_attention_copies: float = 15.0
    checkpoint_residue: float = 1.0
    compiled_share: float = 0.97
    staging_bytes: float = 2.8
    sharding_load: float = 1.09
    vision_fp32_bytes: float = 9.3
    vision_half_share: float = 0.55
    vision_inference_share: float = 0.25
    detection_values_m: float = 38.0
    detection_exponent: float = 0.55
    diffusion_fp32_gib: float = 2.4
    diffusion_scores_gib: float = 7.3
    diffusion_half_share: float = 0.55
    diffusion_checkpoint_share: float = 0.2
    diffusion_decode_gib: float = 2.5
    video_token_bytes: float = 40.0
    diffusion_units: float = 30.0
    eager_loss_bytes: float = 12.0
    plain_loss_bytes: float = 8.0
    bucket_bytes: float = 12.0
    graph_copies_bytes: float = 12.0
    cache_growth: float = 2.0
    dynamic_factor: float = 2.6
    wide_adapter_bytes: float = 30.0


CALIBRATION = Calibration()


MEANING: dict[str, tuple[str, str]] = {
    "norm_units_rms": (
        "values per token and channel kept by one RMSNorm (it upcasts to fp32)",
        "litgpt, peft-metamath",
    ),
    "norm_units_layer": ("the same for one LayerNorm", "litgpt (phi, stablelm, falcon)"),
    "encoder_units": (
        "values per token and channel kept by a BERT layer without scores",
        "hf-bert-large, lambda-monitor",
    ),
    "adapter_input_units": (
        "kept copies of the input of a LoRA branch (dropout makes one more)",
        "litgpt-hub, litgpt-tables",
    ),
    "quantised_input_units": ("kept copies of inputs of 4-bit layers in litgpt", "litgpt-hub, litgpt-tables (QLoRA)"),
    "attention_copies": ("score-sized tensors kept without a fused attention kernel", "hf-bert-large, lambda-monitor"),
    "relative_attention_copies": ("the same for Transformer-XL, which shifts position scores", "lambda-monitor"),
    "checkpoint_residue": ("layer boundaries kept per layer with checkpointing", "qwen, hf-bert-large"),
    "compiled_share": ("share of activations left after torch.compile fuses kernels", "torchtune"),
    "staging_bytes": (
        "bytes per element of the largest matrix while weights are quantised on the card",
        "litgpt-tables",
    ),
    "sharding_load": ("factor on whole model plus shard while litgpt loads before sharding", "litgpt-tables (FSDP)"),
    "vision_fp32_bytes": ("bytes kept per value that convolutions put out, fp32, allocator included", "lambda-monitor"),
    "vision_half_share": ("share of that left with 16-bit arithmetic", "lambda-monitor"),
    "vision_inference_share": ("share of all values alive at once in inference", "reasoned: two of about eight stages"),
    "detection_values_m": ("million values per 640-pixel image of a 16.5 GFLOP detector", "yolov5 batch sizes"),
    "detection_exponent": ("growth of values with operations: width counts once, operations twice", "reasoned, yolov5"),
    "diffusion_fp32_gib": ("GiB kept per 512-pixel image by the Stable Diffusion 1 U-Net in fp32", "simpletuner-ckpt"),
    "diffusion_scores_gib": ("GiB of scores beside that where attention is not fused", "peft-readme"),
    "diffusion_half_share": ("share of that left with 16-bit arithmetic", "reasoned from the vision cases"),
    "diffusion_checkpoint_share": ("share left with checkpointing", "reasoned: block boundaries"),
    "video_token_bytes": (
        "bytes per token and channel of a denoising step on video",
        "reasoned: between the makers' own code (58 to 69) and lean pipelines (12)",
    ),
    "diffusion_units": (
        "values per token and channel kept by one block of a diffusion transformer",
        "simpletuner-ckpt, peft-imagegen",
    ),
    "eager_loss_bytes": (
        "bytes per token and vocabulary entry of an eager loss with fp32 logits",
        "counted: 2 + 4 + 4 + 2",
    ),
    "plain_loss_bytes": ("the same where logits stay in 16 bits", "counted: 2 + 2 + 2 + 2"),
    "bucket_bytes": ("bytes per value of DeepSpeed's buckets", "qwen"),
    "graph_copies_bytes": ("bytes per parameter that TensorFlow's graph copies in a step", "bert-oom, nvidia-dle"),
    "wide_adapter_bytes": ("bytes per adapter parameter with ZeRO's fp32 and 16-bit copies", "qwen"),
    "dynamic_factor": ("how much more is kept where inputs are quantised on the way (dynamic fp8)", "simpletuner-ckpt"),
    "cache_growth": ("copies of a cache that is joined anew for each token", "counted: the old and the new one"),
    "diffusion_decode_gib": ("GiB to encode or decode a 1024-pixel image with the VAE", "peft-imagegen"),
}
"""What each constant means and which published cases set it ("reasoned" where none could)."""
