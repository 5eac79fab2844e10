"""A kept model explains itself: by name, in log odds or in the units of the data."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from smixup.app.studies.explained import answers, explain_prediction
from smixup.augment import Augmentation
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_new
from smixup.datasets.readers.node_names import NodeNames
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.fitting import fit_model
from smixup.models.new_data import NewData
from smixup.tasks import Classes, Task, Values
from smixup.training import TrainSettings

NAMES = ("cycle", "house", "wheel")
SETTINGS = TrainSettings(epochs=3, learning_rate=0.01, batch_size=32, seed=1)


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return load_dataset("MOTIF", num_graphs=60).graphs


def fitted(graphs: Graphs, task: Task) -> Model:
    sizes = {"hidden_channels": 8, "num_layers": 2}
    return fit_model(graphs, task, "gin", Augmentation(), SETTINGS, 0.3, **sizes).model


@pytest.fixture(scope="module")
def classes(graphs: Graphs) -> Model:
    return fitted(graphs, Classes(NAMES))


def test_classes_are_explained_in_log_odds(graphs: Graphs, classes: Model) -> None:
    found = explain_prediction(classes, NewData(graphs), 1)
    outputs = classes.logits(graphs[[1]])[0]
    likeliest = int(outputs.argmax())
    others = torch.cat([outputs[:likeliest], outputs[likeliest + 1 :]]).logsumexp(0)
    assert (found.name, found.unit) == (NAMES[likeliest], "log odds")
    assert found.found.output == pytest.approx(float(outputs[likeliest] - others), abs=1e-4)
    assert len(found.labels) == found.found.nodes.numel() == int(graphs.sizes[1])
    named = explain_prediction(classes, NewData(graphs), 1, "wheel")
    assert (named.name, named.found.column, named.title) == ("wheel", 2, "class 'wheel'")
    assert named.to_number(2) == [], "nodes without names are drawn as numbers"
    lettered = replace(named, labels=tuple("abcdefghijklmnopqrstuvwxyz"[: len(named.labels)]))
    two = named.found.nodes.abs()[lettered.to_number(2)]
    assert torch.equal(two, named.found.nodes.abs().topk(2).values)
    strongest = named.most(2)
    assert abs(strongest[0][1]) >= abs(strongest[1][1])


def test_values_are_explained_in_their_own_units(graphs: Graphs) -> None:
    y = torch.stack([100 + graphs.sizes.float(), graphs.labels.float()], 1)
    given = graphs.replace(y=y, has_classes=False)
    model = fitted(given, Values(("nodes", "kind")))
    found = explain_prediction(model, NewData(given), 0)
    said = model.task.predicted(model.logits(given[[0]]))[0, 0]
    assert (found.unit, found.title) == ("the value", "quantity 'nodes'")
    assert found.found.output == pytest.approx(float(said), abs=1e-3)
    assert answers(model, encode_new(given[[0]], model.encoder).floating()).shape == (1, 2)


def test_what_is_not_there(graphs: Graphs, classes: Model) -> None:
    with pytest.raises(UsageError, match=r"there is no graph 99: the data has 0 to 59"):
        explain_prediction(classes, NewData(graphs), 99)
    with pytest.raises(UsageError, match="Did you mean 'cycle'"):
        explain_prediction(classes, NewData(graphs), 0, "cylce")


def test_nodes_have_the_names_of_their_files(graphs: Graphs, classes: Model) -> None:
    number = int(graphs.sizes[0])
    called = NodeNames.listed([[f"acc-{node}" for node in range(number)]])
    found = explain_prediction(classes, NewData(graphs[[0]], node_names=called), 0)
    assert found.labels[1] == "acc-1"
    assert found.named(1) == "1 (acc-1)"
    assert "Node" in found.sentence() and "(acc-" in found.sentence()
    assert found.drawn_labels[1] == "1", "a long name does not fit into a drawn node"
    nameless = NodeNames.listed([[""] * number])
    plain = explain_prediction(classes, NewData(graphs[[0]], node_names=nameless), 0)
    assert plain.named(1) == "1"
