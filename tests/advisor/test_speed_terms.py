"""Terms that decide how fast serving, pictures and local programs are, each against what its source says of it."""

from __future__ import annotations

import pytest

import advisor
from advisor.catalog import Catalog
from advisor.models import Method, Precision, Workload
from advisor.scoring_throughput import read_rows, score_rows
from advisor.speed.card import card_rates
from advisor.speed.decode import asked_reading, decode_time, layer_seconds
from advisor.speed.denoise import Pace, denoise_step, denoiser_named, train_step
from advisor.speed.engines import BY_NAME
from advisor.speed.estimate import speed_estimate
from advisor.speed.rate import rate_of, rates_by_batch
from advisor.speed.serving import Layout, Load, serve_time
from advisor.validation_throughput import NEW
from tests.conftest import shared_catalog


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return shared_catalog()


def writes(catalog: Catalog, model: str, quant: str = "q4_k_m") -> Workload:
    return Workload(ml_model=catalog.get_ml_model(model), method=Method.INFERENCE, quant=quant, seq_len=1024)


def refusal(wanted: str, **changed: str) -> str:
    """Why a published line with some of its cells changed is not answered; empty where it is."""
    row = next(row for row in read_rows(NEW) if row["case_id"] == wanted)
    return score_rows([{**row, **changed}], shared_catalog())[0].reason


def predicted(wanted: str, **changed: str) -> float:
    row = next(row for row in read_rows(NEW) if row["case_id"] == wanted)
    made = score_rows([{**row, **changed}], shared_catalog())[0].prediction
    assert made is not None
    return made.predicted


class TestPictures:
    def test_four_bits_made_for_single_tokens_are_slow_with_thousands(self, catalog: Catalog) -> None:
        shape, card = denoiser_named("CogVideoX-5b"), card_rates(catalog.get_gpu("A100 80GB SXM4"))
        assert shape is not None
        plain = denoise_step(card, shape, (720, 480), 49)
        tiled = denoise_step(card, shape, (720, 480), 49, pace=Pace(tiled=True))
        assert 3.0 < tiled.total / plain.total < 6.0

    def test_finding_scales_from_python_costs_more_than_narrow_products_give(self, catalog: Catalog) -> None:
        shape, card = denoiser_named("FLUX.1-dev"), card_rates(catalog.get_gpu("H100 80GB SXM5"))
        assert shape is not None
        plain, found, compiled = (
            denoise_step(card, shape, (1024, 1024), pace=pace).total
            for pace in (
                Pace(),
                Pace(narrow="fp8", rounded=True),
                Pace(narrow="fp8", rounded=True, compiled=True),
            )
        )
        assert found > plain > 1.3 * compiled

    def test_whole_numbers_scaled_from_python_are_not_guessed(self) -> None:
        row = next(row for row in read_rows(NEW) if row["quantisation"] == "torchao int8dq")
        off, on = (
            score_rows([{**row, "notes": f"28 steps, 1024x1024; torch.compile {word}"}], shared_catalog())[0]
            for word in ("off", "on")
        )
        assert off.prediction is None
        assert "torch.compile" in off.reason
        assert on.prediction is not None

    def test_a_step_that_is_one_graph_waits_for_no_launches(self, catalog: Catalog) -> None:
        shape, card = denoiser_named("Stable Diffusion v2"), card_rates(catalog.get_gpu("B200"))
        assert shape is not None
        ways = [
            train_step(card, shape, (512, 512), 1, 1, method=Method.FULL, compiled=True, captured=captured).total
            for captured in (False, True)
        ]
        assert ways[0] > 5 * ways[1]


class TestServing:
    def test_keeping_room_for_whole_answers_holds_fewer_requests(self, catalog: Catalog) -> None:
        card, job = card_rates(catalog.get_gpu("H100 80GB SXM5")), writes(catalog, "Llama-3.3-70B", "fp8")
        load, layout = Load(5000.0, 128.0, 4000.0), Layout(2, 1, 1)
        careful, keen = (serve_time(card, job, load, layout, engine=name) for name in ("tensorrt-llm", "vllm"))
        assert careful.capacity == pytest.approx(keen.capacity * 2128 / 4128, rel=0.01)
        assert careful.output_per_s < keen.output_per_s

    def test_stages_read_the_weights_once_for_each_part_of_the_batch(self, catalog: Catalog) -> None:
        card, job = (
            card_rates(catalog.get_gpu("RTX PRO 6000 Blackwell Server")),
            writes(catalog, "Llama-3.3-70B", "nvfp4"),
        )
        load = Load(64.0, 128.0, 2000.0)
        stages, tensor = (
            serve_time(card, job, load, layout, "nvlink") for layout in (Layout(1, 4, 1), Layout(4, 1, 1))
        )
        assert stages.step > 1.4 * tensor.step


class TestLocal:
    def test_graphs_of_launches_are_for_newer_cards_in_llama_cpp(self, catalog: Catalog) -> None:
        asked = asked_reading(writes(catalog, "Qwen2.5-0.5B"))
        old, new = (card_rates(catalog.get_gpu(name)) for name in ("GTX 1080 Ti", "RTX 3060"))
        cycles = [layer_seconds(card, asked, BY_NAME["llama.cpp"]) * card.clock for card in (old, new)]
        assert cycles[0] > 1.5 * cycles[1]
        assert layer_seconds(old, asked, BY_NAME["vllm"]) < layer_seconds(old, asked, BY_NAME["llama.cpp"])

    def test_a_prompt_of_the_usual_table_is_one_piece(self) -> None:
        at_once, in_pieces = (
            "test pp2048; seq_len = depth before the test",
            "test pp2048; ub 512; seq_len = depth before",
        )
        vulkan = f"{at_once}; back end vulkan_radv"
        assert predicted("P0475", notes=at_once) > 1.4 * predicted("P0475", notes=in_pieces)
        assert predicted("P0475", notes=vulkan) == pytest.approx(predicted("P0475", notes=in_pieces))

    def test_what_lies_on_the_card_whole_is_handed_over_too(self, catalog: Catalog) -> None:
        gpu, job = catalog.get_gpu("RTX 4090"), writes(catalog, "Llama-3-8B")
        whole, plain = advisor.offloaded_generation(job, gpu), decode_time(card_rates(gpu), job)
        assert whole.decode.value == pytest.approx(plain.tokens_per_s, rel=0.03)


@pytest.mark.parametrize(
    ("case", "changed", "said"),
    [
        ("P2895", {}, "does not name the processor"),
        ("P1772", {}, "which network"),
        ("P2889", {"n_gpus": "", "notes": "number of cards not stated"}, "how many cards"),
        ("P1008", {}, "experts in RAM are stored"),
    ],
)
def test_a_line_that_leaves_out_what_decides_is_refused_in_words(case: str, changed: dict[str, str], said: str) -> None:
    assert said in refusal(case, **changed)


@pytest.mark.parametrize("method", [Method.LORA, Method.QLORA])
def test_adapters_beside_experts_over_several_cards_are_said_to_be_little_measured(
    catalog: Catalog, method: Method
) -> None:
    job = Workload(ml_model=catalog.get_ml_model("Llama-4-Scout"), method=method)
    made = speed_estimate(rate_of(job, catalog.get_gpu("H100 80GB SXM5"), 4))
    assert made.rate.high / made.rate.value > 2.5
    assert [note.code for note in made.notes if note.code == "speed_thin_support"]


@pytest.mark.parametrize("method", [Method.PRETRAIN, Method.LORA])
def test_a_rate_by_batch_is_that_of_the_job_with_this_batch(catalog: Catalog, method: Method) -> None:
    gpu, model = catalog.get_gpu("RTX 4090"), catalog.get_ml_model("gpt2")
    by_batch = rates_by_batch(Workload(ml_model=model, method=method, batch=1, seq_len=1024), gpu)
    for batch in (4, 16):
        job = Workload(ml_model=model, method=method, batch=batch, seq_len=1024)
        assert by_batch(batch) == pytest.approx(rate_of(job, gpu).per_second, rel=0.15)


@pytest.mark.parametrize(
    ("model", "card", "published_ms"),
    [
        ("YOLO11n", "Tesla T4", 1.5),
        ("YOLO11m", "Tesla T4", 4.7),
        ("YOLOv8s", "A100 80GB SXM4", 1.2),
        ("YOLOv8x", "A100 80GB SXM4", 3.53),
    ],
)
def test_detectors_in_tensorrt_take_about_as_long_as_their_maker_says(
    catalog: Catalog, model: str, card: str, published_ms: float
) -> None:
    """docs.ultralytics.com: T4 with TensorRT 10 in FP16, A100 with TensorRT; no fit has seen them."""
    job = Workload(
        ml_model=catalog.get_ml_model(model),
        method=Method.INFERENCE,
        precision=Precision.FP16,
        batch=1,
        framework="tensorrt",
    )
    made = rate_of(job, catalog.get_gpu(card))
    assert made.seconds * 1000 == pytest.approx(published_ms, rel=0.4)
    narrow = job.model_copy(update={"precision": Precision.INT8})
    assert rate_of(narrow, catalog.get_gpu(card)).per_second > made.per_second
    eager = job.model_copy(update={"framework": None})
    assert rate_of(eager, catalog.get_gpu(card)).per_second < made.per_second
