"""Weighted sums are exact, whatever the order of addition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchbook.resampling.exact_sums import ExactSums
from benchbook.resampling.sums import cluster_sums

# What lies below the third part is left out: a share of the column's largest entry, whether the
# resample holds that entry or not.
BELOW_THIRD_PART = 2.0**-75
# One rounding for each part that is joined.
RELATIVE_TO_LARGEST = 2.0**-50

finite = st.floats(-1e12, 1e12, allow_subnormal=False)


@settings(deadline=None)
@given(
    rows=arrays(np.float64, (7, 3), elements=finite),
    weights=arrays(np.int64, (2, 7), elements=st.integers(0, 50)),
)
def test_sums_equal_rational_arithmetic(rows, weights):
    sums = ExactSums.of(rows, int(weights.sum(axis=1).max()) or 1)(weights.astype(float))
    for row in range(2):
        for column in range(3):
            terms = zip(weights[row].tolist(), rows[:, column].tolist(), strict=True)
            exact = float(sum(Fraction(weight) * Fraction(value) for weight, value in terms))
            assert sums[row, column] == pytest.approx(exact, rel=2.0**-52, abs=1e-300) or (
                # Cancellation: the error is far below one rounding of the terms.
                abs(sums[row, column] - exact)
                <= BELOW_THIRD_PART * np.abs(rows[:, column]).max() * weights[row].sum()
            )


def test_order_of_addition_changes_no_bit():
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(5000, 4)) * 10.0 ** generator.integers(-8, 8, size=(5000, 1))
    weights = generator.multinomial(5000, np.full(5000, 1 / 5000), size=30).astype(float)
    order = generator.permutation(5000)
    straight = ExactSums.of(rows, 5000)(weights)
    shuffled = ExactSums.of(rows[order], 5000)(weights[:, order])
    one_by_one = np.vstack([ExactSums.of(rows, 5000)(row[np.newaxis]) for row in weights])
    assert np.array_equal(straight, shuffled)
    assert np.array_equal(straight, one_by_one)
    # The plain product is not so: this is what the splitting is for.
    assert not np.array_equal(weights @ rows, weights[:, order] @ rows[order])


def test_sums_are_at_least_as_accurate_as_a_compensated_sum():
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(2000, 1))
    total = ExactSums.of(rows, 2000)(np.ones((1, 2000)))[0, 0]
    assert total == pytest.approx(math.fsum(rows[:, 0]), rel=0, abs=2.0**-52 * abs(total))


def test_whole_numbers_need_one_part():
    rows = np.arange(12.0).reshape(4, 3)
    assert ExactSums.of(rows, 1000).parts.shape == (4, 3)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1.0, 1e290])
def test_extreme_magnitudes(scale):
    rows = np.array([[1.0], [-3.0], [2.5]]) * scale
    total = ExactSums.of(rows, 6)(np.array([[2.0, 1.0, 3.0]]))[0, 0]
    assert total == pytest.approx(6.5 * scale, rel=1e-12)


def test_no_rows_sum_to_zero():
    assert ExactSums.of(np.empty((0, 2)), 0)(np.empty((1, 0))).tolist() == [[0.0, 0.0]]


def test_cluster_sums_do_not_depend_on_the_order_of_items():
    generator = np.random.default_rng(3)
    features = generator.normal(size=(3000, 2))
    codes = generator.integers(0, 40, 3000)
    order = generator.permutation(3000)
    sums = cluster_sums(features, codes, 40)
    assert np.array_equal(sums, cluster_sums(features[order], codes[order], 40))
    for code in range(40):
        expected = [math.fsum(column) for column in features[codes == code].T]
        largest = np.abs(features[codes == code]).sum()
        assert sums[code] == pytest.approx(expected, rel=0, abs=RELATIVE_TO_LARGEST * largest)


@pytest.mark.parametrize("n_rows", [1, 40, 400, 9000])
def test_a_product_in_strips_is_the_product(n_rows):
    """Small products go in strips of rows, and one of 9,000 rows as a whole."""
    generator = np.random.default_rng(n_rows)
    rows = generator.normal(size=(n_rows, 9))
    weights = generator.integers(0, 5, size=(251, n_rows)).astype(float)
    sums = ExactSums.of(rows, 5 * n_rows)
    expected = np.vstack([sums(row[np.newaxis]) for row in weights])
    assert np.array_equal(sums(weights), expected)


def test_a_sum_of_nothing_is_zero_and_not_minus_zero():
    sums = ExactSums.of(np.array([[-1.0], [2.0]]), 4)(np.zeros((3, 2)))
    assert not np.signbit(sums).any()
