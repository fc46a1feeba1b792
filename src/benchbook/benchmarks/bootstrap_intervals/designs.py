"""The designs of the simulation: data like those of the benchmarks, with a known truth.

Every design draws clusters of items with an intracluster correlation, and its true value follows
in closed form, so that coverage has one source of error only, the number of replications.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from benchbook.agreement import cohen_kappa, kappa_statistic
from benchbook.estimate import Estimate
from benchbook.metrics import Memberships, delong_interval, f_statistics, proportion
from benchbook.ratings import Ratings
from benchbook.resampling import RankingStatistic, SumsStatistic, ratio_statistic

SHARE = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Sample:
    """One simulated data set.

    Attributes
    ----------
    statistic : SumsStatistic or RankingStatistic
        What is estimated, over the items.
    cluster : ndarray of int, shape (n_items,), or None
        Cluster of each item; None where items are independent.
    facts : dict
        What the analytic intervals of the design need.
    """

    statistic: SumsStatistic | RankingStatistic
    cluster: np.ndarray | None
    facts: Mapping[str, Any]


class Design(ABC):
    """A way to draw data sets whose true value is known.

    Attributes
    ----------
    key, title, symbol : str
        Short name, name on the page, and name of the statistic.
    size : str
        The size of one data set, in words.
    item, cluster_word : str
        What an item is, and what a cluster is.
    headline : float
        Intracluster correlation of the design.
    sweep : tuple of float
        Correlations at which item and cluster resampling are compared; empty where they are not.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    symbol: ClassVar[str]
    size: ClassVar[str]
    item: ClassVar[str] = "item"
    cluster_word: ClassVar[str] = "cluster"
    headline: ClassVar[float] = 0.0
    sweep: ClassVar[tuple[float, ...]] = ()
    clustered: ClassVar[bool] = True
    n_clusters: ClassVar[int]

    @property
    @abstractmethod
    def truth(self) -> float:
        """The value in the population, exactly."""

    @abstractmethod
    def draw(self, generator: np.random.Generator, correlation: float) -> Sample:
        """Draw one data set."""

    @abstractmethod
    def analytic(self, sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
        """Return the intervals by formula, for items or clusters as the unit."""


def effects(generator: np.random.Generator, cluster: np.ndarray, correlation: float) -> np.ndarray:
    """Return standard normal variates, one per item, correlated within clusters.

    Parameters
    ----------
    generator : Generator
    cluster : ndarray of int, shape (n_items,)
    correlation : float
        Of two items of one cluster, in [0, 1].

    Returns
    -------
    ndarray of shape (n_items,)
    """
    shared = generator.standard_normal(int(cluster.max()) + 1)[cluster]
    own = generator.standard_normal(cluster.size)
    return math.sqrt(correlation) * shared + math.sqrt(1.0 - correlation) * own


def shares(
    generator: np.random.Generator, mean: float, correlation: float, size: int
) -> np.ndarray:
    """Return beta variates: chances of a success per cluster with this intracluster correlation.

    Items of a cluster that succeed independently with its chance have correlation
    ``correlation`` = 1 / (a + b + 1), the beta-binomial model.
    """
    if correlation == 0.0:
        return np.full(size, mean)
    total = 1.0 / correlation - 1.0
    return generator.beta(mean * total, (1.0 - mean) * total, size)


class _Auroc(Design):
    """Scores normal in both classes with the same spread, shifted in the positives."""

    symbol = "AUROC"
    area: ClassVar[float] = 0.85
    positives: ClassVar[np.ndarray]
    cluster: ClassVar[np.ndarray]

    @property
    def truth(self) -> float:
        """The value in the population."""
        return self.area

    @property
    def shift(self) -> float:
        """Distance of the class means in standard deviations: AUROC = Phi(shift / sqrt 2)."""
        return math.sqrt(2.0) * float(ndtri(self.area))

    def draw(self, generator: np.random.Generator, correlation: float) -> Sample:
        """Draw one data set."""
        scores = effects(generator, self.cluster, correlation) + self.shift * self.positives
        statistic = RankingStatistic("AUROC", scores, self.positives, higher_is_positive=True)
        return Sample(statistic, self.cluster, {"scores": scores})

    def analytic(self, sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
        """Return the intervals by formula."""
        name = "DeLong" if unit == "item" else "Obuchowski"
        made = {}
        for scale, words in (("plain", name), ("logit", f"{name}, logit")):
            made[words] = delong_interval(
                self.positives,
                sample.facts["scores"],
                higher_is_positive=True,
                cluster=None if unit == "item" else self.cluster,
                level=level,
                scale=scale,
            )
        return made

    def bias(self, correlation: float) -> float:
        """Return how far the expected AUROC of a data set lies from the truth.

        A positive and a negative of one cluster share its effect, so such a pair is ranked
        rightly with a higher chance; their share of all pairs is what counts.
        """
        n_clusters = int(self.cluster.max()) + 1
        positive = np.bincount(self.cluster[self.positives], minlength=n_clusters)
        negative = np.bincount(self.cluster[~self.positives], minlength=n_clusters)
        within = float(positive @ negative) / (positive.sum() * negative.sum())
        spread = math.sqrt(2.0 * (1.0 - correlation))
        return within * (float(ndtr(self.shift / spread)) - self.area)


class AurocApart(_Auroc):
    """Twenty positives in ten clusters, negatives in forty others."""

    key = "auroc_apart"
    title = "AUROC, few positives"
    size = "20 positives in 10 patients, 200 negatives in 40 others"
    item, cluster_word = "window", "patient"
    headline = 0.4
    sweep = (0.0, 0.2, 0.4, 0.6, 0.8)
    n_clusters = 50
    positives = np.repeat([True, False], [20, 200])
    cluster = np.concatenate([np.repeat(np.arange(10), 2), np.repeat(np.arange(10, 50), 5)])


class AurocShared(_Auroc):
    """Ten clusters, each with two positives and eight negatives."""

    key = "auroc_shared"
    title = "AUROC, few clusters"
    size = "10 patients, each with 2 positives and 8 negatives"
    item, cluster_word = "lesion", "patient"
    headline = 0.4
    sweep = (0.0, 0.2, 0.4, 0.6, 0.8)
    n_clusters = 10
    positives = np.tile(np.arange(10) < 2, 10)
    cluster = np.repeat(np.arange(10), 10)


class MacroF(Design):
    """Four classes, one of them 1 %, answered with known sensitivities."""

    key = "macro_f"
    title = "Macro F, a 1 % class"
    symbol = "macro F"
    size = "1,000 records of 200 patients; four classes, the rarest 1 %"
    item, cluster_word = "record", "patient"
    headline = 0.4
    n_clusters = 200
    prevalence = np.array([0.60, 0.29, 0.10, 0.01])
    # Row: class of the item; column: class answered.
    confusion = np.array(
        [
            [0.900, 0.060, 0.035, 0.005],
            [0.080, 0.850, 0.065, 0.005],
            [0.060, 0.130, 0.800, 0.010],
            [0.100, 0.150, 0.150, 0.600],
        ]
    )
    cluster = np.repeat(np.arange(200), 5)

    @property
    def truth(self) -> float:
        """The value in the population."""
        right = self.prevalence * np.diag(self.confusion)
        answered = self.prevalence @ self.confusion
        return float((2 * right / (self.prevalence + answered)).mean())

    def draw(self, generator: np.random.Generator, correlation: float) -> Sample:
        """Draw one data set."""
        place = ndtr(effects(generator, self.cluster, correlation))
        reference = np.searchsorted(self.prevalence.cumsum()[:-1], place)
        place = ndtr(effects(generator, self.cluster, correlation))
        steps = self.confusion.cumsum(axis=1)[:, :-1]
        answer = (place[:, np.newaxis] > steps[reference]).sum(axis=1)
        classes = np.arange(self.prevalence.size)
        items = Memberships(
            classes=tuple(classes.tolist()),
            reference=reference[:, np.newaxis] == classes,
            predicted=answer[:, np.newaxis] == classes,
            weight=None,
            single=True,
        )
        return Sample(f_statistics(items)["macro"], self.cluster, {})

    def analytic(self, sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
        """Return the intervals by formula."""
        return {}


class Kappa(Design):
    """Two raters, two categories, fifty independent items."""

    key = "kappa"
    title = "κ, few items"
    symbol = "κ"
    size = "50 independent items, two raters, 30 % positive"
    clustered = False
    n_clusters = 50
    # Cells: both positive, first only, second only, neither.
    cells = np.array([0.216, 0.084, 0.084, 0.616])

    @property
    def truth(self) -> float:
        """The value in the population."""
        observed = self.cells[0] + self.cells[3]
        first, second = self.cells[0] + self.cells[1], self.cells[0] + self.cells[2]
        chance = first * second + (1 - first) * (1 - second)
        return float((observed - chance) / (1 - chance))

    def draw(self, generator: np.random.Generator, correlation: float) -> Sample:
        """Draw one data set."""
        table = generator.multinomial(50, self.cells).reshape(2, 2)
        ratings = Ratings.from_contingency(table, categories=["positive", "negative"])
        return Sample(kappa_statistic(ratings), None, {"ratings": ratings})

    def analytic(self, sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
        """Return the intervals by formula."""
        made = cohen_kappa(sample.facts["ratings"], level=level).estimate
        return {"Fleiss–Cohen–Everitt": made}


class WordErrors(Design):
    """Thirteen recordings of unequal length, each with its own rate of word errors."""

    key = "wer"
    title = "Pooled WER"
    symbol = "WER"
    size = "recordings of unequal length, 13 of them, median 600 words"
    item, cluster_word = "word", "recording"
    headline = 0.02
    n_clusters = 13
    rate: ClassVar[float] = 0.12

    @property
    def truth(self) -> float:
        """The value in the population."""
        return self.rate

    def draw(self, generator: np.random.Generator, correlation: float) -> Sample:
        """Draw one data set."""
        words = np.rint(np.exp(generator.normal(math.log(600), 0.6, 13))).astype(int) + 1
        errors = generator.binomial(words, shares(generator, self.rate, correlation, 13))
        recording = np.repeat(np.arange(13), words)
        place = np.arange(recording.size) - np.repeat(words.cumsum() - words, words)
        wrong = (place < errors[recording]).astype(float)
        statistic = ratio_statistic(
            wrong, np.ones(wrong.size), name="WER", reason="no words", bounds=SHARE
        )
        return Sample(statistic, recording, {"count": int(wrong.sum()), "size": wrong.size})

    def analytic(self, sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
        """Return the intervals by formula."""
        return _wilson(sample, unit, level)


class Accuracy(Design):
    """A proportion in clusters of ten."""

    key = "accuracy"
    title = "Accuracy"
    symbol = "accuracy"
    size = "40 patients with 10 images each"
    item, cluster_word = "image", "patient"
    headline = 0.4
    sweep = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8)
    n_clusters = 40
    rate: ClassVar[float] = 0.8
    per_cluster: ClassVar[int] = 10
    cluster = np.repeat(np.arange(40), 10)

    @property
    def truth(self) -> float:
        """The value in the population."""
        return self.rate

    def design_effect(self, correlation: float) -> float:
        """Return the variance over that of independent items, exactly (equal clusters)."""
        return 1.0 + (self.per_cluster - 1) * correlation

    def draw(self, generator: np.random.Generator, correlation: float) -> Sample:
        """Draw one data set."""
        chance = shares(generator, self.rate, correlation, self.n_clusters)[self.cluster]
        right = (generator.random(chance.size) < chance).astype(float)
        statistic = ratio_statistic(
            right, np.ones(right.size), name="accuracy", reason="no items", bounds=SHARE
        )
        return Sample(statistic, self.cluster, {"count": int(right.sum()), "size": right.size})

    def analytic(self, sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
        """Return the intervals by formula."""
        return _wilson(sample, unit, level)


def _wilson(sample: Sample, unit: str, level: float) -> dict[str, Estimate]:
    if unit != "item":
        return {}
    return {"Wilson": proportion(sample.facts["count"], sample.facts["size"], level=level)}


DESIGNS: dict[str, Design] = {
    design.key: design
    for design in (AurocApart(), AurocShared(), MacroF(), Kappa(), WordErrors(), Accuracy())
}
