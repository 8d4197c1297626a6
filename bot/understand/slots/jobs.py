"""Settles what is done with a model: one method, the task that follows from a language model, renting or a laptop."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.understand.files import Shapes
from bot.understand.slots.found import Reading, Value, holds

_METHODS = ("qlora", "lora", "ptuning", "full", "pretrain", "inference", "train")
_TUNING = frozenset({"qlora", "lora", "ptuning", "full"})
"""Ways of fine-tuning: who runs one of them runs no inference."""
_TWO_JOBS = frozenset({"train", "inference"})
_SIZED = re.compile(r"-\d+(?:\.\d+)?b$")
_TASKS = (
    ("finetuning", "llm_finetune"),
    ("inference", "llm_inference"),
    ("throughput", "llm_inference"),
    ("run", "llm_inference"),
)
_REINFORCED = {"reinforcement_learning": "llm_rl"}
"""What the task of agents is where a language model is spoken of."""
_WISHED = frozenset({"which_card", "which_config", "recommend", "buying", "laptop", "workstation"})
"""What is spoken of where a card, or a machine around it, is looked for."""
_LONG = 24
"""Tokens of a message that tells something."""
_LONGER = 36
"""Tokens from which on words for rounds and batches say the same."""
_OTHER_JOBS = frozenset({"finetuning", "inference", "serving"})
_SHORT = 14
"""Han characters, a word counting as two, of a line that may be no more than a thing and its purpose."""
_TROUBLE = frozenset(
    {"slow", "utilization", "data_loading", "offload", "gpu_unused", "why_ask", "out_of_memory", "gpu"}
)
"""Where these are spoken of, the processor works beside a card."""


class JobReader:
    """Knows the names of language models and the word for running one."""

    def __init__(self, content: Shapes) -> None:
        """`content` is `languages/names/shapes.yaml`."""
        self._families = tuple(content["language_models"])
        self._run = str(content["run"])
        self._video = tuple(map(str, content["video"]))
        self._pictures = tuple(content["picture_models"])
        self._owning = frozenset(content["owning"])
        self._full_before = tuple(content["full_before"])
        self._training = frozenset(content["training_signs"])
        self._settings = self._training | frozenset(content["training_settings"])
        self._rounds = tuple(content["training_phrases"])
        self._engines = tuple(content["engines"])
        self._paces = tuple(content["paces"])

    def read(self, reading: Reading) -> None:
        """Settle method, task and deployment of one message."""
        self._without_card(reading)
        self._full(reading)
        _one_method(reading)
        self._tells_of_training(reading)
        _one_deployment(reading, self._owning)
        language = self._is_of_language(reading)
        if language:
            _reinforces(reading)
            self._serves(reading)
        if any(value.slot == "task" and value.value != "general_dl" for value in reading.values):
            if language:
                self._runs(reading, settled=True)
        elif not language:
            self._of_name(reading)
        elif not self._runs(reading):
            self._by_use(reading)

    def _is_of_language(self, reading: Reading) -> bool:
        """Whether a language model is spoken of: by its name or its kind, in a longer message by how it is run too."""
        if "language_model" in reading.concepts:
            return True
        if any(value.slot == "model" and self.is_language_model(str(value.value)) for value in reading.values):
            return True
        if any(value.slot == "task" and value.value in _REINFORCED.values() for value in reading.values):
            return True
        return len(reading.tokens) >= _LONG and any(word in reading.text for word in (*self._engines, *self._paces))

    def _by_use(self, reading: Reading) -> None:
        """The task of a language model: by how it is tuned, else by what is said of it."""
        tuned = next((v for v in reading.values if v.slot == "method" and v.value in _TUNING), None)
        if tuned is not None:
            rule = "a language model and how it is tuned"
            _set_task(reading, Value("task", _TASKS[0][1], tuned.start, tuned.end, rule))
            return
        for concept, task in (*_TASKS, *self._bare(reading)):
            place = next((found for found in reading.places if concept in found.concepts), None)
            if place is not None:
                _set_task(reading, Value("task", task, place.start, place.end, "a language model and its use"))
                return

    def _without_card(self, reading: Reading) -> None:
        """A job on the processor, where no card and no trouble is spoken of, is one without a card."""
        if "on_cpu" not in reading.concepts or reading.has("gpu") or not reading.concepts.isdisjoint(_TROUBLE):
            return
        if reading.has("model") or "language_model" in reading.concepts:
            reading.said["no_gpu"] = None
            reading.concepts |= {"no_gpu"}

    def _tells_of_training(self, reading: Reading) -> None:
        """A long message that tells of rounds, steps or losses is about training, unless it says something else."""
        if len(reading.tokens) < _LONG or reading.has("method") or reading.concepts & _OTHER_JOBS:
            return
        rule = "rounds, steps or losses"
        signs = self._settings if reading.has("gpu") and len(reading.tokens) >= _LONGER else self._training
        place = next(((token.start, token.end) for token in reading.tokens if token.text in signs), None)
        start, end = place or _first(reading.text, self._rounds if len(reading.tokens) >= _LONGER else ())
        if end > start:
            reading.values.append(Value("method", "train", start, end, rule))

    def _serves(self, reading: Reading) -> None:
        """A language model for people at once, or in a program that only runs models, is run."""
        if reading.has("method") or _learns(reading) or reading.concepts & {"training", "finetuning"}:
            return
        place = next(((value.start, value.end) for value in reading.values if value.slot == "users"), None)
        start, end = place or _first(reading.text, self._engines)
        if end > start:
            rule = "a language model for people at once, or in a program that runs models"
            reading.values.append(Value("method", "inference", start, end, rule))
            if not reading.has("task"):
                reading.values.append(Value("task", "llm_inference", start, end, rule))

    def _bare(self, reading: Reading) -> tuple[tuple[str, str], ...]:
        """What a language model without a name is for, where a card for it is wished: to be trained, else to be run."""
        short = "gpu" in reading.concepts and reading.han + 2 * reading.latin <= _SHORT
        if reading.has("model") or (reading.concepts.isdisjoint(_WISHED) and not short):
            return ()
        return (("training", "llm_finetune"), ("language_model", "llm_inference"))

    def _of_name(self, reading: Reading) -> None:
        """A model that is called one of videos makes videos."""
        if reading.has("task"):
            return
        for value in reading.values:
            if value.slot == "model" and holds(reading.text[value.start : value.end], self._video):
                _set_task(reading, Value("task", "video_generation", value.start, value.end, "the name of a model"))
                return

    def is_language_model(self, name: str) -> bool:
        """Whether a model name is one of a text generator (by its family or size)."""
        plain = name.lower()
        if plain.startswith(self._pictures):
            return False
        return plain.startswith(self._families) or _SIZED.search(plain) is not None

    def _full(self, reading: Reading) -> None:
        """ "Full" right before a model, or before the word for fine-tuning, is fine-tuning of all parameters."""
        if "full" not in reading.words or "finetuning" not in reading.concepts:
            return
        starts = [value.start for value in reading.values if value.slot == "model"]
        starts += [found.start for found in reading.places if "finetuning" in found.concepts]
        for start in starts:
            before = reading.flat[:start].rstrip()
            if before.endswith(self._full_before):
                reading.values.append(Value("method", "full", start - 1, start, "fine-tuning of all of a model"))
                return

    def _runs(self, reading: Reading, settled: bool = False) -> bool:
        """In Chinese, to run a language model is inference (taxonomy, section 4); `settled`: the task is known."""
        if (
            reading.language != "zh"
            or reading.has("method")
            or _learns(reading)
            or reading.concepts & {"training", "finetuning"}
        ):
            return False
        place = next((found for found in reading.places if self._run in found.surface), None)
        if place is None:
            return False
        rule = "running a language model"
        reading.values.append(Value("method", "inference", place.start, place.end, rule))
        if settled:
            return True
        _set_task(reading, Value("task", "llm_inference", place.start, place.end, rule))
        return True


def _reinforces(reading: Reading) -> None:
    """Reinforcement learning of a language model is a task of its own."""
    for value in _values(reading, "task"):
        value.value = _REINFORCED.get(str(value.value), value.value)


def _learns(reading: Reading) -> bool:
    """Whether a language model learns from what it writes, whatever word for running stands beside."""
    return any(value.value in _REINFORCED.values() for value in _values(reading, "task"))


def _first(text: str, words: Iterable[str]) -> tuple[int, int]:
    """Where the first of these words stands that a text holds; nowhere is an empty place."""
    word = next((word for word in words if word in text), "")
    start = text.find(word)
    return start, start + len(word)


def _one_method(reading: Reading) -> None:
    """One method: the most particular one. Training and inference both named are two jobs, so neither is stated."""
    named = [value for value in _values(reading, "method") if not value.negated]
    if len(named) < 2:
        return
    keep = min(named, key=lambda value: _METHODS.index(value.value))
    both = keep.value in _TWO_JOBS and _TWO_JOBS.issubset(value.value for value in named)
    gone = [*named, *_running_only(reading)] if both else [value for value in named if value is not keep]
    reading.values[:] = [value for value in reading.values if value not in gone]


_RUNS_ONLY = frozenset({"tensorrt"})
"""Frameworks in which nothing is trained."""


def _running_only(reading: Reading) -> list[Value]:
    """Programs that only run networks: they belong to the second of two jobs, not to what is asked of first."""
    return [value for value in _values(reading, "framework") if value.value in _RUNS_ONLY]


def _one_deployment(reading: Reading, owning: frozenset[str]) -> None:
    """One deployment: the first. Renting against buying or owning states neither; beside renting a laptop is none."""
    stated = _values(reading, "deploy")
    if not stated:
        return
    kinds = {value.value for value in stated}
    both = "rent" in kinds and ("buy" in kinds or not owning.isdisjoint(reading.words))
    if both or "rent_versus_buy" in reading.concepts:
        _keep_only(reading, "deploy", None)
        return
    if "laptop" in kinds and "renting" in reading.concepts:
        stated[0].value = "rent"
    _keep_only(reading, "deploy", _bought_laptop(reading, stated) or stated[0])


def _bought_laptop(reading: Reading, stated: list[Value]) -> Value | None:
    """The laptop that is bought: what stands behind a word of buying, and no card between them."""
    first, laptop = stated[0], next((value for value in stated if value.value == "laptop"), None)
    if laptop is None or first.value != "buy" or laptop.negated:
        return None
    between = (one for one in reading.places if first.end <= one.start and one.end <= laptop.start)
    return None if any("gpu" in one.concepts for one in between) else laptop


def _values(reading: Reading, slot: str) -> list[Value]:
    return [value for value in reading.values if value.slot == slot]


def _keep_only(reading: Reading, slot: str, keep: Value | None) -> None:
    """Leave one value of a slot, or none."""
    reading.values[:] = [value for value in reading.values if value.slot != slot or value is keep]


def _set_task(reading: Reading, task: Value) -> None:
    """The particular task takes the place of "deep learning" in general."""
    _keep_only(reading, "task", None)
    reading.values.append(task)
