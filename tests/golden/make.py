"""Writes a file of every kind that smixup writes, small ones, and beside them what they hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch

import smixup
from smixup.augment import DropEdge
from smixup.classifiers import GIN
from smixup.datasets import load_dataset
from smixup.graphs import Graphs, open_packed, pack
from smixup.matching import GraphMatcher, LearnedMatcher
from smixup.models import Model, load_model
from smixup.models.fitting import fit_model
from smixup.progress import silent
from smixup.saved import CheckpointFile
from smixup.tasks import Classes
from smixup.training import Splits, TrainSettings, fit

HOME = Path(__file__).parent
CHECKPOINT, MATCHER, MODEL = "run.safetensors", "matcher", "model"
PACKED, VALUES = "packed", "values.json"
FINGERPRINT = "golden"
EPOCHS = 2


def make(folder: Path) -> None:
    """Write all files to a folder, and what can be read of them."""
    folder.mkdir(parents=True)
    trained(folder / CHECKPOINT, EPOCHS, resume=False)
    matcher = GraphMatcher(
        num_layers=1, hidden_channels=4, max_steps=6, normalization="columns", random_walk=3
    )
    matcher.fit(graphs(), silent).save(folder / MATCHER)
    model_of(graphs()).save(folder / MODEL)
    pack(graphs(), folder / PACKED, notes={"name": "MOTIF"})
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in read(folder).items()]
    (folder / VALUES).write_text("\n".join(["{", ",\n".join(lines), "}\n"]), encoding="utf-8")


def read(folder: Path) -> dict[str, Any]:
    """Return what the files of a folder hold, in plain numbers."""
    kept = {
        "checkpoint": trained(folder / CHECKPOINT, 2 * EPOCHS, resume=True),
        "matcher": of_matcher(LearnedMatcher.load(folder / MATCHER)),
        "model": of_model(load_model(folder / MODEL)),
    }
    if (folder / PACKED).is_dir():  # from 0.3 on
        kept["packed"] = of_graphs(open_packed(folder / PACKED)[torch.arange(12)])
    return kept


def graphs() -> Graphs:
    """Return the graphs of which everything is made."""
    return load_dataset("MOTIF", num_graphs=12, seed=3).graphs.floating()


def trained(path: Path, epochs: int, resume: bool) -> dict[str, list[float]]:
    """Train, from the start or from a checkpoint that is left as it is, and return the losses."""
    data, kept = graphs(), path.read_bytes() if resume else b""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = GIN(data.num_features, 3, hidden_channels=4, num_layers=1)
    settings = TrainSettings(epochs, learning_rate=0.01, batch_size=4, seed=5)
    file, splits = CheckpointFile(path, FINGERPRINT), Splits(data[:8], data[8:], data[8:])
    done = fit(model, splits, DropEdge(seed=5), settings, checkpoint=file, resume=resume)
    if resume:
        path.write_bytes(kept)
    return {name: done.history.curves[name] for name in ("train_loss", "validation_loss")}


def of_matcher(matcher: LearnedMatcher) -> dict[str, Any]:
    """Return settings of a matcher, and the assignment of two graphs."""
    left, right = graphs()[[0]], graphs()[[1]]
    n1, n2 = left.num_nodes, right.num_nodes
    M = matcher(left, right)
    dense = torch.zeros(n1, n2).index_put((M.row, M.column), M.weight)
    return {"settings": matcher.settings, "scores": matcher.fit_scores, "M": dense.tolist()}


def model_of(data: Graphs) -> Model:
    """Return a trained model."""
    settings = TrainSettings(2, learning_rate=0.01, batch_size=4, seed=5)
    task = Classes(("cycle", "house", "crane"))
    sizes = {"hidden_channels": 4, "num_layers": 1}
    return fit_model(data, task, "gin", DropEdge(seed=5), settings, 0.3, **sizes)[0]


def of_model(model: Model) -> dict[str, Any]:
    """Return what a model says of the graphs."""
    said = model.predict(graphs())
    return {"names": list(model.task.names), "probabilities": said.probabilities.tolist()}


def of_graphs(data: Graphs) -> dict[str, Any]:
    """Return what is known of graphs."""
    adj = data.adj
    return {
        "sizes": data.sizes.tolist(),
        "labels": data.labels.tolist(),
        "edges": [adj.row.tolist(), adj.column.tolist()],
        "x": [list(data.x.shape), float(data.x.double().sum())],
    }


if __name__ == "__main__":
    place = HOME / smixup.__version__
    shutil.rmtree(place, ignore_errors=True)
    make(place)
