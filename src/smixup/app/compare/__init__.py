"""Does an augmentation help here? Paired runs on one dataset, and a verdict in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.app.compare.comparison import Comparison
from smixup.app.compare.settings import FOLDS, SEEDS, VANILLA, CompareSettings, seconds_of
from smixup.app.runs.data import as_dataset, scored_split
from smixup.app.runs.model import Tell, train
from smixup.app.store import Store, key_of
from smixup.app.workers import Job, run_jobs
from smixup.datasets.base import Dataset
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.sources import data_root
from smixup.errors import Interrupted, SmixupError, require, warn_user
from smixup.files import require_writable, write_whole
from smixup.models.model import saved_model
from smixup.progress import Report, silent

if TYPE_CHECKING:
    from smixup.graphs import PackedGraphs
    from smixup.graphs.graphs import AnyGraphs

__all__ = ["CompareSettings", "Comparison", "compare"]


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
    cluster: str | None = None,
    store: str | Path | None = None,
    root: str | Path | None = None,
    dataset_options: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    model: str | Path | None = None,
    report: Report = silent,
    tell: Tell = warn_user,
    **changes: Any,
) -> Comparison:
    """Find out which model to train on these graphs, and whether an augmentation helps.

    A network alone, a forest, and the network with each method are trained on the same folds from
    the same initial weights, pair by pair, until the verdict is clear or the budget is spent:
    *helps*, *hurts*, *no difference larger than d*, or *cannot tell yet*. Finished runs are kept;
    the same call goes on from there.

    ```python
    found = smixup.compare(graphs, ["s-mixup", "drop-edge"], budget="30m")
    print(found)                    # verdicts and table
    found.recommended               # "vanilla" if no method earns its place
    ```

    Args:
        graphs: a list of PyG `Data` or a PyG dataset, `Graphs`, packed graphs, what `load_dataset`
            returned, or the name or path of a dataset.
        methods: names as of `smixup train --method`, perhaps with settings: `s-mixup(alpha=0.5)`;
            `random-alignment` is S-Mixup along matches drawn at random, `identity-alignment` along
            the order of the nodes; `forest` and `wl-svm` are models instead of the network. By
            default `forest` and `s-mixup`, for matrices `identity-alignment` instead of that.
        control: if S-Mixup helps, run `random-alignment`, too: what does the alignment add?
        backbone: the network, by default `wide`, which is one for few labels.
        seeds: paired runs at most; looks are after 10, 15, 20, 25 and 30, then 40, 60, ...
        budget: seconds at most, or a text such as "30m".
        split: `fold`, or another kind of split.
        num_folds: of repeated stratified folds.
        margin: a difference of the score that matters: 0.02 for two points.
        workers: processes; a script that asks for several needs `if __name__ == "__main__":`.
        cluster: address of a Ray cluster that does the runs instead, or `auto`.
        store: file of finished runs; by default one in the data root.
        root: the data root.
        dataset_options: parameters of a dataset by name.
        out: a file for the page, such as `compare.html`.
        model: a folder to train the recommended model into.
        report: told of every run, and of every step of training that model.
        tell: told, before training, what the data has to say; by default a warning.
        changes: other fields of a run, such as `epochs=100`.
    """
    place = Path(root) if root is not None else None
    folder = data_root(place) / "compare"
    settings = CompareSettings(
        as_dataset(graphs, folder),
        tuple(methods or ()),
        control,
        backbone,
        seeds,
        seconds_of(budget) if isinstance(budget, str) else budget,
        split,
        num_folds,
        margin,
        changes=changes,
        dataset_options=dict(dataset_options or {}),
        root=place,
    )
    if out is not None:  # what could not be written or scored is refused before hours of comparing
        require_writable(Path(out), "the page")
    if model is not None:
        saved_model(model).require_place()
        config = settings.config(VANILLA, 0)
        scored_split(open_or_load(config.dataset, place, **config.dataset_options), config)
    file = folder / "comparisons.db" if store is None else Path(store)
    found = run_pairs(settings, file, workers, cluster, report, tell)
    if model is not None:
        final = found.settings.config(found.recommended, 0)
        keeping: Any = {"out": model, "root": place, "report": report}
        found.model = train(final, **keeping, tell=lambda note: None).model  # it was told
    if out is not None:
        from smixup.app.compare.page import compare_page  # pictures take a while to import

        write_whole(Path(out), compare_page(found, model), "the page")
    return found


def run_pairs(
    settings: CompareSettings,
    file: Path,
    workers: int = 1,
    cluster: str | None = None,
    report: Report = silent,
    tell: Tell = warn_user,
) -> Comparison:
    """Run Vanilla and the methods seed by seed; what the store holds is not run again."""
    found = Comparison.of(settings)
    for note in found.notes:
        tell(note)
    settings, names = found.settings, found.names
    runs = [(name, seed) for seed in range(settings.seeds) for name in names]
    keys = {run: key_of(settings.config(*run), settings.root) for run in runs}
    places = {key: run for run, key in keys.items()}
    require(len(places) == len(runs), "methods", ", ".join(names), "different ones")
    where: dict[str, Any] = {"cluster": cluster, "root": settings.root}
    where["matchers"] = file.with_name(f"{file.name}.workspace")
    with closing(Store(file)) as store:
        for key, finished in store.fetch(places).items():
            found.take(places[key], finished.result, finished.seconds)
        report(found.progress())
        try:
            while first := next(coming := found.next_runs(), None):  # else no worker is started
                jobs = (Job(keys[run], settings.config(*run)) for run in chain([first], coming))
                with closing(run_jobs(jobs, workers, **where)) as outcomes:
                    for outcome in outcomes:
                        run, result = places[outcome.key], outcome.result
                        if result is None:
                            raise SmixupError(f"{run[0]} fails on {found.name}: {outcome.error}")
                        store.keep(outcome.key, settings.config(*run), result, outcome.seconds)
                        found.take(run, result, outcome.seconds)
                        report(found.progress())
        except (KeyboardInterrupt, Interrupted):  # in a run of this process it is told by that
            raise Interrupted(
                f"interrupted; finished runs are in {file}: repeat the command to go on."
            ) from None
    return found
