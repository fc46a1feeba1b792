"""Typed input tables: the same frame from CSV and from Parquet, and refusals with their place."""

from __future__ import annotations

import builtins
import gzip
import hashlib
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchbook.errors import BenchbookError, DataError
from benchbook.reading import Column, InputTable, read_input

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SCORES = [
    Column("record_id", "id"),
    Column("model", "text"),
    Column("window", "whole", required=False, empty=True),
    Column("score", "number", empty=True, low=0, high=1, warn_only=True),
    Column("flag", "flag", required=False, default=True),
]
Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_


def parquet(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def refusal(path: Path, columns: list[Column] = SCORES, **options: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        read_input(path, columns, **options)
    return caught.value


# ---- what is read -----------------------------------------------------------------------------


def test_types_order_and_provenance(write: Write) -> None:
    path = write("s.csv", "score,record_id,model,note\n0.5,007,a,x\n\n1e-3, 7 ,b,y\n")
    table = read_input(path, SCORES)
    assert list(table.frame.columns) == ["record_id", "model", "window", "score", "flag"]
    assert table.frame["record_id"].tolist() == ["007", "7"]
    assert table.frame["score"].tolist() == [0.5, 0.001]
    assert table.frame["window"].isna().all()
    assert table.frame["flag"].tolist() == [True, True]
    assert [str(kind) for kind in table.frame.dtypes] == [
        "object", "object", "float64", "float64", "bool",
    ]  # fmt: skip
    assert table.lines.tolist() == [2, 4]
    assert table.n_read == 2
    assert table.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert table.warnings == ("s.csv: the column 'note' is not used.",)
    assert table.place(1, "score") == "s.csv, line 4, column score"
    told = str(table.refuse(1, "score", "9", "less"))
    assert told.startswith("file s.csv, row 4, column score:")


def test_packed_csv_is_the_same_table(write: Write) -> None:
    text = "record_id,model,score\n1,a,0.5\n"
    plain, packed = write("s.csv", text), write("s.csv.gz", gzip.compress(text.encode()))
    one, other = read_input(plain, SCORES), read_input(packed, SCORES)
    pd.testing.assert_frame_equal(one.frame, other.frame)
    assert other.sha256 == hashlib.sha256(packed.read_bytes()).hexdigest()


@pytest.mark.parametrize("word", ["1", "true", "TRUE", "Yes", "1.0"])
def test_words_for_yes(write: Write, word: str) -> None:
    opposite = {"1": "0", "true": "false", "TRUE": "FALSE", "Yes": "No", "1.0": "0.0"}[word]
    path = write("f.csv", f"a,b\n{word},x\n{opposite},x\n")
    frame = read_input(path, [Column("a", "flag")]).frame
    assert frame["a"].dtype == bool
    assert frame["a"].tolist() == [True, False]


def test_empty_cells_are_nan_or_none_where_allowed(write: Write) -> None:
    columns = [Column(kind, kind, empty=True) for kind in ("text", "number", "flag", "whole")]
    frame = read_input(write("e.csv", "text,number,flag,whole\n,,,\nNA,NA,NaN,NA\n"), columns).frame
    assert frame["text"].tolist() == [None, "NA"]
    assert frame[["number", "flag", "whole"]].isna().all(axis=None)
    assert (frame[["number", "flag", "whole"]].dtypes == np.float64).all()


def test_numbers_are_the_nearest_double(write: Write) -> None:
    words = ["0.1", "3.1403378", "1e-320", "-0.0", "123456789012345678", ".5", "5.", "+2"]
    path = write("n.csv", "a,b\n" + "".join(f"{word},x\n" for word in words))
    got = read_input(path, [Column("a", "number")]).frame["a"].tolist()
    assert got == [float(word) for word in words]
    assert math.copysign(1, got[3]) == -1


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (pa.array([7, 8], pa.int32()), "id", ["7", "8"]),
        (pa.array(["a", "a"]).dictionary_encode(), "id", ["a", "a"]),
        (pa.array([" a\t", "e\u0301"]), "text", ["a", "\u00e9"]),
        (pa.array([0.5, 0.25], pa.float32()), "number", [0.5, 0.25]),
        (pa.array([Decimal("0.5"), Decimal("1.5")]), "number", [0.5, 1.5]),
        (pa.array([1, 0], pa.uint8()), "number", [1.0, 0.0]),
        (pa.array(["0.5", "1"]), "number", [0.5, 1.0]),
        (pa.array([2**53 + 1, 1]), "whole", [2**53 + 1, 1]),
        (pa.array([3.0, 1.0]), "whole", [3, 1]),
        (pa.array([True, False]), "flag", [True, False]),
        (pa.array([1.0, 0.0]), "flag", [True, False]),
        (pa.array(["yes", "NO"]), "flag", [True, False]),
    ],
)
def test_types_of_a_parquet_file(
    tmp_path: Path, values: Any, kind: Any, expected: list[Any]
) -> None:
    path = parquet(tmp_path / "t.parquet", {"a": values})
    table = read_input(path, [Column("a", kind)])
    assert table.frame["a"].tolist() == expected
    assert table.place(0) == "t.parquet, row 1"


def test_an_index_with_a_name_is_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"record_id": ["x", "y"], "model": "m", "score": [0.1, 0.2]})
    frame.set_index("record_id").to_parquet(tmp_path / "a.parquet")
    frame.iloc[[1, 0]].to_parquet(tmp_path / "b.parquet")  # an index without a name
    assert read_input(tmp_path / "a.parquet", SCORES).frame["record_id"].tolist() == ["x", "y"]
    assert read_input(tmp_path / "b.parquet", SCORES).warnings == ()


CELL = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6)
ROWS = st.lists(
    st.tuples(
        CELL,
        st.one_of(st.none(), CELL),
        st.one_of(st.none(), st.integers(-(2**53), 2**53)),
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(ROWS)
def test_csv_and_parquet_give_the_same_frame(tmp_path: Path, rows: list[tuple[Any, ...]]) -> None:
    columns = [
        Column("record_id", "id"),
        Column("text", "text", empty=True),
        Column("whole", "whole", empty=True),
        Column("number", "number", empty=True),
        Column("flag", "flag"),
    ]
    names = [column.name for column in columns]
    cells = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    parquet(tmp_path / "t.parquet", {**cells, "number": pa.array(cells["number"], pa.float64())})
    objects = pd.DataFrame({name: pd.Series(cells[name], dtype=object) for name in names})
    objects.to_csv(tmp_path / "t.csv", index=False)
    one = read_input(tmp_path / "t.csv", columns).frame
    other = read_input(tmp_path / "t.parquet", columns).frame
    pd.testing.assert_frame_equal(one, other, check_exact=True)
    written = [math.nan if value is None else value for value in cells["number"]]
    np.testing.assert_array_equal(one["number"], written)


# ---- warnings -----------------------------------------------------------------------------------


def test_values_outside_a_range_that_only_warns(write: Write) -> None:
    table = read_input(write("s.csv", "record_id,model,score\n1,a,0.5\n2,a,1.5\n3,a,-2\n"), SCORES)
    assert table.frame["score"].tolist() == [0.5, 1.5, -2.0]
    (warning,) = table.warnings
    for word in ("s.csv", "2 of 3 values of score", "from 0 to 1", "the first is 1.5"):
        assert word in warning


def test_an_unused_column_may_be_a_misspelt_optional_one(write: Write) -> None:
    table = read_input(write("s.csv", "record_id,model,score,windw\n1,a,0.5,3\n"), SCORES)
    assert "did you mean 'window'?" in table.warnings[0]


# ---- refusals -----------------------------------------------------------------------------------

HEAD = "record_id,model,score\n"


@pytest.mark.parametrize(
    ("content", "row", "column", "words"),
    [
        ("recordid,model,score\n1,a,0\n", 1, None, ["no column 'record_id'", "'recordid'?"]),
        ("a,b\n1,2\n", 1, None, ["no column 'record_id'", "found the columns a, b"]),
        (HEAD, 1, None, ["header and no rows"]),
        (HEAD + "1,a,0.5\n2,b\n", 3, None, ["found 2 cells"]),
        (HEAD + "1,a,0.5\n,b,1\n,b,1\n", 3, "record_id", ["empty cell and 1 more"]),
        (HEAD + "1,a,0.5\n\n2,b,high\n", 4, "score", ["'high'", "not a number"]),
        (HEAD + '1,a,"0,5"\n', 2, "score", ["'0,5'", "decimal point"]),
        (HEAD + "1,a,1_0\n", 2, "score", ["'1_0'"]),
        (HEAD + "1,a,\u0661\n", 2, "score", ["not a number"]),
        (HEAD + "1,a,inf\n", 2, "score", ["'inf'"]),
        (HEAD + "1,a,nan\n", 2, "score", ["'nan'"]),
        (HEAD + "1,a,1e999\n", 2, "score", ["'1e999'"]),
        ("record_id,model,score,window\n1,a,0,1.5\n", 2, "window", ["whole number", "'1.5'"]),
        ("record_id,model,score,window\n1,a,0,1e17\n", 2, "window", ["whole number"]),
        ("record_id,model,score,flag\n1,a,0,1\n1,a,0,2\n", 3, "flag", ["neither", "yes/no"]),
        ("record_id;model;score\n1;a;0\n", 1, None, ["semicolon"]),
        ("record_id,model,score\n1,ä,0\n".encode("cp1252"), 2, "model", ["encoding=cp1252"]),
    ],
)  # fmt: skip
def test_refused_csv(
    write: Write, content: str | bytes, row: int, column: str | None, words: list[str]
) -> None:
    error = refusal(write("s.csv", content))
    assert error.file == "s.csv"
    assert error.row == row
    if column is not None:
        assert error.column == column
    for word in words:
        assert word in str(error)


def test_a_stated_separator_and_encoding(write: Write) -> None:
    path = write("s.csv", "record_id;model;score\n1;ä;0\n".encode("cp1252"))
    table = read_input(path, SCORES, delimiter=";", encoding="cp1252")
    assert table.frame["model"].tolist() == ["ä"]


def test_range_and_choices(write: Write) -> None:
    strict = [Column("x", "number", low=0, high=1), Column("c", "text", choices=("person", "net"))]
    error = refusal(write("t.csv", "x,c\n1,net\n1.01,net\n"), strict)
    assert (error.row, error.column) == (3, "x")
    assert "from 0 to 1" in str(error)
    error = refusal(write("t.csv", "x,c\n1,net\n1,persn\n"), strict)
    assert (error.row, error.column) == (3, "c")
    assert "'person'" in str(error)
    assert read_input(write("t.csv", "x,c\n1,net\n0,person\n"), strict).n_read == 2
    for column, words in [
        (Column("x", "number", low=2), "of at least 2"),
        (Column("x", "whole", high=-2), "of at most -2"),
    ]:
        assert words in str(refusal(write("t.csv", "x,c\n1,net\n"), [column]))


def test_two_rows_of_one_key_name_both_lines(write: Write) -> None:
    head = "record_id,model,score,window\n"
    path = write("s.csv", head + "1,a,0,\n1,b,0,\n\n2,a,0,1\n1,b,1,\n2,a,1,1\n")
    error = refusal(path, key=["record_id", "model", "window"])
    assert error.row == 6
    for word in ("'1'", "'b'", "window (empty)", "lines 3 and 6", "2 rows repeat", "one row for"):
        assert word in str(error)
    other = write("s.csv", head + "1,a,0,\n1,a,0,1\n1,a,0,2\n")
    assert read_input(other, SCORES, key=["record_id", "model", "window"]).n_read == 3


def test_two_rows_of_one_key_in_parquet(tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", {"a": ["x", "y", "x"]})
    assert "rows 1 and 3" in str(refusal(path, [Column("a", "id")], key=["a"]))


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (pa.array([1.5, 2.0]), "id", ["type", "double", "an identifier"]),
        (pa.array([True, False]), "number", ["type", "bool", "a number"]),
        (pa.array([True, False]), "text", ["bool"]),
        (pa.array([[1], [2]]), "number", ["list"]),
        (pa.array([1, 2], pa.timestamp("s")), "text", ["timestamp"]),
        (pa.array([1.0, math.inf]), "number", ["row 2", "not a number", "inf"]),
        (pa.array([1.0, math.nan]), "number", ["row 2", "empty cell"]),
        (pa.array(["a", " "]), "id", ["row 2", "empty cell"]),
        (pa.array([1, None]), "whole", ["row 2", "empty cell"]),
        (pa.array([1, 3]), "flag", ["row 2", "neither"]),
        (pa.array([2**64 - 1], pa.uint64()), "whole", ["uint64"]),
        (pa.array([None, None]), "text", ["row 1", "empty cell and 1 more"]),
    ],
)
def test_refused_parquet(tmp_path: Path, values: Any, kind: Any, words: list[str]) -> None:
    error = refusal(parquet(tmp_path / "t.parquet", {"a": values}), [Column("a", kind)])
    assert error.file == "t.parquet"
    assert error.column == "a"
    for word in words:
        assert word in str(error)


def test_files_that_are_no_parquet(write: Write, tmp_path: Path) -> None:
    assert "no Parquet file" in str(refusal(write("a.parquet", "record_id,model\n1,2\n")))
    assert "damaged" in str(refusal(write("a.parquet", b"PAR1 and then something else PAR1")))
    good = parquet(tmp_path / "g.parquet", {"a": list(range(1000))})
    cut = write("cut.parquet", good.read_bytes()[:-50])
    assert "damaged" in str(refusal(cut, [Column("a", "whole")]))
    assert "no such file, did you mean 'cut.parquet'?" in str(refusal(tmp_path / "cat.parquet"))
    (tmp_path / "folder.parquet").mkdir()
    assert "cannot be read" in str(refusal(tmp_path / "folder.parquet"))
    empty = parquet(tmp_path / "e.parquet", {"a": pa.array([], pa.string())})
    assert "no rows" in str(refusal(empty, [Column("a", "id")]))
    table = pa.table([pa.array(["x"]), pa.array(["y"])], names=["a", "a"])
    pq.write_table(table, tmp_path / "twice.parquet")
    assert "same name" in str(refusal(tmp_path / "twice.parquet", [Column("a", "id")]))


def test_other_names_and_damaged_archives(write: Write) -> None:
    assert ".csv, .csv.gz or .parquet" in str(refusal(write("a.xlsx", "x")))
    assert "no ending" in str(refusal(write("a", "x")))
    packed = gzip.compress(HEAD.encode())
    assert "damaged or cut off" in str(refusal(write("a.csv.gz", packed[:-4])))
    assert "gzip archive" in str(refusal(write("a.csv.gz", HEAD)))


def test_parquet_without_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = parquet(tmp_path / "t.parquet", {"a": ["x"]})
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'benchbook[distributed]'" in str(refusal(path, [Column("a", "id")]))


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "float"}, {"kind": "text", "low": 0}, {"kind": "number", "choices": ("a",)}],
)
def test_a_declaration_that_contradicts_itself(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="column a"):
        Column("a", **wrong)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.csv.gz", "a.parquet"]))
def test_any_bytes_are_a_table_or_one_clear_refusal(
    tmp_path: Path, content: bytes, name: str
) -> None:
    (tmp_path / name).write_bytes(content)
    told = None
    try:
        table = read_input(tmp_path / name, [Column("a", "id", required=False)])
    except BenchbookError as error:
        told = str(error)
    if told is not None:
        assert name in told
    else:
        assert isinstance(table, InputTable)
        assert len(table.frame) == table.n_read == len(table.lines)
