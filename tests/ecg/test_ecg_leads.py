"""Twelve leads from eight: definitions, identities, awkward arrays, real records."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from benchbook.ecg import (
    MICROVOLTS_PER_COUNT,
    STANDARD_LEADS,
    STORED_LEADS,
    counts_to_millivolts,
    derive_leads,
    twelve_leads,
)
from benchbook.errors import DataError, ParameterError

# Sums of two or three double-precision numbers of this size: a few units in the last place.
LARGEST = 50.0  # millivolt; no electrode delivers more
ROUNDING = 8 * np.finfo(float).eps * LARGEST

pairs = array_shapes(max_dims=3, max_side=4).flatmap(
    lambda shape: st.tuples(
        *[arrays(float, shape, elements=st.floats(-LARGEST, LARGEST, width=64))] * 2
    )
)


def test_a_worked_example():
    derived = derive_leads([0.4, -0.1], [1.0, 0.3])
    assert derived["III"] == pytest.approx([0.6, 0.4])
    assert derived["aVR"] == pytest.approx([-0.7, -0.1])
    assert derived["aVL"] == pytest.approx([-0.1, -0.25])
    assert derived["aVF"] == pytest.approx([0.8, 0.35])


@given(pairs)
def test_leads_are_what_their_electrodes_say(pair):
    """From potentials of right arm 0, left arm I, left leg II, by definition of each lead."""
    left_arm, left_leg = pair
    right_arm = np.zeros_like(left_arm)
    derived = derive_leads(left_arm - right_arm, left_leg - right_arm)
    expected = {
        "III": left_leg - left_arm,
        "aVR": right_arm - (left_arm + left_leg) / 2,
        "aVL": left_arm - (right_arm + left_leg) / 2,
        "aVF": left_leg - (right_arm + left_arm) / 2,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(derived[name], values, rtol=0, atol=ROUNDING)


@given(pairs)
def test_identities_hold(pair):
    first, second = pair
    leads = derive_leads(first, second)
    third, avr, avl, avf = leads["III"], leads["aVR"], leads["aVL"], leads["aVF"]
    for left, right in (
        (first + third, second),  # Einthoven
        (avr + avl + avf, np.zeros_like(first)),  # Goldberger
        (avl, (first - third) / 2),
        (avr, -(first + second) / 2),
        (avf, (second + third) / 2),
        (avl - avr, 1.5 * first),
        (avf - avr, 1.5 * second),
        (avf - avl, 1.5 * third),
    ):
        np.testing.assert_allclose(left, right, rtol=0, atol=ROUNDING)
    assert all(values.shape == first.shape for values in leads.values())


@given(pairs, st.floats(-3, 3))
def test_leads_are_linear(pair, factor):
    plain, scaled = derive_leads(*pair), derive_leads(*(factor * lead for lead in pair))
    for name, values in plain.items():
        np.testing.assert_allclose(scaled[name], factor * values, rtol=0, atol=4 * ROUNDING)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.uint8, np.uint16])
def test_counts_do_not_wrap_around(kind):
    info = np.iinfo(kind)
    derived = derive_leads(np.array([info.max, info.min], kind), np.array([info.min] * 2, kind))
    assert derived["III"].tolist() == [float(int(info.min) - int(info.max)), 0.0]
    assert derived["aVR"].tolist() == [-(int(info.max) + int(info.min)) / 2, -float(info.min)]
    assert derived["aVL"].tolist() == [int(info.max) - int(info.min) / 2, int(info.min) / 2]


def test_the_example_of_a_16_bit_recorder():
    derived = derive_leads(np.int16([32767]), np.int16([-32768]))
    assert derived["III"].tolist() == [-65535.0]
    # The same sum in the recorder's own type is wrong, and nothing tells so.
    assert (np.int16([-32768]) - np.int16([32767])).tolist() == [1]


def test_gaps_stay_gaps_and_go_nowhere_else():
    derived = derive_leads([np.nan, 1.0, 0.5], [1.0, np.nan, 0.25])
    for values in derived.values():
        assert np.isnan(values).tolist() == [True, True, False]


def test_input_is_not_changed_and_empty_records_stay_empty():
    first, second = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    derived = derive_leads(first, second)
    derived["III"][:] = 9
    assert first.tolist() == [1.0, 2.0]
    assert second.tolist() == [3.0, 4.0]
    assert derive_leads(np.empty((3, 0)), np.empty((3, 0)))["aVF"].shape == (3, 0)


def test_twelve_leads_stand_in_the_standard_order():
    stored = {name: np.arange(3.0) * i for i, name in enumerate(reversed(STORED_LEADS))}
    leads = twelve_leads(stored)
    assert tuple(leads) == STANDARD_LEADS
    for name in STORED_LEADS:
        np.testing.assert_array_equal(leads[name], stored[name])
    np.testing.assert_array_equal(leads["III"], stored["II"] - stored["I"])


def test_a_limb_lead_that_is_stored_is_kept():
    stored = {name: np.ones(2) for name in STORED_LEADS} | {"aVF": np.array([7.0, 8.0])}
    assert twelve_leads(stored)["aVF"].tolist() == [7.0, 8.0]
    assert twelve_leads(stored)["aVL"].tolist() == [0.5, 0.5]


EIGHT = {name: np.zeros(4) for name in STORED_LEADS}

REFUSED = {
    "lengths": (lambda: derive_leads(np.zeros(4), np.zeros(5)), "column II: leads of one record"),
    "shapes": (lambda: derive_leads(np.zeros((1, 4)), np.zeros(4)), "expected 1 × 4 samples"),
    "text": (lambda: derive_leads(["a"], [1.0]), "column I: not an array of real numbers"),
    "complex": (lambda: derive_leads([1j], [1.0]), "column I: not an array of real numbers"),
    "ragged": (lambda: derive_leads([1.0], [[1.0], [1.0, 2.0]]), "column II: not an array"),
    "infinite": (lambda: derive_leads([1.0], [np.inf]), "column II: infinite voltage"),
    "missing lead": (
        lambda: twelve_leads({k: v for k, v in EIGHT.items() if k != "V3"}),
        "column V3: lead missing; found I, II, V1, V2",
    ),
    "unknown lead": (lambda: twelve_leads({**EIGHT, "AVF": 1}), "did you mean 'aVF'?"),
    "lengths of chest leads": (
        lambda: twelve_leads({**EIGHT, "V6": np.zeros(3)}),
        "column V6: leads of one record differ in length; found 3 samples; expected 4 samples",
    ),
    "no lead": (lambda: twelve_leads({}), "found no lead"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_name_the_lead(case):
    call, message = REFUSED[case]
    with pytest.raises(DataError) as caught:
        call()
    assert message in str(caught.value)


# ---- counts ------------------------------------------------------------------------------------


def test_counts_become_millivolts():
    assert MICROVOLTS_PER_COUNT == 4.88
    millivolts = counts_to_millivolts(np.int16([0, 1, 205, -32768]))
    assert millivolts == pytest.approx([0, 0.00488, 1.0004, -159.90784], abs=1e-12)
    assert counts_to_millivolts([1000], 1.0) == pytest.approx([1.0])
    assert counts_to_millivolts(np.uint8([5]), 1000, baseline=10) == pytest.approx([-5.0])
    assert np.isnan(counts_to_millivolts([np.nan])[0])


@given(arrays(np.int16, 5), arrays(np.int16, 5))
def test_it_does_not_matter_whether_counts_or_voltages_are_subtracted(first, second):
    before = derive_leads(counts_to_millivolts(first), counts_to_millivolts(second))
    after = derive_leads(first, second)
    for name, values in before.items():
        np.testing.assert_allclose(
            values, counts_to_millivolts(after[name]), rtol=1e-12, atol=1e-10
        )


@pytest.mark.parametrize("scale", [0, -1, np.nan, np.inf])
def test_a_scale_that_makes_no_sense_is_refused(scale):
    with pytest.raises(ParameterError, match="microvolts_per_count"):
        counts_to_millivolts([1], scale)


def test_other_refusals_of_counts():
    with pytest.raises(ParameterError, match="baseline"):
        counts_to_millivolts([1], baseline=np.nan)
    with pytest.raises(DataError, match="column counts"):
        counts_to_millivolts(["x"])


# ---- real records --------------------------------------------------------------------------------

MIRROR = os.environ.get("BENCHBOOK_MIRROR", "")
RECORDS = Path(MIRROR) / "ecg-ptbxl" / "records100"
# Each of the twelve leads was rounded to a whole microvolt on its own (gain 1000 per mV): two
# roundings of half a count enter III, one and a half enter aVR, aVL, aVF, and their own comes on
# top. The originals were resampled after that, which adds a little more.
LARGEST_DIFFERENCE = 0.0021  # millivolt


def read_format_16(header: Path) -> dict[str, np.ndarray]:
    """Return the leads of a WFDB record in millivolt, read by the definition of its format."""
    first, *lines = header.read_text().splitlines()
    n_signals, n_samples = int(first.split()[1]), int(first.split()[3])
    signals = [line.split() for line in lines if line and not line.startswith("#")][:n_signals]
    assert {signal[1] for signal in signals} == {"16"}
    raw = np.frombuffer(header.with_suffix(".dat").read_bytes(), dtype="<i2")
    counts = raw.reshape(n_samples, n_signals).T
    leads = {}
    for signal, values in zip(signals, counts, strict=True):
        gain, rest = signal[2].removesuffix("/mV").split("(")
        baseline = float(rest.rstrip(")"))
        name = signal[-1].replace("AV", "aV")
        leads[name] = counts_to_millivolts(values, 1000 / float(gain), baseline=baseline)
        # The header tells the first sample and the sum of all, modulo 2^16.
        assert int(values[0]) == int(signal[5])
        assert (int(values.astype(np.int64).sum()) - int(signal[6])) % 65536 == 0
    return leads


@pytest.mark.mirror
@pytest.mark.skipif(
    not (MIRROR and RECORDS.is_dir()), reason="needs ecg-ptbxl under BENCHBOOK_MIRROR"
)
def test_stored_limb_leads_of_real_records_are_those_derived():
    headers = sorted(RECORDS.rglob("*.hea"))
    assert len(headers) > 100
    for header in headers:
        stored = read_format_16(header)
        assert set(stored) == set(STANDARD_LEADS)
        derived = twelve_leads({name: stored[name] for name in STORED_LEADS})
        assert tuple(derived) == STANDARD_LEADS
        for name in STANDARD_LEADS:
            difference = np.abs(derived[name] - stored[name]).max()
            assert difference <= LARGEST_DIFFERENCE, (header.name, name, difference)
            assert stored[name].std() > 0 or name not in STORED_LEADS
