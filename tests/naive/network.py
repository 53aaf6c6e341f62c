"""iCVI-TopoARTMAP as in Section 2 of the paper, with the corrections of docs/paper-map.md.

Everything is computed from stored samples whenever it is needed. Weights are the paper's:
complement coded, normalised, and re-scaled whenever the range of the data grows.
"""

import math

import numpy as np

from .indices import MIN_OPTIMAL, TIE, better, conn_index, sum_of_squares_index
from .information import INFORMATION

DEFAULTS = {
    "icvi": "ch",
    "rho": 0.0,
    "beta1": 1.0,
    "beta2": 0.0,
    "alpha": 0.001,
    "match": "fuzzy",
    "use_uncommitted": True,
    "epsilon": 0.01,
    "rho_ab": 1.0,
    "beta_ab": 1.0,
    "map_learning": "variable",
    "icvi_match_tracking": True,
    "epsilon_icvi": None,
    "rho_mt": 0.9,
    "merge": True,
    "split": True,
    "split_type": "activity",
    "swap": True,
    "compress": True,
    "rho_c": 0.0,
    "prune": True,
    "tau": 0,
    "phi": 5,
    "xi": 200,
    "second_winner_vigilance": "user",
    "escape_single_cluster": True,
}


class Category:
    def __init__(self, weight, sample):
        self.weight = weight  # complement coded, 2d
        self.samples = [sample]
        self.inactivity = 0


class NaiveTopoARTMAP:
    def __init__(self, **params):
        unknown = set(params) - set(DEFAULTS)
        assert not unknown, unknown
        self.__dict__.update(DEFAULTS | params)
        self.X = []
        self.categories = []
        self.conn = np.zeros((0, 0))
        self.map = np.zeros((0, 0))  # W^ab, one row per category, one column per cluster
        self.class_cluster = {}
        self.v = 0
        self.vigilance = self.rho
        self.winners = (-1, -1)
        self.winner_was_new = False
        self.label_set = []

    # ---------------------------------------------------------------- what can be asked

    @property
    def k(self):
        return self.map.shape[1]

    @property
    def cluster_of(self):
        greatest = self.map.max(axis=1, keepdims=True)
        return (self.map >= greatest * (1 - TIE)).argmax(axis=1).tolist()  # of equals, the first

    def points(self, category):
        return np.array([self.X[s] for s in self.categories[category].samples])

    def box(self, category):
        """The weight as a hyper-box in raw coordinates."""
        d = len(self.x_min)
        w = self.categories[category].weight
        span = self.x_max - self.x_min
        return self.x_min + span * w[:d], self.x_min + span * (1.0 - w[d:])

    def footprint(self, category):
        points = self.points(category)
        mean = points.mean(axis=0)
        return len(points), mean, float(np.sum((points - mean) ** 2))

    def cluster_counts(self, cluster_of=None, k=None):
        cluster_of = self.cluster_of if cluster_of is None else cluster_of
        counts = [0] * (self.k if k is None else k)
        for p, c in enumerate(cluster_of):
            counts[c] += len(self.categories[p].samples)
        return counts

    def goodness(self, cluster_of, k, extra=None):
        """Index of a partition of the categories, larger is better; `extra`: (sample, cluster)."""
        if self.icvi == "conn":
            return conn_index(cluster_of, self.conn, self.cluster_counts(cluster_of, k))
        X, label = np.array(self.X), np.zeros(len(self.X), dtype=int)
        for p, c in enumerate(cluster_of):
            label[self.categories[p].samples] = c
        if extra is not None:
            X, label = np.vstack([X, extra[0]]), np.append(label, extra[1])
        if self.icvi in INFORMATION:
            value = INFORMATION[self.icvi](X, label) if k > 1 else math.nan
        else:
            value = sum_of_squares_index(self.icvi, X, label, k)
        return -value if self.icvi in MIN_OPTIMAL else value

    @property
    def current(self):
        return self.goodness(self.cluster_of, self.k)

    @property
    def icvi_value(self):
        return -self.current if self.icvi in MIN_OPTIMAL else self.current

    # ---------------------------------------------------------------- module A

    def normalise(self, z):
        span = self.x_max - self.x_min
        return np.where(span > 0, (z - self.x_min) / np.where(span > 0, span, 1.0), 0.0)

    def stretch_range(self, x):
        low, high = np.minimum(self.x_min, x), np.maximum(self.x_max, x)
        if np.array_equal(low, self.x_min) and np.array_equal(high, self.x_max):
            return
        d = len(x)
        raw = []
        for category in self.categories:
            span = self.x_max - self.x_min
            u, v = category.weight[:d], 1.0 - category.weight[d:]
            raw.append((u * span + self.x_min, v * span + self.x_min))
        self.x_min, self.x_max = low, high
        for category, (u, v) in zip(self.categories, raw):
            u = np.maximum(self.normalise(u), 0.0)
            v = np.minimum(self.normalise(v), 1.0)
            category.weight = np.concatenate([u, 1.0 - v])

    def code(self, x):
        z = self.normalise(x)
        return np.concatenate([z, 1.0 - z])

    def uncommitted(self):
        d = len(self.x_min)
        return d / (self.alpha + 2 * d) if self.use_uncommitted else -1.0

    def activation(self, pattern, weight):
        return np.minimum(pattern, weight).sum() / (self.alpha + weight.sum())

    def ranking(self, activations):
        """Descending order; of equals, the earlier one first."""
        left = list(range(len(activations)))
        order = []
        while left:
            top = left[0]
            for j in left[1:]:
                if activations[j] - activations[top] > TIE:
                    top = j
            order.append(top)
            left.remove(top)
        return order

    def match_value(self, x, j):
        if self.match == "fuzzy":
            return np.minimum(self.code(x), self.categories[j].weight).sum() / len(x)
        mean = self.points(j).mean(axis=0)
        nx, nm = math.sqrt(x @ x), math.sqrt(mean @ mean)
        if nx == 0 or nm == 0:
            return 0.0 if nx == nm else 1.0
        return 1.0 - (x @ mean) / (nx * nm)

    def vigilant(self, match, rho):
        if self.match == "fuzzy":
            return match >= rho - TIE
        return match <= rho + TIE

    def tracked(self, match):
        if self.match == "fuzzy":
            return max(min(match + self.epsilon, 1.0), 0.0)
        return min(max(match - self.epsilon, 0.0), 2.0)

    def search(self, x, admits):
        """First and second winner (-1: none). `admits(j)` is the map field's vigilance test."""
        pattern = self.code(x)
        activations = [self.activation(pattern, c.weight) for c in self.categories]
        order = [j for j in self.ranking(activations) if better(activations[j], self.uncommitted())]
        rho = self.step_vigilance
        first = -1
        for j in order:
            match = self.match_value(x, j)
            if not self.vigilant(match, rho):
                continue
            if admits(j):
                first = j
                break
            rho = self.tracked(match)
        rest = order if first < 0 else order[order.index(first) + 1 :]
        rho2 = self.rho if self.second_winner_vigilance == "user" else self.step_vigilance
        for j in rest:
            if self.vigilant(self.match_value(x, j), rho2):
                return first, j
        return first, -1

    # ---------------------------------------------------------------- module B

    def generate_labels(self, x):
        values = []
        for c in range(self.k):
            if self.icvi != "conn":
                values.append(self.goodness(self.cluster_of, self.k, extra=(x, c)))
                continue
            first, second = self.search(
                x, lambda j, c=c: self.map_match(j, [c]) >= self.rho_ab - TIE
            )
            conn, labels, k = self.conn.copy(), list(self.cluster_of), self.k
            counts = self.cluster_counts()
            if first < 0:
                conn = np.pad(conn, ((0, 1), (0, 1)))
                first = len(labels)
                if self.map_learning == "variable":
                    labels.append(k)
                    counts.append(0)
                    k += 1
                else:
                    labels.append(c)
            counts[labels[first]] += 1
            if second >= 0:
                conn[first, second] += 1
                conn[second, first] += 1
            values.append(conn_index(labels, conn, counts))
        best = math.nan
        for value in values:
            if math.isnan(best) or value > best:
                best = value if not math.isnan(value) else best
        return [c for c, value in enumerate(values) if not better(best, value)]

    def track_match(self):
        """iCVI-based match tracking: module A's vigilance follows the tracker."""
        if self.v >= self.tau:
            if self.match == "fuzzy":
                step = self.rho_mt - self.rho if self.epsilon_icvi is None else self.epsilon_icvi
                self.vigilance = max(min(self.vigilance + step, self.rho_mt), 0.0)
            else:
                step = self.rho - self.rho_mt if self.epsilon_icvi is None else self.epsilon_icvi
                self.vigilance = min(max(self.vigilance - step, self.rho_mt), 2.0)
        else:
            self.vigilance = self.rho

    # ---------------------------------------------------------------- map field

    def map_match(self, j, clusters):
        """max over the rows of Y of |y ^ w_j| / |y|; a row of Y has a single one."""
        return max(self.map[j, c] for c in clusters)

    def learn_map(self, j, cluster):
        target = np.zeros(self.k)
        target[cluster] = 1.0
        row = (1 - self.beta_ab) * self.map[j] + self.beta_ab * np.minimum(target, self.map[j])
        if row.max() > 0:  # an update that would erase the row is not made
            self.map[j] = row

    def add_cluster_column(self):
        self.map = np.pad(self.map, ((0, 0), (0, 1)))

    def rewrite_row(self, category, cluster):
        self.map[category] = 0.0
        self.map[category, cluster] = 1.0

    def drop_empty_clusters(self, successor=None):
        """Remove clusters without a category; tsuccessor class goes to cluster `successor[c]`."""
        alive = sorted(set(self.cluster_of))
        for name, c in self.class_cluster.items():
            if c not in alive:
                c = successor[c]
            self.class_cluster[name] = alive.index(c)
        self.map = self.map[:, alive]

    # ---------------------------------------------------------------- Algorithm 1

    def learn(self, x, label=None):
        x = np.asarray(x, dtype=float)
        self.label_set = []
        if not self.X:
            self.x_min, self.x_max = x.copy(), x.copy()
            self.X.append(x)
            self.categories.append(Category(self.code(x), 0))
            self.conn = np.zeros((1, 1))
            self.map = np.ones((1, 1))
            if label is not None:
                self.class_cluster[label] = 0
            self.winners, self.winner_was_new = (0, -1), True
            return
        start = self.current
        self.stretch_range(x)
        self.step_vigilance = self.vigilance
        if label is not None:
            target = self.class_cluster.get(label, -1)
            first, second = self.search(x, lambda j: self.cluster_of[j] == target)
        elif self.k > 1:
            self.label_set = self.generate_labels(x)
            if self.icvi_match_tracking:
                self.track_match()
            self.step_vigilance = self.vigilance
            first, second = self.search(
                x, lambda j: self.map_match(j, self.label_set) >= self.rho_ab - TIE
            )
        else:
            if self.icvi_match_tracking and self.escape_single_cluster:
                self.step_vigilance = self.rho_mt
            first, second = self.search(x, lambda j: True)
        self.learn_sample(x, label, first, second)
        if self.merge:
            self.merge_strategy()
        if self.split:
            self.split_strategy()
        if self.swap:
            self.swap_strategy()
        if self.compress:
            self.compress_strategy()
        if self.prune:
            self.prune_strategy()
        self.v = self.v + 1 if better(start, self.current) else max(0, self.v - 1)

    def learn_sample(self, x, label, first, second):
        pattern = self.code(x)
        self.X.append(x)
        sample = len(self.X) - 1
        self.winner_was_new = first < 0
        if first < 0:
            first = len(self.categories)
            self.categories.append(Category(pattern, sample))
            self.conn = np.pad(self.conn, ((0, 1), (0, 1)))
            self.map = np.vstack([self.map, np.zeros(self.k)])
            if label is not None and label in self.class_cluster:
                self.rewrite_row(first, self.class_cluster[label])
            elif label is not None or self.map_learning == "variable":
                if label is not None:
                    self.class_cluster[label] = self.k
                self.add_cluster_column()
                self.map[first] = 1.0
                self.learn_map(first, self.k - 1)
            else:
                self.rewrite_row(first, self.label_set[0] if self.label_set else 0)
        else:
            winner = self.categories[first]
            winner.weight = (1 - self.beta1) * winner.weight + self.beta1 * np.minimum(
                pattern, winner.weight
            )
            winner.samples.append(sample)
            if label is not None:
                self.learn_winner_map(first, self.class_cluster[label])
            elif self.label_set:
                chosen = max(self.label_set, key=lambda c: (self.map[first, c], -c))
                self.learn_winner_map(first, chosen)
        for category in self.categories:
            category.inactivity += 1
        self.categories[first].inactivity = 0
        if second >= 0:
            runner_up = self.categories[second]
            runner_up.weight = (1 - self.beta2) * runner_up.weight + self.beta2 * np.minimum(
                pattern, runner_up.weight
            )
            self.conn[first, second] += 1
            self.conn[second, first] += 1
        self.winners = (first, second)

    def learn_winner_map(self, j, cluster):
        home = self.cluster_of[j]
        self.learn_map(j, cluster)
        now = self.cluster_of[j]
        self.drop_empty_clusters({home: now})

    # ---------------------------------------------------------------- strategies

    def linked(self, labels, i, j):
        """Whether any category of cluster i is linked to one of cluster j."""
        labels = np.array(labels)
        return bool(np.any(self.conn[np.ix_(labels == i, labels == j)] > 0))

    def best_merge(self, labels, k):
        """The pair whose merger gives the best value: (value, i, j), or None."""
        best = None
        for i in range(k):
            for j in range(i + 1, k):
                if self.icvi == "conn" and not self.linked(labels, i, j):
                    continue
                value = self.goodness(merged(labels, i, j), k - 1)
                if best is None or better(value, best[0]):
                    best = (value, i, j)
        return best

    def merge_clusters(self, i, j):
        self.map[:, i] = np.maximum(self.map[:, i], self.map[:, j])
        self.map = np.delete(self.map, j, axis=1)
        for name, c in self.class_cluster.items():
            self.class_cluster[name] = i if c == j else c - (c > j)

    def merge_strategy(self):
        if self.k <= 2 or self.v != 0:
            return
        labels, k = self.cluster_of, self.k
        path, best_stage, best_value = [], 0, self.current
        while k > 2:
            step = self.best_merge(labels, k)
            if step is None:
                break
            value, i, j = step
            labels, k = merged(labels, i, j), k - 1
            path.append((i, j))
            if better(value, best_value):
                best_stage, best_value = len(path), value
        for i, j in path[:best_stage]:
            self.merge_clusters(i, j)

    def size(self, labels, c):
        return sum(1 for label in labels if label == c)

    def split_strategy(self):
        if not self.v > self.tau:
            return
        if self.split_type == "activity":
            order = sorted(
                range(len(self.categories)), key=lambda p: (self.categories[p].inactivity, p)
            )
            for p in order:
                if self.size(self.cluster_of, self.cluster_of[p]) > 1:
                    self.add_cluster_column()
                    self.rewrite_row(p, self.k - 1)
                    return
        elif self.split_type == "full":
            while self.full_decomposition():
                pass
        else:
            self.partial_decomposition()

    def full_decomposition(self):
        best = None
        for c in range(self.k):
            labels, k = self.cluster_of, self.k
            if self.size(labels, c) < 2:
                continue
            members = [p for p, label in enumerate(labels) if label == c]
            for p in members[1:]:
                labels[p] = k
                k += 1
            value, path = self.goodness(labels, k), []
            while k > 2:
                step = self.best_merge(labels, k)
                if step is None or not better(step[0], value):
                    break
                value, i, j = step
                labels, k = merged(labels, i, j), k - 1
                path.append((i, j))
            if best is None or better(value, best[0]):
                best = (value, members, path)
        if best is None or not better(best[0], self.current):
            return False
        for p in best[1][1:]:
            self.add_cluster_column()
            self.rewrite_row(p, self.k - 1)
        for i, j in best[2]:
            self.merge_clusters(i, j)
        return True

    def partial_decomposition(self):
        best = None
        for c in range(self.k):
            members = [p for p, label in enumerate(self.cluster_of) if label == c]
            if len(members) < 2:
                continue
            seed = None
            for p in members:
                labels = self.cluster_of
                labels[p] = self.k
                value = self.goodness(labels, self.k + 1)
                if seed is None or better(value, seed[0]):
                    seed = (value, p)
            value, p = seed
            labels = self.cluster_of
            labels[p] = self.k
            while True:
                move = None
                for q in members:
                    if q == p:
                        continue
                    target = self.k if labels[q] == c else c
                    if labels[q] == c and self.size(labels, c) == 1:
                        continue
                    if not any(
                        self.conn[q, g] > 0 for g, label in enumerate(labels) if label == target
                    ):
                        continue
                    trial = list(labels)
                    trial[q] = target
                    trial_value = self.goodness(trial, self.k + 1)
                    if better(trial_value, value if move is None else move[0]):
                        move = (trial_value, trial)
                if move is None:
                    break
                value, labels = move
            if best is None or better(value, best[0]):
                best = (value, [q for q in members if labels[q] == self.k])
        if best is None:
            return
        self.add_cluster_column()
        for q in best[1]:
            self.rewrite_row(q, self.k - 1)

    def swap_strategy(self):
        if len(self.categories) <= 2:
            return
        while self.k > 1:
            value, best = self.current, None
            labels = self.cluster_of
            for p, home in enumerate(labels):
                alone = self.size(labels, home) == 1
                if alone and self.k == 2:
                    continue
                for target in range(self.k):
                    if target == home or not any(
                        self.conn[p, g] > 0 for g, label in enumerate(labels) if label == target
                    ):
                        continue
                    trial = list(labels)
                    trial[p] = target
                    k = self.k
                    if alone:
                        trial = [c - (c > home) for c in trial]
                        k -= 1
                    trial_value = self.goodness(trial, k)
                    if better(trial_value, value):
                        value, best = trial_value, (p, target)
            if best is None:
                return
            home = self.cluster_of[best[0]]
            self.rewrite_row(*best)
            self.drop_empty_clusters({home: best[1]})

    def compress_strategy(self):
        old = [p for p, c in enumerate(self.categories) if c.inactivity >= self.xi]
        active = [p for p in range(len(self.categories)) if p not in old]
        if not old:
            return
        d = len(self.x_min)
        labels = self.cluster_of
        frozen = len(active)
        weights = [self.categories[p].weight.copy() for p in active]
        label = [labels[p] for p in active]
        row_of = []
        found_before = {}
        for _ in range(100):
            chosen, found = {}, {}
            for p in old:
                pattern = self.categories[p].weight
                order = self.ranking([self.activation(pattern, h) for h in weights])
                rho, winner = self.rho_c, -1
                for j in order:
                    match = np.minimum(pattern, weights[j]).sum() / d
                    if not match >= rho - TIE:
                        continue
                    if label[j] == labels[p]:
                        if j >= frozen:
                            winner = j
                            break
                    else:
                        rho = max(min(match + self.epsilon, 1.0), 0.0)
                if winner < 0:
                    winner = len(weights)
                    weights.append(pattern.copy())
                    label.append(labels[p])
                    row_of.append(self.map[p].copy())
                else:
                    weights[winner] = (1 - self.beta1) * weights[winner] + self.beta1 * np.minimum(
                        pattern, weights[winner]
                    )
                chosen[p], found[p] = winner, weights[winner].copy()
            # Converged: each box finds the same box as in the epoch before.
            if found_before and all(
                np.max(np.abs(found[p] - found_before[p])) <= 1e-9 for p in old
            ):
                break
            found_before = found
        kept = [j for j in range(frozen, len(weights)) if j in chosen.values()]
        if frozen + len(kept) >= len(self.categories):
            return
        groups = [[p] for p in active] + [[p for p in old if chosen[p] == j] for j in kept]
        conn = np.array(
            [[self.conn[np.ix_(a, b)].sum() for b in groups] for a in groups], dtype=float
        )
        new_map = [self.map[p] for p in active] + [row_of[j - frozen] for j in kept]
        fresh = []
        for group, weight in zip(groups, weights[:frozen] + [weights[j] for j in kept]):
            category = Category(weight, 0)
            category.samples = [s for p in group for s in self.categories[p].samples]
            category.inactivity = min(self.categories[p].inactivity for p in group)
            fresh.append(category)
        first, second = self.winners
        place = {p: g for g, group in enumerate(groups) for p in group}
        self.winners = (place[first], place.get(second, -1))
        self.categories, self.conn, self.map = fresh, conn, np.array(new_map)

    def prune_strategy(self):
        labels, counts = self.cluster_of, self.cluster_counts()
        pruned = [
            p
            for p, c in enumerate(self.categories)
            if c.inactivity > self.xi and counts[labels[p]] < self.phi
        ]
        if not 0 < len(pruned) < len(self.categories):
            return
        rest = [p for p in range(len(labels)) if p not in pruned]
        successor = {}
        for p in pruned:
            pattern = self.categories[p].weight
            activations = [self.activation(pattern, self.categories[j].weight) for j in rest]
            nearest = rest[self.ranking(activations)[0]]
            successor[labels[p]] = labels[nearest]  # the last category to leave decides
            self.rewrite_row(p, labels[nearest])
        self.drop_empty_clusters(successor)

    # ---------------------------------------------------------------- prediction

    def predict_one(self, x):
        x = np.asarray(x, dtype=float)
        z = self.normalise(x)
        pattern = np.concatenate([z, 1.0 - z])
        activations = [self.activation(pattern, c.weight) for c in self.categories]
        return self.cluster_of[self.ranking(activations)[0]]


def merged(labels, i, j):
    """Cluster j joins cluster i < j; later clusters move up."""
    return [i if c == j else c - (c > j) for c in labels]
