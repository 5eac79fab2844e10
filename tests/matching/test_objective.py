"""Anything callable with a name can be taught."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs
from smixup.matching.correspondence import CorrespondenceObjective
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.objective import Objective, ObjectiveResult
from smixup.matching.triplet import TripletObjective


def test_lessons_are_deterministic_and_scored_between_zero_and_one(graphs: Graphs) -> None:
    torch.manual_seed(0)
    inputs = NodeInput(3, StructuralEncoding(2))
    network = MatchingNetwork(inputs.width, 8, 1)
    objectives: list[Objective] = [
        TripletObjective(graphs, inputs, 1.0),
        CorrespondenceObjective(graphs, inputs, 0.2),
    ]
    for objective in objectives:
        one, two = (objective(network, 4, torch.Generator().manual_seed(1)) for _ in range(2))
        assert isinstance(one, ObjectiveResult)
        assert torch.equal(one.loss, two.loss)
        assert one.loss.dim() == one.score.dim() == 0
        assert 0 <= float(one.score) <= 1
        assert objective.name
