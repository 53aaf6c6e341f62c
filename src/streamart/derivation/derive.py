"""Derive the clusters from all categories. No decision is final.

Three trees are grown (`tree`). A test decides whether there is more than one cluster
(`one_or_several`), and a score finds the best cut (`cut`). Then categories at borders move to the
cluster to which they add least scatter, and small clusters beside heavy ones are separated
(`islands`).
"""

from __future__ import annotations

from textwrap import wrap
from typing import NamedTuple

import numpy as np

from .._typing import Floats, Ints
from ..validity.evaluation import conn_index, index_of_footprints
from ..validity.registration import BY_NAME
from .criterion import LEARNED, goodness_of_cuts
from .cut import FEATURES, NEIGHBOURS, features_of, score_of
from .geometry import Geometry, PartitionInput, centres_of, geometry_of, some_of, squared_distances
from .islands import islands_of, missed_by_cut
from .links import links_of
from .one_or_several import why_several
from .threads import single_threaded
from .tree import Tree, grown_tree, labels_at

KEEP_MARGIN = 0.5
"""The present number of clusters is kept unless the score of another one is better by this much,
which means exp(.5) = 1.6 times as probable by the training of the score."""
POLISHING_ROUNDS = 3
"""Greatest number of rounds of polishing."""
ROUND_SILHOUETTE = 0.9
"""Share of the range of the silhouette from which clusters count as round and are polished."""
MAX_MOVED = 0.05
"""If polishing moves a greater share of the samples than this, the clusters are not round."""

_GAIN = list(FEATURES).index("likelihood gain")

# On Linux, malloc returns freed memory to the system if there is more than twice the largest block
# ever freed. Freeing 8 MB once lets the tables of the last derivation stay for the next one;
# otherwise, a fifth of the time goes into asking for their pages again.
np.empty(1_000_000)


class Decision(NamedTuple):
    """How the number of clusters was found; ``print(model.decision_)`` explains it in words."""

    chosen: int
    """The number of clusters."""
    reason: str
    """"score": the best cut; "index": the best cut by the index that was asked for; "one": no
    evidence for several; "kept": no other number is much better than the present one; "given": the
    parameter; "hints": they leave no other choice."""
    words: str
    """The reason as a sentence."""
    cut: int
    """Number of clusters of the cut, before islands and `detail`."""
    neighbours: int
    """Number of neighbours of the tree that was cut."""
    islands: int
    """Number of small clusters beside heavy ones."""
    candidates: tuple[tuple[int, float], ...]
    """The best numbers of clusters with their scores, best first."""
    detail: float = 1.0

    def __str__(self) -> str:
        large, small = _counted(self.cut, "cluster"), _counted(self.islands, "small one")
        found = f"{large}, and {small} far from the rest" if self.islands else large
        lines = [f"{found}: {self.words}."]
        if self.candidates:
            digits, values = (".5g", "values") if self.reason == "index" else (".1f", "scores")
            best = ", ".join(f"{k} ({score:{digits}})" for k, score in self.candidates[:6])
            lines.append(f"Numbers with the best {values}: {best}.")
            lines.append(f"Cut from the tree whose links have {self.neighbours} neighbours.")
        if self.detail != 1.0:
            lines.append(
                f"At detail {self.detail:g}, that makes {_counted(self.chosen, 'cluster')}."
            )
        return "\n".join(line for text in lines for line in wrap(text, 80))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class Forest(NamedTuple):
    """The trees of a partition and the score of every cut of each."""

    given: PartitionInput
    space: Geometry
    trees: tuple[Tree, ...]
    k: tuple[Ints, ...]
    features: tuple[Floats, ...]
    score: tuple[Floats, ...]


def forest_of(given: PartitionInput, neighbours: tuple[int, ...] = NEIGHBOURS) -> Forest:
    space = geometry_of(given)
    links = links_of(given, space.expected, neighbours)
    trees = tuple(grown_tree(given, space, link) for link in links)
    most = most_clusters(given)
    found = [features_of(given, tree, most) for tree in trees]
    return Forest(
        given,
        space,
        trees,
        tuple(k for k, _ in found),
        tuple(features for _, features in found),
        tuple(score_of(features) for _, features in found),
    )


def most_clusters(given: PartitionInput) -> int:
    """Clusters have many samples, and several categories unless the budget has grown."""
    count, samples = len(given.n), given.n.sum()
    categories = count - 1 if given.full else 3 * count / 4
    return int(max(2, min(samples / 3, categories, finest_of(given))))


def finest_of(given: PartitionInput) -> int:
    """The greatest possible number of clusters, since hints keep some categories together."""
    held = given.group[given.group >= 0]
    return len(given.n) - len(held) + len(np.unique(held))


class Cut(NamedTuple):
    """The clusters, and the input for coarser and finer ones."""

    given: PartitionInput
    space: Geometry
    tree: Tree
    islands: Ints
    """Number of the island of each category, or -1."""
    labels: Ints
    """Cluster of each category, numbered in the order of their first categories."""
    decision: Decision


def cut_forest(
    given: PartitionInput,
    n_clusters: int | None = None,
    present: Decision | None = None,
    criterion: str = LEARNED,
) -> Cut:
    """Find the clusters of at least two categories."""
    forest, count = forest_of(given), len(given.n)
    islands = islands_of(given, forest.trees[0])
    which, decision = decide(forest, islands, n_clusters, present, criterion)
    tree = forest.trees[which]
    labels = labels_at(tree, count, decision.cut)
    if decision.reason in ("given", "index"):
        islands = np.full(count, -1)
    else:
        labels = polished(given, tree, labels)
        islands = missed_by_cut(islands, labels)
        labels = np.where(islands >= 0, count + islands, labels)
        decision = decision._replace(islands=len(np.unique(islands[islands >= 0])))
    return Cut(given, forest.space, tree, islands, in_order(labels), decision)


@single_threaded
def derive(
    given: PartitionInput,
    n_clusters: int | None = None,
    present: Decision | None = None,
    detail: float = 1.0,
    criterion: str = LEARNED,
) -> tuple[Ints, Decision | None]:
    """Cluster of each category, numbered in the order of their first categories.

    The decision is None if there are fewer than two categories.
    """
    if len(given.n) < 2:
        return np.zeros(len(given.n), dtype=np.int64), None
    cut = cut_forest(given, n_clusters, present, criterion)
    labels = at_detail(cut, detail)
    return labels, cut.decision._replace(chosen=int(labels.max()) + 1, detail=detail)


@single_threaded
def derive_at(
    given: PartitionInput,
    n_clusters: int | None,
    present: Decision | None,
    details: tuple[float, ...],
    criterion: str = LEARNED,
) -> tuple[Ints, ...]:
    """Cluster of each category at several levels of detail."""
    if len(given.n) < 2:
        return tuple(np.zeros(len(given.n), dtype=np.int64) for _ in details)
    cut = cut_forest(given, n_clusters, present, criterion)
    return tuple(at_detail(cut, detail) for detail in details)


def decide(
    forest: Forest,
    islands: Ints,
    n_clusters: int | None,
    present: Decision | None,
    criterion: str = LEARNED,
) -> tuple[int, Decision]:
    """Decide which tree is cut, and at which number of clusters."""
    given, count = forest.given, len(forest.given.n)
    fewest = min(count - len(tree.merges) for tree in forest.trees)
    finest = finest_of(given)
    if n_clusters is not None or finest == 1:
        wanted = fewest if n_clusters is None else max(fewest, min(n_clusters, finest))
        which, k = _best(forest, wanted, wanted)
        asked = k == n_clusters
        words = "as many as n_clusters says" if asked else "hints leave no other choice"
        return which, Decision(k, "given" if asked else "hints", words, k, NEIGHBOURS[which], 0, ())
    why = "hints keep some apart" if fewest > 1 else _why_several(forest, islands)
    if not why:
        return 0, Decision(1, "one", "there is no evidence for several", 1, NEIGHBOURS[0], 0, ())
    if criterion != LEARNED:
        found = _best_by_index(forest, criterion, why)
        if found is not None:
            return found
    which, k = _best(forest, 2, count)
    candidates = _candidates(forest)
    reason, words = "score", f"{why}; of all cuts, this has the best score"
    if present is not None and present.reason in ("score", "kept") and present.cut != k:
        old, score = _best(forest, present.cut, present.cut), dict(candidates)
        if present.cut in score and score[k] - score[present.cut] < KEEP_MARGIN:
            which, k = old
            reason, words = "kept", f"{why}; no other number is much better than the present one"
    return which, Decision(k, reason, words, k, NEIGHBOURS[which], 0, candidates)


def _best_by_index(forest: Forest, icvi: str, why: str) -> tuple[int, Decision] | None:
    """The cut of all trees with the best value of an index; of equals, the larger number. None
    where the index is undefined at all of them."""
    cuts: dict[int, tuple[float, int]] = {}
    for which, (tree, k) in enumerate(zip(forest.trees, forest.k, strict=True)):
        values = goodness_of_cuts(icvi, forest.given, tree.merges, k)
        for number, value in zip(k.tolist(), values.tolist(), strict=True):
            if value > cuts.get(number, (-np.inf, 0))[0]:
                cuts[number] = value, which
    if not cuts:
        return None
    best = max(value for value, _ in cuts.values())
    equal = [k for k, (v, _) in cuts.items() if v == best or best - v <= 1e-12 * abs(best)]
    chosen = max(equal)
    sign, which = -1.0 if BY_NAME[icvi].smaller_is_better else 1.0, cuts[chosen][1]
    ranked = sorted(cuts.items(), key=lambda item: (item[0] != chosen, -item[1][0]))
    candidates = tuple((k, sign * value) for k, (value, _) in ranked)
    words = f"{why}; of all cuts, this has the best value of the index {BY_NAME[icvi].title}"
    return which, Decision(chosen, "index", words, chosen, NEIGHBOURS[which], 0, candidates)


def _why_several(forest: Forest, islands: Ints) -> str:
    """Decide for the categories that are not in islands."""
    given = forest.given
    if not given.cp.any() and not np.ptp(given.mean, axis=0).any():
        return ""  # all samples are one point
    if (islands >= 0).any():
        body = np.flatnonzero(islands < 0)
        if len(body) < 2:
            return "all clusters are small ones far apart"
        forest = forest_of(some_of(given, body), NEIGHBOURS[:1])
    several = forest.features[0][forest.k[0] > 1]
    gain = several[:, _GAIN].max() if len(several) else 0.0
    return why_several(forest.given, forest.space, forest.trees[0], float(gain))


def _best(forest: Forest, least: int, most: int) -> tuple[int, int]:
    """Tree and number of clusters (`least` to `most`) with the greatest score; of equal scores, the
    larger number. If no tree has a score there, the nearest number of the first tree."""
    best, found = -np.inf, (0, least)
    for which, (k, score) in enumerate(zip(forest.k, forest.score, strict=True)):
        here = (k >= least) & (k <= most)
        if here.any() and score[here].max() > best + 1e-12:
            best = score[here].max()
            found = which, int(k[here][np.flatnonzero(score[here] >= best - 1e-12)[-1]])
    if not np.isfinite(best):
        return 0, max(least, len(forest.given.n) - len(forest.trees[0].merges))
    return found


def _candidates(forest: Forest) -> tuple[tuple[int, float], ...]:
    """Every number of clusters with its best score of all trees, best first."""
    best = np.full(max(int(k[-1]) for k in forest.k) + 1, -np.inf)
    for k, score in zip(forest.k, forest.score, strict=True):
        best[k] = np.maximum(best[k], score)
    best[:2] = -np.inf
    order = np.argsort(-best, kind="stable")[: np.isfinite(best).sum()]
    return tuple(zip(order.tolist(), best[order].tolist(), strict=True))


def at_detail(cut: Cut, detail: float) -> Ints:
    """Coarser (`detail` below 1) or finer clusters, in the order of their categories.

    For finer clusters, the same tree is cut at a greater number; for coarser ones, the clusters
    continue to merge.
    """
    given, tree, labels, count = cut.given, cut.tree, cut.labels, len(cut.labels)
    if detail == 1.0 or cut.decision.reason in ("given", "hints"):
        return labels
    if detail > 1:
        found = cut.decision.cut
        finer = labels_at(tree, count, min(finest_of(given), max(found, round(found * detail))))
        return in_order(np.where(cut.islands >= 0, count + cut.islands, finer))
    coarse = grown_tree(given._replace(group=labels), cut.space, tree.link)
    fewest, wanted = count - len(coarse.merges), round((labels.max() + 1) * detail)
    return in_order(labels_at(coarse, count, max(fewest, 1, wanted)))


def in_order(home: Ints) -> Ints:
    """Clusters numbered from 0, in the order in which they first appear."""
    _, first, place = np.unique(home, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[place])


def polished(given: PartitionInput, tree: Tree, home: Ints) -> Ints:
    """Move categories to the cluster to which they add least scatter, among those to which they are
    linked at least a tenth as strongly as to their own (half as strongly if many would move)."""
    before = in_order(home)
    several = tree.silhouette[: len(home) - 1]
    here = tree.silhouette[len(home) - int(before.max()) - 1]
    if here < several.min() + ROUND_SILHOUETTE * np.ptp(several):
        return before  # the nearest mean does not define clusters that are not round
    for least in (0.1, 0.5):
        after = before
        for _ in range(POLISHING_ROUNDS):
            now, after = after, _moved(given, tree, after, least)
            if np.array_equal(now, after):
                break
        if given.n[before != after].sum() <= MAX_MOVED * given.n.sum():
            break
    return after


def _moved(given: PartitionInput, tree: Tree, home: Ints, least: float) -> Ints:
    """The cluster in which each category costs least while all others stay. Categories with hints,
    and the heaviest one of each cluster, do not move."""
    n, at = given.n, np.arange(len(home))
    member, size, centre = centres_of(given, home)
    far = squared_distances(given.mean, centre)
    ties = tree.link @ member
    rest = size - n[:, None] * member
    with np.errstate(divide="ignore", invalid="ignore"):
        own = n * size[home] / rest[at, home] * far[at, home]
        cost = n[:, None] * size / (n[:, None] + size) * far
    allowed = (ties > 0.0) & (ties >= least * ties[at, home][:, None])
    cost[~allowed] = np.inf
    cost[at, home] = own * (1.0 - 1e-12)
    stays = given.group >= 0
    heaviest = np.where(member > 0, n[:, None], -1.0).argmax(axis=0)
    stays[heaviest] = True
    return np.where(stays, home, cost.argmin(axis=1))


@single_threaded
def index_of_partition(icvi: str, given: PartitionInput, labels: Ints) -> float:
    """A validity index, in its own direction; NaN with fewer than two clusters."""
    if BY_NAME[icvi].by_winners:
        return conn_index(given.conn, labels, given.n)
    _, size, centre = centres_of(given, labels)
    away = given.cp + given.n * np.sum((given.mean - centre[labels]) ** 2, axis=1)
    scatter = np.bincount(labels, weights=away, minlength=len(size))
    return index_of_footprints(icvi, size, centre, scatter)
