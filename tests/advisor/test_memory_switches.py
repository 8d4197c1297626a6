"""Inputs that move memory: phases, recomputation, loss, attention, offload, sharding, programs, formats."""

from __future__ import annotations

import pytest

from advisor.memory import estimate_memory, largest_seq
from advisor.memory.assume import complete, job_of
from advisor.memory.figure import gib_along
from advisor.memory.formats import GGUF, parse_format
from advisor.memory.job import Metric
from advisor.memory.parts import parts_of
from advisor.memory.stacks import _WORDS, STACKS, find_stack
from advisor.models import Attention, Loss, Offload, Optimizer, Parallel, Precision, Recompute, Workload
from tests.advisor.memory_jobs import GIB, job, part

LLAMA8 = "Llama-3-8B"


def need(name: str, method: str, **changes: object) -> float:
    return estimate_memory(job(name, method, **changes)).total.value


def phase(workload: Workload) -> str:
    return parts_of(job_of(complete(workload)[0]), Metric.DEVICE).phase


# --- phases ----------------------------------------------------------------------------------------------------------


def test_the_need_is_that_of_the_largest_phase() -> None:
    drawn = job("stable-diffusion-xl-base-1.0", "inference", resolution=(1024, 1024))
    # decoding 1024 x 1024 takes more than a step of denoising, and the two never stand together
    assert phase(drawn) == "decode"
    clip = job("Wan2.1-T2V-14B", "inference", resolution=(1280, 720))
    assert phase(clip) == "denoise"
    step = job(LLAMA8, "full", batch=1, seq_len=128, framework="torchtune", precision=Precision.BF16)
    assert phase(step) == "step"  # gradients of eight billion parameters, after the few activations are gone
    assert phase(step.model_copy(update={"batch": 8, "seq_len": 8192, "recompute": Recompute.NONE})) == "backward"


def test_parts_by_turns_need_no_more_than_the_largest_of_them() -> None:
    together = need("FLUX.1-dev", "inference")
    by_turns = need("FLUX.1-dev", "inference", offloads=(Offload.PARTS,))
    assert by_turns < together - 4.97e9 * 2 / GIB * 0.9  # without text encoders and VAE


# --- what the backward pass waits for --------------------------------------------------------------------------------


def test_recomputation_saves_in_its_order() -> None:
    sizes = [need(LLAMA8, "lora", batch=4, seq_len=4096, recompute=kind) for kind in Recompute]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 1.5 * sizes[2]


def test_a_boolean_means_full_recomputation_and_the_finer_word_wins() -> None:
    full = need(LLAMA8, "lora", seq_len=4096, checkpointing=True)
    assert full == need(LLAMA8, "lora", seq_len=4096, recompute=Recompute.FULL)
    assert full == need(LLAMA8, "lora", seq_len=4096, checkpointing=False, recompute=Recompute.FULL)


def test_logits_are_kept_written_over_or_never_whole() -> None:
    found = {
        kind: part(estimate_memory(job(LLAMA8, "lora", batch=4, seq_len=4096, loss=kind)), "logits") for kind in Loss
    }
    assert found[Loss.EAGER] == pytest.approx(4 * 4096 * 128_256 * 12 / GIB, rel=0.01)  # 2 + 4 + 4 + 2 bytes
    assert found[Loss.FUSED] < found[Loss.EAGER] / 4
    pieces = 4_096 / 128_256  # of so many tokens that their scores take no more than their hidden states
    assert found[Loss.CHUNKED] == pytest.approx(found[Loss.EAGER] * pieces, rel=0.01)


def test_scores_are_only_kept_without_a_fused_kernel() -> None:
    eager = need("bert-large-uncased", "full", seq_len=512, batch=8, attention=Attention.EAGER)
    assert need("bert-large-uncased", "full", seq_len=512, batch=8, attention=Attention.SDPA) < eager
    assert need("bert-large-uncased", "full", seq_len=512, batch=8, flash_attention=False) == eager


def test_samples_that_are_not_joined_hold_fewer_tokens() -> None:
    assert need(LLAMA8, "lora", seq_len=4096, packing=False) < need(LLAMA8, "lora", seq_len=4096, packing=True)


# --- optimizers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("optimizer", "bytes_each"),
    [
        (Optimizer.ADAM, 8.0),
        (Optimizer.PAGED_ADAM, 8.0),
        (Optimizer.ADAM_8BIT, 2.0),
        (Optimizer.ADAM_4BIT, 1.0),
        (Optimizer.LION, 4.0),
        (Optimizer.MUON, 4.5),
        (Optimizer.ADAFACTOR, 0.05),
    ],
)
def test_optimizers_keep_what_their_moments_take(optimizer: Optimizer, bytes_each: float) -> None:
    found = estimate_memory(job("llama-2-7b-hf", "full", optimizer=optimizer))
    assert part(found, "optimizer") == pytest.approx(6.738e9 * bytes_each / GIB, rel=0.01)


def test_an_optimizer_inside_the_backward_pass_needs_no_gradients() -> None:
    found = estimate_memory(job("llama-2-7b-hf", "full", fused_backward=True))
    assert "gradients" not in {step.name for step in found.components}


# --- offload ---------------------------------------------------------------------------------------------------------


def test_experts_in_ram_leave_what_every_token_needs() -> None:
    whole = estimate_memory(job("DeepSeek-V3", "inference", quant="q4_k_m", seq_len=4096))
    away = estimate_memory(job("DeepSeek-V3", "inference", quant="q4_k_m", seq_len=4096, offloads=(Offload.EXPERTS,)))
    assert part(away, "weights") < 0.05 * part(whole, "weights")
    assert part(away, "kv_cache") == part(whole, "kv_cache")


def test_swapped_blocks_stay_away_by_their_share() -> None:
    def weights(share: float) -> float:
        work = job("Qwen-Image", "inference", quant="fp8", offloads=(Offload.WEIGHTS,), offload_share=share)
        return part(estimate_memory(work.model_copy(update={"resolution": (1024, 1024)})), "weights")

    assert weights(0.0) > weights(0.5) > weights(1.0)


def test_borders_of_layers_in_ram_make_long_samples_cheap() -> None:
    here = need(LLAMA8, "lora", seq_len=32_768, recompute=Recompute.FULL, loss=Loss.CHUNKED)
    away = need(
        LLAMA8, "lora", seq_len=32_768, recompute=Recompute.FULL, loss=Loss.CHUNKED, offloads=(Offload.ACTIVATIONS,)
    )
    assert here - away > 0.8 * 32 * 32_768 * 4096 * 2 / GIB


# --- several cards ---------------------------------------------------------------------------------------------------


def test_cutting_a_model_cuts_what_each_card_holds() -> None:
    one = estimate_memory(job("Llama-3-70B", "inference", seq_len=8192, framework="vllm"))
    four = estimate_memory(
        job("Llama-3-70B", "inference", seq_len=8192, n_gpus=4, parallel=Parallel.TENSOR, framework="vllm")
    )
    for name in ("weights", "kv_cache", "activations"):
        assert part(four, name) == pytest.approx(part(one, name) / 4, rel=0.05)
    assert part(four, "framework") > part(one, "framework")  # communication buffers


def test_slices_of_a_sequence_share_its_activations() -> None:
    whole = estimate_memory(job(LLAMA8, "full", seq_len=65_536, n_gpus=8, parallel=Parallel.FSDP))
    cut = estimate_memory(job(LLAMA8, "full", seq_len=65_536, n_gpus=8, parallel=Parallel.FSDP, context_parallel=4))
    assert part(cut, "activations") == pytest.approx(part(whole, "activations") / 4, rel=0.01)


def test_experts_are_cut_apart_from_the_rest() -> None:
    together = estimate_memory(job("Qwen3-30B-A3B", "full", n_gpus=8, parallel=Parallel.ZERO1))
    apart = estimate_memory(job("Qwen3-30B-A3B", "full", n_gpus=8, parallel=Parallel.ZERO1, expert_parallel=8))
    assert part(apart, "weights") < 0.3 * part(together, "weights")


# --- programs --------------------------------------------------------------------------------------------------------


def test_a_program_that_nobody_knows_is_named_and_widens_the_band() -> None:
    known = estimate_memory(job(LLAMA8, "qlora", framework="deepspeed"))
    unknown = estimate_memory(job(LLAMA8, "qlora", framework="Acme Trainer 3"))
    named = {note.code: note.values for note in unknown.notes}
    assert named["memory_software_unknown"] == {"software": "Acme Trainer 3"}
    assert "memory_software_unknown" not in {note.code for note in known.notes}
    assert unknown.total.high / unknown.total.low > known.total.high / known.total.low


def test_every_word_names_a_program_and_every_program_has_a_source() -> None:
    assert {name for _, name in _WORDS} <= set(STACKS)
    assert all(stack.source for stack in STACKS.values() if stack.known)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("vLLM 0.8.1", "vllm"),
        ("official minimal code", "unknown"),
        ("NVIDIA NIM 1.8", "tensorrt-llm"),
        ("SimpleTuner + DeepSpeed", "deepspeed"),
        ("finetrainers (diffusers)", "finetrainers"),
        ("LLM Foundry + FSDP", "composer"),
        ("faster-whisper 1.1", "ctranslate2"),
        ("KTransformers (LLaMA-Factory)", "ktransformers"),
    ],
)
def test_free_spellings_name_programs(spelling: str, name: str) -> None:
    assert find_stack(spelling, "unknown").name == name


def test_an_old_version_has_the_habits_of_its_time() -> None:
    assert find_stack("transformers", "unknown", "4.20").name == "transformers-2022"
    assert find_stack("transformers", "unknown", "4.46").name == "transformers"


def test_unsloth_on_24_gb_holds_about_the_context_that_it_publishes() -> None:
    # published for Llama 3.1 8B, QLoRA of rank 32 on every matrix, batch 1: 78,475 tokens; 5,789 with plain attention
    # and full logits
    work = job(LLAMA8, "qlora", lora_rank=32, lora_targets="all", batch=1, quant="nf4-dq")
    work = work.model_copy(update={"seq_len": 2048, "ml_model": work.ml_model.model_copy(update={"max_seq": 131_072})})
    lean = work.model_copy(update={"framework": "unsloth", "checkpointing": True})
    plain = work.model_copy(update={"framework": "transformers", "checkpointing": True})
    assert gib_along(lean, "seq_len")(78_475) == pytest.approx(24.0, rel=0.2)
    assert gib_along(plain, "seq_len")(5_789) == pytest.approx(24.0, rel=0.25)
    assert largest_seq(lean, None, 24.0) > 5 * largest_seq(plain, None, 24.0)


# --- formats ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "bits"),
    [
        ("UD-Q4_K_XL", 4.95),
        ("IQ4_XS", 4.4),
        ("UD-IQ2_XXS", 2.26),
        ("Q6_K", 6.59),
        ("NVFP4", 4.5),
        ("torchao fp6", 6.0),
        ("exl2 4.65bpw", 4.65),
        ("fp8-torchao", 8.0),
        ("wna16", 4.156),
    ],
)
def test_spellings_of_formats(spelling: str, bits: float) -> None:
    assert parse_format(spelling).linear_bits == pytest.approx(bits, abs=0.001)


def test_a_gguf_file_says_what_runs_it() -> None:
    assert {"q4_k_m", "iq3_xxs"} <= GGUF
    assert job_of(complete(job(LLAMA8, "inference", quant="iq3_xxs"))[0]).stack.name == "llama.cpp"


def test_a_compiled_loss_writes_sixteen_bit_logits_and_their_gradient_alone() -> None:
    settings: dict[str, object] = {"batch": 1, "seq_len": 8192, "n_gpus": 8, "precision": Precision.BF16_MIXED}
    plain = job(LLAMA8, "pretrain", framework="torchtitan", framework_version="2025-06", **settings)
    logits = [part(estimate_memory(one), "logits") for one in (plain, plain.model_copy(update={"compiled": True}))]
    assert logits[1] == pytest.approx(logits[0] * 4 / 12, rel=1e-6)
    older = {"compiled": True, "framework_version": "2024-12"}  # only the blocks were compiled then
    assert part(estimate_memory(plain.model_copy(update=older)), "logits") == pytest.approx(logits[0], rel=1e-6)
    today = plain.model_copy(update={"framework_version": None})  # its recipes take head and loss in pieces
    assert part(estimate_memory(today), "logits") < 0.7 * logits[1]


def test_llama_cpp_lays_out_scores_of_a_whole_piece_and_leaves_the_table_in_ram() -> None:
    served = estimate_memory(job("Qwen2.5-7B", "inference", quant="fp16", framework="vllm"))
    local = estimate_memory(job("Qwen2.5-7B", "inference", quant="q8_0"))
    table, scores = 152064 * 3584, 512 * 152064 * 4 / GIB
    assert part(local, "activations") > scores
    assert part(local, "weights") == pytest.approx(8.5 / 8 * (7.616e9 - table) / GIB, rel=0.005)
    assert part(served, "weights") == pytest.approx(2 * 7.616e9 / GIB, rel=0.005)
    plain = job("Qwen2.5-7B", "inference", precision=Precision.INT4, framework="ollama")
    assert estimate_memory(plain).total.value == need("Qwen2.5-7B", "inference", quant="q4_k_m", framework="ollama")


def test_ktransformers_sets_aside_the_cache_of_its_recipes() -> None:
    plain = job("GLM-4.5-Air", "inference", framework="ktransformers", offloads=(Offload.EXPERTS,))
    filled = complete(plain)[0]
    assert (filled.seq_len, filled.quant) == (32_768, "q4_k_m")
    assert part(estimate_memory(plain), "kv_cache") > 5.0


def test_blocks_that_are_recomputed_together_stand_together() -> None:
    one = job_of(complete(job("FLUX.1-dev", "lora", checkpointing=True))[0])
    two = one._replace(segment=2)
    assert parts_of(two, Metric.DEVICE).total > parts_of(one, Metric.DEVICE).total


def test_gradients_of_a_block_come_on_top_of_what_it_keeps() -> None:
    kept = [
        part(estimate_memory(job("FLUX.1-dev", "lora", checkpointing=True, batch=n)), "activations") for n in (1, 2)
    ]
    tokens, width = 1024 * 1024 / 256 + 512, 3072
    borders = 57 * tokens * width * 2 / GIB
    assert kept[1] - kept[0] > borders + 13 * tokens * width * 2 / GIB


def test_megatron_bridge_keeps_gradients_in_sixteen_bits() -> None:
    settings: dict[str, object] = {"n_gpus": 8, "parallel": Parallel.ZERO1, "precision": Precision.BF16_MIXED}
    gradients = [
        part(estimate_memory(job(LLAMA8, "pretrain", framework=name, **settings)), "gradients") for name in _MEGATRONS
    ]
    assert gradients[1] == pytest.approx(gradients[0] / 2, rel=1e-6)


_MEGATRONS = ("Megatron-LM", "Megatron-Bridge")


@pytest.mark.parametrize(
    ("model", "cards", "held"), [("Qwen2.5-7B", 2, 80), ("Qwen2.5-14B", 4, 80), ("Qwen2.5-32B", 8, 96)]
)
def test_reinforcement_learning_fits_the_cards_of_its_published_runs_and_not_half_of_them(
    model: str, cards: int, held: float
) -> None:
    several = (need(model, "full", rollouts=True, checkpointing=True, n_gpus=n) for n in (cards, cards // 2))
    enough, too_few = several
    assert enough < held < too_few


def test_an_engine_of_its_own_holds_the_weights_again_and_adapters_need_no_reference() -> None:
    own, shared = (job("Qwen2.5-7B", "lora", rollouts=True, framework=name) for name in ("verl", "unsloth"))
    assert phase(own) == "write"
    assert part(estimate_memory(own), "engine") == pytest.approx(own.ml_model.parameters * 2 / GIB, rel=0.1)
    assert not {"engine", "reference"} & {name for name, _ in parts_of(job_of(complete(shared)[0])).items}
