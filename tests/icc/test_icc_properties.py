"""What must hold for any scores, and the definitions computed by loops."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from icc_examples import FORMS, SHROUT_FLEISS, coefficients, mean_squares

from benchbook.icc import (
    intraclass_correlations,
    measurement_error,
    one_way_anova,
    one_way_icc,
    two_way_anova,
)

# Scores of one decimal, ties welcome, so that sums of squares stay far above rounding.
scores = st.integers(-200, 200).map(lambda x: x / 10)
shapes = st.tuples(st.integers(3, 7), st.integers(2, 5))
tables = shapes.flatmap(lambda shape: arrays(float, shape, elements=scores))
quick = settings(deadline=None, max_examples=60)


def six(table):
    return {result.form: result.estimate.value for result in intraclass_correlations(table)}


def ordinary(table):
    """Leave out tables near a pole, where rounding is magnified without limit."""
    b, j, e, w = mean_squares(table)
    n, k = table.shape
    average = b + (j - e) / n
    single = b + (k - 1) * e + k * (j - e) / n
    scale = max(b, j, e, w)
    assume(scale > 0.01 and min(b, e, w) > 1e-3 * scale)
    assume(min(abs(average), abs(single)) > 1e-2 * scale)


def same(first, second, tolerance=1e-7):
    for form in FORMS:
        assert first[form] == pytest.approx(second[form], rel=tolerance, abs=tolerance), form


@quick
@given(tables)
def test_mean_squares_by_definition(table):
    anova = two_way_anova(table)
    b, j, e, w = mean_squares(table)
    found = (anova.ms_items, anova.ms_raters, anova.ms_error, anova.ms_within)
    assert found == pytest.approx((b, j, e, w), rel=1e-9, abs=1e-9)
    centred = table - table.mean()
    assert anova.ss_items + anova.ss_within == pytest.approx(np.sum(centred**2), abs=1e-9)


@quick
@given(tables)
def test_coefficients_by_definition(table):
    ordinary(table)
    same(six(table), coefficients(table))


@quick
@given(tables, st.floats(0.01, 100), st.floats(-1000, 1000))
def test_a_common_change_of_unit_changes_nothing(table, factor, shift):
    ordinary(table)
    same(six(table), six(factor * table + shift))


@quick
@given(tables)
def test_turning_the_scale_round_changes_nothing(table):
    ordinary(table)
    same(six(table), six(-table))


@quick
@given(tables, st.lists(st.integers(-50, 50), min_size=5, max_size=5))
def test_consistency_ignores_what_a_rater_adds(table, shifts):
    ordinary(table)
    moved = table + np.array(shifts[: table.shape[1]])
    plain, shifted = six(table), six(moved)
    for form in ("ICC(3,1)", "ICC(3,k)"):
        assert shifted[form] == pytest.approx(plain[form], abs=1e-7)


@quick
@given(tables, st.floats(1, 100))
def test_agreement_falls_as_one_rater_moves_away(table, shift):
    ordinary(table)
    b, _, e, _ = mean_squares(table)
    assume(b > 1.1 * e)
    centred = table - table.mean(axis=0)
    apart = centred.copy()
    apart[:, 0] += shift
    further = centred.copy()
    further[:, 0] += 2 * shift
    near, far = (intraclass_correlations(x)["ICC(2,1)"].estimate.value for x in (apart, further))
    assert far < near


@quick
@given(tables, st.randoms())
def test_order_of_items_and_raters_changes_nothing(table, random):
    ordinary(table)
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    same(six(table), six(table[np.ix_(rows, columns)]))


@quick
@given(tables)
def test_ranges(table):
    k = table.shape[1]
    found = intraclass_correlations(table)
    for form in ("ICC(1,1)", "ICC(3,1)"):
        estimate = found[form].estimate
        if estimate.defined:
            assert -1 / (k - 1) - 1e-9 <= estimate.low <= estimate.value + 1e-12
            assert estimate.value <= estimate.high + 1e-12 <= 1 + 2e-12
    for result in found:
        if result.estimate.defined and result.estimate.value > 1 + 1e-9:
            assert result.form == "ICC(2,k)"
            assert result.estimate.warnings
        assert math.isnan(result.p) or 0 <= result.p <= 1


@quick
@given(tables)
def test_averages_are_spearman_brown_steps(table):
    ordinary(table)
    k = table.shape[1]
    found = six(table)
    for model in "123":
        single = found[f"ICC({model},1)"]
        assume(abs(1 + (k - 1) * single) > 1e-2)
        step = k * single / (1 + (k - 1) * single)
        assert found[f"ICC({model},k)"] == pytest.approx(step, rel=1e-6, abs=1e-6)


@quick
@given(tables)
def test_items_twice_leave_mean_squares_per_item_alone(table):
    """Duplicated items: sums of squares double, so the components are known exactly."""
    once, twice = two_way_anova(table), two_way_anova(np.vstack([table, table]))
    assert twice.ss_items == pytest.approx(2 * once.ss_items, abs=1e-8)
    assert twice.ss_error == pytest.approx(2 * once.ss_error, abs=1e-8)
    assert twice.ms_raters == pytest.approx(2 * once.ms_raters, abs=1e-8)


@quick
@given(tables)
def test_agreement_error_is_the_variance_within_items(table):
    """raters + error of the two-way analysis is MSW of the one-way analysis."""
    anova = two_way_anova(table)
    components = anova.components
    assert components.raters + components.error == pytest.approx(anova.ms_within, abs=1e-8)
    error = measurement_error(table)
    assert error.sem_agreement.value == pytest.approx(math.sqrt(anova.ms_within), abs=1e-8)
    assert error.sem_agreement.low <= error.sem_agreement.value <= error.sem_agreement.high


@quick
@given(tables)
def test_one_way_analysis_of_a_complete_table_is_icc_1_1(table):
    two_way, one_way = intraclass_correlations(table)["ICC(1,1)"], one_way_icc(table)
    if not two_way.estimate.defined:
        assert not one_way.estimate.defined
        return
    for interval in ("thomas-hultquist", "n0"):
        again = one_way_icc(table, interval=interval).estimate
        for part in ("value", "low", "high"):
            assert getattr(again, part) == pytest.approx(
                getattr(two_way.estimate, part), rel=1e-8, abs=1e-8
            )
    assert one_way.p == pytest.approx(two_way.p, abs=1e-9)


@quick
@given(tables, st.data())
def test_unbalanced_one_way_by_definition(table, data):
    mask = data.draw(arrays(bool, table.shape))
    mask[:, 0] = False
    mask[0, :] = False
    ragged = np.where(mask, np.nan, table)
    rows = [row[~np.isnan(row)] for row in ragged]
    total = np.concatenate(rows)
    anova = one_way_anova(ragged)
    within = sum(np.sum((row - row.mean()) ** 2) for row in rows)
    between = sum(len(row) * (row.mean() - total.mean()) ** 2 for row in rows)
    assert anova.ss_within == pytest.approx(within, abs=1e-8)
    assert anova.ss_between == pytest.approx(between, abs=1e-8)
    sizes = np.array([len(row) for row in rows])
    n = len(rows)
    assert anova.size == pytest.approx((sizes.sum() - (sizes**2).sum() / sizes.sum()) / (n - 1))
    assert anova.harmonic_size == pytest.approx(n / np.sum(1 / sizes))


def test_shrout_fleiss_by_the_loops():
    same(six(SHROUT_FLEISS), coefficients(SHROUT_FLEISS), 1e-12)
