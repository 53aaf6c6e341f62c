r"""A half-life in time: how many rows it is, a few rows at a time.

A model forgets by rows. If n rows took :math:`\Delta t` and the half-life is T, what was learnt
before has to fade by :math:`2^{-\Delta t/T}`, as it does with a half-life of :math:`nT/\Delta t`
rows.
"""

from __future__ import annotations

from typing import Any

from ..._typing import Floats

ROWS = 256
"""Rows that are taken as evenly spread in time: a quarter of a scale's sample, so much less than
what any decision rests on."""
LONGEST = 1e6
"""Rows of a half-life, where hardly any time has gone by."""


class Fading:
    """Sets the half-life of a model before it learns some rows."""

    def __init__(self, seconds: float, kept: dict[str, Any] | None = None) -> None:
        self._seconds = seconds
        self._latest: float | None = None
        self._owed = 0.0
        """Half-lives that have gone by and have not been forgotten: one row halves at most once."""
        if kept is not None:
            self._latest, self._owed = kept["latest"], kept["owed"]

    def kept(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {"latest": self._latest, "owed": self._owed}

    def rows_for(self, times: Floats) -> float:
        """The half-life in rows while rows of these times are learnt. Times that go back count as
        the latest one before."""
        latest = float(times.max()) if self._latest is None else max(self._latest, times.max())
        since = float(times.min()) if self._latest is None else self._latest
        self._owed += (latest - since) / self._seconds
        self._latest = float(latest)
        rows = len(times)
        half_life = max(1.0, min(LONGEST, rows / self._owed if self._owed > 0 else LONGEST))
        self._owed = max(0.0, self._owed - rows / half_life)
        return half_life
