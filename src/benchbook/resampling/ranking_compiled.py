"""The ranking kernel, compiled by numba. ``ranking_numpy`` has the same functions without it.

Everything lies flat in memory, lane by lane: resample ``b`` of cluster ``c`` is at
``c * LANES + b``, so that every innermost loop runs over neighbours and becomes a few vector
instructions. Indices are unsigned because a signed one would be checked for wrapping around.

Rows come in *runs*, three to a step: negatives above the step's score, negatives tied with it,
positives at it. ``bounds`` says where each run begins; one last run holds the negatives below
every positive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, uint64

LANES = 64  # resamples side by side: a cluster's counts fill one line of the processor's cache
_STEPS = 16  # steps whose running sums are kept together; they fit the fastest cache
_ZERO, _ONE, _TWO, _THREE, _FOUR = (uint64(number) for number in range(5))
_LANES = uint64(LANES)


def _compiled(function: Callable[..., Any]) -> Any:
    """Compile, kept on disk where some cache folder can be written, else in memory only."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder it may write to
        return njit(**options)(function)


@_compiled
def count_draws(draws: np.ndarray, first_lane: int, weights: np.ndarray) -> None:
    """Count how often each cluster was drawn; ``draws`` has one row per resample."""
    for row in range(draws.shape[0]):
        lane = uint64(first_lane + row)
        for place in range(draws.shape[1]):
            weights[uint64(draws[row, place]) * _LANES + lane] += np.uint8(1)


@_compiled
def add_totals(weights: np.ndarray, amounts: np.ndarray, totals: np.ndarray) -> None:
    """Add the clusters' ``amounts``, each as often as its cluster was drawn."""
    for cluster in range(amounts.size):
        amount = amounts[cluster]
        if amount:
            start = uint64(cluster) * _LANES
            for lane in range(LANES):
                totals[lane] += amount * totals.dtype.type(weights[start + uint64(lane)])


@_compiled
def _walk(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    first: int,
    last: int,
    sums: np.ndarray,
    history: np.ndarray,
) -> None:
    """Add the rows of some runs to the running sums, and keep the sum after each run.

    ``sums`` holds the negatives so far, then the positives so far. ``times`` says how often a
    row counts, and is empty when every row counts once.
    """
    kind = sums.dtype.type
    once = times.size == 0
    kept = _ZERO
    for run in range(first, last):
        into = _LANES if run % 3 == 2 else _ZERO
        row, stop = uint64(bounds[run]), uint64(bounds[run + 1])
        if once:
            while row + _FOUR <= stop:
                a = uint64(clusters[row]) * _LANES
                b = uint64(clusters[row + _ONE]) * _LANES
                c = uint64(clusters[row + _TWO]) * _LANES
                d = uint64(clusters[row + _THREE]) * _LANES
                for each in range(LANES):
                    lane = uint64(each)
                    sums[into + lane] += (
                        kind(weights[a + lane])
                        + kind(weights[b + lane])
                        + kind(weights[c + lane])
                        + kind(weights[d + lane])
                    )
                row += _FOUR
        while row < stop:
            start = uint64(clusters[row]) * _LANES
            factor = kind(1) if once else kind(times[row])
            for each in range(LANES):
                lane = uint64(each)
                sums[into + lane] += factor * kind(weights[start + lane])
            row += _ONE
        for each in range(LANES):
            lane = uint64(each)
            history[kept + lane] = sums[into + lane]
        kept += _LANES


@_compiled
def _add_area(history: np.ndarray, steps: int, before: np.ndarray, area: np.ndarray) -> None:
    """Add, for each positive, twice the negatives above it and once those tied with it."""
    kind = area.dtype.type
    for step in range(steps):
        start = uint64(3 * step) * _LANES
        for each in range(LANES):
            lane = uint64(each)
            positives = history[start + _TWO * _LANES + lane]
            above, so_far = history[start + lane], history[start + _LANES + lane]
            area[lane] += kind(positives - before[lane]) * (kind(above) + kind(so_far))
            before[lane] = positives


@_compiled
def _add_precision(
    history: np.ndarray, steps: int, before: np.ndarray, precision: np.ndarray
) -> None:
    """Add, for each positive, the share of positives among the alarms at its score."""
    kind = history.dtype.type
    for step in range(steps):
        start = uint64(3 * step) * _LANES
        for each in range(LANES):
            lane = uint64(each)
            positives = history[start + _TWO * _LANES + lane]
            alarms = kind(positives + history[start + _LANES + lane])
            share = np.float64(positives) / np.float64(alarms if alarms > 0 else kind(1))
            precision[lane] += np.float64(kind(positives - before[lane])) * share
            before[lane] = positives


@_compiled
def _find_points(
    history: np.ndarray,
    steps: int,
    first_step: int,
    before: np.ndarray,
    needed: np.ndarray,
    found: np.ndarray,
    where: np.ndarray,
) -> None:
    """Keep the counts at the first step that reaches the ``needed`` positives."""
    reached = uint64(3 * steps - 1) * _LANES
    for each in range(LANES):
        lane = uint64(each)
        for point in range(needed.shape[0]):
            wanted = needed[point, each]
            if not before[lane] < wanted <= history[reached + lane]:
                continue
            step = 0
            while history[uint64(3 * step + 2) * _LANES + lane] < wanted:
                step += 1
            found[point, 0, each] = history[uint64(3 * step + 2) * _LANES + lane]
            found[point, 1, each] = history[uint64(3 * step + 1) * _LANES + lane]
            where[point, each] = first_step + step


@_compiled
def rank(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
    needed: np.ndarray,
    area: np.ndarray,
    precision: np.ndarray,
    found: np.ndarray,
    where: np.ndarray,
) -> None:
    """Pass once over the rows; an empty ``area``, ``precision`` or ``needed`` is not computed."""
    n_steps = (bounds.size - 2) // 3
    history = np.empty(3 * _STEPS * LANES, dtype=sums.dtype)
    before = np.empty(LANES, dtype=sums.dtype)
    for first in range(0, n_steps, _STEPS):
        steps = min(_STEPS, n_steps - first)
        start = sums[LANES:].copy()
        _walk(weights, clusters, times, bounds, 3 * first, 3 * (first + steps), sums, history)
        if area.size:
            before[:] = start
            _add_area(history, steps, before, area)
        if precision.size:
            before[:] = start
            _add_precision(history, steps, before, precision)
        if needed.shape[0]:
            _find_points(history, steps, first, start, needed, found, where)


@_compiled
def add_last_run(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add the negatives below every positive, which no statistic but their number needs."""
    history = np.empty(LANES, dtype=sums.dtype)
    run = bounds.size - 2
    _walk(weights, clusters, times, bounds, run, run + 1, sums, history)


@_compiled
def _scatter(
    clusters: np.ndarray,
    times: np.ndarray,
    start: int,
    stop: int,
    amounts: np.ndarray,
    placed: np.ndarray,
) -> None:
    kind = placed.dtype.type
    for row in range(start, stop):
        into = uint64(clusters[row]) * _LANES
        factor = kind(times[row]) if times.size else kind(1)
        for each in range(LANES):
            lane = uint64(each)
            placed[into + lane] += factor * amounts[lane]


@_compiled
def placements(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
    placed: np.ndarray,
) -> None:
    """Sum by cluster what lies above each row: twice the other class, once where tied.

    A negative row adds the positives above it; a positive row takes the negatives above it away.
    """
    kind = placed.dtype.type
    n_steps = (bounds.size - 2) // 3
    history = np.empty(3 * LANES, dtype=sums.dtype)
    above = np.empty(LANES, dtype=placed.dtype)
    tied, positive = above.copy(), above.copy()
    for step in range(n_steps):
        before = sums[LANES:].copy()
        _walk(weights, clusters, times, bounds, 3 * step, 3 * step + 3, sums, history)
        for lane in range(LANES):
            above[lane] = kind(2) * kind(before[lane])
            tied[lane] = kind(before[lane]) + kind(sums[LANES + lane])
            positive[lane] = -(kind(history[lane]) + kind(sums[lane]))
        at = bounds[3 * step : 3 * step + 4]
        _scatter(clusters, times, at[0], at[1], above, placed)
        _scatter(clusters, times, at[1], at[2], tied, placed)
        _scatter(clusters, times, at[2], at[3], positive, placed)
    for lane in range(LANES):
        above[lane] = kind(2) * kind(sums[LANES + lane])
    _scatter(clusters, times, bounds[-2], bounds[-1], above, placed)
    add_last_run(weights, clusters, times, bounds, sums)
