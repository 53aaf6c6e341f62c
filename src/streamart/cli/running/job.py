"""What `streamart cluster` is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import MISUSED, UserError
from ..reading.columns import Choice
from ..reading.inputs import Writing
from ..reading.times import half_life_of
from ..talk import Talk
from .fading import LONGEST


@dataclass
class Job:
    """What the command line asks for."""

    inputs: Sequence[str]
    writing: Writing = field(default_factory=Writing)
    choice: Choice = field(default_factory=Choice)
    method: str | None = None
    icvi: str | None = None
    n_clusters: int | None = None
    detail: float | None = None
    criterion: str | None = None
    half_life: str | None = None
    settings: Sequence[str] = ()
    model: Path | None = None
    save: Path | None = None
    out: str | None = None
    out_format: str | None = None
    events: Path | None = None
    rejects: Path | None = None
    on_error: str = "skip"
    report: Path | None = None
    follow: bool = False
    save_every: float | None = None
    checkpoint_every: int | None = None
    resume: bool = False

    def check(self, talk: Talk) -> None:
        if self.goes_on and (self.method or self.icvi or self.n_clusters or self.settings):
            raise UserError(
                "--model brings its own parameters.",
                "Leave out --method, --icvi, --n-clusters and --set, or --model.",
                MISUSED,
            )
        if self.save_every is not None and not (self.follow and self.target):
            raise UserError(
                "--save-every is for --follow with a model.",
                "Say --follow, and with --model where the model is kept.",
                MISUSED,
            )
        if (self.checkpoint_every or self.resume) and self.target is None:
            raise UserError(
                "Checkpoints stand beside the model, and there is none.",
                "Say with --save where the model goes.",
                MISUSED,
            )
        half_life_of(self.half_life, self.choice.time is not None)
        talk.check_labels_to(self.labels_to)
        out = None if self.out in (None, "-") else Path(str(self.out))
        for path in (out, self.save, self.report, self.events, self.rejects):
            if path is not None:
                self._check_target(path)

    def _check_target(self, path: Path) -> None:
        """Better now than after an hour."""
        if not path.absolute().parent.is_dir():
            raise UserError(
                f"There is no folder {path.parent} to write {path.name} to.",
                f"Make it first: mkdir -p {path.parent}",
            )
        if any(
            Path(name).exists() and path.exists() and path.samefile(name) for name in self.inputs
        ):
            raise UserError(
                f"{path} is what is read; it would be overwritten.", "Name another file.", MISUSED
            )
        if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise UserError(f"{path} cannot be written: there is no permission.")

    @property
    def self_tuning(self) -> dict[str, float | str | None]:
        """Parameters that only StreamART has; None where they are not given."""
        return {
            "n_clusters": self.n_clusters,
            "detail": self.detail,
            "criterion": self.criterion,
            "half_life": LONGEST if self.half_life_in_seconds else self._half_life[0],
        }

    @property
    def _half_life(self) -> tuple[float | None, float | None]:
        return half_life_of(self.half_life, self.choice.time is not None)

    @property
    def half_life_in_seconds(self) -> float | None:
        return self._half_life[1]

    @property
    def goes_on(self) -> bool:
        """Is there a model to go on with? One that follows a stream makes its model first."""
        return self.model is not None and (self.model.exists() or not self.follow)

    @property
    def target(self) -> Path | None:
        """Where the model is saved: by default where it came from."""
        return self.save or self.model

    @property
    def labels_to(self) -> str | None:
        return self.out or ("-" if self.follow else None)

    @property
    def looks_twice(self) -> bool:
        return not self.follow and bool(self.out or self.choice.truth)
