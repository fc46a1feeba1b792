"""What the chapter says holds in runs it was not written for; readers drawn with the patients."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from ecg_rhythm_examples import frames, parameters, study, write
from numpy.testing import assert_allclose, assert_array_equal

from benchbook.benchmarks import ecg_rhythm as er
from benchbook.benchmarks.ecg_rhythm import calibration, people, performance
from benchbook.benchmarks.ecg_rhythm.matched import (
    Comparison,
    MatchedSampler,
    MatchedStatistic,
    PatientSums,
)
from benchbook.benchmarks.ecg_rhythm.wording import share_text
from benchbook.resampling import resample_many

SAME = 1e-12
SETTINGS = {"n_resamples": 100, "level": 0.95, "seed": 3}


def chapter(tables, tmp_path, **values) -> er.Chapter:
    folder = write(tmp_path / "own", tables)
    return er.Chapter(parameters(data=str(folder), **values))


def said(tables, label, **of_reader):
    """Overwrite what readers say of a label: reader to a function of the truth."""
    readers, labels = tables["readers"], tables["labels"]
    truth = labels[labels["label"] == label].set_index("record_id")["present"]
    present = readers["present"].copy()
    for reader, say in of_reader.items():
        rows = (readers["reader"] == reader) & (readers["label"] == label)
        present[rows] = say(readers.loc[rows, "record_id"].map(truth).to_numpy())
    return tables | {"readers": readers.assign(present=present)}


# ---- readers drawn too --------------------------------------------------------------------------


def rows(seed: int, n: int = 80, n_readers: int = 4):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    score = rng.normal(size=n) + truth
    wrong = rng.random((n, n_readers)) < np.linspace(0.05, 0.5, n_readers)
    reads = np.where(wrong, ~truth[:, None], truth[:, None]).astype(float)
    reads[rng.random((n, n_readers)) < 0.2] = np.nan
    reads[truth, -1] = np.nan  # the last reader has no sensitivity
    return truth, reads, score


def test_a_reader_drawn_twice_counts_as_two_readers():
    for seed in range(5):
        truth, reads, score = rows(seed)
        n, n_readers = reads.shape
        rng = np.random.default_rng(seed)
        drawn = rng.multinomial(n_readers, np.full(n_readers, 1 / n_readers), size=30).T
        one = Comparison(truth, reads, np.ones(n, bool), score, draw_readers=True)
        ones = np.ones((n, drawn.shape[1]))
        found = PatientSums.of(one, np.arange(n), n).measures(ones, drawn.astype(float))
        for draw, times in enumerate(drawn.T):
            repeated = np.repeat(reads, times, axis=1)
            again = Comparison(truth, repeated, np.ones(n, bool), score)
            expected = PatientSums.of(again, np.arange(n), n).measures(np.ones((n, 1)))
            for name, values in expected.items():
                assert_allclose(found[name][draw], values[0], rtol=0, atol=SAME, err_msg=name)


def test_only_the_last_reader_drawn_has_no_sensitivity():
    truth, reads, score = rows(0)
    n, n_readers = reads.shape
    one = Comparison(truth, reads, np.ones(n, bool), score, draw_readers=True)
    drawn = np.zeros((n_readers, 1))
    drawn[-1] = n_readers
    found = PatientSums.of(one, np.arange(n), n).measures(np.ones((n, 1)), drawn)
    assert math.isnan(found["readers_sensitivity"][0])
    assert math.isnan(found["difference"][0])
    assert not math.isnan(found["readers_specificity"][0])


def test_drawing_readers_widens_and_changes_no_value_nor_the_fixed_readers():
    truth, reads, score = rows(1, n=300)
    used = np.ones(truth.size, bool)
    fixed = Comparison(truth, reads, used, score)
    drawn = Comparison(truth, reads, used, score, draw_readers=True)
    together = [MatchedStatistic(str(k), c, "difference") for k, c in enumerate((fixed, drawn))]
    first, second = resample_many(together, n_resamples=500, seed=4)
    alone = resample_many(together[:1], n_resamples=500, seed=4)[0]
    assert_allclose(first.point, second.point, rtol=0, atol=SAME)
    assert np.nanstd(second.replicates) > 1.3 * np.nanstd(first.replicates)
    # Fixed readers alone draw nothing of the kind.
    assert MatchedSampler.prepare(together[:1], None, None).drawn_readers(
        np.random.default_rng(0)
    ) == {}  # fmt: skip
    again = resample_many([MatchedStatistic("0", fixed, "difference")], n_resamples=500, seed=4)[0]
    assert_array_equal(alone.replicates, again.replicates)


def test_the_chapter_sets_both_ways_side_by_side(tmp_path):
    run = chapter(frames(), tmp_path)
    assert_allclose(run.readers_drawn.table["value"], run.beside.table["value"], rtol=0, atol=SAME)
    told = run.table_sensitivity()
    changes = told.frame
    for sign, words in (("†", "wider than the label"), ("*", "trained on data from the source")):
        marked = changes["what moves most"].str.contains(sign, regex=False, na=False).any()
        assert marked == (words in told.caption)
    row = changes[changes["change"].str.startswith("readers drawn as well as patients")].iloc[0]
    assert "with 2 readers the spread between readers is still understated" in row["on the whole"]
    one = frames()
    one = one | {"readers": one["readers"][one["readers"]["reader"] == "ann"]}
    alone = chapter(one, tmp_path / "one").table_sensitivity().frame
    assert not alone["change"].str.startswith("readers drawn").any()


# ---- marks --------------------------------------------------------------------------------------


def test_marks_stand_at_means_in_sentences_and_with_a_legend(tmp_path):
    run = chapter(frames(), tmp_path)
    macro = run.performance.macro.set_index(["model", "over", "metric"])["mark"]
    assert macro["one", "own labels", "AUROC"] == "*"
    assert macro["two", "own labels", "AUROC"] == "†"
    assert macro["one", "labels of all models", "AUROC"] == ""
    shown = run.table_macro()
    assert "the output means something wider" in shown.caption
    assert "on at least one of the labels" in shown.caption
    assert set(shown.shown["model"]) == {"one\u00a0*", "one", "two\u00a0†"}
    assert "trained on data from the source" in run.table_calibration().caption
    assert "two †: macro AUROC" in run.say_performance()


def test_models_of_the_reliability_curves_carry_their_marks(tmp_path):
    drawn = chapter(frames(n=120), tmp_path).figure_reliability()
    assert set(drawn.figure.benchbook_data["model"]) == {"one\u00a0*", "two\u00a0†"}
    assert "wider than the label" in drawn.caption
    assert "trained on data from the source" in drawn.caption
    tables = frames(n=120)
    clean = tables["mapping"].assign(approximate=False, contaminated=False)
    drawn = chapter(tables | {"mapping": clean}, tmp_path / "clean").figure_reliability()
    assert set(drawn.figure.benchbook_data["model"]) == {"one", "two"}
    assert "Mark" not in drawn.caption


def test_a_mark_stands_at_the_label_it_is_for(tmp_path):
    tables = said(frames(n=120, seed=2), "RBBB", ann=lambda t: 1 - t, ben=lambda t: 1 - t)
    text = chapter(tables, tmp_path).say_beside()
    assert "more specific than people are one on RBBB \\*" in text


# ---- sentences in other runs --------------------------------------------------------------------


def test_readers_who_agree_are_not_said_to_disagree(tmp_path):
    same = {"ann": lambda t: t, "ben": lambda t: t}
    tables = said(said(frames(), "AF", **same), "RBBB", **same)
    run = chapter(tables, tmp_path)
    assert "takes for chance" not in run.say_agreement()
    assert "do not differ" in run.say_readers()


@pytest.mark.parametrize("share", [0.03, 0.97])
def test_the_paradox_is_told_of_rare_and_of_common_answers(tmp_path, share):
    rng = np.random.default_rng(1)
    chance = {name: lambda t: (rng.random(t.size) < share).astype(float) for name in ("ann", "ben")}
    same = {"ann": lambda t: t, "ben": lambda t: t}
    tables = said(said(frames(n=200), "AF", **chance), "RBBB", **same)
    run = chapter(tables, tmp_path)
    text = run.say_agreement()
    assert "least on AF" in text
    assert "On AF they give the same answer" in text
    assert "takes for chance" in text
    rows = run.among_people.set_index(["label", "coefficient"])
    present = 100 * rows.loc[("AF", "AC1"), "said present"]
    assert abs(present - 100 * share) < 3
    assert f"of the answers {present:.1f} % say present" in text


def test_the_caption_says_how_the_sensitivity_is_met(tmp_path):
    tables = frames()
    at_least = chapter(tables, tmp_path / "a").figure_differences().caption
    assert "where the model is at least as sensitive as they are" in at_least
    between = chapter(tables, tmp_path / "b", match="interpolated").figure_differences().caption
    assert "where the model is exactly as sensitive as they are" in between


def test_nothing_moves_where_no_score_is_tied(tmp_path):
    changes = chapter(frames(), tmp_path).table_sensitivity().frame
    row = changes[changes["change"].str.contains("sensitivity is met")].iloc[0]
    assert row["on the whole"].startswith("no difference moves")
    assert pd.isna(row["what moves most"])


def test_curves_and_points_over_different_records_are_told(tmp_path):
    tables = frames()
    assert "have no score" not in chapter(tables, tmp_path / "all").figure_roc().caption
    scores = tables["scores"]
    kept = (scores["record_id"] != "R003") | (scores["model"] != "two")
    run = chapter(tables | {"scores": scores[kept]}, tmp_path / "less")
    assert "On AF some records have no score" in run.figure_roc().caption


def test_a_single_positive_is_told(tmp_path):
    tables = frames()
    labels = tables["labels"]
    one = (labels["label"] != "RBBB") | (labels["record_id"] == "R001")
    present = labels["present"].where(one, 0.0)
    present[(labels["label"] == "RBBB") & (labels["record_id"] == "R001")] = 1.0
    run = chapter(tables | {"labels": labels.assign(present=present)}, tmp_path)
    assert "those of one record" in run.table_labels().caption
    assert "single patient, on RBBB, an interval says nothing" in run.say_performance()
    shown = run.table_performance().shown.set_index("label")["to be known"]
    assert "left out" in shown["RBBB"] or "resamples" in shown["RBBB"]
    assert "those of one record" not in chapter(tables, tmp_path / "b").table_labels().caption


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(1, 2203, "0.00045"), (0, 50, "0.000"), (1, 2, "0.500"), (9, 900, "0.010"), (0, 0, "0.000")],
)
def test_a_small_share_is_not_printed_as_nothing(part, whole, text):
    assert share_text(part, whole) == text


def test_long_names_of_readers_are_not_cut(tmp_path):
    tables = frames()
    names = {"ann": "cardiology residents", "ben": "cardiology students"}
    readers = tables["readers"]
    long = readers["reader"].map(lambda name: names.get(name, name))
    figure = chapter(tables | {"readers": readers.assign(reader=long)}, tmp_path).figure_agreement()
    written = {text.get_text() for text in figure.figure.axes[0].get_yticklabels()}
    assert set(names.values()) <= written


# ---- only aggregates leave ----------------------------------------------------------------------


def test_of_few_records_no_score_can_be_read_from_the_calibration():
    tables = frames()
    labels = tables["labels"]
    few = labels["record_id"].isin(["R000", "R001", "R002", "R003"])
    present = labels["present"].where((labels["label"] != "RBBB") | few)
    made = study(tables | {"labels": labels.assign(present=present)})
    table = calibration.measures(made, **SETTINGS)
    rbbb = table[table["label"] == "RBBB"]
    assert rbbb["value"].isna().all()
    assert set(rbbb["reason"]) == {calibration.FEW}
    assert table.loc[table["label"] == "AF", "value"].notna().any()
    points, counts = calibration.curves(made, list(made.labels), 0.95)
    assert "RBBB" not in set(points["label"]) | set(counts["label"])
    # What ranks the records is still told.
    ranked = performance.evaluate(made, **SETTINGS).table
    assert len(ranked[ranked["label"] == "RBBB"]) == 2
    assert len(people.readers(made, **SETTINGS).table)
