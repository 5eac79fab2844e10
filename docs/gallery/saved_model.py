"""# A saved model and its prediction sets

A model that is kept says more than a class: its probabilities are calibrated, and at a level such
as 90 % it names a set of classes that holds the true one in nine of ten new graphs. The page trains
one on MOTIF graphs with wrong labels among them, saves it, reads it again, and counts.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from smixup import GraphMatcher, SMixup, SMixupClassifier, load_dataset, load_model, to_pyg
from smixup.app.pictures import style

# %% Train and save
# A fifth of all labels were drawn at random, two thirds of these are wrong. So nobody can be right
# in much more than 87 % of the cases, and sets that hold the given label in 90 % must sometimes
# name two classes.

graphs = load_dataset("MOTIF", num_graphs=1200, label_noise=0.2).graphs
data = to_pyg(graphs).to_data_list()
train, new = data[:400], data[400:]
labels, truth = graphs.labels.numpy()[:400], graphs.labels.numpy()[400:]
model = SMixupClassifier(
    SMixup(GraphMatcher(max_steps=30), partners=4),
    epochs=30,
    learning_rate=0.01,
    validation=0.5,
    random_state=0,
).fit(train, labels)

# %% Read it again and predict
# The folder holds plain numbers and text. Whoever has it can ask for predictions at any level.

with TemporaryDirectory() as folder:
    kept = load_model(model.save(Path(folder, "model")))

found = kept.predict(new, level=0.9)
right = found.outputs.argmax(1).numpy() == truth
inside = found.inside.numpy()
covered = inside[np.arange(len(truth)), truth]
print(f"accuracy on {len(truth)} new graphs: {right.mean():.2f}")
print(f"share of sets with the true class: {covered.mean():.2f}")
print("sets of the first graphs:", found.sets[:4])

# %% Levels and sets
# The share of new graphs whose label is in its set follows the level that was asked for; the price
# is the size of the sets. At low levels some sets are empty: no class is likely enough. Two hundred
# graphs calibrate this model, and with so many the share of one model spreads around its level: by
# about two points at 0.9, and by three and a half at 0.5.

LEVELS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def coverage():
    """Draw what was promised against what was found, and how large the sets are."""
    asked = [kept.predict(new, level=level).inside.numpy() for level in LEVELS]
    shares = [each[np.arange(len(truth)), truth].mean() for each in asked]
    with style.styled():
        figure = style.new_figure(8.0, 3.2)
        left, right = figure.subplots(1, 2)
        left.plot([0.45, 1], [0.45, 1], "--", color=style.INK, linewidth=1)
        left.plot(LEVELS, shares, "o-", color=style.PALETTE[2])
        left.set(xlabel="level that was asked for", ylabel="share of sets with the true class")
        right.plot(LEVELS, [each.sum(1).mean() for each in asked], "o-", color=style.PALETTE[5])
        right.set(xlabel="level that was asked for", ylabel="classes in a set, on average")
        right.set_ylim(0, 3)
    return figure


coverage()
