"""How all figures look: colours, a light and a dark theme, axes without clutter.

Only `Figure` objects, no pyplot: nothing global is opened, kept or shown.
"""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# Okabe and Ito's colours, which colour-blind people can tell apart, without black and yellow
# (black is for text, yellow is faint on white), and grey in their place.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
# Colours come again after seven clusters, with another marker.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


class Theme(NamedTuple):
    """Colours of everything that is not data."""

    background: str
    text: str
    faint: str
    grid: str


LIGHT = Theme("#FFFFFF", "#222222", "#B0B0B0", "#E6E6E6")
DARK = Theme("#0D1117", "#E6EDF3", "#6E7681", "#30363D")


def colour_of(cluster: int) -> str:
    return COLOURS[cluster % len(COLOURS)]


def marker_of(cluster: int) -> str:
    return MARKERS[cluster // len(COLOURS) % len(MARKERS)]


def new_figure(width: float, height: float, theme: Theme = LIGHT) -> Figure:
    """An empty figure of this size in inches."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor=theme.background)
    FigureCanvasAgg(figure)
    return figure


def tidy(ax: Axes, theme: Theme = LIGHT, grid: bool = False) -> None:
    """Take away two of the four borders, and colour the rest as the theme says."""
    ax.set_facecolor(theme.background)
    ax.tick_params(colors=theme.text, labelsize=9)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.faint)
    for label in (ax.xaxis.label, ax.yaxis.label, ax.title):
        label.set_color(theme.text)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis="y", color=theme.grid, linewidth=0.8)
