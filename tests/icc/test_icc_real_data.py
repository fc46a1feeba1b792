"""Open rater tables and method comparisons of a mirror folder: each gives a sensible answer."""

import math
import os
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchbook.icc import (
    bland_altman,
    bland_altman_replicates,
    concordance,
    intraclass_correlations,
    measurement_error,
    mixed_model,
    one_way_icc,
    regression_limits,
    replicates_from_long,
)
from benchbook.ratings import Ratings

MIRROR = os.environ.get("BENCHBOOK_MIRROR", "")
TABLES = Path(MIRROR) / "interrater-tables"
pytestmark = [
    pytest.mark.mirror,
    pytest.mark.skipif(
        not (MIRROR and TABLES.is_dir()), reason="needs interrater-tables under BENCHBOOK_MIRROR"
    ),
]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def htt():
    reads = pd.read_csv(TABLES / "HTT" / "pilotHTT_RST.csv").dropna(subset=["densityTILs"])
    scores = reads.groupby(["caseID", "readerID"], as_index=False).densityTILs.mean()
    return Ratings.from_long(
        scores, "continuous", item="caseID", rater="readerID", rating="densityTILs"
    )


def test_htt_has_no_complete_item_and_a_mixed_model():
    ratings = htt()
    assert ratings.n_raters == 37
    found = intraclass_correlations(ratings)
    assert "no item was scored by all 37 raters" in found["ICC(2,1)"].estimate.reason
    fit = mixed_model(ratings)
    # lme4 1.1-31, bobyqa at a tolerance of 1e-13.
    assert fit.components.items == pytest.approx(201.229815, rel=1e-5)
    assert fit.components.raters == pytest.approx(33.725666, rel=1e-5)
    assert fit.components.error == pytest.approx(69.175196, rel=1e-5)
    assert fit.deviance == pytest.approx(45668.135752, rel=1e-9)
    assert fit.mean_standard_error == pytest.approx(1.155526419, rel=1e-5)
    agreement, consistency = fit.icc("ICC(2,1)"), fit.icc("ICC(3,1)")
    assert 0.55 < agreement.low < agreement.value < agreement.high < 0.75
    assert agreement.high - agreement.low > consistency.high - consistency.low
    for interval in ("n0", "thomas-hultquist"):
        one_way = one_way_icc(ratings, interval=interval).estimate
        assert 0.6 < one_way.low < one_way.high < 0.75
        inside = one_way.low <= one_way.value <= one_way.high
        assert inside == (not one_way.warnings)


def lirads():
    table = pd.read_csv(TABLES / "mLIRADS" / "lirads.1-5.csv")
    return table[pd.to_numeric(table["OBSERV"], errors="coerce").notna()]


def test_mlirads_lesion_sizes():
    table = lirads()
    readers = ["MAX_DM_LR", "MAX_DM_LR2", "MAX_DM_LR3", "MAX_DM_LR4"]
    scores = table[readers].apply(pd.to_numeric, errors="coerce")
    found = intraclass_correlations(scores)
    assert found["ICC(2,1)"].estimate.defined
    assert 0 < found["ICC(2,1)"].estimate.value < 1
    error = measurement_error(scores)
    assert error.sem_agreement.value >= error.sem_consistency.value > 0
    for one, other in combinations(scores.columns, 2):
        limits = bland_altman(scores[one], scores[other])
        assert limits.lower.value < limits.bias.value < limits.upper.value


# Name: columns of method, item, replicate (None: one each) and value; first and second method.
METHOD_SETS = {
    "Ancona": ("rater", "item", "repl", "score"),
    "Enzyme": ("meth", "item", None, "y"),
    "PEFR": ("meth", "item", "repl", "y"),
    "VitCap": ("meth", "item", None, "y"),
    "cardiac": ("meth", "item", "repl", "y"),
    "glucose": ("meth", "item", None, "y"),
    "hba1c": ("dev", "item", None, "y"),
    "milk": ("meth", "item", None, "y"),
    "ox": ("meth", "item", "repl", "y"),
    "plvol": ("meth", "item", None, "y"),
    "sbp": ("meth", "item", "repl", "y"),
}


def method_set(name):
    """A set as two tables of items x replicates, replicates counted where they are not."""
    method, item, replicate, value = METHOD_SETS[name]
    table = pd.read_csv(TABLES / "MethComp" / f"{name}.csv").dropna(subset=[value])
    table["number"] = table.groupby([method, item]).cumcount() + 1
    names = [str(one) for one in pd.unique(table[method])]
    return replicates_from_long(
        table,
        item=item,
        method=method,
        replicate=replicate or "number",
        value=value,
        methods=(names[0], names[1]),
    )


def sensible(first, second):
    limits = bland_altman(first, second)
    assert limits.lower.low < limits.lower.value < limits.bias.value
    assert limits.bias.value < limits.upper.value < limits.upper.high
    agreement = concordance(first, second)
    assert -1 <= agreement.ccc.low < agreement.ccc.value < agreement.ccc.high <= 1
    assert abs(agreement.ccc.value) <= abs(agreement.pearson.value) + 1e-12
    line = regression_limits(first, second)
    assert line.slope == pytest.approx(limits.slope.value)


@pytest.mark.parametrize("name", METHOD_SETS)
def test_method_comparison_sets(name):
    first, second = method_set(name)
    for true_value in ("constant", "varying"):
        found = bland_altman_replicates(first, second, true_value=true_value)
        assert found.lower.low < found.lower.value < found.bias.low < found.bias.value
        assert found.bias.value < found.bias.high < found.upper.value < found.upper.high
    sensible(first.iloc[:, 0], second.iloc[:, 0])


def test_fat_by_two_observers():
    table = pd.read_csv(TABLES / "MethComp" / "fat.csv")
    for side in ("Sub", "Vic"):
        first, second = replicates_from_long(
            table, item="Id", method="Obs", replicate="Rep", value=side, methods=("KL", "SL")
        )
        found = bland_altman_replicates(first, second, true_value="constant")
        assert (found.n_first, found.n_second) == (3 * found.n_items, 3 * found.n_items)
        sensible(first.iloc[:, 0], second.iloc[:, 0])


def test_cardiac_output_with_missing_readings():
    table = pd.read_csv(TABLES / "MethComp" / "CardOutput.csv")
    sensible(table.TCO, table.FCO)


def test_rainman_guesses():
    table = pd.read_csv(TABLES / "MethComp" / "rainman.csv")
    for result in intraclass_correlations(table):
        assert result.estimate.low < result.estimate.value < result.estimate.high


def test_cardiac_output_of_bland_and_altman():
    """Radionuclide ventriculography and impedance cardiography, 12 patients, 60 pairs."""
    first, second = method_set("cardiac")
    varying = bland_altman_replicates(first, second, true_value="varying")
    assert (varying.n_items, varying.n_first) == (12, 60)
    assert varying.bias.value == pytest.approx(0.6022, abs=5e-5)
    assert varying.variances["within"] == pytest.approx(0.1707, abs=5e-5)
    constant = bland_altman_replicates(first, second, true_value="constant")
    assert constant.bias.value == pytest.approx(0.7092, abs=5e-5)


@pytest.mark.parametrize("name", ["amygdala", "brainStem", "cerebellum", "judgeRatings"])
def test_agree_tables(name):
    table = pd.read_csv(TABLES / "agRee" / f"{name}.csv")
    scores = table.select_dtypes("number")
    for result in intraclass_correlations(scores):
        assert result.estimate.defined or result.estimate.reason


def test_pingouin_wine_judges():
    """pingouin's documentation: 0.728, 0.728, 0.729, 0.914, 0.914, 0.915."""
    table = pd.read_csv(TABLES / "pingouin" / "icc.csv")
    ratings = Ratings.from_long(table, "continuous", item="Wine", rater="Judge", rating="Scores")
    found = [round(result.estimate.value, 3) for result in intraclass_correlations(ratings)]
    assert found == [0.728, 0.728, 0.729, 0.914, 0.914, 0.915]


def test_oximetry_with_linked_replicates():
    first, second = method_set("ox")
    linked = bland_altman_replicates(first, second, true_value="varying")
    assert linked.n_items == 61
    assert not math.isnan(linked.upper.high)
    naive = bland_altman(np.ravel(first), np.ravel(second))
    assert naive.bias.high - naive.bias.low < linked.bias.high - linked.bias.low
