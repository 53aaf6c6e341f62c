"""The information-theoretic indices from their definitions, on raw samples; NaN means undefined."""

import numpy as np


def gaussians(X, labels, epsilon):
    d = X.shape[1]
    delta = 10.0 ** (-epsilon / d) * np.eye(d)

    def of(part):
        spread = np.cov(part.T).reshape(d, d) if len(part) > 1 else np.zeros((d, d))
        return part.mean(axis=0), spread + delta

    return of(X), [of(X[labels == c]) for c in range(labels.max() + 1)]


def half_log_det(matrix):
    return 0.5 * np.linalg.slogdet(matrix)[1]


def negentropy_increment(X, labels, epsilon=12.0):
    everything, parts = gaussians(X, labels, epsilon)
    shares = np.bincount(labels) / len(labels)
    own = sum(p * (half_log_det(cov) - np.log(p)) for p, (_, cov) in zip(shares, parts))
    return own - half_log_det(everything[1])


def pair_terms(X, labels, epsilon):
    _, parts = gaussians(X, labels, epsilon)
    for i, (mean_i, cov_i) in enumerate(parts):
        for mean_j, cov_j in parts[:i]:
            away, cov = mean_i - mean_j, cov_i + cov_j
            yield 0.5 * away @ np.linalg.solve(cov, away), half_log_det(cov), len(away)


def cross_entropy(X, labels, epsilon=12.0):
    terms = pair_terms(X, labels, epsilon)
    return sum(far + size + 0.5 * d * np.log(2 * np.pi) for far, size, d in terms)


def information_potential(X, labels, epsilon=12.0):
    terms = pair_terms(X, labels, epsilon)
    return sum(np.exp(-far - size) / (2 * np.pi) ** (d / 2) for far, size, d in terms)


INFORMATION = {
    "ni": negentropy_increment,
    "rh": cross_entropy,
    "rcip": information_potential,
}
