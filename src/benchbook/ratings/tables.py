"""What every shape of table shares: rows and columns with names, and something to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, ParameterError, did_you_mean, listed, quoted
from .cells import Origin
from .labels import Kind, canonical, check_kind

Fields = dict[str, Any]
# More than any study has: numbers this large are another quantity in the column of counts.
MOST_RATINGS = 20_000_000


def as_frame(table: Any, origin: Origin) -> pd.DataFrame:
    """Return a table as a DataFrame; without labels of its own, it is counted from 0."""
    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, (list, tuple)):
        _check_even(table, origin)
    try:
        return pd.DataFrame(table)
    except (ValueError, TypeError) as problem:
        raise origin.error(
            "this is no table",
            found=f"{type(table).__name__} ({problem})",
            expected="a table of items x raters, with two dimensions",
        ) from None


def _check_even(rows: Sequence[Any], origin: Origin) -> None:
    lengths = [len(row) for row in rows if isinstance(row, (list, tuple))]
    for position, length in enumerate(lengths):
        if length != lengths[0]:
            raise origin.error(
                "a row has another number of ratings than the first",
                row=position,
                found=f"{length} ratings",
                expected=f"{lengths[0]}; None where there is none",
            )


def side_by_side(first: Any, second: Any) -> pd.DataFrame:
    """Return two raters' sequences as the columns of a table, position by position."""
    one, two = pd.Series(first), pd.Series(second)
    if len(one) != len(two):
        raise DataError(
            "the two raters must have rated the same items",
            found=f"{len(one)} and {len(two)} ratings",
            expected="two sequences of equal length",
        )
    names = ["rater 1" if one.name is None else str(one.name)]
    names.append("rater 2" if two.name is None else str(two.name))
    if names[0] == names[1]:
        names = ["rater 1", "rater 2"]
    index: pd.Index = pd.RangeIndex(len(one))
    if isinstance(first, pd.Series) and isinstance(second, pd.Series) and one.index.is_unique:
        index = _common_index(one.index, two.index)
    frame = pd.DataFrame({0: one.reset_index(drop=True), 1: two.reset_index(drop=True)})
    return frame.set_axis(index, axis=0).set_axis(names, axis=1)


def _common_index(first: pd.Index, second: pd.Index) -> pd.Index:
    """Return the index of two Series when it is the same; else count the items from 0."""
    if first.equals(second):
        return first
    if set(first) == set(second):
        raise DataError(
            "the two raters list the items in different orders",
            found=f"item {quoted(second[0])} beside {quoted(first[0])}",
            expected="the same order, for instance second.loc[first.index]",
        )
    return pd.RangeIndex(len(first))


def unlabelled(labels: pd.Index) -> bool:
    """Tell whether rows or columns are merely counted."""
    return isinstance(labels, pd.RangeIndex) and labels.step == 1 and labels.start in (0, 1)


def name_of(label: Any) -> str:
    """Return the name of a row or column; "" when it has none."""
    if isinstance(label, tuple):
        return " / ".join(map(name_of, label))
    if label is None or label is pd.NA or label != label:
        return ""
    return canonical(label)


def names_of(labels: pd.Index) -> np.ndarray:
    """Return the names of rows, shape (n,)."""
    if pd.api.types.is_integer_dtype(labels.dtype) and not labels.hasnans:
        return labels.astype(str).to_numpy(dtype=object)
    names = np.empty(len(labels), dtype=object)
    names[:] = [name_of(label) for label in labels]
    return names


def need_columns(frame: pd.DataFrame, columns: Iterable[str], origin: Origin) -> None:
    """Refuse a table that lacks one of the columns."""
    for column in columns:
        if column not in frame.columns:
            raise origin.error(
                f"there is no column {quoted(column)}{did_you_mean(column, frame.columns)}",
                found=f"the columns {listed(frame.columns)}",
                expected="item=…, rater=… and rating=… as the table calls them",
            )


def check_not_empty(frame: pd.DataFrame, origin: Origin) -> None:
    """Refuse a table without rows."""
    if len(frame) == 0:
        raise origin.error(
            "there are no ratings",
            found="no rows",
            expected="one row per item, one column per rater",
        )


def check_raters(names: Sequence[str], origin: Origin) -> None:
    """Refuse fewer than two columns of ratings, or two of one name."""
    if len(names) < 2:
        raise origin.error(
            "agreement needs at least two raters",
            found=f"one column of ratings ('{names[0]}')" if names else "no column of ratings",
            expected="one column per rater, or a long table with item, rater and rating",
        )
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise origin.error(
            "two raters have the same name",
            column=name,
            found=f"'{name}' {times} times",
            expected="a name of its own for every rater",
        )


def chosen_raters(raters: Sequence[Any], least: int = 2) -> list[str]:
    """Return the names of the raters a caller chose: at least so many, each once."""
    if isinstance(raters, str):
        raise ParameterError(f"raters are a list of names; found the text {quoted(raters)}.")
    names = [canonical(name) for name in raters]
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ParameterError(f"rater {quoted(repeated[0])} is chosen twice.")
    if len(names) < least:
        raise ParameterError(
            f"agreement needs at least two raters; found raters=[{listed(names)}]."
        )
    return names


def check_items(names: np.ndarray, rated: np.ndarray, origin: Origin) -> None:
    """Refuse an item without a name, or in two rows; a row nobody rated needs no name."""
    empty = (names == "") & rated
    if empty.any():
        raise origin.error(
            "ratings belong to no item",
            row=int(empty.argmax()),
            found=origin.nothing,
            expected="the name of the item",
        )
    repeated = pd.Series(names).duplicated().to_numpy() & (names != "")
    if repeated.any():
        second = int(repeated.argmax())
        before = origin.place(int((names == names[second]).argmax()))
        raise origin.error(
            f"item {quoted(names[second])} stands in two rows",
            row=second,
            found=f"it also stands in row {before} ({int(repeated.sum())} such rows in all)",
            expected="one row per item; replicates need their number beside the item, "
            "for instance item=['item', 'replicate'], or cluster=… in place of item"
            + ("; a row per rating needs rater=… and rating=…" if origin.is_file else ""),
        )


def check_size(n_ratings: int, origin: Origin) -> None:
    """Refuse counts that would fill the memory."""
    if n_ratings > MOST_RATINGS:
        raise origin.error(
            "the counts add up to more ratings than a study has",
            found=f"{n_ratings:,} ratings",
            expected=f"at most {MOST_RATINGS:,}; counts are numbers of raters or of items",
        )


def kind_with(kind: str, categories: Sequence[Any] | None) -> Kind:
    """Return the level of measurement; scores have no categories."""
    checked = check_kind(kind)
    if checked == "continuous" and categories is not None:
        raise ParameterError("continuous ratings have no categories; leave categories out.")
    return checked


def finished(fields: Fields, origin: Origin) -> Fields:
    """Drop and count the items nobody rated; refuse a table with nothing to compare.

    Parameters
    ----------
    fields : dict
        Fields of `Ratings`, before any item is dropped; ``items`` is an array.
    origin : Origin
        Where the table comes from.
    """
    values = fields["values"]
    present = ~np.isnan(values)
    rated = present.any(axis=1)
    _check_comparable(present, fields, origin)
    clusters = fields["clusters"]
    return {
        **fields,
        "values": values[rated],
        "items": tuple(fields["items"][rated]),
        "clusters": None if clusters is None else clusters[rated],
        "n_dropped": int((~rated).sum()),
        "n_missing": int((~present[rated]).sum()),
        "source": origin.source,
    }


def _check_comparable(present: np.ndarray, fields: Fields, origin: Origin) -> None:
    if not present.any():
        raise origin.error(
            "nothing was rated",
            found=f"{present.size} empty cells" if present.size else "no ratings",
            expected="at least one item rated by two raters",
        )
    silent = ~present.any(axis=0)
    if fields.get("identified", True) and silent.any():
        raise origin.error(
            "a rater rated nothing",
            column=fields["raters"][int(silent.argmax())],
            found="only empty cells",
            expected="at least one rating per rater; leave the rater out",
        )
    if present.sum(axis=1).max() < 2:
        raise origin.error(
            "no item was rated by two raters",
            found=f"{int(present.sum())} items with one rating each",
            expected="at least one item that two raters rated",
        )
