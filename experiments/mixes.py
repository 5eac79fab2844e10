"""What a method makes of graphs, and of which: every graph gets a row of the unit matrix as a tag.
Methods average tags as they average targets, so that of a mix holds `lam` at G1, the rest at G2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.graphs import Graphs
from smixup.progress import silent
from smixup.seeding import generator

TAG = "parents"
BATCH_SIZE = 64


def tagged(graphs: Graphs) -> Graphs:
    """Return the graphs as a set of their own, each with its tag."""
    tags = torch.eye(len(graphs), device=graphs.device)
    return graphs.renumbered().replace(graph_attrs={**graphs.graph_attrs, TAG: tags})


@dataclass(frozen=True)
class Parents:
    """The share `[B, G]` of G tagged graphs in the target of each of B mixes; and G1 `[B]`: the
    graph in whose place a mix stands, or the one with the larger share.
    """

    weights: Tensor
    left: Tensor

    @classmethod
    def of(cls, mixes: Graphs) -> Parents | None:
        """Read the tags; None where a method makes graphs that have none, as G-Mixup does."""
        tags = mixes.graph_attrs.get(TAG)
        if tags is None:
            return None
        return cls(tags, torch.where(mixes.ids >= tags.size(1), tags.argmax(1), mixes.ids))

    def __getitem__(self, index: Tensor) -> Parents:
        return Parents(self.weights[index], self.left[index])

    @cached_property
    def right(self) -> Tensor:
        """G2 `[B]`; -1 where there is no other graph, or more than one."""
        others = self.weights.scatter(1, self.left.unsqueeze(1), 0.0)
        return torch.where((others > 0).sum(1) == 1, others.argmax(1), -1)

    @property
    def lam(self) -> Tensor:
        """The ratio lambda, the share of G1, `[B]`."""
        return self.weights.gather(1, self.left.unsqueeze(1)).squeeze(1)

    @property
    def pairs(self) -> Tensor:
        """Which of the mixes were made of two graphs, as indices."""
        return (self.right >= 0).nonzero().squeeze(1)

    def expected(self, values: Tensor) -> Tensor:
        """Return `lam v1 + (1 - lam) v2` of values of the tagged graphs."""
        return torch.tensordot(self.weights.to(values.dtype), values, dims=1)


@dataclass(frozen=True)
class Mixes:
    """B mixes of G originals: graphs, or representations `h [B, H]`, or neither; with no parents
    where a method does not make its graphs of some of the originals.
    """

    originals: Graphs
    graphs: Graphs | None = None
    h: Tensor | None = None
    parents: Parents | None = None


@torch.no_grad()
def make_mixes(
    method: Augmentation, graphs: Graphs, number: int, judge: Classifier, seed: int = 0
) -> Mixes:
    """Let a fresh method work on graphs as on a training split; return so many mixes, or fewer. The
    judge is for methods that ask a classifier, or mix what it sees after the readout.
    """
    originals, random = tagged(graphs), generator(seed, "audit")
    longer = method.fit_extend(originals, silent)
    method.bind(judge.eval())
    graphs_made, h_made = [longer[len(originals) :]], list[tuple[Tensor, Tensor, Tensor]]()
    before, made = -1, len(graphs_made[0])
    while before < made < number:  # a method that makes nothing in an epoch makes nothing later
        before = made
        for batch in originals.batches(BATCH_SIZE, random):
            mixes, plain = method.on_batch(batch), judge.embed(batch)
            h, tags = method.on_embedding(plain, batch.graph_attrs[TAG])
            if mixes is not batch:
                same = mixes[: len(batch)].fingerprint() == batch.fingerprint()
                graphs_made.append(mixes[len(batch) :] if same else mixes)
                made += len(graphs_made[-1])
            elif h is not plain:
                h_made.append((h, tags, batch.ids))
                made += len(h)
    if h_made:
        h, tags, left = (torch.cat(part)[:number] for part in zip(*h_made, strict=True))
        return Mixes(originals, h=h, parents=Parents(tags, left))
    parts = [_plain(part) for part in graphs_made if len(part)]
    mixes = Graphs.cat(parts)[:number] if parts else None
    return Mixes(originals, mixes, parents=mixes and Parents.of(mixes))


def _plain(graphs: Graphs) -> Graphs:
    """Return graphs with sparse edges, each in one piece, and no attributes but tags."""
    tags = {name: value for name, value in graphs.graph_attrs.items() if name == TAG}
    adj = graphs.adj.merged()
    return graphs.without_attributes().replace(graph_attrs=tags, adj=adj).floating()
