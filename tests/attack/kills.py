"""Runs that are killed at random times and resumed must end with the same result."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

# Small blocks, so that a short run has many checkpoints.
RUN = """
import sys
from streamart.cli.reading import blocks
blocks.blocks.__defaults__ = (400,)
from streamart.cli import main
main()
"""
FILES = {
    "--save": "m",
    "--out": "labels.csv",
    "--events": "events.ndjson",
    "--rejects": "rejects.csv",
}
COMPARED = ("labels.csv", "events.ndjson", "rejects.csv")
PATIENCE = 300
MOST = 4
"""Greatest number of kills of one run; after that it is left alone."""


def command(source: Path, folder: Path) -> list[str]:
    folder.mkdir(exist_ok=True)
    files = [part for option, name in FILES.items() for part in (option, str(folder / name))]
    return [
        *(sys.executable, "-c", RUN, "cluster", str(source), "--set", "max_categories=16"),
        *("--checkpoint-every", "1", "--quiet", "--resume", *files),
    ]


def attack(seed: int, trials: int, folder: Path) -> tuple[Counter, list[str]]:
    """One run that is left alone, and several that are killed and resumed until they end."""
    source, whole = folder / "s.csv", folder / "whole"
    X = np.random.default_rng(0).normal(size=(240, 2)) + 9 * (np.arange(240)[:, None] % 3)
    rows = [f"{a:.4f},{b:.4f}" for a, b in X.tolist()]
    source.write_text("\n".join([*rows[:99], "broken", *rows[99:]]))
    begun = time.monotonic()
    subprocess.run(command(source, whole), check=True, timeout=PATIENCE)
    takes = time.monotonic() - begun
    tried: Counter = Counter()
    failures = []
    for trial in range(seed, seed + trials):
        chance = random.Random(trial)
        cut = folder / "cut"
        shutil.rmtree(cut, ignore_errors=True)
        for kill in range(MOST + 1):
            process = subprocess.Popen(
                command(source, cut), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            try:
                # The first part of a run is spent on imports.
                patience = PATIENCE if kill == MOST else chance.uniform(0.4, 1.1) * takes
                _, said = process.communicate(timeout=patience)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                tried["kills"] += 1
        tried["runs"] += 1
        if process.returncode:
            failures.append(f"kills, seed {trial}: exit code {process.returncode}: {said.decode()}")
            continue
        for name in COMPARED:
            if (cut / name).read_bytes() != (whole / name).read_bytes():
                failures.append(f"kills, seed {trial}: {name} differs")
        left = {path.name for path in cut.iterdir()} - set(FILES.values())
        left = {name for name in left if not name.endswith((".tmp", ".part"))}
        if left:
            failures.append(f"kills, seed {trial}: {left} was left behind")
    return tried, failures
