"""Reliability: how often what was predicted came true, and how often each score was given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..errors import DataError, ParameterError
from . import panels, style
from .inputs import numeric, plotted_table
from .panels import KEY_STEP
from .style import SOFT_INK, HouseFigure, Width, house_style, width_mm, wrap

_TABLE = ("model", "label", "predicted", "observed", "low", "high", "n")
_COUNTS = ("model", "label", "low", "high", "count")
_DOTTED = (0, (1, 1.6))
_STRIP = 13.0  # height of the histograms
_FOOT = 9.0


def reliability(
    table: Any, counts: Any = None, *, columns: int = 3, width: Width = "double"
) -> HouseFigure:
    """Draw observed against predicted frequency, a panel per label, scores counted below.

    Parameters
    ----------
    table : DataFrame
        One row per bin: ``model``, ``label``, ``predicted`` (mean score), ``observed`` (share of
        positives), ``low``, ``high`` (interval of the share) and ``n``. Bins without records
        (NaN) are left out.
    counts : DataFrame, optional
        ``model``, ``label``, ``low``, ``high`` (the edges of a bin of scores) and ``count``:
        histograms under the panels, on a logarithmic scale since a rare label has nearly all
        its scores near 0.
    columns : int
        Panels side by side, 1 to 3; fewer where the figure is narrow.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When a table is empty, a column is missing or not numeric, a share lies outside 0 to 1,
        a count is negative, or ``columns`` is not 1, 2 or 3.
    """
    what = "reliability"
    frame = numeric(plotted_table(table, _TABLE, what), _TABLE[2:], what)
    panels.checked_range(frame, _TABLE[2:6], what)
    frame = frame[list(_TABLE)].astype({"model": str, "label": str})
    bars = _checked_bars(counts)
    if columns not in (1, 2, 3):
        raise ParameterError(f"{what}: columns {columns!r}; expected 1, 2 or 3.")
    models, labels = panels.in_order(frame["model"]), panels.in_order(frame["label"])
    wide = width_mm(width)
    grid = panels.panel_grid(len(labels), wide, columns, left=13.5)
    lines = -(-len(labels) // grid.columns)
    head = panels.head_mm(labels, False, grid.box)
    step = head + grid.box + _FOOT + (0 if bars is None else _STRIP + 2) + 2
    with house_style():
        key = panels.key_rows(_key(models), wide)
        figure = style.new_figure(wide, lines * step + len(key) * KEY_STEP + 2)
        for place, label in enumerate(labels):
            corner = (grid.x(place), place // grid.columns * step + head)
            axes = style.axes_at(figure, *corner, grid.box, grid.box)
            panels.panel_title(axes, label, "", grid.box)
            first = place % grid.columns == 0
            _draw_bins(axes, frame[frame["label"] == label], models, first, grid.box)
            if bars is not None:
                top = corner[1] + grid.box + 2
                small = style.axes_at(figure, corner[0], top, grid.box, _STRIP)
                part = bars[bars["label"] == label]
                _draw_counts(small, part, models, first, float(bars["count"].max()))
                axes.tick_params(axis="x", labelbottom=False)
            figure.axes[-1].set_xlabel(wrap("Predicted probability", grid.box, style.TEXT_SIZE, 1))
        panels.write_key(figure, key, lines * step)
    figure.benchbook_data = frame
    return figure


def _checked_bars(counts: Any) -> pd.DataFrame | None:
    if counts is None:
        return None
    what = "reliability: counts"
    frame = numeric(plotted_table(counts, _COUNTS, what), _COUNTS[2:], what)
    if not (frame["count"] >= 0).all():
        raise DataError(f"{what}: not a count", column="count", expected="0 or more")
    return frame.astype({"model": str, "label": str})


def _draw_bins(axes: Axes, part: pd.DataFrame, models: list[str], first: bool, box: float) -> None:
    axes.set(xlim=(0, 1), ylim=(0, 1))
    style.number_axis(axes.xaxis, 5)
    style.number_axis(axes.yaxis, 5)
    axes.tick_params(axis="y", labelleft=first)
    if first:
        axes.set_ylabel("Observed share")
    axes.plot([0, 1], [0, 1], color=SOFT_INK, linewidth=0.6, linestyle=_DOTTED, label="_equal")
    known = part.dropna(subset=["predicted", "observed"]).sort_values("predicted", kind="stable")
    for index, model in enumerate(models):
        rows = known[known["model"] == model]
        look = panels.model_look(index)
        ends: dict[str, Any] = {"linewidth": 0.8, "color": look["color"], "label": "_interval"}
        for _, entry in rows.iterrows():
            axes.plot([entry["predicted"]] * 2, [entry["low"], entry["high"]], **ends)
        axes.plot(
            rows["predicted"], rows["observed"], linewidth=1.1, markersize=3.8, clip_on=False,
            label="_bins", zorder=3, **look,
        )  # fmt: skip
    if known.empty:
        look = {"ha": "center", "color": SOFT_INK, "fontstyle": "italic"}
        style.write(axes, 0.5, 0.5, wrap("no bin holds a record", box - 4), **look)


def _draw_counts(
    axes: Axes, part: pd.DataFrame, models: list[str], first: bool, most: float
) -> None:
    axes.set_yscale("log")
    axes.set(xlim=(0, 1), ylim=(0.5, max(20.0, 2 * most)))
    for index, model in enumerate(models):
        rows = part[part["model"] == model].sort_values("low")
        if len(rows):
            edges = np.append(rows["low"].to_numpy(), rows["high"].iloc[-1])
            look = panels.model_look(index)
            style_of = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": 1.0}
            heights = np.maximum(rows["count"].to_numpy(), 0.5)  # a zero has no logarithm
            axes.stairs(heights, edges, baseline=0.5, label="_counts", **style_of)
    powers = range(0, math.ceil(math.log10(max(20.0, 2 * most))))
    powers = range(0, powers.stop, max(1, -(-powers.stop // 3)))
    axes.set_yticks([10.0**power for power in powers], [_power_words(power) for power in powers])
    axes.minorticks_off()
    axes.tick_params(axis="y", labelleft=first)
    style.number_axis(axes.xaxis, 5)
    if first:
        axes.set_ylabel("Records")


def _power_words(power: int) -> str:
    prefix = "kMGT"[power // 3 - 1] if power >= 3 else ""
    return f"{10 ** (power % 3)} {prefix}" if prefix else f"{10**power:,}"


def _key(models: list[str]) -> list[Line2D]:
    key = [
        Line2D([], [], linewidth=1.1, markersize=3.8, label=model, **panels.model_look(index))
        for index, model in enumerate(models)
    ]
    look: dict[str, Any] = {"color": SOFT_INK, "linewidth": 0.6, "linestyle": _DOTTED}
    return [*key, Line2D([], [], label="predicted = observed", **look)]
