"""Whether a card holds a job, the most that it holds, and what makes a job fit."""

from __future__ import annotations

import pytest

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.memory import (
    Verdict,
    check_fit,
    estimate_memory,
    fit_estimate,
    largest_batch,
    largest_model,
    largest_seq,
    memory_tricks,
    usable_gib,
)
from advisor.memory.fit import SURE
from advisor.memory.inverse import holds
from advisor.models import Gpu, Method, Optimizer, Parallel
from tests.advisor.memory_jobs import catalog, job


def card(name: str) -> Gpu:
    return catalog().get_gpu(name)


@pytest.mark.parametrize(
    ("name", "method", "gpu", "verdict"),
    [
        ("bert-base-uncased", "full", "RTX 3090", Verdict.FITS),
        ("llama-2-7b-hf", "qlora", "RTX 4090", Verdict.FITS),
        ("llama-2-7b-hf", "full", "A100 80GB", Verdict.NO),
        ("Qwen2.5-14B", "inference", "RTX 4090", Verdict.NO),
        ("Llama-3-70B", "full", "RTX 3070", Verdict.NO),
        ("FLUX.1-dev", "inference", "RTX 4090", Verdict.NO),
        ("whisper-large-v3", "inference", "RTX 3090", Verdict.FITS),
    ],
)
def test_verdicts_an_expert_would_give(name: str, method: str, gpu: str, verdict: Verdict) -> None:
    assert check_fit(job(name, method), card(gpu)).verdict is verdict


def test_what_needs_more_than_there_is_does_not_fit_and_tight_is_what_may() -> None:
    estimate = estimate_memory(job("llama-2-7b-hf", "lora", seq_len=1024))
    seen = {}
    for tenths in range(100, 400, 5):
        fit = fit_estimate(estimate, None, tenths / 10)
        assert fit.probability is not None
        short = estimate.total.value > (fit.usable_gib or 0.0)
        expected = Verdict.NO if short else Verdict.FITS if fit.probability >= SURE else Verdict.TIGHT
        assert fit.verdict is expected
        seen[fit.verdict] = True
    assert set(seen) == {Verdict.FITS, Verdict.TIGHT, Verdict.NO}


def test_usable_memory_is_below_nominal() -> None:
    assert usable_gib(card("RTX 4090"), 24.0) == 23.5
    assert usable_gib(card("Tesla T4"), 16.0) == 14.6  # error correction takes one sixteenth, the driver its part
    assert 78.0 < usable_gib(card("A100 80GB"), 80.0) < 80.0
    assert usable_gib(card("Apple M3 Max"), 64.0) == 48.0
    assert usable_gib(None, 2.0) < 2.0
    assert usable_gib(card("RTX 4060 Laptop"), 8.0) == 7.75  # the processor draws the desktop of a notebook


def test_margin_is_usable_minus_need() -> None:
    fit = check_fit(job("llama-2-7b-hf", "qlora"), card("RTX 4090"))
    assert fit.margin_gib == pytest.approx((fit.usable_gib or 0) - fit.need.value)


def test_unknown_memory_gives_no_verdict() -> None:
    fit = check_fit(job("llm-7b", "inference"), card("Apple M3 Max"))
    assert fit.verdict is Verdict.UNKNOWN
    assert fit.probability is None


def test_a_stated_memory_wins_over_the_catalogue() -> None:
    stock = check_fit(job("llm-13b", "inference"), card("RTX 2080 Ti"))
    modded = check_fit(job("llm-13b", "inference"), card("RTX 2080 Ti"), vram_gib=44.0)
    assert (stock.verdict, modded.verdict) == (Verdict.NO, Verdict.FITS)


def test_two_cards_share_by_tensor_parallelism_when_serving() -> None:
    fit = check_fit(job("Qwen2.5-14B", "inference"), card("RTX 4090"), n_gpus=2)
    assert fit.verdict is Verdict.FITS
    assert fit.estimate.parallel is Parallel.TENSOR
    assert fit.n_gpus == 2


@pytest.mark.parametrize("vram", [0.0, -8.0, float("nan"), float("inf"), 1e6])
def test_memory_sizes_that_no_card_has_are_refused(vram: float) -> None:
    with pytest.raises(OutOfRange):
        check_fit(job("llm-7b", "inference"), None, vram_gib=vram)


@pytest.mark.parametrize(
    ("name", "method"), [("bert-base-uncased", "full"), ("llm-7b", "qlora"), ("resnet50", "train")]
)
def test_the_largest_batch_fits_and_one_more_does_not(name: str, method: str) -> None:
    work, gpu = job(name, method), card("RTX 4060 Ti 16GB")
    batch = largest_batch(work, gpu)
    assert batch >= 1
    assert check_fit(work.model_copy(update={"batch": batch}), gpu).verdict is Verdict.FITS
    assert check_fit(work.model_copy(update={"batch": batch + 1}), gpu).verdict is not Verdict.FITS


def test_the_largest_sequence_fits_and_the_next_step_does_not() -> None:
    work, gpu = job("llama-2-7b-hf", "qlora", batch=1), card("RTX 3060 12GB")
    longest = largest_seq(work, gpu)
    assert 128 <= longest <= 4096
    assert check_fit(work.model_copy(update={"seq_len": longest}), gpu).verdict is Verdict.FITS
    if longest < 4096:
        assert check_fit(work.model_copy(update={"seq_len": longest + 128}), gpu).verdict is not Verdict.FITS


def test_no_batch_fits_where_the_weights_do_not() -> None:
    assert largest_batch(job("Llama-3-70B", "lora"), card("RTX 3090")) == 0


def test_fewer_bits_hold_larger_models() -> None:
    sizes = [one.parameters for one in largest_model(Method.INFERENCE, card("RTX 3090"), catalog().generic_ml_model)]
    assert sizes == sorted(sizes)
    assert 8e9 < sizes[0] < 12e9
    assert 25e9 < sizes[-1] < 40e9


def test_more_of_the_model_trained_means_a_smaller_model() -> None:
    methods = (Method.FULL, Method.LORA, Method.QLORA)
    sizes = [
        largest_model(method, card("A100 80GB"), catalog().generic_ml_model, seq_len=2048)[0].parameters
        for method in methods
    ]
    assert sizes == sorted(sizes)


def test_tricks_come_in_order_and_save_what_they_say() -> None:
    plan = memory_tricks(job("llama-2-7b-hf", "full", checkpointing=False, batch=4), card("RTX 3090"))
    codes = [trick.code for trick in plan.tricks]
    order = ["checkpointing", "adam8bit", "lora", "qlora"]
    assert [code for code in codes if code in order] == order
    need = plan.start.total.value
    for trick in plan.tricks:
        if trick.saves_gib:
            assert trick.need.value == pytest.approx(need - trick.saves_gib)
            need = trick.need.value


def test_the_first_trick_that_fits_is_named() -> None:
    plan = memory_tricks(job("llama-2-7b-hf", "full"), card("RTX 4090"))
    assert plan.first_that_fits is not None
    assert plan.tricks[plan.first_that_fits].code == "lora"
    assert not any(trick.fits for trick in plan.tricks[: plan.first_that_fits])


def test_a_job_that_fits_is_said_to_fit_already() -> None:
    assert memory_tricks(job("bert-base-uncased", "full"), card("RTX 4090")).fits_already


def test_nothing_makes_seventy_billion_parameters_train_on_eight_gib() -> None:
    plan = memory_tricks(job("Llama-3-70B", "full"), card("RTX 3070"))
    assert plan.first_that_fits is None
    assert not any(trick.fits for trick in plan.tricks)


def test_inference_is_relieved_by_fewer_bits_first() -> None:
    plan = memory_tricks(job("Qwen2.5-32B", "inference"), card("RTX 5090"))
    assert [trick.code for trick in plan.tricks][:2] == ["int8", "int4"]
    assert plan.first_that_fits == 1


def test_without_a_card_nothing_is_said_about_fitting() -> None:
    plan = memory_tricks(job("llm-7b", "lora", optimizer=Optimizer.ADAM))
    assert plan.usable_gib is None
    assert all(trick.fits is None for trick in plan.tricks)


def test_a_card_of_unknown_memory_has_no_largest_batch() -> None:
    with pytest.raises(UnsupportedCombination):
        largest_batch(job("llm-7b", "inference"), card("Apple M3 Max"))


def test_the_largest_batch_of_an_unsupported_job_is_refused_not_zero() -> None:
    with pytest.raises(UnsupportedCombination):
        largest_batch(job("resnet50", "lora"), card("RTX 4090"))


def test_a_search_stops_at_what_no_machine_has() -> None:
    huge = job("bert-base-uncased", "inference", seq_len=1_000_000)
    assert largest_batch(huge, None, vram_gib=2_000.0) < 4_096


def test_tricks_that_cannot_be_combined_are_left_out() -> None:
    plan = memory_tricks(job("llm-7b", "full", parallel=Parallel.ZERO3, n_gpus=4), vram_gib=24.0)
    assert plan.tricks


def test_a_job_that_is_refused_is_held_by_nothing() -> None:
    assert not holds(job("llm-7b", "inference", batch=0), 1_000.0)


def test_no_decoder_fits_into_a_quarter_gib() -> None:
    found = largest_model(Method.FULL, None, catalog().generic_ml_model, vram_gib=0.25)
    assert [one.parameters for one in found] == [0.0]


def test_an_error_corrected_workstation_card_keeps_a_little_like_a_desktop() -> None:
    assert usable_gib(card("RTX A6000"), 48.0) == 47.5


def test_unified_memory_is_said_to_be_shared() -> None:
    fit = check_fit(job("llm-7b", "inference"), card("Apple M3 Max"), vram_gib=64.0)
    assert fit.verdict is Verdict.FITS
    assert "memory_unified" in {note.code for note in fit.notes}


def test_the_recipe_is_the_fewest_steps_that_make_it_fit() -> None:
    plan = memory_tricks(job("Qwen2.5-7B", "lora"), card("RTX 3060 12GB"))
    assert [step.code for step in plan.recipe] == ["qlora", "seq_len"]
    assert plan.recipe[-1].fits
    assert plan.recipe[-1].need.value == pytest.approx(plan.start.total.value - sum(s.saves_gib for s in plan.recipe))


def test_steps_that_are_not_needed_are_left_out_of_the_recipe() -> None:
    plan = memory_tricks(job("Qwen2.5-3B", "full"), card("RTX 4090"))
    assert [step.code for step in plan.recipe] == ["lora"]
    assert not memory_tricks(job("bert-base-uncased", "full"), card("RTX 4090")).recipe
    assert not memory_tricks(job("Llama-3-70B", "full"), card("RTX 3070")).recipe


def test_the_parts_of_a_drawing_pipeline_need_less_one_after_the_other() -> None:
    whole = estimate_memory(job("FLUX.1-dev", "inference")).total.value
    by_turns = estimate_memory(job("FLUX.1-dev", "inference", offload=True)).total.value
    assert 20.0 < by_turns < 0.75 * whole


def test_no_estimate_goes_below_what_the_makers_measured() -> None:
    by_turns = estimate_memory(job("Wan2.1-T2V-1.3B", "inference", offload=True))
    assert by_turns.total.value >= 7.63
    assert "memory_published" in {note.code for note in by_turns.notes}


def test_weights_in_the_published_format_take_what_the_files_take() -> None:
    native = estimate_memory(job("Kimi-K2-Thinking", "inference", quant="int4"))
    assert native.total.value >= 594e9 / 2**30


def test_a_search_finds_the_largest_model_though_the_smallest_is_in_doubt() -> None:
    found = largest_model(Method.QLORA, card("RTX 3060 12GB"), catalog().generic_ml_model, seq_len=2048)
    assert found[0].parameters > 2e9
