"""The library: one SQLite file with photos, faces, people, corrections and the clusterer.

Each method is one transaction, so the file is whole whenever the process ends. Corrections are kept
for ever; the clusterer is made again from the faces and the corrections when these have changed.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..persistence import load, save
from .facts import Correction, Facts
from .models import Chosen
from .people import Estimator, Faces, cluster, match_people, settle
from .reading import Face, Photo

VERSION = 1
_SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE photos (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, size INTEGER, mtime_ns INTEGER, digest TEXT,
    status TEXT, reason TEXT, width INTEGER, height INTEGER, skipped TEXT);
CREATE TABLE faces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    photo INTEGER NOT NULL REFERENCES photos ON DELETE CASCADE,
    x0 REAL, y0 REAL, x1 REAL, y1 REAL, confidence REAL, vector BLOB NOT NULL, crop BLOB NOT NULL,
    person INTEGER NOT NULL DEFAULT -1, learnt INTEGER NOT NULL DEFAULT 0);
CREATE INDEX faces_of_photo ON faces (photo);
CREATE INDEX faces_of_person ON faces (person);
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, made_at REAL NOT NULL, said TEXT NOT NULL,
    before TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE TABLE pairs (one INTEGER, other INTEGER, PRIMARY KEY (one, other));
CREATE TABLE model (one INTEGER PRIMARY KEY CHECK (one = 1), data BLOB NOT NULL);
"""
_SAME_BOX = 0.5
"""Share of common area above which a face of a photo that is read again is the same face."""
_PATIENCE = 60.0
"""Seconds to wait for another process that writes."""


class LibraryError(Exception):
    """A library that cannot be used, or something that it does not hold, and what to do."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem} {advice}".strip())
        self.problem, self.advice = problem, advice


class Library:
    """Opens a library; makes it if there is none. Only its owner can read the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._db = sqlite3.connect(
            path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            raise LibraryError(f"{path} is no library of photos: {error}.") from error

    def _open(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise LibraryError(f"{self.path} was written by another version of streamart.")
        if version == 0:
            with self._writing():
                if not self._db.execute("PRAGMA user_version").fetchone()[0]:
                    if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                        raise LibraryError(f"{self.path} is another kind of database.")
                    for statement in _SCHEMA.split(";\n"):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version = {VERSION}")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with self._lock:
            return self._db.execute(query, values).fetchall()

    # ------------------------------------------------------------------ settings

    def setting(self, name: str) -> str | None:
        found = self.rows("SELECT value FROM settings WHERE name = ?", [name])
        return None if not found else str(found[0][0])

    def _set(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", [name, value])

    def agree(self, chosen: Chosen, method: str, again: bool = False) -> None:
        """Note how faces are found, embedded and clustered; other vectors cannot be mixed in.

        With `again`, all photos will be read anew, and may be read otherwise.
        """
        wanted = {"detector": chosen.detector, "embedder": Path(chosen.embedder).name}
        with self._writing() as db:
            for name, value in wanted.items():
                before = self.setting(name)
                if before not in (None, value) and not again:
                    raise LibraryError(
                        f"This library was made with {name} {before!r}, not {value!r}.",
                        "Use --again to read all photos anew, or --library for another library.",
                    )
                self._set(name, value)
            if self.setting("method") != method:
                self._set("method", method)
                db.execute("DELETE FROM model")
            if again:
                db.execute("UPDATE photos SET size = -1")
                db.execute("UPDATE faces SET vector = x''")  # unknown until it is read again
                db.execute("DELETE FROM model")

    # ------------------------------------------------------------------ photos

    def known(self) -> dict[str, tuple[int, int]]:
        """Size and time of each photo that need not be read again while these stay the same."""
        found = self.rows("SELECT path, size, mtime_ns FROM photos")
        return {os.fsdecode(path): (size, mtime) for path, size, mtime in found}

    def store(self, photos: Iterable[Photo], folder: Path) -> None:
        """Keep what was read. A photo that has moved, and faces that were known, keep their ids."""
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
        self._store_faces(number, photo.faces)

    def _moved(self, photo: Photo, path: bytes, folder: Path) -> int | None:
        """The number of a photo with this content that is no longer where it was."""
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
        """New faces of a photo; where a box is that of a face known before, it is that face."""
        query = "SELECT id, x0, y0, x1, y1, vector FROM faces WHERE photo = ?"
        before = {row[0]: row[1:] for row in self.rows(query, [photo])}
        for face in faces:
            same = max(before, key=lambda i: _common(face.box, before[i]), default=None)
            values = (*face.box, face.confidence, face.vector, face.crop)
            if same is None or _common(face.box, before[same]) < _SAME_BOX:
                self._db.execute(
                    "INSERT INTO faces (photo, x0, y0, x1, y1, confidence, vector, crop)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (photo, *values),
                )
                continue
            if before.pop(same)[4] != face.vector:  # learnt with another vector
                self._db.execute("DELETE FROM model")
            self._db.execute(
                "UPDATE faces SET x0 = ?, y0 = ?, x1 = ?, y1 = ?, confidence = ?, vector = ?,"
                " crop = ? WHERE id = ?",
                (*values, same),
            )
        self._drop_faces(list(before))

    def gone(self, present: Iterable[str]) -> list[str]:
        """Photos of the library that are not among these."""
        there = set(present)
        return [path for path in self.known() if path not in there]

    def forget(self, paths: Iterable[str]) -> None:
        """Remove photos, their faces, and what was learnt and said of these alone."""
        with self._writing() as db:
            for path in paths:
                (number,) = self.rows("SELECT id FROM photos WHERE path = ?", [os.fsencode(path)])
                faces = self.rows("SELECT id FROM faces WHERE photo = ?", number)
                self._drop_faces([face for (face,) in faces])
                db.execute("DELETE FROM photos WHERE id = ?", number)
            self._drop_corrections_of_nobody()
            self._put(*self._settled())

    def _drop_faces(self, gone: Sequence[int]) -> None:
        for face in gone:
            self._db.execute("DELETE FROM faces WHERE id = ?", [face])
            self._db.execute("DELETE FROM pairs WHERE one = ? OR other = ?", [face, face])
        if gone:
            self._db.execute("DELETE FROM model")

    def _drop_corrections_of_nobody(self) -> None:
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
        """All corrections that hold, oldest first, of the faces that are there."""
        alive = {face for (face,) in self.rows("SELECT id FROM faces WHERE length(vector)")}
        said = []
        for (text,) in self.rows("SELECT said FROM corrections WHERE NOT undone ORDER BY id"):
            correction = Correction.from_json(json.loads(text))
            gone = {*correction.one, *correction.other} - alive
            correction = correction.without(gone) if gone else correction
            if correction.says_something:
                said.append(correction)
        return said

    def facts(self) -> Facts:
        return Facts(self.corrections())

    def sort(self) -> None:
        """Cluster what is new, and find out who is who."""
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
        """Is there anything that the clusterer does not know yet?"""
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
        """The faces, with persons such that all facts hold."""
        faces, facts = self.faces() if faces is None else faces, self.facts()
        highest = int(faces.person.max(initial=-1))
        person = settle(faces, facts, max(self._next_person(), highest + 1))
        return faces._replace(person=person), facts

    def _put(self, faces: Faces, facts: Facts) -> None:
        """Write who is who, and what people are called."""
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
        """Keep a correction, and move faces to other persons; -1, -2, ... are new ones."""
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
        """Take back the last correction that holds; faces that it moved go back."""
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


def _common(box: Sequence[float], other: Sequence[float]) -> float:
    """Common area of two boxes, as a share of what they cover together."""
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
