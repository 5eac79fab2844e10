"""A support vector machine on Weisfeiler-Lehman features, kept as tensors."""

from __future__ import annotations

from itertools import combinations
from typing import Self

import numpy as np
import torch
from scipy.sparse import csr_array
from sklearn.svm import SVC, SVR
from torch import Tensor

from smixup.classical.base import Classical
from smixup.classical.forest import targets_of
from smixup.classical.numbers import GraphNumbers
from smixup.graphs import Graphs
from smixup.tasks import Classes, Task, Values

ROUNDS, PENALTY = 3, 0.1


class WLSVM(Classical):
    """A support vector machine with the Weisfeiler-Lehman kernel (Shervashidze et al. 2011).

    The kernel of two graphs is the product of `log(1 + count)`, summed over all labels that nodes
    have after none, one, two and three rounds of colour refinement. A linear machine on these
    numbers is the same, and can be kept: `weight [D, C]` of every label of the training graphs.
    Outputs are distances to the planes between a class and each other class, added up; to that of
    a label; or standardised values.
    """

    labels: Tensor
    weight: Tensor
    bias: Tensor

    def __init__(self, num_features: int, num_classes: int, num_edge_features: int = 0) -> None:
        super().__init__()
        self.numbers = GraphNumbers(num_features, num_edge_features)
        self.hold(labels=torch.zeros(0, dtype=torch.long), bias=torch.zeros(num_classes))
        self.hold(weight=torch.zeros(0, num_classes))

    def learn(self, train: Graphs, task: Task, seed: int = 0) -> Self:
        """Fit the machine to training graphs."""
        self.numbers.learn(train)
        graph, label, count = self._counts(train)
        labels, place = label.unique(return_inverse=True)
        entries = count.log1p().numpy(), (graph.int().numpy(), place.int().numpy())
        X = csr_array(entries, shape=(len(train), len(labels)))
        weight, bias = np.zeros((len(labels), train.num_classes)), np.zeros(train.num_classes)
        for column, y, weights in targets_of(train, task):
            rows = np.flatnonzero(~np.isnan(y))
            if len(set(y[rows])) < 2 and not isinstance(task, Values):  # nothing to tell apart
                bias[int(y[rows].max(initial=0)) if isinstance(task, Classes) else column] = 1.0
                continue
            machine = (SVR if isinstance(task, Values) else SVC)(kernel="linear", C=PENALTY)
            machine.fit(X[rows], y[rows], None if weights is None else weights[rows])
            planes = zip(machine.coef_.toarray(), machine.intercept_, strict=True)
            if not isinstance(task, Classes):
                ((weight[:, column], bias[column]),) = planes
                continue
            classes = machine.classes_.astype(int)
            sign = -1 if len(classes) == 2 else 1  # scikit-learn turns a single plane around
            for (first, second), (coefficients, intercept) in zip(
                combinations(classes, 2), planes, strict=True
            ):
                weight[:, [first, second]] += sign * np.outer(coefficients, [1, -1])
                bias[[first, second]] += sign * intercept * np.array([1, -1])
        self.hold(labels=labels, weight=torch.from_numpy(weight).float())
        self.hold(bias=torch.from_numpy(bias).float())
        return self

    def _counts(self, graphs: Graphs) -> tuple[Tensor, Tensor, Tensor]:
        """Return every graph and label that occur together, and how often."""
        labels = self.numbers.neighbourhoods(graphs, ROUNDS)
        pairs = torch.stack([graphs.batch.repeat(len(labels)), torch.cat(labels)], 1)
        unique, counts = pairs.unique(dim=0, return_counts=True)
        graph, label = unique.T.contiguous()
        return graph, label, counts.float()

    @torch.no_grad()
    def forward(self, batch: Graphs) -> Tensor:
        """Return outputs `[B, C]`."""
        graph, label, count = self._counts(batch)
        place = torch.searchsorted(self.labels, label).clamp(max=len(self.labels) - 1)
        known = self.labels[place] == label
        terms = count[known].log1p().unsqueeze(1) * self.weight[place[known]]
        return self.bias.expand(len(batch), -1).index_add(0, graph[known], terms)
