"""Measurements that people tell: compared with the estimate at once, kept only when they agree.

What is kept holds figures, names of the catalogue and settings; it is exported in the columns of the calibration files
(`python -m bot reports export`) for a person to look at: nothing told in a chat moves an estimate by itself.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import estimate_memory
from advisor.models import Method, Precision, Workload
from bot.alone import alone_with
from bot.chat_prices import Knowing
from bot.computing import Computing
from bot.core.message import IncomingMessage, Reply, choice_of
from bot.core.ports import Responder, Store
from bot.core.reports import KEPT_DAYS, Case, Cases
from bot.reading_reports import Measured, argument_of, asks, is_confirming, is_log, measured_in

CONFIRM: Final = "do:report"
KEY: Final = "measurements"
_PAGE: Final = "reports"
_WAITING_S: Final = 1800.0
_LONG_S: Final = KEPT_DAYS * 86_400.0
_ASKED: Final = {
    "GiB": "how much vram",
    "tok/s": "tokens per second",
    "img/s": "training images per second",
    "samples/s": "training samples per second",
}
_FORMATS: Final = {"awq": "int4", "gptq": "int4", "gptq_marlin": "int4", "awq_marlin": "int4", "fp8": "fp8"}
_WEIGHTS: Final = "weights loaded"
_FAR: Final = 20.0
"""How many times the estimate, or how small a part of it, no run of the same settings gives."""
_ROUNDED: Final = 1.05

MEMORY_COLUMNS: Final = (
    "case_id", "group", "task", "model", "params_b", "method", "precision", "quant", "optimizer", "batch", "seq_len",
    "image_res", "grad_ckpt", "grad_accum", "lora_rank", "lora_targets", "n_gpus", "gpu", "device_gb", "verdict",
    "measured_value", "unit", "measured_gib", "metric", "framework", "quality", "source", "notes",
)  # fmt: skip
RATE_COLUMNS: Final = (
    "case_id", "group", "kind", "model", "task", "gpu", "n_gpus", "precision", "batch_total", "seq_len", "image_res",
    "value", "unit", "software", "quality", "source", "notes",
)  # fmt: skip


class ChatReports:
    """Port `Reports`."""

    def __init__(
        self,
        store: Store,
        responder: Callable[[], Responder],
        knowing: Callable[[], Knowing],
        name_of: Callable[[str], str],
        *,
        clock: Callable[[], float],
    ) -> None:
        """Wire it; `responder` and `knowing` are asked each time, because a reload replaces them."""
        self._store, self._responder, self._knowing = store, responder, knowing
        self._name_of, self._clock = name_of, clock
        self._computing = Computing()

    async def attend(self, message: IncomingMessage) -> Reply | None:
        """The reply to `/report ...`, to a pasted log of a tool, or to the button; None when it is neither."""
        if not message.chat_id:
            return None
        if message.action.split("#", 1)[0] == CONFIRM:
            return await self._keep(message)
        if message.action:
            return None
        argument = argument_of(message.text)
        if argument is None:
            return await self._compared(message, message.text) if self._is_pasted(message) else None
        if is_confirming(argument):
            return await self._keep(message)
        return await self._compared(message, argument, commanded=True) or self._say(message, "usage")

    @staticmethod
    def _is_pasted(message: IncomingMessage) -> bool:
        """A tool's own output that nothing is asked about."""
        return message.addressed and is_log(message.text) and not asks(message.text)

    async def _compared(self, message: IncomingMessage, text: str, *, commanded: bool = False) -> Reply | None:
        """What was measured beside what is estimated for the same run; None where no run can be read."""
        found = measured_in(text, commanded=commanded)
        if found is not None and not found.is_possible:
            return self._say(message, "absurd", found=_shown(found))
        case = await self._computing.run(lambda: self._case(message, found)) if found is not None else None
        if found is None or case is None or not case.model:
            return None if found is None else self._say(message, "incomplete", found=_shown(found))
        values: dict[str, object] = {"case": case, "unit": case.unit, "inside": _inside(case), "off": _off(case)}
        if self._is_absurd(case):
            return self._say(message, "far", **values)
        values["keeps"] = message.verified
        if not message.verified:  # who might be anybody might be everybody whose cases are kept
            return self._say(message, "compared", **values)
        label = self._say(message, "label")
        waiting = {"case": case.model_dump(mode="json"), "language": label.language}
        await self._store.put(self._waiting(message), waiting, _WAITING_S, owner=message.owner_key)
        button = choice_of(label=label.text.strip(), key=f"{CONFIRM}#{secrets.token_hex(3)}")
        return self._say(message, "compared", **values).model_copy(update={"choices": (button,)})

    def _is_absurd(self, case: Case) -> bool:
        """Whether a figure lies far beyond the estimate, or above the memory of the card that it was measured on."""
        gpu = self._knowing().catalog.find_gpu(case.gpu) if case.gpu else None
        whole = case.device_gib or (gpu.vram_gib if gpu is not None else None)
        if case.unit == "GiB" and whole and case.value > whole * _ROUNDED:
            return True
        return bool(case.estimate) and not 1 / _FAR <= case.value / (case.estimate or 1.0) <= _FAR

    def _case(self, message: IncomingMessage, found: Measured) -> Case | None:
        """The run in names of the catalogue, with the estimate for it."""
        now = datetime.fromtimestamp(self._clock(), UTC)
        asked = message.model_copy(update={"text": f"{found.words} {_ASKED[found.unit]}", "action": ""})
        reply, _ = self._responder().respond(asked, None, now)
        slots = reply.slots
        model = _text(slots.get("model"))
        cards = slots.get("gpu")
        value = self._estimate(reply, found, model)
        return Case(
            day=now.date(),
            by=self._name_of(message.owner_key),
            gpu=_text(cards) if isinstance(cards, list) else "",
            model=model,
            method=str(slots.get("method") or ("inference" if found.unit == "tok/s" else "")),
            precision=found.number_format or _text(slots.get("precision")),
            batch=_whole(slots.get("batch")),
            seq_len=_whole(slots.get("seq_len")),
            cards=max(found.cards, _whole(slots.get("gpu_count")) or 1),
            device_gib=found.device_gib,
            value=round(found.value, 3),
            unit=found.unit,
            metric=found.metric,
            software=found.software,
            estimate=value[0],
            low=value[1],
            high=value[2],
        )

    def _estimate(self, reply: Reply, found: Measured, model: str) -> tuple[float | None, float | None, float | None]:
        """Figure and band for the same quantity, as the bot answers it; nothing where it has none."""
        if found.metric == _WEIGHTS:
            return self._weights(found, model)
        for fact in reply.facts:
            right = fact.name == "vram_needed" if found.unit == "GiB" else fact.name.startswith("throughput")
            if right and isinstance(fact.value, int | float) and fact.unit == found.unit:
                return float(fact.value), fact.low, fact.high
        return None, None, None

    def _weights(self, found: Measured, model: str) -> tuple[float | None, float | None, float | None]:
        """Weights alone, a card: what a server's start log tells."""
        record = self._knowing().catalog.find_ml_model(model) if model else None
        if record is None:
            return None, None, None
        precision = Precision(_FORMATS.get(found.number_format, "bf16"))
        work = Workload(ml_model=record, method=Method.INFERENCE, precision=precision, batch=1, seq_len=512)
        try:
            parts = estimate_memory(work).components
        except AdvisorError:
            return None, None, None
        weights = next((float(part.value or 0) for part in parts if part.name == "weights"), None)
        return (None if weights is None else weights / found.cards), None, None

    async def _keep(self, message: IncomingMessage) -> Reply:
        """Keep the measurement that this person just told."""
        waiting = await self._store.get(self._waiting(message))
        if not waiting:
            return self._say(message, "nothing")
        case = Case.model_validate(waiting["case"])
        async with alone_with(self._store, KEY):
            held = await self._load()
            await self._store.put(KEY, held.put(case).model_dump(mode="json"), _LONG_S)
        await self._store.delete(self._waiting(message))
        spoken = message.language or str(waiting["language"])  # a confirmation has no words to tell a language by
        return self._say(message.model_copy(update={"language": spoken}), "kept")

    async def forget(self, message: IncomingMessage) -> int:
        """Drop everything that the message's user told; gives how many cases went."""
        await self._store.delete(self._waiting(message))
        by = self._name_of(message.owner_key)
        async with alone_with(self._store, KEY):
            held = await self._load()
            left = held.without(by)
            if left != held:
                today = datetime.fromtimestamp(self._clock(), UTC).date()
                await self._store.put(KEY, left.young(today).model_dump(mode="json"), _LONG_S)
        return len(held.held) - len(left.held)

    async def _load(self) -> Cases:
        kept = await self._store.get(KEY)
        return Cases.model_validate(kept) if kept else Cases()

    @staticmethod
    def _waiting(message: IncomingMessage) -> str:
        return f"measured:{message.conversation_key}"

    def _say(self, message: IncomingMessage, block: str, **values: object) -> Reply:
        return self._responder().say(message, _PAGE, block, **values)


def _shown(found: Measured) -> dict[str, object]:
    return {"value": found.value, "unit": found.unit}


def _inside(case: Case) -> bool | None:
    """Whether the figure lies in the band; None without one."""
    if case.low is None or case.high is None:
        return None
    return case.low <= case.value <= case.high


def _off(case: Case) -> float | None:
    """How far the measured figure lies from the estimate, as a share of it."""
    return case.value / case.estimate - 1 if case.estimate else None


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: object) -> str:
    return str(value[0]) if isinstance(value, list) and value else str(value or "")


# --- for a person to look at -----------------------------------------------------------------------------------------


async def cases_in(store: Store) -> Cases:
    """Everything that was kept."""
    kept = await store.get(KEY)
    return Cases.model_validate(kept) if kept else Cases()


def memory_table(cases: Iterable[Case]) -> str:
    """Peaks in the columns of memory_cases.csv."""
    rows = (
        {
            "case_id": f"R{number:04d}",
            "group": "chat",
            "task": case.method,
            "model": case.model,
            "method": case.method,
            "precision": case.precision,
            "batch": case.batch,
            "seq_len": case.seq_len,
            "n_gpus": case.cards,
            "gpu": case.gpu,
            "device_gb": case.device_gib,
            "verdict": "measured",
            "measured_value": case.value,
            "unit": case.unit,
            "measured_gib": case.value,
            "metric": case.metric,
            "framework": case.software,
            "quality": "C",
            "source": "told in a chat",
            "notes": _note(case),
        }
        for number, case in enumerate(cases, 1)
        if case.unit == "GiB"
    )
    return _table(MEMORY_COLUMNS, rows)


def rate_table(cases: Iterable[Case]) -> str:
    """Rates in the columns of throughput_cases.csv."""
    rows = (
        {
            "case_id": f"R{number:04d}",
            "group": "chat",
            "kind": "infer-throughput" if case.unit == "tok/s" else "train-throughput",
            "model": case.model,
            "task": case.method,
            "gpu": case.gpu,
            "n_gpus": case.cards,
            "precision": case.precision,
            "batch_total": case.batch,
            "seq_len": case.seq_len,
            "value": case.value,
            "unit": case.unit,
            "software": case.software,
            "quality": "C",
            "source": "told in a chat",
            "notes": _note(case),
        }
        for number, case in enumerate(cases, 1)
        if case.unit != "GiB"
    )
    return _table(RATE_COLUMNS, rows)


def _note(case: Case) -> str:
    said = "" if case.estimate is None else f"; estimated {case.estimate:.3g} then"
    return f"{_day(case.day)}, {case.metric}{said}"


def _day(day: date) -> str:
    return day.isoformat()


def _table(columns: tuple[str, ...], rows: Iterable[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)
    return out.getvalue()
