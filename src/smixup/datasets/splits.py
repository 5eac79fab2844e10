"""Which graphs are trained on, chosen by, and reported (Sec. 6, Setup)."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.datasets.base import Split
from smixup.errors import UsageError
from smixup.seeding import generator

MIN_GRAPHS = 3


def random_split(num_graphs: int, seed: int) -> Split:
    """Split 80/10/10 at random, the paper's protocol; a tenth is rounded down but holds at least
    one graph.
    """
    if num_graphs < MIN_GRAPHS:
        raise UsageError(
            f"a split into training, validation and test needs at least {MIN_GRAPHS} graphs, not "
            f"{num_graphs}."
        )
    order = torch.randperm(num_graphs, generator=generator(seed, "split"))
    tenth = max(num_graphs // 10, 1)
    train, validation, test = order.split([num_graphs - 2 * tenth, tenth, tenth])
    return Split(train, validation, test)


def stratified_folds(labels: Tensor, num_folds: int, seed: int) -> Tensor:
    """Return the fold of every graph `[G]`; each class is spread over the folds as evenly as can
    be.

    Graphs are shuffled, put in order of class, and dealt to the folds in turn, so that the sizes of
    two folds, and their counts of one class, differ by one at most.
    """
    if not 2 <= num_folds <= labels.numel():
        raise UsageError(
            f"the number of folds must lie between 2 and the {labels.numel()} graphs, not be "
            f"{num_folds}."
        )
    order = torch.randperm(labels.numel(), generator=generator(seed, "split"))
    order = order[labels[order].argsort(stable=True)]
    folds = torch.empty_like(order)
    folds[order] = torch.arange(order.numel()) % num_folds
    return folds


def fold_split(labels: Tensor, num_folds: int, fold: int, seed: int) -> Split:
    """Return one split of stratified k-fold: `fold` to test, the next one to validate, the others
    to train.
    """
    if num_folds < MIN_GRAPHS:
        raise UsageError(
            f"training, validation and test need at least {MIN_GRAPHS} folds, not {num_folds}."
        )
    if not 0 <= fold < num_folds:
        raise UsageError(f"the fold must lie in 0..{num_folds - 1}, not be {fold}.")
    folds = stratified_folds(labels, num_folds, seed)
    test, validation = folds == fold, folds == (fold + 1) % num_folds
    train = ~(test | validation)
    return Split(
        train.nonzero().squeeze(1), validation.nonzero().squeeze(1), test.nonzero().squeeze(1)
    )
