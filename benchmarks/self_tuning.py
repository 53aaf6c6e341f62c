"""How good StreamART is with nothing set, at any time, how stable its ids are, and how fast it is.

Quality is the adjusted Rand index (ARI) of all samples seen so far. Real data that is not part of
the project lies beside it (STREAMART_DATA says where else); sets that are not there are left out.
`--docs` puts the tables into docs/self-tuning.md.
"""

import argparse
import os
import resource
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import fill_docs, gaussian_stream, in_chunks, markdown_table, progress, write_results
from rivals import SHAPES, TIMED_SEED, one_turn, settings_for
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from streamart import StreamART
from streamart.data import make_stream

PAGE = "self-tuning.md"
BESIDE = Path(__file__).parent.parent.parent / "shared" / "data"
DATA = Path(os.environ.get("STREAMART_DATA", BESIDE))
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
BATCH = 100

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
    ):
        if (path := DATA / file).exists():
            with np.load(path) as arrays:
                yield name, (arrays["X"].astype(float), arrays["y"])
    yield "digits", datasets.load_digits(return_X_y=True)
    yield "iris", datasets.load_iris(return_X_y=True)
    yield "wine", datasets.load_wine(return_X_y=True)
    yield "breast cancer", datasets.load_breast_cancer(return_X_y=True)


def rings(rng: np.random.Generator, k: int, n: int) -> Labelled:
    y = rng.integers(k, size=n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1.0 + y + rng.normal(scale=0.08, size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def thin(rng: np.random.Generator, k: int, d: int, n: int) -> Labelled:
    """Clusters 20 long and 0.5 thick."""
    y, X = rng.integers(k, size=n), np.empty((n, d))
    for c in range(k):
        along = rng.normal(size=d)
        along /= np.linalg.norm(along)
        here = y == c
        place = rng.uniform(-10, 10, here.sum())
        noise = 0.5 * rng.normal(size=(here.sum(), d))
        X[here] = 6 * rng.normal(size=d) * np.sqrt(2 / d) + np.outer(place, along) + noise
    return X, y


def topics(rng: np.random.Generator, k: int, d: int, n: int) -> Labelled:
    """Like embeddings of texts: a common direction, one for each topic, and lengths that vary."""
    centres = rng.normal(size=(k, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    y = rng.integers(k, size=n)
    X = centres[y] + 0.5 * centres.mean(axis=0) + rng.normal(size=(n, d)) / np.sqrt(d)
    return X * np.exp(0.2 * rng.normal(size=(n, 1))), y


def unequal(rng: np.random.Generator, k: int, d: int, n: int) -> Labelled:
    """Gaussian clusters of unequal size and spread, in features of very different units."""
    weights = rng.dirichlet(np.full(k, 3.0)) + 0.3 / k
    y = rng.choice(k, n, p=weights / weights.sum())
    spread = rng.uniform(0.5, 1.5, k)
    centres = rng.normal(size=(k, d)) * 7 / np.sqrt(d) * np.sqrt(2)
    X = centres[y] + spread[y, None] * rng.normal(size=(n, d))
    return X * 10.0 ** rng.uniform(-3, 4, d), y


def made_sets() -> Iterator[tuple[str, Labelled]]:
    rng = np.random.default_rng(7)
    yield "moons", datasets.make_moons(1500, noise=0.07, random_state=7)
    yield "3 rings", rings(rng, 3, 1500)
    yield "8 thin clusters, d 20", thin(rng, 8, 20, 1600)
    yield "20 topics, d 384", topics(rng, 20, 384, 1200)
    yield "6 unequal, d 4", unequal(rng, 6, 4, 1500)
    yield "40 unequal, d 32", unequal(rng, 40, 32, 2400)
    yield "one Gaussian, d 5", (rng.normal(size=(1000, 5)), np.zeros(1000, dtype=int))


# ---------------------------------------------------------------------- quality


def orders(y: np.ndarray, shuffles: int) -> Iterator[tuple[str, np.ndarray]]:
    yield "class by class", np.argsort(y, kind="stable")
    yield "as stored", np.arange(len(y))
    for seed in range(shuffles):
        yield "shuffled", np.random.default_rng(seed).permutation(len(y))


def quality_table(shuffles: int) -> str:
    rows = []
    for name, (X, y) in [*real_sets(), *made_sets()]:
        progress(f"quality: {name}")
        found: dict[str, list[tuple[float, int]]] = {}
        for order, at in orders(y, shuffles):
            model = StreamART().fit(X[at])
            score = adjusted_rand_score(y[at], model.labels_)
            found.setdefault(order, []).append((score, model.n_clusters_))
        shuffled = [score for score, _ in found["shuffled"]]
        numbers = sorted(k for _, k in found["shuffled"])
        rows.append(
            [
                name,
                f"{len(X)} x {X.shape[1]}",
                str(len(np.unique(y))),
                *(
                    f"{found[o][0][0]:.3f} ({found[o][0][1]})"
                    for o in ("class by class", "as stored")
                ),
                f"{np.mean(shuffled):.3f}, {min(shuffled):.3f}",
                f"{numbers[0]} to {numbers[-1]}",
                model.metric_,
            ]
        )
    head = ["set", "n x d", "classes", "class by class (k)", "as stored (k)"]
    return markdown_table([*head, f"{shuffles} shuffles: mean, worst", "k", "metric"], rows)


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
    """Share of the samples seen before whose id is another one after the next batch."""
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
    """Beside DBSTREAM with its best settings, which learns fewer samples; that favours it."""
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
    parser.add_argument("--shuffles", type=int, default=10)
    parser.add_argument("--samples", type=int, default=1_000_000, help="of the long stream")
    parser.add_argument("--docs", action="store_true", help=f"write the tables into docs/{PAGE}")
    chosen = parser.parse_args()
    StreamART(30).fit(gaussian_stream(2, 3, 300)[0])  # compiles
    with threadpool_limits(limits=1):
        parts = {
            "quality": quality_table(chosen.shuffles),
            "any time": any_time_table(),
            "stability": stability_table(),
            "speed": speed_table(chosen.rounds),
            "derivation": derivation_table(chosen.rounds),
            "long stream": long_stream(chosen.samples),
        }
    write_results("self_tuning", parts)
    for name, text in parts.items():
        print(f"\n{name}\n{text}")
        if chosen.docs:
            fill_docs(name, text, PAGE)


if __name__ == "__main__":
    main()
