"""A program that uses every public name, checked by mypy in `test_types` and run there, too."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import streamart
from streamart import (
    Categories,
    CategoryVerdict,
    ClusterIdError,
    Clusters,
    Event,
    Explanation,
    HintError,
    Hints,
    ICVITopoARTMAP,
    ICVITopoARTMAPClassifier,
    ModelFileError,
    StreamART,
    Suggestion,
    __version__,
    cluster,
    load,
    report,
    validity_score,
    validity_scorer,
)
from streamart.adapters.river import StreamARTClusterer
from streamart.adapters.river_metric import ValidityMetric
from streamart.baselines import DRN, NearestNeighbour, SequentialKMeans, WSTopoFA
from streamart.data import make_stream
from streamart.report import Record

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def learn(X: Floats) -> tuple[StreamART, ICVITopoARTMAP]:
    tuning = StreamART(n_clusters=3, record_events=True)
    assert_type(tuning.fit_predict(X), Ints)
    assert_type(tuning.partial_fit(X), StreamART)
    network = ICVITopoARTMAP("wb", strategies=("merge", "swap"), record_history=True)
    assert_type(network.fit(X), ICVITopoARTMAP)
    assert_type(network.learn_one(X[0]), int)
    assert_type(network.history_, dict[str, Floats | Ints])
    return tuning, network


def read(model: StreamART | ICVITopoARTMAP, X: Floats) -> None:
    assert_type(model.labels_, Ints)
    assert_type(model.ids_, Ints)
    assert_type(model.predict(X, outliers=True), Ints)
    assert_type(model.predict_ids(X), Ints)
    assert_type(model.predict_one(X[0]), int)
    assert_type(model.predict_id(X[0]), int)
    assert_type(model.n_clusters_, int)
    assert_type(model.icvi_value_, float)
    assert_type(model.rho_, float)
    assert_type(model.cluster_ids_, Ints)
    assert_type(model.aliases_, dict[int, int])
    assert_type(model.names_, dict[int, str])
    assert_type(model.class_ids_, dict[int, int])
    assert_type(model.categories_, Categories)
    assert_type(model.clusters_, Clusters)
    assert_type(model.novelty(X), Floats)
    assert_type(model.explain(X[0]), Explanation)
    assert_type(model.explain(X[0]).categories, tuple[CategoryVerdict, ...])
    assert_type(model.merge_suggestions(), list[Suggestion])
    assert_type(model.events_, list[Event])
    assert_type([event.ids for event in model.new_events()], list[tuple[int, ...]])


def correct(model: StreamART | ICVITopoARTMAP, X: Floats) -> None:
    ids = model.cluster_ids_.tolist()
    assert_type(model.merge(ids[0], ids[1]), int)
    assert_type(model.undo(), str)
    model.rename(ids[0], "here")
    assert_type(model.resolve("here"), int)
    model.partial_fit(X[:2], hints=Hints({0: "here"}, apart=[(1, cluster(ids[0]))]))
    model.partial_fit(X[:2], hints={"names": ["here", None]})
    try:
        model.split(10_000)
    except ClusterIdError as error:
        assert_type(str(error), str)
    try:
        model.partial_fit(X[:2], hints=Hints({0: "a"}, together=[(0, "here")]))
    except HintError as error:
        assert_type(str(error), str)


def classify(X: Floats, y: Ints) -> None:
    classifier = ICVITopoARTMAPClassifier("ch")
    assert_type(classifier.partial_fit(X, y), ICVITopoARTMAPClassifier)
    assert_type(classifier.network_, ICVITopoARTMAP)
    assert_type(classifier.predict_proba(X), Floats)
    assert classifier.predict(X).shape == classifier.transduction_.shape == (len(X),)
    assert set(classifier.class_ids_) <= set(classifier.classes_.tolist())


def compare(X: Floats, y: Ints) -> None:
    node_model = DRN(random_state=1)
    assert_type(node_model.fit_predict(X), Ints)
    assert_type(node_model.global_weight_, Floats)
    assert_type(node_model.categories_, Categories)
    assert node_model.strengths_.shape == (node_model.n_categories_,) * 2
    topological = WSTopoFA(phi=0).partial_fit(X)
    assert_type(topological, WSTopoFA)
    assert topological.links_.shape == (topological.n_categories_,) * 2
    assert_type(SequentialKMeans(2).fit(X).cluster_centers_, Floats)
    assert_type(NearestNeighbour().fit(X, y), NearestNeighbour)


def use_river(X: Floats) -> None:
    model, metric = StreamARTClusterer(max_categories=20), ValidityMetric("ch")
    for x, y in X.tolist():
        sample: dict[str, float] = {"x": x, "y": y}
        model.learn_one(sample)
        metric.update(sample, model.predict_one(sample))
    assert_type(model.predict_one({"x": 1, "y": 2.5}), int)
    assert_type(model.aliases, dict[int, int])
    assert_type(model.n_clusters, int)
    assert_type(metric.get(), float)


def record(model: StreamART | ICVITopoARTMAP) -> None:
    seen = Record()
    assert_type(seen.look(model).clusters, int)
    seen.note(model.new_events())
    assert_type([profile.suggested for profile in model.profiles()], list[str])


def keep(model: StreamART, folder: Path) -> None:
    report(model, np.zeros((3, 2)), folder / "report.html")
    model.save(folder / "model")
    assert_type(load(folder / "model", StreamART), StreamART)
    loaded = load(folder / "model")
    assert_type(loaded, StreamART | ICVITopoARTMAP | ICVITopoARTMAPClassifier)
    try:
        load(folder / "model", ICVITopoARTMAP)
    except ModelFileError as error:
        assert_type(error.problem, str)


def main() -> None:
    X, y = make_stream("random", 60, random_state=0)
    tuning, network = learn(X)
    for model in (tuning, network):
        read(model, X)
        correct(model, X)
        record(model)
    end = tuning.on_event(lambda event: assert_type(event, Event))
    end()
    classify(X, y)
    compare(X, y)
    use_river(X)
    with TemporaryDirectory() as folder:
        keep(tuning, Path(folder))
    assert_type(validity_score(X, y, "ch"), float)
    assert_type(validity_scorer("wb")(network, X, None), float)
    assert_type(__version__, str)
    assert streamart.__version__ == __version__


if __name__ == "__main__":
    main()
