"""Does alignment help a classifier on MOTIF? Few graphs, noisy labels, and every control beside S-Mixup (Sec. 5.1)."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from smixup.augment import Augmentation, SMixup
from smixup.datasets import load_dataset
from smixup.experiments.arm import Arm
from smixup.experiments.config import RunConfig, configure
from smixup.experiments.fitted_matchers import Cache, SharedMatcher
from smixup.experiments.registry import make_method
from smixup.experiments.run import initial_model, prepare
from smixup.progress import Progress, Report, silent
from smixup.training import Splits, fit

BACKBONES = ("gcn", "gin")
ALPHAS = (0.2, 1.0)
CONDITIONS = ((20, 0.0), (100, 0.1))
NUM_GRAPHS = 1500
DATASET_SEED = 1000
BATCH_SIZE = 32
EPOCHS = 200

MATCHERS: dict[str, dict[str, Any]] = {
    "random order": {"matcher": "random-order"},
    "uniform": {"matcher": "uniform"},
    "paper's cosine": {
        "matcher.similarity": "cosine",
        "matcher.scale": 1.0,
        "matcher.correspondences": False,
        "matcher.random_walk": 0,
        "matcher.degree": False,
    },
    "S-Mixup": {},
}


def arms() -> Iterator[Arm]:
    """Yield Vanilla, then every matcher at every alpha."""
    yield Arm("Vanilla", "vanilla")
    for (name, settings), alpha in product(MATCHERS.items(), ALPHAS):
        yield Arm(f"{name}, alpha {alpha:g}", "s-mixup", settings | {"alpha": alpha})


@dataclass(frozen=True)
class Case:
    """What all arms share: the graphs, their labels, the split and the initial weights.

    Attributes:
        train_graphs: graphs to train on; 150 others validate, 150 test.
        label_noise: share of graphs whose label is drawn anew, as in GOOD-Motif; 0.1 leaves a ceiling of 93.3 %.
        seed: of graphs, split and weights.
    """

    train_graphs: int
    label_noise: float
    seed: int

    def config(self, arm: Arm, backbone: str) -> RunConfig:
        """Return the configuration of one run."""
        return configure(
            "MOTIF",
            backbone,
            arm.method,
            self.seed,
            epochs=EPOCHS,
            batch_size=BATCH_SIZE,
            train_graphs=self.train_graphs,
            method_settings=arm.settings,
            dataset_options={
                "num_graphs": NUM_GRAPHS,
                "label_noise": self.label_noise,
                "seed": DATASET_SEED + self.seed,
            },
        )


def cases(seeds: int) -> list[Case]:
    """Return all cases."""
    return [Case(*condition, seed) for seed in range(seeds) for condition in CONDITIONS]


def run_case(case: Case) -> list[dict[str, Any]]:
    """Train both backbones under every arm; matchers are fitted once for all of them."""
    torch.set_num_threads(1)
    data: Splits | None = None
    cache: Cache = {}
    records = []
    for backbone, arm in product(BACKBONES, arms()):
        config = case.config(arm, backbone)
        data = data or prepare(load_dataset(config.dataset, **config.dataset_options), config)
        records.append(asdict(case) | {"arm": arm.name, "backbone": backbone} | _scores(config, data, cache))
    return records


def _scores(config: RunConfig, data: Splits, cache: Cache) -> dict[str, float]:
    method = _sharing(make_method(config.method, config.seed, config.method_settings), cache)
    result = fit(initial_model(data.train, config), data, method, config.train_settings())
    history = result.history
    return {
        "test": history.at_best("test"),
        "validation": history.at_best("validation"),
        "test_loss": history.at_best("test_loss"),
        "calibration_error": result.calibration_error,
        "best_epoch": history.best_epoch,
    }


def _sharing(method: Augmentation, cache: Cache) -> Augmentation:
    if isinstance(method, SMixup):
        method.matcher = SharedMatcher(method.matcher, cache)
    return method


def run_study(file: Path, seeds: int, workers: int, report: Report = silent) -> list[dict[str, Any]]:
    """Run every case that the file does not hold yet, append its records, and return all of them.

    A case is written when it is complete, by this process alone: a study that is stopped goes on where it was.
    """
    records = read_records(file)
    wanted = cases(seeds)
    done = {(r["train_graphs"], r["label_noise"], r["seed"]) for r in records}
    missing = [case for case in wanted if (case.train_graphs, case.label_noise, case.seed) not in done]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool, file.open("a") as out:
        futures = [pool.submit(run_case, case) for case in missing]
        for finished, future in enumerate(as_completed(futures), len(wanted) - len(missing) + 1):
            found = future.result()
            out.write("".join(json.dumps(record) + "\n" for record in found))
            out.flush()
            records += found
            report(Progress("cases", finished, len(wanted)))
    return records


def read_records(file: Path) -> list[dict[str, Any]]:
    """Return the records of a file, none if there is no file; a last line cut short by a crash is left out."""
    if not file.exists():
        return []
    complete, _, _ = file.read_text().rpartition("\n")
    return [json.loads(line) for line in complete.splitlines()]


def scores(records: Sequence[Mapping[str, Any]], curve: str = "test", **where: object) -> list[float]:
    """Return one number per seed, in the order of seeds, of the records with the given fields."""
    found = [r for r in records if all(r[name] == value for name, value in where.items())]
    return [r[curve] for r in sorted(found, key=lambda r: r["seed"])]
