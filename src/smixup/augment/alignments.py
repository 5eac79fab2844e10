"""Alignments computed once: the matcher is frozen while the classifier trains, so that G2' of a
pair never changes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence, Sized
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, Operator, PackedGraphs
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

PAIRS_AT_ONCE = 512
TINY = torch.finfo(torch.float).tiny


@dataclass(frozen=True)
class Aligned:
    """G2' of B pairs, and what is known of each pair.

    Attributes:
        graphs: G2', on the nodes of G1.
        distortion: how far each is from G2, `[B]`.
        arrived: the share of the way from G1 to G2 on which it lies, `[B]`.
    """

    graphs: Graphs
    distortion: Tensor
    arrived: Tensor

    def __getitem__(self, index: Tensor | slice) -> Aligned:
        return Aligned(self.graphs[index], self.distortion[index], self.arrived[index])

    def __len__(self) -> int:
        return len(self.graphs)

    @staticmethod
    def cat(parts: Sequence[Aligned]) -> Aligned:
        """Put pairs behind one another."""
        numbers = (
            torch.cat([getattr(part, name) for part in parts]) for name in ("distortion", "arrived")
        )
        return Aligned(Graphs.cat([part.graphs for part in parts]), *numbers)

    def to(self, device: torch.device | str) -> Aligned:
        """Move everything to `device`."""
        return Aligned(self.graphs.to(device), self.distortion.to(device), self.arrived.to(device))


@dataclass(frozen=True)
class Drawn:
    """A partner for each of B graphs.

    Attributes:
        aligned: G2' of each pair.
        pool: the graphs among which the partners are.
        partner: `[B]`, the place of each partner there.
    """

    aligned: Aligned
    pool: Graphs | PackedGraphs
    partner: Tensor


Align = Callable[[Operator, Graphs, Graphs], Aligned]
"""From an assignment, G1 and G2 to G2' and what is known of it."""


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

    @property
    def set_id(self) -> str:
        """Of the training graphs, whose numbers are meant."""
        return self.train.set_id

    @abstractmethod
    def attributes(self, kind: str) -> Collection[str]:
        """Return the names of the attributes of a kind that partners have, `node_attrs` for
        instance.
        """

    def covers(self, batch: Graphs) -> bool:
        """Return whether the graphs of a batch are of the set, with no attributes that their
        partners have not.
        """
        return self.set_id == batch.set_id and all(
            name in self.attributes(kind) or not is_mixed(value)
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
        stored: of all pairs.
        train: the training graphs, G of them.
        partner: `[K * G]`, the number of each pair's second graph.
    """

    stored: Aligned
    train: Graphs
    partner: Tensor

    def attributes(self, kind: str) -> Collection[str]:
        names: Collection[str] = getattr(self.stored.graphs, kind)
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
        return _bytes(self.stored.graphs)


def align(
    graphs: Graphs,
    matcher: Matcher,
    partner: Tensor,
    carry: Align,
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
    parts: list[Aligned] = []
    room, undirected = memory, graphs.adj.to_sparse().symmetric
    threshold = threshold * typical_weight(graphs)
    for M, left, right, done in _matched(graphs, matcher, partner):
        found = carry(M, left, right)
        found = replace(found, graphs=compact(found.graphs, threshold, undirected))
        room -= _bytes(found.graphs)
        if room < 0:
            break
        parts.append(found)
        report(Progress("aligning", done, partner.numel(), unit="pairs"))
    rounds = sum(map(len, parts)) // len(graphs)
    if rounds == 0:
        raise SmixupError(
            f"the alignments of {len(graphs)} pairs need more than {memory // 2**20} MB: raise "
            "`threshold`, or pair afresh in every batch with partners=None."
        )
    if room < 0:  # fewer were kept than wished for
        pairs = sum(map(len, parts))
        report(Progress("aligning", pairs, pairs, unit="pairs"))
    kept = slice(rounds * len(graphs))
    return Alignments(Aligned.cat(parts)[kept], graphs, partner.to(graphs.device)[kept])


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
    carry: Align,
    report: Report = silent,
) -> Tensor:
    """Return the `keep` of each graph's candidates that align at the least cost, `[keep * G]`.

    Args:
        graphs: the training split, G graphs.
        matcher: fitted.
        candidates: `[R * G]`, entry `r * G + g` is a candidate of graph g.
        keep: partners to keep of R.
        carry: makes G2' from an assignment.
        report: told after every few hundred pairs.
    """
    report(Progress("choosing partners", 0, candidates.numel(), unit="pairs"))
    costs = []
    for M, left, right, done in _matched(graphs, matcher, candidates):
        costs.append(aligned_cost(left, carry(M, left, right).graphs).cpu())
        report(Progress("choosing partners", done, candidates.numel(), unit="pairs"))
    best = torch.cat(costs).view(-1, len(graphs)).argsort(dim=0, stable=True)[:keep]
    return candidates.view(-1, len(graphs)).gather(0, best.to(candidates.device)).flatten()


def aligned_cost(left: Graphs, moved: Graphs) -> Tensor:
    """Return how far G1 and G2' are apart node by node, `[B]`, zero if they are the same graph.

    |A1 - A2'|^2 / (|A1| |A2'|)  +  |X1 - X2'|^2 / (|X1| |X2'|)
    """
    A1, A2 = left.adj.to_sparse().merged(), moved.adj.to_sparse().merged()
    edges = _apart(
        left.totals(A1.weight.square(), A1.row),
        left.totals(A2.weight.square(), A2.row),
        left.totals(A1.weight * A2.values_at(A1), A1.row),
    )
    x1, x2 = left.x.float(), moved.x.float()
    squares = (x1.square(), x2.square(), x1 * x2)
    features = _apart(*(left.totals(each.sum(1)) for each in squares))
    return edges + features


def _apart(own: Tensor, other: Tensor, common: Tensor) -> Tensor:
    """Return `|a - b|^2 / (|a| |b|)` from `|a|^2`, `|b|^2` and `<a, b>`; zero for `0 / 0`."""
    square = (own + other - 2 * common).clamp(min=0)
    return torch.where(square > 0, square / (own * other).sqrt().clamp(min=TINY), 0.0)


def is_mixed(attribute: Tensor | tuple[Operator, ...]) -> bool:
    """Return whether an attribute of a mix comes from both graphs."""
    return not isinstance(attribute, Tensor) or attribute.is_floating_point()


def typical_weight(graphs: Graphs | PackedGraphs) -> float:
    """Return the mean size of the weights, one where there are no edges."""
    if isinstance(graphs, PackedGraphs):
        return graphs.typical_weight()
    weight = graphs.adj.to_sparse().weight
    return float(weight.abs().mean()) if weight.numel() else 1.0


def _matched(
    graphs: Graphs, matcher: Matcher, partner: Tensor
) -> Iterator[tuple[Operator, Graphs, Graphs, int]]:
    """Yield M, G1 and G2 of a few hundred pairs at a time, and how many pairs were yielded."""
    prepared = matcher.prepare(graphs)
    every = torch.arange(len(graphs), device=graphs.device)
    left, right = every.repeat(partner.numel() // len(graphs)), partner.to(graphs.device)
    for pairs in torch.arange(left.numel(), device=graphs.device).split(PAIRS_AT_ONCE):
        i, j = left[pairs], right[pairs]
        yield matcher.assign(prepared, i, j), graphs[i], graphs[j], int(pairs[-1]) + 1


def compact(aligned: Graphs, threshold: float, undirected: bool) -> Graphs:
    """Return transformed graphs as they are kept: sparse, and without what hardly weighs."""
    adj = aligned.adj.symmetrised() if undirected else aligned.adj
    return aligned.with_adj(adj.without_small(threshold).to_sparse())


def _bytes(graphs: Graphs) -> int:
    edges = (graphs.adj, *(each for columns in graphs.edge_attrs.values() for each in columns))
    sparse = [each.to_sparse() for each in edges]
    tensors = [graphs.x, *graphs.node_attrs.values(), *graphs.graph_attrs.values()]
    tensors += [tensor for each in sparse for tensor in (each.column, each.weight)]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
