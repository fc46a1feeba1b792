"""The functions of ``ranking_compiled`` in numpy alone, bit by bit the same, many times slower.

Sums run in the same order: ``numpy.cumsum`` along the rows adds one row after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

LANES = 64
_ROWS = 2**13  # rows worked on at a time: 4 MB in float64
_STEPS = 2**10


def count_draws(draws: np.ndarray, first_lane: int, weights: np.ndarray) -> None:
    """Count how often each cluster was drawn; ``draws`` has one row per resample."""
    table = weights.reshape(-1, LANES)
    for lane, drawn in enumerate(draws, start=first_lane):
        table[:, lane] += np.bincount(drawn, minlength=table.shape[0]).astype(np.uint8)


def add_totals(weights: np.ndarray, amounts: np.ndarray, totals: np.ndarray) -> None:
    """Add the clusters' ``amounts``, each as often as its cluster was drawn."""
    table = weights.reshape(-1, LANES)
    for start in range(0, amounts.size, _ROWS):
        part = slice(start, start + _ROWS)
        counts = table[part].astype(totals.dtype)
        totals += (counts * amounts[part, np.newaxis]).sum(axis=0)


def _rows(
    weights: np.ndarray, clusters: np.ndarray, times: np.ndarray, start: int, stop: int, kind: type
) -> np.ndarray:
    """Return how often rows ``start`` to ``stop`` count in each resample."""
    counts = weights.reshape(-1, LANES)[clusters[start:stop]].astype(kind)
    return counts * times[start:stop, np.newaxis].astype(kind) if times.size else counts


def _walk(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    first: int,
    last: int,
    sums: np.ndarray,
) -> np.ndarray:
    """Add the rows of some runs to the running sums; return the sum after each run."""
    ends = bounds[first : last + 1]
    history = np.empty((last - first, LANES), dtype=sums.dtype)
    done = 0
    while done < last - first and ends[done + 1] == ends[0]:  # empty runs at the start
        history[done] = sums[LANES:] if (first + done) % 3 == 2 else sums[:LANES]
        done += 1
    for start in range(int(ends[0]), int(ends[-1]), _ROWS):
        stop = min(start + _ROWS, int(ends[-1]))
        counts = _rows(weights, clusters, times, start, stop, sums.dtype.type)
        runs = first + np.searchsorted(ends, np.arange(start, stop), side="right") - 1
        is_positive = (runs % 3 == 2)[:, np.newaxis]
        negatives = _running(sums[:LANES], np.where(is_positive, 0, counts))
        positives = _running(sums[LANES:], np.where(is_positive, counts, 0))
        finished = done + int(np.searchsorted(ends[done + 1 :], stop, side="right"))
        for run in range(done, finished):
            running = positives if (first + run) % 3 == 2 else negatives
            history[run] = running[int(ends[run + 1]) - start]
        done = finished
        sums[:LANES], sums[LANES:] = negatives[-1], positives[-1]
    return history


def _running(start: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Return the sums of ``start`` and the rows of ``terms``, added one after the other."""
    return np.cumsum(np.vstack([start, terms]), axis=0, dtype=start.dtype)


def _chunks(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield first step, negatives above, negatives so far, positives so far, by step.

    The positives have one row more: those before the first step.
    """
    n_steps = (bounds.size - 2) // 3
    for first in range(0, n_steps, _STEPS):
        last = min(first + _STEPS, n_steps)
        before = sums[LANES:].copy()
        history = _walk(weights, clusters, times, bounds, 3 * first, 3 * last, sums)
        yield first, history[0::3], history[1::3], np.vstack([before, history[2::3]])


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
    lanes = np.arange(LANES)
    for first, above, so_far, positives in _chunks(weights, clusters, times, bounds, sums):
        gained = np.diff(positives, axis=0)
        if area.size:
            kind = area.dtype
            pairs = gained.astype(kind) * (above.astype(kind) + so_far.astype(kind))
            area[:] = _running(area, pairs)[-1]
        if precision.size:
            alarms = positives[1:] + so_far
            share = positives[1:] / np.where(alarms > 0, alarms, 1)
            precision[:] = _running(precision, gained * share)[-1]
        for point, wanted in enumerate(needed):
            here = (positives[0] < wanted) & (wanted <= positives[-1])
            step = (positives[1:] >= wanted).argmax(axis=0)
            for kept, values in ((found[point, 0], positives[1:]), (found[point, 1], so_far)):
                kept[here] = values[step, lanes][here]
            where[point, here] = first + step[here]


def add_last_run(
    weights: np.ndarray,
    clusters: np.ndarray,
    times: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add the negatives below every positive, which no statistic but their number needs."""
    run = bounds.size - 2
    _walk(weights, clusters, times, bounds, run, run + 1, sums)


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
    kind = placed.dtype
    for first, above, so_far, positives in _chunks(weights, clusters, times, bounds, sums):
        before, after = positives[:-1].astype(kind), positives[1:].astype(kind)
        amounts = np.empty((3 * len(above), LANES), dtype=kind)
        amounts[0::3], amounts[1::3] = 2 * before, before + after
        amounts[2::3] = -(above.astype(kind) + so_far.astype(kind))
        ends = bounds[3 * first : 3 * (first + len(above)) + 1]
        _scatter(clusters, times, ends, amounts, placed)
    _scatter(clusters, times, bounds[-2:], 2 * sums[np.newaxis, LANES:].astype(kind), placed)
    add_last_run(weights, clusters, times, bounds, sums)


def _scatter(
    clusters: np.ndarray,
    times: np.ndarray,
    ends: np.ndarray,
    amounts: np.ndarray,
    placed: np.ndarray,
) -> None:
    """Add to each row's cluster the amounts of the row's run."""
    table = placed.reshape(-1, LANES)
    for start in range(int(ends[0]), int(ends[-1]), _ROWS):
        rows = np.arange(start, min(start + _ROWS, int(ends[-1])))
        terms = amounts[np.searchsorted(ends, rows, side="right") - 1]
        if times.size:
            terms = terms * times[rows, np.newaxis].astype(placed.dtype)
        np.add.at(table, clusters[rows], terms)
