"""The cache of compiled code: where it cannot be written, everything works without it."""

import os
import subprocess
import sys

import pytest

from streamart import StreamART, _jit

# A function of our own, compiled in a second, in processes of their own: the cache belongs to the
# process. It changes its argument, so that one that ran twice would be noticed.
PROGRAM = """
import sys, warnings
import numpy as np
source = '''
from streamart._jit import jit_entry

@jit_entry
def add_one(numbers):
    for i in range(numbers.shape[0]):
        numbers[i] += 1

@jit_entry
def add_two(numbers):
    for i in range(numbers.shape[0]):
        numbers[i] += 2
'''
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    if sys.argv[2] == "full":
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    found = {"__name__": "__main__"}
    exec(compile(source, sys.argv[1], "exec"), found)
    for kind in (float, int, float):
        numbers = np.zeros(3, dtype=kind)
        found["add_one"](numbers)
        found["add_two"](numbers)
        assert numbers.tolist() == [3, 3, 3], numbers
print(*(str(warning.message) for warning in caught), sep="\\n")
"""


def output_of(source, kind, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "STREAMART_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source), kind],
        env={**kept, **{name: str(value) for name, value in environment.items()}},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.py"
    path.touch()
    return path


def test_a_cache_that_can_be_written_is_used(source, tmp_path):
    for _ in range(2):
        assert output_of(source, "", NUMBA_CACHE_DIR=tmp_path / "cache") == []
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 4


def test_a_full_disk_is_reported_once(source, tmp_path):
    (said,) = output_of(source, "full", NUMBA_CACHE_DIR=tmp_path / "cache")
    assert "Compiled code cannot be kept on the disk" in said
    assert "File too large" in said
    assert "STREAMART_CACHE=0" in said
    # nothing that is half written is taken for whole
    assert output_of(source, "", NUMBA_CACHE_DIR=tmp_path / "cache") == []


FOREIGN = """
import sys
from typing import NamedTuple
from mine import Marker
from source import State, value
assert value(State(Marker())) == 1
"""
OURS = """
from source import State, value
from streamart.icvi.registry import BY_NAME
assert value(State(BY_NAME["ch"].marker())) == 1
"""


def test_an_index_from_outside_is_not_kept(source, tmp_path):
    """Other processes can't import its class, and then could not read the cache at all."""
    source.write_text(
        "from typing import Any, NamedTuple\n"
        "from streamart._jit import jit_entry\n"
        "class State(NamedTuple):\n    index: Any\n"
        "@jit_entry\ndef value(s):\n    return 1\n"
    )
    (tmp_path / "mine.py").write_text(
        "from typing import NamedTuple\nclass Marker(NamedTuple):\n    pass\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    environment |= {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    for program, kept in ((FOREIGN, 0), (OURS, 1)):
        subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)
        (tmp_path / "mine.py").unlink(missing_ok=True)
        assert len(list((tmp_path / "cache").rglob("*.nbc"))) == kept


def test_all_programs_of_the_package_are_kept():
    """Every tuple has a method `index`, which is no validity index."""
    engine = StreamART().partial_fit([[0.0, 0.0], [1.0, 1.0]])._model.engine
    for first in (engine.state, engine.budget, engine.budget.scale):
        assert not _jit._has_foreign_index((first,))


@pytest.mark.skipif(not os.path.exists("/proc/version"), reason="there is no read-only file")
def test_a_disk_that_cannot_be_written_is_reported_once():
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"), "/dev/null/x")
    (said,) = output_of("/proc/version", "", **nowhere)
    assert "Compiled code cannot be kept on the disk" in said
    assert "no locator available" in said
    assert output_of("/proc/version", "", **nowhere, STREAMART_CACHE=0) == []
