"""Random indices, the very ones ``Generator.integers`` draws, in less time."""

from __future__ import annotations

import sys

import numpy as np

_HALF = 32  # bits; PCG64 gives 64 at a time, and numpy uses the lower half first
_LARGEST = 2**_HALF


def indices(generator: np.random.Generator, n: int, size: int) -> np.ndarray:
    """Draw numbers from 0 to ``n - 1``, bit by bit those of ``generator.integers(0, n, size)``.

    numpy multiplies 32 random bits by ``n`` and keeps the upper half, one number after the other;
    here the multiplication is done for all numbers together. A number is drawn again when the
    lower half is below ``2**32 mod n``, else some would be more likely than others.

    Parameters
    ----------
    generator : Generator
        Left as ``integers`` would leave it.
    n : int
        At least 1.
    size : int
        At least 0.

    Returns
    -------
    ndarray of int64, shape (size,)

    References
    ----------
    Lemire D (2019). Fast random integer generation in an interval. ACM Transactions on Modeling
    and Computer Simulation 29(1):3.
    """
    pairs = size // 2
    if not pairs or not 1 < n < _LARGEST or not _halves_follow(generator):
        return generator.integers(0, n, size=size)
    words = generator.bit_generator.random_raw(pairs)
    products = words.view(np.uint32) * np.uint64(n)
    again = products.view(np.uint32)[::2] < np.uint32(_LARGEST % n)
    products >>= np.uint64(_HALF)
    drawn: np.ndarray = products.view(np.int64)
    if again.any():
        drawn = drawn[~again]
    if drawn.size == size:
        return drawn
    return np.concatenate([drawn, generator.integers(0, n, size=size - drawn.size)])


def _halves_follow(generator: np.random.Generator) -> bool:
    """Tell whether the next numbers come from the halves of the next words, in this order."""
    bits = generator.bit_generator
    little = sys.byteorder == "little"
    # A half that is left over from an odd number of draws would have to come first.
    return little and type(bits) is np.random.PCG64 and not bits.state["has_uint32"]
