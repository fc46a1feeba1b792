"""Ratings: what each shape of table becomes, and its parts."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.ratings import Ratings, as_ratings
from ratings_examples import LEVELS, codes, long_table, three

NAN = np.nan


# ---- two sequences -----------------------------------------------------------------------


def test_two_lists() -> None:
    ratings = Ratings.from_pair(["yes", "no", None], ["yes", "yes", "no"], "nominal")
    assert ratings.raters == ("rater 1", "rater 2")
    assert ratings.items == ("0", "1", "2")
    assert codes(ratings) == [[1, 1], [0, 1], [None, 0]]


def test_two_series_give_names_to_raters_and_items() -> None:
    one = pd.Series([1, 2], index=["i", "j"], name="A")
    two = pd.Series([1, 1], index=["i", "j"], name="B")
    ratings = Ratings.from_pair(one, two, "nominal", clusters=["p", "q"])
    assert (ratings.raters, ratings.items) == (("A", "B"), ("i", "j"))
    assert list(ratings.clusters) == ["p", "q"]


def test_two_series_of_one_name_are_rater_1_and_2() -> None:
    series = pd.Series([1, 2], name="score")
    assert Ratings.from_pair(series, series, "nominal").raters == ("rater 1", "rater 2")
    assert Ratings.from_pair(series, [1, 2], "nominal").raters == ("score", "rater 2")


def test_series_of_different_rows_are_taken_by_position() -> None:
    table = pd.DataFrame({"rater": list("AABB"), "rating": [1, 2, 1, 1]})
    one, two = (table.loc[table["rater"] == name, "rating"] for name in "AB")
    ratings = Ratings.from_pair(one, two, "nominal")
    assert codes(ratings) == [[0, 0], [1, 0]]
    assert ratings.items == ("0", "1")


def test_series_with_the_items_in_another_order_are_refused() -> None:
    one = pd.Series([1, 2], index=["i", "j"])
    with pytest.raises(DataError, match="different orders; found item 'j' beside 'i'"):
        Ratings.from_pair(one, one[::-1], "nominal")


def test_sequences_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="found 2 and 3 ratings"):
        Ratings.from_pair([1, 2], [1, 2, 3], "nominal")


# ---- long tables -------------------------------------------------------------------------


def test_long_table() -> None:
    ratings = Ratings.from_long(long_table(), "nominal", cluster="patient")
    assert ratings.items == ("i", "j")
    assert ratings.raters == ("A", "B")
    assert codes(ratings) == [[0, 1], [0, 0]]
    assert list(ratings.clusters) == ["1", "2"]
    assert (ratings.n_dropped, ratings.n_missing) == (1, 0)


def test_items_and_raters_are_known_by_their_canonical_names() -> None:
    table = long_table(item=[1, 1.0, "01", "01", 3], rater=[1, "2", 2.0, "1.0", 1])
    ratings = Ratings.from_long(table, "nominal")
    assert ratings.items == ("1", "01")
    assert ratings.raters == ("1", "2")


def test_categorical_names_stand_in_the_order_of_their_rows() -> None:
    table = long_table(
        item=pd.Categorical(["k", "k", "i", "i", "j"], list("hijk")),
        rater=pd.Categorical(list("BABAA"), list("ABC")),
    )
    ratings = Ratings.from_long(table, "nominal")
    assert (ratings.items, ratings.raters) == (("k", "i"), ("B", "A"))
    assert codes(ratings) == [[0, 1], [0, 0]]


def test_three_raters_in_a_long_table() -> None:
    table = pd.DataFrame(
        {"item": list("iiijjj"), "rater": list("ABCCBA"), "rating": [1, 2, 3, 1, 2, 3]}
    )
    assert codes(Ratings.from_long(table, "continuous")) == [[1, 2, 3], [3, 2, 1]]


def test_several_columns_identify_the_item() -> None:
    table = long_table(item=["i", "i", "i", "i", "k"], visit=[1, 1, 2, 2, 1])
    ratings = Ratings.from_long(table, "nominal", item=["item", "visit"])
    assert ratings.items == ("i / 1", "i / 2")


def test_a_row_without_a_rating_may_lack_the_rater() -> None:
    ratings = Ratings.from_long(long_table(rater=["A", "B", "B", "A", None]), "nominal")
    assert (ratings.n_items, ratings.n_dropped) == (2, 1)


# ---- counts and cross-tables -------------------------------------------------------------


def test_counts() -> None:
    ratings = Ratings.from_counts([[2, 0, 1], [0, 1, 0], [0, 0, 0]], clusters=["p", "p", None])
    assert ratings.categories == (0, 1, 2)
    assert codes(ratings) == [[0, 0, 2], [1, None, None]]
    assert ratings.counts().tolist() == [[2, 0, 1], [0, 1, 0]]
    assert (ratings.n_items, ratings.n_raters) == (2, 3)
    assert (ratings.n_dropped, ratings.n_missing) == (1, 2)
    assert ratings.raters == ("slot 1", "slot 2", "slot 3")
    assert ratings.declared
    assert not ratings.identified
    assert list(ratings.clusters) == ["p", "p"]


def test_columns_of_counts_are_put_in_the_declared_order() -> None:
    table = pd.DataFrame({"high": [0, 1], "low": [2, 1]}, index=["i", "j"])
    ratings = Ratings.from_counts(table, "ordinal", categories=["low", "mid", "high"])
    assert ratings.counts().tolist() == [[2, 0, 0], [1, 0, 1]]
    assert ratings.items == ("i", "j")


def test_cross_table() -> None:
    ratings = Ratings.from_contingency([[2, 1], [0, 1]], categories=["no", "yes"])
    assert codes(ratings) == [[0, 0], [0, 0], [0, 1], [1, 1]]
    assert ratings.categories == ("no", "yes")
    assert ratings.identified


def test_rows_of_a_labelled_cross_table_are_matched_to_the_columns() -> None:
    table = pd.DataFrame({"a": [5, 1], "b": [2, 3]}, index=["b", "a"])
    straight = Ratings.from_contingency(table.loc[["a", "b"]])
    assert straight.frame().equals(Ratings.from_contingency(table).frame())
    assert codes(straight).count([1, 0]) == 5


def test_a_cross_table_may_lack_categories_that_are_declared() -> None:
    first, second = ["a", "a", "b", "b"], ["c", "a", "a", "c"]
    table = pd.crosstab(pd.Series(first), pd.Series(second))
    with pytest.raises(DataError, match="not a declared category; found 'b'; expected one of a, c"):
        Ratings.from_contingency(table)
    ratings = Ratings.from_contingency(table, categories=["a", "b", "c"])
    pairs = sorted(zip(first, second, strict=True))
    assert sorted(map(tuple, ratings.frame().to_numpy())) == pairs


@pytest.mark.parametrize(
    "columns",
    [[1, 2, 3], pd.CategoricalIndex(LEVELS, categories=LEVELS, ordered=True), None],
)
def test_columns_that_carry_their_order_need_no_declaration(columns: Any) -> None:
    table = pd.DataFrame(np.eye(3, dtype=int) * 2, columns=columns)
    assert Ratings.from_counts(table, "ordinal").n_categories == 3


@pytest.mark.parametrize("columns", [["mild", "none", "severe"], [3, 1, 2]])
@pytest.mark.parametrize("make", [Ratings.from_counts, Ratings.from_contingency])
def test_ordinal_columns_in_an_order_of_their_own_must_be_declared(
    make: Any, columns: list[Any]
) -> None:
    with pytest.raises(ParameterError, match="must be declared, lowest to highest"):
        make(pd.DataFrame(np.eye(3, dtype=int), columns=columns), "ordinal")


# ---- parts, views, copies ----------------------------------------------------------------


def test_select_keeps_the_order_asked_for_and_drops_items_nobody_rated() -> None:
    part = three().select(["C", "B"])
    assert part.raters == ("C", "B")
    assert part.items == ("i", "k", "l")
    assert codes(part) == [[1, 0], [None, 2], [0, 1]]
    assert (part.n_dropped, part.n_missing) == (1, 1)
    assert list(part.clusters) == ["1", "2", "2"]
    assert part.categories == three().categories
    assert part.source == "reads.csv"
    table = [[1, 1, None], [None, None, 1], [2, 2, 2], [None, 1, None]]
    whole = Ratings.from_table(table, "nominal")
    assert whole.select(["0", "1"]).n_dropped == 1
    assert whole.select(["0", "1"]).select(["0"]).n_dropped == 2


def test_select_knows_a_number_by_its_name() -> None:
    ratings = Ratings.from_table(np.array([[1, 2, 2]]), "nominal")
    assert ratings.select([2, 0.0]).raters == ("2", "0")


def test_drop() -> None:
    assert three().drop("B").raters == ("A", "C")


def test_pair_is_pairwise_complete_and_may_be_empty() -> None:
    assert three().pair("A", "B").items == ("i", "l")
    apart = Ratings.from_table([[1, 1, None], [None, 1, 1]], "nominal").pair("0", "2")
    assert (apart.n_items, apart.n_raters) == (0, 2)
    assert apart.counts().shape == (0, 1)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda r: r.select(["A", "D"]), "unknown rater 'D'"),
        (lambda r: r.select(["A", "A"]), "'A' is chosen twice"),
        (lambda r: r.select("AB"), "a list of names; found the text 'AB'"),
        (lambda r: r.select([]), "at least two raters"),
        (lambda r: r.drop("reader"), "unknown rater 'reader'; known: A, B, C"),
        (lambda r: r.pair("A", "A"), "'A' is chosen twice"),
        (lambda r: r.rows(np.array([0, 1])), "one truth value per item"),
        (lambda r: r.rows(np.array([True])), "one truth value per item"),
    ],
)
def test_parts_that_do_not_exist(act: Any, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        act(three())
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "act", [lambda r: r.select(["slot 1", "slot 2"]), lambda r: r.drop("slot 1")]
)
def test_slots_are_no_raters(act: Any) -> None:
    with pytest.raises(ParameterError, match="identified raters"):
        act(Ratings.from_counts([[2, 1]]))


def test_frame_gives_the_labels_back() -> None:
    frame = three().frame()
    assert frame.index.tolist() == list("ijkl")
    assert frame["A"].tolist()[:2] == ["x", "y"]
    assert frame.isna().sum().sum() == three().n_missing == 4
    scores = Ratings.from_table([[1.5, 2.5]], "continuous").frame()
    assert scores.to_numpy().tolist() == [[1.5, 2.5]]


def test_frame_of_labels_that_are_tuples() -> None:
    ratings = Ratings.from_contingency([[1, 0], [0, 1]], categories=[("a", 1), ("b", 2)])
    assert ratings.frame().iloc[1, 0] == ("b", 2)


def test_values_cannot_be_written_into() -> None:
    ratings = three()
    with pytest.raises(ValueError, match="read-only"):
        ratings.values[0, 0] = 1  # noqa: PD011
    frame = Ratings.from_table([[1.5, 2.5]], "continuous").frame()
    frame.iloc[0, 0] = 0.0


def test_the_callers_array_is_left_alone() -> None:
    scores = np.array([[1.0, 2.0]])
    Ratings.from_table(scores, "continuous")
    scores[0, 0] = 5.0


@pytest.mark.parametrize("trip", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy])
def test_survives_pickle_and_copy(trip: Any) -> None:
    back, ratings = trip(three()), three()
    assert np.array_equal(back.values, ratings.values, equal_nan=True)
    assert list(back.clusters) == list(ratings.clusters)
    assert back.categories == ratings.categories
    assert (back.items, back.raters, back.kind) == (ratings.items, ratings.raters, ratings.kind)


def test_shown_in_one_line() -> None:
    assert repr(three()) == "<Ratings: 4 items x 3 raters, nominal, 3 categories, 4 missing>"
    scores = Ratings.from_table(np.ones((2, 2)), "continuous")
    assert repr(scores) == "<Ratings: 2 items x 2 raters, continuous, 0 missing>"
    assert "slots" in repr(Ratings.from_counts([[2, 1]]))


def test_categories_are_needed_for_counts() -> None:
    with pytest.raises(ParameterError, match="intraclass correlation"):
        Ratings.from_table([[1.5, 2.5]], "continuous").counts()


# ---- anything as ratings -----------------------------------------------------------------


def test_as_ratings() -> None:
    ratings = three()
    assert as_ratings(ratings) is ratings
    assert as_ratings(ratings, categories=["x", "y", "z"]) is ratings
    assert as_ratings([1, 2], [1, 2]).n_raters == 2
    assert as_ratings([[1.5, 2.5]], kind="continuous").kind == "continuous"
    numbers = Ratings.from_table([[1, 2]], "ordinal", categories=[1, 2])
    assert as_ratings(numbers, categories=["1", "2.0"]) is numbers


@pytest.mark.parametrize(
    ("second", "options", "words"),
    [
        ([1, 2], {}, "given twice"),
        (None, {"categories": ["x", "y"]}, "already declared"),
        (None, {"categories": ["z", "y", "x"]}, "already declared"),
    ],
)
def test_as_ratings_refuses_a_second_opinion(second: Any, options: Any, words: str) -> None:
    with pytest.raises(BenchbookError, match=words):
        as_ratings(three(), second, **options)
