"""A run whose model is kept, or several of them as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from smixup.app.runs.config import RunConfig, configure, train_command
from smixup.app.runs.data import (
    AnyDataset,
    as_dataset,
    data_notes,
    scored_split,
    used_edges,
)
from smixup.app.runs.run import RunResult, Trained, result_of, train_on, versions
from smixup.datasets import data_root
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.features import fit_encoder
from smixup.errors import require, warn_user
from smixup.models import Backbone, Calibration, Model
from smixup.models.model import saved_model, together
from smixup.progress import Report, silent
from smixup.tasks import Task
from smixup.training.evaluation import Outputs
from smixup.training.metrics import metric_named

if TYPE_CHECKING:
    from smixup.graphs import PackedGraphs
    from smixup.graphs.graphs import AnyGraphs
    from smixup.models.choice import Choice


Tell = Callable[[str], None]
BUDGET = 300.0
OPEN = frozenset(("metric", "balanced", "dataset_options"))
"""Fields of a run that leave open which model is trained."""


@dataclass(frozen=True)
class Kept:
    """A trained model, results by member, the first one's configuration, and notes on the data; or
    the choice of a model, which has no results of one run.
    """

    model: Model
    results: tuple[RunResult, ...]
    config: RunConfig
    notes: tuple[str, ...] = ()
    choice: Choice | None = None


def train(
    data: str | Path | AnyGraphs | PackedGraphs | AnyDataset | RunConfig,
    method: str | None = None,
    *,
    backbone: str | None = None,
    seed: int = 0,
    budget: float = BUDGET,
    members: int = 1,
    out: str | Path | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    root: str | Path | None = None,
    report: Report = silent,
    tell: Tell = warn_user,
    **changes: Any,
) -> Kept:
    """Train a model of these graphs: the best of several or, if one is named, that.

    By default a forest, a kernel machine and a network, with S-Mixup and without, are judged by
    cross-validation, and the best of them, or a blend, is kept. With a backbone, a method or
    anything else that says how to train, one network is trained, its epoch chosen on the validation
    split, and tested. Interrupted, that call with `resume=True` goes on from the checkpoint to the
    same result.

    ```python
    choice = smixup.train(graphs, out="model").choice
    choice.score, choice.sure, choice.tried
    kept = smixup.train(graphs, "s-mixup", out="model", epochs=100)
    kept.results[0].test                   # the score on the test split
    kept.model.predict(new_graphs)         # or load_model("model")
    ```

    Args:
        data: a list of PyG `Data` or a PyG dataset, `Graphs`, packed graphs, what `load_dataset`
            returned, or the name or path of a dataset; or a `RunConfig`, which says all of a run.
        method: a name as `smixup methods` tells it; by default vanilla, which is none.
        backbone: `forest`, `wl-svm`, `wide` (for few labels), `gin`, by default, or `gcn`; `gine`,
            `gcn-edge` and the first three take features of edges.
        seed: of split, initial weights, order of batches and method.
        budget: seconds for the choice; networks for which they do not last are left out.
        members: how many models are averaged; they have the seeds that follow, and the same split.
        out: a folder to save the model to.
        checkpoint: a file that keeps the state while it trains, that of other members is beside
            it; once all is done, it goes.
        resume: go on from the checkpoint.
        root: the data root.
        report: told of every step.
        tell: told, before training, what the data has to say; by default a warning.
        changes: other fields of `RunConfig`, such as `epochs=100`, `split="fold"`,
            `method_settings={"alpha": 0.5}` or `dataset_options={"attributes": True}`.
    """
    require(members >= 1, "number of models in an ensemble", members, "1 or more")
    root, checkpoint = (Path(each) if each else None for each in (root, checkpoint))
    if isinstance(data, RunConfig):
        config = data
    else:
        name = as_dataset(data, data_root(root) / "graphs")
        if {backbone, method, checkpoint} == {None} and members == 1 and OPEN.issuperset(changes):
            from smixup.app.runs.best import train_best

            how: dict[str, Any] = {"out": out, "root": root, "report": report, "tell": tell}
            return train_best(name, seed, budget, **how, **changes)
        config = configure(name, backbone or "gin", method or "vanilla", seed, root, **changes)
    if out is not None:
        saved_model(out).require_place()
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
    results = tuple(map(result_of, trained))
    model = _assembled(trained, results, train_command(config, members, root, out))
    if out is not None:
        model.save(out)
    for file in filter(None, files):
        file.unlink(missing_ok=True)
    return Kept(model, results, config, notes)


def member_file(checkpoint: Path | None, place: int) -> Path | None:
    """Return where the state of a member is kept while it trains."""
    if checkpoint is None or place == 0:
        return checkpoint
    return checkpoint.with_name(f"{checkpoint.stem}.member-{place}{checkpoint.suffix}")


def _assembled(trained: Sequence[Trained], results: Sequence[RunResult], command: str) -> Model:
    """Join the members to one model, and write down where it comes from."""
    first, graphs = trained[0], cast(Any, trained[0].dataset.graphs)
    config, dataset, split, task = first.config, first.dataset, first.split, first.data.asked
    crossed = [run.outcome.crossed for run in trained if run.outcome.crossed is not None]
    calibration = Calibration.of(_together(task, crossed), task)
    encoder = fit_encoder(used_edges(graphs, config.backbone), split.train)
    backbone = Backbone.of(config.backbone, first.data.train, **config.sizes())
    members = tuple(run.model.cpu().eval() for run in trained)
    parts = {"train": split.train, "validation": split.validation, "test": split.test}
    sizes = {name: len(positions) for name, positions in parts.items()}
    settings = ", ".join(f"{name}={value}" for name, value in config.method_settings.items())
    brief = ("test", "validation", "best_epoch", "epochs", "seconds")
    about = {
        "data": data_about(dataset, config),
        "split": {"kind": config.split, "seed": config.seed_of_split, **sizes},
        "method": config.method + (f" ({settings})" if settings else ""),
        "training": config.to_dict(),
        "scores": _scores(trained, calibration),
        "members": [
            {"seed": config.seed + place, **{name: getattr(result, name) for name in brief}}
            for place, result in enumerate(results)
        ],
        "versions": versions(),
        "command": command,
        "notes": list(dataset.notes),
    }
    return Model(task, backbone, members, encoder, calibration, dataset.reading, about)


def data_about(dataset: AnyDataset, config: RunConfig) -> dict[str, Any]:
    """Return what a model keeps of its data."""
    return {
        "name": dataset.name,
        "source": config.dataset,
        "options": dict(config.dataset_options),
        "graphs": len(dataset.graphs),
        "fingerprint": dataset.graphs.fingerprint(),
    }


def _together(task: Task, outputs: Sequence[Outputs]) -> Outputs:
    return Outputs(together(task, [each.logits.cpu() for each in outputs]), outputs[0].y.cpu())


def _scores(trained: Sequence[Trained], calibration: Calibration) -> dict[str, Any]:
    """Return scores of all members together."""
    task, metric = trained[0].data.asked, metric_named(trained[0].data.metric)
    validation = _together(task, [run.outcome.validation for run in trained])
    test = _together(task, [run.outcome.test for run in trained])
    scaled = Outputs(test.logits / calibration.temperature, test.y)
    scores: dict[str, Any] = {"metric": metric.name}
    scores["validation"] = validation.evaluated(metric, task).score
    scores["test"] = test.evaluated(metric, task).score
    scores["test_loss"] = scaled.evaluated(metric, task).loss
    return scores
