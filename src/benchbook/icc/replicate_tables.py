"""Tables of replicated measurements, items x replicates for each of two methods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError


def replicates_from_long(
    table: pd.DataFrame,
    *,
    item: str,
    method: str,
    replicate: str,
    value: str,
    methods: tuple[str, str],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables of items x replicates, one per method, from a long table.

    Parameters
    ----------
    table : DataFrame
        One row per measurement.
    item, method, replicate, value : str
        Names of its columns.
    methods : tuple of str
        The two methods, first and second.

    Raises
    ------
    DataError
        A column or method that is not there, or a replicate given twice.
    """
    for column in (item, method, replicate, value):
        if column not in table.columns:
            raise DataError(
                f"there is no column '{column}'", found=", ".join(map(str, table.columns))
            )
    known = list(pd.unique(table[method].astype(str)))
    for name in methods:
        if str(name) not in known:
            raise DataError(f"there is no method '{name}'", column=method, found=", ".join(known))
    chosen = table[table[method].astype(str).isin([str(name) for name in methods])]
    twice = chosen.duplicated([item, method, replicate])
    if twice.any():
        row = chosen[twice].iloc[0]
        raise DataError(
            f"replicate {row[replicate]} of item {row[item]} by {row[method]} is there twice",
            column=replicate,
            expected="a replicate number of its own for every measurement",
        )
    wide = [
        chosen[chosen[method].astype(str) == str(name)].pivot_table(
            index=item, columns=replicate, values=value, aggfunc="first"
        )
        for name in methods
    ]
    items = pd.unique(chosen[item])
    columns = sorted(set(wide[0].columns) | set(wide[1].columns))
    one, two = (part.reindex(index=items, columns=columns) for part in wide)
    return one, two


def checked_tables(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return two tables of items x replicates as arrays, checked."""
    tables = []
    for name, data in (("first", first), ("second", second)):
        try:
            values = np.asarray(pd.DataFrame(data).to_numpy(dtype=float, na_value=math.nan))
        except (TypeError, ValueError):
            raise DataError(f"the measurements of the {name} method are not numbers") from None
        if np.isinf(values).any():
            raise DataError(f"a measurement of the {name} method is infinite")
        tables.append(values)
    if len(tables[0]) != len(tables[1]):
        raise DataError(
            "the two methods must have measured the same items",
            found=f"{len(tables[0])} and {len(tables[1])} rows",
            expected="one row per item in both tables",
        )
    return tables[0], tables[1]
