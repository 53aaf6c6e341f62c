"""Beside the package `cvi` 0.7.2, if installed (``make test-cvi``): equal where it is right."""

import warnings

import numpy as np
import pytest

from streamart import icvi

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    cvi = pytest.importorskip("cvi")

THEIRS = {
    "ch": cvi.CH,
    "wb": cvi.WB,
    "xb": cvi.XB,
    "db": cvi.DB,
    "gd43": cvi.GD43,
    "gd53": cvi.GD53,
    "csil": cvi.cSIL,
    "ps": cvi.PS,
    "rcip": cvi.rCIP,
}


def some_clusters(seed, origin=0.0):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(4), rng.integers(4, size=76)])
    means = origin + 5.0 * rng.normal(size=(4, 3))
    return means[labels] + rng.normal(size=(80, 3)), labels


def their_course(name, X, labels):
    index = THEIRS[name]()
    with np.errstate(all="ignore"):
        return np.array([index.get_cvi(x, int(c)) for x, c in zip(X, labels, strict=True)])


def our_course(name, X, labels):
    return icvi.available()[name]().course(X, labels)


@pytest.mark.parametrize("name", THEIRS)
def test_the_same_after_each_sample(name, seed):
    """From the second cluster on; before, they say 0 and we say that it is undefined."""
    X, labels = some_clusters(seed)
    ours, theirs = our_course(name, X, labels), their_course(name, X, labels)
    assert np.isnan(ours[0])
    assert theirs[0] == 0.0
    # Where all clusters are single samples (the first four), a ratio is 0/0 or x/0.
    np.testing.assert_allclose(ours[4:], theirs[4:], rtol=1e-7)


@pytest.mark.parametrize("name", THEIRS)
def test_the_same_after_removing_and_merging(name, seed):
    X, labels = some_clusters(seed)
    ours, theirs = icvi.available()[name](), THEIRS[name]()
    ours.update_many(X, labels)
    with np.errstate(all="ignore"):
        for x, c in zip(X, labels, strict=True):
            theirs.get_cvi(x, int(c))
    for at in range(10, 20):
        ours.remove(X[at], labels[at])
        assert ours.value == pytest.approx(theirs.remove(X[at], int(labels[at])), rel=1e-7)
    ours.merge(0, 1)
    assert ours.value == pytest.approx(theirs.merge(0, 1), rel=1e-7)


def error(name, X, labels, course):
    """Relative, against our batch form on the same data moved to the origin (exactly, since the
    data are of few binary digits)."""
    exact = getattr(icvi.batch, name)(X - X[0], labels)
    return abs(course[-1] - exact) / abs(exact)


def test_where_it_is_not_right():
    """Far from the origin, its centroid silhouette loses its digits: it keeps sums of squares of
    the samples. (Map coordinates in millimetres are of this size.)"""
    X, labels = some_clusters(0)
    X = np.round(X * 64) / 64 + 2.0**27
    assert error("csil", X, labels, our_course("csil", X, labels)) < 1e-9
    assert error("csil", X, labels, their_course("csil", X, labels)) > 1e-2
    # And it takes undefined for a number: one cluster is as bad for it as the worst of all.
    assert THEIRS["db"]().get_cvi(np.array([1.0]), 0) == 0.0  # where 0 is the best there is
