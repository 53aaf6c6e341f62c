"""A matplotlib picture of how validity indices change along a stream."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .picture import FAINT, TEXT
from .style import COLOURS


def draw_course(
    at: Sequence[int],
    clusters: Sequence[int],
    values: Mapping[str, Sequence[float]],
    names: Mapping[str, tuple[str, bool]],
) -> Figure:
    """A panel for each index, by rows; below them how many clusters there were.

    `names` has title and direction of each index. A value that is not finite leaves a gap.
    """
    count = len(values) + 1
    figure = Figure(figsize=(8.0, 1.5 * count + 0.7), layout="constrained", dpi=120)
    FigureCanvasAgg(figure)
    panels = np.atleast_1d(figure.subplots(count, 1, sharex=True))
    for place, (panel, (name, course)) in enumerate(zip(panels, values.items(), strict=False)):
        title, bigger = names[name]
        shown = np.where(np.isfinite(course), course, np.nan)
        panel.plot(at, shown, color=COLOURS[place % len(COLOURS)], linewidth=1.4)
        arrow = "larger is better ↑" if bigger else "smaller is better ↓"
        panel.set_title(f"{title}, {arrow}", loc="left", fontsize=9, color=TEXT)
    panels[-1].step(at, clusters, where="post", color=TEXT, linewidth=1.2)
    panels[-1].set_title("number of clusters", loc="left", fontsize=9, color=TEXT)
    panels[-1].yaxis.set_major_locator(MaxNLocator(integer=True))
    panels[-1].set_xlabel("rows")
    for panel in panels:
        panel.grid(color=FAINT, linewidth=0.4, alpha=0.6)
        panel.tick_params(labelsize=8)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
        panel.margins(x=0.01)
    return figure
