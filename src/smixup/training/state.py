"""Everything that decides how training goes on, as named tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import Classifier

Tensors = dict[str, Tensor]


@dataclass
class TrainState:
    """The moving parts of a run between two epochs.

    Attributes:
        model: the classifier in training.
        optimizer: its optimizer.
        augment: the augmentation, with a random state of its own.
        batches: the source of the order of batches.
        best: the model of the best epoch so far.
    """

    model: Classifier
    optimizer: torch.optim.Optimizer
    augment: Augmentation
    batches: torch.Generator
    best: Tensors = field(default_factory=dict)

    def keep_best(self) -> None:
        """Remember the model as it is now."""
        self.best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}

    def snapshot(self) -> Tensors:
        """Return a copy of everything, under names such as `model.layers.0.bias`."""
        parts = {
            "model": self.model.state_dict(),
            "best": self.best,
            "optimizer": _optimizer_tensors(self.optimizer),
            "augment": self.augment.state_dict(),
            "random": _random_tensors(self.batches),
        }
        return {f"{part}.{name}": tensor.clone() for part, all in parts.items() for name, tensor in all.items()}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to a snapshot."""
        self.model.load_state_dict(_part(tensors, "model"))
        device = next(self.model.parameters()).device
        self.best = {name: tensor.to(device) for name, tensor in _part(tensors, "best").items()}
        _restore_optimizer(self.optimizer, _part(tensors, "optimizer"))
        self.augment.load_state_dict(_part(tensors, "augment"))
        random = _part(tensors, "random")
        self.batches.set_state(random["batches"])
        torch.set_rng_state(random["cpu"])
        if "cuda" in random:
            torch.cuda.set_rng_state(random["cuda"])


def _part(tensors: Mapping[str, Tensor], part: str) -> Tensors:
    return {name.removeprefix(f"{part}."): tensor for name, tensor in tensors.items() if name.startswith(f"{part}.")}


def _random_tensors(batches: torch.Generator) -> Tensors:
    states = {"batches": batches.get_state(), "cpu": torch.get_rng_state()}
    return states | {"cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else states


def _optimizer_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    state = optimizer.state_dict()["state"]
    return {f"{place}.{name}": torch.as_tensor(value) for place, all in state.items() for name, value in all.items()}


def _restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    state: dict[int, Tensors] = {}
    for key, tensor in tensors.items():
        place, name = key.split(".", 1)
        state.setdefault(int(place), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
