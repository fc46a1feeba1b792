"""Small tables of ratings the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchbook.ratings import Ratings


def codes(ratings: Ratings) -> list[list[float | None]]:
    """Values with None for missing, so that they compare with ==."""
    values = ratings.values  # noqa: PD011
    return [[None if np.isnan(v) else float(v) for v in row] for row in values]


def graded(values: list[Any], levels: list[Any], ordered: bool = True) -> pd.Categorical:
    return pd.Categorical(values, categories=levels, ordered=ordered)


LEVELS = ["none", "mild", "severe"]


def long_table(**changes: Any) -> pd.DataFrame:
    columns = {
        "item": ["i", "i", "j", "j", "k"],
        "rater": ["A", "B", "B", "A", "A"],
        "rating": ["x", "y", "x", "x", None],
        "patient": [1, 1, 2, 2, 2],
    }
    return pd.DataFrame({**columns, **changes})


def three() -> Ratings:
    table = pd.DataFrame(
        {"A": ["x", "y", None, "x"], "B": ["x", None, "z", "y"], "C": ["y", None, None, "x"]},
        index=list("ijkl"),
    )
    return Ratings.from_table(table, "nominal", clusters=[1, 1, 2, 2], source="reads.csv")
