"""# Molecules from a table

A table with a column of SMILES is a dataset. The page writes a small one, reads it, and shows what
became of it: what was taken for what, and how two molecules are aligned and mixed. It needs RDKit
(`pip install 'smixup[chem]'`).
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from smixup import GraphMatcher, load_dataset, silent
from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import draw_graph
from smixup.app.pictures.layouts import layout_of, turned
from smixup.app.pictures.links import draw_links
from smixup.app.studies.mixed_pair import MixedPair
from smixup.datasets.atoms import ATOM_VALUES, SYMBOLS

TABLE = """\
smiles,kind
CC(=O)O,acid
CCC(=O)O,acid
CCCC(=O)O,acid
OC(=O)c1ccccc1,acid
OC(=O)Cc1ccccc1,acid
NCC(=O)O,acid
CC(N)C(=O)O,acid
OC(=O)C=Cc1ccccc1,acid
Cc1ccccc1C(=O)O,acid
OC(=O)c1ccncc1,acid
CCO,other
CCCO,other
CCCCN,other
OCc1ccccc1,other
NCCc1ccccc1,other
NCCO,other
CC(N)CO,other
OCC=Cc1ccccc1,other
Cc1ccccc1CO,other
OCc1ccncc1,other
"""
DISC = {"boxstyle": "circle,pad=0.15", "facecolor": style.HOLLOW, "edgecolor": style.BASE}

# %% Write a table and read it
# The column to predict is named; everything else is found and told. Nothing is guessed in silence.

with TemporaryDirectory() as folder:
    table = Path(folder, "molecules.csv")
    table.write_text(TABLE)
    dataset = load_dataset(table, target="kind")

for note in dataset.notes:
    print(note)
graphs = dataset.graphs
print(
    f"{len(graphs)} molecules, {graphs.num_features} features of an atom, "
    f"scaffold of the fourth: {dataset.table['scaffold'][3]}"
)

# %% Align two of them
# A matcher learns from these twenty molecules. Cinnamic acid is matched with phenethylamine: both
# are a ring with a tail, and the tails end in different groups.

matcher = GraphMatcher(max_steps=40).fit(graphs, silent)
pair = MixedPair.of(matcher, graphs[[7]], graphs[[14]], lam=0.6)


def drawn_with_symbols():
    """Draw both molecules, their alignment, and the mix."""
    places1, places2 = (layout_of(each.adj.to_dense()) for each in (pair.left, pair.right))
    places2 = turned(places2, pair.assignment.numpy().T @ places1, pair.alignment.matched2)
    with style.styled():
        figure = style.new_figure(9.0, 3.4)
        axes = figure.subplots(1, 3)
        panels = (
            (pair.left, places1, "cinnamic acid"),
            (pair.right, places2, "phenethylamine"),
            (pair.mixed, places1, "mix, λ = 0.6"),
        )
        for place, (graph, places, title) in zip(axes, panels, strict=True):
            draw_graph(place, graph.adj.to_dense(), places, title=title)
            elements = graph.x[:, : ATOM_VALUES[0]].argmax(1).tolist()  # of a mix, the larger share
            for (x, y), element in zip(places, elements, strict=True):
                place.text(
                    x, y, SYMBOLS[element], ha="center", va="center", color="black", bbox=DISC
                )
        draw_links(axes[0], places1, axes[1], places2, pair.alignment)
    return figure


drawn_with_symbols()

# %% What a bond of the mix is
# Bonds have features, too, of which the first four are single, double, triple and aromatic. A bond
# of the mix has the average of the bonds it comes from, by their shares of its weight. Bonds on
# which both molecules agree stay what they were; where a double bond falls on a single one, the mix
# is a bit of both.

KINDS = ("single", "double", "triple", "aromatic")
_, features = pair.mixed.edge_features()
for bond in sorted({tuple(round(float(share), 2) for share in row[:4]) for row in features}):
    shares = zip(bond, KINDS, strict=True)
    print(" + ".join(f"{share:g} {kind}" for share, kind in shares if share > 0))
