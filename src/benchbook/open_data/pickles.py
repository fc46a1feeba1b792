"""Reading NumPy arrays from pickles of strangers without running what a pickle may hold.

A pickle is a program. Here it can name stand-ins for the parts of an array and for
scikit-learn's MultiLabelBinarizer, which only keep what they are given; everything else is refused
before it runs. The array is put together afterwards, from bytes, by our own code.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError


class LabelNames:
    """Stand-in for ``sklearn.preprocessing.MultiLabelBinarizer``: keeps the names of its labels.

    Attributes
    ----------
    names : list
        Names of the labels in the order of the columns.
    """

    names: list[Any]

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict) or not isinstance(state.get("classes_"), _Array):
            raise pickle.UnpicklingError("a MultiLabelBinarizer without classes_")
        self.names = state["classes_"].values()


class _Type:
    """Stand-in for ``numpy.dtype``: the kind and width of a cell, and the order of its bytes."""

    def __init__(self, code: Any, *_: Any) -> None:
        if not isinstance(code, str) or code not in _CODES:
            raise pickle.UnpicklingError(f"an array of {code!r}")
        self.code, self.order = code, "|"

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) < 2 or state[1] not in ("<", ">", "|"):
            raise pickle.UnpicklingError("an array of an unusual type")
        self.order = state[1]


class _Array:
    """Stand-in for ``numpy.ndarray``: the pieces of an array, put together by `values`."""

    def __init__(self, *_: Any) -> None:
        self.state: tuple[Any, ...] = ()

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5 or not isinstance(state[2], _Type):
            raise pickle.UnpicklingError("an array of an unusual form")
        self.state = state

    def values(self) -> Any:
        """Return an array of numbers, or a list of whatever else the array held."""
        if not self.state:
            raise pickle.UnpicklingError("an array without content")
        _, shape, kind, by_column, content = self.state
        if kind.code[0] == "O":
            return list(content)
        # Copies, and checks the number of bytes: nothing of the pickle is taken on trust.
        cells = np.frombuffer(content, dtype=kind.order + kind.code).copy()
        return cells.reshape(shape, order="F" if by_column else "C")


_CODES = {"O", "O8", "b1", *(f"{kind}{width}" for kind in "iu" for width in (1, 2, 4, 8))}
_CODES |= {"f2", "f4", "f8"}
_NDARRAY = object()  # what a pickle names as the kind of array; never called


def _reconstruct(kind: Any, *_: Any) -> _Array:
    if kind is not _NDARRAY:
        raise pickle.UnpicklingError("an array of an unusual kind")
    return _Array()


def _encode(text: Any, codec: Any) -> bytes:
    """Turn text into bytes, as pickles of protocol 2 hold them."""
    if not isinstance(text, str) or codec != "latin1":
        raise pickle.UnpicklingError("bytes in an unusual encoding")
    return text.encode("latin1")


_KNOWN: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): _Type,
    ("_codecs", "encode"): _encode,
    ("sklearn.preprocessing._label", "MultiLabelBinarizer"): LabelNames,
    ("sklearn.preprocessing.label", "MultiLabelBinarizer"): LabelNames,
}


class _Arrays(pickle.Unpickler):
    """Knows the stand-ins above by the names a pickle uses, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it wants to call {module}.{name}")
        return _KNOWN[module, name]

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to something outside itself")


def _load(path: Path) -> Any:
    try:
        with path.open("rb") as stream:
            found = _Arrays(stream).load()
            return found.values() if isinstance(found, _Array) else found
    except Exception as problem:  # a broken pickle raises almost anything
        raise DataError(
            f"the pickle is refused: {problem}", file=path.name, expected="a NumPy array, no more"
        ) from None


def read_array(path: Path) -> NDArray[Any]:
    """Return the array of numbers a pickle holds.

    Raises
    ------
    DataError
        A pickle of anything else, or a broken one.
    """
    found = _load(path)
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "biuf":
        raise DataError(
            "the pickle holds no array of numbers", file=path.name, found=type(found).__name__
        )
    return found


def read_label_names(path: Path) -> list[str]:
    """Return the names of the labels a pickled MultiLabelBinarizer holds.

    Raises
    ------
    DataError
        A pickle of anything else, or a broken one.
    """
    found = _load(path)
    if not isinstance(found, LabelNames):
        raise DataError("the pickle holds no labels", file=path.name, found=type(found).__name__)
    if not all(isinstance(name, str) for name in found.names):
        raise DataError("the pickle holds labels that are no text", file=path.name)
    return found.names
