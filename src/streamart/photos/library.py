"""The library: one SQLite file with photos, faces, people, corrections and the clusterer.

Each method is one transaction, so the file stays consistent whenever the process is killed.
Corrections are never deleted while their faces exist. The clusterer is derived: it is rebuilt from
the faces and the corrections after these have changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Floats
from ..persistence import load, save
from .database import Database, LibraryError
from .facts import Correction, Facts
from .models import Chosen
from .people import Estimator, Faces, cluster, match_people, settle
from .reading import READ, Face, Photo

_SAME_BOX = 0.5
"""Overlap (intersection over union) from which two boxes in a photo that is read again are the
same face."""
_SAME_FACE = 0.5
"""Distance, as a share of the median distance of two faces, up to which a face in the same box is
the same face. If the distance is greater, the file holds another picture."""


class Library(Database):
    """The photos, faces, people and corrections of one folder."""

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ------------------------------------------------------------------ settings

    def setting(self, name: str) -> str | None:
        found = self.rows("SELECT value FROM settings WHERE name = ?", [name])
        return None if not found else str(found[0][0])

    def _set(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", [name, value])

    def agree(self, chosen: Chosen, method: str, again: bool = False) -> None:
        """Record the models and the method; refuse models that differ from those of the library.

        With `again`, all photos will be read once more, so the models may differ.
        """
        wanted = {"detector": chosen.detector, "embedder": _embedder_name(chosen.embedder)}
        with self._writing() as db:
            for name, value in wanted.items():
                before = self.setting(name)
                if before not in (None, value) and not again:
                    raise LibraryError(
                        f"This library was made with {name} {before!r}, not {value!r}.",
                        "Use --again to read all photos again, or --library for another library.",
                    )
                self._set(name, value)
            if self.setting("method") != method:
                self._set("method", method)
                db.execute("DELETE FROM model")
            if again:
                db.execute("UPDATE photos SET size = -1")
                db.execute("UPDATE faces SET vector = x''")  # hidden until the photo is read again
                db.execute("DELETE FROM model")

    # ------------------------------------------------------------------ photos

    def known(self) -> dict[str, tuple[int, int]]:
        """Size and modification time of each photo when it was read."""
        found = self.rows("SELECT path, size, mtime_ns FROM photos")
        return {os.fsdecode(path): (size, mtime) for path, size, mtime in found}

    def store(self, photos: Iterable[Photo], folder: Path) -> None:
        """Save photos. Photos that were moved, and known faces, keep their ids."""
        with self._writing():
            for photo in photos:
                if photo.is_final:
                    self._store(photo, folder)

    def _store(self, photo: Photo, folder: Path) -> None:
        path = os.fsencode(photo.path)
        number = self._moved(photo, path, folder)
        values = (photo.size, photo.mtime_ns, photo.digest, photo.status, photo.reason,
                  photo.width, photo.height, json.dumps(photo.skipped))  # fmt: skip
        (number,) = self._db.execute(
            "INSERT INTO photos (path, size, mtime_ns, digest, status, reason, width, height,"
            " skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET"
            " size = excluded.size, mtime_ns = excluded.mtime_ns, digest = excluded.digest,"
            " status = excluded.status, reason = excluded.reason, width = excluded.width,"
            " height = excluded.height, skipped = excluded.skipped RETURNING id",
            (path, *values),
        ).fetchone() if number is None else (number,)  # fmt: skip
        if photo.status == READ:  # a damaged file may be repaired, so its faces stay
            self._store_faces(number, photo.faces)

    def _moved(self, photo: Photo, path: bytes, folder: Path) -> int | None:
        """The id of a photo with the same content whose old path no longer exists."""
        if not photo.digest or self.rows("SELECT 1 FROM photos WHERE path = ?", [path]):
            return None
        for number, old in self.rows(
            "SELECT id, path FROM photos WHERE digest = ?", [photo.digest]
        ):
            if not (folder / os.fsdecode(old)).exists():
                self._db.execute(
                    "UPDATE photos SET path = ?, size = ?, mtime_ns = ? WHERE id = ?",
                    [path, photo.size, photo.mtime_ns, number],
                )
                return int(number)
        return None

    def _store_faces(self, photo: int, faces: Sequence[Face]) -> None:
        """Replace the faces of a photo. Known faces keep their ids."""
        query = "SELECT id, x0, y0, x1, y1, vector FROM faces WHERE photo = ?"
        before = {row[0]: row[1:] for row in self.rows(query, [photo])}
        farthest = _SAME_FACE * self._typical_distance() if before else 0.0
        for face in faces:
            values = (*face.box, face.confidence, face.vector, face.crop)
            same = max(before, key=lambda i: _overlap(face.box, before[i]), default=None)
            if same is None or not _is_same(face, before[same], farthest):
                self._db.execute(
                    "INSERT INTO faces (photo, x0, y0, x1, y1, confidence, vector, crop)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (photo, *values),
                )
                continue
            if before.pop(same)[4] != face.vector:  # the clusterer learnt another vector
                self._db.execute("DELETE FROM model")
            self._db.execute(
                "UPDATE faces SET x0 = ?, y0 = ?, x1 = ?, y1 = ?, confidence = ?, vector = ?,"
                " crop = ? WHERE id = ?",
                (*values, same),
            )
        self._drop_faces(list(before))

    def _typical_distance(self) -> float:
        """Median distance of faces, measured on a few of them; infinity if there are none."""
        found = self.rows("SELECT vector FROM faces WHERE length(vector) ORDER BY id LIMIT 200")
        if len(found) < 2:
            return float("inf")
        unit = _unit([vector for (vector,) in found])
        return float(np.median((1.0 - unit @ unit.T)[np.triu_indices(len(unit), 1)]))

    def gone(self, present: Iterable[str]) -> list[str]:
        """Paths in the library that are not among `present`."""
        there = set(present)
        return [path for path in self.known() if path not in there]

    def forget(self, paths: Iterable[str]) -> None:
        """Remove photos and their faces, with the names and corrections of these faces alone."""
        with self._writing() as db:
            for path in paths:
                (number,) = self.rows("SELECT id FROM photos WHERE path = ?", [os.fsencode(path)])
                faces = self.rows("SELECT id FROM faces WHERE photo = ?", number)
                self._drop_faces([face for (face,) in faces])
                db.execute("DELETE FROM photos WHERE id = ?", number)
            self._drop_empty_corrections()
            self._put(*self._settled())

    def _drop_faces(self, gone: Sequence[int]) -> None:
        for face in gone:
            self._db.execute("DELETE FROM faces WHERE id = ?", [face])
            self._db.execute("DELETE FROM pairs WHERE one = ? OR other = ?", [face, face])
        if gone:
            self._db.execute("DELETE FROM model")

    def _drop_empty_corrections(self) -> None:
        """Delete corrections whose faces are all gone."""
        alive = {face for (face,) in self.rows("SELECT id FROM faces")}
        for number, said in self.rows("SELECT id, said FROM corrections"):
            correction = Correction.from_json(json.loads(said))
            if not alive & {*correction.one, *correction.other}:
                self._db.execute("DELETE FROM corrections WHERE id = ?", [number])

    # ------------------------------------------------------------------ faces and people

    def faces(self) -> Faces:
        """All faces, in the order of their arrival."""
        found = self.rows(
            "SELECT id, photo, person, vector FROM faces WHERE length(vector) ORDER BY id"
        )
        numbers = np.array([row[:3] for row in found], dtype=np.int64).reshape(-1, 3)
        vectors = np.frombuffer(b"".join(row[3] for row in found), dtype="<f4")
        shaped = vectors.reshape(len(found), -1 if found else 0).astype(float)
        return Faces(numbers[:, 0], numbers[:, 1], numbers[:, 2], shaped)

    def corrections(self) -> list[Correction]:
        """All corrections that were not undone, oldest first, restricted to present faces."""
        alive = {face for (face,) in self.rows("SELECT id FROM faces WHERE length(vector)")}
        said = []
        for (text,) in self.rows("SELECT said FROM corrections WHERE NOT undone ORDER BY id"):
            correction = Correction.from_json(json.loads(text))
            gone = {*correction.one, *correction.other} - alive
            correction = correction.without(gone) if gone else correction
            if correction.has_effect:
                said.append(correction)
        return said

    def facts(self) -> Facts:
        return Facts(self.corrections())

    def sort(self) -> None:
        """Cluster the new faces, and update the person of every face."""
        with self._writing() as db:
            faces = self.faces()
            if not len(faces.id):
                return
            query = "SELECT learnt FROM faces WHERE length(vector) ORDER BY id"
            learnt = np.array(self.rows(query), dtype=bool)[:, 0]
            pairs = {(a, b) for a, b in self.rows("SELECT one, other FROM pairs")}
            facts, method = self.facts(), self.setting("method") or "streamart"
            found = cluster(faces, np.flatnonzero(~learnt), facts, pairs, self._model(), method)
            fresh_id = self._next_person()
            person = match_people(faces, found.labels, facts, fresh_id)
            self._put(*self._settled(faces._replace(person=person)))
            db.execute("UPDATE faces SET learnt = 1 WHERE NOT learnt AND length(vector)")
            db.executemany("INSERT OR IGNORE INTO pairs VALUES (?, ?)", sorted(found.pairs))
            db.execute("INSERT OR REPLACE INTO model VALUES (1, ?)", [_as_bytes(found.model)])

    @property
    def needs_sorting(self) -> bool:
        """True if there are faces or corrections that the clusterer has not learnt."""
        faces = "EXISTS (SELECT 1 FROM faces WHERE length(vector) {})"
        query = f"SELECT {faces.format('AND NOT learnt')}, {faces.format('')}"
        ((new_faces, any_faces),) = self.rows(query)
        return bool(new_faces or (any_faces and not self.rows("SELECT 1 FROM model")))

    def _model(self) -> Estimator | None:
        found = self.rows("SELECT data FROM model")
        return _from_bytes(found[0][0]) if found else None

    def _next_person(self) -> int:
        most = "SELECT max((SELECT coalesce(max(id), -1) FROM people),"
        return int(self.rows(most + " (SELECT coalesce(max(person), -1) FROM faces))")[0][0]) + 1

    def _settled(self, faces: Faces | None = None) -> tuple[Faces, Facts]:
        """The faces, with persons changed so that all facts hold, and the facts."""
        faces, facts = self.faces() if faces is None else faces, self.facts()
        highest = int(faces.person.max(initial=-1))
        person = settle(faces, facts, max(self._next_person(), highest + 1))
        return faces._replace(person=person), facts

    def _put(self, faces: Faces, facts: Facts) -> None:
        """Write the person of each face, and the names."""
        rows = zip(faces.person.tolist(), faces.id.tolist(), strict=True)
        self._db.executemany("UPDATE faces SET person = ?1 WHERE id = ?2 AND person != ?1", rows)
        people = dict.fromkeys(faces.person[faces.person >= 0].tolist())
        self._db.executemany("INSERT OR IGNORE INTO people (id) VALUES (?)", [(p,) for p in people])
        self._db.execute("UPDATE people SET name = NULL")
        person_of = dict(zip(faces.id.tolist(), faces.person.tolist(), strict=True))
        for group, name in facts.name.items():
            person = person_of[min(facts.members[group])]
            self._db.execute("UPDATE people SET name = ? WHERE id = ?", [name, person])

    # ------------------------------------------------------------------ corrections

    def say(self, said: Correction, moves: dict[int, int]) -> None:
        """Save a correction, and move faces to other persons; -1, -2, ... are new persons."""
        with self._writing() as db:
            before = {}
            fresh = self._next_person()
            for face, person in moves.items():
                ((was,),) = self.rows("SELECT person FROM faces WHERE id = ?", [face])
                before[face] = was
                to = fresh - 1 - person if person < 0 else person
                db.execute("UPDATE faces SET person = ? WHERE id = ?", [to, face])
            db.execute(
                "INSERT INTO corrections (made_at, said, before) VALUES (?, ?, ?)",
                [time.time(), json.dumps(said.as_json()), json.dumps(before)],
            )
            self._put(*self._settled())
            db.execute("DELETE FROM model")

    def undo(self) -> Correction:
        """Undo the last correction that was not undone, and move its faces back."""
        with self._writing() as db:
            query = "SELECT id, said, before FROM corrections WHERE NOT undone ORDER BY id DESC"
            found = self.rows(query + " LIMIT 1")
            if not found:
                raise LibraryError("There is nothing to undo.")
            number, said, before = found[0]
            db.execute("UPDATE corrections SET undone = 1 WHERE id = ?", [number])
            for face, person in json.loads(before).items():
                db.execute("UPDATE faces SET person = ? WHERE id = ?", [person, int(face)])
            self._put(*self._settled())
            db.execute("DELETE FROM model")
            return Correction.from_json(json.loads(said))


def _embedder_name(embedder: str) -> str:
    """The name of an embedder; of a file, with a digest of its content."""
    path = Path(embedder)
    if not path.is_file():
        return path.name
    return f"{path.name} ({hashlib.sha256(path.read_bytes()).hexdigest()[:8]})"


def _is_same(face: Face, before: Sequence[Any], farthest: float) -> bool:
    """True if this is the face with the box and the vector `before`; no vector fits any."""
    if _overlap(face.box, before) < _SAME_BOX:
        return False
    if not before[4]:
        return True
    one, other = _unit([face.vector, before[4]])
    return float(1.0 - one @ other) <= farthest


def _unit(vectors: Sequence[bytes]) -> Floats:
    found = np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors], dtype=float)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: Floats = found / np.maximum(lengths, np.finfo(float).tiny)
    return unit


def _overlap(box: Sequence[float], other: Sequence[float]) -> float:
    """Intersection over union of two boxes."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    common = max(0.0, width) * max(0.0, height)
    areas = sum((b[2] - b[0]) * (b[3] - b[1]) for b in (box, other))
    return common / (areas - common) if areas > common else 0.0


def _as_bytes(model: Estimator) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        save(model, path)
        return path.read_bytes()


def _from_bytes(data: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(data)
        return load(path)
