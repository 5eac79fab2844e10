"""Training the matching network until it has converged (Alg. 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from smixup.checkpoint import CheckpointFile, Tensors, optimizer_tensors, part, restore_optimizer
from smixup.errors import SmixupError
from smixup.matching.lesson import Lesson
from smixup.matching.network import MatchingNetwork
from smixup.progress import Progress, Report, silent
from smixup.seeding import generator

WARM_UP = 20
LARGEST_GRADIENT = 10.0


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train.

    Attributes:
        batch_size: examples of each lesson in a step.
        learning_rate: of Adam; it rises over the first steps and falls to zero at the last.
        max_steps: when to stop at the latest.
        evaluate_every: steps between two looks at the held-out graphs.
        patience: looks without improvement after which training has converged.
        seed: of everything that is drawn.
    """

    batch_size: int = 64
    learning_rate: float = 3e-3
    max_steps: int = 300
    evaluate_every: int = 25
    patience: int = 4
    seed: int = 0

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        return (
            self.learning_rate
            * min(1.0, (step + 1) / WARM_UP)
            * math.sqrt(1 - step / self.max_steps)
        )


@dataclass
class Fit:
    """The state of training between two steps.

    Attributes:
        network: what is trained.
        optimizer: Adam on its weights.
        step: steps done.
        waited: looks at the held-out graphs since the last improvement.
        best_loss, best_scores, best: held-out loss, scores and weights of the best look so far.
    """

    network: MatchingNetwork
    optimizer: torch.optim.Optimizer
    step: int = 0
    waited: int = 0
    best_loss: float = math.inf
    best_scores: dict[str, float] = field(default_factory=dict)
    best: Tensors = field(default_factory=dict)

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Return everything that decides how training goes on, as tensors and notes of a
        checkpoint.
        """
        parts = {
            "network": self.network.state_dict(),
            "best": self.best,
            "optimizer": optimizer_tensors(self.optimizer),
        }
        tensors = {
            f"{name}.{key}": tensor for name, all in parts.items() for key, tensor in all.items()
        }
        return tensors, {
            name: getattr(self, name) for name in ("step", "waited", "best_loss", "best_scores")
        }

    def restore(self, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
        """Go back to a snapshot."""
        self.network.load_state_dict(part(tensors, "network"))
        self.best = part(tensors, "best")
        restore_optimizer(self.optimizer, part(tensors, "optimizer"))
        for name, value in notes.items():
            setattr(self, name, value)


def fit_network(
    network: MatchingNetwork,
    lessons: Sequence[Lesson],
    held_out: Sequence[Lesson],
    schedule: Schedule,
    report: Report = silent,
    checkpoint: CheckpointFile | None = None,
) -> dict[str, float]:
    """Train in place, keep the weights with the lowest held-out loss, and return their held-out
    scores.

    Args:
        network: fresh.
        lessons: what it is taught.
        held_out: the same lessons, from graphs that it is not taught.
        schedule: how long and how fast.
        report: told after every look at the held-out graphs.
        checkpoint: where the state is kept after every look; if the file exists, training goes on
            from there, to the result that it would have had without a break.
    """
    fit = Fit(network, torch.optim.Adam(network.parameters(), fused=True))
    if checkpoint is not None and checkpoint.path.exists():
        fit.restore(*checkpoint.read())
    while fit.step < schedule.max_steps and fit.waited < schedule.patience:
        train_step(fit, lessons, schedule)
        if fit.step % schedule.evaluate_every == 0 or fit.step == schedule.max_steps:
            look(fit, held_out, schedule)
            if checkpoint is not None:
                checkpoint.write(*fit.snapshot())
            report(Progress("matcher", fit.step, schedule.max_steps, fit.best_scores))
    network.load_state_dict(fit.best or network.state_dict())
    return fit.best_scores


def train_step(fit: Fit, lessons: Sequence[Lesson], schedule: Schedule) -> None:
    """Teach every lesson once and update the weights; each step has a random source of its own."""
    random = generator(schedule.seed, f"matcher step {fit.step}")
    fit.optimizer.param_groups[0]["lr"] = schedule.rate(fit.step)
    fit.optimizer.zero_grad()
    for lesson in lessons:
        lesson(fit.network, schedule.batch_size, random).loss.backward()
    size = torch.nn.utils.clip_grad_norm_(fit.network.parameters(), LARGEST_GRADIENT)
    if not torch.isfinite(size):
        raise SmixupError(
            f"the matcher's loss is not finite in step {fit.step + 1}: lower its learning rate, "
            f"which is {schedule.learning_rate:g}, or look for extreme values in the node features."
        )
    fit.optimizer.step()
    fit.step += 1


def look(fit: Fit, held_out: Sequence[Lesson], schedule: Schedule) -> None:
    """Run the held-out lessons, the same examples every time, and remember the weights if they are
    the best so far.
    """
    random = generator(schedule.seed, "matcher held out")
    fit.network.eval()
    with torch.no_grad():
        outcomes = [lesson(fit.network, schedule.batch_size, random) for lesson in held_out]
    fit.network.train()
    loss = float(sum(outcome.loss for outcome in outcomes))
    fit.waited += 1
    if loss < fit.best_loss:
        fit.waited, fit.best_loss = 0, loss
        fit.best_scores = {
            lesson.name: float(o.score) for lesson, o in zip(held_out, outcomes, strict=True)
        }
        fit.best = {name: tensor.clone() for name, tensor in fit.network.state_dict().items()}
