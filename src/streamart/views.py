"""Categories, clusters and links of a network as arrays for Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ._typing import Floats, Ints
from .icvi.state import HI, LIVE, LO, MATRIX, MEAN, State


class Categories(NamedTuple):
    """Module A's categories, one row each."""

    lower: Floats
    """Lower corner of the box, in the units of the data."""
    upper: Floats
    """Upper corner of the box."""
    n: Ints
    """Number of samples."""
    mean: Floats
    """Mean of these samples."""
    cp: Floats
    """Compactness: sum of squared distances of these samples from their mean."""
    inactivity: Ints
    """Samples since the category last won."""
    cluster: Ints
    """Position of its cluster, as in `labels_`."""


class Clusters(NamedTuple):
    """Footprints of the clusters, one row each, in the order of their positions."""

    n: Ints
    mean: Floats
    cp: Floats
    n_categories: Ints


def rows_of(state: State) -> Ints:
    """Row of each category in the arrays, in the order of the categories."""
    rows: Ints = state.order[: int(state.now[0]["categories"])]
    return rows


def labels_of(state: State) -> Ints:
    """Position of the cluster of each category, in the order of the categories."""
    labels: Ints = state.label[LIVE, rows_of(state)]
    return labels


def categories_of(state: State) -> Categories:
    rows = rows_of(state)
    return Categories(
        state.box[LO, rows],
        state.box[HI, rows],
        state.cat["n"][rows],
        state.box[MEAN, rows],
        state.cat["cp"][rows],
        state.now[0]["n"] - state.cat["won"][rows],
        state.label[LIVE, rows],
    )


def matrices_of(state: State) -> Floats:
    """The scatter matrix of each category, its lower triangle, for an index that needs it."""
    matrices: Floats = np.moveaxis(state.box[MATRIX:, rows_of(state)], 1, 0)
    return matrices


def clusters_of(state: State) -> Clusters:
    k = int(state.now[0]["k"])
    clusters = state.clu[LIVE, :k]
    return Clusters(
        clusters["n"].copy(),
        state.mean[LIVE, :k].copy(),
        clusters["cp"].copy(),
        clusters["size"].copy(),
    )


def conn_of(state: State) -> csr_array:
    """CONN, in the order of the categories. Its diagonal has the links within merged ones."""
    count, (p, q, weight) = int(state.now[0]["categories"]), _links_of(state)
    return csr_array((weight, (p, q)), shape=(count, count))


def table_of_links(state: State) -> Floats:
    """CONN as a table."""
    count, (p, q, weight) = int(state.now[0]["categories"]), _links_of(state)
    table = np.bincount(p * count + q, weights=weight, minlength=count * count)
    return np.asarray(table.reshape(count, count), dtype=float)


def _links_of(state: State) -> tuple[Ints, Ints, Floats]:
    """The two categories of each link, and its weight."""
    other, rank = state.link["other"], state.cat["rank"]
    ends = np.flatnonzero(state.link["weight"])
    return rank[other[ends ^ 1]], rank[other[ends]], state.link["weight"][ends]
