"""Errors: one paragraph, every part in it, and unchanged by a trip through a worker process."""

from __future__ import annotations

import copy
import pickle

import pytest

from benchbook.errors import (
    BenchbookError,
    DataError,
    ParameterError,
    closest,
    did_you_mean,
    listed,
    nearest,
    quoted,
)


def test_every_part_is_told_in_order() -> None:
    error = DataError(
        "unknown category",
        file="reads.csv",
        row=7,
        column="reader B",
        found="'maybe'",
        expected="one of no, yes",
    )
    assert str(error) == (
        "file reads.csv, row 7, column reader B: unknown category; found 'maybe'; "
        "expected one of no, yes."
    )
    assert (error.file, error.row, error.column) == ("reads.csv", 7, "reader B")
    assert (error.message, error.found, error.expected) == (
        "unknown category",
        "'maybe'",
        "one of no, yes",
    )


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DataError("nothing was rated"), "nothing was rated."),
        (DataError("no such file", file="a.csv"), "file a.csv: no such file."),
        (DataError("odd", row=0), "row 0: odd."),
        (DataError("odd", found=0), "odd; found 0."),
        (DataError("odd", expected="0, 1, 2 …"), "odd; expected 0, 1, 2 …"),
        (DataError("odd", expected="really?"), "odd; expected really?"),
    ],
)
def test_parts_that_are_missing_leave_no_trace(error: DataError, text: str) -> None:
    assert str(error) == text


def test_whatever_a_cell_holds_the_message_is_one_short_line() -> None:
    cell = "first line\r\nsecond\tline \x0b" + 5000 * "x"
    error = DataError(
        f"unknown label {quoted(cell)}", file="f", row=cell, column=cell, found=cell, expected="a"
    )
    assert "\n" not in str(error)
    assert "\r" not in str(error)
    assert "first line second line" in str(error)
    assert len(str(error)) < 600
    assert error.found == cell


def test_korean_text_is_kept() -> None:
    assert str(DataError("알 수 없음", column="판독자")) == "column 판독자: 알 수 없음."


@pytest.mark.parametrize(
    "error",
    [
        DataError("odd", file="f.csv", row=3, column="b", found="'x'", expected="a number"),
        DataError("odd"),
        ParameterError("unknown kind 'x'."),
        BenchbookError("no."),
    ],
)
@pytest.mark.parametrize("trip", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
def test_survives_pickle_and_copy(error: BenchbookError, trip) -> None:
    back = trip(error)
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_expected_failures_share_one_class() -> None:
    assert issubclass(DataError, BenchbookError)
    assert issubclass(ParameterError, BenchbookError)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("ratr", ["item", "rater", "rating"], "did you mean 'rater'?"),
        ("RATER", ["item", "rater"], "did you mean 'rater'?"),
        ("판독", ["판독자", "환자"], "did you mean '판독자'?"),
        ("zzz", ["item", "rater"], "known: item, rater"),
        ("zzz", [], "known: none"),
        (1, [11, 22], "did you mean '11'?"),
        ("site", ["Site", "SITE"], "did you mean 'Site'?"),
    ],
)
def test_nearest(name: object, known: list, hint: str) -> None:
    assert nearest(name, known) == hint


def test_closest_is_none_when_nothing_is_close() -> None:
    assert did_you_mean("zzz", ["item"]) == ""
    assert did_you_mean("itm", ["item"]) == ", did you mean 'item'?"
    assert closest("zzz", ["item"]) is None
    assert closest("itm", ["item"]) == "item"


def test_long_lists_are_cut_and_counted() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed([]) == ""
    text = listed([f"reader {number}" for number in range(500)])
    assert text.startswith("reader 0, reader 1, ")
    assert text.endswith(", … (500 in all)")
    assert "reader 25" not in text
