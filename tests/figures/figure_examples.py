"""One ordinary figure and several awkward ones of each kind, made from small invented tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import ecg_examples
import numpy as np
import pandas as pd

from benchbook import figures
from benchbook.estimate import Estimate, undefined
from benchbook.figures import HouseFigure

LONG = "Department of diagnostic radiology, reader {} (second session, after the washout period)"
REASON = "both raters used one category only, so chance agreement is 1 and the coefficient is 0/0"

ESTIMATES = [
    Estimate(0.703, 0.652, 0.751, name="Cohen κ"),
    Estimate(0.25, -0.02, 0.61, name="Fleiss κ"),
    Estimate(0.43, name="Krippendorff α"),
    undefined(REASON, name="Scott π"),
    Estimate(-0.12, -1.4, 0.2, name="Brennan–Prediger"),
]
THRESHOLDS = {"accepted from 0.70": 0.70, "conditional from 0.61": 0.61}
# Shrout and Fleiss 1979, and intervals of the published example.
ICCS = {
    "ICC(3,1)": Estimate(0.715, 0.342, 0.946),
    "ICC(1,1)": Estimate(0.166, -0.133, 0.723),
    "ICC(1,k)": Estimate(0.443, -0.884, 0.912),
    "ICC(2,1)": Estimate(0.290, 0.019, 0.761),
    "ICC(2,k)": Estimate(0.620, 0.071, 0.927),
    "ICC(3,k)": Estimate(0.909, 0.676, 0.986),
}
COEFFICIENTS = pd.DataFrame(
    {
        "name": ["Spearman ρ", "ICC(3,1)", "ICC(2,1)", "Lin CCC"],
        "value": [1.0, 1.0, 0.74, 0.73],
        "group": ["consistency", "consistency", "agreement", "agreement"],
    }
)
LIMITS = [
    Estimate(-2.1, -22.0, 17.9, name="Mean difference"),
    Estimate(-78.0, -113.0, -43.0, name="Lower limit of agreement"),
    Estimate(74.0, 39.0, 109.0, name="Upper limit of agreement"),
]
FULL = Estimate(0.44, 0.36, 0.53, name="Fleiss κ")


def curves(n: int = 41) -> pd.DataFrame:
    p = np.linspace(0.02, 0.98, n)
    chance = (0.1 + 0.8 * p) ** 2 + (0.9 - 0.8 * p) ** 2
    gwet = 2 * (0.1 + 0.8 * p) * (0.9 - 0.8 * p)
    return pd.DataFrame(
        {
            "prevalence": p,
            "percent_agreement": 0.82,
            "kappa": (0.82 - chance) / (1 - chance),
            "ac1": (0.82 - gwet) / (1 - gwet),
            "pabak": 0.64,
        }
    )


def matrix(k: int, low: float = 0.2, holes: int = 0) -> np.ndarray:
    generator = np.random.default_rng(k)
    values = generator.uniform(low, 0.95, (k, k))
    values = (values + values.T) / 2
    for first, second in generator.integers(0, k, (holes, 2)):
        values[first, second] = values[second, first] = np.nan
    np.fill_diagonal(values, 1.0)
    return values


def cloud(n: int = 17) -> pd.DataFrame:
    generator = np.random.default_rng(n)
    return pd.DataFrame(
        {"mean": generator.uniform(200, 650, n), "difference": generator.normal(0, 38, n)}
    )


def methods() -> pd.DataFrame:
    rows = [
        {"name": name, "method": method, "value": value, "low": value - 0.08, "high": value + 0.07}
        for name, value in (("Cohen κ", 0.7), ("Fleiss κ", 0.43))
        for method in ("analytic", "percentile", "basic", "BCa")
    ]
    rows[-1] |= {"low": math.nan, "high": math.nan, "reason": REASON}
    return pd.DataFrame(rows).assign(level=0.95)


def without() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "rater": ["A", "B", "C", "D"],
            "without": [0.43, 0.52, 0.39, math.nan],
            "reason": [None, None, None, REASON],
        }
    )


def use(n_raters: int = 6, n_categories: int = 4, name: str = "Rater {}") -> pd.DataFrame:
    counts = np.random.default_rng(2).integers(0, 40, (n_raters, n_categories))
    return pd.DataFrame(
        [
            {"rater": name.format(i + 1), "category": f"grade {j + 1}", "count": counts[i, j]}
            for i in range(n_raters)
            for j in range(n_categories)
        ]
    )


def scores(n_items: int, n_raters: int) -> pd.DataFrame:
    generator = np.random.default_rng(n_items)
    values = generator.normal(50, 10, (n_items, 1)) + generator.normal(0, 3, (n_items, n_raters))
    values[0, 0] = np.nan
    return pd.DataFrame(values, columns=[f"Judge {i + 1}" for i in range(n_raters)])


def replicates() -> np.ndarray:
    values = np.random.default_rng(1).normal(0.7, 0.025, 2000)
    values[:12] = np.nan
    return values


BOOTSTRAP = Estimate(
    0.703,
    0.652,
    0.751,
    name="Cohen κ",
    method="percentile bootstrap",
    monte_carlo_error=(0.0012, 0.0011),
)


def coverages(n_groups: int = 2, name: str = "{}") -> pd.DataFrame:
    methods = [("percentile", "cluster"), ("BCa", "cluster"), ("percentile, items", "item")]
    rows = [
        {"group": f"Design {group}", "name": name.format(method), "unit": unit}
        for group in range(n_groups)
        for method, unit in methods
    ]
    value = np.array([0.93, 0.95, 0.52] * n_groups)
    return pd.DataFrame(rows).assign(
        value=value, low=value - 0.02, high=value + 0.02, text="93.0 ± 0.8 %", other=value - 0.01
    )


def sweep(n_groups: int = 3) -> pd.DataFrame:
    rows = [
        {"group": f"Design {group}", "correlation": rho, "unit": unit, "value": value}
        for group in range(n_groups)
        for rho in (0.0, 0.4, 0.8)
        for unit, value in (("cluster", 0.94), ("item", 0.95 - rho / 2))
    ]
    table = pd.DataFrame(rows)
    return table.assign(low=table["value"] - 0.02, high=table["value"] + 0.02)


def errors(sizes: tuple[int, ...] = (100, 1000, 10_000)) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"group": side, "name": method, "n_resamples": size, "value": 90 * scale / size**0.5}
            for side in ("lower bound", "upper bound")
            for method, scale in (("percentile", 1.0), ("BCa", 2.0), ("studentised", 3.0))
            for size in sizes
        ]
    ).assign(predicted=lambda table: 0.95 * table["value"])


FIVE = [
    Estimate(0.703, 0.652, 0.751, name="percentile"),
    Estimate(0.703, 0.655, 0.754, name="basic"),
    Estimate(0.703, reason="the acceleration of BCa is undefined", name="BCa"),
]
PAIR = np.array([12.0, 15, 17, 20, 21, 24, 27, 29, 33, 36])

DIFFERENCES = pd.DataFrame(
    {
        "name": ["Cohen κ", "Cohen κ", "Fleiss κ", "Krippendorff α"],
        "difference": [0.0, 2e-16, 3e-3, math.nan],
        "verdict": ["matches", "matches", "convention", "other deviates"],
    }
)

ORDINARY: dict[str, Callable[..., HouseFigure]] = {
    "differences": lambda **kw: figures.differences(DIFFERENCES, tolerance=1e-8, **kw),
    "kappa_paradox": lambda **kw: figures.kappa_paradox(curves(), **kw),
    "forest": lambda **kw: figures.forest(ESTIMATES, thresholds=THRESHOLDS, **kw),
    "coefficient_difference": lambda **kw: figures.coefficient_difference(ESTIMATES, **kw),
    "leave_one_out": lambda **kw: figures.leave_one_out(without(), FULL, **kw),
    "pairwise_heatmap": lambda **kw: figures.pairwise_heatmap(matrix(6, -0.4, 4), **kw),
    "icc_forms": lambda **kw: figures.icc_forms(ICCS, **kw),
    "consistency_against_agreement": lambda **kw: figures.consistency_against_agreement(
        PAIR, PAIR + 5, COEFFICIENTS, unit="points", **kw
    ),
    "bland_altman_plot": lambda **kw: figures.bland_altman_plot(
        cloud(), LIMITS, names=("Wright", "mini Wright"), unit="l/min", trend=(9.0, -0.02), **kw
    ),
    "interval_comparison": lambda **kw: figures.interval_comparison(methods(), **kw),
    "category_use": lambda **kw: figures.category_use(use(), **kw),
    "bootstrap_distribution": lambda **kw: figures.bootstrap_distribution(
        replicates(), BOOTSTRAP, **kw
    ),
    "ratings_by_item": lambda **kw: figures.ratings_by_item(scores(24, 4), **kw),
    "coverage_by_method": lambda **kw: figures.coverage_by_method(
        coverages(), band=(0.925, 1.0), other="this run: 200 data sets, 400 resamples each", **kw
    ),
    "interval_widths": lambda **kw: figures.interval_widths(coverages(), **kw),
    "coverage_against_correlation": lambda **kw: figures.coverage_against_correlation(
        sweep(), theory=sweep(1)[["group", "correlation", "value"]].iloc[1::2], **kw
    ),
    "convergence": lambda **kw: figures.convergence(errors(), **kw),
    "intervals_on_distribution": lambda **kw: figures.intervals_on_distribution(
        replicates(), FIVE, truth=0.69, label="Cohen κ", **kw
    ),
}

_LONG_ESTIMATES = [
    Estimate(0.5, 0.4, 0.6, name=LONG.format(1)),
    undefined(REASON, name="W" * 120),
    Estimate(-0.4, -0.8, 0.1, name="κ"),
]
_FORTY = [Estimate(0.02 * i, 0.02 * i - 0.1, 0.02 * i + 0.1, name=f"Pair {i}") for i in range(40)]
_EQUAL = [Estimate(1.0, 1.0, 1.0, name="κ"), Estimate(1.0, 1.0, 1.0, name="AC1")]
_LONG_NAMES = [LONG.format(i) for i in range(8)]

AWKWARD: dict[str, Callable[..., HouseFigure]] = {
    "paradox, one point": lambda **kw: figures.kappa_paradox(curves(1), **kw),
    "paradox, no value": lambda **kw: figures.kappa_paradox(curves().assign(kappa=np.nan), **kw),
    "paradox, same ends": lambda **kw: figures.kappa_paradox(
        curves()[["prevalence"]].assign(a=0.5, b=0.5, c=0.5, d=0.5, e=0.5), **kw
    ),
    "paradox, below zero": lambda **kw: figures.kappa_paradox(
        curves()[["prevalence"]].assign(kappa=-0.4), **kw
    ),
    "forest, one row": lambda **kw: figures.forest(ESTIMATES[0], **kw),
    "forest, undefined only": lambda **kw: figures.forest(ESTIMATES[3], **kw),
    "forest, long names": lambda **kw: figures.forest(
        _LONG_ESTIMATES, thresholds={LONG: 0.3, "x": 0.1}, **kw
    ),
    "forest, forty": lambda **kw: figures.forest(_FORTY, **kw),
    "forest, equal": lambda **kw: figures.forest(_EQUAL, bands=None, **kw),
    "forest, no bands, negative": lambda **kw: figures.forest(
        [Estimate(-3.0, -7.5, 2.0, name="z")], bands=None, **kw
    ),
    "forest, narrow limits": lambda **kw: figures.forest(ESTIMATES, limits=(0.6, 0.8), **kw),
    "forest, groups": lambda **kw: figures.forest(
        pd.DataFrame([entry.as_row(group=LONG) for entry in ESTIMATES]), **kw
    ),
    "difference, all zero": lambda **kw: figures.coefficient_difference(
        [Estimate(0.0, 0.0, 0.0, name="κ")], **kw
    ),
    "difference, undefined": lambda **kw: figures.coefficient_difference(ESTIMATES[3], **kw),
    "influence, equal": lambda **kw: figures.leave_one_out(
        without().assign(without=0.44), FULL.value, **kw
    ),
    "influence, undefined": lambda **kw: figures.leave_one_out(without(), undefined(REASON), **kw),
    "influence, nothing defined": lambda **kw: figures.leave_one_out(
        without().assign(without=math.nan), math.nan, **kw
    ),
    "influence, forty": lambda **kw: figures.leave_one_out(
        pd.DataFrame({"rater": _LONG_NAMES * 5, "value": np.linspace(0.3, 0.5, 40)}), FULL, **kw
    ),
    "heat map, two": lambda **kw: figures.pairwise_heatmap(matrix(2), ["A", "B"], **kw),
    "heat map, two long": lambda **kw: figures.pairwise_heatmap(matrix(2), _LONG_NAMES[:2], **kw),
    "heat map, eight long": lambda **kw: figures.pairwise_heatmap(matrix(8), _LONG_NAMES, **kw),
    "heat map, forty": lambda **kw: figures.pairwise_heatmap(matrix(40, -0.9, 60), **kw),
    "heat map, undefined": lambda **kw: figures.pairwise_heatmap(
        np.full((3, 3), np.nan), statistic=LONG, **kw
    ),
    "heat map, one": lambda **kw: figures.pairwise_heatmap(np.ones((5, 5)), order="mean", **kw),
    "heat map, minus one": lambda **kw: figures.pairwise_heatmap(-np.ones((5, 5)), **kw),
    "ICC, one form": lambda **kw: figures.icc_forms({"ICC(A,1)": ICCS["ICC(2,1)"]}, **kw),
    "ICC, undefined": lambda **kw: figures.icc_forms(
        {name: undefined(REASON) for name in ICCS}, **kw
    ),
    "consistency, one pair": lambda **kw: figures.consistency_against_agreement(
        [3.0], [3.0], COEFFICIENTS.assign(value=np.nan, reason=REASON), names=(LONG, LONG), **kw
    ),
    "consistency, large numbers": lambda **kw: figures.consistency_against_agreement(
        PAIR * 1e6, PAIR * 1e6 + 5e6, COEFFICIENTS, **kw
    ),
    "limits, one point": lambda **kw: figures.bland_altman_plot(cloud(1), LIMITS, **kw),
    "limits, equal": lambda **kw: figures.bland_altman_plot(
        cloud().assign(difference=0.0, mean=5.0),
        [Estimate(0.0, name=name) for name in ("Mean difference", "Lower limit", "Upper limit")],
        **kw,
    ),
    "limits, undefined": lambda **kw: figures.bland_altman_plot(
        cloud(2), [undefined(REASON, name=entry.name) for entry in LIMITS], names=(LONG, LONG), **kw
    ),
    "limits, ratio": lambda **kw: figures.bland_altman_plot(
        cloud().assign(difference=lambda table: np.exp(table["difference"] / 60)),
        [Estimate(1.02, 0.8, 1.3, name="Ratio"), Estimate(0.3, 0.2, 0.4, name="Lower limit")],
        scale="ratio",
        **kw,
    ),
    "limits, replicates": lambda **kw: figures.bland_altman_plot(
        cloud(30).assign(subject=lambda table: table.index // 3), LIMITS, scale="percent", **kw
    ),
    "limits, many": lambda **kw: figures.bland_altman_plot(cloud(6000), LIMITS, **kw),
    "intervals, one": lambda **kw: figures.interval_comparison(methods().head(1), **kw),
    "intervals, ten methods": lambda **kw: figures.interval_comparison(
        pd.DataFrame([{"name": LONG, "method": f"method {i}", "value": 0.5} for i in range(10)]),
        **kw,
    ),
    "use, one": lambda **kw: figures.category_use(use(1, 1), **kw),
    "use, forty raters": lambda **kw: figures.category_use(use(40, 12, LONG), **kw),
    "use, twelve ordered": lambda **kw: figures.category_use(use(3, 12), ordered=True, **kw),
    "use, nothing rated": lambda **kw: figures.category_use(use().assign(count=0), **kw),
    "use, not rated": lambda **kw: figures.category_use(
        use().replace({"category": {"grade 4": None}}), ordered=True, **kw
    ),
    "bootstrap, constant": lambda **kw: figures.bootstrap_distribution(
        np.ones(500), Estimate(1.0, name=LONG, method=LONG), **kw
    ),
    "bootstrap, few values": lambda **kw: figures.bootstrap_distribution(
        np.arange(60) % 4 / 4, BOOTSTRAP, **kw
    ),
    "bootstrap, undefined": lambda **kw: figures.bootstrap_distribution(
        [0.1, 0.2, np.nan], ESTIMATES[3], **kw
    ),
    "items, one": lambda **kw: figures.ratings_by_item([[5.0]], **kw),
    "items, equal": lambda **kw: figures.ratings_by_item(np.full((6, 3), 7.0), label=LONG, **kw),
    "items, forty raters": lambda **kw: figures.ratings_by_item(
        scores(240, 40), highlight=["Judge 3", "Judge 17"], **kw
    ),
    "items, forty grey": lambda **kw: figures.ratings_by_item(scores(9, 40), **kw),
    "items, long names": lambda **kw: figures.ratings_by_item(
        pd.DataFrame(np.arange(24.0).reshape(8, 3), index=_LONG_NAMES, columns=_LONG_NAMES[:3]),
        **kw,
    ),
    "coverage, long names": lambda **kw: figures.coverage_by_method(
        coverages(1, LONG), other=LONG, **kw
    ),
    "coverage, no intervals": lambda **kw: figures.coverage_by_method(
        coverages().assign(value=np.nan, low=np.nan, high=np.nan, reason=REASON, text=""), **kw
    ),
    "coverage, many": lambda **kw: figures.coverage_by_method(coverages(9), **kw),
    "widths, tiny": lambda **kw: figures.interval_widths(
        coverages().assign(value=1e-3, low=1e-3, high=1e-3), **kw
    ),
    "correlation, one": lambda **kw: figures.coverage_against_correlation(
        sweep(1).head(1).assign(group=LONG), **kw
    ),
    "correlation, five": lambda **kw: figures.coverage_against_correlation(sweep(5), **kw),
    "convergence, one size": lambda **kw: figures.convergence(errors((500,)), **kw),
    "convergence, no error": lambda **kw: figures.convergence(errors().assign(value=0.0), **kw),
    "distribution, constant": lambda **kw: figures.intervals_on_distribution(
        np.ones(300), [Estimate(1.0, 1.0, 1.0, name="percentile")], truth=0.95, **kw
    ),
    "distribution, undefined": lambda **kw: figures.intervals_on_distribution(
        [0.2, np.nan], [undefined(REASON, name=LONG)], **kw
    ),
}

ORDINARY |= ecg_examples.ORDINARY
AWKWARD |= ecg_examples.AWKWARD
