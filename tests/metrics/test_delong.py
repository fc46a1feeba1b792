"""DeLong's and Obuchowski's variances, intervals and tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import (
    AWKWARD,
    FROZEN,
    ROUNDING,
    asah,
    both_classes,
    delong_by_pairs,
    obuchowski_by_loops,
    proc,
    simulated,
    table_of,
)
from scipy.stats import chi2, norm

from benchbook.errors import DataError, ParameterError
from benchbook.metrics import (
    auroc,
    auroc_difference,
    delong_covariance,
    delong_interval,
    delong_test,
    holm,
)

HIGH = {"higher_is_positive": True}


@pytest.mark.parametrize("record", proc()["single"], ids=lambda r: f"{r['table']}-{r['score']}")
def test_variance_and_interval_agree_with_proc(record):
    table = table_of(record)
    made = delong_interval(
        table["poor"], table[record["score"]], higher_is_positive=record["higher_is_positive"]
    )
    assert made.value == pytest.approx(record["auroc"], abs=FROZEN)
    assert made.standard_error**2 == pytest.approx(record["variance"], abs=FROZEN)
    assert made.low == pytest.approx(record["lower"], abs=FROZEN)
    assert made.high == pytest.approx(record["upper"], abs=FROZEN)


@pytest.mark.parametrize("record", proc()["pair"], ids=lambda r: f"{r['first']}-{r['second']}")
def test_paired_test_agrees_with_proc(record):
    names = [record["first"], record["second"]]
    made = delong_test(asah()["poor"], asah()[names], **HIGH)
    assert made.made.covariance[0, 1] == pytest.approx(record["covariance"], abs=FROZEN)
    (pair,) = made.pairs
    # z divides by a standard error near 0.05, which loses a digit or two.
    assert pair.z == pytest.approx(record["z"], abs=100 * FROZEN)
    assert pair.p_value == pytest.approx(record["p"], abs=100 * FROZEN)
    assert made.p_value == pytest.approx(record["p"], abs=100 * FROZEN)


def test_published_paired_test_of_s100b_against_wfns():
    # Robin et al. 2011 print z = -2.209 and p = 0.02718 for s100b against wfns.
    pair = delong_test(asah()["poor"], asah()[["s100b", "wfns"]], **HIGH).pairs[0]
    assert pair.z == pytest.approx(-2.209, abs=5e-4)
    assert pair.p_value == pytest.approx(0.02718, abs=5e-6)


@given(both_classes(least_each=2), st.integers(0, 2**32 - 1))
def test_covariance_is_that_of_the_table_of_pairs(data, seed):
    positive, score = data
    other = np.random.default_rng(seed).integers(0, 5, score.size)
    made = delong_covariance(positive, np.column_stack([score, other]), **HIGH)
    expected = delong_by_pairs(positive, [score, other])
    np.testing.assert_allclose(made.covariance, expected, atol=ROUNDING)


@given(both_classes(least_each=2), st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_clustered_covariance_is_that_of_the_loops(data, n_clusters, seed):
    positive, score = data
    generator = np.random.default_rng(seed)
    cluster = generator.integers(0, n_clusters, score.size)
    other = score + generator.integers(-2, 3, score.size)
    held = [np.unique(cluster[positive]).size, np.unique(cluster[~positive]).size]
    if np.unique(cluster).size < 2:
        return
    made = delong_covariance(positive, {"a": score, "b": other}, cluster=cluster, **HIGH)
    if min(held) < 2:
        assert "in one cluster" in made.variance_reason
        return
    expected = obuchowski_by_loops(positive, [score, other], cluster)
    np.testing.assert_allclose(made.covariance, expected, atol=ROUNDING)


def test_clusters_of_one_item_give_delongs_variance():
    positive, score = simulated(80, decimals=1)
    plain = delong_interval(positive, score, **HIGH)
    clustered = delong_interval(positive, score, cluster=[f"p{i}" for i in range(80)], **HIGH)
    assert clustered.standard_error == pytest.approx(plain.standard_error, abs=ROUNDING)
    assert (plain.unit, clustered.unit) == ("item", "cluster")


def test_copies_within_clusters_do_not_narrow_the_interval():
    positive, score = simulated(60)
    again = np.repeat(np.arange(60), 5)
    single = delong_interval(positive, score, **HIGH)
    naive = delong_interval(positive[again], score[again], **HIGH)
    clustered = delong_interval(positive[again], score[again], cluster=again, **HIGH)
    assert clustered.standard_error == pytest.approx(single.standard_error, abs=ROUNDING)
    assert naive.standard_error < 0.5 * single.standard_error  # about 1 / sqrt(5)
    assert clustered.n_clusters == 60


def test_the_clustered_error_is_about_the_spread_over_repeated_studies():
    # 400 studies of 40 patients with 4 items each, whose label and part of the score are shared.
    generator = np.random.default_rng(7)
    areas, errors, naive = [], [], []
    cluster = np.repeat(np.arange(40), 4)
    for _ in range(400):
        positive = (generator.random(40) < 0.4)[cluster]
        score = positive + 1.5 * generator.normal(size=40)[cluster] + generator.normal(size=160)
        made = delong_interval(positive, score, cluster=cluster, **HIGH)
        areas.append(made.value)
        errors.append(made.standard_error)
        naive.append(delong_interval(positive, score, **HIGH).standard_error)
    spread = np.std(areas)
    # The spread of 400 values is known to about 1 / sqrt(800) = 3.5 %; three times that.
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.11)
    assert np.mean(naive) < 0.7 * spread


@given(both_classes(least_each=2))
def test_monotone_transforms_flips_and_swaps_leave_the_error_alone(data):
    positive, score = data
    made = delong_interval(positive, score, **HIGH)
    moved = delong_interval(positive, np.exp(score) / 3, **HIGH)
    assert moved == made
    for turned in (
        delong_interval(positive, -score, **HIGH),
        delong_interval(positive, score, higher_is_positive=False),
        delong_interval(~positive, score, **HIGH),
    ):
        assert turned.value == pytest.approx(1 - made.value, abs=ROUNDING)
        assert turned.standard_error == pytest.approx(made.standard_error, abs=ROUNDING)


@given(both_classes(least_each=2))
def test_the_value_is_the_auroc_and_bounds_hold_it_inside_the_range(data):
    positive, score = data
    for scale in ("plain", "logit"):
        made = delong_interval(positive, score, scale=scale, **HIGH)
        assert made.value == auroc(positive, score, **HIGH).value
        if made.has_interval:
            assert 0 <= made.low <= made.value <= made.high <= 1


def test_the_logit_interval_is_symmetric_on_its_scale():
    made = delong_interval(asah()["poor"], asah()["wfns"], scale="logit", level=0.9, **HIGH)
    a, se = made.value, made.standard_error
    half = norm.ppf(0.95) * se / (a * (1 - a))
    for bound, side in ((made.low, -1), (made.high, 1)):
        expected = np.log(a / (1 - a)) + side * half
        assert np.log(bound / (1 - bound)) == pytest.approx(expected, abs=ROUNDING)
    assert made.method == "DeLong, logit scale"


def test_the_level_matters():
    narrow, wide = (
        delong_interval(asah()["poor"], asah()["s100b"], level=level, **HIGH)
        for level in (0.5, 0.99)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_plain_bound_beyond_the_range_is_clipped_and_flagged():
    positive, score = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]
    made = delong_interval(positive, score, **HIGH)
    assert made.high == 1.0
    assert any("upper bound clipped from 1." in note for note in made.warnings)
    assert delong_interval(positive, score, scale="logit", **HIGH).high < 1.0


def test_perfect_separation_is_not_sold_as_certainty():
    positive, score = AWKWARD["perfect"]
    made = delong_interval(positive, score, **HIGH)
    assert (made.value, made.low, made.high, made.standard_error) == (1, 1, 1, 0)
    assert any("not certainty" in note for note in made.warnings)
    logit = delong_interval(positive, score, scale="logit", **HIGH)
    assert logit.value == 1
    assert not logit.has_interval
    assert "infinite" in logit.reason


def test_all_ties_have_an_auroc_of_one_half_and_no_spread():
    positive, score = AWKWARD["all equal"]
    for scale in ("plain", "logit"):
        made = delong_interval(positive, score, scale=scale, **HIGH)
        assert (made.value, made.standard_error) == (0.5, 0)
        assert any("not certainty" in note for note in made.warnings)


@pytest.mark.parametrize("name", ["one positive", "one negative"])
def test_a_single_item_of_a_class_has_a_value_but_no_variance(name):
    positive, score = AWKWARD[name]
    made = delong_interval(positive, score, **HIGH)
    assert made.value == auroc(positive, score, **HIGH).value
    assert not made.has_interval
    assert made.reason == f"a single {name.split()[1]} has no variance"
    test = delong_test(positive, {"a": score, "b": score[::-1]}, **HIGH)
    assert np.isnan(test.p_value)
    assert test.pairs[0].reason == made.reason


@pytest.mark.parametrize("positive", [[], [1, 1, 1], [0, 0, 0]])
def test_one_class_is_undefined_with_the_reason(positive):
    score = [0.1, 0.2, 0.3][: len(positive)]
    assert delong_interval(positive, score, **HIGH).reason.startswith("there are no")
    test = delong_test(positive, {"a": score, "b": score}, **HIGH)
    assert np.isnan(test.chi_squared)
    assert test.reason == test.pairs[0].reason
    assert not test.aurocs[0].defined


def test_all_positives_in_one_cluster_have_no_variance():
    made = delong_interval([1, 1, 0, 0], [4, 2, 3, 1], cluster=["a", "a", "b", "c"], **HIGH)
    assert made.value == 0.75
    assert made.reason == "all positives are in one cluster, which has no variance"


def test_one_cluster_is_refused():
    with pytest.raises(ParameterError, match="at least two"):
        delong_interval([1, 0], [1, 2], cluster=["a", "a"], **HIGH)


def test_models_that_rank_alike_differ_by_exactly_nothing():
    positive, score = simulated(100, decimals=1)
    test = delong_test(positive, {"a": score, "b": np.exp(score)}, **HIGH)
    pair = test.pairs[0]
    assert (pair.difference.value, pair.difference.standard_error) == (0, 0)
    assert np.isnan(pair.p_value)
    assert "variance of 0" in pair.reason
    assert "variance of 0" in test.reason


def test_swapping_two_models_mirrors_the_test():
    positive, score = simulated(100)
    other = score + np.random.default_rng(3).normal(size=100)
    first = delong_test(positive, {"a": score, "b": other}, **HIGH).pairs[0]
    second = delong_test(positive, {"b": other, "a": score}, **HIGH).pairs[0]
    assert second.z == pytest.approx(-first.z, abs=ROUNDING)
    assert second.p_value == pytest.approx(first.p_value, abs=ROUNDING)
    assert second.difference.low == pytest.approx(-first.difference.high, abs=ROUNDING)


def test_three_models_have_the_chi_squared_of_any_contrasts():
    table = asah()
    test = delong_test(table["poor"], table[["s100b", "ndka", "wfns"]], **HIGH)
    contrasts = np.array([[0, 1, -1], [1, -1, 0]])  # others than the package's
    apart = contrasts @ test.made.auroc
    middle = np.linalg.inv(contrasts @ test.made.covariance @ contrasts.T)
    expected = apart @ middle @ apart
    assert test.chi_squared == pytest.approx(expected, rel=1e-10)
    assert test.degrees_of_freedom == 2
    assert test.p_value == pytest.approx(chi2.sf(expected, 2), rel=1e-9)
    assert [one.p_value for one in test.pairs] == pytest.approx(
        [0.164295175223054, 0.0271757822291882, 0.00514557970691098], abs=1e-10
    )
    assert test.pair("ndka", "wfns").p_holm == pytest.approx(3 * 0.00514557970691098, abs=1e-10)


def test_a_model_named_twice_adds_no_degree_of_freedom():
    positive, score = simulated(100)
    other = score + np.random.default_rng(3).normal(size=100)
    two = delong_test(positive, {"a": score, "b": other}, **HIGH)
    three = delong_test(positive, {"a": score, "b": other, "c": 2 * score}, **HIGH)
    assert three.degrees_of_freedom == 1
    assert three.chi_squared == pytest.approx(two.chi_squared, rel=1e-9)


def test_a_difference_keeps_inside_its_range():
    positive = [0, 0, 0, 1, 1, 1]
    good, bad = [1, 2, 4, 3, 5, 6], [6, 5, 3, 4, 2, 1]
    made = delong_covariance(positive, {"good": good, "bad": bad}, **HIGH)
    difference = auroc_difference(made, "good", "bad")
    assert difference.value == pytest.approx(2 * made.auroc[0] - 1, abs=ROUNDING)
    assert difference.high == 1.0
    assert difference.warnings


def test_large_data_neither_overflow_nor_lose_the_variance():
    # Above about 46,000 rows counts of pairs leave 32 bits. The error follows from theory:
    # equal normals a distance apart have Q1 = P(two positives beat one negative).
    positive, score = simulated(300_000, share=0.5)
    made = delong_interval(positive, score, **HIGH)
    assert made.value == pytest.approx(norm.cdf(1 / np.sqrt(2)), abs=5 * made.standard_error)
    again = delong_covariance(positive[:2000], score[:2000], **HIGH)
    expected = delong_by_pairs(positive[:2000], [score[:2000]])
    np.testing.assert_allclose(again.covariance, expected, atol=ROUNDING)
    ratio = made.standard_error / np.sqrt(expected[0, 0])
    assert ratio == pytest.approx(np.sqrt(2000 / 300_000), rel=0.1)  # 2000 rows know it to 5 %


def test_scores_come_as_mapping_table_or_array():
    positive, score = simulated(30)
    columns = {"a": score, "b": -score}
    forms = [columns, pd.DataFrame(columns), np.column_stack([score, -score])]
    made = [delong_covariance(positive, form, **HIGH) for form in forms]
    for one in made[1:]:
        np.testing.assert_array_equal(one.covariance, made[0].covariance)
    assert [one.models for one in made] == [("a", "b"), ("a", "b"), ("model 1", "model 2")]
    with pytest.raises(ParameterError, match="unknown model 'A1'"):
        made[0].estimate("A1")


def test_bad_scores_name_the_model_and_the_row():
    with pytest.raises(DataError, match="row 2, column b") as caught:
        delong_test([1, 0, 1], {"a": [1, 2, 3], "b": [1, np.nan, 3]}, **HIGH)
    assert caught.value.column == "b"
    with pytest.raises(DataError, match="column b"):
        delong_test([1, 0, 1], {"a": [1, 2, 3], "b": [1, 2]}, **HIGH)
    with pytest.raises(ParameterError, match="at least two models"):
        delong_test([1, 0, 1], [1, 2, 3], **HIGH)


def test_holm_is_statsmodels_holm():
    from statsmodels.stats.multitest import multipletests

    p = [0.01, 0.04, 0.03, 0.005, 0.9]
    expected = multipletests(p, method="holm")[1]
    np.testing.assert_allclose(holm(p), expected, atol=ROUNDING)
    assert np.isnan(holm([0.01, np.nan, 0.02])[1])
    assert holm([0.01, np.nan, 0.02])[0] == pytest.approx(0.02, abs=ROUNDING)
