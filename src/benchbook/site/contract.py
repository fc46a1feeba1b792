"""What every chapter promises: the parts of its source, and of the page that a run leaves.

:func:`check_contract` reads a source notebook, :func:`check_executed` an executed one; each returns
one sentence per broken promise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.parameters import PARAMETERS_TAG, read_cell

from .captions import UNLESS, WHEN
from .notebook import split_options, text_of
from .project import DATA_STATEMENTS, front_matter, read_notebook

SECTIONS = (
    "What is measured",
    "Parameters",
    "Data",
    "Method",
    "Results that surprise people",
    "Results",
    "What would change this",
    "Limits",
    "Your own file",
    "References",
    "This run's record",
)
MAX_VISIBLE_LINES = 80
MAX_CELL_LINES = 20
INJECTED_TAG = "injected-parameters"
FLOATS = {"fig": ("fig-cap", "fig-alt"), "tbl": ("tbl-cap",)}
# What a cross-reference may point to, by Quarto's prefixes.
REFERENCE = re.compile(r"(?<![\w\\])@((?:fig|tbl|eq|sec|lst|thm)-[\w-]*\w)")
LABEL = re.compile(r"\{#([\w:.-]+)")
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*\s*?$", re.S | re.M)
INLINE_CODE = re.compile(r"(`+).+?\1", re.S)

Notebook = dict[str, Any]
Cell = dict[str, Any]


@dataclass(frozen=True)
class CodeCell:
    """A code cell: its number among the code cells of the source (from 1), options and code."""

    number: int
    cell: Cell
    options: dict[str, Any]
    code: str

    @property
    def tags(self) -> list[str]:
        """The cell's tags."""
        return list(self.cell["metadata"].get("tags", []))

    @property
    def label(self) -> str:
        """The cell's label, empty when it has none."""
        return str(self.options.get("label", ""))

    @property
    def place(self) -> str:
        """Number and first line, to find the cell by."""
        return f"code cell {self.number} ({first_line(self.code)!r})"

    @property
    def lines(self) -> int:
        """Lines of code, blank ones and options left out."""
        return sum(bool(line.strip()) for line in self.code.splitlines())


def first_line(source: str) -> str:
    """Return the first line of code: not blank, no cell option; the comment if that is all."""
    lines = [line.strip() for line in source.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#|")]
    return next((line for line in lines if not line.startswith("#")), lines[0] if lines else "")


def code_cells(notebook: Notebook) -> Iterator[CodeCell]:
    """Yield the code cells; the injected one is numbered 0, so that the others keep theirs."""
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        injected = INJECTED_TAG in cell["metadata"].get("tags", [])
        number += not injected
        source = text_of(cell["source"])
        try:
            options, code = split_options(source)
        except BenchbookError:
            options, code = {}, source
        yield CodeCell(0 if injected else number, cell, options, code)


# --- the source ----------------------------------------------------------------------------------


def check_contract(path: Path) -> list[str]:
    """List how a source notebook breaks the contract of a chapter.

    Parameters
    ----------
    path : Path
        The notebook.

    Returns
    -------
    list of str
        One sentence per breach; empty when there is none.

    Raises
    ------
    BenchbookError
        When the file is no notebook.
    """
    notebook = read_notebook(path)
    cells = list(code_cells(notebook))
    problems = [
        *_stored_outputs(cells),
        *_front_matter(notebook),
        *_sections(notebook),
        *_parameters(notebook, cells),
        *_options(notebook),
        *_floats(cells),
        *_labels(notebook, cells),
        *_budget(cells),
        *_shell_lines(cells),
        *_record(notebook),
        *_own_name(path.stem, cells),
    ]
    return problems


_NAMED = re.compile(r"\b(?:Shelf|save_record|output_folder)\(\s*[\"']([^\"']+)[\"']")


def _own_name(stem: str, cells: Sequence[CodeCell]) -> Iterator[str]:
    """Tell where a copied notebook still files its results under the name of its model."""
    for entry in cells:
        for name in _NAMED.findall(entry.code):
            if name != stem:
                yield f"{entry.place}: files under '{name}'; expected '{stem}'"


def _stored_outputs(cells: Sequence[CodeCell]) -> Iterator[str]:
    for entry in cells:
        if entry.cell.get("outputs") or entry.cell.get("execution_count") is not None:
            yield f"{entry.place}: outputs are stored; sources carry none"
        if INJECTED_TAG in entry.tags:
            yield f"{entry.place}: parameters of a run are stored; sources carry none"


def _front_matter(notebook: Notebook) -> Iterator[str]:
    try:
        front = front_matter(notebook)
    except BenchbookError as error:
        yield f"front matter: {error}"
        return
    if not front:
        yield "front matter: the first cell must be a raw cell with a '---' block"
        return
    if notebook["cells"][0]["cell_type"] != "raw":
        yield "front matter: the first cell must be a raw cell"
    for key in ("title", "description"):
        if not str(front.get(key) or "").strip():
            yield f"front matter: no {key}"
    own = front.get("benchbook")
    statement = own.get("data-statement") if isinstance(own, dict) else None
    if statement not in DATA_STATEMENTS:
        choices = ", ".join(DATA_STATEMENTS)
        yield f"front matter: benchbook: data-statement is {statement!r}; expected one of {choices}"
        return
    opening = next((text for text in _markdown(notebook)), "")
    if statement not in f"{front.get('description')} {opening}".lower():
        yield f"the first lines do not say that the data are {statement}"


def _markdown(notebook: Notebook) -> Iterator[str]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield text_of(cell["source"])


def _prose(text: str) -> str:
    """Return Markdown without code, whose signs mean nothing."""
    return INLINE_CODE.sub(" ", FENCE.sub("", text))


def _conditions(cell: Cell) -> frozenset[str]:
    """Return the tags under which a cell is kept in a run."""
    tags = cell["metadata"].get("tags", [])
    return frozenset(tag for tag in tags if tag.startswith((WHEN, UNLESS)))


def _together(places: Sequence[frozenset[str]]) -> int:
    """Count how many of these cells one run can show: ``when:x`` excludes ``unless:x``."""
    shown: list[frozenset[str]] = []
    for place in places:
        opposite = {
            tag.replace(WHEN, UNLESS) if tag.startswith(WHEN) else tag.replace(UNLESS, WHEN)
            for tag in place
        }
        if all(not opposite & other for other in shown):
            shown.append(place)
    return len(shown)


def _headings(text: str, level: int) -> list[str]:
    pattern = rf"^{'#' * level}[ \t]+(.+?)[ \t]*#*[ \t]*$"
    headings = re.findall(pattern, FENCE.sub("", text), re.M)
    return [re.sub(r"\s*\{[^}]*\}$", "", heading).replace("’", "'") for heading in headings]


def _sections(notebook: Notebook) -> Iterator[str]:
    places: dict[str, list[frozenset[str]]] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for heading in _headings(text_of(cell["source"]), 2):
                places.setdefault(heading, []).append(_conditions(cell))
    found = list(places)
    for heading in found:
        if heading not in SECTIONS:
            yield f"section '{heading}' is not in the contract (use a deeper heading)"
    for heading in SECTIONS:
        conditions = places.get(heading, [])
        if not conditions:
            yield f"section '{heading}' is missing"
        elif _together(conditions) > 1:
            yield f"section '{heading}' is there more than once"
        elif len(conditions) == 1 and conditions[0]:
            yield f"section '{heading}' is missing unless {', '.join(sorted(conditions[0]))}"
    known = [heading for heading in dict.fromkeys(found) if heading in SECTIONS]
    if known != sorted(known, key=SECTIONS.index):
        yield f"sections are out of order: {', '.join(known)}"


def _parameters(notebook: Notebook, cells: Sequence[CodeCell]) -> Iterator[str]:
    tagged = [entry for entry in cells if PARAMETERS_TAG in entry.tags]
    if len(tagged) != 1:
        yield f"{len(tagged)} cells are tagged '{PARAMETERS_TAG}'; expected one"
        return
    if _section_of(notebook, tagged[0].cell) != "Parameters":
        yield f"{tagged[0].place}: the parameters cell belongs in the section 'Parameters'"
    try:
        parameters = read_cell(notebook)
    except BenchbookError as error:
        yield str(error)
        return
    if not parameters:
        yield "the parameters cell is empty"
    for parameter in parameters.values():
        if not parameter.comment:
            yield f"parameter '{parameter.name}' has no comment (meaning and unit)"


def _section_of(notebook: Notebook, wanted: Cell) -> str | None:
    section = None
    for cell in notebook["cells"]:
        if cell is wanted:
            return section
        if cell["cell_type"] == "markdown":
            headings = _headings(text_of(cell["source"]), 2)
            section = headings[-1] if headings else section
    return None


def _options(notebook: Notebook) -> Iterator[str]:
    for entry in code_cells(notebook):
        source = text_of(entry.cell["source"])
        try:
            split_options(source)
        except BenchbookError as error:
            yield f"{entry.place}: {' '.join(str(error).split())}"
            continue
        if any(line.startswith("#|") for line in entry.code.splitlines()):
            yield f"{entry.place}: '#|' options must be the first lines of the cell"


def _floats(cells: Sequence[CodeCell]) -> Iterator[str]:
    for entry in cells:
        prefix = entry.label.split("-")[0]
        for kind, needed in FLOATS.items():
            if any(key in entry.options for key in needed) and prefix != kind:
                yield f"{entry.place}: a caption of a {kind} needs a label that begins with {kind}-"
            for key in needed:
                if prefix == kind and not _filled(entry.options.get(key)):
                    yield f"{entry.place}: {entry.label} has no {key}"
        if entry.label and prefix not in (*FLOATS, "lst"):
            yield f"{entry.place}: label '{entry.label}' must begin with fig- or tbl-"
        caption, alternative = entry.options.get("fig-cap"), entry.options.get("fig-alt")
        if caption and caption == alternative:
            yield f"{entry.place}: {entry.label}: alternative text only repeats the caption"


def _filled(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(isinstance(text, str) and text.strip() for text in values)


def _labels(notebook: Notebook, cells: Sequence[CodeCell]) -> Iterator[str]:
    prose = [_prose(text) for text in _markdown(notebook)]
    labels: dict[str, list[frozenset[str]]] = {}
    for entry in cells:
        if entry.label:
            labels.setdefault(entry.label, []).append(_conditions(entry.cell))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for label in LABEL.findall(_prose(text_of(cell["source"]))):
                labels.setdefault(label, []).append(_conditions(cell))
    for text in prose:
        for label in re.findall(r"\$\$\s*\{#([\w:.-]+)", text):
            if not label.startswith("eq-"):
                yield f"label '{label}' of an equation must begin with eq-"
    for label, places in labels.items():
        if _together(places) > 1:
            yield f"label '{label}' is used {_together(places)} times"
    captions = [
        str(entry.options.get(key, "")) for entry in cells for key in ("fig-cap", "tbl-cap")
    ]
    for text in (*prose, *captions):
        for reference in REFERENCE.findall(text):
            if reference not in labels:
                yield f"reference @{reference} points to nothing on the page"


def _budget(cells: Sequence[CodeCell]) -> Iterator[str]:
    hidden = ("echo", "include")
    visible = sum(
        entry.lines for entry in cells if not any(entry.options.get(key) is False for key in hidden)
    )
    if visible > MAX_VISIBLE_LINES:
        yield f"{visible} visible lines of code; at most {MAX_VISIBLE_LINES}"
    for entry in cells:
        if not entry.code.strip():
            yield f"code cell {entry.number} is empty"
        # The parameters are a table, one a line, as long as there are parameters.
        if entry.lines > MAX_CELL_LINES and PARAMETERS_TAG not in entry.tags:
            yield f"{entry.place}: {entry.lines} lines of code; at most {MAX_CELL_LINES}"


def _shell_lines(cells: Sequence[CodeCell]) -> Iterator[str]:
    for entry in cells:
        if re.search(r"^\s*[!%]", entry.code, re.M):
            yield f"{entry.place}: shell lines and magics can fail unseen; call a function"


def _record(notebook: Notebook) -> Iterator[str]:
    called = any(
        "save_record(" in text_of(cell["source"])
        and _section_of(notebook, cell) == "This run's record"
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    )
    if not called:
        yield "the section 'This run's record' does not call save_record"


# --- the executed page ---------------------------------------------------------------------------

# Folders that exist on machines, not on pages; a project's own folders are passed as `folders`.
MACHINE_PATHS = re.compile(
    r"(?<![\w.-])/(?:home|Users|root|tmp|var|private|usr|opt|mnt)/[\w.-]+"
    r"|(?<!\w)[A-Za-z]:[\\/]+(?:Users|Windows|Program Files|ProgramData|Temp)\b"
)
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
OTHER_HOST = re.compile(
    r"<(?:script|img|link|iframe|source|video|audio)\b[^>]*?\b(?:src|href)\s*=\s*[\"']?"
    r"(?:https?:)?//[^\"'\s>]+",
    re.I,
)
FILE_LINK = re.compile(r"""(?:\]\(|(?:src|href)=["'])(files/[^)"'\s#?]+)""")


def check_executed(path: Path, folders: Iterable[str | Path] = ()) -> list[str]:
    """List what is wrong with an executed page.

    Parameters
    ----------
    path : Path
        The executed notebook; files it links to are looked for beside it.
    folders : iterable of str or Path
        Folders (the project's, the user's) that must not be named anywhere on the page.

    Returns
    -------
    list of str
        One sentence per fault; empty when there is none.
    """
    notebook = read_notebook(path)
    cells = list(code_cells(notebook))
    return [
        *unexecuted(notebook),
        *(f"{place}: {text}" for place, text in errors_and_warnings(notebook)),
        *machine_paths(notebook, folders),
        *_figures(cells),
        *_foreign(cells),
        *_dead_links(cells, path.parent),
    ]


def unexecuted(notebook: Notebook) -> Iterator[str]:
    """Say which code cells were not run, or not in order."""
    previous = 0
    for entry in code_cells(notebook):
        if not entry.code.strip():
            continue
        count = entry.cell.get("execution_count")
        if count is None:
            yield f"{entry.place} was not run"
        elif count <= previous:
            yield f"{entry.place} was run out of order"
        previous = count or previous


def errors_and_warnings(notebook: Notebook) -> Iterator[tuple[str, str]]:
    """Yield the place of every traceback and every text on the error stream, with its words."""
    for entry in code_cells(notebook):
        for output in entry.cell["outputs"]:
            if output["output_type"] == "error":
                yield entry.place, f"traceback of {output['ename']}: {output['evalue']}"
            elif output["output_type"] == "stream" and output["name"] == "stderr":
                yield entry.place, f"on the error stream: {text_of(output['text']).strip()}"


def machine_paths(notebook: Notebook, folders: Iterable[str | Path] = ()) -> Iterator[str]:
    """Say where a page names a folder of the machine it was made on."""
    names = {str(folder).rstrip("/\\") for folder in folders}
    names |= {name.replace("\\", "/") for name in names}
    named = [re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])") for name in sorted(names)]
    for entry in code_cells(notebook):
        texts = [*output_texts(entry.cell)]
        patterns = [MACHINE_PATHS, *named]
        if INJECTED_TAG in entry.tags:
            texts.append(text_of(entry.cell["source"]))
        found = (pattern.search(text) for text in texts for pattern in patterns)
        for match in dict.fromkeys(match.group() for match in found if match):
            yield f"{entry.place}: the page names a folder of this machine, {match}"


def output_texts(cell: Cell) -> Iterator[str]:
    """Yield every text a cell shows; pictures in binary are none."""
    for output in cell["outputs"]:
        if "text" in output:
            yield text_of(output["text"])
        for kind, value in output.get("data", {}).items():
            if kind.startswith("text/") or kind == "image/svg+xml":
                yield text_of(value)
            elif kind.endswith("json"):
                yield json.dumps(value, ensure_ascii=False)


def _shows_picture(output: Cell) -> bool:
    data = output.get("data", {})
    if any(kind.startswith("image/") for kind in data):
        return True
    markdown, html = text_of(data.get("text/markdown")), text_of(data.get("text/html"))
    return "![" in markdown or "<svg" in html or "<img" in html


def _figures(cells: Sequence[CodeCell]) -> Iterator[str]:
    for entry in cells:
        pictures = [output for output in entry.cell["outputs"] if _shows_picture(output)]
        if entry.label.startswith("fig-") and not pictures:
            yield f"{entry.place}: {entry.label} shows no figure"
        if pictures and not entry.label.startswith("fig-"):
            yield f"{entry.place}: a figure without a label that begins with fig-"
        if entry.label.startswith("tbl-") and not any("data" in o for o in entry.cell["outputs"]):
            yield f"{entry.place}: {entry.label} shows no table"


def _foreign(cells: Sequence[CodeCell]) -> Iterator[str]:
    for entry in cells:
        for text in output_texts(entry.cell):
            if OTHER_HOST.search(text):
                yield f"{entry.place}: the page loads a file from another host"
            if ADDRESS.search(text):
                yield f"{entry.place}: the page shows a memory address, new on every run"


def _dead_links(cells: Sequence[CodeCell], folder: Path) -> Iterator[str]:
    for entry in cells:
        for text in output_texts(entry.cell):
            for target in FILE_LINK.findall(text):
                if not (folder / target).is_file():
                    yield f"{entry.place}: no such file: {target}"
