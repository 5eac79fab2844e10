"""
Matrices on the same nodes
==========================

Connectomes of many subjects have the same regions, so it is known which node corresponds to which: the matcher is
``identity``. A mix of two matrices is then simply their weighted mean.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from smixup import Identity, load_dataset
from smixup.app.pictures.mixed_pair import MixedPair

REGIONS, SUBJECTS = 24, 60

# %%
# Correlations of 24 regions in three networks. In patients, two of the networks are coupled more strongly.

random = np.random.default_rng(0)
network = np.repeat(np.arange(3), REGIONS // 3)


def subject(patient: bool) -> np.ndarray:
    """Return the correlations of one subject."""
    shared = random.normal(size=(3, 200))
    shared[1] += (0.8 if patient else 0.1) * shared[0]
    return np.corrcoef(0.9 * shared[network] + random.normal(size=(REGIONS, 200)))


groups = np.array(["patient", "control"] * (SUBJECTS // 2))
stack = np.stack([subject(group == "patient") for group in groups])

# %%
# One ``.npz`` file holds matrices and groups. ``density=0.2`` keeps the strongest fifth of all edges.

with TemporaryDirectory() as folder:
    np.savez(Path(folder, "subjects.npz"), matrices=stack, y=groups)
    dataset = load_dataset(Path(folder, "subjects.npz"), density=0.2)

for note in dataset.notes:
    print(note)

# %%
# A patient and a control at lambda = 0.5. An edge of one of them is half as strong in the mix.

pair = MixedPair.of(Identity(), dataset.graphs[[0]], dataset.graphs[[1]], lam=0.5)
figure, panels = plt.subplots(1, 3, figsize=(9, 3))
titles = ("patient", "control", "mix, λ = 0.5")
for axes, graph, title in zip(panels, (pair.left, pair.right, pair.mixed), titles, strict=True):
    axes.imshow(graph.adj.to_dense().numpy(), cmap="Greens", vmin=0, vmax=1)
    axes.set(title=title, xticks=[], yticks=[])
