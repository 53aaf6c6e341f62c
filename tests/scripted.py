"""A network whose clusters appear, merge and end as a test prescribes."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from streamart import ICVITopoARTMAP


class Step(NamedTuple):
    learnt: list  # id of the cluster of each document of the batch
    living: list  # ids after the batch
    aliases: dict  # ended ids and their successors, after the batch
    sizes: dict  # documents of each living cluster, 100 if not given


def step(learnt, aliases=None, also=(), sizes=None):
    living = sorted({*learnt, *also, *(aliases or {}).values()}, reverse=True)
    return Step(list(learnt), living, aliases or {}, sizes or {})


def batch(each):
    """Samples at the places of their clusters."""
    return np.array([place(cluster) for cluster in each.learnt])


def place(cluster):
    """Clusters with similar ids are near each other, by distance and by angle."""
    return [cluster, 100.0 - cluster]


class ScriptedNetwork(ICVITopoARTMAP):
    def __init__(self, script, match="fuzzy"):
        super().__init__(match=match)
        self.script = script

    def partial_fit(self, X, y=None):
        self._at = getattr(self, "_at", -1) + 1
        now = self._now_step()
        assert len(X) == len(now.learnt)
        return self

    @property
    def labels_(self):
        now = self._now_step()
        return np.array([now.living.index(cluster) for cluster in now.learnt])

    def _now_step(self):
        return self.script[self._at]

    ids_ = property(lambda self: np.array(self._now_step().learnt))
    cluster_ids_ = property(lambda self: np.array(self._now_step().living))
    aliases_ = property(lambda self: self._now_step().aliases)

    @property
    def clusters_(self):
        now = self._now_step()
        n = np.array([now.sizes.get(cluster, 100) for cluster in now.living])
        return SimpleNamespace(n=n, mean=np.array([place(c) for c in now.living]))

    def predict(self, X):
        gaps = np.abs(self.clusters_.mean[:, 0] - np.asarray(X)[:, :1])
        return gaps.argmin(axis=1)
