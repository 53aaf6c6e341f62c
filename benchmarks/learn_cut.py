"""Learn the score of a cut (`derivation.cut`) from generated sets, and write it to cut.json.

For every generated set, sorted by class and shuffled, categories are learnt and a tree is grown.
The features and the adjusted Rand index (ARI) of every cut are known. A small network gives each
cut a score, so that the expected ARI of a cut drawn by softmax of the scores is greatest. It is
trained by Adam on the whole table from a fixed seed. Weights are rounded to four digits, so the
same libraries give the same file.

`--importance` also prints how much worse the choice is without each feature.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files

import numpy as np
from common import progress
from generated import FAMILIES, draw
from threadpoolctl import threadpool_limits

from streamart import StreamART
from streamart.derivation import cut
from streamart.derivation.derive import most_clusters
from streamart.derivation.geometry import geometry_of
from streamart.derivation.links import links_of
from streamart.derivation.tree import grown_tree

HIDDEN = 4
STEPS = 250
RATE = 0.03
DECAY = 1e-4  # of weights

Cuts = tuple[np.ndarray, np.ndarray]  # features and ARI of some cuts of one tree
BY_NAME = {family.__name__: family for family in FAMILIES}


def ari_of_cuts(table: np.ndarray, merges: np.ndarray) -> np.ndarray:
    """ARI before each merger and after the last, from samples per category and class."""
    table = table.copy()
    row, column, total = table.sum(axis=1), table.sum(axis=0), table.sum()

    def pairs(counts: np.ndarray) -> float:
        return float(np.sum(counts * (counts - 1.0)) / 2.0)

    both, own, true, found = pairs(table), pairs(row), pairs(column), []
    for kept, gone in [*merges.tolist(), (0, 0)]:
        chance = own * true / (total * (total - 1.0) / 2.0)
        most = (own + true) / 2.0
        found.append((both - chance) / (most - chance) if most != chance else 1.0)
        both += float(table[kept] @ table[gone])
        own += float(row[kept] * row[gone])
        if kept != gone:
            table[kept] += table[gone]
            row[kept] += row[gone]
    return np.array(found)


def some_cuts(k: np.ndarray) -> np.ndarray:
    """Rows of the cuts that are learnt from: up to 13 clusters all, then 12 % apart."""
    rows = np.flatnonzero(k > 1)
    chosen = {round(1.12**power) for power in range(1, 70)} | set(range(14))
    return rows[np.isin(k[rows], list(chosen))]


def cuts_of(X: np.ndarray, y: np.ndarray, neighbours: int) -> Cuts | None:
    """Features and ARI of cuts of a tree of the stream X, classes y from 1 (0: not scored)."""
    model = StreamART().partial_fit(X)
    engine = model._model.engine
    given, winners = engine._partition_input(), engine._place_of_rows()[engine.nearest(X)]
    if len(given.n) < 3:
        return None
    space = geometry_of(given)
    (links,) = links_of(given, space.expected, (neighbours,))
    tree = grown_tree(given, space, links)
    k, features = cut.features_of(given, tree, most_clusters(given))
    table = np.zeros((len(given.n), int(y.max()) + 1))
    np.add.at(table, (winners[y > 0], y[y > 0]), 1.0)
    ari = ari_of_cuts(table, tree.merges)[len(given.n) - k]
    rows = some_cuts(k)
    return features[rows], ari[rows]


def cuts_of_family(name: str) -> list[Cuts]:
    found = []
    with threadpool_limits(limits=1):
        for number in range(FAMILIES[BY_NAME[name]][0]):
            X, y = draw(BY_NAME[name], number)
            orders = np.argsort(y, kind="stable"), np.random.default_rng(number).permutation(len(y))
            for at, order in enumerate(orders):
                neighbours = cut.NEIGHBOURS[(2 * number + at) % 3]
                cuts = cuts_of(X[order], y[order], neighbours)
                if cuts is not None and len(cuts[0]):
                    found.append(cuts)
    return found


def learn(
    sets: list[Cuts], weight: np.ndarray, columns: list[int], seed: int = 0
) -> dict[str, np.ndarray]:
    """Weights of the network with the greatest expected ARI."""
    x = np.vstack([features for features, _ in sets])[:, columns]
    ari = np.concatenate([values for _, values in sets])
    length = np.array([len(values) for _, values in sets])
    start = np.cumsum(length) - length
    mean, deviation = np.round(x.mean(axis=0), 4), np.round(x.std(axis=0) + 1e-4, 4)
    x = np.clip((x - mean) / deviation, -4.0, 4.0)
    rng, weight = np.random.default_rng(seed), weight / weight.sum()
    net = {
        "direct": np.zeros(x.shape[1]),
        "hidden": rng.normal(size=(x.shape[1], HIDDEN)) / np.sqrt(x.shape[1]),
        "bias": np.zeros(HIDDEN),
        "out": rng.normal(size=HIDDEN) * 0.3,
    }
    moment = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in net.items()}
    for step in range(1, STEPS + 1):
        h = np.tanh(x @ net["hidden"] + net["bias"])
        z = x @ net["direct"] + h @ net["out"]
        e = np.exp(z - np.repeat(np.maximum.reduceat(z, start), length))
        p = e / np.repeat(np.add.reduceat(e, start), length)
        expected = np.repeat(np.add.reduceat(p * ari, start), length)
        dz = -p * (ari - expected) * np.repeat(weight, length)
        dh = np.outer(dz, net["out"]) * (1.0 - h * h)
        slope = {
            "direct": x.T @ dz + DECAY * net["direct"],
            "hidden": x.T @ dh + DECAY * net["hidden"],
            "bias": dh.sum(axis=0),
            "out": h.T @ dz + DECAY * net["out"],
        }
        rate = RATE * min(1.0, 2.0 * (1.0 - step / (STEPS + 1)))
        for name, value in slope.items():
            first, second = moment[name]
            first += 0.1 * (value - first)
            second += 0.01 * (value**2 - second)
            change = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
            net[name] = net[name] - rate * change
    net = {name: np.round(value, 4) for name, value in net.items()}
    return {"mean": mean, "deviation": deviation, **net}


def mean_ari(sets: list[Cuts], weight: np.ndarray, net: dict[str, np.ndarray]) -> float:
    """Of the cuts with the greatest score."""
    found = [ari[cut.score_of(features, net).argmax()] for features, ari in sets]
    return float(np.average(found, weights=weight))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--importance", action="store_true")
    parser.add_argument("--keep", help="a file for the table of features, to learn again from")
    chosen = parser.parse_args()
    StreamART(30).fit(np.random.default_rng(0).normal(size=(90, 2)))  # compiles
    wanted = [family.__name__ for family, (_, counts) in FAMILIES.items() if counts > 0]
    sets: list[Cuts] = []
    weight: list[float] = []
    with ProcessPoolExecutor(chosen.processes) as pool:
        for name, cuts in zip(wanted, pool.map(cuts_of_family, wanted), strict=True):
            progress(f"{name}: {len(cuts)} streams")
            sets += cuts
            weight += [FAMILIES[BY_NAME[name]][1] / len(cuts)] * len(cuts)
    if chosen.keep:
        np.savez(
            chosen.keep,
            features=np.vstack([f for f, _ in sets]),
            ari=np.concatenate([a for _, a in sets]),
            length=[len(a) for _, a in sets],
            weight=weight,
        )
    everything = list(range(len(cut.FEATURES)))
    with threadpool_limits(limits=1):  # sums in the same order everywhere
        net = learn(sets, np.array(weight), everything)
    reached = mean_ari(sets, np.array(weight), net)
    best = float(np.average([ari.max() for _, ari in sets], weights=weight))
    print(f"mean ARI of the chosen cuts {reached:.3f}, of the best cuts {best:.3f}")
    if chosen.importance:
        for at, name in enumerate(cut.FEATURES):
            # To leave a feature out, replace it by its mean.
            blunted = {**net, "mean": net["mean"].copy(), "deviation": net["deviation"].copy()}
            blunted["deviation"][at] = 1e12
            print(f"without {name}: {mean_ari(sets, np.array(weight), blunted) - reached:+.3f}")
    text = {"features": list(cut.FEATURES), "weights": {k: v.tolist() for k, v in net.items()}}
    target = files("streamart.derivation").joinpath("cut.json")
    with open(str(target), "w") as file:
        json.dump(text, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
