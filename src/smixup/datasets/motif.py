"""MOTIF (Sec. 5.1): synthetic graphs whose label is the motif they contain."""

from __future__ import annotations

from functools import cache
from itertools import chain

import networkx as nx
import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.datasets.graph_generator import TreeGraph
from torch_geometric.datasets.motif_generator import CycleMotif, HouseMotif
from torch_geometric.utils import from_networkx

from smixup.datasets.base import Dataset
from smixup.datasets.readers.assembly import graphs_of
from smixup.errors import unknown_name
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets
from smixup.seeding import generator
from smixup.settings import Count, Natural, Share, require_ranges

CLASSES = ("cycle", "house", "crane")
FEATURES = ("constant", "degree")


def motif_dataset(
    num_graphs: Count = 1000,
    label_noise: Share = 0.0,
    features: str = "constant",
    seed: Natural = 0,
) -> Dataset:
    """Generate MOTIF: a base (tree, ladder, wheel) and a motif (cycle, house, crane), joined by one
    random edge. The motif is the label and tells nothing of the base; classes are balanced.

    Sizes of bases follow the training graphs of DIR's Spurious-Motif: trees of 2 or 3 branches and
    height 0 to 2, ladders of 8 to 11 rungs, wheels of 15 to 19 nodes.

    Args:
        num_graphs: how many. The paper does not say; a thousand is the size of its smallest real
            set, leaves a hundred graphs to test on, and trains in seconds.
        label_noise: probability that a label is replaced by one drawn uniformly from all classes,
            as in GOOD-Motif.
        features: `constant`, a one on every node, or `degree`, none here, so that degrees are
            encoded after the split.
        seed: of the generator.
    """
    require_ranges(motif_dataset, locals())
    if features not in FEATURES:
        raise unknown_name("features for MOTIF", features, FEATURES)
    random = generator(seed, "motif")
    labels = (torch.arange(num_graphs) % len(CLASSES))[torch.randperm(num_graphs, generator=random)]
    graphs = _joined(labels, random)
    ones = torch.ones(graphs.num_nodes, 1, dtype=torch.uint8)
    noise = generator(seed, "motif label noise")
    wrong = torch.rand(num_graphs, generator=noise) < label_noise
    drawn = torch.randint(len(CLASSES), (num_graphs,), generator=noise)
    y = F.one_hot(torch.where(wrong, drawn, labels), len(CLASSES)).float()
    x = ones if features == "constant" else graphs.x
    return Dataset("MOTIF", graphs.replace(x=x, y=y, has_classes=True))


@cache
def _shapes() -> tuple[Graphs, Tensor]:
    """Return the bases of every kind and then the motifs, and how many bases each kind has."""
    trees = [TreeGraph(height, branch, undirected=True)() for branch in (2, 3) for height in (1, 2)]
    point = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=1)
    ladders = [from_networkx(nx.ladder_graph(rungs)) for rungs in range(8, 12)]
    wheels = [from_networkx(nx.wheel_graph(nodes)) for nodes in range(15, 20)]
    crane = from_networkx(nx.complete_bipartite_graph(2, 3))
    bases = [point, *trees[:2], point, *trees[2:]], ladders, wheels
    shapes = [*chain(*bases), CycleMotif(5)(), HouseMotif()(), crane]
    ptr = offsets(torch.tensor([shape.num_nodes for shape in shapes]))
    edges = [shape.edge_index + first for shape, first in zip(shapes, ptr[:-1], strict=True)]
    graphs = graphs_of(ptr, torch.zeros(int(ptr[-1]), 0), torch.cat(edges, 1))
    return graphs, torch.tensor([len(kind) for kind in bases])


def _joined(motif: Tensor, random: torch.Generator) -> Graphs:
    """Join a random base and the i-th motif by an edge between random nodes of theirs."""
    shapes, counts = _shapes()
    kind = torch.randint(len(counts), motif.shape, generator=random)
    base = offsets(counts)[kind] + _below(counts[kind], random)
    parts = shapes[torch.stack([base, counts.sum() + motif], 1).flatten()]
    sizes, begins = parts.sizes.view(-1, 2), parts.ptr[:-1].view(-1, 2)
    bridge = torch.stack([begins[:, side] + _below(sizes[:, side], random) for side in (0, 1)])
    edge_index = torch.cat([parts.adj.edges()[0], bridge, bridge.flip(0)], 1)
    graphs = graphs_of(parts.ptr[::2], parts.x, edge_index)
    return graphs.replace(node_attrs={"motif": parts.batch % 2 == 1})


def _below(limits: Tensor, random: torch.Generator) -> Tensor:
    """Draw an integer from `0..limit - 1` for every limit."""
    drawn = torch.rand(limits.numel(), generator=random, dtype=torch.float64)
    return torch.minimum((drawn * limits).long(), limits - 1)
