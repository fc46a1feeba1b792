"""The tables a run looks at: the published ones of the chapter, or the reader's own file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.agreement import Recommendation, guide
from benchbook.agreement.guide import Need
from benchbook.errors import BenchbookError, DataError, ParameterError, nearest
from benchbook.parameters import data_path
from benchbook.ratings import Ratings
from benchbook.reading import read_ratings, read_table
from benchbook.records import project_root

from .parameters import Parameters

NAME = "inter_rater_reliability"


@dataclass(frozen=True, eq=False)
class Study:
    """One table of ratings and where it comes from.

    Attributes
    ----------
    key : str
        Short stable name, used in the record.
    title : str
        Name on the page.
    ratings : Ratings
        The checked table.
    source : str
        Citation in Markdown, or the name of the reader's file.
    unit : str
        What is resampled: "item", or the name of the cluster column.
    file : Path
        The file that was read.
    n_rows : int
        Rows of the file.
    with_model : Ratings or None
        The ratings with the model among the raters, when a rater is a model; ``ratings`` then
        holds the people alone, since the answer key is made by them.
    method_comparison : bool
        True when the columns are two methods of measurement, which make no answer key.
    need : {"absolute", "relative"}
        Whether raters must give the same answer, or only the same order.
    """

    key: str
    title: str
    ratings: Ratings
    source: str
    unit: str
    file: Path
    n_rows: int
    with_model: Ratings | None = None
    method_comparison: bool = False
    need: Need = "absolute"

    @property
    def categorical(self) -> bool:
        """True for nominal and ordinal ratings."""
        return self.ratings.kind != "continuous"

    @property
    def ordinal(self) -> bool:
        """True for ordered categories."""
        return self.ratings.kind == "ordinal"

    @property
    def two(self) -> bool:
        """True for two identified raters."""
        return self.ratings.n_raters == 2 and self.ratings.identified

    @property
    def paired(self) -> bool:
        """True when more than two raters are known by name."""
        return self.ratings.identified and self.ratings.n_raters > 2

    @property
    def n_clusters(self) -> int:
        """Number of clusters; the number of items when each is its own."""
        clusters = self.ratings.clusters
        return self.ratings.n_items if clusters is None else len(set(clusters))

    @cached_property
    def recommendation(self) -> Recommendation:
        """The statistic that fits these data, and why."""
        return guide(self.ratings, self.need)


@dataclass(frozen=True)
class Bundled:
    """How one published table of the chapter is read."""

    key: str
    title: str
    source: str
    kind: str
    options: dict[str, Any]
    method_comparison: bool = False


YES_NO = ["no", "yes"]
BUNDLED = (
    Bundled(
        "pathology",
        "Pathology slides",
        "teaching example",
        "nominal",
        {"layout": "contingency", "raters": ["pathologist A", "pathologist B"]},
    ),
    Bundled(
        "multiple_sclerosis",
        "Multiple sclerosis",
        "@landis1977measurement",
        "ordinal",
        {
            "layout": "contingency",
            "categories": ["doubtful", "possible", "probable", "certain"],
            "raters": ["New Orleans neurologist", "Winnipeg neurologist"],
        },
    ),
    Bundled(
        "fleiss_1971",
        "Psychiatric diagnoses",
        "@fleiss1971",
        "nominal",
        {"layout": "counts", "item": "patient"},
    ),
    Bundled(
        "carcinoma",
        "Carcinoma readings",
        "@landis1977hierarchical",
        "nominal",
        {"frequency": "slides", "categories": YES_NO},
    ),
    Bundled(
        "krippendorff_2011",
        "Units with missing ratings",
        "@krippendorff2011",
        "nominal",
        {"item": "unit", "categories": [1, 2, 3, 4, 5]},
    ),
    Bundled("shrout_fleiss_1979", "Four judges", "@shrout1979", "continuous", {"item": "target"}),
    Bundled(
        "bland_altman_1986",
        "Peak flow meters",
        "@bland1986",
        "continuous",
        {"item": "subject"},
        method_comparison=True,
    ),
)


def load(parameters: Parameters) -> list[Study]:
    """Read what the parameters ask for: the reader's file, or every published table.

    Raises
    ------
    DataError, ParameterError
        Naming file, row, column, what was found and what was expected.
    """
    if parameters.data is None:
        return [_bundled(entry) for entry in BUNDLED]
    return [_own(parameters)]


def _bundled(entry: Bundled) -> Study:
    root = project_root()
    if root is None:
        raise BenchbookError(
            "the published tables lie in the project's data folder, and no project was found here; "
            "give a file of your own (data=FILE) or start within the project."
        )
    file = root / "data" / NAME / f"{entry.key}.csv"
    ratings = read_ratings(file, entry.kind, **entry.options)
    return Study(
        entry.key,
        entry.title,
        ratings,
        entry.source,
        "item",
        file,
        read_table(file).n_read,
        method_comparison=entry.method_comparison,
    )


def _own(parameters: Parameters) -> Study:
    file = data_path(str(parameters.data))
    text: dict[str, Any] = {
        "header": parameters.header,
        "delimiter": parameters.delimiter,
        "encoding": parameters.encoding,
        "missing": parameters.missing,
    }
    ratings = read_ratings(
        file,
        str(parameters.kind),
        layout=parameters.layout,
        categories=parameters.categories,
        raters=parameters.raters,
        item=parameters.item,
        rater=parameters.rater,
        rating=parameters.rating,
        cluster=parameters.cluster,
        frequency=parameters.frequency,
        where=parameters.where,
        **text,
    )
    _check_size(ratings)
    _check_scale(ratings)
    _check_model(ratings, parameters.model)
    n_rows = read_table(file, **text).n_read
    # A cluster column that is itself called "item" must not read as the item.
    unit = {None: "item", "item": "cluster item"}.get(parameters.cluster, str(parameters.cluster))
    common: dict[str, Any] = {"file": file, "n_rows": n_rows, "need": parameters.need}
    if parameters.model is None:
        return Study("own", file.name, ratings, file.name, unit, **common)
    people = ratings.drop(parameters.model)
    return Study("own", file.name, people, file.name, unit, with_model=ratings, **common)


def _check_size(ratings: Ratings) -> None:
    if ratings.n_items < 2:
        raise DataError(
            "agreement cannot be estimated from one item",
            file=ratings.source,
            found=f"{ratings.n_items} item with ratings",
            expected="two items or more",
        )
    clusters = ratings.clusters
    if clusters is not None and len(set(clusters)) < 2:
        raise DataError(
            "clusters cannot be resampled when there is only one",
            file=ratings.source,
            found=f"the cluster '{clusters[0]}' in every row",
            expected="two clusters or more, or no cluster column",
        )


# More unlike decimal numbers than this are scores that were called nominal by mistake.
MOST_DECIMALS = 20


def _check_scale(ratings: Ratings) -> None:
    if ratings.kind != "nominal" or ratings.declared:
        return
    labels = [str(label) for label in ratings.categories or ()]
    if len(labels) > MOST_DECIMALS and any("." in label for label in labels):
        try:
            list(map(float, labels))
        except ValueError:
            return
        raise DataError(
            "the categories look like scores",
            file=ratings.source,
            found=f"{len(labels)} different numbers, decimals among them",
            expected="kind=continuous, or the categories declared",
        )


def _check_model(ratings: Ratings, model: str | None) -> None:
    if model is None:
        return
    if model not in ratings.raters:
        raise ParameterError(
            f"{ratings.source}: model '{model}' is no rater; {nearest(model, ratings.raters)}"
        )
    if ratings.n_raters < 3:
        raise ParameterError(
            "a model is set against the agreement of people with each other, which needs the "
            f"model and at least two people; found {ratings.n_raters} raters."
        )
    if ratings.kind == "continuous":
        raise ParameterError(
            "the comparison of a model with people is made for nominal and ordinal ratings; "
            "found continuous."
        )


def named_conditions(studies: list[Study], parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; cells tagged ``when:`` name them."""
    categorical = [study for study in studies if study.categorical]
    scores = [study for study in studies if not study.categorical]
    found = {
        "own": parameters.data is not None,
        "categories": bool(categorical),
        "two": any(study.two for study in categorical),
        "ordinal": any(study.ordinal for study in categorical),
        "many": any(not study.two for study in categorical),
        "identified": any(study.ratings.identified for study in categorical),
        "pairs": any(study.paired for study in categorical),
        "scores": bool(scores),
        "comparison": any(shared_pairs(study.ratings) for study in scores),
        "missing": any(study.ratings.n_missing for study in studies if study.ratings.identified),
        "model": parameters.model is not None,
        "clusters": any(study.ratings.clusters is not None for study in studies),
    }
    return {name for name, holds in found.items() if holds}


# A standard deviation of fewer differences says nothing.
FEWEST_SHARED = 3


def shared_pairs(ratings: Ratings) -> list[tuple[str, str]]:
    """Return the pairs of raters with three shared items or more, most shared items first."""
    rated = (~np.isnan(ratings.values)).astype(float)
    shared = rated.T @ rated
    found = [
        (-shared[one, other], one, other)
        for one, other in combinations(range(ratings.n_raters), 2)
        if shared[one, other] >= FEWEST_SHARED
    ]
    return [(ratings.raters[one], ratings.raters[other]) for _, one, other in sorted(found)]


def used_categories(ratings: Ratings) -> int:
    """Return how many categories occur at all."""
    return int((ratings.counts().sum(axis=0) > 0).sum())


def most_used_share(ratings: Ratings) -> float:
    """Return the share of the most used category among all ratings, in [0, 1]."""
    totals = ratings.counts().sum(axis=0)
    return float(totals.max() / np.maximum(totals.sum(), 1))
