"""One row per estimate: the layout behind every figure of intervals.

Sizes are computed from the texts before anything is drawn, in millimetres, so that names,
marks and printed values cannot run into each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..estimate import decimals
from . import style
from .style import BLUE, INK, LINE_MM, SMALL_SIZE, SOFT_INK, interval, number, text_mm, wrap

NARROW_MM = 110.0  # below this width values go under the names, not in a column of their own
_GAP_MM = 1.6  # between two rows
_INDENT_MM = 2.0  # of rows under a heading


@dataclass
class Row:
    """One line of the figure; a heading when it has no marker."""

    label: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    text: str = ""  # the printed value
    reason: str | None = None  # why the value, or only its interval, is undefined
    heading: bool = False
    indent: bool = False
    hollow: bool = False  # an open marker: the interval that others have is missing
    colour: str = BLUE
    marker: str = "s"
    stem_from: float | None = None  # draw a line from here to the value (lollipop)
    # filled in by the layout
    name_lines: str = ""
    reason_lines: str = ""
    centre: float = 0.0
    mark: float = 0.0  # height of the marker; above the reason where both are there
    height: float = 0.0


@dataclass
class Layout:
    """Where things are, in millimetres from the top left corner of the figure's part."""

    rows: list[Row]
    name_width: float
    axes_width: float
    value_width: float
    rows_height: float
    values_below: bool


@dataclass
class Scale:
    """The horizontal axis."""

    low: float
    high: float
    label: str
    bands: Sequence[tuple[float, float, str]] = ()  # from, to, word
    references: Sequence[tuple[float, str, Any]] = ()  # position, words, line style
    band: tuple[float, float] | None = None  # one shaded interval
    heading: str = ""  # above the printed values
    name_heading: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


def value_text(row: pd.Series, digits: int, signed: bool = False, bare: bool = False) -> str:
    """Return a value with its interval as it is printed beside the marker."""
    if math.isnan(row["value"]):
        return "undefined"
    digits = decimals(row["value"], row["low"], row["high"], digits=digits)
    text = number(row["value"], digits, signed)
    if math.isnan(row["low"]) or math.isnan(row["high"]):
        return text if bare else f"{text} (no interval)"
    return f"{text} ({interval(row['low'], row['high'], digits)})"


def shown_reason(row: pd.Series) -> str | None:
    """Return what to write where a value or its interval is missing (None where neither is)."""
    if math.isnan(row["value"]):
        return str(row["reason"] or "no reason given")
    return row["reason"] if math.isnan(row["low"] + row["high"]) else None


def plan(rows: list[Row], width: float, heading: str = "") -> Layout:
    """Give every text its lines and every row its height inside ``width`` millimetres."""
    below = width < NARROW_MM
    texts = [heading, *(row.text for row in rows)]
    value_width = 0.0 if below else max(text_mm(text) for text in texts) + 2.5
    most = width * (0.45 if below else 0.36)
    names = [
        text_mm(row.label, weight="bold" if row.heading else "normal") + _INDENT_MM * row.indent
        for row in rows
    ]
    if below:
        names += [text_mm(row.text) + _INDENT_MM * row.indent for row in rows]
    name_width = min(max(names) + 0.1, most) + 2.5  # 0.1: a name is never broken by rounding
    axes_width = width - name_width - value_width - (4.5 if below else 2.5)
    top = 0.0
    for row in rows:
        top = _place(row, top, name_width - 2.5, axes_width, width, below)
    return Layout(rows, name_width, axes_width, value_width, top, below)


def _place(
    row: Row, top: float, name_room: float, axes_room: float, width: float, below: bool
) -> float:
    room = width - 3 if row.heading else name_room - _INDENT_MM * row.indent
    row.name_lines = wrap(row.label, room, weight="bold" if row.heading else "normal")
    if below and row.text:
        row.name_lines += "\n" + wrap(row.text, room, max_lines=2)
    lines = row.name_lines.count("\n") + 1
    if row.reason:
        row.reason_lines = wrap(row.reason, axes_room - 3, max_lines=4)
        beside = 0 if math.isnan(row.value) else 1
        lines = max(lines, row.reason_lines.count("\n") + 1 + beside)
    extra = 0.8 if row.heading and top else 0.0
    row.height = lines * LINE_MM + _GAP_MM + extra
    row.centre = row.mark = top + extra + (row.height - extra) / 2
    if row.reason and not math.isnan(row.value):
        row.mark = row.centre - (row.reason_lines.count("\n") + 1) * LINE_MM / 2
    return top + row.height


def axis_limits(
    frame: pd.DataFrame,
    limits: tuple[float, float] | None,
    *,
    include: Sequence[float] = (0.0, 1.0),
    bounds: tuple[float, float] = (-0.5, 1.0),
) -> tuple[float, float]:
    """Return round axis limits that hold the values, and the intervals inside ``bounds``."""
    if limits is not None:
        return float(limits[0]), float(limits[1])
    values = frame["value"].dropna().to_numpy()
    ends = frame[["low", "high"]].to_numpy().ravel()
    ends = np.clip(ends[~np.isnan(ends)], *bounds)
    points = np.concatenate([values, ends, np.asarray(include, dtype=float)])
    if not len(points):
        return bounds
    low, high = points.min(), points.max()
    if low == high:
        low, high = low - 0.1, high + 0.1
    step = (0.1, 0.2, 0.25, 0.5, 1.0)[int(np.searchsorted((0.3, 0.6, 1.2, 2.5), high - low))]
    scale = 10 ** math.floor(math.log10(high - low)) if high - low < 0.1 or high - low > 5 else 1
    step *= scale
    tidy = 1e-9 * (high - low)
    return step * math.floor(low / step + tidy), step * math.ceil(high / step - tidy)


def header_mm(scale: Scale, axes_width: float) -> float:
    """Return the room needed above the rows for band words and column headings."""
    words = _band_words(scale, axes_width)
    needed = LINE_MM * (1 if scale.heading or scale.name_heading else 0)
    for _, text, upright in words:
        needed = max(needed, text_mm(text) if upright else LINE_MM * (text.count("\n") + 1))
    return needed + 1.5


def _band_words(scale: Scale, axes_width: float) -> list[tuple[float, str, bool]]:
    span = scale.high - scale.low
    shown = []
    for start, stop, word in scale.bands:
        start, stop = max(start, scale.low), min(stop, scale.high)
        room = (stop - start) / span * axes_width
        if room >= LINE_MM:
            shown.append(((start + stop) / 2, word, room))
    broken = [wrap(word, max(text_mm(part) for part in word.split()) + 0.1) for _, word, _ in shown]
    if all(text_mm(text) <= room - 0.8 for text, (_, _, room) in zip(broken, shown, strict=True)):
        return [(at, text, False) for text, (at, _, _) in zip(broken, shown, strict=True)]
    return [(at, word, True) for at, word, _ in shown]


def footer_mm(scale: Scale, width: float) -> float:
    """Return the room needed under the rows for ticks, the axis label and the key."""
    return 10.0 + (LINE_MM + 0.6) * len(_key_lines(scale, width))


def _key_lines(scale: Scale, width: float) -> list[list[tuple[float, str, Any]]]:
    lines: list[list[tuple[float, str, Any]]] = []
    used = math.inf
    for at, words, line in scale.references:
        if not words:
            continue
        words = wrap(words, width - 11, max_lines=1)
        needed = 9 + text_mm(words) + 4
        if used + needed > width + 2:
            lines.append([])
            used = 0.0
        lines[-1].append((at, words, line))
        used += needed
    return lines


def rows_height_mm(layout: Layout, scale: Scale, width: float) -> float:
    """Return the height of the whole part: header, rows, footer."""
    return header_mm(scale, layout.axes_width) + layout.rows_height + footer_mm(scale, width)


def draw(
    figure: Figure, layout: Layout, scale: Scale, corner: tuple[float, float], width: float
) -> Axes:
    """Draw the planned rows with their top left corner at ``corner`` (millimetres)."""
    left, top = corner
    header = header_mm(scale, layout.axes_width)
    axes = style.axes_at(
        figure, left + layout.name_width, top + header, layout.axes_width, layout.rows_height
    )
    _draw_background(axes, layout, scale)
    for row in layout.rows:
        _draw_names(axes, layout, row, width)
        if not row.heading:
            _draw_mark(axes, scale, row)
    if scale.heading and not layout.values_below:
        _note(axes, layout, layout.axes_width + 2.5, -1.0, scale.heading, SOFT_INK, va="bottom")
    if scale.name_heading or (scale.heading and layout.values_below):
        text = scale.name_heading or scale.heading
        _note(axes, layout, 1.0 - layout.name_width, -1.0, text, SOFT_INK, va="bottom")
    _draw_key(axes, layout, scale, width)
    return axes


def _draw_background(axes: Axes, layout: Layout, scale: Scale) -> None:
    axes.set_ylim(layout.rows_height, 0)
    axes.set_xlim(scale.low, scale.high)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    style.number_axis(axes.xaxis, int(layout.axes_width / 10))
    axes.set_xlabel(wrap(scale.label, layout.axes_width + 20, style.TEXT_SIZE, max_lines=1))
    for index, (start, stop, _) in enumerate(scale.bands):
        tint = style.BAND_TINTS[max(0, index - 1)] if index else "#F6EEE6"
        start, stop = max(start, scale.low), min(stop, scale.high)
        if stop > start:
            axes.axvspan(start, stop, facecolor=tint, edgecolor="none", zorder=0)
    for at, word, upright in _band_words(scale, layout.axes_width):
        axes.annotate(
            word,
            (at, 1),
            (0, 1.0 * style.POINTS_PER_MM),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="center",
            va="bottom",
            rotation=90 if upright else 0,
            fontsize=SMALL_SIZE,
            color=SOFT_INK,
            linespacing=1.05,
        )
    if scale.band is not None:
        axes.axvspan(*scale.band, facecolor=style.PALE, edgecolor="none", zorder=0)
    for at, _, line in scale.references:
        axes.axvline(at, color=SOFT_INK, linewidth=0.8, linestyle=line, zorder=1)


def _note(axes: Axes, layout: Layout, x: float, y: float, text: str, colour: str, **kw: Any) -> Any:
    """Write at ``x`` mm from the left edge of the axes and ``y`` mm below their top."""
    return axes.text(
        x / layout.axes_width,
        1 - y / layout.rows_height,
        text,
        transform=axes.transAxes,
        color=colour,
        fontsize=SMALL_SIZE,
        **{"va": "center", "ha": "left", "linespacing": 1.15, **kw},
    )


def _draw_names(axes: Axes, layout: Layout, row: Row, width: float) -> None:
    indent = _INDENT_MM if row.indent else 0.0
    weight = "bold" if row.heading else "normal"
    _note(
        axes,
        layout,
        1.0 - layout.name_width + indent,
        row.centre,
        row.name_lines,
        INK,
        fontweight=weight,
    )
    if row.text and not layout.values_below:
        _note(axes, layout, layout.axes_width + 2.5, row.centre, row.text, INK)
    if row.reason_lines:
        y = row.centre if math.isnan(row.value) else row.mark + LINE_MM / 2
        va = "center" if math.isnan(row.value) else "top"
        # A pale plate, so that the dashed lines do not run through the letters.
        plate = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
        _note(
            axes,
            layout,
            1.5,
            y,
            row.reason_lines,
            SOFT_INK,
            fontstyle="italic",
            va=va,
            bbox=plate,
            zorder=3,
        )


def _draw_mark(axes: Axes, scale: Scale, row: Row) -> None:
    if math.isnan(row.value):
        return
    at = [row.mark, row.mark]
    if row.stem_from is not None:
        axes.plot([row.stem_from, row.value], at, color=row.colour, linewidth=1.2, label="_stem")
    low, high = np.fmin(row.value, row.low), np.fmax(row.value, row.high)
    if max(row.low, scale.low) <= min(row.high, scale.high):  # never true with a NaN
        shown = [max(row.low, scale.low), min(row.high, scale.high)]
        axes.plot(
            shown,
            at,
            color=row.colour,
            linewidth=1.2,
            solid_capstyle="butt",
            zorder=3,
            label="_interval",
        )
    marker: dict[str, Any] = {"color": row.colour, "clip_on": False, "zorder": 4}
    # What lies beyond the axis is told by an arrow at its end.
    if low < scale.low:
        axes.plot(scale.low, row.mark, marker="<", markersize=3.6, label="_cut", **marker)
    if high > scale.high:
        axes.plot(scale.high, row.mark, marker=">", markersize=3.6, label="_cut", **marker)
    if scale.low <= row.value <= scale.high:
        marker |= {"marker": row.marker, "markersize": 4.2, "label": "_value"}
        marker |= {"markerfacecolor": "white" if row.hollow else row.colour}
        axes.plot(row.value, row.mark, **marker)


def _draw_key(axes: Axes, layout: Layout, scale: Scale, width: float) -> None:
    y = layout.rows_height + 10.0
    for line in _key_lines(scale, width):
        x = 1.0 - layout.name_width
        for _, words, dashes in line:
            axes.annotate(
                "",
                ((x + 7) / layout.axes_width, 1 - y / layout.rows_height),
                (x / layout.axes_width, 1 - y / layout.rows_height),
                xycoords="axes fraction",
                annotation_clip=False,
                arrowprops={
                    "arrowstyle": "-",
                    "color": SOFT_INK,
                    "linewidth": 0.8,
                    "linestyle": dashes,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
            )
            _note(axes, layout, x + 8.5, y, words, INK)
            x += 9 + text_mm(words) + 4
        y += LINE_MM + 0.6
