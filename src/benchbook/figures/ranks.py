"""Tables drawn as coloured cells: ranks of models, and classes that occur together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ..errors import DataError
from . import panels, style
from .inputs import numeric, plotted_table
from .panels import KEY_STEP
from .style import LINE_MM, HouseFigure, Width, house_style, number, text_mm, width_mm, wrap

_UNDEFINED: dict[str, Any] = {
    "facecolor": "white",
    "edgecolor": style.RULE,
    "hatch": "//////",
    "linewidth": 0,
}
_ABSENT: dict[str, Any] = {"facecolor": style.PALE}
_TALL = 5.2  # height of a cell with one line of text
_LEAST = 1.2  # millimetres; a narrower cell is not seen


@dataclass
class _Cells:
    """A table of cells: what each shows in words, from the fullest wording to the shortest."""

    rows: list[str]
    columns: list[str]
    words: Sequence[Callable[[int, int], str]]
    look: Callable[[int, int], Mapping[str, Any]]

    def transposed(self) -> _Cells:
        words = [lambda i, j, one=one: one(j, i) for one in self.words]
        return _Cells(self.columns, self.rows, words, lambda i, j: self.look(j, i))


@dataclass
class _Plan:
    """Where the cells stand, in millimetres, and the wording that fits them."""

    names: list[str]
    heads: list[str]
    upright: bool
    left: float
    above: float
    cell: tuple[float, float]
    wording: int | None


def rank_heatmap(table: Any, *, width: Width = "double") -> HouseFigure:
    """Draw the rank of every model for every label, with the interval of the rank.

    Parameters
    ----------
    table : DataFrame
        ``label``, ``model``, ``rank`` (1 is best), ``low``, ``high`` (its interval; NaN where
        there is none); also ``mark`` ("†", "*", both or none) and ``reason``. A model has a row
        for the labels it has an output for; other cells stay empty. A rank of NaN is hatched.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres. Labels or models stand in the columns, whichever leaves
        more room for the numbers.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, a rank is below 1, a mark
        is unknown, or a label and model occur twice.
    """
    what = "rank_heatmap"
    frame = plotted_table(table, ("label", "model", "rank"), what)
    for column in ("low", "high"):
        if column not in frame.columns:
            frame[column] = np.nan
    frame = numeric(frame, ("rank", "low", "high"), what).astype({"label": str, "model": str})
    frame = panels.checked_marks(frame, what)
    panels.checked_range(frame, ("rank", "low", "high"), what, 1, math.inf)
    _refuse_twice(frame, ["label", "model"], what)
    models, labels = panels.in_order(frame["model"]), panels.in_order(frame["label"])
    entries = {(row.model, row.label): row for row in frame.itertuples()}
    most = max(float(frame["rank"].max()), 2.0) if frame["rank"].notna().any() else 2.0

    def entry(i: int, j: int) -> Any:
        return entries.get((models[i], labels[j]))

    cells = _Cells(models, labels, _rank_words(entry), lambda i, j: _rank_look(entry(i, j), most))
    undefined = _reasons(frame[frame["rank"].isna()])
    key = [Patch(label="no output for this label", **_ABSENT)]
    key = key if len(entries) < len(models) * len(labels) else []
    key += [Patch(label="undefined", **_UNDEFINED)] if undefined is not None else []
    scale = [(f"rank {at:g}", _rank_colour(at, most)) for at in (1.0, most)]
    notes = ["Rank (interval of the rank)"] if frame[["low", "high"]].notna().any(axis=None) else []
    notes += [undefined] if undefined else []
    notes += panels.mark_notes(frame["mark"])
    figure = _draw(cells, width, key, scale, notes, turn=True)
    columns = ["label", "model", "mark", "rank", "low", "high"]
    figure.benchbook_data = frame[columns]
    return figure


def co_occurrence(table: Any, *, width: Width = "double") -> HouseFigure:
    """Draw which share of the records of a class also have each other class, in per cent.

    Parameters
    ----------
    table : DataFrame
        ``class``, ``other``, ``share`` (of the records with ``class``, those that also have
        ``other``; 0 to 1, NaN where no record has ``class``) and ``count`` (records with both).
        Rows with ``class`` equal to ``other`` give the number of records of a class, printed
        beside its name; their cells stay empty.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, a share lies outside 0 to
        1, a count is negative, or a pair occurs twice.
    """
    what = "co_occurrence"
    frame = plotted_table(table, ("class", "other", "share", "count"), what)
    frame = numeric(frame, ("share", "count"), what).astype({"class": str, "other": str})
    panels.checked_range(frame, ("share",), what)
    panels.checked_range(frame, ("count",), what, 0, math.inf)
    _refuse_twice(frame, ["class", "other"], what)
    rows, columns = panels.in_order(frame["class"]), panels.in_order(frame["other"])
    shares = frame.set_index(["class", "other"])["share"].to_dict()
    own = frame[frame["class"] == frame["other"]].set_index("class")["count"].to_dict()

    def share(i: int, j: int) -> float | None:
        return None if rows[i] == columns[j] else shares.get((rows[i], columns[j]))

    def words(i: int, j: int) -> str:
        value = share(i, j)
        return "" if value is None or math.isnan(value) else number(100 * value, 0)

    def look(i: int, j: int) -> Mapping[str, Any]:
        value = share(i, j)
        if value is None:
            return _ABSENT
        return _UNDEFINED if math.isnan(value) else {"facecolor": _share_colour(value)}

    names = [
        f"{name} ({own[name]:,.0f})" if own.get(name, math.nan) >= 0 else name for name in rows
    ]
    cells = _Cells(names, columns, [words], look)
    key = [Patch(label="no record of the class", **_UNDEFINED)]
    key = key if any(math.isnan(value) for value in shares.values()) else []
    scale = [(f"{100 * at:g} %", _share_colour(at)) for at in (0.0, 0.5, 1.0)]
    notes = ["% of the records with the class of the row that also have the class of the column"]
    figure = _draw(cells, width, key, scale, notes, turn=False)
    figure.benchbook_data = frame[["class", "other", "share", "count"]]
    return figure


# ---- what a cell shows -----------------------------------------------------------------------


def _rank_words(entry: Callable[[int, int], Any]) -> list[Callable[[int, int], str]]:
    def parts(i: int, j: int) -> tuple[str, str, str]:
        row = entry(i, j)
        if row is None:
            return "", "", ""
        if math.isnan(row.rank):
            return "", "", row.mark
        span = "" if math.isnan(row.low + row.high) else f"({row.low:g}–{row.high:g})"
        return f"{row.rank:g}", span, row.mark

    def joined(*some: str, by: str = " ") -> str:
        return by.join(part for part in some if part)

    def broken(i: int, j: int) -> str:
        rank, span, mark = parts(i, j)
        return joined(joined(rank, mark), span, by="\n")

    return [
        lambda i, j: joined(*parts(i, j)),
        broken,
        lambda i, j: "".join(parts(i, j)[::2]),
    ]


def _rank_look(row: Any, most: float) -> Mapping[str, Any]:
    if row is None:
        return _ABSENT
    return _UNDEFINED if math.isnan(row.rank) else {"facecolor": _rank_colour(row.rank, most)}


def _rank_colour(rank: float, most: float) -> Any:
    # The best is darkest; the last keeps enough colour to differ from an empty cell.
    return style.ORDER_MAP(0.85 * (1 - (rank - 1) / (most - 1)))


def _share_colour(share: float) -> Any:
    return style.CHANCE_MAP(0.5 + 0.5 * share)


def _reasons(undefined: pd.DataFrame) -> str | None:
    """Return why ranks are undefined: one sentence, or None where all have a value."""
    if undefined.empty:
        return None
    given = undefined["reason"] if "reason" in undefined.columns else pd.Series(dtype=object)
    reasons = panels.in_order(reason for reason in given if reason and reason == reason)
    return "Undefined: " + "; ".join(reasons) if reasons else ""


def _refuse_twice(frame: pd.DataFrame, key: list[str], what: str) -> None:
    twice = frame.duplicated(key)
    if twice.any():
        first = frame.loc[twice, key].iloc[0]
        raise DataError(
            f"{what}: the same cell twice",
            row=", ".join(first),
            expected="one row per " + " and ".join(key),
        )


# ---- layout ----------------------------------------------------------------------------------


def _draw(
    cells: _Cells,
    width: Width,
    key: list[Patch],
    scale: list[tuple[str, Any]],
    notes: Sequence[str],
    *,
    turn: bool,
) -> HouseFigure:
    """Draw the cells with key and notes; the colours are explained where no number fits."""
    wide = width_mm(width)
    with house_style():
        cells, plan = _best_plan(cells, wide, turn)
        if plan.wording is None:
            key = [*(Patch(facecolor=colour, label=words) for words, colour in scale), *key]
        for patch in key:
            patch.set_edgecolor(style.RULE)
            patch.set_linewidth(0.4)
        key_lines = panels.key_rows(key, wide) if key else []
        lines = panels.note_lines(notes, wide)
        box = (plan.cell[0] * len(cells.columns), plan.cell[1] * len(cells.rows))
        foot = plan.above + box[1] + 2
        height = foot + (len(key_lines) + len(lines)) * KEY_STEP + 1.5
        figure = style.new_figure(wide, height)
        axes = style.axes_at(figure, plan.left, plan.above, *box)
        _fill(axes, cells, plan)
        _name(axes, cells, plan)
        panels.write_key(figure, key_lines, foot)
        panels.write_notes(figure, lines, foot + len(key_lines) * KEY_STEP)
    return figure


def _best_plan(cells: _Cells, wide: float, turn: bool) -> tuple[_Cells, _Plan]:
    """Return the orientation whose cells hold the fuller wording; as given where both do."""
    options = [cells, cells.transposed()] if turn else [cells]
    plans = [_plan(option, wide) for option in options]
    poorest = len(cells.words)
    fullness = [poorest if plan.wording is None else plan.wording for plan in plans]
    chosen = int(np.argmin(fullness))
    return options[chosen], plans[chosen]


def _plan(cells: _Cells, wide: float) -> _Plan:
    names = [wrap(name, 0.3 * wide, max_lines=2) for name in cells.rows]
    if len(set(names)) < len(set(cells.rows)):
        names = style.short_names(cells.rows, 0.3 * wide)
    left = max(map(text_mm, names)) + 3
    room = (wide - left - 2) / len(cells.columns)
    wording, needed, lines = _wording(cells, room)
    across = min(room, max(needed, 14.0) if wording is not None else 12.0)
    heads, upright, across = _heads(cells.columns, across, min(room, 40.0))
    tall = max(_TALL, LINE_MM * lines + 2, max(map(_height, names)) + 1.5)
    if wording is None:
        names = [name.split("\n")[0] for name in names] if room < _TALL else names
        tall = max(_LEAST, min(tall, across)) if room < _TALL else tall
    above = max(text_mm(head) if upright else _height(head) for head in heads) + 3
    return _Plan(names, heads, upright, left, above, (across, tall), wording)


def _wording(cells: _Cells, room: float) -> tuple[int | None, float, int]:
    """Return the fullest wording that fits, its width in millimetres, and its lines."""
    for index, words in enumerate(cells.words):
        texts = [words(i, j) for i in range(len(cells.rows)) for j in range(len(cells.columns))]
        needed = max(map(text_mm, texts)) + 2
        if needed <= room:
            return index, needed, max(text.count("\n") for text in texts) + 1
    return None, 0.0, 1


def _heads(columns: Sequence[str], across: float, most: float) -> tuple[list[str], bool, float]:
    """Return the names over the columns and a width: level where whole words fit 4 lines."""
    least = max(across, _longest_word(columns) + 1.6)
    for width in np.linspace(least, most, 5) if least <= most else ():
        level = [wrap(name, width - 1.5, max_lines=4) for name in columns]
        if not any(head.endswith("…") for head in level):
            return level, False, float(width)
    return style.short_names(columns, 34.0), True, across


def _longest_word(names: Sequence[str]) -> float:
    return max(text_mm(word) for name in names for word in name.split() or [""])


def _height(text: str) -> float:
    return LINE_MM * (text.count("\n") + 1)


def _fill(axes: Axes, cells: _Cells, plan: _Plan) -> None:
    axes.set(xlim=(0, len(cells.columns)), ylim=(len(cells.rows), 0))
    line = 0.8 if min(plan.cell) > 4 else 0.3
    for i in range(len(cells.rows)):
        for j in range(len(cells.columns)):
            look = {"edgecolor": "white", "linewidth": line, **cells.look(i, j)}
            hatched = "hatch" in look
            style.cell(axes, j, i, **look)
            words = "" if plan.wording is None else cells.words[plan.wording](i, j)
            if words:
                colour = style.INK if hatched else style.text_on(look["facecolor"])
                plate = {"facecolor": "white", "edgecolor": "none", "pad": 0.6} if hatched else None
                place: dict[str, Any] = {"ha": "center", "color": colour, "bbox": plate}
                style.write(axes, j + 0.5, i + 0.5, words, linespacing=1.1, **place)


def _name(axes: Axes, cells: _Cells, plan: _Plan) -> None:
    # More names than there are lines of text: every second (third …) one is written.
    step = max(1, math.ceil(LINE_MM / plan.cell[0])) if plan.upright else 1
    down = max(1, math.ceil(LINE_MM / plan.cell[1]))
    across = np.arange(0, len(cells.columns), step)
    below = np.arange(0, len(cells.rows), down)
    axes.set_xticks(
        across + 0.5, [plan.heads[i] for i in across], rotation=90 if plan.upright else 0,
        va="bottom", linespacing=1.1,
    )  # fmt: skip
    axes.set_yticks(below + 0.5, [plan.names[i] for i in below])
    axes.tick_params(top=False, bottom=False, left=False, labeltop=True, labelbottom=False, pad=1.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
