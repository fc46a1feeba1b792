"""Figures of scores against labels: the ROC plane with its readers, and reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ..errors import DataError, ParameterError
from . import panels, style
from .inputs import numeric, plotted_table
from .panels import KEY_STEP, Grid
from .style import (
    INK,
    LINE_MM,
    SOFT_INK,
    HouseFigure,
    Width,
    house_style,
    text_mm,
    width_mm,
    wrap,
)

_KINDS = ("reader", "mean", "network")
_SIDES = ("specificity_low", "specificity_high", "sensitivity_low", "sensitivity_high")
_CURVE = ("label", "model", "false_positive_rate", "sensitivity")
_POINT = ("label", "name", "group", "kind", "specificity", "sensitivity")
# People are inks with a shape each; colours belong to models, so nobody mixes them up.
_PEOPLE = (INK, "#7A7A7A", "#4D4D4D", "#A0A0A0", "#333333", "#8C8C8C")
_DOTTED = (0, (1, 1.6))
_FOOT = 9.0  # ticks and words under a panel


@dataclass
class _Plane:
    """Everything one panel of the ROC figure needs."""

    curves: pd.DataFrame
    points: pd.DataFrame
    models: list[str]
    groups: list[str]
    notes: pd.DataFrame  # label, model, mark, text


def roc_plane(
    curves: Any,
    points: Any = None,
    *,
    labels: Any = None,
    marks: Any = None,
    columns: int = 3,
    zoom: bool | tuple[float, float] | None = None,
    level: float = 0.95,
    width: Width = "double",
) -> HouseFigure:
    """Draw ROC curves and, on the same plane, every reader and the readers' group means.

    One panel per label, all with the same axes. Readers work at a specificity near 1, where
    their points lie on top of each other; the upper left corner is therefore drawn again,
    enlarged, below the whole plane.

    Parameters
    ----------
    curves : DataFrame or None
        ``label``, ``model``, ``false_positive_rate``, ``sensitivity``: the vertices of each
        curve, drawn in the order of the false-positive rate. None, or no row, where no model
        was scored.
    points : DataFrame, optional
        ``label``, ``name``, ``group``, ``kind`` ("reader", "mean" of a group, or "network": 0/1
        decisions of a machine), ``specificity``, ``sensitivity``; for means also
        ``specificity_low``, ``specificity_high``, ``sensitivity_low``, ``sensitivity_high``. A
        row with NaN is not drawn; a panel left empty shows the ``reason`` of its first row.
    labels : sequence, mapping or DataFrame, optional
        Labels to draw, in this order; a mapping of label to the number of positives or to
        (positives, records), or a table ``label``, ``n_positive`` and ``n``, puts these under
        the titles.
    marks : mapping or DataFrame, optional
        (label, model) to "†" (output wider than the label), "*" (trained on the source of this
        test set) or both; or a table ``label``, ``model``, ``mark`` and ``text``, the text
        (such as the AUROC) being printed in the panel beside the model's line.
    columns : int
        Panels side by side, 1 to 3; fewer where the figure is narrow.
    zoom : bool or (float, float), optional
        Draw the corner: from here down to the least sensitivity, and up to the largest
        false-positive rate, shown. By default the corner is chosen from the points and drawn
        where half of them or more have a specificity of 0.9 or more.
    level : float
        Of the means' intervals, for the key.
    width : {"single", "medium", "double"} or float
        Printed width, or millimetres.

    Raises
    ------
    DataError, ParameterError
        When there is nothing to draw, a column is missing, a rate lies outside 0 to 1, a kind
        or mark is unknown, or ``columns`` or ``zoom`` make no sense.

    References
    ----------
    Hannun AY et al. (2019), Nat Med 25:65-69, and Rajpurkar P et al. (2018), PLoS Med
    15:e1002686: readers as points beside the curve of a network.
    """
    curve, point = _checked_curves(curves), _checked_points(points)
    if curve.empty and point.empty:
        raise DataError("roc_plane: nothing to draw", found="no rows", expected="a curve or point")
    known = panels.in_order(curve["label"], point["label"])
    chosen, below = _chosen_labels(labels, known)
    curve, point = curve[curve["label"].isin(chosen)], point[point["label"].isin(chosen)]
    plane = _Plane(
        curve, point, panels.in_order(curve["model"]), panels.in_order(point["group"]),
        _checked_notes(marks),
    )  # fmt: skip
    if columns not in (1, 2, 3):
        raise ParameterError(f"roc_plane: columns {columns!r}; expected 1, 2 or 3.")
    corner = _corner(zoom, point)
    with house_style():
        figure = _draw_planes(plane, chosen, below, corner, (columns, width_mm(width)), level)
    figure.benchbook_data = _roc_data(plane)
    return figure


def _checked_curves(curves: Any) -> pd.DataFrame:
    if curves is None or not len(curves):
        return pd.DataFrame(columns=list(_CURVE))
    frame = numeric(plotted_table(curves, _CURVE, "roc_plane"), _CURVE[2:], "roc_plane")
    panels.checked_range(frame, _CURVE[2:], "roc_plane")
    frame = frame[list(_CURVE)].astype({"label": str, "model": str})
    return frame.sort_values(["false_positive_rate", "sensitivity"], kind="stable")


def _checked_points(points: Any) -> pd.DataFrame:
    if points is None or not len(points):
        return pd.DataFrame(columns=[*_POINT, *_SIDES, "reason"])
    frame = plotted_table(points, _POINT, "roc_plane")
    for column in _SIDES:
        if column not in frame.columns:
            frame[column] = np.nan
    frame = numeric(frame, (*_POINT[4:], *_SIDES), "roc_plane")
    panels.checked_range(frame, (*_POINT[4:], *_SIDES), "roc_plane")
    for row, kind in enumerate(frame["kind"]):
        if kind not in _KINDS:
            raise DataError(
                "roc_plane: unknown kind of point",
                row=row, column="kind", found=kind, expected=", ".join(_KINDS),
            )  # fmt: skip
    if "reason" not in frame.columns:
        frame["reason"] = None
    frame = frame[[*_POINT, *_SIDES, "reason"]]
    return frame.astype({"label": str, "name": str, "group": str})


def _chosen_labels(labels: Any, known: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the labels in order, and the words under their titles."""
    counts: dict[str, Any] = {}
    if isinstance(labels, pd.DataFrame):
        labels = plotted_table(labels, ("label", "n_positive"), "roc_plane: labels")
        whole = labels["n"] if "n" in labels.columns else [None] * len(labels)
        rows = zip(labels["label"], labels["n_positive"], whole, strict=True)
        counts = {str(label): (positive, n) for label, positive, n in rows}
    elif isinstance(labels, Mapping):
        counts = {str(label): count for label, count in labels.items()}
    chosen = known if labels is None else list(counts) or [str(label) for label in labels]
    for label in chosen:
        if label not in known:
            raise ParameterError(f"roc_plane: label '{label}' has no curve and no point.")
    return chosen, {label: _count_words(count) for label, count in counts.items()}


def _count_words(count: Any) -> str:
    positive, whole = count if isinstance(count, tuple | list) else (count, None)
    return f"{positive:,} positive" if whole is None else f"{positive:,} of {whole:,} positive"


def _checked_notes(marks: Any) -> pd.DataFrame:
    if isinstance(marks, Mapping):
        for key in marks:
            if not (isinstance(key, tuple) and len(key) == 2):
                raise ParameterError(
                    f"roc_plane: marks has the key {key!r}; expected (label, model)."
                )
        rows = [(*key, mark, "") for key, mark in marks.items()]
        marks = pd.DataFrame(rows, columns=["label", "model", "mark", "text"])
    if marks is None or not len(marks):
        return pd.DataFrame(columns=["label", "model", "mark", "text"])
    frame = plotted_table(marks, ("label", "model"), "roc_plane: marks")
    frame = panels.checked_marks(frame, "roc_plane")
    if "text" not in frame.columns:
        frame["text"] = ""
    frame["text"] = frame["text"].fillna("").astype(str)
    return frame.astype({"label": str, "model": str})[["label", "model", "mark", "text"]]


def _corner(
    zoom: bool | tuple[float, float] | None, points: pd.DataFrame
) -> tuple[float, float] | None:
    """Return the largest false-positive rate and the least sensitivity of the enlarged part."""
    if isinstance(zoom, tuple):
        if not (0 < zoom[0] <= 1 and 0 <= zoom[1] < 1):
            raise ParameterError(
                f"roc_plane: zoom {zoom}; expected a false-positive rate above 0 and a "
                "sensitivity below 1."
            )
        return zoom
    known = points.dropna(subset=["specificity", "sensitivity"])
    crowded = len(known) > 2 and (known["specificity"] >= 0.9).mean() >= 0.5
    if zoom is False or (zoom is None and not crowded):
        return None
    if known.empty:
        return 0.1, 0.5
    rate = float(np.quantile(1 - known["specificity"], 0.9))
    right = next((at for at in (0.02, 0.05, 0.1) if rate <= at), 0.2)
    near = known[1 - known["specificity"] <= right]
    least = float(near["sensitivity"].min()) if len(near) else 0.5
    return right, min(0.8, math.floor(10 * least - 1e-9) / 10) if least > 0 else 0.0


def _draw_planes(
    plane: _Plane,
    labels: Sequence[str],
    below: Mapping[str, str],
    corner: tuple[float, float] | None,
    size: tuple[int, float],
    level: float,
) -> HouseFigure:
    columns, wide = size
    grid = panels.panel_grid(len(labels), wide, columns)
    lines = -(-len(labels) // grid.columns)
    head = panels.head_mm(labels, bool(below), grid.box)
    zoomed = 0.62 * grid.box
    step = head + grid.box + _FOOT + ((zoomed + _FOOT + 1.5) if corner else 0) + 2
    key = panels.key_rows(_roc_key(plane, level), wide)
    notes = panels.note_lines(_roc_notes(plane, corner), wide)
    figure = style.new_figure(wide, lines * step + (len(key) + len(notes)) * KEY_STEP + 2)
    for place, label in enumerate(labels):
        top = place // grid.columns * step + head
        axes = style.axes_at(figure, grid.x(place), top, grid.box, grid.box)
        panels.panel_title(axes, label, below.get(label, ""), grid.box)
        _draw_panel(axes, plane, label, (1.0, 0.0), grid.box, first=place % grid.columns == 0)
        _list_models(axes, plane, label, grid)
        if corner:
            top += grid.box + _FOOT + 1.5
            small = style.axes_at(figure, grid.x(place), top, grid.box, zoomed)
            _draw_panel(small, plane, label, corner, grid.box, first=place % grid.columns == 0)
            _frame_corner(axes, small, corner)
    panels.write_key(figure, key, lines * step)
    panels.write_notes(figure, notes, lines * step + len(key) * KEY_STEP)
    return figure


def _draw_panel(
    axes: Axes,
    plane: _Plane,
    label: str,
    corner: tuple[float, float],
    box: float,
    *,
    first: bool,
) -> None:
    right, least = corner
    axes.set(xlim=(0, right), ylim=(least, 1), xlabel="1 − specificity")
    style.number_axis(axes.xaxis, 5)
    style.number_axis(axes.yaxis, 5)
    for axis in (axes.xaxis, axes.yaxis):  # short numbers: neighbouring panels are close
        axis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axes.tick_params(axis="y", labelleft=first)
    if first:
        axes.set_ylabel("Sensitivity")
    axes.plot([0, 1], [0, 1], color=SOFT_INK, linewidth=0.6, linestyle=_DOTTED, label="_chance")
    curves = plane.curves[plane.curves["label"] == label]
    for index, model in enumerate(plane.models):
        part = curves[curves["model"] == model]
        if len(part):
            # Over the frame: a perfect curve runs along it.
            look = panels.model_look(index) | {"marker": "", "label": "_curve", "zorder": 2.6}
            look |= {"clip_on": corner != (1.0, 0.0)}
            axes.plot(part["false_positive_rate"], part["sensitivity"], linewidth=1.2, **look)
    points = plane.points[plane.points["label"] == label]
    known = points.dropna(subset=["specificity", "sensitivity"])
    for kind in _KINDS:  # means and networks lie on top of single readers
        for _, entry in known[known["kind"] == kind].iterrows():
            _draw_point(axes, entry, plane.groups, corner)
    if curves.dropna().empty and known.empty:
        reasons = [str(reason) for reason in points["reason"] if reason and reason == reason]
        words = wrap(reasons[0] if reasons else "no point is defined", box - 6, max_lines=5)
        look = {"ha": "center", "color": SOFT_INK, "fontstyle": "italic"}
        style.write(axes, right / 2, (1 + least) / 2, words, **look)


def _draw_point(
    axes: Axes, entry: pd.Series, groups: Sequence[str], corner: tuple[float, float]
) -> None:
    x, y = 1 - entry["specificity"], entry["sensitivity"]
    look = _point_look(entry["kind"], groups.index(entry["group"]))
    if entry["kind"] == "mean":
        cross: dict[str, Any] = {"color": look["color"], "linewidth": 0.9, "zorder": 4}
        sides = [1 - entry["specificity_high"], 1 - entry["specificity_low"]]
        axes.plot(sides, [y, y], label="_across", **cross)
        ends = [entry["sensitivity_low"], entry["sensitivity_high"]]
        axes.plot([x, x], ends, label="_upright", **cross)
    if x <= corner[0] + 1e-12 and y >= corner[1] - 1e-12:
        axes.plot(x, y, clip_on=False, label=f"_{entry['kind']}", **look)


def _point_look(kind: str, index: int) -> dict[str, Any]:
    colour = _PEOPLE[index % len(_PEOPLE)]
    look: dict[str, Any] = {"linestyle": "none", "color": colour}
    if kind == "network":
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.5}
        return look | edge | {"marker": "X", "color": INK, "markersize": 6.0, "zorder": 6}
    look["marker"] = style.MARKERS[index % len(style.MARKERS)]
    if kind == "mean":
        edge = {"markerfacecolor": "white", "markeredgewidth": 1.1}
        return look | edge | {"markersize": 6.0, "zorder": 5}
    edge = {"markeredgecolor": "white", "markeredgewidth": 0.4}
    return look | edge | {"markersize": 4.4, "zorder": 3}


def _list_models(axes: Axes, plane: _Plane, label: str, grid: Grid) -> None:
    """Write marks and texts of the models in the lower right corner, where no curve should be."""
    notes = plane.notes[plane.notes["label"] == label].set_index("model")
    room = grid.box - 10
    entries = [
        (index, _note_words(notes.loc[model], room))
        for index, model in enumerate(plane.models)
        if model in notes.index
    ]
    entries = [(index, words) for index, words in entries if words]
    most = int(0.5 * grid.box / LINE_MM)
    if len(entries) > most:
        entries = [*entries[: most - 1], (-1, f"… {len(entries) - most + 1} more")]
    texts = [words for _, words in entries]
    left = 1 - (max(map(text_mm, texts), default=0) + 1.0) / grid.box
    for line, ((index, _), words) in enumerate(zip(entries, texts, strict=True)):
        y = (1.0 + (len(entries) - line - 0.5) * (LINE_MM + 0.3)) / grid.box
        plate = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.3}
        style.write(axes, left, y, words, transform=axes.transAxes, bbox=plate, zorder=7)
        if index >= 0:
            ends = [left - 6.5 / grid.box, left - 1.2 / grid.box]
            look = panels.model_look(index) | {"marker": "", "label": "_sample", "zorder": 7}
            axes.plot(ends, [y, y], transform=axes.transAxes, linewidth=1.2, **look)


def _note_words(note: pd.Series, room: float) -> str:
    """Return text and mark on one line; a text too long is cut, its mark never."""
    mark = f" {note['mark']}" if note["mark"] else ""
    return (wrap(note["text"], room - text_mm(mark), max_lines=1) + mark).strip()


def _frame_corner(axes: Axes, small: Axes, corner: tuple[float, float]) -> None:
    """Frame the enlarged part in both panels."""
    box: dict[str, Any] = {"fill": False, "edgecolor": SOFT_INK, "linewidth": 0.6}
    axes.add_patch(Rectangle((0, corner[1]), corner[0], 1 - corner[1], zorder=2, **box))
    for side in ("top", "right"):
        small.spines[side].set_visible(True)


def _roc_key(plane: _Plane, level: float) -> list[Line2D]:
    key = [
        Line2D([], [], linewidth=1.2, label=model, **panels.model_look(index) | {"marker": ""})
        for index, model in enumerate(plane.models)
    ]
    kinds = {group: set(part["kind"]) for group, part in plane.points.groupby("group")}
    for index, group in enumerate(plane.groups):
        if kinds[group] & {"reader", "mean"}:
            kind = "reader" if "reader" in kinds[group] else "mean"
            key.append(Line2D([], [], label=group, **_point_look(kind, index)))
    used = set(plane.points["kind"])
    if "mean" in used:
        words = f"mean of a group, {100 * level:g} % interval as a cross"
        has_sides = plane.points[list(_SIDES)].notna().any(axis=None)
        look = _point_look("mean", 0) | {"linestyle": "-" if has_sides else "none"}
        words = words if has_sides else "mean of a group"
        key.append(Line2D([], [], label=words, linewidth=0.9, **look))
    if "network" in used:
        words = "published 0/1 decisions of a network"
        key.append(Line2D([], [], label=words, **_point_look("network", 0)))
    look = {"color": SOFT_INK, "linewidth": 0.6, "linestyle": _DOTTED}
    return [*key, Line2D([], [], label="chance", **look)]


def _roc_notes(plane: _Plane, corner: tuple[float, float] | None) -> list[str]:
    notes = panels.mark_notes(plane.notes["mark"])
    if corner:
        notes.append("Lower panels: the framed corner of the panel above, enlarged.")
    return notes


def _roc_data(plane: _Plane) -> pd.DataFrame:
    curves = plane.curves.rename(columns={"model": "name"}).assign(kind="curve", group="")
    curves["specificity"] = 1 - curves["false_positive_rate"].astype(float)
    columns = [*_POINT, *_SIDES]
    parts = [part[columns] for part in (curves.reindex(columns=columns), plane.points) if len(part)]
    return pd.concat(parts, ignore_index=True).astype(
        dict.fromkeys([*_POINT[4:], *_SIDES], "float64")
    )
