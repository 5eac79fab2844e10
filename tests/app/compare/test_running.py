"""Paired runs, in sequence until decided, enough or out of time, and what is said of them: most of
them computed by nobody, with methods that are right on a known share of graphs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

import smixup
from smixup.app import compare as running
from smixup.app.compare import comparison, page
from smixup.app.compare.comparison import HEADER, Comparison, score_measure, scores
from smixup.app.compare.evidence import Answer
from smixup.app.compare.settings import CompareSettings
from smixup.app.runs.predictions import to_bytes
from smixup.app.runs.run import RunResult
from smixup.app.words import finite
from smixup.app.workers import Job, Outcome
from smixup.errors import Interrupted, SmixupError, UsageError
from smixup.models import load_model

DECIDED, ENOUGH, OUT_OF_TIME = "every method is decided", "no more runs", "the next run"
GRAPHS = 120
OWN = 0.2
EQUAL = {"vanilla": 0.5, "s-mixup": 0.5, "drop-edge": 0.5, "random-order": 0.5}
BETTER = EQUAL | {"s-mixup": 0.95}


@dataclass
class Pretended:
    """Does jobs at once, in place of `run_jobs`: each method has a share of graphs that it gets
    right, seconds that a run takes, and perhaps an error; `random-order` is S-Mixup's control.
    """

    right: Mapping[str, float] = field(default_factory=lambda: EQUAL)
    seconds: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    now: float = 0.0
    done: list[tuple[str, int]] = field(default_factory=list)

    def __call__(
        self, jobs: Iterable[Job], workers: int = 1, **others: Any
    ) -> Generator[Outcome, None, None]:
        for job in jobs:
            yield self.outcome(job)

    def outcome(self, job: Job) -> Outcome:
        config = job.config
        name = str(config.method_settings.get("matcher", config.method))
        self.done.append((name, config.seed))
        if name in self.errors:
            return Outcome(job.key, error=self.errors[name])
        seconds = self.seconds.get(name, 1.0)
        self.now += seconds
        return Outcome(job.key, self.result(name, config.fold, config.seed), seconds=seconds)

    def result(self, name: str, fold: int, seed: int) -> RunResult:
        random = np.random.default_rng([seed, *name.encode()])
        luck = np.random.default_rng([seed]).random(GRAPHS)  # shared by all methods at a seed,
        luck = np.where(random.random(GRAPHS) < OWN, random.random(GRAPHS), luck)  # but for some
        positions = np.arange(fold, GRAPHS, 10)
        labels = positions % 2
        right = luck[positions] < self.right[name]
        answers = np.where(right, labels, 1 - labels)
        logits = np.zeros((len(positions), 2))
        logits[np.arange(len(positions)), answers] = 2.0 + random.random(len(positions))
        tested = logits, labels, positions
        kept = to_bytes((logits[:0], labels[:0], positions[:0]), tested, GRAPHS)
        by_class = self.metric in ("accuracy", "rocauc")
        scores = {"test": float(right.mean()), "validation": 0.5, "best_epoch": 1, "epochs": 2}
        more = {"seconds": 1.0, "test_loss": 0.5, "calibration_error": 0.1, "versions": {}}
        about: Any = {**scores, **more, "predictions": kept if by_class else b""}
        return RunResult(self.metric, **about)


def asked(*methods: str, control: bool = False, **others: Any) -> CompareSettings:
    options = {"num_graphs": GRAPHS}
    names = methods or ("s-mixup",)
    return CompareSettings("MOTIF", names, control=control, dataset_options=options, **others)


def run(settings: CompareSettings, store: Path, pretended: Pretended | None = None) -> Comparison:
    """Compare methods by runs that nobody computes."""
    pretended = pretended or Pretended()
    with (
        patch.object(running, "run_jobs", pretended),
        patch.object(comparison, "monotonic", lambda: pretended.now),
        patch.object(comparison, "metric_of", lambda *_: SimpleNamespace(name=pretended.metric)),
    ):
        return running.run_pairs(settings, store)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "compare.db"


def both(seeds: Iterable[int]) -> list[tuple[str, int]]:
    return [(name, seed) for seed in seeds for name in ("vanilla", "s-mixup")]


def test_a_method_that_helps_is_run_until_that_is_clear_and_then_its_control(store: Path) -> None:
    pretended, again = Pretended(BETTER), Pretended(BETTER)
    found = run(asked(control=True), store, pretended)
    score, alignment = found.verdicts
    assert (score.answer, alignment.answer) == (Answer.HELPS, Answer.HELPS)
    assert found.ended == DECIDED and score.runs < 30
    controls = [("random-order", seed) for seed in range(score.runs)]
    assert pretended.done == both(range(score.runs)) + controls[: alignment.runs]
    assert run(asked(control=True), store, again).rows() == found.rows()
    assert again.done == [], "what is in the store is enough"


def test_the_control_is_not_run_without_need(store: Path) -> None:
    """And a method that is decided waits for nobody."""
    for right, control, number in ((EQUAL, True, 15), (BETTER, False, 10)):
        pretended, settings = (
            Pretended(right),
            asked("drop-edge", "s-mixup", seeds=15, control=control),
        )
        found = run(settings, store.with_name(f"{number}.db"), pretended)
        assert "the alignment" not in [verdict.name for verdict in found.verdicts]
        assert "random-order" not in {name for name, _ in pretended.done}
        assert [found.pairs("drop-edge"), found.pairs("s-mixup")] == [15, number]
        assert found.ended.startswith(ENOUGH)


def test_a_control_may_be_a_method(store: Path) -> None:
    pretended = Pretended(BETTER)
    found = run(asked("s-mixup", "random-alignment", control=True, seeds=10), store, pretended)
    assert pretended.done[:3] == [("vanilla", 0), ("s-mixup", 0), ("random-order", 0)]
    assert found.verdicts[-1].name == "the alignment"
    for same in (("drop-edge", "drop-edge()"), ("s-mixup", "s-mixup")):
        with pytest.raises(UsageError, match="methods must be different ones"):
            run(asked(*same), store)


def test_nothing_is_begun_that_would_not_fit_into_the_budget(store: Path) -> None:
    """A run of Vanilla takes 10 s, one of the method 30 s. The next call goes on from there. Once
    ten pairs have decided, one run of the control is begun, and a second would not fit.
    """
    pretended = Pretended(BETTER, {"vanilla": 10, "s-mixup": 30, "random-order": 30})
    for budget, pairs in ((100.0, 2), (100.0, 4), (285.0, 10)):
        found = run(asked(budget=budget, control=True), store, pretended)
        assert found.ended.startswith(OUT_OF_TIME)
        assert found.pairs("s-mixup") == pairs
    assert pretended.done[20:] == [("random-order", 0)]
    assert sorted(pretended.done[:20]) == sorted(both(range(10)))


def test_a_method_that_fails_ends_the_comparison_with_its_reason(store: Path) -> None:
    for name in ("vanilla", "s-mixup"):
        with pytest.raises(SmixupError, match=f"{name} fails on MOTIF: out of luck"):
            run(asked(), store.with_name(name), Pretended(errors={name: "out of luck."}))


def test_who_stops_it_is_told_how_to_go_on(store: Path) -> None:
    """Also if the run at work was the one to notice, which speaks of its own checkpoint."""
    words = r"are in .*compare\.db: repeat the command to go on\."
    for stopped in (KeyboardInterrupt(), Interrupted("after epoch 20: repeat with --resume.")):
        stopping = patch.object(Pretended, "outcome", side_effect=stopped)
        with stopping, pytest.raises(Interrupted, match=words):
            run(asked(), store)


def test_several_workers_take_what_is_next_as_they_are_free(store: Path) -> None:
    """Two at once, which end in turns out of order; what is decided is not begun any more."""

    class TwoAtOnce(Pretended):
        def __call__(self, jobs: Iterable[Job], *args: Any, **others: Any) -> Any:
            coming = iter(jobs)
            waiting = list(islice(coming, 2))
            while waiting:
                yield self.outcome(waiting.pop(-(len(self.done) % 2)))
                waiting += islice(coming, 1)

    pretended = TwoAtOnce(BETTER)
    found = run(asked(), store, pretended)
    assert (found.ended, sorted(pretended.done)) == (DECIDED, sorted(set(pretended.done)))
    assert 10 <= found.pairs("s-mixup") <= 11
    del found.runs["s-mixup"][1]
    assert found.pairs("s-mixup") == 1, "pairs are counted from the first seed on"


def runs(share: float, metric: str = "accuracy") -> list[RunResult]:
    pretended = Pretended({"x": share}, metric=metric)
    return [pretended.result("x", seed % 10, seed) for seed in range(12)]


def test_units_and_margins() -> None:
    units = {"accuracy": (True, 100.0), "r2": (True, 1.0), "rmse": (False, 1.0)}
    errors = [replace(run, test=5.0) for run in runs(0.5)]
    measures = {name: score_measure(name, errors) for name in units}
    assert {name: (each.higher_is_better, each.scale) for name, each in measures.items()} == units
    assert [each.margin for each in measures.values()] == [0.02, 0.02, 0.1], "2 % of Vanilla's"
    assert score_measure("accuracy", [], 0.005).margin == 0.005
    assert (measures["accuracy"].text(0.0131), measures["rmse"].text(-0.25)) == ("+1.3", "-0.250")


def test_accuracy_is_compared_graph_by_graph_and_other_scores_run_by_run() -> None:
    plain = runs(0.9)
    accuracy = scores(plain)
    assert accuracy.shape == (12, 120)
    assert np.nanmean(accuracy, 1) == pytest.approx([run.test for run in plain])
    for metric in ("rocauc", "mae"):
        assert scores(runs(0.9, metric)).shape == (12,)


TOLD = [  # shares that are right, settings, what is recommended, and the first sentence
    ({"s-mixup": 0.1}, {}, "vanilla", "s-mixup over vanilla: hurts; accuracy -"),
    ({"vanilla": 0.95}, {}, "s-mixup", "s-mixup over vanilla: helps; mae -"),
    ({}, {"margin": 0.4}, "vanilla", "s-mixup over vanilla: no difference larger than 40 points; "),
    ({}, {"seeds": 2}, "vanilla", "s-mixup over vanilla: cannot tell yet; accuracy "),
]


@pytest.mark.parametrize(("right", "settings", "recommended", "words"), TOLD)
def test_what_is_told(
    store: Path, right: dict[str, float], settings: dict[str, Any], recommended: str, words: str
) -> None:
    metric = "mae" if "mae" in words else "accuracy"
    found = run(asked(**settings), store, Pretended(EQUAL | right, metric=metric))
    assert found.recommended == recommended and f"--method {recommended}" in found.command
    assert found.verdicts[0].sentence.startswith(words)
    assert [each.measure.name for each in found.verdicts] == [metric]
    assert ("Train without augmentation for now" in found.headline) == ("cannot tell" in words)
    assert ("bounds not known yet" in found.verdicts[0].sentence) == ("seeds" in settings)


def test_of_two_that_help_the_one_that_gains_more(store: Path) -> None:
    right = EQUAL | {"s-mixup": 0.8, "drop-edge": 0.97}
    found = run(asked("s-mixup", "drop-edge"), store, Pretended(right))
    assert [each.answer for each in found.verdicts] == [Answer.HELPS] * 2
    assert found.recommended == "drop-edge"


def test_terminal_page_and_json_are_views_on_one_result(store: Path) -> None:
    seconds = {"vanilla": 2.0, "s-mixup": 5.0}
    found = run(asked(control=True, seeds=12), store, Pretended(BETTER, seconds))
    assert found.headline == "Train with s-mixup: it helps on MOTIF."
    rows, text, html = found.rows(), str(found), " ".join(page.compare_page(found).split())
    assert [row[0] for row in rows] == ["s-mixup", "the alignment"]
    assert {len(row) for row in rows} == {len(HEADER)} and rows[0][-1] == "2.5x"
    taken, without, difference = map(float, rows[0][2:5])
    assert taken - without == pytest.approx(difference, abs=0.11)
    told = json.loads(json.dumps(finite(found.to_dict())))
    for verdict, row, given in zip(told["verdicts"], rows, found.verdicts, strict=True):
        sentence = given.sentence
        assert (verdict["verdict"], verdict["sentence"]) == (row[6], sentence)
        assert sentence in text and all(cell in text and cell in html for cell in row[1:])
    assert "over random-alignment: helps; accuracy +" in told["verdicts"][1]["sentence"]
    assert found.state in text and found.state in html and found.command in html
    assert text.endswith(f"Next: {found.command}") and found.command.endswith(" --out model/")
    words = re.sub(r"</?span[^>]*>", "", html)
    assert "<h1>Train with S-Mixup: it helps on MOTIF.</h1>" in words
    assert "S-Mixup over Vanilla: helps; accuracy +" in words
    assert "is a WIDE, a network for few labels" in html and "S-Mixup adds mixes" in words
    assert html[: html.index("<section")].count("<svg") == 1 and html.count("<svg") == 2
    for host in ("www.w3.org", "matplotlib.org", "purl.org", "creativecommons.org"):
        html = re.sub(f"https?://{host}", "", html)
    assert "src=" not in html and "http" not in html, "nothing is fetched"


def circle_or_path(number: int, closed: bool) -> Data:
    graph = (nx.cycle_graph if closed else nx.path_graph)(number)
    edges, y = from_networkx(graph).edge_index, torch.tensor([int(closed)])
    return Data(torch.ones(number, 1), edges, torch.ones(edges.shape[1], 1), y)


@pytest.mark.slow
def test_graphs_of_ones_own(tmp_path: Path) -> None:
    """From a list in memory to a verdict, a page and a model; the same call again without a run."""
    graphs = [circle_or_path(4 + place % 3, place % 2 == 0) for place in range(40)]
    asked: dict[str, Any] = {"seeds": 2, "num_folds": 4, "epochs": 2, "root": tmp_path}
    place, model, seen = tmp_path / "compare.html", tmp_path / "model", set[int]()
    threads, methods = torch.get_num_threads(), ["drop-edge", "m-mixup"]
    report = lambda progress: progress.stage == "runs" and seen.add(progress.done)  # noqa: E731
    found = smixup.compare(graphs, methods, out=place, model=model, report=report, **asked)
    assert torch.get_num_threads() == threads
    assert (found.recommended, found.graphs, seen) == ("vanilla", 40, {*range(7)})
    assert found.pairs("m-mixup") == 2 and found.costs["m-mixup"] > 0
    assert smixup.compare(graphs, methods, **asked).rows() == found.rows()
    plain = Comparison.of(replace(found.settings, backbone="gin"))
    assert (found.settings.backbone, found.notes) == ("wide", ())
    assert any("gin leaves out" in note for note in plain.notes)
    (folder,) = (file.parent for file in (tmp_path / "compare").glob("*/packed.json"))
    assert str(folder) in found.command
    html = place.read_text(encoding="utf-8")
    assert "The recommended model was trained" in html and "To train the recommended" not in html
    assert load_model(model).about["command"] == found.command.replace("model/", str(model))
