"""What a partition is derived from, and how far apart its categories are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Floats, Ints

COORDINATES = 40
"""Principal coordinates in which it is measured how many dimensions a cluster fills."""


class PartitionInput(NamedTuple):
    """What a partition is derived from: one row for each category."""

    n: Floats
    mean: Floats
    """As distances are measured."""
    cp: Floats
    conn: Floats
    """How often two were first and second winner together, as a table; 0 on its diagonal."""
    lost: Floats
    """Links between categories that have become one."""
    group: Ints
    """Of hinted samples that are together; -1 for none."""
    apart: Floats
    """1 where a person keeps two categories apart."""
    dimension: float
    """How many dimensions the samples fill."""
    unevenness: float
    """How much distances between neighbours vary; more than in a cloud if there are groups."""
    full: bool = False
    """The budget has grown: clusters may be single categories."""


def some_of(given: PartitionInput, which: Ints) -> PartitionInput:
    """The same of some categories only."""
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
    """How far apart categories are: the same for all trees."""

    between: Floats
    """Squared distances of the means."""
    expected: Floats
    """E: squared distances of samples, with the spread of both; infinite on the diagonal."""
    coordinates: Floats
    """The means in principal coordinates."""
    closeness: Floats
    """n m (1 - E / greatest E) for each pair: its mean decides between equally strong links."""


def squared_distances(a: Floats, b: Floats) -> Floats:
    """Between rows; centred first, as coordinates may be large beside their differences."""
    centre = a.mean(axis=0)
    a, b = a - centre, b - centre
    far = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1) - 2.0 * (a @ b.T)
    return np.asarray(np.maximum(far, 0.0))


def geometry_of(given: PartitionInput) -> Geometry:
    between = squared_distances(given.mean, given.mean)
    np.fill_diagonal(between, 0.0)
    spread = given.cp / given.n
    expected = 0.5 * (between + between.T) + spread[:, None] + spread
    np.fill_diagonal(expected, 0.0)
    closeness = np.outer(given.n, given.n) * (1.0 - expected / max(expected.max(), 1e-300))
    np.fill_diagonal(expected, np.inf)
    return Geometry(between, expected, principal_coordinates(given, COORDINATES), closeness)


def principal_coordinates(given: PartitionInput, most: int) -> Floats:
    """The means in at most so many coordinates, centred."""
    away = given.mean - given.n @ given.mean / given.n.sum()
    if away.shape[1] <= most:
        return np.ascontiguousarray(away)
    left, values, _ = np.linalg.svd(away * np.sqrt(given.n)[:, None], full_matrices=False)
    kept = (left * values)[:, :most] / np.sqrt(given.n)[:, None]
    return np.ascontiguousarray(kept)


class Centres(NamedTuple):
    """The clusters of a partition: who is in them, how many samples, and their means."""

    member: Floats
    size: Floats
    mean: Floats


def centres_of(given: PartitionInput, home: Ints) -> Centres:
    member = (home[:, None] == np.arange(int(home.max()) + 1)).astype(float)
    size = member.T @ given.n
    return Centres(member, size, (member.T * given.n) @ given.mean / size[:, None])
