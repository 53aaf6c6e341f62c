"""Cluster models for BERTopic's online topic modelling: `StreamARTTopics`, `ICVITopoARTMAPTopics`.

They translate permanent ids to the topic numbers that BERTopic needs. The functions at the end work
on a BERTopic model.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from .._typing import Bools, Floats, Ints
from ..estimators.network import ICVITopoARTMAP
from ..estimators.stream_art import StreamART

if TYPE_CHECKING:
    from bertopic import BERTopic

OUTLIER = -1


class _Topics(ClusterMixin, BaseEstimator):
    """Base of both cluster models, which differ in the estimator that learns the documents."""

    _estimator: ClassVar[type[StreamART | ICVITopoARTMAP]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "outliers": ["boolean"],
        "min_documents": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: StreamART | ICVITopoARTMAP | None = None,
        *,
        outliers: bool = False,
        min_documents: int = 5,
    ) -> None:
        self.estimator = estimator
        self.outliers = outliers
        self.min_documents = min_documents

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn from the beginning; topic numbers start at 0 again."""
        self._validate_params()
        _refuse_gaps(X)
        self._begin(X)
        return self

    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the next batch. A batch that is refused leaves the model unchanged."""
        self._validate_params()
        _refuse_gaps(X)
        if hasattr(self, "estimator_"):
            self.estimator_.partial_fit(X)
            self._give_numbers()
        else:
            self._begin(X)
        return self

    def predict(self, X: ArrayLike) -> Ints:
        """Topic number of each document. Nothing is learnt."""
        check_is_fitted(self, "estimator_")
        _refuse_gaps(X)
        model = self.estimator_
        positions = model.predict(X)
        numbers = self._numbers()
        labels = numbers[positions]
        # clusters into which no document has been learnt yet, but which are no outliers
        unnumbered = (labels == OUTLIER) & ~self._counts_as_outlier()[positions]
        if unnumbered.any():
            known = np.flatnonzero(numbers != OUTLIER)
            means = model.clusters_.mean[known]
            metric = _metric_of(model)
            nearest = pairwise_distances_argmin(np.asarray(X)[unnumbered], means, metric=metric)
            labels[unnumbered] = numbers[known[nearest]]
        return labels

    @property
    def n_topics_(self) -> int:
        check_is_fitted(self, "estimator_")
        return len(set(self.topics_.values()))

    @property
    def aliases_(self) -> dict[int, int]:
        check_is_fitted(self, "estimator_")
        number = self.topics_
        ended = self.estimator_.aliases_.items()
        return {
            number[cluster]: number[successor]
            for cluster, successor in ended
            if cluster in number and number[cluster] != number[successor]
        }

    # ------------------------------------------------------------------ numbers

    def _begin(self, X: ArrayLike) -> None:
        """The first batch, which decides whether there are outliers."""
        model = self._estimator() if self.estimator is None else clone(self.estimator)
        model.partial_fit(X)  # if this refuses the batch, nothing has changed
        self.estimator_ = model
        self.topics_: dict[int, int] = {}
        self.keeps_outliers_ = self.outliers
        self._give_numbers()
        self.keeps_outliers_ = bool(OUTLIER in self.labels_)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def _give_numbers(self) -> None:
        """Give numbers to new topics, and label the batch that was just learnt."""
        model, topics = self.estimator_, self.topics_
        # If a cluster without a number took in one with a number, it takes over the number.
        ended = [(topics[i], successor) for i, successor in model.aliases_.items() if i in topics]
        for number, successor in sorted(ended):
            topics.setdefault(successor, number)
        outlier = dict(zip(model.cluster_ids_.tolist(), self._counts_as_outlier(), strict=True))
        for i in dict.fromkeys(model.ids_.tolist()):
            if not outlier[i]:
                topics.setdefault(i, self.n_topics_)
        self.labels_ = self._numbers()[model.labels_]

    def _numbers(self) -> Ints:
        """Topic number of each present cluster, -1 for none."""
        ids = self.estimator_.cluster_ids_.tolist()
        return np.array([self.topics_.get(cluster, OUTLIER) for cluster in ids], dtype=np.int64)

    def _counts_as_outlier(self) -> Bools:
        """For each present cluster, whether it is too small for a topic."""
        n = self.estimator_.clusters_.n
        return np.asarray((n < self.min_documents) & self.keeps_outliers_)


class StreamARTTopics(_Topics):
    """StreamART as the `hdbscan_model` of BERTopic, for its `partial_fit`.

    BERTopic keeps a table row for each topic and never removes one, so a topic number must keep its
    meaning. A cluster gets a topic number when the first document is learnt into it:
    0, 1, 2, ... without gaps. Numbers are never reused.

    Parameters
    ----------
    estimator : StreamART or None, default=None
        The model, which is cloned. None means `StreamART()`.
    outliers : bool, default=False
        Whether documents of small clusters may be labelled -1. BERTopic decides with its first
        batch whether there is a topic -1: if that batch has no outlier, a later -1 becomes an
        ordinary topic. So outliers are used only if the first batch has one (`keeps_outliers_`).
    min_documents : int, default=5
        With `outliers`, how many documents a cluster needs to get a topic number.

    Attributes
    ----------
    estimator_ : StreamART
        The fitted model.
    labels_ : ndarray of shape (n_samples,)
        Topic number of each document of the last call.
    n_topics_ : int
        How many topic numbers have been given out.
    topics_ : dict
        Topic number of each permanent cluster id that has one.
    aliases_ : dict
        For each topic whose cluster ended, the topic that took it in. Numbers are those of
        `labels_`; `topic_aliases` translates them to BERTopic's.
    keeps_outliers_ : bool
        Whether -1 is in use.
    n_features_in_ : int

    Notes
    -----
    What BERTopic (0.17) does with labels in `partial_fit`, and how this class responds:

    - *Gaps.* BERTopic gives a label that it has not seen the next free number, so labels with gaps
      are renumbered. Labels of this class have no gaps. Several new labels in one batch may still
      change places, because BERTopic puts them in a Python set: labels 7 and 8 may become topics 8
      and 7. `topic_model.topics_` and `transform` use BERTopic's own numbers. The functions of this
      module translate them with `topic_model.topic_mapper_`.
    - *Ended topics.* When clusters merge, BERTopic still lists the topic that ended, with its words
      and documents. No new document goes there; `aliases_` says where such documents go now, and
      `merge_ghosts` moves the old ones.
    - *Outliers.* A -1 that the first batch did not have becomes an ordinary topic; see `outliers`.

    A cluster that came from a split has no topic number until a document is learnt into it, because
    BERTopic has no words for it. Until then, `predict` returns the nearest topic.

    A document keeps the topic it was learnt into. Aliases follow mergers, but they cannot say which
    documents of a split cluster belong to the new one; `transform` can.

    Dimensionality reduction must stay the same between batches, or clusters drift away from what
    was learnt. `IncrementalPCA` rotates its axes when new topics arrive; see the tutorial on
    BERTopic.

    Examples
    --------
    >>> import numpy as np
    >>> from streamart.adapters.bertopic import StreamARTTopics
    >>> rng = np.random.default_rng(0)
    >>> centres = 10 * rng.normal(size=(3, 8))
    >>> X = np.repeat(centres, 20, axis=0) + rng.normal(size=(60, 8))
    >>> topics = StreamARTTopics().partial_fit(X)
    >>> topics.labels_[[0, 20, 40]].tolist()
    [0, 1, 2]
    >>> topics.predict(centres).tolist()
    [0, 1, 2]
    """

    _estimator = StreamART
    _parameter_constraints = {**_Topics._parameter_constraints, "estimator": [StreamART, None]}


class ICVITopoARTMAPTopics(_Topics):
    """The paper's network as the `hdbscan_model` of BERTopic.

    Everything but the estimator is as in `StreamARTTopics`.

    Parameters
    ----------
    estimator : ICVITopoARTMAP or None, default=None
        The network, which is cloned. None means `ICVITopoARTMAP()`.
    outliers, min_documents
        As for `StreamARTTopics`.

    Examples
    --------
    >>> from streamart.adapters.bertopic import ICVITopoARTMAPTopics
    >>> X = [[0.0, 0], [0, 1], [9, 9], [9, 8], [0, 9], [1, 9], [1, 0], [8, 9], [1, 8]]
    >>> topics = ICVITopoARTMAPTopics().partial_fit(X)
    >>> topics.labels_.tolist()
    [0, 0, 1, 1, 2, 2, 0, 1, 2]
    """

    _estimator = ICVITopoARTMAP
    _parameter_constraints = {**_Topics._parameter_constraints, "estimator": [ICVITopoARTMAP, None]}


def _refuse_gaps(X: ArrayLike) -> None:
    """Refuse NaN, which StreamART would take for missing values."""
    values = np.asarray(X)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("X contains NaN, but embeddings must be complete.")


def _metric_of(model: StreamART | ICVITopoARTMAP) -> str:
    if isinstance(model, StreamART):
        return model.metric_
    return "cosine" if model.match == "cosine" else "euclidean"


# ---------------------------------------------------------------------- for BERTopic models
# `topic_model` must have one of these classes as its `hdbscan_model`.


def topic_aliases(topic_model: BERTopic) -> dict[int, int]:
    """For each topic of a BERTopic model whose cluster ended, the topic that took it in.

    Like `StreamARTTopics.aliases_`, but in BERTopic's own numbers.
    """
    number = topic_model.topic_mapper_.get_mappings()
    aliases = topic_model.hdbscan_model.aliases_.items()
    translated = {int(number[ended]): int(number[successor]) for ended, successor in aliases}
    return {
        ended: successor for ended, successor in sorted(translated.items()) if ended != successor
    }


def current_topics(topic_model: BERTopic, topics: Iterable[int]) -> list[int]:
    """Present topics of documents that `topic_model` put into these topics earlier."""
    aliases = topic_aliases(topic_model)
    return [aliases.get(int(topic), int(topic)) for topic in topics]


def merge_ghosts(topic_model: BERTopic) -> dict[int, int]:
    """Move what BERTopic holds of ended topics to the topics that took them in.

    Word counts, sizes, words, topic embeddings and `topics_` are moved. Topics are not renumbered.
    An ended topic keeps an empty row, because BERTopic finds rows by their order, but
    `get_topic_info` no longer lists it. Call this function between two calls of `partial_fit`, as
    often as you like. With a `representation_model`, the words of topics that took others in are
    plain c-TF-IDF until the next `partial_fit`.

    The vectorizer must be an `OnlineCountVectorizer`. Returns the topics that were emptied, each
    with the topic that took it in.
    """
    sizes = topic_model.topic_sizes_
    ghosts = {ended: into for ended, into in topic_aliases(topic_model).items() if ended in sizes}
    if not ghosts:
        return {}
    vectorizer = topic_model.vectorizer_model
    if not hasattr(vectorizer, "X_"):
        raise ValueError("merge_ghosts needs the word counts of an OnlineCountVectorizer.")
    row = {topic: at for at, topic in enumerate(sorted(topic_model.topic_representations_))}
    weighted, plain = _folding(row, ghosts, sizes)
    # With `decay`, BERTopic scales each row of counts to 1; then rows are weighted by size.
    is_count = np.issubdtype(vectorizer.X_.dtype, np.integer)
    vectorizer.X_ = sparse.csr_matrix((plain if is_count else weighted) @ vectorizer.X_)
    # a copy, because the transformer scales in place
    topic_model.c_tf_idf_ = topic_model.ctfidf_model.transform(vectorizer.X_.copy())
    if topic_model.topic_embeddings_ is not None:
        topic_model.topic_embeddings_ = weighted @ np.asarray(topic_model.topic_embeddings_)
    names = vectorizer.get_feature_names_out()
    for topic in {*ghosts, *ghosts.values()}:
        scores = topic_model.c_tf_idf_[[row[topic]]].toarray()[0]
        topic_model.topic_representations_[topic] = _words(scores, names, topic_model.top_n_words)
    for ghost, successor in ghosts.items():
        sizes[successor] += sizes.pop(ghost)
        topic_model.representative_docs_.pop(ghost, None)
    topic_model.topics_ = [ghosts.get(int(topic), int(topic)) for topic in topic_model.topics_]
    return ghosts


def _folding(
    row: dict[int, int], ghosts: dict[int, int], sizes: dict[int, int]
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Matrices that merge rows: by mean, weighted by size, and by sum. Ghosts become empty."""
    weighted, plain = np.eye(len(row)), np.eye(len(row), dtype=np.int64)
    for successor in set(ghosts.values()):
        group = [successor, *(ghost for ghost in ghosts if ghosts[ghost] == successor)]
        total = sum(sizes[topic] for topic in group)
        for topic in group:
            weighted[row[topic]], plain[row[topic]] = 0, 0
        for topic in group:
            weighted[row[successor], row[topic]] = sizes[topic] / total
            plain[row[successor], row[topic]] = 1
    return sparse.csr_matrix(weighted), sparse.csr_matrix(plain)


def _words(scores: Floats, names: Any, n_words: int) -> list[tuple[str, float]]:
    """The best words, filled up with empty ones as in BERTopic if there are too few."""
    best = np.argsort(-scores, kind="stable")[:n_words]
    words = [(str(names[at]), float(scores[at])) for at in best if scores[at] > 0]
    return words + [("", 1e-5)] * (n_words - len(words))
