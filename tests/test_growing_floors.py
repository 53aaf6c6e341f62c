"""Floors, also those that grow with the data, are no higher than WGSS of any grouping."""

import numpy as np
import pytest

import operations as op
from streamart import ICVITopoARTMAP
from streamart._jit import jit_entry
from streamart.icvi.eigenvalues import find_eigenvalues
from streamart.icvi.state import LIVE
from support import COMPILED

entry = jit_entry(getattr(find_eigenvalues, "py_func", find_eigenvalues))


def stream(rng, d, k, n, drift):
    """Clusters that move outwards in the second half, or of which some come more often then."""
    centres = rng.normal(0.0, 6.0, (k, d))
    label = np.concatenate([np.arange(n) % k, np.arange(n) % k])
    if drift == 0.0:
        label[n:] = rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0)))
    X = centres[label] + 0.1 * rng.normal(size=(2 * n, d))
    X[n:] += drift * centres[label[n:]]
    return X


def ward_path(n, mean, within):
    """WGSS of k - 1, k - 2, ... 2 groups of clusters, the cheapest pair first."""
    n, mean, path = list(n.astype(float)), list(mean), []
    while len(n) > 2:
        size, place = np.array(n), np.array(mean)
        distance = ((place[:, None] - place) ** 2).sum(-1)
        cost = size[:, None] * size / (size[:, None] + size) * distance
        np.fill_diagonal(cost, np.inf)
        i, j = sorted(np.unravel_index(cost.argmin(), cost.shape))
        within += cost[i, j]
        mean[i] = (n[i] * mean[i] + n[j] * mean[j]) / (n[i] + n[j])
        n[i] += n[j]
        del n[j], mean[j]
        path.append((len(n), within))
    return path


@pytest.mark.parametrize("seed", range(12))
def test_no_grouping_is_below_a_floor_that_has_grown(seed):
    rng = np.random.default_rng(seed)
    d, k, n = int(rng.choice([1, 2, 5])), int(rng.integers(5, 15)), 150
    X = stream(rng, d, k, n, 0.05 * (seed % 3))
    model = ICVITopoARTMAP("ch" if seed % 2 else "wb").partial_fit(X[:n])
    if model.n_clusters_ < 4:
        pytest.skip("too few clusters")
    op.renew(model._state)
    for begin in range(n, 2 * n, 50):
        model.partial_fit(X[begin : begin + 50])
        state = model._state
        state.clu["floor"] = 0.0
        op.grow(state)
        now, count = state.now[0], model.n_clusters_
        path = ward_path(state.clu["n"][LIVE, :count], state.mean[LIVE, :count], now["within"])
        for left, within in path:
            assert state.clu["floor"][LIVE, left] <= within + 1e-9 * now["cp"]


def test_floors_grow_with_the_data():
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 6.0, (12, 8))[rng.integers(12, size=3000)] + rng.normal(size=(3000, 8))
    model = ICVITopoARTMAP("wb").partial_fit(X[:1500])
    op.renew(model._state)
    before = model._state.clu["floor"][LIVE, 2:4].copy()
    model._state.now["next_growth"] = 10**9  # the model itself does nothing about it
    model.partial_fit(X[1500:])
    op.grow(model._state)
    assert (model._state.clu["floor"][LIVE, 2:4] > 1.7 * before).all()


@pytest.mark.parametrize("k", [1, 2, 3, 8, 31])
@pytest.mark.parametrize("rank", [1, 3, 40])
def test_eigenvalues(k, rank):
    rng = np.random.default_rng(k + 100 * rank)
    columns = rng.normal(size=(k, rank)) * 10.0 ** rng.uniform(-3.0, 0.0, rank)
    gram = columns @ columns.T
    gram /= np.trace(gram)
    values, beside, work = np.zeros((3, k))
    assert entry(np.tril(gram), k, values, beside, work)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(gram), rtol=0.0, atol=1e-13)


def test_eigenvalues_of_a_diagonal_matrix():
    values, beside, work = np.zeros((3, 4))
    assert entry(np.diag([0.1, 0.4, 0.2, 0.3]), 4, values, beside, work)
    assert values.tolist() == [0.1, 0.4, 0.2, 0.3]


def partitions(k):
    """All ways to put k things into groups, as the number of the group of each."""
    rows = [(0,)]
    for _ in range(k - 1):
        rows = [(*row, group) for row in rows for group in range(max(row) + 2)]
    return np.array(rows)


@pytest.mark.parametrize("d", [1, 2, 5, 9])
def test_no_grouping_of_clusters_of_all_sizes_is_below_a_floor(d, seed):
    """Some with many samples in the middle of the others, which are few."""
    rng, k = np.random.default_rng(seed), 6
    groupings = partitions(k)
    for draw in range(6 if COMPILED else 2):
        sizes = rng.permutation((3.0 ** rng.uniform(0.0, 4.0, k)).astype(int) + 1)
        centres = rng.normal(0.0, 10.0, (k, d)) / np.sqrt(sizes)[:, None] ** (draw % 2)
        y = np.repeat(np.arange(k), sizes)
        X = centres[y] + 0.1 * rng.normal(size=(len(y), d))
        still = dict.fromkeys(("merge", "split", "swap", "compress", "prune"), False)
        state = ICVITopoARTMAP("wb", **still).partial_fit(X, y)._state
        assert state.now[0]["k"] == k
        op.renew(state)
        for left in range(2, k):
            least = np.inf
            for groups in groupings[groupings.max(axis=1) == left - 1]:
                means = np.array([X[groups[y] == g].mean(axis=0) for g in range(left)])
                least = min(least, ((X - means[groups[y]]) ** 2).sum())
            floor = state.clu["floor"][LIVE, left]
            assert floor <= least * (1.0 + 1e-9)
            assert floor > 0.0
