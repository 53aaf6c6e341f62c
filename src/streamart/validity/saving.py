"""Indices in files: safetensors and a JSON document, no pickle."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as joined

from ..files import replace_file
from .available import available
from .connections import ConnIndex
from .footprints import Footprints
from .index import AnyIndex, ValidityIndex
from .sums import Sums, allocate

_KEY = "streamart-index"
_SUMS = ("n", "total", "square", "product")


def save(index: AnyIndex, path: str | os.PathLike[str]) -> None:
    """Write an index; see `AnyIndex.save`."""
    if isinstance(index, ConnIndex):
        tensors, document = _connections(index)
    else:
        assert isinstance(index, ValidityIndex)
        tensors, document = _sums(index.footprints)
    document |= {"index": index.name, "parameters": index.parameters()}
    document["checksum"] = _checksum(tensors)
    content = joined(tensors, metadata={_KEY: json.dumps(document)})
    replace_file(Path(os.path.realpath(path)), [content])


def load(path: str | os.PathLike[str]) -> AnyIndex:
    """Read an index; see `index.load`."""
    try:
        with safe_open(path, framework="numpy") as file:
            document = json.loads((file.metadata() or {})[_KEY])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if document["checksum"] != _checksum(tensors):
            raise ValueError("the checksum is wrong")
        kind = available()[document["index"]]
        if kind is ConnIndex:
            return _connections_from(tensors, document)
        seen = _footprints_from(tensors, document)
        return kind(seen, **document["parameters"])  # type: ignore[call-arg]
    except (KeyError, IndexError, TypeError, ValueError, SafetensorError) as error:
        raise ValueError(
            f"{os.fspath(path)} is no saved index, or a damaged one ({error})."
        ) from error


def _checksum(tensors: dict[str, NDArray[Any]]) -> str:
    sha = hashlib.sha256()
    for name in sorted(tensors):
        sha.update(f"{name} {tensors[name].shape}".encode())
        sha.update(np.ascontiguousarray(tensors[name]).tobytes())
    return sha.hexdigest()


# ------------------------------------------------------------------ what is in a file


def _sums(seen: Footprints) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    everything, clusters, k = seen._everything, seen._clusters, seen.n_clusters
    tensors = {}
    for name in _SUMS:
        tensors[f"all.{name}"] = np.ascontiguousarray(getattr(everything, name))
        array = getattr(clusters, name)
        cut = array[:k] if name == "n" else array[:, :k]
        tensors[name] = np.ascontiguousarray(cut)
    labels = [_written(label) for label in seen.labels]
    shape = {"labels": labels, "covariances": seen.covariances, "n_features": seen.n_features}
    return tensors, shape


def _footprints_from(tensors: dict[str, NDArray[Any]], document: dict[str, Any]) -> Footprints:
    labels = [_read(label) for label in document["labels"]]
    seen = Footprints(bool(document["covariances"]))
    d = int(document["n_features"])
    if d:
        seen._make_room(max(len(labels), 1), d)
        seen._rows = {label: row for row, label in enumerate(labels)}
        _put(seen._everything, tensors, "all.", 1)
        _put(seen._clusters, tensors, "", len(labels))
    if len(seen._rows) != len(labels) or (d and not (seen._clusters.n[: len(labels)] >= 1).all()):
        raise ValueError("the clusters do not fit together")
    return seen


def _put(sums: Sums, tensors: dict[str, NDArray[Any]], prefix: str, rows: int) -> None:
    expected = allocate(rows, sums.mean.shape[1], sums.covariance.size > 0)
    for name in _SUMS:
        array, target = tensors[prefix + name], getattr(sums, name)
        if array.shape != getattr(expected, name).shape or not np.isfinite(array).all():
            raise ValueError(f"{prefix}{name} does not fit")
        if name == "n":
            target[:rows] = array
        else:
            target[:, :rows] = array


def _connections(index: ConnIndex) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    count = len(index._home)
    tensors = {
        "n": np.ascontiguousarray(index._n[:count]),
        "conn": np.ascontiguousarray(index._conn[:count, :count]),
    }
    names = [_written(category) for category in index._row]
    return tensors, {"categories": names, "labels": [_written(label) for label in index._home]}


def _connections_from(tensors: dict[str, NDArray[Any]], document: dict[str, Any]) -> ConnIndex:
    index = ConnIndex()
    names = [_read(category) for category in document["categories"]]
    index._row = {category: row for row, category in enumerate(names)}
    index._home = [_read(label) for label in document["labels"]]
    index._n, index._conn = tensors["n"].copy(), tensors["conn"].copy()
    count = len(index._row)
    if not len(names) == len(index._home) == len(index._n) == len(index._conn) == count or (
        index._conn.shape != (count, count)
    ):
        raise ValueError("the categories do not fit together")
    return index


def _written(label: Hashable) -> Any:
    """A label as JSON; a tuple becomes a list, which no label is."""
    if isinstance(label, tuple):
        return [_written(part) for part in label]
    if label is None or type(label) in (str, int, float, bool):
        return label
    raise TypeError(f"A label of type {type(label).__name__} cannot be saved: {label!r}.")


def _read(written: Any) -> Hashable:
    return tuple(_read(part) for part in written) if isinstance(written, list) else written
