"""Predictions are scored where the truth is known."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.new_data import NewData
from smixup.models.scoring import score_of
from smixup.tasks import Classes


def test_a_score_where_there_is_truth(classes: Model, motif: Graphs) -> None:
    said = classes.predict(motif)
    right = (said.outputs.argmax(1) == motif.labels).double().mean()
    text = score_of(classes, NewData(motif, has_targets=True), said)
    assert text == f"accuracy {right:.4f}, going by the targets that are known"
    assert score_of(classes, NewData(motif), said) == ""
    other = motif.replace(y=torch.zeros(len(motif), 5))
    assert score_of(classes, NewData(other, has_targets=True), said) == ""


def test_classes_are_known_by_their_names(classes: Model, motif: Graphs) -> None:
    """New data may have fewer classes, and in another order; others than the model's have no
    score.
    """
    said = classes.predict(motif)
    assert isinstance(said.task, Classes)
    names = said.task.names
    whole = score_of(classes, NewData(motif, has_targets=True), said)
    turned = motif.replace(y=motif.y.flip(1))
    told = NewData(turned, has_targets=True, task=Classes(tuple(reversed(names))))
    assert score_of(classes, told, said) == whole
    few = motif[(motif.labels == 1).nonzero().squeeze(1)]
    about = classes.predict(few)
    right = (about.outputs.argmax(1) == 1).double().mean()
    single = NewData(few.replace(y=few.y[:, 1:2]), has_targets=True, task=Classes((names[1],)))
    assert f"accuracy {right:.4f}" in score_of(classes, single, about)
    foreign = NewData(motif, has_targets=True, task=Classes(("a", "b", "c")))
    assert score_of(classes, foreign, said) == ""
