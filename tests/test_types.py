"""Types for users: mypy, strict, on a program that uses every public name."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import streamart
import typed_program

PROGRAM = Path(typed_program.__file__)
SOURCE = Path(streamart.__file__).parents[1]


def test_the_program_uses_every_public_name():
    tree = ast.parse(PROGRAM.read_text())
    imported = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "streamart"
        for alias in node.names
    }
    assert imported == set(streamart.__all__)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported <= used
    assert (SOURCE / "streamart" / "py.typed").exists()


def test_the_program_runs():
    typed_program.main()


def test_mypy_strict(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file="),
            *("--ignore-missing-imports", "--follow-imports", "silent"),
            *("--cache-dir", tmp_path / "cache", PROGRAM),
        ],
        env={**os.environ, "MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
