"""Every figure, ordinary and awkward, at the printed widths: nothing cut, covered or too small."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from figure_examples import AWKWARD, ORDINARY

from benchbook import figures
from benchbook.errors import ParameterError
from benchbook.figures.style import MM_PER_INCH, WIDTHS_MM


def test_every_kind_of_figure_has_an_example():
    not_figures = {"HouseFigure", "house_style", "figure_data", "save_figure", "save_table"}
    constants = {"PALETTE", "WIDTHS_MM"}
    assert set(figures.__all__) - not_figures - constants == set(ORDINARY)


@pytest.mark.parametrize("width", WIDTHS_MM)
@pytest.mark.parametrize("kind", ORDINARY)
def test_texts_are_whole_apart_and_large_enough(kind, width, layout_faults):
    figure = ORDINARY[kind](width=width)
    assert figure.get_size_inches()[0] * MM_PER_INCH == pytest.approx(WIDTHS_MM[width])
    assert layout_faults(figure) == []


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_input_keeps_a_sound_layout(case, width, layout_faults):
    figure = AWKWARD[case](width=width)
    assert layout_faults(figure) == []
    assert len(figures.figure_data(figure))


@pytest.mark.parametrize("kind", ["forest", "pairwise_heatmap", "bland_altman_plot"])
def test_settings_of_the_reader_neither_change_a_figure_nor_are_changed(kind):
    plain = ORDINARY[kind]().display_png()
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "savefig.dpi": 30}):
        before = dict(mpl.rcParams)
        styled = ORDINARY[kind]().display_png()
        assert dict(mpl.rcParams) == before
    assert styled == plain


def test_house_style_is_undone_when_its_block_fails():
    def fail() -> None:
        with figures.house_style():
            assert mpl.rcParams["svg.hashsalt"] == "benchbook"
            raise ZeroDivisionError

    before = dict(mpl.rcParams)
    with pytest.raises(ZeroDivisionError):
        fail()
    assert dict(mpl.rcParams) == before


def test_background_is_opaque_white():
    from io import BytesIO

    from PIL import Image

    png, _ = ORDINARY["forest"]().display_png()
    pixels = np.asarray(Image.open(BytesIO(png)).convert("RGBA"))
    assert (pixels[..., 3] == 255).all()
    assert tuple(pixels[0, 0]) == tuple(pixels[-1, -1]) == (255, 255, 255, 255)


def test_width_may_be_given_in_millimetres_within_reason():
    figure = ORDINARY["forest"](width=140)
    assert figure.get_size_inches()[0] * MM_PER_INCH == pytest.approx(140)
    for wrong in ("wide", 10, 4000):
        with pytest.raises(ParameterError, match="figure width"):
            ORDINARY["forest"](width=wrong)
