"""Every shortcut leaves the result as it is, on streams that are long enough to use it."""

import numpy as np
import pytest

from exhaustive import assert_same, gaussians
from streamart.data import ORDERS, make_stream
from support import COMPILED, read_data

if not COMPILED:
    pytest.skip("long streams need the compiler", allow_module_level=True)

INDICES = ("ch", "wb", "pbm", "xb", "db", "conn")


def settings(icvi):
    return {"rho": 0.6, "rho_c": 0.6} if icvi == "conn" else {}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("icvi", INDICES)
def test_built_in_stream(icvi, order):
    X, _ = make_stream(order, 800, 5)
    model = assert_same(X, icvi=icvi, **settings(icvi))
    if icvi != "conn":
        assert model.work_["swap_proofs"] > 0


@pytest.mark.parametrize("icvi", INDICES)
def test_well_separated(icvi, seed):
    X = gaussians(seed, 20, 12, 900, 20.0)
    model = assert_same(X, icvi=icvi, xi=60, **settings(icvi))
    if icvi != "conn":
        assert model.work_["compressions"] + model.work_["compressions_in_place"] > 0


@pytest.mark.parametrize("icvi", INDICES)
def test_overlapping(icvi, seed):
    X = gaussians(seed, 3, 8, 700, 6.0)
    assert_same(X, icvi=icvi, tau=seed, xi=50, phi=8, **settings(icvi))


@pytest.mark.parametrize(("d", "side"), [(2, 12.0), (16, 3.0), (70, 2.0)])
@pytest.mark.parametrize("icvi", ["ch", "wb"])
def test_splits(icvi, d, side, seed):
    """Those that would be undone are not made, also if a new cluster would merge before."""
    model = assert_same(gaussians(seed, d, 9, 1500, side), icvi=icvi, xi=80)
    assert model.work_["split_proofs"] > 0


@pytest.mark.parametrize(("d", "side"), [(8, 3.0), (16, 3.0), (70, 3.0), (128, 10.0)])
@pytest.mark.parametrize(("icvi", "xi"), [("pbm", 100), ("xb", 40)])
def test_splits_among_few_clusters(icvi, xi, d, side, seed):
    """PBM, XB: the same, where one cluster has most categories, and others have but one."""
    model = assert_same(gaussians(seed, d, 40, 1200, side), icvi=icvi, xi=xi)
    assert model.work_["split_proofs"] > 0 or (icvi, d) == ("xb", 8)  # which may have none


@pytest.mark.parametrize("icvi", ["ch", "wb"])
def test_many_clusters_of_all_sizes(icvi):
    """Small clusters far from all others are the hard case of the bounds of mergers."""
    assert_same(gaussians(1, 128, 60, 2500, 30.0), icvi=icvi)


@pytest.mark.parametrize("d", [2, 70])  # with many features, boxes have coarse copies
@pytest.mark.parametrize("icvi", ["ch", "wb", "pbm"])
def test_inactive_categories(icvi, d, seed):
    """Compression in place, and proofs that it would change nothing."""
    X = gaussians(seed, d, 6, 1200, 12.0 if d == 2 else 4.0)
    model = assert_same(X, icvi=icvi, xi=40)
    assert model.work_["compressions_in_place"] > 0
    assert model.work_["compress_proofs"] > 0


@pytest.mark.parametrize("epsilon", [0.0, -0.01, 0.2])
@pytest.mark.parametrize(("rho_c", "beta1"), [(0.0, 1.0), (0.7, 1.0), (0.0, 0.8)])
def test_inactive_categories_with_other_parameters(rho_c, beta1, epsilon, seed):
    X = np.round(gaussians(seed, 3, 7, 900, 8.0), 1 + seed % 2)  # some boxes are alike
    assert_same(X, icvi="wb", xi=30, rho=0.5, rho_c=rho_c, epsilon=epsilon, beta1=beta1)


@pytest.mark.parametrize("icvi", INDICES)
def test_faces(icvi):
    X, _ = read_data("faces106x14_128d.npz")
    n = 300 if icvi in ("ch", "wb") else 120
    assert_same(X[:n], icvi=icvi, match="cosine", rho=0.06, rho_mt=0.04)


def test_cluster_that_others_were_proven_by_goes():
    """DB: what leant on a cluster is asked about again when it disappears."""
    rng = np.random.default_rng(6)
    means = rng.normal(0, 2, (40, 70))
    X = means[rng.integers(40, size=2500)] + rng.standard_normal((2500, 70))
    assert_same(X[:1500], icvi="db", xi=60)


@pytest.mark.parametrize("known", [64, 136])
def test_box_that_spans_the_whole_range(known):
    """It activates nothing, not even itself: compression in place must not count on that."""
    rng = np.random.default_rng(known)
    means = rng.uniform(0, 12, size=(2, 1))
    X = np.round(means[rng.integers(2, size=300)] + rng.normal(size=(300, 1)))
    X = X[np.argsort(X[:, 0] + rng.normal(size=300))]
    assert_same(X, icvi="ch", xi=10, rho=0.8, rho_mt=0.8, tau=5, phi=20)


@pytest.mark.parametrize("icvi", ["ch", "wb", "pbm"])
def test_few_clusters_for_many_true_ones(icvi):
    """Nearly every sample puts a category to rest, and compression has to look at it."""
    rng = np.random.default_rng(5)
    centres = rng.normal(0.0, 3.0, size=(120, 48))
    X = centres[rng.integers(120, size=1800)] + rng.normal(size=(1800, 48))
    model = assert_same(X, icvi=icvi, xi=60)
    assert model.work_["compressions_in_place"] > 4 * model.work_["compressions"]


def test_rows_are_packed():
    """Many categories come, and most of them go again: the others close up."""
    rng = np.random.default_rng(0)
    scattered = rng.uniform(-60, 60, size=(250, 20))
    model = assert_same(np.vstack([scattered, gaussians(1, 20, 5, 900, 20.0)]), icvi="wb", xi=60)
    now = model._state.now[0]
    assert now["rows"] < 1.25 * now["categories"] + 33
