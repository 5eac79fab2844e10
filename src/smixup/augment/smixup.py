"""S-Mixup: mixing graphs along soft alignments (Sec. 3, Alg. 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from smixup.augment.adaptive import Estimate, distortion, ignored, narrowed
from smixup.augment.alignments import Alignments, align
from smixup.augment.base import RandomAugmentation
from smixup.augment.edge_weight import warn_if_ignored
from smixup.augment.mixing import Transformed, interpolate, transform
from smixup.augment.partners import draw_alike, draw_any
from smixup.augment.ratio import draw_ratio
from smixup.errors import require
from smixup.graphs import GraphBatch, GraphSet, concatenate
from smixup.matching import GraphMatcher, Matcher
from smixup.progress import Report, silent

if TYPE_CHECKING:
    from torch_geometric.data import Batch

MEGABYTE = 2**20


@dataclass
class SMixup(RandomAugmentation):
    """Mixes graphs with partners along soft alignments of their nodes.

    Attributes:
        matcher: yields the assignments; fitted on the training split in `on_dataset`.
        alpha: of the Beta distribution of the ratio lambda; the paper tries 0.1 to 10 and finds 0.1
            to 0.5 good.
        fold: lambda in [0.5, 1] (paper) instead of [0, 1].
        per_pair: a ratio for every pair instead of one for the batch.
        adaptive: narrow the range of lambda from [0.5, 1] to [0.5 + distortion / 2, 1], pair by
            pair: the less of G2 arrives in G2', the less of it is mixed in; see
                `augment/adaptive.py`.
        same_class: mix only graphs of one class (Table 4).
        partners: K alignments per training graph are computed once and drawn from, fewer where
            `memory` does not hold them; None pairs the graphs of each batch afresh (paper).
        keep_originals: train on mixes beside the original graphs instead of in their place.
        amount: mixes per original graph where originals are kept.
        threshold: weights of the transformed graph A2' below this are left out. On IMDB-BINARY,
            NCI1 and PROTEINS the default keeps at least 99.8 % of the weight, in a sixth to a half
            of the entries.
        memory: megabytes that stored alignments may take.
        seed: of everything random.
        num_classes: how wide integer labels become in a PyG loop; the matcher's number of classes
            if None.
        model: a PyG model that will be trained on the mixes; one that would ignore edge weights is
            warned about.
        report: told how far fitting and aligning are.

    In a PyG training loop of one's own, an instance with a fitted matcher is called on every batch:

    ```python
    matcher = GraphMatcher().fit(train_dataset)
    mix = SMixup(matcher, alpha=0.2)
    for batch in DataLoader(train_dataset, 256, shuffle=True):
        batch = mix(batch)
        loss = F.cross_entropy(model(batch.x, batch.edge_index, batch.edge_weight, batch.batch),
        batch.y)
    ```
    """

    matcher: Matcher = field(default_factory=GraphMatcher)
    alpha: float = 0.2
    fold: bool = True
    per_pair: bool = True
    adaptive: bool = False
    same_class: bool = False
    partners: int | None = 4
    keep_originals: bool = True
    amount: float = 0.25
    threshold: float = 1e-3
    memory: int = 1024
    num_classes: int | None = None
    model: nn.Module | None = field(default=None, repr=False, compare=False)
    report: Report = field(default=silent, repr=False, compare=False)
    alignments: Alignments | None = field(default=None, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "s-mixup"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha >= 0, "alpha", self.alpha, "zero or more")
        require(0 <= self.amount <= 1, "amount", self.amount, "between 0 and 1")
        require(self.threshold >= 0, "threshold", self.threshold, "zero or more")
        fine = self.partners is None or self.partners > 0
        require(fine, "partners", self.partners, "a positive number or None")
        if self.model is not None:
            warn_if_ignored(self.model)

    def __call__(self, batch: Batch) -> Batch:
        """Mix an ordinary PyG `Batch` and return a new one: x, edge_index, edge_weight and soft
        targets y [B', C].

        The originals come first, in their order, then the mixes; with `keep_originals=False` graph
        i of the result is the mix of graph i. Partners are drawn from the batch. Columns of
        `edge_attr` are mixed as the edges are; code numbers of categories should be one-hot before.
        """
        from smixup.graphs.pyg import from_pyg_batch, to_pyg

        graphs = from_pyg_batch(batch, self.num_classes or self.matcher.num_classes)
        return to_pyg(self._mixed(graphs, None))

    def on_dataset(self, train: GraphSet) -> GraphSet:
        """Train the matcher (Alg. 1) and, if alignments are to be reused, compute them."""
        self.matcher.fit(train, self.report)
        if self.partners is not None:
            partner = torch.cat(
                [self._draw(train.labels, train.labels) for _ in range(self.partners)]
            )
            memory = self.memory * MEGABYTE
            self.alignments = align(
                train, self.matcher, partner, self.threshold, memory, self.report, self._estimate
            )
        return train

    def on_batch(self, batch: GraphBatch) -> GraphBatch:
        """Mix graphs of the batch with partners (Alg. 2)."""
        return self._mixed(batch, self.alignments)

    def _mixed(self, batch: GraphBatch, alignments: Alignments | None) -> GraphBatch:
        left = self._chosen(batch)
        if len(left) == 0:
            return batch
        right, lost = (
            alignments.draw(left.ids, self.random) if alignments else self._aligned(left, batch)
        )
        mixed = interpolate(left, right, narrowed(self._ratio(left), lost))
        return concatenate([batch, mixed]) if self.keep_originals else mixed

    def _chosen(self, batch: GraphBatch) -> GraphBatch:
        if not self.keep_originals:
            return batch
        number = math.ceil(self.amount * len(batch))
        first = int(torch.randint(len(batch) - number + 1, (), generator=self.random))
        return batch.window(first, number)

    @property
    def _estimate(self) -> Estimate:
        return distortion if self.adaptive else ignored

    def _aligned(self, left: GraphBatch, batch: GraphBatch) -> tuple[Transformed, Tensor]:
        partner = self._draw(left.y.argmax(1).cpu(), batch.y.argmax(1).cpu())
        right = batch.take(partner.to(batch.ptr.device))
        M = self.matcher(left, right)
        aligned, lost = transform(M, right), self._estimate(M, left, right)
        return (
            replace(aligned, adj=aligned.adj.without_small(self.threshold))
            if self.threshold
            else aligned
        ), lost

    def _draw(self, labels: Tensor, pool: Tensor) -> Tensor:
        if self.same_class:
            return draw_alike(labels, pool, self.random)
        return draw_any(labels.numel(), pool.numel(), self.random)

    def _ratio(self, left: GraphBatch) -> Tensor:
        number = len(left) if self.per_pair else 1
        return (
            draw_ratio(number, self.alpha, self.fold, self.random)
            .expand(len(left))
            .to(left.x.device)
        )
