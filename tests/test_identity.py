"""Permanent ids, names, and the record of what changed."""

import pickle

import numpy as np
import pytest

from streamart import Event, ICVITopoARTMAP
from streamart.data import make_stream
from streamart.history.events import KINDS
from support import COMPILED

N = 900 if COMPILED else 84
INDICES = ["ch", "wb", "pbm", "xb", "db", "conn"]


def model_of(icvi, **params):
    conn = {"rho": 0.7, "rho_c": 0.7} if icvi == "conn" else {}
    return ICVITopoARTMAP(icvi, xi=40, record_events=True, **conn, **params)


def stream(seed, order="class-incremental", n=N):
    return make_stream(order, n, seed)[0]


def members(model):
    """Samples of each category, and the id of its cluster, by the number it was born with."""
    cat, rows = model._state.cat, model._state.order[: model.n_categories_]
    ids = model.cluster_ids_[model.categories_.cluster]
    return {
        int(cat["birth"][r]): (int(cat["n"][r]), int(i)) for r, i in zip(rows, ids, strict=True)
    }


def expected_ids(before, after_n, place, fresh):
    """By the definition: greatest shared part first, older id first among equals."""
    shared = {}
    for birth, (_, old) in before.items():
        key = (old, place[birth])
        shared[key] = shared.get(key, 0) + after_n[birth]
    ids = {}
    for (old, new), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if old not in ids.values() and new not in ids:
            ids[new] = old
    for new in sorted(set(place.values())):
        if new not in ids:
            ids[new] = fresh
            fresh += 1
    return [ids[new] for new in sorted(ids)]


@pytest.mark.parametrize("split_type", ["activity", "full", "partial"])
@pytest.mark.parametrize("icvi", INDICES)
def test_ids_follow_the_greatest_shared_part(icvi, split_type, seed):
    # Compression joins categories and pruning settles ids once more in a step: not here.
    model = model_of(icvi, strategies=("merge", "split", "swap"), split_type=split_type)
    X = stream(seed, "mixed", N // 6 if COMPILED else 40)
    for t, x in enumerate(X):
        before = members(model) if t else {}
        given = int(model._state.now[0]["ids"]) if t else 0
        model.partial_fit(x[None])
        after = members(model)
        n = {birth: count for birth, (count, _) in after.items()}
        rows = model._state.order[: model.n_categories_]
        place = dict(
            zip(
                model._state.cat["birth"][rows].tolist(),
                model.categories_.cluster.tolist(),
                strict=True,
            )
        )
        assert model.cluster_ids_.tolist() == expected_ids(before, n, place, given), t


@pytest.mark.parametrize("order", ["class-incremental", "random"])
@pytest.mark.parametrize("icvi", INDICES)
def test_every_id_ever_given_out_resolves(icvi, order, seed):
    model = model_of(icvi)
    seen, ended = set(), set()
    for x in stream(seed, order):
        model.learn_one(x)
        living = model.cluster_ids_.tolist()
        assert len(set(living)) == len(living) == model.n_clusters_
        assert not ended & set(living), "an id that had ended is used again"
        assert not seen or max(set(living) - seen, default=-1) > -1 or set(living) <= seen
        ended |= seen - set(living)
        seen |= set(living)
    given = int(model._state.now[0]["ids"])
    assert set(model.aliases_) | set(living) == set(range(given))
    assert not set(model.aliases_) & set(living)
    for i in range(given):
        assert model.resolve(i) in living
        assert model.resolve(i) == model.aliases_.get(i, i)


@pytest.mark.parametrize("icvi", INDICES)
def test_ids_and_events_do_not_depend_on_batches(icvi, seed):
    X = stream(seed)
    whole, single = model_of(icvi).partial_fit(X), model_of(icvi)
    for x in X:
        single.learn_one(x)
    assert np.array_equal(whole.cluster_ids_, single.cluster_ids_)
    assert whole.aliases_ == single.aliases_
    np.testing.assert_equal(whole.events_, single.events_)


@pytest.mark.parametrize("icvi", INDICES)
def test_events_tell_the_whole_story(icvi, seed):
    """Replayed, they give the clusters that live; their index values are those of the history."""
    model = model_of(icvi, record_history=True).partial_fit(stream(seed))
    living = set()
    value = np.r_[np.nan, model.history_["icvi_value"]]
    for number, event in enumerate(model.events_):
        assert event.number == number
        if event.kind == "created":
            living |= {event.ids[0]}
        elif event.kind == "split":
            assert event.ids[0] in living or any(
                other.sample == event.sample and other.ids == event.ids[:1]
                for other in model.events_
            )
            living |= {event.ids[1]}
        elif event.kind in ("merged", "pruned"):
            assert event.ids[0] in living
            living -= {event.ids[0]}
        elif event.kind == "moved":
            assert set(event.ids) <= living | {e.ids[1] for e in model.events_ if e.kind == "split"}
        if not event.kind.startswith("vigilance"):
            assert event.amount >= 1
        np.testing.assert_equal(event.before, value[event.sample - 1])
    assert living == set(model.cluster_ids_.tolist())
    assert {"created", "merged"} <= {event.kind for event in model.events_}


def test_vigilance_is_raised_and_restored(seed):
    model = model_of("ch", tau=2, rho=0.3).partial_fit(stream(seed, "mixed"))
    changes = [event for event in model.events_ if event.kind.startswith("vigilance")]
    assert changes, "the tracker never reached tau"
    for at, event in enumerate(changes):
        assert event.kind == ("vigilance raised" if at % 2 == 0 else "vigilance restored")
        assert event.amount == (0.9 if at % 2 == 0 else 0.3)
        assert event.ids == ()


def test_the_buffer_keeps_the_latest(seed):
    X = stream(seed)
    every = model_of("ch").partial_fit(X).events_
    few = ICVITopoARTMAP("ch", xi=40, record_events=7).partial_fit(X)
    np.testing.assert_equal(few.events_, every[-7:])
    np.testing.assert_equal(list(few.new_events()), every[-7:])
    assert list(few.new_events()) == []
    off = ICVITopoARTMAP("ch", xi=40).partial_fit(X)
    assert off.events_ == []
    assert np.array_equal(off.cluster_ids_, few.cluster_ids_)


def test_recording_can_begin_and_end_at_any_time(seed):
    X = stream(seed)
    every = model_of("ch").partial_fit(X).events_
    model = ICVITopoARTMAP("ch", xi=40).partial_fit(X[: N // 3])
    model.set_params(record_events=50).partial_fit(X[N // 3 :])
    kept = [event for event in every if event.sample > N // 3][-50:]
    np.testing.assert_equal([e[1:] for e in model.events_], [e[1:] for e in kept])
    assert model.set_params(record_events=False).partial_fit(X[:1]).events_ == []


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_listener_misses_nothing_however_small_the_buffer(one_by_one, seed):
    X = stream(seed)
    every = model_of("db").partial_fit(X).events_
    model, heard = ICVITopoARTMAP("db", xi=40, record_events=1), []
    end = model.on_event(heard.append)
    if one_by_one:
        for x in X:
            model.learn_one(x)
    else:
        model.partial_fit(X)
    np.testing.assert_equal(heard, every)
    assert all(isinstance(event, Event) for event in heard)
    end()
    end()
    model.partial_fit(stream(seed + 1))
    assert len(heard) == len(every)


def test_a_listener_that_fails_ends_the_call_and_not_the_model(seed):
    X = stream(seed)
    model = model_of("ch").partial_fit(X[:50])
    end = model.on_event(lambda event: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(X[50:])
    end()
    other = model_of("ch").partial_fit(X)
    assert model.n_samples_seen_ == len(X)
    assert np.array_equal(model.cluster_ids_, other.cluster_ids_)


def test_listeners_must_be_able_to_hear():
    with pytest.raises(ValueError, match="record_events=True"):
        ICVITopoARTMAP().on_event(print)
    with pytest.raises(TypeError, match="function of one event"):
        ICVITopoARTMAP(record_events=True).on_event("print")


@pytest.mark.parametrize("copy", [lambda m: pickle.loads(pickle.dumps(m)), lambda m: m])
def test_ids_names_and_events_go_on_after_a_copy(copy, seed):
    X = stream(seed)
    half = model_of("ch").partial_fit(X[: N // 2])
    half.rename(int(half.cluster_ids_[0]), "boiler room")
    half.on_event(lambda event: None)
    loaded = copy(half).partial_fit(X[N // 2 :])
    straight = model_of("ch").partial_fit(X[: N // 2])
    straight.rename(int(straight.cluster_ids_[0]), "boiler room")
    straight.partial_fit(X[N // 2 :])
    assert np.array_equal(loaded.cluster_ids_, straight.cluster_ids_)
    assert loaded.aliases_ == straight.aliases_
    assert loaded.names_ == straight.names_
    np.testing.assert_equal(loaded.events_, straight.events_)


def test_names_follow_their_clusters(seed):
    X = stream(seed)
    model = model_of("ch").partial_fit(X[: N // 2])
    names = {int(i): f"room {i}" for i in model.cluster_ids_}
    for i, name in names.items():
        model.rename(i, name)
    assert model.names_ == names
    for x in X[N // 2 :]:
        model.learn_one(x)
        for i, name in names.items():
            assert model.resolve(name) == model.resolve(i)
        for i, name in model.names_.items():
            assert i in model.cluster_ids_
            assert model.resolve(name) == i
    assert {e.kind for e in model.events_ if e.sample == N // 2} >= {"named"}


def test_renaming():
    model = ICVITopoARTMAP(record_events=True).partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9]])
    a, b = model.cluster_ids_.tolist()
    model.rename(a, "west")
    with pytest.raises(ValueError, match="is already called 'west'"):
        model.rename(b, "west")
    model.rename("west", "east")
    assert model.names_ == {a: "east"}
    model.rename(b, "west")
    model.rename(a, None)
    assert model.names_ == {b: "west"}
    with pytest.raises(KeyError, match="No cluster is called 'east'"):
        model.resolve("east")
    for name in ("", 7):
        with pytest.raises(TypeError, match="not empty"):
            model.rename(a, name)
    for bad in (2, -1):
        with pytest.raises(KeyError, match=f"There is no cluster #{bad}"):
            model.resolve(bad)
    for bad in (True, 1.0, None):
        with pytest.raises(TypeError, match=r"id .* or a name"):
            model.resolve(bad)
    assert [e.ids for e in model.events_ if e.kind == "named"] == [(a,), (a,), (b,)]


def test_of_merged_names_the_one_of_the_kept_id_is_shown():
    model = ICVITopoARTMAP().partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9], [1, 0]])
    a, b = model.cluster_ids_.tolist()
    model.rename(a, "west")
    model.rename(b, "east")
    kept = model.merge(a, b)
    assert kept == a
    assert model.names_ == {a: "west"}
    assert model.resolve("east") == a == model.resolve(b)
    model.rename(a, "east")
    assert model.names_ == {a: "east"}


def test_fit_begins_anew(seed):
    X = stream(seed)
    model = model_of("ch").fit(X)
    model.rename(int(model.cluster_ids_[0]), "boiler room")
    again, fresh = model.fit(X), model_of("ch").fit(X)
    assert again.names_ == {}
    assert np.array_equal(again.cluster_ids_, fresh.cluster_ids_)
    np.testing.assert_equal(again.events_, fresh.events_)


def test_a_listener_may_use_the_model(seed):
    model, numbers = model_of("ch"), []

    def name_it(event):
        numbers.append(event.number)
        if event.kind == "created":
            model.rename(event.ids[0], f"cluster {event.ids[0]}")

    model.on_event(name_it)
    for x in stream(seed)[:60]:
        model.learn_one(x)
    assert numbers == list(range(len(numbers))) == [e.number for e in model.events_]
    assert set(model.names_) <= set(model.cluster_ids_.tolist())


def test_a_listener_that_fails_in_the_first_call(seed):
    X = stream(seed)[: N // 3]
    model, heard = ICVITopoARTMAP("db", xi=40, record_events=1), []

    def fail_once(event):
        heard.append(event)
        if len(heard) == 3:
            raise RuntimeError("enough")

    model.on_event(fail_once)
    with pytest.raises(RuntimeError, match="enough"):
        model.partial_fit(X)
    assert model.n_samples_seen_ == len(X)
    model.partial_fit(X[:1])
    every = model_of("db").partial_fit(X).partial_fit(X[:1]).events_
    np.testing.assert_equal(heard, every)


def test_a_late_listener_hears_what_comes(seed):
    model, heard = ICVITopoARTMAP("db", xi=40, record_events=1), []
    for x in stream(seed)[: N // 3]:
        model.learn_one(x)
    before = int(model._state.now[0]["events"])
    model.on_event(heard.append)
    model.partial_fit([[500.0, 500.0]])
    assert [event.number for event in heard][:1] == [before]
    assert all(event.sample == N // 3 + 1 for event in heard)


def test_what_was_not_recorded_is_not_invented(seed):
    X = stream(seed)
    model = model_of("ch").partial_fit(X[: N // 2])
    count = len(model.events_)
    model.set_params(record_events=False).partial_fit(X[N // 2 :])
    model.set_params(record_events=True).partial_fit([[500.0, 500.0]])
    assert all(event.sample == N + 1 for event in model.events_)
    assert model.events_[0].number >= count
    small = ICVITopoARTMAP("ch", xi=40, record_events=1).partial_fit(X)
    small.set_params(record_events=True).partial_fit(X[:1])
    assert all(event.sample > 0 for event in small.events_)


def test_changed_parameters_do_not_change_what_was_learnt(seed):
    model = model_of("ch").partial_fit(stream(seed))
    value, events = model.icvi_value_, model.events_
    pairs = model.merge_suggestions()
    model.set_params(icvi="wb", match="cosine")
    assert model.icvi_value_ == value
    np.testing.assert_equal(model.events_, events)
    assert model.merge_suggestions() == pairs
    with pytest.raises(ValueError, match="Parameters changed"):
        model.partial_fit([[0.0, 0.0]])


@pytest.mark.skipif(not COMPILED, reason="six streams")
def test_every_kind_of_event_occurs():
    seen = set()
    for seed in range(3):
        X = stream(seed, "random", 150)
        X = np.r_[X[:60], [[300.0, 300.0], [301.0, 300.0]], X[60:]]
        for tau in (0, 2):
            model = ICVITopoARTMAP(rho=0.5, xi=30, phi=6, tau=tau, record_events=True)
            model.partial_fit(X).rename(int(model.cluster_ids_[0]), "boiler room")
            seen |= {event.kind for event in model.events_}
    assert seen == set(KINDS) - {"faded"}  # that needs a half-life: tests/test_troubles.py


def test_events_may_be_switched_off_while_somebody_listens():
    X = [[0.0, 0], [9, 9], [0, 1], [8, 9]]
    model, heard = ICVITopoARTMAP(record_events=True), []
    model.on_event(heard.append)
    model.partial_fit(X).set_params(record_events=False).partial_fit(X)
    model.learn_one(X[0])
    assert heard
    assert model.n_samples_seen_ == 9
