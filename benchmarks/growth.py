"""Whether the cost of a sample grows with the length of the stream, or with the number of clusters.

(a) Length. One million samples of the built-in stream (d = 2, k = 7, random order), learnt with
    default parameters in chunks of 1000. For every tenth of the stream: the seconds it took, and
    the bytes of all arrays of the model at its end.
(b) Clusters. Gaussian streams (d = 16; see common.py) with k = 50, 100, 200 and 400, for CH and WB:
    microseconds per sample, and as a multiple of those at k = 50. Only the second half of what was
    learnt counts, when the model has settled. A stream that takes longer than the limit is cut
    short; "samples" says where. The tables also show the clusters and categories found, because a
    model with 2 clusters is fast on any stream.

(c) Embeddings. The recipe for embeddings of docs/tutorials/network.md (d = 128) with 5 samples of
    each of up to 20,000 classes, one class after the other: milliseconds per sample of the last 50
    classes, bytes of all arrays, and the peak of the whole process.

Rounds are interleaved, and medians reported. Prints tables and writes growth.json,
growth-length.csv, growth-clusters.csv and growth-embeddings.csv in benchmarks/results/. `--docs`
also puts the tables into docs/benchmarks.md.
"""

import argparse
import resource
import statistics
import time
from typing import Any

import numpy as np
from common import (
    compile_core,
    fill_docs,
    gaussian_stream,
    in_chunks,
    markdown_table,
    pieces_within,
    progress,
    seconds_for,
    write_csv,
    write_results,
)
from threadpoolctl import threadpool_limits

from streamart import ICVITopoARTMAP
from streamart.data import make_stream

TENTHS = 10
FEATURES = 16
CLUSTERS = (50, 100, 200, 400)
INDICES = ("ch", "wb")
EMBEDDED = 128
EMBEDDED_CLASSES = (1_000, 2_000, 5_000, 10_000, 20_000)


def bytes_of(thing: Any) -> int:
    """Bytes of all arrays in a (nested) tuple."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    return sum(map(bytes_of, thing)) if isinstance(thing, tuple) else 0


# ---------------------------------------------------------------------- length


def one_long_round(X: np.ndarray) -> list[dict[str, float]]:
    model = ICVITopoARTMAP()
    tenths = []
    for part in np.array_split(X, TENTHS):
        seconds = seconds_for(model.partial_fit, in_chunks(part))
        tenths.append(
            {
                "seconds": seconds,
                "bytes": bytes_of(model._state),
                "categories": model.n_categories_,
            }
        )
    return tenths


def measure_length(n_samples: int, rounds: int) -> list[dict[str, Any]]:
    X, _ = make_stream("random", n_samples, random_state=0)
    compile_core("ch")
    measured = []
    for turn in range(rounds):
        progress(f"{n_samples:,} samples: round {turn + 1} of {rounds}")
        measured.append(one_long_round(X))
    rows = [
        {
            "tenth": place + 1,
            "seconds": statistics.median(one[place]["seconds"] for one in measured),
            "bytes": max(one[place]["bytes"] for one in measured),
            "categories": measured[0][place]["categories"],
        }
        for place in range(TENTHS)
    ]
    second = rows[1]["seconds"]
    return [row | {"ratio_to_second": row["seconds"] / second} for row in rows]


def length_table(rows: list[dict[str, Any]]) -> str:
    return markdown_table(
        ("tenth", "seconds", "ratio to the second", "memory of the model, kB", "categories"),
        [
            (
                str(row["tenth"]),
                f"{row['seconds']:.2f}",
                f"{row['ratio_to_second']:.2f}",
                f"{row['bytes'] / 1000:.0f}",
                str(row["categories"]),
            )
            for row in rows
        ],
    )


# ---------------------------------------------------------------------- clusters


def samples_within(index: str, X: np.ndarray, limit: float) -> int:
    """How much of the stream can be learnt within the limit, in pairs of chunks."""
    compile_core(index)
    chunks = list(in_chunks(X, 500))
    return 500 * pieces_within(ICVITopoARTMAP(index).partial_fit, chunks, limit)


def one_cluster_round(index: str, X: np.ndarray) -> dict[str, float]:
    model = ICVITopoARTMAP(index)
    half = len(X) // 2
    for chunk in in_chunks(X[:half]):
        model.partial_fit(chunk)
    start = time.perf_counter()
    for chunk in in_chunks(X[half:]):
        model.partial_fit(chunk)
    seconds = time.perf_counter() - start
    return {
        "microseconds": 1e6 * seconds / (len(X) - half),
        "clusters": model.n_clusters_,
        "categories": model.n_categories_,
    }


def measure_clusters(n_samples: int, rounds: int, limit: float) -> list[dict[str, Any]]:
    streams: dict[tuple[str, int], np.ndarray] = {}
    for k in CLUSTERS:
        X, _ = gaussian_stream(FEATURES, k, n_samples)
        for index in INDICES:
            progress(f"k = {k}, {index}: first pass")
            streams[index, k] = X[: samples_within(index, X, limit)]
    measured: dict[tuple[str, int], list[dict[str, float]]] = {case: [] for case in streams}
    for turn in range(rounds):
        for (index, k), X in streams.items():
            progress(f"k = {k}, {index}: round {turn + 1} of {rounds}")
            measured[index, k].append(one_cluster_round(index, X))
    return [
        {"icvi": index, "k": k, "samples": len(streams[index, k])}
        | median_of(measured[index, k])
        | {"ratio_to_first": ratio(measured[index, k], measured[index, CLUSTERS[0]])}
        for index in INDICES
        for k in CLUSTERS
    ]


def median_of(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def ratio(these: list[dict[str, float]], first: list[dict[str, float]]) -> float:
    """Cost as a multiple of another, taken within each round."""
    pairs = zip(these, first, strict=True)
    return statistics.median(a["microseconds"] / b["microseconds"] for a, b in pairs)


def clusters_table(rows: list[dict[str, Any]]) -> str:
    return markdown_table(
        ("index", "k", "µs per sample", "ratio", "clusters found", "categories", "samples"),
        [
            (
                row["icvi"],
                str(row["k"]),
                f"{row['microseconds']:.0f}",
                f"{row['ratio_to_first']:.2f}",
                f"{row['clusters']:.0f}",
                f"{row['categories']:.0f}",
                f"{row['samples']:,}",
            )
            for row in rows
        ],
    )


# ---------------------------------------------------------------------- embeddings


def classes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Five samples of each class, about 0.04 from its direction; all other classes are about 1
    away."""
    centres = rng.normal(size=(count, EMBEDDED))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    X: np.ndarray = np.repeat(centres, 5, axis=0)
    return X + 0.3 / np.sqrt(EMBEDDED) * rng.normal(size=X.shape)


def measure_embeddings(most: int) -> list[dict[str, Any]]:
    rng, rows = np.random.default_rng(0), []
    model = ICVITopoARTMAP(
        "ch", match="cosine", rho=0.3, strategies=("swap", "prune"), icvi_match_tracking=False
    )
    for learnt in range(50, most + 1, 50):
        X = classes(rng, 50)
        begun = time.perf_counter()
        model.partial_fit(X)
        seconds = time.perf_counter() - begun
        if learnt in EMBEDDED_CLASSES:
            progress(f"{learnt:,} classes")
            rows.append(
                {
                    "clusters": model.n_clusters_,
                    "milliseconds": 1e3 * seconds / len(X),
                    "bytes": bytes_of(model._state),
                    "peak": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                }
            )
    return rows


def embeddings_table(rows: list[dict[str, Any]]) -> str:
    return markdown_table(
        ("clusters", "ms per sample", "memory of the model, MB", "peak of the process, MB"),
        [
            (
                f"{row['clusters']:,}",
                f"{row['milliseconds']:.2f}",
                f"{row['bytes'] / 1e6:.0f}",
                f"{row['peak'] / 1e6:.0f}",
            )
            for row in rows
        ],
    )


# ---------------------------------------------------------------------- program


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How the cost of a sample grows.")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each part (3)")
    parser.add_argument("--seconds", type=float, default=30.0, help="limit of a pass of (b) (30)")
    parser.add_argument("--quick", action="store_true", help="short streams, one round")
    parser.add_argument("--docs", action="store_true", help="put the tables into docs/")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    rounds = 1 if chosen.quick else chosen.rounds
    limit = 2.0 if chosen.quick else chosen.seconds
    with threadpool_limits(limits=1):
        length = measure_length(100_000 if chosen.quick else 1_000_000, rounds)
        print(length_table(length) + "\n", flush=True)
        clusters = measure_clusters(5000 if chosen.quick else 20_000, rounds, limit)
        print(clusters_table(clusters), flush=True)
        embeddings = measure_embeddings(2_000 if chosen.quick else EMBEDDED_CLASSES[-1])
        print(embeddings_table(embeddings), flush=True)
    write_csv("growth-length", length)
    write_csv("growth-embeddings", embeddings)
    write_csv("growth-clusters", clusters)
    results = {"length": length, "clusters": clusters, "embeddings": embeddings}
    write_results("growth", {"rounds": rounds, **results})
    if chosen.docs:
        fill_docs("growth with length", length_table(length))
        fill_docs("growth with clusters", clusters_table(clusters))
        fill_docs("growth with embeddings", embeddings_table(embeddings))


if __name__ == "__main__":
    main()
