"""Predictions under names of classes, with sets, and beside the columns of the input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from smixup.graphs import Graphs
from smixup.models import Calibration, Model, Predictions
from smixup.models.predictions import named
from smixup.tasks import Classes


def test_classes(classes: Model, motif: Graphs) -> None:
    found = classes.predict(motif[:10], level=0.8)
    assert len(found) == 10
    np.testing.assert_allclose(found.probabilities.sum(1), 1, rtol=1e-5)
    places = found.probabilities.argmax(1)
    assert list(found.predicted) == [("cycle", "house", 3)[place] for place in places]
    columns = found.columns()
    assert list(columns) == ["graph", "prediction", "p_cycle", "p_house", "p_3", "set_0.8"]
    for names, text in zip(found.sets, columns["set_0.8"], strict=True):
        assert text == " | ".join(map(str, names))


def test_a_set_holds_the_classes_above_the_threshold() -> None:
    calibration = Calibration(1.0, -torch.tensor([[0.9], [0.6], [0.2]]).log().double())
    logits = torch.tensor([[0.5, 0.3, 0.2], [0.65, 0.3, 0.05], [0.4, 0.35, 0.25]]).log()
    task = Classes(("a", "b", "c"))
    found = Predictions(task, logits, calibration, level=0.5)
    assert found.sets == [(), ("a",), ()], "of three graphs, two of four: down to 0.6"
    assert replace(found, level=0.75).sets[2] == ("a", "b", "c"), "down to 0.2"


def test_labels(labels: Model, motif: Graphs) -> None:
    found = labels.predict(motif[:5], level=0.8)
    assert found.predicted.shape == (5, 2)
    assert ((found.probabilities > 0.5) == found.predicted).all()
    columns = found.columns()
    assert list(columns)[1:4] == ["prediction_ring", "p_ring", "set_0.8_ring"]
    assert set(columns["set_0.8_ring"]) <= {"", "0", "1", "0 | 1"}


def test_values(values: Model, motif: Graphs) -> None:
    found = values.predict(motif[:5], level=0.8)
    low, high = found.intervals
    middle = torch.from_numpy(found.predicted).double()
    torch.testing.assert_close((low + high) / 2, middle)
    assert (high > low).all()
    names = ["prediction_nodes", "low_0.8_nodes", "high_0.8_nodes", "prediction_energy"]
    assert list(found.columns())[1:5] == names


def test_columns_of_the_input_come_first_and_none_is_lost(classes: Model, motif: Graphs) -> None:
    table = {"name": ("x", "y"), "prediction": ("old", "older")}
    found = replace(classes.predict(motif[:2]), table=table).columns()
    assert list(found)[:3] == ["name", "prediction", "prediction (2)"]
    assert found["prediction"] == ["old", "older"]


def test_names_of_one_kind_are_an_array_of_that_kind() -> None:
    assert named(Classes((3, 5))).dtype.kind == "i"
    assert named(Classes(("a", 5))).tolist() == ["a", 5]
