"""Does an augmentation help here? Paired runs on one dataset, and a verdict in words."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.app.runs.edge_use import EdgesLeftOut
from smixup.app.studies.compare_settings import (
    FOLDS,
    IDENTITY,
    SAME_NODES,
    SEEDS,
    CompareSettings,
    default_methods,
    seconds_of,
)
from smixup.app.studies.comparison import Comparison
from smixup.app.studies.in_memory import as_dataset
from smixup.app.studies.running_pairs import Watch, run_pairs
from smixup.app.sweeps.engine import Engine
from smixup.app.sweeps.in_process import InProcess
from smixup.app.sweeps.job import warm_up
from smixup.app.sweeps.local import LocalEngine
from smixup.app.sweeps.store import Store
from smixup.datasets import Dataset
from smixup.datasets.location import data_root

if TYPE_CHECKING:
    from smixup.graphs import PackedGraphs
    from smixup.graphs.conversion import AnyGraphs

STORE = "compare.db"


def compare_dataset(
    settings: CompareSettings,
    store: Path,
    workers: int = 1,
    watch: Watch = lambda pairs: None,
    engine: Engine | None = None,
) -> Comparison:
    """Compare methods on a dataset, see `run_pairs`.

    Args:
        settings: what to compare.
        store: file of finished runs.
        workers: processes; one is this process itself.
        watch: told of every change.
        engine: does the runs, if not so many local processes.
    """
    begun = time.monotonic()
    local = LocalEngine(workers, prepare=prepare_worker) if workers > 1 else InProcess()
    with warnings.catch_warnings():
        silence_notes()
        pairs = run_pairs(settings, Store(store), engine or local, workers, watch)
    return Comparison.of(pairs, time.monotonic() - begun)


def prepare_worker() -> None:
    """Get a process ready for runs of a comparison."""
    warm_up()
    silence_notes()


def silence_notes() -> None:
    """Let runs be silent about edges that they leave out: a comparison says it once, in the notes
    of its data.
    """
    warnings.simplefilter("ignore", EdgesLeftOut)


def compare(
    graphs: str | Path | AnyGraphs | PackedGraphs | Dataset,
    methods: Sequence[str] | None = None,
    *,
    control: bool = True,
    backbone: str | None = None,
    seeds: int = SEEDS,
    budget: str | float | None = None,
    split: str = "fold",
    num_folds: int = FOLDS,
    margin: float | None = None,
    workers: int = 1,
    store: str | Path | None = None,
    root: str | Path | None = None,
    dataset_options: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Comparison:
    """Find out whether an augmentation helps on these graphs.

    Vanilla and each method are trained on the same folds from the same initial weights, pair by
    pair, until the verdict is clear or the budget is spent: *helps*, *hurts*, *no difference larger
    than d*, or *cannot tell yet*. Finished runs are kept; the same call goes on from there.

    ```python
    found = smixup.compare(graphs, ["s-mixup", "drop-edge"], budget="30m")
    print(found)                    # verdict and table
    found.recommended               # "vanilla" if no method earns its place
    ```

    Args:
        graphs: a list of PyG `Data` or a PyG dataset, `Graphs`, packed graphs, what `load_dataset`
            returned, or the name or path of a dataset.
        methods: names as `smixup train --method` takes them, with settings behind if need be:
            `s-mixup(alpha=0.5)`; `random-alignment` is S-Mixup along matches drawn at random,
            `identity-alignment` along the order of the nodes. By default `s-mixup`, for matrices
            with the same nodes `identity-alignment`.
        control: if S-Mixup helps, run `random-alignment` on its seeds, too: does it owe that to
            the alignment?
        backbone: `gin` or `gcn`; `gine` or `gcn-edge` take features of edges. By default `gin`, or
            `gine` where edges have features.
        seeds: paired runs at most; looks are after 10, 15, 20, 25 and 30, then 40, 60, ...
        budget: seconds at most, or a text such as "30m".
        split: `fold`, or another kind of split.
        num_folds: of repeated stratified folds.
        margin: a difference of the score that matters: 0.02 for two points.
        workers: processes; more than one need a script's main part behind
            `if __name__ == "__main__":`.
        store: file of finished runs; by default one in the data root.
        root: the data root.
        dataset_options: parameters of a dataset by name.
        changes: other fields of a run, such as `epochs=100`.
    """
    place = Path(root) if root is not None else None
    folder = data_root(place) / "compare"
    dataset = as_dataset(graphs, folder)
    reading = graphs.reading if isinstance(graphs, Dataset) else None
    same = reading is not None and reading.reader == SAME_NODES
    usual = (IDENTITY,) if same else default_methods(dataset)
    settings = CompareSettings(
        dataset=dataset,
        methods=usual if methods is None else tuple(methods),
        control=control,
        backbone=backbone,
        seeds=seeds,
        budget=seconds_of(budget) if isinstance(budget, str) else budget,
        split=split,
        num_folds=num_folds,
        margin=margin,
        changes=changes,
        dataset_options=dict(dataset_options or {}),
        root=place,
    )
    file = Path(store) if store is not None else folder / STORE
    return compare_dataset(settings, file, workers)
