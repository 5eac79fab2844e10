"""# What lambda does

The ratio lambda says how much of the first graph is in a mix: at 1 the mix is the first graph, at 0
it is the second one, carried onto the nodes of the first. Training draws lambda between one half
and one, so that a mix is mostly its first graph.
"""

import torch

from smixup import GraphMatcher, load_dataset, silent
from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import draw_graph, edge_kinds, node_kinds
from smixup.app.pictures.layouts import layout_of
from smixup.app.pictures.mixed_pair import label_text
from smixup.app.studies.mixed_pair import MixedPair
from smixup.augment.ratio import draw_ratio
from smixup.datasets.motif import CLASSES

graphs = load_dataset("MOTIF", num_graphs=120).graphs
matcher = GraphMatcher(max_steps=30).fit(graphs[range(90)], silent)
left, right = graphs[[97]], graphs[[101]]

# %% Six mixes of one pair
# The alignment is found once; only lambda changes. Edges that both graphs have stay strong, edges
# of one of them fade in or out, and the target moves with them.

RATIOS = (1.0, 0.8, 0.65, 0.5, 0.25, 0.0)
mixes = [MixedPair.of(matcher, left, right, ratio) for ratio in RATIOS]
for mix in mixes:
    print(f"lambda = {mix.lam:.2f}: {label_text(mix.mixed.y[0], CLASSES)}")

# %% As small multiples
# All panels share the layout of the first graph.


def small_multiples():
    """Draw all mixes on the places of G1."""
    places = layout_of(left.adj.to_dense())
    with style.styled():
        figure = style.new_figure(8.4, 5.6)
        for axes, mix in zip(figure.subplots(2, 3).ravel(), mixes, strict=True):
            draw_graph(axes, mix.mixed.adj.to_dense(), places, left.motif, f"λ = {mix.lam:.2f}")
        figure.legend(handles=[*node_kinds(), *edge_kinds()], loc="outside lower center", ncols=4)
    return figure


small_multiples()

# %% What training draws
# `SMixup` draws a number from Beta(alpha, alpha) and folds it: lambda is the larger of the number
# and one minus the number. With the default `alpha=0.2` most mixes are near their first graph; the
# larger alpha is, the more of a partner is in a mix.


def histogram():
    """Draw how often each lambda is drawn, for three values of alpha."""
    with style.styled():
        figure = style.new_figure(6.4, 2.8)
        axes = figure.subplots()
        for alpha, colour in zip((0.2, 1.0, 5.0), style.PALETTE[1:], strict=False):
            drawn = draw_ratio(20_000, alpha, True, torch.Generator().manual_seed(0))
            axes.hist(
                drawn.numpy(),
                bins=40,
                range=(0.5, 1),
                histtype="step",
                linewidth=1.8,
                color=colour,
                density=True,
                label=f"alpha = {alpha:g}",
            )
        axes.set(xlabel="lambda", ylabel="density", yscale="log")
        axes.legend()
    return figure


histogram()
