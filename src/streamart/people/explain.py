"""Explanations: why a sample goes to a cluster, and which clusters could be merged.

The functions read the state of a network and change nothing. All answers refer to clusters by
permanent id. StreamART, which has no map field, is explained in `fit_of_samples`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .._jit import TIE
from .._typing import Floats, Ints, Records
from ..core.learn import predict, run
from ..history.ids import cluster_ids, shown
from ..icvi.registry import index_of
from ..icvi.state import LIVE, State, copied, grown, room_of
from ..validity.evaluation import conn_index, index_of_footprints
from ..validity.gaussian import index_of_categories
from ..views import (
    Categories,
    Clusters,
    categories_of,
    clusters_of,
    matrices_of,
    rows_of,
    table_of_links,
)

_STRATEGIES = ("merge", "split", "swap", "compress", "prune")
_DECIDING = 4  # columns listed as deciding
_LISTED = 10  # categories that `Explanation` prints


class CategoryVerdict(NamedTuple):
    """Which tests one category passes for a sample."""

    category: int
    """Its place in `categories_`."""
    cluster: int
    """Permanent id of its cluster."""
    activation: float
    match: float
    passes_uncommitted: bool
    """Whether it is more active than an uncommitted category (always, if that does not compete)."""
    passes_vigilance: bool
    """Whether its match reaches the vigilance in force when it is tested."""
    passes_map_field: bool
    """Whether its cluster is one of the best for the sample, by the index."""
    vigilance: float
    """The vigilance in force when it is tested."""


class Explanation(NamedTuple):
    """What the model would do with a sample. Clusters are permanent ids."""

    cluster: int | None
    """Cluster of the category that would learn the sample; None for a new cluster."""
    category: int | None
    """The category that would learn the sample; None for a new one."""
    runner_up: int | None
    """The other cluster with the most active category; None if there is no other."""
    predicted: int
    """The cluster that `predict` returns: that of the most active category, without tests."""
    wanted: tuple[int, ...]
    """The best clusters for the sample, by the index."""
    index_if_joined: dict[int, float]
    """The index if the sample joined each cluster."""
    vigilance: float
    novelty: float
    categories: tuple[CategoryVerdict, ...]
    """All categories, the most active first: the order in which they are tried."""
    deciding: tuple[tuple[str, float], ...] = ()
    """Only for StreamART: columns that decide between the predicted cluster and the runner-up, with
    their share of the difference of squared distances. A negative share favours the runner-up."""

    def __str__(self) -> str:
        where = "a new cluster" if self.cluster is None else f"cluster {shown(self.cluster)}"
        how = "a new category" if self.category is None else f"category {self.category}"
        lines = [f"goes to {where}, learnt by {how} (novelty {self.novelty:.3f})"]
        if self.runner_up is not None:
            lines.append(f"runner-up: {shown(self.runner_up)}")
        if self.deciding:
            best = [f"{name} ({share:.0%})" for name, share in self.deciding[:_DECIDING]]
            lines.append(f"decided by {', '.join(best)}")
        if self.index_if_joined:
            lines.append("index if it joined:")
            for i, value in self.index_if_joined.items():
                lines.append(f"  {shown(i)}: {value:.6g}{'  best' if i in self.wanted else ''}")
        lines.append("categories, the most active first:")
        for verdict in self.categories[:_LISTED]:
            tests = [
                ("activation", verdict.passes_uncommitted),
                ("vigilance", verdict.passes_vigilance),
                ("map field", verdict.passes_map_field),
            ]
            failed = [name for name, passed in tests if not passed]
            outcome = "passes all tests" if not failed else "fails " + ", ".join(failed)
            lines.append(
                f"  {verdict.category} of {shown(verdict.cluster)}: activation "
                f"{verdict.activation:.4f}, match {verdict.match:.4f}: {outcome}"
            )
        if len(self.categories) > _LISTED:
            lines.append(f"  and {len(self.categories) - _LISTED} more")
        return "\n".join(lines)


class Suggestion(NamedTuple):
    """Two clusters that could be merged, by id.

    >>> print(Suggestion(3, 12, 0.25, 40.5))
    #3 and #12 might be one: the index would be 40.5 (0.25 worse)
    """

    first: int
    second: int
    cost: float
    """How much worse the index would be after the merger; negative if it would be better."""
    index_after: float
    """The index after the merger."""

    def __str__(self) -> str:
        change = "worse" if self.cost >= 0 else "better"
        return (
            f"{shown(self.first)} and {shown(self.second)} might be one: the index would be "
            f"{self.index_after:.6g} ({abs(self.cost):.6g} {change})"
        )


IndexIfMerged = Callable[[int, int], float]
"""The index if the clusters at positions i < j merged."""


def merge_suggestions(
    state: State, index_if_merged: IndexIfMerged, now: float, sign: int, limit: int | None
) -> list[Suggestion]:
    """Pairs of clusters, the cheapest to merge first; `now` is the present index."""
    ids, found = cluster_ids(state), []
    for i, j in combinations(range(len(ids)), 2):
        if room_of(state).apart and state.apart[LIVE, i, j]:
            continue
        index = index_if_merged(i, j)
        worse = sign * (now - index) if len(ids) > 2 else np.inf
        found.append(Suggestion(int(ids[i]), int(ids[j]), float(worse), index))
    found.sort(key=lambda pair: (pair.cost, pair.first, pair.second))
    return found[:limit]


def index_if_merged(state: State) -> IndexIfMerged:
    """Read what all explanations need."""
    index = index_of(type(state.index))
    if index.by_winners:
        return partial(_conn_if_merged, table_of_links(state), categories_of(state))
    if index.by_covariance:
        return partial(_normal_if_merged, index.name, matrices_of(state), categories_of(state))
    return partial(_index_if_merged, index.name, clusters_of(state))


def _merged(cluster: Ints, i: int, j: int) -> Ints:
    merged = np.where(cluster == j, i, cluster)
    return np.where(merged > j, merged - 1, merged)


def _conn_if_merged(conn: Floats, categories: Categories, i: int, j: int) -> float:
    return conn_index(conn, _merged(categories.cluster, i, j), categories.n)


def _normal_if_merged(icvi: str, matrices: Floats, categories: Categories, i: int, j: int) -> float:
    merged = _merged(categories.cluster, i, j)
    return index_of_categories(icvi, merged, categories.n, categories.mean, matrices)


def _index_if_merged(icvi: str, clusters: Clusters, i: int, j: int) -> float:
    n, mean, cp = clusters.n.copy(), clusters.mean.copy(), clusters.cp.copy()
    share = n[j] / (n[i] + n[j])
    cp[i] += cp[j] + n[i] * share * np.sum((mean[i] - mean[j]) ** 2)
    mean[i] = (1.0 - share) * mean[i] + share * mean[j]
    n[i] += n[j]
    kept = np.arange(len(n)) != j
    return index_of_footprints(icvi, n[kept], mean[kept], cp[kept])


def explain_sample(state: State, x: Floats) -> Explanation:
    """What the network would do with a sample.

    A copy of the network learns it, without strategies, and the result is read.
    """
    ids, before = cluster_ids(state), int(state.now[0]["categories"])
    nearest, badness = np.empty(1, dtype=np.int64), np.empty(1)
    predict(state, x[None], nearest, badness)
    after = _learn_on_copy(state, x)
    rows, k = rows_of(after)[:before], len(ids)
    # Copies, because with beta_ab < 1 learning may move a category and change its row of W^ab.
    cluster, scores = state.label[LIVE, rows], after.clu[LIVE, :k]
    wanted = tuple(int(ids[c]) for c in range(k) if k > 1 and scores[c]["wanted"])
    index = {}
    if k > 1:
        index = {int(ids[c]): _index_if_joined(state, x, c, scores) for c in range(k)}
    verdicts = _verdicts(after, rows, state.weight, cluster, set(wanted), ids)
    winner = int(after.now[0]["winner"])
    place = int(after.label[LIVE, winner])
    is_new = int(after.now[0]["categories"]) > before
    home = int(ids[place]) if place < k else None
    others = [verdict.cluster for verdict in verdicts if verdict.cluster != home]
    return Explanation(
        cluster=home,
        category=None if is_new else int(np.flatnonzero(rows == winner)[0]),
        runner_up=others[0] if others else None,
        predicted=int(ids[state.label[LIVE, nearest[0]]]),
        wanted=wanted,
        index_if_joined=index,
        vigilance=float(after.now[0]["step_vigilance"]),
        novelty=float(badness[0]),
        categories=tuple(verdicts),
    )


def _learn_on_copy(state: State, x: Floats) -> State:
    state = copied(state)
    for strategy in _STRATEGIES:
        state.params[0][strategy] = 0
    state.now[0]["listeners"] = 0
    nothing, slot = np.empty(0, dtype=np.int64), np.empty(1, dtype=np.int64)
    while run(state, x[None].copy(), nothing, slot, np.empty((0, 5)), 0) == 0:
        state = grown(state)
    return state


def _index_if_joined(state: State, x: Floats, c: int, scores: Records) -> float:
    index = index_of(type(state.index))
    if not index.by_scatter:
        value = float(scores[c]["value"])
        return -value if index.smaller_is_better else value
    n, mean, cp, _ = clusters_of(state)
    cp[c] += n[c] / (n[c] + 1.0) * np.sum((x - mean[c]) ** 2)
    mean[c] += (x - mean[c]) / (n[c] + 1.0)
    n[c] += 1
    return index_of_footprints(index.name, n, mean, cp)


def _verdicts(
    state: State, rows: Ints, weight: Floats, cluster: Ints, wanted: set[int], ids: Ints
) -> list[CategoryVerdict]:
    """The search for a winner as in `core.search`, with the verdict on each category."""
    params = state.params[0]
    cosine, d = bool(params["cosine"]), state.feature.shape[1]
    uncommitted = d / (params["alpha"] + 2.0 * d) if params["use_uncommitted"] else -1.0
    activation, match = state.cat["activation"][rows], state.cat["match"][rows]
    rho, found, verdicts = float(state.now[0]["step_vigilance"]), False, []
    for j in _falling(activation):
        passes_map = not wanted or int(ids[cluster[j]]) in wanted
        if len(weight) and wanted:
            columns = [c for c in range(len(ids)) if int(ids[c]) in wanted]
            passes_map = bool(weight[rows[j], columns].max() >= params["rho_ab"] - TIE)
        verdict = CategoryVerdict(
            category=int(j),
            cluster=int(ids[cluster[j]]),
            activation=float(activation[j]),
            match=float(match[j]),
            passes_uncommitted=bool(activation[j] > uncommitted + TIE),
            passes_vigilance=bool(match[j] <= rho + TIE if cosine else match[j] >= rho - TIE),
            passes_map_field=passes_map,
            vigilance=rho,
        )
        verdicts.append(verdict)
        passes = verdict.passes_uncommitted and verdict.passes_vigilance
        if passes and not passes_map and not found:
            step = -params["epsilon"] if cosine else params["epsilon"]
            rho = float(np.clip(match[j] + step, 0.0, 2.0 if cosine else 1.0))
        found = found or (passes and passes_map)
    return verdicts


def _falling(activation: Floats) -> list[int]:
    """Most active first; of categories equal up to rounding, the earlier one first."""
    left, order = list(range(len(activation))), []
    while left:
        best = left[0]
        for j in left[1:]:
            if activation[j] > activation[best] + TIE:
                best = j
        left.remove(best)
        order.append(best)
    return order
