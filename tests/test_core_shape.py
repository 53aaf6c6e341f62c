"""The core stays small enough to read, and an index is one file: a toy index is registered here."""

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import streamart
from agreement import run_both
from naive import indices as naive_indices
from streamart._jit import jit
from streamart.estimators.parameters import CONSTRAINTS
from streamart.icvi.records import CATEGORY, CLUSTER, NOW
from streamart.icvi.registry import BY_NAME, Index, register
from support import COMPILED, own_program

PACKAGE = Path(streamart.__file__).parent
CORE = sorted([PACKAGE / "_jit.py", *(PACKAGE / "core").rglob("*.py")])
CORE += sorted((PACKAGE / "icvi").rglob("*.py"))


def test_size():
    lines = {path: len(path.read_text().splitlines()) for path in CORE}
    assert sum(lines.values()) <= 5000
    assert max(lines.values()) <= 350, max(lines, key=lines.get)
    fields = [len(record.names) for record in (CATEGORY, CLUSTER, NOW)]
    assert np.all(np.array(fields) <= [14, 16, 30]), fields


def test_numba_is_used_by_its_public_parts_only():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        for private in ("numba.core", "llvmlite"):
            assert private not in text, path


INDEX_FILES = {"ch.py", "wb.py", "pbm.py", "xb.py", "db.py", "conn.py", "registry.py"}


def test_only_the_registry_names_an_index():
    names = [index.marker.__name__ for index in BY_NAME.values()]
    for path in CORE:
        if path.name not in INDEX_FILES:
            lines = path.read_text().splitlines()
            code = "\n".join(line for line in lines if not line.lstrip().startswith(">>>"))
            for name in [*names, *(f'"{name}"' for name in BY_NAME)]:
                assert name not in code or len(name) < 3, (path, name)


class ScatterPerCluster(NamedTuple):
    """WGSS divided by k squared, larger than it should be for pairs that are near: a toy."""


@jit
def toy_pair(distance, spread_i, spread_j, scatter, samples):
    return -distance


@jit
def toy_goodness(k, samples, within, scatter, greatest, total):
    return -(within / k + total / k)


class ScatterAlone(NamedTuple):
    """WGSS divided by k: depends on WGSS alone."""


@jit
def scatter_goodness(k, samples, within, scatter, greatest, total):
    return -within / k


def nearest_squared(means):
    distance = ((means[:, None] - means) ** 2).sum(-1)
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1)


def naive_toy(X, label, k, with_pairs):
    """By its definition, from the samples."""
    if k < 2:
        return np.nan
    parts = [X[label == c] for c in range(k)]
    within = sum(np.sum((part - part.mean(axis=0)) ** 2) for part in parts)
    near = nearest_squared(np.array([part.mean(axis=0) for part in parts])).sum()
    return within / k - (near / k if with_pairs else 0.0)


TOYS = [
    Index("toy", ScatterPerCluster, "toy", True, "this test", toy_goodness, toy_pair),
    Index("alone", ScatterAlone, "toy", True, "this test", scatter_goodness, by_scatter=True),
]


@own_program
@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
@pytest.mark.parametrize("split_type", ["activity", "full", "partial"])
def test_toy_index(monkeypatch, toy, split_type, seed):
    """All strategies, step by step, against the naive network with the same index."""
    register(toy)
    monkeypatch.setattr(naive_indices, "MIN_OPTIMAL", {*naive_indices.MIN_OPTIMAL, toy.name})
    monkeypatch.setattr("naive.network.MIN_OPTIMAL", {toy.name})
    monkeypatch.setattr(
        "naive.network.sum_of_squares_index",
        lambda name, X, label, k: naive_toy(X, label, k, toy.pair is not None),
    )
    monkeypatch.setitem(CONSTRAINTS, "icvi", [str])
    monkeypatch.setattr(
        "streamart.ICVITopoARTMAP._parameter_constraints",
        streamart.ICVITopoARTMAP._parameter_constraints | {"icvi": [str]},
    )
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60 if COMPILED else 25, 2)) + 5 * rng.integers(0, 4, size=(1, 1))
    X += 5 * rng.integers(0, 3, size=(len(X), 1))
    run_both(X, icvi=toy.name, split_type=split_type, xi=8, rho=0.6, rho_c=0.5)
    del BY_NAME[toy.name]


def test_every_open_loop_says_why_it_ends():
    """In the line above: "# Ends: each round has one cluster less."."""
    for package in ("icvi", "core", "derivation"):
        for path in (PACKAGE / package).rglob("*.py"):
            lines = path.read_text().splitlines()
            for before, line in pairwise(lines):
                if line.lstrip().startswith("while "):
                    assert before.lstrip().startswith("# Ends: "), f"{path}: {line}"


def test_the_cache_depends_on_all_compiled_code():
    """Make and conftest.py name the folder of the cache after the sources in these packages."""
    root = Path(__file__).parents[1]
    (line,) = (
        line for line in (root / "Makefile").read_text().splitlines() if "COMPILED_CODE :=" in line
    )
    listed = set(line.split("src/streamart/,")[1].rstrip(")").split())
    found = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        if "\n@jit" in path.read_text() or path.name == "_jit.py"
    }
    assert found <= listed, found - listed
    for folder in listed - {"_jit.py"}:
        assert f'"{folder}"' in (root / "conftest.py").read_text()
