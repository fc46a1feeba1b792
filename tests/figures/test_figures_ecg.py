"""Figures of the ECG chapters: what is drawn is what was given, and marks are explained."""

from __future__ import annotations

import math

import ecg_examples as examples
import numpy as np
import pandas as pd
import pytest
from ecg_examples import AWKWARD, CLASSES, COUNTS, MARKS, ORDINARY, REASON
from matplotlib.colors import to_rgb

from benchbook import figures
from benchbook.errors import DataError, ParameterError
from benchbook.figures import figure_data, style

DAGGER = "† output wider than the label"
STAR = "* trained on the source of this test set"


def lines(axes, label):
    return [line for line in axes.lines if line.get_label() == label]


def titled(figure):
    """Return the axes that carry a title, by that title."""
    found = {}
    for axes in figure.axes:
        bold = [text for text in axes.texts if text.get_fontweight() == "bold"]
        if bold:
            found[bold[0].get_text().replace("\n", " ")] = axes
    return found


# ---- ROC ---------------------------------------------------------------------------------------


def test_every_curve_is_drawn_whole_in_the_panel_of_its_label():
    figure = ORDINARY["roc_plane"]()
    panels, given = titled(figure), examples.curves()
    assert list(panels) == list(COUNTS)
    for label, axes in panels.items():
        drawn = lines(axes, "_curve")
        assert len(drawn) == 2
        for line, model in zip(drawn, examples.MODELS, strict=True):
            part = given[(given["label"] == label) & (given["model"] == model)]
            np.testing.assert_array_equal(line.get_xdata(), part["false_positive_rate"])
            np.testing.assert_array_equal(line.get_ydata(), part["sensitivity"])
        assert axes.get_xlim() == axes.get_ylim() == (0, 1)
        assert axes.get_position().width * figure.get_size_inches()[0] == pytest.approx(
            axes.get_position().height * figure.get_size_inches()[1]
        )


def test_vertices_in_any_order_make_the_same_curve():
    shuffled = examples.curves().sample(frac=1, random_state=3)
    plain = lines(titled(figures.roc_plane(examples.curves()))["AF"], "_curve")[0].get_xydata()
    first = shuffled["model"].iloc[0]
    place = 0 if first == "network A" else 1
    again = lines(titled(figures.roc_plane(shuffled))["AF"], "_curve")[place].get_xydata()
    np.testing.assert_array_equal(plain, again)


def test_every_reader_is_a_point_and_every_mean_a_cross():
    figure, given = ORDINARY["roc_plane"](), examples.readers()
    for label, axes in titled(figure).items():
        part = given[given["label"] == label]
        for kind in ("reader", "mean", "network"):
            wanted = part[part["kind"] == kind]
            drawn = [line.get_xydata()[0] for line in lines(axes, f"_{kind}")]
            expected = np.column_stack([1 - wanted["specificity"], wanted["sensitivity"]])
            np.testing.assert_array_equal(np.array(drawn), expected)
        means = part[part["kind"] == "mean"]
        across = [sorted(line.get_xdata()) for line in lines(axes, "_across")]
        expected = 1 - means[["specificity_high", "specificity_low"]].to_numpy()
        np.testing.assert_allclose(across, expected)
        upright = [line.get_ydata() for line in lines(axes, "_upright")]
        np.testing.assert_array_equal(upright, means[["sensitivity_low", "sensitivity_high"]])


def test_groups_differ_in_shape_and_people_from_models_in_colour():
    axes = titled(ORDINARY["roc_plane"]())["AF"]
    shapes = {line.get_marker() for line in lines(axes, "_reader")}
    assert len(shapes) == len(examples.GROUPS)
    people = {to_rgb(line.get_color()) for line in lines(axes, "_reader")}
    models = {to_rgb(line.get_color()) for line in lines(axes, "_curve")}
    assert all(len(set(colour)) == 1 for colour in people)  # greys
    assert all(len(set(colour)) > 1 for colour in models)
    dashes = {line.get_linestyle() for line in lines(axes, "_curve")}
    assert len(dashes) == 2
    assert {line.get_marker() for line in lines(axes, "_network")}.isdisjoint(shapes)
    means = {line.get_marker() for line in lines(axes, "_mean")}
    assert means == shapes
    assert {line.get_markerfacecolor() for line in lines(axes, "_mean")} == {"white"}


def test_the_corner_holds_the_readers_and_is_framed_above():
    figure = ORDINARY["roc_plane"]()
    whole = list(titled(figure).values())
    corners = [axes for axes in figure.axes if axes not in whole]
    assert len(corners) == len(whole)
    right, least = corners[0].get_xlim()[1], corners[0].get_ylim()[0]
    near = examples.readers().query("kind == 'reader'")
    inside = ((1 - near["specificity"]) <= right) & (near["sensitivity"] >= least)
    assert inside.mean() > 0.85
    drawn = sum(len(lines(axes, "_reader")) for axes in corners)
    assert drawn == inside.sum()
    for axes in whole:
        (frame,) = axes.patches
        box = frame.get_bbox()
        assert (box.x0, box.x1, box.y0, box.y1) == (0, right, least, 1)


def test_the_corner_can_be_chosen_or_left_out_and_comes_only_for_crowds():
    points = examples.readers()
    assert len(figures.roc_plane(None, points, zoom=False).axes) == 3
    spread = points.assign(specificity=np.linspace(0.1, 0.99, len(points)))
    assert len(figures.roc_plane(None, spread).axes) == 3
    assert len(figures.roc_plane(None, spread, zoom=True).axes) == 6
    figure = figures.roc_plane(None, points, zoom=(0.03, 0.7))
    assert figure.axes[1].get_xlim() == (0, 0.03)
    assert figure.axes[1].get_ylim() == (0.7, 1)


def test_titles_tell_the_positives_and_marks_are_explained(words):
    shown = words(ORDINARY["roc_plane"]())
    for text in ("13 of 827 positive", "28 of 827 positive", "†", "†*", DAGGER, STAR):
        assert any(text in one for one in shown), text
    only = words(figures.roc_plane(examples.curves(), marks={("AF", "network A"): "†"}))
    assert DAGGER in only
    assert STAR not in only
    assert not any("†" in one or "*" in one for one in words(figures.roc_plane(examples.curves())))


def test_a_text_too_long_for_its_panel_never_loses_its_mark(words):
    marks = pd.DataFrame(
        [("AF", "network A", "*", "AUROC 0.987 (0.981–0.992), 2,000 resamples of patients")],
        columns=["label", "model", "mark", "text"],
    )
    shown = words(figures.roc_plane(examples.curves(), marks=marks))
    assert any(one.startswith("AUROC 0.987") and one.endswith("… *") for one in shown)


def test_labels_are_drawn_in_the_order_asked_for():
    figure = figures.roc_plane(examples.curves(), labels=["LBBB", "AF"])
    assert list(titled(figure)) == ["LBBB", "AF"]
    assert set(figure_data(figure)["label"]) == {"LBBB", "AF"}


def test_a_label_without_any_point_says_why(words):
    shown = words(AWKWARD["ROC, undefined"]())
    assert REASON in shown


def test_the_data_of_a_roc_figure_holds_curves_and_points():
    data = figure_data(ORDINARY["roc_plane"]())
    given = examples.readers()
    assert data["kind"].value_counts().to_dict() == {
        "curve": len(examples.curves()),
        **given["kind"].value_counts().to_dict(),
    }
    points = data[data["kind"] != "curve"].reset_index(drop=True)
    for column in ("specificity", "sensitivity", "specificity_low", "sensitivity_high"):
        np.testing.assert_array_equal(points[column], given[column])


# ---- rows --------------------------------------------------------------------------------------


def values(figure):
    return [float(line.get_xdata()[0]) for line in lines(figure.axes[0], "_value")]


def intervals(figure):
    return [tuple(line.get_xdata()) for line in lines(figure.axes[0], "_interval")]


def test_differences_are_drawn_with_interval_and_line_at_no_difference(words):
    figure, given = ORDINARY["forest_of_differences"](), examples.differences()
    assert values(figure) == list(given["value"])
    np.testing.assert_array_equal(intervals(figure), given[["low", "high"]])
    low, high = figure.axes[0].get_xlim()
    assert low == pytest.approx(-high)
    shown = words(figure)
    for label in ("AF", "LBBB"):
        assert label in shown
    for text in ("network A †", "network B †*", "+0.020 (0.005–0.032)", DAGGER, STAR):
        assert any(text in one for one in shown), text
    assert "Difference (95 % CI)" in shown


def test_undefined_differences_show_their_reason(words):
    figure = AWKWARD["differences, undefined"]()
    shown = words(figure)
    assert REASON in shown
    assert "fewer than two patients" in shown
    assert len(values(figure)) == len(examples.differences()) - 1


def test_of_one_model_the_labels_are_the_rows(words):
    shown = words(AWKWARD["differences, one model"]())
    assert "AF †" in shown
    assert "network A" not in " ".join(shown)


def test_models_keep_colour_and_shape_in_every_label():
    axes = ORDINARY["forest_of_differences"]().axes[0]
    looks = [(line.get_color(), line.get_marker()) for line in lines(axes, "_value")]
    assert looks[0::2] == [looks[0]] * 3
    assert looks[1::2] == [looks[1]] * 3
    assert looks[0][0] != looks[1][0]
    assert looks[0][1] != looks[1][1]


def test_class_scores_stand_beside_counts_and_the_prior(words):
    figure, given = ORDINARY["class_scores"](), examples.f_measures()
    assert values(figure) == list(given["value"])
    priors = lines(figure.axes[0], "_prior")
    assert [float(line.get_xdata()[0]) for line in priors] == list(given["prior"])
    heights = [float(line.get_ydata()[0]) for line in lines(figure.axes[0], "_value")]
    assert [float(line.get_ydata()[0]) for line in priors] == heights
    shown = words(figure)
    for name, count in CLASSES.items():
        assert f"{name} ({count} positive)" in shown
    assert "prior: the class named for every record" in shown
    # The published macro F of the prior is the mean of these ticks.
    assert np.mean([line.get_xdata()[0] for line in priors]) == pytest.approx(0.252, abs=5e-4)


def test_without_a_prior_no_tick_is_drawn_or_explained(words):
    figure = figures.class_scores(examples.f_measures().drop(columns="prior"))
    assert lines(figure.axes[0], "_prior") == []
    assert not any("prior" in text for text in words(figure))


def test_the_prior_is_a_line_through_all_macro_scores(words):
    figure = ORDINARY["macro_scores"]()
    assert values(figure) == list(examples.macros()["value"])
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [0.252]
    looks = [(line.get_color(), line.get_marker()) for line in lines(figure.axes[0], "_value")]
    assert looks[1] == looks[2]
    assert len(set(looks)) == 3
    shown = words(figure)
    for text in ("trained", "language model", "prior: every class named for every record", STAR):
        assert text in shown


# ---- cells -------------------------------------------------------------------------------------


def cells(figure):
    """Return colour, hatch and words of every cell by (row, column) name."""
    axes = figure.axes[0]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    columns = [label.get_text().replace("\n", " ") for label in axes.get_xticklabels()]
    found = {}
    for patch in axes.patches:
        x, y = np.floor(patch.get_xy().mean(axis=0) + 1e-9).astype(int)
        texts = [t.get_text() for t in axes.texts if t.get_position() == (x + 0.5, y + 0.5)]
        found[rows[y], columns[x]] = (
            to_rgb(patch.get_facecolor()),
            patch.get_hatch(),
            texts[0] if texts else "",
        )
    return found


def test_each_cell_of_the_ranks_holds_its_rank_and_interval():
    shown, given = cells(ORDINARY["rank_heatmap"]()), examples.ranks()
    assert len(shown) == 4 * len(examples.LABELS)
    for row in given.itertuples():
        _, hatch, text = shown[row.model, row.label]
        assert text == f"{row.rank} ({row.low}–{row.high})"
        assert not hatch
    known = set(zip(given["model"], given["label"], strict=True))
    empty = {key for key in shown if key not in known}
    assert empty
    for key in empty:
        assert shown[key] == (to_rgb(style.PALE), None, "")


def test_better_ranks_are_darker():
    shown = cells(ORDINARY["rank_heatmap"]())
    by_rank = {text[0]: style.luminance(colour) for colour, _, text in shown.values() if text}
    assert sorted(by_rank, key=by_rank.__getitem__) == ["1", "2", "3", "4"]


def test_marks_and_undefined_ranks_are_explained(words):
    figure = AWKWARD["ranks, undefined"]()
    table, shown = examples.undefined_rank(), cells(figure)
    first, marked, bare = table.iloc[0], table.iloc[2], table.iloc[3]
    assert shown[first["model"], first["label"]][1:] == ("//////", "")
    assert shown[marked["model"], marked["label"]][2].endswith(" †*")
    assert shown[bare["model"], bare["label"]][2] == f"{bare['rank']:g}"
    text = " ".join(words(figure))
    for wanted in (DAGGER, STAR, f"Undefined: {REASON}", "undefined", "no output for this label"):
        assert wanted in text


def test_numbers_that_do_not_fit_leave_a_key_of_colours(words):
    text = " ".join(words(AWKWARD["ranks, forty"]()))
    assert "rank 1" in text
    assert "rank 40" in text
    assert "(1–2)" not in text


def test_models_stand_in_the_columns_where_that_leaves_room_for_the_numbers():
    figure = AWKWARD["ranks, forty labels"]()
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == list("ABCD")


def test_shares_are_printed_in_per_cent_of_the_row():
    shown, given = cells(ORDINARY["co_occurrence"]()), examples.together()
    for row in given.itertuples():
        name = (f"{row._1} ({CLASSES[row._1]})", row.other)
        if row._1 == row.other:
            assert shown[name][2] == ""
        else:
            assert shown[name][2] == f"{100 * row.share:.0f}"
    table = examples.empty_class()
    empty = cells(figures.co_occurrence(table))
    assert {empty["TACHY (0)", other][1] for other in CLASSES if other != "TACHY"} == {"//////"}


# ---- reliability -------------------------------------------------------------------------------


def test_bins_and_counts_are_drawn_as_given():
    figure, given, counts = ORDINARY["reliability"](), examples.bins(), examples.histogram()
    panels = titled(figure)
    strips = [axes for axes in figure.axes if axes not in panels.values()]
    for (label, axes), strip in zip(panels.items(), strips, strict=True):
        for index, model in enumerate(examples.MODELS):
            part = given[(given["label"] == label) & (given["model"] == model)]
            drawn = lines(axes, "_bins")[index].get_xydata()
            np.testing.assert_array_equal(drawn, part[["predicted", "observed"]])
            bars = counts[(counts["label"] == label) & (counts["model"] == model)]
            step = strip.patches[index].get_data()
            np.testing.assert_array_equal(step.values, np.maximum(bars["count"], 0.5))
            np.testing.assert_array_equal(step.edges[:-1], bars["low"])
        ends = [tuple(line.get_ydata()) for line in lines(axes, "_interval")]
        part = given[given["label"] == label]
        np.testing.assert_array_equal(ends, part[["low", "high"]])
        assert strip.get_yscale() == "log"
    pd.testing.assert_frame_equal(figure_data(figure), given, check_dtype=False)


# ---- refusals ----------------------------------------------------------------------------------

CURVES, POINTS = examples.curves(), examples.readers()

REFUSED = {
    "ROC, nothing": (lambda: figures.roc_plane(None, None), DataError, "nothing to draw"),
    "ROC, column": (
        lambda: figures.roc_plane(CURVES.drop(columns="model")),
        DataError,
        "column model: roc_plane: column missing",
    ),
    "ROC, rate": (
        lambda: figures.roc_plane(CURVES.assign(sensitivity=97.0)),
        DataError,
        "column sensitivity: roc_plane: outside 0 to 1; found 97",
    ),
    "ROC, point": (
        lambda: figures.roc_plane(None, POINTS.assign(specificity=-0.1)),
        DataError,
        "found -0.1",
    ),
    "ROC, kind": (
        lambda: figures.roc_plane(None, POINTS.assign(kind="machine")),
        DataError,
        "found machine; expected reader, mean, network",
    ),
    "ROC, mark": (
        lambda: figures.roc_plane(CURVES, marks={("AF", "network A"): "#"}),
        DataError,
        "unknown mark; found #",
    ),
    "ROC, mark of no model": (
        lambda: figures.roc_plane(CURVES, marks={"AF": "†"}),
        ParameterError,
        "expected (label, model)",
    ),
    "ROC, labels without counts": (
        lambda: figures.roc_plane(CURVES, labels=pd.DataFrame({"label": ["AF"]})),
        DataError,
        "column n_positive",
    ),
    "ROC, label": (
        lambda: figures.roc_plane(CURVES, labels=["VT"]),
        ParameterError,
        "label 'VT' has no curve",
    ),
    "ROC, columns": (lambda: figures.roc_plane(CURVES, columns=4), ParameterError, "columns 4"),
    "ROC, zoom": (lambda: figures.roc_plane(CURVES, zoom=(0, 1)), ParameterError, "zoom"),
    "differences, empty": (
        lambda: figures.forest_of_differences(pd.DataFrame()),
        DataError,
        "nothing to draw",
    ),
    "differences, crossed": (
        lambda: figures.forest_of_differences(examples.differences().assign(low=0.5)),
        DataError,
        "lower bound above",
    ),
    "differences, twice": (
        lambda: figures.forest_of_differences(pd.concat([examples.differences()] * 2)),
        DataError,
        "row AF, network A: forest_of_differences: the same row twice",
    ),
    "ranks, zero": (
        lambda: figures.rank_heatmap(examples.ranks().assign(rank=0)),
        DataError,
        "column rank",
    ),
    "ranks, twice": (
        lambda: figures.rank_heatmap(pd.concat([examples.ranks()] * 2)),
        DataError,
        "the same cell twice",
    ),
    "reliability, column": (
        lambda: figures.reliability(examples.bins().drop(columns="n")),
        DataError,
        "column n",
    ),
    "reliability, counts": (
        lambda: figures.reliability(examples.bins(), examples.histogram().assign(count=-1)),
        DataError,
        "not a count",
    ),
    "reliability, columns": (
        lambda: figures.reliability(examples.bins(), columns=0),
        ParameterError,
        "columns 0",
    ),
    "classes, above 1": (
        lambda: figures.class_scores(examples.f_measures().assign(value=1.2, high=1.3)),
        DataError,
        "column value: class_scores: outside 0 to 1; found 1.2",
    ),
    "classes, text": (
        lambda: figures.class_scores(examples.f_measures().assign(n_positive="many")),
        DataError,
        "found 'many'",
    ),
    "macro, kind": (
        lambda: figures.macro_scores(examples.macros().drop(columns="kind")),
        DataError,
        "column kind",
    ),
    "together, share": (
        lambda: figures.co_occurrence(examples.together().assign(share=31.0)),
        DataError,
        "column share",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_reason(case):
    draw, error, message = REFUSED[case]
    with pytest.raises(error) as caught:
        draw()
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", ORDINARY)
def test_the_same_table_gives_the_same_picture_and_stays_as_it_was(kind):
    assert ORDINARY[kind]().display_png() == ORDINARY[kind]().display_png()
    table = examples.f_measures()
    before = table.copy()
    figures.class_scores(table)
    pd.testing.assert_frame_equal(table, before)


def test_names_are_shown_literally(words):
    name = r"$x_1$ <b>\alpha</b>"
    table = examples.macros().assign(model=[name, "a", "b", "prior"])
    assert any(name in text for text in words(figures.macro_scores(table)))
    curves = CURVES.assign(model=CURVES["model"].replace("network A", name))
    assert any(name in text for text in words(figures.roc_plane(curves)))


def test_twenty_four_models_differ_without_colour_or_with_it():
    from benchbook.figures.panels import model_look

    looks = [model_look(index) for index in range(24)]
    assert len({(look["color"], str(look["linestyle"])) for look in looks}) == 24
    assert not any(math.isnan(style.luminance(look["color"])) for look in looks)
    assert len({str(look["linestyle"]) for look in looks[:4]}) == 4
    assert MARKS
