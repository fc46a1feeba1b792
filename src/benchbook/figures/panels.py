"""Panels side by side, keys and footnotes: what figures of several labels have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..errors import DataError
from . import style
from .style import INK, LINE_MM, MM_PER_INCH, SMALL_SIZE, SOFT_INK, text_mm, wrap

KEY_STEP = LINE_MM + 0.7  # height of one line of a key
LEAST_BOX = 45.0  # millimetres; a narrower panel cannot be read
_HANDLE = 9.0  # a key's sample and the space around it

# What the marks of the mapping table mean (PROTOCOLS: approximate, contaminated).
MARK_WORDS = {
    "†": "† output wider than the label",
    "*": "* trained on the source of this test set",
}


@dataclass(frozen=True)
class Grid:
    """Where the panels of a figure stand, in millimetres."""

    columns: int
    box: float
    left: float
    gap: float

    def x(self, place: int) -> float:
        """Return the left edge of a panel."""
        return self.left + place % self.columns * (self.box + self.gap)


def panel_grid(count: int, wide: float, columns: int, left: float = 12.0) -> Grid:
    """Return at most ``columns`` panels side by side, fewer where the figure is narrow."""
    gap, right, most = 7.0, 4.0, 78.0
    fitting = int((wide - left - right + gap) // (LEAST_BOX + gap))
    columns = max(1, min(columns, count, fitting))
    box = min((wide - left - right - gap * (columns - 1)) / columns, most)
    return Grid(columns, box, left, gap)


def checked_marks(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the table with a ``mark`` column of "", "†", "*" or "†*".

    Raises
    ------
    DataError
        When a mark is another sign.
    """
    given = frame["mark"] if "mark" in frame.columns else pd.Series("", index=frame.index)
    frame["mark"] = [checked_mark(mark, what) for mark in given]
    return frame


def checked_mark(mark: Any, what: str) -> str:
    """Return a mark with † before *; None and NaN are no mark."""
    text = "" if mark is None or mark is pd.NA or mark != mark else str(mark).replace(" ", "")
    if set(text) - set(MARK_WORDS):
        raise DataError(
            f"{what}: unknown mark", column="mark", found=text, expected='"†", "*", "†*" or ""'
        )
    return "".join(sign for sign in MARK_WORDS if sign in text)


def mark_notes(marks: Iterable[str]) -> list[str]:
    """Return the meaning of every mark that occurs."""
    used = set("".join(marks))
    return [words for sign, words in MARK_WORDS.items() if sign in used]


def note_lines(notes: Sequence[str], wide: float) -> list[str]:
    """Return footnotes as lines no wider than the figure, several on a line where they fit."""
    lines: list[str] = []
    for note in notes:
        text = wrap(note, wide - 4, max_lines=3)
        joined = f"{lines[-1]}    {text}" if lines else text
        if lines and "\n" not in joined and text_mm(joined) <= wide - 4:
            lines[-1] = joined
        else:
            lines += text.split("\n")
    return lines


def write_notes(figure: Figure, lines: Sequence[str], top: float, left: float = 2.0) -> None:
    """Write footnotes below each other, the first ``top`` millimetres from the figure's top."""
    wide, tall = figure.get_size_inches() * MM_PER_INCH
    for index, line in enumerate(lines):
        y = 1 - (top + (index + 0.5) * KEY_STEP) / tall
        figure.text(left / wide, y, line, fontsize=SMALL_SIZE, color=SOFT_INK, va="center")


def key_rows(key: Sequence[Line2D | Patch], wide: float) -> list[list[Any]]:
    """Break the entries of a key into lines that fit; names too long are cut."""
    shown = style.short_names([str(handle.get_label()) for handle in key], wide - 16)
    rows: list[list[Any]] = [[]]
    used = 2.0
    for handle, words in zip(key, shown, strict=True):
        handle.set_label(words)
        needed = text_mm(words) + _HANDLE + 3
        if rows[-1] and used + needed > wide:
            rows.append([])
            used = 2.0
        rows[-1].append(handle)
        used += needed
    return rows


def write_key(figure: Figure, rows: Sequence[Sequence[Any]], top: float, left: float = 2.0) -> None:
    """Write the lines of a key, the first ``top`` millimetres from the figure's top."""
    wide, tall = figure.get_size_inches() * MM_PER_INCH
    for number, handles in enumerate(rows):
        x = left
        for handle in handles:
            # One legend per entry: columns of one legend share a width, which wastes room.
            figure.legend(
                handles=[handle], loc="upper left", borderaxespad=0.0, borderpad=0.0,
                bbox_to_anchor=(x / wide, 1 - (top + number * KEY_STEP) / tall),
                handlelength=2.4, handletextpad=0.5, handleheight=1.0,
            )  # fmt: skip
            x += text_mm(str(handle.get_label())) + _HANDLE + 3


def panel_title(axes: Axes, title: str, below: str, box: float) -> None:
    """Write a bold title of one line or two, and a plain line under it."""
    text = wrap(title, box, style.TEXT_SIZE, 2, "bold")
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    look |= {"ha": "left", "va": "baseline", "color": INK, "linespacing": 1.1}
    lift = 4.0 + (SMALL_SIZE * 1.35 if below else 0.0)
    axes.annotate(text, (0, 1), (0, lift), fontsize=style.TEXT_SIZE, fontweight="bold", **look)
    if below:
        words = wrap(below, box, max_lines=1)
        axes.annotate(words, (0, 1), (0, 4.0), fontsize=SMALL_SIZE, **look | {"color": SOFT_INK})


def head_mm(titles: Sequence[str], below: bool, box: float) -> float:
    """Return the room that the titles of a line of panels need."""
    lines = [wrap(title, box, style.TEXT_SIZE, 2, "bold").count("\n") + 1 for title in titles]
    return 1.25 * LINE_MM * max(lines) + (LINE_MM if below else 0.0) + 2.0


def model_look(index: int) -> dict[str, Any]:
    """Return colour, line style and marker of the nth model; 24 of them differ."""
    colours = len(style.PALETTE)
    return {
        "color": style.PALETTE[index % colours],
        "linestyle": style.LINE_STYLES[(index + index // colours) % len(style.LINE_STYLES)],
        "marker": style.MARKERS[index % len(style.MARKERS)],
    }


def in_order(*columns: Iterable[Any]) -> list[str]:
    """Return the distinct names of several columns in the order they first occur."""
    return list(dict.fromkeys(str(name) for column in columns for name in column))


def checked_range(
    frame: pd.DataFrame, columns: Iterable[str], what: str, low: float = 0.0, high: float = 1.0
) -> None:
    """Refuse a number outside [low, high], naming its row; NaN is allowed.

    Raises
    ------
    DataError
        When a value lies outside.
    """
    for column in columns:
        wrong = (frame[column] < low) | (frame[column] > high)
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            raise DataError(
                f"{what}: outside {low:g} to {high:g}",
                row=row,
                column=column,
                found=f"{frame[column].iloc[row]:g}",
                expected=f"{low:g} to {high:g}, or NaN",
            )
