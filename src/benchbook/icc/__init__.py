"""Continuous scores: intraclass correlations and method comparison."""

from .anova import TwoWayAnova, two_way_anova
from .coefficients import icc, intraclass_correlations
from .components import VarianceComponents
from .correlations import Concordance, concordance, pearson, spearman
from .forms import FORMS, Form, icc_form
from .method_comparison import BlandAltman, bland_altman
from .mixed import MixedModel, mixed_model
from .one_way import OneWayAnova, one_way_anova, one_way_icc
from .proportional import RegressionLimits, regression_limits
from .replicate_tables import replicates_from_long
from .replicates import ReplicatedBlandAltman, bland_altman_replicates
from .results import ICCResult, IntraclassCorrelations
from .sem import MeasurementError, measurement_error
from .sums import (
    bland_altman_statistic,
    ccc_statistic,
    icc_statistic,
    sem_statistic,
    slope_statistic,
)

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
    "sem_statistic",
    "slope_statistic",
    "spearman",
    "two_way_anova",
]
