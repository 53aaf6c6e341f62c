"""The samples of an experiment, and the order in which they arrive."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats, Ints
from ..data import make_stream, reorder

AS_STORED = "as stored"
OTHER_SEQUENCE = "classes in another sequence"
PLANE, EMBEDDINGS = "plane", "embeddings"  # what can be drawn
SAMPLES = 1600  # of the paper's synthetic stream


class DataError(Exception):
    """A file cannot be used; the message says why."""


class Source(NamedTuple):
    """Labelled samples: a file, or a draw of a generator."""

    name: str
    path: str = ""
    digest: str = ""
    drawn: str = ""
    seed: int = 0
    samples: int = SAMPLES

    @property
    def identity(self) -> dict[str, Any]:
        """What the samples depend on; not the place or the name of a file."""
        if self.path:
            return {"digest": self.digest}
        return {"drawn": self.drawn, "seed": self.seed, "samples": self.samples}


class Stream(NamedTuple):
    """A source in one order."""

    source: Source
    order: str = AS_STORED
    seed: int = 0

    @property
    def identity(self) -> dict[str, Any]:
        return {"source": self.source.identity, "order": self.order, "seed": self.seed}


def plane(seed: int, samples: int = SAMPLES) -> Source:
    """A draw of the paper's generator: seven clusters in the plane."""
    return Source(f"draw {seed}", drawn=PLANE, seed=seed, samples=samples)


def embeddings(seed: int) -> Source:
    """Made-up embeddings, for runs without real ones."""
    return Source("made-up embeddings", drawn=EMBEDDINGS, seed=seed)


def file_source(path: Path) -> Source:
    """A CSV file (features, then the class) or an NPZ file with X and y."""
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}.") from error
    source = Source(path.stem, str(path.resolve()), digest)
    load(source)  # refuses an unusable file now, not in the middle of a run
    return source


@lru_cache(maxsize=8)
def load(source: Source) -> tuple[Floats, Ints]:
    """Samples as they are stored, and their classes as integers from 0."""
    if source.drawn == PLANE:
        return make_stream(n_samples=source.samples, random_state=source.seed)
    if source.drawn == EMBEDDINGS:
        return draw_embeddings(source.seed)
    X, y = _read(Path(source.path))
    if X.ndim != 2 or len(X) != len(y) or len(y) < 2 or not X.shape[1]:
        raise DataError(
            f"{source.path}: X has shape {X.shape} and y has shape {y.shape}. At least two samples "
            "are needed, each with a row of X and a class in y."
        )
    if not np.isfinite(X).all() or (y.dtype.kind == "f" and not np.isfinite(y).all()):
        raise DataError(f"{source.path} has values that are not finite numbers.")
    return X, np.unique(y, return_inverse=True)[1]


def _read(path: Path) -> tuple[Floats, NDArray[Any]]:
    try:
        if path.suffix != ".npz":
            table = np.loadtxt(path, delimiter=",", skiprows=_heading(path), ndmin=2)
            return table[:, :-1], table[:, -1]
        with path.open("rb") as file, np.load(file) as arrays:
            missing = [name for name in ("X", "y") if name not in arrays]
            if missing:
                raise DataError(
                    f"{path} must have the arrays X and y, but {missing[0]} is missing."
                )
            return np.asarray(arrays["X"], dtype=float), np.asarray(arrays["y"]).ravel()
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def _heading(path: Path) -> int:
    """Number of heading lines, 0 or 1."""
    with path.open(encoding="utf-8") as file:
        first = file.readline().split(",")
    try:
        [float(cell) for cell in first]
    except ValueError:
        return 1
    return 0


def samples_of(stream: Stream) -> tuple[Floats, Ints]:
    """Samples in the order of their arrival, and their classes."""
    X, y = load(stream.source)
    if stream.order == AS_STORED:
        return X, y
    if stream.order != OTHER_SEQUENCE:
        return reorder(X, y, stream.order, stream.seed)
    # Class by class in a random sequence; the classes are renumbered.
    sequence = np.random.default_rng(stream.seed).permutation(int(y.max()) + 1)
    return reorder(X, sequence[y], "class-incremental", stream.seed)


def draw_embeddings(
    seed: int, groups: int = 20, each: int = 10, d: int = 64
) -> tuple[Floats, Ints]:
    """Non-negative vectors around random directions, about as far apart as those of faces."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(groups), each)
    centres = rng.standard_normal((groups, d))
    X = np.maximum(centres[y] + 0.35 * rng.standard_normal((len(y), d)), 0.0)
    return X, y


@lru_cache(maxsize=8)
def typical_distance(source: Source, most: int = 3000) -> float:
    """Median cosine distance between two samples, estimated from at most `most` samples."""
    X = load(source)[0]
    if len(X) > most:
        X = X[np.random.default_rng(0).choice(len(X), most, replace=False)]
    unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), np.finfo(float).tiny)
    return float(np.median((1.0 - unit @ unit.T)[np.triu_indices(len(X), 1)]))
