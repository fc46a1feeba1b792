"""Estimate: what it prints, what it refuses, and that nothing is rounded but what is printed."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.estimate import Estimate, decimals, undefined


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(0.7034, 0.65151, 0.75149), "0.703 (0.652–0.751)"),
        (Estimate(0.70), "0.700"),
        (Estimate(-0.2, -0.31, -0.1), "-0.200 (-0.310 to -0.100)"),
        (Estimate(0.1, -0.05, 0.25), "0.100 (-0.050 to 0.250)"),
        (Estimate(1.0, 1.0, 1.0), "1.000 (1.000–1.000)"),
        # What is printed as zero carries no sign, and needs no "to".
        (Estimate(0.2, -0.0004, 0.4), "0.200 (0.000–0.400)"),
        (Estimate(-0.0), "0.000"),
        (Estimate(1e6, 9e5, 1.1e6), "1000000 (900000–1100000)"),
        (Estimate(9999.5, 9e3, 1.1e4), "9999.50 (9000.00–11000.00)"),
        (Estimate(1e-5, 0.9e-5, 1.1e-5), "0.0000100 (0.0000090–0.0000110)"),
        (Estimate(2.0, 1.0, math.inf), "2.000 (1.000–inf)"),
        (Estimate(2.0, -math.inf, 3.0), "2.000 (-inf to 3.000)"),
    ],
)
def test_printed(estimate: Estimate, text: str) -> None:
    assert str(estimate) == text
    assert f"{estimate}" == text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (".2f", "0.70 (0.65–0.75)"),
        (".1%", "70.3% (65.2%–75.1%)"),
        ("+.1f", "+0.7 (+0.7–+0.8)"),
        (".3g", "0.703 (0.652–0.751)"),
    ],
)
def test_printed_with_a_format(spec: str, text: str) -> None:
    assert format(Estimate(0.7034, 0.65151, 0.75149), spec) == text


def test_an_undefined_value_prints_its_reason() -> None:
    estimate = undefined("both raters used one category", name="Cohen kappa", n_items=20)
    assert str(estimate) == "undefined: both raters used one category"
    assert f"{estimate:.1f}" == str(estimate)
    assert not estimate.defined
    assert not estimate.has_interval
    assert math.isnan(estimate.value)
    assert (estimate.name, estimate.n_items) == ("Cohen kappa", 20)


def test_a_missing_interval_prints_its_reason() -> None:
    estimate = Estimate(0.5, reason="one item has no variance")
    assert str(estimate) == "0.500 (no interval: one item has no variance)"
    assert estimate.defined
    assert not estimate.has_interval


@pytest.mark.parametrize("bounds", [{"low": 0.1}, {"high": 0.9}])
def test_half_an_interval_is_none(bounds: dict[str, float]) -> None:
    assert not Estimate(0.5, **bounds).has_interval
    assert str(Estimate(0.5, **bounds)) == "0.500"


@pytest.mark.parametrize("reason", [None, ""])
def test_an_undefined_value_needs_a_reason(reason: str | None) -> None:
    with pytest.raises(ValueError, match="must carry the reason"):
        Estimate(math.nan, reason=reason)


def test_bounds_in_the_wrong_order_are_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"lower bound 0\.8 lies above the upper bound 0\.2"):
        Estimate(0.5, 0.8, 0.2)


def test_the_value_may_lie_outside_its_interval() -> None:
    assert Estimate(0.9, 0.2, 0.8).has_interval


def test_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Estimate(0.5).value = 1.0


FULL = Estimate(
    0.1 + 0.2,
    1 / 3,
    2 / 3,
    0.9,
    "BCa bootstrap",
    30,
    12,
    2000,
    3,
    7,
    None,
    "Fleiss kappa",
    "patient",
    0.05,
    (0.001, math.nan),
    ("bounds clipped at 1",),
)


@pytest.mark.parametrize("estimate", [FULL, Estimate(0.5), undefined("no pairs")])
@pytest.mark.parametrize(
    "trip", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy, dataclasses.replace]
)
def test_survives_pickle_and_copy_with_every_bit(estimate: Estimate, trip) -> None:
    back = trip(estimate)
    assert back == estimate
    assert hash(back) == hash(estimate)
    assert repr(back) == repr(estimate)


def test_equality_looks_at_every_field() -> None:
    for field in dataclasses.fields(Estimate):
        changed = {
            "value": 0.4,
            "monte_carlo_error": (0.002, math.nan),
            "warnings": (),
            "reason": "other",
            "low": 0.3,
            "high": 0.7,
        }.get(field.name, "other")
        assert dataclasses.replace(FULL, **{field.name: changed}) != FULL, field.name
    assert Estimate(0.5) != 0.5


def test_row_keeps_full_precision_and_puts_the_extra_columns_first() -> None:
    row = FULL.as_row(model="A", metric="kappa")
    assert list(row)[:3] == ["model", "metric", "value"]
    assert row["value"] == 0.1 + 0.2
    assert row["low"] == 1 / 3
    assert set(row) == {"model", "metric", *(field.name for field in dataclasses.fields(Estimate))}


def test_an_extra_column_stands_for_the_field_of_its_name() -> None:
    row = FULL.as_row(name="model A")
    assert row["name"] == "model A"
    assert list(row).count("name") == 1


@given(
    value=st.floats(-1, 1),
    bounds=st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted),
)
def test_any_interval_prints_numbers_that_read_back(value: float, bounds: list[float]) -> None:
    text = str(Estimate(value, *bounds))
    head, inner = text[:-1].split(" (")
    low, high = inner.split(" to ") if " to " in inner else inner.split("–")
    assert not any(shown.startswith("-") and not float(shown) for shown in (head, low, high))
    for printed, number in zip((head, low, high), (value, *bounds), strict=True):
        assert float(printed) == pytest.approx(number, abs=0.0005 + 1e-12)


@given(
    value=st.floats(-1e7, 1e7),
    below=st.floats(1e-9, 1e5),
    above=st.floats(1e-9, 1e5),
    digits=st.integers(1, 4),
)
def test_the_width_of_an_interval_can_always_be_read(value, below, above, digits) -> None:
    low, high = value - below, value + above
    places = decimals(value, low, high, digits=digits)
    width = high - low
    if width > 1e-9:
        # At least two units of the last decimal that is shown.
        assert width * 10**places >= 2 * (1 - 1e-9)
    largest = max(abs(low), abs(high))
    if width >= 2 * 10**-digits and largest < 1e4:
        assert places == digits
