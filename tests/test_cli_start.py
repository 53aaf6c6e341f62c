"""How a command starts: what it imports, what is compiled before the clock runs, what is told."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone

from streamart import ICVITopoARTMAP, StreamART, demo
from streamart.cli import app
from streamart.cli.running import run as running
from streamart.data import make_stream
from streamart.engines import fine_categories, network
from streamart.estimators import warm_up as warming
from support import COMPILED

HEAVY = {"numba", "sklearn", "pyarrow", "scipy"}


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--help"], 0, "Begin with"),
        (["cluster", "--help"], 0, "Exit codes"),
        (["cluster", "mistyped_file.csv"], 1, "There is no file mistyped_file.csv."),
        (["cluster", "mistyped*.csv"], 1, "No file matches mistyped*.csv."),
        (["predict", "some.model", "mistyped_file.csv"], 1, "There is no file mistyped_file.csv."),
    ],
)
def test_small_answers_need_no_heavy_imports(arguments, code, told, tmp_path):
    script = (
        "import sys\n"
        "from streamart.cli import main\n"
        f"sys.argv = ['streamart', *{arguments}]\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        f"    print('heavy:', sorted({HEAVY} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert done.returncode == code, done.stderr
    assert told in done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "heavy: []"


def test_import_streamart_is_light():
    script = f"import streamart, sys; print(sorted({HEAVY} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def slow(*arguments, **options):
    """Takes until whatever waits for its time has had it."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()


@pytest.mark.parametrize("is_slow", [True, False])
def test_the_notice_is_for_slow_warm_ups(is_slow, monkeypatch):
    told = []
    monkeypatch.setattr(warming, "PATIENCE", 0 if is_slow else 1000)
    with warming.notice_if_slow(told.append):
        if is_slow:
            slow()
    assert told == ([warming.NOTICE] if is_slow else [])


@pytest.mark.parametrize("is_slow", [True, False])
def test_the_notice_of_cluster_and_demo(is_slow, monkeypatch, capfd, tmp_path):
    """To standard error, and once; standard output is for results."""
    monkeypatch.setattr(warming, "PATIENCE", 0 if is_slow else 1000)
    for module in (running, demo):
        monkeypatch.setattr(module, "warm_up", slow if is_slow else lambda *rest: None)
    X, _ = make_stream("random", 30, 0)
    source = tmp_path / "s.csv"
    source.write_text("".join(f"{a},{b}\n" for a, b in X))
    with pytest.raises(SystemExit) as end:
        app.run(["cluster", str(source), "--out", "-"])
    assert end.value.code == 0
    out, err = capfd.readouterr()
    assert err.count(warming.NOTICE) == is_slow
    assert "Compiling" not in out
    pytest.importorskip("matplotlib")
    assert demo.main(["--samples", "20", "--out", str(tmp_path)]) == 0
    out, err = capfd.readouterr()
    assert err.count(warming.NOTICE) == is_slow
    assert "Compiling" not in out


def test_an_error_ends_the_wait(monkeypatch):
    told = []
    monkeypatch.setattr(warming, "PATIENCE", 1000)
    with pytest.raises(ValueError, match="no"), warming.notice_if_slow(told.append):
        raise ValueError("no")
    assert not any(isinstance(thread, threading.Timer) for thread in threading.enumerate())
    assert not told


SAMPLES = make_stream("random", 150, 0)[0]
EMBEDDINGS = np.random.default_rng(0).normal(size=(50, 384))


def compiled_programs():
    """Every program of the engines, with the types of arguments it has been compiled for."""
    return {
        (name, signature)
        for module in (network, fine_categories)
        for name, program in vars(module).items()
        for signature in getattr(getattr(program, "dispatcher", None), "signatures", ())
    }


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("model", "X", "rare"),
    [
        (StreamART(30), SAMPLES, "run_under_budget"),
        (StreamART(), EMBEDDINGS, "run_under_budget"),
        (ICVITopoARTMAP(rho=0.9, xi=10), SAMPLES, "run"),
        (ICVITopoARTMAP(split_type="full"), SAMPLES, "decompose"),
    ],
)
def test_nothing_is_compiled_later(model, X, rare, named):
    """All programs that learning and predicting call are those of the warm-up."""
    model = clone(model)
    warming.warm_up(model)
    assert not hasattr(model, "n_features_in_")
    warm = compiled_programs()
    assert rare in {name for name, _ in warm}
    model.partial_fit(X)
    if named:
        model.partial_fit(X, hints={"names": {i: str(i % 3) for i in range(0, len(X), 5)}})
    model.predict(X)
    assert compiled_programs() == warm
