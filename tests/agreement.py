"""Compare the compiled network with the naive transcription, step by step."""

import numpy as np

from naive import NaiveTopoARTMAP
from streamart import ICVITopoARTMAP
from streamart.estimators.parameters import STRATEGIES
from streamart.icvi.registry import BY_NAME
from streamart.views import matrices_of

# Both add up several hundred samples in different orders; 1e-9 leaves six digits for rounding.
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def assert_same(model, naive, at):
    """Check that the states of the two are the same."""
    where = f"at sample {at}"
    categories, clusters = model.categories_, model.clusters_
    assert model.n_clusters_ == naive.k, where
    assert model.n_categories_ == len(naive.categories), where
    assert model.tracker_ == naive.v, where
    assert categories.cluster.tolist() == naive.cluster_of, where
    assert categories.inactivity.tolist() == [c.inactivity for c in naive.categories], where
    assert categories.n.tolist() == [len(c.samples) for c in naive.categories], where
    assert np.array_equal(model.conn_.toarray(), naive.conn), where
    assert clusters.n.tolist() == naive.cluster_counts(), where
    span = np.maximum(naive.x_max - naive.x_min, 1e-300)
    low, high = map(np.array, zip(*map(naive.box, range(len(naive.categories))), strict=True))
    np.testing.assert_allclose((categories.lower - low) / span, 0, atol=1e-9, err_msg=where)
    np.testing.assert_allclose((categories.upper - high) / span, 0, atol=1e-9, err_msg=where)
    points = [naive.points(p) for p in range(len(naive.categories))]
    assert_footprints(categories, points, where)
    if BY_NAME[model.icvi].by_covariance:
        for found, group in zip(matrices_of(model._state), points, strict=True):
            away = group - group.mean(axis=0)
            np.testing.assert_allclose(np.tril(found), np.tril(away.T @ away), **CLOSE)
    members = [
        [points[p] for p, label in enumerate(naive.cluster_of) if label == c]
        for c in range(naive.k)
    ]
    assert_footprints(clusters, [np.concatenate(parts) for parts in members], where)
    assert clusters.n_categories.tolist() == [naive.cluster_of.count(c) for c in range(naive.k)]
    np.testing.assert_allclose(
        model.icvi_value_, naive.icvi_value, rtol=1e-9, equal_nan=True, err_msg=where
    )
    if at > 0:
        np.testing.assert_allclose(model.rho_, naive.step_vigilance, rtol=1e-12, err_msg=where)
    ids = model.cluster_ids_.tolist()
    placed = {label: ids.index(i) for label, i in model.class_ids_.items()}
    assert placed == naive.class_cluster, where


def assert_footprints(known, points, where):
    """Check that mean and compactness of each category or cluster are those of its samples."""
    mean = np.array([group.mean(axis=0) for group in points])
    cp = [np.sum((group - m) ** 2) for group, m in zip(points, mean, strict=True)]
    np.testing.assert_allclose(known.mean, mean, err_msg=where, **CLOSE)
    np.testing.assert_allclose(known.cp, cp, err_msg=where, **CLOSE)


def run_both(X, labels=None, *, strategies=STRATEGIES, **params):
    """Learn a stream with both, comparing after every sample."""
    if BY_NAME[params.get("icvi", "ch")].by_covariance:
        # delta is 1e-6 at d = 2: beside variances of 25, half of the digits would be lost.
        X = X * 0.01
    model = ICVITopoARTMAP(strategies=strategies, **params)
    switches = {strategy: strategy in strategies for strategy in STRATEGIES}
    naive = NaiveTopoARTMAP(**params, **switches)
    for at, x in enumerate(X):
        label = None if labels is None or labels[at] < 0 else int(labels[at])
        model.partial_fit(x[None], None if label is None else [label])
        naive.learn(x, label)
        assert_same(model, naive, at)
        where = naive.cluster_of[naive.winners[0]]
        assert model.labels_.tolist() == [where], f"label of sample {at}"
    assert model.predict(X).tolist() == [naive.predict_one(x) for x in X]
    return model, naive
