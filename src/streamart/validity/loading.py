"""Reading indices from files."""

from __future__ import annotations

import os

from safetensors import SafetensorError

from .catalogue import available
from .connections import ConnIndex
from .footprints import Footprints
from .index import AnyIndex
from .stored import read


def load(path: str | os.PathLike[str]) -> AnyIndex:
    """Read an index that its `save` wrote.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from streamart import icvi
    >>> index = icvi.DaviesBouldin()
    >>> index.update_many([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index.save(Path(folder) / "index")
    ...     twin = icvi.load(Path(folder) / "index")
    >>> twin.value == index.value
    True
    """
    try:
        tensors, document = read(path)
        kind = available()[document["index"]]
        if issubclass(kind, ConnIndex):
            return ConnIndex.restored(tensors, document)
        seen = Footprints.restored(tensors, document)
        return kind(seen, **document["parameters"])
    except (KeyError, IndexError, TypeError, ValueError, SafetensorError) as error:
        raise ValueError(
            f"{os.fspath(path)} is no saved index, or a damaged one ({error})."
        ) from error
