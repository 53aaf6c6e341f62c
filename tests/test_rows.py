"""The rows of the reading of the paper, on the paper's own data."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from streamart import ICVITopoARTMAP
from streamart.data import make_stream
from support import COMPILED, read_data

# data, index, rho, rho_c, tau, xi, ARI, clusters, categories
ROWS = [
    ("exp1", "conn", 0.9, 0.9, 0, 300, 0.9576, 10, 50),  # the paper's own row, digit for digit
    ("exp1", "ch", 0.9, 0.0, 5, 100, 0.9878, 7, 15),
    ("exp1", "wb", 0.9, 0.0, 5, 300, 0.9902, 7, 30),
    ("exp1", "xb", 0.0, 0.0, 5, 600, 0.9613, 7, 38),
    ("exp2", "ch", 0.6, 0.0, 0, 300, 0.9963, 7, 33),
    ("exp2", "wb", 0.0, 0.0, 0, 200, 0.9975, 7, 34),
    ("exp2", "pbm", 0.0, 0.0, 0, 100, 0.9969, 8, 31),
    ("exp2", "conn", 0.9, 0.9, 5, 600, 0.8741, 7, 49),
]

pytestmark = pytest.mark.skipif(not COMPILED, reason="1600 samples a row need the compiler")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
@pytest.mark.parametrize("escape", [True, False])
def test_row(row, escape):
    name, icvi, rho, rho_c, tau, xi, ari, clusters, categories = row
    X, y = read_data(f"{name}.csv")
    model = ICVITopoARTMAP(
        icvi, rho=rho, rho_c=rho_c, tau=tau, xi=xi, escape_single_cluster=escape
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(ari, abs=0.0005)
    assert (model.n_clusters_, model.n_categories_) == (clusters, categories)


def test_row_with_the_raised_second_winner():
    X, y = read_data("exp2.csv")
    model = ICVITopoARTMAP(
        "conn", rho=0.8, rho_c=0.8, tau=0, xi=100, second_winner_vigilance="raised"
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(0.9356, abs=0.0005)
    assert (model.n_clusters_, model.n_categories_) == (11, 35)


def test_faces_as_in_the_papers_setting():
    """Class-incremental: CH, cosine match, swap on, merge, split and compress off."""
    X, y = read_data("faces40x10_1024d.npz")
    model = ICVITopoARTMAP(
        "ch",
        match="cosine",
        rho=0.3,
        strategies=("swap", "prune"),
        icvi_match_tracking=False,
        phi=3,
        xi=100,
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95


@pytest.mark.parametrize("order", ["class-incremental", "mixed", "random"])
def test_the_default_finds_the_clusters_of_the_built_in_stream(order, seed):
    X, y = make_stream(order, random_state=seed)
    model = ICVITopoARTMAP().fit(X)
    assert model.n_clusters_ == 7
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert np.bincount(model.labels_).min() > 100
