"""Which items travel together in a resample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError

_CLOSE_RANGE = 2**16  # ids in a range this small are looked up however few there are


@dataclass(frozen=True, eq=False)
class Stratified:
    """Clusters that are drawn within strata, each stratum keeping its number of clusters.

    Given as the ``cluster`` argument of the bootstrap functions. Strata are for designs that
    fixed the numbers, such as so many cases and so many controls; elsewhere they make intervals
    too narrow.

    Parameters
    ----------
    strata : sequence of hashable
        Stratum of each item; the items of a cluster must be of one stratum.
    cluster : sequence of hashable, optional
        Cluster id of each item; by default every item is its own cluster.

    Examples
    --------
    >>> from benchbook.resampling import Stratified, bootstrap, mean_statistic
    >>> design = Stratified(strata=["case", "case", "control", "control"])
    >>> estimate = bootstrap(mean_statistic([1.0, 1.0, 0.0, 0.0]), cluster=design)
    >>> estimate.low, estimate.high  # so many cases in every resample
    (0.5, 0.5)
    """

    strata: Any
    cluster: Any = None


def stratum_of_each(cluster: Any, codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the stratum of each cluster, 0 to n_strata - 1; all 0 without strata.

    Parameters
    ----------
    cluster : sequence of hashable, Stratified, or None
        As given to the bootstrap functions.
    codes : ndarray of int, shape (n_items,)
        Cluster of each item, from :func:`cluster_codes`.
    n_clusters : int

    Raises
    ------
    DataError
        When a stratum is missing, or a cluster is in two.
    ParameterError
        When every stratum has one cluster only.
    """
    strata = np.zeros(n_clusters, dtype=np.int64)
    if not isinstance(cluster, Stratified) or n_clusters == 0:
        return strata
    of_item = _numbered(cluster.strata, codes.size, "stratum")[0]
    strata[codes] = of_item
    apart = np.flatnonzero(strata[codes] != of_item)
    if apart.size:
        raise DataError(
            "the items of a cluster are in two strata",
            row=int(apart[0]) + 1,
            column="stratum",
            expected="one stratum for all items of a cluster; strata hold whole clusters",
        )
    if n_clusters > 1 and np.bincount(strata).max() == 1:
        raise ParameterError(
            "Resampling within strata needs at least two clusters in one of them, and each of the "
            f"{n_clusters} strata has a single one: every resample would be the data themselves."
        )
    return strata


def cluster_codes(cluster: Any, n_items: int) -> tuple[np.ndarray, int]:
    """Give each cluster a number, and each item the number of its cluster.

    Parameters
    ----------
    cluster : sequence of hashable, Stratified, or None
        One id per item; None makes every item its own cluster.
    n_items : int
        Number of items.

    Returns
    -------
    codes : ndarray of int, shape (n_items,)
        Cluster of each item, 0 to n_clusters - 1.
    n_clusters : int

    Raises
    ------
    DataError
        When an id is missing or cannot be hashed, or the number of ids is not ``n_items``.
    ParameterError
        When there are items, but only one cluster.
    """
    if isinstance(cluster, Stratified):
        cluster = cluster.cluster
    if cluster is None:
        return np.arange(n_items), n_items
    codes, ids = _numbered(cluster, n_items, "cluster")
    n_clusters = int(codes.max(initial=-1)) + 1
    if n_clusters == 1:
        raise ParameterError(
            "Resampling clusters needs at least two of them, and all "
            f"{n_items} items belong to cluster '{ids[0]}': with one cluster every resample is "
            "the data themselves, so nothing can be learnt about the spread between clusters."
        )
    return codes, n_clusters


def _numbered(labels: Any, n_items: int, what: str) -> tuple[np.ndarray, Any]:
    """Give each distinct label a number; return the number of each item, and the labels."""
    ids = _one_dimensional(labels, what)
    if len(ids) != n_items:
        raise DataError(
            f"the number of {what} ids is not the number of items",
            column=what,
            found=f"{len(ids)} ids",
            expected=f"{n_items}, one per item",
        )
    codes = _number_array(ids, what) if isinstance(ids, np.ndarray) else _number_objects(ids, what)
    return codes, ids


def _one_dimensional(cluster: Any, what: str) -> np.ndarray | list[Any]:
    """Return plain numbers, texts and dates as an array, anything else as a list."""
    if hasattr(cluster, "to_numpy"):
        cluster = cluster.to_numpy()
    if isinstance(cluster, np.ndarray):
        if cluster.ndim != 1:
            raise DataError(
                f"the {what} ids are not a vector",
                column=what,
                found=f"an array of shape {cluster.shape}",
                expected="one id per item",
            )
        return cluster if cluster.dtype.kind in "biufUSM" else list(cluster)
    if isinstance(cluster, str) or not isinstance(cluster, Iterable):
        raise DataError(
            f"the {what} ids are not a sequence",
            column=what,
            found=repr(cluster),
            expected="one id per item",
        )
    return list(cluster)


def _number_array(ids: np.ndarray, what: str) -> np.ndarray:
    texts = ids.dtype.kind in "US"
    # NaN and NaT differ from themselves.
    missing = np.char.str_len(np.char.strip(ids)) == 0 if texts else ids != ids
    if missing.any():
        position = int(np.argmax(missing))
        raise _missing_id(position, ids[position], what)
    return _number_whole(ids) if ids.dtype.kind in "iu" else np.unique(ids, return_inverse=True)[1]


def _number_whole(ids: np.ndarray) -> np.ndarray:
    """Return the place of each whole-number id in ascending order; close ids are looked up."""
    low, high = (int(ids.min()), int(ids.max())) if ids.size else (0, 0)
    if high - low >= max(_CLOSE_RANGE, 2 * ids.size):
        return np.unique(ids, return_inverse=True)[1]
    # Sorting tens of millions of ids takes longer than the bootstrap that follows.
    place = (ids.astype(np.int64, copy=False) if high < 2**63 else ids) - low
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[place] = True
    number = np.cumsum(seen) - 1
    return number[place]


def _number_objects(ids: list[Any], what: str) -> np.ndarray:
    numbers: dict[Any, int] = {}
    codes = np.empty(len(ids), dtype=np.int64)
    for position, one in enumerate(ids):
        try:
            codes[position] = numbers.setdefault(one, len(numbers))
        except TypeError as error:
            raise DataError(
                f"the {what} id cannot be used as a key",
                row=position + 1,
                column=what,
                found=repr(one),
                expected="text, a number, or another hashable value",
            ) from error
        if _is_missing(one):
            raise _missing_id(position, one, what)
    return codes


def _is_missing(one: Any) -> bool:
    if one is None or (isinstance(one, str) and not one.strip()):
        return True
    if isinstance(one, tuple):
        return any(_is_missing(part) for part in one)
    try:
        return bool(one != one)  # NaN and NaT differ from themselves
    except TypeError:  # pandas.NA refuses to say
        return True


def _missing_id(position: int, found: Any, what: str) -> DataError:
    if isinstance(found, np.generic):
        found = str(found)
    return DataError(
        f"the {what} id is missing",
        row=position + 1,
        column=what,
        found=repr(found),
        expected=f"an id for every item; an item alone is a {what} with an id of its own",
    )
