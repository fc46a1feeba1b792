"""A Parquet file reads as the CSV of its content: ratings, and scores with their clusters."""

from __future__ import annotations

import datetime as dt
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.benchmarks import bootstrap_intervals as bi
from benchbook.errors import DataError, ParameterError
from benchbook.parameters import validate
from benchbook.reading import ParquetTexts, read_ratings, read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def parquet(path: Path, columns: dict) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def cells(path: Path, name: str = "x") -> list:
    column = ParquetTexts(path).column(name)
    assert all(isinstance(label, str) for label in column.labels)
    assert len(set(column.labels)) == len(column.labels)
    return [column.cell(row) for row in range(len(column.codes))]


# ---- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([7, -8, None], pa.int32()), ["7", "-8", None]),
        (pa.array([2**63 - 1, 2**53 + 1]), ["9223372036854775807", "9007199254740993"]),
        (pa.array([1.0, 2.5, float("nan"), None]), ["1", "2.5", None, None]),
        (pa.array([0.1, 1e-7, 1e20], pa.float64()), ["0.1", "0.0000001", "1" + 20 * "0"]),
        (pa.array([0.1, 3.0], pa.float32()), ["0.1", "3"]),
        (pa.array(np.array([0.5, 3.0], np.float16)), ["0.5", "3"]),
        (pa.array([-0.0, 0.0]), ["0", "0"]),
        (pa.array([True, False, None]), ["true", "false", None]),
        (pa.array([" a", "a\t", "", "NA", "007"]), ["a", "a", None, None, "007"]),
        (pa.array(["e\u0301", "\u00e9"]), ["\u00e9", "\u00e9"]),
        (pa.array(["b", None, "a"]).dictionary_encode(), ["b", None, "a"]),
        (pa.array([3, 3, 1]).dictionary_encode(), ["3", "3", "1"]),
        (pa.array([Decimal("1.50"), Decimal("2.00")]), ["1.5", "2"]),
        (pa.array([dt.date(2024, 2, 29)]), ["2024-02-29"]),
        (pa.nulls(2), [None, None]),
    ],
)
def test_values_become_the_text_of_a_csv(tmp_path: Path, values, expected) -> None:
    assert cells(parquet(tmp_path / "x.parquet", {"x": values})) == expected


def test_columns_of_many_chunks_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table = pa.table({"x": ["a", "b", None, "c", "a", "d"]})
    pq.write_table(table, path, row_group_size=2)
    assert cells(path) == ["a", "b", None, "c", "a", "d"]


def test_categories_of_pandas_read_as_their_labels(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    frame = pd.DataFrame({"x": pd.Categorical(["low", "high", None], ["low", "high", "unused"])})
    frame.to_parquet(path)
    assert cells(path) == ["low", "high", None]


@pytest.mark.parametrize(
    ("values", "kind"),
    [(pa.array([[1], [2]]), "list"), (pa.array([{"a": 1}]), "struct"), (pa.array([b"x"]), "bin")],
)
def test_columns_that_no_csv_holds_are_refused(tmp_path: Path, values, kind: str) -> None:
    path = parquet(tmp_path / "x.parquet", {"x": values})
    with pytest.raises(DataError, match=rf"x\.parquet, column x: .*found {kind}.*leave other"):
        read_table(path)


def test_names_are_checked(tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet", {" rater  1 ": [1], "": [2]})
    assert list(read_table(path).frame.columns) == ["rater 1", "column 2"]
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", " a"])
    pq.write_table(twice, path)
    with pytest.raises(DataError, match=r"column a: two columns have the same name"):
        read_table(path)
    parquet(path, {"a": pa.array([], pa.int64())})
    with pytest.raises(DataError, match="the file holds columns and no rows"):
        read_table(path)


def test_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(tmp_path / "x.parquet", {"x": [1]})
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DataError, match=r"not installed.*pip install 'benchbook\[distributed\]'"):
        read_table(path)


def test_how_text_is_written_is_no_matter_of_parquet(tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet", {"x": [1]})
    with pytest.raises(ParameterError, match="no use for header and delimiter"):
        read_table(path, header=False, delimiter=";")


# ---- ratings ----------------------------------------------------------------------------------

WIDE = pd.DataFrame(
    {
        "item": ["a", "b", "c", "d"],
        "A": [1, 2, 2, 1],
        "B": [1.0, 2.0, None, 2.0],
        "C": pd.Categorical(["1", "2", "1", None]),
        "patient": [10, 10, 11, 12],
    }
)


def same_ratings(frame: pd.DataFrame, folder: Path, **options) -> None:
    frame.to_csv(folder / "r.csv", index=False)
    frame.to_parquet(folder / "r.parquet")
    one, other = (read_ratings(folder / f"r.{end}", **options) for end in ("csv", "parquet"))
    np.testing.assert_array_equal(one.values, other.values)
    assert (one.raters, one.items, one.n_dropped) == (other.raters, other.items, other.n_dropped)
    assert list(map(str, one.categories or ())) == list(map(str, other.categories or ()))
    assert (one.clusters is None) == (other.clusters is None)
    if one.clusters is not None:
        np.testing.assert_array_equal(one.clusters, other.clusters)


def test_wide_ratings_are_the_same_from_both(tmp_path: Path) -> None:
    same_ratings(WIDE, tmp_path, kind="nominal", item="item", cluster="patient")
    same_ratings(WIDE, tmp_path, kind="ordinal", categories=[1, 2, 3], raters=["B", "A"])
    same_ratings(WIDE, tmp_path, kind="continuous", raters=["A", "B"], where={"patient": [10, 12]})


def test_long_ratings_are_the_same_from_both(tmp_path: Path) -> None:
    long = WIDE.melt(id_vars=["item", "patient"], var_name="rater", value_name="rating")
    long["rating"] = long["rating"].astype("float64")
    same_ratings(long, tmp_path, kind="nominal", cluster="patient")


def test_refusals_name_the_row_of_a_parquet_file(tmp_path: Path) -> None:
    path = parquet(tmp_path / "r.parquet", {"A": ["1", "x"], "B": ["1", "2"]})
    with pytest.raises(DataError, match=r"r\.parquet, row 2, column A"):
        read_ratings(path, "continuous")


# ---- scores -----------------------------------------------------------------------------------


def scores_from(path: Path, **given):
    told = {"data": str(path), "higher_is_positive": True, **given}
    return bi.Chapter(validate(bi.Parameters, told)).own


numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 6))


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(numbers, st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30
    ).filter(lambda rows: 0 < sum(row[1] for row in rows) < len(rows))
)
def test_scores_are_the_same_from_both(tmp_path_factory, rows) -> None:
    folder = tmp_path_factory.mktemp("scores")
    frame = pd.DataFrame(rows, columns=["score", "label", "patient"])
    frame.to_csv(folder / "s.csv", index=False)
    frame.to_parquet(folder / "s.parquet")
    one, other = (
        scores_from(folder / f"s.{end}", positive=True, cluster="patient")
        if len(set(frame["patient"])) > 1
        else scores_from(folder / f"s.{end}", positive=True)
        for end in ("csv", "parquet")
    )
    np.testing.assert_array_equal(one.scores, other.scores)
    np.testing.assert_array_equal(one.positive, other.positive)
    np.testing.assert_array_equal(one.positive, frame["label"])
    if one.cluster is not None:
        np.testing.assert_array_equal(one.cluster, other.cluster)


def test_every_interval_is_the_same_from_both(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "score": generator.normal(size=300).astype(np.float32),
            "label": generator.random(300) < 0.3,
            "patient": generator.integers(0, 40, 300).astype(np.int32),
        }
    )
    frame.to_csv(tmp_path / "s.csv", index=False)
    frame.to_parquet(tmp_path / "s.parquet")
    one, other = (
        scores_from(tmp_path / f"s.{end}", positive=True, cluster="patient")
        for end in ("csv", "parquet")
    )
    assert one.intervals == other.intervals
    assert one.statement().replace("s.csv", "s.parquet") == other.statement()


@pytest.mark.parametrize(
    ("columns", "given", "told"),
    [
        ({"score": [0.1, None]}, {}, "row 2, column score: an empty cell"),
        ({"score": ["0.1", "high"]}, {}, "row 2, column score: not a number; found high"),
        ({"score": [True, False]}, {}, "row 1, column score: not a number; found true"),
        ({"label": ["a", None]}, {}, "row 2, column label: an empty cell"),
        ({"label": [True, False]}, {}, "one class only; found false, true; expected '1'"),
        ({}, {"score": "scor"}, "no column 'scor'; did you mean 'score'"),
        ({}, {"cluster": "one"}, "column one: a single cluster cannot be resampled; found x"),
        ({"label": [[1], [0]]}, {}, "column label: the column has a type that cannot be used"),
    ],
)
def test_score_files_that_cannot_be_used_are_refused(tmp_path, columns, given, told) -> None:
    full = {"score": [0.1, 0.2], "label": [0, 1], "one": ["x", "x"], **columns}
    path = parquet(tmp_path / "s.parquet", full)
    with pytest.raises(DataError) as caught:
        bi.check(validate(bi.Parameters, {"data": str(path), "higher_is_positive": True, **given}))
    assert f"file s.parquet, {told}" in str(caught.value) or told in str(caught.value)


@pytest.mark.parametrize(("label", "positive"), [("true", True), ("TRUE", True), ("1.0", 1)])
def test_labels_match_by_what_they_mean(tmp_path: Path, label: str, positive) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"score,label\n1,{label}\n2,no\n", encoding="utf-8")
    assert scores_from(path, positive=positive).positive.tolist() == [True, False]
