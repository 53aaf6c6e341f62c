"""The compiled network and the naive transcription agree at every step, whatever the setting."""

import itertools
import os
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from agreement import run_both
from random_streams import STREAMS, blobs
from streamart.estimators.parameters import STRATEGIES
from streamart.validity.registration import OURS
from support import COMPILED, read_data

INDICES = ("ch", "wb", "pbm", "xb", "db", "conn", *(OURS if not COMPILED else ("csil", "ni")))
LENGTH = 22 if COMPILED else 14
HUNTING = os.environ.get("HYPOTHESIS_PROFILE") == "hunt"


def length(icvi, samples):
    """A sum over pairs makes every sample a cluster: the naive network takes long."""
    return samples if icvi != "rh" else min(samples, 12)


def vigilance(icvi, match):
    if match == "cosine":
        return {"match": "cosine", "rho": 0.4, "rho_mt": 0.05}
    return {"rho": 0.7, "rho_c": 0.7} if icvi == "conn" else {"rho": 0.3}


@pytest.mark.parametrize("map_learning", ["variable", "fixed"])
@pytest.mark.parametrize("match", ["fuzzy", "cosine"])
@pytest.mark.parametrize("icvi", INDICES)
def test_every_set_of_strategies(icvi, match, map_learning):
    """merge, swap, compress, prune on and off, no split or any of the three.

    Half of the sets in an ordinary run, all of them with HYPOTHESIS_PROFILE=hunt.
    """
    splits = (None, "activity", "full", "partial")
    sets = list(itertools.product(splits, *[(False, True)] * 4))
    name = f"{icvi} {match} {map_learning}"
    start = zlib.crc32(name.encode())
    share = 1 if HUNTING else 4 if COMPILED else 8
    chosen = list(enumerate(sets))[start % share :: share]
    for number, (split, merge, swap, compress, prune) in chosen:
        switches = {"merge": merge, "swap": swap, "compress": compress, "prune": prune}
        switches["split"] = split is not None
        rng = np.random.default_rng(start + number)
        stream = STREAMS[number % len(STREAMS)]
        X = stream(rng, length(icvi, LENGTH), int(rng.integers(1, 6)))
        labels = None
        if map_learning == "fixed":  # somebody names a few samples
            labels = np.where(rng.random(len(X)) < 0.3, rng.integers(3, size=len(X)), -1)
        run_both(
            X,
            labels,
            icvi=icvi,
            map_learning=map_learning,
            strategies=[name for name, on in switches.items() if on],
            split_type=split or "activity",
            xi=6,
            phi=3,
            tau=number % 2,
            **vigilance(icvi, match),
        )


@st.composite
def settings_and_streams(draw):
    match = draw(st.sampled_from(["fuzzy", "cosine"]))
    top = 1.0 if match == "fuzzy" else 2.0
    level = st.floats(0, top) | st.sampled_from([0.0, 0.5, top])
    beta1 = draw(st.sampled_from([1.0, 0.5, 0.9]))
    params = {
        "icvi": draw(st.sampled_from(INDICES)),
        "match": match,
        "rho": draw(level),
        "rho_mt": draw(level),
        "rho_c": draw(st.sampled_from([0.0, 0.5, 0.9])),
        "beta1": beta1,
        "beta2": draw(st.sampled_from([0.0, 0.3, beta1])) if beta1 > 0.3 else 0.0,
        "alpha": draw(st.sampled_from([0.001, 0.1, 2.0])),
        "use_uncommitted": draw(st.booleans()),
        "epsilon": draw(st.sampled_from([0.01, -0.01, 0.2, -0.3])),
        "rho_ab": draw(st.sampled_from([1.0, 0.4, 0.0])),
        "beta_ab": 1.0,
        "map_learning": draw(st.sampled_from(["variable", "fixed"])),
        "icvi_match_tracking": draw(st.booleans()),
        "epsilon_icvi": draw(st.sampled_from([None, 0.1, 0.03])),
        "split_type": draw(st.sampled_from(["activity", "full", "partial"])),
        "tau": draw(st.integers(0, 4)),
        "phi": draw(st.integers(0, 6)),
        "xi": draw(st.integers(1, 15)),
        "second_winner_vigilance": draw(st.sampled_from(["user", "raised"])),
        "escape_single_cluster": draw(st.booleans()),
    }
    # A slow map field is compiled apart: one index in an ordinary run, any without the compiler.
    if params["icvi"] == "wb" or not COMPILED or HUNTING:
        params["beta_ab"] = draw(st.sampled_from([1.0, 0.5, 0.7]))
    params["strategies"] = [name for name in STRATEGIES if draw(st.booleans())]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    stream = draw(st.sampled_from(STREAMS))
    n = draw(st.integers(2, length(params["icvi"], 40 if COMPILED else 20)))
    X = stream(rng, n, draw(st.integers(1, 20)))
    labels = np.where(
        rng.random(n) < draw(st.sampled_from([0, 0.2, 0.8])), rng.integers(4, size=n), -1
    )
    return X, labels, params


@given(settings_and_streams())
def test_any_setting(case):
    X, labels, params = case
    run_both(X, labels, **params)


@pytest.mark.parametrize("icvi", INDICES)
def test_longer_streams(icvi, seed):
    rng = np.random.default_rng(seed)
    n = length(icvi, 110 if COMPILED else 40)
    extra = {"rho": 0.8, "rho_c": 0.8} if icvi == "conn" else {}
    X = blobs(rng, n, 3) if seed % 2 else rng.permutation(blobs(rng, n, 2))
    run_both(X, icvi=icvi, xi=40, **extra)


@pytest.mark.skipif(COMPILED, reason="compiles indices that nothing else needs")
@pytest.mark.parametrize("icvi", ["rcip", "rh", "ni"])
def test_scatter_matrices_of_joined_categories(icvi, seed):
    """Two classes by name, so that there are several categories in a cluster to compress."""
    X = blobs(np.random.default_rng(seed), 30, 2)
    labels = np.where(np.arange(30) % 3 == 0, np.arange(30) // 15, -1)
    strategies = ["merge", "swap", "compress"]
    run_both(X, labels, icvi=icvi, xi=4, rho=0.8, map_learning="fixed", strategies=strategies)


@pytest.mark.parametrize("icvi", INDICES)
@pytest.mark.parametrize("name", ["exp1.csv", "exp2.csv"] if COMPILED else ["exp2.csv"])
def test_the_papers_data(name, icvi):
    X, _ = read_data(name)
    n = length(icvi, 130 if COMPILED else 40)
    run_both(X[260 : 260 + n], icvi=icvi, rho=0.5 if icvi == "conn" else 0.0, xi=100)


@pytest.mark.parametrize("icvi", ["ch", "xb"])
def test_faces(icvi):
    X, _ = read_data("faces106x14_128d.npz")
    n = 60 if COMPILED else 25
    run_both(X[:n], icvi=icvi, match="cosine", rho=0.06, rho_mt=0.04)


def test_digits():
    X = load_digits().data[: 80 if COMPILED else 25]
    run_both(X, icvi="wb")
