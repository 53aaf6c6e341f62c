"""What a user gets, in one figure: the clusters with names and sizes, and how they came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke

from .._typing import Floats, Ints
from ..estimators.base import OnlineClusterer
from ..history.ids import shown
from .record import Record
from .river import OTHERS, Band, river_of
from .style import COLOURS, LIGHT, MARKERS, Theme, new_figure, tidy

_FONT = 9
_LABELLED = 12
"""Clusters whose name is written; more would hide each other."""


class Run(NamedTuple):
    """A model, the samples that it has learnt, and what was recorded meanwhile."""

    title: str
    X: Floats
    model: OnlineClusterer[Any]
    record: Record


def draw_clusters(ax: Axes, model: OnlineClusterer[Any], X: Floats, theme: Theme = LIGHT) -> None:
    """Draw samples in the colours of their clusters, with the name and size of each cluster.

    Parameters
    ----------
    ax : Axes
    model : StreamART or ICVITopoARTMAP
    X : ndarray of shape (n_samples, n_features)
        The samples to show; their first two features are drawn.
    theme : Theme, default=LIGHT
    """
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] < 2:
        raise ValueError(f"X has shape {X.shape}; a picture needs at least two features.")
    ids: Ints = model.predict_ids(X)
    sizes = _sizes(model)
    drawn: list[tuple[float, int, Floats]] = []
    for place, cluster in enumerate(_in_order(model)):
        members = X[ids == cluster]
        if not len(members):
            continue
        ax.scatter(
            members[:, 0],
            members[:, 1],
            s=11,
            marker=MARKERS[place // len(COLOURS) % len(MARKERS)],
            color=COLOURS[place % len(COLOURS)],
            alpha=0.55,
            linewidths=0,
        )
        if len(drawn) < _LABELLED:
            drawn.append((float(np.median(members[:, 0])), cluster, members[:, 1]))
    ax.margins(0.08, 0.22)
    texts = [f"{_name(model, cluster)}\n{sizes[cluster]:,.0f}" for _, cluster, _ in drawn]
    boxes = [(x, float(y.min()), float(y.max())) for x, _, y in drawn]
    for text, (x, low, high), above in zip(texts, boxes, _sides(ax, texts, boxes), strict=True):
        ax.annotate(
            text,
            (x, high if above else low),
            xytext=(0, 3 if above else -3),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            fontsize=_FONT,
            fontweight="bold",
            color=theme.text,
            path_effects=[withStroke(linewidth=3, foreground=theme.background)],
        )
    tidy(ax, theme)


def _sides(
    ax: Axes, texts: Sequence[str], boxes: Sequence[tuple[float, float, float]]
) -> list[bool]:
    """Whether each label stands above its samples, or below, where it hides no other label."""
    point = ax.figure.dpi / 72  # in pixels
    across = np.ptp(ax.get_xlim()) * point / ax.bbox.width  # units of the data per point
    upward = np.ptp(ax.get_ylim()) * point / ax.bbox.height
    taken: list[tuple[float, float, float]] = []
    sides = [True] * len(texts)
    for i in sorted(range(len(texts)), key=lambda i: boxes[i]):
        x, low, high = boxes[i]
        half = 0.33 * _FONT * max(map(len, texts[i].split("\n"))) * across
        tall = 2.6 * _FONT * upward
        spots = [(x, half, high + tall / 2), (x, half, low - tall / 2)]
        clashes = [
            sum(abs(x - u) < half + h and abs(y - v) < tall for u, h, v in taken)
            for x, half, y in spots
        ]
        sides[i] = clashes[0] <= clashes[1]
        taken.append(spots[0 if sides[i] else 1])
    return sides


def draw_river(ax: Axes, model: OnlineClusterer[Any], record: Record, theme: Theme = LIGHT) -> None:
    """Draw how large each cluster was over time, where it came from and where it went.

    Parameters
    ----------
    ax : Axes
    model : StreamART or ICVITopoARTMAP
    record : Record
        With a `look` at the model now and then, and a `note` of its events.
    theme : Theme, default=LIGHT
    """
    river = river_of(record.snapshots, record.origins, record.ends)
    colours = {i: COLOURS[place % len(COLOURS)] for place, i in enumerate(_in_order(model))}
    times = np.array(river.columns)
    for ribbon in river.ribbons:
        left, right = times[ribbon.column : ribbon.column + 2]
        corners = [
            (left, ribbon.low[0]),
            (right, ribbon.low[1]),
            (right, ribbon.high[1]),
            (left, ribbon.high[0]),
        ]
        own = ribbon.target if ribbon.kind == "split" else ribbon.source
        colour = _colour(model, own, colours, theme)
        ax.add_patch(Polygon(corners, facecolor=colour, alpha=0.35, linewidth=0))
    for band in river.bands:
        at = times[band.first : band.first + len(band.low)]
        colour = _colour(model, band.id, colours, theme)
        if len(at) == 1:  # seen once: a line, which has a width
            ax.vlines(at, band.low, band.high, colors=colour, linewidth=1.5)
        else:
            alpha = 0.9 if band.id in colours else 0.55
            ax.fill_between(at, band.low, band.high, color=colour, alpha=alpha, linewidth=0)
    _name_bands(ax, model, river.bands, times, colours, theme)
    ax.set_xlim(times[0] if len(times) else 0, times[-1] if len(times) else 1)
    ax.set_ylim(0, 1)
    ax.set_yticks([])
    ax.set_xlabel("samples learnt")
    tidy(ax, theme)
    ax.spines["left"].set_visible(False)


def _name_bands(
    ax: Axes,
    model: OnlineClusterer[Any],
    bands: Sequence[Band],
    times: Ints,
    colours: Mapping[int, str],
    theme: Theme,
) -> None:
    """Names of the clusters that are alive, at the right end."""
    alive = [
        band for band in bands if band.id in colours and band.first + len(band.low) == len(times)
    ]
    for band in alive[: 2 * _LABELLED]:
        ax.annotate(
            _name(model, band.id),
            (times[-1], (band.low[-1] + band.high[-1]) / 2),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=_FONT,
            color=theme.text,
            annotation_clip=False,
        )


def draw_overview(runs: Sequence[Run], theme: Theme = LIGHT) -> Figure:
    """A column for each run: the clusters at the end above, how they came about below.

    Parameters
    ----------
    runs : sequence of Run
    theme : Theme, default=LIGHT

    Returns
    -------
    figure : Figure
        Save it with ``figure.savefig(path)``.
    """
    figure = new_figure(4.0 * len(runs), 6.6, theme)
    above, below = figure.subplots(
        2, len(runs), squeeze=False, sharey="row", gridspec_kw={"height_ratios": [1.25, 1.0]}
    )
    for top, bottom, run in zip(above, below, runs, strict=True):
        draw_clusters(top, run.model, run.X, theme)
        draw_river(bottom, run.model, run.record, theme)
        top.set_title(run.title, fontsize=12, color=theme.text)
    above[0].set_ylabel("the clusters at the end")
    below[0].set_ylabel("share of all samples so far")
    return figure


def _in_order(model: OnlineClusterer[Any]) -> list[int]:
    """Ids with names by their name, then the others, so that names keep their colours."""
    names = model.names_
    ids: list[int] = model.cluster_ids_.tolist()
    return sorted(ids, key=lambda i: (i not in names, names.get(i, ""), i))


def _sizes(model: OnlineClusterer[Any]) -> dict[int, float]:
    return dict(zip(model.cluster_ids_.tolist(), model.clusters_.n.tolist(), strict=True))


def _name(model: OnlineClusterer[Any], cluster: int) -> str:
    return model.names_.get(cluster, shown(cluster))


def _colour(
    model: OnlineClusterer[Any], cluster: int, colours: Mapping[int, str], theme: Theme
) -> str:
    """A cluster that has ended has the colour of the one that its samples are in now."""
    if cluster in colours:
        return colours[cluster]
    successor = model.aliases_.get(cluster, OTHERS)
    return colours.get(successor, theme.faint)
