"""How many samples and tokens the usual training sets hold, for "how long does an epoch take"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Dataset:
    """A training set as people name it. `tokens_per_sample` is the mean that a step really computes."""

    name: str
    samples: int
    usual_epochs: int
    unit: str
    """img | seq"""
    tokens_per_sample: int | None = None
    gigabytes: float | None = None
    aliases: tuple[str, ...] = ()
    usual_for: frozenset[str] = frozenset()
    """Families of networks whose papers train on it: what is meant by so many rounds where no data were named."""


_CLASSES: Final = frozenset(
    {"AlexNet", "ConvNeXt", "DenseNet", "EfficientNet", "MobileNet", "ResNet", "Swin", "VGG", "ViT"}
)
_BOXES: Final = frozenset({"R-CNN", "RetinaNet", "RT-DETR", "SSD", "YOLO"})

DATASETS: tuple[Dataset, ...] = (
    Dataset(
        "ImageNet-1k",
        1_281_167,
        90,
        "img",
        None,
        148.0,
        ("imagenet", "imagenet1k", "ilsvrc", "ilsvrc2012"),
        _CLASSES,
    ),
    Dataset("COCO", 118_287, 300, "img", None, 19.0, ("coco2017", "mscoco", "ms coco"), _BOXES),
    Dataset("Pascal VOC", 16_551, 100, "img", None, 2.8, ("voc", "pascal", "voc2012", "voc2007")),
    Dataset("CIFAR-10", 50_000, 100, "img", None, 0.2, ("cifar", "cifar10", "cifar100", "cifar-100")),
    Dataset("MNIST", 60_000, 10, "img", None, 0.05, ("mnist",)),
    Dataset("SQuAD v1.1", 88_524, 2, "seq", 384, None, ("squad", "squad1.1")),
    Dataset("MRPC", 3_668, 3, "seq", 128, None, ("mrpc",)),
    Dataset("SST-2", 67_349, 3, "seq", 128, None, ("sst2",)),
    Dataset("MNLI", 392_702, 3, "seq", 128, None, ("mnli",)),
    Dataset("Alpaca-52k", 52_002, 3, "seq", 166, None, ("alpaca", "alpaca52k")),
    Dataset("Alpaca-2k", 2_000, 1, "seq", 260, None, ("alpaca2k",)),
)
"""Sizes from the data sets' own pages; Alpaca's mean lengths include padding to the longest of a small batch."""


def _key(text: str) -> str:
    return "".join(ch for ch in text.lower() if ch.isalnum() or ch == ".")


_BY_KEY = {_key(alias): one for one in DATASETS for alias in (one.name, *one.aliases)}


def find_dataset(text: str) -> Dataset | None:
    """The data set of this name, in any case and spacing, or None."""
    return _BY_KEY.get(_key(text))


def usual_dataset(family: str) -> Dataset | None:
    """The data that networks of a family are usually trained on; None for families without."""
    return next((one for one in DATASETS if family in one.usual_for), None)
