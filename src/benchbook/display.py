"""What a chapter's cell shows: a figure or table with its caption, alternative text and files.

The source of a notebook carries a general caption (``#| fig-cap``). What the caption says about
this run's numbers is known only after the run, so the functions here put it beside the output,
and the runner writes it into the executed page (:mod:`benchbook.site.captions`).
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from .estimate import bounds_text, decimals
from .records import file_link, output_folder

if TYPE_CHECKING:
    from .figures import HouseFigure

CAPTION_KEY = "benchbook"
"""Key of an output's metadata that holds the caption and the alternative text of its cell."""

FILE_WORDS = {"svg": "SVG", "pdf": "PDF", "png": "PNG", "csv": "CSV", "tex": "LaTeX"}
SMALLEST_P = 0.001
P_COLUMNS = ("p", "p_value", "p raters")


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure with what a reader needs beside it.

    Attributes
    ----------
    figure : HouseFigure
        As returned by a function of :mod:`benchbook.figures`.
    stem : str
        Name of the files.
    caption : str
        The finding, in Markdown; links to the files are added to it.
    alt : str
        What a reader who cannot see the figure needs to know.
    """

    figure: HouseFigure
    stem: str
    caption: str
    alt: str


@dataclass(frozen=True, eq=False)
class Table:
    """A table with its caption.

    Attributes
    ----------
    frame : DataFrame
        Full precision; this is what the files hold.
    stem : str
        Name of the files.
    caption : str
        What the table says, in Markdown; links to the files are added to it.
    shown : DataFrame or None
        The columns for the page, where they differ from those of the files.
    digits : int
        Decimals of numbers on the page.
    """

    frame: pd.DataFrame
    stem: str
    caption: str
    shown: pd.DataFrame | None = None
    digits: int = 3


class Shelf:
    """Where one chapter shows its figures and tables, and files them.

    Parameters
    ----------
    name : str
        The chapter, as in ``notebooks/NAME.ipynb``.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def show(self, exhibit: Drawing | Table | None) -> None:
        """Show a figure or table; None, for what does not apply to a run, shows nothing.

        A figure is also written as SVG, PDF and PNG with its numbers as CSV, a table as CSV in
        full precision and as LaTeX.
        """
        if isinstance(exhibit, Drawing):
            self._draw(exhibit)
        elif exhibit is not None:
            self._tabulate(exhibit)

    def _draw(self, drawing: Drawing) -> None:
        from IPython.display import display

        from .figures import save_figure

        files = save_figure(drawing.figure, drawing.stem, output_folder(self.name))
        png, size = drawing.figure.display_png()
        told = {"fig-cap": self._with_files(drawing.caption, files), "fig-alt": drawing.alt}
        display(
            {"image/png": png, "text/plain": f"[figure {drawing.stem}]"},
            raw=True,
            metadata={"image/png": size, CAPTION_KEY: told},
        )

    def _tabulate(self, table: Table) -> None:
        from IPython.display import display

        from .figures import save_table

        files = save_table(table.frame, table.stem, output_folder(self.name))
        page = formatted(table.frame if table.shown is None else table.shown, table.digits)
        page = without_empty(without_repeats(page))
        display(
            {"text/html": html_table(page), "text/plain": page.to_string(index=False)},
            raw=True,
            metadata={CAPTION_KEY: {"tbl-cap": self._with_files(table.caption, files)}},
        )

    def _with_files(self, caption: str, files: dict[str, Any]) -> str:
        links = ", ".join(
            f"[{FILE_WORDS.get(kind, kind)}]({file_link(self.name, path.name)})"
            for kind, path in files.items()
        )
        return f"{caption.rstrip()} Files: {links}."


_ONE = r"[-<]?(?:[\d.,]+|∞)"
_NUMBER = re.compile(rf"{_ONE}(?:(?: to |–|, ){_ONE})?(?: \({_ONE}(?: to |–){_ONE}\))?(?: %)?")
_MARKDOWN = re.compile(r"([\\\\`*_{}\[\]<>()#|!$@~^])")


def plain(text: object) -> str:
    """Return a name from a file so that Markdown shows it as it is and runs nothing in it."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 record``, ``3,100 records``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def bullets(lines: Iterable[str]) -> str:
    """Return a list in Markdown; a single line stays a paragraph."""
    kept = list(lines)
    return kept[0] if len(kept) == 1 else "\n".join(f"- {line}" for line in kept)


def say(text: str) -> None:
    """Show computed Markdown: every number in a sentence comes from a result, never typed.

    Nothing is shown for an empty text.
    """
    from IPython.display import Markdown, display

    if text:
        display(Markdown(text))


def formatted(frame: pd.DataFrame, digits: int = 3) -> pd.DataFrame:
    """Return the table as text, rounded for display; a missing number is a dash.

    Numbers get ``digits`` decimals; those in a very small or very large unit get more or fewer
    (see :func:`benchbook.estimate.decimals`), alike within a column. Columns ``value``, ``low``
    and ``high`` become one column ``value (interval)``.
    """
    columns: dict[str, list[str]] = {}
    merge = {"value", "low", "high"} <= set(map(str, frame.columns))
    for name in frame.columns:
        if merge and name in ("low", "high"):
            continue
        if merge and name == "value":
            rows = zip(frame["value"], frame["low"], frame["high"], strict=True)
            columns["value (interval)"] = [interval_text(*row, digits=digits) for row in rows]
        else:
            is_p = str(name) in P_COLUMNS
            places = digits if is_p else _column_decimals(frame[name], digits)
            columns[str(name)] = [_cell(value, places, is_p) for value in frame[name]]
    return pd.DataFrame(columns)


def without_repeats(page: pd.DataFrame, column: str = "data") -> pd.DataFrame:
    """Return the table with a name in ``column`` only where it changes, as in print.

    A column that names one and the same thing in every row says nothing and is left out.
    """
    if column not in page.columns:
        return page
    if len(set(page[column])) == 1 and page.shape[1] > 1:
        return page.drop(columns=column)
    names = page[column].where(page[column] != page[column].shift(), "")
    return page.assign(**{column: names})


def without_empty(page: pd.DataFrame) -> pd.DataFrame:
    """Return the table without columns that hold nothing but dashes."""
    full = [name for name in page.columns if any(cell != "–" for cell in page[name])]
    return page[full]


def interval_text(value: float, low: float, high: float, *, digits: int = 3) -> str:
    """Return ``0.703 (0.652–0.751)``; without an interval the value alone, undefined a dash."""
    if pd.isna(value):
        return "–"
    places = decimals(value, low, high, digits=digits)
    text = f"{value:.{places}f}"
    if pd.isna(low) or pd.isna(high):
        return text
    return f"{text} ({bounds_text(low, high, f'.{places}f')})"


def _column_decimals(cells: pd.Series, digits: int) -> int:
    """Return decimals that suit the largest number of a column, so that its cells line up."""
    numbers = [abs(cell) for cell in cells if isinstance(cell, float) and math.isfinite(cell)]
    return decimals(max(numbers, default=0.0), digits=digits)


def _cell(value: Any, digits: int, is_p: bool) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if is_p and value < SMALLEST_P:
            return f"<{SMALLEST_P}"
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{value:.{digits}f}"
    return str(value)


def p_text(p: float) -> str:
    """Return ``p < 0.001`` or ``p = 0.013``."""
    return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.3f}"


def html_table(page: pd.DataFrame) -> str:
    """Return a plain table with header cells; numbers stand to the right."""
    right = [_numeric_column(page[name]) for name in page.columns]
    style = [' style="text-align: right; white-space: nowrap"' if flag else "" for flag in right]
    heading = [' style="text-align: right"' if flag else "" for flag in right]
    head = "".join(
        f'<th scope="col"{look}>{html.escape(str(name))}</th>'
        for name, look in zip(page.columns, heading, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{look}>{html.escape(str(cell))}</td>"
            for cell, look in zip(row, style, strict=True)
        )
        + "</tr>"
        for row in page.itertuples(index=False, name=None)
    )
    return (
        f'<table class="table table-sm">\n<thead>\n<tr>{head}</tr>\n</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def _numeric_column(cells: Sequence[str]) -> bool:
    known = [cell for cell in cells if cell not in ("", "–")]
    return bool(known) and all(_NUMBER.fullmatch(cell) for cell in known)
