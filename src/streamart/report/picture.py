"""Matplotlib pictures for the pages on the paper: boxes, CONN links, the network's history."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from .._typing import Floats, Ints
from ..estimators.base import OnlineClusterer
from ..history.ids import shown
from .style import COLOURS, LIGHT, Theme, colour_of, marker_of, tidy

HISTORY_PANELS = 4
# Beyond this ratio of largest to smallest, a linear axis would hide most of a curve.
_DECADES = 100.0
TEXT, FAINT = LIGHT.text, LIGHT.faint
_WIDEST_EDGE = 3.0
MANY = 100
"""With more boxes than this, lines are thinner."""


def draw_model(
    ax: Axes, model: OnlineClusterer[Any], X: Floats, labels: Ints, theme: Theme = LIGHT
) -> None:
    """Draw samples, category boxes and CONN edges in the first two features.

    Parameters
    ----------
    ax : Axes
    model : StreamART or ICVITopoARTMAP
        A model that has learnt samples of two features or more.
    X : ndarray of shape (n_samples, n_features)
        The samples to show.
    labels : ndarray of shape (n_samples,)
        Their clusters, which give the colours.
    theme : Theme, default=LIGHT
    """
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] < 2:
        raise ValueError(f"X has shape {X.shape}; a picture needs at least two features.")
    labels = np.asarray(labels)
    categories, links = model.categories_, model.conn_.tocoo()
    once = links.row < links.col
    many = len(categories.lower) > MANY
    draw_samples(ax, X, labels, size=9)
    draw_boxes(ax, categories.lower, categories.upper, categories.cluster, 0.8 if many else 1.3)
    # A category of one sample is a box without sides; its dot still shows it.
    ends, dot = (links.row[once], links.col[once]), 1.5 if many else 7
    draw_links(ax, categories.mean, *ends, links.data[once], dot, theme)
    _name_clusters(ax, model, X, labels, theme)
    ax.margins(0.08)
    tidy(ax, theme)


def draw_samples(ax: Axes, X: Floats, labels: Ints, size: float) -> None:
    """Samples in the colours and markers of their clusters."""
    for cluster in np.unique(labels).tolist():
        members = X[labels == cluster]
        ax.scatter(
            members[:, 0],
            members[:, 1],
            s=size,
            marker=marker_of(cluster),
            color=colour_of(cluster),
            alpha=0.45,
            linewidths=0,
            zorder=1,
        )


def draw_boxes(ax: Axes, lower: Floats, upper: Floats, clusters: Ints, width: float) -> None:
    """Outlines only, so that a box never hides its samples; grey in no cluster (-1)."""
    boxes = [
        Rectangle((low[0], low[1]), *(high - low)[:2])
        for low, high in zip(lower, upper, strict=True)
    ]
    colours = [colour_of(cluster) if cluster >= 0 else FAINT for cluster in clusters.tolist()]
    ax.add_collection(
        PatchCollection(boxes, facecolors="none", edgecolors=colours, linewidths=width, zorder=2)
    )


def draw_links(
    ax: Axes,
    middles: Floats,
    rows: Ints,
    columns: Ints,
    strength: Floats,
    dot: float,
    theme: Theme = LIGHT,
) -> None:
    """A dot for each category, and a line for each link, wider where it is stronger."""
    ax.scatter(middles[:, 0], middles[:, 1], s=dot, color=theme.text, zorder=3)
    if not len(strength):
        return
    # The square root keeps weak links visible beside strong ones.
    widths = _WIDEST_EDGE * np.sqrt(strength / strength.max())
    ax.add_collection(
        LineCollection(
            list(np.stack([middles[rows, :2], middles[columns, :2]], axis=1)),
            linewidths=widths,
            colors=theme.text,
            alpha=0.6,
            capstyle="round",
            zorder=3,
        )
    )


def _name_clusters(
    ax: Axes, model: OnlineClusterer[Any], X: Floats, labels: Ints, theme: Theme
) -> None:
    """Write each cluster's id above it, for readers who cannot tell the colours apart."""
    categories, ids = model.categories_, model.cluster_ids_
    for cluster in np.unique(labels).tolist():
        members = X[labels == cluster]
        boxes = categories.upper[categories.cluster == cluster]
        top = max(members[:, 1].max(), boxes[:, 1].max(initial=-np.inf))
        ax.annotate(
            shown(int(ids[cluster])),
            (float(np.median(members[:, 0])), float(top)),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=12,
            fontweight="bold",
            color=colour_of(cluster),
            path_effects=[withStroke(linewidth=3, foreground=theme.background)],
            zorder=4,
        )


def draw_history(
    axes: Sequence[Axes],
    history: Mapping[str, NDArray[Any]],
    index_name: str = "index",
    theme: Theme = LIGHT,
) -> None:
    """Draw `history_` over time: index, tracker, vigilance, categories and clusters.

    Parameters
    ----------
    axes : sequence of 4 Axes
        From top to bottom.
    history : mapping of str to ndarray
        `history_` of a model with ``record_history=True``.
    index_name : str, default="index"
        What to call the index.
    theme : Theme, default=LIGHT
    """
    if len(axes) != HISTORY_PANELS:
        raise ValueError(f"{len(axes)} axes given; {HISTORY_PANELS} are needed.")
    of_index, of_tracker, of_vigilance, of_numbers = axes
    time = np.arange(1, len(history["icvi_value"]) + 1)

    _draw_index(of_index, time, history["icvi_value"])
    of_index.set_ylabel(index_name)

    of_tracker.plot(time, history["tracker"], color=COLOURS[1], linewidth=1)
    of_tracker.set_ylabel("tracker v")
    _make_room(of_tracker, 0.0, 1.1 * max(1, int(np.max(history["tracker"]))))
    of_tracker.yaxis.set_major_locator(MaxNLocator(4, integer=True))

    of_vigilance.step(time, history["rho"], color=COLOURS[2], linewidth=1, where="mid")
    of_vigilance.set_ylabel(r"vigilance $\rho$")
    _make_room(of_vigilance, -0.05, 1.05 * max(1.0, float(np.max(history["rho"]))))

    of_numbers.plot(time, history["n_categories"], color=COLOURS[6], linewidth=1.2)
    of_numbers.plot(time, history["n_clusters"], color=COLOURS[0], linewidth=1.8)
    of_numbers.legend(
        ["categories P", "clusters k"], frameon=False, fontsize=10, loc="upper right", ncols=2,
        labelcolor=theme.text,
    )  # fmt: skip
    of_numbers.set_ylabel("how many")
    of_numbers.set_yscale("log")
    # The legend goes above the highest curve.
    _make_room(of_numbers, 0.8, 7.0 * int(np.max(history["n_categories"])))
    of_numbers.set_xlabel("samples learnt")

    for ax in axes:
        ax.margins(x=0.01)
        tidy(ax, theme, grid=True)


def _make_room(ax: Axes, bottom: float, top: float) -> None:
    """Set the scale, but never below what another picture that shares it needs."""
    ax.set_ylim(bottom, max(top, ax.get_ylim()[1]))


def _draw_index(ax: Axes, time: Ints, value: Floats) -> None:
    """The index, on a logarithmic axis if it spans decades."""
    positive = value[value > 0]
    none_negative = not np.any(value < 0)
    if none_negative and len(positive) and positive.max() > _DECADES * positive.min():
        ax.set_yscale("log", nonpositive="mask")
    ax.plot(time, value, color=COLOURS[0], linewidth=1)
