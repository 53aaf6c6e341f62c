"""The rivals of the fuzzy ART family, transcribed, based on module A.

Weights are complement coded, normalised, and re-scaled whenever the range of the data grows.
"""

import numpy as np

from .indices import TIE
from .network import Category, NaiveTopoARTMAP


class NaiveBoxes(NaiveTopoARTMAP):
    def __init__(self, **params):
        super().__init__(**params)
        self.step_vigilance = self.rho
        self.cluster = []  # of each category

    def see(self, x):
        """Update the ranges first."""
        if not self.X:
            self.x_min, self.x_max = x.copy(), x.copy()
        self.stretch_range(x)
        self.X.append(x)

    def open(self, x, cluster):
        self.categories.append(Category(self.code(x), len(self.X) - 1))
        self.cluster.append(cluster)
        return len(self.categories) - 1

    def resonate(self, x, j, beta):
        category = self.categories[j]
        meet = np.minimum(self.code(x), category.weight)
        category.weight = (1.0 - beta) * category.weight + beta * meet

    def predict_one(self, x):
        activations = [self.activation(self.code(x), c.weight) for c in self.categories]
        return self.clusters()[self.ranking(activations)[0]]

    def clusters(self):
        return self.cluster


class NaiveDVFA(NaiveBoxes):
    def __init__(self, rho, rho_lower, alpha=0.001, beta=1.0):
        super().__init__(rho=rho, alpha=alpha, beta1=beta, use_uncommitted=False)
        self.rho_lower = rho_lower

    def learn(self, x):
        self.see(x)
        activations = [self.activation(self.code(x), c.weight) for c in self.categories]
        for j in self.ranking(activations):
            match = self.match_value(x, j)
            if match >= self.rho - TIE:
                self.resonate(x, j, self.beta1)
                self.categories[j].samples.append(len(self.X) - 1)
                return
            if match >= self.rho_lower - TIE:
                self.open(x, self.cluster[j])
                return
        self.open(x, max(self.cluster, default=-1) + 1)


class NaiveETopoFA(NaiveBoxes):
    def learn(self, x):
        self.see(x)
        first, second = self.search(x, lambda j: True)
        if second >= 0:
            self.resonate(x, second, self.beta2)
        if first >= 0:
            self.resonate(x, first, self.beta1)
            self.categories[first].samples.append(len(self.X) - 1)
        else:
            first = self.open(x, len(self.categories))
        return first, second


class NaiveTopoFA(NaiveETopoFA):
    def __init__(self, **params):
        super().__init__(use_uncommitted=False, **params)
        self.edges = set()  # pairs of categories, by the sample that each began with

    def name(self, j):
        return self.categories[j].samples[0]

    def learn(self, x):
        first, second = super().learn(x)
        if second >= 0:
            self.edges.add(frozenset((self.name(first), self.name(second))))
        if self.tau > 0 and len(self.X) % self.tau == 0:
            kept = [c for c in self.categories if len(c.samples) >= self.phi]
            if kept:
                self.categories = kept
                names = {c.samples[0] for c in kept}
                self.edges = {edge for edge in self.edges if edge <= names}

    def clusters(self):
        """Connected components; -1 for categories that are not permanent."""
        permanent = [len(c.samples) >= self.phi for c in self.categories]
        if not any(permanent):
            permanent = [True] * len(permanent)
        label = [-1] * len(self.categories)
        for start in range(len(label)):
            if not permanent[start] or label[start] >= 0:
                continue
            label[start], found = max(label) + 1, True
            while found:  # follow edges until no category is left
                found = False
                for i in range(len(label)):
                    for j in range(len(label)):
                        joined = frozenset((self.name(i), self.name(j))) in self.edges
                        if joined and permanent[j] and label[j] < 0 <= label[i] == label[start]:
                            label[j], found = label[i], True
        return label

    def predict_one(self, x):
        label = self.clusters()
        some = [j for j in range(len(label)) if label[j] >= 0]
        activations = [self.activation(self.code(x), self.categories[j].weight) for j in some]
        return label[some[self.ranking(activations)[0]]]
