"""A figure as the value of a cell: shown once, sharply, whatever the notebook has imported."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from PIL import Image

FIRST = "from figure_examples import ORDINARY"


def execute(*cells: str) -> list[list[nbformat.NotebookNode]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    folder = str(Path(__file__).parent)
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.mark.site
@pytest.mark.parametrize(
    "before",
    ["", "%matplotlib inline\nimport matplotlib.pyplot\n"],
    ids=["plain", "pyplot inline"],
)
def test_one_sharp_picture_for_each_figure_shown(before):
    outputs = execute(
        before + FIRST,
        "ORDINARY['forest'](width='single')",
        "figure = ORDINARY['kappa_paradox']()",
        "figure",
        "figure;",
    )
    assert [len(cell) for cell in outputs] == [0, 1, 0, 1, 0]
    for cell in (outputs[1], outputs[3]):
        (shown,) = cell
        assert shown.output_type == "display_data"
        size = shown.metadata["image/png"]
        image = Image.open(BytesIO(base64.b64decode(shown.data["image/png"])))
        assert image.width == pytest.approx(2 * size["width"], abs=1)
        assert image.height == pytest.approx(2 * size["height"], abs=1)
