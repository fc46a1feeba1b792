"""The chapter *Does it match?*: its verdicts, and that a difference nobody declared stops it."""

from __future__ import annotations

import importlib
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from benchbook.benchmarks import validation
from benchbook.benchmarks.validation import answers_agreement, exhibits, witnesses
from benchbook.benchmarks.validation.answers_scores import table_of_components
from benchbook.benchmarks.validation.compare import (
    ANSWERS,
    Comparison,
    compare_records,
    difference,
    program_name,
    require_no_surprise,
    tolerance_of,
    with_company,
)
from benchbook.benchmarks.validation.names import FAMILY_OF, brief, joined, number, size
from benchbook.benchmarks.validation.reference import Tables, made_with, read_records
from benchbook.display import Drawing, Table
from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.icc import mixed_model, two_way_anova
from benchbook.parameters import validate

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "reference"
# Other reference numbers lie there too; records of programs begin with the language.
FILES = sorted(REFERENCE.glob("r_*.json"))
TOLERANCE = 1e-8
# A change far above every tolerance and far below every difference between conventions.
TAMPER = 3e-3


@pytest.fixture(autouse=True)
def project(monkeypatch):
    monkeypatch.setenv("BENCHBOOK_PROJECT", str(ROOT))


@pytest.fixture(scope="module")
def tables():
    return Tables(REFERENCE / "tables")


@pytest.fixture(scope="module")
def chapter():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHBOOK_PROJECT", str(ROOT))
        made = validation.Chapter(validate(validation.Parameters, {}))
        assert made.comparisons
        yield made


def records(file, **wanted):
    return [
        record
        for record in read_records(REFERENCE / file)
        if all(getattr(record, name) == value for name, value in wanted.items())
    ]


def judged(record, tables, source="R", tolerance=TOLERANCE) -> dict[str, Comparison]:
    found, _ = compare_records([record], tables, source, tolerance)
    return {row.quantity: row for row in found}


def tampered(record, **numbers):
    return replace(record, numbers=record.numbers | numbers)


def write(folder, content, name="mine.json"):
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


# ---- the project's own run ----------------------------------------------------------------


def test_nothing_differs_without_a_known_reason(chapter):
    assert chapter.of("differs") == []
    assert len(chapter.of("matches")) > 8_000
    assert {row.source for row in chapter.comparisons} == {"R", "published", "Python"}


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_every_number_is_compared_or_listed_as_not(file, tables):
    found = read_records(file)
    compared, left = compare_records(found, tables, "R", TOLERANCE)
    stopped = sum(not record.numbers for record in found)
    assert len(compared) + len(left) - stopped == sum(len(r.numbers) for r in found)
    assert all(row.why for row in left)


def test_every_printed_number_comes_out(chapter):
    printed = chapter.frame[chapter.frame["source"] == "published"]
    assert len(printed) == sum(len(r.numbers) for r in chapter.records_of("published")) > 50
    assert set(printed["verdict"]) == {"matches"}


def test_every_named_convention_gives_the_other_number(chapter):
    conventions = chapter.of("convention")
    assert conventions
    assert all(row.named and row.reproduced for row in conventions)


def test_every_deviation_has_a_reason(chapter):
    deviations = chapter.of("other deviates")
    assert all(row.named for row in deviations)
    supported = [row for row in deviations if row.also or row.reproduced]
    # The rest are sums of squares of incomplete tables, divisions of 0 by 0 and one variance.
    assert len(supported) / len(deviations) > 0.9


def test_full_precision_means_full_precision(chapter):
    assert chapter.full_precision["difference"].max() < 1e-9


# ---- a difference nobody declared ---------------------------------------------------------

VICTIMS = [
    ("r_kappa.json", {"table": "siskel_ebert", "package": "vcd"}, "se"),
    ("r_fleiss.json", {"table": "fleiss_1971", "package": "irr"}, "value"),
    ("r_alpha.json", {"table": "krippendorff_2011", "package": "base"}, "value"),
    ("r_gwet.json", {"table": "gwet_four_raters", "function": "gwet.ac1.raw"}, "upper"),
    ("r_icc.json", {"table": "shrout_fleiss_1979", "package": "psych"}, "lower"),
    ("r_mixed_icc.json", {"table": "made_scores_30x4", "package": "lme4"}, "icc_2_1"),
    ("r_method_comparison.json", {"statistic": "Lin CCC", "package": "epiR"}, "value"),
]


@pytest.mark.parametrize(("file", "wanted", "field"), VICTIMS, ids=lambda v: str(v)[:24])
def test_a_tampered_number_differs_and_stops_the_run(file, wanted, field, tables):
    record = records(file, **wanted)[0]
    assert field in record.numbers
    assert field not in record.deviates
    sound, _ = compare_records([record], tables, "R", TOLERANCE)
    require_no_surprise(sound)
    changed = tampered(record, **{field: record.numbers[field] + TAMPER})
    found, _ = compare_records([changed], tables, "R", TOLERANCE)
    assert [row.verdict for row in found].count("differs") == 1
    with pytest.raises(BenchbookError, match=f"1 number differs.*{record.table}.*{record.package}"):
        require_no_surprise(found)


def test_an_error_in_our_own_function_stops_the_run(tables, monkeypatch):
    sound = answers_agreement.cohen_kappa

    def wrong(*arguments, **options):
        result = sound(*arguments, **options)
        return replace(result, standard_error=result.standard_error * 1.01)

    monkeypatch.setattr(answers_agreement, "cohen_kappa", wrong)
    record = records("r_kappa.json", table="siskel_ebert", package="vcd")[0]
    found, _ = compare_records([record], Tables(tables.folder), "R", TOLERANCE)
    with pytest.raises(BenchbookError, match="standard error"):
        require_no_surprise(found)


def test_the_message_names_five_and_counts_the_rest(tables):
    record = records("r_kappa.json", table="siskel_ebert", package="base")[0]
    changed = tampered(record, **dict.fromkeys(record.numbers, 9.0))
    found, _ = compare_records([changed] * 2, tables, "R", TOLERANCE)
    with pytest.raises(BenchbookError, match=r"14 numbers differ.*and 9 more"):
        require_no_surprise(found)


def test_every_exhibit_of_a_run_with_a_difference_refuses(tmp_path):
    mine = write(
        tmp_path,
        [
            {
                "table": "pathology_2x2",
                "statistic": "Cohen kappa",
                "package": "SPSS",
                "function": "CROSSTABS",
                "value": 0.7,
                "se": 0.099,
            }
        ],
    )
    given = {"data": str(mine)}
    stopped = validation.Chapter(validate(validation.Parameters, given))
    for name in ("say_outcome", "table_statistics", "figure_differences", "save_record"):
        with pytest.raises(BenchbookError, match=r"0\.099, ours 0\.0710"):
            getattr(stopped, name)()
    shown = validation.Chapter(validate(validation.Parameters, {**given, "stop": False}))
    assert "1 (50.0 %) differ without a known reason" in shown.say_outcome()
    assert shown.table_statistics().frame["differ"].tolist() == [1]


def test_a_convention_must_give_the_number_to_count(tables):
    record = records("r_gwet.json", table="siskel_ebert", function="gwet.ac1.table")[0]
    row = judged(record, tables)["standard error"]
    assert (row.verdict, row.named) == ("convention", answers_agreement.BY_N)
    changed = tampered(record, se=record.numbers["se"] * 1.001)
    assert judged(changed, tables)["standard error"].verdict == "differs"


def test_a_deviation_on_a_table_where_it_makes_no_difference_matches(tables):
    """Both upper bounds end at 1, although irrCAC's ordinal weights are not Krippendorff's."""
    wanted = {"table": "gwet_ben_gerry", "package": "irrCAC", "weights": "ordinal"}
    (record,) = records("r_alpha.json", **wanted)
    assert record.deviates >= {"value", "upper"}
    rows = judged(record, tables)
    assert rows["upper bound"].ours == rows["upper bound"].theirs == 1.0
    assert rows["upper bound"].verdict == "matches"
    assert rows["coefficient"].verdict == "other deviates"


def test_a_mistake_that_nobody_declared_is_known_when_it_is_reproduced(tables):
    record = next(
        r for r in records("r_kappa.json", table="pathology_2x2", package="epiR") if r.deviates
    )
    declared = judged(record, tables)["lower bound"]
    bare = judged(replace(record, deviates=frozenset(), why=""), tables)["lower bound"]
    assert (declared.verdict, bare.verdict) == ("other deviates", "other deviates")
    assert declared.reproduced
    assert bare.named == answers_agreement.NULL_ERROR


# ---- the measure --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (0.5, 0.5, 0.0),
        (0.5, 0.4, 0.1),
        (102.0, 100.0, 0.02),
        (-102.0, -100.0, 0.02),
        (math.nan, math.nan, 0.0),
        (math.nan, 1.0, math.nan),
        (1.0, math.nan, math.nan),
        (math.inf, math.inf, 0.0),
        (1.0, math.inf, math.inf),
        (math.inf, 1e30, math.inf),
    ],
)
def test_difference(ours, theirs, expected):
    assert difference(ours, theirs) == pytest.approx(expected, nan_ok=True)


def test_undefined_never_matches_a_number(tables):
    record = next(
        r
        for r in records("r_kappa.json", table="made_one_category", package="vcd")
        if r.weights == "unweighted"
    )
    assert judged(record, tables)["coefficient"].verdict == "matches"
    assert math.isnan(judged(record, tables)["coefficient"].ours)
    assert judged(tampered(record, value=0.0), tables)["coefficient"].verdict == "differs"


def test_tolerance_follows_the_digits_that_were_written(tables):
    record = records("r_fleiss.json", table="fleiss_1971", package="irr")[0]
    assert tolerance_of(record, "value", TOLERANCE) == TOLERANCE
    printed = replace(record, numbers={"value": 0.43}, printed={"value": "0.430"})
    assert tolerance_of(printed, "value", TOLERANCE) == pytest.approx(0.0005, abs=1e-8)
    assert judged(printed, tables)["coefficient"].verdict == "matches"
    off = replace(record, numbers={"value": 0.431}, printed={"value": "0.431"})
    assert judged(off, tables)["coefficient"].verdict == "differs"
    large = replace(record, numbers={"value": -114.3}, printed={"value": "-114.3"})
    assert tolerance_of(large, "value", TOLERANCE) * 114.3 == pytest.approx(0.05, abs=1e-6)
    told = replace(record, numbers={"value": 0.44}, described={"within": 0.02})
    assert judged(told, tables)["coefficient"].verdict == "matches"
    undefined = replace(record, numbers={"value": math.nan}, printed={"value": "nan"})
    assert tolerance_of(undefined, "value", TOLERANCE) == TOLERANCE


def test_the_tolerance_is_a_parameter(tables):
    record = records("r_kappa.json", table="siskel_ebert", package="vcd")[0]
    near = tampered(record, value=record.numbers["value"] + 1e-5)
    assert judged(near, tables)["coefficient"].verdict == "differs"
    assert judged(near, tables, tolerance=1e-4)["coefficient"].verdict == "matches"


def test_company_are_others_with_our_number_in_the_same_case(tables):
    wanted = {"table": "siskel_ebert", "statistic": "Cohen kappa"}
    found, _ = compare_records(records("r_kappa.json", **wanted), tables, "R", TOLERANCE)
    rows = [
        row
        for row in with_company(found)
        if (row.program, row.setting, row.quantity) == ("psych", "quadratic weights", "lower bound")
    ]
    assert [row.verdict for row in rows] == ["other deviates"]
    assert rows[0].also == ("DescTools", "vcd")


def test_components_as_a_table_have_these_components(tables):
    record = next(
        r
        for r in records("r_icc.json", table="made_scores_30x4_missing", package="psych")
        if r.options.get("lmer")
    )
    parts = mixed_model(tables.frame(record.table)).components
    again = two_way_anova(table_of_components(record, tables)).components
    for name in ("items", "raters", "error"):
        assert getattr(again, name) == pytest.approx(getattr(parts, name), rel=1e-9)


# ---- surprises ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "0.431 then, and 0.620",
        "0.382–0.478",
        "0.319–0.541, 2.3 times",
        "is 0.815",
        "gives 0.834",
        "that name, 0.849",
        "0.123 there and 0.147",
        "Of 12 units 8 remain",
        "0.039–0.929 there, and 0.071–0.927",
        "= 15 denominator df",
        "takes 4.79",
    ],
)
def test_surprises_carry_the_numbers_of_the_reference_notes(chapter, words):
    assert words in chapter.say_surprises()


def test_support_is_counted(chapter):
    rows = chapter.of("other deviates")
    text = chapter.say_support()
    assert text.startswith(f"{len(rows):,} numbers of DescTools, epiR, irr")
    assert f"For {sum(bool(row.also) for row in rows):,} of them another program" in text
    alone = sum(not row.also and not row.reproduced for row in rows)
    assert f"Neither holds for {alone}" in text
    assert sum(map(int, re.findall(r"\((\d+)\)$", text, re.M))) == alone


# ---- exhibits -----------------------------------------------------------------------------

TABLES = [name for name in dir(validation.Chapter) if name.startswith("table_")]


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_rows_and_a_caption(chapter, name):
    table = getattr(chapter, name)()
    assert isinstance(table, Table)
    assert len(table.frame)
    assert table.caption.endswith(".")
    shown = table.frame if table.shown is None else table.shown
    assert 0 < len(shown) < 150


def test_counts_of_the_tables_add_up(chapter):
    total = len(chapter.comparisons)
    for table, column in (
        (chapter.table_statistics(), "numbers"),
        (chapter.table_programs(), "numbers"),
        (chapter.table_coverage(), "numbers"),
    ):
        assert table.frame[column].sum() == total
    assert len(chapter.table_side_by_side().frame) == total
    assert f"{total:,} numbers" in chapter.say_outcome()
    assert len(chapter.table_deviations().frame) == len(chapter.of("other deviates"))
    assert len(chapter.table_left().frame) == len(chapter.left)


def test_side_by_side_shows_every_statistic_once_with_its_programs(chapter):
    shown = chapter.table_side_by_side().shown
    names = [name for name in shown["statistic"] if name]
    assert names == list(dict.fromkeys(chapter.frame["statistic"]))
    at = shown.index[shown["statistic"] == "Krippendorff's α"][0]
    verdicts = dict(zip(shown["program"][at : at + 7], shown["verdict"][at : at + 7], strict=True))
    assert verdicts["irr"] == "matches"
    assert verdicts["krippendorffsalpha"] == "deviates: ordinal is computed as interval"


def test_figure_draws_every_number_and_states_the_finding(chapter):
    drawing = chapter.figure_differences()
    assert isinstance(drawing, Drawing)
    data = drawing.figure.benchbook_data
    assert len(data) == len(chapter.comparisons)
    full = chapter.full_precision["difference"]
    share = f"{100 * (full <= exhibits.ROUNDING).mean():.1f} %"
    assert share in drawing.caption
    assert size(full.max()) in drawing.caption
    few = data["verdict"] == "matches its digits"
    assert few.sum() == len(chapter.of("matches")) - len(full)


def test_tolerance_table_is_monotone_and_ends_below_double_precision(chapter):
    frame = chapter.table_tolerance().frame
    assert frame["match"].is_monotonic_decreasing
    assert (frame["match"] + frame["would not"]).nunique() == 1
    assert frame["would not"].iloc[0] == 0
    assert frame["would not"].iloc[-1] > 0


def test_every_public_function_is_compared_or_says_why_not(chapter):
    frame = chapter.table_coverage().frame
    silent = frame[(frame["numbers"] == 0) & (frame["why none"] == "")]
    assert silent["function"].tolist() == []
    stale = set(exhibits.NOT_COMPARED) - set(frame["function"])
    assert stale == set()


def test_every_statistic_has_a_place_on_the_page(chapter):
    assert set(chapter.frame["statistic"]) <= set(FAMILY_OF)
    recorded = {record.statistic for path in FILES for record in read_records(path)}
    assert recorded - set(ANSWERS) == {"ICC"}  # a call that stopped


def test_by_hand_is_the_frozen_number(chapter):
    case = {"program": "vcd", "statistic": "Cohen kappa", "table": "pathology_2x2"}
    assert "it matches" in chapter.by_hand(0.7, **case)
    assert "it does not match" in chapter.by_hand(0.7001, **case)


def test_record_holds_nothing_that_depends_on_installed_witnesses(chapter):
    numbers = chapter.numbers()
    python = chapter.frame[chapter.frame["source"] != "Python"]
    counted = sum(entry["numbers"] for entry in numbers.values() if isinstance(entry, dict))
    assert counted == len(python)
    assert numbers["Fleiss' κ, fleiss_1971, coefficient"] == pytest.approx(0.430, abs=0.0005)


# ---- witnesses ----------------------------------------------------------------------------


def test_a_witness_that_is_not_installed_is_said_so(monkeypatch):
    sound = importlib.import_module

    def without(name, *arguments):
        if name in ("pingouin", "sklearn"):
            raise ImportError(name)
        return sound(name, *arguments)

    monkeypatch.setattr(witnesses.importlib, "import_module", without)
    names = ["krippendorff", "pingouin", "scikit-learn"]
    made = validation.Chapter(validate(validation.Parameters, {"witnesses": names}))
    assert [w.version is None for w in made.witnesses] == [False, True, True]
    assert "pingouin and scikit-learn are not installed here" in made.say_witnesses()
    programs = made.table_programs().frame.set_index("program")
    assert programs.loc["pingouin", "version"] == "not installed"
    assert programs.loc["pingouin", "numbers"] == 0
    assert programs.loc["krippendorff", "numbers"] > 50


def test_no_witness_at_all():
    made = validation.Chapter(validate(validation.Parameters, {"witnesses": []}))
    assert made.say_witnesses() == "No Python package was asked."
    assert set(made.frame["source"]) == {"R", "published"}


def test_a_wrong_witness_stops_the_run(tables, monkeypatch):
    pytest.importorskip("sklearn")
    import sklearn.metrics

    monkeypatch.setattr(sklearn.metrics, "cohen_kappa_score", lambda *a, **k: 0.123)
    found, _ = compare_records(
        witnesses.ask("scikit-learn", tables).records, tables, "Python", TOLERANCE
    )
    with pytest.raises(BenchbookError, match=r"scikit-learn 0\.123"):
        require_no_surprise(found)


# ---- parameters and files -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": 0.1}, "tolerance"),
        ({"witnesses": ["numpy"]}, "witnesses"),
        ({"witnesses": ["pingouin", "pingouin"]}, "twice"),
        ({"resamples": 10}, "unknown parameter 'resamples'"),
    ],
)
def test_parameters_are_checked(given, match):
    with pytest.raises(ParameterError, match=match):
        validate(validation.Parameters, given)


GOOD = {
    "table": "fleiss_1971",
    "statistic": "Fleiss kappa",
    "package": "SPSS",
    "function": "RELIABILITY",
    "value": "0.430",
}


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ({}, "not a list of records"),
        ([], "not a list of records"),
        ([{k: v for k, v in GOOD.items() if k != "package"}], "expected package"),
        ([GOOD | {"se": "small"}], "column se: not a number; found small"),
        ([GOOD | {"deviates": ["value"]}], "a deviation without a reason"),
        ([GOOD | {"deviates": ["p"], "why": "x"}], "names a field that is not there; found p"),
        ([GOOD, GOOD | {"statistic": "Fleis kappa"}], "did you mean 'Fleiss kappa'"),
        ([GOOD | {"table": "fleis"}], "no table 'fleis'"),
        ([GOOD | {"statistic": "Lin CCC"}], "cannot be computed here"),
    ],
)
def test_records_that_cannot_be_used_are_refused_in_one_paragraph(tmp_path, content, match):
    mine = write(tmp_path, content)
    with pytest.raises(DataError, match=re.escape(match)) as caught:
        _ = validation.Chapter(validate(validation.Parameters, {"data": str(mine)})).comparisons
    assert "\n" not in str(caught.value)


def test_not_json_and_no_file(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("[{", encoding="utf-8")
    for path, match in ((broken, "not JSON"), (tmp_path / "gone.json", "no such file")):
        with pytest.raises(DataError, match=match):
            validation.check(validate(validation.Parameters, {"data": str(path)}))


def test_records_of_your_own_on_tables_of_your_own(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "index.csv").write_text(
        "table,layout,scale,levels,source\nmine,contingency,nominal,yes|no,our reading study\n",
        encoding="utf-8",
    )
    (folder / "mine.csv").write_text(",yes,no\nyes,40,10\nno,5,45\n", encoding="utf-8")
    theirs = GOOD | {"deviates": ["lower"], "why": "standard error under H0", "lower": 0.382}
    own = {"table": "mine", "statistic": "Cohen kappa", "package": "SAS", "function": "FREQ"}
    mine = write(tmp_path, [theirs, own | {"value": 0.7, "se": 0.0710563156939619}])
    parameters = validate(validation.Parameters, {"data": str(mine)})
    made = validation.Chapter(parameters)
    verdicts = {(row.program, row.quantity): row.verdict for row in made.comparisons}
    assert verdicts == {
        ("SPSS", "coefficient"): "matches",
        ("SPSS", "lower bound"): "other deviates",
        ("SAS", "coefficient"): "matches",
        ("SAS", "standard error"): "matches",
    }
    assert "Your records" in made.say_data_statement()
    assert validation.conditions(parameters) == {"own", "deviations", "precision"}
    assert "mine.json" in validation.front_matter(parameters)["description"]
    for name in ("table_data", "table_programs", "table_side_by_side", "figure_differences"):
        assert getattr(made, name)()
    assert set(made.numbers()) >= {"Cohen's κ", "Cohen's κ, mine, coefficient"}


def test_printed_records_alone_have_no_precision_to_speak_of(tmp_path):
    parameters = validate(validation.Parameters, {"data": str(write(tmp_path, [GOOD]))})
    assert validation.conditions(parameters) == {"own"}
    made = validation.Chapter(parameters)
    assert "1 of 1 number match to the digits" in made.figure_differences().caption
    assert "full precision" in made.say_sensitivity()


def test_the_bundled_run_has_its_conditions():
    parameters = validate(validation.Parameters, {})
    assert validation.conditions(parameters) == {"deviations", "conventions", "precision"}
    assert validation.front_matter(parameters) == {}


# ---- the data folder ----------------------------------------------------------------------


def test_specification_names_every_file_the_page_depends_on():
    spec = yaml.safe_load((ROOT / "data" / "validation" / "spec.yml").read_text(encoding="utf-8"))
    there = [*FILES, *(REFERENCE / "tables").glob("*.csv")]
    assert set(spec["files"]) == {path.relative_to(ROOT).as_posix() for path in there}


def test_versions_are_those_of_the_reference_notes():
    notes = " ".join((REFERENCE / "README.md").read_text(encoding="utf-8").split())
    versions = made_with()
    assert len(versions) > 8
    for name, version in versions.items():
        assert f"{name} {version}" in notes
    packages = {r.package for path in FILES for r in read_records(path)} - {"base", "stats"}
    assert packages <= set(versions)


def test_printed_numbers_are_given_as_text():
    path = ROOT / "data" / "validation" / "published.json"
    for record in read_records(path):
        assert set(record.printed) == set(record.numbers)
        if "within" in record.described:
            assert record.described["note"]


# ---- words --------------------------------------------------------------------------------


def test_words():
    assert (size(0.0), size(3.2e-16), size(math.nan), size(5e-5)) == ("0", "3e-16", "–", "5e-5")
    assert (number(0.43), number(math.nan), number(math.inf)) == ("0.430000", "undefined", "∞")
    assert (number(1e-7), brief(0.123456)) == ("1e-07", "0.1235")
    assert (joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])) == (
        "a",
        "a and b",
        "a, b and c",
    )
    assert {program_name(name) for name in ("base", "stats")} == {"R, by formula"}
    assert np.isfinite(TAMPER)
