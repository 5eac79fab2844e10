"""Which nodes and edges a prediction rests on: each is taken away, and the model is asked again.

Leaving out is slower than a gradient and means something: the number of a node is by how much the
output falls without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs

Answer = Callable[[Graphs], Tensor]  # returns the outputs `[B, C]` of a batch

NODES_PER_BATCH = 8192
MOST_NODES = 5000


@dataclass(frozen=True)
class Explanation:
    """What the output for one graph rests on.

    Attributes:
        column: which output, counted from 0.
        output: the model's answer, in that column, before any softmax.
        nodes: `[n]`, by how much the output falls if a node and its edges are taken away; below
            zero where it rises.
        edges: `[2, m]`, the edges, each once.
        edge_scores: `[m]`, by how much the output falls without each of them, in both directions.
    """

    column: int
    output: float
    nodes: Tensor
    edges: Tensor
    edge_scores: Tensor


@torch.no_grad()
def explain(model: Answer, graph: Graphs, column: int | None = None) -> Explanation:
    """Explain the output of a model for one graph. Features of the nodes that stay are left as
    they are, also where they were made from degrees.

    Example::

        explanation = explain(model.eval(), graphs[[7]])
        explanation.nodes.topk(5).indices       # the five nodes that matter most

    Args:
        model: returns outputs; in evaluation mode, so that batch norm does not look at the batch.
        graph: one graph, with the features that the model was trained on.
        column: the output to explain; the largest one if None.
    """
    if len(graph) != 1:
        raise SmixupError(f"one graph is explained at a time, but {len(graph)} were given.")
    if not 2 <= graph.num_nodes <= MOST_NODES:
        raise SmixupError(
            f"the graph has {graph.num_nodes} nodes, of which each would be taken away in turn: "
            f"explain graphs of 2 to {MOST_NODES} nodes."
        )
    graph = graph.floating()
    whole = model(graph)[0]
    chosen = int(whole.argmax()) if column is None else column
    pairs, _ = graph.adj.edges()
    low, high = pairs.min(0).values, pairs.max(0).values
    edges = torch.stack([low, high])[:, low < high].unique(dim=1)  # loops are none here
    nodes = torch.arange(graph.num_nodes, device=graph.device)
    without_nodes = (graph.subgraph(nodes != node) for node in range(graph.num_nodes))
    without_edges = (_without_edge(graph, edge) for edge in edges.T)
    output = whole[chosen]
    return Explanation(
        chosen,
        float(output),
        output - _answers(model, without_nodes, graph.num_nodes, chosen),
        edges,
        output - _answers(model, without_edges, graph.num_nodes, chosen),
    )


def _answers(model: Answer, graphs: Iterator[Graphs], num_nodes: int, column: int) -> Tensor:
    """Ask the model of many small changes of one graph, many at a time."""
    size, answers = max(NODES_PER_BATCH // max(num_nodes, 1), 1), [torch.zeros(0)]
    while part := list(islice(graphs, size)):
        answers.append(model(Graphs.cat(part))[:, column])
    return torch.cat(answers)


def _without_edge(graph: Graphs, edge: Tensor) -> Graphs:
    pairs, _ = graph.adj.edges()
    gone = (pairs == edge.unsqueeze(1)).all(0) | (pairs == edge.flip(0).unsqueeze(1)).all(0)
    return graph.with_adj(graph.adj.mask_entries(~gone))
