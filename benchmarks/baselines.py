"""Samples per second and quality of the paper's rivals (`streamart.baselines`), next to ours.

The method is that of rivals.py, with the same streams and tables: one thread, no compilation while
the clock runs, one turn for every learner in every round, and ratios within a round. Each chunk is
learnt and its samples are labelled. NN is left out, because it needs labels and only stores them.

The settings are the best on a stream from another seed: highest ARI of `CANDIDATES`, and the
fastest of those within 0.01. `--tune` searches them again. Prints tables and writes
benchmarks/results/baselines.json and .csv. `--docs` also puts the tables into docs/benchmarks.md.
"""

import argparse
from typing import Any

from common import fill_docs, write_csv, write_results
from rivals import (
    CANDIDATES,
    CONTENDERS,
    OURS,
    SETTINGS,
    SHAPES,
    TIMED_SEED,
    SklearnContender,
    Stream,
    measure,
    table,
    tune,
)
from threadpoolctl import threadpool_limits

from streamart.baselines import (
    DRN,
    WSDVFA,
    ETopoFA,
    IncrementalSequentialKMeans,
    SequentialKMeans,
    WSTopoFA,
)

STREAMS = ("built-in", "d16-k50", "d128-k50")
VIGILANCES = [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9]


class Baseline(SklearnContender):
    """A baseline learns a chunk, and then returns the clusters of its samples."""

    rival: Any

    def __init__(self, stream: Stream, **settings: Any) -> None:
        super().__init__(stream)
        self.model = self.rival(**settings)

    def learn(self, piece: Any) -> Any:
        return self.model.partial_fit(piece).labels_

    def n_clusters(self) -> int:
        return self.model.n_clusters_


class SKM(Baseline):
    rival = SequentialKMeans
    knows_k = True

    def __init__(self, stream: Stream, **settings: Any) -> None:
        super().__init__(stream, n_clusters=stream.shape.k, random_state=0, **settings)


class ISKM(Baseline):
    rival = IncrementalSequentialKMeans


class BaselineDRN(Baseline):
    rival = DRN


class BaselineDVFA(Baseline):
    rival = WSDVFA

    def __init__(self, stream: Stream, rho: float, below: float) -> None:
        super().__init__(stream, rho=rho, rho_lower=rho - below)


class BaselineTopoFA(Baseline):
    rival = WSTopoFA


class BaselineETopoFA(Baseline):
    rival = ETopoFA


BASELINES: dict[str, Any] = {
    "skm": SKM,
    "iskm": ISKM,
    "DRN": BaselineDRN,
    "WS-DVFA": BaselineDVFA,
    "WS-TopoFA": BaselineTopoFA,
    "E-TopoFA": BaselineETopoFA,
}
CONTENDERS.update(BASELINES)
CANDIDATES.update(
    {
        "skm": {"init": ["first", "k-means++"]},
        "iskm": {"forgetting": [0.3, 0.5, 0.7, 0.9, 0.99]},
        "DRN": {"rho": VIGILANCES},
        "WS-DVFA": {"rho": VIGILANCES, "below": [0.02, 0.05, 0.1]},
        "WS-TopoFA": {"rho": VIGILANCES, "beta2": [0.0, 0.6]},
        "E-TopoFA": {"rho": VIGILANCES},
    }
)
# Found with --tune.
TUNED: dict[str, dict[str, dict[str, Any]]] = {
    "built-in": {
        "skm": {"init": "k-means++"},
        "iskm": {"forgetting": 0.99},
        "DRN": {"rho": 0.75},
        "WS-DVFA": {"rho": 0.9, "below": 0.05},
        "WS-TopoFA": {"rho": 0.9, "beta2": 0.6},
        "E-TopoFA": {"rho": 0.75},
    },
    "d16-k50": {
        "skm": {"init": "k-means++"},
        "iskm": {"forgetting": 0.3},
        "DRN": {"rho": 0.7},
        "WS-DVFA": {"rho": 0.9, "below": 0.02},
        "WS-TopoFA": {"rho": 0.85, "beta2": 0.6},
        "E-TopoFA": {"rho": 0.6},
    },
    "d128-k50": {
        "skm": {"init": "k-means++"},
        "iskm": {"forgetting": 0.9},
        "DRN": {"rho": 0.6},
        "WS-DVFA": {"rho": 0.85, "below": 0.02},
        "WS-TopoFA": {"rho": 0.8, "beta2": 0.0},
        "E-TopoFA": {"rho": 0.5},
    },
}
for name in STREAMS:
    SETTINGS[name].update(TUNED[name])


def chosen_streams() -> list[Any]:
    return [shape for shape in SHAPES if shape.name in STREAMS]


def run(rounds: int, limit: float, docs: bool) -> None:
    rows: list[dict[str, Any]] = []
    tables: list[str] = []
    for shape in chosen_streams():
        stream = shape.draw(TIMED_SEED, shape.n_samples)
        measured = measure(stream, rounds, limit, 10 * limit, (*OURS, *BASELINES))
        rows += measured
        tables.append(table(shape, measured))
        print(tables[-1], flush=True)
    write_results("baselines", {"rounds": rounds, "rows": rows})
    write_csv("baselines", rows)
    if docs:
        fill_docs("baselines", without_ours("\n".join(tables)))


def without_ours(text: str) -> str:
    """The rows of the rivals: our own speeds stand in the table of `rivals`, and nowhere else."""
    ours = tuple(f"| {name} |" for name in OURS)
    return "\n".join(line for line in text.splitlines() if not line.startswith(ours))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed of the paper's rivals, next to ours.")
    parser.add_argument("--rounds", type=int, default=5, help="turns of every learner (5)")
    parser.add_argument("--seconds", type=float, default=2.0, help="limit of a turn (2)")
    parser.add_argument("--tune", action="store_true", help="look for the best settings")
    parser.add_argument("--docs", action="store_true", help="put the result into docs/")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    with threadpool_limits(limits=1):
        if chosen.tune:
            tune(chosen_streams(), 1.0, BASELINES)
        else:
            run(chosen.rounds, chosen.seconds, chosen.docs)


if __name__ == "__main__":
    main()
