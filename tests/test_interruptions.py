"""An interrupted call leaves a model that has learnt whole samples only, and says how many."""

import itertools
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from streamart import Hints, ICVITopoARTMAP, StreamART
from streamart.data import make_stream
from streamart.engines import fine_categories, network
from support import COMPILED
from test_model import in_use

X = make_stream("mixed", 90, 0)[0]
MODELS = {
    "activity": lambda: ICVITopoARTMAP(rho=0.8, xi=10, record_history=True),
    "full": lambda: ICVITopoARTMAP(rho=0.8, xi=10, split_type="full", record_history=True),
    "StreamART": lambda: StreamART(12),
}


def learnt_by(model):
    """All that a model has learnt, as bytes."""
    if isinstance(model, StreamART):
        tables = [*model.categories_, *model.clusters_, model.conn_.toarray()]
        return [np.asarray(table).tobytes() for table in tables]
    return in_use(model)


class Stop(BaseException):
    """Like KeyboardInterrupt, it is no Exception."""


def calls_from_python(monkeypatch, stop_at, after):
    """Raise `Stop` before or after the given call of compiled code or of `grown`."""
    count = itertools.count()

    def interrupting(function):
        def call(*arguments):
            number = next(count)
            if number == stop_at and not after:
                raise Stop
            result = function(*arguments)
            if number == stop_at:
                raise Stop
            return result

        return call

    places = {
        network: ("run", "decompose", "grown"),
        fine_categories: ("grown", "begin_room", "run_under_budget", "make_some_room"),
    }
    for module, names in places.items():
        for name in names:
            monkeypatch.setattr(module, name, interrupting(getattr(module, name)))
    return count


def number_of_calls(make, monkeypatch):
    with monkeypatch.context() as patched:
        count = calls_from_python(patched, -1, False)
        make().partial_fit(X)
        return next(count)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_raising_wherever_compiled_code_returns(name, after, monkeypatch):
    make = MODELS[name]
    calls = number_of_calls(make, monkeypatch)
    assert calls > (0 if name == "activity" else 3)
    for stop_at in range(0, calls, max(1, calls // 12)):
        model = make()
        with monkeypatch.context() as patched:
            calls_from_python(patched, stop_at, after)
            with pytest.raises(Stop) as caught:
                model.partial_fit(X)
        if not hasattr(model, "_model"):
            assert "No sample of this batch was learnt" in caught.value.__notes__[0]
            continue
        learnt = model.n_samples_seen_
        assert learnt < len(X) or after
        assert f"The first {learnt} of {len(X)} samples" in caught.value.__notes__[0]
        assert len(model.labels_) == learnt
        if model.get_params().get("record_history"):
            assert len(model.history_["tracker"]) == learnt
        if learnt < len(X):
            model.partial_fit(X[learnt:])
        if name != "full":  # where a decomposition was interrupted, it counts as not made
            assert learnt_by(model) == learnt_by(make().partial_fit(X))


def test_a_batch_with_hints_is_learnt_as_a_whole_or_not_at_all(monkeypatch):
    model = MODELS["activity"]().partial_fit(X[:40])
    before = learnt_by(model)
    with monkeypatch.context() as patched:
        calls_from_python(patched, 3, False)
        with pytest.raises(Stop) as caught:
            model.partial_fit(X[40:], hints=Hints(names={3: "a", 20: "b"}))
    assert "No sample of this batch was learnt" in caught.value.__notes__[0]
    assert learnt_by(model) == before
    assert model.names_ == {}


def test_an_interrupted_fit_keeps_the_model_it_would_have_replaced(monkeypatch):
    model = MODELS["activity"]().fit(X[:40])
    before = learnt_by(model)
    with monkeypatch.context() as patched:
        calls_from_python(patched, 0, False)
        with pytest.raises(Stop):
            model.fit(X)
    assert learnt_by(model) == before
    assert len(model.history_["tracker"]) == 40


SCRIPT = """
import numpy as np, signal, sys, time
from streamart import ICVITopoARTMAP, StreamART
from streamart.data import make_stream

X = make_stream("random", 60_000, 0)[0]
make = {"network": lambda: ICVITopoARTMAP(), "StreamART": lambda: StreamART()}[sys.argv[1]]
make().fit(X[:500])  # compiled, or read from the cache
model, interruptions, learnt, learning = make(), 0, 0, False

def interrupt(*_):
    global learning
    if learning:  # not while the script itself is at work
        learning = False
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupt)
print("ready", flush=True)
while learnt < len(X):
    try:
        learning = True
        model.partial_fit(X[learnt : learnt + 700])
        learning = False
    except KeyboardInterrupt:
        interruptions += 1
    learnt = model.n_samples_seen_ if hasattr(model, "_model") else 0
print(interruptions, np.array_equal(model.predict(X), make().partial_fit(X).predict(X)))
"""


@pytest.mark.skipif(not COMPILED, reason="interpreted code can be interrupted in the middle")
@pytest.mark.parametrize("name", ["network", "StreamART"])
def test_real_interrupts_at_random_times(name, seed):
    rng = np.random.default_rng(seed)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), name],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert process.stdout.readline() == "ready\n"
    for _ in range(12):
        try:
            process.wait(timeout=float(rng.uniform(0.001, 0.03)))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    interruptions, same = out.split()
    assert same == "True"
    assert int(interruptions) <= 12
