"""The paper's figures. Needs matplotlib; only `Figure` objects, nothing global."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from .._typing import Floats, Ints
from ..report.picture import FAINT, MANY, TEXT, draw_boxes, draw_links, draw_samples
from ..report.style import COLOURS, new_figure, tidy

Curves = Mapping[str, Mapping[str, Sequence[tuple[float, Any]]]]

# Each model looks the same in all figures: the network's lines are solid and coloured, the rivals'
# grey and dashed. Markers differ as well, for readers who cannot tell the colours apart.
_LOOKS: dict[str, dict[str, Any]] = {
    "iCH-TopoFAM": {
        "color": COLOURS[0],
        "marker": "o",
        "markersize": 9,
        "fillstyle": "none",
        "linewidth": 2.6,
    },
    "iWB-TopoFAM": {"color": COLOURS[1], "marker": "s"},
    "iPBM-TopoFAM": {"color": COLOURS[2], "marker": "^"},
    "iXB-TopoFAM": {"color": COLOURS[3], "marker": "v"},
    "iDB-TopoFAM": {"color": COLOURS[4], "marker": "D"},
    "iCONN-TopoFAM": {"color": COLOURS[5], "marker": "P"},
    "StreamART": {"color": "#000000", "linestyle": (0, (5, 2)), "marker": "", "linewidth": 1.8},
    "DRN": {"color": "#7F7F7F", "linestyle": ":", "marker": "x"},
    "WS-DVFA": {"color": "#7F7F7F", "linestyle": "-.", "marker": "+"},
    "WS-TopoFA": {"color": "#7F7F7F", "linestyle": "--", "marker": "1"},
    "E-TopoFA": {"color": "#7F7F7F", "linestyle": "-", "marker": "*"},
}


def _look(name: str, markers: bool = True) -> dict[str, Any]:
    look = {"linewidth": 1.4, "markersize": 5, **_LOOKS.get(name, {"color": FAINT})}
    return look if markers else {**look, "marker": ""}


def _legend(figure: Figure, names: Sequence[str], markers: bool = True) -> None:
    handles = [Line2D([], [], label=name, **_look(name, markers)) for name in names]
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=-(-len(names) // -(-len(names) // 6)),
        frameon=False,
    )


# ---------------------------------------------------------------------- robustness


def sweep_figure(curves: Curves, xlabel: str, flat: Sequence[str] = ()) -> Figure:
    """ARI, categories and clusters over the vigilance: a row for each order.

    Parameters
    ----------
    curves : mapping
        Order, then model, to pairs of a vigilance and a result ("ari", "categories", "clusters").
    xlabel : str
    flat : sequence of str
        Models without a vigilance, drawn as a line across.
    """
    figure = new_figure(12.0, 0.9 + 3.1 * len(curves))
    grid = figure.subplots(len(curves), 3, squeeze=False, sharex=True, sharey="col")
    names = list(next(iter(curves.values())))
    for row, (order, by_name) in zip(grid, curves.items(), strict=True):
        for name, points in by_name.items():
            for ax, what in zip(row, ("ari", "categories", "clusters"), strict=True):
                values = [result[what] for _, result in points]
                if name in flat:
                    ax.axhline(values[0], zorder=3, **_look(name, markers=False))
                else:
                    ax.plot([rho for rho, _ in points], values, **_look(name))
        row[0].set_ylabel(f"{order} order", fontsize=12, color=TEXT)
        for ax in row[1:]:
            ax.set_yscale("log")
        for ax in row:
            tidy(ax, grid=True)
    for ax, title in zip(grid[0], ("ARI", "categories", "clusters"), strict=True):
        ax.set_title(title, fontsize=13, color=TEXT)
    for ax in grid[-1]:
        ax.set_xlabel(xlabel, color=TEXT)
    _legend(figure, names)
    return figure


# ---------------------------------------------------------------------- random order


def histogram_figure(values: Mapping[str, Floats], reported: float) -> Figure:
    """Histogram of ARIs, one panel for each set of points; dashed: the reported value."""
    figure = new_figure(12.0, 3.0)
    axes = figure.subplots(1, len(values), squeeze=False, sharex=True, sharey=True)[0]
    edges = np.linspace(0.0, 1.0, 51)
    for ax, (name, ari) in zip(axes, values.items(), strict=True):
        ax.hist(ari, bins=edges.tolist(), color=COLOURS[0], edgecolor="white", linewidth=0.5)
        ax.axvline(reported, color=TEXT, linestyle="--", linewidth=1.2)
        ax.set_title(f"points of {name}", fontsize=12, color=TEXT)
        ax.set_xlabel("ARI", color=TEXT)
        tidy(ax)
    axes[0].set_ylabel("shuffles", color=TEXT)
    axes[0].set_xlim(min(float(ari.min()) for ari in values.values()) - 0.02, 1.02)
    return figure


# ---------------------------------------------------------------------- embeddings


def projection_figure(shown: Mapping[str, Any], y: Ints) -> Figure:
    """Samples in the plane, by class and by the clusters of a model."""
    figure = new_figure(12.0, 6.2)
    points = np.array(shown["points"])
    panels = {
        f"{len(np.unique(y))} people": y,
        f"{shown['clusters']} clusters of StreamART, ARI {shown['ari']:.4f}": shown["labels"],
    }
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True)
    for ax, (title, groups) in zip(axes, panels.items(), strict=True):
        draw_samples(ax, points, np.array(groups), size=9)
        ax.set_title(title, fontsize=12, color=TEXT)
        ax.set_xticks([])
        ax.set_yticks([])
    return figure


# ---------------------------------------------------------------------- partitions


def arrival_figure(samples: Mapping[str, Floats]) -> Figure:
    """The samples of each order; early ones are dark."""
    figure = new_figure(4.2 * len(samples), 4.2)
    axes = figure.subplots(1, len(samples), squeeze=False, sharex=True, sharey=True)[0]
    for ax, (order, X) in zip(axes, samples.items(), strict=True):
        shade = np.linspace(0.0, 0.88, len(X)).astype(str).tolist()
        ax.scatter(X[:, 0], X[:, 1], s=8, c=shade, linewidths=0)
        ax.set_title(f"{order} order", color=TEXT)
        ax.tick_params(colors=TEXT)
    return figure


def partitions_figure(X: Floats, panels: Mapping[str, Any]) -> Figure:
    """The clusters of each model, with its boxes or prototypes and links.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
    panels : mapping of str to dict
        Results of the protocol "partition", by the name of the model.
    """
    columns = 3
    rows = -(-len(panels) // columns)
    figure = new_figure(4.4 * columns, 3.7 * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for ax, (name, shown) in zip(axes.flat, panels.items(), strict=False):
        _draw_partition(ax, X, shown)
        counts = f"ARI {shown['ari']:.4f}   k = {shown['clusters']}   P = {shown['categories']}"
        ax.set_title(f"{name}\n{counts}", fontsize=11, color=TEXT)
        ax.tick_params(colors=TEXT)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    # Limits by the samples, because an outer box may reach further.
    low, high = X.min(axis=0), X.max(axis=0)
    room = 0.06 * (high - low)
    axes[0, 0].set_xlim(low[0] - room[0], high[0] + room[0])
    axes[0, 0].set_ylim(low[1] - room[1], high[1] + room[1])
    return figure


def _draw_partition(ax: Axes, X: Floats, shown: Mapping[str, Any]) -> None:
    labels = np.array(shown["labels"])
    draw_samples(ax, X, labels, size=7)
    if "centres" in shown:
        centres = np.array(shown["centres"])
        ax.scatter(centres[:, 0], centres[:, 1], s=60, marker="x", color=TEXT, zorder=4)
        return
    corners = np.array(shown["lower"]), np.array(shown["upper"])
    many = len(corners[0]) > MANY
    draw_boxes(ax, *corners, np.array(shown["box_clusters"]), 0.7 if many else 1.2)
    if shown.get("links"):
        rows, columns, strength = map(np.array, shown["links"])
        dot = 1.5 if many else 5.0
        draw_links(ax, np.array(shown["middles"]), rows, columns, strength, dot)
    if "outer" in shown:
        low, high = np.array(shown["outer"])
        ax.add_patch(
            Rectangle((low[0], low[1]), *(high - low)[:2], fill=False, edgecolor="black", zorder=2)
        )


# ---------------------------------------------------------------------- tracking


def tracking_figure(tracks: Mapping[str, Any], arrivals: Sequence[int]) -> Figure:
    """ARI, index, tracker, vigilance, categories and clusters over time.

    Parameters
    ----------
    tracks : mapping of str to dict
        Results of the protocol "track", by the name of the model.
    arrivals : sequence of int
        When the first sample of each true cluster arrives.
    """
    figure = new_figure(12.0, 10.0)
    grid = figure.subplots(3, 2, sharex=True)
    panels = {
        "ari": "ARI",
        "icvi_value": "index, from 0 to 1",
        "tracker": "tracker v",
        "rho": r"vigilance $\rho_a$",
        "categories": "categories",
        "clusters": "clusters",
    }
    for ax, (what, title) in zip(grid.flat, panels.items(), strict=True):
        for name, track in tracks.items():
            if what not in track:
                continue
            values = np.array(track[what], dtype=float)
            if what == "icvi_value":
                values = to_unit_range(values)
            time = np.arange(1, len(values) + 1)
            ax.plot(time, values, **{**_look(name, markers=False), "linewidth": 1.1})
        for arrival in arrivals:
            ax.axvline(arrival + 1, color=FAINT, linewidth=0.9, linestyle=":", zorder=0)
        if what in ("categories", "clusters"):
            ax.set_yscale("log")
        if what == "tracker":
            ax.set_yscale("symlog", linthresh=10)
            ax.set_ylim(bottom=0)
        ax.set_title(title, fontsize=12, color=TEXT)
        ax.margins(x=0.01)
        tidy(ax, grid=True)
    for ax in grid[-1]:
        ax.set_xlabel("samples learnt", color=TEXT)
    _legend(figure, list(tracks), markers=False)
    return figure


def to_unit_range(values: Floats) -> Floats:
    """Values scaled so that their 2nd and 98th percentile are 0 and 1, and clipped; NaN stays.

    >>> to_unit_range(np.array([0.0, 1.0, 2.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return values
    low, high = np.percentile(known, (2, 98))
    return np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else 0.0 * values
