"""Figures: one function per kind, each from a tidy table to a Matplotlib figure.

Every figure is drawn in the house style (colours everybody can tell apart and that differ in
grey too, letters of 7 points or more at the printed width of 85, 120 or 174 mm) on opaque white,
carries the numbers it shows, and is saved as the same bytes on every run.
"""

from .agreement import (
    coefficient_difference,
    forest,
    kappa_paradox,
    leave_one_out,
)
from .calibration import reliability
from .classification import roc_plane
from .comparison import (
    bland_altman_plot,
    consistency_against_agreement,
    icc_forms,
)
from .coverage import (
    convergence,
    coverage_against_correlation,
    coverage_by_method,
    interval_widths,
    intervals_on_distribution,
)
from .ecg_page import ecg_page
from .export import figure_data, save_figure, save_table
from .intervals import bootstrap_distribution, interval_comparison
from .items import ratings_by_item
from .ranks import co_occurrence, rank_heatmap
from .raters import category_use, pairwise_heatmap
from .scores import class_scores, forest_of_differences, macro_scores
from .style import PALETTE, WIDTHS_MM, HouseFigure, house_style
from .validation import differences

__all__ = [
    "PALETTE",
    "WIDTHS_MM",
    "HouseFigure",
    "bland_altman_plot",
    "bootstrap_distribution",
    "category_use",
    "class_scores",
    "co_occurrence",
    "coefficient_difference",
    "consistency_against_agreement",
    "convergence",
    "coverage_against_correlation",
    "coverage_by_method",
    "differences",
    "ecg_page",
    "figure_data",
    "forest",
    "forest_of_differences",
    "house_style",
    "icc_forms",
    "interval_comparison",
    "interval_widths",
    "intervals_on_distribution",
    "kappa_paradox",
    "leave_one_out",
    "macro_scores",
    "pairwise_heatmap",
    "rank_heatmap",
    "ratings_by_item",
    "reliability",
    "roc_plane",
    "save_figure",
    "save_table",
]
