"""Which statistic for which ratings, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..errors import ParameterError, nearest
from ..ratings import KINDS, Kind, Ratings

Need = Literal["absolute", "relative"]

# From this share of all ratings on, one category makes kappa hard to read.
DOMINANT = 0.9

NO_KAPPA_ON_SCORES = (
    "Cohen or Fleiss kappa on continuous scores: a difference of a hair would count as much as "
    "the largest one. Use ICC(2,1): two-way random, single rater, absolute agreement."
)
NO_BARE_ICC = "'the ICC' without its form: ICC(2,1) and ICC(3,1) can differ widely on one table."
NO_CORRELATION = (
    "a correlation as agreement: a rater who is always 5 points higher has a correlation of 1."
)
NO_BARE_PERCENT = (
    "percent agreement alone: chance produces much of it. Report it beside a corrected statistic."
)
NO_ORDER = (
    "relative agreement of nominal categories: without an order two raters cannot rank alike, "
    "so absolute agreement is recommended."
)


@dataclass(frozen=True)
class Description:
    """What a choice of statistic depends on.

    Attributes
    ----------
    kind : {"nominal", "ordinal", "continuous"}
        Level of measurement.
    n_raters : int
        Raters (or, for counts, the most ratings of one item); 2 or more.
    missing : bool
        True when some rater did not rate some item.
    equal_counts : bool
        True when every item has the same number of ratings.
    identified : bool
        True when it is known which rater gave which rating.
    dominant : float
        Share of the most used category among all ratings, in [0, 1]; 0 when not known.
    """

    kind: Kind
    n_raters: int
    missing: bool = False
    equal_counts: bool = True
    identified: bool = True
    dominant: float = 0.0

    @classmethod
    def of(cls, ratings: Ratings) -> Description:
        """Describe the given ratings."""
        per_item = (~np.isnan(ratings.values)).sum(axis=1)
        shares = np.zeros(1)
        if ratings.categories is not None:
            shares = ratings.counts().sum(axis=0) / per_item.sum()
        return cls(
            kind=ratings.kind,
            n_raters=ratings.n_raters,
            missing=not ratings.complete,
            equal_counts=bool((per_item == per_item[0]).all()),
            identified=ratings.identified,
            dominant=float(shares.max()),
        )


@dataclass(frozen=True)
class Recommendation:
    """The statistic to report, and the reasons.

    Attributes
    ----------
    key : str
        Stable name for look-ups: ``cohen_kappa``, ``weighted_kappa``, ``fleiss_kappa``,
        ``krippendorff_alpha``, ``icc_2_1``, ``icc_3_1`` or ``icc_mixed``.
    statistic : str
        Its name in full, form included.
    why : str
        Why this one, in sentences.
    alternatives : tuple of str
        Others that fit, and when they are better.
    refusals : tuple of str
        What not to report on these data, and why.
    """

    key: str
    statistic: str
    why: str
    alternatives: tuple[str, ...]
    refusals: tuple[str, ...]


def guide(data: Ratings | Description, need: Need = "absolute") -> Recommendation:
    """Recommend a statistic.

    Parameters
    ----------
    data : Ratings or Description
        The ratings, or what is known of them before they exist.
    need : {"absolute", "relative"}
        Whether raters must give the same answer (absolute agreement, what an answer key needs)
        or only rank the items alike (consistency).

    Returns
    -------
    Recommendation

    Raises
    ------
    ParameterError
        Unknown need or kind, or fewer than two raters.

    Examples
    --------
    >>> guide(Description(kind="continuous", n_raters=3)).key
    'icc_2_1'
    """
    about = Description.of(data) if isinstance(data, Ratings) else data
    if need not in ("absolute", "relative"):
        raise ParameterError(f"unknown need '{need}'; {nearest(need, ('absolute', 'relative'))}")
    if about.kind not in KINDS:
        raise ParameterError(f"unknown kind of data '{about.kind}'; {nearest(about.kind, KINDS)}")
    if about.n_raters < 2:
        raise ParameterError(f"agreement needs at least two raters; found {about.n_raters}.")
    rules: dict[str, Callable[[Description, Need], Recommendation]] = {
        "nominal": _nominal,
        "ordinal": _ordinal,
        "continuous": _continuous,
    }
    return rules[about.kind](about, need)


def _nominal(about: Description, need: Need) -> Recommendation:
    refusals = [NO_BARE_PERCENT, *_of_one_category(about)]
    if need == "relative":
        refusals.append(NO_ORDER)
    ac1 = "Gwet AC1: less sensitive to a category that nearly all ratings share" + _dominance(about)
    if about.n_raters == 2 and about.identified:
        return Recommendation(
            "cohen_kappa",
            "Cohen kappa",
            "Two raters and unordered categories: agreement beyond what the raters' own margins "
            f"would give by chance.{_pairs(about)}",
            (ac1, "PABAK with the prevalence and bias indices, always beside kappa"),
            tuple(refusals),
        )
    if about.equal_counts:
        return Recommendation(
            "fleiss_kappa",
            "Fleiss kappa",
            f"{_raters(about)}, unordered categories, the same number of ratings for every item: "
            "agreement beyond what the pooled margins would give by chance. Different raters may "
            "have judged different items.",
            (
                ac1,
                "Krippendorff alpha (nominal): the same up to a small-sample correction",
                *_by_rater(about),
            ),
            tuple(refusals),
        )
    return Recommendation(
        "krippendorff_alpha",
        "Krippendorff alpha (nominal)",
        f"{_raters(about)} and unordered categories, and items have different numbers of ratings: "
        "alpha uses every item with two ratings or more.",
        (
            ac1,
            "Fleiss kappa with a named convention for unequal numbers of ratings",
            *_by_rater(about),
        ),
        (
            *refusals,
            "Fleiss kappa without saying how unequal numbers of ratings were treated: it was "
            "defined for equal ones.",
        ),
    )


def _ordinal(about: Description, need: Need) -> Recommendation:
    plain = (
        "unweighted kappa as the only statistic: it counts neighbouring and opposite levels as "
        "the same disagreement."
    )
    refusals = (NO_BARE_PERCENT, *_of_one_category(about), plain)
    if need == "relative":
        return Recommendation(
            "icc_3_1",
            "ICC(3,1): two-way mixed, single rater, consistency (on the level numbers)",
            "Only the ranking of items matters, so a rater who is always one level higher does "
            "no harm. The level numbers are taken as equally spaced.",
            ("Spearman correlation for two raters, which needs no equal spacing",),
            (*refusals, NO_BARE_ICC),
        )
    spaced = (
        "ICC(2,1), two-way random, single rater, absolute agreement, when the levels are equally "
        "spaced numbers; quadratic weighted kappa comes close to it"
    )
    ac2 = "Gwet AC2 with the same weights" + _dominance(about)
    if about.n_raters == 2 and about.identified:
        return Recommendation(
            "weighted_kappa",
            "weighted kappa (quadratic)",
            "Two raters and ordered levels: disagreement counts by its distance in ranks. Name "
            f"the weights: linear ones give another number.{_pairs(about)}",
            ("Krippendorff alpha (ordinal)", ac2, spaced),
            refusals,
        )
    return Recommendation(
        "krippendorff_alpha",
        "Krippendorff alpha (ordinal)",
        f"{_raters(about)} and ordered levels: alpha with the ordinal metric uses the order and "
        "every item with two ratings or more.",
        (ac2, spaced, *_by_rater(about)),
        (*refusals, "unweighted Fleiss kappa as the only statistic: it does not know the order."),
    )


def _continuous(about: Description, need: Need) -> Recommendation:
    refusals = (NO_KAPPA_ON_SCORES, NO_BARE_ICC, NO_CORRELATION)
    if need == "relative":
        return Recommendation(
            "icc_3_1",
            "ICC(3,1): two-way mixed, single rater, consistency",
            "Only the ranking of items matters, so a constant shift between raters does no harm.",
            ("Spearman correlation for two raters",),
            refusals[:2],
        )
    one_way = "ICC(1,1), one-way random, when every item was rated by other raters"
    if about.missing:
        return Recommendation(
            "icc_mixed",
            "ICC(2,1): two-way random, single rater, absolute agreement, by a mixed model (REML)",
            "Scores with missing cells: the mixed model uses every rating, where listwise deletion "
            "throws items away.",
            ("Krippendorff alpha (interval)", one_way),
            refusals,
        )
    methods = ("Bland-Altman limits and Lin's concordance for two methods of measurement",)
    return Recommendation(
        "icc_2_1",
        "ICC(2,1): two-way random, single rater, absolute agreement",
        "Scores, every rater rated every item, and raters must give the same value: a rater who "
        "is always higher lowers it. It generalises beyond the raters at hand.",
        (
            "ICC(2,k) when the mean of the raters is what will be used",
            *(methods if about.n_raters == 2 else ()),
            one_way,
        ),
        refusals,
    )


def _raters(about: Description) -> str:
    if not about.identified:
        return f"Up to {about.n_raters} ratings per item by raters who are not known"
    return f"{about.n_raters} raters"


def _pairs(about: Description) -> str:
    return " Items that only one of them rated are left out and counted." if about.missing else ""


def _by_rater(about: Description) -> tuple[str, ...]:
    if not about.identified or about.n_raters == 2:
        return ()
    return ("mean pairwise (Light) or Conger kappa, when the raters are the persons of interest",)


def _dominance(about: Description) -> str:
    if about.dominant < DOMINANT:
        return ""
    return (
        f". Here {100 * about.dominant:.0f} % of all ratings are one category: kappa will be low "
        "even with few disagreements, so show both"
    )


def _of_one_category(about: Description) -> tuple[str, ...]:
    if about.dominant < 1:
        return ()
    return (
        "any kappa or alpha on these ratings: every rating is the same category, so agreement "
        "beyond chance is undefined. Say so, with the percent agreement.",
    )
