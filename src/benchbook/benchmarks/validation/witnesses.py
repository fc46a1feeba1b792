"""Independent Python packages, asked during the run where they are installed."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
import pandas as pd

from benchbook.agreement import contingency_table
from benchbook.icc import FORMS
from benchbook.ratings import Ratings

from .reference import Record, Tables

MODULES = {"scikit-learn": "sklearn"}
SCHEMES = ("unweighted", "linear", "quadratic")
# pingouin rounds bounds to two decimals.
TWO_DECIMALS = 0.005 + 1e-9
NO_VARIANCE = "no variance: rounding noise"
NO_RESIDUAL = "infinite; rounding noise shown"
BELOW_ZERO = "the variance is exactly 0, its rounding error below 0 gives not-a-number"
ALPHABETICAL = "labels in alphabetical order where none are given"


@dataclass(frozen=True)
class Witness:
    """A package asked for a second opinion.

    Attributes
    ----------
    name : str
        Its name, as it is installed.
    version : str or None
        None when it is not installed, or cannot be imported.
    records : list of Record
        What it says about the tables.
    """

    name: str
    version: str | None
    records: list[Record]


def ask(name: str, tables: Tables) -> Witness:
    """Return what a package says about the tables, or that it is not installed."""
    try:
        importlib.import_module(MODULES.get(name, name))
        version = metadata.version(name)
    except (ImportError, metadata.PackageNotFoundError):
        return Witness(name, None, [])
    with warnings.catch_warnings():
        # They divide by zero on purpose made tables, and say so in their own ways.
        warnings.simplefilter("ignore")
        return Witness(name, version, list(ASKED[name](tables)))


def _record(
    package: str, function: str, table: str, statistic: str, numbers: dict[str, Any], **more: Any
) -> Record:
    known = {name: float(value) for name, value in numbers.items()}
    options = more.pop("options", {})
    return Record("", table, statistic, package, function, options, known, **more)


def _names(tables: Tables, scale: str) -> Iterator[str]:
    for name, about in tables.index.items():
        continuous = about["scale"] == "continuous"
        if about["layout"] != "counts" and continuous == (scale == "continuous"):
            yield str(name)


def _pairs(tables: Tables) -> Iterator[tuple[str, Ratings]]:
    """Yield tables of two raters, complete pairs only."""
    for name in _names(tables, "categories"):
        ratings = tables.ratings(name, "ordinal")
        if ratings.n_raters == 2:
            yield name, ratings.rows(~np.isnan(ratings.values).any(axis=1))


# ---- one package each --------------------------------------------------------------------


def scikit_learn(tables: Tables) -> Iterator[Record]:
    """Ask for Cohen's kappa, with the order of the labels and without it."""
    from sklearn.metrics import cohen_kappa_score

    for name, ratings in _pairs(tables):
        frame = ratings.frame().astype(str)
        first, second = frame.iloc[:, 0], frame.iloc[:, 1]
        labels = [str(label) for label in ratings.categories or ()]
        for scheme in SCHEMES:
            options = {"weights": scheme}
            weights = None if scheme == "unweighted" else scheme
            value = cohen_kappa_score(first, second, labels=labels, weights=weights)
            yield _record(
                "scikit-learn", "cohen_kappa_score", name, "Cohen kappa", {"value": value},
                options=options,
            )  # fmt: skip
            if name == "made_ordered_words" and weights:
                value = cohen_kappa_score(first, second, weights=weights)
                yield _record(
                    "scikit-learn", "cohen_kappa_score", name, "Cohen kappa", {"value": value},
                    options=options, deviates=frozenset({"value"}), why=ALPHABETICAL,
                )  # fmt: skip


def statsmodels(tables: Tables) -> Iterator[Record]:
    """Ask for Cohen's kappa with both errors, and for Fleiss' kappa of complete tables."""
    from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

    for name, ratings in _pairs(tables):
        table = contingency_table(ratings).to_numpy()
        for scheme in SCHEMES:
            made = cohens_kappa(table, wt=None if scheme == "unweighted" else scheme)
            numbers = {
                "value": made.kappa,
                "se": np.sqrt(made.var_kappa),
                "se_h0": np.sqrt(made.var_kappa0),
            }
            empty: dict[str, Any] = {}
            if name == "made_paradox_99":
                empty = {"deviates": frozenset({"se_h0"}), "why": BELOW_ZERO}
            yield _record(
                "statsmodels", "cohens_kappa", name, "Cohen kappa", numbers,
                options={"weights": scheme}, **empty,
            )  # fmt: skip
    for name in _names(tables, "categories"):
        ratings = tables.ratings(name)
        if ratings.complete and ratings.n_raters > 1:
            codes = np.asarray(ratings.values, dtype=int)
            counts, _ = aggregate_raters(codes, n_cat=ratings.n_categories)
            value = fleiss_kappa(counts)
            yield _record("statsmodels", "fleiss_kappa", name, "Fleiss kappa", {"value": value})


def krippendorff(tables: Tables) -> Iterator[Record]:
    """Ask for alpha at the levels that the labels allow."""
    from krippendorff import alpha

    for name in _names(tables, "categories"):
        ratings = tables.ratings(name, "ordinal")
        try:
            values = [float(label) for label in ratings.categories or ()]
            metrics = ["nominal", "ordinal", "interval", "ratio"]
        except ValueError:
            values, metrics = list(range(ratings.n_categories)), ["nominal", "ordinal"]
        codes = np.where(np.isnan(ratings.values), -1, ratings.values).astype(int)
        data = np.where(codes < 0, np.nan, np.array(values)[codes]).T
        for metric in metrics:
            yield _alpha(alpha, name, data, values, metric)


def _alpha(
    function: Callable[..., float], name: str, data: np.ndarray, values: list[Any], metric: str
) -> Record:
    options = {"level": metric}
    try:
        value = function(
            reliability_data=data, level_of_measurement=metric, value_domain=sorted(values)
        )
    except ValueError as error:
        return _record(
            "krippendorff", "alpha", name, "Krippendorff alpha", {}, options=options,
            error=" ".join(str(error).split()).rstrip("."),
        )  # fmt: skip
    return _record(
        "krippendorff", "alpha", name, "Krippendorff alpha", {"value": value}, options=options
    )


PINGOUIN = dict(
    zip(
        FORMS,
        ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"),
        strict=True,
    )
)


def pingouin(tables: Tables) -> Iterator[Record]:
    """Ask for the six intraclass correlations of complete tables."""
    from pingouin import intraclass_corr

    for name in _names(tables, "continuous"):
        frame = tables.frame(name)
        if frame.isna().any(axis=None) or len(frame) < FEWEST_ITEMS:
            continue
        long = pd.DataFrame(frame.to_numpy()).rename_axis(index="item").reset_index()
        long = long.melt("item", var_name="rater", value_name="score")
        made = intraclass_corr(long, targets="item", raters="rater", ratings="score")
        yield from _six_forms(name, made.set_index("Type"), _noise(frame))


# pingouin refuses fewer.
FEWEST_ITEMS = 5


def _noise(frame: pd.DataFrame) -> str:
    """Say why test statistics of a table can only be rounding noise, if they can."""
    values = frame.to_numpy(float)
    if np.ptp(values) == 0:
        return NO_VARIANCE
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    return NO_RESIDUAL if np.abs(rest).max() < 1e-12 * np.ptp(values) else ""


def _six_forms(name: str, made: pd.DataFrame, why: str) -> Iterator[Record]:
    for form, theirs in PINGOUIN.items():
        row = made.loc[theirs]
        numbers = {
            "value": row["ICC"], "f": row["F"], "df1": row["df1"], "df2": row["df2"],
            "p": row["pval"],
        }  # fmt: skip
        low, high = row["CI95"]
        bounds = {"lower": low, "upper": high}
        fields = [*numbers, *bounds] if why == NO_VARIANCE else ["f", "p"]
        noise = {"deviates": frozenset(fields), "why": why} if why else {}
        yield _record("pingouin", "intraclass_corr", name, form, numbers, **noise)
        within = {"within": TWO_DECIMALS}
        yield _record("pingouin", "intraclass_corr", name, form, bounds, described=within, **noise)


ASKED: dict[str, Callable[[Tables], Iterator[Record]]] = {
    "krippendorff": krippendorff,
    "pingouin": pingouin,
    "scikit-learn": scikit_learn,
    "statsmodels": statsmodels,
}
