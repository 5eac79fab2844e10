"""What a matcher is taught of a very large graph: a part of it.

Matching is learnt from neighbourhoods, of which a few thousand nodes hold plenty. A step on all of
a graph with fifty thousand nodes would take a minute.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order
from torch import Tensor

from smixup.graphs import Graphs

LARGEST = 2**12
"""Nodes of a graph up to which all of it is taught."""


def taught_parts(graphs: Graphs, generator: torch.Generator) -> Graphs:
    """Return the graphs, of each that has more than `LARGEST` nodes those around a random one."""
    large = (graphs.sizes > LARGEST).nonzero().squeeze(1).tolist()
    if not large:
        return graphs
    kept = torch.ones(graphs.num_nodes, dtype=torch.bool)
    for g in large:
        first, end = graphs.ptr[g : g + 2].tolist()
        kept[first:end] = False
        kept[first + surroundings(graphs[g : g + 1], LARGEST, generator)] = True
    return graphs.subgraph(kept.to(graphs.device)).replace(set_id=graphs.set_id)


def surroundings(graph: Graphs, number: int, generator: torch.Generator) -> Tensor:
    """Return so many nodes of one graph: a random one and those nearest to it, then those around
    another one if they were too few.
    """
    A = graph.adj.to_sparse().to("cpu")
    matrix = csr_matrix((np.ones(len(A.column)), A.column.numpy(), A.row_ptr.numpy()), A.shape)
    seen = np.zeros(graph.num_nodes, dtype=bool)
    found, count = list[np.ndarray](), 0
    for start in torch.randperm(graph.num_nodes, generator=generator).tolist():
        if count >= number:
            break
        if not seen[start]:
            order = breadth_first_order(matrix, start, directed=False, return_predecessors=False)
            seen[order] = True
            found.append(order[: number - count])
            count += len(found[-1])
    return torch.from_numpy(np.concatenate(found)).long()
