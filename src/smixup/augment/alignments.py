"""Alignments computed once: the matcher is frozen while the classifier trains, so that G2' of a
pair never changes. They are kept in memory, or on disk where the training set is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sized
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.files import TemporaryFolder
from smixup.graphs import Graphs, PackedGraphs, PackedWriter, SparseOperator, open_packed
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

PAIRS_AT_ONCE = 512
TINY = torch.finfo(torch.float).tiny
PARTNER = "partner of a pair"
"""Under this name a partner stands beside attributes of users, on disk."""

Carry = Callable[[SparseOperator, Graphs, Graphs], Graphs]
"""From an assignment, G1 and G2 to G2'."""
Draw = Callable[[], Tensor]
"""Returns a partner for every training graph, `[G]`."""


@dataclass(frozen=True)
class Drawn:
    """A partner for each of B graphs.

    Attributes:
        moved: G2' of each pair, on the nodes of G1.
        pool: the graphs among which the partners are.
        partner: `[B]`, the place of each partner there.
    """

    moved: Graphs
    pool: Graphs | PackedGraphs
    partner: Tensor


class Partners(ABC):
    """K partners of each of G training graphs, in memory or on disk; pair `k * G + g` is graph g
    with its k-th partner.
    """

    stored: Sized
    train: Graphs | PackedGraphs

    @property
    def num_graphs(self) -> int:
        """Training graphs, G."""
        return len(self.train)

    @abstractmethod
    def attributes(self, kind: str) -> Collection[str]:
        """Return the names of the attributes of a kind that partners have, such as `node_attrs`."""

    def covers(self, batch: Graphs) -> bool:
        """Return whether the graphs of a batch are of the set, with no attributes that their
        partners have not.
        """
        return self.train.set_id == batch.set_id and all(
            name in self.attributes(kind) or not value.is_floating_point()
            for kind in ("edge_attrs", "node_attrs", "graph_attrs")
            for name, value in getattr(batch, kind).items()
        )

    def choose(self, ids: Tensor, generator: torch.Generator) -> Tensor:
        """Return the pair of one of K partners for every graph in `ids [B]`."""
        partners = len(self.stored) // self.num_graphs
        turn = torch.randint(partners, (ids.numel(),), generator=generator)
        return turn.to(ids.device) * self.num_graphs + ids


@dataclass(frozen=True)
class Alignments(Partners):
    """K partners of every training graph, already carried onto it.

    Attributes:
        stored: G2' of all pairs.
        train: the training graphs, G of them.
        partner: `[K * G]`, the number of each pair's second graph.
    """

    stored: Graphs
    train: Graphs
    partner: Tensor

    def attributes(self, kind: str) -> Collection[str]:
        names: Collection[str] = getattr(self.stored, kind)
        return names

    def draw(self, ids: Tensor, generator: torch.Generator) -> Drawn:
        """Return one of K partners for every graph in `ids [B]`."""
        pair = self.choose(ids, generator)
        return Drawn(self.stored[pair], self.train, self.partner[pair])

    def to(self, device: torch.device | str) -> Alignments:
        """Move what is drawn to `device`; the training graphs stay."""
        return replace(self, stored=self.stored.to(device), partner=self.partner.to(device))

    @property
    def num_bytes(self) -> int:
        """What the stored graphs take."""
        return _bytes(self.stored)


@dataclass(frozen=True, eq=False)
class PackedAlignments(Partners):
    """K partners of every training graph, carried onto it and written to disk.

    Attributes:
        stored: G2' of all pairs.
        train: the training graphs, G of them, on disk.
        folder: holds the files, and is removed when nobody asks for them any more.
    """

    stored: PackedGraphs
    train: PackedGraphs
    folder: TemporaryFolder | None

    def attributes(self, kind: str) -> Collection[str]:
        names: Collection[str] = self.stored.columns.manifest[kind]
        return names

    def draw(self, ids: Tensor, generator: torch.Generator) -> Drawn:
        """Read one of K partners for every graph in `ids [B]`."""
        moved = self.stored[self.choose(ids.cpu(), generator)].floating()
        own = {name: value for name, value in moved.graph_attrs.items() if name != PARTNER}
        return Drawn(moved.replace(graph_attrs=own), self.train, moved.graph_attrs[PARTNER])

    def to(self, device: torch.device | str) -> PackedAlignments:
        """Return them so that what is drawn goes to `device`."""
        return replace(self, stored=self.stored.to(device))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"folder": None}  # it stays with the process that made it


def align(
    graphs: Graphs,
    matcher: Matcher,
    partner: Tensor,
    carry: Carry,
    threshold: float,
    memory: int,
    report: Report = silent,
) -> Alignments:
    """Match every graph with its partners and keep the transformed graphs, as many as fit.

    Args:
        graphs: the training split, G graphs.
        matcher: fitted.
        partner: `[K * G]`, entry `k * G + g` is the k-th partner of graph g.
        carry: makes G2' from an assignment.
        threshold: weights of A2' below this share of a typical weight are left out.
        memory: bytes that may be kept; if one partner per graph needs more, an error says what to
            do.
        report: told after every few hundred pairs.
    """
    report(Progress("aligning", 0, partner.numel(), unit="pairs"))
    require_numbered(graphs)
    parts: list[Graphs] = []
    room, undirected = memory, graphs.adj.symmetric
    threshold = threshold * typical_weight(graphs)
    for M, left, right, done in _matched(graphs, matcher, partner):
        moved = compact(carry(M, left, right), threshold, undirected)
        room -= _bytes(moved)
        if room < 0:
            break
        parts.append(moved)
        report(Progress("aligning", done, partner.numel(), unit="pairs"))
    pairs = sum(map(len, parts))
    rounds = pairs // len(graphs)
    if rounds == 0:
        raise SmixupError(
            f"the alignments of {len(graphs)} pairs need more than {memory // 2**20} MB: raise "
            "`threshold`, or pair afresh in every batch with partners=None."
        )
    if room < 0:  # fewer were kept than wished for
        report(Progress("aligning", pairs, pairs, unit="pairs"))
    kept = slice(rounds * len(graphs))
    return Alignments(Graphs.cat(parts)[kept], graphs, partner.to(graphs.device)[kept])


def align_packed(
    graphs: PackedGraphs,
    matcher: Matcher,
    draw: Draw,
    partners: int,
    tries: int,
    carry: Carry,
    threshold: float,
    report: Report = silent,
) -> PackedAlignments:
    """Match every graph with its partners, a few hundred pairs at a time, and write the transformed
    graphs to a temporary folder. For each of K partners, `tries` are drawn and aligned; the one at
    the least cost is kept.
    """
    total, done = partners * len(graphs), 0
    report(Progress("aligning", 0, total, unit="pairs"))
    require_numbered(graphs)
    folder = TemporaryFolder("smixup-alignments-")
    path, small = folder.path / "pairs", threshold * typical_weight(graphs)
    with PackedWriter(path, indicators_in_bytes=True) as writer:
        for _ in range(partners):
            candidates = torch.stack([draw().cpu() for _ in range(tries)])
            for place in torch.arange(len(graphs)).split(PAIRS_AT_ONCE):
                best = _cheapest(graphs, matcher, place, candidates[:, place], carry)
                moved = compact(best[0], small, graphs.symmetric)
                own = {**moved.graph_attrs, PARTNER: best[1]}
                writer.add(moved.replace(graph_attrs=own, degree_encoding=None))
                done += len(place)
                report(Progress("aligning", done, total, unit="pairs"))
    return PackedAlignments(open_packed(path), graphs, folder)


def _cheapest(
    graphs: PackedGraphs, matcher: Matcher, place: Tensor, candidates: Tensor, carry: Carry
) -> tuple[Graphs, Tensor]:
    """Return G2' of the graphs at `place [b]`, each with the one of its candidates `[R, b]` that
    aligns at the least cost, and which these are `[b]`.
    """
    moved = [_aligned(graphs, matcher, place, partner, carry) for partner in candidates]
    if len(moved) == 1:
        return moved[0], candidates[0]
    left = graphs[place]
    best = torch.stack([aligned_cost(left, each).cpu() for each in moved]).argmin(0)
    pairs = best * place.numel() + torch.arange(place.numel())
    return Graphs.cat(moved)[pairs], candidates.flatten()[pairs]


def _aligned(graphs: PackedGraphs, matcher: Matcher, i: Tensor, j: Tensor, carry: Carry) -> Graphs:
    both = graphs[torch.cat([i, j])]
    first, second = torch.arange(2 * i.numel(), device=both.device).split(i.numel())
    M = matcher.assign(matcher.prepare(both), first, second)
    return carry(M, both[first], both[second])


def require_numbered(graphs: Graphs | PackedGraphs) -> None:
    """Refuse graphs whose numbers are not their places."""
    if not torch.equal(graphs.ids.cpu(), torch.arange(len(graphs))):
        raise SmixupError(
            "alignments are kept by the numbers of graphs, and these are a part of another set: "
            "number them anew, graphs.renumbered()."
        )


def cheapest(
    graphs: Graphs,
    matcher: Matcher,
    candidates: Tensor,
    keep: int,
    carry: Carry,
    report: Report = silent,
) -> Tensor:
    """Return those `keep` of each graph's candidates that align at the least cost, `[keep * G]`;
    entry `r * G + g` of `candidates [R * G]` is a candidate of graph g.
    """
    report(Progress("choosing partners", 0, candidates.numel(), unit="pairs"))
    costs = []
    for M, left, right, done in _matched(graphs, matcher, candidates):
        costs.append(aligned_cost(left, carry(M, left, right)).cpu())
        report(Progress("choosing partners", done, candidates.numel(), unit="pairs"))
    best = torch.cat(costs).view(-1, len(graphs)).argsort(dim=0, stable=True)[:keep]
    return candidates.view(-1, len(graphs)).gather(0, best.to(candidates.device)).flatten()


def aligned_cost(left: Graphs, moved: Graphs) -> Tensor:
    """Return how far G1 and G2' are apart node by node, `[B]`, zero if they are the same graph.

    |A1 - A2'|^2 / (|A1| |A2'|)  +  |X1 - X2'|^2 / (|X1| |X2'|)
    """
    A1, A2 = left.adj.merged(), moved.adj.merged()
    edges = _apart(
        left.totals(A1.weight.square(), A1.row),
        left.totals(A2.weight.square(), A2.row),
        left.totals(A1.weight * A2.values_at(A1), A1.row),
    )
    x1, x2 = left.x.float(), moved.x.float()
    squares = (x1.square(), x2.square(), x1 * x2)
    return edges + _apart(*(left.totals(square.sum(1)) for square in squares))


def _apart(own: Tensor, other: Tensor, common: Tensor) -> Tensor:
    """Return `|a - b|^2 / (|a| |b|)` from `|a|^2`, `|b|^2` and `<a, b>`; zero for `0 / 0`."""
    square = (own + other - 2 * common).clamp(min=0)
    return torch.where(square > 0, square / (own * other).sqrt().clamp(min=TINY), 0.0)


def typical_weight(graphs: Graphs | PackedGraphs) -> float:
    """Return the mean size of the weights, one where there are no edges."""
    if isinstance(graphs, PackedGraphs):
        return graphs.typical_weight()
    weight = graphs.adj.weight
    return float(weight.abs().mean()) if weight.numel() else 1.0


def _matched(
    graphs: Graphs, matcher: Matcher, partner: Tensor
) -> Iterator[tuple[SparseOperator, Graphs, Graphs, int]]:
    """Yield M, G1 and G2 of a few hundred pairs at a time, and how many pairs were yielded."""
    prepared = matcher.prepare(graphs)
    every = torch.arange(len(graphs), device=graphs.device)
    left, right = every.repeat(partner.numel() // len(graphs)), partner.to(graphs.device)
    for pairs in torch.arange(left.numel(), device=graphs.device).split(PAIRS_AT_ONCE):
        i, j = left[pairs], right[pairs]
        yield matcher.assign(prepared, i, j), graphs[i], graphs[j], int(pairs[-1]) + 1


def compact(moved: Graphs, threshold: float, undirected: bool) -> Graphs:
    """Return transformed graphs as they are kept: sparse, and without what hardly weighs."""
    adj = moved.adj.symmetrised() if undirected else moved.adj
    return moved.with_adj(adj.without_small(threshold))


def _bytes(graphs: Graphs) -> int:
    attributes = (graphs.node_attrs, graphs.edge_attrs, graphs.graph_attrs)
    tensors = [graphs.x, graphs.adj.column, graphs.adj.weight]
    tensors += [values for each in attributes for values in each.values()]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
