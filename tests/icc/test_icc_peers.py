"""Independent Python packages, where they are right, and where they are not."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from icc_examples import FORMS, SHROUT_FLEISS, simulated

from benchbook.icc import icc, intraclass_correlations, mixed_model, two_way_anova

pingouin = pytest.importorskip("pingouin")
# pingouin 0.7 still uses an argument that pandas is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")
PINGOUIN = dict(
    zip(
        FORMS,
        ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"),
        strict=True,
    )
)


def long(table):
    frame = pd.DataFrame(table).rename_axis(index="item").reset_index()
    return frame.melt("item", var_name="rater", value_name="score")


def by_pingouin(table, **options):
    found = pingouin.intraclass_corr(
        long(table), targets="item", raters="rater", ratings="score", **options
    )
    return found.set_index("Type")


@pytest.mark.parametrize(
    "table",
    [SHROUT_FLEISS, simulated(3, 20, 3), simulated(5, 7, 2, items=0.1), simulated(8, 40, 6)],
    ids=["shrout_fleiss", "20x3", "7x2", "40x6"],
)
def test_pingouin_on_complete_tables(table):
    theirs, ours = by_pingouin(table), intraclass_correlations(table)
    for form in FORMS:
        row, result = theirs.loc[PINGOUIN[form]], ours[form]
        assert result.estimate.value == pytest.approx(row["ICC"], rel=1e-9)
        assert result.f == pytest.approx(row["F"], rel=1e-9)
        assert (result.df1, result.df2) == (row["df1"], row["df2"])
        assert result.p == pytest.approx(row["pval"], rel=1e-7)
        # pingouin rounds its interval to two decimals (COMPLAINTS 16).
        bounds = (result.estimate.low, result.estimate.high)
        assert tuple(row["CI95"]) == pytest.approx(bounds, abs=0.005 + 1e-9)
        assert bounds != tuple(row["CI95"])


def test_pingouin_calls_noise_a_coefficient_and_we_do_not():
    """Three raters who all say 0.1: nothing varies, so nothing can be shared out."""
    table = np.full((5, 3), 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = by_pingouin(table)["ICC"]
    assert not theirs.isna().all()
    for result in intraclass_correlations(table):
        assert math.isnan(result.estimate.value)


def test_pingouin_drops_incomplete_items_without_a_word_and_we_name_them():
    table = SHROUT_FLEISS.copy()
    table[1, 2] = np.nan
    theirs = by_pingouin(table, nan_policy="omit")
    ours = intraclass_correlations(pd.DataFrame(table, index=list("abcdef")))
    assert theirs.loc["ICC(A,1)", "df1"] == ours["ICC(2,1)"].df1 == 4
    assert ours.dropped == ("b",)
    assert ours["ICC(2,1)"].estimate.value == pytest.approx(theirs.loc["ICC(A,1)", "ICC"])


@pytest.mark.parametrize("table", [SHROUT_FLEISS, simulated(9, 12, 4)], ids=["sf", "12x4"])
def test_statsmodels_analysis_of_variance(table):
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    frame = long(table)
    theirs = anova_lm(ols("score ~ C(item) + C(rater)", frame).fit())
    ours = two_way_anova(table)
    assert ours.ss_items == pytest.approx(theirs.loc["C(item)", "sum_sq"])
    assert ours.ss_raters == pytest.approx(theirs.loc["C(rater)", "sum_sq"])
    assert ours.ss_error == pytest.approx(theirs.loc["Residual", "sum_sq"])
    assert ours.f_items == pytest.approx(theirs.loc["C(item)", "F"])
    assert ours.f_raters == pytest.approx(theirs.loc["C(rater)", "F"])
    assert ours.p_items == pytest.approx(theirs.loc["C(item)", "PR(>F)"])
    assert ours.p_raters == pytest.approx(theirs.loc["C(rater)", "PR(>F)"])


def test_statsmodels_mixed_model():
    """Crossed effects as variance components of one all-embracing group, by REML."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    table = simulated(11, 15, 4, missing=0.25)
    frame = long(table).dropna()
    frame["all"] = 1
    parts = {"item": "0 + C(item)", "rater": "0 + C(rater)"}
    theirs = MixedLM.from_formula(
        "score ~ 1", groups="all", re_formula="0", vc_formula=parts, data=frame
    ).fit(reml=True, method="bfgs", gtol=1e-8)
    ours = mixed_model(table)
    # statsmodels stops at a flatter gradient than ours.
    expected = dict(zip(theirs.model.exog_vc.names, theirs.vcomp, strict=True))
    assert ours.components.items == pytest.approx(expected["item"], rel=1e-3)
    assert ours.components.raters == pytest.approx(expected["rater"], rel=1e-3)
    assert ours.components.error == pytest.approx(theirs.scale, rel=1e-3)
    assert ours.deviance == pytest.approx(-2 * theirs.llf, rel=1e-6)


def test_cronbach_alpha_is_icc_3_k():
    table = simulated(13, 25, 5)
    alpha, _ = pingouin.cronbach_alpha(pd.DataFrame(table))
    assert icc(table, "ICC(3,k)").estimate.value == pytest.approx(alpha)
