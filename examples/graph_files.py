"""Graphs of your own in five forms: small files are made, read, and what was found is printed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data

from smixup import load_dataset, read_graphs
from smixup.datasets import Dataset


def rings_and_stars() -> list[nx.Graph]:
    """Return graphs of two kinds, with attributes of nodes and edges."""
    graphs = [nx.cycle_graph(size) for size in (4, 5, 6)] + [nx.star_graph(3), nx.star_graph(5)]
    for graph in graphs:
        for node, data in graph.nodes(data=True):
            data |= {"colour": "red" if node % 2 else "blue", "mass": 1.0 + node}
        for u, v, data in graph.edges(data=True):
            data |= {"weight": 0.5, "bond": "long" if abs(u - v) > 1 else "short"}
    return graphs


KINDS = ["ring"] * 3 + ["star"] * 2


def graphml(folder: Path) -> Dataset:
    """A folder of GraphML files beside a table of their classes."""
    folder.mkdir()
    for place, graph in enumerate(rings_and_stars()):
        nx.write_graphml(graph, folder / f"g{place}.graphml")
    rows = [f"g{place},{kind}\n" for place, kind in enumerate(KINDS)]
    (folder / "labels.csv").write_text("file,kind\n" + "".join(rows))
    return load_dataset(folder)


def edge_list(folder: Path) -> Dataset:
    """One table of the edges of all graphs beside a table of the graphs."""
    folder.mkdir()
    rows = [
        f"g{place},{u},{v},0.5\n"
        for place, graph in enumerate(rings_and_stars())
        for u, v in graph.edges()
    ]
    (folder / "edges.csv").write_text("graph,source,target,weight\n" + "".join(rows))
    rows = [f"g{place},{len(graph)}.0\n" for place, graph in enumerate(rings_and_stars())]
    (folder / "graphs.csv").write_text("graph,size\n" + "".join(rows))  # decimal points: values
    return load_dataset(folder)


def matrices(folder: Path) -> Dataset:
    """Correlations of eight regions in twenty subjects, of which the strongest fifth are edges."""
    folder.mkdir()
    signals = np.random.default_rng(0).normal(size=(20, 8, 50))
    stack = np.stack([np.corrcoef(each) for each in signals])
    np.savez(folder / "subjects.npz", matrices=stack, y=["patient", "control"] * 10)
    return load_dataset(folder / "subjects.npz", density=0.2)


def saved_list(folder: Path) -> Dataset:
    """A list of PyG graphs that torch saved, with two labels each, one of which is not known."""
    folder.mkdir()
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    labels = [[1.0, 0.0], [1.0, 1.0], [0.0, float("nan")]]
    graphs = [
        Data(x=torch.rand(3, 4), edge_index=edge_index, y=torch.tensor([row])) for row in labels
    ]
    torch.save(graphs, folder / "graphs.pt")
    return load_dataset(folder / "graphs.pt")


def in_python(_: Path) -> Dataset:
    """networkx graphs that are in memory, with a list of classes."""
    return read_graphs(rings_and_stars(), y=KINDS, ignore="mass")


def main() -> None:
    """Make, read, and tell."""
    with TemporaryDirectory() as top:
        for make in (graphml, edge_list, matrices, saved_list, in_python):
            found = make(Path(top, make.__name__))
            graphs, task = found.graphs, found.task
            edges = graphs.adj.column.numel()
            print(
                f"{make.__name__}: {len(graphs)} graphs, {graphs.num_nodes} nodes with "
                f"{graphs.num_features} features, {edges} entries of the adjacency, "
                f"{task.kind if task else 'no task'} {tuple(graphs.y.shape)}"
            )
            for note in found.notes:
                print(f"  {note}")


if __name__ == "__main__":
    main()
