"""What is drawn is what was given: the numbers are read back from the marks themselves."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from figure_examples import (
    AWKWARD,
    BOOTSTRAP,
    COEFFICIENTS,
    ESTIMATES,
    FULL,
    ICCS,
    LIMITS,
    ORDINARY,
    PAIR,
    REASON,
    THRESHOLDS,
    cloud,
    curves,
    matrix,
    methods,
    replicates,
    scores,
    use,
    without,
)
from matplotlib.collections import QuadMesh

from benchbook import figures
from benchbook.agreement.words import LANDIS_KOCH
from benchbook.errors import DataError
from benchbook.estimate import Estimate
from benchbook.figures import figure_data


def marks(figure, label, axes=0):
    """Return the (x, y) data of every line with a label, in the order drawn."""
    lines = [line for line in figure.axes[axes].lines if line.get_label() == label]
    return [(np.asarray(line.get_xdata()), np.asarray(line.get_ydata())) for line in lines]


def points(figure, axes=0):
    """Return the points of every cloud, shape (n, 2)."""
    found = [c for c in figure.axes[axes].collections if c.get_label() == "_points"]
    return np.concatenate([np.asarray(cloud.get_offsets()) for cloud in found])


def drawn_values(figure):
    return [float(x[0]) for x, _ in marks(figure, "_value")]


# ---- rows --------------------------------------------------------------------------------


def test_forest_draws_each_value_and_interval_in_the_order_given():
    figure = figures.forest(ESTIMATES, limits=(-2, 1))
    known = [entry for entry in ESTIMATES if entry.defined]
    assert drawn_values(figure) == [entry.value for entry in known]
    drawn = [tuple(x) for x, _ in marks(figure, "_interval")]
    assert drawn == [(entry.low, entry.high) for entry in known if entry.has_interval]
    heights = [float(y[0]) for _, y in marks(figure, "_value")]
    assert heights == sorted(heights)
    data = figure_data(figure)
    assert list(data["name"]) == [entry.name for entry in ESTIMATES]
    assert data["low"].equals(pd.Series([entry.low for entry in ESTIMATES]))


def test_forest_cuts_an_interval_at_the_axis_and_says_so():
    figure = figures.forest(ESTIMATES)
    low, high = figure.axes[0].get_xlim()
    assert (low, high) == (-0.5, 1.0)
    (x, y), *others = marks(figure, "_cut")
    assert not others
    assert x[0] == low
    assert y[0] == marks(figure, "_value")[-1][1][0]
    assert min(min(x) for x, _ in marks(figure, "_interval")) == low


def test_forest_marks_a_value_beyond_the_axis_by_an_arrow_not_a_marker():
    figure = figures.forest([Estimate(0.2, name="a"), Estimate(0.9, name="b")], limits=(0, 0.5))
    assert drawn_values(figure) == [0.2]
    assert [float(x[0]) for x, _ in marks(figure, "_cut")] == [0.5]


def test_forest_axis_holds_negative_values():
    figure = figures.forest([Estimate(-0.83, -0.95, -0.7, name="κ")])
    low, high = figure.axes[0].get_xlim()
    assert low <= -0.83
    assert high == 1.0


def test_forest_prints_numbers_reasons_and_thresholds(words):
    shown = words(figures.forest(ESTIMATES, thresholds=THRESHOLDS))
    for text in (
        "0.703 (0.652–0.751)",
        "0.250 (−0.020 to 0.610)",
        "0.430 (no interval)",
        "undefined",
        REASON,
        "Estimate (95 % CI)",
        *THRESHOLDS,
    ):
        assert text in shown
    lines = [
        line.get_xdata()[0]
        for line in figures.forest(ESTIMATES, thresholds=THRESHOLDS).axes[0].lines
        if line.get_linestyle() == "--"
    ]
    assert set(THRESHOLDS.values()) <= set(lines)


def test_forest_bands_are_those_of_landis_and_koch(words):
    figure = figures.forest(ESTIMATES)
    shown = words(figure)
    for word in ("poor", *(word for _, word in LANDIS_KOCH)):
        assert word in shown
    boxes = [patch.get_bbox() for patch in figure.axes[0].patches]
    assert [box.x1 for box in boxes] == pytest.approx([0, *(upper for upper, _ in LANDIS_KOCH)])
    assert "slight" not in words(figures.forest(ESTIMATES, bands=None))


def test_forest_groups_stand_under_their_headings(words):
    table = pd.DataFrame([entry.as_row() for entry in ESTIMATES[:3]])
    table["group"] = ["two raters", "all raters", "all raters"]
    shown = words(figures.forest(table))
    assert shown.count("two raters") == shown.count("all raters") == 1


def test_forest_takes_a_mapping_and_differing_levels(words):
    entries = {"A": Estimate(0.5, 0.4, 0.6, level=0.9), "B": Estimate(0.6, 0.5, 0.7, level=0.95)}
    figure = figures.forest(entries)
    assert list(figure_data(figure)["name"]) == ["A", "B"]
    assert "Estimate (interval)" in words(figure)


def test_difference_has_zero_in_the_middle_and_signs(words):
    figure = figures.coefficient_difference(
        [Estimate(0.05, -0.02, 0.12, name="a"), Estimate(-0.08, -0.15, -0.01, name="b")]
    )
    low, high = figure.axes[0].get_xlim()
    assert low == -high
    assert "+0.050 (−0.020 to 0.120)" in words(figure)
    assert drawn_values(figure) == [0.05, -0.08]


def test_influence_is_drawn_from_the_full_coefficient_highest_first():
    figure = figures.leave_one_out(without(), FULL)
    assert drawn_values(figure) == [0.52, 0.43, 0.39]
    assert [tuple(x) for x, _ in marks(figure, "_stem")] == [
        (FULL.value, value) for value in (0.52, 0.43, 0.39)
    ]
    data = figure_data(figure)
    assert list(data["rater"]) == ["B", "A", "C", "D"]
    assert data["change"].to_numpy() == pytest.approx([0.08, -0.01, -0.05, math.nan], nan_ok=True)
    band = next(p.get_bbox() for p in figure.axes[0].patches)
    assert (band.x0, band.x1) == pytest.approx((FULL.low, FULL.high))


def test_influence_on_an_undefined_coefficient_is_no_change(words):
    figure = AWKWARD["influence, undefined"]()
    assert drawn_values(figure) == [0.52, 0.43, 0.39]
    assert marks(figure, "_stem") == []
    assert "Value (all raters: undefined)" in words(figure)
    assert figure_data(figure)["change"].isna().all()


def test_icc_forms_are_grouped_by_definition_whatever_the_order_given(words):
    figure = figures.icc_forms(ICCS)
    order = ["ICC(1,1)", "ICC(2,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,1)", "ICC(3,k)"]
    assert list(figure_data(figure)["name"]) == order
    assert drawn_values(figure) == [ICCS[name].value for name in order]
    assert "ICC(2,1) = ICC(A,1) two-way random, single rater" in words(figure)


def test_icc_forms_take_the_result_of_the_analysis():
    from benchbook.icc import intraclass_correlations
    from benchbook.ratings import Ratings

    # Shrout and Fleiss 1979, table 2
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = intraclass_correlations(Ratings.from_table(table, "continuous"))
    figure = figures.icc_forms(found)
    assert sorted(drawn_values(figure)) == sorted(result.estimate.value for result in found)


def test_intervals_stand_under_their_statistic():
    table = methods()
    figure = figures.interval_comparison(table)
    assert drawn_values(figure) == list(table["value"])
    drawn = np.array([x for x, _ in marks(figure, "_interval")])
    assert drawn == pytest.approx(table[["low", "high"]].dropna().to_numpy())
    colours = [line.get_color() for line in figure.axes[0].lines if line.get_label() == "_value"]
    assert colours[:4] == colours[4:]
    assert len(set(colours)) == 4


# ---- curves, cells, bars -----------------------------------------------------------------


def test_paradox_draws_the_curves_given():
    table = curves()
    figure = figures.kappa_paradox(table.sample(frac=1, random_state=1))
    for line in figure.axes[0].lines:
        assert line.get_ydata() == pytest.approx(table[line.get_label()].to_numpy())
        assert line.get_xdata() == pytest.approx(table["prevalence"].to_numpy())
    assert {line.get_label() for line in figure.axes[0].lines} == set(table.columns[1:])


def cells(figure):
    return next(c for c in figure.axes[0].collections if isinstance(c, QuadMesh)).get_array()


def test_heat_map_shows_every_pair_and_no_diagonal(words):
    values = matrix(5, -0.4, 3)
    figure = figures.pairwise_heatmap(values)
    drawn = cells(figure)
    off = ~np.eye(5, dtype=bool)
    assert np.ma.getmaskarray(drawn)[~off].all()
    assert drawn.filled(np.nan)[off] == pytest.approx(values[off], nan_ok=True)
    shown = words(figure)
    for value in values[off]:
        assert np.isnan(value) or f"{value:.2f}".replace("-", "−") in shown
    assert "undefined" in shown
    assert len(figure_data(figure)) == 10


def test_heat_map_scale_does_not_stretch_to_the_data():
    low, high = (figures.pairwise_heatmap(np.full((4, 4), value)) for value in (0.2, 0.9))
    for figure in (low, high):
        mesh = next(c for c in figure.axes[0].collections if isinstance(c, QuadMesh))
        assert (mesh.norm.vmin, mesh.norm.vmax) == (-1, 1)
        assert figure.axes[1].get_ylim() == (0, 1)


def test_heat_map_writes_numbers_only_where_they_fit(words):
    assert "below 0" in words(figures.pairwise_heatmap(matrix(40, -0.9), width="single"))
    assert not any(
        "0." in text and "−" in text
        for text in words(figures.pairwise_heatmap(matrix(40, -0.4), width="single"))
    )


def test_heat_map_marks_pairs_with_few_items(words):
    values, items = np.full((3, 3), 0.5), np.full((3, 3), 30)
    values[0, 1] = values[1, 0] = 0.9
    items[0, 2] = items[2, 0] = 4
    figure = figures.pairwise_heatmap(values, list("ABC"), order="mean", n_items=items)
    assert "n < 10" in words(figure)
    (dots,) = [c for c in figure.axes[0].collections if c.get_label() == "_few items"]
    assert len(dots.get_offsets()) == 2
    data = figure_data(figure).set_index(["first", "second"])["items"].to_dict()
    assert {frozenset(pair): n for pair, n in data.items()} == {
        frozenset("AB"): 30, frozenset("AC"): 4, frozenset("BC"): 30,
    }  # fmt: skip
    assert "n < 10" not in words(figures.pairwise_heatmap(values, n_items=items + 9))
    with pytest.raises(DataError, match="differ in shape"):
        figures.pairwise_heatmap(values, n_items=items[:2])


def test_heat_map_sorted_by_mean_puts_the_odd_rater_last():
    values = np.full((4, 4), 0.8)
    values[1, :] = values[:, 1] = 0.1
    figure = figures.pairwise_heatmap(values, list("ABCD"), order="mean")
    data = figure_data(figure)
    assert set(data.loc[data["value"] < 0.5, "second"]) == {"B"}


def test_category_shares_add_up_and_match():
    table = use(3, 4)
    figure = figures.category_use(table)
    expected = table.assign(share=table["count"] / table.groupby("rater")["count"].transform("sum"))
    merged = figure_data(figure).merge(expected, on=["rater", "category"])
    assert len(merged) == 12
    assert merged["share_x"].to_numpy() == pytest.approx(merged["share_y"].to_numpy())
    drawn = [[bar.get_width() for bar in bars] for bars in figure.axes[0].containers]
    assert np.sum(drawn, axis=0) == pytest.approx(1.0)
    assert np.ravel(drawn, "F") == pytest.approx(figure_data(figure)["share"].to_numpy())


def test_category_order_and_unused_levels_are_kept():
    grades = ["grade 2", "grade 1", "grade 9"]
    figure = figures.category_use(use(2, 2), categories=grades, ordered=True)
    assert list(figure_data(figure)["category"].unique()) == grades


def test_many_unordered_categories_are_pooled_without_loss():
    data = figure_data(figures.category_use(use(3, 12)))
    assert data["category"].nunique() == 8
    assert "5 others" in set(data["category"])
    assert data.groupby("rater")["share"].sum().to_numpy() == pytest.approx(1.0)


def test_bootstrap_counts_every_resample_once(words):
    figure = figures.bootstrap_distribution(replicates(), BOOTSTRAP)
    data = figure_data(figure)
    assert data["count"].sum() == 1988
    assert [bar.get_height() for bar in figure.axes[0].patches[: len(data)]] == list(data["count"])
    assert float(marks(figure, "_value")[0][0][0]) == BOOTSTRAP.value
    assert [float(x[0]) for x, _ in marks(figure, "_bound")] == [BOOTSTRAP.low, BOOTSTRAP.high]
    assert "1,988 resamples, 12 more without a value" in words(figure)
    errors = [p.get_bbox() for p in figure.axes[0].patches if p.get_label() == "_monte carlo error"]
    assert np.array([(box.x0, box.x1) for box in errors]) == pytest.approx(
        np.array([(0.652 - 0.0012, 0.652 + 0.0012), (0.751 - 0.0011, 0.751 + 0.0011)])
    )


def test_bootstrap_of_few_values_gives_each_its_own_bar():
    data = figure_data(AWKWARD["bootstrap, few values"]())
    assert list(data["count"]) == [15, 15, 15, 15]


# ---- points ------------------------------------------------------------------------------


def test_consistency_draws_the_scores_and_the_coefficients():
    figure = figures.consistency_against_agreement([*PAIR, np.nan], [*(PAIR + 5), 3], COEFFICIENTS)
    assert points(figure) == pytest.approx(np.column_stack([PAIR, PAIR + 5]))
    assert [float(x[0]) for x, _ in marks(figure, "_value", axes=1)] == list(COEFFICIENTS["value"])
    assert figure.axes[0].get_xlim() == figure.axes[0].get_ylim()
    data = figure_data(figure)
    assert data["panel"].value_counts().to_dict() == {"scores": 10, "coefficients": 4}


def test_bland_altman_draws_points_lines_and_trend(words):
    figure = ORDINARY["bland_altman_plot"]()
    assert points(figure) == pytest.approx(cloud().to_numpy())
    lines = [float(y[0]) for _, y in marks(figure, "_line")]
    assert lines == [entry.value for entry in LIMITS]
    bands = [p.get_bbox() for p in figure.axes[0].patches]
    assert np.array([(box.y0, box.y1) for box in bands]) == pytest.approx(
        np.array([(entry.low, entry.high) for entry in LIMITS])
    )
    ((x, y),) = marks(figure, "_trend")
    assert y == pytest.approx(9.0 - 0.02 * x)
    assert "Upper limit of agreement 74.0 (39.0–109.0)" in words(figure)
    assert [float(y[0]) for _, y in marks(figure, "_no difference")] == [0.0]


def test_bland_altman_takes_the_result_of_the_analysis():
    from benchbook.icc import bland_altman

    first = np.array([494.0, 395, 516, 434, 476, 557, 413, 442])
    second = np.array([512.0, 430, 520, 428, 500, 600, 364, 380])
    found = bland_altman(first, second)
    figure = figures.bland_altman_plot(found, trend=True)
    assert points(figure) == pytest.approx(np.column_stack([found.means, found.differences]))
    ((x, y),) = marks(figure, "_trend")
    # The regression line passes through the centre of the cloud.
    assert np.interp(found.means.mean(), x, y) == pytest.approx(found.bias.value)
    ratio = figures.bland_altman_plot(bland_altman(first, second, scale="ratio"))
    assert ratio.axes[0].get_yscale() == "log"
    assert [float(y[0]) for _, y in marks(ratio, "_no difference")] == [1.0]


def test_replicates_of_a_subject_are_joined():
    figure = AWKWARD["limits, replicates"]()
    assert len(marks(figure, "_subject")) == 10
    assert all(len(x) == 3 for x, _ in marks(figure, "_subject"))


def test_items_are_ordered_by_their_mean_and_nothing_is_lost():
    table = scores(24, 4)
    figure = figures.ratings_by_item(table)
    ((_, means),) = marks(figure, "_mean")
    assert means == pytest.approx(np.sort(table.mean(axis=1)))
    assert len(points(figure)) == table.notna().sum().sum() == len(figure_data(figure))
    given = table.to_numpy()[table.notna().to_numpy()]
    assert np.sort(points(figure)[:, 1]) == pytest.approx(np.sort(given))


def test_items_of_the_same_name_stay_apart():
    table = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["same", "same"], columns=["A", "B"])
    figure = figures.ratings_by_item(table)
    assert len(points(figure)) == 4


def test_many_points_are_drawn_as_a_picture_inside_vector_files():
    many = next(c for c in AWKWARD["limits, many"]().axes[0].collections)
    few = next(c for c in ORDINARY["bland_altman_plot"]().axes[0].collections)
    assert many.get_rasterized()
    assert not few.get_rasterized()
