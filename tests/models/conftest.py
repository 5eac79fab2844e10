from __future__ import annotations

import pytest
import torch

from smixup.augment import Augmentation
from smixup.datasets import load_dataset
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.fitting import fit_model
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training import TrainSettings

SETTINGS = TrainSettings(epochs=3, learning_rate=0.01, batch_size=32, seed=1)


def fitted(graphs: Graphs, task: Task) -> Model:
    sizes = {"hidden_channels": 8, "num_layers": 2}
    ready = graphs.replace(has_classes=isinstance(task, Classes))
    return fit_model(ready, task, "gin", Augmentation(), SETTINGS, 0.3, **sizes)[0]


@pytest.fixture(scope="session")
def motif() -> Graphs:
    return load_dataset("MOTIF", num_graphs=60).graphs


@pytest.fixture(scope="session")
def classes(motif: Graphs) -> Model:
    return fitted(motif, Classes(("cycle", "house", 3)))


@pytest.fixture(scope="session")
def labels(motif: Graphs) -> Model:
    y = motif.y[:, :2].clone()
    y[::7, 0] = torch.nan
    return fitted(motif.replace(y=y), Labels(("ring", "roof")))


@pytest.fixture(scope="session")
def values(motif: Graphs) -> Model:
    y = torch.stack([motif.sizes.float(), motif.labels.float() * 100], 1)
    return fitted(motif.replace(y=y), Values(("nodes", "energy")))
