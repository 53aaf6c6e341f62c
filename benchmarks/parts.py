"""Where the time of a step goes: scan, label, search, update, and each strategy.

`profiled` is the step of `streamart.core.learn`, with the processor's cycle counter read between
its parts; it learns exactly what `partial_fit` learns (checked at the end of each run). Cycles are
turned into microseconds by the time that the whole run took.

The floor is the bare scan: the activations of all categories, exactly, from their boxes. It is
timed by itself, between the pieces that the stream is learnt in. The last column says how many
times the floor a whole step takes. (The step itself has a cheaper scan, which bounds activations;
see `glance`.)

Streams of k Gaussian clusters, shuffled; the first half is learnt without being counted. Every
round measures each index once, and medians are reported. Prints a table, writes
benchmarks/results/parts.json, and with `--docs` fills its section of docs/benchmarks.md.
"""

import argparse
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
    progress,
    write_results,
)
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from streamart.icvi.foreseen import look_ahead
from streamart.icvi.packing import packed

from streamart import ICVITopoARTMAP
from streamart._jit import jit, jit_entry
from streamart.core import learn, map_field, module_a, module_b
from streamart.core.events import MERGED, PRUNED
from streamart.core.identity import settle_ids
from streamart.core.search import find_winners
from streamart.core.strategies.compress import compress_inactive, compression_is_due
from streamart.core.strategies.merge import merge_strategy
from streamart.core.strategies.prune import prune_strategy
from streamart.core.strategies.split import activity_based
from streamart.core.strategies.swap import swap_strategy
from streamart.icvi.footprints import assign
from streamart.icvi.state import LIVE, SAMPLE, SPLIT_ACTIVITY, State, grown

PARTS = (
    "scan",
    "label",
    "search",
    "update",
    "merge",
    "split",
    "swap",
    "compress",
    "prune",
    "ids",
)
SCAN, LABEL, SEARCH, UPDATE, MERGE, SPLIT, SWAP, COMPRESS, PRUNE, IDS = range(len(PARTS))
# features, clusters, standard deviation of the centres (see `gaussian_stream`)
SHAPES = (
    (2, 7, 3),
    (16, 50, 3),
    (128, 50, 3),
    (128, 100, 3),
    (128, 100, 6),
    (128, 150, 6),
    (128, 200, 3),
    (128, 200, 10),
)
INDICES = ("ch", "wb", "pbm", "xb", "db")
PIECE = 100  # samples learnt between two measurements of the floor


@intrinsic
def cycles(context: Any) -> Any:
    """The processor's cycle counter."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        counter = builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind)
        return builder.call(counter, [])

    return types.int64(), generate


@jit
def lap(spent: np.ndarray, part: int, start: int) -> int:
    """Book the cycles since `start` on a part; the next one starts now."""
    end = cycles()
    spent[part] += end - start
    return end


@jit_entry
def profiled(s: State, X: np.ndarray, spent: np.ndarray, begin: int) -> int:
    """Learn ``X[begin:]`` unsupervised, adding the cycles of each part to `spent`."""
    s.now[0]["foreseen"] = 0
    for t in range(begin, X.shape[0]):
        if not learn.has_room(s) or learn.has_gaps(s):
            return t
        x, now, params = s.feature[SAMPLE], s.now[0], s.params[0]
        start = cycles()
        look_ahead(s, X, t)
        start = lap(spent, LABEL, start)
        assign(x, X[t])
        first_sample = now["n"] == 0
        now["start"] = s.now[LIVE]["goodness"]
        module_a.stretch_range(s, x)
        module_a.glance(s, x)
        start = lap(spent, SCAN, start)
        now["step_vigilance"] = now["vigilance"]
        question = map_field.ANYTHING
        if s.now[LIVE]["k"] > 1:
            question = map_field.ONE_OF_WANTED
            module_b.generate_labels(s, s.top, s.attach, x)
            module_b.track_match(s)
            now["step_vigilance"] = now["vigilance"]
        elif not first_sample:
            now["step_vigilance"] = params["rho_mt"]
        start = lap(spent, LABEL, start)
        first, second = find_winners(s, x, question, -1)
        start = lap(spent, SEARCH, start)
        learn.learn_from_winners(s, x, -1, question, -1, first, second)
        start = lap(spent, UPDATE, start)
        merge_strategy(s)
        start = lap(spent, MERGE, start)
        if params["split"] == SPLIT_ACTIVITY and now["tracker"] > params["tau"]:
            activity_based(s, s.top)
        start = lap(spent, SPLIT, start)
        swap_strategy(s)
        start = lap(spent, SWAP, start)
        settle_ids(s, MERGED)
        start = lap(spent, IDS, start)
        if compression_is_due(s):
            compress_inactive(s)
        start = lap(spent, COMPRESS, start)
        prune_strategy(s)
        start = lap(spent, PRUNE, start)
        settle_ids(s, PRUNED)
        start = lap(spent, IDS, start)
        if now["n"] > 1:
            module_b.update_tracker(s, now["start"])
        start = lap(spent, UPDATE, start)
    return X.shape[0]


@jit_entry
def fits(s: State) -> bool:
    """Is there room for the next step? Then `profiled` has stopped because of gaps."""
    return learn.has_room(s)


@jit_entry
def bare_scans(s: State, X: np.ndarray) -> None:
    """The activations of all categories by each sample, and nothing else."""
    for t in range(X.shape[0]):
        assign(s.feature[SAMPLE], X[t])
        module_a.present(s, s.feature[SAMPLE])


def learn_profiled(model: ICVITopoARTMAP, X: np.ndarray) -> tuple[np.ndarray, float]:
    """Go on learning with a model, in place; microseconds per sample of each part, and the floor.

    The floor is measured after each piece of the stream, so that what else the machine does
    disturbs both alike.
    """
    state, spent = model._state, np.zeros(len(PARTS), dtype=np.int64)
    state = state._replace(joined=np.arange(int(state.now[0]["categories"]) + len(X)))
    state.cat["slot"][state.order[: state.now[0]["categories"]]] = np.arange(
        state.now[0]["categories"]
    )
    state.now[0]["slots"] = state.now[0]["categories"]
    seconds, floor = 0.0, 0.0
    for piece in in_chunks(X, PIECE):
        start, reached = time.perf_counter(), 0
        while reached < len(piece):
            reached = profiled(state, piece, spent, reached)
            if reached < len(piece):
                state = packed(state) if fits(state) else grown(state)
        end = time.perf_counter()
        bare_scans(state, piece)
        seconds, floor = seconds + end - start, floor + time.perf_counter() - end
    model._state = state
    return 1e6 * seconds / len(X) * spent / spent.sum(), 1e6 * floor / len(X)


def measure(icvi: str, d: int, k: int, spread: float, n_samples: int) -> dict[str, Any]:
    X, _ = gaussian_stream(d, k, n_samples, random_state=0, spread=spread)
    half = n_samples // 2
    compile_core(icvi)
    learn_profiled(ICVITopoARTMAP(icvi).partial_fit(X[:20]), X[20:40])  # compiles
    model = ICVITopoARTMAP(icvi).partial_fit(X[:half])
    parts, floor = learn_profiled(model, X[half:])
    same = ICVITopoARTMAP(icvi).partial_fit(X)
    assert same.n_categories_ == model.n_categories_, "the profiled step is not the real one"
    row = {"d": d, "k": k, "spread": spread, "icvi": icvi, "clusters": model.n_clusters_}
    row |= {"categories": model.n_categories_, "whole": float(parts.sum())}
    row["floor"] = floor
    return row | dict(zip(PARTS, parts.tolist(), strict=True))


def medians(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Of every measured column; the last round's value of the others."""
    measured = (*PARTS, "whole", "floor")
    middle = {name: statistics.median(row[name] for row in rounds) for name in measured}
    middle["floors"] = statistics.median(row["whole"] / row["floor"] for row in rounds)
    return rounds[-1] | middle


def measure_shape(
    d: int, k: int, spread: float, indices: list[str], options: Any
) -> list[dict[str, Any]]:
    rounds: dict[str, list[dict[str, Any]]] = {icvi: [] for icvi in indices}
    for number in range(options.rounds):
        for icvi in indices:
            progress(f"d = {d}, k = {k}, {spread}: round {number + 1} of {options.rounds}, {icvi}")
            rounds[icvi].append(measure(icvi, d, k, spread, options.samples))
    return [medians(rounds[icvi]) for icvi in indices]


def table(rows: list[dict[str, Any]]) -> str:
    headings = ("stream", "index", "clusters", "categories", *PARTS, "whole step", "bare scan", "÷")
    return markdown_table(
        headings,
        [
            [
                f"d = {row['d']}, k = {row['k']}, {row['spread']} apart",
                row["icvi"],
                str(row["clusters"]),
                str(row["categories"]),
                *[f"{row[part]:.2f}" for part in PARTS],
                f"{row['whole']:.1f}",
                f"{row['floor']:.1f}",
                f"{row['floors']:.1f}",
            ]
            for row in rows
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=16000, help="of each stream")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--icvi", nargs="+", default=INDICES, choices=INDICES)
    parser.add_argument("--docs", action="store_true", help="fill docs/benchmarks.md")
    options = parser.parse_args()
    rows = [row for shape in SHAPES for row in measure_shape(*shape, list(options.icvi), options)]
    text = table(rows)
    print("Microseconds a sample:\n\n" + text)
    write_results("parts", {"samples": options.samples, "rounds": options.rounds, "rows": rows})
    if options.docs:
        fill_docs("parts", text)


if __name__ == "__main__":
    main()
