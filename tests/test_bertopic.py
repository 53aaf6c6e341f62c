"""The cluster model inside the real BERTopic. `make test-bertopic` installs it."""

import numpy as np
import pytest

pytest.importorskip("bertopic", reason="BERTopic is not installed: make test-bertopic")
# BERTopic asks for this one whenever it predicts
pytest.importorskip("hdbscan", reason="hdbscan is not installed: make test-bertopic")

from bertopic import BERTopic
from bertopic.backend import BaseEmbedder
from bertopic.dimensionality import BaseDimensionalityReduction
from bertopic.vectorizers import OnlineCountVectorizer
from sklearn.decomposition import IncrementalPCA
from sklearn.random_projection import GaussianRandomProjection

from documents import THEMES, make_documents, make_embeddings
from scripted import ScriptedNetwork, batch, step
from streamart.adapters.bertopic import (
    ICVITopoARTMAPTopics,
    StreamARTTopics,
    current_topics,
    merge_ghosts,
    topic_aliases,
)
from support import COMPILED


def bertopic(cluster_model, reduction=None, **params):
    return BERTopic(
        hdbscan_model=cluster_model,
        umap_model=reduction or BaseDimensionalityReduction(),
        vectorizer_model=params.pop("vectorizer_model", None) or OnlineCountVectorizer(),
        **params,
    )


# ---------------------------------------------------------------------- what BERTopic does


class Labels:
    """A cluster model with given labels."""

    def __init__(self, *labels):
        self.script = list(labels)

    def partial_fit(self, X, y=None):
        self.labels_ = np.array(self.script.pop(0))
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int)


def topics_of(*labels):
    """BERTopic's topics of each batch, for labels as they come from a cluster model."""
    model = bertopic(Labels(*labels))
    said = []
    for each in labels:
        docs = [f"word{label} word{label} common" for label in each]
        model.partial_fit(docs, embeddings=np.zeros((len(each), 2)))
        said.append([int(topic) for topic in model.topics_])
    return said, model


def test_bertopic_renumbers_gaps():
    assert topics_of([0, 1], [0, 7])[0] == [[0, 1], [0, 2]]


def test_bertopic_swaps_new_labels_of_one_batch():
    """Why `topic_aliases` translates."""
    said, _ = topics_of(range(7), [7, 8])
    assert said[1] == [8, 7]


def test_bertopic_keeps_ghosts():
    _, model = topics_of([0, 1, 1], [0, 0])
    assert dict(model.topic_sizes_) == {0: 3, 1: 2}
    assert model.get_topic(1)[0][0] == "word1"


def test_bertopic_keeps_outliers_of_the_first_batch_only():
    assert topics_of([0, 0], [-1, 0])[0] == [[0, 0], [1, 0]]
    assert topics_of([0, -1], [0, 1], [-1, 2])[0] == [[0, -1], [0, 1], [-1, 2]]


def test_bertopic_calls_an_unknown_prediction_an_outlier():
    _, model = topics_of([0, 1])
    assert model.transform(["a"], embeddings=np.array([[5, 0]]))[0] == [-1]


# ---------------------------------------------------------------------- scripted clusters


def follow(steps, vectorizer=None, embedding_model=None, **params):
    """BERTopic after these batches; each document has words of its cluster and one of its own."""
    model = bertopic(
        ICVITopoARTMAPTopics(ScriptedNetwork(steps), **params),
        vectorizer_model=vectorizer,
        embedding_model=embedding_model,
    )
    said = []
    for at, each in enumerate(steps):
        model.partial_fit(texts(each, at), embeddings=batch(each))
        said.append(list(model.topics_))
    return said, model


def texts(each, at):
    return [f"word{c} word{c} common own{at}x{i}" for i, c in enumerate(each.learnt)]


def test_dense_numbers_arrive_as_they_are():
    said, model = follow([step([40, 7, 7]), step([90, 40]), step([3, 40])])
    assert said == [[0, 1, 1], [2, 0], [3, 0]]
    assert model.c_tf_idf_.shape[0] == 4
    assert [model.get_topic(topic)[0][0] for topic in range(4)] == [
        "word40",
        "word7",
        "word90",
        "word3",
    ]
    assert topic_aliases(model) == {}
    assert merge_ghosts(model) == {}


def test_outliers_stay_outliers_in_bertopic():
    sizes = {1: 9, 2: 1, 3: 1}
    steps = [step([1, 2], sizes=sizes), step([3, 1], sizes=sizes)]
    said, model = follow(steps, outliers=True)
    assert said == [[0, -1], [-1, 0]]
    assert set(model.topic_sizes_) == {-1, 0}
    late = [step([1, 1], sizes=sizes), step([3, 1], sizes=sizes)]
    said, model = follow(late, outliers=True)
    assert said == [[0, 0], [1, 0]], "BERTopic could not keep this one, so it is a topic"
    assert model.hdbscan_model.labels_.tolist() == [1, 0]


def test_aliases_in_bertopic_s_numbers():
    # 7 and 8 are new in one batch, and BERTopic swaps them
    steps = [step(range(7)), step([7, 8], also=range(7)), step([8, 0], aliases={7: 0})]
    said, model = follow(steps)
    assert model.hdbscan_model.aliases_ == {7: 0}
    ghost = said[1][0]
    assert topic_aliases(model) == {ghost: 0}
    assert ghost == 8, "BERTopic does not swap any more: is the translation still needed?"
    assert current_topics(model, [*said[1], -1]) == [0, 7, -1]
    assert said[2] == [7, 0]


def test_a_cluster_without_documents_is_not_made_an_outlier_by_bertopic():
    steps = [step([10, 30]), step([10], also=[28, 30])]
    _, model = follow(steps)
    assert model.transform(["a"], embeddings=batch(step([28])))[0] == [1]


class WordEmbedder(BaseEmbedder):
    def embed(self, documents, verbose=False):
        return np.array([[len(document), 1.0] for document in documents])


def merged_and_single():
    """A stream where 2 and 3 end in 1, and the same where it had been 1 from the beginning."""
    split = [step([1, 1, 2, 2, 3, 5]), step([1, 2, 5, 5, 6]), step([1, 5], {2: 1, 3: 1}, also=[6])]
    return split, [step([1 if c in (2, 3) else c for c in each.learnt]) for each in split]


def run_both(vectorizer):
    split, single = merged_and_single()
    models = []
    for steps in (split, single):
        model = bertopic(
            ICVITopoARTMAPTopics(ScriptedNetwork(steps)), vectorizer_model=vectorizer()
        )
        for at, (each, words) in enumerate(zip(steps, split, strict=True)):
            model.partial_fit(texts(words, at), embeddings=batch(each))
        models.append(model)
    return models


def test_merge_ghosts_gives_what_bertopic_had_had_without_them():
    model, single = run_both(OnlineCountVectorizer)
    assert dict(model.topic_sizes_) == {0: 4, 1: 3, 2: 1, 3: 4, 4: 1}
    assert merge_ghosts(model) == {1: 0, 2: 0}
    # topics 0, 3, 4 here are topics 0, 1, 2 there
    assert dict(model.topic_sizes_) == {0: 8, 3: 4, 4: 1}
    assert dict(single.topic_sizes_) == {0: 8, 1: 4, 2: 1}
    ours = {word: at for at, word in enumerate(model.vectorizer_model.get_feature_names_out())}
    theirs = single.vectorizer_model.get_feature_names_out()
    counts = model.vectorizer_model.X_.toarray()[:, [ours[word] for word in theirs]]
    assert np.array_equal(counts[[0, 3, 4]], single.vectorizer_model.X_.toarray())
    assert not counts[[1, 2]].any()
    for topic, other in [(0, 0), (3, 1), (4, 2)]:
        words = [word for word, _ in model.get_topic(topic)]
        assert words[0] == single.get_topic(other)[0][0]
        assert len(words) == model.top_n_words
    assert [word for word, _ in model.get_topic(1)] == [""] * model.top_n_words
    assert model.get_topic_info().Topic.tolist() == [0, 3, 4]
    assert merge_ghosts(model) == {}, "once is enough"


def test_partial_fit_goes_on_after_merge_ghosts():
    split, _ = merged_and_single()
    more = step([1, 9, 6], {2: 1, 3: 1}, also=[5])
    _said, model = follow(split)
    merge_ghosts(model)
    model.hdbscan_model.estimator_.script.append(more)
    model.partial_fit(texts(more, 3), embeddings=batch(more))
    assert model.topics_ == [0, 5, 4]
    assert dict(model.topic_sizes_) == {0: 9, 3: 4, 4: 2, 5: 1}
    assert model.c_tf_idf_.shape[0] == 6
    assert model.vectorizer_model.X_.shape[0] == 6
    for topic, word in [(0, "word2"), (3, "word5"), (4, "word6"), (5, "word9")]:
        assert word in [each for each, _ in model.get_topic(topic)]
    assert merge_ghosts(model) == {}
    assert model.transform(["a"], embeddings=batch(step([1])))[0] == [0]


def test_merge_ghosts_twice_in_a_row():
    """A successor may end later."""
    steps = [
        step([1, 2, 3]),
        step([1, 3], {2: 1}),
        step([3], {2: 3, 1: 3}),
    ]
    _, model = follow(steps[:2])
    assert merge_ghosts(model) == {1: 0}
    model.hdbscan_model.estimator_.script.append(steps[2])
    model.partial_fit(texts(steps[2], 2), embeddings=batch(steps[2]))
    assert topic_aliases(model) == {1: 2, 0: 2}
    assert merge_ghosts(model) == {0: 2}
    assert dict(model.topic_sizes_) == {2: 6}


def test_merge_ghosts_with_decay_weighs_by_size():
    split, _ = merged_and_single()
    _, model = follow(split, vectorizer=OnlineCountVectorizer(decay=0.1))
    rows = model.vectorizer_model.X_.toarray()
    assert np.allclose(rows.sum(axis=1), 1), "BERTopic scales rows no more: use plain sums"
    merge_ghosts(model)
    merged = model.vectorizer_model.X_.toarray()
    assert np.allclose(merged[0], (4 * rows[0] + 3 * rows[1] + rows[2]) / 8)
    assert np.array_equal(merged[3:], rows[3:])


def test_merge_ghosts_moves_topic_embeddings():
    split, _ = merged_and_single()
    _, model = follow(split, embedding_model=WordEmbedder())
    before = np.array(model.topic_embeddings_)
    merge_ghosts(model)
    assert np.allclose(model.topic_embeddings_[0], (4 * before[0] + 3 * before[1] + before[2]) / 8)
    assert np.array_equal(model.topic_embeddings_[3:], before[3:])
    model.hdbscan_model.estimator_.script.append(split[2])
    model.partial_fit(texts(split[2], 3), embeddings=batch(split[2]))
    assert len(model.topic_embeddings_) == 5


def test_merge_ghosts_needs_counts():
    split, _ = merged_and_single()
    _, model = follow(split)
    del model.vectorizer_model.X_
    with pytest.raises(ValueError, match="OnlineCountVectorizer"):
        merge_ghosts(model)


def test_collected_topics_are_moved_too():
    split, _ = merged_and_single()
    said, model = follow(split)
    model.topics_ = [topic for each in said for topic in each]  # as BERTopic's guide says
    expected = current_topics(model, model.topics_)
    merge_ghosts(model)
    assert model.topics_ == expected
    assert set(expected) == {0, 3, 4}


# ---------------------------------------------------------------------- documents


def learn_documents(model, seed, size=60):
    """Themes one after the other; topics of all documents, and their themes."""
    docs, themes = make_documents(60 if COMPILED else 30, seed)
    vectors = make_embeddings(docs)
    topics = []
    for at in range(0, len(docs), size):
        part = slice(at, at + size)
        model.partial_fit(docs[part], embeddings=vectors[part])
        topics.extend(model.topics_)
    return docs, vectors, themes, topics


REDUCTIONS = {
    "none": lambda: None,
    "projection": lambda: GaussianRandomProjection(n_components=6, random_state=0),
    "pca": lambda: IncrementalPCA(n_components=5),
}


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
@pytest.mark.parametrize("topics_model", [StreamARTTopics, ICVITopoARTMAPTopics])
def test_documents_theme_after_theme(reduction, topics_model, seed):
    model = bertopic(topics_model(), REDUCTIONS[reduction]())
    docs, vectors, themes, topics = learn_documents(model, seed)
    merge_ghosts(model)
    living = set(model.get_topic_info().Topic)
    assert sum(model.topic_sizes_.values()) == len(docs)
    assert set(current_topics(model, topics)) == living
    assert set(model.transform(docs, embeddings=vectors)[0]) <= living
    assert -1 not in living
    if reduction == "pca":
        return  # its axes turn; that nothing breaks is all that can be asked
    now = np.array(current_topics(model, topics))
    for theme in range(len(THEMES)):
        values, counts = np.unique(now[themes == theme], return_counts=True)
        assert counts.max() > 0.8 * counts.sum(), "a theme falls apart"
        best = [word for word, _ in model.get_topic(int(values[counts.argmax()]))[:5]]
        assert set(best) & set(THEMES[theme]), best


def test_fit_transform_works_too():
    docs, _ = make_documents(20, 0)
    model = bertopic(StreamARTTopics())
    topics, _ = model.fit_transform(docs, embeddings=make_embeddings(docs))
    assert set(topics) == set(range(len(set(topics))))
    assert len(set(topics)) > 1
