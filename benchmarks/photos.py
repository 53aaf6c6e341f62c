"""How good the people are: StreamART's on face photos and face embeddings, beside what others do.

    python benchmarks/photos.py --data ../shared/data --doc

HDBSCAN is scikit-learn's; DBSCAN follows the rules of two photo programs: immich (cosine distance
at most 0.5 between neighbours, three faces to begin a person) and PhotoPrism (Euclidean distance of
unit vectors at most 0.64, four faces). Their defaults are for other embeddings than these, so each
also appears with the best of a grid of distances, which only who knows the truth can choose.
"""

import argparse
import resource
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import fill_docs, markdown_table, progress, write_results
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.metrics import adjusted_rand_score

from streamart.photos.facts import MERGE, SPLIT, Correction, Facts
from streamart.photos.people import Faces, cluster, match_people, settle

ORDERS = 10
LARGE = 300
"""Sets of so many faces are tried in fewer orders, of which two come in uploads, too."""
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
    """Of a partition; a face that is noise (-1) is a person of its own."""
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
    """Splits and mergers until all is right, if each splits off all faces of one person at once:
    for every pile, its people less one; then for every person, its piles less one."""
    parts = len({*zip(y.tolist(), labels.tolist(), strict=True)})
    return (parts - len(np.unique(labels))) + (parts - len(np.unique(y)))


# ---------------------------------------------------------------------- who sorts


def streamart(X: np.ndarray, uploads: int = 1, method: str = "streamart") -> np.ndarray:
    """As `streamart photos` sorts faces that arrive in so many uploads."""
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
    """As in dlib, whose threshold (Euclidean, 0.6) is for its own vectors as they are."""
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
    """Labels of each; where a distance is the best of a grid, the name says so."""
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


# ---------------------------------------------------------------------- questions to one set


def named_right(X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> float:
    """Share of faces that get the right name if the largest pile of each person is named, and no
    other one: what is in a pile without a name is wrong."""
    right = 0
    for person in np.unique(y):
        piles, counts = np.unique(labels[y == person], return_counts=True)
        for pile in piles[np.argsort(-counts)][:1]:
            owner = np.bincount(y[labels == pile]).argmax()
            right += int(np.sum((labels == pile) & (y == person))) if owner == person else 0
    return right / len(y)


def corrected(X: np.ndarray, y: np.ndarray) -> tuple[int, bool]:
    """Corrections that a person makes until all is right, sorting again after each ten; and whether
    all is right then."""
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
    """The one that puts most faces right: split off the strangers of a pile, or merge two piles."""
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


# ---------------------------------------------------------------------- the report


def cpu_seconds() -> float:
    """Of this process and of those that have ended."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def photo_faces(folder: Path) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Vectors and people of a folder of files pNN_..., seconds for it, and how many files."""
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
    return np.array(X, dtype=float), np.array(y), cpu_seconds() - began, len(paths)


def orders(X: np.ndarray, y: np.ndarray) -> list[dict[str, float]]:
    """One order by person, then shuffles: ARI, people, and the same in uploads."""
    found = []
    first = None
    for seed in range((ORDERS if len(X) < LARGE else FEW_ORDERS) + 1):
        p = (
            np.random.default_rng(seed).permutation(len(X))
            if seed
            else np.argsort(y, kind="stable")
        )
        back = np.argsort(p)
        labels = streamart(X[p])[back]
        in_uploads = len(X) < LARGE or seed < 2
        uploads = streamart(X[p], UPLOADS)[back] if in_uploads else labels
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
    """Share of faces with the same person, if people are matched by most common faces."""
    faces = Faces(np.arange(len(one)), np.arange(len(one)), one, np.zeros((len(one), 1)))
    matched = match_people(faces, other, Facts(), int(one.max()) + 1)
    return float(np.mean(matched == one))


def page(sets: dict[str, tuple[np.ndarray, np.ndarray]]) -> tuple[str, dict[str, object]]:
    text, record = [], {}
    rows = []
    for name, (X, y) in sets.items():
        progress(f"{name}: orders")
        found = orders(X, y)
        said, right = corrected(X, y)
        record[name] = {"orders": found, "corrections": said, "all_right": right}
        worst = {key: min(one[key] for one in found) for key in found[0]}
        people = sorted({int(one["people"]) for one in found})
        rows.append(
            (
                f"{name} ({len(X)} faces, {len(np.unique(y))} people)",
                f"{np.mean([one['ari'] for one in found]):.3f} ({worst['ari']:.3f})",
                f"{people[0]} to {people[-1]}" if len(people) > 1 else str(people[0]),
                f"{worst['as_first']:.1%}",
                f"{worst['uploads']:.1%}",
                f"{worst['named']:.1%}",
                str(said) if right else f"more than {said}",
            )
        )
    headings = ("faces", "ARI, mean (worst)", "people found", "same people, other order",
                f"same people, {UPLOADS} uploads", "right with one name each",
                "corrections")  # fmt: skip
    text.append(markdown_table(headings, rows))
    for name, (X, y) in sets.items():
        progress(f"{name}: rivals")
        shuffled = np.random.default_rng(1).permutation(len(X))
        back = np.argsort(shuffled)
        labels = {"StreamART": streamart(X[shuffled])[back]}
        labels["iCVI-TopoARTMAP, the paper's"] = streamart(X[shuffled], 1, "topoartmap")[back]
        labels |= rivals(X, y)
        table = {who: scores(y, one) for who, one in labels.items()}
        record[f"{name}, rivals"] = {who: one._asdict() for who, one in table.items()}
        text.append(f"\n{name}, shuffled:\n")
        text.append(
            markdown_table(
                ("who sorts", "people", "ARI", "B-cubed F", "pairwise F", "corrections"),
                [
                    (who, str(s.people), f"{s.ari:.3f}", f"{s.bcubed:.3f}", f"{s.pairs:.3f}",
                     str(s.corrections))
                    for who, s in table.items()
                ],
            )
        )  # fmt: skip
    return "\n".join(text), record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--doc", action="store_true", help="Write docs/tutorials/photos.md.")
    given = parser.parse_args()
    progress("photos")
    X, y, seconds, files = photo_faces(given.data / "photos")
    streamart(X)  # compiled before it is timed
    began = cpu_seconds()
    streamart(X)
    sorting = cpu_seconds() - began
    sets = {"photos": (X, y)}
    for name in ("faces106x14_128d", "faces40x10_1024d"):
        with np.load(given.data / f"{name}.npz") as arrays:
            sets[name] = arrays["X"].astype(float), arrays["y"]
    text, record = page(sets)
    lead = (
        f"{len(X)} faces were found in {files} photos. Reading them took {seconds:.0f} s of "
        f"one core, sorting {sorting:.2f} s.\n\n"
    )
    print(lead + text)
    write_results("photos", record | {"reading": seconds, "sorting": sorting, "found": len(X)})
    if given.doc:
        fill_docs("photos", lead + text, "tutorials/photos.md")


if __name__ == "__main__":
    main()
