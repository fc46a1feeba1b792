"""A small project for tests: own benchmark module, own notebook, nothing of the real chapters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchbook.site.project import Project

FRONT = """---
title: "A toy"
description: "Means of simulated scores."
benchbook:
  data-statement: simulated
---"""

MODULE = """
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from benchbook.errors import DataError
from benchbook.parameters import data_path


class Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid")
    data: str = Field("data/toy/scores.csv", description="Scores, one number a line.")
    scale: float = Field(1.0, gt=0, le=100, description="Factor on every score (no unit).")
    kind: Literal["mean", "sum"] = Field("mean", description="What is computed.")


def read(parameters):
    path = data_path(parameters.data)
    if not path.exists():
        raise DataError("no such file", file=path.name)
    lines = path.read_text(encoding="utf-8").split()
    if not lines:
        raise DataError("the file is empty", file=path.name)
    for row, text in enumerate(lines, 1):
        try:
            float(text)
        except ValueError:
            raise DataError(
                "not a number", file=path.name, row=row, found=text, expected="a number"
            ) from None
    return [parameters.scale * float(text) for text in lines]


def check(parameters):
    read(parameters)
"""

PARAMETERS = """data = "data/toy/scores.csv"  # file of scores, one a line
scale = 1.0  # factor on every score, no unit
kind = "mean"  # mean or sum
"""

SETUP = """from benchbook.parameters import data_path, from_namespace
from benchbook.records import output_folder, save_record
from toy_benchmarks import toy

parameters = from_namespace(toy.Parameters, globals())
scores = toy.read(parameters)"""

COMPUTE = """value = sum(scores) / (len(scores) if parameters.kind == "mean" else 1)
(output_folder("toy") / "scores.csv").write_text("\\n".join(map(str, scores)))
print(f"{parameters.kind}: {value:.3f}")"""

RECORD = """save_record("toy", parameters, {"value": value, "n": len(scores)}, [data_path(data)])"""

FIGURE = """#| label: fig-scores
#| fig-cap: "The scores rise."
#| fig-alt: "Line through the scores 1 to 4."
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(2, 2))
axes.plot(scores)
figure.savefig(output_folder("toy") / "fig-scores.svg")
plt.show()"""

LINK = """from IPython.display import Markdown

Markdown("[SVG](files/toy/fig-scores.svg)")"""


def raw(source: str) -> dict[str, Any]:
    return {"cell_type": "raw", "metadata": {}, "source": source}


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: str, *tags: str) -> dict[str, Any]:
    metadata = {"tags": list(tags)} if tags else {}
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": source,
        "execution_count": None,
        "outputs": [],
    }


def notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    return {"cells": numbered, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def small_cells() -> list[dict[str, Any]]:
    """The shortest notebook that reads, computes and saves a record."""
    return [
        raw(FRONT),
        code(PARAMETERS, "parameters"),
        code(SETUP),
        code(COMPUTE),
        code(RECORD),
    ]


def chapter_cells() -> list[dict[str, Any]]:
    """A notebook that keeps the whole contract."""
    return [
        raw(FRONT),
        markdown("The data of this chapter are simulated."),
        markdown("## What is measured\n\nA mean, see @fig-scores and @eq-mean."),
        markdown("## Parameters"),
        code(PARAMETERS, "parameters"),
        code(SETUP),
        markdown("## Data"),
        markdown("## Method {#sec-method}\n\n$$ m = \\sum x / n $$ {#eq-mean}\n\n### A detail"),
        markdown("## Results that surprise people"),
        markdown("## Results"),
        code(COMPUTE),
        code(FIGURE),
        code(LINK),
        markdown("## What would change this\n\n```\n## not a heading\n```"),
        markdown("## Limits\n\n## Your own file"),
        markdown("## References"),
        markdown("## This run’s record"),
        code(RECORD),
    ]


def write_notebook(root: Path, cells: list[dict[str, Any]], name: str = "toy") -> Path:
    path = root / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook(cells), indent=1), encoding="utf-8")
    return path


def make_project(root: Path, cells: list[dict[str, Any]] | None = None) -> Project:
    """Write a project with the benchmark ``toy`` into an existing folder."""
    files = {
        "_quarto.yml": "project:\n  type: website\n",
        "toy_benchmarks/__init__.py": "",
        "toy_benchmarks/toy.py": MODULE,
        "data/toy/scores.csv": "1\n2\n3\n4\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    write_notebook(root, cells or small_cells())
    return Project(root, "toy_benchmarks")
