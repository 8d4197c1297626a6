"""What a job needs, checked against sums done by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import AdvisorError, BadData, OutOfRange, UnsupportedCombination
from advisor.memory import Region, estimate_memory, image_shapes
from advisor.models import Method, Optimizer, Parallel, Precision
from tests.advisor.memory_jobs import GIB, catalog, job, model, part

BERT = 109.5e6
LLAMA7 = 6.738e9


def state(estimate: object) -> float:
    return sum(part(estimate, name) for name in ("weights", "gradients", "optimizer"))  # loose on purpose


def test_fp32_adam_holds_sixteen_bytes_a_parameter() -> None:
    full = estimate_memory(job("bert-base-uncased", "full", precision=Precision.FP32, batch=32, seq_len=128))
    assert state(full) == pytest.approx(BERT * 16 / GIB, rel=0.01)
    assert part(full, "weights") == pytest.approx(BERT * 4 / GIB, rel=0.01)


def test_bert_base_fp32_batch_32_at_128_tokens_is_about_four_and_a_half_gib() -> None:
    # by hand: 12 layers x 4096 tokens x 768 channels keep 16.5 values of 4 bytes and 2 bytes of dropout masks, plus
    # scores of 12 heads x 128 keys in 2.2 copies of 4 bytes and a mask byte; 16 bytes a parameter; slack and context
    kept = 12 * 4096 * (768 * (16.5 * 4 + 2) + (2.2 * 4 + 1) * 12 * 128) / GIB
    full = estimate_memory(job("bert-base-uncased", "full", precision=Precision.FP32, batch=32, seq_len=128))
    assert part(full, "activations") == pytest.approx(kept, rel=0.001)
    assert full.total.value == pytest.approx(BERT * 16 / GIB + kept * 1.08 + 0.6, rel=0.01)
    assert 4.0 < full.total.value < 6.0


@pytest.mark.parametrize(
    ("precision", "optimizer", "size"),
    [
        (Precision.FP32, Optimizer.ADAM, 16),
        (Precision.TF32, Optimizer.ADAM, 16),
        (Precision.FP16_MIXED, Optimizer.ADAM, 18),  # fp32 master weights, gradients and moments, plus 16-bit copies
        (Precision.BF16_MIXED, Optimizer.ADAM, 18),
        (Precision.BF16, Optimizer.ADAM, 8),
        (Precision.FP32, Optimizer.ADAM_8BIT, 10),
        (Precision.FP32, Optimizer.SGD, 12),
        (Precision.FP32, Optimizer.ADAFACTOR, 8.05),
        (Precision.BF16, Optimizer.PAGED_ADAM_8BIT, 6),
    ],
)
def test_state_bytes_per_parameter(precision: Precision, optimizer: Optimizer, size: float) -> None:
    full = estimate_memory(job("llama-2-7b-hf", "full", precision=precision, optimizer=optimizer))
    assert state(full) == pytest.approx(LLAMA7 * size / GIB, rel=0.01)


def test_qlora_of_llama_2_7b_keeps_the_base_in_about_four_bits() -> None:
    # by hand: 6.476e9 matrix weights at 4.127 bits, 2 x 131e6 of embedding and head at 16 bits
    base = (6.476e9 * 4.127 / 8 + 2 * 131.07e6 * 2) / GIB
    found = estimate_memory(job("llama-2-7b-hf", "qlora", batch=1, seq_len=512))
    assert part(found, "weights") == pytest.approx(base, rel=0.05)
    assert 4.5 < found.total.value < 7.5
    assert found.region is Region.QLORA


def test_lora_trains_adapters_only() -> None:
    lora = estimate_memory(job("llama-2-7b-hf", "lora", seq_len=512))
    assert part(lora, "optimizer") < 0.5
    assert part(lora, "weights") == pytest.approx(LLAMA7 * 2 / GIB, rel=0.02)


def test_kv_cache_of_llama_2_7b_is_half_a_mebibyte_per_token() -> None:
    found = estimate_memory(job("llama-2-7b-hf", "inference", batch=1, seq_len=4096, framework="vllm"))
    assert part(found, "kv_cache") == pytest.approx(2.0, rel=0.001)  # 2 x 32 layers x 4096 x 2 B x 4096 tokens


def test_grouped_heads_shrink_the_cache() -> None:
    many = estimate_memory(job("llama-2-7b-hf", "inference", seq_len=4096))
    few = estimate_memory(job("Llama-3-8B", "inference", seq_len=4096))
    assert part(few, "kv_cache") == pytest.approx(part(many, "kv_cache") / 4, rel=0.001)


def test_latent_attention_shrinks_the_cache() -> None:
    deepseek = model("DeepSeek-V3")
    plain = deepseek.model_copy(update={"kv_lora_rank": None})
    latent = deepseek.model_copy(update={"kv_lora_rank": 576})
    big = estimate_memory(job("DeepSeek-V3", "inference", ml_model=plain, seq_len=8192))
    small = estimate_memory(job("DeepSeek-V3", "inference", ml_model=latent, seq_len=8192))
    assert part(small, "kv_cache") < part(big, "kv_cache") / 10


def test_sliding_window_bounds_the_cache() -> None:
    windowed = model("Mistral-7B-v0.1").model_copy(update={"sliding_window": 4096})
    long = estimate_memory(job("Mistral-7B-v0.1", "inference", ml_model=windowed, seq_len=32768))
    short = estimate_memory(job("Mistral-7B-v0.1", "inference", ml_model=windowed, seq_len=4096))
    assert part(long, "kv_cache") == part(short, "kv_cache")


def test_eight_bit_cache_is_about_half() -> None:
    full = estimate_memory(job("llama-2-7b-hf", "inference", seq_len=8192))
    half = estimate_memory(job("llama-2-7b-hf", "inference", seq_len=8192, kv_precision=Precision.INT8))
    assert part(half, "kv_cache") == pytest.approx(part(full, "kv_cache") / 2, rel=0.1)


@pytest.mark.parametrize(
    ("quant", "bits", "embedding_bits"),
    [
        ("nf4", 4.5, 16),
        ("gptq-int4", 4.156, 16),
        ("awq", 4.156, 16),
        ("int8", 8.156, 16),
        ("fp8", 8, 16),
        ("q4_k_m", 4.85, 4.85),
        ("q8_0", 8.5, 8.5),
    ],
)
def test_weight_formats_take_their_bits(quant: str, bits: float, embedding_bits: float) -> None:
    found = estimate_memory(job("Qwen2.5-72B", "inference", quant=quant, precision=Precision.INT4))
    table = 152064 * 8192  # and an output layer of its own, both left in 16 bits unless the whole file is quantised
    on_card = 1 if quant.startswith("q") else 2  # llama.cpp leaves the table in RAM
    size = ((72.706e9 - 2 * table) * bits + on_card * table * embedding_bits) / 8 / GIB
    assert part(found, "weights") == pytest.approx(size, rel=0.001)


def test_a_large_vocabulary_shows_in_the_logits() -> None:
    found = estimate_memory(job("Qwen2.5-7B", "lora", batch=1, seq_len=4096))
    assert part(found, "logits") == pytest.approx(4096 * 152064 * 12 / GIB, rel=0.001)
    assert "memory_logits_large" in {note.code for note in found.notes}


def test_checkpointing_keeps_layer_boundaries_only() -> None:
    kept = estimate_memory(job("llama-2-7b-hf", "lora", checkpointing=False, seq_len=2048))
    redone = estimate_memory(job("llama-2-7b-hf", "lora", checkpointing=True, seq_len=2048))
    assert part(redone, "activations") < part(kept, "activations") / 10


def test_flash_attention_drops_the_scores() -> None:
    eager = estimate_memory(job("bert-base-uncased", "full", seq_len=512, batch=8))
    fused = estimate_memory(job("bert-base-uncased", "full", seq_len=512, batch=8, flash_attention=True))
    assert part(fused, "activations") < 0.6 * part(eager, "activations")


@pytest.mark.parametrize(
    ("parallel", "sharded"),
    [
        (Parallel.DATA, ()),
        (Parallel.ZERO1, ("optimizer",)),
        (Parallel.ZERO2, ("optimizer", "gradients")),
        (Parallel.ZERO3, ("optimizer", "gradients", "weights")),
    ],
)
def test_sharding_divides_what_it_says(parallel: Parallel, sharded: tuple[str, ...]) -> None:
    one = estimate_memory(job("llama-2-7b-hf", "full"))
    four = estimate_memory(job("llama-2-7b-hf", "full", n_gpus=4, parallel=parallel))
    for name in ("weights", "gradients", "optimizer"):
        share = 0.25 if name in sharded else 1.0
        here = part(one, name)
        if parallel in (Parallel.ZERO1, Parallel.ZERO2):  # fp32 masters are cut together with the moments
            here += {"weights": -4 * LLAMA7 / GIB, "optimizer": 4 * LLAMA7 / GIB}.get(name, 0.0)
        assert part(four, name) == pytest.approx(here * share, rel=0.01)


def test_fsdp_shards_all_and_gathers_in_the_width_of_the_arithmetic() -> None:
    one = estimate_memory(job("llama-2-7b-hf", "full"))
    four = estimate_memory(job("llama-2-7b-hf", "full", n_gpus=4, parallel=Parallel.FSDP))
    # fp32 masters only: the 16-bit copy that autocast keeps of every weight is gathered layer by layer instead
    assert part(four, "weights") == pytest.approx(LLAMA7 * 4 / 4 / GIB, rel=0.01)
    assert part(one, "weights") == pytest.approx(LLAMA7 * 6 / GIB, rel=0.01)
    assert part(four, "optimizer") == pytest.approx(part(one, "optimizer") / 4, rel=0.001)
    assert 0.3 < part(four, "gathered") < 2.5


def test_offload_takes_optimizer_and_master_weights_off_the_card() -> None:
    at_home = estimate_memory(job("llama-2-7b-hf", "full"))
    away = estimate_memory(job("llama-2-7b-hf", "full", offload=True))
    assert part(away, "optimizer") == 0
    assert part(away, "weights") == pytest.approx(LLAMA7 * 2 / GIB, rel=0.01)
    assert away.total.value < at_home.total.value / 2
    assert not away.supported


def test_all_experts_of_a_mixture_must_be_resident() -> None:
    found = estimate_memory(job("Mixtral-8x7B-v0.1", "inference"))
    assert part(found, "weights") == pytest.approx(46.703e9 * 2 / GIB, rel=0.01)
    assert "memory_moe_all_resident" in {note.code for note in found.notes}


def test_vision_training_grows_with_batch_and_area() -> None:
    small = estimate_memory(job("resnet50", "train", batch=32))
    double = estimate_memory(job("resnet50", "train", batch=64))
    wide = estimate_memory(job("resnet50", "train", batch=32, resolution=(448, 448)))
    assert part(double, "activations") == pytest.approx(2 * part(small, "activations"), rel=0.001)
    assert part(wide, "activations") == pytest.approx(4 * part(small, "activations"), rel=0.001)


def test_stable_diffusion_brings_its_text_encoder_and_vae() -> None:
    found = estimate_memory(job("stable-diffusion-v1-5", "inference"))
    assert part(found, "weights") == pytest.approx((0.860e9 + 0.207e9) * 2 / GIB, rel=0.01)


def test_the_guide_of_2020_stands_beside_the_figure() -> None:
    bert = estimate_memory(job("bert-base-uncased", "full"))
    assert [(step.value, step.unit) for step in bert.guide] == [(11.0, "GB")]
    assert "002-122" in bert.guide[0].rows
    assert estimate_memory(job("Llama-3-8B", "inference")).guide == ()


def test_fp32_weights_carry_the_row_of_the_four_byte_rule() -> None:
    found = estimate_memory(job("bert-base-uncased", "full", precision=Precision.FP32))
    weights = next(step for step in found.components if step.name == "weights")
    assert weights.rows == ("001-033",)
    assert weights.inputs[0].name == "parameters"


@pytest.mark.parametrize(
    "name", ["bert-base-uncased", "Qwen2.5-7B", "resnet50", "FLUX.1-dev", "whisper-small", "t5-base"]
)
@pytest.mark.parametrize("method", list(Method))
def test_components_add_up_and_the_band_encloses_the_value(name: str, method: Method) -> None:
    try:
        found = estimate_memory(job(name, method.value))
    except UnsupportedCombination:
        return
    assert sum(float(step.value or 0) for step in found.components) == pytest.approx(found.total.value, abs=1e-9)
    assert 0 < found.total.low < found.total.value < found.total.high
    assert found.total.trace.inputs == found.components


def test_every_model_of_the_catalogue_can_be_run_and_trained() -> None:
    for one in catalog().ml_models.values():
        for method in (Method.INFERENCE, Method.FULL):
            found = estimate_memory(job(one.name, method.value))
            most = max(
                300.0, 24.0 * one.parameters / 2**30
            )  # 16 bytes a parameter are trained, the rest is working memory
            assert 0.3 < found.total.value < most, one.name


def test_what_was_left_open_is_named() -> None:
    found = estimate_memory(job("bert-base-uncased", "full", seq_len=256))
    assert {"precision", "optimizer", "batch", "checkpointing"} <= set(found.assumed)
    assert "seq_len" not in found.assumed
    assert found.workload.batch == 16


def test_unnamed_software_widens_the_band() -> None:
    open_ = estimate_memory(job("llama-2-7b-hf", "qlora"))
    named = estimate_memory(job("llama-2-7b-hf", "qlora", framework="transformers"))
    assert open_.total.high / open_.total.low > named.total.high / named.total.low


@pytest.mark.parametrize(
    ("name", "method", "changes", "setting"),
    [
        ("llama-2-7b-hf", "full", {"precision": Precision.INT4}, "full_quantised"),
        ("resnet50", "lora", {}, "vision_adapter"),
        ("llama-2-7b-hf", "lora", {"optimizer": Optimizer.NONE}, "optimizer"),
        ("llama-2-7b-hf", "inference", {"quant": "magic3"}, "quant"),
        ("llama-2-7b-hf", "inference", {"n_gpus": 2, "parallel": Parallel.ZERO1}, "parallel"),
    ],
)
def test_unsupported_settings_are_refused_by_name(
    name: str, method: str, changes: dict[str, object], setting: str
) -> None:
    with pytest.raises(UnsupportedCombination) as caught:
        estimate_memory(job(name, method, **changes))
    assert caught.value.values["setting"] == setting


@pytest.mark.parametrize(
    "changes",
    [
        {"batch": 0},
        {"batch": -4},
        {"batch": 10**9},
        {"seq_len": 0},
        {"seq_len": 10**12},
        {"n_gpus": 1_000_000},
        {"n_gpus": 0},
        {"lora_rank": -1},
        {"resolution": (0, 512)},
        {"resolution": (10**6, 512)},
        {"batch": 65_536, "seq_len": 1_000_000},
    ],
)
def test_numbers_that_no_machine_has_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(OutOfRange) as caught:
        estimate_memory(job("llama-2-7b-hf", "lora", **changes))
    assert caught.value.code == "out_of_range"
    assert caught.value.values["name"]


@pytest.mark.parametrize("parameters", [0.0, -1.0, float("nan"), float("inf"), 1e30])
def test_impossible_parameter_counts_are_refused(parameters: float) -> None:
    odd = model("llama-2-7b-hf").model_copy(update={"parameters": parameters})
    with pytest.raises(AdvisorError):
        estimate_memory(job("llama-2-7b-hf", "lora", ml_model=odd))


@pytest.mark.parametrize(
    ("precision", "size"),
    [
        (Precision.INT4, 0.5625),
        (Precision.FP8, 1.0),
        (Precision.INT8, 1.0625),
        (Precision.BF16, 2.0),
        (Precision.FP32, 4.0),
    ],
)
def test_cache_formats_take_their_bytes(precision: Precision, size: float) -> None:
    found = estimate_memory(job("llama-2-7b-hf", "inference", seq_len=4096, kv_precision=precision, framework="vllm"))
    assert part(found, "kv_cache") == pytest.approx(size, rel=0.001)  # 2**30 numbers


def test_many_users_are_served_by_a_paged_cache() -> None:
    found = estimate_memory(job("llama-2-7b-hf", "inference", seq_len=1024, users=8))
    assert found.workload.batch == 8
    assert part(found, "kv_cache") == pytest.approx(8 * 0.5, rel=0.001)
    assert "memory_server_reserves" in {note.code for note in found.notes}


def test_faulty_image_figures_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "memory_shapes.yaml"
    broken.write_text("shapes: [", encoding="utf-8")
    monkeypatch.setattr(image_shapes, "_FILE", broken)
    image_shapes.load_image_shapes.cache_clear()
    with pytest.raises(BadData):
        image_shapes.load_image_shapes()
    image_shapes.load_image_shapes.cache_clear()


@pytest.mark.parametrize(
    ("shape", "tokens", "gib"),
    [
        # 10 of 62 layers keep everything, 52 the last 1,024 tokens: published shape of Gemma 3 27B
        ({"layers": 62, "kv_heads": 16, "head_dim": 128, "full_layers": 10, "window_layers": 52, "sliding_window": 1024}, 131_072, 10.41),
        # 12 full layers of 48, a fixed state for the others: Qwen3-Next
        ({"layers": 48, "kv_heads": 2, "head_dim": 256, "full_layers": 12, "linear_layers": 36, "state_mib_per_sequence": 73.7}, 262_144, 6.07),
        # head_dim is not hidden / heads: gpt-oss-120b
        ({"layers": 36, "kv_heads": 8, "head_dim": 64, "full_layers": 18, "window_layers": 18, "sliding_window": 128}, 131_072, 4.5),
    ],
)  # fmt: skip
def test_the_cache_follows_the_kinds_of_layers(shape: dict[str, float], tokens: int, gib: float) -> None:
    mixed = model("Llama-3-8B").model_copy(update=shape)
    found = estimate_memory(job("Llama-3-8B", "inference", ml_model=mixed, batch=1, seq_len=tokens, framework="vllm"))
    assert part(found, "kv_cache") == pytest.approx(gib, rel=0.005)
