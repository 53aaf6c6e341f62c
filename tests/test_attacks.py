"""The attacks in short; `make attack` runs them for long, with other seeds."""

import os

import pytest

from attack import files, kills, learning, sharing
from support import COMPILED

pytestmark = pytest.mark.skipif(COMPILED, reason="attacks are run by the interpreter, once")
SEED = 1000 * int(os.environ.get("STREAMART_SEED", "0"))


def test_healthy_files_are_read(tmp_path):
    reader = files.Reader()
    for name, data in files.healthy().items():
        (tmp_path / name).write_bytes(data)
        assert reader.outcome("table", tmp_path / name) == f"ok: {files.ROWS} rows", name
    reader.close()


def test_random_parameters_and_streams(tmp_path):
    tried, failures = learning.attack(SEED, 40, tmp_path)
    assert failures == []
    assert len(tried) == 3


def test_mutated_files(tmp_path):
    tried, failures = files.attack(SEED, 280, tmp_path)
    assert failures == []
    assert tried["refused"] > 50


def test_runs_that_are_killed(tmp_path):
    tried, failures = kills.attack(SEED, 1, tmp_path)
    assert failures == []
    assert tried["runs"] == 1


def test_sharing(tmp_path):
    tried, failures = sharing.attack(SEED, 4, tmp_path)
    assert failures == []
    assert len(tried) == 4
