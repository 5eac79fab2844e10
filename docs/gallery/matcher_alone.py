"""# A matcher by itself

A matcher needs no labels and no classifier. Here one learns from unlabelled graphs to find the
nodes of a graph in a shuffled copy that has lost some of its edges, and is then asked for the
correspondence of two graphs. The result is a tensor with a row for every node of the first graph
and a column for every node of the second.
"""

import torch

from smixup import GraphMatcher, load_dataset, silent, to_pyg
from smixup.app.pictures import style
from smixup.app.pictures.heat_map import draw_heat_map

graphs = to_pyg(load_dataset("MOTIF", num_graphs=80).graphs).to_data_list()
unlabelled, data = graphs[:79], graphs[79]

# %% Fit without labels
# `triplets=False` leaves out the part that learns which graphs are alike, for which it would need
# classes.

matcher = GraphMatcher(triplets=False, max_steps=40).fit(unlabelled, silent)

# %% Find a shuffled copy
# The copy has the same graph under other node numbers, so the right answer is known. Nodes that
# play the same role in a graph, such as two leaves of one branch, may change places: no matcher can
# tell them apart, and the edges still agree.

order = torch.randperm(data.num_nodes, generator=torch.Generator().manual_seed(1))
copy = data.subgraph(order)
M = matcher.match(data, copy)
A1, A2 = (torch.zeros(data.num_nodes, data.num_nodes) for _ in range(2))
A1[tuple(data.edge_index)], A2[tuple(copy.edge_index)] = 1.0, 1.0
found = M.argmax(0)
print(f"nodes found again: {(found == order).float().mean():.0%}")
print(f"edges that agree:  {(M @ A2 @ M.T * A1).sum() / A1.sum():.0%}")

# %% One-to-one and soft
# By default a node of the second graph goes to one node of the first as a whole. In the paper it is
# spread: `normalization="columns"` does that, and nodes that look alike share the weight. The
# strips at the left and below mark the nodes of the motif in orange; these stand last.

soft = GraphMatcher(triplets=False, max_steps=40, normalization="columns")
soft.fit(unlabelled, silent)


def side_by_side():
    """Draw both assignments of the same pair."""
    with style.styled():
        figure = style.new_figure(8.6, 3.9)
        left, right = figure.subplots(1, 2)
        draw_heat_map(left, M, data.motif, copy.motif, "one-to-one")
        draw_heat_map(
            right, soft.match(data, copy), data.motif, copy.motif, "soft, as in the paper"
        )
    return figure


side_by_side()
