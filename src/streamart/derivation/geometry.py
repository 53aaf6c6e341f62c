"""The input of the derivation, and the distances between its categories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Floats, Ints

COORDINATES = 40
"""Number of principal coordinates in which contact and dips are measured."""
CLOSENESS_WEIGHT = 1e-6
"""Weight of closeness, which decides if links are equally strong or absent. It is far below the
strength of a single link and far above rounding."""


class PartitionInput(NamedTuple):
    """The input of the derivation, with one row for each category."""

    n: Floats
    mean: Floats
    """Means in the units in which distances are measured."""
    cp: Floats
    conn: Floats
    """CONN as a table, with 0 on its diagonal."""
    lost: Floats
    """Links that were lost because both ends merged into one category."""
    group: Ints
    """Group of hinted samples that must stay together; -1 for none."""
    apart: Floats
    """1 where hints keep two categories apart."""
    dimension: float
    """Number of dimensions that the samples fill."""
    unevenness: float
    """How much distances between neighbours vary: more than in one cloud if there are groups."""
    full: bool = False
    """Whether the budget has grown, so that clusters may be single categories."""


def some_of(given: PartitionInput, which: Ints) -> PartitionInput:
    """The input restricted to some categories."""
    return given._replace(
        n=given.n[which],
        mean=np.ascontiguousarray(given.mean[which]),
        cp=given.cp[which],
        conn=np.ascontiguousarray(given.conn[np.ix_(which, which)]),
        lost=given.lost[which],
        group=given.group[which],
        apart=np.ascontiguousarray(given.apart[np.ix_(which, which)]),
    )


class Geometry(NamedTuple):
    """Distances between the categories, which are the same for all trees."""

    between: Floats
    """Squared distances of the means."""
    expected: Floats
    """E: expected squared distances of samples; infinite on the diagonal."""
    coordinates: Floats
    """The means in principal coordinates."""
    closeness: Floats
    """n m (1 - E / greatest E) for each pair, which decides between equally strong links, times its
    weight."""


def squared_distances(a: Floats, b: Floats) -> Floats:
    """Squared distances between rows. They are centred first, to keep the digits of differences."""
    centre = a.mean(axis=0)
    a, b = a - centre, b - centre
    far = np.add.outer(np.sum(a**2, axis=1), np.sum(b**2, axis=1))
    far -= 2.0 * (a @ b.T)
    return np.asarray(np.maximum(far, 0.0, out=far))


def geometry_of(given: PartitionInput) -> Geometry:
    between = squared_distances(given.mean, given.mean)
    np.fill_diagonal(between, 0.0)
    spread = given.cp / given.n
    expected = 0.5 * (between + between.T) + spread[:, None] + spread
    np.fill_diagonal(expected, 0.0)
    closeness = np.outer(given.n, given.n) * (1.0 - expected / max(expected.max(), 1e-300))
    closeness *= CLOSENESS_WEIGHT / given.n.sum() ** 2
    np.fill_diagonal(expected, np.inf)
    return Geometry(between, expected, principal_coordinates(given, COORDINATES), closeness)


def principal_coordinates(given: PartitionInput, most: int) -> Floats:
    """The centred means in at most `most` coordinates. The eigenvectors of the smaller one of two
    matrices give them in a third of the time of a singular value decomposition."""
    away = given.mean - given.n @ given.mean / given.n.sum()
    if away.shape[1] <= most:
        return np.ascontiguousarray(away)
    root = np.sqrt(given.n)[:, None]
    weighted = away * root
    if len(away) < away.shape[1]:
        values, left = np.linalg.eigh(weighted @ weighted.T)
        found = left * np.sqrt(np.maximum(values, 0.0)) / root
    else:
        found = away @ np.linalg.eigh(weighted.T @ weighted)[1]
    return np.ascontiguousarray(found[:, ::-1][:, :most])  # the greatest eigenvalues come last


class Centres(NamedTuple):
    """The clusters of a partition: membership, number of samples, and means."""

    member: Floats
    size: Floats
    mean: Floats


def centres_of(given: PartitionInput, home: Ints) -> Centres:
    member = (home[:, None] == np.arange(int(home.max()) + 1)).astype(float)
    size = member.T @ given.n
    return Centres(member, size, (member.T * given.n) @ given.mean / size[:, None])
