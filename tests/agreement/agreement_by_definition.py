"""The coefficients straight from their definitions: loops over items and pairs, nothing shared
with the package. Every item has a weight, so that derivatives can be taken numerically.

A table is a list of rows of category codes (or scores), None where a rating is missing.
"""

from __future__ import annotations

import itertools
import math

import numpy as np


def distance_matrix(q, scheme):
    def one(i, j):
        if scheme == "unweighted":
            return float(i != j)
        power = 1 if scheme == "linear" else 2
        return (abs(i - j) / (q - 1)) ** power

    return [[one(i, j) for j in range(q)] for i in range(q)]


def given(row):
    return [rating for rating in row if rating is not None]


def observed_disagreement(table, d, w):
    total = number = 0.0
    for row, weight in zip(table, w, strict=True):
        ratings = given(row)
        if len(ratings) < 2:
            continue
        pairs = [d[a][b] for a, b in itertools.permutations(ratings, 2)]
        total += weight * sum(pairs) / len(pairs)
        number += weight
    return total / number


def margins(table, q, w, pooled=False):
    share = [0.0] * q
    for row, weight in zip(table, w, strict=True):
        ratings = given(row)
        for rating in ratings:
            share[rating] += weight if pooled else weight / len(ratings)
    return [s / sum(share) for s in share]


def corrected(observed, expected):
    return 1 - observed / expected


def percent_agreement(table, d, w=None):
    return 1 - observed_disagreement(table, d, w or [1.0] * len(table))


def fleiss(table, d, w=None, pooled=False):
    w = w or [1.0] * len(table)
    q = len(d)
    p = margins(table, q, w, pooled)
    expected = sum(d[i][j] * p[i] * p[j] for i in range(q) for j in range(q))
    return corrected(observed_disagreement(table, d, w), expected)


def gwet(table, d, w=None):
    w = w or [1.0] * len(table)
    q = len(d)
    p = margins(table, q, w)
    weights_sum = sum(1 - d[i][j] for i in range(q) for j in range(q))
    pe = weights_sum / (q * (q - 1)) * sum(s * (1 - s) for s in p)
    return corrected(observed_disagreement(table, d, w), 1 - pe)


def brennan(table, d, w=None):
    q = len(d)
    expected = sum(map(sum, d)) / q**2
    return corrected(observed_disagreement(table, d, w or [1.0] * len(table)), expected)


def conger(table, d, w=None):
    w = w or [1.0] * len(table)
    q, r = len(d), len(table[0])
    own = []
    for g in range(r):
        p = [0.0] * q
        for row, weight in zip(table, w, strict=True):
            if row[g] is not None:
                p[row[g]] += weight
        own.append([s / sum(p) for s in p])
    pairs = [
        sum(d[i][j] * own[g][i] * own[h][j] for i in range(q) for j in range(q))
        for g, h in itertools.permutations(range(r), 2)
    ]
    return corrected(observed_disagreement(table, d, w), sum(pairs) / len(pairs))


def cohen(table, d, w=None, columns=(0, 1)):
    w = w or [1.0] * len(table)
    rows = [
        (row[columns[0]], row[columns[1]], weight)
        for row, weight in zip(table, w, strict=True)
        if row[columns[0]] is not None and row[columns[1]] is not None
    ]
    n = sum(weight for *_, weight in rows)
    if n == 0:
        return math.nan
    observed = sum(weight * d[a][b] for a, b, weight in rows) / n
    expected = sum(u * v * d[a][b] for a, _, u in rows for _, b, v in rows) / n**2
    return corrected(observed, expected) if expected > 0 else math.nan


def light(table, d, w=None, pairs=None):
    pairs = pairs or list(itertools.combinations(range(len(table[0])), 2))
    each = [cohen(table, d, w, pair) for pair in pairs]
    each = [value for value in each if not math.isnan(value)]
    return sum(each) / len(each) if each else math.nan


def alpha(table, metric, w=None):
    """Krippendorff 2011, from the coincidences of pairable values."""
    w = w or [1.0] * len(table)
    units = [(given(row), weight) for row, weight in zip(table, w, strict=True)]
    units = [(ratings, weight) for ratings, weight in units if len(ratings) >= 2]
    values = sorted({rating for ratings, _ in units for rating in ratings})
    place = {value: number for number, value in enumerate(values)}
    o = np.zeros((len(values), len(values)))
    for ratings, weight in units:
        for a, b in itertools.permutations(ratings, 2):
            o[place[a], place[b]] += weight / (len(ratings) - 1)
    n_c = o.sum(axis=1)
    n = n_c.sum()

    def delta(i, j):
        if metric == "nominal":
            return float(i != j)
        if metric == "interval":
            return (values[i] - values[j]) ** 2
        if metric == "ratio":
            total = values[i] + values[j]
            return ((values[i] - values[j]) / total) ** 2 if total else 0.0
        low, high = sorted((i, j))
        return (sum(n_c[low : high + 1]) - (n_c[low] + n_c[high]) / 2) ** 2

    every = [(i, j) for i in range(len(values)) for j in range(len(values))]
    do = sum(o[i, j] * delta(i, j) for i, j in every) / n
    de = sum(n_c[i] * n_c[j] * delta(i, j) for i, j in every) / (n * (n - 1))
    return 1 - do / de if de > 0 else math.nan


STEP = 1e-4  # central differences: truncation about STEP**2, rounding about 1e-16 / STEP


def item_derivatives(statistic, n):
    """Derivative of statistic(weights) by the weight of each item, at weights 1."""
    out = []
    for item in range(n):
        up, down = [1.0] * n, [1.0] * n
        up[item] += STEP
        down[item] -= STEP
        out.append((statistic(up) - statistic(down)) / (2 * STEP))
    return np.array(out)
