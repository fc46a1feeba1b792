"""Hypothesis without a time limit per example: several programs may share the machine."""

from hypothesis import settings

settings.register_profile("metrics", deadline=None)
settings.load_profile("metrics")
