"""Small datasets as people have them: rings and stars, in six kinds of files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import networkx as nx
import numpy as np
import torch
from torch_geometric.utils import from_networkx

GRAPHS = 24
NODES = 9
"""Of graphs in matrices, in which all have the same."""


def kinds() -> list[str]:
    return ["ring" if place % 2 else "star" for place in range(GRAPHS)]


def graphs(size: int | None = None) -> list[nx.Graph]:
    """Rings and stars by turns, of different sizes unless one is given, with masses of nodes."""
    found = []
    for place, kind in enumerate(kinds()):
        n = size or 4 + place % 5
        graph = nx.cycle_graph(n) if kind == "ring" else nx.star_graph(n - 1)
        for node, data in graph.nodes(data=True):
            data["mass"] = 0.5 + (node + place) % 3
        found.append(graph)
    return found


def write_rows(path: Path, *rows: Sequence[object]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def molecules(folder: Path, known: bool = True) -> Path:
    """Rings and chains of carbon with a column of names, which is kept."""
    rows: list[Sequence[object]] = [("name", "smiles", "kind")[: 2 + known]]
    for place, kind in enumerate(kinds()):
        chain = "C" * (3 + place % 5)
        smiles = f"C1{chain}C1" if kind == "ring" else f"{chain}O"
        rows.append((f"m{place}", smiles, kind)[: 2 + known])
    write_rows(folder / "molecules.csv", *rows)
    return folder / "molecules.csv"


def graphml(folder: Path, known: bool = True) -> Path:
    for place, graph in enumerate(graphs()):
        nx.write_graphml(graph, folder / f"g{place:02}.graphml")
    if known:
        rows = [(f"g{place:02}", kind) for place, kind in enumerate(kinds())]
        write_rows(folder / "labels.csv", ("file", "kind"), *rows)
    return folder


def edge_list(folder: Path, known: bool = True) -> Path:
    edges = [(f"g{i}", u, v) for i, graph in enumerate(graphs()) for u, v in graph.edges()]
    masses = [graph.nodes("mass") for graph in graphs()]
    nodes = [(f"g{i}", *each) for i, found in enumerate(masses) for each in found]
    write_rows(folder / "edges.csv", ("graph", "source", "target"), *edges)
    write_rows(folder / "nodes.csv", ("graph", "node", "mass"), *nodes)
    rows = [(f"g{i}", kind)[: 1 + known] for i, kind in enumerate(kinds())]
    write_rows(folder / "graphs.csv", ("graph", "kind")[: 1 + known], *rows)
    return folder


def matrices(folder: Path, known: bool = True) -> Path:
    """Weights of both signs, as correlations have them."""
    random = np.random.default_rng(0)
    stack = np.stack([nx.to_numpy_array(graph) for graph in graphs(NODES)])
    noise = random.normal(scale=0.1, size=stack.shape)
    arrays = {"matrices": stack + noise + noise.transpose(0, 2, 1)}
    np.savez(folder / "subjects.npz", **arrays, **({"y": np.array(kinds())} if known else {}))
    return folder / "subjects.npz"


def saved_list(folder: Path, known: bool = True) -> Path:
    found = []
    for graph, kind in zip(graphs(), kinds(), strict=True):
        data = from_networkx(graph, group_node_attrs=["mass"])
        data.y = torch.tensor([int(kind == "ring")]) if known else None
        found.append(data)
    torch.save(found, folder / "graphs.pt")
    return folder / "graphs.pt"


def tu(folder: Path, known: bool = True) -> Path:
    """Class numbers are -1 and 1, as some publishers have them; a TU set always has classes."""
    folder = folder / "OWN"
    folder.mkdir()
    whole = nx.disjoint_union_all(graphs())
    parts = {
        "A": [f"{a + 1}, {b + 1}" for u, v in whole.edges() for a, b in ((u, v), (v, u))],
        "graph_indicator": [i + 1 for i, graph in enumerate(graphs()) for _ in graph],
        "graph_labels": [1 if kind == "ring" else -1 for kind in kinds()],
        "node_attributes": [mass for _, mass in whole.nodes("mass")],
    }
    for part, rows in parts.items():
        (folder / f"OWN_{part}.txt").write_text("\n".join(map(str, rows)))
    return folder


KINDS: dict[str, Callable[[Path, bool], Path]] = {
    "molecules": molecules,
    "graphml": graphml,
    "edge-list": edge_list,
    "matrices": matrices,
    "saved-list": saved_list,
    "tu": tu,
}
