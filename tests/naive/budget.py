"""StreamART's categories under a budget, transcribed: all numbers are computed from the samples.

Categories are lists of sample numbers. Apart from them, only CONN, R, the costs at which categories
were opened, and the scales of the features are stored. This works for streams of at most 512
samples, all of which are in the reservoir. If all values of a feature in a category are missing
(NaN), its mean is the estimate made when it was opened.
"""

import numpy as np

from streamart.gaps import filled

HEAVY, GROWTH = 64, 4  # samples that a category counts as, and how much the budget may grow
# Above this number of categories, room is made after several samples: this many find their nearest,
# then there are this many mergers.
AT_ONCE, SEARCHES, MERGERS = 512, 32, 4
WARM_UP = 256  # samples until which only copies join
TRIM, FENCE = 0.025, 2.0  # share of the samples at either end, and distance of the fences
SKEW = 20  # ratio of tails above which the logarithm is used


class NaiveBudget:
    """With `by_range` features are scaled; otherwise samples become unit vectors."""

    def __init__(self, limit, by_range):
        self.asked = self.limit = limit
        self.by_range = by_range
        self.X, self.categories, self.opened, self.estimates = [], [], [], []
        self.radius, self.decided = 0.0, False
        self.conn = np.zeros((0, 0))
        self.next_look = 1
        self.making = False

    # ------------------------------------------------------------------ how samples are measured

    def look_at_scale(self):
        """Quantiles of all samples so far, and their range between the fences. Positive features
        with a long upper tail are measured by their logarithm."""
        X, count = filled(np.array(self.X)), len(self.X)
        self.floor = np.zeros(X.shape[1])
        self.low, self.high = np.full((2, X.shape[1]), [[-np.inf], [np.inf]])
        self.reach = np.ones(X.shape[1])
        if count >= 64:
            order, cut = np.sort(X, axis=0), max(1, int(TRIM * count))
            low, middle, high = order[cut], order[count // 2], order[count - 1 - cut]
            long = (order[0] > 0) & (middle > low) & (high - middle > SKEW * (middle - low))
            self.floor = np.where(long, order[0], 0)
            X = self.logarithm(X)
            order = np.sort(X, axis=0)
            low, high = order[cut], order[count - 1 - cut]
            self.reach = high - low
            self.low, self.high = low - FENCE * self.reach, high + FENCE * self.reach
        span = np.minimum(X.max(axis=0), self.high) - np.maximum(X.min(axis=0), self.low)
        self.factor = np.divide(1.0, span, out=np.zeros_like(span), where=span > 0)

    def logarithm(self, x):
        """Logarithms of the features that are measured by them."""
        least = np.where(self.floor > 0, self.floor, 1)
        return np.where(self.floor > 0, np.log(np.maximum(x, least)), x)

    def image(self, x):
        """Shorten distances beyond a fence: u times the reach becomes u/(1+u) times."""
        if not self.by_range:
            return x
        x = self.logarithm(x)
        over = np.maximum(x - self.high, 0) / self.reach
        under = np.maximum(self.low - x, 0) / self.reach
        inside = np.clip(x, self.low, self.high)
        return (inside + self.reach * (over / (1 + over) - under / (1 + under))) * self.factor

    def slope(self, x):
        if not self.by_range:
            return np.ones_like(x)
        inner = np.where(
            self.floor > 0, 1 / np.maximum(x, np.where(self.floor > 0, self.floor, 1)), 1
        )
        x = self.logarithm(x)
        over = np.maximum(x - self.high, 0) / self.reach
        under = np.maximum(self.low - x, 0) / self.reach
        return inner * self.factor / (1 + over + under) ** 2

    def mean(self, p):
        points = np.array([self.X[i] for i in self.categories[p]])
        there = ~np.isnan(points)
        total = np.where(there, points, 0).sum(axis=0)
        known = there.any(axis=0)
        return np.where(known, total / np.maximum(there.sum(axis=0), 1), self.estimates[p])

    def compactness(self, p):
        points = np.array([self.X[i] for i in self.categories[p]])
        mean, there = self.mean(p), ~np.isnan(points)
        spread = np.sum(np.where(there, points - mean, 0) ** 2, axis=0)
        spread *= len(points) / np.maximum(there.sum(axis=0), 1)
        return float(np.sum(spread * self.slope(mean) ** 2))

    def distance(self, p, q):
        return float(np.sum((self.image(self.mean(p)) - self.image(self.mean(q))) ** 2))

    def look_again(self):
        before = sum(self.compactness(p) for p in range(len(self.categories)))
        self.look_at_scale()
        after = sum(self.compactness(p) for p in range(len(self.categories)))
        if self.decided and before > 0:
            self.radius *= after / before
            self.opened = [cost * after / before for cost in self.opened]

    # ------------------------------------------------------------------ learning

    def learn(self, x, touching):
        """`touching` is the squared distance of adjacent categories, relative to their widths."""
        if self.X and len(self.X) >= self.next_look and self.by_range and not self.making:
            self.decide_if_due()
        raw, x = np.array(x), self.without_gaps(x)
        z = self.image(x) if self.X else x
        far = [np.sum((z - self.image(self.mean(p))) ** 2) for p in range(len(self.categories))]
        sizes = [len(members) for members in self.categories]
        cost = [n / (n + 1) * distance for n, distance in zip(sizes, far)]
        best = int(np.argmin(cost)) if cost else None
        joins = best is not None and cost[best] <= self.radius * (1 + 1e-12)
        if joins and not self.decided:
            joins = np.array_equal(self.X[self.categories[best][0]], raw)
        self.X.append(raw)
        if joins:
            first = best
            others = [p for p in range(len(far)) if p != first]
            second = min(others, key=lambda p: far[p], default=None)
        else:
            first, second = len(self.categories), int(np.argmin(far)) if far else None
            if far:
                self.opened.append(cost[best])
            self.categories.append([])
            self.estimates.append(x)
            self.conn = np.pad(self.conn, (0, 1))
        self.categories[first].append(len(self.X) - 1)
        if second is not None:
            self.conn[first, second] += 1
            self.conn[second, first] += 1
        if not self.making and len(self.categories) > self.limit:
            if not self.decided:
                self.measure_first(True)
            self.making, self.searched, self.prices = True, 0, []
            self.limit = self.asked
        if self.making:
            self.make_some_room(touching)

    def without_gaps(self, x):
        """Means of categories, weighted by mass and by nearness in the present features."""
        gaps = np.isnan(x)
        if not gaps.any() or not self.categories:
            return np.where(gaps, 0.0, x)
        z, there = self.image(x), np.flatnonzero(~gaps)
        means = np.array([self.mean(p) for p in range(len(self.categories))])
        far = np.array([np.sum((z - self.image(mean))[there] ** 2) for mean in means])
        weights = np.exp(-4 * (far - far.min()) / max(far.min(), 1e-12))
        weights *= [len(members) for members in self.categories]
        return np.where(gaps, weights @ means / weights.sum(), x)

    def decide_if_due(self):
        if self.decided:
            self.look_again()
        else:
            self.measure_first(len(self.X) >= WARM_UP)
        self.set_next_look()

    def measure_first(self, for_good):
        """Count the links again while every category is one sample (there are no copies here)."""
        self.look_at_scale()
        count = len(self.X)
        self.conn = np.zeros((count, count))
        known = filled(np.array(self.X))
        self.estimates = [known[members[0]] for members in self.categories]
        images = np.array([self.image(x) for x in known])
        for i in range(1, count):
            j = np.sum((images[:i] - images[i]) ** 2, axis=1).argmin()
            self.conn[i, j] += 1
            self.conn[j, i] += 1
        self.decided = for_good
        self.set_next_look()

    def set_next_look(self):
        count = len(self.X)
        self.next_look = count + 1 if count < 8 else min(2 * count, WARM_UP)
        if count >= WARM_UP:
            self.next_look = count + max(32, count // 10)

    # ------------------------------------------------------------------ room

    def price(self, p, q):
        """Cost of a merger; a category counts as at most 64 samples."""
        n, m = (min(len(self.categories[c]), HEAVY) for c in (p, q))
        return n * m / (n + m) * self.distance(p, q)

    def is_apart(self, p, q, own, touching):
        width = sum((self.compactness(c) + own) / len(self.categories[c]) for c in (p, q))
        return self.distance(p, q) > touching * width

    def make_some_room(self, touching):
        count = len(self.categories)
        at_once = count <= AT_ONCE
        self.searched = count if at_once else min(count, self.searched + SEARCHES)
        if self.searched == count:
            self.merge_some(touching, count if at_once else MERGERS)
            self.searched = len(self.categories)

    def merge_some(self, touching, most):
        greatest = GROWTH * self.asked
        for _ in range(most):
            left = len(self.categories)
            if left <= (0.75 if self.limit < greatest else 0.9) * self.limit:
                return self.finish_room()
            table = np.full((left, left), np.inf)
            for p in range(left):
                for q in range(left):
                    if p != q:
                        table[p, q] = self.price(p, q)
            nearest = table.argmin(axis=1)
            i = int(table.min(axis=1).argmin())
            within = sum(self.compactness(p) for p in range(left))
            if self.limit < greatest and within > 0:
                own = within / max(len(self.X) - left, 1)
                least = 2.5 if len(self.X) >= 4 * left else 0
                if self.is_apart(i, nearest[i], own, touching):
                    clear = sum(
                        self.is_apart(p, nearest[p], own, touching)
                        for p in range(left)
                        if len(self.categories[p]) >= least
                    )
                    if clear >= left / 2:
                        self.limit = min(greatest, left * 4 // 3 + 1)
                        if left <= 0.9 * self.limit:
                            return self.finish_room()
            p, q = sorted((i, int(nearest[i])))
            larger = max(len(self.categories[p]), len(self.categories[q]))
            self.prices.append(larger / (larger + 1) * self.distance(p, q))
            self.join(p, q)

    def finish_room(self):
        if self.prices:
            self.radius = max(self.radius, np.median(self.prices))
            if self.opened and self.limit <= self.asked:
                self.radius = max(self.radius, np.quantile(self.opened, 0.25))
        self.opened, self.making = [], False

    def join(self, p, q):
        if np.isnan([self.X[i] for i in self.categories[p]]).any():
            first, second = ([self.X[i] for i in self.categories[c]] for c in (p, q))
            unknown = np.isnan(first).all(axis=0) & ~np.isnan(second).all(axis=0)
            self.estimates[p] = np.where(unknown, self.mean(q), self.estimates[p])
        self.categories[p] += self.categories.pop(q)
        self.estimates.pop(q)
        self.conn[p] += self.conn[q]
        self.conn[:, p] += self.conn[:, q]
        self.conn = np.delete(np.delete(self.conn, q, axis=0), q, axis=1)
