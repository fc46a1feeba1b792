"""A model beside people: its specificity where it is as sensitive as they are.

Everything a comparison needs is a sum over patients: each reader's two by two table, and for every
threshold that matters the positives and negatives of each patient. A block of resamples is
therefore one product of those sums with the counts of the drawn patients, after which the
readers' mean sensitivity, the threshold that meets it and every specificity are found again in
each resample at once. The sampler joins the bootstrap of :mod:`benchbook.resampling`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from benchbook.errors import DataError, ParameterError, nearest
from benchbook.resampling.clusters import cluster_codes, stratum_of_each
from benchbook.resampling.intervals import NoInterval
from benchbook.resampling.kinds import Sampler, sampler_of
from benchbook.resampling.statistic import divide
from benchbook.resampling.studentised import Contrast
from benchbook.resampling.sums import counted_indices

Match = Literal["at_least", "interpolated"]
MATCHES: tuple[Match, ...] = ("at_least", "interpolated")
_RATE = (0.0, 1.0)
MEASURES = {
    "readers_sensitivity": _RATE,
    "readers_specificity": _RATE,
    "readers_f1": _RATE,
    "model_sensitivity": _RATE,
    "model_specificity": _RATE,
    "threshold": (-math.inf, math.inf),
    "difference": (-1.0, 1.0),
}
NEEDS_SCORES = ("model_sensitivity", "model_specificity", "threshold", "difference")
# A mean of quotients of counts is off by a few units of its last place; two sensitivities that
# differ at all differ by far more than this.
ROUNDING = 1e-12
_MAX_CELLS = 2**21  # cells of one array: 16 MB
_BLOCK_SIZES = (250, 200, 125, 100, 50, 40, 25, 20, 10, 8, 5, 4, 2, 1)


@dataclass(frozen=True, eq=False)
class Comparison:
    """One label: the truth, what readers said, and a model's scores, over the same records.

    Attributes
    ----------
    positive : ndarray of bool, shape (n_items,)
        True where the label is present.
    reads : ndarray of float64, shape (n_items, n_readers)
        1 where the reader says present, 0 absent, NaN not read.
    used : ndarray of bool, shape (n_items,)
        Records that are compared; the others stay part of their patient and count for nothing.
    scores : ndarray of float64, shape (n_items,), or None
        The model's scores, high for present; read where ``used``. None: readers alone.
    match : {"at_least", "interpolated"}
        How the readers' mean sensitivity is met: at the highest threshold whose sensitivity is at
        least as high, or on the straight segment of the ROC curve that reaches it.
    draw_readers : bool
        Whether each resample draws the readers too, with replacement: what would be found with
        other readers like these. The spread between R readers is then understated by a factor of
        (R - 1) / R, as always when R things are resampled.
    """

    positive: np.ndarray
    reads: np.ndarray
    used: np.ndarray
    scores: np.ndarray | None = None
    match: Match = "at_least"
    draw_readers: bool = False

    def __post_init__(self) -> None:
        n = self.positive.shape[0]
        reads = self.reads if self.reads.ndim == 2 else self.reads[:, np.newaxis]
        if reads.shape[0] != n or self.used.shape != (n,):
            raise DataError(
                "truth and reads of a comparison do not match",
                found=f"{n} records, reads of shape {reads.shape}",
                expected="one row of reads per record",
            )
        if self.match not in MATCHES:
            raise ParameterError(f"match is {self.match!r}; {nearest(str(self.match), MATCHES)}")
        if self.scores is not None and not np.isfinite(self.scores[self.used]).all():
            raise DataError("a compared record has no finite score")
        object.__setattr__(self, "reads", reads)

    @property
    def n_items(self) -> int:
        """Number of records, compared or not."""
        return int(self.positive.size)

    def why_undefined(self, measure: str) -> str:
        """Return the reason why a measure has no value, when it has none."""
        if not self.used.any():
            return "no record is compared"
        truth, read = self.positive[self.used], ~np.isnan(self.reads[self.used])
        if measure in NEEDS_SCORES and not truth.any():
            return "there are no positives"
        if not read[truth].any() and measure != "readers_specificity":
            return "no reader read a positive record"
        if measure in ("model_specificity", "difference") and truth.all():
            return "there are no negatives"
        if not read[~truth].any():
            return "no reader read a negative record"
        return "the threshold is infinite" if measure == "threshold" else "it is 0/0"


@dataclass(frozen=True, eq=False)
class MatchedStatistic:
    """A measure of a comparison, for :func:`benchbook.resampling.resample_many`.

    Parameters
    ----------
    name : str
        What is estimated.
    comparison : Comparison
        Statistics of one comparison share its sums.
    measure : str
        ``"readers_sensitivity"``, ``"readers_specificity"``, ``"readers_f1"``: mean over the
        readers who have a value. ``"model_specificity"``, ``"model_sensitivity"``,
        ``"threshold"``: of the model where it meets the readers' mean sensitivity.
        ``"difference"``: the model's specificity there less the readers' mean specificity.
    """

    name: str
    comparison: Comparison
    measure: str

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ParameterError(f"measure is {self.measure!r}; {nearest(self.measure, MEASURES)}")
        if self.measure in NEEDS_SCORES and self.comparison.scores is None:
            raise ParameterError(f"{self.name}: the {self.measure} needs the scores of a model.")

    @property
    def n_items(self) -> int:
        """Number of records."""
        return self.comparison.n_items


@dataclass(frozen=True, eq=False)
class PatientSums:
    """What each patient adds to a comparison.

    Attributes
    ----------
    table : sparse array of shape (4 n_readers + 3 n_steps, n_patients)
        Per reader true positives, positives, true negatives, negatives read; then per step, from
        the highest score of a positive down, positives at the score, negatives between it and
        the step before, negatives at the score; last, all positives and all negatives.
    threshold : ndarray of shape (n_steps,)
        Score of each step: every distinct score of a positive, falling. No other threshold can
        be the highest that reaches a sensitivity.
    n_readers : int
    match : str
    draw_readers : bool
    """

    table: Any
    threshold: np.ndarray
    n_readers: int
    match: Match
    draw_readers: bool = False

    @classmethod
    def of(cls, comparison: Comparison, codes: np.ndarray, n_patients: int) -> PatientSums:
        """Sort the scores once and count by patient."""
        from scipy.sparse import csr_array

        kept = np.flatnonzero(comparison.used)
        truth, patient = comparison.positive[kept], codes[kept]
        masks = _reader_masks(truth, comparison.reads[kept])
        step_of, kind, threshold = _steps(comparison, kept, truth)
        first = len(masks)
        entries = [(np.full(int(m.sum()), row), patient[m]) for row, m in enumerate(masks)]
        inside = kind >= 0
        entries.append((first + 3 * step_of[inside] + kind[inside], patient[inside]))
        last = first + 3 * threshold.size
        entries.append((np.where(truth, last, last + 1), patient))
        rows, columns = (np.concatenate(part) for part in zip(*entries, strict=True))
        table = csr_array((np.ones(rows.size), (rows, columns)), shape=(last + 2, n_patients))
        return cls(
            table, threshold, comparison.reads.shape[1], comparison.match, comparison.draw_readers
        )

    def measures(
        self, weights: np.ndarray, drawn: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return every measure on each resample.

        Parameters
        ----------
        weights : ndarray of float64, shape (n_patients, n_resamples)
            How often each patient was drawn.
        drawn : ndarray of float64, shape (n_readers, n_resamples), optional
            How often each reader was drawn; each once when not given.

        Returns
        -------
        dict of str to ndarray of shape (n_resamples,)
            NaN where undefined.
        """
        sums = np.asarray(self.table @ weights)
        readers, steps = sums[: 4 * self.n_readers], sums[4 * self.n_readers : -2]
        found = _readers_means(readers.reshape(self.n_readers, 4, -1), drawn)
        if self.threshold.size == 0:
            return found | {name: np.full(weights.shape[1], np.nan) for name in NEEDS_SCORES}
        model = self._model(steps.reshape(-1, 3, weights.shape[1]), sums[-2:], found)
        return found | model

    def _model(
        self, steps: np.ndarray, totals: np.ndarray, readers: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Find the threshold that meets the readers' mean sensitivity, resample by resample."""
        wanted, (positives, negatives) = readers["readers_sensitivity"], totals
        true = np.cumsum(steps[:, 0], axis=0)
        false = np.cumsum(steps[:, 1] + steps[:, 2], axis=0)
        step = (divide(true, positives) >= wanted - ROUNDING).argmax(axis=0)
        at = (step, np.arange(step.size))
        alarms = true[at], false[at]
        if self.match == "interpolated":
            before = true[at] - steps[:, 0][at]
            share = divide(wanted * positives - before, true[at] - before)
            share = np.clip(share, 0.0, 1.0)
            tied = steps[:, 2][at]
            alarms = before + share * (true[at] - before), false[at] - tied + share * tied
        # Nobody found anything: no alarm is needed to be as sensitive.
        silent = wanted <= ROUNDING
        alarms = np.where(silent, 0.0, alarms[0]), np.where(silent, 0.0, alarms[1])
        known = (positives > 0) & ~np.isnan(wanted)
        rates = divide(alarms[0], positives), divide(negatives - alarms[1], negatives)
        sensitivity, specificity = (np.where(known, rate, np.nan) for rate in rates)
        exact = known & ~silent & (self.match == "at_least")
        return {
            "model_sensitivity": sensitivity,
            "model_specificity": specificity,
            "threshold": np.where(exact, self.threshold[step], np.nan),
            "difference": specificity - readers["readers_specificity"],
        }


def _reader_masks(truth: np.ndarray, reads: np.ndarray) -> list[np.ndarray]:
    """Return per reader who is a true positive, a positive, a true negative, a negative read."""
    masks: list[np.ndarray] = []
    for said in reads.T:
        read = ~np.isnan(said)
        masks += [truth & (said == 1), truth & read, ~truth & (said == 0), ~truth & read]
    return masks


def _steps(
    comparison: Comparison, kept: np.ndarray, truth: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each record's step, its kind (-1 below every positive), and the steps' scores."""
    nothing = np.full(kept.size, -1)
    if comparison.scores is None:
        return nothing, nothing, np.empty(0)
    score = comparison.scores[kept]
    threshold = np.unique(score[truth])[::-1]
    step = np.searchsorted(-threshold, -score, side="left")
    below = step == threshold.size
    tied = ~below
    tied[~below] = threshold[step[~below]] == score[~below]
    kind = np.where(below, -1, np.where(truth, 0, np.where(tied, 2, 1)))
    return step, kind, threshold


def _readers_means(sums: np.ndarray, drawn: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Return means over the readers with a value, from sums of shape (n_readers, 4, m).

    ``drawn``, of shape (n_readers, m), says how often each reader counts; None: once.
    """
    hit, positive, right, negative = sums.transpose(1, 0, 2)
    doubled = 2 * hit
    f1 = divide(doubled, doubled + (positive - hit) + (negative - right))
    rates = divide(hit, positive), divide(right, negative), f1
    names = ("readers_sensitivity", "readers_specificity", "readers_f1")
    if drawn is None:
        return {n: mean_of_defined(rate, axis=0) for n, rate in zip(names, rates, strict=True)}
    known = [np.where(np.isnan(rate), 0.0, drawn) for rate in rates]
    sums_of = [
        np.where(count > 0, rate * count, 0.0) for rate, count in zip(rates, known, strict=True)
    ]
    means = [divide(s.sum(axis=0), c.sum(axis=0)) for s, c in zip(sums_of, known, strict=True)]
    return dict(zip(names, means, strict=True))


def mean_of_defined(values: np.ndarray, axis: int) -> np.ndarray:
    """Return the mean of what has a value; NaN, without a warning, where nothing has."""
    defined = ~np.isnan(values)
    total = np.where(defined, values, 0.0).sum(axis=axis)
    return divide(total, defined.sum(axis=axis))


@dataclass(frozen=True, eq=False)
class MatchedSampler:
    """Comparisons over the same records, ready to be resampled together.

    Patients are numbered in the order of their ids, so the order of the records changes nothing.
    The members are those of :class:`benchbook.resampling.kinds.Sampler`.
    """

    sums: tuple[PatientSums, ...]
    statistics: tuple[MatchedStatistic, ...]
    places: tuple[int, ...]
    stratum: np.ndarray
    n_items: int
    n_clusters: int

    prefer: ClassVar[str] = "threads"

    @classmethod
    def prepare(cls, statistics: Sequence[Any], data: Any, cluster: Any) -> MatchedSampler:
        """Check that the statistics belong together, and count by patient."""
        _check_together(statistics, data)
        n_items = statistics[0].n_items
        codes, n_clusters = cluster_codes(cluster, n_items)
        distinct = {id(one.comparison): one.comparison for one in statistics}
        order = {key: place for place, key in enumerate(distinct)}
        return cls(
            tuple(PatientSums.of(one, codes, n_clusters) for one in distinct.values()),
            tuple(statistics),
            tuple(order[id(one.comparison)] for one in statistics),
            stratum_of_each(cluster, codes, n_clusters),
            n_items,
            n_clusters,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each statistic."""
        return tuple(one.name for one in self.statistics)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why each statistic has no value, when it has none."""
        return tuple(one.comparison.why_undefined(one.measure) for one in self.statistics)

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Smallest and largest possible value of each statistic."""
        return tuple(MEASURES[one.measure] for one in self.statistics)

    @property
    def block_size(self) -> int:
        """Resamples per block; depends on the data alone, never on the number of workers."""
        tallest = max(self.n_clusters, *(one.table.shape[0] for one in self.sums))
        most = _MAX_CELLS // max(tallest, 1)
        return next((size for size in _BLOCK_SIZES if size <= most), 1)

    def point(self) -> np.ndarray:
        """Return the statistics on the full data, shape (n_statistics,)."""
        return self.values(np.ones((self.n_clusters, 1)))[0]

    def replicates(self, generator: np.random.Generator, keep: int) -> np.ndarray:
        """Draw one block and return its first ``keep`` resamples, (keep, n_statistics)."""
        weights = self.weights(generator)
        return self.values(weights, self.drawn_readers(generator))[:keep]

    def drawn_readers(self, generator: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw how often each reader enters each resample, by number of readers.

        The models and labels of a group then meet the same readers. Nothing is drawn for
        comparisons whose readers are fixed.
        """
        numbers = sorted({one.n_readers for one in self.sums if one.draw_readers})
        return {
            n: generator.multinomial(n, np.full(n, 1 / n), size=self.block_size).T.astype(float)
            for n in numbers
        }

    def weights(self, generator: np.random.Generator) -> np.ndarray:
        """Draw how often each patient enters each resample, shape (n_clusters, block_size)."""
        weights = np.zeros((self.block_size, self.n_clusters))
        for number in range(int(self.stratum.max(initial=0)) + 1):
            members = np.flatnonzero(self.stratum == number)
            once = np.ones(members.size, dtype=np.int64)
            weights[:, members] = counted_indices(generator, once, self.block_size)
        return np.ascontiguousarray(weights.T)

    def values(self, weights: np.ndarray, drawn: dict[int, np.ndarray] | None = None) -> np.ndarray:
        """Evaluate every statistic on a block of resamples, (n_resamples, n_statistics)."""
        values = np.empty((weights.shape[1], len(self.statistics)))
        mine: list[list[int]] = [[] for _ in self.sums]
        for at, place in enumerate(self.places):
            mine[place].append(at)
        for sums, places in zip(self.sums, mine, strict=True):
            readers = (drawn or {}).get(sums.n_readers) if sums.draw_readers else None
            measures = sums.measures(weights, readers)
            for at in places:
                values[:, at] = measures[self.statistics[at].measure]
        values[~np.isfinite(values)] = np.nan
        return values

    def jackknife(self, n_jobs: int | None = None) -> np.ndarray:
        """Return the statistics without each patient in turn, (n_clusters, n_statistics)."""
        blocks = []
        for start in range(0, self.n_clusters, self.block_size):
            left_out = np.arange(start, min(start + self.block_size, self.n_clusters))
            weights = np.ones((self.n_clusters, left_out.size))
            weights[left_out, np.arange(left_out.size)] = 0.0
            blocks.append(self.values(weights))
        return np.concatenate(blocks)

    @property
    def jackknife_strata(self) -> np.ndarray:
        """Stratum of each patient."""
        return self.stratum

    @property
    def jackknife_refusals(self) -> tuple[str | None, ...]:
        """No jackknife takes too long."""
        return (None,) * len(self.statistics)

    def standard_errors(
        self, contrast: Contrast, generator: np.random.Generator | None, keep: int
    ) -> np.ndarray:
        """Raise ``NoInterval``: a threshold that moves has no formula for its error."""
        raise NoInterval(f"{self.names[contrast[0][0]]} has no formula for its standard error")


def _check_together(statistics: Sequence[Any], data: Any) -> None:
    first = statistics[0]
    for one in statistics:
        if not isinstance(one, MatchedStatistic):
            raise ParameterError(
                "Statistics that share their resamples must be of one kind; found "
                f"{first.name} (a {type(first).__name__}) beside a {type(one).__name__}."
            )
    if data is not None:
        raise ParameterError(f"{first.name} carries its own data; leave the data argument out.")
    if len({one.n_items for one in statistics}) > 1:
        raise DataError(
            "statistics that share their resamples must be over the same items",
            found=", ".join(f"{one.name} with {one.n_items} records" for one in statistics),
            expected="one number of records",
        )


@sampler_of.register
def _(
    first: MatchedStatistic, statistics: Sequence[MatchedStatistic], data: Any, cluster: Any
) -> Sampler:
    return MatchedSampler.prepare(statistics, data, cluster)
