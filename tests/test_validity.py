"""The indices on their own: incremental, batch, naive and scikit-learn's values are the same."""

import math
import os
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import calinski_harabasz_score

from naive.indices import conn_index, sum_of_squares_index
from naive.information import INFORMATION
from streamart import ICVITopoARTMAP, icvi
from streamart.validity.given import distinct
from support import COMPILED

# Each index is a program of its own: the interpreted pass tries them all.
EVERY = [name for name in icvi.available() if name != "conn"]
NAMES = EVERY
if COMPILED and "STREAMART_LONG" not in os.environ:
    NAMES = ["ch", "db", "csil", "rcip", "ni"]
# With epsilon = 12 a cluster of few samples has a covariance of condition 10^12 / d: its inverse
# keeps four digits. Here it has condition 100.
CALM = {"epsilon": 2.0}
# Two ways of adding up the same numbers, each to 15 digits; an index may cancel some of them.
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def make(name, footprints=None):
    kind = icvi.available()[name]
    return kind(footprints, **(CALM if kind.needs_covariances else {}))


def naive(name, X, labels):
    """By its definition, from the samples."""
    _, place = distinct(labels)
    X = np.asarray(X, dtype=float)
    k = int(place.max()) + 1 if len(place) else 0
    if k < 2:
        return math.nan
    if name in INFORMATION:
        return INFORMATION[name](X, place, **CALM)
    return sum_of_squares_index("pbm" if name == "i" else name, X, place, k)


def batch(name, X, labels):
    kind = icvi.available()[name]
    return getattr(icvi.batch, name)(X, labels, **(CALM if kind.needs_covariances else {}))


def some_clusters(seed, n=60, d=3, k=4, spread=4.0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    return rng.normal(size=(n, d)) + spread * rng.normal(size=(k, d))[labels], labels


# ------------------------------------------------------------------ values


@pytest.mark.parametrize("name", NAMES)
def test_batch_is_the_definition(name, seed):
    for d in (1, 2, 5):
        X, labels = some_clusters(seed, d=d)
        np.testing.assert_allclose(batch(name, X, labels), naive(name, X, labels), **CLOSE)


def test_ch_is_scikit_learns(seed):
    X, labels = some_clusters(seed)
    expected = calinski_harabasz_score(X, labels)
    assert icvi.batch.ch(X, labels) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_course_is_the_value_after_each_sample(name, seed):
    X, labels = some_clusters(seed, n=25)
    index, one_by_one = make(name), make(name)
    found = index.course(X[:20], labels[:20])
    every_third = make(name).course(X, labels, every=3)
    for at in range(20):
        one_by_one.update(X[at], labels[at])
        np.testing.assert_array_equal(found[at], one_by_one.value)
    np.testing.assert_array_equal(every_third[:6], found[2:20:3])
    index.update_many(X[20:], labels[20:])
    assert every_third[7] == make(name).course(X[:24], labels[:24])[-1]
    np.testing.assert_allclose(index.value, naive(name, X, labels), **CLOSE)


class Told:
    """Samples by label, in plain lists: what the footprints should know."""

    def __init__(self):
        self.parts = {}

    def add(self, x, label):
        self.parts.setdefault(label, []).append(x)

    def take(self, label, at):
        x = self.parts[label].pop(at)
        if not self.parts[label]:
            del self.parts[label]
        return x

    def flat(self):
        X = [x for part in self.parts.values() for x in part]
        return np.array(X), [label for label, part in self.parts.items() for _ in part]


# Labels of several types, and values some of which come twice, far from the origin or not.
LABELS = ["a", 1, ("b", 2), None, 2.5]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 50.0]))
def test_incremental_is_batch_after_any_operations(start, origin):
    """Add, remove, move, merge, split, join and copy, in any order."""
    rng = np.random.default_rng(start)
    d = int(rng.integers(1, 4))
    seen, told = icvi.Footprints(covariances=True), Told()
    indices = [make(name, seen) for name in NAMES]

    def any_sample():
        x = origin + rng.normal(size=d) * rng.choice([0.0, 1.0, 20.0]) + rng.integers(3, size=d)
        return x + 1e-3 * rng.normal(size=d)

    def any_cluster():
        return list(told.parts)[rng.integers(len(told.parts))]

    for _ in range(30 if COMPILED else 20):
        verb = rng.choice(["add", "add", "many", "remove", "move", "merge", "split", "join"])
        if verb == "add" or not told.parts:
            x, label = any_sample(), LABELS[rng.integers(len(LABELS))]
            seen.update(x, label)
            told.add(x, label)
        elif verb == "many":
            X = [any_sample() for _ in range(4)]
            labels = [LABELS[at] for at in rng.integers(len(LABELS), size=4)]
            seen.update_many(X, labels)
            for x, label in zip(X, labels, strict=True):
                told.add(x, label)
        elif verb in ("remove", "move"):
            label = any_cluster()
            x = told.take(label, rng.integers(len(told.parts[label])))
            if verb == "remove":
                seen.remove(x, label)
            else:
                target = LABELS[rng.integers(len(LABELS))]
                seen.move(x, label, target)
                told.add(x, target)
        elif verb == "merge" and len(told.parts) > 1:
            a, b = (list(told.parts)[at] for at in rng.permutation(len(told.parts))[:2])
            seen.merge(a, b)
            told.parts[a] += told.parts.pop(b)
        elif verb == "split":
            label, target = any_cluster(), LABELS[rng.integers(len(LABELS))]
            count = int(rng.integers(1, len(told.parts[label]) + 1))
            part = np.array([told.take(label, 0) for _ in range(count)])
            seen.split(label, icvi.Footprint.of(part) if rng.random() < 0.5 else part, target)
            for x in part:
                told.add(x, target)
        elif verb == "join":
            other, X = icvi.Footprints(covariances=True), [any_sample() for _ in range(3)]
            other.update_many(X, LABELS[:3])
            seen.join(other)
            for x, label in zip(X, LABELS[:3], strict=True):
                told.add(x, label)
        if rng.random() < 0.3:  # in between, so that what is kept from before is used
            assert all(isinstance(index.value, float) for index in indices)
    X, labels = told.flat()
    assert set(seen.labels) == set(labels)
    assert seen.n_samples == len(X)
    for index in indices:
        expected = batch(index.name, X, labels) if len(X) else math.nan
        where = f"{index.name} of {len(X)} samples"
        np.testing.assert_allclose(index.value, expected, err_msg=where, **CLOSE)
        if len(X):
            expected = naive(index.name, X, labels)
            np.testing.assert_allclose(index.value, expected, err_msg=where, **CLOSE)


def test_a_million_updates_leave_no_rounding(seed):
    """Far from the origin, with every tenth sample removed again: as in 80-bit floats."""
    rng = np.random.default_rng(seed)
    n = 1_000_000 if COMPILED else 2000
    labels = rng.integers(5, size=n)
    X = 1e4 + 10.0 * rng.normal(size=(5, 2))[labels] + rng.normal(size=(n, 2))
    seen = icvi.Footprints()
    indices = [make(name, seen) for name in NAMES if name not in INFORMATION]
    seen.update_many(X, labels)
    for at in range(200):
        seen.remove(X[at], labels[at])
    X, labels = X[200:].astype(np.longdouble), labels[200:]
    parts = [X[labels == c] for c in range(5)]
    for c, part in enumerate(parts):
        found, mean = seen.footprint(c), part.mean(axis=0)
        np.testing.assert_allclose(found.mean, mean.astype(float), rtol=1e-15)
        np.testing.assert_allclose(found.cp, float(((part - mean) ** 2).sum()), rtol=1e-13)
    for index in indices:
        exact = float(sum_of_squares_index(_core(index.name), X, labels, 5))
        assert index.value == pytest.approx(exact, rel=1e-9)


def _core(name):
    return "pbm" if name == "i" else name


def test_removal_undoes_addition_to_the_last_digit(seed):
    """However large the sample was that came and went."""
    X, labels = some_clusters(seed)
    index = make("db")
    index.update_many(X, labels)
    before = index.value, index.footprints.footprint(0)
    index.update([1e9, -1e9, 3e8], 0)
    assert index.value != before[0]
    index.remove([1e9, -1e9, 3e8], 0)
    after = index.footprints.footprint(0)
    assert index.value == before[0]
    assert (after.n, after.cp, after.mean.tolist()) == (
        before[1].n,
        before[1].cp,
        before[1].mean.tolist(),
    )


# How the value changes when the data are scaled by s: by s to this power.
POWER = {"pbm": 4.0, "i": 4.0, "gd43": -1.0}


@pytest.mark.parametrize("name", NAMES)
def test_invariances(name, seed):
    X, labels = some_clusters(seed, n=80, k=3)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    value = batch(name, X, labels)
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(batch(name, X + 30.0, labels), value, **close)
    np.testing.assert_allclose(batch(name, X @ turn, labels), value, **close)
    relabelled = [["x", "y", "z"][c] for c in labels]
    np.testing.assert_allclose(batch(name, X[::-1], relabelled[::-1]), value, **close)
    if name not in INFORMATION:
        scaled = batch(name, 7.0 * X, labels)
        np.testing.assert_allclose(scaled, value * 7.0 ** POWER.get(name, 0.0), **close)
    elif name == "ni":  # delta is not scaled, but small
        whole = icvi.batch.ni(7.0 * X, labels, epsilon=30.0)
        assert whole == pytest.approx(icvi.batch.ni(X, labels, epsilon=30.0), rel=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_range_and_direction(name, seed):
    """The true partition of separate clusters is better than a random one."""
    low, high = icvi.available()[name].range
    X, labels = some_clusters(seed, n=120, spread=30.0)
    rng = np.random.default_rng(seed)
    for other in (labels, rng.integers(4, size=120), rng.integers(9, size=120)):
        assert low <= batch(name, X, other) <= high
    right, wrong = make(name), make(name)
    right.update_many(X, labels)
    wrong.update_many(X, rng.permutation(labels))
    if name not in ("gd53",):  # which does not look at where clusters are
        assert right.better_than(wrong)
        assert not wrong.better_than(right)
    assert not right.better_than(right.value)
    assert right.better_than(math.nan)
    assert not make(name).better_than(math.nan)


UNDEFINED = {  # two clusters: of copies; of copies of one sample; with one mean and a spread
    "ch": (math.inf, math.nan, 0.0),
    "wb": (0.0, math.nan, math.inf),
    "pbm": (math.inf, math.nan, 0.0),
    "i": (math.inf, math.nan, 0.0),
    "xb": (0.0, math.nan, math.inf),
    "db": (0.0, math.nan, math.inf),
    "gd43": (math.inf, math.nan, 0.0),
    "gd53": (math.nan, math.nan, 0.5),
    "csil": (1.0, math.nan, 0.0),
    "ps": (2 - 2 * math.exp(-4), math.nan, math.nan),
    "pcaes": (2 - 2 * math.exp(-4), math.nan, math.nan),
}


@pytest.mark.parametrize("name", [name for name in NAMES if name in UNDEFINED])
def test_what_is_undefined(name):
    streams = ([[0.1], [0.1], [0.7], [0.7]], [[0.1]] * 4, [[-1.0], [1.0], [-1.0], [1.0]])
    for X, expected in zip(streams, UNDEFINED[name], strict=True):
        labels = [0, 0, 1, 1]
        for value in (make(name).course(X, labels)[-1], batch(name, X, labels)):
            np.testing.assert_allclose(value, expected, rtol=1e-12)
            np.testing.assert_allclose(naive(name, X, labels), expected, rtol=1e-12)
    assert math.isnan(make(name).value)
    assert math.isnan(batch(name, [[1.0], [2.0]], "aa"))


# ------------------------------------------------------------------ use


def test_indices_share_footprints(seed):
    X, labels = some_clusters(seed)
    seen = icvi.Footprints(covariances=True)
    shared = [make(name, seen) for name in NAMES]
    seen.update_many(X[:30], labels[:30])
    # Each looks at other times, and the last one adds samples itself.
    assert all(index.value == index.value for index in shared[::2])
    shared[-1].course(X[30:], labels[30:])
    for index in shared:
        alone = make(index.name)
        alone.update_many(X, labels)
        assert alone.value == index.value


def test_labels_of_any_kind():
    index = make("db")
    index.update_many([[0.0], [1.0]], [None, ("a", 1)])
    index.update_many(np.array([[5.0], [6.0]]), np.array(["x", "x"]))
    index.update([2.0], np.int64(7))
    index.update_many([[0.5], [1.5]], np.array([7, 8]))
    assert index.footprints.labels == [None, ("a", 1), "x", 7, 8]
    assert index.footprints.footprint(7).n == 2
    index.merge("x", None)
    assert sorted(map(str, index.footprints.labels)) == ["('a', 1)", "7", "8", "x"]
    assert index.footprints.n_samples == 7


def test_bad_input_changes_nothing():
    index = make("db")
    index.update_many([[0.0, 1.0], [3.0, 3.0], [1.0, 1.0]], "aba")
    before = pickle.dumps(index.footprints.described())
    for wrong, message in [
        (lambda: index.update([1.0, math.nan], "a"), "no finite number"),
        (lambda: index.update([1.0, 1e200], "a"), "no finite number"),
        (lambda: index.update([1.0], "a"), "Expected 2 features, got 1"),
        (lambda: index.update([[1.0, 2.0]], "a"), "one row"),
        (lambda: index.update([1.0, 2.0], math.nan), "NaN"),
        (lambda: index.update_many([[1.0, 2.0], [1.0, math.inf]], ["c", "d"]), "Sample 1"),
        (lambda: index.update_many([[1.0, 2.0]], ["c", "d"]), "1 samples and 2 labels"),
        (lambda: index.update_many([1.0, 2.0], ["c", "d"]), "rows of features"),
        (lambda: index.course([[1.0, 2.0]], ["c"], every=0), "every"),
        (lambda: index.remove([0.0, 1.0], "z"), "no cluster 'z'"),
        (lambda: index.remove([9.0, 9.0], "b"), "cannot have had this sample"),
        (lambda: index.remove([9.0, 9.0], "a"), "cannot have had this sample"),
        (lambda: index.move([9.0, 9.0], "a", "c"), "cannot have had this sample"),
        (lambda: index.merge("a", "a"), "itself"),
        (lambda: index.merge("a", "z"), "no cluster 'z'"),
        (lambda: index.split("a", [[9.0, 9.0]], "c"), "cannot have had this part"),
        (lambda: index.split("a", icvi.Footprint(5, [0, 0], 1.0), "c"), "cannot have had"),
        (lambda: index.split("a", icvi.Footprint(0, [0, 0], 1.0), "c"), "No samples have n=0"),
        (lambda: index.join(index), "itself"),
        (lambda: index.better_than(make("ch")), "cannot be compared"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
        assert pickle.dumps(index.footprints.described()) == before, message
    with pytest.raises(TypeError, match="hashable"):
        index.update([1.0, 2.0], [3])
    with pytest.raises(ValueError, match="features"):
        index.join(_seen([[1.0]], "a"))
    with pytest.raises(ValueError, match="covariances"):
        icvi.NegentropyIncrement(index.footprints)
    with pytest.raises(ValueError, match="p must be"):
        icvi.IIndex(p=0.0)
    assert pickle.dumps(index.footprints.described()) == before


def _seen(X, labels):
    index = make("db")
    index.update_many(X, labels)
    return index


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_files(name, tmp_path, seed):
    X, labels = some_clusters(seed)
    index = make(name)
    index.update_many(X[:50], [("c", int(c)) for c in labels[:50]])
    twin = index.copy()
    index.save(tmp_path / "index")
    again = icvi.load(tmp_path / "index")
    assert type(again) is type(index)
    assert again.parameters() == index.parameters()
    for one in (index, twin, again):
        one.update_many(X[50:], [("c", int(c)) for c in labels[50:]])
    assert index.value == twin.value == again.value
    twin.merge(("c", 0), ("c", 1))
    assert index.footprints.n_clusters == again.footprints.n_clusters == 4
    assert repr(index).endswith("60 samples in 4 clusters>")


def test_files_that_are_damaged(tmp_path):
    index = _seen([[0.0, 1.0], [3.0, 3.0], [1.0, 1.0]], "aba")
    index.save(tmp_path / "index")
    whole = (tmp_path / "index").read_bytes()
    for at in range(0, len(whole), 7):
        (tmp_path / "bad").write_bytes(whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        with pytest.raises(ValueError, match="no saved index, or a damaged one"):
            icvi.load(tmp_path / "bad")
    (tmp_path / "bad").write_bytes(whole[:-3])
    with pytest.raises(ValueError, match="no saved index, or a damaged one"):
        icvi.load(tmp_path / "bad")
    index.update([1.0, 1.0], frozenset())
    with pytest.raises(TypeError, match="frozenset cannot be saved"):
        index.save(tmp_path / "index")
    assert (tmp_path / "index").read_bytes() == whole
    empty = make("db")
    empty.save(tmp_path / "empty")
    assert icvi.load(tmp_path / "empty").footprints.n_clusters == 0


def test_everything_can_leave_and_others_come():
    index = make("ni")
    for _ in range(3):
        index.update_many([[0.0], [1.0], [5.0], [6.0]], "aabb")
        value = index.value
        assert value == pytest.approx(naive("ni", [[0.0], [1.0], [5.0], [6.0]], "aabb"))
        for x, label in zip([5.0, 0.0, 6.0, 1.0], "baba", strict=True):
            index.remove([x], label)
        assert (index.footprints.n_samples, index.footprints.labels) == (0, [])
        assert math.isnan(index.value)


def test_every_class_says_all_of_itself():
    for name, kind in icvi.available().items():
        text = kind.__doc__
        for said in (".. math::", "better", "NaN", "Reference"):
            assert said in text, (name, said)
        assert getattr(icvi, kind.__name__) is kind
        assert ("Larger is" if kind.bigger_is_better else "Smaller is") in " ".join(text.split())


# ------------------------------------------------------------------ conn_index


@given(st.integers(0, 2**32 - 1))
def test_conn_index_after_any_operations(start):
    """As the definition on CONN; a sample is its two winners."""
    rng = np.random.default_rng(start)
    index, home, seen = icvi.ConnIndex(), {}, []

    def any_pair():
        first = int(rng.integers(6))
        others = [q for q in home if q != first]
        return first, int(rng.choice(others)) if others and rng.random() < 0.9 else None

    for _ in range(25):
        verb = rng.choice(["add", "add", "add", "remove", "move", "merge", "split"])
        clusters = sorted(set(home.values()))
        if verb == "remove" and seen:
            pair = seen.pop(rng.integers(len(seen)))
            index.remove(pair, home[pair[0]])
            for p in pair:
                if p is not None and not any(p in other for other in seen):
                    del home[p]
        elif verb == "move" and home:
            p, target = int(rng.choice(list(home))), "xyz"[rng.integers(3)]
            index.move(p, target)
            home[p] = target
        elif verb == "merge" and len(clusters) > 1:
            a, b = rng.permutation(clusters)[:2].tolist()
            index.merge(a, b)
            home = {p: a if label == b else label for p, label in home.items()}
        elif verb == "split" and home:
            p = int(rng.choice(list(home)))
            index.split(home[p], [p], "w")
            home[p] = "w"
        else:
            pair = any_pair()
            label = home.setdefault(pair[0], "xyz"[rng.integers(3)])
            index.update(pair, label)
            seen.append(pair)
    assert index.categories == home
    assert index.n_samples == len(seen)
    names = sorted(home)
    counts = {label: sum(home[p] == label for p, _ in seen) for label in home.values()}
    living = [label for label in sorted(set(home.values())) if counts[label]]
    names = [p for p in names if home[p] in living]
    conn = np.zeros((len(names),) * 2)
    for p, q in seen:
        if q in names and p in names:
            conn[names.index(p), names.index(q)] += 1
            conn[names.index(q), names.index(p)] += 1
    places = [living.index(home[p]) for p in names]
    expected = conn_index(places, conn, [counts[label] for label in living])
    np.testing.assert_allclose(index.value, expected, rtol=1e-12)


def test_conn_index_is_the_networks(seed, tmp_path):
    """From the winners that the network's own CONN counts."""
    X, _ = some_clusters(seed, n=60, d=2, k=3, spread=6.0)
    model = ICVITopoARTMAP("ch", rho=0.8, strategies=()).partial_fit(X)
    conn = np.triu(model.conn_.toarray()).astype(int)
    home, n = model.categories_.cluster.tolist(), model.categories_.n.tolist()
    index = icvi.ConnIndex()
    for p, label in enumerate(home):
        index.update((p, None), label)
    for p, q in zip(*np.nonzero(conn), strict=True):
        for _ in range(conn[p, q]):
            index.update((int(p), int(q)), home[p])
    size = np.bincount(home, [index._n[p] for p in range(len(home))])
    assert index.value == pytest.approx(conn_index(home, conn + conn.T, size), rel=1e-12)
    assert len(n) == len(index.categories)
    twin = index.copy()
    twin.save(tmp_path / "index")
    assert icvi.load(tmp_path / "index").value == index.value
    joined = index.copy().join(icvi.load(tmp_path / "index"))
    assert joined.n_samples == 2 * index.n_samples
    assert joined.value == pytest.approx(index.value, rel=1e-12)  # a mean of equal shares


def test_conn_index_from_prototypes():
    X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    labels, prototypes = list("aaabbb"), [[0.5], [2.0], [7.0], [8.5]]
    winners = icvi.winners_of(X, labels, prototypes)
    assert winners == [(0, 1), (0, 1), (1, 0), (2, 3), (3, 2), (3, 2)]
    index = icvi.ConnIndex()
    index.update_many([(p, None) for p, _ in winners], labels)
    index.update_many(winners, labels)
    for p, _ in winners:
        index.remove((p, None), "a" if p < 2 else "b")
    assert index.value == icvi.batch.conn(X, labels, prototypes) == 1.0
    with pytest.raises(ValueError, match="No prototype belongs to cluster 'b'"):
        icvi.winners_of(X, list("aaaaab"), [[0.0], [9.0]])
    with pytest.raises(ValueError, match="At least two prototypes"):
        icvi.winners_of(X, labels, [[0.0], [50.0]])


def test_conn_index_refuses_what_cannot_be():
    index = icvi.ConnIndex()
    index.update_many([("p", None), ("q", "p"), ("r", "q")], "aab")
    before = pickle.dumps(index._described())
    for wrong, message in [
        (lambda: index.update(("p", "p"), "a"), "no other category"),
        (lambda: index.update(("p", "z"), "a"), "no other category"),
        (lambda: index.update(("p", "q"), "b"), "is in cluster 'a'"),
        (lambda: index.update("pq", "a"), "pair"),
        (lambda: index.update_many([("p", "q"), ("p", "z")], "aa"), "no other category"),
        (lambda: index.remove(("p", "r"), "a"), "no sample with the winners"),
        (lambda: index.remove(("r", "q"), "a"), "no sample with the winners"),
        (lambda: index.move("z", "a"), "no category"),
        (lambda: index.merge("a", "z"), "no cluster"),
        (lambda: index.merge("a", "a"), "itself"),
        (lambda: index.split("b", ["r", "p"], "c"), "has no category 'p'"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
        assert pickle.dumps(index._described()) == before, message
    other = icvi.ConnIndex()
    other.update(("p", None), "b")
    with pytest.raises(ValueError, match="another cluster"):
        index.join(other)
