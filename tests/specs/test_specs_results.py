"""Results belong to a hash: ranked on it, pending on another, in part never ranked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spec_examples import ROOT, content, toy

from benchbook.errors import DataError
from benchbook.specs import (
    Result,
    TaskSpecification,
    leaderboard,
    read_leaderboard,
    read_results,
    read_task,
    results_of,
)
from benchbook.specs.results import value_of

OTHER = "cccccccccccc"


def result(model: str, specification: str, value: float | None, **more: Any) -> Result:
    metric = {"value": value} if value is not None else {"value": None, "reason": "no positive"}
    given_ = {"model": model, "specification": specification, "source": "test", **more}
    return Result.model_validate({"metrics": {"macro_f": metric}} | given_)


def ranks(board: Any) -> list[tuple[int | None, str]]:
    return [(entry.rank, entry.result.model) for entry in board.ranked]


def test_best_first_and_ties_share_a_rank(tmp_path: Path) -> None:
    spec = toy(tmp_path)
    values = {"a": 0.5, "b": 0.7, "c": 0.7, "d": 0.2, "e": 0.5, "f": 0.5}
    board = leaderboard(spec, [result(m, spec.hash, v) for m, v in values.items()])
    assert ranks(board) == [(1, "b"), (1, "c"), (3, "a"), (3, "e"), (3, "f"), (6, "d")]
    assert not board.pending
    assert not board.not_ranked


def test_lower_can_be_better(tmp_path: Path) -> None:
    metrics = content()["metrics"] | {"higher_is_better": False}
    spec = toy(tmp_path, metrics=metrics)
    board = leaderboard(spec, [result("a", spec.hash, 0.3), result("b", spec.hash, 0.1)])
    assert ranks(board) == [(1, "b"), (2, "a")]


def test_another_specification_is_pending_however_good(tmp_path: Path) -> None:
    spec = toy(tmp_path)
    board = leaderboard(spec, [result("good", OTHER, 0.99), result("bad", spec.hash, 0.01)])
    assert ranks(board) == [(1, "bad")]
    (entry,) = board.pending
    assert entry.rank is None
    assert entry.reason == f"made on specification {OTHER}, not on {spec.hash}"


def test_part_of_the_records_is_never_ranked(tmp_path: Path) -> None:
    spec = toy(tmp_path)
    part = {"records": 100, "of": 2000, "reason": "a pilot"}
    results = [
        result("now", spec.hash, 0.9, partial=part),
        result("then", OTHER, 0.9, partial=part),
        result("nothing", spec.hash, None),
    ]
    board = leaderboard(spec, results)
    assert not board.ranked
    assert [entry.reason for entry in board.not_ranked] == [
        "no value: no positive",
        "run on 100 of 2,000 records: a pilot",
    ]
    assert [entry.result.model for entry in board.pending] == ["then"]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans(), st.booleans()),
        max_size=8,
    )
)
def test_each_result_stands_once_and_in_the_right_place(tmp_path: Path, rows: list) -> None:
    spec = toy(tmp_path)
    part = {"records": 1, "of": 2, "reason": "short"}
    results = [
        result(f"m{k}", spec.hash if current else OTHER, value, partial=part if short else None)
        for k, (value, current, short) in enumerate(rows)
    ]
    board = leaderboard(spec, results)
    standing = [*board.ranked, *board.pending, *board.not_ranked]
    assert sorted(e.result.model for e in standing) == sorted(r.model for r in results)
    for entry in board.ranked:
        value = entry.result.metrics["macro_f"].value
        better = sum(e.result.metrics["macro_f"].value > value for e in board.ranked)
        assert entry.rank == better + 1
        assert entry.result.specification == spec.hash
        assert entry.result.partial is None
    assert all(e.reason and e.rank is None for e in (*board.pending, *board.not_ranked))
    assert leaderboard(spec, reversed(results)) == board


def test_a_model_has_one_complete_result(tmp_path: Path) -> None:
    spec = toy(tmp_path)
    twice = [result("a", spec.hash, 0.1), result("a", spec.hash, 0.2)]
    with pytest.raises(DataError, match="'a' has 2 complete results; expected one"):
        leaderboard(spec, twice)
    assert len(leaderboard(spec, [twice[0], result("a", OTHER, 0.2)]).ranked) == 1


def test_the_primary_metric_must_be_there(tmp_path: Path) -> None:
    spec = toy(tmp_path)
    wrong = Result.model_validate(
        {"model": "a", "specification": spec.hash, "source": "x", "metrics": {"f": {"value": 1}}}
    )
    with pytest.raises(DataError, match="'a' has no macro_f; found f; expected macro_f"):
        leaderboard(spec, [wrong])


# ---- a specification that restates another ------------------------------------------------------


def _linked(tmp_path: Path, ours: str, **changes: Any) -> TaskSpecification:
    origin = content()["origin"] | {"equivalent_to": "aaaaaaaaaaaa", "ours": ours}
    return toy(tmp_path, origin=origin, **changes)


def test_results_of_the_origin_count_while_the_link_holds(tmp_path: Path) -> None:
    unlinked = toy(tmp_path)
    assert len(leaderboard(unlinked, [result("a", "aaaaaaaaaaaa", 0.5)]).pending) == 1
    linked = _linked(tmp_path, unlinked.hash)
    assert linked.hash == unlinked.hash
    board = leaderboard(linked, [result("a", "aaaaaaaaaaaa", 0.5), result("b", linked.hash, 0.6)])
    assert ranks(board) == [(1, "b"), (2, "a")]


def test_a_change_of_what_is_measured_breaks_the_link(tmp_path: Path) -> None:
    changed = _linked(tmp_path, toy(tmp_path).hash, prediction="other names")
    (entry,) = leaderboard(changed, [result("a", "aaaaaaaaaaaa", 0.5)]).pending
    assert f"not yet to {changed.hash}" in entry.reason
    retitled = _linked(tmp_path, toy(tmp_path).hash, title="Other words")
    assert len(leaderboard(retitled, [result("a", "aaaaaaaaaaaa", 0.5)]).ranked) == 1


def test_the_earlier_version_of_the_origin_is_named(tmp_path: Path) -> None:
    spec = _linked(tmp_path, toy(tmp_path).hash)
    (entry,) = leaderboard(spec, [result("a", "bbbbbbbbbbbb", 0.9)]).pending
    assert entry.reason == "made on bbbbbbbbbbbb, an earlier version of toy@0"


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        ({"equivalent_to": "aaaaaaaaaaaa"}, "equivalent_to and ours go together"),
        ({"equivalent_to": OTHER, "ours": OTHER}, "not the origin's hash aaaaaaaaaaaa"),
    ],
)
def test_half_a_link_is_refused(tmp_path: Path, origin: dict, told: str) -> None:
    with pytest.raises(DataError, match=told):
        toy(tmp_path, origin=content()["origin"] | origin)


# ---- the file -----------------------------------------------------------------------------------

GOOD = {
    "model": "a",
    "specification": OTHER,
    "source": "x",
    "metrics": {"macro_f": {"value": 0.5, "low": 0.4, "high": 0.6}},
}


def _file(folder: Path, *entries: dict) -> Path:
    path = folder / "results.yml"
    path.write_text(yaml.safe_dump({"results": list(entries)}), encoding="utf-8")
    return path


def test_results_are_read(tmp_path: Path) -> None:
    (found,) = read_results(_file(tmp_path, GOOD))
    assert value_of(found, "macro_f") == (0.5, 0.4, 0.6)
    assert all(math.isnan(number) for number in value_of(found, "accuracy"))
    assert read_results(tmp_path / "none.yml") == []
    assert results_of("none", tmp_path) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"specification": "abc"}, r"field results\[1\]\.specification"),
        ({"date": "30.10.2026"}, "is no date; expected one as 2026-10-30"),
        ({"metrics": {}}, r"results\[1\]\.metrics"),
        ({"metrics": {"macro_f": {"value": 0.5, "low": 0.4}}}, "an interval has both bounds"),
        ({"metrics": {"macro_f": {"value": 1, "low": 2, "high": 1}}}, "wrong order"),
        ({"metrics": {"macro_f": {"value": None}}}, "an undefined value needs a reason"),
        ({"partial": {"records": 5, "of": 5, "reason": "x"}}, "5 of 5 records is not a part"),
        ({"score": 1}, r"results\[1\]\.score: not a field"),
    ],
)
def test_a_faulty_result_is_refused_by_place(tmp_path: Path, change: dict, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_results(_file(tmp_path, GOOD | change))


# ---- published results of ecg_image -------------------------------------------------------------


def test_published_results_of_ecg_image_stand_where_they_belong() -> None:
    board = read_leaderboard("ecg_image", ROOT)
    assert ranks(board) == [(1, "medbench/prior")]
    assert value_of(board.ranked[0].result, "macro_f_measure") == (0.252, 0.247, 0.258)
    (pending,) = board.pending
    assert pending.result.specification == "22c9b073c435"
    assert value_of(pending.result, "macro_f_measure") == (0.676, 0.65, 0.7)
    (pilot,) = board.not_ranked
    assert value_of(pilot.result, "macro_f_measure") == (0.259, 0.175, 0.326)
    assert "100 of 2,000 records" in pilot.reason


def test_ecg_image_counts_give_the_published_prior_and_headroom() -> None:
    """The prior names every class: F = 2p / (2p + n - p) with n scored records, p positives."""
    spec = read_task("ecg_image", ROOT)
    test = spec.counts.parts["test"]
    scores = [2 * p / (p + test.scored) for p in test.positives.values()]
    prior = sum(scores) / len(scores)
    assert round(prior, 3) == 0.252
    assert round((1 - 0.676) / (1 - 0.252), 2) == 0.43


def test_ecg_image_link_to_its_origin_holds() -> None:
    """Fails after any change of what is measured: compare with the origin, then set origin.ours."""
    spec = read_task("ecg_image", ROOT)
    assert spec.origin is not None
    assert spec.origin.ours == spec.hash


def test_ecg_image_counts_are_those_of_the_split() -> None:
    spec = read_task("ecg_image", ROOT)
    excluded = {
        name: sum(rule.parts.get(name, 0) for rule in spec.exclusions.values())
        for name in spec.split.parts
    }
    assert excluded == {"test": 0, "train": 2, "validation": 1}  # one record by both rules
    records = {name: part.records for name, part in spec.counts.parts.items()}
    assert records == {"test": 2000, "train": 15999, "validation": 1999}
    assert sum(records.values()) == 19_998
    assert sum(part.groups for part in spec.counts.parts.values()) == 12_234
