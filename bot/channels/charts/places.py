"""Puts names beside points so that no name covers another, a point or the edge: the same points, the same places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

_SPOTS: Final = (
    (8, 0, "left"),
    (-8, 0, "right"),
    (0, 11, "center"),
    (0, -11, "center"),
    (9, 10, "left"),
    (9, -10, "left"),
    (-9, 10, "right"),
    (-9, -10, "right"),
    (0, 24, "center"),
    (0, -24, "center"),
    (20, 22, "left"),
    (20, -22, "left"),
    (-20, 22, "right"),
    (-20, -22, "right"),
    (0, 38, "center"),
    (0, -38, "center"),
    (34, 36, "left"),
    (-34, 36, "right"),
    (34, -36, "left"),
    (-34, -36, "right"),
)
"""Offsets in points, near ones first; from a far one a line leads to its point."""
_FAR: Final = 20
_SHARE: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
"""How much of a name lies left of its anchor."""


@dataclass(frozen=True, slots=True)
class Named:
    """A point and its name."""

    x: float
    y: float
    name: str
    bold: bool = False


def name_points(axes: Axes, points: Sequence[Named], colour: str) -> tuple[str, ...]:
    """Write the names; gives those that found no place. The layout must be settled before."""
    edge = axes.get_window_extent().padded(2)
    dots = [axes.transData.transform((one.x, one.y)) for one in points]
    taken: list[Bbox] = [Bbox.from_bounds(x - 5, y - 5, 10, 10) for x, y in dots]
    left: list[str] = []
    for one in sorted(points, key=lambda point: (not point.bold, -point.y, point.x, point.name)):
        box = _placed(axes, one, colour, edge, taken)
        if box is None:
            left.append(one.name)
        else:
            taken.append(box)
    return tuple(left)


def _placed(axes: Axes, one: Named, colour: str, edge: Bbox, taken: Sequence[Bbox]) -> Bbox | None:
    """Write one name at the first spot that is free; gives the place that it takes."""
    tried = _written(axes, one, colour, 0, 0, "left")
    size = tried.get_window_extent()
    tried.remove()
    x, y = axes.transData.transform((one.x, one.y))
    dot = axes.figure.dpi / 72
    for dx, dy, side in _SPOTS:
        left = x + dx * dot - size.width * _SHARE[side]
        box = Bbox.from_bounds(left, y + dy * dot - size.height / 2, size.width, size.height).padded(1.5)
        is_inside = edge.x0 <= box.x0 and box.x1 <= edge.x1 and edge.y0 <= box.y0 and box.y1 <= edge.y1
        if is_inside and not any(box.overlaps(other) for other in taken):
            _written(axes, one, colour, dx, dy, side)
            return box
    return None


def _written(axes: Axes, one: Named, colour: str, dx: int, dy: int, side: str) -> Annotation:
    line = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.6} if abs(dy) > _FAR else None
    return axes.annotate(
        one.name,
        (one.x, one.y),
        xytext=(dx, dy),
        textcoords="offset points",
        ha=side,
        va="center",
        fontsize=9,
        fontweight="bold" if one.bold else "normal",
        color=colour,
        arrowprops=line,
    )
