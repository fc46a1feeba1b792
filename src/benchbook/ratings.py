"""Ratings of items by raters: one checked table, made from any of the usual shapes.

Every agreement statistic reads the same object, so the handling of categories, missing cells
and input mistakes is settled here once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from .errors import DataError, ParameterError, nearest

Kind = Literal["nominal", "ordinal", "continuous"]
KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "continuous")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Items x raters, checked.

    Attributes
    ----------
    values : ndarray of float, shape (n_items, n_raters)
        Category codes 0 … q-1 for nominal and ordinal data, scores for continuous data; NaN
        where a rater did not rate an item.
    kind : {"nominal", "ordinal", "continuous"}
        Level of measurement.
    items, raters : tuple of str
        Names of the rows and columns.
    categories : tuple or None
        Category labels, lowest to highest for ordinal data; None for continuous data.
    declared : bool
        True when the caller declared the categories, False when they are those observed.
    identified : bool
        True when a column is one rater; False when columns are only slots (counts input), so
        that statistics about single raters have no meaning.
    clusters : ndarray or None, shape (n_items,)
        Cluster (for instance the patient) each item belongs to.
    n_dropped : int
        Items nobody rated; they are left out.
    n_missing : int
        Empty cells among the items kept.
    source : str
        Name of the file or of the table the ratings came from.
    """

    values: np.ndarray
    kind: Kind
    items: tuple[str, ...]
    raters: tuple[str, ...]
    categories: tuple[Any, ...] | None = None
    declared: bool = False
    identified: bool = True
    clusters: np.ndarray | None = None
    n_dropped: int = 0
    n_missing: int = 0
    source: str = ""

    @property
    def n_items(self) -> int:
        """Number of items with at least one rating."""
        return self.values.shape[0]

    @property
    def n_raters(self) -> int:
        """Number of raters (or of slots, when raters are not identified)."""
        return self.values.shape[1]

    @property
    def n_categories(self) -> int:
        """Number of categories, unused levels included; 0 for continuous data."""
        return len(self.categories or ())

    @property
    def complete(self) -> bool:
        """True when every rater rated every item."""
        return self.n_missing == 0

    @property
    def category_values(self) -> np.ndarray:
        """Categories as numbers, shape (q,).

        Raises
        ------
        ParameterError
            When a label is not a number, so distances between categories are not known.
        """
        labels = self._labels()
        try:
            return np.array([float(label) for label in labels])
        except (TypeError, ValueError):
            raise ParameterError(
                "categories have no numeric values: found "
                + ", ".join(map(str, labels))
                + "; expected numbers wherever distances between categories are used."
            ) from None

    def _labels(self) -> tuple[Any, ...]:
        if self.categories is None:
            raise ParameterError(
                "categories are needed and the data are continuous; for scores use an intraclass "
                "correlation, for instance ICC(2,1)."
            )
        return self.categories

    def frame(self) -> pd.DataFrame:
        """Return the table with labels in place of codes (missing cells are NaN)."""
        data: Any = self.values
        if self.categories is not None:
            labels = np.array([*self.categories, np.nan], dtype=object)
            data = labels[np.where(np.isnan(self.values), -1, self.values).astype(int)]
        return pd.DataFrame(data, index=list(self.items), columns=list(self.raters))

    def counts(self) -> np.ndarray:
        """Return how many raters put each item in each category, shape (n_items, q)."""
        q = len(self._labels())
        return (self.values[:, :, None] == np.arange(q)).sum(axis=1).astype(float)

    def select(self, raters: Sequence[str]) -> Ratings:
        """Return the ratings of some raters only; items none of them rated are dropped."""
        self._need_identified("a choice of raters")
        for rater in raters:
            if rater not in self.raters:
                raise ParameterError(f"unknown rater '{rater}'; {nearest(rater, self.raters)}")
        return self._subset([self.raters.index(rater) for rater in raters])

    def drop(self, rater: str) -> Ratings:
        """Return the ratings without one rater."""
        if rater not in self.raters:
            raise ParameterError(f"unknown rater '{rater}'; {nearest(rater, self.raters)}")
        return self.select([name for name in self.raters if name != rater])

    def pair(self, first: str, second: str) -> Ratings:
        """Return two raters on the items both of them rated (pairwise complete)."""
        chosen = self.select([first, second])
        return chosen.rows(~np.isnan(chosen.values).any(axis=1))

    def rows(self, keep: np.ndarray) -> Ratings:
        """Return the items where ``keep`` (bool, shape (n_items,)) is true."""
        values = self.values[keep]
        return replace(
            self,
            values=values,
            items=tuple(name for name, kept in zip(self.items, keep, strict=True) if kept),
            clusters=None if self.clusters is None else self.clusters[keep],
            n_missing=int(np.isnan(values).sum()),
        )

    def _subset(self, columns: list[int]) -> Ratings:
        part = replace(
            self,
            values=self.values[:, columns],
            raters=tuple(self.raters[column] for column in columns),
        )
        rated = ~np.isnan(part.values).all(axis=1)
        return replace(part.rows(rated), n_dropped=self.n_dropped + int((~rated).sum()))

    def _need_identified(self, what: str) -> None:
        if not self.identified:
            raise ParameterError(
                f"{what} needs identified raters, and these ratings came as counts per category."
            )

    # ---- ways in -------------------------------------------------------------------------

    @classmethod
    def from_table(
        cls,
        table: Any,
        kind: str,
        *,
        categories: Sequence[Any] | None = None,
        clusters: Iterable[Hashable] | None = None,
        source: str = "",
    ) -> Ratings:
        """Make ratings from a table of items x raters.

        Parameters
        ----------
        table : DataFrame or array-like, shape (n_items, n_raters)
            Labels or scores; missing cells are None, NaN, or pandas' NA.
        kind : {"nominal", "ordinal", "continuous"}
            Level of measurement, always declared.
        categories : sequence, optional
            All categories of the scale, used or not; lowest to highest for ordinal data, where
            it is required unless every column is an ordered pandas categorical.
        clusters : iterable, optional
            Cluster of each item, length n_items.
        source : str
            Name used in error messages.

        Raises
        ------
        DataError
            Empty table, one rater, nothing rated, a label outside the categories, a score that
            is not a finite number.
        ParameterError
            Unknown kind, categories missing for ordinal data or repeated.
        """
        frame = pd.DataFrame(table)
        return build_wide(
            frame, kind, categories=categories, clusters=clusters, source=source, lines=None
        )

    @classmethod
    def from_pair(
        cls,
        first: Any,
        second: Any,
        kind: str,
        *,
        categories: Sequence[Any] | None = None,
        clusters: Iterable[Hashable] | None = None,
    ) -> Ratings:
        """Make ratings from two sequences of equal length, one per rater."""
        one, two = pd.Series(first), pd.Series(second)
        if len(one) != len(two):
            raise DataError(
                "the two raters must have rated the same items",
                found=f"{len(one)} and {len(two)} ratings",
                expected="two sequences of equal length",
            )
        names = [str(one.name or "rater 1"), str(two.name or "rater 2")]
        if names[0] == names[1]:
            names = ["rater 1", "rater 2"]
        frame = pd.DataFrame(
            {names[0]: one.reset_index(drop=True), names[1]: two.reset_index(drop=True)}
        )
        return cls.from_table(frame, kind, categories=categories, clusters=clusters)

    @classmethod
    def from_long(
        cls,
        table: pd.DataFrame,
        kind: str,
        *,
        item: str = "item",
        rater: str = "rater",
        rating: str = "rating",
        cluster: str | None = None,
        categories: Sequence[Any] | None = None,
        source: str = "",
    ) -> Ratings:
        """Make ratings from a long table, one row per rating.

        Raises
        ------
        DataError
            A column is missing, or a rater rated an item twice.
        """
        frame = pd.DataFrame(table).reset_index(drop=True)
        lines = list(range(1, len(frame) + 1))
        return build_long(
            frame,
            kind,
            item=item,
            rater=rater,
            rating=rating,
            cluster=cluster,
            categories=categories,
            source=source,
            lines=lines,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        kind: str = "nominal",
        *,
        categories: Sequence[Any] | None = None,
        source: str = "",
    ) -> Ratings:
        """Make ratings from counts, shape (n_items, q): raters per item and category.

        Who gave which rating is not known, so columns of the result are slots, not raters.
        """
        frame = pd.DataFrame(counts)
        labels = tuple(frame.columns) if categories is None else tuple(categories)
        if kind == "continuous":
            raise ParameterError("counts per category are nominal or ordinal data, not continuous.")
        if len(labels) != frame.shape[1]:
            raise ParameterError(
                f"{frame.shape[1]} columns of counts need as many categories; found {len(labels)}."
            )
        table = _whole_numbers(frame, source)
        slots = max(int(table.sum(axis=1).max(initial=0)), 1)
        values = np.full((len(table), slots), np.nan)
        for row, line in enumerate(table):
            codes = np.repeat(np.arange(len(labels)), line)
            values[row, : len(codes)] = codes
        names = tuple(f"slot {slot + 1}" for slot in range(slots))
        made = cls(
            values=values,
            kind=check_kind(kind),
            items=tuple(map(str, frame.index)),
            raters=names,
            categories=labels,
            declared=True,
            identified=False,
            source=source,
        )
        return _checked(made)

    @classmethod
    def from_contingency(
        cls,
        table: Any,
        kind: str = "nominal",
        *,
        categories: Sequence[Any] | None = None,
        raters: tuple[str, str] = ("rater 1", "rater 2"),
        source: str = "",
    ) -> Ratings:
        """Make ratings of two raters from their q x q table of counts (rows: the first rater)."""
        frame = pd.DataFrame(table)
        if frame.shape[0] != frame.shape[1]:
            raise DataError(
                "a contingency table of two raters must be square",
                file=source or None,
                found=f"{frame.shape[0]} rows and {frame.shape[1]} columns",
                expected="the same categories, in the same order, down and across",
            )
        labels = tuple(frame.columns) if categories is None else tuple(categories)
        if len(labels) != frame.shape[0]:
            raise ParameterError(
                f"the table has {frame.shape[0]} categories; {len(labels)} were declared."
            )
        cells = _whole_numbers(frame, source)
        rows, columns = np.indices(cells.shape)
        codes = np.column_stack(
            [np.repeat(rows.ravel(), cells.ravel()), np.repeat(columns.ravel(), cells.ravel())]
        )
        made = cls(
            values=codes.astype(float),
            kind=check_kind(kind),
            items=tuple(str(number + 1) for number in range(len(codes))),
            raters=raters,
            categories=labels,
            declared=True,
            source=source,
        )
        return _checked(made)


def as_ratings(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
) -> Ratings:
    """Return ``first`` as ratings: already ratings, two sequences, or a table of items x raters."""
    if isinstance(first, Ratings):
        if second is not None:
            raise ParameterError("ratings were given twice: pass Ratings alone.")
        if categories is not None and tuple(categories) != first.categories:
            raise ParameterError("categories are already declared in these ratings.")
        return first
    if second is not None:
        return Ratings.from_pair(first, second, kind, categories=categories)
    return Ratings.from_table(first, kind, categories=categories)


# ---- checks ------------------------------------------------------------------------------


def check_kind(kind: str) -> Kind:
    """Return ``kind`` when it is one of the three levels of measurement."""
    if kind not in KINDS:
        raise ParameterError(
            f"unknown kind of data '{kind}'; expected nominal, ordinal or continuous."
        )
    return cast(Kind, kind)


def canonical(label: Any) -> Any:
    """Return a label in the form used for comparison: 1, 1.0 and "1" are the same category."""
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    text = str(label).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return str(int(number)) if number.is_integer() else repr(number)


def _check_categories(categories: Sequence[Any]) -> tuple[Any, ...]:
    labels = tuple(categories)
    repeated = [
        label for label, times in Counter(canonical(label) for label in labels).items() if times > 1
    ]
    if repeated:
        raise ParameterError(f"category '{repeated[0]}' is declared twice.")
    if len(labels) < 2:
        raise ParameterError(f"a scale needs at least two categories; found {len(labels)}.")
    return labels


def _natural_order(labels: set[Any]) -> tuple[Any, ...]:
    def key(label: Any) -> tuple[int, float, str]:
        try:
            return (0, float(label), "")
        except ValueError:
            return (1, 0.0, str(label))

    return tuple(sorted(labels, key=key))


def _categorical_levels(frame: pd.DataFrame) -> tuple[tuple[Any, ...] | None, bool]:
    """Return the levels shared by pandas categorical columns, and whether they are ordered."""
    kinds = [frame[column].dtype for column in frame.columns]
    if not kinds or not all(isinstance(kind, pd.CategoricalDtype) for kind in kinds):
        return None, False
    levels = {tuple(cast(pd.CategoricalDtype, kind).categories) for kind in kinds}
    if len(levels) != 1:
        raise DataError(
            "the raters' categorical columns declare different levels",
            found="; ".join(", ".join(map(str, one)) for one in sorted(levels, key=str)),
            expected="one set of levels, in one order",
        )
    return levels.pop(), all(cast(pd.CategoricalDtype, kind).ordered for kind in kinds)


def _scale(
    frame: pd.DataFrame, kind: Kind, categories: Sequence[Any] | None, source: str
) -> tuple[tuple[Any, ...], bool]:
    """Return the categories and whether they were declared."""
    if categories is not None:
        return _check_categories(categories), True
    levels, ordered = _categorical_levels(frame)
    if levels is not None and (kind == "nominal" or ordered):
        return _check_categories(levels), True
    seen = {canonical(label) for label in frame.to_numpy(dtype=object).ravel() if not _empty(label)}
    observed = _natural_order(seen)
    if kind == "ordinal":
        raise ParameterError(
            f"{source + ': ' if source else ''}ordinal ratings need their categories declared, "
            "lowest to highest, unused ones included; found the labels "
            + ", ".join(map(str, observed[:20]))
            + ("…" if len(observed) > 20 else "")
            + "; expected for instance categories=["
            + ", ".join(f'"{label}"' for label in observed[:5])
            + (", …" if len(observed) > 5 else "")
            + "] in the order of the scale."
        )
    return observed, False


def _empty(cell: Any) -> bool:
    return (
        cell is None
        or cell is pd.NA
        or cell is pd.NaT
        or (isinstance(cell, (float, np.floating)) and math.isnan(cell))
    )


def build_wide(
    frame: pd.DataFrame,
    kind: str,
    *,
    categories: Sequence[Any] | None,
    clusters: Iterable[Hashable] | None,
    source: str,
    lines: list[Any] | None,
) -> Ratings:
    """Check a table of items x raters; ``lines`` are the rows' places in the source."""
    checked = check_kind(kind)
    if checked == "continuous" and categories is not None:
        raise ParameterError("continuous ratings have no categories; leave categories out.")
    _check_shape(frame, source)
    rows = lines if lines is not None else list(frame.index)
    if checked == "continuous":
        values, labels, declared = _scores(frame, rows, source), None, False
    else:
        labels, declared = _scale(frame, checked, categories, source)
        values = _codes(frame, labels, rows, source)
    made = Ratings(
        values=values,
        kind=checked,
        items=tuple(map(str, frame.index)),
        raters=tuple(map(str, frame.columns)),
        categories=labels,
        declared=declared,
        clusters=_cluster_labels(clusters, len(frame), source),
        source=source,
    )
    return _checked(made)


def _cluster_labels(
    clusters: Iterable[Hashable] | None, n_items: int, source: str
) -> np.ndarray | None:
    if clusters is None:
        return None
    labels = pd.Series(list(clusters), dtype=object)
    if len(labels) != n_items:
        raise DataError(
            "every item needs its cluster",
            file=source or None,
            found=f"{len(labels)} cluster labels for {n_items} items",
        )
    if labels.isna().any():
        raise DataError(
            "an item has no cluster",
            file=source or None,
            row=int(labels.isna().to_numpy().argmax()) + 1,
            found="an empty cell",
            expected="the identifier of the cluster, for instance of the patient",
        )
    return labels.to_numpy()


def _check_shape(frame: pd.DataFrame, source: str) -> None:
    if len(frame) == 0:
        raise DataError(
            "there are no ratings",
            file=source or None,
            found="no rows",
            expected="one row per item, one column per rater",
        )
    if frame.shape[1] < 2:
        raise DataError(
            "agreement needs at least two raters",
            file=source or None,
            found=f"{frame.shape[1]} rater"
            + (f" ('{frame.columns[0]}')" if frame.shape[1] else ""),
            expected="one column per rater (or a long table with item, rater and rating)",
        )
    twice = [name for name, times in Counter(map(str, frame.columns)).items() if times > 1]
    if twice:
        raise DataError(
            "two raters have the same name",
            file=source or None,
            column=twice[0],
            found=f"'{twice[0]}' {Counter(map(str, frame.columns))[twice[0]]} times",
            expected="a name of its own for every column",
        )


def _scores(frame: pd.DataFrame, rows: list[Any], source: str) -> np.ndarray:
    values = np.full(frame.shape, np.nan)
    cells = frame.to_numpy(dtype=object)
    for (row, column), cell in np.ndenumerate(cells):
        if _empty(cell):
            continue
        try:
            number = float(cell)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise DataError(
                "a score is not a number",
                file=source or None,
                row=rows[row],
                column=str(frame.columns[column]),
                found=f"'{cell}'",
                expected="a finite number with a decimal point, or an empty cell",
            )
        values[row, column] = number
    return values


def _codes(
    frame: pd.DataFrame, labels: tuple[Any, ...], rows: list[Any], source: str
) -> np.ndarray:
    code = {canonical(label): number for number, label in enumerate(labels)}
    values = np.full(frame.shape, np.nan)
    cells = frame.to_numpy(dtype=object)
    for (row, column), cell in np.ndenumerate(cells):
        if _empty(cell):
            continue
        number = code.get(canonical(cell))
        if number is None:
            raise DataError(
                "unknown category",
                file=source or None,
                row=rows[row],
                column=str(frame.columns[column]),
                found=f"'{cell}'",
                expected="one of " + ", ".join(map(str, labels)),
            )
        values[row, column] = number
    return values


def _whole_numbers(frame: pd.DataFrame, source: str) -> np.ndarray:
    cells = frame.to_numpy(dtype=object)
    for (row, column), cell in np.ndenumerate(cells):
        try:
            fine = float(cell) >= 0 and float(cell).is_integer()
        except (TypeError, ValueError):
            fine = False
        if not fine:
            raise DataError(
                "a count is not a whole number",
                file=source or None,
                row=str(frame.index[row]),
                column=str(frame.columns[column]),
                found=f"'{cell}'",
                expected="0, 1, 2 …",
            )
    return cells.astype(float).astype(int)


def _checked(made: Ratings) -> Ratings:
    """Drop and count items nobody rated; refuse tables with nothing to compare."""
    rated = ~np.isnan(made.values).all(axis=1)
    if not rated.any():
        raise DataError(
            "nothing was rated",
            file=made.source or None,
            found=f"{made.n_items * made.n_raters} empty cells",
            expected="at least one item rated by two raters",
        )
    made = replace(made.rows(rated), n_dropped=int((~rated).sum()))
    if made.identified:
        silent = np.isnan(made.values).all(axis=0)
        if silent.any():
            raise DataError(
                "a rater rated nothing",
                file=made.source or None,
                column=made.raters[int(silent.argmax())],
                found="only empty cells",
                expected="at least one rating per rater; leave the column out",
            )
    if (~np.isnan(made.values)).sum(axis=1).max() < 2:
        raise DataError(
            "no item was rated by two raters",
            file=made.source or None,
            found=f"{made.n_items} items with one rating each",
            expected="at least one item that two raters rated",
        )
    return made


def build_long(
    frame: pd.DataFrame,
    kind: str,
    *,
    item: str,
    rater: str,
    rating: str,
    cluster: str | None,
    categories: Sequence[Any] | None,
    source: str,
    lines: list[int],
) -> Ratings:
    """Pivot a long table, checked; ``lines`` are the rows' places in the source."""
    for column in filter(None, (item, rater, rating, cluster)):
        if column not in frame.columns:
            raise DataError(
                f"there is no column '{column}'",
                file=source or None,
                found=", ".join(map(str, frame.columns)),
                expected=f"columns {item}, {rater} and {rating}",
            )
    for column in (item, rater):
        blank = frame[column].isna().to_numpy()
        if blank.any():
            raise DataError(
                "a rating belongs to nobody" if column == rater else "a rating belongs to no item",
                file=source or None,
                row=lines[int(blank.argmax())],
                column=column,
                found="an empty cell",
            )
    _no_repeats(frame, item, rater, rating, source, lines)
    items = pd.unique(frame[item])
    raters = pd.unique(frame[rater])
    cells = pd.DataFrame(index=items, columns=raters, dtype=object)
    where = (pd.Index(items).get_indexer(frame[item]), pd.Index(raters).get_indexer(frame[rater]))
    grid = np.full((len(items), len(raters)), None, dtype=object)
    grid[where] = frame[rating].to_numpy(dtype=object)
    cells.iloc[:, :] = grid
    _check_cells(frame, kind, categories, rating, source, lines)
    clusters = None if cluster is None else _one_cluster_each(frame, item, cluster, source, lines)
    return build_wide(
        cells,
        kind,
        categories=categories,
        clusters=clusters,
        source=source,
        lines=[f"of item {name}" for name in items],
    )


def _check_cells(
    frame: pd.DataFrame,
    kind: str,
    categories: Sequence[Any] | None,
    rating: str,
    source: str,
    lines: list[int],
) -> None:
    """Check the ratings where they stand in the file, so that an error names its line."""
    column = frame[[rating]]
    if kind == "continuous":
        _scores(column, lines, source)
    elif categories is not None:
        _codes(column, _check_categories(categories), lines, source)


def _no_repeats(
    frame: pd.DataFrame, item: str, rater: str, rating: str, source: str, lines: list[int]
) -> None:
    repeated = frame.duplicated([item, rater]).to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    same = (frame[item] == frame[item].iloc[second]) & (frame[rater] == frame[rater].iloc[second])
    first = int(same.to_numpy().argmax())
    raise DataError(
        f"rater '{frame[rater].iloc[second]}' rated item '{frame[item].iloc[second]}' twice",
        file=source or None,
        row=lines[second],
        column=rating,
        found=f"'{frame[rating].iloc[second]}' after '{frame[rating].iloc[first]}' in row "
        f"{lines[first]} ({int(repeated.sum())} such rows in all)",
        expected="one rating per item and rater",
    )


def _one_cluster_each(
    frame: pd.DataFrame, item: str, cluster: str, source: str, lines: list[int]
) -> list[Any]:
    groups = frame.groupby(item, sort=False)[cluster]
    if groups.nunique(dropna=False).max() > 1:
        first = groups.transform("first")
        row = int((frame[cluster] != first).to_numpy().argmax())
        raise DataError(
            f"item '{frame[item].iloc[row]}' belongs to two clusters",
            file=source or None,
            row=lines[row],
            column=cluster,
            found=f"'{frame[cluster].iloc[row]}' after '{first.iloc[row]}'",
            expected="one cluster per item",
        )
    return list(groups.first())
