"""The chapter on intervals: known truths, honest counting, the rule, and a reader's own scores."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import multivariate_normal

from benchbook.benchmarks import bootstrap_intervals as bi
from benchbook.benchmarks.bootstrap_intervals import convergence, record, study, theory
from benchbook.benchmarks.bootstrap_intervals.designs import DESIGNS, Accuracy, effects, shares
from benchbook.benchmarks.bootstrap_intervals.exhibits import item_coverage, table_advice
from benchbook.benchmarks.bootstrap_intervals.recommend import advise, least_coverage
from benchbook.display import Drawing, Table
from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.parameters import validate
from benchbook.records import project_root
from benchbook.resampling import resample

# A mean over simulated data sets lies within so many of its standard errors; 1 in 16,000 beyond.
FOUR_ERRORS = 4.0
TINY = {"n_replications": 20, "n_resamples": 100}
LEVEL = 0.95


def parameters(**values) -> bi.Parameters:
    return validate(bi.Parameters, {**TINY, **values})


def points(key: str, correlation: float, n: int) -> np.ndarray:
    cell = study.Cell(DESIGNS[key], correlation, True)
    drawn = [cell.design.draw(cell.generator(3, r), correlation) for r in range(n)]
    return np.array([resample(one.statistic, n_resamples=2).point for one in drawn])


# ---- truths -----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["auroc_apart", "wer", "accuracy"])
def test_unbiased_estimates_have_the_stated_truth_as_their_mean(key):
    found = points(key, DESIGNS[key].headline, 400)
    error = found.std(ddof=1) / math.sqrt(found.size)
    assert abs(found.mean() - DESIGNS[key].truth) < FOUR_ERRORS * error


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_auroc_of_shared_clusters_is_biased_by_the_closed_form(correlation):
    design = DESIGNS["auroc_shared"]
    found = points("auroc_shared", correlation, 400)
    error = found.std(ddof=1) / math.sqrt(found.size)
    expected = design.truth + design.bias(correlation)
    assert abs(found.mean() - expected) < FOUR_ERRORS * error
    assert design.bias(0.8) > 0.01
    assert design.bias(0.0) == pytest.approx(0.0, abs=1e-12)


def test_macro_f_and_kappa_follow_from_their_tables():
    """The truth by the package's own statistic on expected counts."""
    from benchbook.agreement import cohen_kappa
    from benchbook.ratings import Ratings

    kappa = DESIGNS["kappa"]
    table = np.rint(kappa.cells.reshape(2, 2) * 1000).astype(int)
    by_package = cohen_kappa(Ratings.from_contingency(table)).estimate.value
    assert kappa.truth == pytest.approx(by_package, abs=1e-12)
    design = DESIGNS["macro_f"]
    cells = design.prevalence[:, None] * design.confusion
    precision, recall = np.diag(cells) / cells.sum(axis=0), np.diag(design.confusion)
    harmonic = (2 * precision * recall / (precision + recall)).mean()
    assert design.truth == pytest.approx(harmonic, abs=1e-12)
    assert cells.sum(axis=1) == pytest.approx(design.prevalence, abs=1e-12)


def test_items_have_the_stated_correlation():
    """Of normal scores, and of beta-binomial answers."""
    generator = np.random.default_rng(5)
    cluster = np.repeat(np.arange(20_000), 2)
    pair = effects(generator, cluster, 0.4).reshape(-1, 2)
    # Standard error of a correlation of 20,000 pairs: below 0.0071.
    assert np.corrcoef(pair.T)[0, 1] == pytest.approx(0.4, abs=FOUR_ERRORS * 0.0071)
    chance = shares(generator, 0.8, 0.4, 20_000)[:, None]
    answers = generator.random((20_000, 2)) < chance
    assert np.corrcoef(answers.T)[0, 1] == pytest.approx(0.4, abs=FOUR_ERRORS * 0.0120)


def test_within_pair_chance_is_that_of_the_bivariate_normal():
    """The bias formula against the probability of a difference of two correlated scores."""
    design = DESIGNS["auroc_shared"]
    covariance = [[1.0, 0.6], [0.6, 1.0]]
    difference = np.array([1.0, -1.0])
    spread = math.sqrt(difference @ np.array(covariance) @ difference)
    chance = multivariate_normal(0, spread**2).cdf(design.shift)
    assert design.bias(0.6) == pytest.approx(0.1 * (chance - design.truth), abs=1e-9)


def test_the_specification_says_what_the_source_draws():
    spec = yaml.safe_load((project_root() / "data/bootstrap_intervals/spec.yml").read_text())
    assert set(spec["designs"]) == set(DESIGNS)
    for key, said in spec["designs"].items():
        design = DESIGNS[key]
        assert said["clusters"] == design.n_clusters
        assert said["correlation"] == design.headline
        assert said.get("truth", design.truth) == pytest.approx(design.truth, abs=1e-12)
    for key, correlations in spec["sweeps"].items():
        assert tuple(correlations) == DESIGNS[key].sweep


# ---- counting ---------------------------------------------------------------------------------


def test_tally_counts_covers_misses_and_missing_intervals():
    tally = study.Tally()
    for low, high in ((0.1, 0.4), (0.6, 0.9), (0.5, 0.7), (0.4, 0.5), (math.nan, math.nan)):
        tally.add(low, high)
    found = tally.summary(0.5)
    assert (found["n_intervals"], found["n_covered"]) == (4, 2)
    assert (found["n_too_high"], found["n_too_low"]) == (1, 1)
    assert found["mean_width"] == pytest.approx((0.3 + 0.3 + 0.2 + 0.1) / 4)


def test_no_coverage_is_without_a_monte_carlo_error():
    table = pd.DataFrame(
        {"n_replications": [100, 100], "n_intervals": [100, 0], "n_covered": [100, 0]}
    )
    found = study.with_rates(table)
    assert found["coverage"].iloc[0] == 1.0
    assert 0 < found["error"].iloc[0] < 0.02
    assert found["low"].iloc[0] == pytest.approx(0.963, abs=0.0005)  # Wilson, 100 of 100
    assert math.isnan(found["coverage"].iloc[1])
    assert found["without"].tolist() == [0.0, 1.0]


def test_fewer_replications_and_other_selections_see_the_same_data_sets():
    points_ = study.cells(["accuracy"], sweep_step=10)
    how = {"n_resamples": 100, "level": LEVEL, "seed": 1}
    short = study.run(points_[:1], n_replications=5, **how)
    long = study.run(points_[::-1], n_replications=8, **how)
    assert len(points_) == 3
    cell = study.Cell(DESIGNS["accuracy"], 0.4, True)
    first = [cell.design.draw(cell.generator(1, r), 0.4).facts["count"] for r in range(8)]
    means = long.estimates.set_index("correlation")["mean"]
    assert means[0.4] == pytest.approx(np.mean(first) / 400, abs=1e-12)
    assert short.estimates["mean"].iloc[0] == pytest.approx(np.mean(first[:5]) / 400, abs=1e-12)


def test_simulated_item_coverage_follows_the_design_effect():
    """Coverage over items of the accuracy at 0.8, against its formula."""
    cell = study.Cell(Accuracy(), 0.8, False)
    found = study.run([cell], n_replications=300, n_resamples=200, level=LEVEL, seed=9)
    rows = study.with_rates(found.coverage).set_index("unit")
    expected = float(item_coverage(np.array([Accuracy().design_effect(0.8)]), LEVEL)[0])
    assert expected == pytest.approx(0.506, abs=0.001)
    item, cluster = rows.loc["item"], rows.loc["cluster"]
    assert abs(item["coverage"] - expected) < FOUR_ERRORS * item["error"] + 0.02  # discreteness
    assert cluster["coverage"] > 0.85


# ---- formulas ---------------------------------------------------------------------------------


def test_few_clusters_closed_form_is_that_of_a_simulation():
    found = theory.few_clusters(LEVEL).set_index("clusters")
    generator = np.random.default_rng(2)
    values = generator.standard_normal((40_000, 10))
    reach = 1.959963984540054 * values.std(axis=1) / math.sqrt(10)  # divides by K, as resamples do
    simulated = (np.abs(values.mean(axis=1)) <= reach).mean()
    error = math.sqrt(0.1 * 0.9 / 40_000)
    assert found.loc[10, "coverage"] == pytest.approx(simulated, abs=FOUR_ERRORS * error)
    assert found["coverage"].is_monotonic_increasing
    assert (found["coverage"] < LEVEL).all()


def test_a_definition_that_differs_stops_the_page():
    with pytest.raises(BenchbookError, match="the package"):
        bi.compare("WER", 0.1, 0.1 + 1e-9)


def test_monte_carlo_error_falls_with_the_square_root(monkeypatch):
    monkeypatch.setattr(convergence, "POOL", 20_000)
    monkeypatch.setattr(convergence, "SIZES", (100, 400))
    made = convergence.Convergence(seed=4, level=LEVEL)
    table = made.table.set_index(["name", "group", "n_resamples"])
    # 200 and 50 independent runs: their standard deviations are known within 5 % and 10 %.
    for side in convergence.SIDES:
        few, many = (table.loc[("percentile", side, size), "value"] for size in (100, 400))
        assert few / many == pytest.approx(2.0, rel=0.45)
    many = table.loc[("percentile", "lower bound", 400)]
    assert many["value"] == pytest.approx(many["predicted"], rel=0.45)
    assert made.needed(0.01)["resamples"].iloc[0] == pytest.approx(
        4 * made.needed(0.02)["resamples"].iloc[0], rel=0.1
    )


# ---- the rule ---------------------------------------------------------------------------------


def results(**coverage: tuple[int, int, float]) -> study.Results:
    """A finished study of the accuracy: method to (intervals, covered, width), of 1,000."""
    rows = [
        {
            "design": "accuracy", "correlation": 0.4, "unit": "cluster", "method": method,
            "n_replications": 1000, "n_intervals": given, "n_covered": covered, "n_too_high": 0,
            "n_too_low": given - covered, "mean_width": width, "width_error": 0.001,
        }
        for method, (given, covered, width) in coverage.items()
    ]  # fmt: skip
    rows.append({**rows[0], "unit": "item", "method": "Wilson", "n_covered": 1000})
    estimates = pd.DataFrame(
        [{"design": "accuracy", "correlation": 0.4, "truth": 0.8, "mean": 0.8, "sd": 0.04,
          "n_replications": 1000, "n_undefined": 0}]
    )  # fmt: skip
    return study.Results(pd.DataFrame(rows), estimates, 1000, 400, LEVEL, 1)


def test_the_narrowest_adequate_interval_over_clusters_is_recommended():
    found = advise(
        results(
            percentile=(1000, 900, 0.15),  # covers too rarely
            linear=(1000, 930, 0.16),  # within two standard errors of 92.5 %
            BCa=(1000, 950, 0.17),
            studentised=(1000, 960, 0.20),
            basic=(980, 980, 0.10),  # too often no interval
        ),
        "accuracy",
    )
    assert least_coverage(LEVEL) == pytest.approx(0.925)
    assert found.chosen["method"] == "BCa"
    assert list(found.adequate["method"]) == ["BCa", "studentised"]
    assert list(found.borderline["method"]) == ["linear"]
    assert list(found.failing["method"]) == ["percentile"]


def test_where_nothing_is_adequate_the_best_is_named_and_not_met():
    study_ = results(percentile=(1000, 900, 0.15), BCa=(1000, 930, 0.17))
    found = advise(study_, "accuracy")
    assert not found.met
    row = table_advice(study_, ["accuracy"]).frame.iloc[0]
    assert row["recommended"] == "none; best: BCa"
    assert row["borderline"] == "–"
    assert row["covers too rarely"] == "percentile 90.0 (0.150)"


# ---- the kept study ---------------------------------------------------------------------------


def test_a_kept_study_reads_back(tmp_path):
    made = study.run(study.cells(["kappa"]), n_replications=5, n_resamples=100, level=LEVEL, seed=1)
    path = tmp_path / record.FILE
    record.write(made, path)
    first = path.read_bytes()
    record.write(made, path)
    assert path.read_bytes() == first
    kept = record.read(path)
    assert kept.current
    counts = ["design", "method", "n_intervals", "n_covered", "n_too_high", "n_too_low"]
    pd.testing.assert_frame_equal(kept.results.coverage[counts], made.coverage[counts])
    path.write_text("[]")
    with pytest.raises(BenchbookError, match="kept coverage study"):
        record.read(path)


def test_the_kept_study_of_this_source_holds_every_design():
    kept = record.read()
    assert kept is not None, "python -m benchbook.benchmarks.bootstrap_intervals writes it"
    assert set(kept.results.coverage["design"]) == set(DESIGNS)
    assert kept.results.n_replications >= 1000
    table = study.with_rates(kept.results.coverage).set_index(
        ["design", "correlation", "unit", "method"]
    )
    for rho in Accuracy().sweep:
        expected = float(item_coverage(np.array([Accuracy().design_effect(rho)]), LEVEL)[0])
        row = table.loc[("accuracy", rho, "item", "percentile")]
        assert abs(row["coverage"] - expected) < FOUR_ERRORS * row["error"] + 0.01


# ---- parameters and own file ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"study": "huge"}, "quick"),
        ({"designs": ["auroc"]}, "auroc_apart"),
        ({"designs": ["wer", "wer"]}, "twice"),
        ({"n_replications": 2}, "20"),
        ({"data": "scores.csv"}, "higher_is_positive must be stated"),
        ({"cluster": "patient"}, "no data file"),
    ],
)
def test_wrong_parameters_are_refused(values, words):
    with pytest.raises(ParameterError, match=words):
        validate(bi.Parameters, values)


OWN = """id,patient,risk,dead
1,a,0.9,yes
2,a,0.7,yes
3,b,0.4,no
4,b,0.8,yes
5,c,0.1,no
6,c,0.2,no
7,d,0.75,no
8,d,0.35,no
"""
GIVEN = {"score": "risk", "label": "dead", "positive": "yes", "higher_is_positive": True}


@pytest.fixture
def write(tmp_path):
    def make(text: str) -> str:
        path = tmp_path / "scores.csv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return make


def test_own_scores_get_every_interval(write):
    given = parameters(data=write(OWN), cluster="patient", designs=["kappa"], **GIVEN)
    assert bi.conditions(given) == {"own"}
    chapter = bi.Chapter(given)
    found = chapter.own.intervals
    assert found["percentile"].value == pytest.approx(14 / 15, abs=1e-12)  # one pair of 15 wrong
    assert found["percentile"].n_clusters == 4
    assert set(found) >= {"BCa", "studentised", "Obuchowski", "Obuchowski, logit"}
    assert "4 clusters (`patient`); 2 of these hold the positives" in chapter.own.statement()
    assert isinstance(chapter.table_own(), Table)
    assert isinstance(chapter.figure_own(), Drawing)


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        (OWN.replace("0.4", "high"), {}, "scores.csv, row 4, column risk"),
        (OWN.replace("0.4", ""), {}, "empty cell"),
        (OWN, {"positive": "ja"}, "one class only"),
        (OWN, {"score": "risc"}, "did you mean 'risk'"),
        (OWN, {"cluster": "dead2"}, "no column 'dead2'"),
    ],
)
def test_files_that_cannot_be_used_are_refused(write, text, given, words):
    with pytest.raises(DataError, match=words):
        bi.check(parameters(data=write(text), **{**GIVEN, **given}))


# ---- the page ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> bi.Chapter:
    return bi.Chapter(parameters())


def test_every_exhibit_says_that_it_is_simulated(small):
    shown = [
        small.table_designs(), small.figure_coverage(), small.table_coverage(),
        small.figure_widths(), small.figure_correlation(), small.table_correlation(),
        small.table_advice(), small.figure_example(),
    ]  # fmt: skip
    for one in shown:
        assert "imulated" in one.caption
    for one in (small.figure_coverage(), small.table_coverage()):
        assert f"{TINY['n_replications']} data sets, {TINY['n_resamples']} resamples" in one.caption


def test_numbers_of_the_record_are_shares_and_widths(small):
    numbers = small.numbers()
    assert set(numbers) == set(DESIGNS)
    for found in numbers.values():
        assert 0 <= found["percentile, item"]["coverage"] <= 1


@pytest.mark.parametrize("designs", [["kappa"], ["wer", "macro_f"], ["accuracy"]])
def test_any_selection_of_designs_makes_a_page(designs):
    chapter = bi.Chapter(parameters(designs=designs))
    for name in ("say_coverage", "figure_coverage", "table_coverage", "figure_widths"):
        assert getattr(chapter, name)()
    assert chapter.table_advice().frame.shape[0] == len(designs)
    assert ("sweep" in bi.conditions(chapter.parameters)) == ("accuracy" in designs)


def test_another_level_stands_without_the_kept_study():
    chapter = bi.Chapter(parameters(level=0.9, designs=["accuracy"]))
    assert chapter.kept is None
    assert chapter.main is chapter.run
    assert "stands alone" in chapter.say_data_statement()
    assert chapter.say_two_runs() == ""


def test_surprises_are_what_they_claim():
    rows = theory.surprises(LEVEL, 500, 1).frame.set_index("result")
    perfect = next(row for name, row in rows.iterrows() if name.startswith("AUROC of 1"))
    assert perfect["percentile"] == "1.000–1.000"
    assert perfect["BCa"] == "–"
    none = next(row for name, row in rows.iterrows() if name.startswith("no error"))
    assert none["percentile"] == "0.000–0.000"
    assert none["by formula"].startswith("0.000–0.071")
    # All 8 positives above all 30 negatives, by brute force on fewer draws.
    generator = np.random.default_rng(8)
    shift = math.sqrt(2) * 1.6448536269514722
    brute = np.mean(
        [
            generator.normal(shift, 1, 8).min() > generator.normal(0, 1, 30).max()
            for _ in range(4000)
        ]
    )
    assert theory.seen_as_perfect(0.95, 8, 30, 1) == pytest.approx(brute, abs=0.02)
