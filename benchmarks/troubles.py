"""Streams that broke clusterers with one fixed scale or threshold, and streams that drift.

Each trouble is a function of a seed that gives samples, classes, and which samples are scored
(None: all). `TROUBLES` has the score of each and the required value.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

Floats = np.ndarray
Trouble = tuple[np.ndarray, np.ndarray, np.ndarray | None]
rng_of = np.random.default_rng


def blobs(
    n: int, d: int, k: int, apart: float, seed: int, sizes: list[float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian clusters; pairs of centres are about `apart` standard deviations apart."""
    rng = rng_of(seed)
    centres = rng.normal(0, 1, (k, d)) * apart / np.sqrt(2 * d)
    y = rng.choice(k, n, p=sizes)
    return centres[y] + rng.normal(0, 1, (n, d)), y


def twenty(n: int, seed: int, in_order: bool) -> Trouble:
    """20 clusters in 16 dimensions, one after the other or mixed."""
    rng = rng_of(seed)
    centres = rng.uniform(0, 1, (20, 16)) * 30
    y = rng.integers(0, 20, n)
    y = np.sort(y) if in_order else y
    return centres[y] + rng.normal(0, 1, (n, 16)), y, None


def grid(k: int, seed: int) -> Trouble:
    rng = rng_of(seed)
    side = int(np.ceil(np.sqrt(k)))
    centres = np.array([[i, j] for i in range(side) for j in range(side)][:k]) * 10.0
    y = rng.integers(0, k, 30 * k)
    return centres[y] + rng.normal(0, 1, (30 * k, 2)), y, None


def many(k: int, d: int, seed: int) -> Trouble:
    return *blobs(30 * k, d, k, 25, seed), None


def four(seed: int, n: int = 3000) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    y = rng.integers(0, 4, n)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10.0]])
    return rng, centres[y] + rng.normal(0, 1, (n, 2)), y


def outliers(count: int, sd: float, seed: int, d: int = 2) -> Trouble:
    if d == 2:
        rng, X, y = four(seed)
    else:
        rng = rng_of(seed)
        y = rng.integers(0, 4, 3000)
        X = 10.0 * np.eye(d)[y] + rng.normal(0, 1, (3000, d))
    at = rng.choice(3000, count, replace=False)
    X[at] = rng.normal(0, sd, (count, d))
    return X, y, ~np.isin(np.arange(3000), at)


def one_far(seed: int) -> Trouble:
    _, X, y = four(seed)
    X[1000] = 1e4
    return X, y, np.arange(3000) != 1000


def missing(seed: int, everywhere: bool) -> Trouble:
    """1 % of the samples have -9999 in one feature, or in all."""
    rng, X, y = four(seed)
    at = rng.choice(3000, 30, replace=False)
    if everywhere:
        X[at] = -9999
    else:
        X[at, rng.integers(0, 2, 30)] = -9999
    return X, y, ~np.isin(np.arange(3000), at)


def unbalanced(d: int, seed: int) -> Trouble:
    shares = [0.99, 0.005, 0.005]
    if d > 2:
        return *blobs(20000, d, 3, 15, seed, shares), None
    rng = rng_of(seed)
    y = rng.choice(3, 20000, p=shares)
    centres = np.array([[0, 0], [12, 0], [0, 12.0]])
    return rng.normal(0, 1, (20000, 2)) + centres[y], y, None


def newcomers(d: int, n: int, seed: int) -> Trouble:
    """Five clusters for n samples, then 200 of a new one, 10 sd from the nearest."""
    rng = rng_of(seed)
    centres = rng.normal(0, 1, (5, d)) * 20 / np.sqrt(2)
    y = rng.integers(0, 5, n)
    rng.normal(0, 1, d)
    places = [
        centres[k] + 10 * v / np.linalg.norm(v) for k in range(5) for v in rng.normal(0, 1, (20, d))
    ]
    place = max(places, key=lambda q: np.linalg.norm(q - centres, axis=1).min())
    new = place + rng.normal(0, 1, (200, d))
    X = np.vstack([centres[y] + rng.normal(0, 1, (n, d)), new])
    return X, np.r_[y, np.full(200, 5)], None


def logarithmic(seed: int) -> Trouble:
    X, y = blobs(3000, 3, 4, 12, 5 + seed)
    return np.exp(X), y, None


def counts(seed: int) -> Trouble:
    """Counts of 1000 words in texts of very different lengths, ten topics."""
    rng = rng_of(seed)
    y = rng.integers(0, 10, 1500)
    topics = rng.dirichlet(np.full(1000, 0.02), 10) * 0.7
    topics += 0.3 * rng.dirichlet(np.full(1000, 0.1))
    X = [rng.multinomial(int(rng.lognormal(4, 1.3)) + 3, topics[i]) for i in y]
    return np.stack(X).astype(float), y, None


def noise(d: int, seed: int) -> Trouble:
    """30 % of the samples are noise."""
    rng = rng_of(seed)
    if d == 2:
        centres = np.array([[i * 10, j * 10] for i in range(3) for j in range(2)])
        y = rng.integers(0, 6, 5000)
        X = centres[y] + rng.normal(0, 1, (5000, 2))
    else:
        X, y = blobs(5000, d, 6, 14, 3 + seed)
    anywhere = rng.random(5000) < 0.3
    low, high = X.min(axis=0), X.max(axis=0)
    X[anywhere] = rng.uniform(low - 2, high + 2, (anywhere.sum(), X.shape[1]))
    return X, y, ~anywhere


def f1_of_class(y: np.ndarray, labels: np.ndarray, c: int) -> float:
    """The best F1 of any cluster with one class."""
    true = y == c
    return max(
        2 * np.sum(true & (labels == k)) / (true.sum() + np.sum(labels == k))
        for k in np.unique(labels[true])
    )


def f1_of_last(y: np.ndarray, labels: np.ndarray) -> float:
    return f1_of_class(y, labels, int(y.max()))


def least_f1(y: np.ndarray, labels: np.ndarray) -> float:
    return min(f1_of_class(y, labels, int(c)) for c in np.unique(y))


class Case(NamedTuple):
    make: Callable[[int], Trouble]
    target: float
    score: Callable[[np.ndarray, np.ndarray], float] = adjusted_rand_score
    in_order: bool = False
    """The order of the stream is part of the trouble."""


TROUBLES: dict[str, Case] = {
    "3 outliers of sd 300": Case(lambda s: outliers(3, 300, s), 0.97),
    "15 outliers of sd 50": Case(lambda s: outliers(15, 50, s), 0.97),
    "15 outliers of sd 100": Case(lambda s: outliers(15, 100, s), 0.97),
    "15 outliers of sd 300": Case(lambda s: outliers(15, 300, s), 0.97),
    "15 outliers of sd 300, d 5": Case(lambda s: outliers(15, 300, s, 5), 0.97),
    "one value of 1e4": Case(one_far, 0.97),
    "1 % of -9999 in one feature": Case(lambda s: missing(s, False), 0.97),
    "1 % of -9999 in all": Case(lambda s: missing(s, True), 0.97),
    "250 clusters, d 2": Case(lambda s: grid(250, s), 0.97),
    "400 clusters, d 2": Case(lambda s: grid(400, s), 0.97),
    "1000 clusters, d 2": Case(lambda s: grid(1000, s), 0.95),
    "400 clusters, d 16": Case(lambda s: many(400, 16, s), 0.95),
    "99/.5/.5 %, d 2": Case(lambda s: unbalanced(2, s), 0.90, least_f1),
    "99/.5/.5 %, d 10": Case(lambda s: unbalanced(10, s), 0.90, least_f1),
    "counts of words": Case(counts, 0.95),
    "clusters in the logarithm": Case(logarithmic, 0.90),
    "30 % noise, d 2": Case(lambda s: noise(2, s), 0.9),
    "30 % noise, d 8": Case(lambda s: noise(8, s), 0.9),
}


def long_troubles(n: int) -> dict[str, Case]:
    return {
        f"20 clusters, sorted, {n:,}": Case(lambda s: twenty(n, s, True), 0.98, in_order=True),
        f"20 clusters, shuffled, {n:,}": Case(lambda s: twenty(n, s, False), 0.98, in_order=True),
        f"200 newcomers after {n:,}, d 2": Case(
            lambda s: newcomers(2, n, s), 0.90, f1_of_last, True
        ),
        f"200 newcomers after {n:,}, d 16": Case(
            lambda s: newcomers(16, n, s), 0.90, f1_of_last, True
        ),
    }


# ---------------------------------------------------------------------- drift


def gradual(seed: int, n: int = 6000) -> tuple[np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    y, t = rng.integers(0, 3, n), np.arange(n) / n
    still = np.zeros(n)
    paths = np.stack(
        [
            np.stack([t * 12, still], 1),
            np.stack([still, still + 6], 1),
            np.stack([still + 12, still + 6], 1),
        ]
    )
    return paths[y, np.arange(n)] + rng.normal(0, 0.5, (n, 2)), y


def abrupt(seed: int, n: int = 6000) -> tuple[np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    before = np.array([[0, 0], [6, 0], [0, 6], [6, 6.0]])
    y, late = rng.integers(0, 4, n), np.arange(n) >= n // 2
    centres = np.where(late[:, None], before[y] + 1.5, before[y])
    return centres + rng.normal(0, 0.5, (n, 2)), y + 4 * late


def swap(seed: int, n: int = 6000) -> tuple[np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    y = rng.integers(0, 2, n)
    angle = np.arange(n) / n * np.pi + y * np.pi
    return 5 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.5, (n, 2)), y


def rounds(seed: int, n: int = 20000) -> tuple[np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    y = rng.integers(0, 3, n)
    angle = np.arange(n) / n * 10 * np.pi + y * 2 * np.pi / 3
    return 5 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.5, (n, 2)), y


def walks(seed: int, n: int = 20000) -> tuple[np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    centres = rng.normal(0, 1, (5, 8)) * 4
    y = rng.integers(0, 5, n)
    path = centres + np.cumsum(rng.normal(0, 0.02, (n, 5, 8)), 0)
    return path[np.arange(n), y] + rng.normal(0, 1, (n, 8)), y


def epochs(seed: int, n: int = 20000) -> tuple[np.ndarray, np.ndarray]:
    rng = rng_of(seed)
    y, epoch = rng.integers(0, 4, n), np.arange(n) * 10 // n
    centres = rng.uniform(0, 20, (10, 4, 2))
    return centres[epoch, y] + rng.normal(0, 0.5, (n, 2)), y + 4 * epoch


DRIFTS = {
    "gradual": gradual,
    "abrupt": abrupt,
    "swap": swap,
    "five rounds of a circle": rounds,
    "random walks, d 8": walks,
    "ten epochs": epochs,
}
