"""Simulated electrocardiograms: one moving dipole seen from eight leads.

Each beat is a sum of Gaussian waves, as McSharry et al. (2003) built a single lead; as in Sameni
et al. (2007) every wave is a vector, so all leads see the same heart. Frank's axes are used: x
to the patient's left, y to the feet, z to the back. The leads follow from Dower's matrix.

Nothing here is a recording. Shapes are chosen to look like a textbook's, not fitted to anybody.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..errors import ParameterError, did_you_mean
from .leads import STORED_LEADS

# Dower, Machado & Osborne (1980): leads from Frank's x, y, z.
DOWER = {
    "I": (0.632, -0.235, 0.059),
    "II": (0.235, 1.066, -0.132),
    "V1": (-0.515, 0.157, -0.917),
    "V2": (0.044, 0.164, -1.387),
    "V3": (0.882, 0.098, -1.277),
    "V4": (1.213, 0.127, -0.601),
    "V5": (1.125, 0.127, -0.086),
    "V6": (0.831, 0.076, 0.230),
}
RESPIRATION_HZ = 0.25
SHORTEST_RR = 0.30  # seconds; the ventricles cannot be excited again earlier


@dataclass(frozen=True)
class Wave:
    """One Gaussian wave of a beat.

    Attributes
    ----------
    time : float
        Seconds from the R peak to its middle, at a beat interval of 1 s.
    width : float
        Standard deviation in seconds.
    dipole : (float, float, float)
        Height along x, y, z in millivolt.
    stretches : bool
        True when time and width follow the square root of the beat interval, as the QT
        interval does (Bazett 1920).
    """

    time: float
    width: float
    dipole: tuple[float, float, float]
    stretches: bool = False


_P = Wave(-0.160, 0.022, (0.12, 0.12, -0.04))
_QRS = (
    Wave(-0.030, 0.009, (-0.15, -0.05, -0.25)),
    Wave(0.000, 0.012, (1.10, 0.90, 0.15)),
    Wave(0.025, 0.013, (-0.20, -0.10, 0.75)),
)
_T = (
    Wave(0.230, 0.050, (0.10, 0.08, -0.05), stretches=True),
    Wave(0.290, 0.038, (0.24, 0.20, -0.14), stretches=True),
)
# The left ventricle is reached late, from the right: wide, notched, T against the QRS.
_WIDE = (
    Wave(-0.014, 0.023, (0.70, 0.35, 0.75)),
    Wave(0.040, 0.024, (0.80, 0.35, 0.80)),
    Wave(0.330, 0.050, (-0.25, -0.10, -0.30), stretches=True),
)
# A beat from the right outflow tract: downwards and to the back, no P wave before it.
_ECTOPIC = (
    Wave(0.000, 0.032, (0.50, 1.25, 0.90)),
    Wave(0.055, 0.026, (0.10, 0.30, 0.35)),
    Wave(0.310, 0.055, (-0.20, -0.45, -0.35), stretches=True),
)


@dataclass(frozen=True)
class Rhythm:
    """What distinguishes one simulated rhythm from another.

    Attributes
    ----------
    heart_rate : float
        Mean rate in beats per minute.
    waves : tuple of Wave
        A usual beat.
    respiratory : float
        Relative swing of the beat interval with breathing (0.25 Hz).
    irregular : float
        Relative standard deviation of the beat interval beyond that.
    fibrillation : float
        Standard deviation of the fibrillatory waves along their direction, in millivolt.
    ectopic_every : int
        Every nth beat comes early, from a ventricle, and a pause follows; 0: none.
    """

    heart_rate: float
    waves: tuple[Wave, ...] = (_P, *_QRS, *_T)
    respiratory: float = 0.03
    irregular: float = 0.01
    fibrillation: float = 0.0
    ectopic_every: int = 0


RhythmName = Literal["sinus", "bradycardia", "tachycardia", "afib", "pvc", "lbbb"]
RHYTHMS: Mapping[str, Rhythm] = {
    "sinus": Rhythm(72),
    "bradycardia": Rhythm(46),
    "tachycardia": Rhythm(118, respiratory=0.015),
    "afib": Rhythm(96, (*_QRS, *_T), 0.0, 0.22, fibrillation=0.06),
    "pvc": Rhythm(72, ectopic_every=4),
    "lbbb": Rhythm(70, (_P, *_WIDE)),
}
_FIBRILLATION = np.array([-0.40, 0.55, -0.75])  # towards V1, where such waves are largest
_EARLY, _PAUSE = 0.62, 1.38  # of the usual interval, before and after an ectopic beat


@dataclass(frozen=True)
class SimulatedECG:
    """A simulated record.

    Attributes
    ----------
    leads : dict of str to ndarray of float64, shape (n,)
        Leads I, II and V1 to V6 in millivolt.
    sampling_rate : float
        Samples per second.
    rhythm : str
        Name in :data:`RHYTHMS`.
    seed : int
        Seed it was made from.
    r_peaks : ndarray of float64, shape (n_beats,)
        Times of the R peaks inside the record, in seconds.
    ectopic : ndarray of bool, shape (n_beats,)
        Which of these beats are ventricular.
    source : str
        Always "simulated".
    """

    leads: dict[str, np.ndarray]
    sampling_rate: float
    rhythm: str
    seed: int
    r_peaks: np.ndarray
    ectopic: np.ndarray
    source: str = field(default="simulated", init=False)


def simulated_ecg(
    rhythm: RhythmName | str = "sinus",
    *,
    seed: int,
    duration: float = 10.0,
    sampling_rate: float = 500.0,
    heart_rate: float | None = None,
    noise: float = 0.004,
) -> SimulatedECG:
    """Return eight leads of a simulated electrocardiogram, in millivolt.

    Parameters
    ----------
    rhythm : {"sinus", "bradycardia", "tachycardia", "afib", "pvc", "lbbb"}
        Sinus rhythm at a usual, slow or fast rate; atrial fibrillation (no P waves, irregular
        intervals, fibrillatory baseline); sinus rhythm with ventricular ectopic beats; sinus
        rhythm with a wide QRS as in left bundle branch block.
    seed : int
        The same seed gives the same record.
    duration : float
        Seconds, 1 to 3600.
    sampling_rate : float
        Samples per second, 50 to 5000.
    heart_rate : float, optional
        Mean rate in beats per minute, 20 to 180, in place of the rhythm's own.
    noise : float
        Standard deviation of the noise of each stored lead in millivolt, 0 to 1; the wander of
        the baseline with breathing is five times as large.

    Returns
    -------
    SimulatedECG
        Its ``leads`` go to :func:`benchbook.ecg.twelve_leads`.

    Raises
    ------
    ParameterError
        When the rhythm is unknown or a number is out of range.

    References
    ----------
    McSharry PE, Clifford GD, Tarassenko L, Smith LA (2003). A dynamical model for generating
    synthetic electrocardiogram signals. IEEE Trans Biomed Eng 50:289-294.
    Sameni R, Clifford GD, Jutten C, Shamsollahi MB (2007). Multichannel ECG and noise modeling.
    EURASIP J Adv Signal Process 2007:43407.
    Dower GE, Machado HB, Osborne JA (1980). On deriving the electrocardiogram from
    vectorcardiographic leads. Clin Cardiol 3:87-95.
    """
    if rhythm not in RHYTHMS:
        hint = did_you_mean(rhythm, RHYTHMS)
        raise ParameterError(f"unknown rhythm '{rhythm}'{hint} Known: {', '.join(RHYTHMS)}.")
    _check("duration", duration, 1, 3600)
    _check("sampling_rate", sampling_rate, 50, 5000)
    _check("noise", noise, 0, 1)
    kind = RHYTHMS[rhythm]
    rate = kind.heart_rate if heart_rate is None else heart_rate
    _check("heart_rate", rate, 20, 180)
    generator = np.random.default_rng(seed)
    beats, intervals, ectopic = _beats(kind, rate, duration, generator)
    times = np.arange(round(duration * sampling_rate)) / sampling_rate
    dipole = _beat_dipole(times, beats, intervals, ectopic, kind)
    dipole += _fibrillation(times, kind.fibrillation, generator)
    signals = dipole @ np.array([DOWER[name] for name in STORED_LEADS]).T
    signals += _disturbance(times, noise, generator)
    inside = (beats >= 0) & (beats < duration)
    leads = dict(zip(STORED_LEADS, np.ascontiguousarray(signals.T), strict=True))
    return SimulatedECG(leads, sampling_rate, rhythm, seed, beats[inside], ectopic[inside])


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # never true with a NaN
        raise ParameterError(f"{name} {value}; expected {low} to {high}.")


def _beats(
    kind: Rhythm, rate: float, duration: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the times of R waves, the intervals before them, and which are ectopic.

    They begin before the record and end after it, so that no wave is missing at its edges.
    """
    usual = 60.0 / rate
    start = -2.0 * usual - usual * generator.uniform()
    n = 8 + math.ceil(1.5 * (duration + 4 * usual) / usual) + 8
    clock = start + usual * np.arange(n)
    swing = kind.respiratory * np.sin(2 * np.pi * RESPIRATION_HZ * clock)
    # A log-normal spread is never negative and has the mean 1.
    spread = math.sqrt(math.log1p(kind.irregular**2))
    factor = np.exp(generator.normal(-(spread**2) / 2, spread, n))
    intervals = usual * (1 + swing) * factor
    ectopic = np.zeros(n, dtype=bool)
    if kind.ectopic_every:
        ectopic[kind.ectopic_every :: kind.ectopic_every] = True
        intervals[ectopic] *= _EARLY
        intervals[1:][ectopic[:-1]] *= _PAUSE
    intervals = np.maximum(intervals, SHORTEST_RR)
    return start + np.cumsum(intervals), intervals, ectopic


def _beat_dipole(
    times: np.ndarray,
    beats: np.ndarray,
    intervals: np.ndarray,
    ectopic: np.ndarray,
    kind: Rhythm,
) -> np.ndarray:
    """Return the dipole of all beats, shape (n, 3)."""
    dipole = np.zeros((len(times), 3))
    for waves, which in ((kind.waves, ~ectopic), (_ECTOPIC, ectopic)):
        for wave in waves:
            stretch = np.sqrt(intervals[which]) if wave.stretches else np.ones(which.sum())
            middles, widths = beats[which] + wave.time * stretch, wave.width * stretch
            height = np.zeros(len(times))
            for middle, width in zip(middles, widths, strict=True):
                first, last = np.searchsorted(times, (middle - 6 * width, middle + 6 * width))
                part = (times[first:last] - middle) / width
                height[first:last] += np.exp(-(part**2) / 2)
            dipole += height[:, None] * wave.dipole
    return dipole


def _fibrillation(times: np.ndarray, height: float, generator: np.random.Generator) -> np.ndarray:
    """Return waves of 5 to 8 Hz that swell and fade, along one direction, shape (n, 3)."""
    if not height:
        return np.zeros((len(times), 3))
    wave = np.zeros(len(times))
    for frequency in generator.uniform(5, 8, 4):
        phase, slow = generator.uniform(0, 2 * np.pi, 2)
        swell = 1 + 0.4 * np.sin(2 * np.pi * 0.3 * times + slow)
        wave += swell * np.sin(2 * np.pi * frequency * times + phase)
    return height * (wave / wave.std())[:, None] * _FIBRILLATION


def _disturbance(times: np.ndarray, noise: float, generator: np.random.Generator) -> np.ndarray:
    """Return noise and a baseline that moves with breathing, shape (n, 8)."""
    n_leads = len(STORED_LEADS)
    white = generator.normal(0.0, 1.0, (len(times), n_leads))
    phase = generator.uniform(0, 2 * np.pi)
    wander = np.sin(2 * np.pi * RESPIRATION_HZ * times + phase)[:, None]
    return noise * (white + 5 * wander * generator.uniform(-1, 1, n_leads))
