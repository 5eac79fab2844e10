"""Targets that are missing, no classes or infinite are refused before anything is computed."""

from __future__ import annotations

import pytest
import torch

from smixup.errors import SmixupError
from smixup.graphs import Graphs, require_classes, require_labels
from smixup.graphs.required_targets import require_finite


def test_graphs_without_labels(graphs: Graphs) -> None:
    bare = graphs.replace(y=graphs.y[:, :0])
    assert bare.labels.tolist() == [0] * 7
    require_labels(graphs)
    with pytest.raises(SmixupError, match="the graphs have no labels"):
        require_labels(bare)


def test_values_have_no_labels(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match="classes are needed here, but the targets are values"):
        _ = graphs.replace(has_classes=False).labels


def test_classes_are_asked_for_by_name(graphs: Graphs) -> None:
    require_classes(graphs)
    with pytest.raises(SmixupError, match="make y integer if they are class numbers"):
        require_classes(graphs.replace(has_classes=False))


def test_the_first_infinite_target_is_named_and_unknown_ones_are_no_fault() -> None:
    y = torch.tensor([[0.0, 1.0], [float("nan"), 2.0], [3.0, 4.0], [5.0, 6.0]])
    require_finite(y)
    require_finite(y[:, :0])
    for value in (float("inf"), float("-inf")):
        spoilt = y.clone()
        spoilt[2, 1] = spoilt[3, 0] = value
        with pytest.raises(SmixupError, match="the target of graph 2 is infinite: leave the graph"):
            require_finite(spoilt)
