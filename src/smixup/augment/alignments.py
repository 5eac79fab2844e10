"""Alignments computed once: the matcher is frozen while the classifier trains, so that G2' of a
pair never changes. They are kept in memory, or on disk where the training set is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.files import TemporaryFolder
from smixup.graphs import Graphs, PackedGraphs, SparseOperator, pack
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

PAIRS_AT_ONCE = 512

Carry = Callable[[SparseOperator, Graphs, Graphs], Graphs]  # from an assignment, G1, G2 to G2'


@dataclass(frozen=True)
class Drawn:
    """A partner for each of B graphs."""

    moved: Graphs  # G2' of each pair, on the nodes of G1
    pool: Graphs | PackedGraphs  # the graphs among which the partners are
    partner: Tensor  # [B], their places there


@dataclass(frozen=True, eq=False)
class Partners:
    """K partners of each of G training graphs, in memory or on disk; pair `k * G + g` is graph g
    with its k-th partner.

    Attributes:
        train: the training graphs, G of them.
        partner: `[K * G]`, the number of each pair's second graph.
    """

    train: Graphs | PackedGraphs
    partner: Tensor

    def covers(self, batch: Graphs) -> bool:
        """Return whether the graphs of a batch are of the set, with no attributes that their
        partners have not.
        """
        train = self.train
        known = train.files.graphs if isinstance(train, PackedGraphs) else train
        return train.set_id == batch.set_id and all(
            name in getattr(known, kind) or not value.is_floating_point()
            for kind in ("edge_attrs", "node_attrs", "graph_attrs")
            for name, value in getattr(batch, kind).items()
        )

    def choose(self, ids: Tensor, generator: torch.Generator) -> Tensor:
        """Return the pair of one of K partners for every graph in `ids [B]`."""
        number = len(self.train)
        turn = torch.randint(len(self.partner) // number, (ids.numel(),), generator=generator)
        return turn.to(ids.device) * number + ids


@dataclass(frozen=True, eq=False)
class Alignments(Partners):
    """K partners of every training graph, already carried onto it.

    Attributes:
        stored: G2' of all pairs.
        folder: holds `stored` on disk, and is removed when nobody asks for it any more.
    """

    stored: Graphs | PackedGraphs
    folder: TemporaryFolder | None = None

    def draw(self, ids: Tensor, generator: torch.Generator) -> Drawn:
        """Return one of K partners for every graph in `ids [B]`."""
        pair = self.choose(ids, generator)
        return Drawn(self.stored[pair].floating(), self.train, self.partner[pair])

    def to(self, device: torch.device | str) -> Alignments:
        """Let what is drawn be on `device`; the training graphs stay."""
        return replace(self, stored=self.stored.to(device), partner=self.partner.to(device))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"folder": None}  # it stays with the process that made it


def align(
    graphs: Graphs | PackedGraphs,
    matcher: Matcher,
    partner: Tensor,
    carry: Carry,
    threshold: float,
    memory: int,
    report: Report = silent,
) -> Alignments:
    """Match every graph with its partners and keep the transformed graphs: as many as fit into
    `memory` bytes, or in a temporary folder where the graphs are on disk. Entry `k * G + g` of
    `partner [K * G]` is the k-th partner of graph g. Weights of A2' below `threshold`, as a share
    of a typical weight, are left out.
    """
    require_numbered(graphs)
    small = threshold * typical_weight(graphs)
    pairs = _carried(graphs, matcher, partner, carry, report)
    if isinstance(graphs, PackedGraphs):
        folder = TemporaryFolder("smixup-alignments-")
        kept = (_as_bytes(compact(moved, small, graphs.symmetric)) for moved in pairs)
        return Alignments(graphs, partner, pack(kept, folder.path / "pairs"), folder)
    parts: list[Graphs] = []
    for moved in pairs:
        moved = compact(moved, small, graphs.adj.symmetric)
        memory -= _bytes(moved)
        if memory < 0:
            break
        parts.append(moved)
    number = sum(map(len, parts)) // len(graphs) * len(graphs)
    if number == 0:
        raise SmixupError(
            f"the alignments of {len(graphs)} pairs do not fit into memory: pair afresh in every "
            "batch with partners=None, or keep the training set on disk by `smixup.pack`."
        )
    if memory < 0:  # fewer were kept than wished for
        report(Progress("aligning", number, number, unit="pairs"))
    return Alignments(graphs, partner.to(graphs.device)[:number], Graphs.cat(parts)[:number])


def _carried(
    graphs: Graphs | PackedGraphs,
    matcher: Matcher,
    partner: Tensor,
    carry: Carry,
    report: Report,
) -> Iterator[Graphs]:
    """Yield G2' of a few hundred pairs at a time."""
    report(Progress("aligning", 0, partner.numel(), unit="pairs"))
    prepared = None if isinstance(graphs, PackedGraphs) else matcher.prepare(graphs)
    every = torch.arange(len(graphs)).repeat(partner.numel() // len(graphs))
    for pairs in torch.arange(partner.numel()).split(PAIRS_AT_ONCE):
        i, j = every[pairs].to(graphs.device), partner[pairs].to(graphs.device)
        left, right = graphs[i], graphs[j]
        M = matcher(left, right) if prepared is None else matcher.assign(prepared, i, j)
        yield carry(M, left, right)
        report(Progress("aligning", int(pairs[-1]) + 1, partner.numel(), unit="pairs"))


def require_numbered(graphs: Graphs | PackedGraphs) -> None:
    """Refuse graphs whose numbers are not their places."""
    if not torch.equal(graphs.ids.cpu(), torch.arange(len(graphs))):
        raise SmixupError(
            "alignments are kept by the numbers of graphs, and these are a part of another set: "
            "number them anew, graphs.renumbered()."
        )


def typical_weight(graphs: Graphs | PackedGraphs) -> float:
    """Return the mean size of the weights, on disk of the first part of the graphs; one where there
    are no edges.
    """
    part = next(graphs.parts()) if isinstance(graphs, PackedGraphs) else graphs
    weight = part.adj.weight
    return float(weight.abs().mean()) if weight.numel() else 1.0


def compact(moved: Graphs, threshold: float, undirected: bool) -> Graphs:
    """Return transformed graphs as they are kept: sparse, and without what hardly weighs."""
    adj = moved.adj.symmetrised() if undirected else moved.adj
    return moved.with_adj(adj.without_small(threshold))


def _as_bytes(moved: Graphs) -> Graphs:
    """Return graphs to keep on disk, where indicators take a quarter of the room."""
    x = moved.x if bool(((moved.x != 0) & (moved.x != 1)).any()) else moved.x.byte()
    return moved.replace(x=x)


def _bytes(graphs: Graphs) -> int:
    attributes = (graphs.node_attrs, graphs.edge_attrs, graphs.graph_attrs)
    tensors = [graphs.x, graphs.adj.column, graphs.adj.weight]
    tensors += [values for each in attributes for values in each.values()]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
