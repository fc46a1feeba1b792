"""Figure of continuous scores by many raters, item by item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..errors import DataError, ParameterError, nearest
from . import style
from .inputs import numeric
from .style import (
    INK,
    LINE_MM,
    PALETTE,
    HouseFigure,
    Width,
    house_style,
    text_mm,
    width_mm,
    wrap,
)


def ratings_by_item(
    scores: Any,
    *,
    highlight: Sequence[str] = (),
    label: str = "Score",
    width: Width = "double",
) -> HouseFigure:
    """Draw every rater's score of every item, the items ordered by their mean.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (n_items, n_raters)
        Scores; columns are raters, the index holds item names. Missing scores are NaN; items
        without any score are left out.
    highlight : sequence of str
        Raters drawn in colour. By default all of them when there are six or fewer; otherwise
        every rater is a grey dot.
    label : str
        Words at the vertical axis, with the unit.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When there is no score; when a highlighted rater is unknown.
    """
    frame = _checked_scores(scores)
    frame = frame.iloc[np.argsort(frame.mean(axis=1).to_numpy(), kind="stable")]
    shown = _shown_raters(highlight, list(frame.columns))
    wide = width_mm(width)
    names, upright = _item_names(frame.index, wide)
    with house_style():
        key = _key_of_raters(shown, frame.shape[1])
        columns = int((wide - 6) / (max(text_mm(str(mark.get_label())) for mark in key) + 9))
        columns = max(1, min(len(key), columns))
        room = 1.3 * LINE_MM * math.ceil(len(key) / columns)
        room += max(text_mm(name) for name in names) if upright else 0
        figure = style.new_figure(wide, 0.4 * wide + 14 + room, layout="constrained")
        axes = figure.subplots()
        _draw_items(axes, frame, shown)
        _label_items(axes, frame, names, upright, wrap(label, 0.4 * wide, style.TEXT_SIZE))
        look = {"handlelength": 1.4, "columnspacing": 1.2, "handletextpad": 0.5}
        figure.legend(
            handles=key, loc="outside upper left", ncols=columns, borderaxespad=0.2, **look
        )
    n_items, n_raters = frame.shape
    figure.benchbook_data = pd.DataFrame(
        {
            "item": np.repeat(frame.index, n_raters),
            "rater": np.tile(frame.columns, n_items),
            "score": frame.to_numpy().ravel(),
        }
    ).dropna(ignore_index=True)
    return figure


def _checked_scores(scores: Any) -> pd.DataFrame:
    frame = pd.DataFrame(scores).copy()
    if not isinstance(scores, pd.DataFrame):
        frame.columns = [f"rater {i + 1}" for i in range(frame.shape[1])]
        frame.index = pd.Index(range(1, len(frame) + 1))
    frame.columns = [str(name) for name in frame.columns]
    frame.index = pd.Index([str(name) for name in frame.index])
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError("ratings_by_item: the same rater twice", column=twice)
    frame = numeric(frame, frame.columns, "ratings_by_item").dropna(how="all")
    if frame.empty:
        raise DataError("ratings_by_item: no score", expected="one score or more")
    return frame


def _shown_raters(highlight: Sequence[str], raters: list[str]) -> list[str]:
    for name in highlight:
        if name not in raters:
            raise ParameterError(f"unknown rater '{name}'; {nearest(name, raters)}")
    if len(highlight) > len(PALETTE):
        found = len(highlight)
        raise ParameterError(f"{found} raters highlighted; expected {len(PALETTE)} at most.")
    return list(highlight) or (raters if len(raters) <= len(PALETTE) else [])


def _draw_items(axes: Axes, frame: pd.DataFrame, shown: Sequence[str]) -> None:
    x = np.arange(len(frame))
    values = frame.to_numpy()
    axes.vlines(
        x,
        np.nanmin(values, axis=1),
        np.nanmax(values, axis=1),
        color="#CFCFCF",
        linewidth=0.8 if len(frame) <= 150 else 0.4,
        zorder=1,
        rasterized=len(frame) > style.MANY_POINTS,
    )
    rest = [name for name in frame.columns if name not in shown]
    if rest:
        grid = np.repeat(x[:, None], len(rest), axis=1)
        mask = ~np.isnan(frame[rest].to_numpy())
        style.points(axes, grid[mask], frame[rest].to_numpy()[mask], "#8A8A8A")
    for index, name in enumerate(shown):
        part = frame[name].to_numpy()
        known = ~np.isnan(part)
        size = 13 if len(frame) <= 60 else 7
        look = {"marker": style.MARKERS[index], "s": size, "alpha": 0.9, "zorder": 4}
        style.points(axes, x[known], part[known], PALETTE[index], **look)
    axes.plot(x, np.nanmean(values, axis=1), color=INK, linewidth=0.9, zorder=2, label="_mean")


def _item_names(items: pd.Index, wide: float) -> tuple[list[str], bool]:
    """Return the names to write under the items (none when there is no room), and how."""
    slot = (wide - 20) / len(items)
    if slot < LINE_MM + 0.4:
        return [], False
    names = style.short_names(list(items), 25)
    return names, max(text_mm(name) for name in names) > slot - 1


def _label_items(
    axes: Axes, frame: pd.DataFrame, names: Sequence[str], upright: bool, label: str
) -> None:
    n = len(frame)
    axes.set_xlim(-0.7, n - 0.3)
    axes.set_ylabel(label)
    if names:
        axes.set_xticks(range(n), names, rotation=90 if upright else 0)
        axes.set_xlabel("Item, ordered by its mean score")
    else:
        axes.set_xticks([])
        axes.set_xlabel(f"{n:,} items, ordered by their mean score")
    low, high = np.nanmin(frame.to_numpy()), np.nanmax(frame.to_numpy())
    margin = 0.05 * (high - low) or max(1.0, 0.05 * abs(high))
    axes.set_ylim(low - margin, high + margin)
    style.number_axis(axes.yaxis, 6)


def _key_of_raters(shown: Sequence[str], n_raters: int) -> list[Line2D]:
    dot: dict[str, Any] = {"linestyle": "none", "markersize": 3.5}
    names = style.short_names(shown, 40) if shown else []
    key = [
        Line2D([], [], color=PALETTE[index], marker=style.MARKERS[index], label=name, **dot)
        for index, name in enumerate(names)
    ]
    if n_raters > len(shown):
        words = f"{n_raters - len(shown)} {'other ' if shown else ''}raters"
        key.append(Line2D([], [], color=style.RULE, marker="o", label=words, **dot))
    return [*key, Line2D([], [], color=INK, linewidth=0.9, label="mean")]
