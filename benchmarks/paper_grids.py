"""The settings that the paper tries for each rival (its appendix), and the rows that it reports."""

from typing import Any, NamedTuple

from streamart.baselines import (
    DRN,
    WSDVFA,
    ETopoFA,
    IncrementalSequentialKMeans,
    SequentialKMeans,
    WSTopoFA,
)

TENTHS = [step / 10 for step in range(10)]


class Row(NamedTuple):
    ari: float
    clusters: int
    categories: int


# Synthetic data, in the orders class-incremental, mixed, random.
ROWS: dict[str, tuple[Row, Row, Row]] = {
    "skm": (Row(0.2474, 7, 7), Row(0.2985, 7, 7), Row(0.9890, 7, 7)),
    "iskm": (Row(0.9878, 7, 7), Row(0.9975, 7, 7), Row(0.0, 1, 1)),
    "DRN": (Row(0.8463, 13, 13), Row(0.7705, 9, 9), Row(0.7458, 17, 17)),
    "WS-DVFA": (Row(0.5989, 21, 21), Row(0.7423, 15, 235), Row(0.8770, 8, 137)),
    "WS-TopoFA": (Row(0.8531, 9, 73), Row(0.6183, 10, 62), Row(0.7846, 5, 26)),
}

_DVFA = [
    WSDVFA(upper / 10, lower / 100)
    for upper in range(10)
    for lower in range(max(0, 10 * upper - 9), 10 * upper + 1)
]

SYNTHETIC: dict[str, list[Any]] = {
    "skm": [SequentialKMeans(7)],
    "iskm": [IncrementalSequentialKMeans(step / 100) for step in range(1, 101)],
    "DRN": [DRN(rho) for rho in TENTHS],
    "WS-DVFA": _DVFA,
    "WS-TopoFA": [
        WSTopoFA(rho, beta2=beta2, tau=tau)
        for rho in TENTHS
        for beta2 in (0.0, 0.6)
        for tau in range(100, 601, 100)
    ],
}


def faces(people: int) -> dict[str, list[Any]]:
    """The grids for face embeddings, where they differ; so many clusters are told to skm."""
    return {
        "skm": [SequentialKMeans(people)],
        "iskm": [IncrementalSequentialKMeans(step / 100) for step in range(18, 100, 9)],
        "DRN": [DRN(rho) for rho in TENTHS],
        "WS-DVFA": _DVFA,
        "WS-TopoFA": [WSTopoFA(rho, phi=0, tau=100) for rho in TENTHS],
        "E-TopoFA": [ETopoFA(rho, match="cosine") for rho in (0.1, 0.2, 0.3)],
    }
