"""The reader's own scores: the AUROC with every interval."""

from __future__ import annotations

import contextlib
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
from benchbook.reading import CsvTable, read_csv_table
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
    cluster : ndarray of object, shape (n_items,), or None
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
        return len(set(self.cluster[chosen]))

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
    table = read_csv_table(path)
    scores = _numbers(table, parameters.score)
    labels = _filled(table, parameters.label)
    wanted = str(parameters.positive)
    positive = np.array([_same(label, wanted) for label in labels])
    if positive.all() or not positive.any():
        raise DataError(
            "one class only",
            file=table.name,
            column=parameters.label,
            found=", ".join(sorted(set(labels))[:5]) or "no rows",
            expected=f"'{wanted}' (the parameter positive) and at least one other label",
        )
    cluster = None
    if parameters.cluster is not None:
        cluster = np.array(_filled(table, parameters.cluster), dtype=object)
        if len(set(cluster)) < 2:
            raise DataError(
                "a single cluster cannot be resampled",
                file=table.name,
                column=parameters.cluster,
                found=str(cluster[0]),
                expected="two clusters or more",
            )
    unit = parameters.cluster or "item"
    return Scores(table.name, path, scores, positive, cluster, unit, parameters)


def _filled(table: CsvTable, column: str) -> list[str]:
    """Return a column without empty cells."""
    if column not in table.frame.columns:
        raise DataError(
            f"no column '{column}'; {nearest(column, list(table.frame.columns))}", file=table.name
        )
    cells = table.frame[column].tolist()
    for line, cell in zip(table.lines, cells, strict=True):
        if cell is None:
            raise DataError(
                "an empty cell",
                file=table.name,
                row=line,
                column=column,
                found="nothing",
                expected="a value in every row",
            )
    return cells


def _numbers(table: CsvTable, column: str) -> np.ndarray:
    cells = _filled(table, column)
    numbers = np.full(len(cells), np.nan)
    for place, (line, cell) in enumerate(zip(table.lines, cells, strict=True)):
        with contextlib.suppress(ValueError):
            numbers[place] = float(cell)
        if np.isnan(numbers[place]):
            raise DataError(
                "not a number",
                file=table.name,
                row=line,
                column=column,
                found=cell,
                expected="a score",
            )
    return numbers


def _same(cell: str, wanted: str) -> bool:
    """Tell whether a cell is the label: the same text, or the same number (1 and 1.0)."""
    if cell == wanted:
        return True
    try:
        return float(cell) == float(wanted)
    except ValueError:
        return False
