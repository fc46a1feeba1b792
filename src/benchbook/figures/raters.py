"""Figures of the raters themselves: pair by pair and category by category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..errors import DataError, ParameterError
from . import style
from .inputs import numeric, plotted_table
from .style import (
    INK,
    LINE_MM,
    MM_PER_INCH,
    PALETTE,
    SMALL_SIZE,
    SOFT_INK,
    HouseFigure,
    Width,
    house_style,
    number,
    text_mm,
    width_mm,
    wrap,
)


def pairwise_heatmap(
    matrix: Any,
    labels: Sequence[str] | None = None,
    *,
    statistic: str = "Cohen κ",
    order: Literal["given", "mean"] = "given",
    n_items: Any = None,
    few: int = 10,
    width: Width | None = None,
) -> HouseFigure:
    """Draw the coefficient of every pair of raters as a heat map.

    The colour scale is fixed and has a meaning of its own: white is chance (0), blue runs to
    full agreement (1), orange below zero is less agreement than chance. It does not stretch to
    the data, so that two such figures can be compared. The diagonal stays empty, since a rater
    compared with himself says nothing. Pairs without a value are hatched.

    Parameters
    ----------
    matrix : DataFrame or array-like, shape (k, k)
        Symmetric, k from 2 raters on; NaN where undefined; the diagonal is not read.
    labels : sequence of str, optional
        Names of the raters; by default the table's columns.
    statistic : str
        Words at the colour bar.
    order : {"given", "mean"}
        Keep the raters' order, or sort them by their mean with the others, highest first.
    n_items : array-like, shape (k, k), optional
        Items that both raters of a pair rated.
    few : int
        A pair with fewer items is marked with a dot, since chance alone moves it far.
    width : {"single", "medium", "double"} or float, optional
        Printed width; by default what the number of raters needs.

    Raises
    ------
    DataError, ParameterError
        When the matrix is not square, not symmetric, or above 1; when the numbers of items have
        another shape.
    """
    values, names = _checked_matrix(matrix, labels)
    items = _checked_items(n_items, values.shape)
    if order not in ("given", "mean"):
        raise ParameterError(f"unknown order '{order}'; expected 'given' or 'mean'.")
    if order == "mean":
        known = ~np.isnan(values)
        means = np.where(known, values, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        index = np.argsort(np.where(known.any(axis=1), -means, np.inf), kind="stable")
        values, names = values[np.ix_(index, index)], [names[i] for i in index]
        items = items[np.ix_(index, index)]
    k = len(names)
    thin = (items < few) & ~np.isnan(values)
    wide = width_mm(width or ("single" if k <= 7 else "medium" if k <= 12 else "double"))
    with house_style():
        figure, axes, cell = _heatmap_axes(names, wide)
        _draw_cells(axes, values, cell)
        _mark_cells(axes, thin, values, cell)
        words = f"n < {few}" if thin.any() else ""
        _draw_colour_bar(figure, axes, values, statistic, words)
    first, second = np.triu_indices(k, 1)
    data = pd.DataFrame(
        {
            "first": [names[i] for i in first],
            "second": [names[j] for j in second],
            "value": values[first, second],
        }
    )
    figure.benchbook_data = data if n_items is None else data.assign(items=items[first, second])
    return figure


def _checked_items(n_items: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return the numbers of items of the pairs; infinite when they are not given."""
    if n_items is None:
        return np.full(shape, np.inf)
    items = np.asarray(n_items)
    if items.shape != shape:
        raise DataError(
            "pairwise_heatmap: numbers of items and matrix differ in shape",
            found=" × ".join(map(str, items.shape)),
            expected=" × ".join(map(str, shape)),
        )
    return items


def _checked_matrix(matrix: Any, labels: Sequence[str] | None) -> tuple[np.ndarray, list[str]]:
    if labels is None and isinstance(matrix, pd.DataFrame):
        labels = [str(name) for name in matrix.columns]
    try:
        values = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise DataError("pairwise_heatmap: not a table of numbers") from None
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        raise DataError(
            "pairwise_heatmap: not a square matrix of two raters or more",
            found=" × ".join(map(str, values.shape)),
            expected="k × k, k ≥ 2",
        )
    names = [str(name) for name in labels or [f"rater {i + 1}" for i in range(len(values))]]
    if len(names) != len(values):
        raise DataError(
            "pairwise_heatmap: names and matrix differ in number",
            found=len(names),
            expected=str(len(values)),
        )
    np.fill_diagonal(values, np.nan)
    if not np.allclose(values, values.T, rtol=0, atol=1e-8, equal_nan=True):
        raise DataError(
            "pairwise_heatmap: matrix is not symmetric",
            expected="the same value for (A, B) and (B, A)",
        )
    if (values > 1 + 1e-9).any():
        raise DataError("pairwise_heatmap: coefficient above 1", found=f"{np.nanmax(values):g}")
    return values, names


def _heatmap_axes(names: list[str], wide: float) -> tuple[HouseFigure, Axes, float]:
    k = len(names)
    across = style.short_names(names, 0.24 * wide)
    name_width = max(text_mm(name) for name in across) + 2
    side = min(wide - name_width - 19, 9.0 * k + 14)
    cell = side / k
    # Above the columns: level if every name fits over its cell, upright if not.
    level = max(text_mm(name) for name in across) <= cell - 1
    above = LINE_MM + 1.5 if level else max(text_mm(name) for name in across) + 2
    figure = style.new_figure(wide, side + above + 4)
    left = max(0.0, (wide - name_width - 19 - side) / 2)
    axes = style.axes_at(figure, left + name_width, above + 1, side, side)
    axes.set(xlim=(0, k), ylim=(k, 0))
    # More names than there are lines of text: every second (third …) one is written.
    step = max(1, math.ceil(LINE_MM / cell))
    places = np.arange(0, k, step)
    axes.set_xticks(places + 0.5, [across[i] for i in places], rotation=0 if level else 90)
    axes.set_yticks(places + 0.5, [across[i] for i in places])
    axes.tick_params(top=False, bottom=False, left=False, labeltop=True, labelbottom=False, pad=1.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure, axes, cell


_UNDEFINED = {"facecolor": "white", "edgecolor": style.RULE, "hatch": "//////"}


def _draw_cells(axes: Axes, values: np.ndarray, cell: float) -> None:
    k = len(values)
    edges = np.arange(k + 1)
    off = ~np.eye(k, dtype=bool)
    mesh = axes.pcolormesh(
        edges,
        edges,
        np.ma.masked_invalid(values),
        cmap=style.CHANCE_MAP,
        vmin=-1,
        vmax=1,
        edgecolors="white",
        linewidth=0.6 if cell > 3 else 0.25,
    )
    mesh.set_label("_cells")
    for i in range(k):  # grey, not white: white is the colour of chance
        style.cell(axes, i, i, facecolor=style.PALE)
    for i, j in np.argwhere(off & np.isnan(values)):
        style.cell(axes, j, i, **_UNDEFINED)
    texts = [number(v, 2) for v in values[off] if not np.isnan(v)]
    if texts and max(text_mm(text) for text in texts) <= cell - 0.8 and cell > LINE_MM + 0.4:
        _write_cells(axes, values)
    elif (values[~np.isnan(values)] < 0).any():
        # Without numbers, a dash keeps "less than chance" readable in grey print.
        rows, columns = np.nonzero(values < 0)
        axes.plot(
            columns + 0.5,
            rows + 0.5,
            linestyle="none",
            marker="_",
            color=INK,
            label="_negative",
            markersize=min(4.0, 0.5 * cell * style.POINTS_PER_MM),
            markeredgewidth=0.8,
        )


def _write_cells(axes: Axes, values: np.ndarray) -> None:
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = style.text_on(style.CHANCE_MAP((value + 1) / 2))
            style.write(axes, j + 0.5, i + 0.5, number(value, 2), ha="center", color=colour)


def _mark_cells(axes: Axes, thin: np.ndarray, values: np.ndarray, cell: float) -> None:
    """Put a dot into the corner of the cells of pairs with few items."""
    rows, columns = np.nonzero(thin)
    if len(rows):
        axes.scatter(
            columns + 0.86,
            rows + 0.86,
            s=min(1.6, 0.16 * cell * style.POINTS_PER_MM) ** 2,
            color=[style.text_on(style.CHANCE_MAP((v + 1) / 2)) for v in values[thin]],
            linewidths=0,
            label="_few items",
            zorder=3,
        )


def _draw_colour_bar(
    figure: Figure, axes: Axes, values: np.ndarray, statistic: str, few: str = ""
) -> None:
    known = values[~np.isnan(values)]
    low = float(np.clip(math.floor(5 * known.min()) / 5, -1, 0)) if len(known) else 0.0
    written = any(text.get_text() for text in axes.texts)
    pairs = values[np.triu_indices(len(values), 1)]
    key = [("undefined", "hatch")] if np.isnan(pairs).any() else []
    key += [("below 0", "dash")] if low < 0 and not written else []
    key += [(few, "dot")] if few else []
    box = axes.get_position()
    wide, tall = figure.get_size_inches() * MM_PER_INCH
    height = min(box.height - (LINE_MM + 1) * len(key) / tall, 45 / tall)
    bar = figure.add_axes((box.x1 + 2.5 / wide, box.y1 - height, 2.5 / wide, height))
    part = ListedColormap(style.CHANCE_MAP(np.linspace((low + 1) / 2, 1, 256)))
    figure.colorbar(ScalarMappable(Normalize(low, 1), part), cax=bar)
    bar.set_ylabel(wrap(statistic, height * tall, max_lines=1), fontsize=SMALL_SIZE)
    bar.yaxis.set_major_locator(style.ticks(5))
    bar.tick_params(length=1.5)
    for spine in bar.spines.values():
        spine.set_visible(False)
    for index, (words, look) in enumerate(key):
        y = -((LINE_MM + 1) * (index + 0.5) + 0.8) / (height * tall)
        _draw_cell_key(bar, y, 2.2 / (height * tall), words, look)


def _draw_cell_key(bar: Axes, y: float, height: float, words: str, look: str) -> None:
    """Explain a mark under the colour bar; ``y`` and ``height`` are shares of its height."""
    place: dict[str, Any] = {"transform": bar.transAxes, "clip_on": False}
    if look == "hatch":
        place |= _UNDEFINED
        bar.add_patch(Rectangle((0, y - height / 2), 1, height, linewidth=0, **place))
    else:
        mark = ("_", 4) if look == "dash" else (".", 3)
        bar.plot(
            [0.5], [y], marker=mark[0], color=INK, markersize=mark[1], markeredgewidth=0.8, **place
        )
    style.write(bar, 1.5, y, words, transform=bar.transAxes)


def category_use(
    table: Any,
    *,
    ordered: bool = False,
    categories: Sequence[Any] | None = None,
    width: Width = "single",
) -> HouseFigure:
    """Draw which share of their ratings each rater put in each category.

    Parameters
    ----------
    table : DataFrame
        Columns ``rater``, ``category`` and ``count``; a missing category (NaN) counts ratings
        not given and is drawn hatched at the end.
    ordered : bool
        True colours the categories pale to dark in their order; False gives each its own
        colour and hatch. Beyond seven unordered categories the least used are drawn together.
    categories : sequence, optional
        Order of the categories; by default the order of the table.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError
        When the table is empty, a count is negative, or a category is not in ``categories``.
    """
    frame = _checked_counts(table, categories)
    raters = list(dict.fromkeys(frame["rater"]))
    counts = frame.pivot_table("count", "rater", "category", "sum", fill_value=0.0, sort=False)
    known = frame["category"].drop_duplicates() if categories is None else map(str, categories)
    wanted = [category for category in known if category != _MISSING]
    wanted += [_MISSING] if _MISSING in counts.columns else []
    counts = counts.reindex(index=raters, columns=wanted, fill_value=0.0)
    counts = _pool_rare(counts) if not ordered else counts
    totals = counts.sum(axis=1)
    shares = counts.div(totals.where(totals > 0), axis=0)
    with house_style():
        figure = _draw_shares(shares, ordered, width_mm(width))
    figure.benchbook_data = pd.DataFrame(
        {
            "rater": np.repeat(shares.index, shares.shape[1]),
            "category": np.tile(shares.columns, len(shares)),
            "share": shares.to_numpy().ravel(),
        }
    )
    return figure


_MISSING = "not rated"


def _checked_counts(table: Any, categories: Sequence[Any] | None) -> pd.DataFrame:
    frame = plotted_table(table, ("rater", "category", "count"), "category_use")
    frame = numeric(frame, ["count"], "category_use")
    if (frame["count"] < 0).any() or frame["count"].isna().any():
        raise DataError("category_use: not a count", column="count", expected="0 or more")
    frame["rater"] = frame["rater"].astype(str)
    frame["category"] = [_MISSING if pd.isna(c) else str(c) for c in frame["category"]]
    allowed = None if categories is None else {*map(str, categories), _MISSING}
    for category in frame["category"]:
        if allowed is not None and category not in allowed:
            raise DataError(
                "category_use: unknown category",
                column="category",
                found=category,
                expected=", ".join(map(str, categories or ())),
            )
    return frame


def _pool_rare(counts: pd.DataFrame, most: int = 7) -> pd.DataFrame:
    named = [column for column in counts.columns if column != _MISSING]
    if len(named) <= most + 1:
        return counts
    used = counts[named].sum().sort_values(ascending=False, kind="stable")
    kept = [column for column in named if column in set(used.index[:most])]
    pooled = counts[kept].copy()
    pooled[f"{len(named) - most} others"] = counts[list(used.index[most:])].sum(axis=1)
    if _MISSING in counts.columns:
        pooled[_MISSING] = counts[_MISSING]
    return pooled


def _category_looks(names: Sequence[str], ordered: bool) -> list[dict[str, Any]]:
    named = [name for name in names if name != _MISSING]
    looks: list[dict[str, Any]] = []
    for index, _ in enumerate(named):
        if ordered:
            place = index / (len(named) - 1) if len(named) > 1 else 0.4
            looks.append({"facecolor": style.ORDER_MAP(place)})
        else:
            colour = (*PALETTE, "#BBBBBB", style.PALE)[index]
            fill = style.lighter(colour, 0.35)
            looks.append({"facecolor": fill, "hatch": style.HATCHES[index]})
    if _MISSING in names:
        looks.append(_UNDEFINED)
    return [{"edgecolor": "white", "linewidth": 0.4, **look} for look in looks]


def _draw_shares(shares: pd.DataFrame, ordered: bool, wide: float) -> HouseFigure:
    names = [wrap(name, 0.3 * wide, max_lines=2) for name in shares.index]
    if any(name.endswith("…") for name in names):
        names = style.short_names(list(shares.index), 0.3 * wide)
    line = LINE_MM * max(name.count("\n") + 1 for name in names) + 1.2
    left = max(text_mm(name) for name in names) + 3
    key = _key_layout([str(column) for column in shares.columns], wide)
    key_height = (LINE_MM + 0.8) * (1 + max(row for row, _, _ in key)) + 2
    box_height, box_width = line * len(names), wide - left - 5
    figure = style.new_figure(wide, key_height + box_height + 11)
    axes = style.axes_at(figure, left, key_height, box_width, box_height)
    looks = _category_looks(list(shares.columns), ordered)
    starts = np.zeros(len(names))
    for (column, values), look in zip(shares.items(), looks, strict=True):
        values = values.to_numpy()
        axes.barh(
            np.arange(len(names)), values, left=starts, height=0.78, label=str(column), **look
        )
        _write_shares(axes, starts, values, look, box_width)
        starts = starts + np.nan_to_num(values)
    for index in np.flatnonzero(shares.isna().all(axis=1)).tolist():
        style.write(axes, 0.01, index, "no ratings", color=SOFT_INK, fontstyle="italic")
    _label_share_axes(axes, names, "items" if _MISSING in shares.columns else "ratings")
    _draw_share_key(figure, key, looks, wide)
    return figure


def _label_share_axes(axes: Axes, names: Sequence[str], whole: str) -> None:
    axes.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5), xlabel=f"Share of the rater's {whole}")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(left=False)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes.xaxis.set_major_locator(style.ticks(5))
    axes.spines["left"].set_visible(False)


def _write_shares(
    axes: Axes, starts: np.ndarray, values: np.ndarray, look: dict[str, Any], box_width: float
) -> None:
    hatched = bool(look.get("hatch"))
    colour = INK if hatched else style.text_on(look["facecolor"])
    plate = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if hatched else None
    for index, (start, value) in enumerate(zip(starts, values, strict=True)):
        text = f"{100 * value:.0f}" if not np.isnan(value) else ""
        if text and text_mm(text) + 1.6 <= value * box_width:
            at = start + value / 2
            style.write(axes, at, index, text, ha="center", color=colour, bbox=plate)


def _key_layout(names: Sequence[str], wide: float) -> list[tuple[int, float, str]]:
    row, x, places = 0, 1.5, []
    for name in names:
        text = wrap(name, wide - 10, max_lines=1)
        needed = 5.5 + text_mm(text) + 3
        if x + needed > wide + 2 and x > 1.5:
            row, x = row + 1, 1.5
        places.append((row, x, text))
        x += needed
    return places


def _draw_share_key(
    figure: Figure, key: list[tuple[int, float, str]], looks: list[dict[str, Any]], wide: float
) -> None:
    height = (LINE_MM + 0.8) * (1 + max(row for row, _, _ in key))
    axes = style.axes_at(figure, 0, 1, wide, height)
    axes.set(xlim=(0, wide), ylim=(height, 0))
    axes.set_axis_off()
    for (row, x, text), look in zip(key, looks, strict=True):
        y = (LINE_MM + 0.8) * (row + 0.5)
        axes.fill([x, x + 4, x + 4, x], [y - 1.2, y - 1.2, y + 1.2, y + 1.2], **look)
        style.write(axes, x + 5.2, y, text)
