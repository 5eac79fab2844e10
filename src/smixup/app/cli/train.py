"""`smixup train`: one run."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, option, with_options, with_shorthands
from smixup.app.cli.printing import print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.run_options import Changes, of_checkpoint
from smixup.app.cli.threads import set_threads
from smixup.app.runs.registry import BACKBONES, METHODS
from smixup.app.runs.words import finite
from smixup.errors import SmixupError, UsageError, require
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.app.runs.config import RunConfig
    from smixup.app.runs.kept_model import Kept
    from smixup.app.runs.run import RunResult
    from smixup.datasets import Dataset
    from smixup.datasets.packed_set import PackedDataset

CHECKPOINTS = Path("runs") / "checkpoints"


@with_options(changes=Changes)
def train(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="Data to train on: a file or folder of your own, or the name of a dataset.",
        ),
    ] = None,
    dataset: options.MaybeDataset = None,
    backbone: Annotated[
        str | None, option(f"Classifier: {' or '.join(BACKBONES)}. By default gin.")
    ] = None,
    method: Annotated[
        str | None,
        option(
            f"Augmentation: {', '.join(METHODS)}. By default vanilla, which is none; `smixup "
            "methods` tells what each does."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "Seed of the split, the initial weights, the order of batches and the method. By "
            "default 0."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        option("Setting of the method, such as alpha=0.5. May be repeated.", "--set"),
    ] = None,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    out: Annotated[
        Path | None,
        option("Folder to keep the model in. By default none is kept.", panel="Model"),
    ] = None,
    ensemble: Annotated[
        int,
        option(
            "Number of models with seeds of their own whose predictions are averaged; with --out.",
            panel="Model",
        ),
    ] = 1,
    config_file: Annotated[
        Path | None,
        option(
            "File of settings, .toml or .json; what --json printed of another run is one, too. "
            "Options on the command line prevail.",
            "--config",
        ),
    ] = None,
    root: options.Root = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
    checkpoint: Annotated[
        Path | None,
        of_checkpoint(
            f"File that keeps the state. By default one in {CHECKPOINTS}, until the run ends."
        ),
    ] = None,
    resume: Annotated[
        bool, of_checkpoint("Go on from the checkpoint of the same command.", "--resume")
    ] = False,
    *,
    changes: Changes,
) -> None:
    """Train a classifier under one method and report its test score; --out keeps the model.

    The best model is chosen on the validation split alone. Ctrl-C keeps a checkpoint; --resume
    continues from it to the same result.
    """
    from smixup.app.runs.config import NAMING_FIELDS, configure
    from smixup.app.runs.config_file import prevailing, read_settings
    from smixup.app.runs.options import split_pairs

    short = {"target": target, "task": task, "smiles": smiles}
    asked = with_shorthands(dataset_options(data), short)
    said = {
        "dataset": _named(source, dataset),
        "backbone": backbone,
        "method": method,
        "seed": seed,
        **vars(changes),
        "method_settings": split_pairs(set_ or []),
        "dataset_options": asked,
    }
    settings = prevailing(read_settings(config_file) if config_file else {}, said)
    config = configure(**{"dataset": "MOTIF", "root": root, **settings})
    _check_place(out, ensemble)
    width = config.batch_size * config.hidden_channels
    set_threads(threads, config.dataset, root=root, per_node=width)
    set_budget(memory)
    fields = config.to_dict()
    names = {name: fields[name] for name in NAMING_FIELDS}
    if out is not None:
        kept, files = _keep(config, root, checkpoint, resume, out, ensemble)
        if as_json:
            typer.echo(json.dumps(finite({**names, **_told(kept, out), "config": fields})))
        else:
            _print_kept(config, kept)
        kept.model.save(out)  # if that fails, there is the score, and --resume makes the model
        _remove(*files)
        if not as_json:
            _print_place(out)
        return
    started = time.perf_counter()
    result = _run(config, root, checkpoint, resume)
    preparing = time.perf_counter() - started - result.seconds
    if as_json:
        typer.echo(json.dumps(finite({**names, **result.scores(), "config": fields})))
    else:
        _print_table(config, result, preparing, _unused_attributes(config, root))


def _named(source: str | None, dataset: str | None) -> str | None:
    """Return the data that was named, by position or by --dataset."""
    if source is not None and dataset is not None and source != dataset:
        raise UsageError(f"data is named twice, {source} and --dataset {dataset}: leave out one.")
    return source or dataset


def _check_place(out: Path | None, ensemble: int) -> None:
    """Refuse what could only fail after training."""
    require(ensemble >= 1, "ensemble", ensemble, "1 or more")
    if out is None:
        if ensemble > 1:
            raise UsageError("--ensemble keeps several models: name a folder for them by --out.")
        return
    from smixup.models.saved_model import is_model, require_place

    require_place(out)
    if is_model(out):
        typer.echo(
            f"{out} holds an earlier model, which is replaced when this one is ready.", err=True
        )


def _unused_attributes(config: RunConfig, root: Path | None) -> str | None:
    """Name node attributes that nobody has decided about; they are no features then."""
    from smixup.app.runs.words import unused_attributes
    from smixup.datasets import data_root
    from smixup.datasets.layouts import node_attributes

    number, alone = node_attributes(config.dataset, data_root(root))
    undecided = config.dataset_options.get("attributes") is None
    return unused_attributes(number) if number and undecided and not alone else None


def _run(config: RunConfig, root: Path | None, checkpoint: Path | None, resume: bool) -> RunResult:
    """Run with a checkpoint; one that the user did not name goes when the run has ended."""
    from smixup.app.runs.run import result_of, train_on
    from smixup.app.runs.scored_parts import scored_split

    dataset = _opened(config, root)
    scored_split(dataset, config)
    own = None if checkpoint else _own_checkpoint(config)
    with ProgressDisplay() as report:
        trained = train_on(dataset, config, report, checkpoint=checkpoint or own, resume=resume)
    _remove(own)
    return result_of(trained)


def _keep(
    config: RunConfig,
    root: Path | None,
    checkpoint: Path | None,
    resume: bool,
    out: Path,
    ensemble: int,
) -> tuple[Kept, list[Path | None]]:
    """Train with checkpoints as `_run` does; return the model, and files that may go once it is
    written.
    """
    from smixup.app.runs.kept_model import member_file, train_model

    dataset, unused = _opened(config, root), _unused_attributes(config, root)
    _tell([f"{unused}."] if unused else [])
    own = None if checkpoint else _own_checkpoint(config, "-kept")
    with ProgressDisplay() as report:
        kept = train_model(
            config,
            ensemble,
            root=root,
            report=report,
            checkpoint=checkpoint or own,
            resume=resume,
            dataset=dataset,
        )
    return kept, [member_file(own, place) for place in range(ensemble)]


def _opened(config: RunConfig, root: Path | None) -> Dataset | PackedDataset:
    """Read the data, and tell what there is to say of it."""
    from smixup.app.runs.uneven_classes import uneven_classes
    from smixup.datasets.catalogue import open_or_load

    dataset = open_or_load(config.dataset, root, **config.dataset_options)
    uneven = uneven_classes(dataset, config.metric or dataset.metric)
    _tell([*dataset.notes, *([uneven] if uneven else [])])
    return dataset


def _tell(notes: Iterable[str]) -> None:
    """Print what data has to tell."""
    for note in notes:
        typer.echo(note, err=True)


def _own_checkpoint(config: RunConfig, behind: str = "") -> Path | None:
    """Return where the state goes if nobody names a file; nowhere, if nothing can be written. What
    is damaged there makes room.
    """
    from smixup.checkpoint import is_checkpoint, require_place

    names = (Path(config.dataset).name, config.backbone, config.method, config.fingerprint())
    own = CHECKPOINTS / f"{'-'.join(names)}{behind}.safetensors"
    try:
        if own.is_file() and not is_checkpoint(own):
            own.unlink()
        require_place(own)
    except (SmixupError, OSError) as error:
        typer.echo(f"the state of the run is not kept: {error}", err=True)
        return None
    return own


def _remove(*files: Path | None) -> None:
    """Remove checkpoints, and the folders that held nothing else."""
    for file in filter(None, files):
        with suppress(OSError):  # folders that hold something else stay
            file.unlink(missing_ok=True)
            for folder in file.parents[:2]:
                folder.rmdir()


def _told(kept: Kept, out: Path) -> dict[str, Any]:
    from smixup.models.plain import plain

    about = kept.model.about
    scores = {name: about["scores"].get(name) for name in ("metric", "test", "validation")}
    told: dict[str, Any] = plain(
        {
            **scores,
            "coverage": about["scores"].get("coverage"),
            "temperature": kept.model.calibration.temperature,
            "members": about["members"],
            "model": str(out),
        }
    )
    return told


def _print_kept(config: RunConfig, kept: Kept) -> None:
    about, scores = kept.model.about, kept.model.about["scores"]
    split, covered = about["split"], scores.get("coverage")
    columns = {
        f"test {scores['metric']}": f"{scores['test']:.4f}",
        "test graphs": f"{split['test']:,}",
        "validation": f"{scores['validation']:.4f}",
        "test loss, calibrated": f"{scores['test_loss']:.4f}",
        "seconds": f"{sum(each.seconds for each in kept.results):.1f}",
    }
    if covered:
        columns[f"truth in sets of {covered['level']:g}"] = f"{covered['test']:.3f}"
    number = len(kept.results)
    several = f", seeds {config.seed} to {config.seed + number - 1}" if number > 1 else ""
    seeds = several or f", seed {config.seed}"
    title = f"{config.dataset}, {config.backbone}, {config.method}{seeds}"
    print_table(list(columns), [list(columns.values())], words=0, title=title)


def _print_place(out: Path) -> None:
    typer.echo(f"The model is in {out}; {out / 'README.md'} describes it. To use it:")
    typer.echo(f"smixup predict {shlex.quote(str(out))} NEW --out predictions.csv")


def _print_table(config: RunConfig, result: RunResult, preparing: float, note: str | None) -> None:
    columns = {
        f"test {result.metric}": f"{result.test:.4f}",
        "validation": f"{result.validation:.4f}",
        "best epoch": f"{result.best_epoch} of {result.epochs}",
        "test loss": f"{result.test_loss:.4f}",
        "calibration error": f"{result.calibration_error:.4f}",
    }
    columns = {name: shown for name, shown in columns.items() if shown != "nan"}  # no such score
    title = f"{config.dataset}, {config.backbone}, {config.method}, seed {config.seed}"
    times = f"{_before(config)} {preparing:.1f} s + training {result.seconds:.1f} s"
    caption = f"{times}\n{note}" if note else times
    print_table(list(columns), [list(columns.values())], words=0, title=title, caption=caption)


def _before(config: RunConfig) -> str:
    """Return what takes the time before the first epoch."""
    from smixup.app.runs.registry import chosen_matcher

    return "matcher" if chosen_matcher(config.method, config.method_settings) else "data"
