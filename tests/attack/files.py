"""Mutated files of every format must be read or refused with one sentence, without crash or hang.

A separate process reads them, so that crashes are noticed and memory is limited.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from streamart import ICVITopoARTMAP, StreamART
from streamart.cli.running.checkpoints import Checkpoints
from streamart.persistence import _described, _packed

from .worker import patient_line

ROWS = 120
LONGEST = 60.0
"""Time limit for one file, in seconds."""


def healthy() -> dict[str, bytes]:
    """A file of every format, by its name."""
    rng = np.random.default_rng(0)
    X, names = rng.normal(size=(ROWS, 3)).round(4), [f"n{i}" for i in range(ROWS)]
    rows = [f'"{name}",{",".join(map(str, x))}' for name, x in zip(names, X.tolist(), strict=True)]
    csv = "\n".join(["id,a,b,c", *rows, ""]).encode()
    lines = [
        json.dumps({"id": i, "s": name, "a": a, "b": b, "c": c})
        for i, (name, (a, b, c)) in enumerate(zip(names, X.tolist(), strict=True))
    ]
    table = pa.table({"id": names, "a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    packed = pa.BufferOutputStream()
    parquet.write_table(table, packed, row_group_size=40)
    files = {
        "x.csv": csv,
        "x.csv.gz": gzip.compress(csv, mtime=0),
        "x.csv.bz2": bz2.compress(csv),
        "x.csv.zst": pa.compress(csv, "zstd", asbytes=True),
        "x.csv.lz4": _lz4(csv),
        "x.ndjson": "\n".join(lines).encode(),
        "x.parquet": packed.getvalue().to_pybytes(),
    }
    for name, save, array in (
        ("x.npy", np.save, X),
        ("columns.npy", np.save, np.asfortranarray(X)),
    ):
        buffer = io.BytesIO()
        save(buffer, array)
        files[name] = buffer.getvalue()
    for name, archive in (("x.npz", np.savez), ("packed.npz", np.savez_compressed)):
        buffer = io.BytesIO()
        archive(buffer, X=X, y=np.arange(ROWS), names=np.array(names))
        files[name] = buffer.getvalue()
    return files


def _lz4(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as file:
        file.write(data)
    return bytes(sink.getvalue().to_pybytes())


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The data with a few changes: bits, bytes, and pieces that are cut, copied or overwritten."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        if not found:
            break
        at, length = chance.randrange(len(found)), chance.choice((1, 2, 4, 8, 64, 1000))
        kind = chance.randrange(8)
        if kind == 0:
            found[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            found[at] = chance.randrange(256)
        elif kind == 2:
            del found[at:]
        elif kind == 3:
            del found[at : at + length]
        elif kind == 4:
            found[at:at] = found[at : at + length]
        elif kind == 5:
            found[at:at] = bytes(chance.randrange(256) for _ in range(min(length, 64)))
        elif kind == 6:
            found[at : at + length] = chance.choice((b"\0", b"\xff", b'"', b"9")) * length
        else:
            other = chance.randrange(len(found))
            found[at : at + length] = found[other : other + length]
    return bytes(found)


# ---------------------------------------------------------------------- models and checkpoints


def models() -> dict[str, tuple[dict, dict]]:
    """Documents and arrays of saved models."""
    X = np.random.default_rng(0).normal(size=(30, 2)) + 5 * np.arange(30)[:, None] % 15
    made = {
        "network": ICVITopoARTMAP(record_events=True).partial_fit(X, hints={"names": {0: "a"}}),
        "self-tuning": StreamART(8, record_events=True).partial_fit(X),
    }
    return {name: _described(model) for name, model in made.items()}


def forged(document: dict, arrays: dict, chance: random.Random) -> bytes:
    """A model file with other numbers or another shape in an array, and a valid checksum."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    if chance.random() < 0.3:
        document = json.loads(json.dumps(document))
        shape = chance.choice(_shapes(document))
        if shape:
            at = chance.randrange(len(shape))
            shape[at] = chance.choice((0, 1, shape[at] + 1, 2 * shape[at], 10**7, 10**12, -1))
    else:
        whole = [n for n, a in arrays.items() if a.size and a.dtype.kind in "iu"]
        array = arrays[chance.choice(whole)].reshape(-1)
        place = chance.randrange(len(array))
        near = int(array[place]) + chance.choice((-1, 1, 2))
        array[place] = chance.choice((near, -1, -2, 10**3, 10**9, 2**62, -(2**62)))
    return b"".join(bytes(piece) for piece in _packed(document, arrays))


def _shapes(described: object) -> list[list[int]]:
    found = []
    if isinstance(described, dict):
        if isinstance(described.get("shape"), list):
            found.append(described["shape"])
        for inner in described.values():
            found += _shapes(inner)
    elif isinstance(described, list):
        for inner in described:
            found += _shapes(inner)
    return found


def checkpoint(folder: Path) -> dict[str, bytes]:
    """The files of a checkpoint."""
    found = Checkpoints(folder / "m")
    model = StreamART(8).partial_fit(np.random.default_rng(0).normal(size=(20, 2)))
    found.save(model, {"learner": {"n": 20}, "position": [0, 0, 0, 0]}, {"X": np.zeros((5, 2))})
    files = {path.name: path.read_bytes() for path in found.folder.iterdir()}
    found.remove()
    return files


# ---------------------------------------------------------------------- the attack


class Reader:
    """A worker process, which is replaced after a crash or a hang."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None

    def outcome(self, kind: str, asked: Path | dict) -> str:
        what = str(asked) if isinstance(asked, Path) else asked
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "attack.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=Path(__file__).parent.parent,
            )
        self._process.stdin.write(f"{json.dumps([kind, what])}\n".encode())
        self._process.stdin.flush()
        line = patient_line(self._process.stdout, LONGEST)
        if line is None:
            self._process.kill()
            self._process.wait()
            return f"hang: more than {LONGEST:.0f} s"
        if not line:
            return f"crash: exit code {self._process.wait()}"
        return line

    def close(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()


def attack(seed: int, trials: int, folder: Path) -> tuple[Counter, list[str]]:
    """Run trials; returns how often each format was tried, and what failed."""
    texts, made, saved = healthy(), models(), checkpoint(folder)
    kinds = [*texts, *(f"model {name}" for name in made), "checkpoint"]
    tried: Counter = Counter()
    failures = []
    reader = Reader()
    for trial in range(seed, seed + trials):
        chance = random.Random(trial)
        kind = kinds[trial % len(kinds)]
        if kind in texts:
            path = folder / kind
            path.write_bytes(mutated(texts[kind], chance))
            outcome = reader.outcome("table", path)
        elif kind == "checkpoint":
            path = folder / "m.checkpoint"
            path.mkdir(exist_ok=True)
            for name, data in saved.items():
                (path / name).write_bytes(data)
            name = chance.choice(sorted(saved))
            (path / name).write_bytes(mutated(saved[name], chance))
            outcome = reader.outcome("checkpoint", folder / "m")
        else:
            path = folder / "model"
            path.write_bytes(forged(*made[kind.removeprefix("model ")], chance))
            outcome = reader.outcome("model", path)
        tried[kind] += 1
        tried["refused"] += outcome.startswith("refused")
        if not outcome.startswith(("ok", "refused")):
            failures.append(f"files, seed {trial}: {kind}: {outcome}")
    reader.close()
    return tried, failures
