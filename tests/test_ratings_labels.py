"""Which spellings are one category, and which cells are missing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook.errors import DataError, ParameterError
from benchbook.ratings import Ratings, canonical
from ratings_examples import LEVELS, codes, graded

NAN = np.nan


# ---- labels ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spellings", "form"),
    [
        ([1, 1.0, "1", "1.0", " 1.00 ", np.int64(1), np.float32(1), Decimal("1.0")], "1"),
        ([0, 0.0, -0.0, "-0", "0.0", "0."], "0"),
        ([0.5, "0.5", ".5", "0.50"], "0.5"),
        ([-0.5, "-.5", "-0.500"], "-0.5"),
        ([0.1, np.float32(0.1), "0.1"], "0.1"),
        ([1e-05, "0.00001"], "0.00001"),
        ([1e22, "10000000000000000000000"], "10000000000000000000000"),
        ([True, np.True_, "True", "TRUE", "true"], "True"),
        ([False, "false"], "False"),
        (["\uac00", "\u1100\u1161"], "가"),
        (["a", " a "], "a"),
    ],
)
def test_spellings_of_one_label(spellings: list[Any], form: str) -> None:
    assert {canonical(label) for label in spellings} == {form}


@pytest.mark.parametrize(
    "labels",
    [
        ["1", "01", "001", "+1", "1+", "1 000", "1_000", "1,0"],
        ["1E5", "100000"],
        [1, True, "1st"],
        [0, False],
        ["a", "A"],
        ["nan", "NaN", "inf", "-inf"],
        # Beyond the 53 bits of a float.
        ["12345678901234567", "12345678901234568"],
        ["", "0"],
        ["１", "1"],
    ],
)
def test_labels_that_stay_different(labels: list[Any]) -> None:
    assert len({canonical(label) for label in labels}) == len(labels)


def test_numbers_written_in_different_ways_are_one_category() -> None:
    table = pd.DataFrame({"a": ["1", "2", "1.0"], "b": [1, 2, 2], "c": [1.0, 2.0, NAN]})
    ratings = Ratings.from_table(table, "nominal")
    assert ratings.categories == ("1", "2")
    assert codes(ratings) == [[0, 0, 0], [1, 1, 1], [0, 1, None]]


def test_truth_values_and_numbers_are_different_categories() -> None:
    ratings = Ratings.from_table([[True, 1], [False, 0], [True, "TRUE"]], "nominal")
    assert ratings.categories == ("0", "1", "False", "True")
    assert codes(ratings) == [[3, 1], [2, 0], [3, 3]]


def test_observed_categories_stand_in_natural_order() -> None:
    ratings = Ratings.from_table([["10", "b"], ["9", "a"], ["-1", "10"]], "nominal")
    assert ratings.categories == ("-1", "9", "10", "a", "b")
    assert not ratings.declared


def test_declared_categories_stay_as_declared() -> None:
    ratings = Ratings.from_table([["1", "3"], ["3", "3"]], "ordinal", categories=[1, 2, 3])
    assert ratings.categories == (1, 2, 3)
    assert ratings.declared
    assert ratings.n_categories == 3
    assert codes(ratings) == [[0, 2], [2, 2]]
    assert ratings.category_values.tolist() == [1, 2, 3]


def test_order_of_the_declaration_is_the_order_of_the_scale() -> None:
    ratings = Ratings.from_table(
        [["mild", "severe"], ["none", "none"]], "ordinal", categories=["none", "mild", "severe"]
    )
    assert codes(ratings) == [[1, 2], [0, 0]]


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        (["a", "b", "a"], ["'a' is declared twice"]),
        ([1, 2, "1.0"], ["'1' is declared twice", "'1.0'"]),
        ([True, "TRUE", False], ["declared twice"]),
        (["a"], ["at least two categories", "found a"]),
        ([], ["at least two categories", "found none"]),
        ("ab", ["list of labels", "'ab'"]),
        (["a", None], ["not a category"]),
        (["a", NAN], ["not a category"]),
        (["a", " "], ["not a category"]),
    ],
)
def test_declarations_that_are_refused(categories: Any, words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        Ratings.from_table([["a", "b"]], "nominal", categories=categories)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_category_values_need_numbers() -> None:
    ratings = Ratings.from_table([["low", "high"]], "ordinal", categories=["low", "high"])
    with pytest.raises(ParameterError, match="no numeric values: found low, high"):
        _ = ratings.category_values
    truth = Ratings.from_table([[True, False]], "nominal")
    with pytest.raises(ParameterError, match="no numeric values"):
        _ = truth.category_values


# ---- missing cells -----------------------------------------------------------------------


@pytest.mark.parametrize("missing", [None, NAN, pd.NA, pd.NaT, "", "  ", float("nan")])
def test_missing_cells_are_counted_and_never_a_category(missing: Any) -> None:
    table = pd.DataFrame(
        {"a": ["x", missing, "y", missing], "b": ["x", "y", missing, missing]}, dtype=object
    )
    ratings = Ratings.from_table(table, "nominal")
    assert ratings.categories == ("x", "y")
    assert codes(ratings) == [[0, 0], [None, 1], [1, None]]
    assert (ratings.n_missing, ratings.n_dropped) == (2, 1)
    assert ratings.items == ("0", "1", "2")
    assert not ratings.complete


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None, 3, 4], dtype="Int64"),
        pd.array([1.0, None, 3.0, 4.0], dtype="Float64"),
        pd.array(["1", None, "3", "4"], dtype="string"),
        np.array([1.0, NAN, 3.0, 4.0], dtype=np.float32),
        [1, None, 3, 4],
        ["1", None, "3.0", "4e0"],
    ],
)
def test_column_types_of_scores(column: Any) -> None:
    ratings = Ratings.from_table(pd.DataFrame({"a": column, "b": [1, 2, 3, 5]}), "continuous")
    assert codes(ratings) == [[1, 1], [None, 2], [3, 3], [4, 5]]
    assert ratings.values.dtype == np.float64  # noqa: PD011
    assert ratings.categories is None
    assert ratings.n_categories == 0
    assert ratings.n_missing == 1


def test_scores_keep_every_bit() -> None:
    scores = np.array([[0.1, 1 / 3], [1e-300, 1.7976931348623157e308], [5e-324, -0.0]])
    as_numbers = Ratings.from_table(scores, "continuous")
    as_text = Ratings.from_table(scores.astype(str), "continuous")
    assert np.array_equal(as_numbers.values, scores)
    assert np.array_equal(as_text.values, scores)


def test_masked_cells_are_missing() -> None:
    table = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert codes(Ratings.from_table(table, "continuous")) == [[1, None], [3, 4]]


def test_rows_and_columns_without_a_name_are_counted_from_zero() -> None:
    ratings = Ratings.from_table(np.ones((2, 3)), "continuous")
    assert ratings.items == ("0", "1")
    assert ratings.raters == ("0", "1", "2")


# ---- pandas categoricals -----------------------------------------------------------------


def test_ordered_categoricals_declare_the_scale() -> None:
    table = pd.DataFrame(
        {"a": graded(["mild", None], LEVELS), "b": graded(["mild", "none"], LEVELS)}
    )
    ratings = Ratings.from_table(table, "ordinal")
    assert ratings.categories == ("none", "mild", "severe")
    assert ratings.declared
    assert codes(ratings) == [[1, 1], [None, 0]]


def test_ordered_categorical_column_of_a_long_table() -> None:
    table = pd.DataFrame(
        {
            "item": [1, 1, 2, 2],
            "rater": list("ABAB"),
            "rating": graded(["severe", "none", None, "mild"], LEVELS),
        }
    )
    ratings = Ratings.from_long(table, "ordinal")
    assert ratings.categories == ("none", "mild", "severe")
    assert codes(ratings) == [[2, 0], [None, 1]]


def test_unordered_categoricals_are_no_ordinal_scale() -> None:
    table = pd.DataFrame(
        {"a": graded(["mild"], LEVELS, False), "b": graded(["none"], LEVELS, False)}
    )
    with pytest.raises(ParameterError, match="lowest to highest"):
        Ratings.from_table(table, "ordinal")
    assert Ratings.from_table(table, "nominal").categories == tuple(LEVELS)


def test_levels_that_differ_are_observed_when_nominal_and_refused_when_ordinal() -> None:
    def table(ordered: bool) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "a": graded(["x", "y"], ["x", "y"], ordered),
                "b": graded(["z", "x"], ["x", "z"], ordered),
            }
        )

    nominal = Ratings.from_table(table(False), "nominal")
    assert nominal.categories == ("x", "y", "z")
    assert not nominal.declared
    with pytest.raises(DataError, match=r"column b: .*different levels; found x, z"):
        Ratings.from_table(table(True), "ordinal")


def test_a_declaration_overrides_the_levels() -> None:
    table = pd.DataFrame({"a": graded(["mild"], LEVELS), "b": graded(["none"], LEVELS)})
    ratings = Ratings.from_table(table, "ordinal", categories=["severe", "mild", "none"])
    assert codes(ratings) == [[1, 2]]


def test_unused_levels_stay() -> None:
    table = pd.DataFrame({"a": graded(["mild"], LEVELS), "b": graded(["mild"], LEVELS)})
    assert Ratings.from_table(table, "ordinal").counts().tolist() == [[0, 2, 0]]
