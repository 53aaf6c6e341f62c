"""Cluster validity indices from their definitions, on raw samples (the conn_index: on CONN).

Every function takes the whole partition and returns the plain value; NaN means undefined.
"""

import math

import numpy as np

MIN_OPTIMAL = {"wb", "xb", "db"}

# Numbers that differ by less than this (relative) are one number with different rounding.
TIE = 1e-12
# Sums of squares below this share of the total are squares of rounding errors: nothing.
NOTHING = 1e-24
# What the difference of two scatters may keep of them as rounding noise.
CANCELLED = 1e-12


def ratio(numerator, denominator):
    """0/0 is undefined, x/0 is infinite."""
    if denominator == 0:
        return math.nan if numerator == 0 else math.inf
    return numerator / denominator


def better(a, b):
    """Is `a` strictly better (larger) than `b`? Undefined is worse than any number."""
    if math.isnan(a):
        return False
    if math.isnan(b):
        return True
    if a == b:
        return False
    if math.isinf(a) or math.isinf(b):
        return a > b
    return a - b > TIE * max(abs(a), abs(b))


def scatter(points):
    value = float(np.sum((points - points.mean(axis=0)) ** 2))
    # The mean of copies is off by a rounding error of their size.
    return 0.0 if value <= NOTHING * float(np.sum(points**2)) else value


def sum_of_squares_index(name, clusters):
    """Value of one of the five SS indices; `clusters` is a list of arrays of raw samples."""
    k = len(clusters)
    if k < 2:
        return math.nan
    everything = np.concatenate(clusters)
    n_all = len(everything)
    mean_all = everything.mean(axis=0)
    cp_all = scatter(everything)
    counts = np.array([len(c) for c in clusters])
    means = np.array([c.mean(axis=0) for c in clusters])
    cps = np.array([scatter(c) for c in clusters])
    within = float(cps.sum())
    between = float(sum(n * np.sum((m - mean_all) ** 2) for n, m in zip(counts, means)))
    if within <= NOTHING * cp_all:
        within = 0.0
    if between <= CANCELLED * cp_all + NOTHING * float(np.sum(everything**2)):
        between = 0.0
    distance = np.sum((means[:, None, :] - means[None, :, :]) ** 2, axis=2)
    size = float(np.max(means**2)) if cp_all == 0 else 0.0
    distance[distance <= NOTHING * max(cp_all / n_all, size)] = 0.0
    apart = distance[~np.eye(k, dtype=bool)]
    if name == "ch":
        return ratio(between * (n_all - k), within * (k - 1))
    if name == "wb":
        return ratio(k * within, between)
    if name == "pbm":
        return ratio(cp_all * float(apart.max()), within * k) ** 2
    if name == "xb":
        return ratio(within, n_all * float(apart.min()))
    if name == "db":
        # The same noise floor as for the sum: a cluster of copies has no spread.
        spread = [0.0 if cp <= NOTHING * cp_all else cp / n for cp, n in zip(cps, counts)]
        total = 0.0
        for i in range(k):
            rows = [ratio(spread[i] + spread[j], distance[i, j]) for j in range(k) if j != i]
            if any(math.isnan(r) for r in rows):
                return math.nan
            total += max(rows)
        return total / k
    raise ValueError(name)


def conn_index(cluster_of, conn, n_of_cluster):
    """intra * (1 - inter); the diagonal of CONN (left by compression) is kept out."""
    k = len(n_of_cluster)
    if k < 2:
        return math.nan
    conn = np.array(conn, dtype=float)
    np.fill_diagonal(conn, 0.0)
    member = [np.flatnonzero(np.asarray(cluster_of) == c) for c in range(k)]
    intra = np.mean(
        [0.5 * conn[np.ix_(member[c], member[c])].sum() / n_of_cluster[c] for c in range(k)]
    )
    worst = []
    for c in range(k):
        values = []
        for other in range(k):
            if other == c:
                continue
            border = [p for p in member[c] if any(conn[p, q] > 0 for q in member[other])]
            if not border:
                values.append(0.0)
                continue
            numerator = conn[np.ix_(border, member[other])].sum()
            both = np.concatenate([member[c], member[other]])
            denominator = (
                conn[np.ix_(border, both)].sum() - 0.5 * conn[np.ix_(border, border)].sum()
            )
            values.append(numerator / denominator)
        worst.append(max(values))
    return float(intra * (1.0 - np.mean(worst)))
