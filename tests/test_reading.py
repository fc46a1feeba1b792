"""Reading files: what each layout becomes, and which bytes and lines are understood."""

from __future__ import annotations

import codecs
import hashlib
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchbook.errors import DataError
from benchbook.ratings import Ratings
from benchbook.reading import read_csv_table, read_ratings
from ratings_examples import codes

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and return its path; text is UTF-8."""

    def make(content: str | bytes, name: str = "reads.csv") -> Path:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return make


WIDE = "item,A,B\ni1,a,b\ni2,b,b\ni3,a,a\n"
KOREAN = "환자,판독자 1,판독자 2\n가,양성,음성\n나,음성,음성\n다,양성,양성\n"


def as_read(ratings: Ratings) -> tuple[Any, ...]:
    return (ratings.items, ratings.raters, ratings.categories, codes(ratings))


READ = (("i1", "i2", "i3"), ("A", "B"), ("a", "b"), [[0, 1], [1, 1], [0, 0]])


# ---- bytes, encodings, lines -------------------------------------------------------------

SAME: list[tuple[str, str | bytes, dict[str, Any]]] = [
    ("plain", WIDE, {}),
    ("UTF-8 mark", codecs.BOM_UTF8 + WIDE.encode(), {}),
    ("two UTF-8 names", codecs.BOM_UTF8 + WIDE.encode(), {"encoding": "UTF_8-sig"}),
    ("UTF-16", WIDE.encode("utf-16"), {"encoding": "utf-16"}),
    ("UTF-16 with its half named", codecs.BOM_UTF16_LE + WIDE.encode("utf-16-le"),
     {"encoding": "utf-16-le"}),
    ("CRLF", WIDE.replace("\n", "\r\n"), {}),
    ("CR", WIDE.replace("\n", "\r"), {}),
    ("no end of line", WIDE.rstrip(), {}),
    ("blank lines at the end", WIDE + "\n\n  \n", {}),
    ("empty cells at the end", WIDE + ",,\n,,\n", {}),
    ("blank lines before", "\n\n" + WIDE, {}),
    ("blank lines within", WIDE.replace("\n", "\n\n"), {}),
    ("Excel's line about the separator", "sep=;\n" + WIDE.replace(",", ";"), {"delimiter": ";"}),
    ("delimiter at the end of every line", WIDE.replace("\n", ",\n"), {}),
    ("delimiter at the end of the rows", WIDE.replace("\n", ",\n").replace("B,", "B"), {}),
    ("spaces", WIDE.replace(",", " ,  "), {}),
    ("quotes", WIDE.replace("a,b", '"a","b"'), {}),
    ("semicolon", WIDE.replace(",", ";"), {"delimiter": ";"}),
    ("tab", WIDE.replace(",", "\t"), {"delimiter": "\t"}),
    ("tab spelled out", WIDE.replace(",", "\t"), {"delimiter": "\\t"}),
    ("tab named", WIDE.replace(",", "\t"), {"delimiter": "tab"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "options"), [row[1:] for row in SAME], ids=[row[0] for row in SAME]
)
def test_the_same_table_in_other_bytes(
    write: Write, content: str | bytes, options: dict[str, Any]
) -> None:
    ratings = read_ratings(write(content), "nominal", **options)
    assert as_read(ratings) == READ
    assert (ratings.n_missing, ratings.n_dropped, ratings.source) == (0, 0, "reads.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "euc-kr", "utf-16"])
def test_korean_names_and_labels(write: Write, encoding: str) -> None:
    file = write(KOREAN.encode(encoding), "판독 결과.csv")
    ratings = read_ratings(file, "nominal", item="환자", encoding=encoding)
    assert ratings.items == ("가", "나", "다")
    assert ratings.raters == ("판독자 1", "판독자 2")
    assert ratings.categories == ("양성", "음성")
    assert ratings.source == "판독 결과.csv"


def test_korean_letters_in_parts_are_the_same_letters(write: Write) -> None:
    parts = unicodedata.normalize("NFD", KOREAN)
    assert parts != KOREAN
    file = write(parts, unicodedata.normalize("NFD", "판독.csv"))
    typed = file.with_name("판독.csv")
    for name in ("환자", unicodedata.normalize("NFD", "환자")):
        ratings = read_ratings(typed, "nominal", item=name, categories=["음성", "양성"])
        assert codes(ratings) == [[1, 0], [0, 0], [1, 1]]


def test_line_numbers_count_lines_within_quotes_and_blank_lines(write: Write) -> None:
    table = read_csv_table(write('\nitem,A\n\n1,"two\nlines"\n2,x\r\n3,y\n'))
    assert table.lines == [4, 6, 7]
    assert table.header_line == 2
    assert table.frame["A"].tolist() == ["two\nlines", "x", "y"]


def test_table_of_a_file(write: Write) -> None:
    content = "item,A,,B,\n1, a ,,NA,\n2,NaN,,nan,x\n"
    table = read_csv_table(write(content))
    assert table.frame.columns.tolist() == ["item", "A", "B", "column 5"]
    assert table.frame.to_numpy().tolist() == [["1", "a", None, None], ["2", None, "nan", "x"]]
    assert table.n_read == 2
    assert table.sha256 == hashlib.sha256(content.encode()).hexdigest()


@pytest.mark.parametrize("missing", [["-9", "x"], ("", " -9 ", "x")])
def test_declared_missing_markers(write: Write, missing: Any) -> None:
    table = read_csv_table(write("A,B\n-9,NA\nx,\n"), missing=missing)
    assert table.frame.to_numpy().tolist() == [[None, "NA"], [None, None]]


def test_one_missing_marker_is_not_taken_for_its_letters(write: Write) -> None:
    table = read_csv_table(write("A,B\nNA,N\nA,x\n"), missing="NA")
    assert table.frame.to_numpy().tolist() == [[None, "N"], ["A", "x"]]


def test_a_file_without_a_header(write: Write) -> None:
    ratings = read_ratings(write("a,b\nb,b\n"), "nominal", header=False)
    assert ratings.raters == ("rater 1", "rater 2")
    assert ratings.items == ("1", "2")
    assert codes(ratings) == [[0, 1], [1, 1]]


# ---- layouts -----------------------------------------------------------------------------


def test_wide(write: Write) -> None:
    content = "no,site,C,A,p\n007,x,1,,u\n7,x,2,1,u\n8,y,,,w\n9,x,NA,2.0,v\n"
    ratings = read_ratings(
        write(content),
        "ordinal",
        item="no",
        cluster="p",
        categories=[1, 2, 3],
        raters=["A", "C"],
    )
    assert ratings.items == ("007", "7", "9")
    assert ratings.raters == ("A", "C")
    assert codes(ratings) == [[None, 0], [0, 1], [1, None]]
    assert list(ratings.clusters) == ["u", "u", "v"]
    assert (ratings.n_dropped, ratings.n_missing) == (1, 2)


def test_columns_of_conditions_are_no_raters(write: Write) -> None:
    ratings = read_ratings(write("A,B,site\na,b,x\nb,b,y\na,a,x\n"), "nominal", where={"site": "x"})
    assert ratings.raters == ("A", "B")
    assert codes(ratings) == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"site": 1}, 2),
        ({"site": "1"}, 2),
        ({"site": [1, "02"]}, 3),
        ({"site": [2]}, None),
        ({"seen": True}, 2),
        ({"seen": "true", "site": 1}, 1),
        ({"SITE ": 1}, None),
        ({" site ": 1}, 2),
    ],
)
def test_conditions(write: Write, where: dict[str, Any], rows: int | None) -> None:
    file = write("A,B,site,seen\na,b,1.0,TRUE\nb,b,1,FALSE\na,a,02,TRUE\n")
    if rows is None:
        with pytest.raises(DataError, match=r"no row is left|no column"):
            read_ratings(file, "nominal", where=where, raters=["A", "B"])
    else:
        assert read_ratings(file, "nominal", where=where, raters=["A", "B"]).n_items == rows


def test_frequencies(write: Write) -> None:
    ratings = read_ratings(write("A,B,n\n0,1,2\n1,1,1.0\n0,0,0\n"), "nominal", frequency="n")
    assert codes(ratings) == [[0, 1], [0, 1], [1, 1]]
    assert ratings.items == ("1", "2", "3")
    named = read_ratings(
        write("p,A,B,n\nx,0,1,2\ny,1,1,1\n"), "nominal", frequency="n", item="p", cluster="p"
    )
    assert named.items == ("x / 1", "x / 2", "y / 1")
    assert list(named.clusters) == ["x", "x", "y"]


def test_long(write: Write) -> None:
    content = (
        "case,visit,reader,score,patient\n1,1,A,5,p\n1,1,B,4,p\n1,2,B,3,p\n2,1,A,1,q\n2,1,C,,q\n"
    )
    ratings = read_ratings(
        write(content),
        "continuous",
        item=["case", "visit"],
        rater="reader",
        rating="score",
        cluster="patient",
        raters=["B", "A"],
    )
    assert ratings.items == ("1 / 1", "1 / 2", "2 / 1")
    assert ratings.raters == ("B", "A")
    assert codes(ratings) == [[4, 5], [3, None], [None, 1]]
    assert list(ratings.clusters) == ["p", "p", "q"]


def test_long_is_recognised_by_its_columns(write: Write) -> None:
    content = "item,rater,rating\n1,A,x\n1,B,y\n"
    assert read_ratings(write(content), "nominal").raters == ("A", "B")
    assert read_ratings(write(content.replace("item", "case")), "nominal", item="case").n_items == 1


def test_ratings_of_raters_left_out_are_not_looked_at(write: Write) -> None:
    content = "item,rater,rating\n1,A,1\n1,B,2\n1,C,unsure\n2,C,?\n"
    ratings = read_ratings(write(content), "continuous", raters=["B", "A"])
    assert codes(ratings) == [[2, 1]]
    assert ratings.n_dropped == 1


def test_counts(write: Write) -> None:
    content = "case,patient,mild,none\n1,p,2,1\n2,p,0,2\n3,q,0,0\n"
    ratings = read_ratings(
        write(content),
        "ordinal",
        layout="counts",
        item="case",
        cluster="patient",
        categories=["none", "mild", "severe"],
    )
    assert ratings.counts().tolist() == [[1, 2, 0], [2, 0, 0]]
    assert ratings.items == ("1", "2")
    assert list(ratings.clusters) == ["p", "p"]
    assert (ratings.n_dropped, ratings.identified) == (1, False)


def test_contingency(write: Write) -> None:
    content = "first,b,a\na,1,3\nb,4,0\n"
    ratings = read_ratings(write(content), "nominal", layout="contingency", raters=["Kim", "Lee"])
    assert ratings.raters == ("Kim", "Lee")
    assert ratings.categories == ("b", "a")
    pairs = ratings.frame().value_counts().to_dict()
    assert pairs == {("a", "a"): 3, ("a", "b"): 1, ("b", "b"): 4}


def test_contingency_in_the_declared_order(write: Write) -> None:
    file = write("first,1,2\n2,0,4\n1,3,1\n")
    ratings = read_ratings(file, "ordinal", layout="contingency", categories=[0, 1, 2])
    assert ratings.counts().sum(axis=0).tolist() == [0, 7, 9]


# ---- rows nobody rated -------------------------------------------------------------------


def test_a_line_of_totals_is_dropped_when_it_holds_no_rating_of_the_raters(write: Write) -> None:
    content = "case,A,B,minutes,patient\n1,2,3,11,p\n2,3,3,12,q\n,,,23,\n"
    ratings = read_ratings(
        write(content), "continuous", item="case", raters=["A", "B"], cluster="patient"
    )
    assert (ratings.items, ratings.n_dropped) == (("1", "2"), 1)


def test_names_of_columns_may_be_numbers(write: Write) -> None:
    ratings = read_ratings(write("case,1,2.0\n5,a,b\n"), "nominal", item="case", raters=[2, 1])
    assert ratings.raters == ("2", "1")


def test_truth_values_however_spelled(write: Write) -> None:
    file = write("item,A,B\n1,TRUE,True\n2,false,FALSE\n")
    assert read_ratings(file, "nominal").categories == ("False", "True")
    declared = read_ratings(file, "ordinal", categories=[False, True])
    assert codes(declared) == [[1, 1], [0, 0]]
