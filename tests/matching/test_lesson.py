"""Anything callable with a name can be taught."""

from __future__ import annotations

import torch

from smixup.graphs import GraphSet
from smixup.matching.correspondence import CorrespondenceLesson
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput
from smixup.matching.lesson import Lesson, Outcome
from smixup.matching.network import MatchingNetwork
from smixup.matching.triplet import TripletLesson


def test_lessons_are_deterministic_and_scored_between_zero_and_one(graphs: GraphSet) -> None:
    torch.manual_seed(0)
    inputs = NodeInput(3, StructuralEncoding(2))
    network = MatchingNetwork(inputs.width, 8, 1)
    lessons: list[Lesson] = [
        TripletLesson(graphs, inputs, 1.0),
        CorrespondenceLesson(graphs, inputs, 0.2),
    ]
    for lesson in lessons:
        one, two = (lesson(network, 4, torch.Generator().manual_seed(1)) for _ in range(2))
        assert isinstance(one, Outcome)
        assert torch.equal(one.loss, two.loss)
        assert one.loss.dim() == one.score.dim() == 0
        assert 0 <= float(one.score) <= 1
        assert lesson.name
