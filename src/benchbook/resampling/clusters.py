"""Which items travel together in a resample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError


def cluster_codes(cluster: Any, n_items: int) -> tuple[np.ndarray, int]:
    """Give each cluster a number, and each item the number of its cluster.

    Parameters
    ----------
    cluster : sequence of hashable, or None
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
    if cluster is None:
        return np.arange(n_items), n_items
    ids = _one_dimensional(cluster)
    if len(ids) != n_items:
        raise DataError(
            "the number of cluster ids is not the number of items",
            column="cluster",
            found=f"{len(ids)} ids",
            expected=f"{n_items}, one per item",
        )
    codes = _number_array(ids) if isinstance(ids, np.ndarray) else _number_objects(ids)
    n_clusters = int(codes.max(initial=-1)) + 1
    if n_clusters == 1:
        raise ParameterError(
            "Resampling clusters needs at least two of them, and all "
            f"{n_items} items belong to cluster '{ids[0]}': with one cluster every resample is "
            "the data themselves, so nothing can be learnt about the spread between clusters."
        )
    return codes, n_clusters


def _one_dimensional(cluster: Any) -> np.ndarray | list[Any]:
    """Return plain numbers, texts and dates as an array, anything else as a list."""
    if hasattr(cluster, "to_numpy"):
        cluster = cluster.to_numpy()
    if isinstance(cluster, np.ndarray):
        if cluster.ndim != 1:
            raise DataError(
                "the cluster ids are not a vector",
                column="cluster",
                found=f"an array of shape {cluster.shape}",
                expected="one id per item",
            )
        return cluster if cluster.dtype.kind in "biufUSM" else list(cluster)
    if isinstance(cluster, str) or not isinstance(cluster, Iterable):
        raise DataError(
            "the cluster ids are not a sequence",
            column="cluster",
            found=repr(cluster),
            expected="one id per item",
        )
    return list(cluster)


def _number_array(ids: np.ndarray) -> np.ndarray:
    texts = ids.dtype.kind in "US"
    # NaN and NaT differ from themselves.
    missing = np.char.str_len(np.char.strip(ids)) == 0 if texts else ids != ids
    if missing.any():
        position = int(np.argmax(missing))
        raise _missing_id(position, ids[position])
    return np.unique(ids, return_inverse=True)[1]


def _number_objects(ids: list[Any]) -> np.ndarray:
    numbers: dict[Any, int] = {}
    codes = np.empty(len(ids), dtype=np.int64)
    for position, one in enumerate(ids):
        try:
            codes[position] = numbers.setdefault(one, len(numbers))
        except TypeError as error:
            raise DataError(
                "the cluster id cannot be used as a key",
                row=position + 1,
                column="cluster",
                found=repr(one),
                expected="text, a number, or another hashable value",
            ) from error
        if _is_missing(one):
            raise _missing_id(position, one)
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


def _missing_id(position: int, found: Any) -> DataError:
    if isinstance(found, np.generic):
        found = str(found)
    return DataError(
        "the cluster id is missing",
        row=position + 1,
        column="cluster",
        found=repr(found),
        expected="an id for every item; an item alone is a cluster with an id of its own",
    )
