"""The work for one job: a model learns a stream and is evaluated as in the paper.

Every protocol returns plain numbers, strings and lists, which can be stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score

import streamart

from .. import baselines
from .._typing import Floats, Ints
from ..estimators.base import OnlineClusterer
from .settings import Setting

Result = dict[str, Any]


def made(chosen: Setting) -> Any:
    """The model.

    >>> from streamart.experiments.settings import setting
    >>> made(setting("DRN", rho=0.7))
    DRN()
    """
    home = streamart if hasattr(streamart, chosen.model) else baselines
    return getattr(home, chosen.model)(**dict(chosen.params))


def cluster(chosen: Setting, X: Floats, y: Ints, seed: int) -> Result:
    """Learn the stream once; then present all samples again."""
    begun = time.perf_counter()
    model = made(chosen).fit(X)
    seconds = time.perf_counter() - begun
    return {
        "ari": float(adjusted_rand_score(y, model.predict(X))),
        "clusters": int(model.n_clusters_),
        "categories": int(model.n_categories_),
        "seconds": seconds,
    }


def ceiling(chosen: Setting, X: Floats, y: Ints, seed: int) -> Result:
    """ARI of a classifier that is *given* the true classes, on the same samples."""
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    return {"ari": float(adjusted_rand_score(y, model.predict(X)))}


def teach(chosen: Setting, X: Floats, y: Ints, seed: int) -> Result:
    """One labelled sample of each class, then all the others, without labels, in random order.

    "wrong" counts test samples that are not in the cluster of their class when all are presented
    again at the end, as in the paper; "wrong_at_once" those that were not when they were learnt.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    X, y = X[order], y[order]
    first = np.unique(y, return_index=True)[1]
    first.sort()
    rest = np.setdiff1d(np.arange(len(y)), first)
    if not len(rest):
        raise ValueError("every class has one sample only, so there are no test samples")
    model = made(chosen)
    if chosen.model == "NearestNeighbour":
        model.fit(X[first], y[first])
        wrong = at_once = int(np.sum(model.predict(X[rest]) != y[rest]))
        wrong_in_training = int(np.sum(model.predict(X[first]) != y[first]))
        classes = len(model.classes_)
    else:
        model.partial_fit(X[first], y[first])
        model.partial_fit(X[rest])
        # The present cluster of each class.
        home = np.array([model.class_ids_[label] for label in range(int(y.max()) + 1)])
        at_once = int(np.sum(model.ids_ != home[y[rest]]))
        wrong = int(np.sum(model.predict_ids(X[rest]) != home[y[rest]]))
        wrong_in_training = int(np.sum(model.predict_ids(X[first]) != home[y[first]]))
        classes = int(model.n_clusters_)
    return {
        "accuracy": 1.0 - wrong / len(rest),
        "wrong": wrong,
        "wrong_at_once": at_once,
        "wrong_in_training": wrong_in_training,
        "clusters": classes,
        "categories": int(model.n_categories_),
    }


def partition(chosen: Setting, X: Floats, y: Ints, seed: int) -> Result:
    """The data of a picture: labels of the samples, boxes or centres, links."""
    model = made(chosen).fit(X)
    labels = model.predict(X)
    shown: Result = {
        "ari": float(adjusted_rand_score(y, labels)),
        "clusters": int(model.n_clusters_),
        "categories": int(model.n_categories_),
        "labels": labels.tolist(),
    }
    if hasattr(model, "cluster_centers_"):
        return shown | {"centres": model.cluster_centers_.tolist()}
    boxes = model.categories_
    shown["lower"], shown["upper"] = boxes.lower.tolist(), boxes.upper.tolist()
    shown["box_clusters"] = boxes.cluster.tolist()
    links = _links(model)
    if links is not None:
        # Links join means, as in CONNvis; for models without means, the centres of boxes.
        middle = (
            boxes.mean if isinstance(model, OnlineClusterer) else (boxes.lower + boxes.upper) / 2
        )
        shown["middles"] = middle.tolist()
        links = links.tocoo()
        once = links.row < links.col
        shown["links"] = [
            links.row[once].tolist(), links.col[once].tolist(), links.data[once].tolist()
        ]  # fmt: skip
    if hasattr(model, "global_weight_"):
        shown["outer"] = model.global_weight_.tolist()
    return shown


def project(chosen: Setting, X: Floats, y: Ints, seed: int) -> Result:
    """A map of the samples in the plane by t-SNE (cosine distance), and the model's clusters."""
    perplexity = min(30.0, (len(X) - 1) / 3)
    tsne = TSNE(metric="cosine", init="random", perplexity=perplexity, random_state=seed)
    labels = made(chosen).fit(X).predict(X)
    return {
        "points": tsne.fit_transform(X).tolist(),
        "labels": labels.tolist(),
        "ari": float(adjusted_rand_score(y, labels)),
        "clusters": int(labels.max()) + 1,
    }


def _links(model: Any) -> Any:
    for name in ("conn_", "links_", "strengths_"):
        if hasattr(model, name):
            return getattr(model, name)
    return None


def track(chosen: Setting, X: Floats, y: Ints, seed: int) -> Result:
    """After each sample, present all samples so far again; also record the network's history."""
    recorded = chosen.model == "ICVITopoARTMAP"
    model = made(chosen.but(record_history=True) if recorded else chosen)
    ari, categories, clusters = [], [], []
    for t in range(len(X)):
        model.partial_fit(X[t : t + 1])
        labels = model.predict(X[: t + 1])
        ari.append(rand_of_table(contingency(y[: t + 1], labels)))
        categories.append(int(model.n_categories_))
        clusters.append(int(model.n_clusters_))
    found: Result = {"ari": ari, "categories": categories, "clusters": clusters}
    if recorded:
        history = model.history_
        found |= {name: history[name].tolist() for name in ("icvi_value", "tracker", "rho")}
    return found


def contingency(y: Ints, labels: Ints) -> Ints:
    """How many samples of each class are in each cluster."""
    columns = int(labels.max()) + 1
    pairs = np.bincount(y * columns + labels, minlength=(int(y.max()) + 1) * columns)
    return pairs.reshape(-1, columns)


def rand_of_table(table: Ints) -> float:
    r"""Adjusted Rand index of a contingency table.

    .. math:: \frac{\sum_{ij}\binom{n_{ij}}2 - E}{\frac12(A + B) - E},\quad
              A = \sum_i\binom{n_i}2,\ B = \sum_j\binom{n_j}2,\ E = AB/\binom{n}2

    The same as scikit-learn's, which takes ten times as long; this is needed after every sample.

    >>> import numpy as np
    >>> rand_of_table(np.array([[2, 0], [0, 2]]))
    1.0
    """
    pairs = _pairs(table).sum()
    rows, columns = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    every = _pairs(table.sum())
    expected = rows * columns / every if every else 0.0
    most = (rows + columns) / 2
    return float((pairs - expected) / (most - expected)) if most != expected else 1.0


def _pairs(n: Any) -> Any:
    return n * (n - 1) / 2


PROTOCOLS: dict[str, Callable[[Setting, Floats, Ints, int], Result]] = {
    "cluster": cluster,
    "ceiling": ceiling,
    "teach": teach,
    "partition": partition,
    "project": project,
    "track": track,
}
