"""Charts: pictures that open, whatever their labels hold, and the same figures in words."""

from __future__ import annotations

import struct
import time

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bot.channels.charts import ChartUnavailable, chart_table, draw, size_of
from bot.channels.charts.curves import crossing
from bot.channels.charts.labels import FONT, label, words
from bot.channels.charts.places import Named, name_points
from bot.channels.charts.sheet import Form, Theme
from bot.channels.markup import plain_text
from bot.channels.words import channel_words
from bot.core.message import Chart, Language, Mark

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
def test_every_kind_gives_a_picture_wide_and_narrow(chart: Chart) -> None:
    for narrow in (False, True):
        picture = draw(chart, narrow=narrow)
        assert picture.startswith(b"\x89PNG\r\n\x1a\n")
        assert struct.unpack(">II", picture[16:24]) == size_of(chart, narrow=narrow)
    assert size_of(chart)[0] > 1.5 * size_of(chart, narrow=True)[0]


@pytest.mark.parametrize("kind", ["bars", "stack", "lines", "scatter"])
def test_a_chart_of_a_stranger_takes_no_more_than_one_of_ours(kind: str) -> None:
    """As much as fits into a body: points, names and limits by the thousand. Processor time, ten times what it takes."""
    points = tuple((float(at) if kind in ("lines", "scatter") else f"card {at}", float(at % 7)) for at in range(400))
    many = tuple((f"series {at}", points) for at in range(12))
    marks = tuple(Mark(label="limit", at=float(at)) for at in range(1000))
    chart = Chart(kind=kind, title="x" * 60_000, series=many, marks=marks)
    begun = time.process_time()
    assert draw(chart, form="svg").startswith(b"<?xml")
    assert time.process_time() - begun < 8


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
        chart_table(Chart(kind="bars", title="x", series=(("spot | x", POINTS[:2]), ("list", POINTS[:1]))), "en")
    )
    lines = text.splitlines()
    assert lines[0].split() == ["spot", "|", "x", "list"]
    assert lines[2].split() == ["RTX", "4090", "24", "GB", "1.89", "1.89"]
    assert lines[3].split() == ["H100", "80GB", "SXM", "2.99"]


# --- what is on them -------------------------------------------------------------------------------------------------


MEMORY = Chart(
    kind="stack",
    title="Qwen2.5-14B: memory by part",
    y_label="GiB",
    series=(("need", (("weights", 27.8), ("optimizer", 0.5), ("logits", 3.5))),),
    marks=(Mark(label="RTX 4090", at=23.5),),
)
SCALING = Chart(
    kind="lines",
    title="Speed-up over one card",
    x_label="cards",
    y_label="times one card",
    series=(("linear", ((1, 1.0), (2, 2.0), (4, 4.0))), ("RTX 4090", ((1, 1.0), (2, 1.8), (4, 3.3)))),
    bands=(("RTX 4090", ((1, 1.0, 1.0), (2, 1.6, 1.95), (4, 2.8, 3.7))),),
)
CROWD = tuple(
    (f"RTX {4000 + 10 * row + column} Super", ((900.0 + 9 * column, 0.60 + 0.02 * row),))
    for row in range(3)
    for column in range(3)
)
PRICES = Chart(kind="scatter", title="Price and speed", x_label="USD", y_label="speed, winner = 1", series=CROWD)
RENT = Chart(
    kind="lines",
    title="Money spent: rent against buy",
    x_label="days",
    y_label="USD",
    series=(
        ("rent", tuple((30.0 * at, 100.0 * at) for at in range(25))),
        ("buy", tuple((30.0 * at, 1000.0 + 20 * at) for at in range(25))),
    ),
)
ALL = (MEMORY, SCALING, PRICES, RENT)


@pytest.mark.parametrize("chart", ALL, ids=["memory", "scaling", "prices", "rent"])
@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_same_chart_gives_the_same_bytes_and_themes_and_languages_differ(chart: Chart, form: Form) -> None:
    looks: list[tuple[Theme, Language]] = [("light", "en"), ("light", "zh"), ("dark", "en"), ("dark", "zh")]
    pictures = [draw(chart, language, theme=theme, form=form) for theme, language in looks]
    assert len(set(pictures)) == len(looks)
    assert draw(chart, "en", theme="light", form=form) == pictures[0]


def test_a_picture_does_not_keep_anybody_waiting() -> None:
    draw(MEMORY)
    for chart in ALL:
        took = []
        for _ in range(3):  # the best of three: what a busy machine takes away does not count
            begun = time.thread_time()
            draw(chart, form="svg")
            took.append(time.thread_time() - begun)
        assert min(took) < 0.3


def axes_of(chart: Chart, monkeypatch: pytest.MonkeyPatch, language: Language = "en") -> Axes:
    """The axes of a chart as they were when it was written."""
    seen: list[Figure] = []

    def keep(figure: Figure, form: Form) -> bytes:
        figure.canvas.draw()
        seen.append(figure)
        return b""

    monkeypatch.setattr("bot.channels.charts.drawing._written", keep)
    draw(chart, language)
    return seen[0].axes[0]


def texts(axes: Axes) -> list[str]:
    found = [axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left"), *(one.get_text() for one in axes.texts)]
    legends = axes.figure.legends
    return found + [one.get_text() for legend in legends for one in legend.get_texts()]


def test_memory_is_one_bar_of_its_parts_with_the_line_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = axes_of(MEMORY, monkeypatch)
    bars = [patch for patch in axes.patches if patch.get_width() > 0]
    assert [round(bar.get_x(), 2) for bar in bars] == [0, 27.8, 28.3]
    assert "31.8" in texts(axes)
    assert "RTX 4090 23.5 GiB" in texts(axes)
    assert axes.get_xlabel() == "GiB"
    assert axes.lines[0].get_xdata()[0] == 23.5


def test_the_band_of_a_need_and_of_a_speed_is_drawn_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict rests on the band as much as on the figure: a picture without it promises what nobody knows."""
    banded = MEMORY.model_copy(update={"bands": (("need", (("need", 26.04, 39.61),)),)})
    axes = axes_of(banded, monkeypatch)
    assert "31.8 (26–39.6)" in texts(axes)
    assert [round(float(x), 2) for x in axes.containers[-1].lines[2][0].get_segments()[0][:, 0]] == [26.04, 39.61]
    assert axes.get_xlim()[1] > 39.61
    assert plain_text(chart_table(banded, "en")).splitlines()[-1].split()[-2:] == ["31.8", "(26.04–39.61)"]
    speeds = Chart(
        kind="bars",
        title="Relative speed",
        series=(("train", (("RTX 3090", 1.0), ("RTX 4090", 1.71))),),
        bands=(("train", (("RTX 3090", 1.0, 1.0), ("RTX 4090", 1.44, 2.03))),),
    )
    assert {"1", "1.71 (1.44–2.03)"} <= set(texts(axes_of(speeds, monkeypatch)))
    assert "1.71 (1.44–2.03)" in chart_table(speeds, "en")


def test_a_title_says_hours_a_week_in_the_language_of_the_reader() -> None:
    assert words("RTX 4090, 20 h a week: rent or buy, money spent", "zh") == "RTX 4090，每周 20 小时：租与买的累计花费"
    assert words("Qwen2.5-14B, RTX 4090: speed by context", "en") == "Qwen2.5-14B, RTX 4090: speed by context"


def test_a_narrow_title_is_broken_where_its_parts_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    title = RENT.model_copy(update={"title": "RTX 4090, 20 h a week: rent or buy, money spent"})
    assert _narrow_title(title, "zh", monkeypatch) == ["RTX 4090，每周 20 小时：", "租与买的累计花费"]
    assert _narrow_title(title, "en", monkeypatch) == ["RTX 4090, 20 h a week:", "rent or buy, money spent"]


def _narrow_title(chart: Chart, language: Language, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[Figure] = []
    monkeypatch.setattr("bot.channels.charts.drawing._written", lambda figure, _: seen.append(figure) or b"")
    draw(chart, language, narrow=True)
    return seen[0].axes[0].get_title(loc="left").split("\n")


def test_a_long_time_is_told_in_months_and_the_crossing_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = axes_of(RENT, monkeypatch)
    assert axes.get_xlabel() == "months"
    met = crossing(RENT.series[0][1], RENT.series[1][1])
    assert met is not None
    assert met == pytest.approx((375.0, 1250.0))
    assert f"{375 * 12 / 365:.3g} months" in texts(axes)
    assert crossing(RENT.series[0][1], RENT.series[0][1]) is None


def test_a_crossing_at_one_of_the_points_is_marked_and_one_at_the_beginning_is_none() -> None:
    falling = ((0.0, 3.0), (1.0, 2.0), (2.0, 1.0))
    assert crossing(((0.0, 1.0), (1.0, 2.0), (2.0, 3.0)), falling) == pytest.approx((1.0, 2.0))
    assert crossing(((0.0, 0.0), (1.0, 1.0)), ((0.0, 0.0), (1.0, 2.0))) is None


@pytest.mark.parametrize(("language", "heads"), [("en", ["months", "rent", "buy"]), ("zh", ["个月", "租", "买"])])
def test_the_table_of_a_chart_has_the_words_and_the_unit_of_its_picture(language: Language, heads: list[str]) -> None:
    lines = plain_text(chart_table(RENT, language)).splitlines()
    assert lines[0].split() == heads
    assert lines[3].split() == ["2.96", "300", "1,060"]


def test_a_few_bars_are_no_blocks() -> None:
    names = [f"card {number}" for number in range(24)]
    few, many = (
        Chart(kind="bars", title="x", series=(("a", tuple((one, 1.0) for one in names[:n])),)) for n in (2, 24)
    )
    assert size_of(few)[1] < size_of(many)[1]


def test_bands_are_drawn_and_few_cards_are_each_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = axes_of(SCALING, monkeypatch)
    assert len(axes.collections) == 1
    assert list(axes.get_xticks()) == [1, 2, 4]


def test_names_of_points_never_cover_each_other_nor_leave_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = axes_of(PRICES, monkeypatch)
    boxes = [one.get_window_extent() for one in axes.texts]
    assert len(boxes) + axes.get_title(loc="right").count("RTX") == len(CROWD)
    assert len(boxes) >= 7
    for index, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[index + 1 :])
        assert axes.get_window_extent().padded(1).containsx(box.x0)
        assert axes.get_window_extent().padded(1).containsx(box.x1)


def test_names_without_a_place_are_given_back() -> None:
    figure = Figure(figsize=(1.2, 1.0))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.scatter([1, 1], [1, 1])
    figure.canvas.draw()
    left = name_points(axes, [Named(1, 1, "a very long name of a card"), Named(1, 1, "another very long name")], "#000")
    assert len(left) == 2


def test_words_are_said_in_the_language_and_all_of_them_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    said = texts(axes_of(MEMORY, monkeypatch, "zh"))
    assert "Qwen2.5-14B：显存构成" in said
    assert {"权重", "优化器"} <= set(said)
    for text in channel_words("chart").everything("zh").values():
        assert label(text, "zh", 200) == text
    assert words("no such word", "zh") == "no such word"
    assert label("龘 24 GiB $5", "zh") == "24 GiB \\$5", "what no font has is left out"
    assert label("x" * 60, "en").endswith("…")


def test_the_font_comes_with_its_licence() -> None:
    assert FONT.stat().st_size < 1_000_000
    assert "SIL OPEN FONT LICENSE" in (FONT.parent / "OFL.txt").read_text(encoding="utf-8")
