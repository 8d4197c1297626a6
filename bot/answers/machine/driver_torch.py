"""Whether an installed driver runs a release of PyTorch, and which build of it to take."""

from __future__ import annotations

from typing import Final

from advisor.machine import Item, Verdict
from advisor.machine.builds import family_driver, split_framework
from advisor.machine.rules import rules, version
from advisor.models import note_of, step_of
from bot.core.request import Request

_TORCH: Final = "pytorch"


def driver_of(request: Request) -> str:
    """The driver that is installed, by this message or one before, "" where none was named."""
    return request.heard.driver or str(request.slot("driver") or "")


def by_driver(request: Request, *, detect: bool) -> Item | None:
    """The verdict on driver and PyTorch; None where either is not named, or a CUDA is.

    Args:
        request: the question.
        detect: whether PyTorch was said not to see the card, so that the driver may be the cause.
    """
    driver = driver_of(request)
    name, stated = split_framework(str(request.slot("framework") or ""))
    if not driver or name != _TORCH or request.slot("cuda_version"):
        return None
    known = rules().compat
    release = stated if stated in known.pytorch else known.pytorch_newest
    values = _values(driver, release)
    code = "machine_torch_driver_yes" if values["cuda"] else "machine_torch_driver_no"
    return Item(
        name="driver",
        verdict=Verdict.PASS if values["cuda"] else Verdict.FAIL,
        headline=note_of("machine_torch_driver_detect" if detect and not values["all"] else code, values),
        reasons=(note_of("machine_torch_driver_why", values),),
        actions=(note_of("machine_cuda_wheel"),),
        steps=(
            step_of(
                name="driver",
                value=family_driver(known.pytorch[release][0]),
                how="claim",
                sources=(known.families_source,),
            ),
            step_of(
                name="builds",
                value=", ".join(known.pytorch[release]),
                how="claim",
                sources=(known.pytorch_source,),
            ),
        ),
    )


def _values(driver: str, release: str) -> dict[str, object]:
    """What the sentences tell: the builds of the release, the drivers that they need, another release that runs."""
    known = rules().compat.pytorch
    builds = known[release]
    runs = [cuda for cuda in builds if _runs(driver, cuda)]
    other = next(((one, cuda) for one, listed in known.items() for cuda in listed if _runs(driver, cuda)), ("", ""))
    return {
        "said": driver,
        "release": release,
        "cuda": next(iter(runs), ""),
        "first": builds[0],
        "needs": family_driver(builds[0]),
        "least": min(filter(None, map(family_driver, builds)), default=None),
        "all": len(runs) == len(builds),
        "other_release": other[0],
        "other_cuda": other[1],
    }


def _runs(driver: str, cuda: str) -> bool:
    """Whether a driver runs what was built with a CUDA at all."""
    least = family_driver(cuda)
    return least is not None and version(driver)[0] >= least
