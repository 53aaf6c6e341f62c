"""Cluster validity indices from their definitions, on raw samples (the conn_index: on CONN).

Every function takes the whole partition and returns the plain value; NaN means undefined.
"""

import math

import numpy as np

MIN_OPTIMAL = {"wb", "xb", "db", "rcip", "ni"}

# Numbers whose relative difference is less than this count as equal.
TIE = 1e-12
# Sums of squares below this share of the total are rounding errors and count as zero.
NOTHING = 1e-24
# A difference of two scatters below this share of them is rounding noise.
CANCELLED = 1e-12


def ratio(numerator, denominator):
    """0/0 is undefined, x/0 is infinite."""
    if denominator == 0:
        return math.nan if numerator == 0 else math.inf
    return numerator / denominator


def better(a, b):
    """Whether `a` is strictly better (larger) than `b`. Undefined is worse than any number."""
    if math.isnan(a):
        return False
    if math.isnan(b):
        return True
    if a == b:
        return False
    if math.isinf(a) or math.isinf(b):
        return a > b
    return a - b > TIE * max(abs(a), abs(b))


def sum_of_squares_index(name, X, cluster_of, k):
    """Value of an index of footprints; sample X[s] is in cluster cluster_of[s] of k."""
    if k < 2:
        return math.nan
    order = np.argsort(cluster_of, kind="stable")
    X, labels = X[order], np.asarray(cluster_of)[order]
    counts = np.bincount(labels, minlength=k)
    starts = np.cumsum(counts) - counts

    def per_cluster(rows):
        return np.add.reduceat(rows, starts, axis=0)

    n_all, mean_all = len(X), X.mean(axis=0)
    squares = np.sum(X**2, axis=1)
    means = per_cluster(X) / counts[:, None]
    cps = per_cluster(np.sum((X - means[labels]) ** 2, axis=1))
    # The mean of equal samples may differ from them by a rounding error.
    cps[cps <= NOTHING * per_cluster(squares)] = 0.0
    cp_all = float(np.sum((X - mean_all) ** 2))
    if cp_all <= NOTHING * squares.sum():
        cp_all = 0.0
    within = float(cps.sum())
    between = float(np.sum(counts * np.sum((means - mean_all) ** 2, axis=1)))
    if within <= NOTHING * cp_all:
        within = 0.0
    if between <= CANCELLED * cp_all + NOTHING * squares.sum():
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
    spread = np.where(cps <= NOTHING * cp_all, 0.0, cps) / counts
    if name == "gd43":
        return ratio(math.sqrt(apart.min()), 2 * spread.max())
    if name == "gd53":
        width = [
            (spread[i] * counts[i] + spread[j] * counts[j]) / (counts[i] + counts[j])
            for i in range(k)
            for j in range(k)
            if i != j
        ]
        return ratio(min(width), 2 * spread.max())
    if name == "csil":
        total = 0.0
        for i in range(k):
            # the mean squared distance of each other cluster's samples from the mean of this one
            other = min(spread[j] + distance[i, j] for j in range(k) if j != i)
            if max(spread[i], other) == 0:
                return math.nan
            total += (other - spread[i]) / max(spread[i], other)
        return total / k
    if name in ("ps", "pcaes"):
        centre = means.mean(axis=0) if name == "ps" else mean_all
        beta = np.mean(np.sum((means - centre) ** 2, axis=1))
        if beta <= NOTHING * max(cp_all / n_all, size):
            return math.nan
        nearest = np.where(np.eye(k, dtype=bool), np.inf, distance).min(axis=1)
        return float(np.sum(counts / counts.max() - np.exp(-nearest / beta)))
    raise ValueError(name)


def conn_index(cluster_of, conn, n_of_cluster):
    """intra * (1 - inter); the diagonal of CONN (left by compression) is kept out."""
    k = len(n_of_cluster)
    if k < 2:
        return math.nan
    conn = np.array(conn, dtype=float)
    np.fill_diagonal(conn, 0.0)
    member = np.asarray(cluster_of)[:, None] == np.arange(k)
    into = conn @ member  # from a category into a cluster
    intra = np.mean([0.5 * into[member[:, c], c].sum() / n_of_cluster[c] for c in range(k)])
    worst = []
    for c in range(k):
        values = []
        for other in range(k):
            if other == c:
                continue
            border = np.flatnonzero(member[:, c] & (into[:, other] > 0))
            if len(border) == 0:
                values.append(0.0)
                continue
            numerator = into[border, other].sum()
            denominator = (
                into[border, c].sum() + numerator - 0.5 * conn[np.ix_(border, border)].sum()
            )
            values.append(numerator / denominator)
        worst.append(max(values))
    return float(intra * (1.0 - np.mean(worst)))
