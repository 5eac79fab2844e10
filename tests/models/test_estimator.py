"""The estimators are scikit-learn's in everything that can be asked of lists of graphs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from models.estimator_checks import QUICK
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

from smixup import Identity, SMixup, SMixupClassifier, SMixupRegressor, load_model
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg

NAMES = np.array(["cycle", "house", "roof"])


@pytest.fixture(scope="module")
def graphs(motif: Graphs) -> list[Data]:
    return list(to_pyg(motif).to_data_list())


@pytest.fixture(scope="module")
def y(motif: Graphs) -> Any:
    return NAMES[motif.labels.numpy()]


def test_it_learns_and_answers_in_the_names_it_was_given(graphs: list[Data], y: Any) -> None:
    clf = SMixupClassifier(**QUICK | {"backbone": "gin", "epochs": 60, "num_layers": 3})
    clf.fit(graphs, y)
    assert clf.classes_.tolist() == sorted(set(y))
    assert clf.score(graphs, y) > 0.8
    assert set(clf.predict(graphs)) <= set(y)
    proba = clf.predict_proba(graphs)
    assert proba.shape == (60, 3)
    np.testing.assert_allclose(proba.sum(1), 1)
    assert (clf.classes_[proba.argmax(1)] == clf.predict(graphs)).all()
    assert clf.history_.epochs == 60
    assert clf.n_features_in_ == graphs[0].x.size(1)


def test_values(graphs: list[Data], motif: Graphs) -> None:
    sizes = motif.sizes.numpy().astype(float)
    reg = SMixupRegressor(**QUICK).fit(graphs, sizes)
    assert reg.predict(graphs).shape == (60,)
    both = SMixupRegressor(**QUICK).fit(graphs, np.stack([sizes, -sizes], 1))
    assert both.predict(graphs).shape == (60, 2)
    low, high = reg.model_.predict(graphs, level=0.8).intervals
    assert (low < high).all()
    assert reg.score(graphs, sizes) <= 1


def test_targets_may_come_with_the_graphs(graphs: list[Data], motif: Graphs) -> None:
    pairs = zip(graphs, motif.labels, strict=True)
    own = [Data(x=g.x, edge_index=g.edge_index, y=label.reshape(1)) for g, label in pairs]
    found = SMixupClassifier(**QUICK).fit(own)
    given = SMixupClassifier(**QUICK).fit(graphs, motif.labels.numpy())
    assert (found.predict_proba(graphs) == given.predict_proba(graphs)).all()
    for place, each in enumerate(own):
        each.y = torch.tensor([place / 7])
    with pytest.raises(ValueError, match="continuous"):
        SMixupClassifier(**QUICK).fit(own)
    assert SMixupRegressor(**QUICK).fit(own).predict(graphs).shape == (60,)


def test_a_seed_repeats_to_the_bit_and_parameters_stay(graphs: list[Data], y: Any) -> None:
    clf = SMixupClassifier(**QUICK)
    before = clf.get_params()
    first = clf.fit(graphs, y).predict_proba(graphs)
    assert clf.get_params() == before
    assert (clone(clf).fit(graphs, y).predict_proba(graphs) == first).all()
    other = clone(clf).set_params(random_state=1).fit(graphs, y)
    assert (other.predict_proba(graphs) != first).any()


def test_an_augmentation_is_copied(graphs: list[Data], y: Any) -> None:
    method = SMixup(alpha=0.3, matcher=Identity(), seed=0)
    clf = SMixupClassifier(**QUICK | {"method": method, "epochs": 1})
    first = clf.fit(graphs, y).predict_proba(graphs)
    assert clf.method is method
    assert (clf.fit(graphs, y).predict_proba(graphs) == first).all(), "it has not been used"
    assert clone(clf).fit(graphs, y).method.alpha == 0.3
    assert clf.model_.about["method"] == "s-mixup"


def test_class_weights(graphs: list[Data], y: Any) -> None:
    balanced = SMixupClassifier(**QUICK, class_weight="balanced").fit(graphs, y)
    weights = dict(zip(balanced.classes_.tolist(), balanced.model_.task.weights, strict=True))
    again = SMixupClassifier(**QUICK, class_weight=weights).fit(graphs, y)
    assert (balanced.predict_proba(graphs) == again.predict_proba(graphs)).all()
    with pytest.raises(ValueError, match="class_weight names 'dog', which is no class of y"):
        SMixupClassifier(**QUICK, class_weight={"dog": 1.0}).fit(graphs, y)
    with pytest.raises(ValueError, match="class_weight must be None, 'balanced' or a mapping"):
        SMixupClassifier(**QUICK, class_weight="even").fit(graphs, y)


@pytest.mark.parametrize("wrap", [list, tuple, "array"])
def test_any_sequence_of_graphs(graphs: list[Data], y: Any, wrap: Any) -> None:
    given: Any = graphs
    if wrap == "array":
        given = np.empty(len(graphs), dtype=object)
        given[:] = graphs
    else:
        given = wrap(graphs)
    clf = SMixupClassifier(**QUICK).fit(given, y)
    assert (clf.predict(given) == clf.predict(graphs)).all()


def test_what_is_wrong_is_said_in_a_sentence(graphs: list[Data], y: Any) -> None:
    clf = SMixupClassifier(**QUICK)
    for wrong, targets, message in (
        (graphs, y[:-1], "there are 60 graphs in X, and 59 targets in y"),
        (graphs, None, "graph 0 has no y of its own"),
        (graphs, np.zeros((60, 2)), "one class for every graph, not an array of shape"),
        ("MUTAG", y, "X must be a list of graphs, not a str"),
    ):
        bare = [Data(x=g.x, edge_index=g.edge_index) for g in wrong] if wrong is graphs else wrong
        with pytest.raises(ValueError, match=message):
            clf.fit(bare, targets)
    with pytest.raises(SmixupError, match="element 0 is a int"):
        clf.fit([1, 2], [0, 1])
    with pytest.raises(ValueError, match="all graphs are of one class, cycle"):
        clf.fit(graphs, ["cycle"] * 60)
    with pytest.raises(ValueError, match="y must hold numbers"):
        SMixupRegressor(**QUICK).fit(graphs, y)
    with pytest.raises(ValueError, match="infinite"):
        SMixupRegressor(**QUICK).fit(graphs, [np.inf] * 60)


def test_cross_validation_and_grid_search(graphs: list[Data], y: Any) -> None:
    clf = SMixupClassifier(**QUICK)
    assert cross_val_score(clf, graphs, y, cv=2, error_score="raise").shape == (2,)
    proba = cross_val_predict(clf, graphs, y, cv=2, method="predict_proba")
    assert proba.shape == (60, 3)
    grid = {"method": ["vanilla", "drop-edge"], "epochs": [1, 2]}
    search = GridSearchCV(clf, grid, cv=2, error_score="raise").fit(graphs, y)
    assert search.best_params_.keys() == grid.keys()
    assert search.predict(graphs).shape == (60,)
    reg = SMixupRegressor(**QUICK)
    assert cross_val_score(reg, graphs, np.arange(60.0), cv=2, error_score="raise").shape == (2,)


@pytest.fixture(scope="module")
def networks() -> tuple[list[nx.Graph], list[str]]:
    """Rings and stars of 5 to 9 nodes; centres and others have colours, edges have lengths."""
    graphs, names = [], []
    for place in range(60):
        n = 5 + place % 5
        graph = nx.cycle_graph(n) if place % 2 else nx.star_graph(n - 1)
        for node, data in graph.nodes(data=True):
            data["colour"] = "red" if node == 0 else "blue"
        for a, b, data in graph.edges(data=True):
            data["length"] = float(abs(a - b))
        graphs.append(graph)
        names.append("ring" if place % 2 else "star")
    return graphs, names


def test_networkx_graphs_are_learned_as_those_of_pyg(
    networks: tuple[list[nx.Graph], list[str]], tmp_path: Path
) -> None:
    graphs, names = networks
    settings = QUICK | {"backbone": "gine", "epochs": 20, "num_layers": 2}
    scores = cross_val_score(SMixupClassifier(**settings), graphs, names, cv=3)
    assert scores.shape == (3,)
    assert scores.min() > 0.8
    clf = SMixupClassifier(**settings).fit(graphs, names)
    assert clf.n_features_in_ == 3  # blue, red, and any other
    proba = clf.predict_proba(graphs)
    as_pyg = [from_networkx(each) for each in graphs]
    for each in as_pyg:
        reds = torch.tensor([colour == "red" for colour in each.colour])
        each.x = torch.stack([~reds, reds, reds & ~reds], 1).float()
        each.edge_attr = each.length.reshape(-1, 1).float()
        del each.colour, each.length
    same = SMixupClassifier(**settings).fit(as_pyg, names)
    np.testing.assert_allclose(same.predict_proba(as_pyg), proba, atol=1e-5)
    kept = load_model(clf.save(tmp_path / "model"))
    assert (kept.predict_proba(graphs) == clf.model_.predict_proba(graphs)).all()
    with pytest.raises(SmixupError, match="the model was trained on PyG graphs"):
        same.predict(graphs)


def test_networkx_graphs_with_values_and_with_something_new(
    networks: tuple[list[nx.Graph], list[str]],
) -> None:
    graphs, _ = networks
    sizes = [float(len(each)) for each in graphs]
    scores = cross_val_score(SMixupRegressor(**QUICK), graphs, sizes, cv=3)
    assert np.isfinite(scores).all()
    reg = SMixupRegressor(**QUICK).fit(graphs, sizes)
    new = graphs[0].copy()
    new.nodes[0]["colour"] = "green"
    with pytest.warns(UserWarning, match="'colour' that was not there"):
        reg.predict([new])
    with pytest.raises(ValueError, match="graph 0 has no y of its own"):
        SMixupRegressor(**QUICK).fit(graphs)


def test_calibration(graphs: list[Data], y: Any) -> None:
    found = CalibratedClassifierCV(SMixupClassifier(**QUICK), cv=2).fit(graphs, y)
    np.testing.assert_allclose(found.predict_proba(graphs).sum(1), 1)


def test_a_pipeline(graphs: list[Data], y: Any) -> None:
    def undirected(given: list[Data]) -> list[Data]:
        return list(given)

    steps = [("same", FunctionTransformer(undirected)), ("clf", SMixupClassifier(**QUICK))]
    pipeline = Pipeline(steps).set_params(clf__epochs=2).fit(graphs, y)
    assert pipeline.named_steps["clf"].history_.epochs == 2
    assert 0 <= pipeline.score(graphs, y) <= 1


def test_it_is_saved_pickled_and_read_again(graphs: list[Data], y: Any, tmp_path: Path) -> None:
    clf = SMixupClassifier(**QUICK).fit(graphs, y)
    model = load_model(clf.save(tmp_path / "model"))
    assert (model.predict(graphs).predicted == clf.predict(graphs)).all()
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict_proba(graphs) == clf.predict_proba(graphs)).all()
    with pytest.raises(ValueError, match="not fitted yet"):
        SMixupClassifier().save(tmp_path / "other")


def test_scikit_learn_is_imported_when_it_is_asked_for() -> None:
    code = (
        "import sys, smixup; smixup.load_model; print('sklearn' in sys.modules); "
        "sys.modules['sklearn.base'] = None\n"
        "try: smixup.SMixupClassifier\n"
        "except smixup.SmixupError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "False",
        "this needs scikit-learn, which is missing: pip install 'smixup[lab]'.",
    ]
