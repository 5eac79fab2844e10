"""A saved model explains itself: by name, in log odds or in the units of the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from smixup.app.explain import (
    HIGH,
    LOW,
    NAMED,
    SURE,
    UNSURE,
    Explained,
    ExplainedGraphs,
    answers,
    explain_graphs,
    explain_held_out,
    symbols_of,
)
from smixup.app.runs.config import configure
from smixup.app.runs.data import choose_split
from smixup.app.runs.model import train
from smixup.augment import Augmentation
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.molecules import ATOM_VALUES
from smixup.datasets.readers.assembly import one_hot_columns
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.fitting import fit_model
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training import TrainSettings

NAMES = ("cycle", "house", "wheel")
SETTINGS = TrainSettings(epochs=2, learning_rate=0.01, batch_size=32, seed=1)


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return load_dataset("MOTIF", num_graphs=40).graphs


def fitted(graphs: Graphs, task: Task) -> Model:
    sizes = {"hidden_channels": 8, "num_layers": 2}
    return fit_model(graphs, task, "gin", Augmentation(), SETTINGS, 0.3, **sizes)[0]


@pytest.fixture(scope="module")
def classes(graphs: Graphs) -> Model:
    return fitted(graphs, Classes(NAMES))


def explained(model: Model, data: Dataset, place: int, name: str = "") -> Explained:
    ((found,),) = explain_graphs(model, data, [place], name).groups.values()
    return found


def places(found: ExplainedGraphs) -> dict[str, list[int]]:
    return {heading: [graph.place for graph in group] for heading, group in found.groups.items()}


def test_classes_are_explained_in_log_odds(graphs: Graphs, classes: Model) -> None:
    found = explained(classes, Dataset("new", graphs), 1)
    outputs = classes.logits(graphs[[1]])[0]
    likeliest = int(outputs.argmax())
    others = torch.cat([outputs[:likeliest], outputs[likeliest + 1 :]]).logsumexp(0)
    assert (found.name, found.unit) == (NAMES[likeliest], "log odds")
    assert found.explanation.output == pytest.approx(float(outputs[likeliest] - others), abs=1e-4)
    assert len(found.labels) == found.explanation.nodes.numel() == int(graphs.sizes[1])
    assert (len(found.to_dict()["nodes"]), found.to_dict()["graph"]) == (len(found.labels), 1)
    named = explained(classes, Dataset("new", graphs), 1, "wheel")
    assert (named.name, named.explanation.column, named.title) == ("wheel", 2, "class 'wheel'")
    two = named.explanation.nodes.abs()[named.strongest(2)]
    assert torch.equal(two, named.explanation.nodes.abs().topk(2).values)
    with pytest.raises(UsageError, match=r"there is no graph 99: the data has 0 to 39"):
        explained(classes, Dataset("new", graphs), 99)
    with pytest.raises(UsageError, match="Did you mean 'cycle'"):
        explained(classes, Dataset("new", graphs), 0, "cylce")


def test_values_are_explained_in_their_own_units(graphs: Graphs) -> None:
    y = torch.stack([100 + graphs.sizes.float(), graphs.labels.float()], 1)
    given = graphs.replace(y=y, has_classes=False)
    model = fitted(given, Values(("nodes", "kind")))
    found = explained(model, Dataset("new", given), 0)
    said = model.predict(given).probabilities[:, 0]
    assert (found.unit, found.title) == ("the value", "quantity 'nodes'")
    assert found.explanation.output == pytest.approx(float(said[0]), abs=1e-2)
    assert answers(model, model.encoder(given[[0]]).floating()).shape == (1, 2)
    ends = places(explain_graphs(model, Dataset("new", given), number=1))
    assert (said[ends[HIGH][0]], said[ends[LOW][0]]) == (said.max(), said.min())


def test_labels_are_sure_far_from_one_half(graphs: Graphs) -> None:
    y = torch.stack([graphs.labels == 0, graphs.labels == 1], 1).float()
    given = graphs.replace(y=y, has_classes=False)
    model = fitted(given, Labels(("cycle", "house")))
    ends = places(explain_graphs(model, Dataset("new", given), name="house", number=1))
    far = np.abs(model.predict(given).probabilities[:, 1] - 0.5)
    assert (far[ends[SURE][0]], far[ends[UNSURE][0]]) == (far.max(), far.min())


def test_nodes_have_the_names_of_their_files(graphs: Graphs, classes: Model) -> None:
    number = int(graphs.sizes[0])
    called = [[f"acc-{node}" for node in range(number)]]
    found = explained(classes, Dataset("new", graphs[[0]], node_names=called), 0)
    assert (found.labels[1], found.named(1)) == ("acc-1", "1 (acc-1)")
    nameless = [[""] * number]
    plain = explained(classes, Dataset("new", graphs[[0]], node_names=nameless), 0)
    assert plain.named(1) == "1"


def test_the_surest_the_least_sure_and_graphs_by_number(graphs: Graphs, classes: Model) -> None:
    data = Dataset("new", graphs, table={"id": tuple(f"g{place}" for place in range(40))})
    found = explain_graphs(classes, data, number=2)
    probabilities = classes.predict(graphs).probabilities
    order = np.argsort(-probabilities.max(1), kind="stable").tolist()
    assert places(found) == {SURE: order[:2], UNSURE: order[:-3:-1]}
    assert (found.total, found.left_out) == (40, 0)
    first = found.groups[SURE][0]
    assert first.predicted == pytest.approx(probabilities.max(), abs=1e-6)
    assert first.about == f"id: g{order[0]}"
    named = explain_graphs(classes, data, [5, 3], "wheel")
    assert places(named) == {NAMED: [5, 3]}
    assert named.groups[NAMED][0].predicted == pytest.approx(probabilities[5, 2], abs=1e-6)
    among = places(explain_graphs(classes, data, among=torch.tensor([8, 2, 30])))
    assert sorted(among[SURE] + among[UNSURE]) == [2, 8, 30]
    assert [len(among[SURE]), len(among[UNSURE])] == [2, 1], "none is shown twice"


def test_single_nodes_are_left_out(graphs: Graphs, classes: Model) -> None:
    alone = torch.ones(graphs.num_nodes, dtype=torch.bool)
    alone[1 : graphs.ptr[1]] = False
    found = explain_graphs(classes, Dataset("new", graphs.subgraph(alone)[:4]))
    assert (found.total, found.left_out) == (4, 1)
    only = torch.zeros(graphs.num_nodes, dtype=torch.bool)
    only[graphs.ptr[:-1]] = True
    with pytest.raises(SmixupError, match="no graph can be explained"):
        explain_graphs(classes, Dataset("new", graphs.subgraph(only)))


def test_own_test_graphs_are_explained_while_they_are_known() -> None:
    options = {"num_graphs": 40}
    config = configure("MOTIF", epochs=1, hidden_channels=8, num_layers=2, dataset_options=options)
    model = train(config).model
    test = choose_split(load_dataset("MOTIF", **options), config).test.tolist()
    ends = places(explain_held_out(model, number=1))
    assert len(ends) == 2 and {*ends[SURE], *ends[UNSURE]} <= set(test)
    sure = model.predict("MOTIF").probabilities.max(1)
    assert sure[ends[SURE][0]] == max(sure[test])
    about = model.about
    for changed, words in (
        ({}, "does not tell from which data it comes: `smixup explain"),
        ({"data": {**about["data"], "fingerprint": "0"}}, "MOTIF has changed since"),
    ):
        with pytest.raises(SmixupError, match=words):
            explain_held_out(replace(model, about={**about, **changed} if changed else {}))


def test_symbols_of_atoms_and_of_published_labels() -> None:
    values = torch.zeros(4, 9, dtype=torch.long)
    values[:, 0] = torch.tensor([5, 6, 16, 118])  # carbon, nitrogen, chlorine, something else
    x = one_hot_columns(values.numpy(), ATOM_VALUES)
    assert symbols_of(x) == symbols_of(x.float()) == ("C", "N", "Cl", "?")
    mixed = x.clone()
    mixed[0, 7] = 1  # two atomic numbers
    for other in (x[:, :-1], 0.5 * x, torch.zeros_like(x), mixed):
        assert symbols_of(other) is None
    x = torch.eye(7)[[0, 5, 6]]
    assert symbols_of(x, "MUTAG") == ("C", "Cl", "Br")
    for features, name in ((x, "OTHER"), (x, ""), (x[:, :6], "MUTAG"), (0.5 * x, "MUTAG")):
        assert symbols_of(features, name) is None
