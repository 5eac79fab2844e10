"""The estimators are scikit-learn's in everything that can be asked of lists of graphs."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

from smixup import Identity, SMixup, SMixupClassifier, SMixupRegressor, load_model
from smixup.augment import DropEdge
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.models.estimator import method_of, training_data

NAMES = np.array(["cycle", "house", "roof"])
QUICK: dict[str, Any] = {
    "method": "vanilla",
    "backbone": "gcn",
    "epochs": 3,
    "learning_rate": 0.01,
    "hidden_channels": 8,
    "num_layers": 1,
    "random_state": 0,
}
"""Settings that train in no time, and learn little."""


@pytest.fixture(scope="module")
def graphs(motif: Graphs) -> list[Data]:
    return list(to_pyg(motif).to_data_list())


@pytest.fixture(scope="module")
def y(motif: Graphs) -> Any:
    return NAMES[motif.labels.numpy()]


def test_it_learns_and_answers_in_the_names_it_was_given(
    graphs: list[Data], y: Any, tmp_path: Path
) -> None:
    clf = SMixupClassifier(**QUICK | {"backbone": "gin", "epochs": 60, "num_layers": 3})
    before = clf.get_params()
    clf.fit(graphs, y)
    assert clf.get_params() == before
    assert clf.classes_.tolist() == sorted(set(y))
    assert clf.score(graphs, y) > 0.8
    proba = clf.predict_proba(graphs)
    np.testing.assert_allclose(proba.sum(1), 1)
    assert (clf.classes_[proba.argmax(1)] == clf.predict(graphs)).all()
    assert (clf.history_.epochs, clf.n_features_in_) == (60, graphs[0].x.size(1))
    model = load_model(clf.save(tmp_path / "model"))
    assert (model.predict(graphs).predicted == clf.predict(graphs)).all()
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict_proba(graphs) == proba).all()
    with pytest.raises(ValueError, match="not fitted yet"):
        SMixupClassifier().save(tmp_path / "other")


def test_values_and_targets_that_come_with_the_graphs(graphs: list[Data], motif: Graphs) -> None:
    sizes = motif.sizes.numpy().astype(float)
    both = SMixupRegressor(**QUICK).fit(graphs, np.stack([sizes, -sizes], 1))
    assert both.predict(graphs).shape == (60, 2)
    own = [Data(x=g.x, edge_index=g.edge_index, y=torch.tensor([g.num_nodes / 7])) for g in graphs]
    with pytest.raises(ValueError, match="continuous"):
        SMixupClassifier(**QUICK).fit(own)
    reg = SMixupRegressor(**QUICK).fit(own)
    assert reg.predict(graphs).shape == (60,)
    low, high = reg.model_.predict(graphs, level=0.8).intervals
    assert (low < high).all() and reg.score(graphs, sizes / 7) <= 1


def test_a_seed_repeats_to_the_bit_and_an_augmentation_is_copied(
    graphs: list[Data], y: Any
) -> None:
    method = SMixup(alpha=0.3, matcher=Identity(), seed=0)
    clf = SMixupClassifier(**QUICK | {"method": method, "epochs": 1})
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = clf.fit(graphs, y).predict_proba(graphs)
    assert clf.method is method and torch.equal(torch.get_rng_state(), before)
    assert (clf.fit(graphs, y).predict_proba(graphs) == first).all(), "it has not been used"
    assert clone(clf).fit(graphs, y).method.alpha == 0.3
    assert clf.model_.about["method"] == "s-mixup"
    other = clone(clf).set_params(random_state=1).fit(graphs, y)
    assert (other.predict_proba(graphs) != first).any()


def test_class_weights(graphs: list[Data], y: Any) -> None:
    balanced = SMixupClassifier(**QUICK, class_weight="balanced").fit(graphs, y)
    assert balanced.model_.task.weights is not None
    with pytest.raises(ValueError, match="'balanced' or a mapping, not even"):
        SMixupClassifier(**QUICK, class_weight="even").fit(graphs, y)


def test_cross_validation_and_grid_search(graphs: list[Data], y: Any) -> None:
    clf = SMixupClassifier(**QUICK)
    proba = cross_val_predict(clf, graphs, y, cv=2, method="predict_proba")
    assert proba.shape == (60, 3)
    grid = {"method": ["vanilla", "drop-edge"], "epochs": [1, 2]}
    search = GridSearchCV(clf, grid, cv=2, error_score="raise").fit(graphs, y)
    assert search.best_params_.keys() == grid.keys()
    reg = SMixupRegressor(**QUICK)
    assert cross_val_score(reg, graphs, np.arange(60.0), cv=2, error_score="raise").shape == (2,)


def test_networkx_graphs_are_learned_as_those_of_pyg(tmp_path: Path) -> None:
    """Rings and stars; centres and others have colours, edges have lengths."""
    graphs, names = [], []
    for place in range(40):
        n = 5 + place % 5
        graph = nx.cycle_graph(n) if place % 2 else nx.star_graph(n - 1)
        for node, data in graph.nodes(data=True):
            data["colour"] = "red" if node == 0 else "blue"
        for a, b, data in graph.edges(data=True):
            data["length"] = float(abs(a - b))
        graphs.append(graph)
        names.append("ring" if place % 2 else "star")
    settings = QUICK | {"backbone": "gine", "epochs": 20, "num_layers": 2}
    clf = SMixupClassifier(**settings).fit(graphs, names)
    assert clf.score(graphs, names) > 0.8 and clf.n_features_in_ == 3  # blue, red, any other
    as_pyg = [from_networkx(each) for each in graphs]
    for each in as_pyg:
        reds = torch.tensor([colour == "red" for colour in each.colour])
        each.x = torch.stack([~reds, reds, reds & ~reds], 1).float()
        each.edge_attr = each.length.reshape(-1, 1).float()
        del each.colour, each.length
    same = SMixupClassifier(**settings).fit(as_pyg, names)
    proba = clf.predict_proba(graphs)
    np.testing.assert_allclose(same.predict_proba(as_pyg), proba, atol=1e-5)
    kept = load_model(clf.save(tmp_path / "model"))
    assert kept.reading.vocabulary["task"]["names"] == ["ring", "star"]
    assert (kept.predict(graphs).probabilities == clf.model_.predict(graphs).probabilities).all()
    with pytest.raises(SmixupError, match="the model was trained on PyG graphs"):
        same.predict(graphs)
    new = graphs[0].copy()
    new.nodes[0]["colour"] = "green"
    with pytest.warns(UserWarning, match="'colour' that was not there"):
        clf.predict([new])


def ring(n: int, y: Any = None) -> Data:
    edges = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    return Data(x=torch.full((n, 1), float(n)), edge_index=edges, y=y)


RINGS = [ring(3), ring(4), ring(5)]


def test_targets_come_in_their_shape_and_networkx_graphs_with_their_words() -> None:
    assert training_data(RINGS, [[1.0], [2.0], [3.0]])[1].tolist() == [1.0, 2.0, 3.0]
    own = [ring(3, torch.tensor([2])), ring(4, torch.tensor([0]))]
    assert training_data(own, [7, 8])[1].tolist() == [7, 8], "what is given counts"
    rows = [ring(n, torch.tensor([[float(n), 0.5]])) for n in (3, 4)]
    assert training_data(rows, None)[1].tolist() == [[3.0, 0.5], [4.0, 0.5]]
    double = nx.MultiGraph([(0, 1), (0, 1)])
    with pytest.warns(UserWarning, match="2 edges stand beside another between the same nodes"):
        reading = training_data([double, double], [0, 1])[2]
    assert reading.reader == "graphml"


WRONG: list[tuple[Any, Any, str]] = [
    ("MUTAG", [0, 1], "X must be a list of graphs, not a str"),
    (RINGS, [0, 1], r"X holds 3 graphs, and y has the shape \(2,\)"),
    (RINGS, None, "requires y to be passed, but the target y is None"),
    (RINGS[:1], [0], "1 sample is too few: training needs two graphs"),
    (RINGS, np.zeros((3, 2)), "one class for every graph, not an array of shape"),
    (RINGS, ["a"] * 3, "all graphs are of one class, a"),
]


def test_what_is_wrong_is_a_value_error_with_a_sentence(graphs: list[Data], y: Any) -> None:
    for X, targets, words in WRONG:
        with pytest.raises(UsageError, match=words) as caught:
            SMixupClassifier(**QUICK).fit(X, targets)
        assert isinstance(caught.value, ValueError)
    with pytest.raises(SmixupError, match="a list of torch_geometric"):
        SMixupClassifier(**QUICK).fit([1, 2], [0, 1])
    for targets, words in ((y, "y must hold numbers"), ([np.inf] * 60, "infinite")):
        with pytest.raises(ValueError, match=words):
            SMixupRegressor(**QUICK).fit(graphs, targets)


def test_methods_by_name_or_as_objects() -> None:
    found = method_of("drop-edge", seed=3)
    assert isinstance(found, DropEdge) and found.seed == 3
    given = SMixup(alpha=0.3)
    copied = method_of(given, seed=3)
    assert copied == given and copied is not given
    with pytest.raises(UsageError, match="Did you mean 's-mixup'"):
        method_of("s-mixap", seed=0)


def as_graphs(X: Any) -> list[Data]:
    """Every row as a path: a node for each column, with its value as feature."""
    found = []
    for row in np.asarray(X, dtype=np.float32):
        ends = torch.arange(len(row) - 1)
        edges = torch.stack([torch.cat([ends, ends + 1]), torch.cat([ends + 1, ends])])
        found.append(Data(x=torch.from_numpy(row.copy()).unsqueeze(1), edge_index=edges))
    return found


class OfRows:
    """An estimator for the rows of a table, so that scikit-learn's checks can be run."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = tags.target_tags.required = True
        tags.no_validation = False
        return tags

    def fit(self, X: Any, y: Any = None) -> Any:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = validate_data(self, X, y, multi_output=np.asarray(y).ndim == 2)
        width = self.n_features_in_  # type: ignore[has-type]
        super().fit(as_graphs(X), y)  # type: ignore[misc]
        self.n_features_in_ = width
        return self

    def _predicted(self, X: Any) -> Any:
        check_is_fitted(self)
        return super()._predicted(as_graphs(validate_data(self, X, reset=False)))  # type: ignore[misc]


class ClassifierOfRows(OfRows, SMixupClassifier):
    pass


class RegressorOfRows(OfRows, SMixupRegressor):
    pass


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [ClassifierOfRows, RegressorOfRows])
def test_the_checks_of_scikit_learn_pass(kind: type[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks do
        found = list(check_estimator(kind(**QUICK), on_fail=None, on_skip=None))
    failed = {each["check_name"] for each in found if each["status"] == "failed"}
    # these want a good score, and three epochs are all that the test allows
    assert failed <= {"check_classifiers_train", "check_regressors_train"}
    assert sum(each["status"] == "passed" for each in found) > 40
