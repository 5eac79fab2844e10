"""Does an augmentation help here? Paired runs on one dataset, and a verdict in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from smixup.app.compare.evidence import CELLS, LOOKS, Answer, Verdict
from smixup.app.compare.pairs import PairedRuns, Watch, run_pairs
from smixup.app.compare.settings import FOLDS, SEEDS, VANILLA, CompareSettings, seconds_of
from smixup.app.runs.config import RunConfig, train_command
from smixup.app.runs.data import as_dataset, scored_split
from smixup.app.runs.model import train_model
from smixup.app.words import counted
from smixup.datasets.base import Dataset
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.sources import data_root
from smixup.files import require_writable, write_whole
from smixup.models import Model
from smixup.models.model import saved_model
from smixup.progress import Report, silent

if TYPE_CHECKING:
    from smixup.graphs.graphs import AnyGraphs
    from smixup.graphs.packed import PackedGraphs

__all__ = ["CompareSettings", "Comparison", "compare"]

HEADER = (*CELLS, "cost")
MEANING = (
    f"runs: after which the verdict was given ({', '.join(map(str, LOOKS[:6]))}, ...); "
    "cost: time of a run as a multiple of Vanilla's"
)


@dataclass(frozen=True)
class Comparison:
    """What was found: `str` gives verdicts and a table, `recommended` the method to train with."""

    pairs: PairedRuns
    model: Model | None = None

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """What is said of each method by its score, then by log loss, then of the alignment."""
        pairs, methods = self.pairs, self.pairs.settings.methods
        verdicts = [pairs.verdict(name, loss=loss) for loss in (False, True) for name in methods]
        return [verdict for verdict in (*verdicts, pairs.alignment()) if verdict]

    @property
    def costs(self) -> dict[str, float]:
        """The time of a run, with its preparation, as a multiple of Vanilla's; medians."""
        times = {name: median(each.values()) for name, each in self.pairs.seconds.items() if each}
        return {name: time / times[VANILLA] for name, time in times.items() if VANILLA in times}

    @property
    def recommended(self) -> str:
        """The method that gains most among those that help by the score; `vanilla` if none does."""
        scores = map(self.pairs.verdict, self.pairs.settings.methods)
        helping = [score for score in scores if score and score.answer is Answer.HELPS]
        best = max(helping, key=lambda score: abs(score.difference), default=None)
        return best.name if best else VANILLA

    @property
    def final(self) -> RunConfig:
        return self.pairs.settings.final(self.recommended)

    @property
    def command(self) -> str:
        """The command that trains the recommended model."""
        return train_command(self.final, root=self.pairs.settings.root, out="model/")

    @property
    def headline(self) -> str:
        name = self.pairs.facts.name
        if self.recommended != VANILLA:
            return f"Train with {self.recommended}: it helps on {name}."
        if undecided := " and ".join(self.pairs.open_methods()):
            return f"Train without augmentation for now: {undecided} is not decided on {name}."
        return f"Train without augmentation: none that was tried helps on {name}."

    def sentences(self) -> list[str]:
        failed = self.pairs.failed.items()
        return [
            *(verdict.sentence for verdict in self.verdicts),
            *(f"{name} could not be run: {why}" for name, why in failed),
        ]

    @property
    def state(self) -> str:
        """How much was run, and why no more."""
        facts, runs = self.pairs.facts, max(map(self.pairs.pairs, self.pairs.settings.methods))
        about = f"{counted(facts.graphs, 'graph')}, score is {facts.metric}"
        return f"{facts.name}: {about}; {counted(runs, 'paired run')}, {self.pairs.ended}."

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row per verdict under `HEADER`."""
        costs = {name: f"{cost:.1f}x" for name, cost in self.costs.items()}
        return [(*verdict.cells(), costs.get(verdict.name, "")) for verdict in self.verdicts]

    def __str__(self) -> str:
        table = [HEADER, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        form = "  ".join(f"{{:<{width}}}" for width in widths)
        lines = [form.format(*row).rstrip() for row in table]
        told = [self.headline, *self.sentences(), "", *lines, MEANING, "", self.state]
        return "\n".join(told if self.model else [*told, f"Next: {self.command}"])

    def to_dict(self) -> dict[str, Any]:
        facts, settings = self.pairs.facts, self.pairs.settings
        return {
            "dataset": facts.name,
            "graphs": facts.graphs,
            "metric": facts.metric,
            "backbone": settings.backbone,
            "recommended": self.recommended,
            "headline": self.headline,
            "command": self.command,
            "ended": self.pairs.ended,
            "seconds": round(self.pairs.elapsed(), 1),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "costs": self.costs,
            "failed": self.pairs.failed,
        }


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
    loss_margin: float | None = None,
    workers: int = 1,
    cluster: str | None = None,
    store: str | Path | None = None,
    root: str | Path | None = None,
    dataset_options: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    model: str | Path | None = None,
    watch: Watch = lambda pairs: None,
    report: Report = silent,
    **changes: Any,
) -> Comparison:
    """Find out whether an augmentation helps on these graphs.

    Vanilla and each method are trained on the same folds from the same initial weights, pair by
    pair, until the verdict is clear or the budget is spent: *helps*, *hurts*, *no difference larger
    than d*, or *cannot tell yet*. Finished runs are kept; the same call goes on from there.

    ```python
    found = smixup.compare(graphs, ["s-mixup", "drop-edge"], budget="30m")
    print(found)                    # verdicts and table
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
        loss_margin: the same of log loss.
        workers: processes; more than one need a script's main part behind
            `if __name__ == "__main__":`.
        cluster: address of a Ray cluster that does the runs instead, or `auto`.
        store: file of finished runs; by default one in the data root.
        root: the data root.
        dataset_options: parameters of a dataset by name.
        out: a file for the page, such as `compare.html`.
        model: a folder to train the recommended model into.
        watch: called with the runs so far at every change.
        report: told of every step of training that model.
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
        loss_margin,
        changes=changes,
        dataset_options=dict(dataset_options or {}),
        root=place,
    )
    if out is not None:  # what could not be written or scored is refused before hours of comparing
        require_writable(Path(out), "the page")
    if model is not None:
        saved_model(model).require_place()
        config = settings.final(VANILLA)
        scored_split(open_or_load(config.dataset, place, **config.dataset_options), config)
    file = folder / "comparisons.db" if store is None else Path(store)
    pairs = run_pairs(settings, file, workers=workers, cluster=cluster, watch=watch)
    comparison = Comparison(pairs)
    if model is not None:
        kept = train_model(comparison.final, out=model, root=place, report=report)
        comparison = replace(comparison, model=kept.model)
    if out is not None:
        from smixup.app.compare.page import compare_page  # pictures take a while to import

        write_whole(Path(out), compare_page(comparison, model), "the page")
    return comparison
