"""Training the matching network until it has converged (Alg. 1), and on which graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.lessons import Objective, triplets_of
from smixup.matching.network import MatchingNetwork
from smixup.progress import Progress, Report, silent
from smixup.saved import Tensors
from smixup.seeding import generator

WARM_UP = 20
LARGEST_GRADIENT = 10.0
HELD_OUT, HELD_OUT_EXAMPLES = 0.1, 64


def split_held_out(train: Graphs, seed: int, triplets: bool) -> tuple[Graphs, Graphs]:
    """Return the graphs to train on, and those to keep apart; twice all if these are too few.

    Too few are those among which a class is missing, or whose values tell none from another: their
    loss would say little of it. Values matter for triplets alone.
    """
    order = torch.randperm(len(train), generator=generator(seed, "matcher split"))
    count = int(HELD_OUT * len(train))
    held_out, enough = train[order[:count]], count > 0
    if train.has_classes:
        enough &= held_out.labels.unique().numel() == train.labels.unique().numel()
    elif triplets and triplets_of(train, seed) is not None:
        enough &= triplets_of(held_out, seed) is not None
    return (train[order[count:]], held_out) if enough else (train, train)


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train, see `LearnedMatcher`."""

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


def fit_network(
    network: MatchingNetwork,
    objectives: Sequence[Objective],
    held_out: Sequence[Objective],
    schedule: Schedule,
    report: Report = silent,
) -> dict[str, float]:
    """Train a fresh network in place, keep the weights with the lowest held-out loss, and return
    their held-out scores.

    `held_out` are the same objectives, from graphs that are not taught; `report` is called after
    every step.
    """
    fused = network.log_scale.device.type in ("cpu", "cuda")  # Adam in one kernel, where it exists
    optimizer = torch.optim.Adam(network.parameters(), fused=fused)
    best_loss, without_gain, best_scores = math.inf, 0, dict[str, float]()
    best: Tensors = {}
    for step in range(1, schedule.max_steps + 1):
        train_step(network, optimizer, objectives, schedule, step)
        over = step == schedule.max_steps
        if over or step % schedule.evaluate_every == 0:
            loss, scores = held_out_scores(network, held_out, schedule)
            without_gain += 1
            if loss < best_loss:
                best_loss, without_gain, best_scores = loss, 0, scores
                best = {name: tensor.clone() for name, tensor in network.state_dict().items()}
            over = over or without_gain >= schedule.patience
        report(Progress("matcher", step, step if over else schedule.max_steps, best_scores))
        if over:
            break
    network.load_state_dict(best or network.state_dict())
    return best_scores


def train_step(
    network: MatchingNetwork,
    optimizer: torch.optim.Optimizer,
    objectives: Sequence[Objective],
    schedule: Schedule,
    step: int,
) -> None:
    """Take a step, counted from 1, towards all objectives, with a random source of its own."""
    random = generator(schedule.seed, f"matcher step {step - 1}")
    optimizer.param_groups[0]["lr"] = schedule.rate(step - 1)
    optimizer.zero_grad()
    for objective in objectives:
        loss, _ = objective(network, schedule.batch_size, random)
        loss.backward()
    size = torch.nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
    if not torch.isfinite(size):
        raise SmixupError(
            f"the matcher's loss is not finite in step {step}: lower its learning rate, which is "
            f"{schedule.learning_rate:g}, or look for extreme values in the node features."
        )
    optimizer.step()


@torch.no_grad()
def held_out_scores(
    network: MatchingNetwork, held_out: Sequence[Objective], schedule: Schedule
) -> tuple[float, dict[str, float]]:
    """Return the loss on held-out graphs and the score of each objective, always of the same
    examples: a small batch is enough for a step, but not to tell which weights are best.
    """
    random = generator(schedule.seed, "matcher held out")
    size = max(schedule.batch_size, HELD_OUT_EXAMPLES)
    outcomes = {objective.name: objective(network, size, random) for objective in held_out}
    loss = float(sum(loss for loss, _ in outcomes.values()))
    return loss, {name: float(score) for name, (_, score) in outcomes.items()}
