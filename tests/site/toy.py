"""A small project that uses everything a page may use, written to a folder for the site's tests."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).parents[2]

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200" viewBox="0 0 320 200">'
    '<rect width="320" height="200" fill="white"/>'
    '<path d="M20 180 L300 20" stroke="#0072B2" stroke-width="3"/></svg>'
)

BIBLIOGRAPHY = """\
@article{cohen1960,
  author = {Cohen, Jacob}, year = {1960}, title = {A coefficient of agreement for nominal scales},
  journal = {Educational and Psychological Measurement}, volume = {20}, number = {1},
  pages = {37--46}, doi = {10.1177/001316446002000104}
}
@article{fleiss1971,
  author = {Fleiss, Joseph L.}, year = {1971},
  title = {Measuring nominal scale agreement among many raters},
  journal = {Psychological Bulletin}, volume = {76}, number = {5}, pages = {378--382},
  doi = {10.1037/h0031619}
}
"""

INDEX = """\
---
title: Home
description: The first page, with *emphasis*.
---

## Overview

A [toy chapter](report/toy.ipynb) after @cohen1960, and its [method](report/toy.ipynb#sec-method).

::: {.cards}
::: {}
### [Toy](report/toy.ipynb)

Simulated, with a [table](report/files/toy/values.csv).
:::

::: {}
### [Data](report/data.qmd)

Where they come from.
:::
:::

| Benchmark | Status |
|:----------|:-------|
| [Toy](report/toy.ipynb) | done |

: What there is {#tbl-overview tbl-colwidths="[30,70]"}

See @tbl-overview.
"""

DATA = """\
---
title: Data
---

## Sources

Back [home](../index.qmd#overview). The same in μg and 한글, "quoted".

::: {.uncaptioned}

| Symbol | Meaning |
|--------|---------|
| $n$    | items   |

:::

::: {#fig-pair layout-ncol=2}

![Left](files/toy/line.svg){#fig-pair-left fig-alt="A rising line"}

![Right](files/toy/line.svg){#fig-pair-right fig-alt="The same line"}

Two lines, @fig-pair-left again.
:::

## Sources

The same heading twice; @fig-pair-right.
"""

PURPOSE = """\
## Purpose

See @fig-png, @fig-svg, @fig-wide, @fig-panel, @fig-panel-2, @fig-saved, @fig-alt, @tbl-frame,
@tbl-markdown, @tbl-pipe, @tbl-levels, @tbl-many, @eq-kappa, @eq-callout, @eq-long and @sec-method.
Named otherwise: [Fig. @fig-png], [-@eq-kappa], [@fig-png; @fig-svg].

@fleiss1971 [p. 379] follows [@cohen1960]; also [see @cohen1960, pp. 12-13; @fleiss1971, table 1].
Ranges are 0.5--0.7 and it's "quoted", $\\kappa = -0.1$.[^note]
Symbols: μ, ≥, 한글, 5 % & more \\<b\\>.

[^note]: A note with $x^2$ and *emphasis*.
"""

METHOD = """\
## Method {#sec-method}

$$
\\kappa = \\frac{p_o - p_e}{1 - p_e}
$$ {#eq-kappa}

where

$$
\\begin{aligned}
p_o &= \\sum_i p_{ii} \\\\
p_e &= \\sum_i p_{i+} p_{+i}
\\end{aligned}
$$

::: {.callout-note}
## What surprises people
Negative values, as in @eq-callout:

$$ \\kappa \\ge \\frac{-p_e}{1 - p_e} $$ {#eq-callout}
:::

::: {.callout-warning collapse="true"}
Folded away, with a list:

- one
- two
:::

::: {.callout-tip title="In *short*"}
Use [the data](data.qmd).
:::

### Sub *heading* with $\\kappa$

Term
:   What it means.

1. First
2. Second
    - nested

| p | q |
|---|--:|
| 1 | 2 |

: Directly in the text, with $\\kappa$ {#tbl-direct}

$$
\\widehat{\\operatorname{Var}}(\\hat\\kappa) = \\frac{1}{N(1-p_e)^2}\\left\\{\\sum_i p_{ii}
\\left[1-(p_{i+}+p_{+i})(1-\\hat\\kappa)\\right]^2+(1-\\hat\\kappa)^2\\sum_{i\\ne j}p_{ij}
(p_{i+}+p_{+j})^2-\\left[\\hat\\kappa-p_e(1-\\hat\\kappa)\\right]^2\\right\\}
$$ {#eq-long}

```python
print("shown, never run")
```

::: {.panel-tabset}

#### Python

In Python.

#### R

In R.
:::
"""

FRAME = """\
<div><style scoped> .dataframe { color: inherit; } </style>
<table border="1" class="dataframe"><thead><tr><th>model</th><th>value</th></tr></thead>
<tbody><tr><td>A</td><td>0.703</td></tr><tr><td>B</td><td>-0.120</td></tr></tbody></table></div>"""

LEVELS = """\
<table class="dataframe"><thead><tr><th></th><th colspan="2">rater 1</th></tr>
<tr><th></th><th>no</th><th>yes</th></tr></thead>
<tbody><tr><th>no</th><td>20</td><td>5</td></tr><tr><th>yes</th><td>10</td><td>15</td></tr></tbody>
</table>"""


def png(width: int = 60, height: int = 40) -> str:
    """Return a blue rectangle as base64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + b"\x00\x72\xb2" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    image = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + image).decode()


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def shown(**data: str) -> dict[str, Any]:
    """Return a display output; keyword names stand for MIME types."""
    kinds = {
        "png": "image/png",
        "svg": "image/svg+xml",
        "html": "text/html",
        "markdown": "text/markdown",
        "latex": "text/latex",
        "plain": "text/plain",
    }
    return {
        "output_type": "display_data",
        "metadata": {},
        "data": {
            kinds[name]: value if name == "png" else lines(value) for name, value in data.items()
        },
    }


def value(text: str) -> dict[str, Any]:
    return {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {"text/plain": lines(text)},
    }


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": lines(text)}


def code(source: str, *outputs: dict[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {
            "tags": list(tags),
            "execution": {"iopub.execute_input": "2024-01-01T00:00:00Z"},
            "papermill": {"duration": 0.01, "status": "completed"},
        },
        "source": lines(source),
        "outputs": list(outputs),
    }


def prose(text: str, kind: str = "markdown") -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": lines(text)}


def notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    for number, cell in enumerate(cells):
        cell["id"] = f"cell{number:04d}"
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python", "version": "3.11"},
            "papermill": {"end_time": "2024-01-01T00:00:00Z"},
        },
        "cells": cells,
    }


def many_columns(n: int = 16) -> str:
    names = [f"category_{k}" for k in range(n)]
    rows = [["0.123"] * n, ["-0.456"] * n]
    return "\n".join("| " + " | ".join(row) + " |" for row in [names, ["--:"] * n, *rows])


def chapter() -> list[dict[str, Any]]:
    """Return the cells of a chapter with every kind of output."""
    front = '---\ntitle: Toy benchmark\ndescription: "On **simulated** data."\n'
    front += "benchbook:\n  data-statement: simulated\n---"
    picture = {"png": png(), "plain": "<Figure size 640x480 with 1 Axes>"}
    return [
        prose(front, "raw"),
        prose(PURPOSE),
        prose("## Parameters"),
        code("n = 10  # items\nseed = 1  # any integer", tags=("parameters",)),
        code("# Parameters\nn = 20\n", tags=("injected-parameters",)),
        prose("## Results"),
        code(
            "import sys\n\n\ndef twice(x):\n    # comment\n    return {'a': 1.5 * x, \"b\": `x`}\n"
        ),
        code("#| echo: false\nprint('hi')", printed("plain <output> $x$ @fig-png\nsecond line\n")),
        code(
            "#| label: fig-png\n"
            '#| fig-cap: "κ falls: $\\\\kappa$, **bold**, 5 % < 10 [@cohen1960]."\n'
            '#| fig-alt: "A \\"blue\\" rectangle"\ndraw()',
            value("Text(0.5, 0, 'prevalence')"),
            shown(**picture),
        ),
        code(
            "#| label: fig-svg\n#| fig-cap: |\n#|   A caption\n#|   on two lines.\n"
            "#| fig-alt: A rising line\ndraw()",
            shown(svg=SVG, plain="<Figure>"),
            shown(markdown="[SVG](files/toy/line.svg) · [CSV](files/toy/values.csv)"),
        ),
        code(
            "#| label: fig-wide\n#| fig-cap: Wide\n#| fig-alt: A wide one\n#| column: page\ndraw()",
            shown(**picture),
        ),
        code(
            "#| label: fig-panel\n#| fig-cap: Panels\n#| fig-subcap:\n#|   - One $x$\n#|   - Two\n"
            "#| layout-ncol: 2\n#| fig-alt:\n#|   - alt one\n#|   - alt two\ndraw()",
            shown(**picture),
            shown(**picture),
        ),
        code(
            "#| output: asis\n#| echo: false\nprint(text)",
            printed("Kappa is **0.70** (@tbl-frame).\n\nA second paragraph.\n"),
        ),
        code(
            "show(text)",
            shown(
                markdown="Between **0.652** and $x_1$ as @fig-png shows [@cohen1960].\n\n- item\n"
            ),
        ),
        code(
            "#| label: tbl-frame\n#| tbl-cap: A frame with $\\kappa$\nframe",
            shown(html=FRAME, plain="model value"),
        ),
        code(
            "#| label: tbl-levels\n#| tbl-cap: Two levels\nframe",
            shown(html=LEVELS, plain="rater 1"),
        ),
        code(
            "#| label: tbl-markdown\n#| tbl-cap: From Markdown\n"
            "#| tbl-colwidths: [30, 70]\nshow(table)",
            shown(markdown="| a | $b$ |\n|:--|--:|\n| x | 1.0 |\n| y | [@cohen1960] |\n"),
            shown(markdown="[CSV](files/toy/values.csv)"),
        ),
        code(
            "#| echo: false\nshow(table)",
            shown(
                markdown="| a | b |\n|:--|--:|\n| x | 1 |\n\n: Its own **caption** {#tbl-pipe}\n"
            ),
        ),
        code(
            "#| label: tbl-many\n#| tbl-cap: Many columns\n#| column: page\n"
            "#| echo: false\nshow(table)",
            shown(markdown=many_columns()),
        ),
        code(
            "show(saved)",
            shown(markdown='![Computed: 0.70](files/toy/line.svg){#fig-saved fig-alt="A line"}\n'),
        ),
        code(
            "show(saved)",
            shown(
                markdown="::: {#fig-alt}\n\n![](files/toy/line.svg){fig-alt='It rises'}\n\n"
                "Caption of a div\n:::\n\n[SVG](files/toy/line.svg)\n"
            ),
        ),
        code("show(formula)", shown(latex="$\\displaystyle x^2$", plain="x**2")),
        prose(METHOD),
        code("#| code-fold: false\n1 + 1", value("2")),
        code("#| include: false\nsecret_include()", value("3")),
        code("#| output: false\nquiet()", value("4")),
        code("hidden_code()", value("5"), tags=("hide-code",)),
        code("secret_removed()", value("6"), tags=("remove-cell",)),
        code('#| code-summary: "My summary"\n#| code-fold: show\nsummary()', value("7")),
        prose("## References\n\n::: {#refs}\n:::\n"),
    ]


def config() -> dict[str, Any]:
    """Return the repository's own ``_quarto.yml``, its navigation cut down to the toy's pages."""
    settings = yaml.safe_load((REPOSITORY / "_quarto.yml").read_text(encoding="utf-8"))
    settings["website"]["navbar"]["left"] = [
        {"href": "index.qmd", "text": "Overview"},
        {"text": "Benchmarks", "menu": [{"href": "report/toy.ipynb", "text": "Toy"}]},
    ]
    settings["website"]["sidebar"]["contents"] = [
        {"href": "index.qmd", "text": "Overview"},
        {"section": "Agreement", "contents": ["report/toy.ipynb"]},
        {"section": "Reference", "contents": ["report/data.qmd"]},
    ]
    return settings


def write_project(root: Path, cells: list[dict[str, Any]] | None = None) -> Path:
    """Write the toy project into a folder; ``cells`` replaces the chapter's."""
    report = root / "report"
    (report / "files/toy").mkdir(parents=True)
    (root / "notebooks").mkdir()
    (root / "notebooks/toy.ipynb").write_text("{}", encoding="utf-8")
    shutil.copytree(REPOSITORY / "report/theme", report / "theme")
    text = yaml.safe_dump(config(), sort_keys=False, allow_unicode=True)
    (root / "_quarto.yml").write_text(text, encoding="utf-8")
    (root / "index.qmd").write_text(INDEX, encoding="utf-8")
    (report / "data.qmd").write_text(DATA, encoding="utf-8")
    (report / "references.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (report / "files/toy/line.svg").write_text(SVG, encoding="utf-8")
    (report / "files/toy/values.csv").write_text("model,value\nA,0.703\n", encoding="utf-8")
    write_chapter(root, chapter() if cells is None else cells)
    return root


def write_chapter(root: Path, cells: list[dict[str, Any]]) -> None:
    text = json.dumps(notebook(cells), ensure_ascii=False)
    (root / "report/toy.ipynb").write_text(text, encoding="utf-8")
