"""Compiles what the tests need, once for all their processes: ``warm.py ch:1.0 conn:0.7 ...``.

An argument is an index (CH for WB too) and beta_ab: there is a program for each two of these. Or it
is "baselines", or "self-tuning".
"""

import sys

import numpy as np

import operations
from streamart import ICVITopoARTMAP, StreamART
from streamart._jit import direct
from streamart.baselines import DRN, WSDVFA, ETopoFA, IncrementalSequentialKMeans, SequentialKMeans
from streamart.core import corrections
from streamart.core.learn import predict, run
from streamart.core.strategies.compress import compress_inactive
from streamart.core.strategies.repartition import adopt_partition
from streamart.core.strategies.split import decompose
from streamart.core.strategies.tree import table_of_links
from streamart.icvi.state import Room, allocate

X, INTS, FLOATS, ROWS = np.zeros((1, 1)), np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros((1, 5))
PROGRAMS = [
    (run, (X, INTS, INTS, ROWS, 0)),
    (predict, (X, INTS, FLOATS)),
    (compress_inactive, ()),
    (decompose, ()),
    (corrections.merge_two, (0, 1)),
    (corrections.split_in_two, (0,)),
    (corrections.detach_marked, ()),
    (corrections.settle, ()),
]
# The network with repartition is tried with these.
REPARTITION = [(adopt_partition, (INTS, 0.0)), (table_of_links, (INTS, X))]
REPARTITIONED = {("ch", 1.0), ("ch", 0.7), ("conn", 1.0)}
# Single operations are tried with beta_ab = 1 only.
OPERATIONS = [
    (operations.operate, (0, 0, 0)),
    (operations.ask, (0, 0, 0)),
    (operations.compress, ()),
    (operations.rebuilt_on_trial, ()),
    (operations.renew, ()),
    (operations.prove, (0,)),
    (operations.stands, ()),
    (operations.path, ()),
]


def compile_for(icvi: str, beta_ab: float) -> None:
    params = ICVITopoARTMAP(icvi, beta_ab=beta_ab)._checked_params()
    state = allocate(params, 1, Room())
    programs = PROGRAMS + (OPERATIONS if beta_ab == 1.0 else [])
    programs += REPARTITION if (icvi, beta_ab) in REPARTITIONED else []
    for program, arguments in programs:
        direct(program, (state, *arguments))


def compile_self_tuning() -> None:
    model = StreamART(8).fit(np.arange(18.0)[:, None] ** 2)
    model.predict([[1.0]])


def compile_baselines() -> None:
    """WS-TopoFA is E-TopoFA, compiled."""
    for rival in (SequentialKMeans, IncrementalSequentialKMeans, DRN, WSDVFA, ETopoFA):
        rival().partial_fit(np.eye(2))


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        if argument == "baselines":
            compile_baselines()
            continue
        if argument == "self-tuning":
            compile_self_tuning()
            continue
        name, beta = argument.split(":")
        compile_for(name, float(beta))
