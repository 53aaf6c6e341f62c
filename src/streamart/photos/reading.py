"""Read a photo once, and find and embed its faces. Nothing is written.

A photo that cannot be used raises no error; `Photo.status` and `Photo.reason` say why.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageOps

from .models import Detector, Embedder, Found, Image

MOST_PIXELS = 100_000_000
MOST_BYTES = 500_000_000
LONGEST_SIDE = 1600
"""Larger images are searched at this size."""
SMALLEST_FACE = 32
"""Least length in pixels of the shorter side of a face, at the size that is searched."""
LEAST_SHARPNESS = 12.0
"""Least sharpness of a face scaled to 64 pixels; see `sharpness`."""
CROP = 112
"""Size in pixels of the pictures on the page."""
FORMATS = ("JPEG", "PNG", "WEBP")
READ, BROKEN, TOO_LARGE, CHANGED, UNREADABLE = (
    "read", "broken", "too large", "changed", "unreadable",
)  # fmt: skip


class Face(NamedTuple):
    """A face: its box as shares of the upright image, its vector, and a small picture (JPEG)."""

    box: tuple[float, float, float, float]
    confidence: float
    vector: bytes
    crop: bytes


class Photo(NamedTuple):
    """The result of reading one file."""

    path: str
    status: str
    reason: str = ""
    size: int = 0
    mtime_ns: int = 0
    digest: str = ""
    width: int = 0
    height: int = 0
    faces: tuple[Face, ...] = ()
    skipped: tuple[str, ...] = ()
    """The reason for each face that is not used: "small" or "blurred"."""

    @property
    def is_final(self) -> bool:
        """Whether reading the same file again would give the same result."""
        return self.status in (READ, BROKEN, TOO_LARGE)


def read_photo(path: str, detector: Detector, embedder: Embedder) -> Photo:
    """The faces of a file, or why there are none."""
    try:
        before = os.stat(path)
        if before.st_size > MOST_BYTES:
            reason = f"{before.st_size / 1e6:,.0f} MB; the limit is {MOST_BYTES / 1e6:,.0f} MB"
            return Photo(path, TOO_LARGE, reason, before.st_size, before.st_mtime_ns)
        data = Path(path).read_bytes()
        after = os.stat(path)
    except OSError as error:
        return Photo(path, UNREADABLE, error.strerror or str(error))
    if _identity(before) != _identity(after) or len(data) != after.st_size:
        return Photo(path, CHANGED, "it changed while it was read; the next run reads it again")
    read = Photo(path, READ, "", after.st_size, after.st_mtime_ns, hashlib.sha256(data).hexdigest())
    return _examined(read, data, detector, embedder)


def _identity(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _examined(photo: Photo, data: bytes, detector: Detector, embedder: Embedder) -> Photo:
    Pillow.MAX_IMAGE_PIXELS = None  # the size is checked here, before anything is decoded
    try:
        with Pillow.open(io.BytesIO(data), formats=FORMATS) as picture:
            photo = photo._replace(width=picture.width, height=picture.height)
            pixels = picture.width * picture.height
            if pixels > MOST_PIXELS:
                reason = f"{pixels / 1e6:,.0f} megapixels; the limit is {MOST_PIXELS // 10**6}"
                return photo._replace(status=TOO_LARGE, reason=reason)
            picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # JPEG: decode at a smaller size
            upright = ImageOps.exif_transpose(picture)
            upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Pillow.Resampling.LANCZOS)
            image = np.asarray(upright.convert("RGB"))
    except Exception as error:  # Pillow raises almost anything for a damaged file
        return photo._replace(status=BROKEN, reason=_first_line(error))
    found = sorted(detector.find(image), key=lambda face: (face.left, face.top))
    whole, why = usable(image, found)
    vectors = embedder.embed(image, whole)
    height, width = image.shape[:2]
    faces = tuple(
        Face(
            (face.left / width, face.top / height, face.right / width, face.bottom / height),
            float(face.confidence),
            np.asarray(vector, dtype="<f4").tobytes(),
            _crop(image, face),
        )
        for face, vector in zip(whole, vectors, strict=True)
        if np.isfinite(vector).all()
    )
    return photo._replace(faces=faces, skipped=tuple(why))


def _first_line(error: Exception) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "it is not a JPEG, PNG or WebP image" if "cannot identify" in text else text


def usable(image: Image, found: list[Found]) -> tuple[list[Found], list[str]]:
    """The faces that are large and sharp enough, and the reason for each of the others."""
    kept, why = [], []
    for face in found:
        if min(face.right - face.left, face.bottom - face.top) < SMALLEST_FACE:
            why.append("small")
        elif sharpness(_cut(image, face)) < LEAST_SHARPNESS:
            why.append("blurred")
        else:
            kept.append(face)
    return kept, why


def sharpness(part: Image) -> float:
    """Variance of the Laplacian of a face, scaled to 64 pixels and to a fixed contrast.

    >>> import numpy as np
    >>> grey = np.tile(np.linspace(0, 255, 64), (64, 1)).astype(np.uint8)
    >>> sharpness(np.dstack([grey] * 3)) < 1  # a slow change from dark to bright
    True
    """
    small = Pillow.fromarray(part).convert("L").resize((64, 64), Pillow.Resampling.BILINEAR)
    grey: NDArray[np.float64] = np.asarray(small, dtype=float)
    contrast = grey.std()
    if contrast == 0:
        return 0.0
    grey = grey * (50.0 / contrast)
    inner = grey[1:-1, 1:-1]
    around = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:]
    return float(np.var(around - 4 * inner))


def _cut(image: Image, face: Found) -> Image:
    height, width = image.shape[:2]
    left, top = max(0, int(face.left)), max(0, int(face.top))
    right, bottom = min(width, int(face.right)), min(height, int(face.bottom))
    return image[top : max(bottom, top + 1), left : max(right, left + 1)]


def _crop(image: Image, face: Found) -> bytes:
    """A square picture of the face with a little around it."""
    cut = Pillow.fromarray(_cut(image, face.enlarged(0.5)))
    file = io.BytesIO()
    ImageOps.fit(cut, (CROP, CROP)).save(file, "JPEG", quality=85)
    return file.getvalue()


def tally(photos: list[Photo]) -> Counter[str]:
    """Number of photos by status, and of faces found and skipped."""
    counts: Counter[str] = Counter()
    for photo in photos:
        counts[photo.status] += 1
        counts["faces"] += len(photo.faces)
        counts.update(photo.skipped)
        if photo.status == READ and not photo.faces:
            counts["no face"] += 1
    return counts
