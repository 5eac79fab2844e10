"""How a foreign model is called, and what is found in what it returns."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from smixup.augment.calling import caller, tensors_in
from smixup.errors import SmixupError


class Doubled(nn.Module):
    def forward(self, batch: Tensor) -> Tensor:
        return 2 * batch


def test_a_model_is_called_as_the_user_says() -> None:
    model, batch = Doubled(), torch.tensor(3.0)
    assert caller(model, None)(batch) == 6
    assert caller(model, lambda b: model(b) + 1)(batch) == 7
    assert caller(model, lambda m, b: m(b) + 2)(batch) == 8


def test_a_model_that_takes_no_batch_is_explained() -> None:
    class Two(nn.Module):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            return x

    with pytest.raises(SmixupError, match=r"say how the model is called, .*forward=lambda batch"):
        caller(Two(), None)(torch.zeros(1))


@dataclass
class Output:
    logits: Tensor
    note: str = "none"


Pair = namedtuple("Pair", "first second")


def test_tensors_are_found_in_whatever_a_module_returns() -> None:
    a, b, c, d, e = torch.arange(5.0)
    output = [a, {"b": b, "text": "no"}, Pair(c, None), Data(x=d), Output(e)]
    assert [float(each) for each in tensors_in(output)] == [0, 1, 2, 3, 4]
    assert list(tensors_in("nothing")) == []
