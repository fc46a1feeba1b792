"""Electrocardiograms: the arithmetic of the twelve leads, and simulated records.

Voltages are in millivolt, times in seconds, and time runs along the last axis of an array.
"""

from .leads import (
    MICROVOLTS_PER_COUNT,
    STANDARD_LEADS,
    STORED_LEADS,
    counts_to_millivolts,
    derive_leads,
    twelve_leads,
)
from .simulate import RHYTHMS, SimulatedECG, simulated_ecg

__all__ = [
    "MICROVOLTS_PER_COUNT",
    "RHYTHMS",
    "STANDARD_LEADS",
    "STORED_LEADS",
    "SimulatedECG",
    "counts_to_millivolts",
    "derive_leads",
    "simulated_ecg",
    "twelve_leads",
]
