"""Training the matching network until it has converged (Alg. 1), and on which graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.lessons import Score, triplets_of
from smixup.matching.network import MatchingNetwork
from smixup.progress import Progress, Report, silent
from smixup.saved import CheckpointFile, Tensors, joined, optimizer_tensors, part, restore_optimizer
from smixup.seeding import generator

WARM_UP = 20
LARGEST_GRADIENT = 10.0
HELD_OUT, HELD_OUT_EXAMPLES = 0.1, 64


class Objective(Protocol):
    """One thing to learn; `name` says what its score counts."""

    name: str

    def __call__(self, network: MatchingNetwork, size: int, generator: torch.Generator) -> Score:
        """Draw `size` examples and run the network on them."""
        ...


def split_held_out(train: Graphs, seed: int, triplets: bool) -> tuple[Graphs, Graphs]:
    """Return the graphs to train on, and those to keep apart; twice all if these are too few.

    Too few are those among which a class is missing, or whose values tell none from another: their
    loss would say little of it. Values matter for triplets alone.
    """
    order = torch.randperm(len(train), generator=generator(seed, "matcher split"))
    count = int(HELD_OUT * len(train))
    held_out = train[order[:count]]
    if train.has_classes:
        enough = held_out.labels.unique().numel() == train.labels.unique().numel()
    elif triplets and triplets_of(train, seed) is not None:
        enough = triplets_of(held_out, seed) is not None
    else:
        enough = True
    return (train[order[count:]], held_out) if count and enough else (train, train)


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train.

    Attributes:
        batch_size: examples of each objective in a step.
        learning_rate: the largest step of Adam; it rises over the first steps and falls to zero at
            the last.
        max_steps: when to stop at the latest.
        evaluate_every: steps between two looks at the held-out graphs.
        patience: looks without improvement after which training has converged.
        seed: of everything that is drawn.
    """

    batch_size: int
    learning_rate: float
    max_steps: int
    evaluate_every: int
    patience: int
    seed: int

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        rising, falling = min(1.0, (step + 1) / WARM_UP), math.sqrt(1 - step / self.max_steps)
        return self.learning_rate * rising * falling


@dataclass
class FitState:
    """The state of training between two steps; `best` are the weights of the best look so far."""

    network: MatchingNetwork
    optimizer: torch.optim.Optimizer
    step: int = 0
    without_gain: int = 0  # looks at the held-out graphs since the last improvement
    best_loss: float = math.inf
    best_scores: dict[str, float] = field(default_factory=dict)
    best: Tensors = field(default_factory=dict)

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Return all that decides how training goes on, as tensors and notes of a checkpoint."""
        parts = {"network": self.network.state_dict(), "best": self.best}
        tensors = joined(parts | {"optimizer": optimizer_tensors(self.optimizer)})
        notes = ("step", "without_gain", "best_loss", "best_scores")
        return tensors, {name: getattr(self, name) for name in notes}

    def restore(self, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
        """Go back to a snapshot."""
        self.network.load_state_dict(part(tensors, "network"))
        self.best = part(tensors, "best")
        restore_optimizer(self.optimizer, part(tensors, "optimizer"))
        self.step, self.without_gain = int(notes["step"]), int(notes["without_gain"])
        self.best_loss, self.best_scores = float(notes["best_loss"]), dict(notes["best_scores"])


def fit_network(
    network: MatchingNetwork,
    objectives: Sequence[Objective],
    held_out: Sequence[Objective],
    schedule: Schedule,
    report: Report = silent,
    checkpoint: CheckpointFile | None = None,
) -> dict[str, float]:
    """Train in place, keep the weights with the lowest held-out loss, and return their held-out
    scores.

    Args:
        network: fresh.
        objectives: what it is taught.
        held_out: the same objectives, from graphs that it is not taught.
        schedule: how long and how fast.
        report: called after every step, with the scores of the best look at the held-out graphs.
        checkpoint: keeps the state after every look; if the file exists, training goes on from
            there, to the result that it would have had without a break.
    """
    fused = network.log_scale.device.type in ("cpu", "cuda")  # Adam in one kernel, where it exists
    fit = FitState(network, torch.optim.Adam(network.parameters(), fused=fused))
    if checkpoint is not None and checkpoint.path.exists():
        checkpoint.restore(fit.restore)
    while fit.step < schedule.max_steps and fit.without_gain < schedule.patience:
        train_step(fit, objectives, schedule)
        if fit.step % schedule.evaluate_every == 0 or fit.step == schedule.max_steps:
            evaluate_held_out(fit, held_out, schedule)
            if checkpoint is not None:
                checkpoint.write(*fit.snapshot())
        converged = fit.without_gain >= schedule.patience
        steps = fit.step if converged else schedule.max_steps
        report(Progress("matcher", fit.step, steps, fit.best_scores))
    network.load_state_dict(fit.best or network.state_dict())
    return fit.best_scores


def train_step(fit: FitState, objectives: Sequence[Objective], schedule: Schedule) -> None:
    """Take one step towards all objectives; each step has a random source of its own."""
    random = generator(schedule.seed, f"matcher step {fit.step}")
    fit.optimizer.param_groups[0]["lr"] = schedule.rate(fit.step)
    fit.optimizer.zero_grad()
    for objective in objectives:
        loss, _ = objective(fit.network, schedule.batch_size, random)
        loss.backward()
    size = torch.nn.utils.clip_grad_norm_(fit.network.parameters(), LARGEST_GRADIENT)
    if not torch.isfinite(size):
        raise SmixupError(
            f"the matcher's loss is not finite in step {fit.step + 1}: lower its learning rate, "
            f"which is {schedule.learning_rate:g}, or look for extreme values in the node features."
        )
    fit.optimizer.step()
    fit.step += 1


def evaluate_held_out(fit: FitState, held_out: Sequence[Objective], schedule: Schedule) -> None:
    """Run the held-out objectives, always on the same examples; remember the best weights.

    A small batch is enough for a step, but not to tell which weights are best.
    """
    random = generator(schedule.seed, "matcher held out")
    size = max(schedule.batch_size, HELD_OUT_EXAMPLES)
    with torch.no_grad():
        outcomes = [objective(fit.network, size, random) for objective in held_out]
    loss = float(sum(loss for loss, _ in outcomes))
    fit.without_gain += 1
    if loss < fit.best_loss:
        fit.without_gain, fit.best_loss = 0, loss
        named = zip(held_out, outcomes, strict=True)
        fit.best_scores = {objective.name: float(score) for objective, (_, score) in named}
        fit.best = {name: tensor.clone() for name, tensor in fit.network.state_dict().items()}
