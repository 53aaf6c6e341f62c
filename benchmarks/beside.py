"""Compare StreamART with other clustering methods with their defaults, on the same data.

DBSTREAM, DenStream (river), Birch and MiniBatchKMeans (scikit-learn) learn a stream;
MiniBatchKMeans is given the true number of clusters. HDBSCAN, PLSCAN (fast-plscan) and EVoC see
all data at once (*); the last two are measured if they are installed, and EVoC, which is made for
embeddings, on these only.
Rivals get features with mean 0 and standard deviation 1, which helps them, because these are known
only at the end of a stream. Embeddings are not scaled.

Noise counts as one more cluster. The score is the adjusted Rand index (ARI); for shapes
with several labelings, the best one, without noise points. `--docs` puts the table into
docs/self-tuning.md.
"""

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from common import dated, fill_docs, markdown_table, progress, write_results
from river import cluster
from self_tuning import PAGE, best_score, orders, real_sets, shape_sets
from sklearn.cluster import HDBSCAN, Birch, MiniBatchKMeans
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from streamart import StreamART

EMBEDDINGS = ("faces106", "faces40", "titles")
Method = Callable[[np.ndarray, int], np.ndarray | None]


def by_river(make: Callable[[], Any]) -> Method:
    def labels(X: np.ndarray, k: int) -> np.ndarray | None:
        model, rows = make(), [dict(enumerate(x)) for x in X.tolist()]
        try:
            for row in rows:
                model.learn_one(row)
            return np.array([model.predict_one(row) for row in rows])
        except (KeyError, IndexError, ZeroDivisionError, ValueError):
            return None  # DenStream looks for clusters that do not exist

    return labels


def in_batches(make: Callable[[int], Any]) -> Method:
    def labels(X: np.ndarray, k: int) -> np.ndarray:
        model = make(k)
        for begin in range(0, len(X), 100):
            if len(X) - begin >= k or begin == 0:
                model.partial_fit(X[begin : begin + max(100, k)])
        return np.asarray(model.predict(X))

    return labels


def at_once(make: Callable[[], Any]) -> Method:
    return lambda X, k: np.asarray(make().fit_predict(X))


def methods() -> dict[str, Method]:
    found: dict[str, Method] = {
        "StreamART": lambda X, k: StreamART().fit(X).labels_,
        "DBSTREAM": by_river(cluster.DBSTREAM),
        "DenStream": by_river(cluster.DenStream),
        "Birch": in_batches(lambda k: Birch()),
        "MiniBatchKMeans, true k": in_batches(lambda k: MiniBatchKMeans(k, random_state=0)),
        "HDBSCAN*": at_once(lambda: HDBSCAN(copy=True)),
    }
    if find_spec("fast_plscan"):
        from fast_plscan import PLSCAN

        found["PLSCAN*"] = at_once(lambda: PLSCAN(num_threads=1))
    if find_spec("evoc"):
        from evoc import EVoC

        found["EVoC*"] = at_once(lambda: EVoC(random_state=0))
    return found


def score_of(
    title: str, method: Method, X: np.ndarray, labelings: list[np.ndarray], noise: bool
) -> float:
    """Mean over the stream sorted by class and two shuffles; a single run for batch methods."""
    k = len(np.unique(labelings[0][labelings[0] > 0] if noise else labelings[0]))
    scores = []
    for order, at in orders(labelings[0], 2):
        if order == "as stored" or (title.endswith("*") and scores):
            continue
        found = method(np.ascontiguousarray(X[at]), k)
        if found is None:
            return np.nan
        scores.append(best_score([y[at] for y in labelings], found, noise))
    return float(np.mean(scores))


def sets() -> Iterator[tuple[str, np.ndarray, list[np.ndarray], bool]]:
    for name, (X, y) in real_sets():
        yield name, X, [y], False
    for name, X, labelings in shape_sets():
        yield f"shape {name}", X, labelings, True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--docs", action="store_true", help=f"write the table into docs/{PAGE}")
    chosen = parser.parse_args()
    table: dict[str, list[float]] = {}
    with threadpool_limits(limits=1):
        for name, X, labelings, noise in sets():
            progress(name)
            scaled = X if name in EMBEDDINGS else StandardScaler().fit_transform(X)
            table[name] = []
            for title, method in methods().items():
                suits = name in EMBEDDINGS or not title.startswith("EVoC")
                given = X if title == "StreamART" else scaled
                score = score_of(title, method, given, labelings, noise) if suits else np.nan
                table[name].append(score)
    shapes = [scores for name, scores in table.items() if name.startswith("shape ")]
    real = {name: scores for name, scores in table.items() if not name.startswith("shape ")}
    rows = {**real, "**mean of these**": np.mean(list(real.values()), axis=0)}
    if shapes:
        rows[f"**mean of {len(shapes)} shapes**"] = np.mean(shapes, axis=0)
    cells = [[name, *(_cell(score) for score in scores)] for name, scores in rows.items()]
    text = markdown_table(["data", *methods()], cells)
    print(text)
    write_results("beside", {"scores": table})
    if chosen.docs:
        fill_docs("beside others", dated(text), PAGE)


def _cell(score: float) -> str:
    return "" if np.isnan(score) else f"{score:.2f}"


if __name__ == "__main__":
    main()
