"""Step by step comparison of the compiled network with the naive transcription."""

import numpy as np

from naive import NaiveTopoARTMAP
from streamart import ICVITopoARTMAP

# Both do the same arithmetic in another order, and accumulate in another order over some hundred
# samples: 1e-9 leaves six digits for that.
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def assert_same(model, naive, at):
    """Everything that the two remember is the same."""
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
    for p in range(len(naive.categories)):
        low, high = naive.box(p)
        _, mean, cp = naive.footprint(p)
        np.testing.assert_allclose((categories.lower[p] - low) / span, 0, atol=1e-9, err_msg=where)
        np.testing.assert_allclose((categories.upper[p] - high) / span, 0, atol=1e-9, err_msg=where)
        np.testing.assert_allclose(categories.mean[p], mean, err_msg=where, **CLOSE)
        np.testing.assert_allclose(categories.cp[p], cp, err_msg=where, **CLOSE)
    for c in range(naive.k):
        points = np.concatenate(
            [naive.points(p) for p, label in enumerate(naive.cluster_of) if label == c]
        )
        mean = points.mean(axis=0)
        np.testing.assert_allclose(clusters.mean[c], mean, err_msg=where, **CLOSE)
        cp = np.sum((points - mean) ** 2)
        np.testing.assert_allclose(clusters.cp[c], cp, err_msg=where, **CLOSE)
    assert clusters.n_categories.tolist() == [naive.cluster_of.count(c) for c in range(naive.k)]
    np.testing.assert_allclose(
        model.icvi_value_, naive.icvi_value, rtol=1e-9, equal_nan=True, err_msg=where
    )
    if at > 0:
        np.testing.assert_allclose(model.rho_, naive.step_vigilance, rtol=1e-12, err_msg=where)
    assert model.class_clusters_ == naive.class_cluster, where


def run_both(X, labels=None, **params):
    """Learn a stream with both, comparing after every sample."""
    model, naive = ICVITopoARTMAP(**params), NaiveTopoARTMAP(**params)
    for at, x in enumerate(X):
        label = None if labels is None or labels[at] < 0 else int(labels[at])
        model.partial_fit(x[None], None if label is None else [label])
        naive.learn(x, label)
        assert_same(model, naive, at)
        where = naive.cluster_of[naive.winners[0]]
        assert model.labels_.tolist() == [where], f"label of sample {at}"
    assert model.predict(X).tolist() == [naive.predict_one(x) for x in X]
    return model, naive
