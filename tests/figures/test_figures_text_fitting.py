"""Breaking, shortening and spreading of labels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.figures import forest
from benchbook.figures.style import (
    digits_for,
    interval,
    number,
    short_names,
    spread,
    text_mm,
    width_mm,
    wrap,
)

TOLERANCE = 1e-9  # of floating-point sums of a few hundred millimetres


@given(
    st.lists(st.floats(-50, 150), min_size=1, max_size=12),
    st.floats(0.1, 30),
)
def test_spread_labels_keep_their_distance_and_stay_inside(wanted, gap):
    placed = spread(wanted, gap, 0.0, 100.0)
    assert (placed >= -TOLERANCE).all()
    assert (placed <= 100 + TOLERANCE).all()
    if len(wanted) > 1:
        room = min(gap, 100 / (len(wanted) - 1))
        assert np.diff(np.sort(placed)).min() >= room - TOLERANCE
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(placed[order]) >= -TOLERANCE).all()


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_labels_with_room_enough_are_not_moved(wanted):
    gaps = np.diff(np.sort(wanted))
    gap = float(gaps.min()) if len(gaps) else 1.0
    assert spread(wanted, gap, 0.0, 100.0) == pytest.approx(wanted, abs=1e-7)


@given(st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=60))
def test_wrapped_lines_fit_and_lose_nothing_unless_told(text):
    wrapped = wrap(text, 30, max_lines=99)
    assert text_mm(wrapped) <= 30 + TOLERANCE
    assert "".join(wrapped.split()) == "".join(text.split())
    short = wrap(text, 30, max_lines=2)
    assert short.count("\n") <= 1
    assert text_mm(short) <= 30 + TOLERANCE
    assert short.endswith("…") == (wrapped.count("\n") > 1) or text.endswith("…")


def test_line_breaks_of_the_text_stay():
    assert wrap("ICC(2,1)\ntwo-way random", 60) == "ICC(2,1)\ntwo-way random"


def test_wider_letters_are_measured_wider():
    assert text_mm("MMMM") > text_mm("iiii")
    assert text_mm("word", 14) == pytest.approx(2 * text_mm("word", 7), rel=0.02)


def test_shortened_names_still_differ():
    assert short_names(["A", "B"], 10) == ["A", "B"]
    readers = [f"Reader {i} of the department of radiology" for i in range(12)]
    assert short_names(readers, 12) == [f"…{i}…" for i in range(12)]
    hashes = ["x" * 40 + str(i) for i in range(3)]
    assert len(set(short_names(hashes, 15))) == 3


def test_numbers_are_printed_with_a_true_minus_and_no_negative_zero():
    assert number(-0.12345) == "−0.123"
    assert number(-0.0001) == "0.000"
    assert number(0.05, signed=True) == "+0.050"
    assert number(0.0, signed=True) == "0.000"
    assert interval(0.1, 0.2, 2) == "0.10–0.20"
    assert interval(-0.1, 0.2, 2) == "−0.10 to 0.20"


@pytest.mark.parametrize(
    ("values", "digits"),
    [((0.0123,), 4), ((1.5, 0.2), 2), ((74.0, -2.1), 1), ((1234.5,), 0), ((0.0,), 2), ((), 2)],
)
def test_three_significant_digits_of_the_largest(values, digits):
    assert digits_for(*values) == digits


def test_named_widths():
    assert width_mm("single") == 85.0
    assert width_mm("double") == 174.0


def test_letters_without_a_glyph_are_told_once_with_the_remedy(tmp_path, monkeypatch):
    from benchbook.estimate import Estimate
    from benchbook.figures import save_figure, style

    monkeypatch.setattr(style, "_families", lambda: ("DejaVu Sans",))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = forest([Estimate(0.5, 0.4, 0.6, name="판독의")])
        save_figure(figure, "letters", tmp_path)
    (told,) = caught
    assert "3 letters" in str(told.message)
    assert "Noto Sans CJK" in str(told.message)
