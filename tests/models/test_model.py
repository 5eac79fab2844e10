"""A model takes graphs with the features that it was trained on."""

from __future__ import annotations

import pytest
import torch

from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.models import Model


def test_graphs_of_pyg_have_the_same_predictions(classes: Model, motif: Graphs) -> None:
    listed = to_pyg(motif).to_data_list()
    assert (classes.predict_proba(listed) == classes.predict_proba(motif)).all()


def test_other_features_are_refused_in_a_sentence(classes: Model, motif: Graphs) -> None:
    wide = motif.replace(x=torch.ones(motif.num_nodes, 9))
    with pytest.raises(SmixupError, match="these graphs have 9 node features, and the model was"):
        classes.predict(wide)


def test_no_graph_and_no_level(classes: Model, motif: Graphs) -> None:
    with pytest.raises(SmixupError, match="there is no graph to predict for"):
        classes.predict(motif[:0])
    with pytest.raises(UsageError, match=r"sets at the level 0.99 need 99 validation graphs, and"):
        classes.predict(motif, level=0.99)


def test_predicting_changes_nothing(classes: Model, motif: Graphs) -> None:
    before = {name: each.clone() for name, each in classes.members[0].state_dict().items()}
    classes.predict(motif, level=0.5)
    after = classes.members[0].state_dict()
    assert all(torch.equal(each, after[name]) for name, each in before.items())
