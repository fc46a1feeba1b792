"""Awkward rankings, bad arguments, workers, clusters and strata; hypothesis properties."""

import math
import os
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_examples import KINDS, counters, example, statistics, with_counts

from benchbook.errors import DataError, ParameterError
from benchbook.resampling import (
    RankingStatistic,
    Stratified,
    bootstrap,
    bootstrap_many,
    mean_statistic,
    paired_difference,
    ranking_kernel,
    ranking_numpy,
    resample,
    resample_many,
)
from benchbook.resampling.ranking import MEASURES


def auroc(scores, positive, **options):
    return RankingStatistic("AUROC", scores, positive, higher_is_positive=True, **options)


def bits(distributions):
    return [
        (repr(one.point), one.replicates.tobytes(), one.jackknife.tobytes())
        for one in distributions
    ]


# Same bits whatever the order and the workers


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_rows_and_names_of_clusters_change_nothing(kind):
    scores, positive, cluster, weights = example(kind)
    order = np.random.default_rng(8).permutation(len(scores))
    names = [f"patient {-one}" for one in cluster[order]]
    shuffled = None if weights is None else weights[order]
    one = resample_many(statistics(scores, positive, weights), cluster=cluster, n_resamples=70)
    other = resample_many(
        statistics(scores[order], positive[order], shuffled), cluster=names, n_resamples=70
    )
    assert bits(one) == bits(other)


table = st.lists(
    st.tuples(
        st.integers(-3, 3), st.booleans(), st.integers(0, 4), st.sampled_from([0.0, 0.3, 1.0, 2.5])
    ),
    min_size=2,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(rows=table, data=st.data(), weighted=st.booleans())
def test_order_changes_nothing_on_any_data(rows, data, weighted):
    order = data.draw(st.permutations(range(len(rows))))
    found = []
    for places in (range(len(rows)), order):
        scores, positive, cluster, weights = zip(*(rows[at] for at in places), strict=True)
        if len(set(cluster)) == 1:
            cluster = None
        these = statistics(scores, positive, weights if weighted else None)
        found.append(bits(resample_many(these, cluster=cluster, n_resamples=20)))
    assert found[0] == found[1]


@settings(max_examples=60, deadline=None)
@given(rows=table)
def test_values_are_possible_or_undefined(rows):
    scores, positive, _, _ = zip(*rows, strict=True)
    for one in resample_many(statistics(scores, positive), n_resamples=20):
        values = np.append(one.replicates, one.point)
        values = values[~np.isnan(values)]
        assert ((values >= one.bounds[0]) & (values <= one.bounds[1])).all()
        estimate = one.interval("percentile")
        assert estimate.has_interval or estimate.reason


@settings(max_examples=40, deadline=None)
@given(rows=table)
def test_only_the_ranks_matter(rows):
    scores, positive, _, _ = zip(*rows, strict=True)
    stretched = np.exp(np.array(scores, dtype=float)) * 1000
    one, other = resample(auroc(scores, positive)), resample(auroc(stretched, positive))
    assert one.replicates.tobytes() == other.replicates.tobytes()


@settings(max_examples=40, deadline=None)
@given(rows=table)
def test_exchanging_the_classes_mirrors_the_area(rows):
    scores, positive, _, _ = zip(*rows, strict=True)
    flipped = [not one for one in positive]
    mirrored = RankingStatistic("AUROC", scores, flipped, higher_is_positive=False)
    both = resample_many([auroc(scores, positive), mirrored], n_resamples=30)
    assert np.array_equal(both[0].replicates, both[1].replicates, equal_nan=True)


@pytest.mark.parametrize("method", ["percentile", "bca", "studentised"])
@pytest.mark.parametrize("backend", [None, "threading", "loky"])
def test_one_or_two_workers_give_the_same_estimates(method, backend):
    scores, positive, cluster, _ = example("ties", n_items=400, n_clusters=150)
    these = statistics(scores, positive)
    options = {"cluster": cluster, "n_resamples": 200, "method": method}
    alone = bootstrap_many(these, n_jobs=1, **options)
    if backend is None:
        assert bootstrap_many(these, n_jobs=2, **options) == alone
    else:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            assert bootstrap_many(these, **options) == alone


@pytest.mark.distributed
def test_a_dask_cluster_gives_the_same_estimates():
    distributed = pytest.importorskip("distributed", reason="the extra 'distributed' is missing")
    scores, positive, cluster, _ = example("ties", n_items=400, n_clusters=150)
    these = [*statistics(scores, positive), mean_statistic(scores)]
    options = {"cluster": cluster, "n_resamples": 300, "seed": 4}
    alone = bootstrap_many(these, **options)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as workers,
        distributed.Client(workers),
        joblib.parallel_config(backend="dask"),
    ):
        assert bootstrap_many(these, **options) == alone


def test_fewer_resamples_are_the_beginning_of_more():
    scores, positive, cluster, _ = example("plain")
    few, many = (
        resample(auroc(scores, positive), cluster=cluster, n_resamples=n).replicates
        for n in (70, 330)
    )
    assert np.array_equal(few, many[:70])
    assert np.unique(many).size > 250  # blocks do not repeat each other


def test_seed_decides_the_resamples():
    scores, positive, cluster, _ = example("plain")
    one, again, other = (
        resample(auroc(scores, positive), cluster=cluster, seed=seed).replicates
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


# Shared resamples


def test_models_and_sums_share_their_resamples():
    scores, positive, cluster, _ = example("plain")
    noise = np.random.default_rng(1).normal(size=len(scores))
    mean = mean_statistic(positive)
    one, other, rate = resample_many(
        [auroc(scores, positive), auroc(noise, positive), mean], cluster=cluster, n_resamples=100
    )
    (share,), counts = with_counts([mean], cluster, n_resamples=100)
    expected = (counts * positive).sum(axis=1) / counts.sum(axis=1)
    assert share.replicates == pytest.approx(expected)
    # A statistic does not mind its place among the others.
    turned = resample_many(
        [mean, auroc(noise, positive), auroc(scores, positive)], cluster=cluster, n_resamples=100
    )
    assert bits([rate, other, one]) == bits(turned)


def test_exchanging_a_pair_changes_the_sign():
    scores, positive, cluster, _ = example("plain")
    noise = np.random.default_rng(1).normal(size=len(scores))
    pair = auroc(scores, positive), auroc(noise, positive)
    for method in ("percentile", "bca", "studentised"):
        one = paired_difference(*pair, cluster=cluster, method=method)
        other = paired_difference(*pair[::-1], cluster=cluster, method=method)
        assert (one.value, one.low, one.high) == pytest.approx(
            (-other.value, -other.high, -other.low), rel=1e-12
        )


def test_equal_rankings_share_one_pass():
    scores, positive, _, _ = example("plain")
    again = [*scores]  # another array with the same numbers
    sampler_passes = []
    original = ranking_kernel.rank

    def counted(rows, weights, **options):
        sampler_passes.append(1)
        return original(rows, weights, **options)

    from benchbook.resampling import ranking_sampler

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking_sampler, "rank", counted)
        resample_many(
            [*statistics(scores, positive), *statistics(again, positive, sensitivity=0.5)],
            n_resamples=64,
        )
    assert len(sampler_passes) == 2  # the data, and one block


# Undefined, refused


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("labels", "reason"), [([0, 0, 0], "no positives"), ([1, 1, 1], "no negatives")]
)
def test_one_class_is_undefined_with_the_reason(measure, labels, reason):
    estimate = bootstrap(
        RankingStatistic("m", [1, 2, 3], labels, measure, higher_is_positive=True), n_resamples=50
    )
    needs_both = measure in ("auroc", "specificity_at_sensitivity")
    if reason == "no positives" or needs_both:
        assert not estimate.defined
        assert reason in estimate.reason
        assert estimate.n_undefined == 50
    else:
        assert estimate.defined


def test_resamples_of_one_class_are_counted():
    scores, positive, cluster, _ = example("one positive")
    distribution = resample(auroc(scores, positive), cluster=cluster, n_resamples=400)
    (with_positive,), counts = with_counts([auroc(scores, positive)], cluster, n_resamples=400)
    lost = (counts[:, positive].sum(axis=1) == 0).sum()
    assert with_positive.n_undefined == lost
    assert lost == pytest.approx(400 * (8 / 9) ** 9, abs=45)  # four standard errors
    estimate = distribution.interval()
    assert any("no value on" in one for one in estimate.warnings)
    assert not distribution.interval("bca").has_interval
    assert "without one unit" in distribution.interval("bca").reason


def test_no_items_one_item_and_weightless_items():
    assert bootstrap(auroc([], [])).reason == "there are no items"
    precision = RankingStatistic("AP", [1.0], [1], "average_precision", higher_is_positive=True)
    estimate = bootstrap(precision)
    assert (estimate.value, estimate.has_interval) == (1.0, False)
    assert estimate.reason == "a single item cannot be resampled"
    assert "weight 0" in bootstrap(auroc([1, 2], [0, 1], weights=[0, 0])).reason


def test_infinite_threshold_is_undefined():
    statistic = RankingStatistic(
        "t", [math.inf, 1.0], [1, 0], "threshold_at_sensitivity", higher_is_positive=True
    )
    estimate = bootstrap(statistic, n_resamples=20)
    assert estimate.reason == "the threshold is infinite"


def test_one_cluster_is_an_error_that_says_why():
    with pytest.raises(ParameterError, match="at least two"):
        bootstrap(auroc([1, 2, 3], [0, 1, 1]), cluster=["a", "a", "a"])


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"measure": "auprc"}, ParameterError, "measure"),
        ({"higher_is_positive": None}, ParameterError, "never inferred"),
        ({"sensitivity": 85}, ParameterError, "0.85"),
        ({"scores": [1.0, math.nan, 2.0]}, DataError, "row 2"),
        ({"positive": [0, 1, 2]}, DataError, "row 3"),
        ({"positive": [0, 1]}, DataError, "found 3 values; expected 2"),
        ({"weights": [1, -1, 1]}, DataError, "row 2"),
    ],
)
def test_bad_argument_is_named(wrong, error, words):
    arguments = {
        "name": "m",
        "scores": [1.0, 2.0, 3.0],
        "positive": [0, 1, 1],
        "higher_is_positive": True,
    }
    with pytest.raises(error, match=words):
        RankingStatistic(**(arguments | wrong))


def test_direction_has_no_default():
    with pytest.raises(TypeError, match="higher_is_positive"):
        RankingStatistic("m", [1.0, 2.0], [0, 1])


def test_statistics_that_do_not_belong_together_are_refused():
    one = auroc([1, 2, 3], [0, 1, 1])
    with pytest.raises(DataError, match="same items"):
        resample_many([one, mean_statistic([1.0, 2.0])])
    with pytest.raises(ParameterError, match="of one kind"):
        resample_many([one, np.mean], np.arange(3))
    with pytest.raises(ParameterError, match="of one kind"):
        resample_many([np.mean, one], np.arange(3))
    with pytest.raises(ParameterError, match="carries its own data"):
        resample(one, np.arange(3))


@pytest.mark.parametrize("kind", ["tuple", "date", "text", "category"])
def test_any_hashable_id_works(kind):
    scores, positive, cluster, _ = example("plain")
    ids = {
        "tuple": [("site", int(one)) for one in cluster],
        "date": pd.Series(pd.to_datetime(cluster, unit="D")),
        "text": [f"p{one}" for one in cluster],
        "category": pd.Series(cluster).astype("category"),
    }[kind]
    expected = resample(auroc(scores, positive), cluster=cluster, n_resamples=64).replicates
    found = resample(auroc(scores, positive), cluster=ids, n_resamples=64).replicates
    assert np.array_equal(expected, found)


def test_jackknife_of_very_many_clusters_is_refused_with_the_reason(monkeypatch):
    from benchbook.resampling import ranking_sampler

    monkeypatch.setattr(ranking_sampler, "_MAX_JACKKNIFE_ROWS", 500)
    scores, positive, _, _ = example("plain")
    found = {one.name: one for one in bootstrap_many(statistics(scores, positive), method="bca")}
    assert found["auroc"].has_interval
    assert "take the percentile interval" in found["average_precision"].reason


# Strata


def test_strata_keep_their_numbers_of_clusters():
    scores, positive, _, _ = example("clusters of one")
    design = Stratified(strata=positive)
    these = [*statistics(scores, positive), *counters(np.arange(len(scores)))]
    found = resample_many(these, cluster=design, n_resamples=100)
    counts = np.column_stack([one.replicates for one in found[len(MEASURES) :]])
    assert (counts[:, positive].sum(axis=1) == positive.sum()).all()
    assert (counts[:, ~positive].sum(axis=1) == (~positive).sum()).all()
    assert len(np.unique(counts, axis=0)) == 100
    assert found[0].interval().unit == "item"


def test_strata_hold_whole_clusters_for_every_kind_of_statistic():
    scores, _, cluster, _ = example("plain", n_clusters=12)
    stratum = np.array(["a", "b", "b", "c"])[cluster % 4]
    positive = stratum == "b"  # fixed by design: the rate may not move
    design = Stratified(stratum, cluster)

    def spread_of_strata(data):
        ids, kept = data
        return float(sum(len(np.unique(ids[kept == one])) > 3 for one in "abc"))

    n_drawn = {one: len(np.unique(cluster[stratum == one])) for one in "abc"}
    assert n_drawn == {"a": 3, "b": 6, "c": 3}
    drawn = resample(spread_of_strata, (cluster, stratum), cluster=design, n_resamples=60)
    assert drawn.interval().unit == "cluster"
    assert set(drawn.replicates) <= {0.0, 1.0}  # never more than three of strata a and c
    for these in ([mean_statistic(positive)], [mean_statistic(positive), auroc(scores, positive)]):
        sizes = resample_many([*these, *counters(cluster)], cluster=design, n_resamples=60)[
            len(these) :
        ]
        counts = np.column_stack([one.replicates for one in sizes])
        for one in "abc":
            ids = np.unique(cluster[stratum == one])
            assert (counts[:, ids].sum(axis=1) == len(ids)).all()


def test_names_and_order_of_strata_change_nothing():
    scores, positive, cluster, _ = example("plain", n_clusters=12)
    stratum, order = cluster % 3, np.random.default_rng(2).permutation(len(scores))
    renamed = np.array(["x", "a", "k"])[stratum]
    for make in (lambda s, p: auroc(s, p), lambda s, p: mean_statistic(s)):
        one = resample(make(scores, positive), cluster=Stratified(stratum, cluster))
        other = resample(
            make(scores[order], positive[order]), cluster=Stratified(renamed[order], cluster[order])
        )
        assert one.replicates.tobytes() == other.replicates.tobytes()


def test_bad_strata_are_refused():
    mean = mean_statistic([1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="two strata"):
        bootstrap(mean, cluster=Stratified(["a", "b", "a"], [1, 1, 2]))
    with pytest.raises(ParameterError, match="a single one"):
        bootstrap(mean, cluster=Stratified(["a", "b", "c"]))
    with pytest.raises(DataError, match="stratum id is missing"):
        bootstrap(mean, cluster=Stratified(["a", None, "a"]))
    with pytest.raises(DataError, match="number of stratum ids"):
        bootstrap(mean, cluster=Stratified(["a", "b"]))


# The compiled kernel


def test_kernel_falls_back_to_numpy_without_numba(monkeypatch):
    ranking_kernel.backend.cache_clear()
    monkeypatch.setitem(sys.modules, "numba.core.config", None)
    try:
        assert ranking_kernel.backend() is ranking_numpy
    finally:
        ranking_kernel.backend.cache_clear()


PROGRAM = """
from benchbook.resampling import RankingStatistic, bootstrap, ranking_kernel
statistic = RankingStatistic("a", [4, 3, 2, 1], [1, 0, 1, 0], higher_is_positive=True)
print(bootstrap(statistic, n_resamples=100).value, ranking_kernel.backend().__name__)
"""


def run_with(**variables):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_kernel_compiles_in_memory_where_no_folder_can_be_written():
    pytest.importorskip("numba")
    found = run_with(
        NUMBA_CACHE_DIR=os.path.join(os.devnull, "cache"),
        NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator",
    )
    assert found == ["0.75", "benchbook.resampling.ranking_compiled"]


def test_kernel_does_not_interpret_compiled_loops():
    assert run_with(NUMBA_DISABLE_JIT="1") == ["0.75", "benchbook.resampling.ranking_numpy"]


def test_importing_the_package_does_not_load_numba():
    program = "import sys, benchbook.resampling; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
