"""Compile what the tests need, once for all their processes: ``warm.py ch conn baselines ...``."""

import sys

import numpy as np

from streamart import ICVITopoARTMAP, StreamART
from streamart.baselines import DRN, WSDVFA, ETopoFA, IncrementalSequentialKMeans, SequentialKMeans
from streamart.core import corrections
from streamart.core.strategies.split import decompose
from streamart.icvi.state import copied

X = np.random.default_rng(0).normal(size=(30, 2)) + 9.0 * (np.arange(30) % 3)[:, None]


def compile_index(icvi):
    model = ICVITopoARTMAP(icvi, xi=5, record_history=True).partial_fit(X)
    model.predict(X)
    model.novelty(X)
    state = copied(model._state)
    decompose(state)
    corrections.split_in_two(state, 0)
    corrections.merge_two(state, 0, 1)
    corrections.settle(state)
    state.cat["mark"] = 0
    corrections.detach_marked(state)


def compile_self_tuning():
    StreamART(8).fit(np.arange(18.0)[:, None] ** 2).predict([[1.0]])


def compile_baselines():
    """WS-TopoFA and E-TopoFA share their compiled code."""
    for rival in (SequentialKMeans, IncrementalSequentialKMeans, DRN, WSDVFA, ETopoFA):
        rival().partial_fit(np.eye(2))


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        if argument == "baselines":
            compile_baselines()
        elif argument == "self-tuning":
            compile_self_tuning()
        else:
            compile_index(argument)
