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
from typing import Any

import numpy as np

from .._jit import jit_entry
from .._typing import Floats, Ints
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


def log_likelihood(
    given: PartitionInput, nodes: Nodes, k: Ints, squares: Floats, mixture: Floats, within: Floats
) -> Floats:
    r"""Log-likelihood of spherical clusters with random means, per sample and dimension, by k.

    .. math:: s^2 = \frac{W}{d(N-k)},\quad
              t^2 = \max\Bigl(0, \frac{(T-W)/d-(k-1)s^2}{N-\sum n_i^2/N}\Bigr)

    .. math:: M = \frac{2}{dN}\Bigl[-\frac d2(N-k)\log s^2 - \frac d2\sum\log(s^2+n_it^2)
              + \sum n_i\log\frac{n_i}{N} - \frac k2\log N\Bigr]

    Its penalty per cluster is log(1 + n_i between / within), where that of BIC is log N. So it does
    not collapse if there are few samples. `squares` is the sum of n_i^2, `mixture` that of
    n_i/N log(n_i/N), `within` is W.
    """
    samples, dimension = given.n.sum(), given.dimension
    centre = given.n @ given.mean / samples
    scatter = given.cp.sum() + given.n @ np.sum((given.mean - centre) ** 2, axis=1)
    scatter = max(scatter, 1e-300)
    within = np.maximum(within, 1e-12 * scatter)
    s2 = within / (dimension * np.maximum(samples - k, 1.0))
    shared = samples - squares / samples
    between = (scatter - within) / dimension - (k - 1) * s2
    t2 = np.maximum(0.0, np.divide(between, shared, out=np.zeros(len(s2)), where=shared > 0.5))
    spread = _sum_of_logs(nodes, k, s2, t2)
    fit = -dimension / 2 * ((samples - k) * np.log(s2) + spread)
    fit += samples * mixture - k / 2 * np.log(samples)
    return np.asarray(fit * (2 / (dimension * samples)))


def _sum_of_logs(nodes: Nodes, k: Ints, s2: Floats, t2: Floats) -> Floats:
    """Sum of log(s2 + n_i t2) over the clusters of each k."""
    count = len(nodes.size) - len(nodes.children)
    first, last = np.maximum(count - nodes.taken, k[0]), np.minimum(count - nodes.born, k[-1])
    times = np.maximum(last - first + 1, 0)  # the cluster is there from k = `first` to `last`
    start = first - k[0] - (np.cumsum(times) - times)
    row = np.arange(times.sum()) + np.repeat(start, times)
    logs = np.log(s2[row] + np.repeat(nodes.size, times) * t2[row])
    return np.asarray(np.bincount(row, weights=logs, minlength=len(k)), dtype=float)


def features_of(given: PartitionInput, tree: Tree, most: int) -> tuple[Ints, Floats]:
    """The numbers of clusters in the tree, up to `most`, and a row of features for each."""
    samples, count, done, nodes = given.n.sum(), len(given.n), len(tree.merges), tree.nodes
    k = np.arange(count - done, max(most, count - done) + 1)
    stage = count - k

    def so_far(of_mergers: Floats) -> Floats:
        found: Floats = np.r_[0.0, np.cumsum(of_mergers)][stage]
        return found

    def total(of_nodes: Floats) -> Floats:
        """Sum over the clusters of each k."""
        more = of_nodes[count:] - of_nodes[nodes.children].sum(axis=1)
        return np.asarray(of_nodes[:count].sum() + so_far(more))

    share, links = nodes.size / samples, max(tree.link.sum(), 1e-300)
    mixture, within = total(share * np.log(share)), given.cp.sum() + so_far(tree.growth)
    likelihood = log_likelihood(given, nodes, k, total(nodes.size**2), mixture, within)
    inside = so_far(2.0 * tree.crossing) / links
    modularity = inside - total((nodes.degree / links) ** 2)
    silhouette = tree.silhouette[stage]
    several = silhouette[k > 1] if (k > 1).any() else silhouette
    still = np.r_[tree.smaller, nodes.size[nodes.taken == done].min()]
    smallest = np.minimum.accumulate(still[::-1])[::-1][stage]
    columns = [
        *_contacts(tree, stage, IGNORED_SIZE * samples / k),
        np.log(np.maximum(1.0 - inside, 1e-5)),
        modularity,
        modularity / max(modularity.max(), 1e-9),
        silhouette,
        (silhouette - several.min()) / max(np.ptp(several), 1e-12),
        likelihood - likelihood.max(),
        likelihood - likelihood[0],
        smallest * k / samples,
        np.exp(-mixture) / k,
        np.log(k),
        np.full(len(k), np.log(samples)),
        np.full(len(k), np.log(given.dimension)),
    ]
    return k, np.column_stack(columns)


def _contacts(tree: Tree, stage: Ints, small: Floats) -> Floats:
    """The five features of contact after each of these numbers of mergers (`stage`)."""
    found = np.zeros((5, len(stage)))
    if len(tree.merges):
        nodes = tree.nodes
        measure_cuts(tree.contact, tree.smaller, nodes.children, nodes.size, stage, small, found)
    return found


@jit_entry
def measure_cuts(
    contact: Floats,
    smaller: Floats,
    children: Ints,
    size: Floats,
    stage: Ints,
    small: Floats,
    found: Floats,
) -> None:
    """The features of contact for each number of mergers (`stage`), into `found`. Clusters smaller
    than `small` do not count. If no merger counts, features are 0 inside clusters and NO_CONTACT
    for later mergers."""
    done = contact.shape[0]
    for cut in range(stage.shape[0]):
        worst, number, last, second, third = 0.0, 0, 0.0, 0.0, 0.0
        for at in range(stage[cut]):
            if smaller[at] >= small[cut]:
                worst = min(worst, contact[at])
                number += 1
                last, second, third = contact[at], last, second
        middle = max(min(last, second), min(max(last, second), third))  # the median of the three
        following, to_come, weight, taken = NO_CONTACT, NO_CONTACT, 0.0, 0.0
        for at in range(done - 1, stage[cut] - 1, -1):
            if smaller[at] >= small[cut]:
                following, to_come = contact[at], max(to_come, contact[at])
            for side in range(2):  # clusters that are there at this cut
                node = children[at, side]
                if size[node] >= small[cut] and node < size.shape[0] - done + stage[cut]:
                    weight += size[node]
                    taken += size[node] * max(contact[at], LEAST_CONTACT)
        found[0, cut] = taken / weight if weight > 0.0 else LEAST_CONTACT
        found[1, cut] = worst
        found[2, cut] = following
        found[3, cut] = middle if number > 2 else (last + second) / max(number, 1)
        found[4, cut] = to_come


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
