"""Figures of intervals: how methods compare, and what a bootstrap distribution looks like."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..errors import DataError
from ..estimate import Estimate, decimals
from . import rows as row_layout
from . import style
from .agreement import row_figure
from .inputs import estimate_table, interval_heading
from .rows import Row, Scale
from .style import (
    PALETTE,
    VERMILION,
    HouseFigure,
    Width,
    house_style,
    interval,
    number,
    width_mm,
    wrap,
)

_BAR = "#B3CDE3"


def interval_comparison(
    table: Any,
    *,
    label: str = "Coefficient",
    limits: tuple[float, float] | None = None,
    digits: int = 3,
    width: Width = "double",
) -> HouseFigure:
    """Draw the intervals that several methods give the same statistic, one under the other.

    Parameters
    ----------
    table : DataFrame or sequence of Estimate
        ``name`` (or ``statistic``), ``method``, ``value``, ``low``, ``high``; ``reason`` where
        undefined. Statistics and methods are drawn in the order they first stand in.
    label, limits, digits, width
        As for :func:`forest`.

    Raises
    ------
    DataError
        When the table is empty or a column is missing.
    """
    frame = estimate_table(table, "interval_comparison")
    if "method" not in frame.columns:
        raise DataError(
            "interval_comparison: column missing",
            column="method",
            found=", ".join(frame.columns),
            expected="name, method, value, low, high",
        )
    frame["method"] = frame["method"].astype(str)
    methods = list(dict.fromkeys(frame["method"]))
    rows: list[Row] = []
    for name, part in frame.groupby("name", sort=False):
        rows.append(Row(str(name), heading=True))
        rows += [
            _method_row(entry, methods.index(entry["method"]), digits)
            for _, entry in part.iterrows()
        ]
    low, high = row_layout.axis_limits(frame, limits, include=())
    scale = Scale(low, high, label, heading=interval_heading(frame, "Estimate"))
    return row_figure(frame, rows, scale, width)


def _method_row(entry: pd.Series, index: int, digits: int) -> Row:
    return Row(
        entry["method"],
        entry["value"],
        entry["low"],
        entry["high"],
        row_layout.value_text(entry, digits),
        row_layout.shown_reason(entry),
        indent=True,
        hollow=math.isnan(entry["low"] + entry["high"]),
        colour=PALETTE[index % len(PALETTE)],
        marker=style.MARKERS[index % len(style.MARKERS)],
    )


def bootstrap_distribution(
    replicates: Any,
    estimate: Estimate,
    *,
    label: str | None = None,
    digits: int = 3,
    width: Width = "single",
) -> HouseFigure:
    """Draw the distribution of a statistic over its bootstrap resamples.

    Parameters
    ----------
    replicates : array-like, shape (n_resamples,)
        The statistic on each resample; NaN where it had no value (counted under the figure).
    estimate : Estimate
        Value on the full data, interval, and the Monte-Carlo errors of its bounds (shaded,
        one standard error to each side).
    label : str, optional
        Words under the axis; by default the estimate's name.
    digits : int
        Decimals printed.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When no resample has a value.
    """
    values = np.asarray(replicates, dtype=float).ravel()
    known = values[np.isfinite(values)]
    if not len(known):
        raise DataError(
            "bootstrap_distribution: no resample has a value",
            found=f"{len(values)} resamples",
            expected="one finite value or more",
        )
    edges = bin_edges(known)
    counts, _ = np.histogram(known, edges)
    wide = width_mm(width)
    with house_style():
        figure = style.new_figure(wide, min(0.52 * wide + 26, 88), layout="constrained")
        axes = figure.subplots()
        look: dict[str, Any] = {"color": _BAR, "edgecolor": "white", "linewidth": 0.3}
        axes.bar(edges[:-1], counts, np.diff(edges), align="edge", **look)
        words = wrap(label or estimate.name or "Statistic", wide - 18, style.TEXT_SIZE)
        axes.set(xlabel=words, ylabel="Resamples")
        style.number_axis(axes.xaxis, int(wide / 14))
        key = [_bar_key(values, known), *_mark_estimate(axes, estimate, digits)]
        for handle in key:
            handle.set_label(wrap(str(handle.get_label()), wide - 12, max_lines=2))
        figure.legend(handles=key, loc="outside lower left", borderaxespad=0.2, handlelength=1.8)
    figure.benchbook_data = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts})
    return figure


def _bar_key(values: np.ndarray, known: np.ndarray) -> Patch:
    lost = len(values) - len(known)
    words = f"{len(known):,} resamples" + (f", {lost:,} more without a value" if lost else "")
    if len(np.unique(known)) == 1:
        words += ", all with the same value"
    return Patch(facecolor=_BAR, label=words)


def bin_edges(known: np.ndarray) -> np.ndarray:
    """Return where the bars of a histogram of replicates begin and end.

    Parameters
    ----------
    known : ndarray of shape (n_replicates,)
        Finite, at least one. Few distinct values get a bar each, more of them 12 to 60 bars of
        one width (Freedman and Diaconis 1981).
    """
    low, high = float(known.min()), float(known.max())
    if high - low <= 1e-12 * max(1.0, abs(low)):  # one value, whatever its last bits
        margin = 0.05 * max(abs(low), 1.0)
        return np.array([low - margin, low + margin])
    distinct = np.unique(known)
    if len(distinct) <= 30:  # few possible values: a bar for each, none merged with its neighbour
        middle = (distinct[1:] + distinct[:-1]) / 2
        first, last = distinct[0] - (middle[0] - distinct[0]), 2 * distinct[-1] - middle[-1]
        return np.concatenate([[first], middle, [last]])
    wanted = len(np.histogram_bin_edges(known, bins="fd")) - 1
    return np.linspace(low, high, int(np.clip(wanted, 12, 60)) + 1)


def _mark_estimate(axes: Axes, estimate: Estimate, digits: int) -> list[Any]:
    key: list[Any] = []
    digits = decimals(estimate.value, estimate.low, estimate.high, digits=digits)
    if estimate.defined:
        look: dict[str, Any] = {"color": style.INK, "linewidth": 1.2}
        axes.axvline(estimate.value, label="_value", **look)
        key.append(Line2D([], [], label=f"estimate {number(estimate.value, digits)}", **look))
    if not estimate.has_interval:
        return key
    look = {"color": VERMILION, "linewidth": 1.1, "linestyle": (0, (4, 2))}
    shade: dict[str, Any] = {"color": VERMILION, "alpha": 0.25, "linewidth": 0}
    errors = estimate.monte_carlo_error
    for bound, error in zip((estimate.low, estimate.high), errors, strict=True):
        axes.axvline(bound, label="_bound", **look)
        if math.isfinite(error) and error > 0:
            axes.axvspan(bound - error, bound + error, label="_monte carlo error", **shade)
    words = f"{100 * estimate.level:g} % interval {interval(estimate.low, estimate.high, digits)}"
    words += f" ({estimate.method})" if estimate.method else ""
    key.append(Line2D([], [], label=words, **look))
    if all(math.isfinite(error) for error in errors):
        words = " and ".join(f"±{number(error, digits + 1)}" for error in errors)
        key.append(Patch(label=f"Monte-Carlo error {words}", **shade))
    return key
