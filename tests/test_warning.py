"""Warnings name the line of the user, whatever lies between."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import erdos_renyi_graph

from smixup import GraphMatcher, SMixup
from smixup.warning import plainly


def graphs(y: torch.Tensor) -> list[Data]:
    torch.manual_seed(0)
    return [
        Data(torch.rand(6, 2), erdos_renyi_graph(6, 0.5), y=y[i : i + 1]) for i in range(len(y))
    ]


@pytest.mark.parametrize("whole", [True, False], ids=["method", "matcher"])
@pytest.mark.parametrize("y", [torch.zeros(20), torch.arange(20)], ids=["constant", "counts"])
def test_what_fit_says_of_targets_points_to_the_call(whole: bool, y: torch.Tensor) -> None:
    matcher = GraphMatcher(hidden_channels=8, num_layers=1, max_steps=2)
    fitted = SMixup(matcher) if whole else matcher
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fitted.fit(graphs(y))
    told = "copies alone", "make them float"
    ours = [each for each in said if any(words in str(each.message) for words in told)]
    assert ours
    assert {each.filename for each in ours} == {__file__}


def test_a_command_shows_what_is_said_to_users_alone() -> None:
    assert plainly("take care.", UserWarning, "a.py", 7) == "take care.\n"
    assert plainly("old.", DeprecationWarning, "a.py", 7).startswith("a.py:7: DeprecationWarning")
