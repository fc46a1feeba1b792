"""The checked table that every agreement statistic reads."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, ParameterError, nearest, quoted
from . import shapes
from .cells import Origin
from .labels import Kind, canonical, category_values
from .long import long
from .tables import chosen_raters, side_by_side


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Items x raters, checked.

    Made by the ``from_…`` methods or by `benchbook.read_ratings`, which check what this class
    takes for granted: at least two raters, at least one item that two of them rated, no rater and
    no item without a rating. A selection keeps the scale it was made from, and may leave nothing
    to compare; statistics are then undefined.

    Attributes
    ----------
    values : ndarray of float, shape (n_items, n_raters)
        Category codes 0 … q-1 for nominal and ordinal data, scores for continuous data; NaN
        where a rater did not rate an item. Read-only.
    kind : {"nominal", "ordinal", "continuous"}
        Level of measurement.
    items, raters : tuple of str
        Names of the rows and columns.
    categories : tuple or None
        Category labels, lowest to highest for ordinal data; None for continuous data. Declared
        labels as they were declared, observed ones as text.
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

    def __post_init__(self) -> None:
        # Statistics share the table; one that wrote into it would spoil the next.
        self.values.flags.writeable = False

    def __repr__(self) -> str:
        scale = "" if self.categories is None else f", {self.n_categories} categories"
        return (
            f"<Ratings: {self.n_items} items x {self.n_raters} "
            f"{'raters' if self.identified else 'slots'}, {self.kind}{scale}, "
            f"{self.n_missing} missing>"
        )

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
        return category_values(self._labels())

    def _labels(self) -> tuple[Any, ...]:
        if self.categories is None:
            raise ParameterError(
                "categories are needed and the data are continuous; for scores use an intraclass "
                "correlation, for instance ICC(2,1)."
            )
        return self.categories

    def frame(self) -> pd.DataFrame:
        """Return the table with labels in place of codes (missing cells are NaN)."""
        data: Any = self.values.copy()
        if self.categories is not None:
            labels = np.empty(len(self.categories) + 1, dtype=object)
            labels[:] = [*self.categories, np.nan]
            data = labels[np.where(np.isnan(data), -1, data).astype(int)]
        return pd.DataFrame(data, index=list(self.items), columns=list(self.raters))

    def counts(self) -> np.ndarray:
        """Return how many raters put each item in each category, shape (n_items, q)."""
        q = len(self._labels())
        rows, columns = np.nonzero(~np.isnan(self.values))
        cells = rows * q + self.values[rows, columns].astype(np.int64)
        counted = np.bincount(cells, minlength=self.n_items * q)
        return counted.reshape(self.n_items, q).astype(float)

    # ---- parts of it ---------------------------------------------------------------------

    def select(self, raters: Sequence[str]) -> Ratings:
        """Return the ratings of some raters only, in that order.

        Items none of them rated are dropped, and counted in ``n_dropped``.

        Raises
        ------
        ParameterError
            A name that is not a rater's or is given twice, no name, or ratings that came as
            counts.
        """
        self._need_identified("a choice of raters")
        columns = [self._position(name) for name in chosen_raters(raters, least=1)]
        part = replace(
            self,
            values=self.values[:, columns],
            raters=tuple(self.raters[column] for column in columns),
        )
        rated = ~np.isnan(part.values).all(axis=1)
        return replace(part.rows(rated), n_dropped=self.n_dropped + int((~rated).sum()))

    def drop(self, rater: str) -> Ratings:
        """Return the ratings without one rater."""
        self._need_identified("leaving out a rater")
        position = self._position(canonical(rater))
        return self.select([*self.raters[:position], *self.raters[position + 1 :]])

    def pair(self, first: str, second: str) -> Ratings:
        """Return two raters on the items both of them rated, which may be none."""
        chosen = self.select([first, second])
        return chosen.rows(~np.isnan(chosen.values).any(axis=1))

    def rows(self, keep: np.ndarray) -> Ratings:
        """Return the items where ``keep`` (bool, shape (n_items,)) is true."""
        chosen = np.asarray(keep)
        if chosen.dtype != bool or chosen.shape != (self.n_items,):
            raise ParameterError(
                f"rows takes one truth value per item; found {chosen.dtype} of shape "
                f"{chosen.shape} for {self.n_items} items."
            )
        values = self.values[chosen]
        return replace(
            self,
            values=values,
            items=tuple(compress(self.items, chosen)),
            clusters=None if self.clusters is None else self.clusters[chosen],
            n_missing=int(np.isnan(values).sum()),
        )

    def _position(self, name: str) -> int:
        if name not in self.raters:
            raise ParameterError(f"unknown rater {quoted(name)}; {nearest(name, self.raters)}")
        return self.raters.index(name)

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
            Labels or scores; missing cells are None, NaN, pandas' NA, or blank text.
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
            is not a finite number, two rows of one name.
        ParameterError
            Unknown kind, categories missing for ordinal data or repeated.
        """
        origin = _origin(table, source)
        return cls(
            **shapes.wide(table, kind, categories=categories, clusters=clusters, origin=origin)
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
        """Make ratings from two sequences of equal length, one per rater.

        The sequences are taken position by position. Two pandas Series give the raters their
        names, and the items theirs when both have the same index.

        Raises
        ------
        DataError
            Sequences of different length, or Series with the same items in another order; and as
            `from_table`.
        """
        frame = side_by_side(first, second)
        return cls.from_table(frame, kind, categories=categories, clusters=clusters)

    @classmethod
    def from_long(
        cls,
        table: pd.DataFrame,
        kind: str,
        *,
        item: str | Sequence[str] = "item",
        rater: str = "rater",
        rating: str = "rating",
        cluster: str | None = None,
        categories: Sequence[Any] | None = None,
        source: str = "",
    ) -> Ratings:
        """Make ratings from a long table, one row per rating.

        Several columns may identify the item together, for instance item and replicate. A row
        whose rating is missing says that the item was not rated.

        Raises
        ------
        DataError
            A column is missing, a rater rated an item twice, an item in two clusters; and as
            `from_table`.
        """
        frame = pd.DataFrame(table)
        return cls(
            **long(
                frame,
                kind,
                item=[item] if isinstance(item, str) else list(item),
                rater=rater,
                rating=rating,
                cluster=cluster,
                categories=categories,
                origin=_origin(frame, source),
            )
        )

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        kind: str = "nominal",
        *,
        categories: Sequence[Any] | None = None,
        clusters: Iterable[Hashable] | None = None,
        source: str = "",
    ) -> Ratings:
        """Make ratings from counts, shape (n_items, q): raters per item and category.

        Who gave which rating is not known, so columns of the result are slots, not raters.

        Parameters
        ----------
        counts : DataFrame or array-like, shape (n_items, q)
            Whole numbers. The columns of a DataFrame name the categories.
        kind : {"nominal", "ordinal"}
            Level of measurement.
        categories : sequence, optional
            The whole scale. It names the columns of an array, and puts those of a DataFrame in
            order; text labels of ordinal data need it.
        clusters : iterable, optional
            Cluster of each item, length n_items.
        source : str
            Name used in error messages.

        Raises
        ------
        DataError
            A cell that is no count, a column that is no category, no item with two ratings.
        ParameterError
            Continuous data, categories that are missing, repeated, or of another number.
        """
        return cls(
            **shapes.counts(
                counts,
                kind,
                categories=categories,
                clusters=clusters,
                origin=_origin(counts, source),
            )
        )

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
        """Make ratings of two raters from their q x q table of counts (rows: the first rater).

        Parameters are those of `from_counts`. Rows and columns of a DataFrame are matched by
        their labels, whatever their order.

        Raises
        ------
        DataError
            A cell that is no count, a table that is not square, other labels down than across.
        ParameterError
            As `from_counts`; or other than two raters' names.
        """
        return cls(
            **shapes.contingency(
                table, kind, categories=categories, raters=raters, origin=_origin(table, source)
            )
        )


def as_ratings(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
) -> Ratings:
    """Return ``first`` as ratings: already ratings, two sequences, or a table of items x raters.

    ``kind`` describes sequences and tables; ratings have their own.

    Raises
    ------
    DataError
        A table that looks like the counts of a cross-table, among others.
    """
    if isinstance(first, Ratings):
        if second is not None:
            raise ParameterError("ratings were given twice: pass Ratings alone.")
        own = None if first.categories is None else [*map(canonical, first.categories)]
        if categories is not None and [*map(canonical, categories)] != own:
            raise ParameterError("categories are already declared in these ratings.")
        return first
    if second is not None:
        return Ratings.from_pair(first, second, kind, categories=categories)
    if kind != "continuous" and shapes.looks_like_contingency(first, categories):
        raise DataError(
            "this looks like the cross-table of two raters, whose cells are numbers of items, and "
            "was given where ratings are expected",
            found=" × ".join(map(str, np.shape(first))) + " whole numbers",
            expected="Ratings.from_contingency(table, categories=[…]) for counts; if these are "
            "ratings, a row per item and a column per rater: Ratings.from_table(table, kind)",
        )
    return Ratings.from_table(first, kind, categories=categories)


def _origin(table: Any, source: str) -> Origin:
    """Return the places of a table's rows: the labels of a DataFrame, else numbers from 0."""
    return Origin(source, list(table.index) if isinstance(table, pd.DataFrame) else None)
