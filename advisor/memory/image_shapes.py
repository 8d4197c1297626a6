"""What is known of image and video models beside their parameters: `data/memory_shapes.yaml`, read on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.kept import kept
from advisor.models import MlModel
from advisor.names import name_key

_FILE: Final = Path(__file__).parents[1] / "data" / "memory_shapes.yaml"

VAE_PARAMETERS: Final = 84e6
"""Of the usual picture VAE (Stable Diffusion, FLUX)."""


@dataclass(frozen=True, slots=True)
class ImageShape:
    """One image or video model: values put out per image at a reference edge, frozen companions, tokens."""

    values_m: float | None
    """Million values put out by its layers for one image at `at`."""
    at: int
    auxiliary: float = 0.0
    """Parameters of text encoders and VAE that run beside it."""
    tokens_hidden: int = 0
    """Width of a diffusion transformer; 0 for a U-Net."""
    tokens_layers: int = 0
    text_tokens: int = 512
    """Tokens of the prompt that pass through the same blocks; 0 where it enters by cross-attention."""
    wide: int = 0
    """The longer edge where frames are not square; 0 for squares."""
    frames: int = 1
    """Frames of a usual clip after compression in time; 1 for pictures."""
    every: int = 4
    """Frames that one latent frame stands for."""
    cell: int = 16
    """Pixels along the edge of one token of a diffusion transformer."""
    decoded: int = 4
    """Frames of a clip that its VAE decodes together; 0 for all of them."""
    step_bytes: float | None = None
    """Bytes per token and channel of a denoising step, from the figures of its makers."""
    units: float | None = None
    """Values kept per token and channel of a block in training where published runs tell them apart."""
    never_recomputed: tuple[str, ...] = ()
    """Programs whose class of this model keeps everything, whatever is asked of them (keys of `stacks.STACKS`)."""
    active: float = 1.0
    """Share of the parameters on the card at a time where experts take turns."""
    floor_gib: float = 0.0
    """What the makers measured for 16 bits with idle parts in RAM: no estimate of that goes below it."""
    kept: float = 1.0
    """How much more than a plain CNN the training recipe keeps."""
    half_share: float | None = None
    """Share that 16-bit arithmetic leaves where it differs: two-stage detectors do proposals and masks in fp32."""
    parameters: float = 0.0
    """Of the main network, for models that the catalogue does not hold."""
    aliases: tuple[str, ...] = ()


_LISTS: Final = ("aliases", "never_recomputed")
"""Fields of an entry that are lists of names."""


@lru_cache(maxsize=1)
def load_image_shapes() -> dict[str, ImageShape]:
    """Figures by model id or family. Raises BadData when the file cannot be read."""
    problems: list[Problem] = []
    content = load_yaml_files([_FILE], problems)
    if problems:
        raise BadData(problems)
    shapes = content[str(_FILE)]["shapes"]
    return {
        key: ImageShape(**{**entry, **{name: tuple(entry.get(name, ())) for name in _LISTS}})
        for key, entry in shapes.items()
    }


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    """Ids of the table by each spelling of their names."""
    named = {name_key(key): key for key in load_image_shapes()}
    for key, shape in load_image_shapes().items():
        named.update({name_key(alias): key for alias in shape.aliases})
    return named


@kept(most=2048)
def find_image_shape(model: MlModel) -> ImageShape | None:
    """Figures of this model, else of its family, else None."""
    shapes = load_image_shapes()
    for key in (model.id, model.name.lower(), model.family.lower()):
        if key in shapes:
            return shapes[key]
    found = _by_name().get(name_key(model.name))
    return shapes[found] if found else None


def drawing_model(name: str) -> MlModel | None:
    """A model that draws, by its name alone, where only this table knows it; None for any other name."""
    key = _by_name().get(name_key(name))
    shape = load_image_shapes().get(key or "")
    if shape is None or key is None or not shape.parameters:
        return None
    return MlModel(id=key, name=name, modality="image-gen", family="Diffusion", parameters=shape.parameters)
