"""Which files are meant. Nothing heavy is imported here: a mistyped name is answered at once."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob
from pathlib import Path

from ..errors import UserError

STDIN = "-"


def existing(paths: Sequence[str]) -> list[str]:
    """The files, which are there; patterns that the shell has left to us become the files that
    match, in the order of their names."""
    names: list[str] = []
    for path in paths:
        if path == STDIN or Path(path).exists() or not any(sign in path for sign in "*?["):
            names.append(path)
            continue
        found = sorted(glob(path, recursive=True))
        if not found:
            raise UserError(f"No file matches {path}.", "Check the pattern, or quote it.")
        names.extend(found)
    for name in names:
        if name == STDIN:
            continue
        if not Path(name).exists():
            raise UserError(
                f"There is no file {name}.", "Check its name and the folder you are in."
            )
        if Path(name).is_dir():
            raise UserError(f"{name} is a folder.", f"Name its files, such as '{name}/*.csv'.")
    return names
