"""How many steps a LoRA of pictures usually takes, where only the pictures are counted or nothing is."""

from __future__ import annotations

from typing import Final

from advisor.models import Method, Workload
from bot.answers.speed.training_pace import epochs_stated
from bot.core.request import Request

USUAL_STEPS: Final = 1_000.0
"""diffusers' own examples of SDXL and FLUX LoRAs take 500 steps, Hugging Face's FLUX QLoRA of June 2025 took 700, and
kohya's usual ten repeats of twenty pictures over five to ten rounds 1,000 to 2,000."""
_PICTURES: Final = "image-gen"
_FEW: Final = 500.0
"""So many pictures are gone through many times."""


def usual_steps(request: Request, work: Workload, samples: float | None) -> float | None:
    """Steps that such a LoRA usually takes; None where rounds or steps were said, or something else is trained.

    Args:
        request: the question.
        work: what is trained.
        samples: pictures that were named, None for none.
    """
    tunes = work.method in (Method.LORA, Method.QLORA) and work.ml_model.modality == _PICTURES
    if not tunes or epochs_stated(request) or request.slot("train_steps") or (samples or 0.0) > _FEW:
        return None
    return USUAL_STEPS
