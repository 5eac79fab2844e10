"""As in scikit-learn: `fit`, `predict_proba`, `cross_val_score`, and a model that is kept."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score

from smixup import GraphMatcher, SMixup, SMixupClassifier, load_dataset, load_model, to_pyg


def main() -> None:
    """Compare S-Mixup with no augmentation by cross-validation, and keep the better model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10, help="of training the matcher")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    motif = load_dataset("MOTIF", num_graphs=args.graphs).graphs
    graphs = to_pyg(motif).to_data_list()  # any list of torch_geometric Data
    y = np.array(["cycle", "house", "wheel"])[motif.labels.numpy()]

    mix = SMixup(matcher=GraphMatcher(max_steps=args.steps))
    folds = StratifiedKFold(2, shuffle=True, random_state=args.seed)
    arms = {
        name: SMixupClassifier(method, epochs=args.epochs, random_state=args.seed)
        for name, method in (("without mixing:", "vanilla"), ("with mixing:", mix))
    }
    scores = {name: cross_val_score(clf, graphs, y, cv=folds).mean() for name, clf in arms.items()}
    for name, score in scores.items():
        print(f"{name:16} test accuracy {score:.3f}")

    best = arms[max(scores, key=scores.__getitem__)].fit(graphs, y)
    with TemporaryDirectory() as folder:
        model = load_model(best.save(Path(folder, "model")))
        found = model.predict(graphs[:3], level=0.8)
    for names, proba in zip(found.sets, found.probabilities, strict=True):
        print("at the level 0.8:", names, proba.round(2))


if __name__ == "__main__":
    main()
