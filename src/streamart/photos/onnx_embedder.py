"""An embedder from any ONNX file that turns a square face into a vector: VGGFace2, ArcFace, ...

As in the paper, the box is enlarged by 30 % before it is cut out. The network has one input, of
shape (n, 3, side, side) or (n, side, side, 3), with colours (RGB) from -1 to 1. A model that needs
another range must begin with a layer that scales. Its first output holds the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Pillow

from .models import Found, Image, ModelError, Vectors
from .onnx import OnnxModel

ENLARGED = 0.3


class OnnxEmbedder:
    """An ONNX file as an embedder."""

    def __init__(self, path: Path) -> None:
        self._network = OnnxModel(path)
        shape = self._network.shape
        self._colours_first = len(shape) == 4 and shape[1] == 3
        sides = shape[2:] if self._colours_first else shape[1:3]
        fits = len(shape) == 4 and 3 in (shape[1], shape[3]) and sides[0] == sides[1]
        if not fits or not isinstance(sides[0], int):
            raise ModelError(
                f"The input of {path} has the shape {shape}.",
                "It must be a square image with three colours, such as (n, 3, 112, 112).",
            )
        self._side = sides[0]

    def embed(self, image: Image, faces: Sequence[Found]) -> Vectors:
        vectors: list[Vectors] = []
        whole = Pillow.fromarray(image)
        for face in faces:
            box = square(face.enlarged(ENLARGED))
            cut = whole.transform(
                (self._side, self._side), Pillow.Transform.EXTENT, box, Pillow.Resampling.BILINEAR
            )  # outside of the image: black
            pixels = (np.asarray(cut, dtype=np.float32) - 127.5) / 127.5
            batch = pixels.transpose(2, 0, 1)[None] if self._colours_first else pixels[None]
            (found, *_) = self._network(np.ascontiguousarray(batch))
            vectors.append(found.reshape(-1))
        if not vectors:
            return np.empty((0, 0), dtype=np.float32)
        return np.array(vectors, dtype=np.float32)


def square(face: Found) -> tuple[float, float, float, float]:
    """The smallest square with the same centre that contains a box.

    >>> square(Found(10, 0, 20, 30, 1.0))
    (0.0, 0.0, 30.0, 30.0)
    """
    half = max(face.right - face.left, face.bottom - face.top) / 2
    x, y = (face.left + face.right) / 2, (face.top + face.bottom) / 2
    return x - half, y - half, x + half, y + half
