"""One model in many threads; one file, one cache and one checkpoint in many processes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np

import streamart
from streamart import ICVITopoARTMAP, StreamART

from .kills import PATIENCE, command

SAVING = """
import sys
import numpy as np
import streamart
path, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.random.default_rng(seed).normal(size=(20, 2))
for _ in range(rounds):
    model = streamart.load(path)  # whole, whoever writes it now
    assert model.n_samples_seen_ >= 20
    model.partial_fit(X).save(path)
"""

CACHED = """
import sys
import numpy as np
found = {"__name__": "__main__"}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), found)
for kind in (np.float64, np.int64, np.float32, np.int32):
    numbers = np.zeros(3, dtype=kind)
    found["add_one"](numbers)
    assert numbers.tolist() == [1, 1, 1], numbers
"""

SOURCE = """
from streamart._jit import jit_entry

@jit_entry
def add_one(numbers):
    for i in range(numbers.shape[0]):
        numbers[i] += 1
"""


def attack(seed: int, trials: int, folder: Path) -> tuple[Counter, list[str]]:
    tried: Counter = Counter()
    failures = []
    attacks = {
        "threads": in_threads,
        "processes with one file": one_file,
        "processes with one cache": one_cache,
        "runs with one checkpoint": one_checkpoint,
    }
    for trial in range(seed, seed + trials):
        name = list(attacks)[trial % len(attacks)]
        own = folder / str(trial)
        own.mkdir()
        problem = attacks[name](random.Random(trial), own)
        tried[name] += 1
        if problem:
            failures.append(f"sharing, seed {trial}: {name}: {problem}")
    return tried, failures


def in_threads(chance: random.Random, folder: Path) -> str:
    """Threads learn, predict and save at the same time; every sample must count once."""
    model = chance.choice((StreamART(16), ICVITopoARTMAP()))
    X = np.random.default_rng(chance.randrange(2**32)).normal(size=(120, 2))
    model.partial_fit(X[:8])
    errors: list[str] = []

    def work(part: np.ndarray, own: random.Random) -> None:
        try:
            at = 0
            while at < len(part):
                size = own.randrange(1, 6)
                model.partial_fit(part[at : at + size])
                at += size
                kind = own.randrange(4)
                if kind == 0:
                    model.predict(part[:3])
                elif kind == 1:
                    assert len(model.cluster_ids_) >= 1
                elif kind == 2:
                    model.save(folder / "m")
                    streamart.load(folder / "m")
        except Exception as error:  # a thread's error must be seen
            errors.append(repr(error))

    threads = [
        threading.Thread(target=work, args=(X[8 + i :: 4], random.Random(chance.random())))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    if any(thread.is_alive() for thread in threads):
        return "hang"
    if errors:
        return errors[0]
    learnt = sum(len(X[8 + i :: 4]) for i in range(4)) + 8
    return "" if model.n_samples_seen_ == learnt else f"{model.n_samples_seen_} of {learnt} samples"


def one_file(chance: random.Random, folder: Path) -> str:
    """Processes load and save one file; each must find a complete model."""
    StreamART(16).partial_fit(np.random.default_rng(0).normal(size=(20, 2))).save(folder / "m")
    problem = _together(
        [[sys.executable, "-c", SAVING, str(folder / "m"), str(i), "5"] for i in range(3)]
    )
    if not problem and {path.name for path in folder.iterdir()} != {"m"}:
        problem = "files were left behind"
    streamart.load(folder / "m")
    return problem


def one_cache(chance: random.Random, folder: Path) -> str:
    """Processes compile into one folder at the same time."""
    source = folder / "source.py"
    source.write_text(SOURCE)
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    return _together([[sys.executable, "-c", CACHED, str(source)]] * 3, environment)


def one_checkpoint(chance: random.Random, folder: Path) -> str:
    """Two runs of one command at the same time: one continues, the other is refused."""
    source = folder / "s.csv"
    rows = np.random.default_rng(0).normal(size=(150, 2)).round(4).tolist()
    source.write_text("\n".join(f"{a},{b}" for a, b in rows))
    runs = [
        subprocess.Popen(command(source, folder / "run"), stderr=subprocess.PIPE) for _ in range(2)
    ]
    said = [run.communicate(timeout=PATIENCE)[1].decode() for run in runs]
    codes = sorted(run.returncode for run in runs)
    if codes == [0, 1] and any("still running" in text for text in said):
        return ""
    if codes == [0, 0]:  # one had ended before the other began: the machine was busy
        return ""
    return f"exit codes {codes}: {' '.join(said)}"


def _together(commands: list[list[str]], environment: dict[str, str] | None = None) -> str:
    started = [
        subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        for command in commands
    ]
    said = [process.communicate(timeout=PATIENCE)[1].decode() for process in started]
    failed = [text for process, text in zip(started, said, strict=True) if process.returncode]
    return failed[0][-500:] if failed else ""
