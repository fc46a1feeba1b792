"""Files: the same bytes on every run, whole or not at all, ready for a journal."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from figure_examples import AWKWARD, ORDINARY
from matplotlib.figure import Figure
from PIL import Image

from benchbook.errors import DataError, ParameterError
from benchbook.figures import export, figure_data, save_figure, save_table

POINTS_PER_MM = 72 / 25.4


def digests(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def test_another_process_writes_the_same_bytes(tmp_path):
    kinds = ["forest", "pairwise_heatmap", "category_use", "bland_altman_plot"]
    for kind in kinds:
        save_figure(ORDINARY[kind](), kind, tmp_path / "here")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from figure_examples import ORDINARY\n"
        "from benchbook.figures import save_figure\n"
        f"for kind in {kinds}: save_figure(ORDINARY[kind](), kind, sys.argv[2])\n"
    )
    here = str(Path(__file__).parent)
    subprocess.run(
        [sys.executable, "-c", script, here, str(tmp_path / "there")],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
    )
    assert digests(tmp_path / "here") == digests(tmp_path / "there")
    assert len(digests(tmp_path / "here")) == 4 * len(kinds)


def test_saving_twice_gives_the_same_bytes(tmp_path):
    figure = ORDINARY["ratings_by_item"]()
    save_figure(figure, "a", tmp_path / "first")
    save_figure(figure, "a", tmp_path / "second")
    assert digests(tmp_path / "first") == digests(tmp_path / "second")


def test_files_are_named_and_listed(tmp_path):
    files = save_figure(ORDINARY["forest"](), "coefficients", tmp_path / "new" / "folder")
    assert {kind: path.name for kind, path in files.items()} == {
        "svg": "coefficients.svg",
        "pdf": "coefficients.pdf",
        "png": "coefficients.png",
        "csv": "coefficients-data.csv",
    }
    assert {path.name for path in files["svg"].parent.iterdir()} == {p.name for p in files.values()}
    assert set(save_figure(ORDINARY["forest"](), "x", tmp_path, ["png"], data=False)) == {"png"}


@pytest.mark.parametrize("kind", ORDINARY)
def test_the_numbers_beside_a_figure_read_back_exactly(kind, tmp_path):
    figure = ORDINARY[kind]()
    files = save_figure(figure, kind, tmp_path, ())
    read = pd.read_csv(files["csv"], dtype=str, encoding="utf-8")
    data = figure_data(figure)
    assert list(read.columns) == list(data.columns)
    assert len(read) == len(data) > 0
    for column in data.select_dtypes("number"):
        np.testing.assert_array_equal(read[column].map(float), data[column])


def test_png_has_print_resolution_and_width(tmp_path):
    image = Image.open(save_figure(ORDINARY["forest"](width="single"), "x", tmp_path)["png"])
    assert image.width == int(85 / 25.4 * 300)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    assert image.info["Software"] == "Benchbook"


def test_pdf_embeds_its_letters_as_text_and_carries_no_date(tmp_path):
    content = save_figure(ORDINARY["forest"](), "x", tmp_path)["pdf"].read_bytes()
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    assert b"CreationDate" not in content
    assert b"Matplotlib" not in content


@pytest.mark.parametrize("kind", ORDINARY)
def test_svg_needs_no_font_has_the_printed_width_and_unique_names(kind, tmp_path):
    path = save_figure(ORDINARY[kind](width="single"), "x", tmp_path, ["svg"])["svg"]
    root = ElementTree.fromstring(path.read_bytes())
    assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(85 * POINTS_PER_MM)
    tags = {element.tag.rsplit("}")[-1] for element in root.iter()}
    assert "text" not in tags
    names = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(names) == len(set(names))
    assert b"<dc:date>" not in path.read_bytes()


def test_names_in_svg_comments_cannot_break_the_file(tmp_path):
    from benchbook.estimate import Estimate
    from benchbook.figures import forest

    figure = forest([Estimate(0.5, 0.4, 0.6, name="a --> <b> & --$x_1$")])
    path = save_figure(figure, "x", tmp_path, ["svg"])["svg"]
    ElementTree.fromstring(path.read_bytes())


@pytest.mark.parametrize("stem", ["", "../up", "a/b", ".hidden", "name with space", "κ"])
def test_odd_file_names_are_refused(stem, tmp_path):
    with pytest.raises(ParameterError, match="file name"):
        save_figure(ORDINARY["forest"](), stem, tmp_path)
    with pytest.raises(ParameterError, match="file name"):
        save_table(pd.DataFrame({"a": [1]}), stem, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_writes_nothing(tmp_path):
    with pytest.raises(ParameterError, match="unknown format 'gif'; expected svg, pdf, png"):
        save_figure(ORDINARY["forest"](), "x", tmp_path, ["png", "gif"])
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    files = save_table(pd.DataFrame({"a": [1]}), "x", tmp_path, ["csv"])
    before = files["csv"].read_bytes()

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(export.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_table(pd.DataFrame({"a": [2]}), "x", tmp_path, ["csv"])
    assert files["csv"].read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_foreign_figure_can_be_saved_but_has_no_data(tmp_path):
    figure = Figure()
    figure.subplots().plot([0, 1])
    assert set(save_figure(figure, "x", tmp_path)) == {"svg", "pdf", "png"}
    with pytest.raises(ParameterError, match="no plotted data"):
        figure_data(figure)


def test_the_picture_for_a_page_holds_two_pixels_for_each_it_takes():
    png, size = ORDINARY["forest"](width="double").display_png()
    image = Image.open(BytesIO(png))
    assert size["width"] == round(174 / 25.4 * 120)
    assert image.width == pytest.approx(2 * size["width"], abs=1)
    assert image.height == pytest.approx(2 * size["height"], abs=1)


def test_large_clouds_stay_small_in_vector_files(tmp_path):
    files = save_figure(AWKWARD["limits, many"](), "x", tmp_path)
    # 6,000 points as separate shapes take about a megabyte.
    assert files["svg"].stat().st_size < 400_000


# ---- tables ------------------------------------------------------------------------------

TABLE = pd.DataFrame(
    {
        "statistic": ["Cohen κ", "50 % & more_of #1", "[x]", None],
        "value": [0.70312345678901234, -0.25, math.nan, math.inf],
        "n": [100, -3, 0, 12],
        "p_value": [0.00001, 0.0423, 1.0, 0.0],
        "tiny": [2.5e-7, -1e-9, 0.0, 0.5],
        "used": [True, False, True, True],
    }
)


def test_csv_keeps_every_digit(tmp_path):
    path = save_table(TABLE, "x", tmp_path)["csv"]
    read = pd.read_csv(path, dtype=str)
    for column in ("value", "n", "p_value", "tiny"):
        np.testing.assert_array_equal(read[column].map(float), TABLE[column])
    assert b"\r" not in path.read_bytes()


def test_latex_is_rounded_and_escaped(tmp_path):
    text = save_table(TABLE, "x", tmp_path)["tex"].read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert r"\begin{tabular}{lrrrrl}" in text
    assert rows[0] == r"statistic & value & n & p\_value & tiny & used \\"
    assert rows[1] == r"Cohen $\kappa$ & 0.703 & 100 & $<$0.001 & $2.5\times 10^{-7}$ & yes \\"
    assert rows[2] == (
        r"50 \% \& more\_of \#1 & $-0.250$ & $-3$ & 0.042 & $-1.0\times 10^{-9}$ & no \\"
    )
    assert rows[3] == r"{[}x] & -- & 0 & 1.000 & 0.000 & yes \\"
    assert rows[4] == r"-- & $\infty$ & 12 & $<$0.001 & 0.500 & yes \\"
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(rule) == 1
    assert text.isascii()


@pytest.mark.parametrize("sign", list("&%$#_{}~^\\<>|"))
def test_every_reserved_sign_is_escaped(sign):
    escaped = export.latex_text(f"a{sign}b")
    assert escaped != f"a{sign}b"
    assert escaped.count("{") == escaped.count("}") or sign in "{}"


def test_meaningful_index_becomes_columns(tmp_path):
    table = pd.DataFrame({"value": [0.5]}, index=pd.Index(["A"], name="rater"))
    read = pd.read_csv(save_table(table, "x", tmp_path)["csv"])
    assert list(read.columns) == ["rater", "value"]


def test_table_without_rows_keeps_its_head_and_without_columns_is_refused(tmp_path):
    text = save_table(TABLE.head(0), "x", tmp_path)["tex"].read_text(encoding="utf-8")
    assert "statistic & value" in text
    with pytest.raises(DataError, match="without columns"):
        save_table(pd.DataFrame(), "y", tmp_path)
