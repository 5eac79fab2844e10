"""`smixup train`: one run."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, settings_of
from smixup.app.cli.printing import print_json, print_notes, print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import set_threads
from smixup.errors import SmixupError, UsageError, require

if TYPE_CHECKING:
    from smixup.app.runs.config import RunConfig
    from smixup.app.runs.model import Kept

CHECKPOINTS = Path("runs") / "checkpoints"


def train(
    source: options.MaybeSource = None,
    backbone: options.Backbone = None,
    method: options.Method = None,
    seed: options.Seed = None,
    set_: options.Set = None,
    epochs: options.Epochs = None,
    learning_rate: options.LearningRate = None,
    batch_size: options.BatchSize = None,
    split: options.Split = None,
    metric: options.Metric = None,
    config_file: options.Config = None,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    out: options.KeptModel = None,
    ensemble: options.Ensemble = 1,
    resume: options.Resume = False,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a classifier under one method; --out keeps the model.

    The best model is chosen on the validation split alone, and its test score is reported. Ctrl-C
    keeps a checkpoint; --resume continues from it to the same result.
    """
    from smixup.app.runs.config import NAMING_FIELDS, configure
    from smixup.app.runs.model import train_model

    settings = {"dataset": "MOTIF", **settings_of(config_file, set_)}
    said: dict[str, Any] = {"dataset": source, "backbone": backbone, "method": method, "seed": seed}
    said |= {"epochs": epochs, "learning_rate": learning_rate, "batch_size": batch_size}
    said |= {"split": split, "metric": metric}
    settings |= {name: value for name, value in said.items() if value is not None}
    settings["dataset_options"] |= dataset_options(data, target=target, task=task, smiles=smiles)
    config = configure(**{"root": root, **settings})
    _require_place(out, ensemble)
    set_threads(None, config.dataset, root, config.batch_size * config.hidden_channels)
    began, own = time.perf_counter(), _checkpoint(config, "-kept" if out else "")
    with ProgressDisplay() as report:
        kept = train_model(
            config,
            ensemble,
            root=root,
            report=report,
            checkpoint=own,
            resume=resume,
            tell=lambda note: typer.echo(note, err=True),
            command=_command(config, out, ensemble),
        )
    before = time.perf_counter() - began - sum(result.seconds for result in kept.results)
    if as_json:
        fields = config.to_dict()
        names = {name: fields[name] for name in NAMING_FIELDS}
        scores = kept.results[0].scores() if out is None else _about(kept, out)
        print_json({**names, **scores, "config": fields})
    else:
        _print(kept, before, out is not None)
        print_notes(_unused_attributes(config, root))
    if out is not None:
        kept.model.save(out)  # if that fails, there is the score, and --resume makes the model
    _remove(own, ensemble)
    if out is not None and not as_json:
        typer.echo(f"The model is in {out}; {out / 'README.md'} describes it. To use it:")
        typer.echo(f"smixup predict {shlex.quote(str(out))} NEW --out predictions.csv")


def _require_place(out: Path | None, ensemble: int) -> None:
    """Refuse what could only fail after training."""
    require(ensemble >= 1, "ensemble", ensemble, "1 or more")
    if out is None:
        if ensemble > 1:
            raise UsageError("--ensemble keeps several models: name a folder for them by --out.")
        return
    from smixup.models.saved_model import is_model, require_place

    require_place(out)
    if is_model(out):
        note = f"{out} holds an earlier model, which is replaced when this one is ready."
        typer.echo(note, err=True)


def _command(config: RunConfig, out: Path | None, ensemble: int) -> str:
    from smixup.app.runs.config import train_command

    words = [] if out is None else ["--out", str(out)]
    words += ["--ensemble", str(ensemble)] if ensemble > 1 else []
    return f"{train_command(config)} {shlex.join(words)}".rstrip()


def _unused_attributes(config: RunConfig, root: Path | None) -> Iterator[str]:
    """Yield what to say of node attributes about which nobody has decided."""
    from smixup.app.runs.words import unused_attributes
    from smixup.datasets import data_root
    from smixup.datasets.layouts import node_attributes

    number, alone = node_attributes(config.dataset, data_root(root))
    if number and not alone and config.dataset_options.get("attributes") is None:
        yield unused_attributes(number)


def _checkpoint(config: RunConfig, ending: str = "") -> Path | None:
    """Return where the state of the run is kept; None if nothing can be written there. What is
    damaged makes room.
    """
    from smixup.checkpoint import is_checkpoint, require_place

    names = (Path(config.dataset).name, config.backbone, config.method, config.fingerprint())
    own = CHECKPOINTS / f"{'-'.join(names)}{ending}.safetensors"
    try:
        if own.is_file() and not is_checkpoint(own):
            own.unlink()
        require_place(own)
    except (SmixupError, OSError) as error:
        typer.echo(f"the state of the run is not kept: {error}", err=True)
        return None
    return own


def _remove(checkpoint: Path | None, members: int = 1) -> None:
    """Remove checkpoints, and the folders that held nothing else."""
    from smixup.app.runs.model import member_file

    for file in filter(None, (member_file(checkpoint, place) for place in range(members))):
        with suppress(OSError):  # folders that hold something else stay
            file.unlink(missing_ok=True)
            for folder in file.parents[:2]:
                folder.rmdir()


def _about(kept: Kept, out: Path) -> dict[str, Any]:
    from smixup.models.plain import plain

    about, scores = kept.model.about, kept.model.about["scores"]
    names = ("metric", "test", "validation", "coverage")
    found: dict[str, Any] = {name: scores.get(name) for name in names}
    temperature = kept.model.calibration.temperature
    found |= {"temperature": temperature, "members": about["members"], "model": str(out)}
    return plain(found)  # type: ignore[no-any-return]


def _print(kept: Kept, before: float, whole: bool) -> None:
    """Print the scores: of the calibrated model of all members, or of one run by itself."""
    from smixup.app.runs.registry import chosen_matcher

    config, result = kept.config, kept.results[0]
    scores, graphs = kept.model.about["scores"], kept.model.about["split"]["test"]
    columns = {f"test {scores['metric']}": f"{scores['test']:.4f}", "test graphs": f"{graphs:,}"}
    columns["validation"] = f"{scores['validation']:.4f}"
    if whole:
        columns["test loss, calibrated"] = f"{scores['test_loss']:.4f}"
    else:
        columns["best epoch"] = f"{result.best_epoch} of {result.epochs}"
        columns["test loss"] = f"{result.test_loss:.4f}"
    if whole and (covered := scores.get("coverage")):
        columns[f"truth in sets of {covered['level']:g}"] = f"{covered['test']:.3f}"
    last = config.seed + len(kept.results) - 1
    seeds = f"seeds {config.seed} to {last}" if last > config.seed else f"seed {config.seed}"
    what = "matcher" if chosen_matcher(config.method, config.method_settings) else "data"
    training = sum(result.seconds for result in kept.results)
    print_table(
        list(columns),
        [list(columns.values())],
        words=0,
        title=f"{config.dataset}, {config.backbone}, {config.method}, {seeds}",
        caption=f"{what} {before:.1f} s + training {training:.1f} s",
    )
