"""The executed chapter: only aggregates leave, on every kind of run; and the open data sets."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ecg_rhythm_examples import frames, parameters, study, write

from benchbook.benchmarks import ecg_rhythm as er
from benchbook.benchmarks.ecg_rhythm import calibration, people, performance, published
from benchbook.benchmarks.ecg_rhythm.inputs import load
from benchbook.open_data import get
from benchbook.site.contract import check_executed
from benchbook.site.project import Project
from benchbook.site.run import prepare, run_to_folder

ROOT = Path(__file__).parents[2]
MIRROR = Path(os.environ.get("BENCHBOOK_MIRROR") or "/none")
NAMES = ("code-test", "irhythm-test", "ptbxl-fold9", "ptbxl-fold10")
FEW = {"n_resamples": 100}
ROUNDING = 1e-9
# Six significant digits of the mirror's conversion make a few pairs of scores equal.
TIES = 5e-7


def run(out: Path, **values) -> Path:
    project = Project(ROOT)
    run_to_folder(project, "ecg_rhythm", prepare(project, "ecg_rhythm", {**FEW, **values}), out)
    return out


def text_of_everything(folder: Path) -> dict[str, str]:
    """Every file that a run leaves, as text; pictures by the text in them."""
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("utf-8", errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def leaked(folder: Path, ids: set[str]) -> list[str]:
    """Where an id of a record or a patient stands, as a word of its own."""
    words = re.compile(r"[\w.-]*\w")
    found = []
    for name, text in text_of_everything(folder).items():
        found += [f"{name}: {word}" for word in ids & set(words.findall(text))]
    return found


def numbers_of(folder: Path) -> set[float]:
    """Every number of the tables and of the record."""
    found: set[float] = set()
    for path in folder.rglob("*.csv"):
        for column in pd.read_csv(path).select_dtypes("number"):
            found |= set(pd.read_csv(path)[column].dropna())
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    return found | {value for value in record["numbers"].values() if isinstance(value, float)}


def long_scores(scores: np.ndarray) -> set[float]:
    """Scores that no count or rate is likely to equal by chance."""
    return {float(s) for s in scores if len(f"{s:.10g}") >= 8}


@pytest.fixture(scope="module")
def default(tmp_path_factory) -> Path:
    return run(tmp_path_factory.mktemp("default"))


@pytest.mark.site
def test_no_id_of_a_record_or_patient_leaves_the_default_run(default):
    made = study(seed=parameters().seed)
    ids = set(made.records) | set(made.patients)
    assert all(one.startswith("SIM-") for one in ids)
    assert leaked(default, ids) == []
    assert "SIM-" not in "".join(text_of_everything(default).values())


@pytest.mark.site
def test_the_scan_would_find_an_id(default, tmp_path):
    (tmp_path / "page.html").write_text("<td>SIM-R00017</td>", encoding="utf-8")
    assert leaked(tmp_path, {"SIM-R00017"}) == ["page.html: SIM-R00017"]


@pytest.mark.site
def test_no_score_of_a_record_is_in_a_table_or_the_record(default):
    scores = load(parameters()).scores.frame["score"].to_numpy()
    known = long_scores(scores)
    assert len(known) > 1000
    assert not known & numbers_of(default)


@pytest.mark.site
def test_the_executed_page_keeps_the_contract(default):
    assert check_executed(default / "ecg_rhythm.ipynb", [ROOT]) == []


@pytest.mark.site
def test_own_files_without_scores_run_and_leak_nothing(tmp_path):
    tables = frames()
    labels = tables["labels"].assign(patient_id=tables["labels"]["record_id"] + "-person")
    kept = {"labels": labels, "readers": tables["readers"]}
    folder = write(tmp_path / "own", kept, "csv.gz")
    out = run(tmp_path / "out", data=str(folder))
    ids = set(labels["record_id"]) | set(labels["patient_id"])
    assert leaked(out, ids) == []
    page = (out / "ecg_rhythm.html").read_text(encoding="utf-8")
    assert "Your data." in page
    assert "There are no scores of a model in these data" in page
    assert str(tmp_path) not in page


# ---- open data sets -----------------------------------------------------------------------------

mirror = [
    pytest.mark.mirror,
    pytest.mark.skipif(
        not (MIRROR / "ecg-code-test").is_dir(),
        reason="BENCHBOOK_MIRROR names no folder with the open ECG data",
    ),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    before = os.environ.get("BENCHBOOK_OPEN_DATA")
    os.environ["BENCHBOOK_OPEN_DATA"] = str(folder)
    for name in NAMES:
        get(name, root=ROOT, mirror=MIRROR)
    yield folder
    os.environ.pop("BENCHBOOK_OPEN_DATA")
    if before is not None:
        os.environ["BENCHBOOK_OPEN_DATA"] = before


class TestOpenData:
    pytestmark = mirror

    def test_all_published_tables_of_code_test_come_out(self, opened):
        made = study(dataset="code-test")
        assert published.complete(made)
        for table, n in (
            (published.recomputed_scores(made), 192),
            (published.recomputed_agreement(made), 54),
            (published.recomputed_mcnemar(made), 36),
        ):
            assert len(table) == n
            assert table["agrees"].all(), table[~table["agrees"]]

    def test_only_the_uncorrected_chi_squared_gives_the_published_p(self, opened):
        table = published.recomputed_mcnemar(study(dataset="code-test"))
        for name in ("chi-squared, corrected", "exact binomial"):
            same = [
                published.agrees(p, q) for p, q in zip(table["published"], table[name], strict=True)
            ]
            assert sum(same) < len(table) / 2

    def test_cardiologists_of_code_test_never_enter_a_mean(self, opened):
        made = study(dataset="code-test")
        assert made.groups == ("residents and students",)
        means = people.readers(made, n_resamples=100, level=0.95, seed=1).means
        se = means[means["metric"] == "sensitivity"].set_index("label")["value"]
        # Means of the three published recalls, each printed with three decimals.
        facts = published.read(published.CODE_TEST)
        recalls = facts[(facts["metric"] == "sensitivity") & (facts["reader"] != "network")]
        printed = recalls.groupby("label")["value"].mean()
        assert (se - printed[se.index]).abs().max() < 0.0005

    def test_macro_auroc_of_ptbxl_is_the_published_one(self, opened):
        made = study(dataset="ptbxl-fold10")
        found = performance.evaluate(made, n_resamples=200, level=0.90, seed=1)
        macro = found.macro[found.macro["metric"] == "AUROC"].iloc[0]
        fact = published.read(published.PTBXL).iloc[0]
        assert macro["n_labels"] == fact["n_labels"] == 71
        assert abs(macro["value"] - fact["value"]) < TIES
        # Their resamples all hold every label, ours leave out what was not drawn.
        assert abs(macro["low"] - fact["low"]) < 0.005
        assert abs(macro["high"] - fact["high"]) < 0.005
        error = calibration.measures(made, n_resamples=100, level=0.95, seed=1)
        assert len(error) == 4 * 71

    def test_irhythm_readers_are_judged_on_what_they_read(self, opened):
        made = study(dataset="irhythm-test")
        assert made.models == ()
        assert len(made.labels) == 12
        read = (~np.isnan(made.reads[:, 0])).sum(axis=0)
        assert read.sum() == 6 * 328
        assert (read < 328).all()
        assert er.conditions(parameters(dataset="irhythm-test")) == {
            "readers", "several", "pairs", "groups", "irhythm",
        }  # fmt: skip

    @pytest.mark.site
    @pytest.mark.parametrize("name", NAMES)
    def test_the_chapter_runs_on_every_set_and_no_id_leaves(self, opened, tmp_path, name):
        out = run(tmp_path / "out", dataset=name)
        made = study(dataset=name)
        assert leaked(out, set(made.records) | set(made.patients)) == []
        assert check_executed(out / "ecg_rhythm.ipynb", [ROOT, opened, MIRROR]) == []
        if made.models:
            scores = load(parameters(dataset=name)).scores.frame["score"].to_numpy()
            assert not long_scores(scores) & numbers_of(out)
