"""Twelve leads as they are printed on paper: 25 mm per second, 10 mm per millivolt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..ecg.leads import STANDARD_LEADS
from ..errors import DataError, ParameterError
from . import style
from .style import (
    INK,
    LINE_MM,
    SMALL_SIZE,
    SOFT_INK,
    TEXT_SIZE,
    VERMILION,
    HouseFigure,
    Width,
    house_style,
    width_mm,
)

MM_PER_SECOND, MM_PER_MILLIVOLT = 25.0, 10.0
SECONDS, COLUMNS = 10.0, 4
TRUE_WIDTH = 270.0  # millimetres, at which the scale above is true
LAYOUT = (
    ("I", "aVR", "V1", "V4"),
    ("II", "aVL", "V2", "V5"),
    ("III", "aVF", "V3", "V6"),
)
# Light enough to vanish behind the trace in grey print, the 5 mm lines darker than the rest.
_FINE, _BOLD = "#F7D9D6", "#EBB0AA"
_EDGE, _LEAD_IN, _ROW, _PAD = 5.0, 10.0, 30.0, 5.0  # millimetres at true scale
_PAPER = (_LEAD_IN + SECONDS * MM_PER_SECOND, 4 * _ROW + 2 * _PAD)
_FINE_FROM = 0.45  # share of the true scale below which the 1 mm lines would run together


def ecg_page(
    leads: Mapping[str, Any],
    sampling_rate: float,
    *,
    simulated: bool,
    strip: str = "II",
    width: Width | None = None,
) -> HouseFigure:
    """Draw twelve leads in the standard layout of 3 rows and 4 columns, with a rhythm strip.

    Each lead shows 2.5 s, one column after the other on the clock of the strip below: I, II, III
    from 0 s, aVR, aVL, aVF from 2.5 s, V1 to V3 from 5 s, V4 to V6 from 7.5 s. The strip shows
    one lead for 10 s. A pulse of 1 mV and 0.2 s starts every row. As on paper, a large complex is
    drawn over its neighbours; what leaves the paper is cut. No name, date or number of a person
    is printed.

    Parameters
    ----------
    leads : mapping of str to array-like, shape (n,)
        The twelve leads in millivolt, as :func:`benchbook.ecg.twelve_leads` gives them, 10 s or
        more of which the first 10 s are drawn; NaN leaves a gap.
    sampling_rate : float
        Samples per second.
    simulated : bool
        Whether the record is simulated, which is then written on the paper.
    strip : str
        Lead of the rhythm strip.
    width : {"single", "medium", "double"} or float, optional
        Printed width. By default 270 mm, where 25 mm are one second; on any other width the page
        is smaller or larger, and says so. Below about 120 mm only the 5 mm lines are drawn.

    Raises
    ------
    DataError, ParameterError
        When a lead is missing, not numeric, infinite, shorter than 10 s or of another length than
        lead I; when the sampling rate is not 50 to 10,000.
    """
    if not 50 <= sampling_rate <= 10_000:
        raise ParameterError(f"ecg_page: sampling_rate {sampling_rate}; expected 50 to 10000.")
    if strip not in STANDARD_LEADS:
        raise ParameterError(
            f"ecg_page: strip '{strip}'; expected one of {', '.join(STANDARD_LEADS)}."
        )
    signals = _checked(leads, sampling_rate)
    wide = TRUE_WIDTH if width is None else width_mm(width)
    scale = wide / TRUE_WIDTH
    times = np.arange(len(signals["I"])) / sampling_rate
    with house_style():
        paper = (_PAPER[0] * scale, _PAPER[1] * scale)
        figure = style.new_figure(wide, paper[1] + 2 * _EDGE * scale + 2 * LINE_MM + 1)
        axes = style.axes_at(figure, _EDGE * scale, _EDGE * scale, *paper)
        axes.set(xlim=(0, _PAPER[0]), ylim=(0, _PAPER[1]))
        axes.set_axis_off()
        _draw_grid(axes, scale)
        for row in range(4):
            _draw_row(axes, row, (strip,) if row == 3 else LAYOUT[row], (times, signals), scale)
        _write_words(figure, axes, simulated, scale)
    figure.benchbook_data = _printed(times, signals, strip)
    return figure


def _checked(leads: Mapping[str, Any], sampling_rate: float) -> dict[str, np.ndarray]:
    """Return the first 10 s of every lead, rounded to what no paper can show: 0.1 microvolt."""
    n = round(SECONDS * sampling_rate)
    signals = {}
    for name in STANDARD_LEADS:
        if name not in leads:
            raise DataError(
                "ecg_page: lead missing",
                column=name,
                found=", ".join(map(str, leads)) or "no lead",
                expected="the twelve leads, as benchbook.ecg.twelve_leads gives them",
            )
        try:
            values = np.asarray(leads[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("ecg_page: not numbers", column=name, expected="millivolt") from None
        if values.ndim != 1 or len(values) < n or values.shape != np.shape(leads["I"]):
            raise DataError(
                "ecg_page: a lead too short, or of another length than lead I",
                column=name,
                found=" × ".join(map(str, values.shape)) + " samples",
                expected=f"one row of {n} samples or more ({SECONDS:g} s), as in lead I",
            )
        if np.isinf(values).any():
            raise DataError(
                "ecg_page: infinite voltage", column=name, expected="a finite number or NaN"
            )
        signals[name] = np.round(values[:n], 4)
    return signals


def _draw_grid(axes: Axes, scale: float) -> None:
    for step, colour, thick in ((1, _FINE, 0.25), (5, _BOLD, 0.5)):
        if step == 1 and scale < _FINE_FROM:
            continue
        segments: list[list[float]] = []
        for x in np.arange(0, _PAPER[0] + step / 2, step):
            segments += [[x, 0], [x, _PAPER[1]], [math.nan, math.nan]]
        for y in np.arange(0, _PAPER[1] + step / 2, step):
            segments += [[0, y], [_PAPER[0], y], [math.nan, math.nan]]
        x_y = np.array(segments).T
        look: dict[str, Any] = {"color": colour, "linewidth": thick, "clip_on": False}
        axes.plot(*x_y, label=f"_grid {step} mm", zorder=0, solid_capstyle="butt", **look)


def baseline_mm(row: int) -> float:
    """Return the height of a row's 0 mV above the lower edge of the paper, in millimetres."""
    return _PAPER[1] - _PAD - (row + 0.5) * _ROW


def _draw_row(
    axes: Axes,
    row: int,
    names: tuple[str, ...],
    record: tuple[np.ndarray, dict[str, np.ndarray]],
    scale: float,
) -> None:
    times, signals = record
    zero = baseline_mm(row)
    trace: dict[str, Any] = {"color": INK, "linewidth": max(0.45, 0.8 * scale), "zorder": 3}
    pulse = MM_PER_MILLIVOLT * np.array([0, 0, 1, 1, 0, 0])
    steps = 0.2 * MM_PER_SECOND
    axes.plot(
        np.array([1.0, 2.5, 2.5, 2.5 + steps, 2.5 + steps, 9.0]), zero + pulse,
        label="_calibration", solid_joinstyle="miter", **trace,
    )  # fmt: skip
    share = SECONDS / len(names)
    for place, name in enumerate(names):
        first = _LEAD_IN + place * share * MM_PER_SECOND
        shown = _shown(times, place, len(names))
        heights = zero + MM_PER_MILLIVOLT * signals[name][shown]
        x = _LEAD_IN + MM_PER_SECOND * times[shown]
        axes.plot(x, heights, label=f"_{name}", solid_joinstyle="round", **trace)
        if place:
            tick: dict[str, Any] = {"color": INK, "linewidth": 0.7, "zorder": 3}
            axes.plot([first, first], [zero - 2.5, zero + 2.5], label="_separator", **tick)
        size = TEXT_SIZE if scale > 0.5 else SMALL_SIZE
        plate = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.6}
        style.write(
            axes, first + 1.5, zero + 11.5, name,
            fontsize=size, fontweight="bold", bbox=plate, zorder=4,
        )  # fmt: skip


def _shown(times: np.ndarray, place: int, parts: int) -> slice:
    """Return the samples of one segment; it reaches the first sample of the next one."""
    edges = np.searchsorted(times, SECONDS * np.array([place, place + 1]) / parts - 1e-9)
    return slice(int(edges[0]), min(int(edges[1]) + 1, len(times)))


def _write_words(figure: HouseFigure, axes: Axes, simulated: bool, scale: float) -> None:
    if simulated:
        plate = {"facecolor": "white", "edgecolor": VERMILION, "linewidth": 0.6, "pad": 1.5}
        style.write(
            axes, _PAPER[0] - 2, 2, "Simulated, not a patient",
            ha="right", va="bottom", color=INK, fontweight="bold", bbox=plate, zorder=5,
        )  # fmt: skip
    wide, tall = figure.get_size_inches() * style.MM_PER_INCH
    true = abs(scale - 1) < 1e-9
    size = "true scale, 270 mm wide" if true else f"{100 * scale:.0f} % of true scale"
    lines = [f"25 mm/s    10 mm/mV    ({size})", "pulses: 1 mV, 0.2 s"]
    if scale < _FINE_FROM:
        lines[1] += "    grid: 5 mm"
    for number, words in enumerate(lines):
        y = (2 - number - 0.2) * LINE_MM / tall
        look: dict[str, Any] = {"fontsize": SMALL_SIZE, "color": SOFT_INK, "va": "center"}
        figure.text(_EDGE * scale / wide, y, words, **look)


def _printed(times: np.ndarray, signals: dict[str, np.ndarray], strip: str) -> pd.DataFrame:
    """Return what is on the paper: a row per sample, NaN where a lead is not printed."""
    columns = {"time_s": times}
    for row in LAYOUT:
        for place, name in enumerate(row):
            values = np.full(len(times), np.nan)
            shown = _shown(times, place, COLUMNS)
            values[shown] = signals[name][shown]
            columns[name] = values
    ordered = {"time_s": times, **{name: columns[name] for name in STANDARD_LEADS}}
    return pd.DataFrame({**ordered, f"strip {strip}": signals[strip]})
