"""What smixup computes, in numbers: mixes, alignments and short trainings on seven datasets.

`python -m golden.outputs ARCHIVES ROOT OUT`, in tests/, writes them; outputs.json has those of
version 0.2.0, with which `test_golden_outputs.py` compares.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Batch, Data

import smixup
from smixup import GraphMatcher, SMixup, load_dataset, to_pyg
from smixup.app.runs.config import configure
from smixup.app.runs.registry import METHODS
from smixup.app.runs.run import run
from smixup.datasets import import_archive
from smixup.datasets.features import encode_features

RECORDED = Path(__file__).with_name("outputs.json")
ARCHIVES = {
    "MUTAG": "MUTAG.zip",
    "PROTEINS": "PROTEINS.zip",
    "NCI1": "NCI1.zip",
    "IMDB-BINARY": "IMDB-BINARY.zip",
    "ENZYMES": "ENZYMES.zip",
    "ogbg-molhiv": "hiv.zip",
}
OPTIONS: dict[str, dict[str, Any]] = {"MOTIF": {"num_graphs": 120}, "ENZYMES": {"attributes": True}}
ALL_METHODS = ("MOTIF", "MUTAG", "ENZYMES")
"""Datasets on which every method is trained; on the others Vanilla and S-Mixup are."""
SEEDS, MIXED = (0, 1), 48

Record = dict[str, Any]


def outputs(archives: Path, root: Path) -> Iterator[tuple[str, Record]]:
    """Yield a name and its numbers, one by one."""
    for archive in ARCHIVES.values():
        import_archive(archives / archive, root)
    for dataset in ("MOTIF", *ARCHIVES):
        yield from mixes(dataset, root)
    for dataset in ("MOTIF", *ARCHIVES):
        if dataset != "ogbg-molhiv":  # 41,127 graphs: its mixes above say as much
            yield from trainings(dataset, root)


def mixes(dataset: str, root: Path) -> Iterator[tuple[str, Record]]:
    """Mix batches of PyG graphs by default and as published, and align some pairs."""
    kinds: dict[str, Callable[..., SMixup]] = {
        "default": lambda seed: SMixup(small_matcher(seed), seed=seed),
        "in place, alpha 5": lambda seed: SMixup(
            small_matcher(seed), alpha=5.0, amount=None, partners=None, seed=seed
        ),
        "published": lambda seed: SMixup.as_published(
            partial(GraphMatcher.as_published, max_steps=6, hidden_channels=32)(seed=seed),
            seed=seed,
        ),
    }
    graphs = pyg_graphs(dataset, root)
    for kind, make in kinds.items():
        for seed in SEEDS:
            torch.manual_seed(seed)
            mix = make(seed).fit(graphs)
            batches = [mix(Batch.from_data_list(part)) for part in (graphs[:32], graphs[16:])]
            yield f"mix {dataset}, {kind}, {seed}", described(batches)
            if kind != "default":
                continue
            pairs = [mix.matcher.match(graphs[i], graphs[i + 1]) for i in range(0, 12, 2)]
            yield f"alignment {dataset}, {seed}", {"exact": digest(*pairs)}


def small_matcher(seed: int) -> GraphMatcher:
    return GraphMatcher(max_steps=6, hidden_channels=32, seed=seed)


def pyg_graphs(dataset: str, root: Path) -> list[Data]:
    """Return the first graphs of a dataset, degrees encoded where there are no features."""
    graphs = load_dataset(dataset, root=root, **OPTIONS.get(dataset, {})).graphs
    of_class = [(graphs.labels == label).nonzero().flatten() for label in graphs.labels.unique()]
    chosen = torch.cat([places[: MIXED // len(of_class)] for places in of_class]).sort().values
    encoded = encode_features(graphs[chosen], torch.arange(len(chosen)))
    return to_pyg(encoded.floating()).to_data_list()


def described(batches: list[Batch]) -> Record:
    """Return a digest of mixed batches, and sums for those that are equal up to rounding."""
    exact, sums = [], []
    for batch in batches:
        source, target = batch.edge_index
        order = (target * batch.num_nodes + source).argsort()
        edges, weight = batch.edge_index[:, order], batch.edge_weight[order]
        exact += [batch.x, edges, weight, batch.y, batch.batch]
        position = torch.arange(len(weight), dtype=torch.float64)
        sums += [
            len(weight),
            float(batch.x.double().sum()),
            float(weight.double().sum()),
            float((weight.double() * (position + 1).log()).sum()),
            float((batch.y.double() * torch.arange(1, batch.y.numel() + 1).view_as(batch.y)).sum()),
        ]
    return {"exact": digest(*exact), "sums": sums}


def digest(*tensors: torch.Tensor) -> str:
    """Return a short digest of the values of tensors."""
    whole = hashlib.sha256()
    for tensor in tensors:
        whole.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
        whole.update(tensor.contiguous().numpy().tobytes())
    return whole.hexdigest()[:16]


def trainings(dataset: str, root: Path) -> Iterator[tuple[str, Record]]:
    """Train for a few epochs on few graphs by every method, or by the two that matter most."""
    for method in METHODS if dataset in ALL_METHODS else ("vanilla", "s-mixup"):
        for backbone in ("gcn", "gin"):
            for seed in SEEDS:
                name = f"train {dataset}, {method}, {backbone}, {seed}"
                try:
                    yield name, trained(dataset, method, backbone, seed, root)
                except smixup.SmixupError as error:  # not for such graphs, such as R-Mixup
                    yield name, {"refused": type(error).__name__}


def trained(dataset: str, method: str, backbone: str, seed: int, root: Path) -> Record:
    settings: dict[str, Any] = {}
    if method in ("s-mixup", "s-cut"):
        settings = {"matcher.max_steps": 6, "matcher.hidden_channels": 32}
    config = configure(
        dataset,
        backbone,
        method,
        seed,
        root,
        epochs=3,
        batch_size=16,
        split="few",
        train_graphs=48,
        validation_graphs=30,
        method_settings=settings,
        dataset_options=OPTIONS.get(dataset, {}),
    )
    result = run(config, root)
    losses = [*result.curves["train_loss"], *result.curves["validation_loss"], result.test_loss]
    return {"losses": losses, "test": result.test}


def record(archives: Path, root: Path, out: Path) -> None:
    """Write all outputs, each as soon as it is there."""
    torch.set_num_threads(1)
    records: dict[str, Record] = json.loads(out.read_text()) if out.exists() else {}
    for name, values in outputs(archives, root):
        records[name] = values
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in records.items()]
        out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    record(*(Path(argument) for argument in sys.argv[1:4]))
