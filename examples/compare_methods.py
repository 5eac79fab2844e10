"""Does an augmentation help on graphs of your own? A verdict with its doubts, and what to train."""

from __future__ import annotations

import argparse

import networkx as nx
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

import smixup


def graphs(number: int) -> list[Data]:
    """Return random graphs of two kinds, small worlds and scale-free ones; one label in ten is
    wrong.
    """
    data = []
    for place in range(number):
        n, kind = 12 + place % 9, place % 2
        made = (
            nx.watts_strogatz_graph(n, 4, 0.9, place)
            if kind
            else nx.barabasi_albert_graph(n, 2, place)
        )
        label = 1 - kind if place % 10 < 1 else kind
        edge_index = from_networkx(made).edge_index
        data.append(Data(edge_index=edge_index, y=torch.tensor([label]), num_nodes=n))
    return data


def main() -> None:
    """Compare two methods with none, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=10, help="paired runs at most")
    parser.add_argument("--root", default=None, help="folder for runs and graphs")
    arguments = parser.parse_args()

    found = smixup.compare(
        graphs(arguments.graphs),
        ["drop-edge", "m-mixup"],
        seeds=arguments.seeds,
        budget="10m",
        root=arguments.root,
        epochs=arguments.epochs,
        learning_rate=0.01,
        batch_size=32,
    )
    print(found)
    print(f"recommended: {found.recommended}")


if __name__ == "__main__":
    main()
