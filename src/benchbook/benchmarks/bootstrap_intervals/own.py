"""The reader's own scores: the AUROC with every interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from benchbook.display import Drawing, Table
from benchbook.errors import DataError, nearest
from benchbook.estimate import Estimate
from benchbook.metrics import delong_interval
from benchbook.parameters import data_path
from benchbook.ratings.cells import Column, distinct
from benchbook.ratings.labels import canonical
from benchbook.reading import ParquetTexts, is_parquet, numbers_of, read_csv_table
from benchbook.resampling import Distribution, RankingStatistic, resample

from .parameters import Parameters
from .theory import every_interval

LEAST_RESAMPLES = 2000  # of a file the interval itself is wanted, not its coverage


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores, labels and clusters of a file.

    Attributes
    ----------
    name : str
        The file.
    path : Path
        Where it is.
    scores : ndarray of float64, shape (n_items,)
    positive : ndarray of bool, shape (n_items,)
    cluster : ndarray of int, shape (n_items,), or None
        Number of each item's cluster.
    unit : str
        "item", or the name of the cluster column.
    parameters : Parameters
    """

    name: str
    path: Path
    scores: np.ndarray
    positive: np.ndarray
    cluster: np.ndarray | None
    unit: str
    parameters: Parameters

    @cached_property
    def drawn(self) -> Distribution:
        """Bootstrap distribution of the AUROC over the unit of the file."""
        statistic = RankingStatistic(
            "AUROC", self.scores, self.positive,
            higher_is_positive=bool(self.parameters.higher_is_positive),
        )  # fmt: skip
        return resample(
            statistic, cluster=self.cluster, unit=self.unit, seed=self.parameters.seed,
            n_resamples=max(LEAST_RESAMPLES, self.parameters.size.n_resamples),
        )  # fmt: skip

    @cached_property
    def intervals(self) -> dict[str, Estimate]:
        """Every interval of the AUROC, by method."""
        made = every_interval(self.drawn, self.parameters.level)
        name = "DeLong" if self.cluster is None else "Obuchowski"
        for scale, words in (("plain", name), ("logit", f"{name}, logit")):
            made[words] = delong_interval(
                self.positive, self.scores, cluster=self.cluster, unit=self.unit, scale=scale,
                higher_is_positive=bool(self.parameters.higher_is_positive),
                level=self.parameters.level,
            )  # fmt: skip
        return made

    def clusters_with(self, positive: bool) -> int:
        """Return in how many clusters the positives, or the negatives, lie."""
        chosen = self.positive == positive
        if self.cluster is None:
            return int(chosen.sum())
        return int(np.count_nonzero(np.bincount(self.cluster[chosen])))

    def statement(self) -> str:
        """Say what was read."""
        n_positive = int(self.positive.sum())
        text = (
            f"**Your data.** `{self.name}`: {self.scores.size:,} items, {n_positive:,} positive "
            f"(`{self.parameters.label}` = {self.parameters.positive})."
        )
        if self.cluster is None:
            return text + " Items are taken for independent: no cluster column was named."
        return text + (
            f" They lie in {self.drawn.n_clusters:,} clusters (`{self.unit}`); "
            f"{self.clusters_with(True):,} of these hold the positives, "
            f"{self.clusters_with(False):,} the negatives. The smaller number limits the interval."
        )

    def table(self) -> Table:
        """Return the AUROC with every interval."""
        rows = [
            {
                "method": name,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "width": one.high - one.low,
                "to be known": "; ".join(filter(None, [one.reason, *one.warnings])),
            }
            for name, one in self.intervals.items()
        ]
        caption = (
            f"AUROC of {self.name} with {100 * self.parameters.level:g} % intervals; unit: "
            f"{self.unit}; {self.drawn.n_resamples:,} resamples, {self.drawn.n_undefined:,} "
            "without a value."
        )
        frame = pd.DataFrame(rows)
        told = frame["to be known"].any()
        return Table(frame, "own", caption, None if told else frame.drop(columns="to be known"))

    def figure(self) -> Drawing:
        """Draw the bootstrap distribution and the intervals."""
        from benchbook.figures import intervals_on_distribution

        rows = [one.as_row(name=name) for name, one in self.intervals.items()]
        caption = (
            f"The AUROC of {self.name} over {self.drawn.n_resamples:,} resamples (unit: "
            f"{self.unit}), and the {100 * self.parameters.level:g} % intervals."
        )
        alt = (
            "Histogram of bootstrap AUROCs; under it one bar per interval method on the same axis."
        )
        drawn = intervals_on_distribution(self.drawn.replicates, pd.DataFrame(rows), label="AUROC")
        return Drawing(drawn, "own", caption, alt)


def load(parameters: Parameters) -> Scores | None:
    """Read the file that the parameters name; None when they name none.

    Raises
    ------
    DataError
        Naming file, line, column, what was found and what was expected.
    """
    if parameters.data is None:
        return None
    path = data_path(parameters.data)
    file = _Parquet(path) if is_parquet(path) else _Text(path)
    scores = _scores(file, parameters.score)
    labels = _filled(file, parameters.label)
    wanted = str(parameters.positive)
    positive = np.array([_same(label, wanted) for label in labels.labels], bool)[labels.codes]
    if positive.all() or not positive.any():
        raise DataError(
            "one class only",
            file=file.name,
            column=parameters.label,
            found=", ".join(sorted(labels.labels)[:5]) or "no rows",
            expected=f"'{wanted}' (the parameter positive) and at least one other label",
        )
    cluster = None
    if parameters.cluster is not None:
        clusters = _filled(file, parameters.cluster)
        if len(clusters.labels) < 2:
            raise DataError(
                "a single cluster cannot be resampled",
                file=file.name,
                column=parameters.cluster,
                found=str(clusters.labels[0]),
                expected="two clusters or more",
            )
        cluster = clusters.codes
    unit = parameters.cluster or "item"
    return Scores(file.name, path, scores, positive, cluster, unit, parameters)


class _Text:
    """The columns of a text file, each as its distinct texts and where they stand."""

    def __init__(self, path: Path) -> None:
        table = read_csv_table(path)
        self.name, self.columns = table.name, list(table.frame.columns)
        self.lines: Sequence[int] = table.lines
        self._frame = table.frame

    def column(self, name: str) -> Column:
        return distinct(self._frame[name])

    def numbers(self, name: str) -> np.ndarray:
        return numbers_of(self.column(name))


class _Parquet(ParquetTexts):
    """The same of a Parquet file, whose columns are read when they are asked for."""

    @property
    def lines(self) -> Sequence[int]:
        return range(1, self.n_rows + 1)


def _check_column(file: _Text | _Parquet, name: str) -> None:
    if name not in file.columns:
        raise DataError(f"no column '{name}'; {nearest(name, file.columns)}", file=file.name)


def _filled(file: _Text | _Parquet, name: str) -> Column:
    """Return a column without empty cells."""
    _check_column(file, name)
    column = file.column(name)
    empty = column.codes < 0
    if empty.any():
        raise DataError(
            "an empty cell",
            file=file.name,
            row=file.lines[int(empty.argmax())],
            column=name,
            found="nothing",
            expected="a value in every row",
        )
    return column


def _scores(file: _Text | _Parquet, name: str) -> np.ndarray:
    _check_column(file, name)
    numbers = file.numbers(name)
    bad = np.isnan(numbers)
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            "not a number",
            file=file.name,
            row=file.lines[row],
            column=name,
            found=_filled(file, name).cell(row),
            expected="a score",
        )
    return numbers


def _same(cell: str, wanted: str) -> bool:
    """Tell whether a cell is the label: the same text, or the same number (1 and 1.0)."""
    if canonical(cell) == canonical(wanted):
        return True
    try:
        return float(cell) == float(wanted)
    except ValueError:
        return False
