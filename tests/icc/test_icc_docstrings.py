"""The examples in the docstrings say what the functions say."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["coefficients", "method_comparison"])
def test_examples(name):
    found = doctest.testmod(import_module(f"benchbook.icc.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
