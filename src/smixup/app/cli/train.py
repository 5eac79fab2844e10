"""`smixup train`: one run."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, settings_of
from smixup.app.cli.output import ProgressDisplay, print_json, print_notes, print_table, set_threads
from smixup.errors import SmixupError, UsageError

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
    learning_rate: options.Rate = None,
    batch_size: options.BatchSize = None,
    split: options.Split = None,
    metric: options.Metric = None,
    config: options.Config = None,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    out: options.ModelFolder = None,
    ensemble: options.Ensemble = 1,
    resume: options.Resume = False,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a classifier under one method; --out keeps the model.

    The best model is chosen on the validation split alone, and its test score is reported. Ctrl-C
    keeps a checkpoint; --resume continues from it to the same result.
    """
    named = {**locals(), "dataset": source}
    from smixup.app.runs.config import NAMING_FIELDS, OPTIONS, configure, train_command

    given = dataset_options(data, target=target, task=task, smiles=smiles)
    said = {name: named[name] for name in OPTIONS} | {"dataset_options": given}
    run = configure(**{"dataset": "MOTIF", "root": root, **settings_of(config, set_, said)})
    _require_place(out, ensemble)
    set_threads(run.dataset, root, run.batch_size * run.hidden_channels)
    from smixup.app.runs.model import train_model

    words = [] if out is None else ["--out", str(out)]
    words += ["--ensemble", str(ensemble)] if ensemble > 1 else []
    state: dict[str, Any] = {"checkpoint": _checkpoint(run), "resume": resume}
    command = f"{train_command(run)} {shlex.join(words)}".rstrip()
    with ProgressDisplay() as report:
        told: dict[str, Any] = {"report": report, "tell": print_notes, "command": command}
        kept = train_model(run, ensemble, root=root, **state, **told)
    if as_json:
        fields = run.to_dict()
        scores = kept.results[0].scores() if out is None else _about(kept, out)
        print_json({**{name: fields[name] for name in NAMING_FIELDS}, **scores, "config": fields})
    else:
        _print(kept, out is not None)
    if out is not None:
        kept.model.save(out)  # if that fails, there is the score, and --resume makes the model
    _remove(state["checkpoint"])
    if out is not None and not as_json:
        typer.echo(f"The model is in {out}; {out / 'README.md'} describes it. To use it:")
        typer.echo(f"smixup predict {shlex.quote(str(out))} NEW --out predictions.csv")


def _require_place(out: Path | None, ensemble: int) -> None:
    """Refuse what could only fail after training."""
    if out is None:
        if ensemble > 1:
            raise UsageError("--ensemble keeps several models: name a folder for them by --out.")
        return
    from smixup.models.saved import is_model, saved_model

    saved_model(out).require_place()
    if is_model(out):
        print_notes(f"{out} holds an earlier model, which is replaced when this one is ready.")


def _checkpoint(run: RunConfig) -> Path | None:
    """Return where the state of the run is kept, if anywhere; what is damaged makes room."""
    from smixup.saved import is_checkpoint, require_place

    names = (Path(run.dataset).name, run.backbone, run.method, run.fingerprint())
    own = CHECKPOINTS / f"{'-'.join(names)}.safetensors"
    try:
        if own.is_file() and not is_checkpoint(own):
            own.unlink()
        require_place(own)
    except (SmixupError, OSError) as error:
        print_notes(f"the state of the run is not kept: {error}")
        return None
    return own


def _remove(checkpoint: Path | None) -> None:
    """Remove the state of all members, and the folders that held nothing else."""
    if checkpoint is not None:
        with suppress(OSError):  # folders that hold something else stay
            for file in list(checkpoint.parent.iterdir()):
                if file.name.startswith(checkpoint.stem):
                    file.unlink()
            for folder in checkpoint.parents[:2]:
                folder.rmdir()


def _about(kept: Kept, out: Path) -> dict[str, Any]:
    about, names = kept.model.about, ("metric", "test", "validation", "coverage")
    scores = {name: about["scores"].get(name) for name in names}
    temperature = kept.model.calibration.temperature
    return scores | {"temperature": temperature, "members": about["members"], "model": str(out)}


def _print(kept: Kept, whole: bool) -> None:
    """Print the scores: of the calibrated model of all members, or of one run by itself."""
    run, result, scores = kept.config, kept.results[0], kept.model.about["scores"]
    row = {f"test {scores['metric']}": f"{scores['test']:.4f}"}
    row["validation"] = f"{scores['validation']:.4f}"
    if whole:
        row["test loss, calibrated"] = f"{scores['test_loss']:.4f}"
    else:
        row["test loss"] = f"{result.test_loss:.4f}"
        row["best epoch"] = f"{result.best_epoch} of {result.epochs}"
    if whole and (covered := scores.get("coverage")):
        row[f"truth in sets of {covered['level']:g}"] = f"{covered['test']:.3f}"
    row["test graphs"] = f"{kept.model.about['split']['test']:,}"
    row["seconds"] = f"{sum(result.seconds for result in kept.results):.1f}"
    members = len(kept.results)
    seeds = f"seeds {run.seed} to {run.seed + members - 1}" if members > 1 else f"seed {run.seed}"
    title = f"{run.dataset}, {run.backbone}, {run.method}, {seeds}"
    print_table([*row], [[*row.values()]], words=0, title=title)
