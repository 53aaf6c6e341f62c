"""Run jobs on several cores, and store their results so that a stopped run can continue."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from datetime import date
from functools import cache
from importlib.metadata import version
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from .protocols import PROTOCOLS, Result
from .settings import Setting
from .streams import DataError, Stream, samples_of

_PACKAGE = Path(__file__).parent.parent
# Parts of the package on which no result depends.
_ELSEWHERE = ("cli", "report", "adapters", "photos", "demo.py", "__main__.py")
_HERE = ("protocols.py", "streams.py")
_AHEAD = 4  # jobs in the queue for each worker


class Job(NamedTuple):
    """One model learns one stream."""

    protocol: str
    setting: Setting
    stream: Stream
    seed: int = 0

    @property
    def key(self) -> str:
        """Digest of everything that the result depends on."""
        identity = {
            "code": code_version(),
            "protocol": self.protocol,
            "model": self.setting.model,
            "params": dict(self.setting.params),
            "stream": self.stream.identity,
            "seed": self.seed,
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]


@cache
def code_version() -> str:
    """Digest of the sources and of the versions of the libraries that they use."""
    sources = hashlib.sha256(sys.version.encode())
    for library in ("numpy", "scipy", "scikit-learn", "numba"):
        sources.update(version(library).encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        where = path.relative_to(_PACKAGE).parts
        if where[0] in _ELSEWHERE or (where[0] == "experiments" and where[-1] not in _HERE):
            continue
        sources.update("/".join(where).encode() + path.read_bytes())
    return sources.hexdigest()[:16]


def done(job: Job) -> tuple[Result, float]:
    """Run a job on one core; returns the result and the seconds."""
    begun = time.perf_counter()
    with threadpool_limits(limits=1):
        X, y = samples_of(job.stream)
        result = PROTOCOLS[job.protocol](job.setting, X, y, job.seed)
    return result, time.perf_counter() - begun


class Store:
    """Results in an SQLite file; each is stored at once."""

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(path)
        with self._file:
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS results "
                "(key TEXT PRIMARY KEY, result TEXT, seconds REAL, day TEXT)"
            )

    def get(self, keys: Iterable[str]) -> dict[str, tuple[Result, float, str]]:
        """Stored results, with seconds and day."""
        found = {}
        for key in keys:
            row = self._file.execute(
                "SELECT result, seconds, day FROM results WHERE key = ?", (key,)
            ).fetchone()
            if row is not None:
                found[key] = (json.loads(row[0]), row[1], row[2])
        return found

    def put(self, key: str, result: Result, seconds: float) -> None:
        with self._file:
            self._file.execute(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)",
                (key, json.dumps(result), seconds, date.today().isoformat()),
            )

    def close(self) -> None:
        self._file.close()


def _begin_work() -> None:
    """Ignore Ctrl-C, which the parent process handles, and exit if the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


class Workers:
    """Worker processes, which are started with the first job."""

    def __init__(self, count: int, prepare: Callable[[], None]) -> None:
        self.count = min(count, 61) if sys.platform == "win32" else count
        self._prepare = prepare
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[BaseProcess] = set()

    def do(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Result, float]]:
        """Yield results as they arrive, in any order."""
        if not jobs:
            return
        if self._pool is None:
            self._prepare()
            self._others = set(active_children())
            # Spawn, because a fork would copy threads and locks in any state.
            self._pool = ProcessPoolExecutor(
                self.count, get_context("spawn"), initializer=_begin_work
            )
        waiting = iter(jobs)
        running: dict[Future[tuple[Result, float]], Job] = {}
        while True:
            while len(running) < _AHEAD * self.count and (job := next(waiting, None)) is not None:
                running[self._pool.submit(done, job)] = job
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job = running.pop(future)
                try:
                    result, seconds = future.result()
                except (ValueError, ArithmeticError, MemoryError) as error:
                    what = job.stream.source.path or job.stream.source.name
                    raise DataError(f"{what}: {job.setting.model} fails: {error}") from error
                yield job, result, seconds

    def close(self) -> None:
        """Stop at once. Running jobs are lost; finished ones are in the store."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(active_children()) - self._others:
                worker.terminate()
            self._pool = None


class Tally(NamedTuple):
    """Number of jobs, seconds and days of a run."""

    jobs: int
    seconds: float
    days: tuple[str, ...]


class Lab:
    """Gets results for experiments from the store, or from workers."""

    def __init__(self, store: Store, workers: Workers, progress: Any) -> None:
        self._store = store
        self._workers = workers
        self._progress = progress
        self._used: dict[str, tuple[float, str]] = {}

    def results(self, title: str, jobs: Iterable[Job]) -> dict[Job, Result]:
        """The result of every job; `title` is shown as progress."""
        jobs = list(dict.fromkeys(jobs))
        if not jobs:
            return {}
        keys = {job: job.key for job in jobs}
        known = self._store.get(keys.values())
        found = {job: known[keys[job]][0] for job in jobs if keys[job] in known}
        for key, (_, seconds, day) in known.items():
            self._used[key] = (seconds, day)
        missing = [job for job in jobs if job not in found]
        self._progress.begin(title, len(jobs), len(found))
        for job, result, seconds in self._workers.do(missing):
            self._store.put(keys[job], result, seconds)
            self._used[keys[job]] = (seconds, date.today().isoformat())
            # In the form in which the store returns it.
            found[job] = json.loads(json.dumps(result))
            self._progress.advance()
        self._progress.end()
        return found

    @property
    def tally(self) -> Tally:
        used = self._used.values()
        days = tuple(sorted({day for _, day in used}))
        return Tally(len(used), sum(seconds for seconds, _ in used), days)
