"""Twelve leads from eight: what the limb leads share, and counts as voltages.

Leads I and II hold everything that the six limb leads hold, since all of them are differences
between the same three electrodes. Many releases therefore store I, II and V1 to V6 only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError, nearest

STANDARD_LEADS = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")
STORED_LEADS = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6")

# LYDUS-SNUH-ECG-50K: int16 counts of about 4.88 microvolt.
MICROVOLTS_PER_COUNT = 4.88


def derive_leads(lead_i: Any, lead_ii: Any) -> dict[str, np.ndarray]:
    """Return leads III, aVR, aVL and aVF from leads I and II.

    III = II − I, aVR = −(I + II) / 2, aVL = I − II / 2, aVF = II − I / 2. So I + III = II
    (Einthoven) and aVR + aVL + aVF = 0 (Goldberger).

    Parameters
    ----------
    lead_i, lead_ii : array-like of number, shape (..., n)
        Voltages of the same samples, in any one unit; counts are allowed and are turned into
        floating-point numbers before they are added, so nothing overflows. NaN stays NaN.

    Returns
    -------
    dict of str to ndarray of float64, shape (..., n)
        "III", "aVR", "aVL" and "aVF", in the unit of the input.

    Raises
    ------
    DataError
        When the shapes differ, or a value is infinite or not a real number.

    References
    ----------
    Einthoven W, Fahr G, de Waart A (1913). Pflügers Arch 150:275-315.
    Goldberger E (1942). Am Heart J 23:483-492.
    """
    first, second = _voltages(lead_i, "I"), _voltages(lead_ii, "II")
    _refuse_other_shape(second, first.shape, "II")
    return {
        "III": second - first,
        "aVR": -(first + second) / 2,
        "aVL": first - second / 2,
        "aVF": second - first / 2,
    }


def twelve_leads(stored: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the twelve leads in the standard order from those that are stored.

    Parameters
    ----------
    stored : mapping of str to array-like of number, shape (..., n)
        The eight leads of :data:`STORED_LEADS`; a limb lead that is stored too is kept as it is
        and not derived again.

    Returns
    -------
    dict of str to ndarray of float64, shape (..., n)
        The leads of :data:`STANDARD_LEADS`, in that order.

    Raises
    ------
    DataError
        When a lead is missing, unknown, of another shape than lead I, infinite, or not a real
        number.
    """
    for name in stored:
        if name not in STANDARD_LEADS:
            raise DataError(
                "unknown lead", column=str(name), expected=nearest(name, STANDARD_LEADS)
            )
    for name in STORED_LEADS:
        if name not in stored:
            raise DataError(
                "lead missing",
                column=name,
                found=", ".join(map(str, stored)) or "no lead",
                expected=", ".join(STORED_LEADS),
            )
    given = {name: _voltages(stored[name], name) for name in STANDARD_LEADS if name in stored}
    for name, values in given.items():
        _refuse_other_shape(values, given["I"].shape, name)
    derived = derive_leads(given["I"], given["II"])
    return {name: given[name] if name in given else derived[name] for name in STANDARD_LEADS}


def counts_to_millivolts(
    counts: Any, microvolts_per_count: float = MICROVOLTS_PER_COUNT, *, baseline: float = 0.0
) -> np.ndarray:
    """Return voltages in millivolt from the counts of a recorder.

    Parameters
    ----------
    counts : array-like of number, shape (..., n)
        Counts; NaN stays NaN.
    microvolts_per_count : float
        Microvolt per count, above 0. A WFDB gain of g counts per millivolt is 1000 / g.
    baseline : float
        Count that stands for 0 mV.

    Returns
    -------
    ndarray of float64, shape (..., n)
        (count − baseline) × microvolts_per_count / 1000.

    Raises
    ------
    DataError, ParameterError
        When a count is infinite or not a real number; when the scale is not above 0.
    """
    if not (np.isfinite(microvolts_per_count) and microvolts_per_count > 0):
        raise ParameterError(f"microvolts_per_count {microvolts_per_count}; expected above 0.")
    if not np.isfinite(baseline):
        raise ParameterError(f"baseline {baseline}; expected a finite count.")
    return (_voltages(counts, "counts") - baseline) * (microvolts_per_count / 1000)


def _voltages(values: Any, name: str) -> np.ndarray:
    """Return values as float64: sums of 16-bit counts would wrap around in their own type."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iuf":
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "not an array of real numbers",
            column=name,
            found=type(values).__name__,
            expected="integers or floating-point numbers",
        ) from None
    if np.isinf(array).any():
        raise DataError(
            "infinite voltage", column=name, found="inf", expected="a finite number or NaN"
        )
    return array


def _refuse_other_shape(values: np.ndarray, shape: tuple[int, ...], name: str) -> None:
    if values.shape != shape:
        raise DataError(
            "leads of one record differ in length",
            column=name,
            found=_shown(values.shape),
            expected=f"{_shown(shape)}, as lead I",
        )


def _shown(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) + " samples" if shape else "a single number"
