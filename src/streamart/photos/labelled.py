"""Embed the faces of photos of known people, for experiments."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .finding import Candidate, find_photos
from .models import Chosen, ModelError
from .reading import Photo
from .workers import Readers


def embed_labelled(
    folder: Path,
    target: Path,
    chosen: Chosen,
    processes: int | None = None,
    show: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[int, int]:
    """Write an NPZ file with X and y; returns the number of photos, and of those with a face.

    If a photo has several faces, the one with the highest confidence counts. A file that was made
    from the same photos with the same models is kept.
    """
    photos = [one for one in find_photos(folder) if not one.problem]
    if not photos:
        raise ModelError(f"There are no photos in {folder}.")
    source = _identity(photos, chosen)
    if (known := _size_if_made_of(target, source)) is not None:
        return len(photos), known
    vectors, people = [], []
    with Readers(chosen, processes) as readers:
        for done, photo in enumerate(readers.read(one.path for one in photos), start=1):
            show(done, len(photos))
            if photo.faces:
                vectors.append(_surest(photo))
                people.append(person_of(Path(photo.path).relative_to(folder)))
    if len(set(people)) < 2:
        raise ModelError(f"Fewer than two people with a face were found in {folder}.")
    numbers = np.unique(people, return_inverse=True)[1]
    target.parent.mkdir(parents=True, exist_ok=True)
    np.savez(target, X=np.array(vectors), y=numbers, source=np.array(source))
    return len(photos), len(vectors)


def _surest(photo: Photo) -> np.ndarray:
    face = max(photo.faces, key=lambda face: face.confidence)
    return np.frombuffer(face.vector, dtype="<f4")


def person_of(path: Path) -> str:
    """Who is on a photo: the name of its folder, or else the beginning of the file name.

    >>> person_of(Path("ann/1.jpg")), person_of(Path("12-07.jpg")), person_of(Path("p01_02.png"))
    ('ann', '12', 'p01')
    """
    return path.parent.name or re.split(r"[-_]", path.stem)[0]


def _identity(photos: list[Candidate], chosen: Chosen) -> str:
    """A digest that changes when a photo or a model changes."""
    description = repr((sorted(photos), chosen))
    if chosen.embedder.endswith(".onnx") and Path(chosen.embedder).is_file():
        description += hashlib.sha256(Path(chosen.embedder).read_bytes()).hexdigest()
    return hashlib.sha256(description.encode()).hexdigest()


def _size_if_made_of(target: Path, source: str) -> int | None:
    try:
        with np.load(target) as arrays:
            return len(arrays["y"]) if str(arrays["source"]) == source else None
    except Exception:  # missing or damaged: it is made again
        return None
