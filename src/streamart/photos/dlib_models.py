"""dlib's face detector (HOG), and its ResNet, which turns a face into 128 numbers.

The weights come with the package face_recognition_models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dlib
import numpy as np

from .models import Found, Image, Vectors, weights

_PACKAGE = "face_recognition_models"
_SMALL_IMAGE = 1000
"""An image whose longer side is at most this is searched at twice its size, because the detector
finds faces of 80 pixels or more."""
_MARGIN = 20
"""Width of a grey border around the image, so that faces at its edge are found."""


def _file(name: str) -> str:
    return str(weights(_PACKAGE, "models", name))


class DlibDetector:
    """Finds frontal faces of 80 pixels or more (40 in small images)."""

    def __init__(self) -> None:
        self._detector: Any = dlib.get_frontal_face_detector()

    def find(self, image: Image) -> list[Found]:
        twice = 1 if max(image.shape[:2]) <= _SMALL_IMAGE else 0
        framed = np.pad(image, [(_MARGIN,) * 2, (_MARGIN,) * 2, (0, 0)], constant_values=127)
        boxes, scores, _ = self._detector.run(framed, twice, 0.0)
        return [
            Found(
                box.left() - _MARGIN,
                box.top() - _MARGIN,
                box.right() + 1 - _MARGIN,
                box.bottom() + 1 - _MARGIN,
                score,
            )
            for box, score in zip(boxes, scores, strict=True)
        ]


class DlibEmbedder:
    """Aligns a face by five landmarks, and embeds it and its mirror image."""

    def __init__(self) -> None:
        self._landmarks: Any = dlib.shape_predictor(_file("shape_predictor_5_face_landmarks.dat"))
        self._network: Any = dlib.face_recognition_model_v1(
            _file("dlib_face_recognition_resnet_model_v1.dat")
        )

    def embed(self, image: Image, faces: Sequence[Found]) -> Vectors:
        chips = []
        for face in faces:
            box = dlib.rectangle(*(round(side) for side in face[:4]))
            chip = dlib.get_face_chip(image, self._landmarks(image, box), size=150)
            chips += [chip, np.ascontiguousarray(chip[:, ::-1])]
        if not chips:
            return np.empty((0, 128), dtype=np.float32)
        vectors = np.asarray(self._network.compute_face_descriptor(chips), dtype=np.float32)
        return np.asarray((vectors[::2] + vectors[1::2]) / 2, dtype=np.float32)
