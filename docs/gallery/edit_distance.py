"""# Edit distance along the path

A mix at lambda should lie at lambda: as far from its two graphs as the ratio says. The edit
distance can check that. Epsilon is the distance to the second graph over the sum of both distances;
for a perfect mix it equals lambda, and the dots lie on the diagonal.
"""

from smixup import GraphMatcher, RandomOrder, load_dataset, silent
from smixup.analysis.edit_costs import METRIC
from smixup.analysis.theorem import TheoremStudy
from smixup.lab.figures.ged_curve import draw_ged

graphs = load_dataset("MOTIF", num_graphs=300).graphs
train, held_out = graphs[range(200)], graphs[range(200, 300)]

# %% Measure
# Ten pairs of small graphs of different classes, eleven ratios each. Distances of graphs of this
# size are exact: nothing cheaper exists, and that is proved.

study = TheoremStudy(pairs=10, costs={"metric node costs": METRIC}, seed=0, max_nodes=9)
matchers = {
    "S-Mixup": GraphMatcher(max_steps=40).fit(train, silent),
    "random order": RandomOrder(seed=0),
}
records = study.run(held_out, matchers, silent)
for name in matchers:
    own = [record.error for record in records if record.matcher == name]
    error = sum(abs(each.epsilon - each.lam) for each in own) / len(own)
    print(f"{name:>12}: {len(own)} mixes, mean of |epsilon - lambda| {error:.3f}")

# %% Epsilon against lambda
# Mixes along the alignment follow the diagonal. In random order they do not: such a mix is far from
# both of its graphs wherever lambda puts it. The dotted lines are what Theorem 1 of the paper
# allows; [the analysis](../analysis.md#theorem-1) says why so many mixes break it.

draw_ged(records)
