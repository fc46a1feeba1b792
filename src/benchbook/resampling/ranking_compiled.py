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
_ONE, _TWO, _THREE, _FOUR = (uint64(number) for number in range(1, 5))
_LANES = uint64(LANES)
# The state of a pass is one array, because of two the compiler would have to ask at every step
# whether they overlap. Where its parts begin: the negatives and the positives so far, and what
# they were before the ties and the positives of the step.
_NEGATIVES, _POSITIVES, _ABOVE, _BEFORE = (uint64(part * LANES) for part in range(4))


def _compiled(function: Callable[..., Any], *, inlined: bool = False) -> Any:
    """Compile, kept on disk where some cache folder can be written, else in memory only."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": inlined}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder it may write to
        return njit(**options)(function)


def _inlined(function: Callable[..., Any]) -> Any:
    """Compile into each caller: a call costs more than adding a row."""
    return _compiled(function, inlined=True)


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


@_inlined
def _add_rows(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    first: int,
    last: int,
    state: np.ndarray,
    into: int,
) -> None:
    """Add the rows from ``first`` to before ``last``, one after the other.

    ``times`` says how often a row counts, and is empty when every row counts once; sums are then
    of whole numbers, and four rows can be added together.
    """
    kind = state.dtype.type
    row, stop = uint64(first), uint64(last)
    if times.size:
        while row < stop:
            start, factor = uint64(clusters[row]) * _LANES, kind(times[row])
            for each in range(LANES):
                lane = uint64(each)
                state[into + lane] += factor * kind(weights[start + lane])
            row += _ONE
    while row + _FOUR <= stop:
        a = uint64(clusters[row]) * _LANES
        b = uint64(clusters[row + _ONE]) * _LANES
        c = uint64(clusters[row + _TWO]) * _LANES
        d = uint64(clusters[row + _THREE]) * _LANES
        for each in range(LANES):
            lane = uint64(each)
            state[into + lane] += (
                kind(weights[a + lane])
                + kind(weights[b + lane])
                + kind(weights[c + lane])
                + kind(weights[d + lane])
            )
        row += _FOUR
    while row < stop:
        start = uint64(clusters[row]) * _LANES
        for each in range(LANES):
            lane = uint64(each)
            state[into + lane] += kind(weights[start + lane])
        row += _ONE


@_inlined
def _add_step(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    step: int,
    state: np.ndarray,
) -> None:
    """Add the three runs of a step."""
    run = 3 * step
    _add_rows(weights, clusters, times, bounds[run], bounds[run + 1], state, _NEGATIVES)
    for each in range(LANES):
        lane = uint64(each)
        state[_ABOVE + lane] = state[_NEGATIVES + lane]
        state[_BEFORE + lane] = state[_POSITIVES + lane]
    _add_rows(weights, clusters, times, bounds[run + 1], bounds[run + 2], state, _NEGATIVES)
    _add_rows(weights, clusters, times, bounds[run + 2], bounds[run + 3], state, _POSITIVES)


@_inlined
def _add_area(state: np.ndarray, area: np.ndarray) -> None:
    """Add, for each positive, twice the negatives above it and once those tied with it."""
    kind, wide = state.dtype.type, area.dtype.type
    for each in range(LANES):
        lane = uint64(each)
        gained = kind(state[_POSITIVES + lane] - state[_BEFORE + lane])
        above, so_far = state[_ABOVE + lane], state[_NEGATIVES + lane]
        area[lane] += wide(gained) * (wide(above) + wide(so_far))


@_inlined
def _add_precision(state: np.ndarray, precision: np.ndarray) -> None:
    """Add, for each positive, the share of positives among the alarms at its score."""
    kind = state.dtype.type
    for each in range(LANES):
        lane = uint64(each)
        positives = state[_POSITIVES + lane]
        gained = kind(positives - state[_BEFORE + lane])
        alarms = kind(positives + state[_NEGATIVES + lane])
        share = np.float64(positives) / np.float64(alarms if alarms > 0 else kind(1))
        precision[lane] += np.float64(gained) * share


@_inlined
def _is_reached(state: np.ndarray, needed: np.ndarray) -> bool:
    """Tell whether some resample reaches the ``needed`` positives at this step."""
    reached = False
    for each in range(LANES):
        lane = uint64(each)
        wanted = needed[lane]
        reached |= (state[_BEFORE + lane] < wanted) & (wanted <= state[_POSITIVES + lane])
    return reached


@_compiled
def _keep_point(
    state: np.ndarray, step: int, needed: np.ndarray, found: np.ndarray, where: np.ndarray
) -> None:
    """Keep the counts of the resamples that reach the ``needed`` positives at this step."""
    for each in range(LANES):
        lane = uint64(each)
        if state[_BEFORE + lane] < needed[lane] <= state[_POSITIVES + lane]:
            found[0, lane] = state[_POSITIVES + lane]
            found[1, lane] = state[_NEGATIVES + lane]
            where[lane] = step


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
    """Pass once over the rows; an empty ``area``, ``precision`` or ``needed`` is not computed.

    ``sums`` holds the negatives so far, then the positives so far.
    """
    state = np.zeros(4 * LANES, dtype=sums.dtype)
    state[: 2 * LANES] = sums
    for step in range((bounds.size - 2) // 3):
        _add_step(weights, clusters, times, bounds, step, state)
        if area.size:
            _add_area(state, area)
        if precision.size:
            _add_precision(state, precision)
        for point in range(needed.shape[0]):
            if _is_reached(state, needed[point]):
                _keep_point(state, step, needed[point], found[point], where[point])
    sums[:] = state[: 2 * LANES]


@_compiled
def add_last_run(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add the negatives below every positive, which no statistic but their number needs."""
    _add_rows(weights, clusters, times, bounds[-2], bounds[-1], sums, _NEGATIVES)


@_inlined
def _scatter(
    clusters: np.ndarray,
    times: np.ndarray,
    first: int,
    last: int,
    amounts: np.ndarray,
    placed: np.ndarray,
) -> None:
    """Add the amounts to the cluster of each row from ``first`` to before ``last``."""
    kind = placed.dtype.type
    for row in range(uint64(first), uint64(last)):
        into = uint64(clusters[row]) * _LANES
        factor = kind(times[row]) if times.size else kind(1)
        for each in range(LANES):
            lane = uint64(each)
            placed[into + lane] += factor * amounts[lane]


@_inlined
def _amounts(state: np.ndarray, above: np.ndarray, tied: np.ndarray, positive: np.ndarray) -> None:
    """Write what each row of the step's three runs adds to its cluster."""
    kind = above.dtype.type
    for each in range(LANES):
        lane = uint64(each)
        before, after = kind(state[_BEFORE + lane]), kind(state[_POSITIVES + lane])
        above[lane] = kind(2) * before
        tied[lane] = before + after
        positive[lane] = -(kind(state[_ABOVE + lane]) + kind(state[_NEGATIVES + lane]))


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
    state = np.zeros(4 * LANES, dtype=sums.dtype)
    state[: 2 * LANES] = sums
    above = np.empty(LANES, dtype=placed.dtype)
    tied, positive = above.copy(), above.copy()
    for step in range((bounds.size - 2) // 3):
        _add_step(weights, clusters, times, bounds, step, state)
        _amounts(state, above, tied, positive)
        run = 3 * step
        _scatter(clusters, times, bounds[run], bounds[run + 1], above, placed)
        _scatter(clusters, times, bounds[run + 1], bounds[run + 2], tied, placed)
        _scatter(clusters, times, bounds[run + 2], bounds[run + 3], positive, placed)
    sums[:] = state[: 2 * LANES]
    for lane in range(LANES):
        above[lane] = kind(2) * kind(sums[LANES + lane])
    _scatter(clusters, times, bounds[-2], bounds[-1], above, placed)
    add_last_run(weights, clusters, times, bounds, sums)
