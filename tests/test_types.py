"""Types for users: mypy, strict, on a program that uses every public name."""

import ast
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


PUBLIC = [
    "streamart",
    "streamart.baselines",
    "streamart.data",
    "streamart.report",
    "streamart.adapters.river",
    "streamart.adapters.river_metric",
]
OPEN = {"load"}  # overloads give its real types


def public_functions(module):
    """Name and function of everything public that a module of streamart has."""
    own = [name for name, thing in vars(module).items() if is_of(thing, module.__name__)]
    for name in getattr(module, "__all__", own):
        thing = getattr(module, name)
        members = inspect.getmembers(thing) if inspect.isclass(thing) else [("", thing)]
        for member, value in members:
            function = inspect.unwrap(value.fget if isinstance(value, property) else value)
            if inspect.isfunction(function) and is_of(function, "streamart"):
                if not member.startswith("_"):
                    yield f"{name}.{member}".rstrip("."), function


def is_of(thing, module):
    return (getattr(thing, "__module__", None) or "").startswith(module)


@pytest.mark.parametrize("home", PUBLIC)
def test_public_functions_say_what_they_take_and_return(home):
    found = dict(public_functions(importlib.import_module(home)))
    assert found
    untyped = [
        (name, part)
        for name, function in found.items()
        if name not in OPEN
        for part in [*inspect.signature(function).parameters, "return"]
        if part != "self"
        and str(function.__annotations__.get(part, "Any")) in ("Any", "typing.Any")
    ]
    assert untyped == []


def test_the_program_runs():
    typed_program.main()


def test_mypy_strict(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file="),
            *("--ignore-missing-imports", "--follow-imports", "silent"),
            *("--cache-dir", tmp_path / "cache", PROGRAM),
        ],
        env={**os.environ, **({"MYPYPATH": str(SOURCE)} if SOURCE.name == "src" else {})},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
