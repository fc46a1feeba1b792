"""Metrics of classifiers: point values, analytic intervals, and their sums for the bootstrap.

Every scalar comes as an :class:`~benchbook.estimate.Estimate`, undefined with a reason where it
has no value; curves and tables of counts come as frozen dataclasses of arrays.
"""

from .bins import ProbabilityBins, probability_bins
from .calibration import (
    BrierParts,
    ReliabilityCurve,
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    reliability_curve,
)
from .classification import (
    ClassCounts,
    accuracy,
    class_counts,
    confusion_matrix,
    f_per_class,
    macro_f,
    micro_f,
)
from .curves import RankedCounts, auroc, average_precision, ranked_counts
from .decision import DecisionCurve, decision_curve, net_benefit
from .delong import AurocCovariance, delong_covariance, delong_interval
from .delong_comparison import AurocComparison, AurocDifference, auroc_difference, delong_test, holm
from .labels import Memberships, memberships, multilabel_memberships
from .operating import OperatingPoint, at_sensitivity, at_specificity, at_threshold
from .partial import partial_auroc
from .proportions import (
    McNemarTest,
    TwoProportionTest,
    mcnemar,
    mcnemar_counts,
    proportion,
    two_proportion_z,
)
from .recalibration import Recalibration, recalibration
from .roc_band import RocBand, roc_band
from .sums import (
    accuracy_statistic,
    brier_statistic,
    calibration_error_statistic,
    f_statistics,
    net_benefit_statistic,
    threshold_statistics,
)

__all__ = [
    "AurocComparison",
    "AurocCovariance",
    "AurocDifference",
    "BrierParts",
    "ClassCounts",
    "DecisionCurve",
    "McNemarTest",
    "Memberships",
    "OperatingPoint",
    "ProbabilityBins",
    "RankedCounts",
    "Recalibration",
    "ReliabilityCurve",
    "RocBand",
    "TwoProportionTest",
    "accuracy",
    "accuracy_statistic",
    "at_sensitivity",
    "at_specificity",
    "at_threshold",
    "auroc",
    "auroc_difference",
    "average_precision",
    "brier_decomposition",
    "brier_score",
    "brier_statistic",
    "calibration_error_statistic",
    "class_counts",
    "confusion_matrix",
    "decision_curve",
    "delong_covariance",
    "delong_interval",
    "delong_test",
    "expected_calibration_error",
    "f_per_class",
    "f_statistics",
    "holm",
    "macro_f",
    "mcnemar",
    "mcnemar_counts",
    "memberships",
    "micro_f",
    "multilabel_memberships",
    "net_benefit",
    "net_benefit_statistic",
    "partial_auroc",
    "probability_bins",
    "proportion",
    "ranked_counts",
    "recalibration",
    "reliability_curve",
    "roc_band",
    "threshold_statistics",
    "two_proportion_z",
]
