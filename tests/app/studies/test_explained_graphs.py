"""Graphs are chosen by how sure a model is of them, and explained one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from smixup.app.studies.explained import explain_prediction
from smixup.app.studies.explained_graphs import (
    HIGH,
    LOW,
    NAMED,
    SURE,
    UNSURE,
    ExplainedGraphs,
    explain_graphs,
)
from smixup.augment import Augmentation
from smixup.datasets import load_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.fitting import fit_model
from smixup.models.new_data import NewData
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training import TrainSettings

SETTINGS = TrainSettings(epochs=2, learning_rate=0.01, batch_size=32, seed=1)


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return load_dataset("MOTIF", num_graphs=40).graphs


def fitted(graphs: Graphs, task: Task) -> Model:
    sizes = {"hidden_channels": 8, "num_layers": 2}
    return fit_model(graphs, task, "gin", Augmentation(), SETTINGS, 0.3, **sizes).model


def places(found: ExplainedGraphs) -> dict[str, list[int]]:
    return {
        heading: [each.explained.place for each in group] for heading, group in found.groups.items()
    }


def test_the_surest_and_the_least_sure_classes(graphs: Graphs) -> None:
    model = fitted(graphs, Classes(("cycle", "house", "wheel")))
    data = NewData(graphs, {"id": tuple(f"g{place}" for place in range(40))})
    found = explain_graphs(model, data, number=2)
    sure = model.predict(graphs).probabilities.max(1)
    order = np.argsort(-sure, kind="stable").tolist()
    assert places(found) == {SURE: order[:2], UNSURE: order[:-3:-1]}
    assert (found.total, found.left_out) == (40, 0)
    first = found.groups[SURE][0]
    assert first.predicted == pytest.approx(sure.max(), abs=1e-6)
    assert first.about == f"id: g{order[0]}"
    alone = explain_prediction(model, data, order[0])
    assert torch.equal(first.explained.found.nodes, alone.found.nodes)


def test_graphs_by_number_and_an_output_by_name(graphs: Graphs) -> None:
    model = fitted(graphs, Classes(("cycle", "house", "wheel")))
    found = explain_graphs(model, NewData(graphs), [5, 3], "wheel")
    assert places(found) == {NAMED: [5, 3]}
    assert {each.explained.name for each in found.groups[NAMED]} == {"wheel"}
    said = model.predict(graphs).probabilities[5, 2]
    assert found.groups[NAMED][0].predicted == pytest.approx(said, abs=1e-6)
    chosen = places(explain_graphs(model, NewData(graphs), among=torch.tensor([8, 2, 30])))
    assert {place for group in chosen.values() for place in group} == {2, 8, 30}
    with pytest.raises(UsageError, match="there is no graph 40"):
        explain_graphs(model, NewData(graphs), [40])


def test_values_have_a_highest_and_a_lowest(graphs: Graphs) -> None:
    given = graphs.replace(y=graphs.sizes.float().unsqueeze(1), has_classes=False)
    model = fitted(given, Values(("nodes",)))
    found = explain_graphs(model, NewData(given), number=1)
    said = model.predict(given).probabilities[:, 0]
    (high,), (low,) = (places(found)[heading] for heading in (HIGH, LOW))
    assert (said[high], said[low]) == (said.max(), said.min())


def test_labels_are_sure_far_from_one_half(graphs: Graphs) -> None:
    y = torch.stack([graphs.labels == 0, graphs.labels == 1], 1).float()
    given = graphs.replace(y=y, has_classes=False)
    model = fitted(given, Labels(("cycle", "house")))
    found = explain_graphs(model, NewData(given), name="house", number=1)
    far = np.abs(model.predict(given).probabilities[:, 1] - 0.5)
    (sure,), (unsure,) = (places(found)[heading] for heading in (SURE, UNSURE))
    assert (far[sure], far[unsure]) == (far.max(), far.min())


def test_few_graphs_are_shown_once_and_single_nodes_left_out(graphs: Graphs) -> None:
    model = fitted(graphs, Classes(("cycle", "house", "wheel")))
    alone = torch.zeros(graphs.num_nodes, dtype=torch.bool)
    alone[graphs.ptr[:1]] = True
    alone[graphs.ptr[1] :] = True
    found = explain_graphs(model, NewData(graphs.subgraph(alone)[:4]), number=3)
    shown = [place for group in places(found).values() for place in group]
    assert sorted(shown) == [1, 2, 3]
    assert [len(places(found)[heading]) for heading in (SURE, UNSURE)] == [2, 1]
    assert (found.total, found.left_out) == (4, 1)
    only = torch.zeros(graphs.num_nodes, dtype=torch.bool)
    only[graphs.ptr[:-1]] = True
    with pytest.raises(SmixupError, match="no graph can be explained"):
        explain_graphs(model, NewData(graphs.subgraph(only)))
