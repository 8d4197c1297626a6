"""docs/tour.ipynb runs as it stands, its assertions hold, and results show themselves to Jupyter, pandas, matplotlib."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.peers.peer import ROOT, run_peer

pytestmark = pytest.mark.peer
NOTEBOOK = ROOT / "docs" / "tour.ipynb"


async def test_the_tour_runs_and_results_show_themselves() -> None:
    shown = await run_peer(Path(__file__).with_name("run_notebook.py"), str(NOTEBOOK), str(ROOT), timeout_s=240)
    media = [set(output["media"]) for cell in shown for output in cell]
    assert sum("text/html" in one for one in media) >= 4, "tables of results and frames"
    assert any("image/png" in one for one in media), "a picture"
    frames = [output["text"] for cell in shown for output in cell if "vram_gib" in output["text"]]
    assert "RTX 3090" in frames[0]
    assert "RTX 4090" in frames[0]


def test_the_tour_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 6
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert sum("assert" in "".join(cell["source"]) for cell in code) >= 4
