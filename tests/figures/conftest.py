"""A checker of what a reader would see: text cut off, text over text, letters too small."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from benchbook.figures.style import SMALL_SIZE

DPI = 200
# Pixels, a third of a millimetre: letters' boxes hold some empty room above and below.
SLACK = 2.6


class Drawn:
    """Every text that was really drawn, with its box in pixels and its size in points."""

    def __init__(self, figure: Figure, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: dict[int, tuple[str, Bbox, float]] = {}
        original = Text.draw

        def record(text: Text, renderer: object) -> None:
            original(text, renderer)
            if text.get_visible() and text.get_text().strip():
                box = Text.get_window_extent(text, renderer)
                self.texts[id(text)] = (text.get_text(), box, text.get_fontsize())

        with monkeypatch.context() as patch:
            patch.setattr(Text, "draw", record)
            figure.set_dpi(DPI)
            FigureCanvasAgg(figure).draw()
        width, height = figure.get_size_inches() * DPI
        self.page = Bbox.from_bounds(0, 0, width, height)

    def faults(self) -> Iterator[str]:
        for words, box, size in self.texts.values():
            if size < SMALL_SIZE:
                yield f"{words!r} is {size} points"
            if box.x0 < -1 or box.y0 < -1 or box.x1 > self.page.x1 + 1 or box.y1 > self.page.y1 + 1:
                yield f"{words!r} is cut by the edge of the figure"
        entries = list(self.texts.values())
        low = np.array([box.min for _, box, _ in entries])
        high = np.array([box.max for _, box, _ in entries])
        common = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        for i, j in zip(*np.nonzero(np.triu(common.min(axis=2) > SLACK, 1)), strict=True):
            yield f"{entries[i][0]!r} and {entries[j][0]!r} overlap"


@pytest.fixture
def layout_faults(monkeypatch: pytest.MonkeyPatch) -> Callable[[Figure], list[str]]:
    def find(figure: Figure) -> list[str]:
        drawn = Drawn(figure, monkeypatch)
        assert drawn.texts, "nothing was written"
        return list(drawn.faults())

    return find


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Callable[[Figure], list[str]]:
    """Return the texts of a figure, lines joined, as a reader sees them."""

    def find(figure: Figure) -> list[str]:
        drawn = Drawn(figure, monkeypatch)
        return [text.replace("\n", " ") for text, _, _ in drawn.texts.values()]

    return find
