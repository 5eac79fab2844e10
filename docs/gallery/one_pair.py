"""
One pair, aligned
=================

A matcher learns which node corresponds to which, the second graph is carried onto the nodes of the first, and the two
are averaged there. In a MOTIF graph a base (a tree, a ladder or a wheel) is joined by one edge to a motif (a cycle, a
house or a crane). The motif is the class, and all nodes carry the same feature.
"""

import matplotlib.pyplot as plt

from smixup import GraphMatcher, RandomOrder, load_dataset, silent
from smixup.app.pictures.mixed_pair import MixedPair, draw_mixed_pair
from smixup.datasets.motif import CLASSES

graphs = load_dataset("MOTIF", num_graphs=120).graphs
train, test = graphs[range(90)], graphs[range(90, 120)]

# %%
# Thirty steps are enough for a first look; by default a matcher learns for 120. The pair has not been seen in training.

matcher = GraphMatcher(max_steps=30).fit(train, silent)
pair = MixedPair.of(matcher, test[[22]], test[[17]], lam=0.6)
print(f"G1 has {pair.left.num_nodes} nodes, G2 has {pair.right.num_nodes}")
print(f"matched: {int(pair.assignment.sum())} nodes")

# %%
# Lines join matched nodes. At the lower left G2 on the nodes of G1, beside it the mix.

plt.figure(draw_mixed_pair(pair, CLASSES))

# %%
# The same pair with its nodes in random order: the motif is torn apart.

plt.figure(draw_mixed_pair(MixedPair.of(RandomOrder(), test[[22]], test[[17]], lam=0.6), CLASSES))
