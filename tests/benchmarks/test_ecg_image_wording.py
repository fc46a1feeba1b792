"""What the page of ecg_image says about a reader's own files, whatever they hold."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from ecg_image_inputs import CLASSES, DESIGNS, study_of

from benchbook.benchmarks import ecg_image as ei
from benchbook.benchmarks.ecg_image import exhibits, theory
from benchbook.benchmarks.ecg_image.own import specification
from benchbook.benchmarks.ecg_image.reading import read_study
from benchbook.benchmarks.ecg_image.scoring import MACRO, PRIOR, Scores
from benchbook.display import formatted, html_table, plain
from benchbook.ecg import simulated_ecg
from benchbook.errors import DataError, ParameterError
from benchbook.parameters import validate

GROUPED = "record_id,group_id,labels\n" + "".join(
    f"r{k},g{k // 2},{('CD', 'NORM', 'AFIB/AFL;CD', '', 'Acute MI')[k % 5]}\n" for k in range(20)
)
ALONE = "record_id,labels\n" + "".join(f"r{k},{('CD', 'NORM')[k % 2]}\n" for k in range(6))
FEW = 100


@pytest.fixture
def chapter(tmp_path: Path):
    """Make a chapter of files; answers are given as labels by model, one for every record."""

    def _chapter(reference: str, answers: dict[str, str], **more: object) -> ei.Chapter:
        records = [line.split(",")[0] for line in reference.splitlines()[1:]]
        rows = [f"{r},{model},{labels}" for model, labels in answers.items() for r in records]
        (tmp_path / "reference.csv").write_text(reference, encoding="utf-8")
        text = "\n".join(["record_id,model,labels", *rows]) + "\n"
        (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
        given = {"data": str(tmp_path), "n_resamples": FEW, **more}
        return ei.Chapter(validate(ei.Parameters, given))

    return _chapter


def everything(made: ei.Chapter) -> str:
    """Return all captions, sentences and tables as the page shows them."""
    told = []
    for name in dir(ei.Chapter):
        if name.startswith("say_"):
            told.append(getattr(made, name)())
        if name.startswith(("table_", "figure_")):
            one = getattr(made, name)()
            if one is None:
                continue
            told.append(one.caption)
            if name.startswith("table_"):
                told.append(html_table(formatted(one.frame if one.shown is None else one.shown)))
    return "\n".join(told)


# ---- sentences ----------------------------------------------------------------------------------


def test_models_that_are_equal_share_the_first_place(chapter):
    text = chapter(GROUPED, {"a": "CD", "b": "CD", "c": "NORM"}).say_results()
    assert "The same macro F: b." in text
    assert "Its lead over c" in text
    assert "lead over b" not in text
    text = chapter(GROUPED, {"a": "CD", "b": "CD"}).say_results()
    assert "lead over" not in text


def test_one_model_is_not_counted(chapter):
    caption = chapter(GROUPED, {"alone": "CD"}).figure_macro().caption
    assert "alone does not lie above 0.467" in caption
    assert "Of 1 models" not in caption
    caption = chapter(GROUPED, {"a": "CD", "b": "NORM"}).figure_macro().caption
    assert "Of 2 models none lies above" in caption


def test_an_interval_without_width_is_not_shown_in_a_sentence(chapter):
    text = chapter(GROUPED, {"mum": "[]"}).say_results()
    assert "with 0.000 in every resample" in text
    assert "(0.000–0.000)" not in text
    assert "by 0.000 over its interval" not in text


def test_only_the_rarest_classes_are_called_out(chapter):
    text = chapter(GROUPED, {"a": "CD"}).say_results()
    assert text.count("weighs as much as any class") == 3
    assert "1 more class has fewer than 30 positives." in text


def test_where_no_convention_moves_a_value_none_is_named(chapter):
    assert "None of the conventions" in chapter(GROUPED, {"mum": "[]"}).say_sensitivity()
    text = chapter(GROUPED, {"a": "CD"}).say_sensitivity()
    assert "*mean over all classes, 0/0 as 0* moves it most" in text


def test_records_that_are_alone_are_not_called_groups(chapter):
    made = chapter(ALONE, {"a": "CD", "b": "NORM"})
    assert "6 records, 6 of them" in made.say_data_statement()
    assert "interval over records" in made.table_macro().caption
    assert "only scored records resampled" in set(made.changes["change"])
    assert not made.changes["change"].str.contains("groups").any()
    made = chapter(GROUPED, {"a": "CD", "b": "NORM"})
    assert "20 records in 10 groups of likely repeats" in made.say_data_statement()
    assert "interval over groups" in made.table_macro().caption
    assert "only groups with a scored record resampled" in set(made.changes["change"])


def test_caption_of_classes_is_about_classes_of_the_reference(chapter):
    caption = chapter(GROUPED, {"a": "CD;PAC"}).figure_classes().caption
    assert "PAC" not in caption
    assert "0.67 (CD, 8 positives)" in caption
    caption = chapter(ALONE, {"a": "[]"}).figure_classes().caption
    assert "is 0.00 for every class of the reference" in caption
    assert "widest" not in caption


def test_the_widest_interval_in_the_caption_is_the_widest(chapter):
    made = chapter(GROUPED, {"a": "CD;NORM;AFIB/AFL"})
    rows = exhibits.class_rows(made.scores)
    width = (rows["high"] - rows["low"])[rows["n_positive"] > 0]
    widest = rows.loc[width.idxmax()]
    told = f"widest interval, {width.max():.2f}, is that of {plain(widest['class'])}"
    assert told in made.figure_classes().caption


def test_whole_numbers_of_tables_have_commas():
    frame = exhibits.with_commas(theory.pd.DataFrame({"a": [1234], "b": [0.5], "c": ["x"]}))
    assert frame.to_dict("list") == {"a": ["1,234"], "b": [0.5], "c": ["x"]}


def test_the_caption_of_the_page_tells_the_distances_of_its_beats():
    beats = simulated_ecg("afib", seed=theory.PAGE_SEED).r_peaks
    caption = theory.figure_page().caption
    assert f"{np.diff(beats).min():.2f} to {np.diff(beats).max():.2f} s" in caption


# ---- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["class", "positive", "change", "value", "groups", "scored records", "p", "prior"]
)
def test_a_model_may_have_the_name_of_a_heading(name, chapter):
    made = chapter(GROUPED, {name: "CD", "low": "NORM", "high": "PAC"} | {"value": "CD;NORM"})
    assert made.table_classes().shown.columns.is_unique
    assert made.table_sensitivity().shown.columns.is_unique
    page = html_table(formatted(made.table_classes().shown))
    assert page.count("<th ") == 2 + len(made.scores.models)
    numbers = made.numbers()
    assert numbers["groups"] == 10
    assert numbers["scored records"] == 16
    found = [one[MACRO] for one in numbers.values() if isinstance(one, dict)]
    assert len(found) == len(made.scores.models) + 1
    assert everything(made)


def test_a_model_may_not_have_the_name_of_the_baseline(chapter):
    with pytest.raises(DataError, match=r"answers\.csv, row 2, column model.*taken.*prior: every"):
        chapter(GROUPED, {PRIOR: "CD", "b": "NORM"})


def test_names_of_models_and_classes_are_shown_literally(chapter):
    classes = ["<b>x</b>", "(none)", "$y$", "z @fig-macro"]
    reference = "record_id,labels\n" + "".join(f"r{k},{classes[k % 3]}\n" for k in range(9))
    model = "<img src=x onerror=alert(1)> | *m*"
    made = chapter(reference, {model: classes[1], "b": "[]"}, classes=classes)
    text = everything(made)
    # Markdown escapes with a backslash, table cells as HTML.
    assert not re.search(r"(?<!\\)<(b|img)\b", text)
    sentences = [line for line in text.splitlines() if "<t" not in line]
    assert not re.search(r"(?<!\\)[@$]|(?<!\\)\*m\*", "\n".join(sentences))
    assert r"reference lacks them: z \@fig-macro" in made.table_classes().caption
    table = made.table_confusion().frame.set_index("class")
    assert table.loc["(none)", "both"] == 3
    assert table.loc["(none)", "nothing named"] == 0


# ---- files --------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path):
    """Write both files in an encoding; return what the chapter's parameters name."""

    def _files(reference: str, answers: str, encoding: str = "utf-8") -> dict[str, str]:
        for name, text in (("reference", reference), ("answers", answers)):
            (tmp_path / f"{name}.csv").write_bytes(text.encode(encoding))
        return {"data": str(tmp_path)}

    return _files


def test_separator_and_encoding_are_stated(files):
    reference = 'record_id;labels\nr1;"CD;NORM"\nr2;NORM\n'
    given = files(reference, "record_id;model;labels\nr1;모델;CD\nr2;모델;NORM\n", "cp949")
    study = ei.load(validate(ei.Parameters, {**given, "delimiter": ";", "encoding": "cp949"}))
    assert [one.model for one in study.answers] == ["모델"]
    assert study.n_positive.sum() == 3
    with pytest.raises(DataError, match=r"encoding=cp949|delimiter=';'"):
        ei.check(validate(ei.Parameters, given))
    with pytest.raises(ParameterError, match="unknown encoding"):
        ei.check(validate(ei.Parameters, {**given, "delimiter": ";", "encoding": "none"}))


WRONG_LISTS = {
    "commas": '"CD, NORM"',
    "bars": "CD|norm",
    "commas in a list": '"[""CD, NORM""]"',
    "an object": '"{""labels"": [""CD""]}"',
}


@pytest.mark.parametrize("case", WRONG_LISTS)
def test_labels_that_would_silently_count_as_none_are_refused(case, files):
    cell = WRONG_LISTS[case]
    given = files(ALONE, f"record_id,model,labels\nr0,m,CD\nr1,m,{cell}\n")
    with pytest.raises(DataError, match=r"answers\.csv, row 3, column labels.*separated by"):
        ei.check(validate(ei.Parameters, given))


def test_names_that_are_no_class_are_still_counted_and_not_refused(files):
    given = files(ALONE, 'record_id,model,labels\nr0,m,"CD, LVH"\nr1,m,LVH;NORM\n')
    (one,) = ei.load(validate(ei.Parameters, given)).answers
    assert one.n_unknown == 2
    assert one.predicted.sum() == 1


def test_one_stray_row_is_told_without_a_count(files):
    given = files(ALONE, "record_id,model,labels\nr0,m,CD\nr9,m,CD\n")
    with pytest.raises(DataError, match=r"found 'r9'; expected"):
        ei.check(validate(ei.Parameters, given))
    given = files(ALONE, "record_id,model,labels\nr8,m,CD\nr9,m,CD\n")
    with pytest.raises(DataError, match=r"found 'r8' \(2 such rows\)"):
        ei.check(validate(ei.Parameters, given))


# ---- an interval by another road ----------------------------------------------------------------

# Both standard deviations rest on 2,000 resamples: relative standard error of their ratio
# sqrt(2) / sqrt(2 * 2000) = 0.022; four of them.
SPREAD = 4 * 0.022


def test_spread_of_the_macro_f_is_that_of_resampling_whole_records(tmp_path):
    """Draw groups, copy their records, and score each copy from scratch."""
    reference, answers = study_of(DESIGNS["large"])
    rows = [f"r{k},g{k // 3},{';'.join(row)}" for k, row in enumerate(reference)]
    text = "\n".join(["record_id,group_id,labels", *rows])
    (tmp_path / "reference.csv").write_text(text)
    rows = [f"r{k},m,{';'.join(row)}" for k, row in enumerate(answers) if row is not None]
    (tmp_path / "answers.csv").write_text("\n".join(["record_id,model,labels", *rows]))
    study = read_study(tmp_path / "answers.csv", tmp_path / "reference.csv", CLASSES)
    drawn = Scores(study, n_resamples=2000, seed=3).distributions["m", MACRO].replicates
    generator = np.random.default_rng(4)
    members = [np.flatnonzero(study.groups == g) for g in range(study.n_groups)]
    given, by_hand = study.answers[0].predicted, []
    for _ in range(2000):
        picked = generator.integers(0, len(members), len(members))
        rows_drawn = np.concatenate([members[g] for g in picked])
        has, named = study.reference[rows_drawn], given[rows_drawn]
        scored = has.any(axis=1)
        both = (has & named)[scored].sum(axis=0)
        below = has[scored].sum(axis=0) + named[scored].sum(axis=0)
        by_hand.append(np.mean(2 * both[below > 0] / below[below > 0]))
    assert np.std(drawn) == pytest.approx(np.std(by_hand), rel=SPREAD)
    # The mean of 2,000 resamples has a standard error of std / 45.
    assert np.mean(drawn) == pytest.approx(np.mean(by_hand), abs=6 * np.std(by_hand) / 45)


def test_the_specification_keeps_the_origins_about():
    """The release gives 4.88 microvolt a count as an approximate value."""
    assert specification().input.leads["microvolts_per_count"] == "about 4.88"
