"""Tables that cannot be used, and the place each refusal names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook.agreement import cohen_kappa, gwet_ac
from benchbook.errors import DataError, ParameterError
from benchbook.ratings import Ratings
from benchbook.ratings.table import as_ratings
from ratings_examples import long_table

NAN = np.nan


# ---- refusals ----------------------------------------------------------------------------

REFUSED: list[tuple[Any, str, dict[str, Any], type, list[str]]] = [
    ([], "nominal", {}, DataError, ["no ratings"]),
    (pd.DataFrame(), "nominal", {}, DataError, ["no ratings"]),
    (pd.DataFrame(columns=["a", "b"]), "nominal", {}, DataError, ["no rows"]),
    (pd.DataFrame({"a": [1]}), "nominal", {}, DataError, ["two raters", "'a'"]),
    ([1, 2, 3], "nominal", {}, DataError, ["two raters"]),
    (np.zeros((2, 2, 2)), "nominal", {}, DataError, ["no table", "ndarray"]),
    (5, "nominal", {}, DataError, ["no table", "int"]),
    ([[1, 2], [1]], "nominal", {}, DataError, ["row 1", "found 1 ratings", "expected 2"]),
    ({"a": [1, 2], "b": [1]}, "nominal", {}, DataError, ["no table"]),
    ([[None, NAN], [None, None]], "nominal", {}, DataError, ["nothing was rated", "4 empty"]),
    ([[1, None], [2, None]], "nominal", {}, DataError, ["column 1", "rated nothing"]),
    ([[1, None], [None, 2]], "nominal", {}, DataError, ["no item was rated by two", "2 items"]),
    ([["a", "x"], ["a", "b"]], "nominal", {"categories": ["a", "b"]}, DataError,
     ["row 0", "column 1", "unknown category", "'x'", "one of a, b"]),
    ([["1", "2"], ["1", "x"]], "continuous", {}, DataError,
     ["row 1", "column 1", "not a number", "'x'"]),
    ([[1.0, np.inf]], "continuous", {}, DataError, ["row 0", "column 1", "'inf'", "finite"]),
    ([[1.0, "nan"]], "continuous", {}, DataError, ["'nan'"]),
    ([[1.0, "1_0"]], "continuous", {}, DataError, ["'1_0'"]),
    ([[1.0, "１"]], "continuous", {}, DataError, ["'１'"]),
    ([[1.0, "1e999"]], "continuous", {}, DataError, ["'1e999'"]),
    ([[1.0, "3,5"]], "continuous", {}, DataError, ["'3,5'", "decimal point, 3.5"]),
    ([[1.0, True]], "continuous", {}, DataError, ["'True'"]),
    ([[1.0, [2]]], "continuous", {}, DataError, ["'[2]'"]),
    ([[1, 2]], "ordinal", {}, ParameterError, ["lowest to highest", "found the labels 1, 2"]),
    ([[1, 2]], "continuous", {"categories": [1, 2]}, ParameterError, ["no categories"]),
    ([[1, 2]], "interval", {}, ParameterError, ["unknown kind", "'interval'", "continuous"]),
    ([[1, 2]], "nominal", {"clusters": [1, 2]}, DataError, ["2 cluster labels", "expected 1"]),
    ([[1, 2], [1, 2]], "nominal", {"clusters": ["p", None]}, DataError, ["row 1", "no cluster"]),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "nominal", {}, DataError, ["same name", "'a'"]),
    (pd.DataFrame({"a": [1, 2], "b": [1, 2]}, index=["i", "i"]), "nominal", {}, DataError,
     ["row i", "item 'i' stands in two rows"]),
    (pd.DataFrame({"a": [1, 2], "b": [1, 2]}, index=["i", None]), "nominal", {}, DataError,
     ["ratings belong to no item"]),
]  # fmt: skip


@pytest.mark.parametrize(("table", "kind", "options", "error", "words"), REFUSED)
def test_tables_that_are_refused(
    table: Any, kind: str, options: dict[str, Any], error: type, words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        Ratings.from_table(table, kind, **options)
    assert "\n" not in str(caught.value)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_the_first_bad_cell_in_reading_order_is_named() -> None:
    table = [["1", "2", "3"], ["1", "2", "late"], ["early", "2", "3"]]
    with pytest.raises(DataError) as caught:
        Ratings.from_table(table, "continuous")
    assert (caught.value.row, caught.value.column) == (1, "2")


def test_the_source_is_named_as_the_file() -> None:
    with pytest.raises(DataError, match=r"^file reads\.csv, row 0, column 1: "):
        Ratings.from_table([[1, "x"]], "continuous", source="reads.csv")


def test_a_long_label_is_clipped() -> None:
    with pytest.raises(DataError) as caught:
        Ratings.from_table([["a", "x" * 100_000]], "nominal", categories=["a", "b"])
    assert len(str(caught.value)) < 250


LONG_REFUSED: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"item": ["i", "i", "i", "j", "k"]}, {},
     ["row 2", "column rating", "rater 'B' rated item 'i' twice", "'x' after 'y' in row 1",
      "(1 such rows in all)", "item=['item', 'replicate']", "where="]),
    ({"item": ["i", "i", "j", "j", "j"]}, {},
     ["row 4", "an empty cell after 'x' in row 3"]),
    ({}, {"rater": "ratr"}, ["no column 'ratr'", "did you mean 'rater'?", "patient"]),
    ({}, {"cluster": "site"}, ["no column 'site'"]),
    ({"item": ["i", None, "j", "j", "k"]}, {}, ["row 1", "column item", "belongs to no item"]),
    ({"rater": ["A", "B", None, "A", "A"]}, {}, ["row 2", "column rater", "belongs to no rater"]),
    ({"patient": [1, 2, 2, 2, 2]}, {"cluster": "patient"},
     ["row 1", "column patient", "item 'i' belongs to two clusters", "'2' after '1' in row 0"]),
    ({"patient": [1, 1, None, 2, 2]}, {"cluster": "patient"},
     ["row 2", "column patient", "no cluster"]),
    ({"rating": ["x", "z", "x", "x", None]}, {"categories": ["x", "y"]},
     ["row 1", "column rating", "'z'", "one of x, y"]),
    ({"rater": "A", "item": list("ijklm")}, {}, ["no item was rated by two raters"]),
    ({"rating": None}, {}, ["nothing was rated"]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "options", "words"), LONG_REFUSED)
def test_long_tables_that_are_refused(
    changes: dict[str, Any], options: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(DataError) as caught:
        Ratings.from_long(long_table(**changes), "nominal", **options)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_long_scores_name_the_row_of_the_bad_one() -> None:
    table = long_table(rating=["1", "2", "n/a", "1", None])
    table.index = [f"line {number}" for number in range(5)]
    with pytest.raises(DataError, match=r"row line 2, column rating: .*found 'n/a'"):
        Ratings.from_long(table, "continuous")


def test_an_empty_long_table_is_refused() -> None:
    with pytest.raises(DataError, match="no ratings; found no rows"):
        Ratings.from_long(long_table().iloc[:0], "nominal")


TABULATED_REFUSED: list[tuple[Any, Any, dict[str, Any], type, list[str]]] = [
    (Ratings.from_counts, [[1, -1]], {}, DataError, ["row 0", "column 1", "whole", "'-1"]),
    (Ratings.from_counts, [[1, 0.5]], {}, DataError, ["'0.5'"]),
    (Ratings.from_counts, [[1, None]], {}, DataError, ["an empty cell"]),
    (Ratings.from_counts, [[1, "x"]], {}, DataError, ["'x'"]),
    (Ratings.from_counts, [], {}, DataError, ["no ratings"]),
    (Ratings.from_counts, [[2], [2]], {}, ParameterError, ["at least two categories"]),
    (Ratings.from_counts, [[0, 0]], {}, DataError, ["nothing was rated"]),
    (Ratings.from_counts, [[1, 0], [0, 1]], {}, DataError, ["no item was rated by two"]),
    (Ratings.from_counts, [[1, 1]], {"kind": "continuous"}, ParameterError, ["not continuous"]),
    (Ratings.from_counts, [[1, 1]], {"categories": [1, 2, 3]}, ParameterError, ["2 columns"]),
    (Ratings.from_counts, [[1e300, 1]], {}, DataError, ["whole number", "'1e+300'"]),
    (Ratings.from_counts, [[10**9, 1]], {}, DataError, ["1,000,000,001", "at most"]),
    (Ratings.from_counts, pd.DataFrame({"a": [1], "b": [1]}), {"categories": ["a", "c"]},
     DataError, ["column b", "not a declared category", "one of a, c"]),
    (Ratings.from_counts, pd.DataFrame([[1, 1]], columns=["1", 1.0]), {}, ParameterError,
     ["declared twice"]),
    (Ratings.from_counts, pd.DataFrame([[2, 0], [2, 0]], index=["i", "i"]), {}, DataError,
     ["item 'i' stands in two rows"]),
    (Ratings.from_contingency, [[1, 2, 3], [4, 5, 6]], {}, DataError,
     ["square", "2 rows and 3 columns"]),
    (Ratings.from_contingency, pd.DataFrame({"a": [1, 1], "b": [1, 1]}, index=["a", "c"]), {},
     DataError, ["a row is not a declared category", "'c'"]),
    (Ratings.from_contingency, pd.DataFrame({"a": [1, 1], "b": [1, 1]}, index=["a", "a"]), {},
     DataError, ["square"]),
    (Ratings.from_contingency, [[0, 0], [0, 0]], {}, DataError, ["nothing was rated", "no rat"]),
    (Ratings.from_contingency, [[1, 1], [1, 1]], {"raters": ("A", "A")}, ParameterError,
     ["two raters", "A, A"]),
    (Ratings.from_contingency, [[1, 1], [1, 1]], {"raters": "AB"}, ParameterError, ["'AB'"]),
    (Ratings.from_contingency, [[10**12, 0], [0, 1]], {}, DataError, ["more ratings than"]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "table", "options", "error", "words"), TABULATED_REFUSED)
def test_counts_that_are_refused(
    make: Any, table: Any, options: dict[str, Any], error: type, words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        make(table, **options)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


# ---- a cross-table given as ratings -------------------------------------------------------------

CROSS = pd.crosstab(
    pd.Series(["no", "no", "yes", "yes"], name="A"),
    pd.Series(["no", "yes", "yes", "yes"], name="B"),
)


@pytest.mark.parametrize(
    ("table", "categories"),
    [
        ([[40, 10], [5, 45]], None),
        (np.array([[40.0, 10.0], [10.0, 40.0]]), None),
        ([[3, 1], [0, 2]], None),
        ([[3, 1], [0, 2]], ["positive", "negative"]),
        ([[5, 1, 0], [1, 9, 2], [0, 2, 7]], ["a", "b", "c"]),
        (CROSS, None),
        (pd.crosstab([0, 0, 1], [0, 1, 1]), None),
    ],
)
def test_cross_tables_are_not_taken_for_ratings(table, categories):
    for statistic in (cohen_kappa, gwet_ac):
        with pytest.raises(DataError, match=r"cross-table of two raters.*from_contingency"):
            statistic(table, categories=categories)


@pytest.mark.parametrize(
    ("table", "categories"),
    [
        ([[0, 1], [1, 1]], None),
        ([[1, 2], [2, 2]], [1, 2]),
        ([[1, 2, 3], [2, 2, 2], [1, 3, 3]], None),
        ([[10, 20], [20, 20]], [10, 20]),
        ([["a", "b"], ["b", "b"]], None),
        ([[1, 2], [2, 2], [1, 1]], None),
        ([[1, None], [2, 2]], None),
        (pd.DataFrame([[40, 10], [10, 40]], index=["x", "y"], columns=["A", "B"]), None),
    ],
)
def test_small_tables_of_ratings_are_still_ratings(table, categories):
    ratings = as_ratings(table, categories=categories)
    assert ratings.n_items == len(table)


def test_scores_of_two_by_two_are_scores():
    assert as_ratings([[40, 10], [5, 45]], kind="continuous").n_items == 2


def test_more_raters_than_two_are_told_of_cross_tables():
    with pytest.raises(ParameterError, match="cross-table of two raters is given by Ratings"):
        cohen_kappa([[1, 2, 3], [2, 2, 2], [1, 3, 3]])
