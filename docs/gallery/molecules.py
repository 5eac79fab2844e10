"""
Molecules from a table
======================

A table with a column of SMILES is a dataset. This page writes a small one, reads it, and mixes two molecules. It needs
RDKit: ``pip install 'smixup[chem]'``.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

from smixup import GraphMatcher, load_dataset, silent
from smixup.app.pictures.mixed_pair import MixedPair, draw_mixed_pair

ACIDS = (
    "CC(=O)O CCC(=O)O CCCC(=O)O OC(=O)c1ccccc1 OC(=O)Cc1ccccc1 NCC(=O)O CC(N)C(=O)O"
    " OC(=O)C=Cc1ccccc1 Cc1ccccc1C(=O)O OC(=O)c1ccncc1"
).split()
OTHERS = (
    "CCO CCCO CCCCN OCc1ccccc1 NCCc1ccccc1 NCCO CC(N)CO OCC=Cc1ccccc1 Cc1ccccc1CO OCc1ccncc1"
).split()

# %%
# The column to predict is named; everything else is found, and told.

with TemporaryDirectory() as folder:
    table = Path(folder, "molecules.csv")
    rows = [f"{smiles},acid" for smiles in ACIDS] + [f"{smiles},other" for smiles in OTHERS]
    table.write_text("\n".join(["smiles,kind", *rows]))
    dataset = load_dataset(table, target="kind")

for note in dataset.notes:
    print(note)

# %%
# A matcher learns from these twenty molecules. Cinnamic acid is matched with phenethylamine: both are a ring with a
# tail, and the tails end in different groups.

graphs = dataset.graphs
matcher = GraphMatcher(max_steps=40).fit(graphs, silent)
pair = MixedPair.of(matcher, graphs[[7]], graphs[[14]], lam=0.6)
plt.figure(draw_mixed_pair(pair, dataset.task.names, names=("cinnamic acid", "phenethylamine")))
