"""Figure of a validation: how far numbers of other programs lie from ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..errors import DataError, ParameterError
from . import style
from .inputs import numeric, plotted_table
from .style import (
    BLUE,
    INK,
    LINE_MM,
    ORANGE,
    PALE,
    SKY,
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

VERDICTS = {
    "matches": ("match", BLUE, "o"),
    "matches its digits": ("match to the fewer digits that were written", SKY, "o"),
    "convention": ("follow another convention, which is named", ORANGE, "D"),
    "other deviates": ("of a program that deviates from the definition", VERMILION, "^"),
    "differs": ("differ, and no reason is known", INK, "X"),
}
LOWEST, HIGHEST = -17, 2  # powers of ten between which differences are drawn
_EQUAL, _UNDEFINED = LOWEST - 1.6, HIGHEST + 1.6  # where the two other kinds stand
_GOLDEN = 0.6180339887498949
_ROW_MM = 6.4


# Names hold no maths, so powers are written with raised digits.
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def differences(
    table: Any,
    *,
    tolerance: float | None = None,
    label: str = "Difference",
    width: Width = "double",
) -> HouseFigure:
    """Draw the difference of every compared number on a logarithmic scale, a row per name.

    Parameters
    ----------
    table : DataFrame
        ``name`` (the row), ``difference`` (0 or more; NaN where one side only is undefined),
        ``verdict`` (a key of ``VERDICTS``: ``matches``, ``convention`` …). Rows are drawn
        in the order their names first stand in; differences outside 10^-17 to 10^2 stand at the
        end of the axis.
    tolerance : float, optional
        Marked by a line.
    label : str
        Words under the axis.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When the table is empty, a column is missing, a verdict is unknown, a difference is
        negative or infinite; when the tolerance is not above 0.
    """
    frame = _checked(table, tolerance)
    wide = width_mm(width)
    names = list(dict.fromkeys(frame["name"]))
    name_room = min(max(map(text_mm, names)) + 0.1, 0.36 * wide)
    shown = [wrap(name, name_room, max_lines=2) for name in names]
    row_mm = max(_ROW_MM, *(LINE_MM * (name.count("\n") + 1) + 1.4 for name in shown))
    key = _key(frame, wide)
    # The last word under the axis is centred near its end and needs room beside it.
    room = wide - name_room - 3 - text_mm("undefined") / 2
    with house_style():
        foot = 12.5 + (LINE_MM + 0.6) * len(key)
        figure = style.new_figure(wide, 6 + row_mm * len(names) + foot)
        axes = style.axes_at(figure, name_room + 3, 6, room, row_mm * len(names))
        _draw_rows(axes, shown)
        _draw_points(axes, frame, names)
        _draw_axis(axes, tolerance, wrap(label, room, TEXT_SIZE, max_lines=1), room)
        figure.legend(
            handles=key,
            loc="lower left",
            bbox_to_anchor=(0.005, 0.005),
            borderaxespad=0.0,
            labelspacing=0.25,
            handletextpad=0.2,
        )
    figure.benchbook_data = frame
    return figure


def _checked(table: Any, tolerance: float | None) -> pd.DataFrame:
    if tolerance is not None and not tolerance > 0:
        raise ParameterError(f"differences: tolerance is {tolerance:g}; expected a number above 0.")
    frame = plotted_table(table, ("name", "difference", "verdict"), "differences")
    frame = numeric(frame, ("difference",), "differences")
    frame["name"] = frame["name"].astype(str)
    unknown = [verdict for verdict in frame["verdict"] if verdict not in VERDICTS]
    if unknown:
        raise DataError(
            "differences: unknown verdict", found=unknown[0], expected=", ".join(VERDICTS)
        )
    if (frame["difference"] < 0).any():
        raise DataError(
            "differences: a difference below 0",
            found=f"{frame['difference'].min():g}",
            expected="absolute differences",
        )
    return frame


def _place(difference: np.ndarray) -> np.ndarray:
    """Return where differences stand on the axis: powers of ten, and the two outer columns."""
    place = np.full(len(difference), float(_UNDEFINED))
    known = np.isfinite(difference)
    place[known & (difference == 0)] = _EQUAL
    rest = known & (difference > 0)
    place[rest] = np.clip(np.log10(difference[rest]), LOWEST, HIGHEST)
    return place


def _draw_rows(axes: Axes, names: list[str]) -> None:
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    for edge in range(1, len(names)):
        axes.axhline(edge - 0.5, color=PALE, linewidth=0.5, zorder=0)


def _draw_points(axes: Axes, frame: pd.DataFrame, names: list[str]) -> None:
    rows = frame["name"].map({name: place for place, name in enumerate(names)}).to_numpy(float)
    # Spread within the row, the same on every run.
    spread = (np.arange(len(frame)) * _GOLDEN) % 1.0 - 0.5
    x = _place(frame["difference"].to_numpy())
    for verdict, (_, colour, marker) in VERDICTS.items():
        chosen = (frame["verdict"] == verdict).to_numpy()
        if chosen.any():
            y = rows[chosen] + 0.66 * spread[chosen]
            look = {
                "marker": marker,
                "s": 6,
                "alpha": 0.5,
                "rasterized": len(frame) > style.MANY_POINTS,
            }
            style.points(axes, x[chosen], y, colour, **look)


def _draw_axis(axes: Axes, tolerance: float | None, label: str, room: float) -> None:
    axes.set_xlim(_EQUAL - 0.8, _UNDEFINED + 0.8)
    for edge in ((_EQUAL + LOWEST) / 2, (_UNDEFINED + HIGHEST) / 2):
        axes.axvline(edge, color=PALE, linewidth=0.8, zorder=0)
    powers = list(range(-16, HIGHEST, 3) if room > 75 else range(-12, -3, 6))
    words = ["equal", *(f"10{str(power).translate(_RAISED)}" for power in powers), "undefined"]
    axes.set_xticks([_EQUAL, *powers, _UNDEFINED], words)
    axes.set_xlabel(label)
    if tolerance is not None:
        at = float(np.log10(tolerance))
        axes.axvline(at, color=SOFT_INK, linewidth=0.9, linestyle=(0, (4, 2)), label="_tolerance")
        axes.annotate(
            "tolerance",
            (at, 1),
            (0, 2),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=SMALL_SIZE,
            color=SOFT_INK,
        )


def _key(frame: pd.DataFrame, wide: float) -> list[Line2D]:
    counts = frame["verdict"].value_counts()
    return [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            color=colour,
            label=wrap(f"{counts[verdict]:,} {words}", wide - 12, max_lines=1),
        )
        for verdict, (words, colour, marker) in VERDICTS.items()
        if verdict in counts
    ]
