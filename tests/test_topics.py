"""The cluster model for BERTopic, without BERTopic. With it: tests/test_bertopic.py."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from scripted import ScriptedNetwork, batch, step
from streamart import ICVITopoARTMAP, StreamART
from streamart.adapters.bertopic import (
    ICVITopoARTMAPTopics,
    StreamARTTopics,
    _metric_of,
    current_topics,
    merge_ghosts,
    topic_aliases,
)
from streamart.data import make_stream
from support import COMPILED

N = 1200 if COMPILED else 120


def follow(steps, **params):
    """Labels of each batch, and the cluster model after the last."""
    model = ICVITopoARTMAPTopics(ScriptedNetwork(steps), **params)
    return [model.partial_fit(batch(each)).labels_.tolist() for each in steps], model


@parametrize_with_checks(
    [StreamARTTopics(outliers=True), ICVITopoARTMAPTopics()][: 2 if COMPILED else 1]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_numbers_are_dense_in_order_of_first_appearance():
    labels, model = follow([step([40, 7, 7, 40]), step([90, 7, 3]), step([3, 95])])
    assert labels == [[0, 1, 1, 0], [2, 1, 3], [3, 4]]
    assert model.topics_ == {40: 0, 7: 1, 90: 2, 3: 3, 95: 4}
    assert model.n_topics_ == 5
    assert model.aliases_ == {}


def test_a_merged_topic_gets_no_documents_any_more_and_has_an_alias():
    steps = [step([1, 2, 3]), step([1, 1], aliases={2: 1}), step([3], aliases={2: 3, 1: 3})]
    labels, model = follow(steps)
    assert labels == [[0, 1, 2], [0, 0], [2]]
    assert model.aliases_ == {1: 2, 0: 2}


def test_an_heir_without_a_number_takes_over_the_lowest():
    steps = [step([1, 2]), step([9, 1], aliases={2: 9}), step([11], aliases={1: 11, 2: 11, 9: 11})]
    labels, model = follow(steps)
    assert labels == [[0, 1], [1, 0], [0]]
    assert model.aliases_ == {1: 0}
    assert model.n_topics_ == 2


def test_a_cluster_that_ended_within_the_batch_has_no_number():
    labels, model = follow([step([5, 5], aliases={4: 5})])
    assert labels == [[0, 0]]
    assert model.aliases_ == {}
    assert model.topics_ == {5: 0}


@pytest.mark.parametrize("match", ["fuzzy", "cosine"])
def test_a_cluster_without_documents_is_predicted_as_the_nearest_topic(match):
    steps = [step([10, 30]), step([10], also=[28, 30])]
    model = ICVITopoARTMAPTopics(ScriptedNetwork(steps, match=match))
    for each in steps:
        model.partial_fit(batch(each))
    assert model.predict(batch(step([28, 10, 30]))).tolist() == [1, 0, 1]
    assert 28 not in model.topics_


def test_nearest_by_the_model_s_own_measure():
    assert _metric_of(ICVITopoARTMAP()) == "euclidean"
    assert _metric_of(ICVITopoARTMAP(match="cosine")) == "cosine"
    X = np.eye(3)
    assert _metric_of(StreamART(metric="cosine").fit(X)) == "cosine"
    assert _metric_of(StreamART().fit(X)) == "euclidean"


def test_outliers_from_the_first_batch_on():
    sizes = {1: 5, 2: 1, 3: 4, 4: 5}
    steps = [step([1, 2, 1], sizes=sizes), step([3, 4, 1], also=[2], sizes=sizes)]
    labels, model = follow(steps, outliers=True)
    assert labels == [[0, -1, 0], [-1, 1, 0]]
    assert model.keeps_outliers_
    assert model.predict(batch(step([2, 3, 4]))).tolist() == [-1, -1, 1]
    grown = step([3], also=[1, 2, 4], sizes={**sizes, 3: 6})
    model.estimator_.script.append(grown)
    assert model.partial_fit(batch(grown)).labels_.tolist() == [2]


def test_outliers_that_come_late_are_topics():
    sizes = {1: 5, 2: 1}
    labels, model = follow([step([1], sizes=sizes), step([2, 1], sizes=sizes)], outliers=True)
    assert labels == [[0], [1, 0]]
    assert not model.keeps_outliers_
    labels, model = follow([step([2], sizes=sizes), step([2, 1], sizes=sizes)], outliers=False)
    assert labels == [[0], [0, 1]]
    assert not model.keeps_outliers_


def test_nothing_but_outliers():
    labels, model = follow([step([1, 2], sizes={1: 1, 2: 1})], outliers=True)
    assert labels == [[-1, -1]]
    assert model.predict(batch(step([2]))).tolist() == [-1]
    assert model.n_topics_ == 0


# ---------------------------------------------------------------------- BERTopic's tables


def halved_in_place(X):
    """BERTopic's transformer changes its argument too, now and then."""
    X.data = X.data * 0.5
    return X


def tables(model, counts, sizes, embeddings=None):
    """As much of a BERTopic model as `merge_ghosts` touches; it swaps the last two labels."""
    last = len(sizes) - 1
    numbers = {**{i: i for i in range(last - 1)}, last - 1: last, last: last - 1}
    words = np.array(["a", "b", "c"])
    return SimpleNamespace(
        hdbscan_model=model,
        topic_mapper_=SimpleNamespace(get_mappings=lambda: numbers),
        topic_sizes_=dict(enumerate(sizes)),
        topic_representations_={topic: [("old", 1.0)] for topic in range(len(sizes))},
        vectorizer_model=SimpleNamespace(X_=csr_array(counts), get_feature_names_out=lambda: words),
        ctfidf_model=SimpleNamespace(transform=halved_in_place),
        c_tf_idf_=None,
        topic_embeddings_=embeddings,
        top_n_words=2,
        representative_docs_={},
        topics_=list(range(len(sizes))),
    )


def test_merge_ghosts_moves_all_that_bertopic_holds():
    _, model = follow([step([1, 2, 3, 4]), step([2, 3], aliases={4: 2}, also=[1])])
    assert model.aliases_ == {3: 1}
    counts = np.array([[1, 0, 0], [0, 2, 1], [3, 1, 0], [0, 0, 4]])
    topic_model = tables(model, counts, [1, 3, 1, 4], np.arange(4.0)[:, None])
    assert topic_aliases(topic_model) == {2: 1}
    assert current_topics(topic_model, [2, 3, -1]) == [1, 3, -1]
    assert merge_ghosts(topic_model) == {2: 1}
    moved = topic_model.vectorizer_model.X_.toarray()
    assert moved.tolist() == [[1, 0, 0], [3, 3, 1], [0, 0, 0], [0, 0, 4]]
    assert topic_model.topic_sizes_ == {0: 1, 1: 4, 3: 4}
    assert topic_model.topics_ == [0, 1, 1, 3]
    assert topic_model.topic_embeddings_.ravel().tolist() == [0, (3 * 1 + 1 * 2) / 4, 0, 3]
    assert topic_model.topic_representations_ == {
        0: [("old", 1.0)],
        1: [("a", 1.5), ("b", 1.5)],
        2: [("", 1e-5), ("", 1e-5)],
        3: [("old", 1.0)],
    }
    assert merge_ghosts(topic_model) == {}


def test_merge_ghosts_weighs_scaled_rows_by_size():
    _, model = follow([step([1, 2, 3]), step([2, 3], aliases={1: 2})])
    rows = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    topic_model = tables(model, rows, [1, 5, 3])
    assert merge_ghosts(topic_model) == {0: 2}
    merged = topic_model.vectorizer_model.X_.toarray()
    assert merged.tolist() == [[0, 0, 0], [0, 1, 0], [0.25, 0, 0.75]]
    del topic_model.vectorizer_model.X_
    topic_model.topic_sizes_[0] = 1
    with pytest.raises(ValueError, match="OnlineCountVectorizer"):
        merge_ghosts(topic_model)


# ---------------------------------------------------------------------- along a stream


def batches(seed, order="mixed", size=100 if COMPILED else 20):
    X, _ = make_stream(order, n_samples=N, random_state=seed)
    return [X[at : at + size] for at in range(0, len(X), size)]


@pytest.mark.parametrize("outliers", [False, True])
@pytest.mark.parametrize("topics", [StreamARTTopics, ICVITopoARTMAPTopics])
def test_what_bertopic_needs_holds_along_a_stream(topics, outliers, seed):
    model, given, past = topics(outliers=outliers), 0, {}
    for X in batches(seed):
        labels = model.partial_fit(X).labels_
        assert labels.dtype == np.int64
        assert labels.shape == (len(X),)
        fresh = [label for label in dict.fromkeys(labels.tolist()) if label >= given]
        assert fresh == list(range(given, model.n_topics_)), "numbers in order, without a gap"
        given = model.n_topics_
        assert labels.min() >= (-1 if model.keeps_outliers_ else 0)
        assert not set(labels.tolist()) & set(model.aliases_), "a document in an ended topic"
        assert not set(model.aliases_.values()) & set(model.aliases_), "aliases are resolved"
        predicted = model.predict(X)
        assert set(predicted.tolist()) <= set(range(-1 if model.keeps_outliers_ else 0, given))
        assert not set(predicted.tolist()) & set(model.aliases_)
        assert past.items() <= model.topics_.items(), "a number changed"
        past = dict(model.topics_)


def test_some_streams_do_have_merged_topics():
    """Otherwise the test above shows less than it says."""
    ended = 0
    for seed in range(3):
        model = ICVITopoARTMAPTopics()
        for X in batches(seed):
            model.partial_fit(X)
        ended += len(model.aliases_)
    assert ended > 0 or not COMPILED


@pytest.mark.parametrize(
    ("topics", "estimator"),
    [(StreamARTTopics, StreamART(60)), (ICVITopoARTMAPTopics, ICVITopoARTMAP("wb"))],
)
def test_labels_are_those_of_the_estimator(topics, estimator, seed):
    model, alone = topics(estimator), clone(estimator)
    for X in batches(seed):
        ours, theirs = model.partial_fit(X).labels_, alone.partial_fit(X).labels_
        pairs = set(zip(ours.tolist(), theirs.tolist(), strict=True))
        assert len(pairs) == len(set(ours.tolist())) == len(set(theirs.tolist()))
    assert not hasattr(model.estimator, "labels_"), "the parameter itself must not learn"


def test_a_refused_batch_changes_nothing():
    model = StreamARTTopics()
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit([[np.inf, 0.0]])
    assert not hasattr(model, "estimator_")
    assert not hasattr(model, "n_features_in_")
    model.partial_fit([[0.0, 0.0], [9.0, 9.0]])
    labels, topics = model.labels_.tolist(), dict(model.topics_)
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit([[np.inf, 0.0]])
    assert (model.labels_.tolist(), model.topics_) == (labels, topics)
    assert model.estimator_.n_samples_seen_ == 2


def test_fit_begins_anew_and_copies_are_independent(seed):
    first, second, *_ = batches(seed)
    model = StreamARTTopics().partial_fit(first).fit(second)
    plain = StreamARTTopics().fit(second)
    assert model.labels_.tolist() == plain.labels_.tolist()
    other = pickle.loads(pickle.dumps(model))
    assert other.partial_fit(first).labels_.tolist() == plain.partial_fit(first).labels_.tolist()
    assert len(model.labels_) == len(second)
    assert not hasattr(clone(model), "estimator_")


def test_wrong_parameters():
    X = [[0.0], [1.0]]
    with pytest.raises(ValueError, match="'estimator'"):
        StreamARTTopics("ch").partial_fit(X)
    with pytest.raises(ValueError, match="'min_documents'"):
        StreamARTTopics(min_documents=0).partial_fit(X)
    with pytest.raises(ValueError, match="'rho'"):
        ICVITopoARTMAPTopics(ICVITopoARTMAP(rho=5)).partial_fit(X)
    for topics, other in [(StreamARTTopics, ICVITopoARTMAP), (ICVITopoARTMAPTopics, StreamART)]:
        with pytest.raises(ValueError, match="'estimator'"):
            topics(other()).partial_fit(X)
