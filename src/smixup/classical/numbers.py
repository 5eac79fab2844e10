"""A graph as a row of numbers: its size, degrees and triangles, statistics of its features, and how
often each kind of neighbourhood occurs.
"""

from __future__ import annotations

from typing import Self

import torch
from scipy.sparse import csr_array
from torch import Tensor

from smixup.classical.base import Learnt
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.content import scrambled
from smixup.graphs.ragged import ranks

MOST_COLOURS = 512
MOST_PAIRS = 20_000
"""Of columns that a row has at most, for kinds of neighbourhoods and for pairs of nodes."""
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


SIZES = (
    *("nodes", "edges", "density", "triangles", "mean degree", "deviation of degrees"),
    *(f"degree at {100 * q:.0f} %" for q in QUARTERS),
    *("mean weight", "deviation of weights"),
)


class GraphNumbers(Learnt):
    """Numbers of graphs, the same columns for all of them once `learn` has seen the training
    graphs.

    Example::

        numbers = GraphNumbers(train.num_features).learn(train)
        rows = numbers(graphs)              # [G, F]
        numbers.names[:3]                   # "nodes", "edges", "density"

    Columns: nodes, edges, density, triangles, mean and deviation of degrees and their quartiles;
    of weights, mean and deviation; of indicators (one-hot columns) how often they hold, of other
    features of nodes and edges mean, deviation, least and greatest; and of neighbourhoods (the
    label of a node and of those around it) how many there are of each kind that two training graphs
    at least have. Where all graphs have the same number of nodes and are dense,
    as correlation matrices are, also the weight of every pair of nodes.
    """

    indicator: Tensor
    edge_indicator: Tensor
    colours: Tensor
    nodes: Tensor

    def __init__(self, num_features: int, num_edge_features: int = 0) -> None:
        super().__init__()
        self.hold(
            indicator=torch.zeros(num_features, dtype=torch.bool),
            edge_indicator=torch.zeros(num_edge_features, dtype=torch.bool),
            colours=torch.zeros(0, dtype=torch.long),
            nodes=torch.zeros((), dtype=torch.long),
        )

    def learn(self, train: Graphs) -> Self:
        """Decide on the columns."""
        e = train.edge_features()[1] if train.num_edge_features else train.x.new_zeros(0, 0)
        self.hold(indicator=_are_indicators(train.x), edge_indicator=_are_indicators(e))
        graph_and_colour = torch.cat(
            [torch.stack([train.batch, colour], 1) for colour in self.kinds(train)]
        )
        colours, graphs = graph_and_colour.unique(dim=0)[:, 1].unique(return_counts=True)
        frequent = graphs.argsort(descending=True, stable=True)[:MOST_COLOURS]
        colours = colours[frequent][graphs[frequent] > 1].sort().values
        size = int(train.sizes[0]) if len(train) and len(train.sizes.unique()) == 1 else 0
        dense = train.adj.column.numel() > 0.5 * size * (size - 1) * len(train)
        pairs = size * (size - 1) // 2 <= MOST_PAIRS and dense
        self.hold(colours=colours, nodes=torch.tensor(size if pairs else 0))
        return self

    def kinds(self, graphs: Graphs) -> list[Tensor]:
        """Return what is counted: degrees, and neighbourhoods by degrees and by labels."""
        by_degree = self.refined(graphs, _degrees(graphs), 1)
        return by_degree + (self.neighbourhoods(graphs, 1)[1:] if self.indicator.any() else [])

    def neighbourhoods(self, graphs: Graphs, rounds: int) -> list[Tensor]:
        """Return a number for every node `[n]`, the same where all its indicators are (or its
        degree, where there are none), and those after one, two, ... rounds of refinement.
        """
        if not self.indicator.any():
            return self.refined(graphs, _degrees(graphs), rounds)
        return self.refined(graphs, _rows(graphs.x[:, self.indicator]), rounds)

    def refined(self, graphs: Graphs, colour: Tensor, rounds: int) -> list[Tensor]:
        """Return numbers of nodes after none, one, ... rounds of colour refinement (Weisfeiler and
        Leman 1968): nodes have the same if they look alike so many steps far, and hardly else.
        Indicators of edges count, their weights do not.
        """
        adj, kinds = graphs.adj, torch.zeros((), dtype=torch.long)
        if self.edge_indicator.any():
            kinds = _rows(graphs.edge_features()[1][:, self.edge_indicator])
        colours = [colour]
        for _ in range(rounds):
            seen = scrambled(colours[-1][adj.column] + kinds)
            # Sums that overflow are sums all the same: the order of neighbours does not matter.
            around = torch.zeros_like(colour).index_add_(0, adj.row, seen)
            colours.append(scrambled(colours[-1] + around))
        return colours

    @property
    def names(self) -> list[str]:
        """What each column is."""
        names = [*SIZES]
        for what, indicator in (("node", self.indicator), ("edge", self.edge_indicator)):
            for place, is_indicator in enumerate(indicator.tolist()):
                feature = f"{what} feature {place}"
                statistics = ("mean", "deviation", "least", "greatest")
                names += [feature] if is_indicator else [f"{each} {feature}" for each in statistics]
        names += [f"neighbourhood {place}" for place in range(len(self.colours))]
        size = int(self.nodes)
        return names + [f"nodes {i} and {j}" for i in range(size) for j in range(i + 1, size)]

    @torch.no_grad()
    def forward(self, graphs: Graphs) -> Tensor:
        """Return the numbers `[G, F]`."""
        adj = graphs.adj
        row_graph = graphs.batch[adj.row]
        columns = [
            size_numbers(graphs),
            _summary(graphs.floating().x, graphs.batch, self.indicator, len(graphs)),
        ]
        if len(self.edge_indicator):
            e = graphs.edge_features()[1]
            columns.append(_summary(e, row_graph, self.edge_indicator, len(graphs)))
        if len(self.colours):
            columns.append(self._counts(graphs))
        if size := int(self.nodes):
            table = torch.zeros(len(graphs), size * size)
            first, same = graphs.ptr[row_graph], graphs.sizes[row_graph] == size
            place = (adj.row - first) * size + adj.column - first
            table[row_graph[same], place[same]] = adj.weight[same]  # of others they are not known
            columns.append(table[:, torch.triu(torch.ones(size, size), 1).flatten().bool()])
        return torch.cat(columns, 1)

    def _counts(self, graphs: Graphs) -> Tensor:
        counts = torch.zeros(len(graphs), len(self.colours))
        for colour in self.kinds(graphs):
            place = torch.searchsorted(self.colours, colour).clamp(max=len(self.colours) - 1)
            known = self.colours[place] == colour
            at = graphs.batch[known], place[known]
            counts.index_put_(at, torch.ones(len(at[0])), accumulate=True)
        return counts


@torch.no_grad()
def size_numbers(graphs: Graphs) -> Tensor:
    """Return numbers that need no features, `[G, 13]`: those of `SIZES`."""
    sizes, number = graphs.sizes.float(), len(graphs)
    adj = graphs.adj.mask_entries(graphs.adj.weight != 0)
    degree = adj.row_ptr.diff().float()
    edges = graphs.totals(degree) / 2
    density = 2 * edges / (sizes * (sizes - 1)).clamp(min=1)
    of_degrees = _moments(degree.unsqueeze(1), graphs.batch, number)[:, :2]
    of_weights = _moments(adj.weight.unsqueeze(1), graphs.batch[adj.row], number)[:, :2]
    first = torch.stack([sizes, edges, density, _triangles(graphs, adj)], 1)
    return torch.cat([first, of_degrees, _quantiles(graphs, degree), of_weights], 1)


def _degrees(graphs: Graphs) -> Tensor:
    return scrambled(graphs.adj.row_ptr.diff())


def _rows(indicators: Tensor) -> Tensor:
    """Return a number for every row of indicators `[n]`."""
    factors = scrambled(torch.arange(1, indicators.size(1) + 1))
    return scrambled((indicators.long() * factors).sum(1))


def _are_indicators(x: Tensor) -> Tensor:
    """Tell which columns hold zeros and ones alone `[d]`."""
    return ((x == 0) | (x == 1)).all(0)


def _summary(x: Tensor, of: Tensor, indicator: Tensor, number: int) -> Tensor:
    """Return totals of indicators, and moments and bounds of other columns, column by column."""
    totals = x.new_zeros(number, x.size(1)).index_add_(0, of, x)
    moments = _moments(x, of, number).view(number, 4, -1)
    parts = [
        totals[:, [place]] if is_indicator else moments[:, :, place]
        for place, is_indicator in enumerate(indicator.tolist())
    ]
    return torch.cat(parts, 1) if parts else x.new_zeros(number, 0)


def _moments(x: Tensor, of: Tensor, number: int) -> Tensor:
    """Return mean, deviation, least and greatest of every column, `[G, 4 d]`; zeros of nothing."""
    counts = of.bincount(minlength=number).clamp(min=1).unsqueeze(1)
    nothing = x.new_zeros(number, x.size(1))
    mean = nothing.index_add(0, of, x) / counts
    deviation = (nothing.index_add(0, of, (x - mean[of]).square()) / counts).sqrt()
    index = of.unsqueeze(1).expand_as(x)
    bounds = [
        nothing.scatter_reduce(0, index, x, how, include_self=False) for how in ("amin", "amax")
    ]
    return torch.cat([mean, deviation, *bounds], 1)


def _quantiles(graphs: Graphs, values: Tensor) -> Tensor:
    """Return quartiles of numbers of nodes, `[G, 5]`; zeros of an empty graph."""
    row = graphs.batch
    place = graphs.ptr[row] + ranks(graphs.ptr, values)
    ordered = torch.zeros(len(values) + 1).scatter(0, place, values)
    first, sizes = graphs.ptr[:-1], graphs.sizes
    at = [first + (q * (sizes - 1).clamp(min=0)).round().long() for q in QUARTERS]
    return torch.stack([torch.where(sizes > 0, ordered[each], 0.0) for each in at], 1)


def _triangles(graphs: Graphs, adj: SparseOperator) -> Tensor:
    """Count the triangles of each graph `[G]`."""
    adj = adj.without_loops()
    ones = torch.ones(adj.column.numel()).numpy()
    A = csr_array((ones, adj.column.numpy(), adj.row_ptr.numpy()), shape=adj.shape)
    return graphs.totals(torch.from_numpy((A @ A).multiply(A).sum(1)).float()) / 6
