"""Scores of models, one row each: differences from readers, F per class, macro F."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..errors import DataError
from . import panels, style
from . import rows as row_layout
from .inputs import estimate_table, interval_heading, no_intervals, numeric, plotted_table
from .panels import KEY_STEP
from .rows import Row, Scale
from .style import SOFT_INK, HouseFigure, Width, house_style, width_mm, wrap

_CARRIED = (
    *("label", "class", "model", "kind", "mark", "value", "low", "high"),
    *("level", "n_positive", "prior", "reason"),
)
_DASHED = (0, (4, 2))
_PRIOR = "prior"


def forest_of_differences(
    table: Any,
    *,
    reference: float = 0.0,
    label: str = "Specificity, model − mean of the readers",
    limits: tuple[float, float] | None = None,
    digits: int = 3,
    width: Width = "double",
) -> HouseFigure:
    """Draw paired differences with their intervals, a heading per label and a row per model.

    Parameters
    ----------
    table : DataFrame
        ``label``, ``model``, ``value``, ``low``, ``high``; also ``reason`` (shown where a value
        or its interval is undefined), ``level``, and ``mark``: "†" (output wider than the
        label), "*" (trained on the source of this test set) or both, explained under the axis.
    reference : float
        Position of the line of no difference.
    label : str
        Words under the axis.
    limits : (float, float), optional
        Axis limits; by default ``reference`` stands in the middle.
    digits, width
        Decimals printed; printed width.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, bounds are crossed, or a
        mark is unknown.
    """
    what = "forest_of_differences"
    frame = _checked(table, "label", what)
    low, high = row_layout.axis_limits(
        frame, limits, include=(reference,), bounds=(-math.inf, math.inf)
    )
    if limits is None:  # both directions are read alike
        reach = 1.04 * max(reference - low, high - reference)
        low, high = reference - reach, reference + reach
    scale = Scale(low, high, label, (), [(reference, "", "-")])
    scale.heading = interval_heading(frame, "Difference")
    rows = _grouped_rows(frame, list(frame["label"]), digits, signed=True)
    figure, _ = _row_figure(rows, scale, width, [], panels.mark_notes(frame["mark"]))
    figure.benchbook_data = _carried(frame)
    return figure


def class_scores(
    table: Any, *, label: str = "F-measure", digits: int = 3, width: Width = "double"
) -> HouseFigure:
    """Draw the F-measure of every class with its interval, and what the prior reaches.

    Parameters
    ----------
    table : DataFrame
        ``class``, ``model``, ``value``, ``low``, ``high``, ``n_positive``; also ``reason``,
        ``level``, ``mark``, and ``prior``: the F-measure of naming the class for every record,
        drawn as a tick in each row. Classes stand in the order of the table.
    label : str
        Words under the axis.
    digits, width
        Decimals printed; printed width.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, or a value lies outside 0
        to 1.
    """
    what = "class_scores"
    plotted_table(table, ("class", "model", "value", "n_positive"), what)
    frame = _checked(table, "class", what)
    if "prior" not in frame.columns:
        frame["prior"] = np.nan
    frame = numeric(frame, ("n_positive", "prior"), what)
    panels.checked_range(frame, ("value", "low", "high", "prior"), what)
    groups = [
        f"{name} ({count:,.0f} positive)" if count == count else str(name)
        for name, count in zip(frame["class"], frame["n_positive"], strict=True)
    ]
    scale = Scale(0.0, 1.0, label, heading=interval_heading(frame, label))
    rows = _grouped_rows(frame, groups, digits, signed=False)
    has_prior = bool(frame["prior"].notna().any())
    key = [_prior_mark("prior: the class named for every record")] if has_prior else []
    figure, axes = _row_figure(rows, scale, width, key, panels.mark_notes(frame["mark"]))
    marks = [row for row in rows if not row.heading]
    for row, prior in zip(marks, frame["prior"], strict=True):
        if prior == prior:
            line = _prior_mark("_prior")
            line.set_data([prior], [row.mark])
            line.set_clip_on(False)
            axes.add_line(line)
    figure.benchbook_data = _carried(frame)
    return figure


def macro_scores(
    table: Any, *, label: str = "Macro F-measure", digits: int = 3, width: Width = "double"
) -> HouseFigure:
    """Draw the macro F-measure of every model with its interval, and a line at the prior.

    Parameters
    ----------
    table : DataFrame
        ``model``, ``value``, ``low``, ``high`` and ``kind``: "prior" for the baseline that names
        every class for every record (its value is also drawn as a line through all rows), any
        other word for a family of models, each with a colour and a marker of its own; also
        ``reason``, ``level``, ``mark``.
    label : str
        Words under the axis.
    digits, width
        Decimals printed; printed width.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, or a value lies outside 0
        to 1.
    """
    what = "macro_scores"
    plotted_table(table, ("model", "value", "kind"), what)
    frame = _checked(table, "kind", what)
    panels.checked_range(frame, ("value", "low", "high"), what)
    kinds = panels.in_order(kind for kind in frame["kind"] if kind != _PRIOR)
    priors = frame.loc[frame["kind"] == _PRIOR, "value"].dropna()
    references = [(float(at), "", _DASHED) for at in dict.fromkeys(priors)]
    scale = Scale(0.0, 1.0, label, (), references, heading=interval_heading(frame, label))
    bare = no_intervals(frame)
    rows = [_row(entry, digits, bare, **_kind_look(entry["kind"], kinds)) for entry in _rows(frame)]
    key = _kind_key(kinds, len(priors) > 0)
    figure, _ = _row_figure(rows, scale, width, key, panels.mark_notes(frame["mark"]))
    figure.benchbook_data = _carried(frame)
    return figure


# ---- rows ----------------------------------------------------------------------------------


def _checked(table: Any, group: str, what: str) -> pd.DataFrame:
    frame = plotted_table(table, (group, "model", "value"), what)
    frame = panels.checked_marks(frame, what)
    frame = frame.astype({group: str, "model": str})
    # What a caller's own "name" column held is not what a row is called.
    frame["name"] = [
        f"{model} {mark}" if mark else model
        for model, mark in zip(frame["model"], frame["mark"], strict=True)
    ]
    twice = frame.duplicated([group, "model"])
    if twice.any():
        entry = frame[twice].iloc[0]
        raise DataError(
            f"{what}: the same row twice",
            row=f"{entry[group]}, {entry['model']}",
            expected=f"one row per {group} and model",
        )
    return estimate_table(frame, what)


def _rows(frame: pd.DataFrame) -> list[pd.Series]:
    return [entry for _, entry in frame.iterrows()]


def _row(entry: pd.Series, digits: int, bare: bool, *, signed: bool = False, **look: Any) -> Row:
    return Row(
        entry["name"],
        entry["value"],
        entry["low"],
        entry["high"],
        row_layout.value_text(entry, digits, signed, bare),
        row_layout.shown_reason(entry),
        **{"hollow": not bare and math.isnan(entry["low"] + entry["high"]), **look},
    )


def _grouped_rows(
    frame: pd.DataFrame, groups: Sequence[str], digits: int, signed: bool
) -> list[Row]:
    """Return a row per estimate; of one model only, the groups are the rows."""
    bare, models = no_intervals(frame), panels.in_order(frame["model"])
    looks = {model: _model_look(index) for index, model in enumerate(models)}
    rows: list[Row] = []
    last: str | None = None
    for entry, group in zip(_rows(frame), groups, strict=True):
        if len(models) == 1:
            entry = entry.copy()
            entry["name"] = f"{group} {entry['mark']}".strip()
        elif group != last:
            rows.append(Row(group, heading=True))
            last = group
        look = looks[entry["model"]] | {"indent": len(models) > 1}
        rows.append(_row(entry, digits, bare, signed=signed, **look))
    return rows


def _model_look(index: int) -> dict[str, Any]:
    look = panels.model_look(index)
    return {"colour": look["color"], "marker": look["marker"]}


def _kind_look(kind: str, kinds: Sequence[str]) -> dict[str, Any]:
    if kind == _PRIOR:
        return {"colour": SOFT_INK, "marker": "o", "hollow": True}
    return _model_look(kinds.index(kind))


def _kind_key(kinds: Sequence[str], prior: bool) -> list[Line2D]:
    looks = [(kind, _kind_look(kind, kinds)) for kind in kinds] if len(kinds) > 1 else []
    key = [
        Line2D([], [], linestyle="none", color=look["colour"], marker=look["marker"], label=kind)
        for kind, look in looks
    ]
    if prior:
        look: dict[str, Any] = {"color": SOFT_INK, "linewidth": 0.8, "linestyle": _DASHED}
        key.append(Line2D([], [], label="prior: every class named for every record", **look))
    return key


def _prior_mark(label: str) -> Line2D:
    look: dict[str, Any] = {"marker": "|", "markersize": 8, "markeredgewidth": 1.4}
    return Line2D([], [], linestyle="none", color=SOFT_INK, label=label, zorder=2, **look)


def _row_figure(
    rows: list[Row], scale: Scale, width: Width, key: list[Line2D], notes: Sequence[str]
) -> tuple[HouseFigure, Axes]:
    """Return a figure of rows with its key and footnotes under the axis."""
    wide = width_mm(width)
    with house_style():
        layout = row_layout.plan(rows, wide, scale.heading)
        key_lines = panels.key_rows(key, wide) if key else []
        lines = panels.note_lines(notes, wide)
        height = row_layout.rows_height_mm(layout, scale, wide) + 2
        below = (len(key_lines) + len(lines)) * KEY_STEP
        figure = style.new_figure(wide, height + below + (1 if below else 0))
        axes = row_layout.draw(figure, layout, scale, (0, 1.5), wide)
        # Centred under the axis, a long label must end before the edge of the figure.
        room = layout.axes_width + 2 * min(layout.name_width, layout.value_width + 2)
        axes.set_xlabel(wrap(scale.label, room, style.TEXT_SIZE, max_lines=1))
        # Small steps have long numbers.
        step = 10 if scale.high - scale.low >= 0.1 else 16
        style.number_axis(axes.xaxis, int(layout.axes_width / step))
        panels.write_key(figure, key_lines, height)
        panels.write_notes(figure, lines, height + len(key_lines) * KEY_STEP)
    return figure, axes


def _carried(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[column for column in _CARRIED if column in frame.columns]]
