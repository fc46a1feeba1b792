"""Input that makes no figure is refused in one sentence that says what was expected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from figure_examples import COEFFICIENTS, ESTIMATES, FULL, LIMITS, cloud, curves, use

from benchbook import figures
from benchbook.errors import DataError, ParameterError

EMPTY = pd.DataFrame()

REFUSED = {
    "forest, empty": (lambda: figures.forest([]), DataError, "nothing to draw"),
    "forest, empty table": (lambda: figures.forest(EMPTY), DataError, "nothing to draw"),
    "forest, no value": (
        lambda: figures.forest(pd.DataFrame({"name": ["a"]})),
        DataError,
        "column value: forest: column missing; found name",
    ),
    "forest, text": (
        lambda: figures.forest(pd.DataFrame({"name": ["a"], "value": ["high"]})),
        DataError,
        "found 'high'",
    ),
    "forest, infinite": (
        lambda: figures.forest(pd.DataFrame({"name": ["a"], "value": [np.inf]})),
        DataError,
        "infinite",
    ),
    "forest, crossed": (
        lambda: figures.forest(
            pd.DataFrame({"name": ["κ"], "value": [0.5], "low": [0.7], "high": [0.6]})
        ),
        DataError,
        "row κ: forest: lower bound above the upper bound; found 0.7 and 0.6",
    ),
    "forest, numbers": (lambda: figures.forest([0.5]), ParameterError, "found float"),
    "forest, bands": (
        lambda: figures.forest(ESTIMATES, bands="cicchetti"),
        ParameterError,
        "cicchetti",
    ),
    "forest, limits": (
        lambda: figures.forest(ESTIMATES, limits=(1, 0)),
        ParameterError,
        "axis limits",
    ),
    "difference, empty": (lambda: figures.coefficient_difference([]), DataError, "nothing to draw"),
    "paradox, empty": (lambda: figures.kappa_paradox(EMPTY), DataError, "nothing to draw"),
    "paradox, no coefficient": (
        lambda: figures.kappa_paradox(curves()[["prevalence"]]),
        DataError,
        "no coefficient",
    ),
    "influence, empty": (lambda: figures.leave_one_out(EMPTY, FULL), DataError, "nothing to draw"),
    "heat map, one rater": (
        lambda: figures.pairwise_heatmap([[1.0]]),
        DataError,
        "two raters or more; found 1 × 1",
    ),
    "heat map, not square": (
        lambda: figures.pairwise_heatmap(np.ones((2, 3))),
        DataError,
        "found 2 × 3",
    ),
    "heat map, asymmetric": (
        lambda: figures.pairwise_heatmap([[1, 0.2], [0.3, 1]]),
        DataError,
        "not symmetric",
    ),
    "heat map, beyond one": (
        lambda: figures.pairwise_heatmap([[1, 20], [20, 1]]),
        DataError,
        "coefficient above 1; found 20",
    ),
    "heat map, text": (lambda: figures.pairwise_heatmap([["a", "b"]]), DataError, "numbers"),
    "heat map, names": (
        lambda: figures.pairwise_heatmap(np.ones((3, 3)), ["A"]),
        DataError,
        "found 1; expected 3",
    ),
    "heat map, order": (
        lambda: figures.pairwise_heatmap(np.ones((3, 3)), order="alphabetical"),
        ParameterError,
        "alphabetical",
    ),
    "ICC, unknown": (lambda: figures.icc_forms({"ICC(4,1)": FULL}), ParameterError, "ICC"),
    "ICC, twice": (
        lambda: figures.icc_forms({"ICC(2,1)": FULL, "ICC(A,1)": FULL}),
        DataError,
        "the same form twice",
    ),
    "consistency, lengths": (
        lambda: figures.consistency_against_agreement([1, 2], [1], COEFFICIENTS),
        DataError,
        "found 2 and 1",
    ),
    "consistency, nothing": (
        lambda: figures.consistency_against_agreement([np.nan], [1], COEFFICIENTS),
        DataError,
        "no item scored by both",
    ),
    "limits, empty": (
        lambda: figures.bland_altman_plot(EMPTY, LIMITS),
        DataError,
        "nothing to draw",
    ),
    "limits, all missing": (
        lambda: figures.bland_altman_plot(cloud().assign(mean=np.nan), LIMITS),
        DataError,
        "no complete pair",
    ),
    "limits, no lines": (lambda: figures.bland_altman_plot(cloud()), ParameterError, "its lines"),
    "limits, scale": (
        lambda: figures.bland_altman_plot(cloud(), LIMITS, scale="log"),
        ParameterError,
        "unknown scale",
    ),
    "limits, negative ratio": (
        lambda: figures.bland_altman_plot(cloud(), LIMITS, scale="ratio"),
        DataError,
        "a ratio is positive",
    ),
    "intervals, no method": (
        lambda: figures.interval_comparison(pd.DataFrame({"name": ["κ"], "value": [0.5]})),
        DataError,
        "column method",
    ),
    "use, negative": (
        lambda: figures.category_use(use().assign(count=-1)),
        DataError,
        "not a count",
    ),
    "use, unknown": (
        lambda: figures.category_use(use(), categories=["grade 1"]),
        DataError,
        "found grade 2; expected grade 1",
    ),
    "bootstrap, nothing": (
        lambda: figures.bootstrap_distribution([np.nan, np.nan], FULL),
        DataError,
        "found 2 resamples",
    ),
    "items, empty": (lambda: figures.ratings_by_item(EMPTY), DataError, "no score"),
    "items, all missing": (
        lambda: figures.ratings_by_item([[np.nan, np.nan]]),
        DataError,
        "no score",
    ),
    "items, rater twice": (
        lambda: figures.ratings_by_item(pd.DataFrame([[1, 2]], columns=["A", "A"])),
        DataError,
        "the same rater twice",
    ),
    "items, unknown rater": (
        lambda: figures.ratings_by_item([[1, 2]], highlight=["Z"]),
        ParameterError,
        "unknown rater 'Z'; known: rater 1, rater 2",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_reason(case):
    draw, error, message = REFUSED[case]
    with pytest.raises(error) as caught:
        draw()
    assert message in str(caught.value)
