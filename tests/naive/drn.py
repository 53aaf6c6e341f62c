"""Developmental resonance network: after every change, grouping is tried for all connections."""

import itertools

import numpy as np

from .indices import TIE

PRIME = 2**31 - 1


class Node:
    def __init__(self, x):
        self.low, self.high, self.n = x.copy(), x.copy(), 1

    def distance(self, x):
        return float(np.sum(np.maximum(np.maximum(self.low - x, x - self.high), 0.0) ** 2))

    def learn(self, x, rate):
        self.low = (1 - rate) * self.low + rate * np.minimum(self.low, x)
        self.high = (1 - rate) * self.high + rate * np.maximum(self.high, x)


class NaiveDRN:
    def __init__(self, rho, eta=1.0, eta_g=1.0, nu=2, random_state=None):
        self.rho, self.eta, self.eta_g, self.nu = rho, eta, eta_g, nu
        self.seed = random_state
        self.nodes = []
        self.edges = set()
        self.joined = 0

    def resonates(self, low, high, other_low, other_high):
        whole = float(np.sum(self.whole.high - self.whole.low))
        joint = float(np.sum(np.maximum(high, other_high) - np.minimum(low, other_low)))
        return whole == 0 or whole - joint > (self.rho + TIE) * whole

    def nearest(self, x, count):
        """Of equals, the latest comes first."""
        left, chosen = list(range(len(self.nodes))), []
        while left and len(chosen) < count:
            best = left[0]
            for j in left[1:]:
                if self.nodes[j].distance(x) <= self.nodes[best].distance(x) * (1 + TIE):
                    best = j
            chosen.append(best)
            left.remove(best)
        return chosen

    def learn(self, x):
        if not self.nodes:
            self.whole, self.nodes = Node(x), [Node(x)]
            return
        self.whole.learn(x, self.eta_g)
        self.group()
        chosen = self.nearest(x, self.nu)
        winner = self.nodes[chosen[0]]
        if self.resonates(winner.low, winner.high, x, x):
            winner.learn(x, self.eta)
            winner.n += 1
        else:
            self.nodes.append(Node(x))
            chosen.append(len(self.nodes) - 1)
        connected = [self.nodes[j] for j in chosen]
        self.edges |= {frozenset(pair) for pair in itertools.combinations(connected, 2)}
        self.group()

    def turn(self, i, j):
        if self.seed is None:
            return (i, j)
        number = (self.seed % PRIME + 7919 * self.joined) % PRIME
        for part in (i, j, 12345):
            number = (number * number + 48271 * part + 1) % PRIME
        return number

    def group(self):
        while True:
            ready = [
                (i, j)
                for i, j in itertools.combinations(range(len(self.nodes)), 2)
                if frozenset((self.nodes[i], self.nodes[j])) in self.edges
                and self.resonates(
                    self.nodes[i].low, self.nodes[i].high, self.nodes[j].low, self.nodes[j].high
                )
            ]
            if not ready:
                return
            i, j = min(ready, key=lambda pair: self.turn(*pair))
            self.joined += 1
            kept, gone = self.nodes[i], self.nodes.pop(j)
            kept.low = np.minimum(kept.low, gone.low)
            kept.high = np.maximum(kept.high, gone.high)
            kept.n += gone.n
            moved = {frozenset(kept if node is gone else node for node in e) for e in self.edges}
            self.edges = {edge for edge in moved if len(edge) == 2}

    def predict_one(self, x):
        return self.nearest(x, 1)[0]
