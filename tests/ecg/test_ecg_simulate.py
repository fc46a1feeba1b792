"""Simulated records: rates, rhythms and shapes are what they are called."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import find_peaks

from benchbook.ecg import RHYTHMS, STORED_LEADS, simulated_ecg, twelve_leads
from benchbook.ecg.simulate import DOWER, SHORTEST_RR
from benchbook.errors import ParameterError

SEEDS = range(5)
# Edenbrandt & Pahlm (1988), J Electrocardiol 21:361-367: x, y, z from V1 to V6, I, II. It is the
# inverse of Dower's matrix to three digits.
INVERSE = np.array(
    [
        [-0.172, -0.074, 0.122, 0.231, 0.239, 0.194, 0.156, -0.010],
        [0.057, -0.019, -0.106, -0.022, 0.041, 0.048, -0.227, 0.887],
        [-0.229, -0.310, -0.246, -0.063, 0.055, 0.108, 0.022, 0.102],
    ]
)


def variation(record) -> float:
    """Return the coefficient of variation of the beat intervals."""
    intervals = np.diff(record.r_peaks)
    return float(intervals.std(ddof=1) / intervals.mean())


def rate(record) -> float:
    return float(60 / np.diff(record.r_peaks).mean())


def around(record, lead, start, stop):
    """Return the samples between two times from each usual R peak, shape (n_beats, n)."""
    fs = record.sampling_rate
    offsets = np.arange(round(start * fs), round(stop * fs))
    peaks = np.round(record.r_peaks[~record.ectopic] * fs).astype(int)
    peaks = peaks[(peaks + offsets[0] >= 0) & (peaks + offsets[-1] < len(record.leads["I"]))]
    return twelve_leads(record.leads)[lead][peaks[:, None] + offsets]


def test_dower_matrix_is_the_inverse_of_its_published_inverse():
    order = ("V1", "V2", "V3", "V4", "V5", "V6", "I", "II")
    matrix = np.array([DOWER[name] for name in order])
    np.testing.assert_allclose(INVERSE @ matrix, np.eye(3), atol=0.006)


@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_eight_leads_of_ten_seconds_in_millivolt(rhythm):
    record = simulated_ecg(rhythm, seed=3)
    assert tuple(record.leads) == STORED_LEADS
    assert record.source == "simulated"
    assert record.rhythm == rhythm
    for values in record.leads.values():
        assert values.shape == (5000,)
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
        assert 0.2 < np.ptp(values) < 3.5
    assert (record.r_peaks >= 0).all()
    assert (record.r_peaks < 10).all()
    assert (np.diff(record.r_peaks) >= SHORTEST_RR - 1e-12).all()
    assert len(record.ectopic) == len(record.r_peaks)


@pytest.mark.parametrize("rhythm", RHYTHMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_rate_is_the_one_asked_for(rhythm, seed):
    record = simulated_ecg(rhythm, seed=seed, duration=120)
    tolerance = 0.08 if rhythm == "afib" else 0.03
    assert rate(record) == pytest.approx(RHYTHMS[rhythm].heart_rate, rel=tolerance)
    other = simulated_ecg(rhythm, seed=seed, duration=120, heart_rate=60)
    assert rate(other) == pytest.approx(60, rel=tolerance)


def test_slow_is_below_60_and_fast_above_100_in_every_record():
    for seed in range(20):
        assert rate(simulated_ecg("bradycardia", seed=seed)) < 60
        assert rate(simulated_ecg("tachycardia", seed=seed)) > 100
        assert 60 < rate(simulated_ecg("sinus", seed=seed)) < 100


@pytest.mark.parametrize("seed", SEEDS)
def test_fibrillation_is_irregular_and_sinus_rhythm_breathes(seed):
    assert variation(simulated_ecg("afib", seed=seed, duration=120)) > 0.15
    record = simulated_ecg("sinus", seed=seed, duration=240)
    assert 0.01 < variation(record) < 0.05
    middle = (record.r_peaks[1:] + record.r_peaks[:-1]) / 2
    intervals = np.diff(record.r_peaks) - np.diff(record.r_peaks).mean()
    frequencies = np.linspace(0.05, 0.45, 81)
    power = [abs(np.sum(intervals * np.exp(-2j * np.pi * f * middle))) for f in frequencies]
    assert frequencies[int(np.argmax(power))] == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("rhythm", ["sinus", "bradycardia", "tachycardia", "afib"])
def test_peaks_found_in_the_signal_are_those_told(rhythm):
    record = simulated_ecg(rhythm, seed=8)
    found, _ = find_peaks(record.leads["II"], height=0.7, distance=100)
    # A peak at the very edge may be cut.
    found, told = (
        times[(times > 0.05) & (times < 9.95)] for times in (found / 500, record.r_peaks)
    )
    np.testing.assert_allclose(found, told, atol=0.006)


def test_a_p_wave_comes_before_the_qrs_except_in_fibrillation():
    sinus = around(simulated_ecg("sinus", seed=1, duration=60), "II", -0.30, -0.08).mean(axis=0)
    peak = int(np.argmax(sinus))
    assert sinus.max() - sinus[:25].mean() > 0.10
    assert -0.30 + peak / 500 == pytest.approx(-0.16, abs=0.01)
    afib = around(simulated_ecg("afib", seed=1, duration=60), "II", -0.20, -0.12).mean(axis=0)
    assert np.ptp(afib) < 0.05


def test_the_baseline_of_fibrillation_moves_at_5_to_8_hertz():
    for rhythm, moving in (("afib", True), ("sinus", False)):
        record = simulated_ecg(rhythm, seed=2, heart_rate=30, duration=60)
        # Before the next P wave and after the T wave, at a slow rate, there is nothing else.
        parts = around(record, "V1", 0.65, 1.05)
        assert (parts.std(axis=1).mean() > 0.02) == moving


def width(record, lead="V6"):
    """Return for how long the mean QRS is above a tenth of its height."""
    beat = np.abs(around(record, lead, -0.11, 0.13).mean(axis=0))
    return float((beat > 0.1 * beat.max()).sum() / record.sampling_rate)


def test_bundle_branch_block_is_wide_and_turns_the_t_wave():
    wide = simulated_ecg("lbbb", seed=1, duration=30)
    usual = simulated_ecg("sinus", seed=1, duration=30)
    assert width(wide) >= 0.12
    assert width(usual) < 0.10
    assert around(wide, "V6", 0.2, 0.4).mean(axis=0).min() < -0.15
    assert around(usual, "V6", 0.2, 0.4).mean(axis=0).max() > 0.10
    # No septal r in V1: negative from the start.
    assert around(wide, "V1", -0.08, 0.1).mean(axis=0).max() < 0.05
    assert around(wide, "V1", -0.02, 0.06).mean(axis=0).min() < -0.5


def test_ectopic_beats_come_early_and_a_pause_follows():
    record = simulated_ecg("pvc", seed=4, duration=60)
    intervals = np.diff(record.r_peaks)
    usual = float(np.median(intervals))
    assert 8 <= record.ectopic.sum() <= 20
    assert (intervals[record.ectopic[1:]] < 0.75 * usual).all()
    assert (intervals[record.ectopic[:-1]] > 1.2 * usual).all()
    assert not simulated_ecg("sinus", seed=4).ectopic.any()


def test_r_waves_grow_across_the_chest():
    beat = simulated_ecg("sinus", seed=6, noise=0.0, duration=30)
    heights = [around(beat, f"V{i}", -0.05, 0.06).mean(axis=0).max() for i in range(1, 6)]
    assert heights[0] < heights[2] < heights[3]
    assert around(beat, "aVR", -0.02, 0.02).mean(axis=0).min() < -0.5


@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_the_same_seed_gives_the_same_record_and_another_another(rhythm):
    first, again = simulated_ecg(rhythm, seed=11), simulated_ecg(rhythm, seed=11)
    other = simulated_ecg(rhythm, seed=12)
    for name in STORED_LEADS:
        np.testing.assert_array_equal(first.leads[name], again.leads[name])
    assert not np.array_equal(first.leads["II"], other.leads["II"])


def test_without_noise_eight_leads_have_three_dimensions():
    leads = simulated_ecg("pvc", seed=1, noise=0.0).leads
    singular = np.linalg.svd(np.array(list(leads.values())), compute_uv=False)
    assert singular[3] < 1e-10 * singular[0]
    assert singular[2] > 1e-3 * singular[0]


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(sorted(RHYTHMS)),
    st.integers(0, 2**32 - 1),
    st.floats(1, 15),
    st.floats(50, 600),
    st.floats(20, 180),
)
def test_any_allowed_numbers_give_a_whole_record(rhythm, seed, duration, fs, beats):
    record = simulated_ecg(rhythm, seed=seed, duration=duration, sampling_rate=fs, heart_rate=beats)
    leads = twelve_leads(record.leads)
    assert len(leads["II"]) == round(duration * fs)
    assert all(np.isfinite(values).all() for values in leads.values())
    # The ventricles do not fall silent before the record ends.
    longest = 60 / beats * 4
    times = [0.0, *record.r_peaks, duration]
    assert max(np.diff(times)) < longest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rhythm": "sinu"}, "did you mean 'sinus'"),
        ({"rhythm": "flutter"}, "unknown rhythm 'flutter'"),
        ({"duration": 0}, "duration 0; expected 1 to 3600"),
        ({"sampling_rate": 10}, "sampling_rate 10"),
        ({"heart_rate": 300}, "heart_rate 300"),
        ({"noise": float("nan")}, "noise nan"),
        ({"noise": -1}, "noise -1"),
    ],
)
def test_what_is_out_of_range_is_refused(options, message):
    with pytest.raises(ParameterError, match=message.replace("'", ".")):
        simulated_ecg(**{"rhythm": "sinus", "seed": 1, **options})
