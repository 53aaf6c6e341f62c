"""Random parameters and streams: no error, no hang, and the same result for any batch sizes.

A trial is described by a dictionary, so a failure can be repeated and reduced:
``echo '["learn", {...}]' | python -m attack.worker``.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from random_streams import STREAMS
from streamart import ICVITopoARTMAP, ICVITopoARTMAPClassifier, StreamART, load
from streamart.core.self_tuning import room
from streamart.estimators.parameters import STRATEGIES

MODELS = {kind.__name__: kind for kind in (ICVITopoARTMAP, ICVITopoARTMAPClassifier, StreamART)}
Trial = dict[str, Any]


# ---------------------------------------------------------------------- a trial


def drawn(seed: int) -> Trial:
    """A random trial."""
    chance = random.Random(seed)
    model = chance.choice([*MODELS, "StreamART"])
    params = _self_tuning(chance) if model == "StreamART" else _network(chance)
    if model == "ICVITopoARTMAPClassifier" and params["icvi"] == "conn":
        params["icvi"] = "ch"  # the classifier refuses the conn_index
    known = set(MODELS[model]().get_params())
    return {
        "model": model,
        "params": {
            name: params[name] for name in params if name in known and chance.random() < 0.5
        },
        "stream": chance.randrange(len(STREAMS)),
        "seed": chance.randrange(10**6),
        "n": chance.choice([3, 12, 30, 45]),
        "d": chance.choice([1, 2, 3, 8]),
        "exponent": chance.choice([0, 0, 0, chance.randint(-150, 137)]),
        "chunk": chance.choice([1, 2, 7, 30]),
        "at_once": chance.choice([4, 512]),  # above this, room is made little by little
    }


def _network(chance: random.Random) -> dict[str, Any]:
    share = chance.choice([0.0, 1.0, chance.random()])
    params = {
        "icvi": chance.choice(["ch", "wb", "pbm", "xb", "db", "conn"]),
        "rho": chance.choice([0.0, share, 0.97]),
        "beta1": chance.choice([1.0, 0.5]),
        "beta2": chance.choice([0.0, 0.3, 0.5]),  # at most beta1
        "alpha": 10.0 ** chance.randint(-9, 1),
        "match": chance.choice(["fuzzy", "cosine"]),
        "use_uncommitted": chance.random() < 0.5,
        "epsilon": chance.choice([0.01, -0.01, 0.3]),
        "rho_ab": chance.choice([1.0, 0.5]),
        "beta_ab": chance.choice([1.0, 0.7]),
        "map_learning": chance.choice(["variable", "fixed"]),
        "icvi_match_tracking": chance.random() < 0.7,
        "rho_mt": chance.choice([0.0, 0.9, share]),
        "strategies": [name for name in STRATEGIES if chance.random() < 0.8],
        "split_type": chance.choice(["activity", "full", "partial"]),
        "rho_c": chance.choice([0.0, 0.3, share]),
        "tau": chance.choice([0, 3]),
        "phi": chance.choice([0, 5]),
        "xi": chance.choice([1, 8, 50]),
    }
    return params


def _self_tuning(chance: random.Random) -> dict[str, Any]:
    return {
        "max_categories": chance.choice([8, 20, 60]),
        "n_clusters": chance.choice([1, 2, 9]),
        "detail": chance.choice([0.2, 0.5, 2.0, 9.0]),
        "half_life": chance.choice([1.0, 15.0, 400.0]),
        "metric": chance.choice(["euclidean", "cosine"]),
        "record_events": chance.random() < 0.5,
    }


def samples_of(trial: Trial) -> tuple[np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(trial["seed"])
    X = STREAMS[trial["stream"]](rng, trial["n"], trial["d"]) * 10.0 ** trial["exponent"]
    y = rng.integers(-1, 3, size=len(X))
    y[0] = 0  # a classifier needs a class
    return X, y if trial["model"] == "ICVITopoARTMAPClassifier" else None


def learnt(trial: Trial, model: Any, begin: int, end: int, chunk: int) -> Any:
    X, y = samples_of(trial)
    for at in range(begin, end, chunk):
        part = slice(at, min(at + chunk, end))
        model.partial_fit(X[part], None if y is None else y[part])
    return model


def seen(model: Any, X: np.ndarray) -> tuple[list, ...]:
    """Everything that must be the same, to the last bit."""
    model = getattr(model, "network_", model)
    categories = model.categories_
    footprints = [array.tobytes().hex() for array in (categories.mean, categories.cp, categories.n)]
    return model.predict(X).tolist(), model.cluster_ids_.tolist(), footprints


def run(trial: Trial) -> str:
    """In the worker: learn in chunks, sample by sample, and with a stop in between."""
    room.AT_ONCE = trial["at_once"]
    X, kind, n, chunk = samples_of(trial)[0], MODELS[trial["model"]], trial["n"], trial["chunk"]
    made = [kind(**trial["params"]) for _ in range(3)]
    by_chunks = seen(learnt(trial, made[0], 0, n, chunk), X)
    one_by_one = seen(learnt(trial, made[1], 0, n, 1), X)
    if kind is not ICVITopoARTMAPClassifier:  # which learns the labelled samples of a batch first
        assert one_by_one[2] == by_chunks[2], "learning sample by sample gives another result"
    if kind is ICVITopoARTMAP:  # StreamART's clusters depend on when they were read
        assert one_by_one == by_chunks, "learning sample by sample gives other clusters"
    half = n // 2 // chunk * chunk or chunk
    learnt(trial, made[2], 0, min(half, n), chunk)
    with tempfile.TemporaryDirectory() as folder:
        made[2].save(Path(folder) / "model")
        again = load(Path(folder) / "model")
    assert seen(learnt(trial, again, half, n, chunk), X) == by_chunks, (
        "a saved model continues differently"
    )
    return "ok"


# ---------------------------------------------------------------------- the attack


def smaller(trial: Trial) -> list[Trial]:
    """Slightly smaller trials, each with less of one thing."""
    found = [{**trial, "n": n} for n in (trial["n"] // 2, trial["n"] - 5, trial["n"] - 1) if n > 1]
    for name in trial["params"]:
        rest = {kept: value for kept, value in trial["params"].items() if kept != name}
        found.append({**trial, "params": rest})
    found += [{**trial, **change} for change in ({"exponent": 0}, {"d": 1}, {"chunk": 1})]
    return [other for other in found if other != trial]


def minimised(trial: Trial, outcome: str, reader: Any) -> tuple[Trial, str]:
    """The smallest trial found that still fails."""
    for other in smaller(trial):
        found = reader.outcome("learn", other)
        if not found.startswith("ok"):
            return minimised(other, found, reader)
    return trial, outcome


def attack(seed: int, trials: int, folder: Path) -> tuple[Counter, list[str]]:
    from .files import Reader

    tried: Counter = Counter()
    failures, reader = [], Reader()
    for number in range(seed, seed + trials):
        trial = drawn(number)
        tried[trial["model"]] += 1
        outcome = reader.outcome("learn", trial)
        if not outcome.startswith("ok"):
            least, why = minimised(trial, outcome, reader)
            failures.append(f"seed {number}: {why}\n    the smallest that fails: {least}")
    reader.close()
    return tried, failures
