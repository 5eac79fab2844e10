"""Everything that decides how training goes on, as named tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from smixup.augment import Augmentation
from smixup.checkpoint import Tensors, optimizer_tensors, part, restore_optimizer
from smixup.classifiers import Classifier

if TYPE_CHECKING:  # for models that are kept
    from smixup.training.crossed import Crossed


@dataclass
class TrainState:
    """The moving parts of a run between two epochs.

    Attributes:
        model: the classifier in training.
        optimizer: its optimizer.
        augment: the augmentation, with a random state of its own.
        batches: the source of the order of batches.
        best: the model of the best epoch so far.
        crossed: what a model that is kept needs beside it.
    """

    model: Classifier
    optimizer: torch.optim.Optimizer
    augment: Augmentation
    batches: torch.Generator
    best: Tensors = field(default_factory=dict)
    crossed: Crossed | None = None

    def keep_best(self) -> None:
        """Remember the model as it is now."""
        self.best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}

    def snapshot(self) -> Tensors:
        """Return a copy of everything, under names such as `model.layers.0.bias`."""
        random = {"batches": self.batches.get_state(), "cpu": torch.get_rng_state()}
        if torch.cuda.is_available():
            random["cuda"] = torch.cuda.get_rng_state()
        parts = {
            "model": self.model.state_dict(),
            "best": self.best,
            "optimizer": optimizer_tensors(self.optimizer),
            "augment": self.augment.state_dict(),
            "random": random,
            "crossed": {} if self.crossed is None else self.crossed.state_dict(),
        }
        return {
            f"{name}.{key}": tensor.clone()
            for name, all in parts.items()
            for key, tensor in all.items()
        }

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to a snapshot."""
        self.model.load_state_dict(part(tensors, "model"))
        device = next(self.model.parameters()).device
        self.best = {name: tensor.to(device) for name, tensor in part(tensors, "best").items()}
        restore_optimizer(self.optimizer, part(tensors, "optimizer"))
        self.augment.load_state_dict(part(tensors, "augment"))
        random = part(tensors, "random")
        self.batches.set_state(random["batches"])
        torch.set_rng_state(random["cpu"])
        if "cuda" in random:
            torch.cuda.set_rng_state(random["cuda"])
        if self.crossed is not None:
            self.crossed.load_state_dict(part(tensors, "crossed"))
