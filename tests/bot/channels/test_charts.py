"""Charts: pictures that open, whatever their labels hold, and the same figures in words."""

from __future__ import annotations

import struct

import pytest

from bot.channels.charts import ChartUnavailable, chart_table, draw, latin
from bot.channels.markup import plain_text
from bot.core.message import Chart

POINTS = (("RTX 4090 24 GB", 1.89), ("H100 80GB SXM", 2.99), ("$x_1^2$", 0.5))
CURVE = tuple((float(month), month * 310.0) for month in range(24))


@pytest.mark.parametrize(
    "chart",
    [
        Chart(kind="bars", title="Price per hour", x_label="USD", series=(("on demand", POINTS), ("spot", POINTS[:2]))),
        Chart(kind="stack", title="Memory", x_label="GiB", series=(("weights", POINTS), ("gradients", POINTS))),
        Chart(
            kind="lines", title="Break-even", x_label="months", y_label="CNY", series=(("buy", CURVE), ("rent", CURVE))
        ),
        Chart(kind="scatter", title="Value", series=(("RTX 4090", ((1.0, 2.0),)), ("T4", ((0.5, 0.3),)))),
        Chart(kind="bars", title="显卡价格 $a$ \\frac", series=(("名称", (("昇腾 910B", 1.0), ("4090", 2.0))),)),
        Chart(kind="bars", title="x" * 300, series=tuple((f"s{n}" * 40, POINTS) for n in range(30))),
    ],
    ids=["bars", "stack", "lines", "scatter", "han", "large"],
)
def test_every_kind_gives_a_picture(chart: Chart) -> None:
    picture = draw(chart)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    assert (width, height) == (1080, 660)


@pytest.mark.parametrize(
    "chart", [Chart(kind="bars", title="none"), Chart(kind="lines", title="x", series=(("a", ()),))]
)
def test_nothing_to_draw_is_said(chart: Chart) -> None:
    with pytest.raises(ChartUnavailable):
        draw(chart)


def test_without_matplotlib_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ChartUnavailable, match="charts"):
        draw(Chart(kind="bars", title="x", series=(("a", POINTS),)))


def test_the_same_figures_in_words() -> None:
    text = plain_text(
        chart_table(Chart(kind="bars", title="x", series=(("spot | x", POINTS[:2]), ("list", POINTS[:1]))))
    )
    lines = text.splitlines()
    assert lines[0].split() == ["spot", "|", "x", "list"]
    assert lines[2].split() == ["RTX", "4090", "24", "GB", "1.89", "1.89"]
    assert lines[3].split() == ["H100", "80GB", "SXM", "2.99"]


def test_labels_keep_what_a_latin_font_can_draw() -> None:
    assert latin("显存 24 GiB") == "24 GiB"
    assert latin("x" * 40) == "x" * 27 + "."
