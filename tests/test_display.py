"""What cells show: rounding at display only, captions with links, files beside the page."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from benchbook.display import (
    CAPTION_KEY,
    Drawing,
    Shelf,
    Table,
    formatted,
    html_table,
    interval_text,
    p_text,
    plain,
    say,
    without_repeats,
)


@pytest.fixture
def shown(monkeypatch, tmp_path):
    """Collect what would be displayed; files go to a folder of the test."""
    monkeypatch.setenv("BENCHBOOK_OUTPUT", str(tmp_path))
    calls: list = []
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: calls.append((a, k)))
    return calls


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ((0.7031, 0.6518, 0.7512), "0.703 (0.652–0.751)"),
        ((0.1, -0.05, 0.2), "0.100 (-0.050 to 0.200)"),
        ((0.5, math.nan, math.nan), "0.500"),
        ((math.nan, math.nan, math.nan), "–"),
        # A unit so small, or a study so large, that three decimals hide the interval.
        ((1.234e-5, 0.98e-5, 1.51e-5), "0.0000123 (0.0000098–0.0000151)"),
        ((0.760137, 0.759869, 0.760403), "0.76014 (0.75987–0.76040)"),
        ((-2.5e-7, -4.1e-7, -0.9e-7), "-0.00000025 (-0.00000041 to -0.00000009)"),
        ((0.0004, math.nan, math.nan), "0.00040"),
        # A unit so large that decimals say nothing.
        ((1234567.8, 1150000.2, 1320000.9), "1234568 (1150000–1320001)"),
        ((12345.678, 12001.2, 12701.3), "12345.68 (12001.20–12701.30)"),
        ((1234567.891, 1234567.88, 1234567.9), "1234567.891 (1234567.880–1234567.900)"),
        # Ordinary numbers, and the rounding errors of a zero, are as they were.
        ((0.012, 0.011, 0.013), "0.012 (0.011–0.013)"),
        ((1234.5678, 1100.0, 1300.0), "1234.568 (1100.000–1300.000)"),
        ((3e-17, math.nan, math.nan), "0.000"),
        ((1.0, 1.0, 1.0), "1.000 (1.000–1.000)"),
        ((0.5, -math.inf, math.inf), "0.500 (-inf to inf)"),
    ],
)
def test_intervals_are_written_in_one_way(bounds, text):
    assert interval_text(*bounds) == text


def test_value_and_bounds_become_one_column_and_nothing_else_is_merged():
    frame = pd.DataFrame({"name": ["a"], "value": [0.12345], "low": [0.1], "high": [0.2], "n": [3]})
    page = formatted(frame)
    assert list(page.columns) == ["name", "value (interval)", "n"]
    assert page.iloc[0].tolist() == ["a", "0.123 (0.100–0.200)", "3"]


def test_small_p_missing_and_infinite_numbers():
    frame = pd.DataFrame({"p": [0.0004, 0.0123, math.nan], "F": [math.inf, -math.inf, 1.0]})
    page = formatted(frame)
    assert page["p"].tolist() == ["<0.001", "0.012", "–"]
    assert page["F"].tolist() == ["∞", "-∞", "1.000"]
    assert p_text(0.0004) == "p < 0.001"
    assert p_text(0.0123) == "p = 0.012"


def test_a_column_of_small_or_large_numbers_has_decimals_that_suit_the_largest():
    frame = pd.DataFrame(
        {
            "small": [1.23456e-5, -4e-6, math.nan],
            "large": [1234567.8, 2.0, 0.5],
            "ordinary": [0.00001, 0.5, 12.0],
            "p": [0.0015, 0.001, 0.0011],
        }
    )
    page = formatted(frame)
    assert page["small"].tolist() == ["0.000012", "-0.000004", "–"]
    assert page["large"].tolist() == ["1234568", "2", "0"]
    assert page["ordinary"].tolist() == ["0.000", "0.500", "12.000"]
    assert page["p"].tolist() == ["0.002", "0.001", "0.001"]


def test_repeated_names_are_blank_and_a_single_name_is_left_out():
    page = pd.DataFrame({"data": ["a", "a", "b"], "x": ["1", "2", "3"]})
    assert without_repeats(page)["data"].tolist() == ["a", "", "b"]
    assert list(without_repeats(page.iloc[:2]).columns) == ["x"]


def test_tables_are_escaped_and_numbers_stand_right():
    text = html_table(pd.DataFrame({"<b>": ["a & b", "c"], "n": ["1", "–"]}))
    assert "<b>" not in text
    assert "a &amp; b" in text
    assert '<th scope="col" style="text-align: right">n</th>' in text
    assert '<th scope="col">&lt;b&gt;</th>' in text


def test_a_table_is_shown_rounded_and_filed_in_full(shown, tmp_path):
    frame = pd.DataFrame({"name": ["a"], "value": [1 / 3]})
    Shelf("chapter").show(Table(frame, "thirds", "One third."))
    ((data,), options) = shown[0]
    assert "0.333" in data["text/html"]
    caption = options["metadata"][CAPTION_KEY]["tbl-cap"]
    assert caption == (
        "One third. Files: [CSV](files/chapter/thirds.csv), [LaTeX](files/chapter/thirds.tex)."
    )
    filed = pd.read_csv(tmp_path / "files" / "chapter" / "thirds.csv")
    assert filed["value"][0] == 1 / 3


def test_a_figure_is_shown_once_and_filed_in_every_format(shown, tmp_path):
    from benchbook.figures import forest

    figure = forest(pd.DataFrame({"name": ["κ"], "value": [0.5], "low": [0.4], "high": [0.6]}))
    Shelf("chapter").show(Drawing(figure, "forest", "Finding.", "Alternative text."))
    assert len(shown) == 1
    ((data,), options) = shown[0]
    assert data["image/png"].startswith(b"\x89PNG")
    told = options["metadata"][CAPTION_KEY]
    assert told["fig-alt"] == "Alternative text."
    assert told["fig-cap"].startswith("Finding. Files: [SVG](files/chapter/forest.svg)")
    names = {path.name for path in (tmp_path / "files" / "chapter").iterdir()}
    assert names == {"forest.svg", "forest.pdf", "forest.png", "forest-data.csv"}


def test_sentences_are_shown_as_markdown(shown):
    say("κ is *0.70*.")
    ((markdown,), _) = shown[0]
    assert markdown.data == "κ is *0.70*."


def test_names_from_a_file_are_shown_as_they_are():
    import pypandoc

    name = "<script>x</script> @smith b_2 $x$ *d* [e](f) #g ~h~ ^i^ `j` |k| !l \\m"
    shown = pypandoc.convert_text(f"**{plain(name)}**", "html", format="markdown")
    assert "<script>" not in shown
    assert "<em>" not in shown
    assert "math" not in shown
    text = pypandoc.convert_text(
        plain(name), "plain", format="markdown", extra_args=["--wrap=none"]
    )
    assert text.strip() == name


def test_nothing_is_shown_for_what_does_not_apply(shown):
    Shelf("chapter").show(None)
    say("")
    assert shown == []


def test_words_that_begin_with_a_number_are_no_numbers():
    text = html_table(pd.DataFrame({"why": ["3 raters agree"], "x": ["0.5 (0.1 to 0.9)"]}))
    assert "<td>3 raters agree</td>" in text
    assert 'nowrap">0.5 (0.1 to 0.9)</td>' in text
