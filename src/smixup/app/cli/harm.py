"""`smixup harm`: does mixing do harm to models of others, in loops of others?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from smixup.app.cli import options
from smixup.app.cli.options import option
from smixup.app.cli.printing import print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import set_threads
from smixup.files import require_writable, write_whole
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.app.studies.harm import Pair

COLUMNS = ("dataset", "model", "n", "without", "with", "difference", "95 % interval", "detects")


def harm(
    dataset: Annotated[list[str], option("Dataset to train on. May be repeated.")] = ["MOTIF"],  # noqa: B006
    model: Annotated[
        list[str] | None,
        option(
            "Model: 'batch norm', GINConv, 'embedded codes' or 'TopK pooling'. May be repeated; by "
            "default all four are trained."
        ),
    ] = None,
    seeds: Annotated[int, option("Number of seeds.", min=1)] = 10,
    epochs: Annotated[int, option("Number of epochs.", min=1)] = 100,
    steps: Annotated[int, option("Number of steps of the matcher.", min=1)] = 120,
    out: Annotated[
        Path | None,
        option("File of pairs, one JSON object a line; pairs that it holds are not trained again."),
    ] = None,
    root: options.Root = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
) -> None:
    """Train models that mixing could harm (with batch norms, layers without weights, embedded codes
    or pooling) in a plain PyG loop, with and without S-Mixup, and compare.
    """
    set_threads(threads, *dataset, root=root)
    set_budget(memory)
    from smixup.app.studies import harm as study
    from smixup.app.studies.foreign_models import MODELS
    from smixup.errors import unknown_name

    for name in model or ():
        if name not in MODELS:
            raise unknown_name("model", name, MODELS)
    pairs = _read(out)
    if out is not None:
        require_writable(out, "the pairs")
    known = {(pair.dataset, pair.model, pair.seed) for pair in pairs}
    settings = study.HarmSettings(epochs=epochs, last=min(5, epochs), matcher_steps=steps)
    with ProgressDisplay() as report:
        for name in dataset:
            for seed in range(seeds):
                missing = [m for m in model or MODELS if (name, m, seed) not in known]
                for pair in study.study(name, [seed], missing, root, settings, report):
                    pairs.append(pair)
                    _keep(pairs, out)
    print_table(COLUMNS, _rows(pairs))


def _rows(pairs: list[Pair]) -> list[list[str]]:
    from smixup.app.runs.words import signed, signed_interval
    from smixup.app.studies.harm import differences
    from smixup.app.tables.comparison import Summary

    rows = []
    for (dataset, model), found in differences(pairs).items():
        here = [pair for pair in pairs if (pair.dataset, pair.model) == (dataset, model)]
        plain, mixed = (Summary.of([getattr(p, arm) for p in here]) for arm in ("plain", "mixed"))
        row = [dataset, model, str(found.number), f"{plain.mean:.2f}", f"{mixed.mean:.2f}"]
        row += [signed(found.mean, 2), signed_interval(found.low, found.high, 2)]
        rows.append([*row, f"{found.detectable:.2f}"])
    return rows


def _read(path: Path | None) -> list[Pair]:
    from smixup.app.studies.harm import Pair
    from smixup.errors import SmixupError

    if path is None or not path.exists():
        return []
    try:
        return [Pair(**json.loads(line)) for line in path.read_text().splitlines()]
    except (ValueError, TypeError) as error:
        raise SmixupError(f"{path} holds no pairs of `smixup harm`: name another file.") from error


def _keep(pairs: list[Pair], path: Path | None) -> None:
    if path is not None:
        lines = (json.dumps(asdict(pair)) + "\n" for pair in pairs)
        write_whole(path, "".join(lines), "the pairs")
