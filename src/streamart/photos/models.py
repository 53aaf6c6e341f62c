"""Detectors and embedders: two small protocols, and where each one is made.

A new detector or embedder needs one file and a row in `DETECTORS` or `EMBEDDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
"""Height, width and three colours (RGB), upright."""
Vectors: TypeAlias = NDArray[np.float32]
INSTALL = 'Install it with: pip install "streamart[photos]"'


class Found(NamedTuple):
    """A face in an image: its box in pixels, and the confidence of the detector."""

    left: float
    top: float
    right: float
    bottom: float
    confidence: float

    def enlarged(self, share: float) -> Found:
        """The box, enlarged by this share of its sides, half at each end."""
        x, y = share * (self.right - self.left) / 2, share * (self.bottom - self.top) / 2
        return Found(self.left - x, self.top - y, self.right + x, self.bottom + y, self.confidence)


class Detector(Protocol):
    """Finds faces."""

    def find(self, image: Image) -> list[Found]:
        """The faces of an image, in any order."""


class Embedder(Protocol):
    """Turns each face into a vector. Vectors of one person have similar directions."""

    def embed(self, image: Image, faces: Sequence[Found]) -> Vectors:
        """One row for each face."""


class ModelError(Exception):
    """A detector or embedder that cannot be used here, and what to do about it."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem} {advice}".strip())
        self.problem, self.advice = problem, advice

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str]]:
        return type(self), (self.problem, self.advice)


# For each name, the module and function that make it. The module is imported when needed.
DETECTORS = {
    "dlib": "streamart.photos.dlib_models:DlibDetector",
    "mtcnn": "streamart.photos.mtcnn:MtcnnDetector",
}
EMBEDDERS = {"dlib": "streamart.photos.dlib_models:DlibEmbedder"}
ONNX = "streamart.photos.onnx_embedder:OnnxEmbedder"


class Chosen(NamedTuple):
    """Which models to use, by name; an embedder may also be an ONNX file."""

    detector: str = "dlib"
    embedder: str = "dlib"

    def make(self) -> tuple[Detector, Embedder]:
        """Load both models, which takes about a second."""
        detector: Detector = _maker(DETECTORS, self.detector, "detector")()
        if self.embedder.endswith(".onnx"):
            embedder: Embedder = _imported(ONNX)(Path(self.embedder))
            return detector, embedder
        embedder = _maker(EMBEDDERS, self.embedder, "embedder")()
        return detector, embedder


def _maker(known: dict[str, str], name: str, what: str) -> Callable[[], Any]:
    if name not in known:
        raise ModelError(f"There is no {what} {name!r}.", f"There are: {', '.join(known)}.")
    return _imported(known[name])


def _imported(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    try:
        made: Callable[..., Any] = getattr(import_module(module), name)
    except ImportError as missing:
        raise ModelError(f"{missing.name} is not installed.", INSTALL) from missing
    return made


def weights(package: str, *parts: str) -> Path:
    """A file of an installed package. The package is not imported."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModelError(f"The package {package}, which holds the weights, is missing.", INSTALL)
    path = Path(found.submodule_search_locations[0], *parts)
    if not path.exists():
        raise ModelError(f"{path}, which has the weights of a model, is missing.", INSTALL)
    return path
