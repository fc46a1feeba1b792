"""Awkward data, bad arguments, callables, seeds and workers."""

import math

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from resampling_examples import icc_statistic, kappa_statistic, two_raters

from benchbook.errors import DataError, ParameterError
from benchbook.resampling import (
    SumsStatistic,
    bootstrap,
    bootstrap_many,
    divide,
    mean_statistic,
    paired_difference,
    ratio_statistic,
    resample,
    resample_difference,
    resample_many,
)
from benchbook.resampling.clusters import cluster_codes


def bounds(estimate):
    return estimate.low, estimate.high, *estimate.monte_carlo_error, estimate.standard_error


def rough_scores(n_items=3000):
    generator = np.random.default_rng(41)
    return generator.normal(size=(n_items, 1)) + generator.normal(size=(n_items, 2)) / 3


STATISTICS = {
    "rows that repeat": kappa_statistic(*two_raters(3000, 4, 0.6, seed=42), 4),
    "rows that differ": icc_statistic(rough_scores()),
}


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("kind", STATISTICS)
@pytest.mark.parametrize("backend", [None, "threading", "loky"])
def test_one_or_two_workers_give_the_same_bits(kind, method, backend):
    arguments = {"n_resamples": 1200, "method": method, "seed": 9}
    alone = bootstrap(STATISTICS[kind], n_jobs=1, **arguments)
    if backend is None:
        together = bootstrap(STATISTICS[kind], n_jobs=2, **arguments)
    else:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            together = bootstrap(STATISTICS[kind], **arguments)
    assert bounds(alone) == bounds(together)


def half_trimmed(data):
    ordered = np.sort(data)
    return float(ordered[len(ordered) // 4 : -(len(ordered) // 4)].mean())


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_workers_give_the_same_bits_for_a_callable(n_jobs):
    data = np.random.default_rng(43).normal(size=60)
    arguments = {"n_resamples": 130, "method": "bca", "seed": 3}
    alone = bootstrap(half_trimmed, data, n_jobs=1, **arguments)
    assert bounds(alone) == bounds(bootstrap(half_trimmed, data, n_jobs=n_jobs, **arguments))


@pytest.mark.parametrize("kind", STATISTICS)
def test_seed_decides_the_resamples(kind):
    one, again, other = (resample(STATISTICS[kind], seed=seed).replicates for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("kind", STATISTICS)
def test_fewer_resamples_are_the_beginning_of_more(kind):
    many = resample(STATISTICS[kind], n_resamples=1100, seed=4).replicates
    few = resample(STATISTICS[kind], n_resamples=330, seed=4).replicates
    assert np.array_equal(few, many[:330])


def test_blocks_do_not_repeat_each_other():
    replicates = resample(STATISTICS["rows that differ"], n_resamples=2000).replicates
    assert len(np.unique(replicates)) == 2000


def test_fresh_seed_is_recorded_and_reproduces():
    first = bootstrap(STATISTICS["rows that repeat"], seed=None)
    second = bootstrap(STATISTICS["rows that repeat"], seed=None)
    assert first.seed != second.seed
    assert first.seed == int(float(first.seed))  # survives a file of floats
    assert bounds(bootstrap(STATISTICS["rows that repeat"], seed=first.seed)) == bounds(first)


def test_many_statistics_share_their_resamples():
    x = np.random.default_rng(44).normal(size=50)
    one, twice = resample_many([mean_statistic(x, name="x"), mean_statistic(2 * x, name="2x")])
    assert twice.replicates == pytest.approx(2 * one.replicates, rel=1e-13)
    estimates = bootstrap_many([mean_statistic(x, name="x"), mean_statistic(2 * x, name="2x")])
    assert [estimate.name for estimate in estimates] == ["x", "2x"]
    assert estimates[1].high == pytest.approx(2 * estimates[0].high)


def test_statistics_over_one_array_share_its_columns():
    contributions = np.column_stack([np.arange(9.0), np.ones(9)])
    ratio = SumsStatistic("ratio", contributions, lambda s: divide(s[:, 0], s[:, 1]), "empty")
    inverse = SumsStatistic("inverse", contributions, lambda s: divide(s[:, 1], s[:, 0]), "zero")
    first, second = resample_many([ratio, inverse])
    assert first.replicates * second.replicates == pytest.approx(np.ones(2000))


def test_no_items_is_undefined():
    for estimate in (
        bootstrap(mean_statistic([])),
        bootstrap(mean_statistic([]), cluster=[]),
        bootstrap(lambda data: 1 / len(data), np.array([])),
        paired_difference(mean_statistic([]), mean_statistic([])),
    ):
        assert not estimate.defined
        assert estimate.reason == "there are no items"
        assert (estimate.n_items, estimate.n_resamples) == (0, 0)


def test_one_item_has_a_value_and_no_interval():
    for estimate in (
        bootstrap(mean_statistic([3.0])),
        bootstrap(lambda data: float(data[0]), np.array([3.0])),
    ):
        assert estimate.value == 3.0
        assert not estimate.has_interval
        assert "single item" in estimate.reason
        assert (estimate.n_items, estimate.n_clusters, estimate.n_resamples) == (1, 1, 0)


def test_two_items():
    estimate = bootstrap(mean_statistic([0.0, 1.0]), n_resamples=4000)
    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.0, 1.0)
    # Four equally likely resamples: the replicates have standard deviation sqrt(1/8).
    assert estimate.standard_error == pytest.approx(math.sqrt(1 / 8), rel=4 / math.sqrt(8000))


def test_undefined_statistic_keeps_its_reason_and_counts():
    first = np.zeros(20, dtype=int)
    for method in ("percentile", "basic", "bca"):
        estimate = bootstrap(kappa_statistic(first, first, 2), method=method, seed=5)
        assert not estimate.defined
        assert estimate.reason == "both used one category"
        assert (estimate.n_items, estimate.n_clusters, estimate.seed) == (20, 20, 5)
        assert (estimate.n_resamples, estimate.n_undefined) == (2000, 2000)
        assert estimate.name == "Cohen kappa"


def test_infinite_values_are_undefined():
    statistic = SumsStatistic(
        "odd", np.ones((5, 1)), lambda sums: np.full(len(sums), np.inf), "it is infinite"
    )
    assert bootstrap(statistic).reason == "it is infinite"


def test_difference_with_an_undefined_side_says_which():
    zeros = np.zeros(20, dtype=int)
    first, second = two_raters(20, 2, 0.5, seed=45)
    kappa, stuck = kappa_statistic(first, second, 2), kappa_statistic(zeros, zeros, 2)
    for pair in ((kappa, stuck), (stuck, kappa)):
        assert paired_difference(*pair).reason == "both used one category"


def test_difference_is_undefined_where_either_is():
    events, others = np.zeros(30), np.zeros(30)
    events[:2], others[-2:] = 1, 1
    first = ratio_statistic(np.ones(30), events, name="first")
    second = ratio_statistic(np.ones(30), others, name="second")
    one, other = resample_many([first, second])
    both = resample_difference(first, second)
    lost = np.isnan(one.replicates) | np.isnan(other.replicates)
    assert np.array_equal(np.isnan(both.replicates), lost)
    assert both.n_undefined == np.count_nonzero(lost) > max(one.n_undefined, other.n_undefined)
    assert both.name == "first − second"


def test_difference_of_a_statistic_with_itself_is_zero():
    kappa = STATISTICS["rows that repeat"]
    estimate = paired_difference(kappa, kappa)
    assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.0)
    assert not paired_difference(kappa, kappa, method="bca").has_interval


def test_difference_has_the_range_of_both():
    first, second = (kappa_statistic(*two_raters(20, 2, 0.5, seed=s), 2) for s in (1, 2))
    assert resample_difference(first, second).bounds == (-2.0, 2.0)


CLUSTER_IDS = {
    "texts": ["a", "b", "c"],
    "numbers": [3, 1, 2],
    "floats": np.array([0.5, 1.5, 2.5]),
    "tuples": [("a", 1), ("a", 2), ("b", 1)],
    "mixed": ["a", 1, (2, 3)],
    "dates": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
    "categorical": pd.Categorical(["x", "y", "z"]),
    "series": pd.Series(["a", "b", "c"], index=[7, 8, 9]),
    "strings": pd.array(["a", "b", "c"], dtype="string"),
}


@pytest.mark.parametrize("kind", CLUSTER_IDS)
def test_any_hashable_id_works(kind):
    ids = CLUSTER_IDS[kind]
    repeated = [ids[i] if kind != "series" else ids.iloc[i] for i in (0, 1, 2, 0, 1, 2)]
    if isinstance(ids, np.ndarray):
        repeated = np.array(repeated)
    codes, n_clusters = cluster_codes(repeated, 6)
    assert n_clusters == 3
    assert codes[:3].tolist() == codes[3:].tolist()
    assert len(set(codes.tolist())) == 3


WHOLE = [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64]


@given(st.data(), st.sampled_from(WHOLE), st.integers(0, 3))
def test_whole_number_ids_are_numbered_in_ascending_order(data, kind, where):
    limits = np.iinfo(kind)
    starts = [limits.min, max(limits.min, -5), 0, limits.max - 100]  # ends of the range too
    low = starts[where]
    near = st.integers(low, low + 100)
    anywhere = st.integers(limits.min, limits.max)
    cells = data.draw(st.sampled_from([near, anywhere]))
    ids = data.draw(npst.arrays(kind, st.integers(2, 30), elements=cells))
    if np.unique(ids).size == 1:
        return
    codes, n_clusters = cluster_codes(ids, ids.size)
    found, expected = np.unique(ids, return_inverse=True)
    assert n_clusters == found.size
    np.testing.assert_array_equal(codes, expected)


@pytest.mark.parametrize(
    "ids",
    [
        ["a", None, "b"],
        ["a", math.nan, "b"],
        ["a", " ", "b"],
        np.array(["a", "", "b"]),
        np.array([1.0, math.nan, 2.0]),
        np.array(["2020-01-01", "NaT", "2020-01-03"], dtype="datetime64[D]"),
        [("a", 1), ("a", None), ("b", 1)],
        pd.Series(["a", pd.NA, "b"], dtype="string"),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Categorical(["a", None, "b"]),
    ],
)
def test_missing_cluster_id_names_its_row(ids):
    with pytest.raises(DataError, match=r"row 2, column cluster: the cluster id is missing"):
        bootstrap(mean_statistic([1.0, 2.0, 3.0]), cluster=ids)


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["a", "b"], "2 ids; expected 3"),
        ([["a"], ["b"], ["c"]], "cannot be used as a key"),
        (np.zeros((3, 2)), "not a vector"),
        ("abc", "not a sequence"),
        (7, "not a sequence"),
    ],
)
def test_unusable_cluster_ids_are_refused(ids, words):
    with pytest.raises(DataError, match=words):
        bootstrap(mean_statistic([1.0, 2.0, 3.0]), cluster=ids)


@pytest.mark.parametrize("ids", [["p1"] * 3, np.array(["p1"] * 3), [7, 7, 7]])
def test_one_cluster_is_an_error_that_says_why(ids):
    with pytest.raises(ParameterError, match="at least two of them, and all 3 items belong to"):
        bootstrap(mean_statistic([1.0, 2.0, 3.0]), cluster=ids)


def test_unit_says_cluster_when_nothing_better_is_given():
    statistic = mean_statistic([1.0, 2.0, 3.0])
    assert bootstrap(statistic, cluster=[1, 1, 2]).unit == "cluster"
    assert bootstrap(statistic, cluster=[1, 1, 2], unit="patient").unit == "patient"


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_resamples": 1},
        {"n_resamples": 2000.0},
        {"n_resamples": True},
        {"n_resamples": "2000"},
        {"level": 0.0},
        {"level": 1.0},
        {"level": 95},
        {"level": math.nan},
        {"level": "0.95"},
        {"level": None},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": "0"},
        {"seed": True},
        {"n_jobs": 0},
        {"n_jobs": 1.5},
        {"n_jobs": True},
        {"method": "jackknife"},
    ],
)
def test_bad_argument_is_named(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=f"^{name} is "):
        bootstrap(mean_statistic([1.0, 2.0, 3.0]), **wrong)


def test_percent_level_gets_a_hint():
    with pytest.raises(ParameterError, match=r"write 95 % as 0\.95"):
        bootstrap(mean_statistic([1.0, 2.0, 3.0]), level=95)


def test_statistics_that_do_not_belong_together_are_refused():
    short, long = mean_statistic([1.0, 2.0], name="s"), mean_statistic([1.0, 2.0, 3.0], name="l")
    with pytest.raises(DataError, match="s with 2 items, l with 3 items"):
        paired_difference(short, long)
    with pytest.raises(ParameterError, match="one kind"):
        bootstrap_many([short, np.mean])
    with pytest.raises(ParameterError, match="one kind"):
        bootstrap_many([np.mean, short], np.ones(2))
    with pytest.raises(ParameterError, match="no statistic"):
        bootstrap_many([])
    with pytest.raises(ParameterError, match="carries its own data"):
        bootstrap(short, np.ones(2))


@pytest.mark.parametrize(
    ("contributions", "words"),
    [
        (np.ones(3), "not a table"),
        (np.ones((3, 0)), "not a table"),
        (np.array([[1.0, 2.0], [3.0, math.nan]]), "row 2, column 2"),
        (np.array([[1.0], [-math.inf]]), "row 2, column 1"),
        (np.full((3, 1), 1e308), "too large"),
    ],
)
def test_contributions_must_be_summable(contributions, words):
    with pytest.raises(DataError, match=words):
        SumsStatistic("x", contributions, lambda sums: sums[:, 0], "none")


def test_numerator_and_denominator_must_match():
    with pytest.raises(DataError, match="do not match"):
        ratio_statistic([1.0, 2.0], [1.0])


def test_evaluate_must_give_one_value_per_row():
    statistic = SumsStatistic("whole", np.ones((4, 2)), lambda sums: sums, "none")
    with pytest.raises(ParameterError, match="evaluate function of whole"):
        bootstrap(statistic)


def test_divide_gives_nan_without_a_warning():
    assert divide(np.array([1.0, 0.0]), np.array([0.0, 2.0])).tolist()[1] == 0.0
    assert math.isnan(divide(np.array([1.0]), np.array(0.0))[0])


# Callables ---------------------------------------------------------------------------------


def test_callable_takes_a_data_frame_with_a_fresh_index():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}, index=list("abcd"))
    seen = []

    def mean_x(data):
        seen.append(list(data.index))
        return data["x"].mean()

    estimate = bootstrap(mean_x, frame, n_resamples=10)
    assert estimate.value == 2.5
    assert seen[0] == list("abcd")
    assert all(index == [0, 1, 2, 3] for index in seen[1:])
    assert estimate.name == "mean_x"


def test_callable_takes_series_and_tables_in_a_tuple():
    series, table = pd.Series([1.0, 2.0, 3.0], index=[9, 8, 7]), np.arange(6.0).reshape(3, 2)

    def together(data):
        one, two = data
        assert (two[:, 0] == 2 * (one.to_numpy() - 1)).all()
        return float(one.sum() + two.sum())

    assert bootstrap(together, (series, table), n_resamples=20).value == 21.0


def test_callable_without_a_value_is_counted():
    values = np.zeros(20)
    values[0] = 1

    def among_events(data):
        return float(data[data > 0].mean()) if (data > 0).any() else math.nan

    estimate = bootstrap(among_events, values, n_resamples=400)
    lost = (1 - 1 / 20) ** 20
    four_errors = 4 * math.sqrt(400 * lost * (1 - lost))
    assert estimate.n_undefined == pytest.approx(400 * lost, abs=four_errors)
    nothing = bootstrap(among_events, np.zeros(20), n_resamples=10)
    assert nothing.reason == "among_events has no value on these data"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_exception_of_a_callable_is_passed_on(n_jobs):
    def fails(data):
        if len(np.unique(data)) < 10:
            raise ZeroDivisionError("a message of its own")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="a message of its own"):
        bootstrap(fails, np.arange(10), n_resamples=60, n_jobs=n_jobs)


@pytest.mark.parametrize("value", [None, "0.5", np.array([1.0, 2.0]), 1j])
def test_callable_must_return_one_number(value):
    with pytest.raises(ParameterError, match="must return one number"):
        bootstrap(lambda data: value, np.arange(5), n_resamples=5)


@pytest.mark.parametrize("value", [1, True, np.float32(1.0), np.int64(1), np.array(1.0)])
def test_callable_may_return_any_kind_of_number(value):
    assert bootstrap(lambda data: value, np.arange(5), n_resamples=5).value == 1.0


@pytest.mark.parametrize("data", [[1.0, 2.0], 3.0, np.array(1.0), "text", {"x": [1]}, ()])
def test_data_without_an_items_axis_are_refused(data):
    with pytest.raises(DataError, match="cannot be resampled"):
        bootstrap(len, data)


def test_callable_needs_data_of_one_length():
    with pytest.raises(ParameterError, match="needs the data"):
        bootstrap(np.mean)
    with pytest.raises(DataError, match="differ in length"):
        bootstrap(len, (np.ones(3), np.ones(4)))
    with pytest.raises(ParameterError, match="found 5"):
        bootstrap(5, np.ones(3))
    with pytest.raises(ParameterError, match="found a int beside a callable"):
        paired_difference(np.mean, 5, np.ones(3))


def test_both_paths_give_one_interval():
    first, second = two_raters(150, 3, 0.6, seed=46)
    statistic = kappa_statistic(first, second, 3)
    cluster = np.arange(150) // 3

    def kappa(data):
        return float(kappa_statistic(*data, 3).evaluate(
            kappa_statistic(*data, 3).contributions.sum(axis=0, keepdims=True)
        )[0])  # fmt: skip

    for method in ("percentile", "basic", "bca"):
        by_sums = bootstrap(statistic, cluster=cluster, method=method)
        by_callable = bootstrap(
            kappa, (first, second), cluster=cluster, method=method, n_resamples=1000
        )
        assert by_sums.value == pytest.approx(by_callable.value, abs=1e-12)
        for bound in (0, 1):
            error = math.hypot(
                by_sums.monte_carlo_error[bound], by_callable.monte_carlo_error[bound]
            )
            # BCa's bias correction has an error of its own of about the same size.
            assert bounds(by_sums)[bound] == pytest.approx(
                bounds(by_callable)[bound], abs=6 * error
            )
