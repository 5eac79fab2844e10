"""A random forest on numbers of graphs, kept as tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from torch import Tensor

from smixup.classical.base import Classical
from smixup.classical.numbers import GraphNumbers
from smixup.graphs import Graphs
from smixup.tasks import Classes, Labels, Task, Values

Array = NDArray[Any]
TREES = 300


class Forest(Classical):
    """A random forest on the numbers of a graph (`GraphNumbers`).

    Outputs are what a network's are: logarithms of probabilities, log odds of labels, standardised
    values. Trees are tensors, so that nothing is executed when a forest is read: node i asks
    whether number `feature[i]` is at most `threshold[i]`, and goes on at `left[i]` or `right[i]`; a
    leaf goes to itself and says `value[i]`.
    """

    feature: Tensor
    left: Tensor
    right: Tensor
    root: Tensor
    threshold: Tensor
    value: Tensor
    trees: Tensor
    kind: Tensor

    def __init__(self, num_features: int, num_classes: int, num_edge_features: int = 0) -> None:
        super().__init__()
        self.numbers = GraphNumbers(num_features, num_edge_features)
        empty = torch.zeros(0, dtype=torch.long)
        self.hold(feature=empty, left=empty, right=empty, root=empty)
        self.hold(threshold=empty.double(), value=torch.zeros(0, num_classes))
        self.hold(trees=torch.ones(num_classes), kind=torch.zeros((), dtype=torch.long))

    def learn(self, train: Graphs, task: Task, seed: int = 0) -> Self:
        """Grow the trees on training graphs."""
        X, columns = self.numbers.learn(train)(train).numpy(), train.num_classes
        grown: list[tuple[Any, Tensor]] = []
        for column, y, weights in targets_of(train, task):
            rows = np.flatnonzero(~np.isnan(y))
            options: dict[str, Any] = {"n_estimators": TREES, "random_state": seed}
            if isinstance(task, Values):
                forest = RandomForestRegressor(max_features=1 / 3, **options)
            else:
                forest = RandomForestClassifier(**options)
            forest.fit(X[rows], y[rows], None if weights is None else weights[rows])
            for tree in (each.tree_ for each in forest.estimators_):
                of_node = torch.from_numpy(tree.value[:, 0]).float()
                value = torch.zeros(len(of_node), columns)
                if isinstance(task, Classes):
                    value[:, forest.classes_.astype(int)] = of_node / of_node.sum(1, keepdim=True)
                elif isinstance(task, Labels):
                    shares = of_node / of_node.sum(1, keepdim=True)
                    value[:, column] = shares @ torch.from_numpy(forest.classes_).float()
                else:
                    value[:, column] = of_node[:, 0]
                grown.append((tree, value))
        self._plant(grown)
        per_column = len(grown) if isinstance(task, Classes) else TREES
        kind = (Classes, Labels, Values).index(type(task))
        self.hold(trees=torch.full((columns,), float(per_column)), kind=torch.tensor(kind))
        return self

    def _plant(self, grown: list[tuple[Any, Tensor]]) -> None:
        parts: dict[str, list[Tensor]] = {
            name: [] for name in ("feature", "left", "right", "threshold")
        }
        root, first = [], 0
        for tree, _ in grown:
            here = torch.arange(tree.node_count)
            leaf = torch.from_numpy(tree.children_left) < 0
            for name, children in (("left", tree.children_left), ("right", tree.children_right)):
                parts[name].append(torch.where(leaf, here, torch.from_numpy(children)) + first)
            parts["feature"].append(torch.from_numpy(tree.feature).clamp(min=0))
            parts["threshold"].append(torch.from_numpy(tree.threshold))
            root.append(first)
            first += tree.node_count
        self.hold(**{name: torch.cat(each) for name, each in parts.items()})
        self.hold(root=torch.tensor(root), value=torch.cat([value for _, value in grown]))

    def leaves(self, X: Tensor) -> Tensor:
        """Return the leaf of every tree `[G, T]` for rows of numbers `[G, F]`."""
        at, before = self.root.expand(len(X), -1), None
        while before is None or not torch.equal(at, before):
            goes_left = X.gather(1, self.feature[at]).double() <= self.threshold[at]
            before, at = at, torch.where(goes_left, self.left[at], self.right[at])
        return at

    @torch.no_grad()
    def forward(self, batch: Graphs) -> Tensor:
        """Return outputs `[B, C]`."""
        means = self.value[self.leaves(self.numbers(batch))].sum(1) / self.trees
        if self.kind == 2:
            return means
        # one more tree, that knows nothing: no probability is zero
        if self.kind == 0:
            return ((self.trees * means + 1 / means.size(1)) / (self.trees + 1)).log()
        return ((self.trees * means + 0.5) / (self.trees + 1)).logit()


def targets_of(train: Graphs, task: Task) -> Iterator[tuple[int, Array, Array | None]]:
    """Yield class numbers, or column by column labels or standardised values: the column, its
    targets `[G]`, NaN where one is not known, and what each graph counts for.
    """
    if isinstance(task, Classes):
        y = train.y.argmax(1).numpy()
        yield 0, y.astype(float), None if task.weights is None else np.asarray(task.weights)[y]
        return
    targets = train.y.double()
    if isinstance(task, Values):
        targets = (targets - targets.new_tensor(task.mean)) / targets.new_tensor(task.deviation)
    for column, y in enumerate(targets.numpy().T):
        counts = task.weights if isinstance(task, Labels) else None
        yield column, y, None if counts is None else np.where(y == 1, counts[column], 1.0)
