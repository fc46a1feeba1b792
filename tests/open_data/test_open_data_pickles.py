"""The unpickler for strangers' files: arrays come out, nothing else happens."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.preprocessing import MultiLabelBinarizer

from benchbook.errors import DataError
from benchbook.open_data.pickles import read_array, read_label_names

# numpy.core.multiarray is what the pickles of NumPy 1 name; NumPy 2 writes numpy._core.
OLD = b"numpy.core.multiarray", b"numpy._core.multiarray"


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize("kind", ["<i8", "<f4", ">f8", "?", "u1"])
def test_arrays_come_out(tmp_path: Path, protocol: int, kind: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(kind)
    found = read_array(write(tmp_path / "a.npy", pickle.dumps(array, protocol)))
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype


def test_pickles_of_an_older_numpy(tmp_path: Path) -> None:
    array = np.array([[0.5, 1.0]], dtype=np.float32)
    content = pickle.dumps(array, 2)
    old = content.replace(OLD[1], OLD[0])
    assert content != old or OLD[0] in content
    np.testing.assert_array_equal(read_array(write(tmp_path / "a.npy", old)), array)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(npst.arrays(st.sampled_from(["f4", "f8", "i8"]), npst.array_shapes(max_dims=2)))
def test_any_array_comes_out_unchanged(tmp_path: Path, array: np.ndarray) -> None:
    for order in (array, np.asfortranarray(array)):
        found = read_array(write(tmp_path / "a.npy", pickle.dumps(order, 2)))
        np.testing.assert_array_equal(found, array)


def test_names_of_labels(tmp_path: Path) -> None:
    binariser = MultiLabelBinarizer().fit([["NORM", "AFIB"], ["SR"]])
    path = write(tmp_path / "mlb.pkl", pickle.dumps(binariser))
    assert read_label_names(path) == ["AFIB", "NORM", "SR"]


class Runs:
    """A pickle of it calls a function with arguments."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize(
    "make",
    [
        lambda mark: Runs(os.system, f"touch {mark}"),
        lambda mark: Runs(eval, f"open({mark!r}, 'w')"),
        lambda mark: Runs(exec, f"open({mark!r}, 'w')"),
        lambda mark: Runs(open, mark, "w"),
        lambda mark: Runs(getattr, np.ndarray, "tofile"),
        lambda mark: [Runs(Path.touch, Path(mark))],
        lambda mark: {"classes_": Runs(os.mkdir, mark)},
    ],
)
def test_what_a_malicious_pickle_calls_is_never_called(
    tmp_path: Path, make: Any, protocol: int
) -> None:
    mark = tmp_path / "mark"
    content = pickle.dumps(make(str(mark)), protocol)
    path = write(tmp_path / "bad.npy", content)
    for read in (read_array, read_label_names):
        with pytest.raises(DataError, match=r"bad\.npy: the pickle is refused"):
            read(path)
    assert not mark.exists()


def test_the_same_pickle_would_have_run(tmp_path: Path) -> None:
    # Otherwise the test above could not fail.
    mark = tmp_path / "mark"
    pickle.loads(pickle.dumps(Runs(os.mkdir, str(mark))))
    assert mark.exists()


OBJECTS = np.array([1, "a"], dtype=object)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a pickle",
        pickle.dumps(np.arange(1000))[:-100],
        pickle.dumps([1, 2]),
        pickle.dumps(OBJECTS),
        pickle.dumps(np.zeros(2, dtype=[("a", "i4")])),
        pickle.dumps(np.array(["a"])),
        pickle.dumps(np.array(["2020-01-01"], dtype="M8[D]")),
        pickle.dumps(np.ma.masked_array([1, 2], [True, False])),
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I1000000000000\ntS'b'\ntR.",
        b"c_codecs\nencode\n(Vabc\nVrot13\ntR.",
        b"\x80\x04Pnumber\n.",
        b"\x80\x02K\x01Q.",
    ],
)  # fmt: skip
def test_anything_else_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match=r"a\.npy"):
        read_array(write(tmp_path / "a.npy", content))


@pytest.mark.parametrize("names", [OBJECTS, None])
def test_labels_that_are_none(tmp_path: Path, names: Any) -> None:
    binariser = MultiLabelBinarizer()
    if names is not None:
        binariser.classes_ = names
    with pytest.raises(DataError, match=r"a\.pkl"):
        read_label_names(write(tmp_path / "a.pkl", pickle.dumps(binariser)))
    with pytest.raises(DataError, match="no labels"):
        read_label_names(write(tmp_path / "a.pkl", pickle.dumps(np.arange(2))))
