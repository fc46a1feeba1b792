"""Labels, scores, weights and directions that cannot be used are refused with their place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchbook.errors import DataError, ParameterError
from benchbook.metrics import (
    at_sensitivity,
    auroc,
    average_precision,
    delong_interval,
    partial_auroc,
    ranked_counts,
    threshold_statistics,
)

RANKING = [auroc, average_precision, ranked_counts, delong_interval]
HIGH = {"higher_is_positive": True}


@pytest.mark.parametrize("metric", RANKING)
def test_the_direction_has_no_default_and_is_never_inferred(metric):
    with pytest.raises(TypeError, match="higher_is_positive"):
        metric([1, 0], [1, 2])
    for said in (None, "higher", 1):
        with pytest.raises(ParameterError, match="never inferred"):
            metric([1, 0], [1, 2], higher_is_positive=said)


def test_every_other_ranking_function_asks_for_the_direction_too():
    for call in (
        lambda: at_sensitivity([1, 0], [1, 2], 0.8),
        lambda: threshold_statistics([1, 0], [1, 2], 1.5),
        lambda: partial_auroc(
            [1, 0], [1, 2], axis="specificity", between=(0.5, 1), standardised=False
        ),
    ):
        with pytest.raises(TypeError, match="higher_is_positive"):
            call()


@pytest.mark.parametrize("metric", RANKING)
@pytest.mark.parametrize(
    ("positive", "score", "match"),
    [
        ([1, 2, 0], [1, 2, 3], "row 2, column positive"),
        ([1, np.nan, 0], [1, 2, 3], "row 2, column positive"),
        ([1, None, 0], [1, 2, 3], "row 2, column positive"),
        (["yes", "no", "no"], [1, 2, 3], "row 1, column positive"),
        ([1, 0, 0], [1, 2, np.nan], "row 3, column score"),
        ([1, 0, 0], [1, None, 3], "row 2, column score"),
        ([1, 0, 0], pd.array([1, 2, None], dtype="Int64"), "row 3, column score"),
        ([1, 0, 0], ["1", "2", "3"], "row 1, column score"),
        ([1, 0, 0], [1, 2], "2 values"),
        ([1, 0, 0], [[1, 2, 3]], "not a vector"),
        ([1, 0, 0], [2**53 + 1, 2**53 + 2, 1], "row 1, column score"),
    ],
)
def test_bad_labels_and_scores_name_their_place(metric, positive, score, match):
    with pytest.raises(DataError, match=match):
        metric(positive, score, **HIGH)


@pytest.mark.parametrize("weight", [[1, -1], [1, np.inf], [1, np.nan], [1]])
def test_bad_weights_are_refused(weight):
    with pytest.raises(DataError, match="weight"):
        auroc([1, 0], [1, 2], weight, **HIGH)


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x,
        np.array,
        pd.Series,
        lambda x: pd.Series(x, index=list(range(10, 10 + len(x)))),
        lambda x: pd.array(x, dtype="Int64"),
        lambda x: np.array(x, dtype=object),
        lambda x: np.array(x, dtype=np.int8),
        lambda x: tuple(float(one) for one in x),
    ],
)
def test_every_usual_container_is_read_alike(form):
    positive, score = [1, 0, 1, 0, 0], [5, 3, 2, 2, 1]
    made = auroc(form(positive), form(score), **HIGH)
    assert made.value == 4.5 / 6
    assert made.n_items == 5


def test_short_floats_and_truth_values_are_scores():
    positive = [True, False, True, False]
    short = np.array([0.1, 0.1, 0.3, 0.2], dtype=np.float32)
    assert auroc(positive, short, **HIGH).value == (0.5 + 0 + 2) / 4
    assert auroc(positive, [True, False, True, True], **HIGH).value == (1.5 + 1.5) / 4


def test_the_input_is_left_as_it_was():
    positive, score = np.array([1, 0, 1, 0]), np.array([3.0, 1, 2, 2])
    before = positive.copy(), score.copy()
    for metric in RANKING:
        metric(positive, score, higher_is_positive=False)
    np.testing.assert_array_equal(positive, before[0])
    np.testing.assert_array_equal(score, before[1])
