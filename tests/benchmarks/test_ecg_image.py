"""The chapter on paper ECGs: the Challenge's scorer, published numbers, definitions, the page."""

from __future__ import annotations

import itertools
import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ecg_image_inputs import CLASSES, DESIGNS, study_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from benchbook.benchmarks import ecg_image as ei
from benchbook.benchmarks.ecg_image import exhibits, facts, sensitivity, theory
from benchbook.benchmarks.ecg_image.conventions import (
    ALL_CLASSES,
    READ_ONLY,
    UNLABELLED,
    ZERO,
)
from benchbook.benchmarks.ecg_image.own import load, specification
from benchbook.benchmarks.ecg_image.scoring import (
    ERROR_RATE,
    HEADROOM,
    MACRO,
    MEAN_LABELS,
    PARSE_RATE,
    PRIOR,
    Scores,
    class_key,
    co_occurrence,
    confusions,
)
from benchbook.benchmarks.ecg_image.study import Answers, Study
from benchbook.display import Drawing, Table
from benchbook.parameters import validate
from benchbook.records import project_root
from benchbook.site.project import find_project
from benchbook.site.run import prepare, run_notebook

# Both add at most a few hundred whole numbers and take eleven quotients and their mean.
EXACT = 1e-12
# Published with three decimals, or two.
PUBLISHED, PUBLISHED_TWO = 0.0005, 0.005
FEW = 100

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "ecg_image_challenge.json").read_text("utf-8")
)
SPEC = specification()
TEST = SPEC.counts.parts["test"]


def table(labels: list[list[str] | None]) -> np.ndarray:
    return np.array([[name in (row or ()) for name in CLASSES] for row in labels], dtype=bool)


def answers_of(predicted, model="m", received=None, as_text=False, parsed=None) -> Answers:
    n = len(predicted)
    received = np.ones(n, bool) if received is None else np.asarray(received, bool)
    text = received & as_text
    return Answers(model, np.asarray(predicted, bool), received, text,
                   text if parsed is None else np.asarray(parsed, bool))  # fmt: skip


def study(reference, *answers, groups=None, classes=CLASSES) -> Study:
    reference = np.asarray(reference, bool)
    groups = np.arange(len(reference)) if groups is None else np.asarray(groups)
    return Study(tuple(classes), reference, groups, tuple(answers), "made")


def macro(made: Study, model: str = "m") -> float:
    return Scores(made, n_resamples=2).distributions[model, MACRO].point


# ---- the Challenge's scorer and scikit-learn --------------------------------------------------


@pytest.mark.parametrize("entry", REFERENCE["studies"], ids=lambda entry: entry["study"])
def test_scores_are_those_of_the_challenges_program(entry):
    reference, answers = study_of(DESIGNS[entry["study"]])
    made = study(table(reference), answers_of(table(answers)))
    scores = Scores(made, n_resamples=2)
    expected = float(entry["macro"])
    if math.isnan(expected):
        # Without any answer the program prints none; by its rule for a missing output it is 0.
        assert not any(answers)
        assert macro(made) == 0
        return
    assert macro(made) == pytest.approx(expected, abs=EXACT)
    for name, has in zip(CLASSES, made.occurring, strict=True):
        assert (name in entry["classes"]) == has
        if has:
            found = scores.distributions["m", class_key(name)].point
            assert found == pytest.approx(entry["classes"][name], abs=EXACT)


def test_the_frozen_numbers_are_of_the_commit_of_the_specification():
    assert REFERENCE["commit"] == SPEC.protocol.scorer.commit
    assert {entry["study"] for entry in REFERENCE["studies"]} == set(DESIGNS)


tables = st.integers(1, 12).flatmap(
    lambda n: st.lists(
        st.tuples(st.lists(st.booleans(), min_size=4, max_size=4),
                  st.lists(st.booleans(), min_size=4, max_size=4)),
        min_size=n, max_size=n,
    )
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(tables)
def test_scores_are_those_of_scikit_learn(rows):
    reference, given_ = (np.array(part, dtype=bool) for part in zip(*rows, strict=True))
    made = study(reference, answers_of(given_), classes=CLASSES[:4])
    found = Scores(made, n_resamples=2).distributions
    kept = reference.any(axis=1)
    if not kept.any():
        assert math.isnan(found["m", MACRO].point)
        return
    values = f1_score(reference[kept], given_[kept], average=None, zero_division=np.nan)
    for name, expected in zip(made.classes, values, strict=True):
        value = found["m", class_key(name)].point
        assert value == pytest.approx(expected, abs=EXACT, nan_ok=True)
    occurs = reference[kept].any(axis=0)
    assert found["m", MACRO].point == pytest.approx(values[occurs].mean(), abs=EXACT)
    everywhere = f1_score(reference[kept], given_[kept], average="macro", zero_division=0)
    assert found["m", ALL_CLASSES].point == pytest.approx(everywhere, abs=EXACT)
    micro = f1_score(reference[kept], given_[kept], average="micro", zero_division=0)
    assert found["m", sensitivity.OTHERS[-1]].point == pytest.approx(micro, abs=EXACT)


def test_a_resample_leaves_out_a_class_that_is_0_over_0():
    """By a loop over the very resamples, drawn again by hand from counts of groups."""
    reference = np.zeros((6, 11), bool)
    reference[[0, 1, 2, 3, 4], [0, 3, 3, 5, 5]] = True
    predicted = reference.copy()
    predicted[1], predicted[4, 9] = False, True
    groups = np.array([0, 0, 1, 2, 3, 3])
    statistic = Scores(study(reference, answers_of(predicted), groups=groups), n_resamples=2)
    from benchbook.metrics import f_statistics

    made = f_statistics(statistic.study.memberships(predicted))["macro"]
    for drawn in itertools.product(range(3), repeat=4):
        rows = np.repeat(np.arange(6), np.array(drawn)[groups])
        has, named = reference[rows], predicted[rows]
        true, both = (has & named).sum(axis=0), has.sum(axis=0) + named.sum(axis=0)
        values = [2 * true[k] / both[k] for k in (0, 3, 5) if both[k]]
        sums = made.contributions[rows].sum(axis=0, keepdims=True)
        expected = np.mean(values) if values else math.nan
        assert made.evaluate(sums)[0] == pytest.approx(expected, abs=EXACT, nan_ok=True)


# ---- published numbers ------------------------------------------------------------------------


def test_prior_and_headroom_from_the_published_counts():
    counts = (799, 23, 120, 955, 131, 168, 159, 58, 158, 683, 44)
    assert tuple(TEST.positives.values()) == counts
    assert tuple(TEST.positives) == CLASSES
    prior = ei.prior_macro_f(TEST.positives, 1780).value
    assert prior == pytest.approx(0.252, abs=PUBLISHED)
    assert ei.headroom(0.676, prior) == pytest.approx(0.43, abs=PUBLISHED_TWO)
    shown = facts.published_prior()
    assert shown.value == pytest.approx(prior, abs=PUBLISHED)
    text = ei.say_prior(SPEC)
    assert "**0.252**" in text
    assert "= 0.43$" in text
    assert "0.247–0.258" in text


def test_published_facts_are_kept_with_their_interval():
    found = ei.table_published(SPEC).frame.set_index(["model", "metric"])
    trained = found.xs("macro F", level="metric").filter(like="resnet18", axis=0).iloc[0]
    assert tuple(trained[["value", "low", "high"]]) == (0.676, 0.650, 0.700)
    acute = found.xs("F of Acute MI", level="metric").iloc[0]
    assert (acute["value"], acute["positives"]) == (0.190, "23")
    pilot = found.filter(like="qwen", axis=0).droplevel("model")
    assert tuple(pilot.loc["macro F", ["value", "low", "high"]]) == (0.259, 0.175, 0.326)
    assert pilot.loc["parse rate", "value"] == 0.92
    assert tuple(pilot.loc["F of AFIB/AFL", ["value", "positives"]]) == (0.105, "36")
    assert set(pilot["records"]) == {"100"}


def test_the_earlier_result_is_never_ranked():
    from benchbook.specs import read_leaderboard

    board = read_leaderboard(ei.NAME)
    assert not any("resnet18" in entry.result.model for entry in board.ranked)
    assert any("resnet18" in entry.result.model for entry in board.pending)


@given(st.integers(1, 400), st.integers(0, 400))
def test_prior_of_a_class_is_that_of_the_answers(n, others):
    reference = np.zeros((n + others, 2), bool)
    reference[:n, 0], reference[:, 1] = True, True
    made = study(reference, answers_of(np.ones_like(reference)), classes=("a", "b"))
    found = Scores(made, n_resamples=2).distributions["m", class_key("a")].point
    assert ei.prior_f(n, n + others) == pytest.approx(found, abs=EXACT)


def test_prior_without_a_class_is_undefined():
    assert math.isnan(ei.prior_f(0, 10))
    made = ei.prior_macro_f({"a": 0}, 10)
    assert not made.defined
    assert "no class occurs" in made.reason


def test_a_class_named_at_random_never_beats_naming_it_always():
    """The sentence on the page: 2 q n / (n + q S) grows with q."""
    for name, n in TEST.positives.items():
        q = np.linspace(0.01, 1, 100)
        values = 2 * q * n / (n + q * TEST.scored)
        assert (np.diff(values) > 0).all(), name
        assert values[-1] == pytest.approx(ei.prior_f(n, TEST.scored), abs=EXACT)


# ---- headroom, rates --------------------------------------------------------------------------


def test_headroom_is_undefined_where_the_prior_is_perfect():
    reference = np.ones((4, 2), bool)
    made = study(reference, answers_of([[1, 0]] * 4), classes=("a", "b"))
    found = Scores(made, n_resamples=FEW).estimate("m", HEADROOM)
    assert not found.defined
    assert "prior reaches" in found.reason
    assert math.isnan(ei.headroom(0.5, 1.0))


def test_headroom_is_0_for_a_perfect_model_and_1_for_the_prior():
    reference = table(study_of(DESIGNS["large"])[0])
    made = study(reference, answers_of(reference, "right"))
    scores = Scores(made, n_resamples=FEW)
    assert scores.estimate("right", HEADROOM).value == 0
    prior = scores.estimate(PRIOR, HEADROOM)
    assert (prior.value, prior.low, prior.high) == (1, 1, 1)
    assert scores.against_prior("right").difference.value == pytest.approx(
        1 - scores.macro[PRIOR].value, abs=EXACT
    )


def test_rates_have_the_denominators_they_say():
    reference = [[1, 0]] * 4 + [[0, 1], [0, 0]]
    predicted = [[1, 0], [1, 1], [0, 0], [0, 0], [0, 0], [1, 1]]
    received = [1, 1, 1, 0, 0, 1]
    parsed = [1, 1, 0, 0, 0, 1]
    one = answers_of(predicted, received=received, as_text=True, parsed=parsed)
    scores = Scores(study(reference, one, classes=("a", "b")), n_resamples=FEW)
    assert scores.estimate("m", ERROR_RATE).value == pytest.approx(2 / 6, abs=EXACT)
    assert scores.estimate("m", PARSE_RATE).value == pytest.approx(3 / 4, abs=EXACT)
    assert scores.estimate("m", MEAN_LABELS).value == pytest.approx(3 / 5, abs=EXACT)


def test_parse_rate_of_given_labels_is_undefined():
    scores = Scores(study([[1, 0]] * 3, answers_of([[1, 0]] * 3), classes=("a", "b")))
    found = scores.estimate("m", PARSE_RATE)
    assert not found.defined
    assert "no answer came as text" in found.reason


def test_an_unlabelled_record_changes_nothing_but_rates():
    reference, given_ = ([[1, 0], [0, 1]], [[1, 1], [0, 1]])
    bare = study(reference, answers_of(given_), classes=("a", "b"))
    more = study([*reference, [0, 0]], answers_of([*given_, [1, 1]]), classes=("a", "b"))
    assert macro(bare) == macro(more)
    scored = Scores(more, n_resamples=FEW)
    assert scored.estimate("m", UNLABELLED).value < macro(more)


def test_an_unread_answer_costs_less_than_a_wrong_one_and_leaving_it_out_nothing():
    unread, wrong = theory.unread_or_wrong()
    assert wrong < unread < 1
    reference = np.zeros((4, 2), bool)
    reference[:2, 0], reference[2:, 1] = True, True
    predicted = reference.copy()
    predicted[0] = False
    one = answers_of(predicted, as_text=True, parsed=[0, 1, 1, 1])
    scores = Scores(study(reference, one, classes=("a", "b")), n_resamples=FEW)
    assert scores.macro["m"].value < 1
    assert scores.estimate("m", READ_ONLY).value == 1


def test_one_class_only_and_no_warning_of_numpy():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = study([[1, 0]] * 3, answers_of([[0, 0]] * 3), classes=("a", "b"))
        scores = Scores(made, n_resamples=FEW)
        assert scores.macro["m"].value == 0
        absent = scores.class_estimate("m", "b")
        assert not absent.defined
        assert "neither occurs nor is predicted" in absent.reason


# ---- resampling -------------------------------------------------------------------------------


def test_repeats_within_a_group_do_not_narrow_the_interval():
    """Every record four times in one group: the interval of the groups is that of one copy."""
    reference, answers = (table(part) for part in study_of(DESIGNS["large"]))
    once = study(reference, answers_of(answers))
    four = study(np.repeat(reference, 4, 0), answers_of(np.repeat(answers, 4, 0)),
                 groups=np.repeat(np.arange(len(reference)), 4))  # fmt: skip
    alone = study(four.reference, answers_of(four.of("m").predicted))
    widths = {}
    for name, made in (("once", once), ("four", four), ("alone", alone)):
        found = Scores(made, n_resamples=400, seed=4).macro["m"]
        widths[name] = found.high - found.low
    assert widths["four"] == pytest.approx(widths["once"], rel=EXACT)
    # A quarter of the variance; both widths are known within about 5 %.
    assert widths["alone"] / widths["once"] == pytest.approx(0.5, abs=0.1)


def test_groups_without_a_scored_record_are_drawn_too():
    reference = [[1, 0], [0, 1], [0, 0], [0, 0]]
    scores = Scores(study(reference, answers_of(reference), classes=("a", "b")), n_resamples=200)
    found = scores.macro["m"]
    assert found.n_clusters == 4
    # Two of four groups carry labels, so about 1/16 of the resamples hold none of them.
    assert found.n_undefined > 0
    changed = sensitivity.table(scores).set_index(["change", "model"])
    assert changed.loc[(sensitivity.SCORED_ONLY["group"], "m"), "n_undefined"] == 0


def test_models_share_their_resamples():
    reference, answers = (table(part) for part in study_of(DESIGNS["small"]))
    scores = Scores(study(reference, answers_of(answers, "a"), answers_of(answers, "b")),
                    n_resamples=FEW)  # fmt: skip
    found = scores.differences()["a", "b"].difference
    assert (found.value, found.low, found.high) == (0, 0, 0)
    assert [rank.rank for rank in scores.ranks] == [1.5, 1.5]


def test_zero_for_0_over_0_never_raises_a_bound():
    reference, answers = (table(part) for part in study_of(DESIGNS["rare classes"]))
    scores = Scores(study(reference, answers_of(answers)), n_resamples=400)
    usual, zero = (scores.distributions["m", name].replicates for name in (MACRO, ZERO))
    known = ~np.isnan(usual)
    assert (zero[known] <= usual[known] + EXACT).all()
    assert (zero[known] < usual[known] - EXACT).sum() == sensitivity.resamples_without_a_class(
        scores, "m"
    )
    assert scores.distributions["m", ZERO].point == pytest.approx(macro(scores.study), abs=EXACT)


# ---- tables of pairs --------------------------------------------------------------------------


def test_co_occurrence_and_confusion_count_scored_records():
    reference = [[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]]
    predicted = [[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 1, 1]]
    made = study(reference, answers_of(predicted), classes=("a", "b", "c"))
    both = co_occurrence(made).set_index(["class", "other"])
    assert both.loc[("a", "b"), "count"] == 1
    assert both.loc[("a", "b"), "share"] == 0.5
    named = co_occurrence(made, "m").set_index(["class", "other"])
    assert named.loc[("b", "c"), "count"] == 1
    assert named.loc[("a", "a"), "count"] == 1
    seen = confusions(made, "m").set_index(["class", "other"])["count"]
    assert seen["a", "a"] == 1
    assert seen["a", "b"] == 1
    assert seen["c", "(none)"] == 1
    shown = exhibits.table_confusion(made, "m").frame.set_index("class")
    assert shown.loc["a", "wrongly named most often"] == "b (1)"
    assert shown.loc["c", "nothing named"] == 1
    assert exhibits.never_together(made, "m") == pytest.approx(1 / 3)
    assert exhibits.exact_match(made, "m") == 0


# ---- simulator --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def simulated() -> Study:
    return load(validate(ei.Parameters, {}))


@pytest.mark.parametrize("seed", [1, 20261130])
def test_simulated_records_have_the_published_counts(seed):
    made = load(validate(ei.Parameters, {"seed": seed}))
    assert (made.n_records, made.n_scored, made.n_groups) == (2000, 1780, 1417)
    assert dict(zip(made.classes, made.n_positive, strict=True)) == TEST.positives
    both = co_occurrence(made).set_index(["class", "other"])["count"]
    for one, other in (("NORM", "AFIB/AFL"), ("Acute MI", "Old MI"), ("BRADY", "TACHY")):
        assert both[one, other] == 0
    assert made.simulated
    assert not made.files


def test_simulated_models_are_what_they_say(simulated):
    scores = Scores(simulated, n_resamples=FEW)
    networks = [scores.macro[model].value for model in scores.models[:2]]
    assert 0.6 < networks[1] < networks[0] < 0.75
    assert all("simulated" in model for model in scores.models)
    writes = scores.models[2]
    assert 0.88 < scores.estimate(writes, PARSE_RATE).value < 0.97
    assert simulated.of(writes).n_failed > 0
    assert simulated.of(writes).n_missing > 0
    assert simulated.of(writes).n_unknown > 0
    always = simulated.of(scores.models[3]).predicted
    assert (always == (np.array(CLASSES) == "NORM")).all()
    assert scores.macro[PRIOR].value == pytest.approx(0.252, abs=PUBLISHED)


def test_the_simulation_is_the_same_again_and_another_with_another_seed(simulated):
    again = load(validate(ei.Parameters, {}))
    assert (again.reference == simulated.reference).all()
    other = load(validate(ei.Parameters, {"seed": 7}))
    assert (other.reference != simulated.reference).any()


# ---- the toy, surprises, exhibits ----------------------------------------------------------------


def test_the_toy_is_read_as_the_page_says():
    found = theory.table_toy().frame
    assert list(found["classes named"]) == ["AFIB/AFL", "CD", "NORM", "CD", "none", "none"]
    assert list(found["parsed"]) == ["yes", "yes", "yes", "yes", "no", "–"]


def test_surprises_are_right():
    exact, value = theory.mostly_right()
    assert exact == 0.9
    assert value == pytest.approx(180 / 190 / 6, abs=EXACT)
    rows = theory.surprises(SPEC).frame["result"]
    assert rows.str.contains("0.252").any()
    drawn = np.random.default_rng(1).binomial(1417, 1 / 1417, 200_000)
    # A share near 0.37 of 200,000 draws: standard error 0.0011.
    assert (drawn == 0).mean() == pytest.approx(theory.left_out(1), abs=4 * 0.0011)


def test_every_exhibit_of_the_default_run(simulated):
    chapter = ei.Chapter(validate(ei.Parameters, {"n_resamples": FEW}))
    names = [name for name in dir(ei.Chapter) if name.startswith(("table_", "figure_"))]
    made = [getattr(chapter, name)() for name in names]
    assert len(made) > 8
    stems = [one.stem for one in made]
    assert len(set(stems)) == len(stems)
    for one in made:
        assert isinstance(one, Table | Drawing)
        assert "imulated" in one.caption, one.stem
    assert "Simulated data" in chapter.say_data_statement()
    assert "Acute MI has 23 positives" in chapter.say_results()
    assert "shared resamples" in chapter.say_results()
    assert chapter.say_sensitivity()
    numbers = chapter.numbers()
    assert numbers["prior from the published counts"] == pytest.approx(0.252, abs=PUBLISHED)
    assert numbers["specification"] == SPEC.hash


def test_table_of_classes_and_macro_say_the_same(simulated):
    scores = Scores(simulated, n_resamples=FEW)
    rows = exhibits.class_rows(scores)
    for model, part in rows.groupby("model"):
        assert part["value"].mean() == pytest.approx(scores.macro[model].value, abs=EXACT)


# ---- a reader's own files, run as a page ------------------------------------------------------


def own_folder(folder: Path) -> tuple[Path, list[str]]:
    """Write a small study with ids that are easily found; return folder and ids."""
    reference, answers = study_of(DESIGNS["large"])
    ids = [f"zq{number:05d}x" for number in range(len(reference))]
    groups = [f"gq{number // 2:05d}x" for number in range(len(reference))]
    folder.mkdir(parents=True)
    pd.DataFrame(
        {"record_id": ids, "group_id": groups, "labels": [";".join(row) for row in reference]}
    ).to_csv(folder / "reference.csv", index=False)
    rows = [
        {
            "record_id": one,
            "model": "<b>mine</b>",
            "answer": f'{one}: {{"labels": {json.dumps(row)}}}',
        }
        for one, row in zip(ids, answers, strict=True)
        if row is not None
    ]
    pd.DataFrame(rows).to_csv(folder / "answers.csv", index=False)
    return folder, [*ids, *groups]


def shown_as_html(page: str) -> str:
    """Return what a page's outputs show as HTML or Markdown, with their captions."""
    shown = []
    for cell in json.loads(page)["cells"]:
        for output in cell.get("outputs", []):
            shown += [
                "".join(output["data"].get(f"text/{kind}", "")) for kind in ("html", "markdown")
            ]
        shown.append("".join(cell["source"]) if cell["cell_type"] == "markdown" else "")
    return "\n".join(shown)


@pytest.mark.site
def test_only_aggregates_leave_a_run(tmp_path):
    """No record or group id is on the page, in a figure, a table or the record."""
    folder, ids = own_folder(tmp_path / "mine" / "study")
    root = project_root()
    assert root is not None
    project = find_project(root)
    out = tmp_path / "out"
    out.mkdir()
    inputs = prepare(project, ei.NAME, {"n_resamples": FEW}, folder)
    finished = run_notebook(project, ei.NAME, inputs, out)
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) > 20
    found = re.compile(rb"[zg]q\d{5}x")
    for path in files:
        assert not found.search(path.read_bytes()), path.name
    page = finished.page.read_text(encoding="utf-8")
    assert "<b>mine</b>" not in shown_as_html(page)
    assert "&lt;b&gt;mine" in shown_as_html(page)
    assert "Simulated data" not in page
    assert "Your data" in page
    assert str(tmp_path) not in page
    assert finished.record is not None
    assert {entry["file"] for entry in finished.record.data} == {"answers.csv", "reference.csv"}
    assert finished.record.numbers["<b>mine</b>: macro F"] > 0
    assert all(one in (folder / "reference.csv").read_text() for one in ids[:3])
