"""A run whose model is kept, or several of them as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from smixup.app.runs.config import RunConfig, configure, train_command
from smixup.app.runs.data import AnyDataset, as_dataset, data_notes, scored_split, used_edges
from smixup.app.runs.run import RunResult, Trained, result_of, train_on, versions
from smixup.datasets import data_root
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.features import fit_encoder
from smixup.errors import require
from smixup.models import Backbone, Calibration, Model, Predictions
from smixup.models.model import USUAL_LEVEL, is_model, saved_model, together
from smixup.progress import Report, silent
from smixup.tasks import Classes, Labels
from smixup.training.evaluation import Outputs
from smixup.training.metrics import metric_named

if TYPE_CHECKING:
    from smixup.graphs import PackedGraphs
    from smixup.graphs.graphs import AnyGraphs


@dataclass(frozen=True)
class Kept:
    """A trained model, results by member, the first one's configuration, and notes on the data."""

    model: Model
    results: tuple[RunResult, ...]
    config: RunConfig
    notes: tuple[str, ...] = ()


def train(
    data: str | Path | AnyGraphs | PackedGraphs | AnyDataset,
    method: str = "vanilla",
    *,
    backbone: str = "gin",
    seed: int = 0,
    members: int = 1,
    out: str | Path | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    root: str | Path | None = None,
    method_settings: Mapping[str, Any] | None = None,
    dataset_options: Mapping[str, Any] | None = None,
    report: Report = silent,
    tell: Callable[[str], None] = lambda note: None,
    **changes: Any,
) -> Kept:
    """Train a classifier on these graphs under one method, and test it.

    The epoch is chosen on the validation split alone. Interrupted, the same call with
    `resume=True` goes on from the checkpoint to the same result.

    ```python
    kept = smixup.train(graphs, "s-mixup", out="model", epochs=100)
    kept.results[0].test                   # the score on the test split
    kept.model.predict(new_graphs)         # or load_model("model")
    ```

    Args:
        data: a list of PyG `Data` or a PyG dataset, `Graphs`, packed graphs, what `load_dataset`
            returned, or the name or path of a dataset.
        method: a name as `smixup methods` tells it.
        backbone: `gin` or `gcn`; `gine` or `gcn-edge` take features of edges.
        seed: of split, initial weights, order of batches and method.
        members: how many models are averaged; they have the seeds that follow, and the same split.
        out: a folder to save the model to.
        checkpoint: a file that keeps the state while it trains; that of other members is beside it.
        resume: go on from the checkpoint.
        root: the data root.
        method_settings: fields of the method; those of its matcher are called `matcher.NAME`.
        dataset_options: parameters of a dataset by name.
        report: told of every step.
        tell: told, before training, what the data has to say.
        changes: other fields of `RunConfig`, such as `epochs=100` or `split="fold"`.
    """
    place = None if root is None else Path(root)
    name = as_dataset(data, data_root(place) / "graphs")
    tables = {"method_settings": method_settings or {}, "dataset_options": dataset_options or {}}
    config = configure(name, backbone, method, seed, place, **tables, **changes)
    state: dict[str, Any] = {"checkpoint": checkpoint and Path(checkpoint), "resume": resume}
    return train_model(config, members, out=out, root=place, report=report, tell=tell, **state)


def train_model(
    config: RunConfig,
    members: int = 1,
    *,
    out: str | Path | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    root: Path | None = None,
    report: Report = silent,
    tell: Callable[[str], None] = lambda note: None,
) -> Kept:
    """Train a model to be kept, see `train`; once it is saved, the checkpoint goes."""
    require(members >= 1, "number of models in an ensemble", members, "1 or more")
    if out is not None:
        saved_model(out).require_place()
        if is_model(Path(out)):
            tell(f"{out} holds an earlier model, which is replaced when this one is ready.")
    dataset = open_or_load(config.dataset, root, **config.dataset_options)
    notes = data_notes(dataset, config)
    for note in notes:
        tell(note)
    scored_split(dataset, config)
    trained, files = list[Trained](), [member_file(checkpoint, place) for place in range(members)]
    for place, file in enumerate(files):
        own = replace(config, seed=config.seed + place, split_seed=config.seed_of_split)
        begun = resume and (place == 0 or (file is not None and file.exists()))
        state: dict[str, Any] = {"checkpoint": file, "resume": begun, "calibrated": True}
        trained.append(train_on(dataset, own if place else config, report, **state))
    model = _assembled(trained, dataset, train_command(config, members, root, out))
    if out is not None:
        model.save(out)
    for file in filter(None, files):
        file.unlink(missing_ok=True)
    return Kept(model, tuple(map(result_of, trained)), config, notes)


def member_file(checkpoint: Path | None, place: int) -> Path | None:
    """Return where the state of a member is kept while it trains."""
    if checkpoint is None or place == 0:
        return checkpoint
    return checkpoint.with_name(f"{checkpoint.stem}.member-{place}{checkpoint.suffix}")


def _assembled(trained: Sequence[Trained], dataset: AnyDataset, command: str) -> Model:
    first = trained[0]
    config, data, task = first.config, first.data, first.data.asked
    crossed = [run.outcome.crossed for run in trained if run.outcome.crossed is not None]
    joined = Outputs(together(task, [each.logits for each in crossed]), crossed[0].y)
    graphs: Any = dataset.graphs
    encoder = fit_encoder(used_edges(graphs, config.backbone), first.split.train)
    backbone = Backbone.of(config.backbone, data.train, **config.sizes())
    members = tuple(run.model.cpu().eval() for run in trained)
    calibration = Calibration.of(joined, task)
    model = Model(task, backbone, members, encoder, calibration, dataset.reading)
    return replace(model, about=_about(model, trained, dataset, command))


def _about(
    model: Model, trained: Sequence[Trained], dataset: AnyDataset, command: str
) -> dict[str, Any]:
    config, split = trained[0].config, trained[0].split
    members = [{"seed": run.config.seed, **result_of(run).scores()} for run in trained]
    brief = ("seed", "test", "validation", "best_epoch", "epochs", "seconds")
    parts = {name: getattr(split, name) for name in ("train", "validation", "test")}
    settings = ", ".join(f"{name}={value}" for name, value in config.method_settings.items())
    digests = {name: sha256(each.numpy().tobytes()).hexdigest() for name, each in parts.items()}
    return {
        "data": {
            "name": dataset.name,
            "source": config.dataset,
            "options": dict(config.dataset_options),
            "graphs": len(dataset.graphs),
            "fingerprint": dataset.graphs.fingerprint(),
        },
        "split": {
            "kind": config.split,
            "seed": config.seed_of_split,
            **{name: len(positions) for name, positions in parts.items()},
            "sha256": digests,
        },
        "method": config.method + (f" ({settings})" if settings else ""),
        "training": config.to_dict(),
        "scores": _scores(model, trained),
        "members": [{name: each[name] for name in brief} for each in members],
        "versions": versions(),
        "command": command,
        "notes": list(dataset.notes),
    }


def _scores(model: Model, trained: Sequence[Trained]) -> dict[str, Any]:
    """Return scores of all members together, and how often sets hold the truth."""
    task, metric = model.task, metric_named(trained[0].data.metric)
    scores: dict[str, Any] = {"metric": metric.name}
    for part in ("validation", "test"):
        several = [getattr(run.outcome, part) for run in trained]
        logits = together(task, [each.logits.cpu() for each in several])
        joined = Outputs(logits, several[0].y.cpu())
        scores[part] = joined.evaluated(metric, task).score
    scaled, y = joined.logits / model.calibration.temperature, joined.y
    scores["test_loss"] = float(task.loss(scaled, y))
    if model.calibration.can(USUAL_LEVEL):
        predictions = Predictions(task, scaled, model.calibration, USUAL_LEVEL)
        scores["coverage"] = {"level": USUAL_LEVEL, "test": coverage(predictions, y)}
    return scores


def coverage(predictions: Predictions, y: torch.Tensor) -> float:
    """Return how often sets hold the truth `y [G, C]`, as far as that is known."""
    if isinstance(predictions.task, Classes):
        return float(predictions.inside.gather(1, y.argmax(1, keepdim=True)).double().mean())
    if isinstance(predictions.task, Labels):
        without, having = predictions.inside.unbind(2)
        inside = torch.where(y == 1, having, without)
    else:
        low, high = predictions.intervals
        inside = (low <= y) & (y <= high)
    return float(inside[~y.isnan()].double().mean())
