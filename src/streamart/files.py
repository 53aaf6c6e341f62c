"""Replace a file atomically: readers see either the old content or the new one."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def replace_file(target: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a new file beside the target, sync it to the disk, and rename it to the target."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    fresh = target.parent / f".streamart-{secrets.token_hex(8)}.tmp"
    try:
        with open(fresh, "xb") as file:
            if mode is not None:
                os.chmod(fresh, mode)  # keep the permissions
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target)
    except BaseException:
        with suppress(FileNotFoundError):
            fresh.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Without this, a power cut may undo the renaming."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
