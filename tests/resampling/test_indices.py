"""The fast indices are numpy's own, and leave the generator where numpy would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.resampling.indices import indices


def both(seed, calls):
    """Return what the same calls give with ``indices`` and with numpy, and one number after."""
    ours, numpys = np.random.default_rng(seed), np.random.default_rng(seed)
    found = [indices(ours, n, size) for n, size in calls]
    expected = [numpys.integers(0, n, size=size) for n, size in calls]
    # The next word, and the next half word: a half may be left over.
    after = [
        (one.random(), one.integers(0, 2**32, dtype=np.uint32), one.normal())
        for one in (ours, numpys)
    ]
    return found, expected, after


@settings(deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(
        st.tuples(
            st.one_of(st.integers(1, 50), st.integers(1, 2**32 + 5)), st.integers(0, 60)
        ),
        min_size=1,
        max_size=5,
    ),
)  # fmt: skip
def test_indices_are_those_of_numpy(seed, calls):
    found, expected, after = both(seed, calls)
    for ours, numpys in zip(found, expected, strict=True):
        assert ours.dtype == numpys.dtype
        assert np.array_equal(ours, numpys)
    assert after[0] == after[1]


@pytest.mark.parametrize("n", [2**31 + 1, 3 * 2**30, 2**32 - 1, 2**31, 1780])
@pytest.mark.parametrize("size", [2001, 2000])
def test_numbers_that_are_drawn_again_come_in_numpys_order(n, size):
    """Of 2**31 + 1 numbers almost every second draw is not used."""
    found, expected, after = both(4, [(n, size), (n, size), (7, size)])
    for ours, numpys in zip(found, expected, strict=True):
        assert np.array_equal(ours, numpys)
    assert after[0] == after[1]


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.Philox, np.random.PCG64DXSM])
def test_other_generators_are_numpys_own(kind):
    found = indices(np.random.Generator(kind(5)), 100, 40)
    assert np.array_equal(found, np.random.Generator(kind(5)).integers(0, 100, size=40))
