"""The clusters, derived from all categories whenever somebody asks; no decision of the past is final.

Three trees are grown (`tree`), the question whether there is more than one cluster is answered
(`one_or_several`), the best cut is found (`cut`), categories at the border move to where they add
least, and small clusters beside heavy ones are set apart (`islands`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._typing import Floats, Ints
from .cut import FEATURES, NEIGHBOURS, features_of, score_of
from .islands import islands_of
from .links import Matter, expected_distances, links_of, some_of, squared_distances
from .one_or_several import principal_coordinates, why_several
from .tree import Tree, grown_tree, labels_at

COORDINATES = 40
"""Principal coordinates in which it is measured how many dimensions a cluster fills."""
STAY = 0.5
"""The present number of clusters stays unless another one scores better by so much: it is then
exp(.5) = 1.6 times as probable, in the sense in which the score was trained."""
ROUNDS = 3
"""Of polishing, at most."""
MOVED_TOO_MUCH = 0.05
"""Polishing that moves a greater share of the samples finds clusters that are not round."""

_GAIN = list(FEATURES).index("likelihood gain")


class Decision(NamedTuple):
    """How the number of clusters was found. ``print(model.decision_)`` says it in words."""

    chosen: int
    """The number of clusters."""
    reason: str
    """"score": the best cut; "one": nothing speaks for several; "kept": another number is hardly
    better than the present one; "given": somebody said it; "hints": they leave no choice."""
    words: str
    """The same in a sentence."""
    cut: int
    """Clusters of the cut, before islands and `detail`."""
    neighbours: int
    """Of the tree that was cut."""
    islands: int
    """Small clusters beside heavy ones."""
    candidates: tuple[tuple[int, float], ...]
    """The best numbers of clusters of the cut with their scores, best first."""
    detail: float = 1.0

    def __str__(self) -> str:
        lines = [f"{self.chosen} clusters: {self.words}."]
        if self.candidates:
            best = ", ".join(f"{k} ({score:+.2f})" for k, score in self.candidates[:6])
            lines.append(f"Numbers considered, best first, with their scores: {best}.")
            lines.append(f"The tree has {self.neighbours} neighbours in its links.")
        if self.islands:
            lines.append(f"Small clusters beside heavy ones: {self.islands}.")
        if self.detail != 1.0:
            lines.append(f"Detail {self.detail:g}: {self.cut} clusters were found.")
        return "\n".join(lines)


class Forest(NamedTuple):
    """The trees of a partition and the score of every cut of each."""

    matter: Matter
    trees: tuple[Tree, ...]
    k: tuple[Ints, ...]
    features: tuple[Floats, ...]
    score: tuple[Floats, ...]


def forest_of(matter: Matter, neighbours: tuple[int, ...] = NEIGHBOURS) -> Forest:
    far, at = expected_distances(matter), principal_coordinates(matter, COORDINATES)
    trees = tuple(grown_tree(matter, far, links_of(matter, far, K), at) for K in neighbours)
    found = [features_of(matter, tree, most_clusters(matter)) for tree in trees]
    return Forest(
        matter,
        trees,
        tuple(k for k, _ in found),
        tuple(features for _, features in found),
        tuple(score_of(features) for _, features in found),
    )


def most_clusters(matter: Matter) -> int:
    """Clusters are many samples, and several categories unless the budget has grown."""
    count, samples = len(matter.n), matter.n.sum()
    categories = count - 1 if matter.full else 3 * count / 4
    return int(max(2, min(samples / 3, categories, finest_of(matter))))


def finest_of(matter: Matter) -> int:
    """The greatest number of clusters: what hints hold together is one."""
    held = matter.group[matter.group >= 0]
    return len(matter.n) - len(held) + len(np.unique(held))


def derive(
    matter: Matter,
    n_clusters: int | None = None,
    present: Decision | None = None,
    detail: float = 1.0,
) -> tuple[Ints, Decision | None]:
    """Cluster of each category, numbered in the order of their first categories.

    The decision is None where there is nothing to decide: fewer than two categories.
    """
    count = len(matter.n)
    if count < 2:
        return np.zeros(count, dtype=np.int64), None
    forest = forest_of(matter)
    islands = islands_of(matter, forest.trees[0])
    which, decision = decide(forest, islands, n_clusters, present)
    tree = forest.trees[which]
    labels = labels_at(tree, count, decision.cut)
    if decision.reason != "given":
        labels = np.where(islands >= 0, count + islands, polished(matter, tree, labels))
        decision = decision._replace(islands=len(np.unique(islands[islands >= 0])))
    if detail != 1.0 and decision.reason not in ("given", "hints"):
        labels = at_detail(matter, tree, labels, islands, decision.cut, detail)
    labels = in_order(labels)
    chosen = int(labels.max()) + 1
    return labels, decision._replace(chosen=chosen, detail=detail)


def decide(
    forest: Forest, islands: Ints, n_clusters: int | None, present: Decision | None
) -> tuple[int, Decision]:
    """Which tree is cut, and where."""
    matter, count = forest.matter, len(forest.matter.n)
    fewest = min(count - len(tree.merges) for tree in forest.trees)
    finest = finest_of(matter)
    if n_clusters is not None or finest == 1:
        wanted = fewest if n_clusters is None else max(fewest, min(n_clusters, finest))
        which, k = _best(forest, wanted, wanted)
        given = k == n_clusters
        words = "as many as were asked for" if given else "hints leave no other choice"
        return which, Decision(k, "given" if given else "hints", words, k, NEIGHBOURS[which], 0, ())
    why = "hints keep some apart" if fewest > 1 else _why_several(forest, islands)
    if not why:
        return 0, Decision(1, "one", "nothing speaks for several", 1, NEIGHBOURS[0], 0, ())
    which, k = _best(forest, 2, count)
    candidates = _candidates(forest)
    reason, words = "score", f"{why}; of all cuts, this has the best score"
    if present is not None and present.reason in ("score", "kept") and present.cut != k:
        old, score = _best(forest, present.cut, present.cut), dict(candidates)
        if old[1] == present.cut and score[k] - score[old[1]] < STAY:
            which, k = old
            reason, words = "kept", f"{why}; no other number is much better than the present one"
    return which, Decision(k, reason, words, k, NEIGHBOURS[which], 0, candidates)


def _why_several(forest: Forest, islands: Ints) -> str:
    """Asked of what is no island."""
    matter = forest.matter
    if (islands >= 0).any():
        body = np.flatnonzero(islands < 0)
        if len(body) < 2:
            return "all clusters are small ones far apart"
        forest = forest_of(some_of(matter, body), NEIGHBOURS[:1])
    several = forest.features[0][forest.k[0] > 1]
    gain = several[:, _GAIN].max() if len(several) else 0.0
    return why_several(forest.matter, forest.trees[0], float(gain))


def _best(forest: Forest, least: int, most: int) -> tuple[int, int]:
    """Tree and number of clusters, from `least` to `most`, with the greatest score; of equals, the
    larger number. If no tree was scored there, the nearest number that the first one has."""
    best, found = -np.inf, (0, least)
    for which, (k, score) in enumerate(zip(forest.k, forest.score, strict=True)):
        here = (k >= least) & (k <= most)
        if here.any() and score[here].max() > best + 1e-12:
            best = score[here].max()
            found = which, int(k[here][np.flatnonzero(score[here] >= best - 1e-12)[-1]])
    if not np.isfinite(best):
        return 0, max(least, len(forest.matter.n) - len(forest.trees[0].merges))
    return found


def _candidates(forest: Forest) -> tuple[tuple[int, float], ...]:
    """Every number of clusters with its best score over the trees, best first."""
    best: dict[int, float] = {}
    for k, score in zip(forest.k, forest.score, strict=True):
        for number, value in zip(k.tolist(), score.tolist(), strict=True):
            if number > 1:
                best[number] = max(value, best.get(number, -np.inf))
    return tuple(sorted(best.items(), key=lambda item: -item[1]))


def at_detail(
    matter: Matter, tree: Tree, labels: Ints, islands: Ints, cut: int, detail: float
) -> Ints:
    """Coarser (below 1) or finer clusters than those found.

    Finer: the same tree, cut at a greater number. Coarser: the clusters found go on joining.
    """
    count, k = len(labels), len(np.unique(labels))
    if detail > 1:
        finest = min(finest_of(matter), max(cut, int(round(cut * detail))))
        finer = labels_at(tree, count, finest)
        return np.where(islands >= 0, count + islands, finer)
    held = matter._replace(group=in_order(labels))
    far = expected_distances(matter)
    coarse = grown_tree(held, far, tree.link, principal_coordinates(matter, COORDINATES))
    fewest = count - len(coarse.merges)
    return labels_at(coarse, count, max(fewest, 1, int(round(k * detail))))


def in_order(home: Ints) -> Ints:
    """Clusters numbered from 0, in the order in which they first appear."""
    _, first, place = np.unique(home, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[place])


def polished(matter: Matter, tree: Tree, home: Ints) -> Ints:
    """Categories move to where they add least to the scatter, among clusters that they are linked
    to at least a tenth as much as to their own; half as much if that would move many."""
    before = in_order(home)
    for least in (0.1, 0.5):
        after = before
        for _ in range(ROUNDS):
            now, after = after, _moved(matter, tree, after, least)
            if np.array_equal(now, after):
                break
        if matter.n[before != after].sum() <= MOVED_TOO_MUCH * matter.n.sum():
            break
    return after


def _moved(matter: Matter, tree: Tree, home: Ints, least: float) -> Ints:
    """Every category where it costs least, all others staying where they are. Hinted ones stay, and
    the heaviest of each cluster."""
    n, k, at = matter.n, int(home.max()) + 1, np.arange(len(home))
    member = (home[:, None] == np.arange(k)).astype(float)
    size = member.T @ n
    centre = (member.T * n) @ matter.mean / size[:, None]
    far = squared_distances(matter.mean, centre)
    ties = tree.link @ member
    rest = size - n[:, None] * member
    with np.errstate(divide="ignore", invalid="ignore"):
        own = n * size[home] / rest[at, home] * far[at, home]
        cost = n[:, None] * size / (n[:, None] + size) * far
    allowed = (ties > 0.0) & (ties >= least * ties[at, home][:, None])
    cost[~allowed] = np.inf
    cost[at, home] = own * (1.0 - 1e-12)
    stays = matter.group >= 0
    heaviest = np.where(member > 0, n[:, None], -1.0).argmax(axis=0)
    stays[heaviest] = True
    return np.where(stays, home, cost.argmin(axis=1))


def centres_of(matter: Matter, labels: Ints, k: int) -> tuple[Floats, Floats]:
    """Mean and number of samples of each of k clusters."""
    size = np.bincount(labels, weights=matter.n, minlength=k).astype(float)
    centre = np.zeros((k, matter.mean.shape[1]))
    np.add.at(centre, labels, matter.n[:, None] * matter.mean)
    return centre / size[:, None], size
