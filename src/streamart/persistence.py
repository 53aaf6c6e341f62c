"""Save and load models: a safetensors file with arrays and a JSON document, and no code.

The document describes the model. In place of an array it has the name of a tensor. The document is
stored as a tensor of bytes, because the length of the header is limited. The header has the version
of the format, the version of streamart, and a checksum of the whole file.

The checksum detects damage, not forgery: anybody who edits a file can compute a new one. Nothing in
a file is ever executed, but load only files from people whom you trust.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as join_tensors

from .core.self_tuning.budget import Budget, make_budget
from .engines.engine import Engine
from .engines.model import Model
from .files import replace_file
from .icvi.state import State, allocate, room_of
from .integrity import check_engine, check_model, check_state
from .validity.registration import BY_NAME, index_of

if TYPE_CHECKING:
    from .estimators.classifier import ICVITopoARTMAPClassifier
    from .estimators.network import ICVITopoARTMAP
    from .estimators.stream_art import StreamART

    Estimator: TypeAlias = StreamART | ICVITopoARTMAP | ICVITopoARTMAPClassifier

Kind = TypeVar("Kind")
PathName: TypeAlias = str | os.PathLike[str]

FORMAT_VERSION = 3
# By name, and imported when needed, because the models import this module.
ESTIMATORS = {
    "ICVITopoARTMAP": "streamart.estimators.network:ICVITopoARTMAP",
    "ICVITopoARTMAPClassifier": "streamart.estimators.classifier:ICVITopoARTMAPClassifier",
    "StreamART": "streamart.estimators.stream_art:StreamART",
}
NAMED_TUPLES = {
    "State": "streamart.icvi.state:State",
    "Budget": "streamart.core.self_tuning.budget:Budget",
    "Decision": "streamart.derivation.derive:Decision",
}

# Objects that are stored as their attributes (`__getstate__`) and restored from them.
OBJECTS = {
    "ICVITopoARTMAP": ESTIMATORS["ICVITopoARTMAP"],
    "Model": "streamart.engines.model:Model",
    "NetworkEngine": "streamart.engines.network:NetworkEngine",
    "FineCategoriesEngine": "streamart.engines.fine_categories:FineCategoriesEngine",
    "HintBook": "streamart.people.hints:HintBook",
    "Names": "streamart.people.names:Names",
    "Corrections": "streamart.people.corrections:Corrections",
    "EventLog": "streamart.history.events:EventLog",
    "Columns": "streamart.data.encoding:Columns",
}

_KEY = "streamart"  # the only key in the header, because safetensors shuffles several
_DOCUMENT = "document"  # name of the tensor
_LONGEST_HEADER = 100_000_000  # safetensors' own limit
_NO_CHECKSUM = "0" * 64  # in place of the checksum while it is computed
_LONGEST_WHERE = 48  # in a tensor's name; shorter than a checksum, which is found by search
_NUMBERS = {"bool", "float16", "float32", "float64"}
_NUMBERS |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_SMALL = 1024  # arrays with fewer numbers are stored with their trailing zeros
_MALFORMED = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    SafetensorError,
    TypeError,
    ValueError,
)

Tensors: TypeAlias = dict[str, NDArray[Any]]


class ModelFileError(ValueError):
    """The file has no model, is damaged, or was written in a format that cannot be read."""

    def __init__(self, path: PathName, problem: str) -> None:
        super().__init__(f"{os.fspath(path)} {problem}")
        self.path = path
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        # Needed for pickling, because __init__ takes two arguments.
        return type(self), (self.path, self.problem)


def save(model: Estimator, path: PathName) -> None:
    """Write a model to a file.

    An existing file is replaced only when the new one is complete, so a failure leaves it
    unchanged. A process that is killed may leave a file ``.streamart-*.tmp`` beside it, which can
    be deleted.

    Parameters
    ----------
    model : StreamART, ICVITopoARTMAP or ICVITopoARTMAPClassifier
        Fitted or not.
    path : str or os.PathLike

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from streamart import ICVITopoARTMAP
    >>> from streamart.persistence import load, save
    >>> model = ICVITopoARTMAP().partial_fit([[0, 0], [9, 9], [0, 1], [8, 9]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "model.safetensors")
    ...     twin = load(Path(folder) / "model.safetensors")
    >>> twin.learn_one([9, 8]) == model.learn_one([9, 8])
    True
    """
    _write(Path(os.path.realpath(path)), _packed(*_described(model)))


@overload
def load(path: PathName) -> Estimator: ...
@overload
def load(path: PathName, kind: type[Kind]) -> Kind: ...
def load(path: PathName, kind: type[Any] | None = None) -> Any:
    """Load a model that `save` wrote. It continues exactly as the saved one would.

    Parameters
    ----------
    path : str or os.PathLike
    kind : type, default=None
        The expected class of the estimator; any other is refused.

    Raises
    ------
    FileNotFoundError
    ModelFileError
        If the file is not a model of streamart, is damaged, has another format, or has another
        estimator than `kind`. It is a ValueError.
    """
    model = _read(path)
    if kind is not None and not isinstance(model, kind):
        raise ModelFileError(path, f"has a {type(model).__name__}, not a {kind.__name__}.")
    return model


def _read(path: PathName) -> Any:
    with open(path, "rb") as file:
        label = _label_of(path, file)
        file.seek(0)
        raw = file.read()
    if not _is_intact(raw, label["checksum"]):
        raise ModelFileError(
            path,
            "is damaged: it was cut short or changed after it was written. "
            "Copy it again from its source or from a backup.",
        )
    try:
        tensors = read_tensors(raw)
        document = json.loads(tensors[_DOCUMENT].tobytes())
        return _rebuilt(document, tensors)
    except _MALFORMED as error:
        raise ModelFileError(
            path,
            f"cannot be read by this version of streamart, {version('streamart')} ({error}). "
            f"Load it with the version that wrote it, {label['library_version']}.",
        ) from error


# ---------------------------------------------------------------------- model and document


def _described(model: Any) -> tuple[dict[str, Any], Tensors]:
    name = type(model).__name__
    if name not in ESTIMATORS or type(model) is not _find(ESTIMATORS[name]):
        known = ", ".join(sorted(ESTIMATORS))
        raise TypeError(f"Only {known} can be saved, not {type(model).__name__}.")
    kept = _kept(model)
    tensors: Tensors = {}
    described = {attribute: _encode(kept[attribute], attribute, tensors) for attribute in kept}
    params = {parameter: described.pop(parameter) for parameter in model.get_params(deep=False)}
    return {"class": name, "params": params, "fitted": described}, tensors


def _kept(value: Any) -> dict[str, Any]:
    kept = dict(value.__getstate__())
    kept.pop("_sklearn_version", None)  # not needed, and it would cause warnings
    return kept


def _rebuilt(document: dict[str, Any], tensors: Tensors) -> Any:
    def decoded(described: dict[str, Any]) -> dict[str, Any]:
        return {name: _decode(value, tensors) for name, value in described.items()}

    model = _find(ESTIMATORS[document["class"]])(**decoded(document["params"]))
    model.__setstate__(decoded(document["fitted"]))
    return model


def _find(place: str) -> Any:
    module, attribute = place.split(":")
    return getattr(import_module(module), attribute)


# ---------------------------------------------------------------------- values and JSON
#
# None, bool, int, str, list and finite floats are written as they are. Everything else is a JSON
# object with one key, which names its kind.


def _encode(value: Any, where: str, tensors: Tensors) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind in [index.marker for index in BY_NAME.values()]:
        return {"index": index_of(kind).name}
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind in (list, tuple):
        items = [_encode(item, f"{where}[{i}]", tensors) for i, item in enumerate(value)]
        return items if kind is list else {"tuple": items}
    if kind is dict:
        return {"dict": [_encode_item(key, value[key], where, tensors) for key in value]}
    if kind in (np.ndarray, np.memmap):
        return _encode_array(np.asarray(value), where, tensors)
    if isinstance(value, np.generic):
        return {"scalar": _encode_array(np.asarray(value), where, tensors)}
    if kind.__name__ in NAMED_TUPLES and kind is _find(NAMED_TUPLES[kind.__name__]):
        fields = {name: getattr(value, name) for name in kind._fields}
        encoded = {name: _encode(fields[name], f"{where}.{name}", tensors) for name in fields}
        return {"named": {"class": kind.__name__, "fields": encoded}}
    if kind.__name__ in OBJECTS and kind is _find(OBJECTS[kind.__name__]):
        kept = _kept(value)
        encoded = {name: _encode(kept[name], f"{where}.{name}", tensors) for name in kept}
        return {"object": {"class": kind.__name__, "attributes": encoded}}
    raise TypeError(f"{where} cannot be saved: it is of type {kind.__module__}.{kind.__qualname__}")


def _encode_item(key: Any, value: Any, where: str, tensors: Tensors) -> list[Any]:
    if type(key) not in (str, int):
        raise TypeError(
            f"{where} cannot be saved: its key {key!r} is a {type(key).__name__}, not str or int"
        )
    return [key, _encode(value, f"{where}[{key!a}]", tensors)]


def _encode_array(array: NDArray[Any], where: str, tensors: Tensors) -> dict[str, Any]:
    if array.dtype.names is not None:
        return {"records": _encode_records(array, where, tensors)}
    if array.dtype.kind in "OU":
        return {"strings": _encode_strings(array, where)}
    name = array.dtype.name
    if name not in _NUMBERS:
        raise TypeError(f"{where} cannot be saved: it is an array of {array.dtype}")
    readable = where.encode("ascii", "backslashreplace").decode()[:_LONGEST_WHERE]
    tensor = f"{len(tensors):04}.{readable}"  # the number makes it unique
    # safetensors copies memory as it is, so the array must be contiguous.
    array = np.asarray(array, dtype=name, order="C")
    tensors[tensor] = np.asarray(array[_used(array)], order="C")
    return {"array": {"dtype": name, "shape": list(array.shape), "tensor": tensor}}


def _encode_records(array: NDArray[Any], where: str, tensors: Tensors) -> dict[str, Any]:
    """A tensor for each field, because safetensors has no records."""
    names = array.dtype.names or ()
    plain = all(array.dtype[name].name in _NUMBERS for name in names)
    if not plain or array.dtype != np.dtype([(name, array.dtype[name].name) for name in names]):
        raise TypeError(f"{where} cannot be saved: its records are not packed plain numbers")
    fields = {name: _encode_array(array[name], f"{where}.{name}", tensors) for name in names}
    return {"shape": list(array.shape), "fields": fields}


def _encode_strings(array: NDArray[Any], where: str) -> dict[str, Any]:
    values = array.ravel().tolist()
    for value in values:
        if not isinstance(value, str):
            raise TypeError(
                f"{where} cannot be saved: it is an array of objects, and not all are strings, "
                f"such as {value!r}"
            )
    return {"dtype": array.dtype.str, "shape": list(array.shape), "values": values}


def _used(array: NDArray[Any]) -> tuple[slice, ...]:
    """The part of an array outside of which all bits are zero, as arrays have room to grow."""
    if array.size < _SMALL:
        return (slice(None),) * array.ndim
    some = array.view(f"u{array.itemsize}") != 0  # compare bits, because -0.0 is not zero here
    axes = range(array.ndim)
    ends = [np.flatnonzero(some.any(axis=tuple(a for a in axes if a != axis))) for axis in axes]
    return tuple(slice(0, int(end[-1]) + 1 if end.size else 0) for end in ends)


def _decode(described: Any, tensors: Tensors) -> Any:
    if isinstance(described, list):
        return [_decode(item, tensors) for item in described]
    if not isinstance(described, dict):
        return described
    ((kind, inner),) = described.items()
    if kind == "index":
        return BY_NAME[inner].marker()
    if kind == "float":
        return float(inner)
    if kind == "tuple":
        return tuple(_decode(item, tensors) for item in inner)
    if kind == "dict":
        return {key: _decode(value, tensors) for key, value in inner}
    if kind == "scalar":
        return _decode(inner, tensors)[()]
    if kind == "array":
        return _decode_array(inner, tensors)
    if kind == "records":
        return _decode_records(inner, tensors)
    if kind == "strings":
        return _decode_strings(inner)
    if kind == "named":
        return _decode_named(inner, tensors)
    if kind == "object":
        return _decode_object(inner, tensors)
    raise ValueError(f"unknown kind of value {kind!r}")


def _decode_array(inner: dict[str, Any], tensors: Tensors) -> NDArray[Any]:
    if inner["dtype"] not in _NUMBERS:
        raise ValueError(f"unknown kind of number {inner['dtype']!r}")
    tensor, shape = tensors[inner["tensor"]], inner["shape"]
    if tensor.dtype != inner["dtype"] or tensor.ndim != len(shape):
        raise ValueError(f"tensor {inner['tensor']} differs from its description")
    array = _zeros(shape, np.dtype(inner["dtype"]))
    array[tuple(slice(0, size) for size in tensor.shape)] = tensor
    return array


def _zeros(shape: list[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros, unless the shape is impossible. Loading needs memory for two copies of an array."""
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"an array has the impossible shape {shape}")
    if 2 * math.prod(shape) * dtype.itemsize > _memory():
        raise ValueError(f"an array of shape {shape} needs more memory than this machine has")
    return np.zeros(shape, dtype=dtype)


def _memory() -> int:
    """Memory of this machine in bytes."""
    if not hasattr(os, "sysconf"):  # Windows, which raises MemoryError itself
        return 2**63
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _decode_records(inner: dict[str, Any], tensors: Tensors) -> NDArray[Any]:
    fields = {name: _decode(field, tensors) for name, field in inner["fields"].items()}
    dtype = np.dtype([(name, field.dtype) for name, field in fields.items()])
    records = _zeros(inner["shape"], dtype)
    for name, field in fields.items():
        if field.shape != records.shape:
            raise ValueError(f"field {name} is not as long as its records")
        records[name] = field
    return records


def _decode_strings(inner: dict[str, Any]) -> NDArray[Any]:
    dtype = np.dtype(inner["dtype"])
    if dtype.kind not in "OU":
        raise ValueError(f"unknown kind of strings {inner['dtype']!r}")
    flat = _zeros([len(inner["values"])], dtype)
    flat[:] = inner["values"]
    return flat.reshape(inner["shape"])


def _decode_named(inner: dict[str, Any], tensors: Tensors) -> Any:
    named = _find(NAMED_TUPLES[inner["class"]])
    value = named(**{name: _decode(field, tensors) for name, field in inner["fields"].items()})
    if isinstance(value, State):
        _check_layout(value)
    if isinstance(value, Budget):
        _check_budget(value)
    return value


def _decode_object(inner: dict[str, Any], tensors: Tensors) -> Any:
    kept = {name: _decode(value, tensors) for name, value in inner["attributes"].items()}
    kind = _find(OBJECTS[inner["class"]])
    if issubclass(kind, Engine):
        check_engine(kept)
    elif kind is Model:
        check_model(kept)
    value = kind.__new__(kind)
    if hasattr(value, "__setstate__"):
        value.__setstate__(kept)
    else:
        value.__dict__.update(kept)
    return value


def _check_layout(state: State) -> None:
    """Check dtypes and shapes, because compiled code reads arrays without bounds checks."""
    expected = allocate(
        index_of(type(state.index)), state.params, state.box.shape[2], room_of(state)
    )
    if state.joined.ndim == 1:
        expected = expected._replace(joined=np.zeros(len(state.joined), dtype=np.int64))
    _compare_arrays(state, expected)
    check_state(state)


def _check_budget(budget: Budget) -> None:
    rows, d = budget.spread.shape
    _compare_arrays(budget, make_budget(1, False, "auto", 0.0, 0, d, rows))


def _compare_arrays(value: Any, expected: Any) -> None:
    for name, found, right in zip(value._fields, value, expected, strict=True):
        if (found is None) != (right is None):
            raise ValueError(f"array {name} is missing or unexpected")
        if found is None or right is None:
            continue
        if not isinstance(right, np.ndarray):
            if found != right:
                raise ValueError(f"{name} does not fit the parameters")
            continue
        if found.dtype != right.dtype or found.shape != right.shape:
            raise ValueError(f"array {name} has another shape or type than expected")


# ---------------------------------------------------------------------- document and bytes


def _packed(document: dict[str, Any], tensors: Tensors) -> list[bytes | memoryview]:
    """The bytes of a file in pieces, which avoids a copy."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    tensors = {**tensors, _DOCUMENT: np.frombuffer(text.encode("ascii"), dtype=np.uint8)}
    label = {
        "format_version": FORMAT_VERSION,
        "library_version": version("streamart"),
        "checksum": _NO_CHECKSUM,
    }
    raw = join_tensors(tensors, metadata={_KEY: json.dumps(label)})
    at = raw.index(_NO_CHECKSUM.encode())
    checksum = hashlib.sha256(raw).hexdigest().encode()
    return [raw[:at], checksum, memoryview(raw)[at + len(checksum) :]]


def _is_intact(raw: bytes, checksum: str) -> bool:
    at = raw.find(checksum.encode())  # the first occurrence is the one in the header
    digest = hashlib.sha256(raw[:at])
    digest.update(_NO_CHECKSUM.encode())
    digest.update(memoryview(raw)[at + len(checksum) :])
    return digest.hexdigest() == checksum


def _label_of(path: PathName, file: BinaryIO) -> dict[str, Any]:
    """The header's entry, for any file: raises ModelFileError if it cannot be read here."""
    length = min(int.from_bytes(file.read(8), "little"), _LONGEST_HEADER)
    try:
        label = json.loads(json.loads(file.read(length))["__metadata__"][_KEY])
        written, library = label["format_version"], label["library_version"]
        known = type(written) is int and written >= 1 and type(library) is str
        known = known and type(label["checksum"]) is str and label["checksum"].isascii()
    except _MALFORMED:
        known = False
    if not known:
        raise ModelFileError(
            path,
            "is not a model file of streamart, or its beginning is damaged. "
            "Give the path of a file that was written by save().",
        )
    if written < FORMAT_VERSION:
        raise ModelFileError(
            path,
            f"was written by an older version of streamart, {library}, in format {written}. "
            f"This version, {version('streamart')}, reads format {FORMAT_VERSION}. "
            "Load the file with the older version, or learn the stream again.",
        )
    if written > FORMAT_VERSION:
        raise ModelFileError(
            path,
            f"was written by a newer version of streamart, {library}, in format {written}. "
            f"This version, {version('streamart')}, reads format {FORMAT_VERSION}. Upgrade it.",
        )
    return dict(label)


# ---------------------------------------------------------------------- bytes and disk


def _write(target: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Replace a file, unless the target is a device or a folder."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.parent} to save a model in")
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{target} is not a regular file; a model cannot be saved there")
    replace_file(target, pieces)
