"""Indices in files: safetensors with a JSON document and a checksum, no pickle."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save as joined

from ..files import replace_file

_KEY = "streamart-index"
Tensors: TypeAlias = dict[str, NDArray[Any]]
Document: TypeAlias = dict[str, Any]


def write(path: str | os.PathLike[str], tensors: Tensors, document: Document) -> None:
    """All of it or nothing; a file that was there is replaced at once."""
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    header = json.dumps(document | {"checksum": _checksum(tensors, document)})
    replace_file(Path(os.path.realpath(path)), [joined(tensors, metadata={_KEY: header})])


def read(path: str | os.PathLike[str]) -> tuple[Tensors, Document]:
    with safe_open(path, framework="numpy") as file:
        document = json.loads((file.metadata() or {})[_KEY])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if document.pop("checksum") != _checksum(tensors, document):
        raise ValueError("the checksum is wrong")
    return tensors, document


def _checksum(tensors: Tensors, document: Document) -> str:
    sha = hashlib.sha256(json.dumps(document, sort_keys=True).encode())
    for name in sorted(tensors):
        sha.update(f"{name} {tensors[name].shape}".encode())
        sha.update(np.ascontiguousarray(tensors[name]).tobytes())
    return sha.hexdigest()


def as_json(label: Hashable) -> Any:
    """A label as JSON; a tuple becomes a list, which no label is."""
    if isinstance(label, tuple):
        return [as_json(part) for part in label]
    if label is None or type(label) in (str, int, float, bool):
        return label
    raise TypeError(f"A label of type {type(label).__name__} cannot be saved: {label!r}.")


def from_json(written: Any) -> Hashable:
    return tuple(from_json(part) for part in written) if isinstance(written, list) else written
