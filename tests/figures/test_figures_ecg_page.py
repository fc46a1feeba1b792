"""The twelve-lead page: true to scale, on one clock, nothing of a person on it."""

from __future__ import annotations

import numpy as np
import pytest
from ecg_examples import loud, record
from matplotlib.backends.backend_agg import FigureCanvasAgg

from benchbook.ecg import STANDARD_LEADS, simulated_ecg, twelve_leads
from benchbook.errors import DataError, ParameterError
from benchbook.figures import ecg_page, figure_data, save_figure
from benchbook.figures.ecg_page import LAYOUT, TRUE_WIDTH, baseline_mm

# A vector file's coordinates are exact; this is far below what a printer resolves.
TOLERANCE_MM = 1e-6


def on_paper(figure, line):
    """Return the points of a line in millimetres from the lower left corner of the figure."""
    FigureCanvasAgg(figure)
    pixels = line.get_transform().transform(line.get_xydata())
    return pixels / figure.dpi * 25.4


def drawn(figure, label):
    return [line for line in figure.axes[0].lines if line.get_label() == label]


@pytest.fixture(scope="module")
def page():
    return ecg_page(record(), 500, simulated=True)


def test_one_millivolt_is_10_mm_and_a_fifth_of_a_second_5_mm(page):
    assert page.get_size_inches()[0] * 25.4 == pytest.approx(TRUE_WIDTH)
    pulses = drawn(page, "_calibration")
    assert len(pulses) == 4
    for pulse in pulses:
        points = on_paper(page, pulse)
        assert np.ptp(points[:, 1]) == pytest.approx(10, abs=TOLERANCE_MM)
        top = points[points[:, 1] > points[:, 1].min() + 5]
        assert np.ptp(top[:, 0]) == pytest.approx(5, abs=TOLERANCE_MM)


def test_every_trace_is_to_scale(page):
    leads = record()
    (strip,) = [line for line in drawn(page, "_II") if len(line.get_xdata()) == 5000]
    points = on_paper(page, strip)
    assert points[-1, 0] - points[0, 0] == pytest.approx(25 * 9.998, abs=TOLERANCE_MM)
    heights = (points[:, 1] - points[0, 1]) / 10
    np.testing.assert_allclose(heights, leads["II"] - leads["II"][0], atol=1.01e-4)
    # One heart beat apart on paper is one heart beat apart in time.
    peaks = simulated_ecg("sinus", seed=1).r_peaks
    sample = np.round(peaks * 500).astype(int)
    np.testing.assert_allclose(np.diff(points[sample, 0]), 25 * np.diff(peaks), atol=0.06)


def test_grid_lines_are_1_and_5_mm_apart_and_meet_the_traces(page):
    for step in (1, 5):
        (grid,) = drawn(page, f"_grid {step} mm")
        points = on_paper(page, grid)
        columns = np.unique(np.round(points[~np.isnan(points[:, 0]), 0], 6))
        np.testing.assert_allclose(np.diff(columns), step, atol=1e-5)
    (bold,) = drawn(page, "_grid 5 mm")
    rows = np.unique(np.round(on_paper(page, bold)[:, 1], 6))
    for pulse in drawn(page, "_calibration"):
        zero = on_paper(page, pulse)[0, 1]
        assert np.nanmin(np.abs(rows - zero)) < 1e-5


def test_the_grid_is_lighter_than_any_trace_also_in_grey(page):
    from benchbook.figures.style import luminance

    fine, bold = (luminance(drawn(page, f"_grid {step} mm")[0].get_color()) for step in (1, 5))
    trace = luminance(drawn(page, "_V1")[0].get_color())
    assert fine > bold > 0.45 > 0.05 > trace


def test_leads_stand_in_the_standard_layout_on_the_clock_of_the_strip(page):
    leads, seen = record(), {}
    (strip,) = [line for line in drawn(page, "_II") if len(line.get_xdata()) == 5000]
    start = on_paper(page, strip)[0, 0]
    for row, names in enumerate(LAYOUT):
        for column, name in enumerate(names):
            line = min(drawn(page, f"_{name}"), key=lambda one: len(one.get_xdata()))
            points = on_paper(page, line)
            first = column * 1250
            count = len(points)
            assert count in (1250, 1251)
            assert points[0, 0] - start == pytest.approx(25 * 2.5 * column, abs=1e-5)
            wanted = baseline_mm(row) + 10 * np.round(leads[name][first : first + count], 4)
            np.testing.assert_allclose(line.get_ydata(), wanted, atol=1e-9)
            seen[name] = (row, column)
    assert seen["I"] == (0, 0)
    assert seen["aVF"] == (2, 1)
    assert seen["V4"] == (0, 3)
    assert len(seen) == 12
    assert len(drawn(page, "_separator")) == 9


def test_names_scale_and_the_word_simulated_are_written(page, words):
    shown = words(page)
    for name in STANDARD_LEADS:
        assert name in shown
    assert shown.count("II") == 2
    assert "Simulated, not a patient" in shown
    assert any("25 mm/s" in text and "10 mm/mV" in text and "true scale" in text for text in shown)
    # Nothing else: no name, date, number or diagnosis of anybody.
    assert len(shown) == 12 + 1 + 1 + 2
    real = words(ecg_page(record(), 500, simulated=False))
    assert not any("imulated" in text for text in real)


@pytest.mark.parametrize(("width", "share"), [("double", 174 / 270), (400, 400 / 270)])
def test_another_width_says_its_scale(width, share, words):
    figure = ecg_page(record(), 500, simulated=True, width=width)
    points = on_paper(figure, drawn(figure, "_calibration")[0])
    assert np.ptp(points[:, 1]) == pytest.approx(10 * share, abs=1e-5)
    assert any(f"({100 * share:.0f} % of true scale)" in text for text in words(figure))


def test_fine_lines_are_left_out_where_they_would_run_together(words):
    figure = ecg_page(record(), 500, simulated=True, width="single")
    assert drawn(figure, "_grid 1 mm") == []
    assert any("grid: 5 mm" in text for text in words(figure))


def test_large_complexes_are_drawn_over_their_neighbours_not_cut_at_the_row():
    figure = ecg_page(loud(), 500, simulated=True)
    (strip,) = [line for line in drawn(figure, "_II") if len(line.get_xdata()) == 5000]
    # Far into the row above; what is cut is cut by the edge of the paper alone.
    assert strip.get_ydata().max() > baseline_mm(3) + 60
    assert strip.get_clip_box().bounds == figure.axes[0].bbox.bounds
    assert np.isnan(drawn(figure, "_V1")[0].get_ydata()).any()


def test_the_data_is_what_is_on_the_paper(page):
    data, leads = figure_data(page), record()
    assert list(data.columns) == ["time_s", *STANDARD_LEADS, "strip II"]
    assert len(data) == 5000
    np.testing.assert_allclose(data["strip II"], leads["II"], atol=5.1e-5)
    for names in LAYOUT:
        for column, name in enumerate(names):
            printed = data.loc[data[name].notna(), "time_s"]
            assert printed.min() == pytest.approx(2.5 * column)
            assert printed.max() == pytest.approx(min(2.5 * (column + 1), 9.998))


def test_any_sampling_rate_and_a_longer_record_show_the_first_ten_seconds():
    long = simulated_ecg("afib", seed=2, duration=14, sampling_rate=100)
    data = figure_data(ecg_page(twelve_leads(long.leads), 100, simulated=True, strip="V1"))
    assert len(data) == 1000
    np.testing.assert_allclose(data["strip V1"], long.leads["V1"][:1000], atol=5.1e-5)


def test_files_stay_small_and_come_again(tmp_path):
    sizes = []
    for folder in ("first", "second"):
        figure = ecg_page(record("afib"), 500, simulated=True)
        files = save_figure(figure, "page", tmp_path / folder)
        sizes.append({kind: path.read_bytes() for kind, path in files.items()})
    assert sizes[0] == sizes[1]
    # 20,000 samples at full precision are several times this.
    assert len(sizes[0]["svg"]) < 500_000


LEADS = record()


@pytest.mark.parametrize(
    ("leads", "options", "error", "message"),
    [
        ({k: v for k, v in LEADS.items() if k != "aVR"}, {}, DataError, "column aVR"),
        ({}, {}, DataError, "found no lead"),
        ({k: v[:4999] for k, v in LEADS.items()}, {}, DataError, "5000 samples or more"),
        ({**LEADS, "V2": LEADS["V2"][:4000]}, {}, DataError, "column V2"),
        ({**LEADS, "V2": np.tile(LEADS["V2"], 2)}, {}, DataError, "column V2"),
        ({k: v.reshape(2, -1) for k, v in LEADS.items()}, {}, DataError, "2 × 2500 samples"),
        ({**LEADS, "III": ["a"] * 5000}, {}, DataError, "column III"),
        ({**LEADS, "I": np.full(5000, np.inf)}, {}, DataError, "infinite"),
        (LEADS, {"strip": "aVX"}, ParameterError, "strip 'aVX'"),
        (LEADS, {"sampling_rate": 0}, ParameterError, "sampling_rate 0"),
        (LEADS, {"width": "wide"}, ParameterError, "figure width"),
    ],
)
def test_what_is_no_page_is_refused(leads, options, error, message):
    with pytest.raises(error) as caught:
        ecg_page(leads, **{"sampling_rate": 500, "simulated": True, **options})
    assert message in str(caught.value)


def test_whether_a_record_is_simulated_must_be_said():
    with pytest.raises(TypeError, match="simulated"):
        ecg_page(LEADS, 500)
