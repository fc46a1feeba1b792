"""The chapter: its numbers on the published tables, and what it says of a reader's own file."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

from benchbook.benchmarks import inter_rater_reliability as irr
from benchbook.benchmarks.inter_rater_reliability import theory
from benchbook.benchmarks.inter_rater_reliability.pairs import extreme_pairs
from benchbook.benchmarks.inter_rater_reliability.studies import BUNDLED, shared_pairs
from benchbook.display import Drawing, Table
from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.parameters import validate
from benchbook.ratings import Ratings

# Published values are printed with two or three decimals.
TWO_DECIMALS = 0.005
THREE_DECIMALS = 0.0005


def chapter(**values) -> irr.Chapter:
    return irr.Chapter(validate(irr.Parameters, {"n_resamples": 200, **values}))


@pytest.fixture(scope="module")
def bundled() -> irr.Chapter:
    return chapter()


@pytest.fixture
def write(tmp_path):
    def make(text: str, name: str = "ratings.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return make


# ---- published numbers --------------------------------------------------------------------

PUBLISHED = [
    ("pathology", "percent", 0.85, THREE_DECIMALS),
    ("pathology", "kappa", 0.70, THREE_DECIMALS),
    ("multiple_sclerosis", "kappa", 0.208, THREE_DECIMALS),
    ("fleiss_1971", "fleiss", 0.430, THREE_DECIMALS),
    ("fleiss_1971", "ac", 0.448, THREE_DECIMALS),
    ("fleiss_1971", "alpha", 0.433, THREE_DECIMALS),
    ("krippendorff_2011", "alpha", 0.743, THREE_DECIMALS),
]


@pytest.mark.parametrize(("study", "key", "value", "tolerance"), PUBLISHED)
def test_published_coefficients_come_out(bundled, study, key, value, tolerance):
    assert bundled.found[study][key].reported.value == pytest.approx(value, abs=tolerance)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("ICC(1,1)", 0.17),
        ("ICC(2,1)", 0.29),
        ("ICC(3,1)", 0.71),
        ("ICC(1,k)", 0.44),
        ("ICC(2,k)", 0.62),
        ("ICC(3,k)", 0.91),
    ],
)
def test_shrout_and_fleiss_come_out(bundled, form, value):
    judges = next(s for s in bundled.scores if s.study.key == "shrout_fleiss_1979")
    assert judges.coefficients[form].reported.value == pytest.approx(value, abs=TWO_DECIMALS)


def test_peak_flow_meters_come_out(bundled):
    meters = next(s for s in bundled.scores if s.study.key == "bland_altman_1986")
    assert meters.limits.bias.value == pytest.approx(-2.1, abs=0.05)
    assert meters.limits.sd.value == pytest.approx(38.8, abs=0.05)


def test_verdicts_follow_the_rule_on_value_and_on_lower_bound(bundled):
    found = {study.key: (v.on_value, v.on_lower_bound) for study, _, v in bundled.verdicts}
    assert found["pathology"] == ("accepted", "redesign")
    assert "bland_altman_1986" not in found, "two methods of measurement make no answer key"
    assert found["shrout_fleiss_1979"] == ("redesign", "redesign")


def test_thresholds_are_parameters():
    found = chapter(accept=0.75, conditional=0.7)
    assert found.verdicts[0][2].on_value == "conditional"


# ---- theory -------------------------------------------------------------------------------


def test_paradox_curves_equal_the_package_on_expected_counts():
    """At prevalence 0.25 all cells of 10,000 items are whole numbers."""
    curves = theory.paradox_curves()
    row = curves.iloc[(curves["prevalence"] - 0.25).abs().argmin()]
    assert row["prevalence"] == pytest.approx(0.25, abs=1e-12)
    both = 10_000 * (0.25 * 0.81 + 0.75 * 0.01)
    neither = 10_000 * (0.25 * 0.01 + 0.75 * 0.81)
    mixed = (10_000 - both - neither) / 2
    table = np.rint([[both, mixed], [mixed, neither]])
    ratings = Ratings.from_contingency(table.astype(int))
    from benchbook.agreement import cohen_kappa, gwet_ac

    assert row["kappa"] == pytest.approx(cohen_kappa(ratings).estimate.value, abs=1e-12)
    assert row["ac1"] == pytest.approx(gwet_ac(ratings).estimate.value, abs=1e-12)
    assert row["percent_agreement"] == pytest.approx((both + neither) / 10_000, abs=1e-12)


def test_paradox_is_symmetric_and_ends_near_zero():
    curves = theory.paradox_curves()
    flipped = curves["kappa"].to_numpy()[::-1]
    np.testing.assert_allclose(curves["kappa"], flipped, atol=1e-12)
    assert curves["kappa"].iloc[0] < 0.05 < 0.6 < curves["kappa"].max()


def test_surprises_are_what_their_words_say():
    frame = irr.surprises().frame.set_index("result")
    paradox = frame.loc["99 % agreement, κ near 0"]
    assert paradox["agreement"] == pytest.approx(0.99)
    assert abs(paradox["κ"]) < 0.02
    assert paradox["AC1"] > 0.98
    single = frame.loc["complete agreement, no κ"]
    assert single["agreement"] == 1
    assert math.isnan(single["κ"])
    assert math.isnan(single["α"])
    assert frame.loc["κ far below 0", "κ"] < -0.5
    assert frame.loc["one slip in six, κ and α exactly 0", ["κ", "α"]].tolist() == [0, 0]


def test_a_definition_that_disagrees_with_the_package_stops_the_page():
    from benchbook.agreement import cohen_kappa

    result = cohen_kappa(Ratings.from_contingency([[4, 1], [2, 3]]))
    assert "0.400000" in irr.compare("κ", 0.4, result)._repr_markdown_()
    with pytest.raises(BenchbookError, match=r"0\.41"):
        irr.compare("κ", 0.41, result)


# ---- exhibits -----------------------------------------------------------------------------

EXHIBITS = {
    "categories": ["say_coefficients", "figure_forest", "table_coefficients"],
    "two": ["say_two_raters", "table_two_raters"],
    "ordinal": ["say_ordinal", "table_weights"],
    "many": ["say_many_raters", "table_per_category"],
    "identified": ["figure_category_use"],
    "pairs": ["figure_pairwise", "figure_influence"],
    "model": ["say_model", "table_model"],
    "scores": ["say_scores", "table_icc", "figure_icc", "figure_scores", "table_components"],
    "comparison": ["say_comparison", "figure_bland_altman", "table_comparison"],
}
ALWAYS = [
    "say_data_statement",
    "data_table",
    "guide_table",
    "say_verdicts",
    "table_verdicts",
    "say_sensitivity",
    "table_sensitivity",
    "figure_intervals",
]


def everything_shown(one: irr.Chapter) -> list:
    names = ALWAYS + [
        name
        for condition, names in EXHIBITS.items()
        if condition in one.conditions
        for name in names
    ]
    return [getattr(one, name)() for name in names]


def check_exhibits(one: irr.Chapter) -> str:
    """Make everything a page would show; return all its words."""
    words = []
    for shown in everything_shown(one):
        if isinstance(shown, str):
            words.append(shown)
        elif isinstance(shown, Table):
            assert len(shown.frame)
            words += [shown.caption, shown.frame.to_csv()]
        else:
            assert isinstance(shown, Drawing)
            assert len(shown.alt) > 40
            assert len(shown.figure.benchbook_data)
            words += [shown.caption, shown.alt]
    text = "\n".join(words)
    assert not re.search(r"\bnan\b", re.sub(r",nan|nan,", "", text.lower()))
    assert "None" not in text
    return text


def test_every_exhibit_of_the_published_tables_can_be_shown(bundled):
    text = check_exhibits(bundled)
    for entry in BUNDLED:
        assert entry.title in text


OWN = {
    "nominal two": ("a,b\nx,x\nx,y\ny,y\nz,z\nx,x\n", {"kind": "nominal"}),
    "nominal many, missing": (
        "a,b,c\nx,x,\nx,y,y\ny,y,y\nz,,z\nx,x,x\n,,\n",
        {"kind": "nominal"},
    ),
    "one category": ("a,b\nx,x\nx,x\nx,x\n", {"kind": "nominal", "categories": ["x", "y"]}),
    "ordinal many": (
        "a,b,c\n1,1,2\n2,2,3\n3,3,3\n1,2,1\n2,3,3\n",
        {"kind": "ordinal", "categories": [1, 2, 3, 4]},
    ),
    "model": (
        "a,b,ai\nx,x,x\nx,y,y\ny,y,y\nz,z,z\nx,x,y\ny,x,x\n",
        {"kind": "nominal", "model": "ai"},
    ),
    "scores two": ("a,b\n3,4\n1,2\n5,6\n2,2.5\n4,4.5\n", {"kind": "continuous"}),
    "scores many, missing": (
        "a,b,c\n1,2,1\n2,2.5,\n3,4,3\n4,4.5,5\n,6,6\n7,8,7\n",
        {"kind": "continuous"},
    ),
    "scores clustered": (
        "item,patient,a,b\n1,p,1,2\n2,p,2,2\n3,q,3,4\n4,q,4,5\n5,r,5,6\n6,r,7,7\n",
        {"kind": "continuous", "cluster": "patient"},
    ),
    "one category, three raters": (
        "a,b,c\nx,x,x\nx,x,x\nx,x,x\n",
        {"kind": "nominal", "categories": ["x", "y"]},
    ),
    "constant rater": ("a,b\nx,x\nx,y\nx,x\nx,y\nx,x\n", {"kind": "nominal"}),
    "perfect": ("a,b,c\nx,x,x\ny,y,y\nx,x,x\ny,y,y\n", {"kind": "nominal"}),
    "identical scores": ("a,b\n3,3\n1,1\n5,5\n2,2\n", {"kind": "continuous"}),
    "constant shift": ("a,b\n3,8\n1,6\n5,10\n2,7\n", {"kind": "continuous"}),
    "nominal clustered": (
        "item,patient,a,b\n1,p,x,x\n2,p,x,y\n3,q,y,y\n4,q,y,y\n5,r,x,x\n6,r,x,x\n7,s,y,x\n",
        {"kind": "nominal", "cluster": "patient"},
    ),
    "ordinal many clustered": (
        "item,patient,a,b,c\n1,p,1,1,2\n2,p,2,2,3\n3,q,3,3,3\n4,q,1,2,1\n5,r,2,3,3\n6,r,1,1,1\n",
        {"kind": "ordinal", "cluster": "patient", "categories": [1, 2, 3, 4]},
    ),
    "relative": (
        "a,b\n3,4\n1,2\n5,6\n2,2.5\n4,4.5\n",
        {"kind": "continuous", "need": "relative"},
    ),
    "no item complete": (
        "item,rater,rating\n1,a,1\n1,b,2\n2,b,3\n2,c,3\n3,a,5\n3,c,6\n4,a,4\n4,b,4\n5,b,8\n5,c,7\n",
        {"kind": "continuous"},
    ),
    "counts": ("x,y\n3,0\n1,2\n0,3\n2,1\n", {"kind": "nominal", "layout": "counts"}),
}


@pytest.mark.parametrize("case", OWN)
def test_a_readers_own_file_gets_its_own_chapter(case, write):
    text, values = OWN[case]
    one = chapter(data=write(text), **values)
    said = check_exhibits(one)
    assert "ratings.csv" in said
    for entry in BUNDLED:
        assert entry.title not in said
    assert "own" in one.conditions
    assert one.numbers()["own"]


def test_undefined_coefficients_give_their_reason(write):
    one = chapter(data=write(OWN["one category"][0]), **OWN["one category"][1])
    assert "undefined" in one.say_coefficients()
    assert "single category" in one.say_two_raters()
    assert one.verdicts[0][2].on_value == "undefined"


def test_the_model_is_no_part_of_the_answer_key(write):
    text, values = OWN["model"]
    one = chapter(data=write(text), **values)
    assert one.studies[0].ratings.raters == ("a", "b")
    assert one._model_difference.humans == ("a", "b")
    without = chapter(data=write("a,b\nx,x\nx,y\ny,y\nz,z\nx,x\ny,x\n"), kind="nominal")
    assert one.found["own"]["kappa"].reported == without.found["own"]["kappa"].reported


def test_clusters_are_the_reported_unit(write):
    text, values = OWN["scores clustered"]
    one = chapter(data=write(text), **values)
    made = one.scores[0].headline
    assert made.unit == "patient"
    assert made.n_clusters == 3
    assert "patient" in one.say_data_statement()


def test_clustered_runs_print_no_interval_or_test_that_takes_items_for_independent(write):
    text, values = OWN["nominal clustered"]
    one = chapter(data=write(text), **values)
    reported = one.found["own"]["kappa"].reported
    row = one.table_two_raters().frame.iloc[0]
    assert (row["low"], row["high"]) == (reported.low, reported.high)
    assert row[["SE", "z", "p"]].isna().all()
    assert "z =" not in one.say_two_raters()
    text, values = OWN["ordinal many clustered"]
    many = chapter(data=write(text), **values)
    assert many.table_per_category().frame[["z", "p_value"]].isna().all(axis=None)
    assert "z =" not in many.say_many_raters()


def test_error_and_slope_of_clustered_scores_have_intervals_over_clusters(write):
    items = np.arange(24)
    generator = np.random.default_rng(1)
    shift = np.repeat(generator.normal(size=8), 3)  # the two differ patient by patient
    first = items + generator.normal(0, 0.1, 24)
    rows = zip(items, items // 3, first, first + shift, strict=True)
    text = "item,patient,a,b\n" + "".join(f"{i},p{p},{a:.4f},{b:.4f}\n" for i, p, a, b in rows)
    by_item, by_patient = (
        chapter(data=write(text), kind="continuous", raters=["a", "b"], item="item", **more)
        for more in ({}, {"cluster": "patient"})
    )
    for name in ("sem_agreement", "sem_consistency", "mdc_agreement", "mdc_consistency"):
        one, other = (getattr(run.scores[0].error, name) for run in (by_item, by_patient))
        assert other.value == pytest.approx(one.value, rel=1e-12)
        assert (one.unit, other.unit) == ("item", "patient")
        assert other.n_clusters == 8
        assert other.low < other.value < other.high
    error = by_patient.scores[0].error
    ratio = error.mdc_agreement.value / error.sem_agreement.value
    assert error.mdc_agreement.high == pytest.approx(ratio * error.sem_agreement.high)
    one, other = (run.scores[0].comparison_row("a", "b")["slope"] for run in (by_item, by_patient))
    assert other.value == pytest.approx(one.value)
    assert other.unit == "patient"
    caption = by_patient.table_comparison().caption
    assert "drawn; none for ρ" in caption
    assert "the minimal detectable change" in by_patient.say_scores()


def test_a_refused_interval_is_not_replaced_by_a_degenerate_one(write):
    text, values = OWN["constant rater"]
    one = chapter(data=write(text), **values)
    made = one.found["own"]["kappa"].reported
    assert made.value == 0
    assert not made.has_interval
    assert made.reason
    assert one.verdicts[0][2].on_lower_bound == "undefined"


def test_an_interval_without_width_is_no_certainty(write):
    text, values = OWN["perfect"]
    assert chapter(data=write(text), **values).verdicts[0][2].on_lower_bound == "undefined"


def test_missing_scores_are_judged_by_the_recommended_mixed_model(write):
    text, values = OWN["scores many, missing"]
    one = chapter(data=write(text), **values)
    assert one.studies[0].recommendation.key == "icc_mixed"
    mixed = one.scores[0].mixed.icc("ICC(2,1)")
    assert one.verdicts[0][1].value == mixed.value
    assert one.scores[0].coefficients["ICC(2,1)"].reported.value != mixed.value


def test_need_for_relative_agreement_recommends_consistency(write):
    text, values = OWN["relative"]
    one = chapter(data=write(text), **values)
    assert one.verdicts[0][1].name.startswith("ICC(3,1)")
    assert one.scores[0].headline.value == one.scores[0].coefficients["ICC(3,1)"].reported.value


@pytest.mark.parametrize("case", ["no item complete", "scores two", "ordinal many"])
def test_every_reported_interval_has_the_level_asked_for(case, write):
    text, values = OWN[case]
    one = chapter(data=write(text), level=0.8, **values)
    levels = {made.level for _, made, _ in one.verdicts}
    levels |= {c.reported.level for found in one.found.values() for c in found.values()}
    levels |= {score.alpha.level for score in one.scores}
    assert levels == {0.8}


def test_weights_of_the_run_are_those_of_the_guide(write):
    data = write("a,b\n1,1\n2,3\n3,3\n1,2\n")
    values = {"kind": "ordinal", "categories": [1, 2, 3], "weights": "linear"}
    frame = chapter(data=data, **values).guide_table().frame
    assert frame["statistic"].tolist() == ["Weighted κ (linear)"]


def test_same_seed_same_numbers_other_seed_other_bounds(write):
    data = write(OWN["nominal two"][0] * 1)
    first, again = (chapter(data=data, kind="nominal") for _ in range(2))
    other = chapter(data=data, kind="nominal", seed=1)
    bounds = [c.found["own"]["kappa"].bootstrap() for c in (first, again, other)]
    assert (bounds[0].low, bounds[0].high) == (bounds[1].low, bounds[1].high)
    assert bounds[0].value == bounds[2].value
    assert bounds[0].seed != bounds[2].seed


def test_pairs_that_share_most_items_are_compared_first():
    nan = np.nan
    table = [[1, nan, 2], [2, nan, 3], [3, 3, 4], [4, 5, 5], [5, 6, 7]]
    ratings = Ratings.from_table(pd.DataFrame(table, columns=list("abc")), "continuous")
    assert shared_pairs(ratings) == [("a", "c"), ("a", "b"), ("b", "c")]


# ---- parameters ---------------------------------------------------------------------------


def test_kind_must_be_stated_with_a_file(write):
    with pytest.raises(ParameterError, match="kind must be stated"):
        chapter(data=write("a,b\n1,2\n"))


def test_a_description_of_a_file_without_a_file_is_refused():
    with pytest.raises(ParameterError, match="no data file"):
        chapter(kind="nominal")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"n_resample": 10}, "n_resamples"),
        ({"level": 95}, "level"),
        ({"seed": -1}, "seed"),
        ({"n_resamples": True}, "n_resamples"),
        ({"weights": "cubic"}, "quadratic"),
        ({"accept": 0.5, "conditional": 0.6}, "conditional"),
    ],
)
def test_bad_parameters_are_named(values, words):
    with pytest.raises(ParameterError, match=words):
        validate(irr.Parameters, values)


def test_unknown_model_names_the_nearest_rater(write):
    with pytest.raises(ParameterError, match="did you mean 'reader'"):
        chapter(data=write("reader,b,c\nx,x,x\ny,y,x\n"), kind="nominal", model="raeder")


def test_check_refuses_what_a_run_would_refuse(write):
    parameters = validate(irr.Parameters, {"data": write("a,b\n1,2\n3,x\n"), "kind": "continuous"})
    with pytest.raises(DataError, match=r"ratings\.csv, row 3, column b"):
        irr.check(parameters)


def test_the_head_of_the_page_speaks_of_the_readers_file(write):
    assert irr.front_matter(irr.Parameters()) == {}
    parameters = validate(irr.Parameters, {"data": write("a,b\n5,2\n2,3\n"), "kind": "continuous"})
    head = irr.front_matter(parameters)
    assert "ratings.csv" in head["description"]
    assert "published" not in str(head)


# ---- what a reader's file must not do -----------------------------------------------------


def test_one_item_is_refused(write):
    with pytest.raises(DataError, match="one item"):
        chapter(data=write("case,a,b\n1,x,y\n"), kind="nominal", item="case")


def test_one_cluster_is_refused_before_anything_runs(write):
    data = write("item,patient,a,b\n1,p,x,x\n2,p,y,y\n")
    with pytest.raises(DataError, match="only one"):
        chapter(data=data, kind="nominal", cluster="patient")


def test_scores_called_nominal_are_refused(write):
    rows = "\n".join(f"{i % 7}.{i},{(i + 7) % 7}.{i % 23}" for i in range(10, 60))
    with pytest.raises(DataError, match="kind=continuous"):
        chapter(data=write(f"a,b\n{rows}\n"), kind="nominal")


def test_names_cannot_write_into_the_page(write):
    data = write("<b>one</b>,@two,t_3\n*x*,*x*,y\n*x*,y,y\ny,y,*x*\ny,y,y\n")
    for caption in (
        one.caption
        for one in everything_shown(chapter(data=data, kind="nominal"))
        if isinstance(one, Drawing)
    ):
        assert "<b>" not in caption.replace("\\<b\\>", "")
        assert "@two" not in caption.replace("\\@two", "")


def test_exhibits_that_do_not_apply_show_nothing(write):
    text, values = OWN["scores two"]
    one = chapter(data=write(text), **values)
    for condition, names in EXHIBITS.items():
        if condition not in one.conditions:
            for name in names:
                assert not getattr(one, name)()


def test_few_clusters_are_told(write):
    text, values = OWN["nominal clustered"]
    assert "too narrow" in chapter(data=write(text), **values).say_data_statement()


def test_rows_kept_are_told(write):
    data = write("case,site,a,b\n1,x,u,u\n2,x,v,v\n3,y,u,v\n4,x,u,v\n")
    one = chapter(data=data, kind="nominal", item="case", raters=["a", "b"], where={"site": "x"})
    assert "site = x" in one.say_data_statement()
    assert one.studies[0].ratings.n_items == 3


# ---- pairs of raters --------------------------------------------------------------------------


def pair_tables(kappa: dict[str, float], items: dict[str, int]):
    names = sorted({name for pair in kappa for name in pair})
    matrix = pd.DataFrame(math.nan, index=names, columns=names)
    shared = pd.DataFrame(0, index=names, columns=names)
    for (one, other), value in kappa.items():
        for a, b in ((one, other), (other, one)):
            matrix.loc[a, b], shared.loc[a, b] = value, items.get(one + other, 50)
    return matrix, shared


@pytest.mark.parametrize(
    ("kappa", "items", "finding", "remark"),
    [
        ({"AB": 0.2, "AC": 0.5, "BC": 0.8}, {}, "κ from 0.20 (A and B) to 0.80 (B and C)", ""),
        (
            {"AB": -0.5, "AC": 0.5, "BC": 0.8},
            {"AB": 9},
            "κ from 0.50 (A and C) to 0.80 (B and C)",
            "1 of 3 pairs share fewer than 10 items (dots, n < 10); the extremes are named among",
        ),
        (
            {"AB": -0.5, "AC": 0.5, "BC": 0.5},
            {"AB": 3},
            "with enough items has a κ of 0.50",
            "1 of 3",
        ),
        (
            {"AB": -0.5, "AC": 0.5},
            {"AB": 3, "AC": 9},
            "κ from -0.50 (A and B) to 0.50 (A and C)",
            "Every pair shares fewer than 10 items",
        ),
        ({"AB": math.nan}, {}, "No pair of raters has a defined κ.", ""),
    ],
)
def test_extreme_pairs_are_named_among_those_with_enough_items(kappa, items, finding, remark):
    told, known = extreme_pairs(*pair_tables(kappa, items))
    assert finding in told
    assert remark in known
    assert bool(remark) == bool(known)


def test_figure_of_pairs_marks_those_that_share_few_items(write):
    rows = [f"{i},{i % 2},{(i + (i == 3)) % 2},{i % 2 if i < 4 else ''}" for i in range(30)]
    text = "item,A,B,C\n" + "\n".join(rows) + "\n"
    drawing = chapter(data=write(text), kind="nominal").figure_pairwise()
    assert "2 of 3 pairs share fewer than 10 items" in drawing.caption
    data = drawing.figure.benchbook_data
    assert data.set_index(["first", "second"])["items"].to_dict() == {
        ("A", "B"): 30, ("A", "C"): 4, ("B", "C"): 4,
    }  # fmt: skip
