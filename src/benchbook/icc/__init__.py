"""Continuous scores: intraclass correlations and method comparison."""

from .anova import TwoWayAnova, two_way_anova
from .bland_altman import BlandAltman, bland_altman
from .coefficients import icc, intraclass_correlations
from .components import VarianceComponents
from .concordance import Concordance, concordance, pearson, spearman
from .forms import FORMS, Form, icc_form
from .measurement_error import MeasurementError, measurement_error
from .mixed import MixedModel, mixed_model
from .one_way import OneWayAnova, one_way_anova, one_way_icc
from .proportional import RegressionLimits, regression_limits
from .replicate_tables import replicates_from_long
from .replicates import ReplicatedBlandAltman, bland_altman_replicates
from .results import ICCResult, IntraclassCorrelations
from .sums import bland_altman_statistic, ccc_statistic, icc_statistic

__all__ = [
    "FORMS",
    "BlandAltman",
    "Concordance",
    "Form",
    "ICCResult",
    "IntraclassCorrelations",
    "MeasurementError",
    "MixedModel",
    "OneWayAnova",
    "RegressionLimits",
    "ReplicatedBlandAltman",
    "TwoWayAnova",
    "VarianceComponents",
    "bland_altman",
    "bland_altman_replicates",
    "bland_altman_statistic",
    "ccc_statistic",
    "concordance",
    "icc",
    "icc_form",
    "icc_statistic",
    "intraclass_correlations",
    "measurement_error",
    "mixed_model",
    "one_way_anova",
    "one_way_icc",
    "pearson",
    "regression_limits",
    "replicates_from_long",
    "spearman",
    "two_way_anova",
]
