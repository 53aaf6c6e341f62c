"""Two diagrams of the paper, redrawn: the network, and the pipeline for faces."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from ..report.picture import TEXT
from ..report.style import COLOURS, new_figure

_FILL = "#F4F6F8"


def network_diagram() -> Figure:
    """Module A, module B, the map field and the strategies, with the signals between them."""
    figure, ax = _canvas(11.0, 5.0)
    _box(ax, (0.1, 1.8), (1.9, 1.5), "sample", "and its label,\nif it has one")
    _box(ax, (2.9, 3.2), (4.0, 1.7), "Module B: validity index",
         "label: the cluster that gives\nthe best index;\nvigilance: raised while it "
         "gets worse", COLOURS[1])  # fmt: skip
    _box(ax, (2.9, 0.1), (4.0, 1.7), "Module A: categories",
         "boxes in feature space, CONN;\nn, mean and scatter of each", COLOURS[0])  # fmt: skip
    _box(ax, (8.3, 1.3), (2.6, 1.5), "Map field", "which category\nis in which cluster", COLOURS[2])
    _box(
        ax, (8.3, 3.4), (2.6, 1.5), "Strategies", "merge, split, swap,\ncompress, prune", COLOURS[4]
    )
    _arrow(ax, (2.0, 3.0), (2.9, 3.9))
    _arrow(ax, (2.0, 2.1), (2.9, 1.2))
    _arrow(ax, (4.0, 3.2), (4.0, 1.8), "vigilance", (-0.1, 0.0), "right")
    _arrow(ax, (5.8, 1.8), (5.8, 3.2), "footprints", (0.1, 0.0), "left")
    _arrow(ax, (6.9, 3.6), (8.3, 2.4), "label", (0.15, 0.1), "left")
    _arrow(ax, (6.9, 1.5), (8.3, 1.9), "category", (-0.1, 0.2), "center")
    _arrow(ax, (8.3, 1.4), (6.9, 0.5), "mismatch: search on", (0.2, -0.15), "left")
    _arrow(ax, (6.9, 4.4), (8.3, 4.4), "index", (0.0, 0.15), "center")
    _arrow(ax, (9.6, 3.4), (9.6, 2.8), "repair", (0.1, 0.0), "left")
    return figure


def pipeline_diagram() -> Figure:
    """The paper's pipeline from images to people."""
    figure, ax = _canvas(11.0, 1.7)
    steps = (
        ("images", "one stream\nof people", None),
        ("detector", "MTCNN finds\nthe face", None),
        ("embedding", "VGGFace2:\n2048 numbers", None),
        ("model", "iCVI-TopoARTMAP\nor a rival", COLOURS[0]),
        ("answer", "a cluster,\nor a name", None),
    )
    for i, (title, text, colour) in enumerate(steps):
        left = 0.1 + 2.22 * i
        _box(ax, (left, 0.1), (1.9, 1.5), title, text, colour)
        if i:
            _arrow(ax, (left - 0.32, 0.85), (left, 0.85))
    return figure


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """One unit is an inch."""
    figure = new_figure(width, height)
    ax = figure.subplots()
    ax.set_xlim(0.0, width)
    ax.set_ylim(0.0, height)
    ax.axis("off")
    return figure, ax


def _box(
    ax: Axes,
    corner: tuple[float, float],
    size: tuple[float, float],
    title: str,
    text: str,
    colour: str | None = None,
) -> None:
    (left, bottom), (width, height) = corner, size
    ax.add_patch(
        FancyBboxPatch(
            corner, width, height, boxstyle="round,pad=0,rounding_size=0.12",
            facecolor=_FILL, edgecolor=colour or TEXT, linewidth=2.4 if colour else 1.4,
        )
    )  # fmt: skip
    middle = left + width / 2
    ax.text(middle, bottom + height - 0.14, title, ha="center", va="top", color=TEXT,
            fontsize=14, fontweight="bold")  # fmt: skip
    ax.text(middle, bottom + (height - 0.4) / 2, text, ha="center", va="center", color=TEXT,
            fontsize=13)  # fmt: skip


def _arrow(
    ax: Axes,
    begin: tuple[float, float],
    end: tuple[float, float],
    label: str = "",
    offset: tuple[float, float] = (0.0, 0.0),
    align: str = "center",
) -> None:
    """An arrow with a label beside its middle."""
    ax.add_patch(
        FancyArrowPatch(begin, end, arrowstyle="-|>", mutation_scale=16, color=TEXT,
                        shrinkA=2, shrinkB=2, linewidth=1.4)
    )  # fmt: skip
    x, y = (begin[0] + end[0]) / 2 + offset[0], (begin[1] + end[1]) / 2 + offset[1]
    ax.text(x, y, label, ha=align, va="center", color=TEXT, fontsize=12, style="italic")
