"""Executed notebooks as pages: tidied for a renderer, or turned into Quarto's Markdown.

:func:`tidy` works on a notebook in place of its author: both renderers read the tidied notebook,
so they see the same thing. :func:`to_markdown` then writes what Quarto itself would make of it.
"""

from __future__ import annotations

import base64
import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from benchbook.errors import BenchbookError

Cell = dict[str, Any]
Options = dict[str, Any]

PARAMETERS_TITLE = "This run's parameters"
DEFAULTS_TITLE = "Parameters and their defaults"
FILES_CELL = "-files"  # ends the id of a cell that tidying split off another

# The tags Quarto reads, as the cell options they stand for.
TAGS: dict[str, Options] = {
    "hide-cell": {"include": False},
    "remove-cell": {"include": False},
    "hide-code": {"echo": False},
    "hide-output": {"output": False},
    "show-code": {"echo": True},
    "show-output": {"output": True},
}
IMAGES = {
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
}
# Options of a figure or table cell that both renderers read from the div around the output.
FLOAT_ATTRIBUTES = ("tbl-colwidths", "layout-ncol")

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
# What a plotting call leaves behind as the value of the cell's last line: no reader wants it.
_ECHO = re.compile(r"[<(\[].*[>)\]]|Text\([-\d].*|\{.*<matplotlib\..*", re.S)


@dataclass(frozen=True)
class PageSource:
    """A page as Quarto's Markdown.

    Attributes
    ----------
    front : dict
        The front matter.
    body : str
        Markdown in Quarto's dialect, without the front matter.
    images : dict of str to bytes
        Pictures held by the notebook, by their path relative to the page.
    """

    front: dict[str, Any]
    body: str
    images: dict[str, bytes] = field(default_factory=dict)


def text_of(value: str | list[str] | None) -> str:
    """Join a field that a notebook stores as one string or as a list of lines."""
    return value if isinstance(value, str) else "".join(value or [])


def lines_of(text: str) -> list[str]:
    """Split a text into lines as a notebook stores them; Quarto misreads a single string."""
    return text.splitlines(keepends=True)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Split a page's YAML front matter from its body.

    Raises
    ------
    BenchbookError
        The front matter is not valid YAML, or not a mapping.
    """
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    try:
        front = yaml.safe_load(match.group(1)) or {}
    except yaml.YAMLError as error:
        raise BenchbookError(f"front matter is not valid YAML: {error}") from error
    if not isinstance(front, dict):
        raise BenchbookError("front matter must be a list of 'key: value' lines")
    return front, text[match.end() :]


def split_options(source: str) -> tuple[Options, str]:
    """Split the leading ``#|`` lines of a code cell from its code.

    Raises
    ------
    BenchbookError
        The options are not valid YAML, or not a mapping.
    """
    lines = source.split("\n")
    n_options = 0
    while n_options < len(lines) and lines[n_options].startswith("#|"):
        n_options += 1
    if not n_options:
        return {}, source
    block = "\n".join(line[2:].removeprefix(" ") for line in lines[:n_options])
    try:
        options = yaml.safe_load(block) or {}
    except yaml.YAMLError as error:
        raise BenchbookError(f"cell options are not valid YAML:\n{block}\n{error}") from error
    if not isinstance(options, dict):
        raise BenchbookError(f"cell options must be 'key: value' lines, found:\n{block}")
    return options, "\n".join(lines[n_options:]).lstrip("\n")


# ------------------------------------------------------------------------------------- tidying


def tidy(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an executed notebook that every renderer shows alike.

    Time stamps go, so that two runs give the same page. Texts become lists of lines, as Quarto
    wants them. HTML tables become Markdown raw blocks:
    Quarto loads scripts from another host for any HTML output. The parameter cells get a title.
    What a labelled cell shows beside its one figure or table (download links) moves to a cell of
    its own, otherwise Quarto counts it as a second panel. Tidying twice changes nothing more.

    Parameters
    ----------
    notebook : dict
        A notebook (format 4) as read from JSON; it is not changed.

    Raises
    ------
    BenchbookError
        A code cell whose ``#|`` options cannot be read, named by its number.
    """
    result = copy.deepcopy(notebook)
    for key in ("papermill", "widgets"):
        result.get("metadata", {}).pop(key, None)
    injected = any("injected-parameters" in _tags(cell) for cell in result["cells"])
    cells: list[Cell] = []
    for number, cell in enumerate(result["cells"], 1):
        try:
            cells += _tidy_cell(cell, injected)
        except BenchbookError as error:
            raise BenchbookError(f"cell {number}: {error}") from error
    result["cells"] = cells
    return result


def _tidy_cell(cell: Cell, injected: bool) -> list[Cell]:
    tags = _tags(cell)
    cell["metadata"] = {"tags": tags} if tags else {}
    cell["source"] = lines_of(text_of(cell["source"]))
    if cell["cell_type"] != "code":
        return [cell]
    cell["outputs"] = [_in_lines(_without_html(output)) for output in cell["outputs"]]
    _title_parameters(cell, tags, injected)
    return _split_downloads(cell)


def _tags(cell: Cell) -> list[str]:
    return list(cell.get("metadata", {}).get("tags", []))


def _without_html(output: Cell) -> Cell:
    data = output.get("data", {})
    if "text/html" in data:
        html = text_of(data.pop("text/html"))
        data.setdefault("text/markdown", lines_of(fenced(html, "{=html}")))
    return output


def _in_lines(output: Cell) -> Cell:
    if "text" in output:
        output["text"] = lines_of(text_of(output["text"]))
    for mime, value in output.get("data", {}).items():
        if mime.startswith("text/") or mime == "image/svg+xml":
            output["data"][mime] = lines_of(text_of(value))
    return output


def _title_parameters(cell: Cell, tags: list[str], injected: bool) -> None:
    """Show the code of a parameters cell under a title, unless its author chose otherwise."""
    if "injected-parameters" in tags:
        title = PARAMETERS_TITLE
    elif "parameters" in tags:
        title = DEFAULTS_TITLE if injected else PARAMETERS_TITLE
    else:
        return
    source = text_of(cell["source"])
    options, code = split_options(source)
    if "code-summary" in options or "code-fold" in options:
        return
    head = source[: len(source) - len(code)] if options else ""
    code = code.removeprefix("# Parameters\n") if title == PARAMETERS_TITLE else code
    cell["source"] = lines_of(f'{head}#| code-fold: show\n#| code-summary: "{title}"\n{code}')


def _split_downloads(cell: Cell) -> list[Cell]:
    options, _ = split_options(text_of(cell["source"]))
    label = str(options.get("label", ""))
    if not label.startswith(("fig-", "tbl-")) or "fig-subcap" in options:
        return [cell]
    shown = [output for output in cell["outputs"] if "data" in output]
    main = next((out for out in shown if _holds(out, label)), None)
    rest = [out for out in shown if out is not main and not _is_echo(out)]
    if main is None or not rest or any(_holds(out, label) for out in rest):
        return [cell]
    cell["outputs"] = [main]
    links: Cell = {
        "cell_type": "code",
        "execution_count": cell.get("execution_count"),
        "id": f"{cell.get('id', label)}"[:50] + FILES_CELL,
        "metadata": {},
        "outputs": rest,
        "source": ["#| echo: false\n"],
    }
    return [cell, links]


def _holds(output: Cell, label: str) -> bool:
    """Tell whether an output is the figure, or the table, that the label announces."""
    data = output.get("data", {})
    if label.startswith("fig-"):
        return any(mime in data for mime in IMAGES) or "![" in text_of(data.get("text/markdown"))
    text = text_of(data.get("text/markdown"))
    return "<table" in text or re.search(r"^\s*\|?[ :]*-{2,}", text, re.M) is not None


def _is_echo(output: Cell) -> bool:
    data = output.get("data", {})
    return set(data) == {"text/plain"} and bool(_ECHO.fullmatch(text_of(data["text/plain"])))


# --------------------------------------------------------------------------- notebook to Markdown


def to_markdown(notebook: dict[str, Any], stem: str, defaults: Options | None = None) -> PageSource:
    """Write a tidied notebook as Quarto's Markdown, with its stored outputs.

    Parameters
    ----------
    notebook : dict
        A notebook from :func:`tidy`.
    stem : str
        The page's name without suffix; pictures go to ``{stem}_files/figure-html/``.
    defaults : dict, optional
        The site's ``echo``, ``output``, ``include``, ``code-fold`` and ``code-summary``. The page's
        front matter overrides them, and a cell's ``#|`` options override both.

    Raises
    ------
    BenchbookError
        A cell that no renderer can show, named by its label or its number.
    """
    front: dict[str, Any] = {}
    images: dict[str, bytes] = {}
    parts: list[str] = []
    settings = dict(defaults or {})
    number = 0
    for cell in notebook["cells"]:
        number += not str(cell.get("id", "")).endswith(FILES_CELL)
        source = text_of(cell["source"])
        try:
            if number == 1 and cell["cell_type"] in ("raw", "markdown"):
                front, source = split_front_matter(source)
                settings |= page_settings(front)
            if cell["cell_type"] == "code":
                parts.append(_code_cell(cell, number, stem, settings, images))
            elif cell["cell_type"] == "markdown" and "remove-cell" not in _tags(cell):
                parts.append(source)
            elif cell["cell_type"] == "raw" and number > 1:
                raise BenchbookError("a raw cell is shown by no renderer; use a Markdown cell")
        except BenchbookError as error:
            raise BenchbookError(f"cell {number}: {error}") from error
    return PageSource(front, "\n\n".join(parts) + "\n", images)


def page_settings(options: dict[str, Any]) -> Options:
    """Read the options for code cells that a page or a site sets for all of them."""
    html = options.get("format", {})
    html = html.get("html", {}) if isinstance(html, dict) else {}
    found: Options = {}
    for level in (options, options.get("execute"), html):
        for key in ("echo", "output", "include", "code-fold", "code-summary"):
            if isinstance(level, dict) and key in level:
                found[key] = level[key]
    return found


def fenced(text: str, info: str = "") -> str:
    """Put text in a code fence long enough that the text cannot close it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{info}\n{text.rstrip()}\n{fence}"


def div(attributes: str, *blocks: str) -> str:
    """Put Markdown blocks in a fenced div."""
    body = "\n\n".join(block for block in blocks if block)
    return f"::: {{{attributes}}}\n\n{body}\n\n:::"


def attribute(name: str, value: object) -> str:
    """Write one attribute of a div or an image, escaped as pandoc reads it."""
    text = str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{escaped}"'


def _code_cell(
    cell: Cell, number: int, stem: str, settings: Options, images: dict[str, bytes]
) -> str:
    own, code = split_options(text_of(cell["source"]))
    tagged = {key: value for tag in _tags(cell) for key, value in TAGS.get(tag, {}).items()}
    options = {**settings, **tagged, **own}
    if options.get("include") is False:
        return ""
    blocks = []
    if options.get("echo", True) is not False and code.strip():
        blocks.append(_source_block(code, options))
    if options.get("output", True) is not False:
        name = str(options.get("label") or f"cell-{number}")
        outputs = [out for out in cell["outputs"] if not _discarded(out, cell["outputs"])]
        pictures = f"{stem}_files/figure-html/{name}-output"
        blocks += _outputs(outputs, options, pictures, images)
    if not blocks:
        return ""
    return div(".cell", *blocks)


def _source_block(code: str, options: Options) -> str:
    info = [".python", ".cell-code"]
    fold = str(options.get("code-fold", False)).lower()
    if fold in ("true", "show"):
        info.append(attribute("code-fold", fold))
        info.append(attribute("code-summary", options.get("code-summary") or "Code"))
    return fenced(code.strip("\n"), f" {{{' '.join(info)}}}")


def _discarded(output: Cell, outputs: list[Cell]) -> bool:
    """Drop the echo of a plotting call, as Quarto does."""
    if output["output_type"] != "execute_result" or set(output["data"]) != {"text/plain"}:
        return False
    drawn = any(mime in out.get("data", {}) for out in outputs for mime in IMAGES)
    text = text_of(output["data"]["text/plain"])
    return (
        bool(_ECHO.fullmatch(text)) if drawn else text.startswith(("[<matplotlib", "<matplotlib"))
    )


def _outputs(
    outputs: list[Cell], options: Options, pictures: str, images: dict[str, bytes]
) -> list[str]:
    shown = [(out, _output(out, n, options, pictures, images)) for n, out in enumerate(outputs, 1)]
    label = str(options.get("label", ""))
    asis = options.get("output") == "asis"
    if not label.startswith(("fig-", "tbl-")):
        return [text if asis else _output_div(out, text, options) for out, text in shown]
    floats = [text for out, text in shown if "data" in out]
    others = [_output_div(out, text, options) for out, text in shown if "data" not in out]
    if not floats:
        raise BenchbookError(f"{label} shows no figure or table")
    display = ".cell-output .cell-output-display" + _column(options)
    return [*others, div(display, _float(label, floats, options))]


def _output_div(output: Cell, text: str, options: Options) -> str:
    if "data" not in output:
        kind = output.get("name", "error")
        return div(f".cell-output .cell-output-{kind}", text)
    classes = ".cell-output .cell-output-display"
    if "text/markdown" in output["data"]:
        classes += " .cell-output-markdown"
    return div(classes + _column(options), text)


def _column(options: Options) -> str:
    column = options.get("column")
    return f" .column-{column}" if isinstance(column, str) else ""


def _float(label: str, contents: list[str], options: Options) -> str:
    """Write the div of a figure or table: its contents, then its caption as a last paragraph."""
    kind = label[:3]
    attributes = [f"#{label}"]
    attributes += [attribute(key, options[key]) for key in FLOAT_ATTRIBUTES if key in options]
    subcaptions = options.get(f"{kind}-subcap")
    if isinstance(subcaptions, list):
        if len(subcaptions) != len(contents):
            raise BenchbookError(
                f"{label} shows {len(contents)} outputs and has {len(subcaptions)} subcaptions"
            )
        contents = [
            div(f"#{label}-{n}", content, str(caption))
            for n, (content, caption) in enumerate(zip(contents, subcaptions, strict=True), 1)
        ]
    elif len(contents) > 1:
        raise BenchbookError(f"{label} shows {len(contents)} outputs: use one, or {kind}-subcap")
    caption = " ".join(str(options.get(f"{kind}-cap", "")).split())
    return div(" ".join(attributes), *contents, caption)


def _output(output: Cell, n: int, options: Options, pictures: str, images: dict[str, bytes]) -> str:
    """Write one stored output as Markdown; a picture goes to ``images``."""
    if output["output_type"] == "stream":
        text = _ANSI.sub("", text_of(output["text"]))
        return text if options.get("output") == "asis" else fenced(text)
    if output["output_type"] == "error":
        return fenced(_ANSI.sub("", "\n".join(output["traceback"])))
    data = output["data"]
    if "text/markdown" in data:
        return text_of(data["text/markdown"]).strip("\n")
    for mime, suffix in IMAGES.items():
        if mime in data:
            value = text_of(data[mime])
            raw = value.encode() if suffix == "svg" else base64.b64decode(value)
            path = f"{pictures}-{n}.{suffix}"
            images[path] = raw
            size = output.get("metadata", {}).get(mime, {})
            return f"![]({path}){_picture_attributes(options, n, size)}"
    if "text/latex" in data:
        return text_of(data["text/latex"])
    return fenced(_ANSI.sub("", text_of(data.get("text/plain"))))


def _picture_attributes(options: Options, n: int, size: Mapping[str, int]) -> str:
    """Write the alternative text, and the size that the output asks for, as Quarto does."""
    alternative = options.get("fig-alt")
    if isinstance(alternative, list):
        alternative = alternative[n - 1] if n <= len(alternative) else None
    written = [attribute("fig-alt", alternative)] if alternative else []
    written += [attribute(side, size[side]) for side in ("width", "height") if side in size]
    return f"{{{' '.join(written)}}}" if written else ""
