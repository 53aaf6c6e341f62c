"""ICVITopoARTMAPClassifier: few labels, many samples."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from streamart import ICVITopoARTMAP, ICVITopoARTMAPClassifier, load
from streamart.data import make_stream
from support import COMPILED, read_data
from test_model import fingerprint, in_use

N = 700 if COMPILED else 100
PAPER = {"map_learning": "fixed", "tau": 100, "xi": 100, "strategies": ["compress"]}


@parametrize_with_checks([ICVITopoARTMAPClassifier()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def few_labels(seed, n=N):
    """The paper's protocol: the first sample of each class has a label, the others have none."""
    X, y = make_stream("random", n, seed)
    labels = np.full(n, -1)
    first = np.unique(y, return_index=True)[1]
    labels[first] = y[first]
    return X, y, labels


@pytest.mark.skipif(not COMPILED, reason="takes minutes without the compiler")
def test_a_search_that_once_cycled_ends():
    """With MT-, the search in compression went round in a circle: "comes after", which allows for
    rounding, is not transitive."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 16)), rng.integers(-1, 3, 500)
    model = ICVITopoARTMAPClassifier(
        rho=0.97, rho_mt=0.0, rho_c=0.3, alpha=1e-9, beta1=0.5, beta2=0.5, epsilon=-0.01,
        use_uncommitted=False, tau=3, xi=50,
    )  # fmt: skip
    assert len(model.partial_fit(X, y).predict(X)) == 500


@pytest.mark.parametrize("icvi", ["ch", "wb", "pbm", "xb", "db"])
def test_it_is_the_papers_semi_supervised_mode(icvi, seed):
    """The same network as the clusterer with the paper's switches, labelled samples first."""
    X, _, labels = few_labels(seed)
    classifier = ICVITopoARTMAPClassifier(icvi).fit(X, labels)
    network = ICVITopoARTMAP(icvi, escape_single_cluster=False, **PAPER)
    first = np.argsort(labels < 0, kind="stable")
    network.partial_fit(X[first], labels[first])
    assert in_use(classifier.network_) == in_use(network)
    assert classifier.network_.n_clusters_ == 7


def test_few_labels_are_enough(seed):
    X, y, labels = few_labels(seed)
    model = ICVITopoARTMAPClassifier("ch").fit(X, labels)
    # A single labelled sample per class: far better than chance, whatever the draw.
    assert np.mean(model.transduction_ == y) > 0.8
    assert np.mean(model.predict(X) == y) > 0.8
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_it_learns_while_it_predicts(seed):
    X, y, labels = few_labels(seed)
    known = labels >= 0
    whole = ICVITopoARTMAPClassifier().fit(X, labels)
    model = ICVITopoARTMAPClassifier().partial_fit(X[known], labels[known])
    answers = np.empty(len(X), dtype=int)
    answers[known] = y[known]
    for t in np.flatnonzero(~known):
        answers[t] = model.partial_fit(X[t : t + 1]).transduction_[0]
    assert in_use(model.network_) == in_use(whole.network_)
    assert np.mean(answers == y) > 0.8


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["b", None, "a", float("nan"), None], ["a", "b"]),
        (np.array(["b", None, "a", None, None], dtype=object), ["a", "b"]),
        ([5, -1, 3, -1, -1], [3, 5]),
        ([5.0, np.nan, 3.0, np.nan, -1.0], [3.0, 5.0]),
        ([np.int64(5), None, np.int64(3), None, None], [3, 5]),
        (pd.Series(["b", None, "a", None, None], dtype="string"), ["a", "b"]),
        (pd.Series([5, None, 3, None, None], dtype="Int64"), [3, 5]),
        ([True, False, True, False, False], [False, True]),
    ],
)
def test_marks_of_unlabelled_samples(labels, classes):
    X = [[0.0, 0], [0, 1], [9, 9], [8, 9], [1, 0]]
    model = ICVITopoARTMAPClassifier().fit(X, labels)
    assert model.classes_.tolist() == classes
    if classes != [False, True]:
        b, a = classes[::-1]
        assert model.transduction_.tolist() == [b, b, a, a, b]
        assert model.predict([[1.0, 1.0], [9.0, 8.0]]).tolist() == [b, a]


def test_signs_are_two_classes():
    X = [[0.0, 0], [0, 1], [9, 9], [8, 9]]
    model = ICVITopoARTMAPClassifier().fit(X, [-1, -1, 1, 1])
    assert model.classes_.tolist() == [-1, 1]
    assert model.partial_fit([[9.0, 8]], [-1]).transduction_.tolist() == [-1]
    listed = ICVITopoARTMAPClassifier().partial_fit(X, [-1, -1, 0, 1], classes=[-1, 0, 1])
    assert listed.transduction_.tolist() == [-1, -1, 0, 1]


def test_classes_may_appear_later():
    model = ICVITopoARTMAPClassifier().partial_fit([[0.0, 0], [9, 9]], ["b", "d"])
    model.partial_fit([[0.0, 9]], ["a"]).partial_fit([[9.0, 0]], ["ccc"])
    assert model.classes_.tolist() == ["a", "b", "ccc", "d"]
    X = [[0.0, 1], [8, 9], [1, 9], [9, 1]]
    assert model.predict(X).tolist() == ["b", "d", "a", "ccc"]
    assert set(model.class_ids_) == {"a", "b", "ccc", "d"}
    assert sorted(model.class_ids_.values()) == sorted(model.network_.cluster_ids_.tolist())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X: m.partial_fit(X, ["a", "x"]), "'x', which is not in classes"),
        (lambda m, X: m.partial_fit(X, ["a", "b"], classes=["a", "b"]), "at the first call"),
        (lambda m, X: m.partial_fit(X, [1, 2]), "not in classes"),
        (lambda m, X: m.partial_fit(X, ["a"]), "inconsistent numbers of samples"),
        (lambda m, X: m.partial_fit(X, [["a", "b"]] * 2), "1d array"),
        (lambda m, X: m.partial_fit(X, np.array(["a", 7], dtype=object)), "mixes strings"),
        (lambda m, X: m.partial_fit([[np.nan, 1.0]], ["a"]), "NaN"),
        (lambda m, X: m.partial_fit([[1.0]], ["a"]), "features"),
        (lambda m, X: m.fit(X, None), "y is None"),
        (lambda m, X: m.fit(X, [-1, -1]), "No sample has a label"),
        (lambda m, X: m.fit(X, [0.5, 1.25]), "Unknown label type"),
        (lambda m, X: m.fit(X, [0.0, np.inf]), "Unknown label type"),
        (lambda m, X: m.fit(X, [0, (1, 2)]), "1d array|shape|inhomogeneous"),
    ],
)
def test_what_is_refused_changes_nothing(call, message):
    X = np.array([[0.0, 0], [9, 9]])
    model = ICVITopoARTMAPClassifier().partial_fit(X, ["a", "b"], classes=["a", "b", "c"])
    before = fingerprint(model.network_), model.classes_.tolist(), model._seen
    with pytest.raises(ValueError, match=message):
        call(model, X)
    assert (fingerprint(model.network_), model.classes_.tolist(), model._seen) == before


def test_strings_do_not_follow_numbers():
    model = ICVITopoARTMAPClassifier().partial_fit([[0.0, 0], [9, 9]], [0, 1])
    with pytest.raises(ValueError, match="classes so far are"):
        model.partial_fit([[0.0, 0]], ["a"])


def test_the_first_batch_needs_a_label():
    model = ICVITopoARTMAPClassifier()
    with pytest.raises(ValueError, match="No sample has a label"):
        model.partial_fit([[0.0, 0]])
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(ValueError, match="No sample has a label"):
        model.partial_fit([[0.0, 0]], [-1], classes=[0, 1])


def test_scores(seed):
    X, y, labels = few_labels(seed)
    model = ICVITopoARTMAPClassifier().partial_fit(X, labels, classes=range(9))
    scores = model.predict_proba(X)
    assert scores.shape == (len(X), 9)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0)
    assert np.all(scores[:, 7:] == 0.0)  # nothing is known of these
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
    # The more certain, the more often right.
    right, best = model.predict(X) == y, scores.max(axis=1)
    if not right.all():
        assert best[right].mean() > best[~right].mean()


@pytest.mark.parametrize("copy", [lambda m, p: pickle.loads(pickle.dumps(m)), None])
def test_copies_and_files_go_on_identically(copy, tmp_path, seed):
    X, _, labels = few_labels(seed)
    half = len(X) // 2
    labels[:7] = range(7)
    model = ICVITopoARTMAPClassifier(record_events=True).partial_fit(X[:half], labels[:half])
    if copy is None:
        model.save(tmp_path / "model")
        other = load(tmp_path / "model")
    else:
        other = copy(model, tmp_path)
    for one in (model, other):
        one.partial_fit(X[half:], labels[half:])
    assert in_use(model.network_) == in_use(other.network_)
    assert np.array_equal(model.transduction_, other.transduction_)
    np.testing.assert_equal(model.network_.events_, other.network_.events_)
    assert np.array_equal(model.predict(X), other.predict(X))


def test_labels_of_floats_survive_a_file(tmp_path):
    model = ICVITopoARTMAPClassifier().fit([[0.0, 0], [9, 9]], [2.0, 7.0])
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").predict([[1.0, 1]]).tolist() == [2.0]


def test_digits():
    """Real images, every tenth with its label; the others teach themselves."""
    X, y = load_digits(return_X_y=True)
    step = 1 if COMPILED else 12
    X, y = X[::step], y[::step]
    labels = np.where(np.arange(len(y)) % 10 == 0, y, -1) if COMPILED else y
    model = ICVITopoARTMAPClassifier(match="cosine", rho=2.0, rho_mt=0.1, tau=0).fit(X, labels)
    assert np.mean(model.transduction_ == y) > 0.75
    assert np.mean(model.predict(X) == y) > 0.75


def test_faces():
    """One picture of each person is named; the others are recognised (the paper's experiment)."""
    X, y = read_data("faces40x10_1024d.npz")
    labels = np.full(len(y), -1)
    labels[::10] = y[::10]
    if not COMPILED:
        X, y, labels = X[:40], y[:40], labels[:40]
    model = ICVITopoARTMAPClassifier(match="cosine", rho=2.0, rho_mt=0.1, xi=300).fit(X, labels)
    assert np.mean(model.predict(X) == y) > 0.8
    assert np.mean(model.transduction_ == y) > 0.8
