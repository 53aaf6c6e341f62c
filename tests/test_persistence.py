"""Models in files: what comes back, what is refused, and what an interrupted save leaves."""

import copy
import json
import math
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from collections import deque

import joblib
import numpy as np
import pytest
import safetensors.numpy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

import streamart
from streamart import ICVITopoARTMAP, persistence
from streamart.data import make_stream
from streamart.engines.model import Model
from streamart.engines.network import NetworkEngine
from streamart.estimators.parameters import core_params
from streamart.icvi.registry import BY_NAME
from streamart.icvi.state import Room, allocate
from streamart.persistence import ModelFileError, load, save
from support import COMPILED, arrays_of

N = 400 if COMPILED else 44
MODELS = {
    "ch": {"icvi": "ch"},
    "history": {"icvi": "wb", "record_history": True},
    "pairs": {"icvi": "xb", "split_type": "full"},
    "conn": {"icvi": "conn", "rho": 0.8, "rho_c": 0.8},
    "slow map": {"icvi": "wb", "beta_ab": 0.7, "rho": 0.6},
    "cosine": {"icvi": "pbm", "match": "cosine", "rho": 0.5, "rho_mt": 0.1},
}
if not COMPILED:
    MODELS["matrices"] = {"icvi": "ni", "strategies": ("compress",)}


def learnt(name="ch", seed=0, n=N):
    X, _ = make_stream("mixed", n, seed)
    return ICVITopoARTMAP(**MODELS[name]).partial_fit(X)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The bytes of a small model's file."""
    path = tmp_path_factory.mktemp("written") / "model"
    save(learnt(n=30), path)
    return path.read_bytes()


def same(a, b):
    """Equal in type and in every bit, however deep."""
    if isinstance(a, np.ndarray) and isinstance(b, np.memmap):
        b = np.asarray(b)  # where numbers lie is not what they are
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return a.tolist() == b.tolist() if a.dtype.kind in "OU" else a.tobytes() == b.tobytes()
    if isinstance(a, np.generic):
        return same(np.asarray(a), np.asarray(b))
    if isinstance(a, dict):
        return same(list(a), list(b)) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float):
        return a.hex() == b.hex()
    if hasattr(a, "__dict__"):
        return same(vars(a), vars(b))
    return a == b


def assert_go_on_alike(twins, X, y=None):
    for t in range(len(X)):
        labels = None if y is None else y[t : t + 1]
        for twin in twins:
            twin.partial_fit(X[t : t + 1], labels)
        first, *others = (twin.__getstate__() for twin in twins)
        assert all(same(first, other) for other in others), t


# ---------------------------------------------------------------------- what comes back


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_is_the_same_and_goes_on_alike(name, seed, tmp_path):
    model = learnt(name, seed)
    save(model, tmp_path / "model")
    twin = load(tmp_path / "model")
    assert type(twin) is ICVITopoARTMAP
    assert twin.get_params() == model.get_params()
    assert same(twin.__getstate__(), model.__getstate__())
    X, _ = make_stream("random", N // 2, seed + 1)
    assert_go_on_alike([model, twin], X)


def test_supervised_labels_come_back(tmp_path):
    X, y = make_stream("mixed", N, 0)
    model = ICVITopoARTMAP().partial_fit(X, 7 * y)
    save(model, tmp_path / "model")
    twin = load(tmp_path / "model")
    assert twin.class_ids_ == model.class_ids_
    assert len(twin.class_ids_) > 1
    assert_go_on_alike([model, twin], X[:20], 7 * y[:20])


def test_a_model_that_has_learnt_nothing_comes_back(tmp_path):
    save(ICVITopoARTMAP("db", tau=3, epsilon_icvi=math.inf), tmp_path / "model")
    twin = load(str(tmp_path / "model"))
    assert twin.get_params() == ICVITopoARTMAP("db", tau=3, epsilon_icvi=math.inf).get_params()
    assert not hasattr(twin, "_state")


def test_equal_models_have_equal_files(tmp_path):
    model = learnt("conn")
    save(model, tmp_path / "a")
    save(copy.deepcopy(model), tmp_path / "b")
    save(load(tmp_path / "a"), tmp_path / "c")
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b == c


def test_what_is_loaded_can_be_written_to(tmp_path):
    model = learnt("history")
    save(model, tmp_path / "model")
    twin = load(tmp_path / "model")
    arrays = [twin.labels_, *twin.history_.values(), *arrays_of(twin._state)]
    assert all(array.flags.writeable for array in arrays)


def test_the_file_says_what_wrote_it(written):
    length = int.from_bytes(written[:8], "little")
    header = json.loads(written[8 : 8 + length])
    label = json.loads(header["__metadata__"]["streamart"])
    assert label["format_version"] == persistence.FORMAT_VERSION
    assert label["library_version"] == streamart.__version__
    # any reader of safetensors can look at the numbers
    tensors = safetensors.numpy.load(written)
    (box,) = (
        tensor for name, tensor in tensors.items() if name.endswith("._model.engine.state.box")
    )
    assert box.shape[0] == 3
    assert box.any()


def test_a_version_of_scikit_learn_is_neither_kept_nor_warned_about(tmp_path):
    model = learnt()
    model._sklearn_version = "0.1"
    save(model, tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twin = load(tmp_path / "model")
    assert "_sklearn_version" not in vars(twin)


# ---------------------------------------------------------------------- values

NUMBERS = st.one_of(
    hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.floating_dtypes()
).filter(lambda dtype: dtype.name in persistence._NUMBERS and dtype.isnative)
RECORDS = st.lists(NUMBERS, min_size=1, max_size=3).map(
    lambda dtypes: np.dtype([(f"é{i}", dtype) for i, dtype in enumerate(dtypes)])
)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
TEXT = st.text(st.characters(), max_size=5)
ARRAYS = st.one_of(
    hnp.arrays(NUMBERS, SHAPES),
    hnp.arrays(RECORDS, SHAPES),
    hnp.arrays(np.dtype("U3"), SHAPES),
    hnp.arrays(np.dtype("O"), SHAPES, elements=TEXT),
)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT, ARRAYS)
LEAVES |= hnp.arrays(NUMBERS, 1).map(lambda array: array[0])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


def through_a_file(value, folder):
    model = ICVITopoARTMAP()
    model.extra_ = value
    save(model, folder / "model")
    return load(folder / "model").extra_


@given(value=VALUES)
@example(value=[math.inf, -math.inf, -0.0, 5e-324, 2**80, {1: "a", "1": "b"}, (), [], {}])
@example(value=np.str_("x"))
@example(value={"0" * 100: np.arange(3), "\ud800": [np.arange(2)]})
@settings(max_examples=150)
def test_every_kind_of_value_comes_back(value, tmp_path_factory):
    # NaN has many bit patterns; of a Python float they are not kept, of numpy's they are
    back = through_a_file(value, tmp_path_factory.getbasetemp())
    assert same(back, value)


@pytest.mark.parametrize("shape", [(2000,), (40, 50), (3, 30, 40)])
def test_room_that_is_not_used_is_not_stored_and_comes_back(shape, tmp_path):
    array = np.zeros(shape)
    assert same(through_a_file(array, tmp_path), array)
    empty = (tmp_path / "model").stat().st_size
    array[(1,) * len(shape)] = -0.0  # equal to zero, and yet not the same
    assert same(through_a_file(array, tmp_path), array)
    assert (tmp_path / "model").stat().st_size < empty + 100
    array[...] = np.arange(array.size).reshape(shape)
    assert same(through_a_file(array, tmp_path), array)


def test_arrays_in_any_layout_come_back_by_value(tmp_path):
    array = np.arange(6000.0).reshape(60, 100)
    strange = [array[::2, ::-3], array.T, array.astype(">f8"), np.asfortranarray(array)]
    for value, back in zip(strange, through_a_file(strange, tmp_path), strict=True):
        assert np.array_equal(value, back)
        assert back.dtype == np.float64


class Pair(tuple):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        lambda: 0,
        {1, 2},
        1j,
        b"bytes",
        deque([1]),
        Pair((1, 2)),
        threading.Lock(),
        np.array([1, "a"], dtype=object),
        np.array([1j]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.array([b"x"]),
        np.ma.masked_array([1.0], mask=[True]),
        np.zeros(2, dtype=[("a", "f8", 3)]),
        np.zeros(2, dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True)),
        np.zeros(2, dtype=[("a", [("b", "f8")])]),
        {1.5: 0},
        {True: 0},
    ],
)
def test_a_value_that_cannot_be_saved_is_refused_by_name(value, tmp_path):
    with pytest.raises(TypeError, match=r"^extra_\['x'\]\[0\]\S* cannot be saved"):
        through_a_file({"x": [value]}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_only_known_classes_can_be_saved(tmp_path):
    class Mine(ICVITopoARTMAP):
        pass

    Impostor = type("ICVITopoARTMAP", (ICVITopoARTMAP,), {})
    for model in (Mine(), Impostor(), None, 3):
        with pytest.raises(TypeError, match=r"Only ICVITopoARTMAP.* can be saved, not "):
            save(model, tmp_path / "model")


# ---------------------------------------------------------------------- what is refused


def refused(path, content, message="damaged"):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


@given(data=st.data())
@settings(max_examples=300)
def test_any_changed_byte_is_noticed(data, written, tmp_path_factory):
    at = data.draw(st.integers(0, len(written) - 1))
    flip = data.draw(st.integers(1, 255))
    changed = bytearray(written)
    changed[at] ^= flip
    refused(tmp_path_factory.getbasetemp() / "changed", bytes(changed), "damaged|newer|older")


def test_every_changed_byte_at_the_beginning_is_noticed(written, tmp_path):
    """The label and the first tensors, bit by bit: digits, letters in another case, blanks."""
    for at in range(500):
        for bit in range(8):
            changed = bytearray(written)
            changed[at] ^= 1 << bit
            refused(tmp_path / "changed", bytes(changed), "damaged|newer|older")


@given(data=st.data())
@settings(max_examples=300)
def test_a_file_cut_short_is_noticed(data, written, tmp_path_factory):
    length = data.draw(st.integers(0, len(written) - 1))
    refused(tmp_path_factory.getbasetemp() / "short", written[:length])


def test_a_file_with_something_behind_it_is_refused(written, tmp_path):
    refused(tmp_path / "long", written + b"\0")
    refused(tmp_path / "long", written + written)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x,y\n1,2\n3,4\n",
        b"\x00" * 100,
        b"\x02" + b"\0" * 7 + b"{}",
        b"\x02" + b"\0" * 7 + b"[]",
        b"\xff" * 2000,
        b"\x60\xea" + b"\0" * 6 + b"[" * 60_000,
        pickle.dumps({"a": 1}),
        safetensors.numpy.save({"weight": np.zeros(3)}),
        safetensors.numpy.save({"weight": np.zeros(3)}, metadata={"format": "pt"}),
        safetensors.numpy.save({"weight": np.zeros(3)}, metadata={"streamart": "3"}),
        safetensors.numpy.save({"weight": np.zeros(3)}, metadata={"streamart": "{}"}),
    ],
)
def test_other_files_are_refused(content, tmp_path):
    refused(tmp_path / "other", content, "is not a model file of streamart.*Give the path")


def test_a_file_of_a_newer_version_is_refused(tmp_path, monkeypatch):
    with monkeypatch.context() as newer:
        newer.setattr(persistence, "FORMAT_VERSION", persistence.FORMAT_VERSION + 1)
        save(learnt(), tmp_path / "model")
    refused(
        tmp_path / "model",
        (tmp_path / "model").read_bytes(),
        r"newer version of streamart.*format 3.*Upgrade",
    )


def test_a_file_of_an_older_version_is_refused(tmp_path, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(persistence, "FORMAT_VERSION", 2)
        save(learnt(), tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    refused(
        tmp_path / "model",
        content,
        r"older version of streamart.*format 2.*Load the file with the older version",
    )


def test_the_kind_of_model_that_is_asked_for(tmp_path):
    save(learnt(), tmp_path / "model")
    assert type(load(tmp_path / "model", ICVITopoARTMAP)) is ICVITopoARTMAP
    with pytest.raises(ModelFileError, match="has a ICVITopoARTMAP, not a StreamART"):
        load(tmp_path / "model", streamart.StreamART)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError):
        load("nowhere/model")


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


def inner(document, *path):
    for step in path:
        document = document[step]
    return document


MODEL = ("fitted", "_model", "object", "attributes")
ENGINE = (*MODEL, "engine", "object", "attributes")
STATE = (*MODEL, "engine", "object", "attributes", "state", "named")


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        ((), "class", "Unknown"),
        (("params",), "unknown", 3),
        (("fitted", "_model", "object"), "class", "Unknown"),
        (ENGINE, "sample_rows", {"unknown": 3}),
        (ENGINE, "sample_rows", {"array": {"dtype": "O", "shape": [1], "tensor": "document"}}),
        (ENGINE, "sample_rows", {"strings": {"dtype": "f8", "shape": [1], "values": ["1"]}}),
        ((*ENGINE, "sample_rows", "array"), "tensor", "nowhere"),
        ((*ENGINE, "sample_rows", "array"), "tensor", "document"),
        ((*ENGINE, "sample_rows", "array"), "shape", [1]),
        (STATE, "class", "Unknown"),
        ((*STATE, "fields"), "unknown", 3),
        ((*STATE, "fields"), "weight", {"scalar": 3}),
        ((*STATE, "fields", "weight"), "array", {"dtype": "int8", "shape": [1], "tensor": "x"}),
        ((*STATE, "fields", "box", "array"), "shape", [3, 100, 2]),
        ((*STATE, "fields", "distance", "array"), "shape", [2, 99, 99]),
        ((*STATE, "fields", "order"), "array", None),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(path, key, value, tmp_path):
    """Its checksum may be right all the same, as that of another version's file would be."""
    document, tensors = persistence._described(learnt("conn"))
    place = inner(document, *path)
    place[key] = value
    persistence._write(tmp_path / "model", persistence._packed(document, tensors))
    refused(
        tmp_path / "model",
        (tmp_path / "model").read_bytes(),
        "cannot be read by this version of streamart",
    )


@pytest.mark.parametrize("field", ["params", "order", "joined", "index", "now", "label"])
def test_a_state_of_another_layout_is_refused(field, tmp_path):
    model = learnt("conn")
    state = model._state
    others = {
        "params": state.params[["tau", "cosine"]].astype([("tau", "i8"), ("cosine", "i8")]),
        "order": np.zeros_like(state.order),
        "joined": np.zeros((1, 1), dtype=np.int64),
        "index": None,
        "now": state.now.copy(),
        "label": state.label.astype(np.int32),
    }
    others["now"]["categories"] = 10**6
    document, tensors = persistence._described(model)
    place = inner(document, *STATE, "fields")
    place[field] = persistence._encode(others[field], "x", tensors)
    persistence._write(tmp_path / "model", persistence._packed(document, tensors))
    refused(
        tmp_path / "model",
        (tmp_path / "model").read_bytes(),
        "cannot be read by this version of streamart",
    )


# ---------------------------------------------------------------------- what was forged

# Of every array, what is an index or a count, and a value that is beyond its range.
FORGED = {
    "now": {
        **{"k": 10**6, "categories": 10**6, "winner": 10**6, "group": 5, "stage": 9, "due": 9},
        **{"slots": -1, "settled_k": 10**6, "ids": 10**6, "events": -1, "first_event": -1},
        **{"handed": 10**9, "n": -1, "links": 10**6, "free_link": 10**6},
    },
    "cat": {
        **{"n": 0, "rank": 10**6, "won": 10**9, "birth": 10**9, "slot": -1, "links": 10**6},
        "group": 10**6,
    },
    "clu": {
        **{"size": 99, "n": -3, "partner": 10**6, "wanted": 5, "changed": 5, "barred": -1},
        **{"id": 10**6, "into": 10**6},
    },
    "path": dict.fromkeys(
        ("first", "second", "first_row", "second_row", "best_first", "best_second", "partner"),
        10**6,
    ),
    "classes": {"cluster": 10**6, "anchored": 3},
    "link": {"other": 10**6, "next": 10**6},
    "event": {"kind": 99, "first": 10**6, "second": 10**6},
}


@pytest.fixture(scope="module")
def with_everything():
    """A network with hints, labels and events, and what was learnt under a budget."""
    X, _ = make_stream("mixed", 40, 0)
    hints = streamart.Hints(names={0: "a"})
    made = (ICVITopoARTMAP(record_events=True), streamart.StreamART(record_events=True))
    for model in made:
        model.partial_fit(X, hints=hints)
        model.rename(model.cluster_ids_[-1], "b")
        assert model.n_clusters_ > 1
    return made


def forged(model, folder, change):
    """The file of a model whose arrays were changed, with a checksum that fits."""
    twin = copy.deepcopy(model)
    change(twin._model)
    save(twin, folder / "model")
    refused(
        folder / "model",
        (folder / "model").read_bytes(),
        "cannot be read by this version of streamart",
    )


@pytest.mark.parametrize(
    ("array", "field"), [(array, field) for array in FORGED for field in FORGED[array]]
)
def test_a_forged_index_is_found(array, field, with_everything, tmp_path):
    """By the loader, not by compiled code, which does not look where it reads."""
    for model in with_everything:
        plain = isinstance(model, streamart.StreamART)
        if plain and (array == "path" or (array == "clu" and field in ("size", "n"))):
            continue  # not there, or not used before they are derived again
        for value in (FORGED[array][field], -(10**6)):

            def change(found, value=value):
                records = getattr(found.engine.state, array)
                records.reshape(-1)[field][0] = value

            forged(model, tmp_path, change)


@pytest.mark.parametrize(
    ("array", "at", "value"),
    [
        ("order", 0, 10**6),
        ("order", 0, 1),
        ("label", (0, 0), 10**6),
        ("label", (0, 0), -1),
        ("label", (1, 0), 10**6),
        ("label", (2, 0), 10**6),
        ("successor", 0, 10**6),
        ("successor", 0, 0),  # for ever
        ("successor", 0, -9),
    ],
)
def test_a_forged_array_is_found(array, at, value, with_everything, tmp_path):
    for model in with_everything:
        forged(
            model,
            tmp_path,
            lambda found: getattr(found.engine.state, array).__setitem__(at, value),
        )


def test_what_was_forged_beside_the_network_is_found(with_everything, tmp_path):
    for model in with_everything:
        for change in (
            lambda found: found.engine.sample_rows.__setitem__(0, 10**6),
            lambda found: found.engine.sample_rows.__setitem__(0, -2),
            lambda found: found.names.given.__setitem__(10**6, "x"),
            lambda found: found.corrections.steps[0].__setitem__("id", 10**6),
            lambda found: found.engine.label_rows.__setitem__(3, 10**6),
            lambda found: found.engine.book.groups.append(10**6),
        ):
            forged(model, tmp_path, change)
    budget = with_everything[1]
    for field, value in (
        *(("limit", 0), ("asked", -1), ("luck", 0), ("making", 4), ("searched", 10**6)),
        ("merged", -1),
    ):
        forged(
            budget,
            tmp_path,
            lambda found, field=field, value=value: found.engine.budget.account.__setitem__(
                field, value
            ),
        )


def close_a_circle(state):
    """A list of links without end."""
    row = int(state.cat["links"][0])
    while state.link["next"][row] >= 0:
        row = int(state.link["next"][row])
    state.link["next"][row] = state.cat["links"][0]


def exchange_lists(state):
    """Two categories have each other's links."""
    links = state.cat["links"]
    two = np.flatnonzero(links[: state.now[0]["categories"]] >= 0)[:2]
    links[two] = links[two[::-1]]


def lose_a_link(state):
    """A link that is in no list."""
    state.now[0]["links"] += 2


def free_what_is_there(state):
    state.now[0]["free_link"] = 0


@pytest.mark.parametrize(
    "change", [close_a_circle, exchange_lists, lose_a_link, free_what_is_there]
)
def test_forged_lists_of_links_are_found(change, with_everything, tmp_path):
    """Compiled code would follow them for ever, or out of the array."""
    for model in with_everything:
        forged(model, tmp_path, lambda found: change(found.engine.state))


@pytest.mark.parametrize("nearest", [0, 10**6, -2])
def test_a_forged_partner_is_found(nearest, with_everything, tmp_path):
    """While room is being made."""

    def change(found):
        found.engine.budget.account["searched"] = 2
        found.engine.budget.nearest[:2] = nearest, 0

    forged(with_everything[1], tmp_path, change)


@pytest.mark.parametrize("size", [10**9, 10**12, 10**30, -1, 2.5, True])
def test_a_lying_shape_is_found_before_there_is_room_for_it(size, tmp_path):
    """However consistent: all arrays may lie together."""
    document, tensors = persistence._described(learnt("conn"))
    fields = inner(document, *STATE, "fields")
    for name in ("box", "pair", "label", "order", "scratch"):
        fields[name]["array"]["shape"][-1] = size
    fields["cat"]["records"]["shape"][0] = size
    persistence._write(tmp_path / "model", persistence._packed(document, tensors))
    refused(
        tmp_path / "model",
        (tmp_path / "model").read_bytes(),
        "cannot be read by this version of streamart",
    )


def test_the_error_crosses_processes():
    error = pickle.loads(pickle.dumps(ModelFileError("a/b", "is bad")))
    assert str(error) == "a/b is bad"
    assert isinstance(error, ValueError)


# ---------------------------------------------------------------------- interrupted saves


@pytest.mark.parametrize("function", ["replace", "fsync"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    function, error, tmp_path, monkeypatch, written
):
    path = tmp_path / "model"
    path.write_bytes(written)

    def fail(*_):
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(os, function, fail)
        with pytest.raises(type(error)):
            save(learnt(seed=1), path)
    assert path.read_bytes() == written
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
from streamart import ICVITopoARTMAP
from streamart.persistence import save
os.{function} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
save(ICVITopoARTMAP(tau=3), sys.argv[1])
"""


@pytest.mark.parametrize("function", ["replace", "fsync"])
def test_a_process_that_is_killed_leaves_the_old_file(function, tmp_path, written):
    path = tmp_path / "model"
    path.write_bytes(written)
    script = KILLED.format(function=function)
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode < 0
    assert path.read_bytes() == written
    (left,) = set(tmp_path.iterdir()) - {path}
    assert left.name.startswith(".streamart-")
    assert left.name.endswith(".tmp")
    load(path)
    save(ICVITopoARTMAP(tau=3), path)  # what is left does no harm
    assert load(path).tau == 3


def test_the_file_is_on_the_disk_before_it_replaces_the_old_one(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (done.append(os.fstat(fd).st_ino), fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda *two: (done.append("replace"), replace(*two)))
    save(ICVITopoARTMAP(), tmp_path / "model")
    assert done == [(tmp_path / "model").stat().st_ino, "replace", tmp_path.stat().st_ino]


def test_saving_keeps_who_may_read_and_follows_links(tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    save(ICVITopoARTMAP(), path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(ICVITopoARTMAP(tau=3), link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert load(path).tau == load(link).tau == 3


def test_a_new_file_may_be_read_by_those_who_may_read_other_files(tmp_path):
    save(ICVITopoARTMAP(), tmp_path / "model")
    (tmp_path / "other").touch()
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_saving_where_no_file_can_be(tmp_path):
    with pytest.raises(FileExistsError, match="is not a regular file"):
        save(ICVITopoARTMAP(), tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        save(ICVITopoARTMAP(), tmp_path / "none" / "model")


def test_saving_while_another_thread_learns(tmp_path):
    X, _ = make_stream("mixed", 5 * N, 0)
    model = ICVITopoARTMAP().partial_fit(X[:10])

    def learn():
        for x in X[10:]:
            model.learn_one(x)

    thread = threading.Thread(target=learn)
    thread.start()
    seen = []
    while thread.is_alive():
        save(model, tmp_path / "model")
        twin = load(tmp_path / "model")
        seen.append(twin.n_samples_seen_)
        assert twin.clusters_.n.sum() == twin.categories_.n.sum()
    thread.join()
    assert seen == sorted(seen)


# ---------------------------------------------------------------------- size and speed


def link_table(state, table):
    """Links of these weights, as if they had come one by one."""
    p, q = np.nonzero(table)
    state.now["links"] = 2 * len(p)
    owner = np.stack([p, q], axis=1).ravel()
    state.link["other"][: 2 * len(p)] = np.stack([q, p], axis=1).ravel()
    state.link["weight"][: 2 * len(p)] = np.repeat(table[p, q], 2)
    state.cat["links"] = -1
    for row in np.argsort(owner, kind="stable").tolist():
        state.link["next"][row] = state.cat["links"][owner[row]]
        state.cat["links"][owner[row]] = row


def large(categories=2_000, d=128):
    """A model whose arrays are full of numbers, of the size asked for; it need not make sense."""
    rng = np.random.default_rng(0)
    model = ICVITopoARTMAP()
    state = allocate(
        BY_NAME["ch"], core_params("", model.get_params()), d, Room(2_048, 64, links=1 << 18)
    )
    state.now["categories"] = categories
    state.box[:, :categories] = rng.normal(size=(3, categories, d))
    table = rng.integers(1, 9, size=(categories, categories))
    table[rng.random(table.shape) > 0.05] = 0
    table = np.triu(table, 1)
    link_table(state, table)
    for name in ("n", "cp", "norm", "activation", "match", "joint", "won", "birth", "shared"):
        state.cat[name][:categories] = rng.integers(1, 99, categories)
    state.cat["rank"][:categories], state.cat["group"] = np.arange(categories), -1
    state.now["n"], state.now["k"] = 99 * categories, 1
    state.now["ids"] = state.now["settled_k"] = 1
    state.clu[0, 0]["size"], state.clu[0, 0]["n"] = categories, state.cat["n"].sum()
    state.mean[:] = 1.0
    model._model = Model(NetworkEngine(state))
    return model


def test_two_thousand_categories_take_less_than_a_second(tmp_path):
    model, saving, loading = large(), [], []
    for _ in range(3):
        begun = time.perf_counter()
        save(model, tmp_path / "model")
        saved = time.perf_counter()
        twin = load(tmp_path / "model")
        saving.append(saved - begun)
        loading.append(time.perf_counter() - saved)
    assert same(twin._state, model._state)
    assert min(saving) < 1
    assert min(loading) < 1


# ---------------------------------------------------------------------- other ways to keep a model


@pytest.mark.parametrize("name", MODELS)
def test_pickle_copy_and_joblib_go_on_alike(name, tmp_path):
    model = learnt(name, n=60)
    joblib.dump(model, tmp_path / "joblib")
    joblib.dump(model, tmp_path / "packed", compress=3)
    twins = [
        model,
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
        joblib.load(tmp_path / "joblib"),
        joblib.load(tmp_path / "packed"),
    ]
    X, _ = make_stream("random", 20, 1)
    assert_go_on_alike(twins, X)


def test_a_model_in_mapped_memory_can_be_saved_and_goes_on(tmp_path):
    model = learnt("history")
    joblib.dump(model, tmp_path / "joblib")
    mapped = joblib.load(tmp_path / "joblib", mmap_mode="r")
    save(mapped, tmp_path / "model")
    twin = load(tmp_path / "model")
    assert same(twin.__getstate__(), model.__getstate__())
    X, _ = make_stream("random", 20, 1)
    assert_go_on_alike([model, mapped, twin], X)


def test_a_clone_of_a_loaded_model_has_its_parameters_only(tmp_path):
    save(learnt("conn"), tmp_path / "model")
    twin = clone(load(tmp_path / "model"))
    assert twin.get_params() == learnt("conn").get_params()
    assert not hasattr(twin, "_state")
