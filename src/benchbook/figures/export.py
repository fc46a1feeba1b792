"""Writing figures and tables to files: the same bytes on every run, never half a file."""

from __future__ import annotations

import io
import logging
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..errors import DataError, ParameterError
from .style import house_style

PRINT_DPI = 300
FIGURE_FORMATS = ("svg", "pdf", "png")
TABLE_FORMATS = ("csv", "tex")

# No date and no library version inside the files: bytes change only when the picture does.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "Benchbook"},
    "pdf": {"CreationDate": None, "Creator": "Benchbook", "Producer": "Benchbook"},
    "png": {"Software": "Benchbook"},
}


def figure_data(figure: Figure) -> pd.DataFrame:
    """Return the numbers a figure of this package shows, one row per mark.

    Raises
    ------
    ParameterError
        When the figure was not made here and carries no data.
    """
    data = getattr(figure, "benchbook_data", None)
    if not isinstance(data, pd.DataFrame) or data.empty:
        raise ParameterError("this figure carries no plotted data; expected one of benchbook.")
    return data


def save_figure(
    figure: Figure,
    stem: str,
    directory: str | Path,
    formats: Sequence[str] = FIGURE_FORMATS,
    *,
    data: bool = True,
) -> dict[str, Path]:
    """Write a figure as SVG, PDF and PNG (300 dots per inch), and its numbers as CSV.

    Parameters
    ----------
    figure : Figure
        Any Matplotlib figure; the numbers are written for figures of this package.
    stem : str
        File name without its ending: letters, digits, ``-``, ``_`` and ``.``.
    directory : path
        Made when missing.
    formats : sequence of {"svg", "pdf", "png"}
        Which pictures.
    data : bool
        Also write ``<stem>-data.csv``. Turn it off for figures of single items of data that may
        not leave the house.

    Returns
    -------
    dict of str to Path
        Format to file; the numbers stand under ``"csv"``.

    Raises
    ------
    ParameterError
        When the stem or a format is not one of those above; nothing is written then.
    """
    _check_names(stem, formats, FIGURE_FORMATS)
    content = {kind: (f"{stem}.{kind}", _picture(figure, kind)) for kind in formats}
    if data and getattr(figure, "benchbook_data", None) is not None:
        content["csv"] = (f"{stem}-data.csv", _csv(figure_data(figure)))
    return _write_all(content, Path(directory))


def save_table(
    frame: pd.DataFrame,
    stem: str,
    directory: str | Path,
    formats: Sequence[str] = TABLE_FORMATS,
    *,
    digits: int = 3,
) -> dict[str, Path]:
    """Write a table as CSV in full precision and as LaTeX (booktabs), rounded.

    Parameters
    ----------
    frame : DataFrame
        Plain columns; an index other than 0, 1, 2 … becomes the first columns.
    stem, directory
        As for :func:`save_figure`.
    formats : sequence of {"csv", "tex"}
        Which files.
    digits : int
        Decimals of floating-point columns in LaTeX. Smaller numbers keep two digits with their
        power of ten; in columns called ``p``, ``p ...`` or ``p_...`` they print as "<0.001".

    Returns
    -------
    dict of str to Path
        Format to file.

    Raises
    ------
    DataError, ParameterError
        When the table has no column, or a name is not allowed; nothing is written then.
    """
    _check_names(stem, formats, TABLE_FORMATS)
    if not len(frame.columns):
        raise DataError("table without columns", expected="one column or more")
    if not _is_plain_index(frame.index):
        frame = frame.reset_index()
    content: dict[str, tuple[str, bytes]] = {}
    if "csv" in formats:
        content["csv"] = (f"{stem}.csv", _csv(frame))
    if "tex" in formats:
        text = _latex(frame, digits)
        content["tex"] = (f"{stem}.tex", text.encode())
    return _write_all(content, Path(directory))


def _check_names(stem: str, formats: Sequence[str], known: Sequence[str]) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", stem):
        raise ParameterError(
            f"file name '{stem}'; expected letters, digits, '-', '_' and '.', no folder."
        )
    for kind in formats:
        if kind not in known:
            raise ParameterError(f"unknown format '{kind}'; expected {', '.join(known)}.")


def _picture(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    # Embedding a font tells of tables it leaves out, which says nothing about the picture.
    log = logging.getLogger("fontTools.subset")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with house_style():
            figure.savefig(buffer, format=kind, dpi=PRINT_DPI, metadata=_METADATA[kind])
    finally:
        log.setLevel(level)
    return buffer.getvalue()


def _is_plain_index(index: pd.Index) -> bool:
    return index.nlevels == 1 and index.name is None and index.equals(pd.RangeIndex(len(index)))


def _csv(frame: pd.DataFrame) -> bytes:
    # Python's shortest text that reads back as the same double.
    return frame.to_csv(index=False, lineterminator="\n").encode()


def _write_all(content: dict[str, tuple[str, bytes]], directory: Path) -> dict[str, Path]:
    directory.mkdir(parents=True, exist_ok=True)
    return {kind: _write(directory / name, data) for kind, (name, data) in content.items()}


def _write(path: Path, content: bytes) -> Path:
    """Write by way of a neighbouring file, so that a reader sees the old or the new one whole."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


# ---- LaTeX -------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "−": r"$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "…": r"\ldots{}",
    "²": r"$^2$",
    "³": r"$^3$",
    "µ": r"$\mu$",
    "°": r"$^\circ$",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\n": " ",
    "\r": " ",
    "\t": " ",
}
_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"
_COMMANDS = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_LATEX.update(
    {letter: rf"$\{name}$" for letter, name in zip(_LETTERS, _COMMANDS.split(" "), strict=True)}
)
_LATEX_TABLE = str.maketrans(_LATEX)


def latex_text(text: object) -> str:
    """Return a text with the characters LaTeX reserves, Greek letters and signs written for it."""
    # Brackets at the start of a cell would be read as an option of the line break before it.
    escaped = str(text).translate(_LATEX_TABLE)
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in ("[", "*") else escaped


def _latex(frame: pd.DataFrame, digits: int) -> str:
    numeric = [pd.api.types.is_numeric_dtype(frame.iloc[:, i]) for i in range(frame.shape[1])]
    numeric = [
        n and not pd.api.types.is_bool_dtype(frame.iloc[:, i]) for i, n in enumerate(numeric)
    ]
    head = " & ".join(latex_text(column) for column in frame.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        rf"\begin{{tabular}}{{{''.join('r' if n else 'l' for n in numeric)}}}",
        r"\toprule",
        head + r" \\",
        r"\midrule",
    ]
    for row in frame.itertuples(index=False, name=None):
        cells = [
            _latex_cell(value, digits, re.fullmatch("p([ _].*)?", str(column)) is not None)
            for value, column in zip(row, frame.columns, strict=True)
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_cell(value: Any, digits: int, is_p: bool) -> str:
    if value is None or value is pd.NA or value is pd.NaT:
        return "--"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return f"${value}$" if value < 0 else str(value)
    if isinstance(value, (float, np.floating)):
        return _latex_number(float(value), digits, is_p)
    return latex_text(value)


def _latex_number(value: float, digits: int, is_p: bool) -> str:
    if np.isnan(value):
        return "--"
    if np.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    least = 10.0**-digits
    if is_p and 0 <= value < least:
        return f"$<${least:.{digits}f}"
    if 0 < abs(value) < least / 2:  # a rounded zero would claim too much
        mantissa, exponent = f"{value:.1e}".split("e")
        return rf"${mantissa}\times 10^{{{int(exponent)}}}$"
    text = f"{value:.{digits}f}"
    return f"${text}$" if value < 0 else text
