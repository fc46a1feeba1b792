"""Differences on a logarithmic scale: what is drawn is what was given."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from benchbook import figures
from benchbook.errors import DataError, ParameterError
from benchbook.figures.validation import HIGHEST, LOWEST, VERDICTS, differences

ROWS = [
    ("Cohen's κ", 0.0, "matches"),
    ("Cohen's κ", 3e-16, "matches"),
    ("Fleiss' κ", 2e-4, "matches its digits"),
    ("Fleiss' κ", 1e-3, "convention"),
    ("Fleiss' κ", math.nan, "other deviates"),
    ("ICC(2,1)", 0.2, "other deviates"),
    ("ICC(2,1)", 1e-25, "matches"),
    ("ICC(2,1)", 1e9, "differs"),
]
LONG = "Intraclass correlation of the mean of k ratings, absolute agreement, two-way random {}"


def table(rows=ROWS):
    return pd.DataFrame(rows, columns=["name", "difference", "verdict"])


def drawn(figure):
    """Every mark: place on the axis, row, colour."""
    marks = []
    for cloud in figure.axes[0].collections:
        if cloud.get_label() == "_points":
            colour = tuple(cloud.get_facecolor()[0][:3])
            marks += [(x, round(y), colour) for x, y in np.asarray(cloud.get_offsets())]
    return marks


def test_every_number_is_drawn_at_its_power_of_ten_in_its_row():
    figure = differences(table(), tolerance=1e-8)
    marks = drawn(figure)
    assert len(marks) == len(ROWS)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "Cohen's κ",
        "Fleiss' κ",
        "ICC(2,1)",
    ]
    places = {(round(x, 6), row) for x, row, _ in marks}
    for name, difference, _ in ROWS:
        row = ["Cohen's κ", "Fleiss' κ", "ICC(2,1)"].index(name)
        if not math.isnan(difference) and 10.0**LOWEST < difference < 10.0**HIGHEST:
            assert (round(math.log10(difference), 6), row) in places
    # Beyond the axis a mark stands at its end.
    assert {(float(LOWEST), 2), (float(HIGHEST), 2)} <= places


def test_equal_and_undefined_stand_apart_from_every_power():
    figure = differences(table())
    marks = drawn(figure)
    assert min(x for x, _, _ in marks) < LOWEST
    assert max(x for x, _, _ in marks) > HIGHEST
    ticks = dict(
        zip(
            figure.axes[0].get_xticks(),
            [label.get_text() for label in figure.axes[0].get_xticklabels()],
            strict=True,
        )
    )
    assert ticks[min(x for x, _, _ in marks)] == "equal"
    assert ticks[max(x for x, _, _ in marks)] == "undefined"


def test_each_verdict_has_a_colour_of_its_own_and_is_counted_in_the_key(words):
    figure = differences(table())
    assert len({colour for _, _, colour in drawn(figure)}) == len(VERDICTS)
    shown = words(figure)
    for verdict, (text, _, _) in VERDICTS.items():
        count = sum(entry[2] == verdict for entry in ROWS)
        assert f"{count} {text}" in shown


def test_the_tolerance_stands_where_it_belongs_or_nowhere():
    lines = [
        line
        for line in differences(table(), tolerance=1e-8).axes[0].lines
        if line.get_label() == "_tolerance"
    ]
    assert [line.get_xdata()[0] for line in lines] == [pytest.approx(-8)]
    assert not [
        line for line in differences(table()).axes[0].lines if line.get_label() == "_tolerance"
    ]


def test_numbers_come_with_the_figure_and_the_picture_comes_again():
    first, second = differences(table(), tolerance=1e-8), differences(table(), tolerance=1e-8)
    pd.testing.assert_frame_equal(figures.figure_data(first), table())
    assert first.display_png() == second.display_png()


AWKWARD = {
    "one number": table(ROWS[:1]),
    "all undefined": table([("κ", math.nan, "other deviates")] * 3),
    "many long names": table([(LONG.format(i), 10.0**-i, "matches") for i in range(1, 13)]),
    "thousands": table([(f"row {i % 3}", 10.0 ** -(i % 16), "matches") for i in range(6000)]),
}


@pytest.mark.parametrize("width", ["single", "medium", "double"])
@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_tables_keep_a_sound_layout(case, width, layout_faults):
    assert layout_faults(differences(AWKWARD[case], tolerance=1e-8, width=width)) == []


@pytest.mark.parametrize(
    ("given", "options", "error", "match"),
    [
        (table([]), {}, DataError, "nothing to draw"),
        (table().drop(columns="verdict"), {}, DataError, "verdict"),
        (table([("κ", -0.1, "matches")]), {}, DataError, "below 0"),
        (table([("κ", math.inf, "matches")]), {}, DataError, "infinite"),
        (table([("κ", 0.1, "agrees")]), {}, DataError, "agrees"),
        (table(), {"tolerance": 0.0}, ParameterError, "tolerance"),
    ],
)
def test_refusals_say_what_was_found(given, options, error, match):
    with pytest.raises(error, match=match):
        differences(given, **options)
