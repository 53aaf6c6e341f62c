"""Quality of StreamART without parameters over time, stability of its ids, and speed.

Quality is the adjusted Rand index (ARI) of all samples seen so far. Real data is in a folder beside
the project (or in STREAMART_DATA); sets that are absent are left out.
`--docs` puts the tables into docs/self-tuning.md.
"""

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import (
    dated,
    fill_docs,
    gaussian_stream,
    in_chunks,
    markdown_table,
    progress,
    write_results,
)
from generated import cloud
from rivals import SHAPES, TIMED_SEED, one_turn, settings_for
from river import cluster
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits
from troubles import DRIFTS, TROUBLES, Case, long_troubles

from streamart import StreamART
from streamart.data import make_stream

PAGE = "self-tuning.md"
BESIDE = Path(__file__).parent.parent.parent / "shared" / "data"
DATA = Path(os.environ.get("STREAMART_DATA", BESIDE))
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
BATCH = 100
REAL_SHAPES = ("uci_ecoli", "uci_ionosphere", "uci_statlog", "uci_wine", "other_iris5")
"""Sets among the shapes that are tables of measurements, without noise points."""

Labelled = tuple[np.ndarray, np.ndarray]

# ---------------------------------------------------------------------- data


def real_sets() -> Iterator[tuple[str, Labelled]]:
    for name in ("exp1", "exp2"):
        if (path := DATA / f"{name}.csv").exists():
            table = np.loadtxt(path, delimiter=",", skiprows=1)
            yield name, (table[:, :2], table[:, 2].astype(int))
    for name, file in (
        ("faces106", "faces106x14_128d.npz"),
        ("faces40", "faces40x10_1024d.npz"),
        ("outdoor", "outdoor_stream.npz"),
        ("titles", "titles_so_384d.npz"),
    ):
        if (path := DATA / file).exists():
            with np.load(path) as arrays:
                yield name, (arrays["X"].astype(float), arrays["y"])
    yield "digits", datasets.load_digits(return_X_y=True)
    yield "iris", datasets.load_iris(return_X_y=True)
    yield "wine", datasets.load_wine(return_X_y=True)
    yield "breast cancer", datasets.load_breast_cancer(return_X_y=True)


def shape_sets() -> Iterator[tuple[str, np.ndarray, list[np.ndarray]]]:
    """Several labelings of each, any of which is right; label 0 is noise, which is not scored."""
    for path in sorted((DATA / "shapes").glob("*.npz")):
        with np.load(path) as arrays:
            labels = [arrays[name] for name in sorted(arrays.files) if name != "X"]
            yield path.stem, arrays["X"].astype(float), labels


# ---------------------------------------------------------------------- quality


def orders(y: np.ndarray, shuffles: int) -> Iterator[tuple[str, np.ndarray]]:
    yield "class by class", np.argsort(y, kind="stable")
    yield "as stored", np.arange(len(y))
    for seed in range(shuffles):
        yield "shuffled", np.random.default_rng(seed).permutation(len(y))


def best_score(labelings: list[np.ndarray], found: np.ndarray, noise: bool) -> float:
    scores = []
    for y in labelings:
        kept = y > 0 if noise else np.ones(len(y), dtype=bool)
        scores.append(adjusted_rand_score(y[kept], found[kept]))
    return max(scores)


def quality_rows(
    sets: list[tuple[str, np.ndarray, list[np.ndarray]]], shuffles: int, noise: bool
) -> list[list[str]]:
    """A row for each set, and one of means: sorted by class, shuffled, spread between orders."""
    rows, table = [], []
    for name, X, labelings in sets:
        progress(f"quality: {name}")
        scores, numbers, stored = [], [], ""
        for order, at in orders(labelings[0], shuffles):
            if order == "as stored" and name != "outdoor":
                continue
            model = StreamART().fit(X[at])
            score = best_score([y[at] for y in labelings], model.labels_, noise)
            if order == "as stored":
                stored = f"; as stored {score:.3f} ({model.n_clusters_})"
                continue
            scores.append(score)
            numbers.append(model.n_clusters_)
        table.append([scores[0], float(np.mean(scores[1:])), max(scores) - min(scores)])
        classes = " or ".join(
            dict.fromkeys(str(len(np.unique(y[y > 0] if noise else y))) for y in labelings)
        )
        spread = f"{min(numbers[1:])} to {max(numbers[1:])}"
        cells = [f"{table[-1][0]:.3f} ({numbers[0]})", f"{table[-1][1]:.3f} ({spread})"]
        cells.append(f"{table[-1][2]:.2f}")
        rows.append([name + stored, f"{len(X)} x {X.shape[1]}", classes, *cells])
    means = [f"{value:.3f}" for value in np.mean(table, axis=0)]
    return [*rows, ["**mean**", "", "", *means]]


def quality_table(shuffles: int) -> str:
    sets = [(name, X, [y]) for name, (X, y) in real_sets()]
    sets += [(name, X, y) for name, X, y in shape_sets() if name in REAL_SHAPES]
    head = ["set", "n x d", "classes", "class by class (k)", f"{shuffles} shuffles (k)", "spread"]
    return markdown_table(head, quality_rows(sets, shuffles, False))


def shapes_table(shuffles: int) -> str:
    head = ["set", "n x d", "classes", "class by class (k)", f"{shuffles} shuffles (k)", "spread"]
    return markdown_table(head, quality_rows(list(shape_sets()), shuffles, True))


def clouds_table(seeds: int) -> str:
    """Share of single clouds for which one cluster is found."""
    rows = []
    for kind in ("normal", "correlated", "cube", "ball", "t3", "log-normal"):
        progress(f"one or several: {kind}")
        found = []
        for d in (1, 2, 5, 10, 50):
            ones = [
                StreamART().fit(cloud(np.random.default_rng([s, d]), kind, n, d)).n_clusters_ == 1
                for s in range(seeds)
                for n in (500, 2000)
            ]
            found.append(float(np.mean(ones)))
        rows.append([kind, *(f"{share:.0%}" for share in [*found, float(np.mean(found))])])
    return markdown_table(["cloud", "d 1", "d 2", "d 5", "d 10", "d 50", "mean"], rows)


def troubles_table(cases: dict[str, Case], seeds: int) -> str:
    rows = []
    for name, case in cases.items():
        progress(f"troubles: {name}")
        scores, numbers = [], []
        for seed in range(seeds):
            X, y, scored = case.make(seed)
            at = (
                np.arange(len(y))
                if case.in_order
                else np.random.default_rng(seed).permutation(len(y))
            )
            model = StreamART()
            for chunk in in_chunks(X[at]):
                model.partial_fit(chunk)
            some = at if len(at) <= 50_000 else np.r_[at[::47], at[-200:]]
            some = some if scored is None else some[scored[some]]
            scores.append(case.score(y[some], model.predict(X[some])))
            numbers.append(model.n_categories_)
        cells = [f"{case.target:.2f}", f"{np.mean(scores):.3f} ({min(scores):.3f})"]
        rows.append([name, *cells, str(max(numbers))])
    return markdown_table(["trouble", "asked for", "reached, mean (worst)", "categories"], rows)


def window_ari(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Mean over windows of 500 samples, which are learnt and then predicted."""
    scores = []
    for begin in range(0, len(X), 500):
        window = slice(begin, begin + 500)
        model.partial_fit(X[window])
        scores.append(adjusted_rand_score(y[window], model.predict(X[window])))
    return float(np.mean(scores))


class InRiver:
    """A clusterer of river, learning and predicting tables."""

    def __init__(self, **settings: float) -> None:
        self.model = cluster.DBSTREAM(**settings)

    def partial_fit(self, X: np.ndarray) -> None:
        for x in X.tolist():
            self.model.learn_one(dict(enumerate(x)))

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.array([self.model.predict_one(dict(enumerate(x))) for x in X.tolist()])


def drift_table(seeds: int) -> str:
    rows = []
    for name, make in DRIFTS.items():
        progress(f"drift: {name}")
        streams = [make(seed) for seed in range(seeds)]
        radius = 0.8 if streams[0][0].shape[1] == 2 else 4.0
        tuned = {
            "clustering_threshold": radius,
            "fading_factor": 0.003,
            "cleanup_interval": 20,
            "intersection_factor": 0.1,
            "minimum_weight": 1,
        }
        makers: list[Callable[[], Any]] = [
            lambda: StreamART(half_life=500),
            StreamART,
            lambda tuned=tuned: InRiver(**tuned),
            InRiver,
        ]
        cells = [
            f"{np.mean([window_ari(maker(), X, y) for X, y in streams]):.2f}" for maker in makers
        ]
        rows.append([name, *cells])
    head = ["stream", "half_life=500", "nothing set", "DBSTREAM, tuned", "DBSTREAM, defaults"]
    return markdown_table(head, rows)


def any_time_table() -> str:
    rows = []
    for name, (X, y) in real_sets():
        if name in ("iris", "wine", "breast cancer"):
            continue
        progress(f"any time: {name}")
        for order, at in orders(y, 1):
            if order == "as stored":
                continue
            model, cells, done = StreamART(), [], 0
            for share in SHARES:
                end = int(share * len(y))
                model.partial_fit(X[at[done:end]])
                done = end
                score = adjusted_rand_score(y[at[:end]], model.predict(X[at[:end]]))
                cells.append(f"{score:.2f} ({model.n_clusters_}/{len(np.unique(y[at[:end]]))})")
            rows.append([f"{name}, {order}", *cells])
    return markdown_table(["stream", *(f"{share:.0%}" for share in SHARES)], rows)


def stability_table() -> str:
    """Share of earlier samples whose id changes with the next batch."""
    rows = []
    for name, (X, y) in real_sets():
        if len(X) < 8 * BATCH and name != "faces40":
            continue
        progress(f"stability: {name}")
        for order, at in orders(y, 1):
            if order == "as stored":
                continue
            model, before, changed = StreamART(), np.empty(0, dtype=int), []
            for end in range(BATCH, len(y) + 1, BATCH):
                model.partial_fit(X[at[end - BATCH : end]])
                ids = model.predict_ids(X[at[:end]])
                if end - BATCH >= len(y) / 4:
                    changed.append(np.mean(ids[: len(before)] != before))
                before = ids
            cells = [f"{np.mean(changed):.1%}", f"{np.median(changed):.1%}", f"{max(changed):.1%}"]
            rows.append([f"{name}, {order}", *cells])
    return markdown_table(["stream", "mean", "median", "most"], rows)


# ---------------------------------------------------------------------- speed


def speed_table(rounds: int) -> str:
    """Compare with DBSTREAM with its best settings. It learns fewer samples, which favours it."""
    rows = []
    for shape in SHAPES:
        if shape.name not in ("built-in", "d128-k50"):
            continue
        progress(f"speed: {shape.title}")
        stream = shape.draw(TIMED_SEED, 20_000)
        settings = settings_for("river DBSTREAM", shape)
        rates = []
        for _ in range(rounds):
            ours = one_turn("StreamART", stream, {}, 20_000)
            theirs = one_turn("river DBSTREAM", stream, settings, 3000)
            rates.append((ours, theirs, ours / theirs))
        medians = [statistics.median(column) for column in zip(*rates, strict=True)]
        rows.append([shape.title, *(f"{value:,.0f}" for value in medians[:2]), f"{medians[2]:.1f}"])
    return markdown_table(["stream", "StreamART, samples/s", "DBSTREAM", "ratio"], rows)


def derivation_table(rounds: int) -> str:
    rows = []
    for d in (2, 16, 128):
        X, _ = gaussian_stream(d, 50, 6000)
        model = StreamART().partial_fit(X)
        seconds = []
        for _ in range(10 * rounds):
            start = time.perf_counter()
            model._model.engine.derive()
            seconds.append(time.perf_counter() - start)
        cells = [str(model.n_categories_), f"{1e3 * statistics.median(seconds):.1f} ms"]
        rows.append([str(d), *cells])
    return markdown_table(["d", "categories", "time"], rows)


def long_stream(n: int) -> str:
    """One million samples: speed and memory, tenth by tenth."""
    model, rows = StreamART(), []
    for tenth in range(10):
        X, _ = make_stream("random", n // 10, random_state=tenth)
        start = time.perf_counter()
        for chunk in in_chunks(X):
            model.partial_fit(chunk)
        seconds = time.perf_counter() - start
        arrays = (*model._state, *model._model.engine.budget)
        held = sum(a.nbytes for a in arrays if isinstance(a, np.ndarray))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append(
            [f"{(tenth + 1) * n // 10:,}", f"{1e6 * seconds / len(X):.1f}", f"{held / 1e6:.2f}",
             f"{peak:.0f}", str(model.n_clusters_)]
        )  # fmt: skip
    head = ["samples", "µs per sample", "model, MB", "process at most, MB", "clusters"]
    return markdown_table(head, [rows[0], rows[1], rows[4], rows[9]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--shuffles", type=int, default=3)
    parser.add_argument("--samples", type=int, default=1_000_000, help="of the long stream")
    parser.add_argument("--only", help="names of the tables, separated by commas")
    parser.add_argument("--docs", action="store_true", help=f"write the tables into docs/{PAGE}")
    chosen = parser.parse_args()
    StreamART(30).fit(gaussian_stream(2, 3, 300)[0])  # compiles
    makers: dict[str, Callable[[], str]] = {
        "quality": lambda: quality_table(chosen.shuffles),
        "shapes": lambda: shapes_table(chosen.shuffles),
        "clouds": lambda: clouds_table(3),
        "troubles": lambda: troubles_table(TROUBLES, 3),
        "long troubles": lambda: troubles_table(long_troubles(chosen.samples), 1),
        "drift": lambda: drift_table(3),
        "any time": any_time_table,
        "stability": stability_table,
        "speed": lambda: speed_table(chosen.rounds),
        "derivation": lambda: derivation_table(chosen.rounds),
        "long stream": lambda: long_stream(chosen.samples),
    }
    wanted = chosen.only.split(",") if chosen.only else list(makers)
    with threadpool_limits(limits=1):
        parts = {name: makers[name]() for name in wanted}
    write_results("self_tuning", parts)
    for name, text in parts.items():
        print(f"\n{name}\n{text}")
        if chosen.docs:
            fill_docs(name, dated(text), PAGE)


if __name__ == "__main__":
    main()
