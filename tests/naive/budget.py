"""Fine categories under a budget, transcribed: every number from the samples themselves."""

import numpy as np

TIE = 1e-12


class NaiveBudget:
    """Categories are lists of sample numbers; nothing else is remembered but R and CONN."""

    def __init__(self, limit, by_range=True):
        self.limit = limit
        self.by_range = by_range
        self.X = []
        self.categories = []
        self.groups = []
        self.radius = 0.0
        self.conn = np.zeros((0, 0))

    def scale(self, count=None):
        """1 / range of each feature among the first so many samples."""
        X = np.array(self.X[:count])
        if not self.by_range:
            return np.ones(X.shape[1])
        span = X.max(axis=0) - X.min(axis=0)
        return np.divide(1.0, span, out=np.zeros_like(span), where=span > 0)

    def points(self, p, scale):
        return np.array([self.X[i] for i in self.categories[p]]) * scale

    def within(self, scale):
        parts = [self.points(p, scale) for p in range(len(self.categories))]
        return sum(np.sum((part - centre(part)) ** 2) for part in parts)

    def learn(self, x, group=-1):
        before = self.within(self.scale()) if self.X else 0.0
        self.X.append(np.asarray(x, dtype=float))
        scale = self.scale()
        if before > 0:
            self.radius *= self.within(scale) / before
        far = [self.distance(x, p, scale) for p in range(len(self.categories))]
        sizes = [len(members) for members in self.categories]
        cost = [n / (n + 1) * distance for n, distance in zip(sizes, far)]
        allowed = [p for p, g in enumerate(self.groups) if group < 0 or g in (-1, group)]
        best = first_least([cost[p] for p in allowed])
        first = second = None if best is None else allowed[best]
        if first is None or cost[first] > self.radius * (1 + TIE):
            first = len(self.categories)
            self.categories.append([])
            self.groups.append(-1)
            self.conn = np.pad(self.conn, (0, 1))
        else:
            others = [p for p in range(len(cost)) if p != first]
            nearest = first_least([far[p] for p in others])
            second = None if nearest is None else others[nearest]
        self.categories[first].append(len(self.X) - 1)
        if group >= 0:
            self.groups[first] = group
        if second is not None:
            self.conn[first, second] += 1
            self.conn[second, first] += 1
        if len(self.categories) > self.limit:
            self.make_room(scale)

    def distance(self, x, p, scale):
        return np.sum((x * scale - centre(self.points(p, scale))) ** 2)

    def cost(self, p, q, scale):
        if -1 not in (self.groups[p], self.groups[q]) and self.groups[p] != self.groups[q]:
            return np.inf
        a, b = self.points(p, scale), self.points(q, scale)
        n, m = len(a), len(b)
        return n * m / (n + m) * np.sum((centre(a) - centre(b)) ** 2)

    def make_room(self, scale):
        while len(self.categories) > self.limit * 3 // 4:
            count = len(self.categories)
            pairs = [(p, q) for p in range(count) for q in range(p + 1, count)]
            costs = [self.cost(p, q, scale) for p, q in pairs]
            at = first_least(costs)
            if costs[at] == np.inf:
                break
            self.radius = costs[at]
            self.join(*pairs[at])
        if len(self.categories) > self.limit:
            self.limit += max(1, self.limit // 3)

    def join(self, p, q):
        self.categories[p] += self.categories.pop(q)
        self.groups[p] = max(self.groups[p], self.groups.pop(q))
        self.conn[p] += self.conn[q]
        self.conn[:, p] += self.conn[:, q]
        self.conn = np.delete(np.delete(self.conn, q, axis=0), q, axis=1)


def centre(points):
    """The mean; of copies, exactly the same point."""
    return points[0] + (points - points[0]).mean(axis=0)


def first_least(values):
    """Where the least value is; of equals, beyond rounding, the first."""
    if not values:
        return None
    least = min(values)
    return next(i for i, value in enumerate(values) if value <= least * (1 + 4 * TIE))
