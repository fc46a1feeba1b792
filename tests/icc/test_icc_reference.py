"""R's numbers, frozen in tests/reference, field by field."""

import math

import numpy as np
import pytest
from icc_examples import FORMS, chosen, close, label, ragged, table

from benchbook.icc import icc, intraclass_correlations, one_way_anova, two_way_anova

# psych and irr work in doubles on small tables; quantiles of F with fractional df agree to 1e-9.
DOUBLE = 1e-8
# Tables that R prints as rounding noise: nothing varies, or nothing is left over.
NOISE = ("made_constant", "made_always_5_higher")
# psych gives coefficients of a table with a common offset of 1e8 to about this.
OFFSET = 1e-6


def compared():
    rows = []
    for package in ("psych", "irr"):
        for record in chosen("r_icc.json", package=package):
            options = record["options"]
            if record["statistic"] not in FORMS or options.get("lmer"):
                continue
            if record["table"] in ("made_constant", "irr_anxiety"):
                continue
            rows.append(record)
    return rows


@pytest.mark.parametrize("record", compared(), ids=label)
def test_coefficient_test_and_interval(record):
    null = record["options"].get("r0", 0)
    found = icc(table(record["table"]), record["statistic"], level=record["level"], null=null)
    tolerance = OFFSET if record["table"] == "made_large_offset" else DOUBLE
    wrong = set(record.get("deviates", ()))
    pairs = {
        "value": found.estimate.value,
        "lower": found.estimate.low,
        "upper": found.estimate.high,
        "f": found.f,
        "df1": found.df1,
        "df2": found.df2,
        "p": found.p,
    }
    for field in pairs.keys() - wrong:
        assert close(pairs[field], record[field], tolerance), field
    assert found.estimate.n_items == record["n_items"]


@pytest.mark.parametrize(
    "record",
    [
        r
        for r in compared()
        if r["package"] == "irr" and "df2" in r.get("deviates", ()) and r["table"] not in NOISE
    ],
    ids=label,
)
def test_degrees_of_freedom_belong_to_the_null_value_and_not_to_the_estimate(record):
    """irr tests the agreement forms with the df of the interval."""
    null = record["options"]["r0"]
    found = icc(table(record["table"]), record["statistic"], null=null)
    anova = two_way_anova(table(record["table"]))
    n, k = anova.n_items, anova.n_raters
    a = null / (n * (1 - null)) * (k if record["statistic"] == "ICC(2,1)" else 1)
    parts = (a * anova.ms_raters, (1 + a * (n - 1)) * anova.ms_error)
    expected = sum(parts) ** 2 / (parts[0] ** 2 / (k - 1) + parts[1] ** 2 / ((n - 1) * (k - 1)))
    assert found.df2 == pytest.approx(expected)
    if null == 0:
        assert found.df2 == (n - 1) * (k - 1)
    assert found.df2 != pytest.approx(record["df2"], rel=1e-3)


@pytest.mark.parametrize(
    "record",
    [
        r
        for r in compared()
        if r["package"] == "irr"
        and r["statistic"] == "ICC(2,k)"
        and r["options"]["r0"] == 0
        # Past its pole, where irr's interval is in the wrong order.
        and r["table"] != "made_negative_icc"
    ],
    ids=label,
)
def test_named_option_gives_the_interval_of_irr(record):
    found = icc(
        table(record["table"]),
        "ICC(2,k)",
        level=record["level"],
        average_interval="irr",
    ).estimate
    tolerance = OFFSET if record["table"] == "made_large_offset" else DOUBLE
    assert close(found.low, record["lower"], tolerance)
    assert close(found.high, record["upper"], tolerance)


def test_past_the_pole_a_value_is_flagged_and_has_no_interval():
    """`made_negative_icc`: R prints 6.3 to -18.9 around an ICC(2,k) of 7.2."""
    estimate = icc(table("made_negative_icc"), "ICC(2,k)").estimate
    assert estimate.value == pytest.approx(7.19565217391304)
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert "outside its possible range" in estimate.reason
    assert any("above 1" in text for text in estimate.warnings)


def tables_with_variance(rows):
    return [row for row in rows if row["table"] not in (*NOISE, "irr_anxiety")]


@pytest.mark.parametrize(
    "record", tables_with_variance(chosen("r_icc.json", "F raters", lmer=False)), ids=label
)
def test_f_of_the_raters(record):
    anova = two_way_anova(table(record["table"]))
    tolerance = OFFSET if record["table"] == "made_large_offset" else DOUBLE
    assert close(anova.f_raters, record["value"], tolerance)
    assert close(anova.p_raters, record["p"], tolerance)
    for field in ("ms_items", "ms_raters", "ms_error", "ms_within"):
        assert close(getattr(anova, field), record[field], tolerance), field


def test_nothing_varies_where_r_prints_noise():
    """psych's coefficients of `made_constant` are rounding noise; there is no coefficient."""
    for result in intraclass_correlations(table("made_constant")):
        assert math.isnan(result.estimate.value)
        assert "all scores are equal" in result.estimate.reason
        assert math.isnan(result.f)
        assert math.isnan(result.p)


def test_no_residual_where_r_prints_noise():
    """`made_always_5_higher`: irr has NaN bounds and psych a finite F."""
    found = intraclass_correlations(table("made_always_5_higher"))
    consistency = found["ICC(3,1)"]
    assert (consistency.estimate.value, consistency.f, consistency.p) == (1, math.inf, 0)
    assert (consistency.estimate.low, consistency.estimate.high) == (1, 1)
    # The limit of R's formula: noise ever smaller leads to the bounds we give.
    rng = np.random.default_rng(1)
    scores = table("made_always_5_higher").to_numpy(float)
    agreement = found["ICC(2,1)"].estimate
    nearly = icc(scores + rng.normal(0, 1e-6, scores.shape), "ICC(2,1)").estimate
    assert nearly.low == pytest.approx(agreement.low, abs=1e-5)
    assert nearly.high == pytest.approx(agreement.high, abs=1e-5)


def desctools():
    """Complete tables: with missing cells DescTools mixes listwise sums and full counts."""
    return [
        row
        for row in tables_with_variance(chosen("r_icc.json", package="DescTools"))
        if row["table"] != "made_large_offset" and not table(row["table"]).isna().any(axis=None)
    ]


@pytest.mark.parametrize("record", desctools(), ids=label)
def test_desctools_on_complete_tables(record):
    found = icc(table(record["table"]), record["statistic"])
    assert close(found.estimate.value, record["value"], DOUBLE)
    assert close(found.f, record["f"], DOUBLE)
    # DescTools takes 1 - pf(), which is exact to 1e-15 only in absolute terms.
    assert close(found.p, record["p"], DOUBLE, absolute=1e-15)


def test_one_way_components_of_unequal_groups():
    record = chosen("r_mixed_icc.json", package="stats")[0]
    anova = one_way_anova(ragged("made_oneway_unbalanced"))
    assert close(anova.components.items, record["item"], DOUBLE)
    assert close(anova.components.error, record["residual"], DOUBLE)
    assert close(anova.f, record["f"], DOUBLE)
    assert close(anova.p, record["p"], DOUBLE)
    assert close(anova.size, record["n0"], DOUBLE)
    assert (anova.df_between, anova.df_within) == (record["df1"], record["df2"])
