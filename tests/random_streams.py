"""Streams of all kinds, with ties, duplicates and features that do not vary."""

import numpy as np


def blobs(rng, n, d):
    centres = rng.normal(size=(4, d)) * 5
    return centres[np.sort(rng.integers(4, size=n))] + rng.normal(size=(n, d))


def grid(rng, n, d):
    """Few distinct values, all exact in binary, so there are many ties and duplicates."""
    return rng.integers(0, 5, size=(n, d)) / 4.0


def copies(rng, n, d):
    points = rng.normal(size=(5, d)) * 10
    return points[rng.integers(5, size=n)]


def half_constant(rng, n, d):
    X = blobs(rng, n, d)
    X[:, : (d + 1) // 2] = 3.7
    return X


def walk(rng, n, d):
    """A stream whose range keeps growing."""
    return np.cumsum(rng.normal(size=(n, d)), axis=0)


STREAMS = (blobs, grid, copies, half_constant, walk)
