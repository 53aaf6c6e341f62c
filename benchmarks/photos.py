"""How well `streamart photos` groups faces by person, compared with other clustering methods.

    python benchmarks/photos.py --data ../shared/data --doc

HDBSCAN is scikit-learn's. DBSCAN follows the rules of two photo programs: immich (cosine distance
of at most 0.5 between neighbours, at least three faces) and PhotoPrism (Euclidean distance of unit
vectors of at most 0.64, at least four faces). Their defaults were chosen for other embeddings, so
DBSCAN and Chinese whispers also run with the best distance of a grid. Choosing it takes the true
labels, which a user does not have.

Results are kept in results/photos.json; `--sets` measures some sets and keeps the others' results.
"""

import argparse
import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from common import RESULTS, dated, fill_docs, markdown_table, progress, write_results
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.metrics import adjusted_rand_score

from streamart.photos.facts import MERGE, SPLIT, Correction, Facts
from streamart.photos.people import Faces, cluster, match_people, settle

ORDERS = 10
LARGE = 300
"""Sets with more faces than this are shuffled only `FEW_ORDERS` times."""
FEW_ORDERS = 3
UPLOADS = 12
DETECT = ("dlib", "dlib")


class Scores(NamedTuple):
    people: int
    ari: float
    bcubed: float
    pairs: float
    corrections: int


def scores(y: np.ndarray, labels: np.ndarray) -> Scores:
    """Compare a partition with the truth; each face labelled noise (-1) is its own person."""
    labels = labels.copy()
    labels[labels < 0] = labels.max() + 1 + np.arange(int(np.sum(labels < 0)))
    same, found = y[:, None] == y[None], labels[:, None] == labels[None]
    both = same & found
    precision = np.mean(both.sum(axis=1) / found.sum(axis=1))
    recall = np.mean(both.sum(axis=1) / same.sum(axis=1))
    others = ~np.eye(len(y), dtype=bool)
    right = (both & others).sum()
    pairs = 2 * right / max(1, (same & others).sum() + (found & others).sum())
    return Scores(
        len(np.unique(labels)),
        float(adjusted_rand_score(y, labels)),
        float(2 * precision * recall / (precision + recall)),
        float(pairs),
        corrections_needed(y, labels),
    )


def corrections_needed(y: np.ndarray, labels: np.ndarray) -> int:
    """Number of splits and merges until all faces are right.

    A split moves all faces of one person out of a pile, so a pile of p people takes p - 1 splits;
    then a person in q piles takes q - 1 merges.
    """
    parts = len({*zip(y.tolist(), labels.tolist(), strict=True)})
    return (parts - len(np.unique(labels))) + (parts - len(np.unique(y)))


# ---------------------------------------------------------------------- methods


def streamart(X: np.ndarray, uploads: int = 1, method: str = "streamart") -> np.ndarray:
    """Group faces as `streamart photos` does when they arrive in this many uploads."""
    n = len(X)
    person = np.full(n, -1)
    model = None
    for rows in np.array_split(np.arange(n), uploads):
        end = rows[-1] + 1
        faces = Faces(np.arange(end), np.arange(end), person[:end], X[:end])
        fresh = int(person.max()) + 1
        found = cluster(faces, rows, Facts(), set(), model, method)
        model = found.model
        matched = faces._replace(person=match_people(faces, found.labels, Facts(), fresh))
        person[:end] = settle(matched, Facts(), int(matched.person.max()) + 1)
    return person


def chinese_whispers(X: np.ndarray, most: float, rounds: int = 20) -> np.ndarray:
    """dlib's algorithm; its threshold (Euclidean, 0.6) is meant for dlib's raw vectors."""
    squared = np.sum(X**2, axis=1)
    distance = np.sqrt(np.maximum(squared[:, None] + squared[None] - 2 * X @ X.T, 0))
    near = distance <= most
    labels, rng = np.arange(len(X)), np.random.default_rng(0)
    for _ in range(rounds):
        for i in rng.permutation(len(X)):
            labels[i] = np.bincount(labels[near[i]]).argmax()
    return np.unique(labels, return_inverse=True)[1]


def unit(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def best_of(
    y: np.ndarray, make: Callable[[float], np.ndarray], grid: np.ndarray
) -> tuple[np.ndarray, float]:
    found = [(adjusted_rand_score(y, labels), labels, at) for at in grid if len(labels := make(at))]
    _, labels, at = max(found, key=lambda one: one[0])
    return labels, float(at)


GRID = np.linspace(0.1, 0.9, 17)


def rivals(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Labels by each other method. Names of tuned methods end with the distance that was best."""
    U = unit(X)
    found = {
        "HDBSCAN (2)": HDBSCAN(min_cluster_size=2, copy=True).fit_predict(U),
        "DBSCAN, immich's defaults": DBSCAN(eps=0.5, min_samples=3, metric="cosine").fit_predict(X),
        "DBSCAN, PhotoPrism's defaults": DBSCAN(eps=0.64, min_samples=4).fit_predict(U),
        "Chinese whispers, 0.6": chinese_whispers(X, 0.6),
    }
    typical = float(np.median(np.linalg.norm(U[::7, None] - U[None, ::7], axis=2)))
    grid = GRID * typical
    for name, make in {
        "DBSCAN, best distance": lambda eps: DBSCAN(eps=eps, min_samples=3).fit_predict(U),
        "Chinese whispers, best distance": lambda most: chinese_whispers(U, most),
    }.items():
        labels, at = best_of(y, make, grid)
        found[f"{name} ({at:.2f})"] = labels
    return found


# ---------------------------------------------------------------------- measures of one set


def named_right(X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> float:
    """Share of faces with the right name after naming the largest pile of each person.

    Faces in other piles count as wrong.
    """
    right = 0
    for person in np.unique(y):
        piles, counts = np.unique(labels[y == person], return_counts=True)
        for pile in piles[np.argsort(-counts)][:1]:
            owner = np.bincount(y[labels == pile]).argmax()
            right += int(np.sum((labels == pile) & (y == person))) if owner == person else 0
    return right / len(y)


def corrected(X: np.ndarray, y: np.ndarray) -> tuple[int, bool]:
    """Corrections made until all faces are right, and whether they became right.

    The clusterer learns from the corrections after every ten of them.
    """
    n, facts, said = len(X), Facts(), 0
    person = streamart(X)
    for _ in range(200):
        wrong = _next_correction(y, person)
        if wrong is None:
            return said, True
        facts.say(wrong)
        said += 1
        inside = np.array(wrong.one)
        person[inside] = (
            person.max() + 1 if wrong.kind == SPLIT else person[np.array(wrong.other)[0]]
        )
        if said % 10 == 0:
            faces = Faces(np.arange(n), np.arange(n), person, X)
            found = cluster(faces, np.arange(0), facts, set(), None, "streamart")
            matched = match_people(faces, found.labels, facts, int(person.max()) + 1)
            person = settle(faces._replace(person=matched), facts, int(matched.max()) + 1)
    return said, False


def _next_correction(y: np.ndarray, person: np.ndarray) -> Correction | None:
    """The split or merge that puts most faces right; None if all are right."""
    found: list[tuple[int, Correction]] = []
    for pile in np.unique(person):
        inside = np.flatnonzero(person == pile)
        owners, counts = np.unique(y[inside], return_counts=True)
        if len(owners) > 1:
            small = np.argsort(counts)[-2]
            out = inside[y[inside] == owners[small]]
            rest = inside[y[inside] != owners[small]]
            found.append((counts[small], Correction(SPLIT, tuple(out), tuple(rest))))
    for one in np.unique(y):
        piles, counts = np.unique(person[y == one], return_counts=True)
        pure = [p for p in piles[np.argsort(-counts)] if len(np.unique(y[person == p])) == 1]
        if len(pure) > 1:
            small, large = np.flatnonzero(person == pure[1]), np.flatnonzero(person == pure[0])
            found.append((len(small), Correction(MERGE, tuple(small), tuple(large))))
    return max(found, key=lambda one: one[0])[1] if found else None


# ---------------------------------------------------------------------- sets


def cpu_seconds() -> float:
    """Peak memory of this process and of its ended children."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def photo_faces(folder: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Vectors and people of a folder of files pNN_..., and what reading them took."""
    from streamart.photos.models import Chosen
    from streamart.photos.workers import Readers

    paths = sorted(folder.glob("p*.png"))
    began = cpu_seconds()
    X, y = [], []
    with Readers(Chosen(*DETECT)) as readers:
        for photo in readers.read(str(path) for path in paths):
            for face in photo.faces:
                X.append(np.frombuffer(face.vector, dtype="<f4"))
                y.append(int(Path(photo.path).name[1:3]))
    found = {"files": len(paths), "reading_cpu_seconds": cpu_seconds() - began}
    return np.array(X, dtype=float), np.array(y), found


def embeddings(path: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    with np.load(path) as arrays:
        return arrays["X"].astype(float), arrays["y"], {}


def orders(X: np.ndarray, y: np.ndarray) -> list[dict[str, float]]:
    """Results for one order by person, then for shuffles, each at once and in uploads."""
    found = []
    first = None
    for seed in range((ORDERS if len(X) < LARGE else FEW_ORDERS) + 1):
        rng = np.random.default_rng(seed)
        p = rng.permutation(len(X)) if seed else np.argsort(y, kind="stable")
        back = np.argsort(p)
        labels = streamart(X[p])[back]
        uploads = streamart(X[p], UPLOADS)[back]
        first = labels if first is None else first
        found.append(
            {
                "ari": float(adjusted_rand_score(y, labels)),
                "people": len(np.unique(labels)),
                "as_first": agreement(first, labels),
                "uploads": agreement(labels, uploads),
                "named": named_right(X, y, labels),
            }
        )
    return found


def agreement(one: np.ndarray, other: np.ndarray) -> float:
    """Share of faces in the same person, where people are matched by most common faces."""
    faces = Faces(np.arange(len(one)), np.arange(len(one)), one, np.zeros((len(one), 1)))
    matched = match_people(faces, other, Facts(), int(one.max()) + 1)
    return float(np.mean(matched == one))


def measure(name: str, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """All results of one set."""
    streamart(X)  # compile before anything is timed
    began = cpu_seconds()
    streamart(X)
    seconds = cpu_seconds() - began
    progress(f"{name}: orders")
    found = orders(X, y)
    progress(f"{name}: corrections")
    said, right = corrected(X, y)
    progress(f"{name}: other methods")
    shuffled = np.random.default_rng(1).permutation(len(X))
    back = np.argsort(shuffled)
    labels = {"StreamART": streamart(X[shuffled])[back]}
    labels["iCVI-TopoARTMAP (`--method topoartmap`)"] = streamart(X[shuffled], 1, "topoartmap")[
        back
    ]
    labels |= rivals(X, y)
    return {
        "faces": len(X),
        "people": len(np.unique(y)),
        "clustering_cpu_seconds": seconds,
        "orders": found,
        "corrections": said,
        "all_right": right,
        "methods": {who: scores(y, one)._asdict() for who, one in labels.items()},
    }


# ---------------------------------------------------------------------- the report


def summary_row(name: str, one: dict[str, Any]) -> tuple[str, ...]:
    found = one["orders"]
    worst = {key: min(order[key] for order in found) for key in found[0]}
    people = sorted({int(order["people"]) for order in found})
    return (
        f"{name} ({one['faces']} faces, {one['people']} people)",
        str(len(found)),
        f"{np.mean([order['ari'] for order in found]):.3f} ({worst['ari']:.3f})",
        f"{people[0]} to {people[-1]}" if len(people) > 1 else str(people[0]),
        f"{worst['as_first']:.1%}",
        f"{worst['uploads']:.1%}",
        f"{worst['named']:.1%}",
        str(one["corrections"]) if one["all_right"] else f"more than {one['corrections']}",
    )


def page(record: dict[str, Any]) -> str:
    photos = record["photos"]
    parts = [
        f"{photos['faces']} faces were found in {photos['files']} photos. Reading a photo took "
        f"{photos['reading_cpu_seconds'] / photos['files']:.2f} s of one core, clustering all "
        f"faces {photos['clustering_cpu_seconds']:.2f} s.",
        markdown_table(
            ("faces", "orders", "ARI, mean (worst)", "people found", "same people, other order",
             f"same people, {UPLOADS} uploads", "right with one name each", "corrections"),
            [summary_row(name, record[name]) for name in SETS],
        ),
    ]  # fmt: skip
    for name in SETS:
        rows = [
            (who, str(s["people"]), f"{s['ari']:.3f}", f"{s['bcubed']:.3f}", f"{s['pairs']:.3f}",
             str(s["corrections"]))
            for who, s in record[name]["methods"].items()
        ]  # fmt: skip
        headings = ("method", "people", "ARI", "B-cubed F", "pairwise F", "corrections")
        parts += [f"{name}, shuffled:", markdown_table(headings, rows)]
    return "\n\n".join(parts)


SETS = ("photos", "faces106x14_128d", "faces40x10_1024d")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--doc", action="store_true", help="Write docs/tutorials/photos.md.")
    given = parser.parse_args()
    kept = RESULTS / "photos.json"
    record = json.loads(kept.read_text()) if kept.exists() else {}
    for name in given.sets:
        progress(name)
        X, y, found = (
            photo_faces(given.data / name)
            if name == "photos"
            else embeddings(given.data / f"{name}.npz")
        )
        record[name] = found | measure(name, X, y)
        write_results("photos", record)
    text = page(record)
    print(text)
    if given.doc:
        fill_docs("photos", dated(text), "tutorials/photos.md")


if __name__ == "__main__":
    main()
