"""Figures of a coverage study: how often intervals hold the truth, and at what width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..errors import DataError, ParameterError
from . import rows as row_layout
from . import style
from .inputs import estimate_table, numeric, plotted_table
from .intervals import bin_edges
from .rows import Row, Scale
from .style import (
    BLUE,
    INK,
    LINE_MM,
    PALE,
    PALETTE,
    SMALL_SIZE,
    SOFT_INK,
    TEXT_SIZE,
    VERMILION,
    HouseFigure,
    Width,
    house_style,
    text_mm,
    width_mm,
    wrap,
)

UNITS = {"cluster": (BLUE, "o"), "item": (VERMILION, "s")}
_BAR = "#B3CDE3"
_DASHED, _DOTTED = (0, (4, 2)), (0, (1, 1.2))
_TICKS_X = (10, 100, 1000, 10_000, 100_000)
_TICKS_Y = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_NEED = ("group", "name", "value", "unit")


def coverage_by_method(
    table: Any,
    *,
    level: float = 0.95,
    band: tuple[float, float] | None = None,
    limits: tuple[float, float] = (0.8, 1.0),
    other: str = "",
    width: Width = "double",
) -> HouseFigure:
    """Draw the coverage of interval methods, one row each, with Monte-Carlo intervals.

    Parameters
    ----------
    table : DataFrame
        ``group`` (heading: the design), ``name`` (the method), ``value`` (coverage, a share),
        ``low``, ``high`` (its Monte-Carlo interval), ``unit`` ("item" or "cluster"); ``text``
        printed beside the row, and ``other``, the coverage of a second study, drawn hollow.
    level : float
        Nominal coverage, marked by a line.
    band : (float, float), optional
        Coverages that count as good enough, shaded.
    limits : (float, float)
        Of the axis; what lies beyond ends in an arrow.
    other : str
        Words for the second study.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, or a unit is unknown.
    """
    frame = _checked_rows(table, "coverage_by_method")
    frame[["value", "low", "high"]] *= 100
    references = [(100 * level, f"nominal coverage, {100 * level:g} %", _DASHED)]
    low, high = (100 * one for one in limits)
    scale = Scale(low, high, "Coverage (%)", (), references, heading="Coverage")
    if band is not None:
        scale.band = (max(100 * band[0], low), min(100 * band[1], high))
    second = 100 * frame["other"] if "other" in frame else None
    figure = _row_figure(frame, scale, width, second, other)
    figure.benchbook_data = frame.assign(
        **{name: frame[name] / 100 for name in ("value", "low", "high")}
    )
    return figure


def interval_widths(
    table: Any,
    *,
    label: str = "Mean width over width needed",
    width: Width = "double",
) -> HouseFigure:
    """Draw mean widths of intervals relative to what is needed, one row each.

    Parameters
    ----------
    table : DataFrame
        As for :func:`coverage_by_method`, ``value`` being a ratio of widths.
    label : str
        Words under the axis.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.
    """
    frame = _checked_rows(table, "interval_widths")
    ends = frame[["value", "low", "high"]].to_numpy()
    high = max(1.2, float(np.nanmax(ends, initial=1.0)))
    scale = Scale(0.0, 0.2 * math.ceil(high / 0.2 - 1e-9), label, (), [(1.0, "", "-")])
    scale.heading = "Width"
    figure = _row_figure(frame, scale, width, None, "")
    figure.benchbook_data = frame
    return figure


def _checked_rows(table: Any, what: str) -> pd.DataFrame:
    plotted_table(table, _NEED, what)
    frame = estimate_table(table, what)
    unknown = [unit for unit in frame["unit"] if unit not in UNITS]
    if unknown:
        raise DataError(f"{what}: unknown unit", found=str(unknown[0]), expected=", ".join(UNITS))
    if "text" not in frame:
        frame["text"] = ""
    return numeric(frame, [name for name in ("other",) if name in frame], what)


def _row_figure(
    frame: pd.DataFrame, scale: Scale, width: Width, second: pd.Series | None, words: str
) -> HouseFigure:
    """Draw one row per line of the table; a second value is a hollow marker of the same shape."""
    wide = width_mm(width)
    rows, marks = _rows_of(frame)
    units = [unit for unit in UNITS if unit in set(frame["unit"])]
    with house_style():
        layout = row_layout.plan(rows, wide, scale.heading)
        key = _units_key(units, "" if second is None else words, wide)
        height = row_layout.rows_height_mm(layout, scale, wide) + 2
        figure = style.new_figure(wide, height + (LINE_MM + 0.6) * len(key) + 1)
        axes = row_layout.draw(figure, layout, scale, (0, 1.5), wide)
        if second is not None:
            _overlay(axes, scale, marks, second, list(frame["unit"]))
        figure.legend(
            handles=key, loc="lower left", bbox_to_anchor=(0.0, 0.005), borderaxespad=0.0,
            labelspacing=0.25, handlelength=2.0, handletextpad=0.5, fontsize=SMALL_SIZE,
        )  # fmt: skip
    return figure


def _rows_of(frame: pd.DataFrame) -> tuple[list[Row], list[Row]]:
    rows: list[Row] = []
    marks: list[Row] = []
    last: Any = None
    for _, entry in frame.iterrows():
        if entry["group"] != last:
            last = entry["group"]
            rows.append(Row(str(last), heading=True))
        colour, marker = UNITS[entry["unit"]]
        mark = Row(
            entry["name"], entry["value"], entry["low"], entry["high"], str(entry["text"]),
            row_layout.shown_reason(entry) if math.isnan(entry["value"]) else None,
            indent=True, colour=colour, marker=marker,
        )  # fmt: skip
        rows.append(mark)
        marks.append(mark)
    return rows, marks


def _units_key(units: Sequence[str], other: str, wide: float) -> list[Line2D]:
    key = []
    for unit in units:
        colour, marker = UNITS[unit]
        key.append(Line2D([], [], color=colour, marker=marker, label=f"unit: {unit}"))
    if other:
        label = wrap(other, wide - 12, max_lines=1)
        look: dict[str, Any] = {"color": SOFT_INK, "markerfacecolor": "none", "linestyle": "none"}
        key.append(Line2D([], [], marker="o", label=label, **look))
    return key


def _overlay(
    axes: Axes, scale: Scale, marks: list[Row], second: pd.Series, units: list[str]
) -> None:
    for mark, value, unit in zip(marks, second, units, strict=True):
        if scale.low <= value <= scale.high:
            colour, marker = UNITS[unit]
            axes.plot(
                value, mark.mark, marker=marker, color=colour, markerfacecolor="none",
                markersize=5.5, markeredgewidth=0.7, clip_on=False, zorder=5, label="_other",
            )  # fmt: skip


# ---- against the intracluster correlation --------------------------------------------------


def coverage_against_correlation(
    table: Any,
    *,
    theory: Any = None,
    level: float = 0.95,
    width: Width = "double",
) -> HouseFigure:
    """Draw coverage against the intracluster correlation, a panel per design, by unit.

    Parameters
    ----------
    table : DataFrame
        ``group`` (the panel), ``correlation``, ``unit`` ("item" or "cluster"), ``value``
        (coverage, a share), ``low``, ``high``.
    theory : DataFrame, optional
        ``group``, ``correlation``, ``value``: coverage of the item's interval by formula.
    level : float
        Nominal coverage.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When the table is empty, a column is missing or not numeric, or a unit is unknown.
    """
    what = "coverage_against_correlation"
    columns = ("group", "correlation", "unit", "value", "low", "high")
    frame = numeric(plotted_table(table, columns, what), (columns[1], *columns[3:]), what)
    unknown = [unit for unit in frame["unit"] if unit not in UNITS]
    if unknown:
        raise DataError(f"{what}: unknown unit", found=str(unknown[0]), expected=", ".join(UNITS))
    curves = pd.DataFrame(theory) if theory is not None else pd.DataFrame({"group": []})
    groups = list(dict.fromkeys(frame["group"]))
    lowest = min(float(np.nanmin(frame[["low", "value"]].to_numpy(), initial=level)), level)
    floor = 100 * max(0.0, math.floor(lowest * 10) / 10)

    def panel(axes: Axes, group: str, box: float) -> None:
        axes.axhline(100 * level, color=SOFT_INK, linewidth=0.8, linestyle=_DASHED, zorder=1)
        for unit in UNITS:
            _draw_unit(axes, frame[(frame["group"] == group) & (frame["unit"] == unit)], unit)
        curve = curves[curves["group"] == group]
        if len(curve):
            axes.plot(
                curve["correlation"], 100 * curve["value"], color=INK, linewidth=0.9,
                linestyle=_DOTTED, label="_theory",
            )  # fmt: skip
        axes.set(xlim=(-0.04, _last(frame) + 0.04), ylim=(floor, 101))
        style.number_axis(axes.xaxis, int(box / 11))
        style.number_axis(axes.yaxis, 6)

    key = _correlation_key(frame, len(curves) > 0, level)
    figure = _panels(groups, panel, ("Intracluster correlation", "Coverage (%)"), key, width)
    figure.benchbook_data = frame
    return figure


def _last(frame: pd.DataFrame) -> float:
    last = float(np.nanmax(frame["correlation"].to_numpy(), initial=0.0))
    return last if last > 0 else 1.0


def _draw_unit(axes: Axes, part: pd.DataFrame, unit: str) -> None:
    if part.empty:
        return
    part = part.sort_values("correlation")
    colour, marker = UNITS[unit]
    value = 100 * part["value"].to_numpy()
    errors = np.abs(100 * part[["low", "high"]].to_numpy().T - value)
    axes.errorbar(
        part["correlation"], value, errors, color=colour, marker=marker, markersize=3.6,
        linewidth=1.1, elinewidth=1.0, capsize=0, label=f"_{unit}",
    )  # fmt: skip


def _correlation_key(frame: pd.DataFrame, theory: bool, level: float) -> list[Any]:
    key: list[Any] = []
    for unit in (unit for unit in UNITS if unit in set(frame["unit"])):
        colour, marker = UNITS[unit]
        key.append(Line2D([], [], color=colour, marker=marker, label=f"resampled: {unit}"))
    if theory:
        words = "item, by the design effect"
        key.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=_DOTTED, label=words))
    look: dict[str, Any] = {"color": SOFT_INK, "linewidth": 0.8, "linestyle": _DASHED}
    key.append(Line2D([], [], label=f"nominal, {100 * level:g} %", **look))
    return key


def _panels(
    groups: Sequence[str],
    draw: Any,
    labels: tuple[str, str],
    key: list[Any],
    width: Width,
) -> HouseFigure:
    """Draw panels side by side, under each other where the figure is narrow, with one key."""
    wide = width_mm(width)
    columns = max(1, min(len(groups), int(wide // 55)))
    lines = -(-len(groups) // columns)
    gap, left, tall = 5.0, 13.0, 42.0
    box = (wide - left - 3 - gap * (columns - 1)) / columns
    titles = [wrap(group, box, TEXT_SIZE, 2, "bold") for group in groups]
    head = LINE_MM * 1.2 * max(title.count("\n") + 1 for title in titles) + 2
    step = head + tall + 6
    key_lines = _key_rows(key, wide)
    foot = 9 + (LINE_MM + 0.7) * len(key_lines)
    with house_style():
        figure = style.new_figure(wide, lines * step + foot - 2)
        for place, group in enumerate(groups):
            column, line = place % columns, place // columns
            corner = (left + column * (box + gap), line * step + head)
            axes = style.axes_at(figure, *corner, box, tall)
            draw(axes, group, box)
            axes.set_title(titles[place], pad=4)
            axes.tick_params(axis="y", labelleft=column == 0)
            if column == 0:
                axes.set_ylabel(wrap(labels[1], tall, TEXT_SIZE, 2))
            if place + columns >= len(groups):
                axes.set_xlabel(wrap(labels[0], box, TEXT_SIZE, 1))
        _write_key(figure, key_lines, lines * step + 6, wide)
    return figure


def _key_rows(key: Sequence[Any], wide: float) -> list[list[Any]]:
    """Break the entries of a key into lines that fit."""
    lines: list[list[Any]] = [[]]
    used = 0.0
    for handle in key:
        handle.set_label(wrap(str(handle.get_label()), wide - 14, max_lines=1))
        needed = text_mm(str(handle.get_label())) + 13
        if lines[-1] and used + needed > wide - 2:
            lines.append([])
            used = 0.0
        lines[-1].append(handle)
        used += needed
    return lines


def _write_key(figure: HouseFigure, lines: list[list[Any]], top: float, wide: float) -> None:
    tall = figure.get_size_inches()[1] * style.MM_PER_INCH
    for number, handles in enumerate(lines):
        figure.legend(
            handles=handles, loc="upper left", ncols=len(handles), borderaxespad=0.0,
            bbox_to_anchor=(2 / wide, 1 - (top + number * (LINE_MM + 0.7)) / tall),
            borderpad=0.0, handlelength=2.2, handletextpad=0.5, columnspacing=1.2,
        )  # fmt: skip


# ---- resamples needed ----------------------------------------------------------------------


def convergence(
    table: Any,
    *,
    label: str = "Monte-Carlo error, % of the width",
    width: Width = "double",
) -> HouseFigure:
    """Draw the Monte-Carlo error of a bound against the number of resamples, log against log.

    Parameters
    ----------
    table : DataFrame
        ``group`` (the panel), ``name`` (the line, such as the method), ``n_resamples``,
        ``value`` (the error seen) and ``predicted`` (the error by formula, a dotted line).
    label : str
        Words beside the vertical axis.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When the table is empty, a column is missing or not numeric; when a number of resamples
        is not above 0.
    """
    what = "convergence"
    columns = ("group", "name", "n_resamples", "value", "predicted")
    frame = numeric(plotted_table(table, columns, what), columns[2:], what)
    if not (frame["n_resamples"] > 0).all():
        raise ParameterError("convergence: n_resamples must be above 0.")
    names = list(dict.fromkeys(frame["name"].astype(str)))
    known = frame[["value", "predicted"]].to_numpy()
    known = known[known > 0]
    low, high = (known.min(), known.max()) if known.size else (0.1, 10.0)

    def panel(axes: Axes, group: str, box: float) -> None:
        part = frame[frame["group"] == group]
        axes.set_xscale("log")
        axes.set_yscale("log")
        for place, name in enumerate(names):
            _draw_errors(axes, part[part["name"] == name], place)
        ends = part["n_resamples"].min(), part["n_resamples"].max()
        axes.set(xlim=(ends[0] / 1.3, ends[1] * 1.3), ylim=(low / 1.5, high * 1.5))
        _log_ticks(axes)

    key = [_line(place, name) for place, name in enumerate(names)]
    dotted: dict[str, Any] = {"color": INK, "linewidth": 0.9, "linestyle": _DOTTED}
    key.append(Line2D([], [], label="by formula, as 1/√B", **dotted))
    groups = list(dict.fromkeys(frame["group"].astype(str)))
    figure = _panels(groups, panel, ("Resamples B", label), key, width)
    figure.benchbook_data = frame
    return figure


def _line(place: int, name: str) -> Line2D:
    look: dict[str, Any] = {"marker": style.MARKERS[place % len(style.MARKERS)], "markersize": 3.6}
    return Line2D([], [], color=PALETTE[place % len(PALETTE)], label=name, linewidth=1.1, **look)


def _draw_errors(axes: Axes, part: pd.DataFrame, place: int) -> None:
    part = part[part["value"] > 0].sort_values("n_resamples")
    if part.empty:
        return
    line = _line(place, "_seen")
    line.set_data(part["n_resamples"], part["value"])
    axes.add_line(line)
    axes.plot(
        part["n_resamples"], part["predicted"], color=INK, linewidth=0.9, linestyle=_DOTTED,
        label="_predicted", zorder=1,
    )  # fmt: skip


def _log_ticks(axes: Axes) -> None:
    low, high = axes.get_xlim()
    values = [at for at in _TICKS_X if low <= at <= high]
    axes.set_xticks(values, [f"{at:,}" for at in values])
    low, high = axes.get_ylim()
    errors = [at for at in _TICKS_Y if low <= at <= high]
    axes.set_yticks(errors, [f"{at:g}" for at in errors])
    axes.minorticks_off()
    axes.grid(color=PALE, linewidth=0.5)


# ---- one bootstrap distribution and its intervals ---------------------------------------------


def intervals_on_distribution(
    replicates: Any,
    estimates: Any,
    *,
    truth: float | None = None,
    label: str = "Statistic",
    digits: int = 3,
    width: Width = "double",
) -> HouseFigure:
    """Draw the bootstrap distribution above the intervals that methods make on the same data.

    Parameters
    ----------
    replicates : array-like, shape (n_resamples,)
        The statistic on each resample; NaN where it had no value.
    estimates : DataFrame or sequence of Estimate
        ``name`` (the method), ``value``, ``low``, ``high``, ``reason``.
    truth : float, optional
        The value in the population, where it is known.
    label : str
        Words under the axis.
    digits : int
        Decimals printed.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When no resample has a value or a column is missing.
    """
    frame = estimate_table(estimates, "intervals_on_distribution")
    values = np.asarray(replicates, dtype=float).ravel()
    known = values[np.isfinite(values)]
    if not known.size:
        raise DataError(
            "intervals_on_distribution: no resample has a value",
            found=f"{values.size} resamples",
            expected="one finite value or more",
        )
    wide = width_mm(width)
    entries = [entry for _, entry in frame.iterrows()]
    rows = [_interval_row(entry, place, digits) for place, entry in enumerate(entries)]
    ends = np.concatenate([known, frame[["value", "low", "high"]].to_numpy().ravel()])
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = 0.03 * (high - low) or 0.05 * max(abs(low), 1.0)
    scale = Scale(low - margin, high + margin, label, heading="Estimate (interval)")
    point = frame["value"].dropna()
    scale.references = [(float(point.iloc[0]), "estimate", "-")] if len(point) else []
    if truth is not None:
        scale.references = [*scale.references, (truth, "truth", _DASHED)]
    with house_style():
        layout = row_layout.plan(rows, wide, scale.heading)
        height = row_layout.rows_height_mm(layout, scale, wide) + 2
        figure = style.new_figure(wide, height + 34)
        top = style.axes_at(figure, layout.name_width, 3, layout.axes_width, 30)
        counts, edges = _draw_bars(top, known, scale)
        row_layout.draw(figure, layout, scale, (0, 35), wide)
    figure.benchbook_data = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts})
    return figure


def _interval_row(entry: pd.Series, place: int, digits: int) -> Row:
    return Row(
        str(entry["name"]),
        entry["value"],
        entry["low"],
        entry["high"],
        row_layout.value_text(entry, digits),
        row_layout.shown_reason(entry),
        hollow=math.isnan(entry["low"] + entry["high"]),
        colour=PALETTE[place % len(PALETTE)],
        marker=style.MARKERS[place % len(style.MARKERS)],
    )


def _draw_bars(axes: Axes, known: np.ndarray, scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    edges = bin_edges(known)
    counts, _ = np.histogram(known, edges)
    look: dict[str, Any] = {"color": _BAR, "edgecolor": "white", "linewidth": 0.3}
    axes.bar(edges[:-1], counts, np.diff(edges), align="edge", **look)
    axes.set_xlim(scale.low, scale.high)
    style.number_axis(axes.yaxis, 4)
    axes.set_xticklabels([])
    axes.set_ylabel("Resamples")
    for at, _, line in scale.references:
        axes.axvline(at, color=SOFT_INK, linewidth=0.8, linestyle=line)
    return counts, edges
