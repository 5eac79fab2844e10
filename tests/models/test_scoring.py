"""Predictions are scored where the truth is known."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.new_data import NewData
from smixup.models.scoring import score_of


def test_a_score_where_there_is_truth(classes: Model, motif: Graphs) -> None:
    said = classes.predict(motif)
    right = (said.outputs.argmax(1) == motif.labels).double().mean()
    text = score_of(classes, NewData(motif, has_targets=True), said)
    assert text == f"accuracy {right:.4f}, going by the targets that are known"
    assert score_of(classes, NewData(motif), said) == ""
    other = motif.replace(y=torch.zeros(len(motif), 5))
    assert score_of(classes, NewData(other, has_targets=True), said) == ""
