"""House style: sizes in millimetres, colours everybody can tell apart, one font everywhere.

Nothing here changes Matplotlib's global settings: figures are built, drawn and saved inside
:func:`house_style`, which starts from Matplotlib's own defaults, so a reader's style sheet does
not change a published figure.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

import matplotlib as mpl
import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import EngFormatter, MaxNLocator

from ..errors import ParameterError

MM_PER_INCH = 25.4
POINTS_PER_MM = 72 / MM_PER_INCH
WIDTHS_MM = {"single": 85.0, "medium": 120.0, "double": 174.0}
Width = str | float

TEXT_SIZE = 8.0  # points, at the printed width
SMALL_SIZE = 7.0  # the smallest size used anywhere
LINE_MM = SMALL_SIZE * 1.25 / POINTS_PER_MM  # height of one line of small text

# Pixels a figure takes on a web page, and pixels drawn for each of them (dense screens).
DISPLAY_PIXELS_PER_INCH = 120
DISPLAY_DENSITY = 2

# More points than this are drawn as a picture inside the vector files, which stay small.
MANY_POINTS = 4000

# Okabe & Ito (2008), "Color universal design", without black and yellow (too pale for a line).
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
)
MARKERS = ("o", "s", "^", "D", "v", "P")
LINE_STYLES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)))
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "|||", "ooo")

INK, SOFT_INK, RULE, PALE = "#1A1A1A", "#555555", "#9A9A9A", "#E6E6E6"
# Five tints for the five Landis–Koch bands above zero, pale enough to read a marker on.
BAND_TINTS = ("#F4F7FA", "#E6EEF5", "#D6E4F0", "#C5D9EA", "#B3CDE3")

# White is chance (0), blue is agreement, orange is less than chance; both arms are perceptually
# ordered (they come from ColorBrewer's colour-blind safe "PuOr" and "Blues").
CHANCE_MAP = LinearSegmentedColormap.from_list(
    "chance",
    [
        "#7F3B08",
        "#B35806",
        "#E08214",
        "#FDB863",
        "#FEE0B6",
        "#FFFFFF",
        "#D0E1F2",
        "#94C4DF",
        "#4A98C9",
        "#1764AB",
        "#08306B",
    ],
)
# Ordered categories: pale to dark in one hue, never so pale that it reads as paper.
ORDER_MAP = LinearSegmentedColormap.from_list(
    "order", ["#E3EDF6", "#B4D0E6", "#74AAD2", "#3A7EBA", "#155396", "#08264F"]
)

# Tried in this order for letters DejaVu Sans lacks; only those installed are used.
_FALLBACK_FONTS = (
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "NanumGothic",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Yu Gothic",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans",
    "Noto Sans",
    "Arial Unicode MS",
)

_SETTINGS: dict[str, Any] = {
    "font.size": TEXT_SIZE,
    "axes.titlesize": TEXT_SIZE,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": TEXT_SIZE,
    "xtick.labelsize": SMALL_SIZE,
    "ytick.labelsize": SMALL_SIZE,
    "legend.fontsize": SMALL_SIZE,
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT_INK,
    "xtick.color": SOFT_INK,
    "ytick.color": SOFT_INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "axes.labelpad": 3.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.formatter.useoffset": False,  # a number at the end of an axis is easily missed
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.4,
    "patch.linewidth": 0.6,
    "mathtext.fontset": "dejavusans",
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.transparent": False,
    "savefig.bbox": "standard",
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "svg.fonttype": "path",  # letters become shapes: the same picture with no font installed
    "svg.hashsalt": "benchbook",
    "text.parse_math": False,  # a dollar sign in a rater's name is a dollar sign
    "pdf.fonttype": 42,  # TrueType, embedded and still text: searchable, accepted by journals
    "pdf.compression": 6,
}


@cache
def _families() -> tuple[str, ...]:
    installed = set(font_manager.get_font_names())
    return ("DejaVu Sans", *(name for name in _FALLBACK_FONTS if name in installed))


@contextmanager
def house_style() -> Iterator[None]:
    """Apply the house style inside a ``with`` block; the settings before it come back after it.

    Examples
    --------
    >>> with house_style():
    ...     figure = HouseFigure(figsize=(3.3, 2.2))
    ...     axes = figure.subplots()
    """
    settings = {**_SETTINGS, "font.family": list(_families())}
    with mpl.style.context(["default", settings]):
        yield


class HouseFigure(Figure):
    """A figure that keeps the house style wherever and whenever it is drawn.

    It is not known to pyplot: nothing has to be closed, and a notebook shows it once, as the
    value of a cell, drawn for dense screens whatever the notebook's backend is.

    Attributes
    ----------
    benchbook_data : DataFrame
        The plotted numbers, one row per mark.
    """

    benchbook_data: pd.DataFrame = pd.DataFrame()
    _told: bool = False

    def draw(self, renderer: Any) -> None:
        """Draw inside the house style, with one clear warning about letters without a glyph."""
        with house_style(), self._told_once_about_missing_letters():
            super().draw(renderer)

    @contextmanager
    def _told_once_about_missing_letters(self) -> Iterator[None]:
        # Matplotlib warns for every letter and every drawing; a reader needs to hear it once.
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        missing = {str(item.message) for item in caught if "missing from font" in str(item.message)}
        for item in caught:
            if str(item.message) not in missing:
                warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)
        if missing and not self._told:
            self._told = True
            warnings.warn(
                f"{len(missing)} letters of this figure have no glyph in the fonts of this machine "
                "and show as boxes; install a font that has them, for instance Noto Sans CJK.",
                stacklevel=3,
            )

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Save inside the house style."""
        with house_style():
            super().savefig(fname, **kwargs)

    def _ipython_display_(self) -> None:
        # This hook wins over the inline backend's own printer for figures, which would show the
        # picture at 72 dots per inch once a notebook has imported pyplot.
        from IPython.display import display

        png, size = self.display_png()
        data = {"image/png": base64.b64encode(png).decode("ascii"), "text/plain": repr(self)}
        display(data, raw=True, metadata={"image/png": size})

    def display_png(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture for a web page: PNG bytes, and its width and height in pixels.

        The bytes hold twice as many pixels each way as the size tells, for dense screens.
        """
        buffer = io.BytesIO()
        dpi = DISPLAY_PIXELS_PER_INCH * DISPLAY_DENSITY
        self.savefig(buffer, format="png", dpi=dpi, metadata={"Software": "Benchbook"})
        width, height = self.get_size_inches() * DISPLAY_PIXELS_PER_INCH
        return buffer.getvalue(), {"width": round(width), "height": round(height)}


def width_mm(width: Width) -> float:
    """Return a figure width in millimetres from ``"single"``, ``"medium"``, ``"double"`` or mm.

    Raises
    ------
    ParameterError
        When the name is unknown or the number is outside 60 to 400 mm.
    """
    if isinstance(width, str):
        if width not in WIDTHS_MM:
            names = ", ".join(WIDTHS_MM)
            raise ParameterError(f"unknown figure width '{width}'; expected {names}, or mm.")
        return WIDTHS_MM[width]
    if not 60 <= float(width) <= 400:
        raise ParameterError(f"figure width {width} mm; expected 60 to 400 mm.")
    return float(width)


def new_figure(width: float, height: float, **kwargs: Any) -> HouseFigure:
    """Return an empty figure of ``width`` × ``height`` millimetres (call it in the house style)."""
    return HouseFigure(figsize=(width / MM_PER_INCH, height / MM_PER_INCH), dpi=100, **kwargs)


def axes_at(
    figure: Figure, left: float, top: float, width: float, height: float, **kwargs: Any
) -> Axes:
    """Return axes whose box is given in millimetres from the figure's top left corner."""
    total_width, total_height = figure.get_size_inches() * MM_PER_INCH
    box = (
        left / total_width,
        1 - (top + height) / total_height,
        width / total_width,
        height / total_height,
    )
    return figure.add_axes(box, **kwargs)


# ---- text that fits ----------------------------------------------------------------------


@lru_cache(maxsize=4096)
def text_mm(text: str, size: float = SMALL_SIZE, weight: str = "normal") -> float:
    """Return the width of the longest line of a text in millimetres."""
    font = FontProperties(family=list(_families()), size=size, weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters without a glyph are told when drawn
        widths = [
            text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
            for line in text.split("\n")
        ]
    # Rasterised text is hinted to whole pixels and can be a little wider than its outline.
    return 1.03 * max(widths) / POINTS_PER_MM


def wrap(
    text: str, width: float, size: float = SMALL_SIZE, max_lines: int = 3, weight: str = "normal"
) -> str:
    """Break a text into lines no wider than ``width`` millimetres; end it with … when too long.

    Line breaks of the text itself stay.
    """
    lines: list[str] = []
    for paragraph in str(text).split("\n"):
        current = ""
        for word in paragraph.split():
            for piece in _pieces(word, width, size, weight):
                joined = f"{current} {piece}".strip()
                if current and text_mm(joined, size, weight) > width:
                    lines.append(current)
                    current = piece
                else:
                    current = joined
        lines.append(current)
    if len(lines) > max_lines:
        lines = lines[:max_lines]
        while lines[-1] and text_mm(lines[-1] + "…", size, weight) > width:
            lines[-1] = lines[-1][:-1].rstrip()
        lines[-1] += "…"
    return "\n".join(lines)


def _pieces(word: str, width: float, size: float, weight: str) -> Iterator[str]:
    # A single word wider than the space is cut where it must be.
    while text_mm(word, size, weight) > width and len(word) > 1:
        cut = len(word) - 1
        while cut > 1 and text_mm(word[:cut], size, weight) > width:
            cut -= 1
        yield word[:cut]
        word = word[cut:]
    yield word


def short_names(names: Sequence[str], width: float) -> list[str]:
    """Return one-line names that fit ``width`` millimetres and still differ from each other.

    Where cutting makes two names alike, the words all of them share are left out; where that
    does not help either, the names are numbered.
    """
    words = [name.split() or [""] for name in names]
    start, end = _shared(words), _shared([part[::-1] for part in words])
    cores = [" ".join(part[start : len(part) - end]) for part in words]
    cores = ["…" * (start > 0) + core + "…" * (end > 0) for core in cores]
    numbered = [f"{index + 1} {name}" for index, name in enumerate(names)]
    for candidates in (names, cores, numbered):
        shown = [wrap(name, width, max_lines=1) for name in candidates]
        if len(set(shown)) == len(set(names)):
            break
    return shown


def _shared(words: Sequence[Sequence[str]]) -> int:
    """Return how many leading words all names share, leaving each at least one of its own."""
    count = 0
    for column in zip(*(part[:-1] for part in words), strict=False):
        if len(set(column)) > 1:
            break
        count += 1
    return count


def ticks(count: int) -> MaxNLocator:
    """Return a locator of at most ``count`` round tick positions."""
    return MaxNLocator(nbins=max(2, count), steps=[1, 2, 2.5, 5, 10])


def number_axis(axis: Axis, count: int) -> None:
    """Give an axis, its limits set, round ticks; large and tiny numbers get a prefix (12 M)."""
    axis.set_major_locator(ticks(count))
    largest = np.abs(axis.get_view_interval()).max()
    if largest >= 1e5 or largest < 1e-3:
        axis.set_major_formatter(EngFormatter())


def lighter(colour: Any, share: float) -> tuple[float, float, float]:
    """Return a colour mixed with white; ``share`` 0 leaves it, 1 gives white."""
    red, green, blue = mpl.colors.to_rgb(colour)
    return (red + share * (1 - red), green + share * (1 - green), blue + share * (1 - blue))


def spread(positions: Any, gaps: float, low: float, high: float) -> np.ndarray:
    """Move labels as little as needed so that neighbours are ``gaps`` apart inside [low, high].

    Parameters
    ----------
    positions : array-like of float, shape (n,)
        Wanted positions.
    gaps : float
        Least distance between two labels; made smaller when n labels do not fit.
    low, high : float
        Room for the labels' centres.

    Returns
    -------
    ndarray, shape (n,)
        Positions in the order given.
    """
    wanted = np.asarray(positions, dtype=float)
    if len(wanted) > 1:
        gaps = min(gaps, (high - low) / (len(wanted) - 1))
    order = np.argsort(wanted, kind="stable")
    # Blocks of touching labels, each centred on the mean of what its labels want.
    blocks: list[list[float]] = []
    for target in wanted[order]:
        blocks.append([float(target), 1])
        while len(blocks) > 1 and _touch(blocks[-2], blocks[-1], gaps):
            (first, m), (second, n) = blocks[-2:]
            blocks[-2:] = [[(first * m + second * n) / (m + n), m + n]]
    placed = [
        centre + (index - (count - 1) / 2) * gaps
        for centre, count in blocks
        for index in range(int(count))
    ]
    for index in range(len(placed)):
        placed[index] = max(placed[index], low + index * gaps)
    for index in range(len(placed)):
        placed[-1 - index] = min(placed[-1 - index], high - index * gaps)
    result = np.empty_like(wanted)
    result[order] = placed
    return result


def _touch(first: list[float], second: list[float], gap: float) -> bool:
    return second[0] - first[0] < gap * (first[1] + second[1]) / 2


def number(value: float, digits: int = 3, signed: bool = False) -> str:
    """Return a number for display, with a true minus sign."""
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def interval(low: float, high: float, digits: int = 3) -> str:
    """Return ``0.652–0.751``, or ``−0.100 to 0.200`` where a dash could be read as a minus."""
    dash = " to " if low < 0 or high < 0 else "–"
    return f"{number(low, digits)}{dash}{number(high, digits)}"


def digits_for(*values: float) -> int:
    """Return how many decimals show about three significant digits of the largest value."""
    finite = [abs(value) for value in values if np.isfinite(value) and value]
    if not finite:
        return 2
    return int(np.clip(2 - np.floor(np.log10(max(finite))), 0, 12))


def luminance(colour: Any) -> float:
    """Return the relative luminance of an sRGB colour, 0 (black) to 1 (WCAG 2.1)."""
    channels = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def text_on(colour: Any) -> str:
    """Return black or white, whichever reads better on a colour (contrast 4.5 or more)."""
    # Where both contrasts, 1.05/(L+0.05) and (L+0.05)/0.05, are equal.
    return "white" if luminance(colour) < 0.179 else "black"


def write(axes: Axes, x: float, y: float, words: str, **look: Any) -> Any:
    """Write small text in data coordinates, centred on its height."""
    return axes.text(x, y, words, **{"fontsize": SMALL_SIZE, "va": "center", **look})


def cell(axes: Axes, column: int, row: int, **look: Any) -> None:
    """Fill one unit square of a grid."""
    x, y = [column, column + 1, column + 1, column], [row, row, row + 1, row + 1]
    axes.fill(x, y, **{"linewidth": 0, **look})


def points(axes: Axes, x: Any, y: Any, colour: str, **look: Any) -> Any:
    """Draw a cloud of points: the more of them, the smaller and the more transparent."""
    n = len(x)
    settings = {
        "s": 9 if n <= 300 else 5 if n <= MANY_POINTS else 2,
        "alpha": 0.85 if n <= 60 else 0.5 if n <= 1000 else 0.25,
        "linewidths": 0,
        "clip_on": False,
        "zorder": 3,
        "rasterized": n > MANY_POINTS,
        "label": "_points",
        **look,
    }
    return axes.scatter(x, y, color=colour, **settings)
