"""The contract of a chapter: a notebook that keeps it, and one that breaks each promise."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchbook.errors import BenchbookError
from benchbook.parameters import check_notebook_against_model
from benchbook.site.contract import (
    MAX_CELL_LINES,
    MAX_VISIBLE_LINES,
    SECTIONS,
    check_contract,
    check_executed,
)
from benchbook.site.project import Project
from toy_project import (
    FIGURE,
    FRONT,
    PARAMETERS,
    RECORD,
    chapter_cells,
    code,
    markdown,
    notebook,
    raw,
)

Cells = list[dict[str, Any]]


NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_chapter_keeps_the_contract(path: Path):
    assert not (problems := check_contract(path)), "\n".join(problems)
    model = Project(path.parents[1]).model(path.stem)
    assert check_notebook_against_model(path, model) == []


def test_there_are_chapters():
    assert NOTEBOOKS


def check(tmp_path: Path, cells: Cells) -> list[str]:
    path = tmp_path / "toy.ipynb"
    path.write_text(json.dumps(notebook(cells)), encoding="utf-8")
    return check_contract(path)


def index_of(cells: Cells, text: str) -> int:
    return next(n for n, cell in enumerate(cells) if text in cell["source"])


def replaced(before: str, after: str) -> Cells:
    """The good chapter with one text replaced where it first stands."""
    cells = chapter_cells()
    cell = cells[index_of(cells, before)]
    cell["source"] = cell["source"].replace(before, after)
    return cells


def with_cell(cell: dict[str, Any]) -> Cells:
    cells = chapter_cells()
    cells.insert(index_of(cells, "## What would change this"), cell)
    return cells


def test_good_chapter_breaks_nothing(tmp_path: Path):
    assert check(tmp_path, chapter_cells()) == []


@pytest.mark.parametrize("heading", SECTIONS)
def test_missing_section_is_told(tmp_path: Path, heading: str):
    cells = chapter_cells()
    pattern = rf"^## {heading}(?= \{{|$)".replace("'", "’")
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["source"] = re.sub(pattern, "### Another", cell["source"], flags=re.M)
    assert f"section '{heading}' is missing" in check(tmp_path, cells)


BREACHES = {
    "section twice": (
        lambda: with_cell(markdown("## Limits")),
        "section 'Limits' is there more than once",
    ),
    "section of its own": (
        lambda: with_cell(markdown("## An aside")),
        "section 'An aside' is not in the contract",
    ),
    "sections out of order": (
        lambda: replaced("## Limits\n\n## Your own file", "## Your own file\n\n## Limits"),
        "sections are out of order",
    ),
    "no front matter": (lambda: chapter_cells()[1:], "the first cell must be a raw cell with"),
    "front matter in Markdown": (
        lambda: [markdown(FRONT), *chapter_cells()[1:]],
        "front matter: the first cell must be a raw cell",
    ),
    "front matter broken": (
        lambda: [raw("---\ntitle: [\n---"), *chapter_cells()[1:]],
        "front matter: front matter is not valid YAML",
    ),
    "no title": (lambda: replaced('title: "A toy"', ""), "front matter: no title"),
    "no description": (
        lambda: replaced('description: "Means of simulated scores."', ""),
        "front matter: no description",
    ),
    "no data statement": (
        lambda: replaced("data-statement: simulated", "other: x"),
        "data-statement is None",
    ),
    "invented data statement": (
        lambda: replaced("data-statement: simulated", "data-statement: secret"),
        "data-statement is 'secret'",
    ),
    "data statement not said": (
        lambda: [raw(FRONT.replace("simulated scores", "x")), markdown("x"), *chapter_cells()[2:]],
        "the first lines do not say that the data are simulated",
    ),
    "parameter without comment": (
        lambda: replaced("  # factor on every score, no unit", ""),
        "parameter 'scale' has no comment",
    ),
    "computed parameter": (lambda: replaced("scale = 1.0", "scale = 2 * 0.5"), "must be a literal"),
    "figure without caption": (
        lambda: replaced('#| fig-cap: "The scores rise."\n', ""),
        "fig-scores has no fig-cap",
    ),
    "figure without alternative text": (
        lambda: replaced('#| fig-alt: "Line through the scores 1 to 4."\n', ""),
        "fig-scores has no fig-alt",
    ),
    "empty alternative text": (
        lambda: replaced('"Line through the scores 1 to 4."', '" "'),
        "fig-scores has no fig-alt",
    ),
    "alternative text repeats the caption": (
        lambda: replaced("Line through the scores 1 to 4.", "The scores rise."),
        "only repeats the caption",
    ),
    "caption without label": (
        lambda: replaced("#| label: fig-scores\n", ""),
        "needs a label that begins with fig-",
    ),
    "table without caption": (
        lambda: with_cell(code("#| label: tbl-scores\nscores")),
        "tbl-scores has no tbl-cap",
    ),
    "label without prefix": (
        lambda: with_cell(code("#| label: scores\nscores")),
        "label 'scores' must begin with fig- or tbl-",
    ),
    "equation label without prefix": (
        lambda: replaced("{#eq-mean}", "{#mean}"),
        "label 'mean' of an equation must begin with eq-",
    ),
    "label twice": (
        lambda: with_cell(code(FIGURE)),
        "label 'fig-scores' is used 2 times",
    ),
    "reference to nothing": (
        lambda: with_cell(markdown("See @fig-gone.")),
        "reference @fig-gone points to nothing",
    ),
    "options after code": (
        lambda: with_cell(code("x = 1\n#| echo: false")),
        "'#|' options must be the first lines",
    ),
    "options not YAML": (
        lambda: with_cell(code("#| fig-cap: 'open\nx = 1")),
        "cell options are not valid YAML",
    ),
    "long cell": (
        lambda: with_cell(code("#| echo: false\n" + "x = 1\n" * (MAX_CELL_LINES + 1))),
        f"{MAX_CELL_LINES + 1} lines of code; at most {MAX_CELL_LINES}",
    ),
    "empty cell": (lambda: with_cell(code("\n")), "is empty"),
    "shell line": (lambda: with_cell(code("!ls")), "shell lines and magics"),
    "magic": (lambda: with_cell(code("%matplotlib inline")), "shell lines and magics"),
    "no record": (lambda: replaced(RECORD, "x = 1"), "does not call save_record"),
    "record in another section": (
        lambda: [*replaced(RECORD, "x = 1"), markdown("## Limits"), code(RECORD)],
        "does not call save_record",
    ),
    "outputs stored": (
        lambda: with_cell({**code("x = 1"), "execution_count": 1}),
        "outputs are stored",
    ),
    "injected parameters stored": (
        lambda: with_cell(code("x = 1", "injected-parameters")),
        "parameters of a run are stored",
    ),
}


@pytest.mark.parametrize("name", BREACHES)
def test_breach_is_told(tmp_path: Path, name: str):
    make, told = BREACHES[name]
    problems = check(tmp_path, make())
    assert any(told in problem for problem in problems), problems


def test_parameters_cell_is_needed_once_in_its_section(tmp_path: Path):
    cells = chapter_cells()
    position = index_of(cells, PARAMETERS)
    untagged = copy.deepcopy(cells)
    untagged[position]["metadata"] = {}
    assert "0 cells are tagged 'parameters'; expected one" in check(tmp_path, untagged)
    twice = [*cells, code("a = 1  # a", "parameters")]
    assert "2 cells are tagged 'parameters'; expected one" in check(tmp_path, twice)
    moved = [cell for n, cell in enumerate(cells) if n != position]
    moved.insert(index_of(moved, "## Method"), cells[position])
    assert any("belongs in the section 'Parameters'" in text for text in check(tmp_path, moved))


def tagged(cell: dict[str, Any], *tags: str) -> dict[str, Any]:
    return {**cell, "metadata": {"tags": list(tags)}}


def test_cells_that_no_run_shows_together_may_share_a_section_and_a_label(tmp_path: Path):
    cells = chapter_cells()
    position = next(n for n, cell in enumerate(cells) if cell["source"] == "## Results")
    figure = index_of(cells, "#| label: fig-scores")
    cells[position] = tagged(cells[position], "when:many")
    cells[figure] = tagged(cells[figure], "when:many")
    told = "section 'Results' is missing unless when:many"
    assert check(tmp_path, cells) == [told]
    cells.insert(position + 1, tagged(markdown("## Results\n\n### One"), "unless:many"))
    assert check(tmp_path, cells) == []
    cells.append(tagged(code(FIGURE), "unless:many"))
    assert check(tmp_path, cells) == []
    cells.append(tagged(code(FIGURE), "when:other"))
    assert check(tmp_path, cells) == ["label 'fig-scores' is used 2 times"]


def test_visible_code_has_a_budget_that_hidden_cells_do_not_touch(tmp_path: Path):
    lines = "x = 1\n" * MAX_CELL_LINES
    n_cells = MAX_VISIBLE_LINES // MAX_CELL_LINES
    cells = chapter_cells()
    shown = [*cells[:-1], *[code(lines)] * n_cells, cells[-1]]
    assert any("visible lines of code; at most" in text for text in check(tmp_path, shown))
    for option in ("echo", "include"):
        hidden = [code(f"#| {option}: false\n{lines}")] * n_cells
        assert check(tmp_path, [*cells[:-1], *hidden, cells[-1]]) == []


def test_code_in_prose_means_nothing(tmp_path: Path):
    text = "```\n## Limits\n@fig-gone {#fig-scores}\n```\n\nWrite `@fig-gone`, mail a@fig-gone."
    assert check(tmp_path, with_cell(markdown(text))) == []


def test_file_that_is_no_notebook_is_refused(tmp_path: Path):
    path = tmp_path / "x.ipynb"
    for content in ("", "[]", '{"nbformat": 3}'):
        path.write_text(content)
        with pytest.raises(BenchbookError, match=r"x\.ipynb"):
            check_contract(path)


# --- executed pages ------------------------------------------------------------------------------


def shown(data: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


PICTURE = shown({"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})
TRACEBACK = {"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": ["..."]}


def executed_cells() -> Cells:
    cells = [cell for cell in chapter_cells() if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        cell["execution_count"] = count
        if cell["source"].startswith("#| label: fig-"):
            cell["outputs"] = [PICTURE]
    return cells


def check_page(tmp_path: Path, cells: Cells, **options: Any) -> list[str]:
    path = tmp_path / "toy.ipynb"
    path.write_text(json.dumps(notebook(cells)), encoding="utf-8")
    return check_executed(path, **options)


def with_output(*outputs: dict[str, Any], source: str = "x") -> Cells:
    cells = executed_cells()
    extra = {**code(source), "execution_count": len(cells) + 1, "outputs": list(outputs)}
    return [*cells, extra]


def test_good_page_has_no_fault(tmp_path: Path):
    (tmp_path / "files" / "toy").mkdir(parents=True)
    (tmp_path / "files" / "toy" / "a.svg").write_text("<svg/>")
    harmless = [
        stream("see https://example.org/home/page and ../tmp/x, 3/usr"),
        shown({"text/markdown": "[a](files/toy/a.svg) [b](https://doi.org/10.1/x)"}),
        shown({"text/html": '<a href="https://doi.org/10.1/x">x</a>'}),
    ]
    assert check_page(tmp_path, with_output(*harmless), folders=["/secret/place"]) == []


FAULTS: dict[str, tuple[Callable[[], Cells], str]] = {
    "traceback": (lambda: with_output(TRACEBACK), "traceback of KeyError: 'a'"),
    "warning": (lambda: with_output(stream("careful\n", "stderr")), "error stream: careful"),
    "home folder": (lambda: with_output(stream("in /home/me/x")), "this machine, /home/me"),
    "file address": (lambda: with_output(stream("file:///home/me/x")), "this machine, /home/me"),
    "Windows folder": (
        lambda: with_output(stream("in C:\\Users\\me")),
        "this machine, C:\\Users",
    ),
    "folder named": (
        lambda: with_output(shown({"text/html": "/secret/place/x.csv"})),
        "this machine, /secret/place",
    ),
    "folder in a picture": (
        lambda: with_output(
            shown({"image/svg+xml": "<svg>/secret/place</svg>"}), source="#| label: fig-x\nx"
        ),
        "this machine, /secret/place",
    ),
    "folder in the parameters": (
        lambda: [
            *executed_cells(),
            {**code('data = "/secret/place/x"', "injected-parameters"), "execution_count": 99},
        ],
        "this machine, /secret/place",
    ),
    "figure without label": (lambda: with_output(PICTURE), "a figure without a label"),
    "label without figure": (
        lambda: with_output(source="#| label: fig-none\nx"),
        "fig-none shows no figure",
    ),
    "label without table": (
        lambda: with_output(stream("1"), source="#| label: tbl-none\nx"),
        "tbl-none shows no table",
    ),
    "memory address": (
        lambda: with_output(shown({"text/plain": "<f at 0x7f0012ab34>"})),
        "memory address",
    ),
    "other host": (
        lambda: with_output(shown({"text/html": '<script src="https://cdn.example/x.js">'})),
        "another host",
    ),
    "other host without scheme": (
        lambda: with_output(shown({"text/html": "<link href='//cdn.example/x.css'>"})),
        "another host",
    ),
    "dead link": (
        lambda: with_output(shown({"text/markdown": "[a](files/toy/none.svg)"})),
        "no such file: files/toy/none.svg",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_page_is_told(tmp_path: Path, name: str):
    make, told = FAULTS[name]
    problems = check_page(tmp_path, make(), folders=["/secret/place"])
    assert len(problems) == 1, problems
    assert told in problems[0]


def test_cells_that_were_not_run_or_run_out_of_order_are_told(tmp_path: Path):
    cells = executed_cells()
    cells[1]["execution_count"] = None
    cells[3]["execution_count"] = 1
    problems = check_page(tmp_path, cells)
    assert len(problems) == 2
    assert "was not run" in problems[0]
    assert "out of order" in problems[1]


def test_cells_keep_their_numbers_beside_injected_parameters(tmp_path: Path):
    cells = executed_cells()
    cells[2]["execution_count"] = None
    injected = {**code("scale = 2", "injected-parameters"), "execution_count": 1}
    cells[0]["execution_count"] = 0.5
    (told,) = check_page(tmp_path, [cells[0], injected, *cells[1:]])
    assert told.startswith("code cell 3 ")
