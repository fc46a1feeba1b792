"""Files of answers and reference labels: what is read, what is refused, and in which words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ecg_image_inputs import CLASSES

from benchbook.benchmarks import ecg_image as ei
from benchbook.benchmarks.ecg_image.__main__ import main
from benchbook.benchmarks.ecg_image.reading import files_in, read_study
from benchbook.benchmarks.ecg_image.scoring import ERROR_RATE, MACRO, PARSE_RATE, Scores
from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.parameters import validate

REFERENCE = """record_id,group_id,labels
r1,g1,AFIB/AFL;CD
r2,g1,"[""CD""]"
r3,g2,norm
r4,g3,
"""
ANSWERS = """record_id,model,answer,labels,error
r1,words,"Well: {""labels"": [""AFIB/AFL"", ""LVH""]}",,0
r2,words,"no idea
really {",,
r3,words,,,1
r1,lists,,AFIB/AFL; cd,
r2,lists,,[],
r3,lists,,"[""NORM"", ""NORM"", 3]",no
r4,lists,,CD,
"""


@pytest.fixture
def write(tmp_path: Path):
    """Write the two files; return what reads them."""

    def _write(answers: str = ANSWERS, reference: str = REFERENCE):
        paths = tmp_path / "answers.csv", tmp_path / "reference.csv"
        for path, text in zip(paths, (answers, reference), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    return _write


def read(paths):
    return read_study(*paths, CLASSES)


def test_everything_is_read(write):
    made = read(write())
    assert (made.n_records, made.n_scored, made.n_groups, made.grouped) == (4, 3, 3, True)
    assert [one.model for one in made.answers] == ["words", "lists"]
    words, lists = made.answers
    named = [[CLASSES[k] for k in np.flatnonzero(row)] for row in words.predicted]
    assert named == [["AFIB/AFL"], [], [], []]
    assert list(words.received) == [True, True, False, False]
    assert list(words.parsed) == [True, False, False, False]
    assert (words.n_missing, words.n_failed, words.n_unknown) == (1, 1, 1)
    named = [[CLASSES[k] for k in np.flatnonzero(row)] for row in lists.predicted]
    assert named == [["AFIB/AFL", "CD"], [], ["NORM"], ["CD"]]
    assert not lists.as_text.any()
    assert (lists.n_repeated, lists.n_not_text, lists.n_missing) == (1, 1, 0)


def test_rates_of_what_was_read(write):
    scores = Scores(read(write()), n_resamples=100)
    assert scores.estimate("words", ERROR_RATE).value == 0.5
    assert scores.estimate("words", PARSE_RATE).value == 0.5
    assert scores.estimate("lists", MACRO).value == pytest.approx((1 + 2 / 3 + 1) / 3)


def test_parquet_reads_as_csv_does(write, tmp_path):
    paths = write()
    made = read(paths)
    others = []
    for path in paths:
        frame = pd.read_csv(path, dtype=str)
        if "error" in frame:
            frame["error"] = frame["error"].isin(["1"])
        other = tmp_path / f"{path.stem}.parquet"
        frame.to_parquet(other)
        others.append(other)
    same = read(others)
    assert (same.reference == made.reference).all()
    for one, other in zip(same.answers, made.answers, strict=True):
        assert (one.predicted == other.predicted).all()
        assert (one.received == other.received).all()


def test_order_of_rows_does_not_matter(write):
    head, *rows = REFERENCE.strip().split("\n")
    first = Scores(read(write()), n_resamples=100).macro
    paths = write(reference="\n".join([head, *reversed(rows)]) + "\n")
    second = Scores(read(paths), n_resamples=100).macro
    assert {k: (v.value, v.low, v.high) for k, v in first.items()} == {
        k: (v.value, v.low, v.high) for k, v in second.items()
    }


def test_without_groups_every_record_is_its_own(write):
    bare = "record_id,labels\nr1,CD\nr2,NORM\nr3,PAC\nr4,\n"
    made = read(write(reference=bare))
    assert not made.grouped
    assert made.n_groups == 4


def test_an_empty_cell_of_a_file_of_labels_names_no_class(write):
    answers = "record_id,model,labels\nr1,m,CD\nr2,m,\nr3,m,NORM\nr4,m,\n"
    one = read(write(answers)).answers[0]
    assert one.received.all()
    assert not one.as_text.any()
    assert not one.predicted[1].any()


def test_an_empty_cell_of_a_file_of_answers_is_an_unparsed_answer(write):
    answers = 'record_id,model,answer\nr1,m,"{""labels"": [""CD""]}"\nr2,m,\n'
    one = read(write(answers)).answers[0]
    assert list(one.received) == [True, True, False, False]
    assert list(one.parsed) == [True, False, False, False]
    assert one.n_missing == 2


R, A = "reference.csv", "answers.csv"
REFUSED = {
    "unknown class": (
        None,
        REFERENCE.replace("norm", "NROM"),
        (R, "row 4", "column labels", "NROM", "did you mean 'NORM'?"),
    ),
    "no text among labels": (
        None,
        REFERENCE.replace('[""CD""]', '[""CD"", 3]'),
        (R, "row 3", "column labels", "no class"),
    ),
    "record twice": (None, REFERENCE + "r1,g1,CD\n", (R, "r1", "2 and 6")),
    "record without an id": (None, REFERENCE + ",g1,CD\n", (R, "row 6", "record_id")),
    "missing group": (None, REFERENCE.replace("r4,g3,", "r4,,"), (R, "row 5", "group_id")),
    "one group": (
        None,
        REFERENCE.replace("g2", "g1").replace("g3", "g1"),
        (R, "group_id", "one group", "at least two groups"),
    ),
    "nothing labelled": (
        None,
        "record_id,group_id,labels\nr1,g1,\nr2,g2,\nr3,g3,\nr4,g4,\n",
        (R, "no record has a label", "4 unlabelled"),
    ),
    "list cut off": (
        None,
        REFERENCE.replace('[""CD""]', '[""CD""'),
        (R, "row 3", "cannot be read", "JSON list"),
    ),
    "answer twice": (ANSWERS + "r4,lists,,PAC,0\n", None, (A, "r4", "lists")),
    "unknown record": (ANSWERS + "r9,lists,,PAC,0\n", None, (A, "r9", "record_id", R)),
    "answer and labels": (
        ANSWERS + 'r4,words,"{}",PAC,0\n',
        None,
        (A, "row 10", "both an answer and labels"),
    ),
    "bad flag": (ANSWERS + "r4,words,x,,maybe\n", None, (A, "column error", "maybe")),
    "no model": (ANSWERS + "r4,,x,,0\n", None, (A, "column model")),
    "no column of answers": (
        "record_id,model,text\nr1,m,CD\n",
        None,
        (A, "no row holds an answer", "'answer'", "'labels'"),
    ),
    "no column of records": ("record,model,labels\nr1,m,CD\n", None, (A, "record_id")),
    "labels cut off": (
        ANSWERS.replace("r2,lists,,[],", "r2,lists,,[,"),
        None,
        (A, "row 7", "column labels", "cannot be read"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_told_with_its_place(case, write):
    answers, reference, words = REFUSED[case]
    paths = write(answers or ANSWERS, reference or REFERENCE)
    with pytest.raises(DataError) as caught:
        read(paths)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_answer_is_not_quoted_in_full_in_a_message(write):
    long = "x" * 5000
    with pytest.raises(DataError) as caught:
        read(write(reference=REFERENCE.replace("norm", long)))
    assert len(str(caught.value)) < 800


# ---- folder and parameters ----------------------------------------------------------------------


def test_a_folder_holds_both_files(write, tmp_path):
    paths = write()
    assert files_in(tmp_path) == paths
    (tmp_path / "answers.parquet").write_bytes(b"")
    with pytest.raises(DataError, match="one file of answers"):
        files_in(tmp_path)
    for path in tmp_path.glob("answers*"):
        path.unlink()
    with pytest.raises(DataError, match="one file of answers"):
        files_in(tmp_path)
    with pytest.raises(DataError, match="no folder"):
        files_in(paths[1])


def test_folder_and_two_files_score_alike(write, tmp_path):
    answers, reference = write()
    few = {"n_resamples": 100}
    one = ei.Chapter(validate(ei.Parameters, {"data": str(tmp_path), **few}))
    two = ei.Chapter(
        validate(ei.Parameters, {"answers": str(answers), "reference": str(reference), **few})
    )
    assert one.scores.macro == two.scores.macro
    text = one.say_data_statement()
    assert "Your data" in text
    assert "words has no row for 1 of 4 records" in text
    size, remarks = ei.describe(one.parameters)
    assert size.endswith("3 of them with a reference label, 2 models")
    assert any("words has no row for 1 of 4 records" in remark for remark in remarks)
    assert ei.conditions(one.parameters) == {"own", "task", "several", "named"}
    assert ei.front_matter(one.parameters)["benchbook"]["data-statement"] == "real"
    only = validate(ei.Parameters, {"data": str(tmp_path), "models": ["lists"], **few})
    assert ei.Chapter(only).scores.models == ["lists"]
    assert ei.Chapter(only).table_differences() is None
    assert "several" not in ei.conditions(only)


def test_own_classes_replace_those_of_the_task(tmp_path):
    (tmp_path / "reference.csv").write_text("record_id,labels\n1,yes\n2,no\n3,no\n")
    (tmp_path / "answers.csv").write_text("record_id,model,labels\n1,m,YES\n2,m,no\n3,m,yes\n")
    given = validate(
        ei.Parameters, {"data": str(tmp_path), "classes": ["yes", "no"], "n_resamples": 100}
    )
    chapter = ei.Chapter(given)
    assert chapter.scores.macro["m"].value == pytest.approx(2 / 3)
    assert "task" not in ei.conditions(given)
    names = [name for name in dir(ei.Chapter) if name.startswith(("table_", "figure_"))]
    for one in (getattr(chapter, name)() for name in names):
        assert one is None or one.caption
    assert "every record is its own group" in chapter.say_data_statement()


AWKWARD = {
    "no answer but errors": "record_id,model,answer,error\nr1,m,,1\nr2,m,,1\n",
    "nothing read": "record_id,model,answer\nr1,m,x\nr2,m,{\n",
    "no class named": "record_id,model,labels\nr1,m,\nr2,m,[]\nr3,n,CD\n",
    "one row": "record_id,model,labels\nr4,m,CD\n",
}
REFERENCES = {
    "small": REFERENCE,
    "one scored record": "record_id,group_id,labels\nr1,g1,CD\nr2,g1,\nr3,g2,\nr4,g3,\n",
    "one record": "record_id,labels\nr1,CD\n",
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("answers", AWKWARD)
def test_awkward_files_give_a_page_or_a_reason(answers, reference, write, tmp_path):
    text = AWKWARD[answers]
    if reference == "one record":
        text = "record_id,model,answer,error\nr1,m,no idea,0\n"
    write(text, REFERENCES[reference])
    chapter = ei.Chapter(validate(ei.Parameters, {"data": str(tmp_path), "n_resamples": 100}))
    names = [name for name in dir(ei.Chapter) if name.startswith(("table_", "figure_"))]
    for one in (getattr(chapter, name)() for name in names):
        assert one is None or "nan" not in one.caption.split()
    for name in ("say_data_statement", "say_results", "say_sensitivity"):
        assert "nan" not in getattr(chapter, name)()
    assert chapter.scores.macro["m"].value == pytest.approx(chapter.scores.macro["m"].value)
    assert chapter.numbers()


PARAMETERS = {
    "folder and file": ({"data": "x", "answers": "y", "reference": "z"}, "folder with both"),
    "answers alone": ({"answers": "y"}, "reference is not given"),
    "reference alone": ({"reference": "y"}, "answers is not given"),
    "model twice": ({"models": ["a", "a"]}, "given twice"),
    "no model": ({"models": []}, "models"),
    "classes of nothing": ({"classes": ["a"]}, "describes files"),
    "too few resamples": ({"n_resamples": 10}, "n_resamples"),
    "level": ({"level": 95}, "level"),
    "unknown": ({"modles": ["a"]}, "models"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters_that_do_not_fit_are_refused(case):
    values, words = PARAMETERS[case]
    with pytest.raises(ParameterError, match=words):
        validate(ei.Parameters, values)


def test_an_unknown_model_is_told_with_the_closest():
    with pytest.raises(ParameterError, match="did you mean 'simulated network A'"):
        ei.check(validate(ei.Parameters, {"models": ["simulated network a"]}))


def test_check_refuses_before_anything_runs(tmp_path):
    with pytest.raises(DataError):
        ei.check(validate(ei.Parameters, {"data": str(tmp_path)}))
    ei.check(validate(ei.Parameters, {}))


def test_the_module_writes_files_that_read_as_the_default_run(tmp_path, capsys):
    main([str(tmp_path / "made")])
    assert capsys.readouterr().out == "answers.csv\nreference.csv\n"
    made = read_study(*files_in(tmp_path / "made"), CLASSES)
    default = ei.load(validate(ei.Parameters, {}))
    assert (made.reference == default.reference).all()
    assert [one.model for one in made.answers] == [one.model for one in default.answers]
    with pytest.raises(BenchbookError, match="one argument"):
        main([])
