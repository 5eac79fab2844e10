"""MOTIF (Sec. 5.1): synthetic graphs whose label is the motif they contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import networkx as nx
import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.datasets.graph_generator import TreeGraph
from torch_geometric.datasets.motif_generator import CustomMotif, CycleMotif, HouseMotif
from torch_geometric.utils import from_networkx

from smixup.datasets.base import Dataset
from smixup.datasets.readers.assembly import graphs_of
from smixup.errors import unknown_name
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets, ranges
from smixup.ranges import Count, Seed, Share, in_range
from smixup.seeding import generator

CLASSES = ("cycle", "house", "crane")
BASES = ("tree", "ladder", "wheel")
FEATURES = ("constant", "degree")


@in_range
def motif_dataset(
    num_graphs: Count = 1000,
    label_noise: Share = 0.0,
    features: str = "constant",
    seed: Seed = 0,
) -> Dataset:
    """Generate MOTIF: a base (tree, ladder, wheel) and a motif (cycle, house, crane), joined by one
    random edge.

    The motif is the label and tells nothing of the base: both are drawn independently. Classes are
    balanced.

    Args:
        num_graphs: how many. The paper does not say; a thousand is the size of its smallest real
            set, leaves a hundred graphs to test on, and trains in seconds.
        label_noise: probability that a label is replaced by one drawn uniformly from all classes,
            as in GOOD-Motif.
        features: `constant`, a one on every node, or `degree`, none here, so that degrees are
            encoded after the split.
        seed: of the generator.

    Note:
        Sizes of bases follow the training graphs of DIR's Spurious-Motif: trees of 2 or 3 branches
        and height 0 to 2, ladders of 8 to 11 rungs, wheels of 15 to 19 nodes.
    """
    if features not in FEATURES:
        raise unknown_name("features for MOTIF", features, FEATURES)
    random = generator(seed, "motif")
    labels = (torch.arange(num_graphs) % len(CLASSES))[torch.randperm(num_graphs, generator=random)]
    graphs = _assemble(_draw_bases(num_graphs, random), labels, random)
    ones = torch.ones(graphs.num_nodes, 1, dtype=torch.uint8)
    x = ones if features == "constant" else graphs.x
    noise = generator(seed, "motif label noise")
    wrong = torch.rand(num_graphs, generator=noise) < label_noise
    drawn = torch.randint(len(CLASSES), (num_graphs,), generator=noise)
    y = F.one_hot(torch.where(wrong, drawn, labels), len(CLASSES)).float()
    return Dataset("MOTIF", graphs.replace(x=x, y=y))


@dataclass(frozen=True)
class Shapes:
    """Small graphs to choose from: sizes `[k]`, all edges `[2, m]`, and `edge_ptr [k + 1]` into
    them.
    """

    sizes: Tensor
    edge_index: Tensor
    edge_ptr: Tensor

    @classmethod
    def of(cls, shapes: Sequence[Data]) -> Shapes:
        """Collect graphs; each must list its edges in both directions."""
        sizes = torch.tensor([shape.num_nodes for shape in shapes])
        edges = [shape.edge_index.view(2, -1).long() for shape in shapes]
        return cls(
            sizes, torch.cat(edges, 1), offsets(torch.tensor([part.size(1) for part in edges]))
        )

    def place(self, choice: Tensor, first: Tensor) -> Tensor:
        """Return the edges of the chosen shapes, the nodes of the i-th one counted from
        `first[i]`.
        """
        counts = self.edge_ptr.diff()[choice]
        entries = ranges(self.edge_ptr[choice], counts)
        return self.edge_index[:, entries] + first.repeat_interleave(counts)


@cache
def bases() -> tuple[list[Data], ...]:
    """Return the bases of every kind, in the order of `BASES`."""
    trees = [TreeGraph(height, branch, undirected=True)() for branch in (2, 3) for height in (1, 2)]
    point = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=1)
    ladders = [from_networkx(nx.ladder_graph(rungs)) for rungs in range(8, 12)]
    wheels = [from_networkx(nx.wheel_graph(nodes)) for nodes in range(15, 20)]
    return [point, *trees[:2], point, *trees[2:]], ladders, wheels


@cache
def motifs() -> list[Data]:
    """Return the motifs, five nodes each, in the order of `CLASSES`."""
    crane = CustomMotif(nx.complete_bipartite_graph(2, 3))
    return [CycleMotif(5)(), HouseMotif()(), crane()]


def _draw_bases(num_graphs: int, random: torch.Generator) -> Tensor:
    """Return a base for every graph, a position in the concatenation of `bases()`: first the kind,
    then its size.
    """
    counts = torch.tensor([len(kind) for kind in bases()])
    kind = torch.randint(len(BASES), (num_graphs,), generator=random)
    return offsets(counts)[kind] + _below(counts[kind], random)


def _assemble(base: Tensor, motif: Tensor, random: torch.Generator) -> Graphs:
    """Join the i-th base and the i-th motif by an edge between random nodes of theirs."""
    base_shapes = Shapes.of([shape for kind in bases() for shape in kind])
    motif_shapes = Shapes.of(motifs())
    base_size, motif_size = base_shapes.sizes[base], motif_shapes.sizes[motif]
    ptr = offsets(base_size + motif_size)
    first, middle = ptr[:-1], ptr[:-1] + base_size
    bridge = torch.stack([first + _below(base_size, random), middle + _below(motif_size, random)])
    parts = [
        base_shapes.place(base, first),
        motif_shapes.place(motif, middle),
        bridge,
        bridge.flip(0),
    ]
    edge_index, n = torch.cat(parts, 1), int(ptr[-1])
    mask = torch.zeros(n, dtype=torch.bool)
    mask[ranges(middle, motif_size)] = True
    y = F.one_hot(motif, len(CLASSES)).float()
    graphs = graphs_of(ptr, torch.zeros(n, 0), edge_index)
    return graphs.replace(y=y, has_classes=True, node_attrs={"motif": mask})


def _below(limits: Tensor, random: torch.Generator) -> Tensor:
    """Draw an integer from `0..limit - 1` for every limit."""
    drawn = torch.rand(limits.numel(), generator=random, dtype=torch.float64)
    return torch.minimum((drawn * limits).long(), limits - 1)
