"""The SQLite file below a library: opening it, transactions, queries."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
_TIMEOUT = 60.0
"""Seconds to wait while another process writes."""


class LibraryError(Exception):
    """A library that cannot be used, or a request that cannot be met, and what to do about it."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem} {advice}".strip())
        self.problem, self.advice = problem, advice


class Database:
    """Opens a library file, and creates it if there is none. Only its owner can read the file.

    While one thread writes, others read what was committed last.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock, self._reading = threading.RLock(), threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._db, self._reader = (
            sqlite3.connect(path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False)
            for _ in range(2)
        )
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            raise LibraryError(f"{path} is not a photo library: {error}.") from error

    def _open(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA secure_delete = ON")  # overwrite deleted data
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
        with self._lock, self._reading:
            self._reader.close()
            self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: either all of it is written or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        if self._lock.acquire(blocking=False):  # this thread writes, or none does
            try:
                return self._db.execute(query, values).fetchall()
            finally:
                self._lock.release()
        with self._reading:
            return self._reader.execute(query, values).fetchall()
