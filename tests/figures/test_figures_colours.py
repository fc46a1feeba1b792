"""Colours differ for readers with colour vision deficiencies, in grey print, and under text."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest

from benchbook.figures import style

# Machado, Oliveira & Fernandes (2009), IEEE TVCG 15:1291-1298, severity 1.0, on linear sRGB.
DEFICIENCIES = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
SRGB_TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)
# CIE76 distance; 2.3 is just noticeable side by side, so this is several times that.
CLEARLY_DIFFERENT = 10.0
# WCAG 2.1, level AA, for text of normal size; and for marks.
TEXT_CONTRAST = 4.5
MARK_CONTRAST = 1.9


def linear(colour):
    rgb = np.array(mpl.colors.to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(linear_rgb):
    white = SRGB_TO_XYZ.sum(axis=1)
    ratio = SRGB_TO_XYZ @ np.clip(linear_rgb, 0, 1) / white
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(first, second):
    a, b = sorted([style.luminance(first), style.luminance(second)])
    return (b + 0.05) / (a + 0.05)


def test_lab_of_white_and_red_is_that_of_the_standard():
    assert lab(linear("white")) == pytest.approx([100, 0, 0], abs=0.05)
    assert lab(linear("#FF0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.1)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_any_two_colours_differ_for_every_reader(deficiency):
    seen = [lab(np.array(DEFICIENCIES[deficiency]) @ linear(c)) for c in style.PALETTE]
    for first, second in combinations(range(len(seen)), 2):
        distance = np.linalg.norm(seen[first] - seen[second])
        assert distance > CLEARLY_DIFFERENT, (style.PALETTE[first], style.PALETTE[second])


def test_the_check_would_catch_red_and_green():
    matrix = np.array(DEFICIENCIES["deuteranopia"])
    red, green = (lab(matrix @ linear(colour)) for colour in ("#C44E52", "#7F8A30"))
    assert np.linalg.norm(red - green) < 3 * CLEARLY_DIFFERENT
    plain = np.linalg.norm(lab(linear("#C44E52")) - lab(linear("#7F8A30")))
    assert plain > 2 * np.linalg.norm(red - green)


def test_without_colour_markers_lines_and_hatches_still_differ():
    assert len(set(style.MARKERS)) == len(style.PALETTE)
    assert len(set(map(str, style.LINE_STYLES))) >= 4
    assert len(set(style.HATCHES)) == len(style.HATCHES) >= len(style.PALETTE) + 2


def test_lines_stand_out_from_white_paper():
    for colour in (*style.PALETTE, style.INK, style.SOFT_INK, style.RULE):
        assert contrast(colour, "white") > MARK_CONTRAST


def test_text_reads_on_every_colour_it_is_written_on():
    for share in np.linspace(0, 1, 201):
        for colours in (style.CHANCE_MAP, style.ORDER_MAP):
            colour = colours(share)
            assert contrast(style.text_on(colour), colour) > TEXT_CONTRAST
    for paper in ("white", *style.BAND_TINTS):
        assert contrast(style.SOFT_INK, paper) > TEXT_CONTRAST


def test_ordered_colours_grow_darker_step_by_step():
    chance = [lab(linear(style.CHANCE_MAP(share)))[0] for share in np.linspace(0, 1, 101)]
    assert (np.diff(chance[:51]) > 0).all()
    assert (np.diff(chance[50:]) < 0).all()
    order = [lab(linear(style.ORDER_MAP(share)))[0] for share in np.linspace(0, 1, 101)]
    assert (np.diff(order) < 0).all()


def test_chance_is_white():
    assert mpl.colors.to_rgb(style.CHANCE_MAP(0.5)) == pytest.approx((1, 1, 1), abs=0.02)
