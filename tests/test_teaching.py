"""Hints hold for ever; corrections teach, and can be taken back."""

import contextlib
import copy
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import operations as op
from by_value import ByValue
from streamart import (
    HintError,
    Hints,
    ICVITopoARTMAP,
    ICVITopoARTMAPClassifier,
    StreamART,
    cluster,
    load,
    validity_scorer,
)
from streamart.data import make_stream
from streamart.estimators.parameters import STRATEGIES
from streamart.icvi.state import LIVE, copied
from streamart.people.hints import HintBook
from support import COMPILED, has_slow_map, own_program
from test_model import fingerprint, in_use

INDICES = ["ch", "wb", "pbm", "xb", "db", "conn"]
X4 = np.array([[0.0, 0], [9, 9], [0, 1], [8, 9], [1, 0], [9, 8]])


def model_of(icvi, **params):
    conn = {"rho": 0.7, "rho_c": 0.7} if icvi == "conn" else {}
    return ICVITopoARTMAP(icvi, **{"xi": 25, "phi": 6, **conn, **params})


def assert_hints_hold(model):
    """Groups said to be together share a cluster, groups said to be apart do not; and the rest of
    the model is as it must be."""
    book, state = model._model.engine.book, model._state
    rows = state.order[: model.n_categories_]
    groups, label = state.cat["group"][rows], state.label[LIVE, rows]
    for group in book.groups:
        homes = set(label[groups == group].tolist())
        assert len(homes) <= 1, "a group is torn"
        if homes:
            assert state.classes[group]["cluster"] in homes
    for a, b in itertools.combinations(book.groups, 2):
        here, there = state.classes["cluster"][[a, b]]
        if min(here, there) >= 0:
            if book.root(a) == book.root(b):
                assert here == there, "together"
            if book.are_apart(a, b):
                assert here != there, "apart"
                assert state.apart[LIVE, here, there] == 1.0
    assert model.clusters_.n.sum() == model.n_samples_seen_
    assert np.array_equal(np.bincount(label), model.clusters_.n_categories)
    for c in range(model.n_clusters_):
        mine = label == c
        n = model.categories_.n[mine]
        assert n.sum() == model.clusters_.n[c]
        np.testing.assert_allclose(
            n @ model.categories_.mean[mine] / n.sum(),
            model.clusters_.mean[c],
            rtol=1e-9,
            atol=1e-9,
        )
    given = int(state.now[0]["ids"])
    living = model.cluster_ids_.tolist()
    assert len(set(living)) == model.n_clusters_
    assert all(model.resolve(i) in living for i in range(given))


def random_hints(rng, n, names, together, apart, model):
    """Hints about random samples; some contradict others."""
    rows = lambda size: [int(i) for i in rng.integers(n, size=size)]  # noqa: E731
    found = Hints(
        names={i: f"name {rng.integers(4)}" for i in rows(names)},
        together=[rows(2) for _ in range(together)],
        apart=[rows(2) for _ in range(apart)],
    )
    if hasattr(model, "_state") and rng.random() < 0.5:
        ids = rng.choice(model.cluster_ids_, size=2)
        where = found.together if rng.random() < 0.5 else found.apart
        where.append(tuple(cluster(int(i)) for i in ids))
        where.append((cluster(int(ids[0])), *rows(1)))
    return found


@pytest.mark.parametrize("split_type", ["activity", "full", "partial"])
@pytest.mark.parametrize("icvi", INDICES)
@settings(max_examples=12 if COMPILED else 1)
@given(seed=st.integers(0, 2**32 - 1))
def test_hints_hold_whatever_comes(icvi, split_type, seed):
    rng = np.random.default_rng(seed)
    beta = 0.8 if seed % 3 == 0 and has_slow_map(icvi) else 1.0
    model = model_of(icvi, split_type=split_type, tau=int(seed % 2), beta_ab=beta)
    centres = rng.uniform(0, 8, size=(5, 2))
    size = 30 if COMPILED else 12
    for _ in range(5 if COMPILED else 3):
        X = centres[rng.integers(5, size=size)] + rng.normal(size=(size, 2))
        hints = random_hints(rng, size, *rng.integers(0, 4, size=3), model)
        before = fingerprint(model) if hasattr(model, "_state") else None
        try:
            model.partial_fit(X, hints=hints)
        except HintError:
            if before is not None:
                assert fingerprint(model) == before
            continue
        assert_hints_hold(model)
    if hasattr(model, "_state"):
        model.partial_fit(centres[rng.integers(5, size=2 * size)] + rng.normal(size=(2 * size, 2)))
        assert_hints_hold(model)


@own_program
@pytest.mark.parametrize("icvi", ["ch", "wb"])
def test_shortcuts_respect_hints(icvi, seed):
    """What is barred is barred, whether mergers are found by scatter or by asking for values."""
    n = 500 if COMPILED else 60
    X, y = make_stream("mixed", n, seed)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(n, size=12, replace=False)
    hints = Hints(
        # Wrong on purpose: the index would do something else.
        names={int(i): f"class {(y[i] + (i % 3 == 0)) % 7}" for i in chosen[:8]},
        apart=[(int(chosen[8]), int(chosen[9]))],
        together=[(int(chosen[10]), int(chosen[11]))],
    )
    quick, exact = (
        kind(icvi, xi=30, record_history=True).partial_fit(X, hints=hints)
        for kind in (ICVITopoARTMAP, ByValue)
    )
    for name, values in exact.history_.items():
        np.testing.assert_allclose(quick.history_[name], values, rtol=1e-9, err_msg=name)
    assert np.array_equal(quick.labels_, exact.labels_)
    assert np.array_equal(quick.cluster_ids_, exact.cluster_ids_)
    assert_hints_hold(quick)


def test_hinted_samples_are_where_they_should_be(seed):
    X, y = make_stream("random", 400 if COMPILED else 80, seed)
    names = {t: f"class {y[t]}" for t in range(0, len(X), 20)}
    model = ICVITopoARTMAP(xi=50).partial_fit(X, hints=Hints(names=names))
    shown = [model.names_.get(i) for i in model.cluster_ids_[model.labels_]]
    assert all(shown[t] == name for t, name in names.items())
    assert set(model.names_.values()) == set(names.values())


@pytest.mark.parametrize("icvi", INDICES)
def test_no_hints_no_difference(icvi, seed):
    X, _ = make_stream("mixed", 300 if COMPILED else 60, seed)
    assert in_use(model_of(icvi).partial_fit(X)) == in_use(
        model_of(icvi).partial_fit(X, hints=Hints())
    )


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        (Hints({0: "a", 1: "b"}, together=[(0, 1)]), "called 'a' and 'b'"),
        (Hints(together=[(0, 1)], apart=[(1, 0)]), "earlier hints say that they are together"),
        (Hints(together=[(0, 1), (1, 2)], apart=[(0, 2)]), "sample 0 and sample 2 cannot be apart"),
        (Hints({0: "a", 1: "a"}, apart=[(0, 1)]), "both are called 'a'"),
        (Hints(apart=[(0, 0)]), "cannot be apart"),
        (Hints(together=[("west", 0)], apart=[("west", 0)]), "cannot be apart"),
        (Hints(together=[("west", "east")]), "'west' and 'east' cannot be together"),
        (Hints({0: "east"}, together=[(0, cluster(0))]), "cannot be together"),
        (Hints(together=[(0, "north")]), "No cluster is called 'north'"),
        (Hints(together=[(0, cluster(99))]), "There is no cluster #99"),
        (Hints(together=[(0,)]), "at least two members"),
        (Hints(apart=[(0, 6)]), "no sample 6 in a batch of 6"),
        (Hints(apart=[(0, -1)]), "no sample -1"),
        (Hints(apart=[(0, 1.5)]), "by its number"),
        (Hints({0: 7}), "A name must be a string"),
        (Hints({0: ""}), "A name must be a string"),
        (Hints(["a", "b"]), "one name or None for each of the 6 samples"),
        (Hints("abcdef"), "one name or None"),
        ({"name": {}}, "not \\['name'\\]"),
    ],
)
def test_contradictions_and_nonsense_are_refused(hints, message):
    model = ICVITopoARTMAP().partial_fit(X4, hints=Hints({0: "west", 1: "east"}))
    before = fingerprint(model), model.names_, model._model.engine.book.facts
    with pytest.raises(HintError, match=message):
        model.partial_fit(X4, hints=hints)
    assert (fingerprint(model), model.names_, model._model.engine.book.facts) == before


def test_hints_of_a_wrong_kind():
    with pytest.raises(TypeError, match="hints must be Hints"):
        ICVITopoARTMAP().partial_fit(X4, hints=[1])
    with pytest.raises(ValueError, match="either y or hints"):
        ICVITopoARTMAP().partial_fit(X4, [0, 1, 0, 1, 0, 1], hints=Hints())
    with pytest.raises(HintError, match="nothing has been learnt yet"):
        ICVITopoARTMAP().partial_fit(X4, hints=Hints(apart=[(0, cluster(0))]))
    model = ICVITopoARTMAP()
    with pytest.raises(HintError):
        model.partial_fit(X4, hints=Hints(apart=[(0, 0)]))
    assert not hasattr(model, "_state")
    assert not hasattr(model, "n_features_in_")


def test_names_may_be_a_list_and_hints_a_dict():
    names = ["west", None, float("nan"), None, None, "east"]
    model = ICVITopoARTMAP().partial_fit(X4, hints={"names": names})
    ids = model.cluster_ids_[model.labels_]
    assert [model.names_[i] for i in ids] == ["west", "east"] * 3
    assert "names=" in repr(Hints(names))


def test_two_that_are_alike_can_be_kept_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    model = ICVITopoARTMAP(xi=30).partial_fit(X[:100], hints=Hints(apart=[(0, 1), (5, 50)]))
    model.partial_fit(X[100:])
    assert_hints_hold(model)
    model.partial_fit(X, hints=Hints({0: "a", 1: "b", 2: "a", 3: "c"}))
    assert_hints_hold(model)
    assert {"a", "b", "c"} == set(model.names_.values())


def test_a_renamed_cluster_takes_hinted_samples():
    model = ICVITopoARTMAP().partial_fit(X4)
    west = int(model.cluster_ids_[model.labels_[0]])
    model.rename(west, "west")
    model.partial_fit([[7.0, 7]], hints=Hints({0: "west"}))
    assert model.cluster_ids_[model.labels_[0]] == west
    model.rename(west, "left")
    model.partial_fit([[7.0, 8]], hints=Hints({0: "left"}))
    assert model.cluster_ids_[model.labels_[0]] == west
    model.rename(west, None)
    assert model.names_ == {}
    assert_hints_hold(model)


def test_existing_clusters_together_and_apart(seed):
    X, _ = make_stream("random", 300 if COMPILED else 80, seed)
    model = ICVITopoARTMAP(xi=40).partial_fit(X)
    a, b, c = (int(i) for i in model.cluster_ids_[:3])
    together, apart = [(cluster(a), cluster(b))], [(cluster(a), cluster(c))]
    model.partial_fit(X[:1], hints=Hints(together=together, apart=apart))
    assert model.resolve(a) == model.resolve(b) != model.resolve(c)
    pair = cluster(model.resolve(b)), cluster(model.resolve(c))
    with pytest.raises(HintError, match="cannot be together"):
        model.partial_fit(X[:1], hints=Hints(together=[pair]))
    model.partial_fit(X)
    assert model.resolve(a) == model.resolve(b) != model.resolve(c)
    assert_hints_hold(model)


# ---------------------------------------------------------------------- corrections


def learnt(icvi, seed, **params):
    X, _ = make_stream("random", 300 if COMPILED else 90, seed)
    return model_of(icvi, xi=10_000, record_events=True, **params).partial_fit(X), X


@pytest.mark.parametrize("icvi", INDICES)
def test_merge_and_undo(icvi, seed):
    model, X = learnt(icvi, seed)
    if model.n_clusters_ < 3:
        pytest.skip("too few clusters")
    before, value, ids = model.predict(X), model.icvi_value_, set(model.cluster_ids_.tolist())
    names = model.cluster_ids_[before]
    first = model.merge_suggestions(1)[0]
    sizes = dict(zip(model.cluster_ids_.tolist(), model.clusters_.n.tolist(), strict=True))
    kept = model.merge(first.first, first.second)
    gone = first.second if kept == first.first else first.first
    assert sizes[kept] >= sizes[gone]
    np.testing.assert_allclose(model.icvi_value_, first.index_after, rtol=1e-9)
    assert model.resolve(gone) == kept
    assert model.n_clusters_ == len(ids) - 1
    assert_hints_hold(model)
    assert model.undo() == "merge"
    assert set(model.cluster_ids_.tolist()) == ids
    assert np.array_equal(model.cluster_ids_[model.predict(X)], names)
    np.testing.assert_allclose(model.icvi_value_, value, rtol=1e-9)
    assert not np.any(model._state.cat["group"][model._state.order[: model.n_categories_]] >= 0)
    kinds = [(e.kind, e.ids) for e in model.events_[-2:]]
    assert kinds == [("merged", (gone, kept)), ("split", (kept, gone))]
    with pytest.raises(ValueError, match="nothing to undo"):
        model.undo()


@pytest.mark.parametrize("icvi", INDICES)
def test_split_and_undo(icvi, seed):
    model, X = learnt(icvi, seed)
    value, ids = model.icvi_value_, model.cluster_ids_.copy()
    names = ids[model.predict(X)]
    largest = int(ids[np.argmax(model.clusters_.n_categories)])
    if model.clusters_.n_categories.max() < 2:
        pytest.skip("no cluster of several categories")
    fresh = model.split(largest)
    assert fresh not in ids
    assert {largest, fresh} <= set(model.cluster_ids_.tolist())
    sizes = dict(zip(model.cluster_ids_.tolist(), model.clusters_.n.tolist(), strict=True))
    assert sizes[largest] >= sizes[fresh]
    assert_hints_hold(model)
    assert model.undo() == "split"
    assert set(model.cluster_ids_.tolist()) == set(ids.tolist())
    assert np.array_equal(model.cluster_ids_[model.predict(X)], names)
    assert model.resolve(fresh) == largest
    np.testing.assert_allclose(model.icvi_value_, value, rtol=1e-9)


@pytest.mark.parametrize("icvi", ["ch", "wb", "xb"])
def test_corrections_last_while_learning_goes_on(icvi, seed):
    model, X = learnt(icvi, seed)
    if model.n_clusters_ < 3:
        pytest.skip("too few clusters")
    pair = model.merge_suggestions(1)[0]
    kept = model.merge(pair.first, pair.second)
    fresh = None
    for i, size in zip(model.cluster_ids_, model.clusters_.n_categories, strict=True):
        if size > 1 and i != kept:
            fresh, parent = model.split(int(i)), int(i)
            break
    model.partial_fit(X)
    assert_hints_hold(model)
    assert model.resolve(pair.first) == model.resolve(pair.second)
    if fresh is not None:
        assert model.undo() == "split"
        assert model.resolve(fresh) == model.resolve(parent)
    model.partial_fit(X[:20])
    assert_hints_hold(model)
    if model.undo() == "merge":
        assert model.resolve(pair.first) != model.resolve(pair.second)
    model.partial_fit(X)
    assert_hints_hold(model)


def test_corrections_that_cannot_be():
    model = ICVITopoARTMAP().partial_fit(X4, hints=Hints({0: "west", 1: "east"}))
    with pytest.raises(HintError, match="called 'west' and 'east'"):
        model.merge("west", "east")
    with pytest.raises(ValueError, match="are already the same cluster"):
        model.merge("west", "west")
    with pytest.raises(KeyError, match="No cluster is called"):
        model.merge("west", "north")
    single = ICVITopoARTMAP().partial_fit([[0.0, 0], [9, 9]])
    with pytest.raises(ValueError, match="single category"):
        single.split(0)
    with pytest.raises(ValueError, match="nothing to undo"):
        single.undo()


def test_undo_of_names():
    model = ICVITopoARTMAP().partial_fit(X4)
    a = int(model.cluster_ids_[0])
    model.rename(a, "west")
    model.rename(a, "left")
    assert model.undo() == "rename"
    assert model.names_ == {a: "west"}
    assert model.undo() == "rename"
    assert model.names_ == {}


def test_parameters_and_methods_have_different_names():
    for kind in (ICVITopoARTMAP, StreamART, ICVITopoARTMAPClassifier):
        for name in kind().get_params():
            assert not callable(getattr(kind, name, None)), name


def test_strategies():
    model = ICVITopoARTMAP(strategies=("swap",)).partial_fit(X4)
    assert model.get_params()["strategies"] == ("swap",)
    assert "strategies=('swap',)" in repr(model)
    on = [name for name in STRATEGIES if model._state.params[0][name]]
    assert on == ["swap"]
    assert model.merge(0, 1) == 0  # a person may, whatever the strategies
    assert clone(model).get_params() == model.get_params()
    grid = {"strategies": [(), ("swap",), ["merge", "prune"]]}
    search = GridSearchCV(ICVITopoARTMAP(), grid, scoring=validity_scorer("ch"), cv=2)
    assert search.fit(np.tile(X4, (4, 1))).best_params_["strategies"] in grid["strategies"]
    model.set_params(strategies=["swap", "merge"])
    with pytest.raises(ValueError, match=r"changed.*\(strategies\)"):
        model.partial_fit(X4)
    with pytest.raises(ValueError, match=r"'strategies' parameter.*'joining'"):
        ICVITopoARTMAP(strategies=("merge", "joining")).fit(X4)
    with pytest.raises(ValueError, match="'strategies' parameter"):
        ICVITopoARTMAP(strategies="merge").fit(X4)


def test_what_was_taught_survives_a_file(tmp_path, seed):
    model, X = learnt("ch", seed)
    model.partial_fit(X[:3], hints=Hints({0: "a", 1: "b"}, apart=[(0, 2)]))
    model.rename(int(model.cluster_ids_[0]), "room")
    pair = [s for s in model.merge_suggestions(None) if s.cost < np.inf][-1]
    with contextlib.suppress(HintError):
        model.merge(pair.first, pair.second)
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    for one in (model, loaded):
        one.partial_fit(X, hints=Hints({4: "a", 9: "c"}))
        assert_hints_hold(one)
    assert in_use(model) == in_use(loaded)
    assert model.names_ == loaded.names_
    assert model.aliases_ == loaded.aliases_
    assert model.undo() == loaded.undo()
    assert in_use(model) == in_use(loaded)


@given(
    st.lists(
        st.tuples(st.sampled_from(["together", "apart"]), st.integers(0, 5), st.integers(0, 5))
    )
)
def test_the_book_is_consistent(sayings):
    """What it accepts can be true: some partition of the groups satisfies all."""
    book = HintBook(range(6))
    accepted = []
    for kind, a, b in sayings:
        try:
            getattr(book, f"say_{kind}")(a, b, (a, b))
            accepted.append((kind, a, b))
        except HintError:
            # Refused only if it contradicts: the other kind must be known.
            assert book.are_apart(a, b) if kind == "together" else book.root(a) == book.root(b)
    for kind, a, b in accepted:
        assert (book.root(a) == book.root(b)) == (kind == "together")
    assert HintBook(book.groups, book.facts).facts == book.facts


def test_labels_follow_corrections(seed):
    model, X = learnt("ch", seed)
    rows = model._model.engine.sample_rows
    for change in (
        lambda: model.merge(*model.cluster_ids_[:2].tolist()),
        lambda: model.split(int(model.cluster_ids_[np.argmax(model.clusters_.n_categories)])),
        model.undo,
        model.undo,
    ):
        with contextlib.suppress(ValueError):
            change()
        assert np.array_equal(model.labels_, model._state.label[LIVE, rows])
        assert np.array_equal(np.bincount(model.labels_), model.clusters_.n)
    model.learn_one(X[0])
    model.merge(*model.cluster_ids_[:2].tolist())
    winner = model._state.now[0]["winner"]
    assert model.labels_.tolist() == [model._state.label[LIVE, winner]]
    fitted = model_of("ch").fit(X)
    fitted.merge(*fitted.cluster_ids_[:2].tolist())
    assert np.array_equal(fitted.labels_, fitted.predict(X))


def test_labels_may_come_after_hints_and_hints_after_labels():
    model = ICVITopoARTMAP().partial_fit(X4, hints=Hints({0: "a", 1: "b"}))
    model.partial_fit(X4, [0, 1, 2, -1, -1, 9])
    model.partial_fit(X4, hints=Hints({2: "c", 3: "b"}))
    model.partial_fit(X4, [3, 4, -1, -1, 0, 0])
    assert set(model.class_ids_) == {0, 1, 2, 3, 4, 9}
    assert set(model.names_.values()) == {"a", "b", "c"}
    assert_hints_hold(model)


def test_a_label_does_not_inherit_what_was_taken_back():
    X, _ = make_stream("random", 80, 0)
    plain, taught = (ICVITopoARTMAP().partial_fit(X) for _ in range(2))
    taught.merge(*taught.cluster_ids_[:2].tolist())
    taught.undo()
    for model in (plain, taught):
        model.partial_fit([[5.0, 200.0]], [7])
    assert plain.n_clusters_ == taught.n_clusters_
    assert not (taught._state.cat["group"][taught._state.order[: taught.n_categories_]] >= 0).any()


@pytest.mark.parametrize("params", [{"rho_ab": 0.0}, {"beta_ab": 0.7, "rho_ab": 0.2}])
def test_hints_hold_whatever_the_map_field_admits(params, seed):
    X, y = make_stream("random", 60, seed)
    model = ICVITopoARTMAP(**params).partial_fit(X)
    same = X[y == y[0]]
    for at, name in enumerate("abc"):
        model.partial_fit(same[[at]], hints=Hints([name]))
        model.partial_fit(X[:10])
        assert_hints_hold(model)
    assert set(model.names_.values()) == set("abc")


def test_a_cluster_in_a_hint_means_its_name():
    X, _ = make_stream("random", 60, 0)
    model = ICVITopoARTMAP().partial_fit(X)
    z, q = model.clusters_.mean[:2]
    model.partial_fit([z + np.array([0, 0.9])], hints=Hints(["z"]))
    i = model.resolve("z")
    near = z + np.array([[0.1, 0.1], [-0.1, -0.1], [0.1, 0], [0, 0.1], [0.1, 0.2]])
    model.partial_fit(near, hints=Hints(together=[(0, 1, 2, 3, 4), (0, "z")]))
    model.partial_fit([q], hints=Hints(["q"]))
    with pytest.raises(HintError, match="cannot be together"):
        model.partial_fit([q], hints=Hints(together=[("q", cluster(i))]))


def test_undo_of_a_rename_restores_hints():
    west_east = Hints({0: "west", 1: "east"})
    model = ICVITopoARTMAP().partial_fit(X4, hints=west_east)
    for name in (None, "left"):
        model.rename("west", name)
        model.undo()
        assert set(model.names_.values()) == {"west", "east"}
        with pytest.raises(HintError, match=r"different names|called"):
            model.merge("west", "east")
    model.rename("west", "left")
    model.partial_fit([[50.0, 50.0]], hints=Hints(["west"]))
    with pytest.raises(ValueError, match="is now called 'west'"):
        model.undo()
    assert set(model.names_.values()) == {"left", "east", "west"}
    other = ICVITopoARTMAP().partial_fit(X4)
    other.rename(0, "x")
    other.partial_fit(X4[:1], hints=Hints(["x"]))
    assert other.undo() == "rename"
    assert other.names_ == {0: "x"}  # by now a hint says so
    assert_hints_hold(other)


def test_a_listener_that_fails_does_not_spoil_undo(seed):
    model, _X = learnt("ch", seed)
    model.merge(*model.cluster_ids_[:2].tolist())
    k = model.n_clusters_
    end = model.on_event(lambda event: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.undo()
    end()
    assert model.n_clusters_ == k + 1
    with pytest.raises(ValueError, match="nothing to undo"):
        model.undo()


def test_a_shallow_copy_shares_nothing():
    model = ICVITopoARTMAP().partial_fit(X4, [0, -1, -1, -1, -1, -1])
    model.rename(0, "x")
    other = copy.copy(model)
    other.rename("x", "y")
    other.partial_fit(X4[1:3], [1, 2])
    assert model.names_ == {0: "x"}
    assert set(model.class_ids_) == {0}


def test_many_facts_lead_to_one_group():
    n = 400
    book = HintBook(range(n))
    for at in range(n - 1):
        book.say_together(at, at + 1, (at, at + 1))
    assert {book.root(group) for group in range(n)} == {0}


def test_suggestions_leave_out_what_hints_forbid():
    model = ICVITopoARTMAP().partial_fit(X4, hints=Hints({0: "west", 1: "east"}))
    model.partial_fit([[9.0, 0], [8, 0], [9, 1]])
    west, east = model.resolve("west"), model.resolve("east")
    pairs = {frozenset((s.first, s.second)) for s in model.merge_suggestions(None)}
    assert frozenset((west, east)) not in pairs
    assert len(pairs) == model.n_clusters_ * (model.n_clusters_ - 1) // 2 - 1


def test_what_can_never_be_undone_does_not_stand_in_the_way():
    model = ICVITopoARTMAP(xi=2).partial_fit(X4)
    model.rename(0, "west")
    model.merge(0, 1)
    state = model._state
    state.cat["birth"] += 1000  # as if all categories had been compressed into others
    with pytest.raises(ValueError, match="cannot be separated any more"):
        model.undo()
    assert model.undo() == "rename"
    assert model.names_ == {}


@pytest.mark.skipif(COMPILED, reason="asks single functions, which only Python can call")
@pytest.mark.parametrize("icvi", INDICES)
def test_a_barred_cluster_is_never_wanted(icvi, seed):
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=8.0, size=(8, 4))
    X = means[rng.integers(8, size=160)] + rng.normal(size=(160, 4))
    state = model_of(icvi, rho=0.8).partial_fit(X[:120])._state
    k = int(state.now[LIVE]["k"])
    for x in X[120:]:
        asked = copied(state)
        asked.now[0]["group"] = 0
        barred = int(np.argmin(np.sum((state.mean[LIVE, :k] - x) ** 2, axis=1)))
        asked.clu[LIVE, barred]["barred"] = 1
        op.label(asked, x)
        wanted = asked.clu["wanted"][LIVE, :k]
        assert wanted[barred] == 0
        assert wanted.any() or k < 2
