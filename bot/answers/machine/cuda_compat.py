"""Whether a card works with a CUDA or framework version, and what to install."""

from __future__ import annotations

from typing import Final

from advisor.machine import CardGroup, Item, Verdict
from advisor.machine.builds import newest_cuda_of_driver
from advisor.machine.compat import check_compat, check_driver
from advisor.machine.rules import rules
from advisor.models import Gpu, Note, note_of
from bot.answers.common import elicit_gpu
from bot.answers.documents.passages import passage_answer
from bot.answers.machine.driver_torch import by_driver, driver_of
from bot.answers.machine.rig import OFFER_CARD, answer_of, cards_of, machine_of, reworded, variant_notes
from bot.core.answers import Decline, Outcome, offered_of
from bot.core.request import Request

_MOST_NAMES = 4
_TORCH = "pytorch"
_NEEDS = "machine_cuda_need"
_WHEEL = (note_of("machine_cuda_wheel"),)

_NEED: Final = "cuda_compat"
"""Group of signs, whichever need led here."""


def handle(request: Request) -> Outcome:
    """Yes or no for a stated version, else the versions that the card, its family or its sm number needs."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    topic = request.heard.side(_NEED)
    gpu, label = (named[0].gpu, "") if named else (None, "")
    if gpu is None or gpu.compute_capability is None:
        # the number in an error message says which card is meant, where the card spoken of has none
        by_number = _by_family_or_number(request)
        gpu, label = by_number if by_number[0] is not None else (gpu, label)
    if gpu is None:
        return _without_card(request, topic)
    release = _release_beside(request)
    more = {"framework": f"{_TORCH} {release}"} if release else {}
    driver = driver_of(request)
    item = check_compat(machine_of(request, (CardGroup(gpu=gpu),), driver=driver, **more), label)
    item = _by_driver(_told(item, topic, request), driver, asked=_is_whether(request))
    stated = request.slot("cuda_version") or request.slot("framework")
    asks = None if stated else offered_of(slot="cuda_version")
    return answer_of(request, item, notes=variant_notes(named[:1]), asks=asks, beyond=True)


def _release_beside(request: Request) -> str:
    """A bare number that is a release of PyTorch, where PyTorch is named without one; "" where there is none."""
    if str(request.slot("framework") or "") != _TORCH:
        return ""
    stated = str(request.slot("cuda_version") or "")
    return next((one for one in request.heard.bare_numbers if one in rules().compat.pytorch and one != stated), "")


def _is_whether(request: Request) -> bool:
    """Whether a yes or no is wanted."""
    return "whether" in request.heard.sides("form")


def _by_driver(item: Item, driver: str, *, asked: bool = False) -> Item:
    """The verdict with the driver that is installed, where the card itself takes the version.

    `asked`: a yes or no is wanted.
    """
    values = item.headline.values
    own, least = values.get("cuda_driver"), values.get("family_driver")
    if _is_before(driver, str(values.get("driver") or "")):
        # whatever the toolkit, a driver older than the card does not know it
        return reworded(item, note_of("machine_driver_before_card", {**values, "said": driver, "asked": asked}))
    if driver and item.headline.code == _NEEDS:
        return _knows(item, driver, asked=asked)
    if item.verdict is Verdict.FAIL or not (driver and own and least):
        return item
    code = "machine_driver_whole" if _version(driver) >= _version(str(own)) else "machine_driver_minor"
    if _version(driver) < _version(str(least)):
        code = "machine_driver_short"
    return reworded(
        item,
        note_of(code, {**values, "said": driver, "family": str(values.get("cuda")).split(".")[0]}),
        first=(item.headline,),
    )


def _knows(item: Item, driver: str, *, asked: bool) -> Item:
    """That a driver knows the card, and the newest CUDA that it brings; as it was where no driver is on record."""
    if not item.headline.values.get("driver"):
        return item
    held = {"said": driver, "holds": newest_cuda_of_driver(driver) or "", "asked": asked}
    return reworded(item, note_of("machine_driver_knows", {**item.headline.values, **held}), first=(item.headline,))


def _is_before(driver: str, first: str) -> bool:
    """Whether a driver is of an older branch than the first that knows a card; "" for one that is not known."""
    return bool(driver and first) and _version(driver)[:1] < _version(first)[:1]


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdecimal())


def _told(item: Item, topic: str, request: Request) -> Item:
    """The same versions, told as the answer to what was asked of them. A card without CUDA has none of it."""
    if "sm" not in item.headline.values:
        return item
    if topic == "driver" and not driver_of(request):
        return _least_driver(item)
    return _of_error(item, topic, request)


def _of_error(item: Item, topic: str, request: Request) -> Item:
    """The same versions, told as the answer to an error that was named."""
    if topic == "detect":
        return reworded(item, note_of("machine_cuda_detect", item.headline.values), first=(item.headline,))
    if topic == "kernel" and not request.slot("cuda_version"):
        return reworded(item, note_of("machine_cuda_kernel", item.headline.values), first=(item.headline,))
    if topic == "torch" and item.headline.code == "machine_cuda_need":
        return reworded(item, _which_torch(item, request), first=(item.headline,))
    if topic == "newest" and not request.slot("cuda_version") and item.headline.code == "machine_cuda_need":
        return reworded(item, note_of("machine_cuda_newest", item.headline.values))
    return item


def _least_driver(item: Item) -> Item:
    """The first driver of a card whose versions were asked for; as it was where none is on record."""
    if item.headline.code != _NEEDS or not item.headline.values.get("driver"):
        return item
    return reworded(item, note_of("machine_cuda_min_driver", item.headline.values), first=(item.headline,))


def _which_torch(item: Item, request: Request) -> Note:
    """Which PyTorch to take where that is asked, else whether the newest runs; old cards have a last one."""
    values, forms = item.headline.values, request.heard.sides("form")
    current = values.get("newest") and values.get("first") and not values.get("last")
    asks_which = "open" in forms or "whether" not in forms
    return note_of("machine_torch_take" if current and asks_which else "machine_torch_which", values)


def _by_family_or_number(request: Request) -> tuple[Gpu | None, str]:
    """A card that stands for a family or an sm number, and how to call it; (None, "") when its members differ."""
    catalog = request.services.catalog
    wanted = request.heard.capability
    if wanted:
        gpus = [gpu for gpu in catalog.gpus.values() if gpu.compute_capability == wanted]
        names = sorted((gpu.name for gpu in gpus if gpu.family == "GeForce"), reverse=True) or [g.name for g in gpus]
        return (gpus[0], f"sm_{wanted.replace('.', '')} ({', '.join(names[:_MOST_NAMES])})") if gpus else (None, "")
    family = str(request.slot("gpu_family") or "")
    # Tegra modules get their CUDA with the system image and have no limits of their own on record
    members = [gpu for gpu in catalog.gpus_of(family) if gpu.min_cuda or gpu.vendor != "NVIDIA"] if family else []
    if len({(gpu.min_cuda, gpu.last_cuda) for gpu in members}) == 1:
        return members[0], family
    if len({(gpu.architecture.split(" ")[0], gpu.last_cuda) for gpu in members}) == 1:
        # one architecture, several capabilities: the one that asks for most
        newest = max(members, key=lambda gpu: gpu.compute_capability or "")
        return newest, f"{family} {newest.compute_capability}"
    return None, ""


def _without_card(request: Request, topic: str) -> Outcome:
    """The driver of a stated CUDA, the passage that the words point to, or the question for the card."""
    beside = by_driver(request, detect=topic == "detect")
    if beside is not None and not (topic == "detect" and beside.headline.values["all"]):
        return answer_of(request, beside, asks=OFFER_CARD)
    cuda = request.slot("cuda_version")
    if cuda and topic in {"driver", ""}:
        item = check_driver(str(cuda))
        if item is not None:
            return answer_of(request, _by_driver(item, driver_of(request)), asks=OFFER_CARD)
    if topic == "detect":
        item = Item(name="cuda", verdict=Verdict.OPEN, headline=note_of("machine_cuda_detect"), actions=_WHEEL)
        return answer_of(request, item, asks=OFFER_CARD)
    answer = passage_answer(request, "cuda_compat", only=True)
    return answer.model_copy(update={"asks": OFFER_CARD}) if answer else elicit_gpu()
