"""Numbers printed in the papers."""

import numpy as np
import pytest
from icc_examples import FORMS, SHROUT_FLEISS

from benchbook.icc import icc, intraclass_correlations, measurement_error, two_way_anova

# The papers print two decimals (F: two; interval: three).
TWO_DECIMALS = 0.005
THREE_DECIMALS = 0.0005


@pytest.mark.parametrize(
    ("form", "printed"), list(zip(FORMS, (0.17, 0.29, 0.71, 0.44, 0.62, 0.91), strict=True))
)
def test_shrout_fleiss_1979_table_4(form, printed):
    assert icc(SHROUT_FLEISS, form).estimate.value == pytest.approx(printed, abs=TWO_DECIMALS)


def test_shrout_fleiss_1979_analysis_of_variance():
    anova = two_way_anova(SHROUT_FLEISS)
    assert (anova.df_items, anova.df_within, anova.df_raters, anova.df_error) == (5, 18, 3, 15)
    assert anova.ms_items == pytest.approx(11.24, abs=TWO_DECIMALS)
    assert anova.ms_within == pytest.approx(6.26, abs=TWO_DECIMALS)
    assert anova.ms_raters == pytest.approx(32.49, abs=TWO_DECIMALS)
    assert anova.ms_error == pytest.approx(1.02, abs=TWO_DECIMALS)


def test_f_of_items_and_f_of_raters_are_two_tests():
    anova = two_way_anova(SHROUT_FLEISS)
    assert anova.f_items == pytest.approx(11.03, abs=TWO_DECIMALS)
    assert anova.f_raters == pytest.approx(31.87, abs=TWO_DECIMALS)
    assert anova.p_items == pytest.approx(1.346e-4, rel=1e-3)
    assert anova.p_raters == pytest.approx(9.454e-7, rel=1e-3)
    for form in ("ICC(2,1)", "ICC(3,1)"):
        assert icc(SHROUT_FLEISS, form).f == anova.f_items


def test_interval_of_icc_2_1():
    estimate = icc(SHROUT_FLEISS, "ICC(2,1)").estimate
    assert estimate.low == pytest.approx(0.019, abs=THREE_DECIMALS)
    assert estimate.high == pytest.approx(0.761, abs=THREE_DECIMALS)


def test_components_sum_to_the_variance_of_one_score():
    components = two_way_anova(SHROUT_FLEISS).components
    assert components.items == pytest.approx(2.5556, abs=5e-5)
    assert components.raters == pytest.approx(5.2444, abs=5e-5)
    assert components.error == pytest.approx(1.0194, abs=5e-5)
    assert components.total == pytest.approx(8.8194, abs=5e-5)
    for form in ("ICC(2,1)", "ICC(3,1)", "ICC(2,k)", "ICC(3,k)"):
        assert components.icc(form, 4) == pytest.approx(icc(SHROUT_FLEISS, form).estimate.value)


def test_a_rater_always_five_higher_is_consistent_and_not_in_agreement():
    """COMPLAINTS 12: what a constant shift does tells the forms apart."""
    plain = np.array([2, 4, 5, 7, 8, 9, 11, 12, 14, 15], float)
    shifted = np.column_stack([plain, plain + 5])
    found = intraclass_correlations(shifted)
    assert found["ICC(3,1)"].estimate.value == 1
    # Items' variance s^2 (n - 1), raters' 25/2 exactly, no error.
    items = plain.var(ddof=1)
    assert found["ICC(2,1)"].estimate.value == pytest.approx(items / (items + 12.5))
    assert found["ICC(1,1)"].estimate.value < found["ICC(2,1)"].estimate.value
    assert any("no error variance" in text for text in found["ICC(3,1)"].estimate.warnings)


def test_standard_error_of_measurement():
    """Weir (2005): sqrt(MSE); with rater differences as error it is sqrt(MSW)."""
    anova = two_way_anova(SHROUT_FLEISS)
    found = measurement_error(SHROUT_FLEISS)
    assert found.sem_consistency.value == pytest.approx(np.sqrt(anova.ms_error))
    components = found.components
    agreement = np.sqrt(components.raters + components.error)
    assert found.sem_agreement.value == pytest.approx(agreement)
    assert found.sem_agreement.value == pytest.approx(np.sqrt(anova.ms_within))
    assert found.mdc_agreement.value == pytest.approx(1.959964 * np.sqrt(2) * agreement, rel=1e-7)
    narrower = measurement_error(SHROUT_FLEISS, mdc_level=0.90)
    assert narrower.mdc_consistency.value == pytest.approx(
        1.644854 * np.sqrt(2 * anova.ms_error), rel=1e-6
    )
