"""
A saved model and its prediction sets
=====================================

A model that is kept says more than a class: its probabilities are calibrated, and at a level such as 90 % it names a set
of classes that holds the true one in nine of ten new graphs.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from smixup import GraphMatcher, SMixup, SMixupClassifier, load_dataset, load_model, to_pyg

# %%
# A fifth of all labels were drawn at random, two thirds of these are wrong. So nobody can be right in much more than
# 87 % of the cases, and sets that hold the given label in 90 % must sometimes name two classes.

graphs = load_dataset("MOTIF", num_graphs=1200, label_noise=0.2).graphs
data = to_pyg(graphs).to_data_list()
train, new = data[:400], data[400:]
labels, truth = graphs.labels.numpy()[:400], graphs.labels.numpy()[400:]
classifier = SMixupClassifier(
    SMixup(GraphMatcher(max_steps=30), partners=4),
    epochs=30,
    learning_rate=0.01,
    validation=0.5,
    random_state=0,
).fit(train, labels)

# %%
# The folder holds plain numbers and text. Whoever has it can ask for predictions at any level.

with TemporaryDirectory() as folder:
    model = load_model(classifier.save(Path(folder, "model")))

predictions = model.predict(new, level=0.9)
print(f"accuracy: {(predictions.outputs.argmax(1).numpy() == truth).mean():.2f}")
print("sets of the first graphs:", predictions.sets[:4])

# %%
# The share of new graphs whose label is in its set follows the level that was asked for; the price is the size of the
# sets. Two hundred graphs calibrate this model, and with so many the share spreads by about two points at 0.9.

levels = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
inside = [model.predict(new, level=level).inside.numpy() for level in levels]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.plot([0.45, 1], [0.45, 1], "--", color="grey")
left.plot(levels, [sets[np.arange(len(truth)), truth].mean() for sets in inside], "o-")
left.set(xlabel="level that was asked for", ylabel="share of sets with the true class")
right.plot(levels, [sets.sum(1).mean() for sets in inside], "o-")
right.set(xlabel="level that was asked for", ylabel="classes in a set, on average")
