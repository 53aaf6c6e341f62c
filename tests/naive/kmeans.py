"""Sequential and incremental sequential k-means, with everything computed from its definition."""

import math

import numpy as np

from .indices import TIE


def nearest(centres, x):
    """Of equals, the first."""
    best = 0
    distances = [float(np.sum((v - x) ** 2)) for v in centres]
    for j in range(1, len(centres)):
        if distances[j] < distances[best] * (1 - TIE):
            best = j
    return best


class NaiveSequentialKMeans:
    """Prototypes are means of the samples that they have learnt."""

    def __init__(self, k, seeds=()):
        self.k = k
        self.members = [[seed] for seed in seeds]

    @property
    def centres(self):
        # Relative to the first sample, so that the mean of equal samples is exact.
        return [z[0] + np.mean(np.array(z) - z[0], axis=0) for z in self.members]

    def learn(self, x):
        if len(self.members) < self.k:
            self.members.append([x])
        else:
            self.members[nearest(self.centres, x)].append(x)

    def predict_one(self, x):
        return nearest(self.centres, x)


class Moments:
    """Mean and variance with forgetting."""

    mean = variance = 0.0

    def follow(self, value, forgetting):
        off = value - self.mean
        self.variance = forgetting * self.variance + (1 - forgetting**2) / 2 * off**2
        self.mean = forgetting * self.mean + (1 - forgetting) * value

    def bound(self, sign):
        return self.mean + sign * 1.5 * math.sqrt(self.variance)


class Side:
    """One of the two models, Current or Control."""

    def __init__(self, x):
        self.skm = NaiveSequentialKMeans(1, [x])
        self.moments = Moments()

    def separation(self):
        """Least squared distance of two prototypes, not counting those in the same place."""
        centres = self.skm.centres
        pairs = [
            float(np.sum((a - b) ** 2)) for i, a in enumerate(centres) for b in centres[i + 1 :]
        ]
        return min((p for p in pairs if p > 0), default=None)

    def learn(self, x, forgetting):
        self.skm.learn(x)
        before = self.apart
        if len(self.skm.members) == 1:
            self.apart = max(before, float(np.sum((self.skm.centres[0] - x) ** 2)))
        else:
            self.apart = self.separation() or before
        self.shares = memberships(self.skm.centres, x)
        cost = sum(u**2 * np.sum((v - x) ** 2) for u, v in zip(self.shares, self.skm.centres))
        self.index = (forgetting * before * self.index + (1 - forgetting) * cost) / self.apart

    def open(self, x):
        self.skm.members.append([x])
        self.skm.k += 1

    def merge(self, kept, gone):
        self.skm.members[kept] += self.skm.members[gone]
        del self.skm.members[gone]
        self.skm.k -= 1


def memberships(centres, x):
    distances = [float(np.sum((v - x) ** 2)) for v in centres]
    if 0.0 in distances:
        return [float(j == distances.index(0.0)) for j in range(len(centres))]
    inverse = [1 / distance for distance in distances]
    return [each / sum(inverse) for each in inverse]


class NaiveISKM:
    def __init__(self, forgetting, forgetting_moments=None):
        self.forgetting = forgetting
        self.slow = forgetting if forgetting_moments is None else forgetting_moments
        self.n = self.added = self.removed = 0
        self.difference = Moments()
        self.history = [[]]  # of each of Current's prototypes: (when, membership, sample)

    def learn(self, x):
        self.n += 1
        if self.n == 1:
            self.current, self.control = Side(x), Side(x)
        elif len(self.control.skm.members) == 1:
            apart = float(np.sum((self.current.skm.centres[0] - x) ** 2))
            self.current.skm.learn(x)
            if apart == 0:
                self.control.skm.learn(x)
            else:
                self.control.open(x)
                self.current.apart = self.control.apart = apart
                self.current.index, self.control.index = 0.5, 0.0
        else:
            self.step(x)

    def step(self, x):
        current, control = self.current, self.control
        current.learn(x, self.forgetting)
        control.learn(x, self.forgetting)
        for past, share in zip(self.history, current.shares):
            past.append((self.n, share, x))
        delta, scale = control.index - current.index, control.index + current.index
        up = delta >= self.difference.bound(+1) - TIE * scale
        down = delta <= self.difference.bound(-1) + TIE * scale
        control_up = control.index >= control.moments.bound(+1) - TIE * scale
        current_up = current.index >= current.moments.bound(+1) - TIE * scale
        if self.n > 10 and up and control_up:
            self.add(x)
        if self.n > 15 and down and current_up and len(current.skm.members) > 1:
            self.remove()
        self.difference.follow(delta, self.slow)
        current.moments.follow(current.index, self.slow)
        control.moments.follow(control.index, self.slow)

    def add(self, x):
        centres = self.current.skm.centres
        distance = float(np.sum((centres[nearest(centres, x)] - x) ** 2))
        apart = self.control.separation()
        if distance < (apart or self.control.apart) * (1 - TIE):
            return
        self.current.open(x)
        self.control.open(x)
        self.history.append([])
        self.added += 1

    def compactness(self, i):
        """Compactness of a prototype of Current around its present place, with forgetting."""
        centre = self.current.skm.centres[i]
        return sum(
            0.9 ** (self.n - when) * share**2 * float(np.sum((z - centre) ** 2))
            for when, share, z in self.history[i]
        )

    def remove(self):
        centres = self.current.skm.centres
        local, partner = [], []
        for i, v in enumerate(centres):
            away = [float(np.sum((v - w) ** 2)) for w in centres]
            found, least = None, math.inf
            for j, distance in enumerate(away):
                if 0 < distance < least * (1 - TIE):
                    found, least = j, distance
            compactness = self.compactness(i)
            partner.append(found)
            local.append(
                -math.inf
                if found is None
                else compactness / len(self.current.skm.members[i]) / math.sqrt(least)
            )
        worst, greatest = 0, -1.0
        for i, value in enumerate(local):
            if value > greatest * (1 + TIE):
                worst, greatest = i, value
        kept = partner[worst]
        if worst == 0 or kept is None:
            return
        self.current.merge(kept, worst)
        self.control.merge(kept + 1, worst + 1)
        self.history[kept] += self.history[worst]
        del self.history[worst]
        self.removed += 1

    def predict_one(self, x):
        return self.current.skm.predict_one(x)
