"""# One pair, aligned

Two graphs, the assignment between their nodes, and the mix. This is the whole method on one pair of
MOTIF graphs: a matcher learns which node corresponds to which, the second graph is carried onto the
nodes of the first, and the two are averaged there.

In a MOTIF graph a base (a tree, a ladder or a wheel) is joined by one edge to a motif (a cycle, a
house or a crane). The motif is the class, and all nodes carry the same feature, so that structure
is all there is to go by.
"""

from smixup import GraphMatcher, load_dataset, silent
from smixup.app.pictures.overview import draw_overview
from smixup.app.studies.mixed_pair import MixedPair
from smixup.datasets.motif import CLASSES

dataset = load_dataset("MOTIF", num_graphs=120)
train, test = dataset.graphs[range(90)], dataset.graphs[range(90, 120)]

# %% Learn to match
# Thirty steps are enough for a first look; by default a matcher learns for 120.

matcher = GraphMatcher(max_steps=30).fit(train, silent)

# %% Match and mix
# The pair has not been seen in training. The first graph keeps 60 % of the weight.

pair = MixedPair.of(matcher, test[[22]], test[[17]], lam=0.6)
print(f"G1 has {pair.left.num_nodes} nodes, G2 has {pair.right.num_nodes}")
print(f"matched: {int(pair.assignment.sum())} nodes")

# %% The way of a pair
# At the left the two graphs; a node of G2 has the colour of its counterpart in G1. In the middle
# the assignment M, one filled cell for every matched pair of nodes. At the right G2 on the nodes of
# G1, and below it the mix. The bars are the targets: the label is mixed as the graphs are.

draw_overview(pair, CLASSES)
