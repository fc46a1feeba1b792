"""Figures of agreement coefficients and of how raters use the categories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..errors import DataError, ParameterError
from ..estimate import decimals
from . import rows as row_layout
from . import style
from .inputs import (
    estimate_table,
    interval_heading,
    no_intervals,
    numeric,
    plotted_table,
    shown_columns,
)
from .rows import Row, Scale
from .style import (
    LINE_MM,
    PALETTE,
    SMALL_SIZE,
    HouseFigure,
    Width,
    house_style,
    interval,
    number,
    text_mm,
    width_mm,
    wrap,
)

_CURVE_LABELS = {
    "percent_agreement": "Percent agreement",
    "kappa": "Cohen κ",
    "cohen_kappa": "Cohen κ",
    "ac1": "Gwet AC1",
    "gwet_ac1": "Gwet AC1",
    "pabak": "PABAK",
}


def kappa_paradox(table: Any, *, width: Width = "medium") -> HouseFigure:
    """Draw agreement coefficients against the prevalence of a category.

    Parameters
    ----------
    table : DataFrame
        Column ``prevalence`` (0 to 1) and one column per coefficient, named
        ``percent_agreement``, ``kappa``, ``ac1``, ``pabak`` or with its label; a proportion
        each. A NaN leaves a gap in its line.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When a column is missing, empty or not numeric.
    """
    frame = plotted_table(table, ("prevalence",), "kappa_paradox")
    curves = [column for column in frame.columns if column != "prevalence"]
    if not curves:
        raise DataError("kappa_paradox: no coefficient", expected="a column such as 'kappa'")
    frame = numeric(frame, ["prevalence", *curves], "kappa_paradox").sort_values("prevalence")
    labels = [
        _CURVE_LABELS.get(column, column.replace("_", " "))
        + (": undefined" if frame[column].isna().all() else "")
        for column in curves
    ]
    wide = width_mm(width)
    room = min(max(text_mm(label) for label in labels), 0.34 * wide)
    with house_style():
        height = min(0.58 * wide + 6, 80)
        figure = style.new_figure(wide, height)
        box_width, box_height = wide - 14 - room - 4, height - 13
        axes = style.axes_at(figure, 13, 3, box_width, box_height)
        ends = [_draw_curve(axes, frame, column, i) for i, column in enumerate(curves)]
        low = min(0.0, float(np.nanmin(frame[curves].to_numpy(), initial=0.0)))
        axes.set(
            xlim=(0, 1),
            ylim=(1.1 * low, 1),
            xlabel="Prevalence of the category",
            ylabel="Coefficient",
        )
        _label_curves(axes, ends, labels, room, box_width, box_height)
    figure.benchbook_data = frame
    return figure


def _draw_curve(axes: Axes, frame: pd.DataFrame, column: str, index: int) -> tuple[float, float]:
    axes.plot(
        frame["prevalence"],
        frame[column],
        color=PALETTE[index % len(PALETTE)],
        linestyle=style.LINE_STYLES[index % len(style.LINE_STYLES)],
        marker=style.MARKERS[index % len(style.MARKERS)],
        markevery=max(1, len(frame) // 6),
        markersize=3.2,
        label=column,
        clip_on=False,
    )
    known = frame.dropna(subset=[column])
    if known.empty:
        return math.nan, math.nan
    return float(known["prevalence"].iloc[-1]), float(known[column].iloc[-1])


def _label_curves(
    axes: Axes,
    ends: Sequence[tuple[float, float]],
    labels: Sequence[str],
    room: float,
    box_width: float,
    box_height: float,
) -> None:
    low, high = axes.get_ylim()
    texts = [wrap(label, room) for label in labels]
    gap = LINE_MM * max(text.count("\n") + 1 for text in texts) + 0.3
    wanted = [(y - low) / (high - low) * box_height for _, y in ends]
    heights = style.spread(np.nan_to_num(wanted), gap, 0, box_height)
    for index, (text, end, height) in enumerate(zip(texts, ends, heights, strict=True)):
        place = (1 + 3.5 / box_width, height / box_height)
        look: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": SMALL_SIZE}
        if math.isnan(end[1]):
            axes.text(*place, text, transform=axes.transAxes, **look)
            continue
        line = {"arrowstyle": "-", "color": PALETTE[index % len(PALETTE)], "linewidth": 0.7}
        line |= {"shrinkA": 1, "shrinkB": 1.5, "relpos": (0, 0.5)}
        axes.annotate(
            text, end, place, "data", "axes fraction", line, annotation_clip=False, **look
        )


def forest(
    estimates: Any,
    *,
    bands: Literal["landis_koch"] | None = "landis_koch",
    thresholds: Mapping[str, float] | None = None,
    reference: float | None = None,
    label: str = "Coefficient",
    limits: tuple[float, float] | None = None,
    digits: int = 3,
    width: Width = "double",
) -> HouseFigure:
    """Draw estimates with their intervals, one row each, the numbers printed beside them.

    Parameters
    ----------
    estimates : DataFrame, sequence of Estimate, or mapping of name to Estimate
        Columns ``name``, ``value`` and, where known, ``low``, ``high``, ``reason``, ``level``
        and ``group`` (rows of one group stand under its heading, in the order given). A row
        whose value is NaN shows its reason in place of a marker.
    bands : {"landis_koch"} or None
        Shade and name the bands of Landis and Koch (1977).
    thresholds : mapping of str to float, optional
        Words and positions of dashed lines, for instance ``{"accepted from 0.70": 0.70}``.
    reference : float, optional
        Position of one plain line, such as 0 for a difference.
    label : str
        Words under the axis.
    limits : (float, float), optional
        Axis limits; by default they hold 0, 1, every value, and the intervals as far as
        −0.5; an interval cut by the axis ends in an arrow.
    digits : int
        Decimals printed.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When the table is empty or not numeric; when ``bands`` or ``limits`` make no sense.

    References
    ----------
    Landis JR, Koch GG (1977). The measurement of observer agreement for categorical data.
    Biometrics 33:159-174.
    """
    frame = estimate_table(estimates, "forest")
    if bands not in ("landis_koch", None):
        raise ParameterError(f"unknown bands '{bands}'; expected 'landis_koch' or None.")
    include = (0.0, 1.0) if bands else () if reference is None else (reference,)
    bounds = (-0.5, 1.0) if bands else (-math.inf, math.inf)
    references: list[Any] = [] if reference is None else [(reference, "", "-")]
    styles = ((0, (4, 2)), (0, (1, 1.2)), (0, (4, 1.5, 1, 1.5)))
    for index, (words, at) in enumerate((thresholds or {}).items()):
        references.append((float(at), words, styles[index % 3]))
    low, high = _checked_limits(
        row_layout.axis_limits(frame, limits, include=include, bounds=bounds)
    )
    scale = Scale(low, high, label, _landis_koch() if bands else (), references)
    scale.heading = interval_heading(frame, "Estimate")
    return row_figure(frame, grouped_rows(frame, digits), scale, width)


def _landis_koch() -> list[tuple[float, float, str]]:
    from ..agreement.words import LANDIS_KOCH

    ends = [-math.inf, 0.0, *(upper for upper, _ in LANDIS_KOCH)]
    words = ["poor", *(word for _, word in LANDIS_KOCH)]
    return list(zip(ends[:-1], ends[1:], words, strict=True))


def _checked_limits(limits: tuple[float, float]) -> tuple[float, float]:
    if not (math.isfinite(limits[0]) and math.isfinite(limits[1]) and limits[0] < limits[1]):
        raise ParameterError(f"axis limits {limits}; expected two numbers, the lower one first.")
    return limits


def grouped_rows(frame: pd.DataFrame, digits: int, signed: bool = False) -> list[Row]:
    """Return one row per estimate, with a heading wherever the ``group`` column changes."""
    result: list[Row] = []
    grouped = "group" in frame.columns
    bare = no_intervals(frame)
    last: Any = None
    for _, entry in frame.iterrows():
        if grouped and entry["group"] != last:
            last = entry["group"]
            result.append(Row(str(last), heading=True))
        result.append(
            Row(
                entry["name"],
                entry["value"],
                entry["low"],
                entry["high"],
                row_layout.value_text(entry, digits, signed, bare),
                row_layout.shown_reason(entry),
                indent=grouped,
                hollow=not bare and math.isnan(entry["low"] + entry["high"]),
            )
        )
    return result


def row_figure(frame: pd.DataFrame, rows: list[Row], scale: Scale, width: Width) -> HouseFigure:
    """Return a figure of nothing but rows, its height following from them."""
    wide = width_mm(width)
    with house_style():
        layout = row_layout.plan(rows, wide, scale.heading)
        height = row_layout.rows_height_mm(layout, scale, wide) + 2
        figure = style.new_figure(wide, height)
        row_layout.draw(figure, layout, scale, (0, 1.5), wide)
    figure.benchbook_data = shown_columns(frame)
    return figure


def coefficient_difference(
    estimates: Any,
    *,
    label: str = "Difference (first − second)",
    limits: tuple[float, float] | None = None,
    digits: int = 3,
    width: Width = "double",
) -> HouseFigure:
    """Draw paired differences of coefficients with their intervals, and a line at no difference.

    Parameters
    ----------
    estimates, label, limits, digits, width
        As for :func:`forest`; values are differences and are printed with their sign.
    """
    frame = estimate_table(estimates, "coefficient_difference")
    low, high = row_layout.axis_limits(frame, limits, include=(0.0,), bounds=(-math.inf, math.inf))
    if limits is None:  # no difference in the middle: both directions are read alike
        low, high = -max(-low, high), max(-low, high)
    scale = Scale(*_checked_limits((low, high)), label, (), [(0.0, "", "-")])
    scale.heading = interval_heading(frame, "Difference")
    return row_figure(frame, grouped_rows(frame, digits, signed=True), scale, width)


def leave_one_out(
    table: Any,
    estimate: Any,
    *,
    label: str = "Coefficient without this rater",
    digits: int = 3,
    width: Width = "single",
) -> HouseFigure:
    """Draw how the coefficient moves when each rater is left out.

    Parameters
    ----------
    table : DataFrame
        Columns ``rater`` and ``without`` (or ``value``: the coefficient without that rater), and
        ``reason`` where it is undefined, as ``benchbook.agreement.leave_one_rater_out`` gives
        them. Rows are drawn from the highest value to the lowest.
    estimate : Estimate or float
        The coefficient with every rater; its interval is shaded. Where it is undefined, only
        the values without each rater are drawn.
    label, digits, width
        Words under the axis, decimals printed, printed width.
    """
    frame = pd.DataFrame(table).rename(columns={"without": "value"})
    frame = plotted_table(frame, ("rater", "value"), "leave_one_out")
    frame = estimate_table(frame.assign(name=frame["rater"]), "leave_one_out")
    full = float(getattr(estimate, "value", estimate))
    frame["change"] = frame["value"] - full
    frame = frame.sort_values("value", ascending=False, kind="stable", na_position="last")
    rows = [_influence_row(entry, full, digits) for _, entry in frame.iterrows()]
    span = (getattr(estimate, "low", math.nan), getattr(estimate, "high", math.nan))
    band = None if math.isnan(span[0] + span[1]) else span
    low, high = _near(np.array([*frame["value"], full, *(band or ())]))
    scale = Scale(low, high, label, band=band, heading="Value (all raters: undefined)")
    if not math.isnan(full):
        digits = decimals(full, *span, digits=digits)
        words = f"all raters: {number(full, digits)}"
        words += f", shaded {interval(*band, digits)}" if band else ""
        scale.references, scale.heading = [(full, words, "-")], "Value (change)"
    return row_figure(frame.drop(columns="name"), rows, scale, width)


def _influence_row(entry: pd.Series, full: float, digits: int) -> Row:
    if math.isnan(entry["value"]):
        return Row(entry["name"], text="undefined", reason=entry["reason"] or "no reason given")
    text = number(entry["value"], digits)
    if math.isnan(full):
        return Row(entry["name"], entry["value"], text=text, marker="o")
    text += f" ({number(entry['change'], digits, signed=True)})"
    return Row(entry["name"], entry["value"], text=text, stem_from=full, marker="o")


def _near(values: np.ndarray) -> tuple[float, float]:
    """Return axis limits a little outside the values (a lollipop needs no zero)."""
    values = values[~np.isnan(values)]
    if not len(values):
        return 0.0, 1.0
    margin = 0.06 * float(np.ptp(values)) or 0.05
    return float(values.min()) - margin, float(values.max()) + margin
