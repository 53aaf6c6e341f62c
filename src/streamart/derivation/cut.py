r"""The number of clusters if there are several, from a score of every cut of the trees.

Seventeen features describe the partition into k clusters (`FEATURES`). A small network, trained on
generated data (``make learn-cut``), turns them into a score,

.. math:: z(k) = w \cdot x + o \cdot \tanh(Ux + b)

where x are the features, standardised and limited to four standard deviations. A cut on which
several criteria of round clusters agree gets a bonus (`AGREEMENT_BONUS`). Three trees are cut,
whose links have 3, 5 and 8 nearest neighbours; the tree and the k with the greatest score win.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from .._typing import Bools, Floats, Ints
from .geometry import PartitionInput
from .tree import Nodes, Tree

NEIGHBOURS = (3, 5, 8)
"""Numbers of neighbours of the three trees. One tree alone (3) depends more on the order of the
stream: the mean spread of ARI over orders is .10 on real data (three trees: .08) and .18 on shapes
(.14)."""
IGNORED_SIZE = 0.1
"""Clusters below this share of the mean size are ignored in measures of contact, because outliers
touch no other cluster."""
LEAST_CONTACT = -6.0
"""Contact is cut off below this value: two such clusters are simply apart."""
AGREEING = {"silhouette share": 0.99, "likelihood loss": -0.01, "modularity share": 0.95}
"""Criteria agree on a cut if all three reach these values. They are of different kinds, and each
finds round clusters by itself. Clusters that are not round are cut differently by each."""
AGREEMENT_BONUS = 3.0
"""The bonus for agreement. Scores of neighbouring numbers of clusters differ by 1 to 5. With a much
greater bonus (100), rings are cut into round pieces."""
NO_CONTACT = -9.0
"""Value of contact if no later merger counts."""

FEATURES = {
    "open": "contact of the merger that takes each cluster, weighted by size",
    "worst": "least contact of the mergers inside clusters",
    "next": "contact of the next merger",
    "touched": "median contact of the last three mergers",
    "to come": "greatest contact of the mergers to come",
    "crossing": "logarithm of the share of links between clusters",
    "modularity": "links inside, more than by chance",
    "modularity share": "the same over its maximum",
    "silhouette": "nearer to the own mean than to the next",
    "silhouette share": "the same between its minimum and maximum",
    "likelihood loss": "log-likelihood of spherical clusters per value, less its maximum",
    "likelihood gain": "the same, less that of one cluster",
    "smallest": "size of the smallest cluster over the mean size",
    "evenness": "exponential of the entropy of sizes over k",
    "log k": "number of clusters",
    "log n": "number of samples",
    "log d": "dimensions that the samples fill",
}


class Stages(NamedTuple):
    """The clusters of each number k of clusters, as a list of (row of k, node)."""

    k: Ints
    row: Ints
    node: Ints
    size: Floats

    def total(self, values: Floats) -> Floats:
        """Sum over the clusters of each k."""
        total: Floats = np.bincount(self.row, weights=values, minlength=len(self.k)).astype(float)
        return total


def stages_of(nodes: Nodes, count: int, most: int) -> Stages:
    done = len(nodes.children)
    k = np.arange(count - done, max(most, count - done) + 1)
    first = np.maximum(count - nodes.taken, k[0])
    last = np.minimum(count - nodes.born, k[-1])
    times = np.maximum(last - first + 1, 0)
    node = np.repeat(np.arange(len(times)), times)
    row = np.arange(len(node)) - np.repeat(np.cumsum(times) - times, times) + first[node] - k[0]
    return Stages(k, row, node, nodes.size[node])


def log_likelihood(at: Stages, within: Floats, scatter: float, dimension: float) -> Floats:
    r"""Log-likelihood of spherical clusters with random means, per sample and dimension, by k.

    .. math:: s^2 = \frac{W}{d(N-k)},\quad
              t^2 = \max\Bigl(0, \frac{(T-W)/d-(k-1)s^2}{N-\sum n_i^2/N}\Bigr)

    .. math:: M = \frac{2}{dN}\Bigl[-\frac d2(N-k)\log s^2 - \frac d2\sum\log(s^2+n_it^2)
              + \sum n_i\log\frac{n_i}{N} - \frac k2\log N\Bigr]

    Its penalty per cluster is log(1 + n_i between / within), where that of BIC is log N. So it does
    not collapse if there are few samples.
    """
    samples = at.total(at.size)[0]
    within = np.maximum(within, 1e-12 * scatter)
    s2 = within / (dimension * np.maximum(samples - at.k, 1.0))
    shared = samples - at.total(at.size**2) / samples
    between = (scatter - within) / dimension - (at.k - 1) * s2
    t2 = np.maximum(0.0, np.divide(between, shared, out=np.zeros(len(s2)), where=shared > 0.5))
    spread = at.total(np.log(s2[at.row] + at.size * t2[at.row]))
    mixture = at.total(at.size * np.log(at.size / samples))
    fit = -dimension / 2 * ((samples - at.k) * np.log(s2) + spread)
    return np.asarray((fit + mixture - at.k / 2 * np.log(samples)) * (2 / (dimension * samples)))


def features_of(given: PartitionInput, tree: Tree, most: int) -> tuple[Ints, Floats]:
    """The numbers of clusters in the tree, up to `most`, and a row of features for each."""
    samples, nodes = given.n.sum(), tree.nodes
    at = stages_of(nodes, len(given.n), most)
    k, stage = at.k, len(given.n) - at.k

    def so_far(of_mergers: Floats) -> Floats:
        found: Floats = np.r_[0.0, np.cumsum(of_mergers)][stage]
        return found

    centre = given.n @ given.mean / samples
    scatter = given.cp.sum() + given.n @ np.sum((given.mean - centre) ** 2, axis=1)
    within = given.cp.sum() + so_far(tree.growth)
    likelihood = log_likelihood(at, within, max(scatter, 1e-300), given.dimension)
    modularity, crossing = _modularity(tree, so_far)
    silhouette = tree.silhouette[stage]
    share = at.size / samples
    smallest = np.full(len(k), np.inf)
    np.minimum.at(smallest, at.row, at.size)
    several = silhouette[k > 1] if (k > 1).any() else silhouette
    columns = [
        *_contacts(tree, at, stage, IGNORED_SIZE * samples / k),
        np.log(np.maximum(crossing, 1e-5)),
        modularity,
        modularity / max(modularity.max(), 1e-9),
        silhouette,
        (silhouette - several.min()) / max(np.ptp(several), 1e-12),
        likelihood - likelihood.max(),
        likelihood - likelihood[0],
        smallest * k / samples,
        np.exp(-at.total(share * np.log(share))) / k,
        np.log(k),
        np.full(len(k), np.log(samples)),
        np.full(len(k), np.log(given.dimension)),
    ]
    return k, np.column_stack(columns)


def _modularity(tree: Tree, so_far: Any) -> tuple[Floats, Floats]:
    """Modularity of the links at each k, and the share of the links between clusters."""
    total = max(tree.link.sum(), 1e-300)
    inside = so_far(2.0 * tree.crossing) / total
    squares = (tree.nodes.degree / total) ** 2
    start = squares[: len(tree.link)].sum()
    more = squares[len(tree.link) :] - squares[tree.nodes.children].sum(axis=1)
    return inside - start - so_far(more), 1.0 - inside


def _contacts(tree: Tree, at: Stages, stage: Ints, small: Floats) -> tuple[Floats, ...]:
    """The five features of contact at each k. If no merger counts, they are 0 inside clusters and
    NO_CONTACT for later mergers."""
    done, value, taken_at = len(tree.merges), tree.contact, tree.nodes.taken[at.node]
    if done == 0:
        return tuple(np.zeros(len(stage)) for _ in range(5))
    counts = tree.smaller >= small[:, None]
    later = np.arange(done) >= stage[:, None]
    before, after = counts & ~later, counts & later
    worst = np.minimum(np.where(before, value, 0.0).min(axis=1), 0.0)
    to_come = np.where(after, value, NO_CONTACT).max(axis=1)
    following = np.where(after.any(axis=1), value[after.argmax(axis=1)], NO_CONTACT)
    weight = np.where((at.size >= small[at.row]) & (taken_at < done), at.size, 0.0)
    total = at.total(weight)
    taken = at.total(weight * np.maximum(value[np.minimum(taken_at, done - 1)], LEAST_CONTACT))
    opened = np.divide(taken, total, out=np.full(len(stage), LEAST_CONTACT), where=total > 0)
    return opened, worst, following, _median_of_last(before, value), to_come


def _median_of_last(mask: Bools, value: Floats) -> Floats:
    """Median of the last three values of each row at which the mask is true; 0 if none is."""
    row, left, last = np.arange(len(mask)), mask.copy(), np.full((3, len(mask)), np.nan)
    for found in last:
        place = mask.shape[1] - 1 - left[:, ::-1].argmax(axis=1)
        there = left[row, place]
        found[there] = value[place[there]]
        left[row, place] = False
    first = np.where(np.isnan(last[0]), 0.0, last[0])
    two = np.where(np.isnan(last[1]), first, 0.5 * (first + last[1]))
    return np.where(np.isnan(last[2]), two, np.sort(last, axis=0)[1])


@cache
def weights() -> dict[str, Floats]:
    """The trained network, from ``cut.json`` beside this file."""
    text = files(__package__).joinpath("cut.json").read_text()
    return {name: np.array(values) for name, values in json.loads(text)["weights"].items()}


def do_agree(features: Floats) -> Any:
    """At which cuts silhouette, likelihood and modularity all reach their thresholds."""
    at = [list(FEATURES).index(name) for name in AGREEING]
    return np.all(features[:, at] >= list(AGREEING.values()), axis=1)


def score_of(features: Floats, learnt: dict[str, Floats] | None = None) -> Floats:
    """The score z of each row of features."""
    w = weights() if learnt is None else learnt
    x = np.clip((features - w["mean"]) / w["deviation"], -4.0, 4.0)
    learnt_score = x @ w["direct"] + np.tanh(x @ w["hidden"] + w["bias"]) @ w["out"]
    return np.asarray(learnt_score + AGREEMENT_BONUS * do_agree(features))
