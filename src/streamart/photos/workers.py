"""Read photos on all cores, and return them in the order of the paths."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

from .models import Chosen, Detector, Embedder
from .reading import BROKEN, Photo, read_photo

WAITING_PHOTOS = 4
"""Number of photos that wait for each process."""

_models: tuple[Detector, Embedder]


def _begin(chosen: Chosen) -> None:
    global _models
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    _models = chosen.make()


def _read(path: str) -> Photo:
    return read_photo(path, *_models)


class Readers:
    """Processes that read photos, each with its own models; with ``processes=0``, this process."""

    def __init__(self, chosen: Chosen, processes: int | None = None) -> None:
        self.chosen = chosen
        self.processes = (os.cpu_count() or 1) if processes is None else processes
        self._models = chosen.make() if self.processes == 0 else None
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def _begun(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.processes,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self.chosen,),
            )
        return self._pool

    def _end(self) -> None:
        if self._pool is not None:
            with suppress(BrokenProcessPool):
                self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def read(self, paths: Iterable[str]) -> Iterator[Photo]:
        """The photo of each path, in this order."""
        if self._models is not None:
            for path in paths:
                yield read_photo(path, *self._models)
            return
        self.chosen.make()  # report a missing model here, not as a dead process
        waiting: deque[tuple[str, Future[Photo]]] = deque()
        for path in paths:
            waiting.append((path, self._begun().submit(_read, path)))
            if len(waiting) > WAITING_PHOTOS * self.processes:
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    def _next(self, waiting: deque[tuple[str, Future[Photo]]]) -> Photo:
        path, first = waiting.popleft()
        try:
            return first.result()
        except BrokenProcessPool:
            # A process died, on an unknown photo. Read this one alone, and submit the others again.
            self._end()
            photo = self._alone(path)
            again = [(other, self._begun().submit(_read, other)) for other, _ in waiting]
            waiting.clear()
            waiting.extend(again)
            return photo

    def _alone(self, path: str) -> Photo:
        """Read one photo while no other is being read."""
        try:
            return self._begun().submit(_read, path).result()
        except BrokenProcessPool:
            self._end()
            return Photo(path, BROKEN, "the process that read it died")
