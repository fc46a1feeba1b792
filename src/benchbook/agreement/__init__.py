"""Agreement of raters on nominal and ordinal scales.

Coefficients return results whose ``estimate`` carries an analytic interval; the ``*_statistic``
functions express the same coefficients as functions of sums, for `benchbook.resampling`.
"""

from .comparison import AgreementDifference, agreement_difference, leave_one_rater_out
from .guide import Description, Recommendation, guide
from .gwet import brennan_prediger, gwet_ac
from .items import AgreementResult
from .krippendorff import AlphaResult, coincidence_table, krippendorff_alpha
from .many_raters import (
    CONVENTIONS,
    FleissResult,
    conger_kappa,
    fleiss_kappa,
    mean_pairwise_kappa,
    pairwise_kappa,
    percent_agreement,
)
from .sums import (
    ac_statistic,
    alpha_statistic,
    brennan_prediger_statistic,
    conger_statistic,
    fleiss_statistic,
    kappa_statistic,
    mean_pairwise_kappa_statistic,
    mean_pairwise_statistic,
    percent_agreement_statistic,
)
from .two_raters import KappaResult, cohen_kappa, contingency_table
from .weights import NAMED_WEIGHTS, Weights, custom_weights, resolve_weights
from .words import LANDIS_KOCH, Verdict, landis_koch, verdict

__all__ = [
    "CONVENTIONS",
    "LANDIS_KOCH",
    "NAMED_WEIGHTS",
    "AgreementDifference",
    "AgreementResult",
    "AlphaResult",
    "Description",
    "FleissResult",
    "KappaResult",
    "Recommendation",
    "Verdict",
    "Weights",
    "ac_statistic",
    "agreement_difference",
    "alpha_statistic",
    "brennan_prediger",
    "brennan_prediger_statistic",
    "cohen_kappa",
    "coincidence_table",
    "conger_kappa",
    "conger_statistic",
    "contingency_table",
    "custom_weights",
    "fleiss_kappa",
    "fleiss_statistic",
    "guide",
    "gwet_ac",
    "kappa_statistic",
    "krippendorff_alpha",
    "landis_koch",
    "leave_one_rater_out",
    "mean_pairwise_kappa",
    "mean_pairwise_kappa_statistic",
    "mean_pairwise_statistic",
    "pairwise_kappa",
    "percent_agreement",
    "percent_agreement_statistic",
    "resolve_weights",
    "verdict",
]
