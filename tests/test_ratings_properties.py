"""What holds for every table: the shapes agree, and order and spelling change nothing."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from benchbook.errors import BenchbookError
from benchbook.ratings import Ratings, canonical
from benchbook.reading import read_ratings

LABELS = ["none", "mild", "severe", "4"]

# The first call in a process imports things; a time limit per example would see it as a change.
lasting = settings(deadline=None)
# One folder serves all examples: each writes its file anew.
with_files = settings(lasting, suppress_health_check=[HealthCheck.function_scoped_fixture])
cells = st.sampled_from([*LABELS, None])


@st.composite
def tables(draw: st.DrawFn, cell: st.SearchStrategy = cells, complete: bool = False) -> Any:
    """A table of labels that can be used: 2 to 4 raters, 1 to 6 items."""
    n_raters, n_items = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    rows = st.lists(cell, min_size=n_raters, max_size=n_raters)
    table = np.array(draw(st.lists(rows, min_size=n_items, max_size=n_items)), dtype=object)
    rated = np.array([[one is not None for one in row] for row in table])
    assume(rated.any(axis=0).all() and rated.sum(axis=1).max() >= 2)
    assume(not complete or rated.all())
    items = [f"item {number}" for number in range(n_items)]
    return pd.DataFrame(table, index=items, columns=[f"R{number}" for number in range(n_raters)])


def made(table: pd.DataFrame) -> Ratings:
    return Ratings.from_table(table, "ordinal", categories=LABELS)


def same(one: Ratings, other: Ratings) -> bool:
    return (
        one.frame().equals(other.frame())
        and one.categories == other.categories
        and (one.n_dropped, one.n_missing) == (other.n_dropped, other.n_missing)
    )


def in_long_form(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"item": item, "rater": rater, "rating": table.loc[item, rater]}
            for item in table.index
            for rater in table.columns
        ]
    )


@lasting
@given(tables())
def test_values_are_the_labels_positions(table: pd.DataFrame) -> None:
    ratings = made(table)
    for item, row in zip(ratings.items, ratings.frame().itertuples(index=False), strict=True):
        for told, said in zip(row, table.loc[item], strict=True):
            assert told == said or (pd.isna(told) and pd.isna(said))
    present = table.notna()
    assert ratings.n_dropped == (~present.any(axis=1)).sum()
    assert ratings.n_missing == (~present[present.any(axis=1)]).to_numpy().sum()


@lasting
@given(tables(), st.booleans(), st.randoms(use_true_random=False))
def test_long_and_wide_agree_whatever_the_order_of_the_rows(
    table: pd.DataFrame, keep_missing: bool, random: Any
) -> None:
    long = in_long_form(table)
    if not keep_missing:
        # Without its row, an item that nobody rated is not known of.
        long = long[long["rating"].notna()]
        table = table[table.notna().any(axis=1)]
    order = list(range(len(long)))
    random.shuffle(order)
    shuffled = Ratings.from_long(long.iloc[order], "ordinal", categories=LABELS)
    wide = made(table)
    assert set(shuffled.raters) == set(wide.raters)
    back = shuffled.select(wide.raters).frame().loc[list(wide.items)]
    assert back.equals(wide.frame())
    assert (shuffled.n_dropped, shuffled.n_missing) == (wide.n_dropped, wide.n_missing)


@lasting
@given(tables())
def test_counts_keep_what_each_item_was_called(table: pd.DataFrame) -> None:
    ratings = made(table)
    counts = pd.DataFrame(ratings.counts(), index=ratings.items, columns=LABELS)
    back = Ratings.from_counts(counts, "ordinal", categories=LABELS)
    assert np.array_equal(back.counts(), ratings.counts())
    assert back.items == ratings.items
    assert ratings.counts().sum() == ratings.n_items * ratings.n_raters - ratings.n_missing


@lasting
@given(tables(st.sampled_from(LABELS)))
def test_a_cross_table_holds_the_pairs_of_ratings(table: pd.DataFrame) -> None:
    pair = made(table).select(["R0", "R1"])
    cross = pd.crosstab(
        pd.Categorical(table["R0"], LABELS), pd.Categorical(table["R1"], LABELS), dropna=False
    )
    back = Ratings.from_contingency(cross, "ordinal", categories=LABELS, raters=("R0", "R1"))
    rows = sorted(map(tuple, pair.frame().to_numpy()))
    assert sorted(map(tuple, back.frame().to_numpy())) == rows


@lasting
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_items_and_raters_is_kept_and_changes_nothing_else(
    table: pd.DataFrame, random: Any
) -> None:
    rows, columns = list(table.index), list(table.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    moved = made(table.loc[rows, columns])
    assert moved.raters == tuple(columns)
    assert moved.items == tuple(item for item in rows if table.loc[item].notna().any())
    assert (
        moved.frame().loc[list(made(table).items), list(table.columns)].equals(made(table).frame())
    )


@lasting
@given(tables(st.one_of(st.none(), st.integers(-3, 12))))
def test_the_type_of_numeric_labels_does_not_matter(table: pd.DataFrame) -> None:
    ratings = Ratings.from_table(table, "nominal")
    for other in (
        table.astype(float),
        table.astype("Int64"),
        table.map(lambda cell: None if cell is None else f" {cell}.0"),
        table.map(lambda cell: None if cell is None else str(cell)).astype("string"),
        table.astype("category"),
    ):
        read = Ratings.from_table(other, "nominal")
        assert [canonical(label) for label in read.categories] == list(ratings.categories)
        assert read.frame().map(canonical).equals(ratings.frame().map(canonical))
    assert list(ratings.categories) == sorted(ratings.categories, key=int)


@lasting
@given(tables())
def test_a_selection_is_the_table_without_the_other_columns(table: pd.DataFrame) -> None:
    ratings = made(table)
    for rater in ratings.raters if ratings.n_raters > 2 else ():
        rest = table.drop(columns=rater)
        if rest.notna().sum(axis=1).max() >= 2:
            assert same(ratings.drop(rater), made(rest))
    pair = ratings.pair("R0", "R1")
    both = table[["R0", "R1"]].dropna()
    assert pair.items == tuple(both.index)
    assert pair.complete


@lasting
@given(st.one_of(st.text(), st.floats(), st.integers(), st.booleans(), st.none()))
def test_the_canonical_form_is_its_own(label: Any) -> None:
    assert canonical(canonical(label)) == canonical(label)


@lasting
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_and_its_text_are_one_label_and_keep_their_value(number: float) -> None:
    assert float(canonical(number)) == number
    if "e" not in repr(number):
        assert canonical(repr(number)) == canonical(number)


@lasting
@given(st.integers())
def test_whole_numbers_of_any_size_stay_apart(number: int) -> None:
    assert canonical(number) == canonical(str(number)) == canonical(f"{number}.00")
    assert canonical(number) != canonical(number + 1)


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)


@with_files
@given(tables(), st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_files_give_the_table_back(
    tmp_path: Path, table: pd.DataFrame, delimiter: str, end: str
) -> None:
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    options = {"sep": delimiter, "lineterminator": end, "index": False, "na_rep": "NA"}
    table.to_csv(wide, **{**options, "index": True}, index_label="item")
    in_long_form(table).to_csv(long, **options)
    for file in (wide, long):
        read = read_ratings(file, "ordinal", categories=LABELS, delimiter=delimiter)
        assert same(read.select(list(table.columns)), made(table))


@with_files
@given(
    st.lists(st.lists(text, min_size=1, max_size=4), max_size=5),
    st.sampled_from(["nominal", "continuous"]),
    st.sampled_from(["auto", "counts", "contingency"]),
)
def test_any_file_is_read_or_refused_in_one_paragraph(
    tmp_path: Path, rows: list[list[str]], kind: str, layout: str
) -> None:
    file = tmp_path / "any.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    outcome = read_or_refused(file, kind, layout=layout)
    if isinstance(outcome, Ratings):
        assert outcome.n_items >= 1
        assert outcome.n_raters >= 2
    else:
        assert "\n" not in outcome


def read_or_refused(file: Path, kind: str, **options: Any) -> Ratings | str:
    try:
        return read_ratings(file, kind, **options)
    except BenchbookError as error:
        return str(error)


@with_files
@given(st.binary(max_size=60), st.sampled_from(["utf-8", "cp949", "utf-16"]))
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes, encoding: str) -> None:
    file = tmp_path / "any.csv"
    file.write_bytes(content)
    outcome = read_or_refused(file, "continuous", encoding=encoding)
    assert isinstance(outcome, Ratings) or "\n" not in outcome
