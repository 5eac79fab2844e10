"""S-Mixup: mixing graphs along soft alignments (Sec. 3, Alg. 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Self

import torch
from torch import Tensor

from smixup.augment.adaptive import Estimate, distortion, narrow_ratio, no_distortion
from smixup.augment.alignments import Alignments, align
from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import interpolate, transform
from smixup.augment.partners import draw_alike, draw_any
from smixup.augment.ratio import draw_ratio
from smixup.errors import require
from smixup.graphs import AnyGraphs, Graphs
from smixup.matching import Matcher
from smixup.progress import Report, silent


def _graph_matcher() -> Matcher:
    from smixup.matching import GraphMatcher  # code of this matcher alone, not of every S-Mixup

    return GraphMatcher()


@dataclass
class SMixup(RandomAugmentation):
    """Mixes graphs with partners along soft alignments of their nodes.

    ```python
    mix = SMixup(GraphMatcher(), alpha=0.2).fit(train_dataset)
    for batch in DataLoader(train_dataset, 256, shuffle=True):
        batch = mix(batch)               # originals first, then mixes; y is soft, [B', C]
        logits = model(batch.x, batch.edge_index, batch.edge_weight, batch.batch)
        loss = F.cross_entropy(logits, batch.y)
    ```

    A model must use `edge_weight`, or it takes a mix for a complete graph; `warn_if_ignored(model)`
    tells. In a PyG loop the partners of a graph are drawn from its batch.

    Attributes:
        matcher: yields the assignments; `fit` fits it on the training split, unless it is fitted.
        alpha: of the Beta distribution of the ratio lambda; the paper tries 0.1 to 10 and finds 0.1
            to 0.5 good.
        fold_ratio: lambda in [0.5, 1] (paper) instead of [0, 1].
        per_pair: a ratio for every pair instead of one for the batch.
        adaptive: narrow the range of lambda from [0.5, 1] to [0.5 + distortion / 2, 1], pair by
            pair: the less of G2 arrives in G2', the less of it is mixed in; see
            `augment/adaptive.py`.
        same_class: mix only graphs of one class (Table 4).
        partners: K alignments per training graph are computed once and drawn from, fewer where
            memory does not hold them; None pairs the graphs of each batch afresh (paper).
        amount: mixes per original graph, which stand beside the originals; None puts a mix in the
            place of every original.
        threshold: weights of the transformed graph A2' below this are left out. On IMDB-BINARY,
            NCI1 and PROTEINS the default keeps at least 99.8 % of the weight, in a sixth to a half
            of the entries.
        seed: of everything random; None takes one from torch's own generator.
    """

    matcher: Matcher = field(default_factory=_graph_matcher)
    alpha: float = 0.2
    fold_ratio: bool = True
    per_pair: bool = True
    adaptive: bool = False
    same_class: bool = False
    partners: int | None = 4
    amount: float | None = 0.25
    threshold: float = 1e-3
    alignments: Alignments | None = field(default=None, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "s-mixup"
    averages_edges: ClassVar[bool] = True
    memory: ClassVar[int] = 2**30
    """Bytes that stored alignments may take."""

    def __post_init__(self) -> None:
        require(self.alpha >= 0, "alpha", self.alpha, "zero or more")
        fine = self.amount is None or 0 <= self.amount <= 1
        require(fine, "amount", self.amount, "between 0 and 1, or None")
        require(self.threshold >= 0, "threshold", self.threshold, "zero or more")
        fine = self.partners is None or self.partners > 0
        require(fine, "partners", self.partners, "a positive number or None")
        self.num_classes = self.num_classes or self.matcher.num_classes

    def fit(self, train: AnyGraphs, report: Report = silent) -> Self:
        """Train the matcher (Alg. 1) unless it is fitted, and compute alignments to be reused.

        A PyG loop pairs the graphs of each batch afresh: only `Graphs` have numbers by which what
        was computed for them can be found again.
        """
        super().fit(train, report)
        if isinstance(train, Graphs) and self.partners is not None:
            self._align(train, self.partners, report)
        return self

    def on_fit(self, train: Graphs, report: Report) -> None:
        """Train the matcher."""
        if not self.matcher.fitted:
            self.matcher.fit(train, report)

    def _align(self, train: Graphs, partners: int, report: Report) -> None:
        labels = train.labels.cpu()
        partner = torch.cat([self._draw(labels, labels) for _ in range(partners)])
        self.alignments = align(
            *(train, self.matcher, partner, self.threshold, self.memory), report, self._estimate
        )

    def on_batch(self, batch: Graphs) -> Graphs:
        """Mix graphs of the batch with partners (Alg. 2)."""
        left = self._chosen(batch)
        if len(left) == 0:
            return batch
        right, lost = self._partners(left, batch)
        mixed = interpolate(left, right, narrow_ratio(self._ratio(left), lost))
        return mixed if self.amount is None else Graphs.cat([batch, mixed])

    def _chosen(self, batch: Graphs) -> Graphs:
        """Return the graphs to mix: a window of the batch, whose order is random anyway."""
        if self.amount is None:
            return batch
        number = math.ceil(self.amount * len(batch))
        first = int(torch.randint(len(batch) - number + 1, (), generator=self.random))
        return batch[first : first + number]

    def _partners(self, left: Graphs, batch: Graphs) -> tuple[Graphs, Tensor]:
        """Return G2' of a partner for every graph, and how distorted each is, `[B]`."""
        if self.alignments is not None and self.alignments.set_id == batch.set_id:
            self.alignments = self.alignments.to(left.device)
            return self.alignments.draw(left.ids, self.random)
        partner = self._draw(left.labels.cpu(), batch.labels.cpu())
        right = batch[partner]
        M = self.matcher(left, right)
        aligned, lost = transform(M, left, right), self._estimate(M, left, right)
        if self.threshold:
            aligned = aligned.replace(adj=aligned.adj.without_small(self.threshold))
        return aligned, lost

    @property
    def _estimate(self) -> Estimate:
        return distortion if self.adaptive else no_distortion

    def _draw(self, labels: Tensor, pool: Tensor) -> Tensor:
        if self.same_class:
            return draw_alike(labels, pool, self.random)
        return draw_any(labels.numel(), pool.numel(), self.random)

    def _ratio(self, left: Graphs) -> Tensor:
        number = len(left) if self.per_pair else 1
        lam = draw_ratio(number, self.alpha, self.fold_ratio, self.random)
        return lam.expand(len(left)).to(left.device)
