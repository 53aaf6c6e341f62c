"""The built-in stream and the orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamart.data import COVARIANCE, MEANS, ORDERS, SIZES, make_stream, reorder

seeds = st.integers(0, 2**63 - 1)
orders = st.sampled_from(ORDERS)
labels = st.lists(st.integers(-3, 5), max_size=60).map(lambda y: np.array(y, dtype=np.int64))
# A correct stream misses a tolerance of seven standard errors with probability 1e-10.
STANDARD_ERRORS = 7


def rows(X):
    return sorted(map(tuple, X.tolist()))


@given(seeds, orders)
def test_the_paper_s_sizes(seed, order):
    X, y = make_stream(order, random_state=seed)
    assert X.shape == (1600, 2)
    assert X.dtype == np.float64
    assert np.bincount(y).tolist() == SIZES.tolist() == [300, 300, 200, 200, 200, 200, 200]


@given(seeds, orders, st.integers(7, 3000))
def test_any_length_keeps_the_proportions(seed, order, n_samples):
    X, y = make_stream(order, n_samples, seed)
    counts = np.bincount(y, minlength=7)
    assert len(X) == len(y) == counts.sum() == n_samples
    assert counts.min() >= 1
    assert np.all(np.abs(counts - SIZES / SIZES.sum() * n_samples) < 1)


@given(seeds, st.integers(7, 400))
def test_orders_of_the_stream(seed, n_samples):
    _, y = make_stream("class-incremental", n_samples, seed)
    assert np.all(np.diff(y) >= 0)
    _, y = make_stream("mixed", n_samples, seed)
    assert np.all(np.diff(np.minimum(y, 2)) >= 0)


def test_shuffled_parts_are_shuffled():
    _, y = make_stream("mixed", random_state=0)
    assert np.count_nonzero(np.diff(y[600:])) > 500
    _, y = make_stream("random", random_state=0)
    assert np.count_nonzero(np.diff(y)) > 1000


@given(seeds, orders)
def test_same_seed_same_stream(seed, order):
    X, y = make_stream(order, 100, seed)
    for again in (seed, np.random.default_rng(seed)):
        X_again, y_again = make_stream(order, 100, again)
        assert np.array_equal(X, X_again)
        assert np.array_equal(y, y_again)
    assert not np.array_equal(X, make_stream(order, 100, seed + 1)[0])


@given(seeds)
def test_same_samples_in_every_order(seed):
    streams = [make_stream(order, 50, seed)[0] for order in ORDERS]
    assert rows(streams[0]) == rows(streams[1]) == rows(streams[2])


def test_no_seed_means_another_stream_each_time():
    assert not np.array_equal(make_stream()[0], make_stream()[0])


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_moments(seed):
    """Standard errors of Gaussian samples: var / n for means, (var var' + cov^2) / n for cov."""
    X, y = make_stream("random", 160_000, seed)
    variances = np.diag(COVARIANCE)
    for cluster, mean in enumerate(MEANS):
        members = X[y == cluster]
        error = np.sqrt(variances / len(members))
        assert np.all(np.abs(members.mean(axis=0) - mean) < STANDARD_ERRORS * error)
    noise = X - MEANS[y]
    error = np.sqrt((np.outer(variances, variances) + COVARIANCE**2) / len(X))
    assert np.all(np.abs(noise.T @ noise / len(X) - COVARIANCE) < STANDARD_ERRORS * error)


@given(labels, orders, seeds)
def test_reorder_is_a_permutation(y, order, seed):
    X = np.column_stack([np.arange(len(y)), y])
    X_new, y_new = reorder(X, y, order, seed)
    assert rows(X_new) == rows(X)
    assert np.array_equal(X_new[:, 1], y_new)
    X_again, _ = reorder(X, y, order, seed)
    assert np.array_equal(X_new, X_again)


@given(labels, seeds)
def test_reorder_orders(y, seed):
    X = np.zeros((len(y), 1))
    _, incremental = reorder(X, y, "class-incremental", seed)
    assert incremental.tolist() == sorted(y.tolist())
    _, mixed = reorder(X, y, "mixed", seed)
    alone = np.isin(incremental, np.unique(y)[:2])
    assert np.array_equal(mixed[alone], incremental[alone])


def test_reorder_shuffles_inside_a_class():
    X = np.arange(50)
    X_new, _ = reorder(X, np.zeros(50), "class-incremental", 0)
    assert not np.array_equal(X_new, X)


def test_reorder_leaves_its_input_alone():
    X, y = np.arange(6.0), np.array([1, 0, 1, 0, 2, 2])
    reorder(X, y, "class-incremental", 0)
    assert X.tolist() == [0, 1, 2, 3, 4, 5]
    assert y.tolist() == [1, 0, 1, 0, 2, 2]


@pytest.mark.parametrize("n_samples", [6, 0, -1])
def test_too_few_samples(n_samples):
    with pytest.raises(ValueError, match=f"n_samples is {n_samples}; at least 7 are needed"):
        make_stream(n_samples=n_samples)


def test_unknown_order():
    message = "order is 'sorted'; it must be one of 'class-incremental', 'mixed', 'random'"
    with pytest.raises(ValueError, match=message):
        make_stream("sorted")
    with pytest.raises(ValueError, match=message):
        reorder([[0.0]], [0], "sorted")


@pytest.mark.parametrize(("X", "y"), [([[1.0], [2.0]], [0]), ([[1.0]], [[0]]), (1.0, [0])])
def test_samples_and_labels_must_match(X, y):
    with pytest.raises(ValueError, match="one row of X and one label are needed per sample"):
        reorder(X, y, "random")
