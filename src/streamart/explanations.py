"""Why a sample goes where it goes, how badly it fits, and which clusters might be one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._jit import TIE
from ._typing import Floats, Ints, Records
from .icvi.batch import conn_index, index_of_footprints
from .icvi.state import LIVE, State, copied, room_of
from .identity import Identity
from .network import NO_CLASSES, NO_HISTORY, rows_of
from .views import Categories, Clusters


class CategoryVerdict(NamedTuple):
    """How one category answers to a sample."""

    category: int
    """Its place in `categories_`."""
    cluster: int
    """Permanent id of its cluster."""
    activation: float
    match: float
    passes_uncommitted: bool
    """More active than an uncommitted category (always, if that does not compete)."""
    passes_vigilance: bool
    """Its match passes the vigilance in force when its turn came."""
    passes_map_field: bool
    """Its cluster is one of the best for the sample, by the index."""
    vigilance: float
    """The vigilance that it was tested with."""


class Explanation(NamedTuple):
    """What the model would do with a sample. Clusters are permanent ids."""

    cluster: int | None
    """Cluster of the category that would learn it; None for a new cluster."""
    category: int | None
    """That category; None for a new one."""
    runner_up: int | None
    """The other cluster with the most active category; None if there is no other."""
    predicted: int
    """What `predict` says: the cluster of the most active category, no test."""
    wanted: tuple[int, ...]
    """The best clusters for the sample, by the index."""
    index_if_joined: dict[int, float]
    """The index if the sample joined each cluster."""
    vigilance: float
    novelty: float
    categories: tuple[CategoryVerdict, ...]
    """All categories, the most active first: the order in which they are tried."""

    def __str__(self) -> str:
        where = "a new cluster" if self.cluster is None else f"cluster {self.cluster}"
        how = "a new category" if self.category is None else f"category {self.category}"
        lines = [f"goes to {where}, learnt by {how} (novelty {self.novelty:.3f})"]
        if self.runner_up is not None:
            lines.append(f"runner-up: cluster {self.runner_up}")
        if self.index_if_joined:
            lines.append("index if it joined:")
            for i, value in self.index_if_joined.items():
                lines.append(f"  cluster {i}: {value:.6g}{'  best' if i in self.wanted else ''}")
        lines.append("categories, the most active first:")
        for verdict in self.categories[:10]:
            tests = [
                ("activation", verdict.passes_uncommitted),
                ("vigilance", verdict.passes_vigilance),
                ("map field", verdict.passes_map_field),
            ]
            failed = [name for name, passed in tests if not passed]
            outcome = "passes all tests" if not failed else "fails " + ", ".join(failed)
            lines.append(
                f"  {verdict.category} of cluster {verdict.cluster}: activation "
                f"{verdict.activation:.4f}, match {verdict.match:.4f}: {outcome}"
            )
        if len(self.categories) > 10:
            lines.append(f"  and {len(self.categories) - 10} more")
        return "\n".join(lines)


class Suggestion(NamedTuple):
    """Two clusters that might be one."""

    first: int
    second: int
    cost: float
    """What the index would lose if they merged; negative if it would gain."""
    index_after: float
    """The index then."""


class Explanations(Identity):
    """Questions that change nothing."""

    def novelty(self, X: ArrayLike) -> Floats:
        """How badly each sample fits what was learnt: 0 is inside a category.

        With ``match="fuzzy"``, the distance from the nearest box, as a share of the range of the
        data, averaged over the features (above 1 far outside the range); with "cosine", the least
        cosine distance.

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP().partial_fit([[0.0, 0], [10, 10], [0, 1], [9, 10]])
        >>> model.novelty([[0.0, 0.5], [5, 5], [30, 30]]).round(2).tolist()
        [0.0, 0.4, 2.0]
        """
        self._now()
        checked = self._checked_samples(X, reset=False)
        with self._guard():
            return self._nearest(checked, measure=True)[1]

    def _outliers(self, X: Floats) -> Ints:
        """Which samples fit no category, by the vigilance in force.

        A box counts as the point of it that is nearest to the sample: what it has grown to is no
        reason to refuse what it holds.
        """
        badness = self._nearest(X, measure=True)[1]
        allowed = self.rho_ if self._state.params[0]["cosine"] else 1.0 - self.rho_
        return np.asarray(badness > allowed + TIE)

    def merge_suggestions(self, limit: int | None = 10) -> list[Suggestion]:
        """Pairs of clusters, the cheapest to merge (in terms of the index) first.

        Without those that hints keep apart. A merger that would leave a single cluster, whose index
        is undefined, costs infinity.
        """
        with self._guard():
            ids, now, k = self.cluster_ids_, self.icvi_value_, self.n_clusters_
            index_if_merged = self._question_of_mergers()
            found = []
            for i, j in combinations(range(k), 2):
                if room_of(self._state).apart and self._state.apart[LIVE, i, j]:
                    continue
                index = index_if_merged(i, j)
                worse = self._sign() * (now - index) if k > 2 else np.inf
                found.append(Suggestion(int(ids[i]), int(ids[j]), float(worse), index))
        found.sort(key=lambda pair: (pair.cost, pair.first, pair.second))
        return found[:limit]

    def _question_of_mergers(self) -> Callable[[int, int], float]:
        """The index if clusters i < j merged, as a function: what it needs is read once."""
        icvi = self._icvi().name
        if self._icvi().by_winners:
            return partial(_conn_if_merged, self.conn_.toarray(), self.categories_)
        return partial(_index_if_merged, icvi, self.clusters_)

    # ------------------------------------------------------------------ explain

    def explain(self, x: ArrayLike) -> Explanation:
        """What the model would do with one sample, and why; nothing is learnt.

        The order in which categories are tried, which test each passes or fails, and the index for
        every cluster, as `partial_fit` would find them for this sample without a label. (Afterwards
        strategies may move categories; that is not part of the answer.)

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP().partial_fit([[0.0, 0], [10, 10], [0, 1], [9, 10]])
        >>> print(model.explain([0.5, 0.5]))
        goes to cluster 0, learnt by category 0 (novelty 0.025)
        runner-up: cluster 1
        index if it joined:
          cluster 0: 547.286  best
          cluster 1: 2.57453
        categories, the most active first:
          0 of cluster 0: activation 0.9732, match 0.9250: passes all tests
          1 of cluster 1: activation 0.0526, match 0.0500: fails activation, vigilance, map field
        """
        self._now()
        row = np.asarray(x, dtype=object)[None]
        sample = self._checked_samples(row, reset=False, named=False)[0]
        with self._guard():
            return _explain(self, sample)


def _conn_if_merged(conn: Floats, categories: Categories, i: int, j: int) -> float:
    merged = np.where(categories.cluster == j, i, categories.cluster)
    merged = np.where(merged > j, merged - 1, merged)
    return conn_index(conn, merged, categories.n)


def _index_if_merged(icvi: str, clusters: Clusters, i: int, j: int) -> float:
    n, mean, cp = clusters.n.copy(), clusters.mean.copy(), clusters.cp.copy()
    share = n[j] / (n[i] + n[j])
    cp[i] += cp[j] + n[i] * share * np.sum((mean[i] - mean[j]) ** 2)
    mean[i] = (1.0 - share) * mean[i] + share * mean[j]
    n[i] += n[j]
    kept = np.arange(len(n)) != j
    return index_of_footprints(icvi, n[kept], mean[kept], cp[kept])


def _explain(model: Explanations, x: Floats) -> Explanation:
    """The core learns the sample, on a copy and without strategies; then it is asked."""
    ids, before = model.cluster_ids_, model.n_categories_
    nearest, badness = model._nearest(x[None], measure=True)
    state = _learn_on_copy(model, x)
    rows, k = rows_of(state)[:before], len(ids)
    # As they were: with beta_ab < 1, learning may move a category and changes its row of W^ab.
    cluster, scores = model._state.label[LIVE, rows], state.clu[LIVE, :k]
    activation, match = state.cat["activation"][rows], state.cat["match"][rows]
    wanted = tuple(int(ids[c]) for c in range(k) if k > 1 and scores[c]["wanted"])
    index = {}
    if k > 1:
        index = {int(ids[c]): _index_if_joined(model, x, c, scores) for c in range(k)}
    verdicts = _verdicts(model, state, activation, match, cluster, set(wanted), ids)
    winner = int(state.now[0]["winner"])
    place = int(state.label[LIVE, winner])
    is_new = int(state.now[0]["categories"]) > before
    home = int(ids[place]) if place < k else None
    others = [verdict.cluster for verdict in verdicts if verdict.cluster != home]
    return Explanation(
        cluster=home,
        category=None if is_new else int(np.flatnonzero(rows == winner)[0]),
        runner_up=others[0] if others else None,
        predicted=int(ids[model._state.label[LIVE, nearest[0]]]),
        wanted=wanted,
        index_if_joined=index,
        vigilance=float(state.now[0]["step_vigilance"]),
        novelty=float(badness[0]),
        categories=tuple(verdicts),
    )


def _learn_on_copy(model: Explanations, x: Floats) -> State:
    state = copied(model._state)
    for strategy in ("merge", "split", "swap", "compress", "prune", "repartition"):
        state.params[0][strategy] = 0
    state.now[0]["listeners"] = 0
    slot = np.empty(1, dtype=np.int64)
    return model._run_over(state, x[None].copy(), NO_CLASSES, slot, NO_HISTORY)


def _index_if_joined(model: Explanations, x: Floats, c: int, scores: Records) -> float:
    if model._icvi().by_winners:
        return model._index(float(scores[c]["value"]))
    n, mean, cp, _ = model.clusters_
    cp[c] += n[c] / (n[c] + 1.0) * np.sum((x - mean[c]) ** 2)
    mean[c] += (x - mean[c]) / (n[c] + 1.0)
    n[c] += 1
    return index_of_footprints(model._icvi().name, n, mean, cp)


def _verdicts(
    model: Explanations,
    state: State,
    activation: Floats,
    match: Floats,
    cluster: Ints,
    wanted: set[int],
    ids: Ints,
) -> list[CategoryVerdict]:
    """The search as the network makes it (`core.search`), with what it found on the way."""
    params, weight = state.params[0], model._state.weight
    cosine, d = bool(params["cosine"]), state.feature.shape[1]
    uncommitted = d / (params["alpha"] + 2.0 * d) if params["use_uncommitted"] else -1.0
    rho, found, verdicts = float(state.now[0]["step_vigilance"]), False, []
    rows = rows_of(state)
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
    """Most active first; of equals, beyond rounding, the earlier one."""
    left, order = list(range(len(activation))), []
    while left:
        best = left[0]
        for j in left[1:]:
            if activation[j] > activation[best] + TIE:
                best = j
        left.remove(best)
        order.append(best)
    return order
