"""Files that cannot be used: each refusal is one paragraph with its place."""

from __future__ import annotations

import codecs
import gzip
import pickle
from pathlib import Path
from typing import Any

import pytest

from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.reading import read_ratings

WIDE = "item,A,B\n1,a,b\n2,b,b\n3,a,a\n"
KOREAN = "환자,판독자\n1,양성\n"
LONG = "item,rater,rating,p\n1,A,x,q\n1,B,y,q\n2,A,x,q\n"

# content, kind, options, row, column, words
Refused = tuple[str | bytes, str, dict[str, Any], int | str | None, str | None, list[str]]

NOT_TEXT: list[Refused] = [
    ("", "nominal", {}, None, None, ["is empty", "0 bytes"]),
    ("  \n\t\r\n", "nominal", {}, None, None, ["is empty", "6 bytes"]),
    ("\ufeff\n", "nominal", {}, None, None, ["is empty"]),
    (",,\n,,\n", "nominal", {}, None, None, ["is empty", "nothing but delimiters"]),
    (b"PK\x03\x04rest", "nominal", {}, None, None, ["spreadsheet", "CSV"]),
    (b"\xd0\xcf\x11\xe0rest", "nominal", {}, None, None, ["spreadsheet"]),
    (b"PAR1rest", "nominal", {}, None, None, ["Parquet"]),
    (gzip.compress(WIDE.encode(), mtime=0), "nominal", {}, None, None, ["gzip"]),
    (b"\x89PNG\r\n\x1a\n", "nominal", {}, None, None, ["picture"]),
    (b"%PDF-1.7", "nominal", {}, None, None, ["PDF"]),
    ("\n<!DOCTYPE html>", "nominal", {}, None, None, ["web page"]),
    (b"A,B\n1,\x00\n", "nominal", {}, 2, None, ["null character", "utf-16"]),
    (bytes(range(1, 256)), "nominal", {}, 3, "number 2", ["0x80"]),
    (WIDE.encode("utf-16"), "nominal", {}, 1, None, ["mark of UTF-16", "encoding=utf-16"]),
    (WIDE.encode("utf-16-be"), "nominal", {}, 1, None, ["null character", "encoding=utf-16"]),
    (WIDE.encode("utf-32"), "nominal", {}, 1, None, ["encoding=utf-32"]),
    (codecs.BOM_UTF8 + WIDE.encode(), "nominal", {"encoding": "cp949"}, 1, None,
     ["not cp949", "encoding=utf-8"]),
    (KOREAN.encode("cp949"), "nominal", {}, 1, "number 1",
     ["not utf-8", "byte 0xc0", "encoding=cp949 (Korean Windows)"]),
    ("item,A,B\n1,a,b\n2,b,음성\n".encode("cp949"), "nominal", {}, 3, "B",
     ["byte 0xc0", "encoding=cp949"]),
    ('item,A,B\n1,"a,\na",b\n2,b,음성\n'.encode("cp949"), "nominal", {}, 4, "B",
     ["encoding=cp949"]),
    ("item,A,B\r1,ä,b\r".encode("cp1252"), "nominal", {}, 2, "A",
     ["byte 0xe4", "encoding=cp1252"]),
    (KOREAN.encode(), "nominal", {"encoding": "ascii"}, 1, "number 1", ["encoding=utf-8"]),
]  # fmt: skip

LINES: list[Refused] = [
    ("item,A,B\n", "nominal", {}, 1, None, ["header and no rows", "item, A, B"]),
    ("item;A;B\n1;a;b\n", "nominal", {}, 1, "number 1", ["a semicolon", "delimiter=';'"]),
    ("item;A;B\n1;3,5;2,5\n2;1,5;2\n", "continuous", {}, 1, "number 1", ["delimiter=';'"]),
    ("item;A,x;B\n1;3,5;2,5\n2;1,5;2\n", "continuous", {}, 2, "number 3", ["delimiter=';'"]),
    ("item\tA\tB\n1\ta\tb\n", "nominal", {}, 1, "number 1", ["a tab", r"delimiter='\t'"]),
    (WIDE, "nominal", {"delimiter": ";"}, 1, "number 1", ["a comma", "delimiter=','"]),
    ("item,A,B\n1,a,b\n2,b\n", "nominal", {}, 3, "number 3", ["found 2 cells", "expected 3"]),
    ("item,A,B\n1,a,b\n2,b,x,\n", "nominal", {}, 3, "number 4", ["found 4 cells", "quotation"]),
    ("A,B\nr1,a,b\nr2,b,b\n", "nominal", {}, 2, "number 3", ["names of rows"]),
    ('item,A,B\n1,"a\nb",b\n2,b\n', "nominal", {}, 4, "number 3", ["found 2 cells"]),
    ('item,A,B\n1,"a,b\n2,b,b\n', "nominal", {}, 2, None, ["never closed"]),
    ('item,A,B\n1,"a"x,b\n', "nominal", {}, 2, None, ["quotation marks", "cannot be read"]),
    ("item,A,B\n1,a," + 200_000 * "x", "nominal", {}, 2, None, ["131,072 characters"]),
    ("item,A,A\n1,a,b\n", "nominal", {}, 1, "A", ["same name", "2 times", "header=false"]),
    ("1,2,2\n1,2,1\n", "nominal", {}, 1, "2", ["header=false", "nothing but numbers"]),
    ("1,2\n1,1\n2,2\n", "nominal", {}, 1, None, ["looks like ratings", "header=false", "raters="]),
    ("4.5,3\n1,1\n", "continuous", {}, 1, None, ["looks like ratings", "4.5, 3"]),
    ("\nno,yes\nno,no\nyes,no\n", "nominal", {}, 2, None, ["looks like ratings"]),
    ("no,yes\nno,no\n", "nominal", {"categories": ["no", "yes"]}, 1, None, ["header=false"]),
]  # fmt: skip

CELLS: list[Refused] = [
    ("item,A\n1,a\n2,b\n", "nominal", {}, None, None, ["two raters", "('A')"]),
    ("A\na\nb\n", "nominal", {}, None, None, ["two raters"]),
    ("item,A,B\n1,,\n2,NA,NaN\n", "nominal", {}, None, None, ["nothing was rated", "4 empty"]),
    ("item,A,B\n1,a,\n2,b,NA\n", "nominal", {}, None, "B", ["rated nothing"]),
    ("item,A,B\n1,a,\n2,,b\n", "nominal", {}, None, None, ["no item was rated by two"]),
    (WIDE, "nominal", {"categories": ["a", "c"]}, 2, "B", ["'b'", "one of a, c"]),
    ("\n" + WIDE, "nominal", {"categories": ["a", "c"]}, 3, "B", ["'b'"]),
    ("item,A,B\n1,1,2\n2,3,high\n", "continuous", {}, 3, "B", ["not a number", "'high'"]),
    ('item,A,B\n1,1,"3,5"\n', "continuous", {}, 2, "B", ["'3,5'", "decimal point, 3.5"]),
    ("item,A,B\n1,1,inf\n", "continuous", {}, 2, "B", ["'inf'", "finite"]),
    ("item,A,B\n1,1,nan\n", "continuous", {}, 2, "B", ["missing=['nan']"]),
    ("item,A,B\n1,1,50%\n", "continuous", {}, 2, "B", ["'50%'"]),
    ("item,A,B\n1,a,N/A\n2,a,b\n", "nominal", {}, 2, "B", ["'not rated'", "missing=['N/A']"]),
    ("item,A,B\n1,a,b\n2,a,#REF!\n", "nominal", {}, 3, "B", ["missing=['#REF!']"]),
    ("item,A,B\n1,a,?\n", "nominal", {"categories": ["a", "b"]}, 2, "B", ["missing=['?']"]),
    ("item,A,B\n1,a," + 9000 * "x" + "\n", "nominal", {"categories": ["a", "b"]}, 2, "B", ["xx …"]),
    ("item,A,B\n1,a,b\n1,b,b\n", "nominal", {}, 3, None, ["'1' stands in two rows", "row 2"]),
    ("item,A,B\n1,a,b\n,b,b\n", "nominal", {}, 3, None, ["belong to no item"]),
    ("item,A,B,p\n1,a,b,q\n2,b,b,\n", "nominal", {"cluster": "p"}, 3, "p", ["no cluster"]),
    (LONG.replace("2,A", "1,A"), "nominal", {}, 4, "rating",
     ["rater 'A' rated item '1' twice", "'x' after 'x' in row 2"]),
    (LONG.replace("B,y,q", "B,y,r"), "nominal", {"cluster": "p"}, 3, "p",
     ["item '1' belongs to two clusters", "'r' after 'q' in row 2"]),
    (LONG.replace("2,A,x,q", "2,A,x,"), "nominal", {"cluster": "p"}, 4, "p", ["no cluster"]),
    (LONG.replace("1,B", "1,"), "nominal", {}, 3, "rater", ["belongs to no rater"]),
    (LONG.replace("1,B", ",B"), "nominal", {}, 3, "item", ["belongs to no item"]),
    (LONG, "continuous", {}, 2, "rating", ["'x'"]),
    (LONG.replace("x", "1") + "2,C,?,q\n1,C,y,q\n", "continuous", {"raters": ["C", "A"]}, 5,
     "rating", ["'?'"]),
]  # fmt: skip

COLUMNS: list[Refused] = [
    ("subject,A,B\n1,1,2\n3,2,2\n", "continuous", {}, 2, "subject", ["item=subject", "raters="]),
    ("caseID,A,B\n1,1,2\n3,2,2\n", "continuous", {}, 2, "caseID", ["item=caseID"]),
    ("환자번호,A,B\n4,1,2\n3,2,2\n", "continuous", {}, 2, "환자번호", ["item=환자번호"]),
    (",A,B\n0,1,2\n1,2,2\n2,1,1\n", "continuous", {}, 2, "column 1", ["numbers of the rows"]),
    ("x,A\n1,2\n2,2\n3,3\n", "continuous", {}, 2, "x", ["numbers of the rows"]),
    ("name,A,B\nu,a,b\nv,b,b\nw,a,a\n", "nominal", {}, 2, "name", ["shares no category", "item="]),
    ("sex,A,B\nM,a,b\nF,b,b\nM,a,a\n", "nominal", {}, 2, "sex", ["shares no category"]),
    ("sex,A,B\nM,a,b\nF,b,b\nM,a,a\n", "nominal", {"categories": ["a", "b"]}, 2, "sex",
     ["shares no category"]),
    ("name,A\nu,a\nv,b\nw,a\n", "nominal", {}, 2, "name", ["shares no category"]),
    ("A,B,freq\n0,1,2\n1,1,1\n", "nominal", {}, 2, "freq", ["frequency=freq"]),
    ("c,a,b\nx,3,0\ny,1,2\nz,0,3\nu,2,1\nv,2,1\n", "nominal", {"item": "c"}, 2, None,
     ["counts per category", "layout=counts"]),
    ("r,a,b\na,3,1\nb,0,4\n", "nominal", {}, 2, "r", ["cross-table", "layout=contingency"]),
    ("meth,n,y\nX,1,5\nY,1,6\n", "continuous", {}, 2, "meth", ["rater=… and rating=…"]),
    (WIDE, "nominal", {"item": "itm"}, 1, None, ["no column 'itm', did you mean 'item'?"]),
    (WIDE, "nominal", {"cluster": "zz"}, 1, None, ["no column 'zz'", "the columns item, A, B"]),
    (WIDE, "nominal", {"where": {"C": 1}}, 1, None, ["no column 'C'"]),
    (WIDE, "nominal", {"where": {"A": "z"}}, None, "A", ["no row is left", "a, b", "'z'"]),
    (WIDE, "nominal", {"raters": ["A", "C"]}, 1, None, ["no column 'C'"]),
    (LONG, "nominal", {"raters": ["A", "C"]}, None, "rater", ["no rater 'C'", "A, B"]),
    (WIDE, "nominal", {"layout": "long"}, None, None, ["no column 'rater'", "rater=…"]),
    ("A,B,n\n0,1,-1\n", "nominal", {"frequency": "n"}, 2, "n", ["whole number", "'-1'"]),
    ("A,B,n\n0,1,0.5\n", "nominal", {"frequency": "n"}, 2, "n", ["'0.5'"]),
    ("A,B,n\n0,1,\n", "nominal", {"frequency": "n"}, 2, "n", ["an empty cell"]),
    ("A,B,n\n0,1,0\n", "nominal", {"frequency": "n"}, None, "n", ["only zeros"]),
    ("A,B,n\n0,1,9000000000\n", "nominal", {"frequency": "n"}, None, None, ["more ratings than"]),
    ("item,a,b\n1,2,x\n", "nominal", {"layout": "counts"}, 2, "b",
     ["whole number", "'x'", "item=…"]),
    ("n,a,b\n1,2,0\n2,2,1\n3,1,1\n", "nominal", {"layout": "counts"}, 2, "n", ["item=n"]),
    ("item,a,b\n1,2,0\n", "nominal", {"layout": "counts", "categories": ["a", "c"]}, None, "b",
     ["not a declared category"]),
    ("r,a,b\na,3,1\nc,0,4\n", "nominal", {"layout": "contingency"}, 3, None, ["'c'", "a, b"]),
    ("r,a,b\na,3,1\n", "nominal", {"layout": "contingency"}, None, None, ["square"]),
    ("r,a,b\na,3,y\nb,1,1\n", "nominal", {"layout": "contingency"}, 2, "b", ["'y'"]),
]  # fmt: skip


def check(error: BenchbookError, words: list[str]) -> None:
    """One paragraph of a readable length that says all of this."""
    assert "\n" not in str(error)
    assert len(str(error)) < 600
    assert [word for word in words if word not in str(error)] == [], str(error)


@pytest.mark.parametrize(
    ("content", "kind", "options", "row", "column", "words"), NOT_TEXT + LINES + CELLS + COLUMNS
)
def test_refused(
    tmp_path: Path,
    content: str | bytes,
    kind: str,
    options: dict[str, Any],
    row: int | None,
    column: str | None,
    words: list[str],
) -> None:
    file = tmp_path / "판독 reads.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as caught:
        read_ratings(file, kind, **options)
    check(caught.value, ["file 판독 reads.csv", *words])
    assert (caught.value.row, caught.value.column) == (row, column)


@pytest.mark.parametrize(
    ("content", "kind", "options", "words"),
    [
        (WIDE, "ordinal", {}, ["reads.csv", "lowest to highest", "labels a, b"]),
        (WIDE, "interval", {}, ["unknown kind", "'interval'"]),
        (WIDE, "continuous", {"categories": [1, 2]}, ["no categories"]),
        (WIDE, "nominal", {"categories": ["a", "a"]}, ["declared twice"]),
        (WIDE, "nominal", {"categories": ["a"]}, ["at least two"]),
        (WIDE, "nominal", {"raters": ["A"]}, ["at least two raters", "raters=[A]"]),
        (WIDE, "nominal", {"raters": ["A", "A"]}, ["'A' is chosen twice"]),
        (WIDE, "nominal", {"raters": "AB"}, ["list of names"]),
        (LONG, "nominal", {"raters": ["A", "A"]}, ["'A' is chosen twice"]),
        (WIDE, "nominal", {"layout": "widee"}, ["'widee'", "did you mean 'wide'?"]),
        (WIDE, "nominal", {"layout": "wide", "rating": "A"}, ["no use for rating"]),
        (LONG, "nominal", {"frequency": "p"}, ["no use for frequency"]),
        ("item,a,b\n1,2,0\n", "nominal", {"layout": "counts", "raters": ["a", "b"]},
         ["no use for raters"]),
        ("item,b,a\n1,2,0\n", "ordinal", {"layout": "counts"}, ["reads.csv", "declared", "b, a"]),
        ("item,a,b\n1,2,0\n", "continuous", {"layout": "counts"}, ["not continuous"]),
        ("r,a,b\na,1,0\nb,1,1\n", "nominal", {"layout": "contingency", "cluster": "r"},
         ["no use for cluster"]),
        ("r,a,b\na,1,0\nb,1,1\n", "nominal", {"layout": "contingency", "item": ["r", "a"]},
         ["one column"]),
        ("r,a,b\na,1,0\nb,1,1\n", "nominal", {"layout": "contingency", "raters": ["u"]},
         ["two raters"]),
        (WIDE, "nominal", {"encoding": "klingon"}, ["unknown encoding 'klingon'", "cp949"]),
        (WIDE, "nominal", {"encoding": "hex"}, ["unknown encoding 'hex'"]),
        (WIDE, "nominal", {"delimiter": ";;"}, ["one character"]),
        (WIDE, "nominal", {"delimiter": ""}, ["one character"]),
        (WIDE, "nominal", {"delimiter": '"'}, ["one character"]),
        (WIDE, "nominal", {"delimiter": "\n"}, ["one character"]),
    ],
)  # fmt: skip
def test_parameters_that_do_not_fit(
    tmp_path: Path, content: str, kind: str, options: dict[str, Any], words: list[str]
) -> None:
    file = tmp_path / "reads.csv"
    file.write_text(content)
    with pytest.raises(ParameterError) as caught:
        read_ratings(file, kind, **options)
    check(caught.value, words)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "readings.csv").write_text(WIDE)
    for name, words in (
        ("reading.csv", ["no such file", "did you mean 'readings.csv'?"]),
        ("zzz.txt", ["zzz.txt", "no such file"]),
        ("nowhere/zzz.txt", ["no such file"]),
        (".", ["this is a folder"]),
        ("x" * 400, ["cannot be read"]),
        ("a\x00b", ["file"]),
    ):
        with pytest.raises(DataError) as caught:
            read_ratings(tmp_path / name, "nominal")
        check(caught.value, words)


def test_naming_the_raters_settles_every_doubt(tmp_path: Path) -> None:
    file = tmp_path / "reads.csv"
    for content, raters in (
        ("1,2\n1,1\n2,2\n", ["1", "2"]),
        ("x,A\n1,2\n2,2\n3,3\n", ["x", "A"]),
        ("sex,A,B\nM,a,b\nF,b,b\nM,a,a\n", ["sex", "A"]),
        ("A,freq\n0,1\n1,1\n", ["A", "freq"]),
        ("a,b\n3,0\n1,2\n0,3\n2,1\n2,1\n", ["a", "b"]),
    ):
        file.write_text(content)
        with pytest.raises(DataError):
            read_ratings(file, "nominal")
        assert list(read_ratings(file, "nominal", raters=raters).raters) == raters


@pytest.mark.parametrize(
    ("content", "kind", "options"),
    [
        # Two raters who never agree, or agree always on one category.
        ("A,B\nx,y\nx,y\nx,y\n", "nominal", {}),
        ("A,B\n1,1\n1,1\n1,1\n1,1\n1,1\n1,1\n", "nominal", {}),
        # A rater whose label nobody else uses, where the scale was declared.
        ("A,B,C\nx,x,z\ny,x,z\nx,y,z\n", "nominal", {"categories": ["x", "y", "z"]}),
        # Scores that rise with the row, and not by one.
        ("A,B\n1,1\n2,2\n4,5\n", "continuous", {}),
        # Every row is the same.
        ("A,B,C\n0,1,1\n0,1,1\n0,1,1\n0,1,1\n0,1,1\n", "nominal", {"categories": [0, 1]}),
        # Every pair adds up to 3.
        ("A,B\n1,2\n2,1\n1,2\n2,1\n1,2\n2,1\n", "nominal", {}),
        ("Kim,Idris,Count Dracula\n1,2,2\n2,2,1\n", "nominal", {}),
    ],
)
def test_unusual_tables_of_raters_are_not_doubted(
    tmp_path: Path, content: str, kind: str, options: dict[str, Any]
) -> None:
    file = tmp_path / "reads.csv"
    file.write_text(content)
    assert read_ratings(file, kind, **options).n_raters == len(content.split("\n")[0].split(","))


def test_errors_survive_the_way_back_from_a_worker(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_ratings(tmp_path / "none.csv", "nominal")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
