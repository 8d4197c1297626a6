"""Runs in the peers' environment: executes a notebook with Jupyter's own kernel.

Arguments: path of the notebook, folder in which the advisor is found. Prints what each code cell showed: its media
types, and its text.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

notebook, folder = Path(sys.argv[1]), sys.argv[2]
os.environ["PYTHONPATH"] = folder
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
with tempfile.TemporaryDirectory() as state:
    os.environ["IPYTHONDIR"] = os.environ["JUPYTER_DATA_DIR"] = os.environ["JUPYTER_RUNTIME_DIR"] = state
    kernels = Path(state) / "kernels" / "peers"
    kernels.mkdir(parents=True)
    command = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "peers", "language": "python"}))
    found = nbformat.read(notebook, as_version=4)
    nbformat.validate(found)
    NotebookClient(found, timeout=120, kernel_name="peers", resources={"metadata": {"path": folder}}).execute()
shown = [
    [
        {
            "media": sorted(output.get("data", {})),
            "text": output.get("data", {}).get("text/plain", output.get("text", "")),
        }
        for output in cell.outputs
    ]
    for cell in found.cells
    if cell.cell_type == "code"
]
print(json.dumps(shown))
