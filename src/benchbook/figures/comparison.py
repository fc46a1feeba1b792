"""Figures of continuous scores: ICC forms, consistency against agreement, method comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from ..errors import DataError, ParameterError
from ..estimate import decimals
from . import rows as row_layout
from . import style
from .agreement import grouped_rows, row_figure
from .inputs import estimate_table, interval_heading, numeric, plotted_table, shown_columns
from .rows import Scale
from .style import (
    BLUE,
    GREEN,
    INK,
    LINE_MM,
    SMALL_SIZE,
    SOFT_INK,
    VERMILION,
    HouseFigure,
    Width,
    digits_for,
    house_style,
    interval,
    number,
    text_mm,
    width_mm,
    wrap,
)

_GROUPS = {
    "agreement": "Absolute agreement",
    "consistency": "Consistency (rater means set aside)",
}


def icc_forms(
    table: Any,
    *,
    limits: tuple[float, float] | None = None,
    digits: int = 3,
    width: Width = "double",
) -> HouseFigure:
    """Draw the intraclass correlations with their intervals, by what they take for agreement.

    Parameters
    ----------
    table : DataFrame, sequence of Estimate, or mapping of name to Estimate
        ``name`` holds the form, ``ICC(1,1)`` to ``ICC(3,k)`` or its McGraw–Wong name, any subset
        of the six in any order; ``value``, ``low``, ``high``, ``reason``, ``level`` as in
        :func:`forest`. The model in words and the McGraw–Wong name are added here.
    limits, digits, width
        As for :func:`forest`.

    Raises
    ------
    DataError, ParameterError
        When a form stands there twice; when a name is none of the six forms.

    References
    ----------
    Shrout PE, Fleiss JL (1979). Intraclass correlations. Psychological Bulletin 86:420-428.
    McGraw KO, Wong SP (1996). Forming inferences about some intraclass correlation
    coefficients. Psychological Methods 1:30-46.
    """
    from ..icc.forms import FORMS, icc_form

    frame = estimate_table(table, "icc_forms")
    forms = [icc_form(name) for name in frame["name"]]
    frame["name"] = [form.name for form in forms]
    if frame["name"].duplicated().any():
        twice = frame.loc[frame["name"].duplicated(), "name"].iloc[0]
        raise DataError("icc_forms: the same form twice", found=twice, expected="each form once")
    frame["group"] = [_GROUPS[form.definition] for form in forms]
    order = sorted(FORMS, key=lambda name: FORMS[name].definition)
    frame = frame.sort_values("name", key=lambda names: names.map(order.index), ignore_index=True)
    rows = grouped_rows(frame, digits)
    for row in rows:
        if not row.heading:
            form = FORMS[row.label]
            raters = "mean of k raters" if form.average else "single rater"
            row.label = f"{form.name} = {form.mcgraw_wong}\n{form.model}, {raters}"
            row.colour, row.marker = (GREEN, "D") if form.average else (BLUE, "o")
    low, high = row_layout.axis_limits(frame, limits)
    scale = Scale(low, high, "Intraclass correlation", references=[(0.0, "", "-")])
    scale.heading = interval_heading(frame, "ICC")
    return row_figure(frame, rows, scale, width)


def consistency_against_agreement(
    first: Any,
    second: Any,
    estimates: Any,
    *,
    names: tuple[str, str] = ("Rater A", "Rater B"),
    unit: str = "",
    digits: int = 2,
    width: Width = "double",
) -> HouseFigure:
    """Draw two raters' scores against each other, and what each coefficient makes of them.

    Parameters
    ----------
    first, second : array-like, shape (n,)
        Scores of the same items; pairs with a NaN are left out.
    estimates : DataFrame, sequence of Estimate, or mapping of name to Estimate
        Coefficients such as ρ, ICC(3,1), ICC(2,1), Lin's CCC (columns as in :func:`forest`;
        with a ``group`` column, for instance "consistency" and "agreement", under headings).
    names : (str, str)
        Names of the raters.
    unit : str
        Unit of the scores, for the axis labels.
    digits : int
        Decimals printed.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres; narrow figures put one part under the other.

    Raises
    ------
    DataError
        When the scores differ in length or no pair is complete.
    """
    pairs = _pairs(first, second, "consistency_against_agreement")
    frame = estimate_table(estimates, "consistency_against_agreement")
    low, high = row_layout.axis_limits(frame, None)
    scale = Scale(low, high, "Coefficient", heading=interval_heading(frame, "Value"))
    rows = grouped_rows(frame, digits)
    wide = width_mm(width)
    stacked = wide < row_layout.NARROW_MM
    side = wide * (0.62 if stacked else 0.33)
    with house_style():
        room = wide if stacked else wide - side - 22
        layout = row_layout.plan(rows, room, scale.heading)
        rows_height = row_layout.rows_height_mm(layout, scale, room)
        top, scatter_height = 6.5, side + 17
        height = scatter_height + rows_height if stacked else max(scatter_height, rows_height)
        figure = style.new_figure(wide, height + 2)
        axes = style.axes_at(figure, 16, top, side, side)
        _draw_identity(axes, pairs, names, unit, side)
        beside = (wide - room, 1 + max(0.0, (scatter_height - rows_height) / 2))
        corner = (0.0, scatter_height) if stacked else beside
        row_layout.draw(figure, layout, scale, corner, room)
    pairs.columns = ["first", "second"]
    figure.benchbook_data = pd.concat(
        [pairs.assign(panel="scores"), shown_columns(frame).assign(panel="coefficients")],
        ignore_index=True,
    )
    return figure


def _pairs(first: Any, second: Any, what: str) -> pd.DataFrame:
    a, b = np.asarray(first, dtype=object).ravel(), np.asarray(second, dtype=object).ravel()
    if len(a) != len(b):
        raise DataError(
            f"{what}: the two raters differ in number of scores",
            found=f"{len(a)} and {len(b)}",
            expected="one score each per item",
        )
    frame = plotted_table(pd.DataFrame({"first": a, "second": b}), ("first", "second"), what)
    frame = numeric(frame, ("first", "second"), what).dropna()
    if frame.empty:
        raise DataError(f"{what}: no item scored by both", expected="one pair or more")
    return frame


def _draw_identity(
    axes: Axes, pairs: pd.DataFrame, names: tuple[str, str], unit: str, side: float
) -> None:
    values = pairs.to_numpy()
    margin = 0.06 * float(np.ptp(values)) or max(1.0, 0.05 * abs(float(values.flat[0])))
    low, high = float(values.min()) - margin, float(values.max()) + margin
    axes.set(xlim=(low, high), ylim=(low, high))
    axes.plot([low, high], [low, high], color=SOFT_INK, linewidth=0.8, linestyle=(0, (4, 2)))
    style.points(axes, pairs["first"], pairs["second"], BLUE)
    shift = float((pairs["second"] - pairs["first"]).mean())
    digits = decimals(shift, digits=min(digits_for(shift), 2))
    axes.set_title(
        wrap(
            f"Mean difference {number(shift, digits, signed=True)} {unit}",
            side,
            style.TEXT_SIZE,
            max_lines=1,
        ),
        fontweight="normal",
    )
    ending = f" ({unit})" if unit else ""
    axes.set_xlabel(wrap(names[0] + ending, side, style.TEXT_SIZE, max_lines=1))
    axes.set_ylabel(wrap(names[1] + ending, side, style.TEXT_SIZE, max_lines=1))
    style.number_axis(axes.xaxis, 5)
    style.number_axis(axes.yaxis, 5)
    axes.text(
        high - 0.02 * (high - low),
        low + 0.03 * (high - low),
        "dashed: same score",
        ha="right",
        va="bottom",
        fontsize=SMALL_SIZE,
        color=SOFT_INK,
    )


def bland_altman_plot(
    points: Any,
    lines: Any = None,
    *,
    scale: Literal["difference", "percent", "ratio"] = "difference",
    names: tuple[str, str] = ("first", "second"),
    unit: str = "",
    trend: bool | tuple[float, float] = False,
    digits: int | None = None,
    width: Width = "medium",
) -> HouseFigure:
    """Draw differences of two methods against their means, with the limits of agreement.

    Parameters
    ----------
    points : BlandAltman or DataFrame
        The result of ``benchbook.icc.bland_altman``, which also brings lines, scale and names;
        or a table with columns ``mean`` and ``difference`` (or the ratio, or the difference in
        percent of the mean). With a ``subject`` column, replicates of one subject are joined by
        a thin line. Rows with a NaN are left out.
    lines : DataFrame, sequence of Estimate, or mapping of name to Estimate, optional
        Needed with a table of points: mean difference first (drawn solid), then the limits of
        agreement; ``name``, ``value``, ``low``, ``high`` on the scale of the points. Intervals
        are shaded.
    scale : {"difference", "percent", "ratio"}
        What the vertical axis holds; a ratio gets a logarithmic axis and a line at 1.
    names : (str, str)
        Names of the two methods.
    unit : str
        Unit of the scores.
    trend : bool or (float, float)
        Draw the difference's dependence on the mean (proportional bias): intercept and slope,
        or True for the slope of a result of differences.
    digits : int, optional
        Decimals printed; by default three significant digits of the largest line.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When nothing is left to draw, a ratio is not positive, or ``scale`` is unknown.

    References
    ----------
    Bland JM, Altman DG (1986). Statistical methods for assessing agreement between two methods
    of clinical measurement. Lancet 327:307-310.
    """
    if lines is None:
        if not hasattr(points, "bias"):
            raise ParameterError("a table of points needs its lines: mean and limits.")
        points, lines, scale, names, trend = _parts(points, trend)
    if scale not in ("difference", "percent", "ratio"):
        raise ParameterError(f"unknown scale '{scale}'; expected difference, percent or ratio.")
    cloud = _cloud(points, scale)
    frame = estimate_table(lines, "bland_altman_plot")
    if scale == "ratio" and (frame[["value", "low", "high"]] <= 0).any(axis=None):
        raise DataError("bland_altman_plot: a ratio is positive", expected="lines above 0")
    wide = width_mm(width)
    with house_style():
        figure = style.new_figure(wide, min(0.55 * wide + 14, 88), layout="constrained")
        axes = figure.subplots()
        _draw_cloud(axes, cloud)
        _draw_limits(axes, frame, cloud, scale)
        heights, texts = _line_labels(frame, scale, digits, wide)
        if isinstance(trend, tuple):
            heights.append(_draw_trend(axes, cloud, trend))
            texts.append(f"Trend\nslope {number(trend[1], digits_for(trend[1]))}")
        _label_difference_axes(axes, scale, names, unit, wide)
        _tell_reasons(axes, frame, wide)
        _label_beside(figure, axes, heights, texts)
    figure.benchbook_data = pd.concat(
        [cloud.assign(panel="points"), shown_columns(frame).assign(panel="lines")],
        ignore_index=True,
    )
    return figure


def _parts(result: Any, trend: Any) -> tuple[pd.DataFrame, Any, Any, tuple[str, str], Any]:
    points = pd.DataFrame(
        {"item": result.items, "mean": result.means, "difference": result.differences}
    )
    first = "Geometric mean ratio" if result.scale == "ratio" else "Mean difference"
    lines = {first: result.bias, "Lower limit": result.lower, "Upper limit": result.upper}
    slope = result.slope.value
    if trend is True:
        drawable = result.scale == "difference" and not math.isnan(slope)
        middle = float(np.mean(result.means))
        trend = (result.bias.value - slope * middle, slope) if drawable else False
    return points, lines, result.scale, result.names, trend


def _draw_trend(axes: Axes, cloud: pd.DataFrame, trend: tuple[float, float]) -> float:
    ends = np.array([cloud["mean"].min(), cloud["mean"].max()])
    axes.plot(
        ends,
        trend[0] + trend[1] * ends,
        color=GREEN,
        linewidth=1.1,
        linestyle=(0, (1, 1)),
        zorder=2,
        label="_trend",
    )
    return float(trend[0] + trend[1] * ends[1])


def _line_labels(
    frame: pd.DataFrame, scale: str, digits: int | None, wide: float
) -> tuple[list[float], list[str]]:
    places = digits if digits is not None else digits_for(*frame["value"])
    texts = [_line_words(entry, places, wide) for _, entry in frame.iterrows()]
    return list(frame["value"].fillna(1.0 if scale == "ratio" else 0.0)), texts


def _cloud(points: Any, scale: str) -> pd.DataFrame:
    cloud = plotted_table(points, ("mean", "difference"), "bland_altman_plot")
    cloud = numeric(cloud, ("mean", "difference"), "bland_altman_plot")
    cloud = cloud.dropna(subset=["mean", "difference"])
    if cloud.empty:
        raise DataError("bland_altman_plot: no complete pair", expected="one pair or more")
    if scale == "ratio" and (cloud["difference"] <= 0).any():
        raise DataError(
            "bland_altman_plot: a ratio is positive",
            column="difference",
            found=f"{cloud['difference'].min():g}",
            expected="above 0",
        )
    return cloud


def _draw_cloud(axes: Axes, cloud: pd.DataFrame) -> None:
    if "subject" in cloud.columns:
        for _, part in cloud.groupby("subject", sort=False):
            if len(part) > 1:
                ordered = part.sort_values("mean")
                axes.plot(
                    ordered["mean"],
                    ordered["difference"],
                    color=style.RULE,
                    linewidth=0.6,
                    zorder=2,
                    label="_subject",
                )
    style.points(axes, cloud["mean"], cloud["difference"], INK, clip_on=True)


def _draw_limits(
    axes: Axes,
    frame: pd.DataFrame,
    cloud: pd.DataFrame,
    scale: str,
) -> None:
    nothing = 1.0 if scale == "ratio" else 0.0
    axes.axhline(nothing, color=style.RULE, linewidth=0.8, zorder=1, label="_no difference")
    for index, entry in frame.iterrows():
        colour = BLUE if index == 0 else VERMILION
        if math.isnan(entry["value"]):
            continue
        axes.axhline(
            entry["value"],
            color=colour,
            linewidth=1.2,
            zorder=2,
            label="_line",
            linestyle="-" if index == 0 else (0, (5, 2)),
        )
        if not math.isnan(entry["low"] + entry["high"]):
            axes.axhspan(
                entry["low"],
                entry["high"],
                facecolor=colour,
                alpha=0.13,
                zorder=0,
                edgecolor="none",
                label="_interval",
            )
    spread = np.array([cloud["mean"].min(), cloud["mean"].max()])
    margin = 0.04 * float(np.ptp(spread)) or max(1.0, 0.05 * abs(float(spread[0])))
    axes.set_xlim(spread[0] - margin, spread[1] + margin)
    style.number_axis(axes.xaxis, 6)
    _vertical_range(axes, frame, cloud, scale)


def _vertical_range(axes: Axes, frame: pd.DataFrame, cloud: pd.DataFrame, scale: str) -> None:
    ends = np.concatenate([cloud["difference"], frame[["value", "low", "high"]].to_numpy().ravel()])
    ends = ends[~np.isnan(ends)]
    ends = np.append(ends, 1.0 if scale == "ratio" else 0.0)
    if scale == "ratio":
        low, high = np.log(ends.min()), np.log(ends.max())
        margin = 0.05 * (high - low) or 0.1
        axes.set_yscale("log", base=2)
        axes.set_ylim(math.exp(low - margin), math.exp(high + margin))
        wide_range = ends.max() / ends.min() > 4
        locator = LogLocator(subs=(1, 2, 5)) if wide_range else style.ticks(6)
        axes.yaxis.set_major_locator(locator)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
        return
    margin = 0.05 * float(np.ptp(ends)) or 1.0
    axes.set_ylim(ends.min() - margin, ends.max() + margin)
    style.number_axis(axes.yaxis, 6)


def _label_difference_axes(
    axes: Axes, scale: str, names: tuple[str, str], unit: str, wide: float
) -> None:
    sign = "/" if scale == "ratio" else "−"
    ending = " (% of the mean)" if scale == "percent" else f" ({unit})" if unit else ""
    ending = "" if scale == "ratio" else ending
    word = "Ratio" if scale == "ratio" else "Difference"
    height = 0.45 * wide
    text = f"{word}, {names[0]} {sign} {names[1]}{ending}"
    axes.set_ylabel(wrap(text, height, style.TEXT_SIZE, max_lines=3))
    kind = "Geometric mean" if scale == "ratio" else "Mean"
    text = f"{kind} of {names[0]} and {names[1]}" + (f" ({unit})" if unit else "")
    axes.set_xlabel(wrap(text, 0.6 * wide, style.TEXT_SIZE, max_lines=2))


def _line_words(entry: pd.Series, digits: int, wide: float) -> str:
    room = 0.3 * wide
    if math.isnan(entry["value"]):
        return wrap(f"{entry['name']}: undefined", room)
    text = f"{wrap(entry['name'], room, max_lines=2)}\n{number(entry['value'], digits)}"
    if math.isnan(entry["low"] + entry["high"]):
        return text
    bounds = f"({interval(entry['low'], entry['high'], digits)})"
    joined = f"{text} {bounds}".split("\n")[-1]
    return f"{text} {bounds}" if text_mm(joined) <= room else f"{text}\n{bounds}"


def _tell_reasons(axes: Axes, frame: pd.DataFrame, wide: float) -> None:
    missing = frame.loc[frame["value"].isna(), "reason"].fillna("no reason given").unique()
    if len(missing):
        words = wrap(f"Undefined: {'; '.join(missing)}", 0.55 * wide, max_lines=4)
        axes.set_title(words, fontsize=SMALL_SIZE, fontweight="normal", fontstyle="italic")


def _label_beside(
    figure: HouseFigure, axes: Axes, values: Sequence[float], texts: Sequence[str]
) -> None:
    """Write texts to the right of the axes, each as near to its value as the others let it."""
    labels = [
        axes.annotate(
            text,
            (1, 0.5),
            (3, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=SMALL_SIZE,
            linespacing=1.15,
        )
        for text in texts
    ]
    figure.draw_without_rendering()  # the constrained layout settles the height of the axes
    height = axes.get_position().height * figure.get_size_inches()[1] * style.MM_PER_INCH
    to_axes = axes.transData + axes.transAxes.inverted()
    wanted = [float(to_axes.transform((1, value))[1]) * height for value in values]
    tall = max(text.count("\n") + 1 for text in texts) * LINE_MM
    places = style.spread(wanted, tall + 0.6, tall / 2, height - tall / 2)
    for label, place in zip(labels, places, strict=True):
        label.xy = (1, place / height)
