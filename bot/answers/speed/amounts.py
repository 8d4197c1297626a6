"""The data set of a training job, and how much of it there is."""

from __future__ import annotations

import re

from advisor.models import MlModel
from advisor.speed import Dataset, find_dataset
from advisor.speed.datasets import usual_dataset
from bot.core.answers import Assumption, assumption_of
from bot.core.request import Request
from bot.read.rounds import amount_of

__all__ = ["amount_of", "dataset_named", "dataset_of", "with_usual_data"]


def dataset_of(text: str) -> Dataset | None:
    """The known data set within a text, or None."""
    for word in (text, *re.split(r"[\s,;]+", text)):
        found = find_dataset(word)
        if found is not None:
            return found
    return None


def tokens_of(request: Request) -> float | None:
    """Tokens that are trained on, said now or before."""
    found = request.slot("train_tokens") or request.heard.train_tokens
    return float(found) if found else None


def dataset_named(request: Request) -> Dataset | None:
    """The known data set of the slot; a data set that was taken for a model counts too."""
    is_model = request.services.catalog.find_ml_model
    taken = [name for name in request.slot("model") or [] if is_model(name) is None]
    for text in (request.slot("dataset"), *taken):
        found = dataset_of(str(text)) if text else None
        if found is not None:
            return found
    return None


def with_usual_data(
    request: Request, model: MlModel, dataset: Dataset | None, assumed: tuple[Assumption, ...]
) -> tuple[Dataset | None, tuple[Assumption, ...]]:
    """The data, or those that so many rounds are usually of where rounds were said and no data; that is assumed."""
    rounds = request.slot("epochs") or request.heard.epochs
    usual = usual_dataset(model.family) if rounds and dataset is None and not request.slot("dataset") else None
    if usual is None:
        return dataset, assumed
    return usual, (*assumed, assumption_of(slot="dataset", value=usual.name))
