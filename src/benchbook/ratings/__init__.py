"""Ratings of items by raters: one checked table, made from any of the usual shapes.

Every agreement statistic reads the same object, so the handling of categories, missing cells
and input mistakes is settled here once.
"""

from .labels import KINDS, Kind, canonical, check_kind
from .table import Ratings, as_ratings

__all__ = ["KINDS", "Kind", "Ratings", "as_ratings", "canonical", "check_kind"]
