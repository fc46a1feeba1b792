"""The frozen tables and R numbers of tests/reference, as ratings and records."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pandas as pd

from benchbook.ratings import Ratings

REFERENCE = Path(__file__).parent.parent / "reference"


@cache
def index():
    return pd.read_csv(REFERENCE / "tables" / "index.csv", dtype=str).set_index("table")


@cache
def load(name, kind=None):
    """A reference table as ratings, its levels declared; ``kind`` replaces its own scale."""
    row = index().loc[name]
    scale = kind or row["scale"]
    path = REFERENCE / "tables" / f"{name}.csv"
    levels = row["levels"].split("|") if isinstance(row["levels"], str) else None
    if row["layout"] == "contingency":
        counts = pd.read_csv(path, index_col=0).to_numpy()
        return Ratings.from_contingency(counts, scale, categories=levels)
    if row["layout"] == "counts":
        counts = pd.read_csv(path, index_col=0).to_numpy()
        return Ratings.from_counts(counts, scale, categories=levels)
    if scale == "continuous":
        return Ratings.from_table(pd.read_csv(path, index_col=0), scale)
    table = pd.read_csv(path, index_col=0, dtype=str)
    return Ratings.from_table(table, scale, categories=levels)


@cache
def records(file):
    return json.loads((REFERENCE / file).read_text(encoding="utf-8"))


def number(record, field):
    """A number of a record; JSON spells not-a-number as a string."""
    return float(record[field])


def chosen(file, package, function=None, statistic=None, **options):
    """Records of one package (and function, statistic) whose options include those given."""
    return [
        record
        for record in records(file)
        if record["package"] == package
        and function in (None, record["function"])
        and statistic in (None, record["statistic"])
        and "error" not in record
        and all((record.get("options") or {}).get(k) == v for k, v in options.items())
    ]


def label(record):
    options = record.get("options") or {}
    said = "-".join(str(value) for value in options.values() if not isinstance(value, list))
    return "-".join([record["table"], record["statistic"], record["function"], said]).replace(
        " ", "_"
    )
