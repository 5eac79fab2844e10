"""# Matrices on the same nodes

Connectomes of many subjects have the same regions, so it is known which node corresponds to which:
the matcher is `identity`. The page makes sixty subjects of two groups, reads their matrices, and
mixes two of them. A mix of two matrices is then simply their weighted mean.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from smixup import Identity, load_dataset
from smixup.app.pictures import style
from smixup.app.studies.mixed_pair import MixedPair

REGIONS, SUBJECTS = 24, 60

# %% Make the matrices
# Correlations of 24 regions in three networks. In patients, two of the networks are coupled more
# strongly.

random = np.random.default_rng(0)
network = np.repeat(np.arange(3), REGIONS // 3)


def subject(patient: bool) -> np.ndarray:
    """Return the correlations of one subject."""
    shared = random.normal(size=(3, 200))
    shared[1] += (0.8 if patient else 0.1) * shared[0]
    return np.corrcoef(0.9 * shared[network] + random.normal(size=(REGIONS, 200)))


groups = np.array(["patient", "control"] * (SUBJECTS // 2))
stack = np.stack([subject(group == "patient") for group in groups])

# %% Save and read them
# One `.npz` file holds matrices and groups. `density=0.2` keeps the strongest fifth of all edges.

with TemporaryDirectory() as folder:
    np.savez(Path(folder, "subjects.npz"), matrices=stack, y=groups)
    dataset = load_dataset(Path(folder, "subjects.npz"), density=0.2)

for note in dataset.notes:
    print(note)

# %% Mix two subjects
# A patient and a control at lambda = 0.5. An edge that both have stays as strong as their mean, and
# an edge of one of them is half as strong.

graphs = dataset.graphs
pair = MixedPair.of(Identity(), graphs[[0]], graphs[[1]], lam=0.5)
weights = [each.adj.to_dense().numpy() for each in (pair.left, pair.right, pair.mixed)]
print("the mix is the mean:", bool(np.allclose(weights[2], (weights[0] + weights[1]) / 2)))


def three_matrices():
    """Draw both adjacencies and their mix."""
    with style.styled():
        figure = style.new_figure(8.6, 3.2)
        titles = ("patient", "control", "mix, λ = 0.5")
        for axes, weight, title in zip(figure.subplots(1, 3), weights, titles, strict=True):
            image = axes.imshow(weight, cmap=style.MASS, vmin=0, vmax=1)
            axes.set_title(title)
            style.bare(axes)
        bar = figure.colorbar(image, ax=figure.axes, shrink=0.8, label="weight of the edge")
        bar.outline.set_visible(False)
    return figure


three_matrices()
