"""One numbering for people: they type and read permanent ids; scikit-learn gets positions."""

import numpy as np
import pytest

from streamart import ClusterIdError, HintError, Hints, ICVITopoARTMAP, StreamART, cluster
from streamart.data import make_stream
from streamart.history.events import KINDS, Event
from support import COMPILED

N = 300 if COMPILED else 80


def learnt(kind, seed):
    """A model in which some id has ended."""
    X, _ = make_stream("mixed", N, seed)
    params = {"n_clusters": 5} if kind is StreamART else {"xi": 20}
    model = kind(record_events=True, **params)
    for batch in np.array_split(X, 8):
        model.partial_fit(batch)
        model.n_clusters_  # noqa: B018  (StreamART derives its clusters now)
    if kind is StreamART:
        model.merge(*model.cluster_ids_[:2].tolist())
        model.set_params(n_clusters=4).partial_fit(X)
    return model, X


@pytest.mark.parametrize("kind", [ICVITopoARTMAP, StreamART])
def test_ids_of_samples(kind, seed):
    model, X = learnt(kind, seed)
    ids = model.cluster_ids_
    assert np.array_equal(np.unique(model.labels_), np.unique(model.labels_).clip(0, len(ids) - 1))
    assert np.array_equal(model.ids_, ids[model.labels_])
    assert np.array_equal(model.predict_ids(X), ids[model.predict(X)])
    assert model.predict_ids(X).dtype == np.int64
    assert model.predict_id(X[0]) == ids[model.predict_one(X[0])]
    far = np.vstack([X[:3], [[1e6, -1e6]]])
    outlying = model.predict(far, outliers=True) < 0
    assert outlying[-1]
    assert np.array_equal(model.predict_ids(far, outliers=True) < 0, outlying)
    model.learn_one(X[0])
    assert model.ids_.tolist() == [model.cluster_ids_[model.labels_[0]]]


@pytest.mark.parametrize("kind", [ICVITopoARTMAP, StreamART])
def test_an_id_that_has_ended_is_refused_with_the_one_it_went_into(kind, seed):
    model, X = learnt(kind, seed)
    ended, successor = next(iter(model.aliases_.items()))
    living = next(i for i in model.cluster_ids_.tolist() if i != successor)
    before = model.names_, model.cluster_ids_.tolist(), model.labels_.tolist()
    message = f"Cluster #{ended} has ended: its samples are now in #{successor}"
    for correction in (
        lambda: model.rename(ended, "a"),
        lambda: model.merge(ended, living),
        lambda: model.merge(living, ended),
        lambda: model.split(ended),
        lambda: model.split(f"#{ended}"),
    ):
        with pytest.raises(ClusterIdError, match=message):
            correction()
    hints = Hints(apart=[(cluster(ended), cluster(living))])
    with pytest.raises(HintError, match=message):
        model.partial_fit(X[:1], hints=hints)
    assert (model.names_, model.cluster_ids_.tolist(), model.labels_.tolist()) == before
    assert model.resolve(ended) == model.resolve(f"#{ended}") == successor  # that is what it is for


@pytest.mark.parametrize("kind", [ICVITopoARTMAP, StreamART])
def test_a_position_is_no_id(kind, seed):
    model, _ = learnt(kind, seed)
    ids = model.cluster_ids_.tolist()
    for position, i in enumerate(ids):
        if position not in ids:
            with pytest.raises(KeyError, match=f"the cluster at position {position} is #{i}") as it:
                model.rename(position, "a")
            assert not str(it.value).startswith(("'", '"'))
    with pytest.raises(ClusterIdError, match=rf"no cluster #999\. Living clusters: #{min(ids)}"):
        model.split(999)
    assert model.names_ == {}


def test_ids_as_people_write_them():
    model = ICVITopoARTMAP().partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9]])
    model.rename("#1", "east")
    assert model.names_ == {1: "east"}
    with pytest.raises(TypeError, match="'#5' is an id, not a name"):
        model.rename(0, "#5")
    with pytest.raises(HintError, match="'#5' is an id, not a name"):
        model.partial_fit([[0.0, 0]], hints=Hints({0: "#5"}))


@pytest.mark.parametrize("kind", [ICVITopoARTMAP, StreamART])
def test_what_people_read_speaks_of_ids(kind, seed):
    model, X = learnt(kind, seed)
    ids = set(model.cluster_ids_.tolist())
    explanation = model.explain(X[0])
    assert explanation.predicted in ids
    assert set(explanation.index_if_joined) == ids
    assert f"#{explanation.predicted}" in str(explanation)
    for pair in model.merge_suggestions(3):
        assert {pair.first, pair.second} <= ids
        assert str(pair).startswith(f"#{pair.first} and #{pair.second} ")
    given = int(model._state.now[0]["ids"])
    for event in model.events_:
        assert all(0 <= i < given for i in event.ids)
        assert all(f"#{i}" in str(event) for i in event.ids)


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_has_a_sentence(kind):
    ids = () if kind.startswith("vigilance") else (7, 12)
    ids = ids[:1] if kind in ("created", "compressed", "named", "faded") else ids
    text = str(Event(0, 5, kind, ids, 1.0, 0.0, 0.0))
    assert text.startswith("sample 5: ")
    assert all(f"#{i}" in text for i in ids)
    assert "{" not in text


def test_messages_of_corrections_speak_of_ids(seed):
    model, X = learnt(ICVITopoARTMAP, seed)
    a, b = model.cluster_ids_[:2].tolist()
    model.rename(a, "here")
    with pytest.raises(ValueError, match=f"Cluster #{a} is already called 'here'"):
        model.rename(b, "here")
    with pytest.raises(ValueError, match=f"already the same cluster, #{a}"):
        model.merge(a, "here")
    model.partial_fit(X[:2], hints=Hints(apart=[(cluster(a), cluster(b))]))
    if {a, b} <= set(model.cluster_ids_.tolist()):
        with pytest.raises(HintError, match=f"cluster #{a} and cluster #{b}|#{a} and #{b}"):
            model.merge(a, b)
