"""Every real table of the mirror folder is read with the numbers pandas finds, or refused.

The tables are open data and are not part of the project; `BENCHBOOK_MIRROR` names the folder they
lie in.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from real_tables import ENTRIES, FROM_R, INTER, REFUSED, Entry

from benchbook.errors import BenchbookError
from benchbook.ratings import Ratings
from benchbook.reading import read_ratings

MIRROR = os.environ.get("BENCHBOOK_MIRROR", "")
FOLDERS = [Path(MIRROR) / name for name in (INTER, FROM_R)]

pytestmark = [
    pytest.mark.mirror,
    pytest.mark.skipif(not MIRROR, reason="BENCHBOOK_MIRROR names no folder of open data sets"),
    pytest.mark.skipif(
        bool(MIRROR) and not all(folder.is_dir() for folder in FOLDERS),
        reason="the mirror folder holds no tables of raters",
    ),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.file)
def test_read(entry: Entry) -> None:
    ratings = read_ratings(Path(MIRROR) / entry.file, entry.kind, **entry.options)
    found = (ratings.n_items, ratings.n_raters, ratings.n_missing, ratings.n_dropped)
    assert found == entry.numbers
    clusters = None if ratings.clusters is None else len(set(ratings.clusters))
    assert clusters == entry.n_clusters
    raw = with_pandas(entry)
    if entry.options.get("layout") == "counts":
        check_counts(raw, ratings)
    elif entry.options.get("layout") == "contingency":
        check_cross_table(raw, ratings)
    else:
        check_cells(raw, ratings, entry)


@pytest.mark.parametrize(
    ("file", "kind", "options", "words"), REFUSED, ids=lambda part: part if part else "-"
)
def test_refused(file: str, kind: str, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(BenchbookError) as caught:
        read_ratings(Path(MIRROR) / file, kind, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert [word for word in [Path(file).name, *words] if word not in text] == [], text


def test_no_table_is_forgotten() -> None:
    tables = {file.as_posix() for folder in FOLDERS for file in folder.rglob("*.csv")}
    known = {(Path(MIRROR) / row[0]).as_posix() for row in [*ENTRIES, *REFUSED]}
    assert tables - known == set()


# ---- the same with pandas ----------------------------------------------------------------


def with_pandas(entry: Entry) -> pd.DataFrame:
    """The rows that count, as pandas reads them."""
    header = None if entry.options.get("header") is False else 0
    raw = pd.read_csv(Path(MIRROR) / entry.file, header=header, encoding="utf-8-sig")
    # Some cells without a rating hold spaces, which pandas takes for a label.
    raw = raw.replace(r"^\s+$", np.nan, regex=True)
    for column, wanted in entry.options.get("where", {}).items():
        raw = raw[raw[column].isin(wanted if isinstance(wanted, list) else [wanted])]
    return raw


def aside(entry: Entry) -> list[str]:
    item = entry.options.get("item", [])
    names = [item] if isinstance(item, str) else list(item)
    parts = [entry.options.get(part) for part in ("cluster", "frequency")]
    return [*names, *filter(None, parts)]


def check_counts(raw: pd.DataFrame, ratings: Ratings) -> None:
    columns = [name for name in raw.columns if str(name) in map(str, ratings.categories)]
    assert len(columns) == ratings.n_categories
    assert ratings.counts().tolist() == raw[columns].to_numpy().tolist()
    sizes = raw[columns].sum(axis=1)
    assert (ratings.n_items, ratings.n_raters) == (len(raw), sizes.max())
    assert ratings.n_missing == (sizes.max() - sizes).sum()


def check_cross_table(raw: pd.DataFrame, ratings: Ratings) -> None:
    cells = raw.melt(raw.columns[0])
    expected = {(row, column): times for row, column, times in cells.to_numpy() if times}
    assert ratings.n_items == sum(expected.values())
    assert ratings.frame().value_counts().to_dict() == expected


def check_cells(raw: pd.DataFrame, ratings: Ratings, entry: Entry) -> None:
    """Both hold the same rows, each as often; items of a long table come in another order."""
    options = entry.options
    if "rater" in options:
        item = [options["item"]] if isinstance(options["item"], str) else options["item"]
        items = raw[item].drop_duplicates()
        # Not pivot_table, which would average two ratings where one is allowed.
        expected = raw.pivot(  # noqa: PD010
            index=item, columns=options["rater"], values=options["rating"]
        )
        assert len(expected) == len(items)
        expected = expected.set_axis([name_of(name) for name in expected.columns], axis=1)
        expected = expected[list(ratings.raters)]
    else:
        expected = raw[options.get("raters") or raw.columns.drop(aside(entry))]
        assert ratings.n_raters == expected.shape[1]
        if options.get("frequency"):
            expected = expected.loc[raw.index.repeat(raw[options["frequency"]].astype(int))]
    rated = expected.dropna(how="all")
    assert ratings.n_dropped == len(expected) - len(rated)
    assert ratings.n_missing == rated.isna().to_numpy().sum()
    assert sorted(rows_of(rated)) == sorted(rows_of(ratings.frame()))


def name_of(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def rows_of(table: pd.DataFrame) -> list[tuple[str, ...]]:
    """Rows as text: numbers with every digit, labels as they are, nothing for missing."""
    return [tuple(map(cell_text, row)) for row in table.itertuples(index=False)]


def cell_text(cell: Any) -> str:
    if cell is None or cell is pd.NA or cell != cell:
        return ""
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell))
    try:
        return repr(float(cell))
    except ValueError:
        return str(cell)
