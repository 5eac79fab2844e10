"""Training falls, stops, remembers its best, and goes on where it was interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.checkpoint import CheckpointFile
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.correspondence import CorrespondenceObjective
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.fitting import (
    HELD_OUT_EXAMPLES,
    WARM_UP,
    FitState,
    Schedule,
    evaluate_held_out,
    fit_network,
    train_step,
)
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.objective import Objective, ObjectiveResult
from smixup.matching.triplet import TripletObjective
from smixup.progress import Progress

SCHEDULE = Schedule(
    batch_size=8, learning_rate=1e-2, max_steps=12, evaluate_every=3, patience=50, seed=0
)


def fresh(inputs: NodeInput) -> MatchingNetwork:
    torch.manual_seed(0)
    return MatchingNetwork(inputs.width, 8, 2)


@pytest.fixture
def inputs(graphs: Graphs) -> NodeInput:
    inputs = NodeInput(3, StructuralEncoding(3))
    inputs.fit(graphs[range(7)])
    return inputs


@pytest.fixture
def objectives(graphs: Graphs, inputs: NodeInput) -> list[Objective]:
    return [TripletObjective(graphs, inputs, 1.0), CorrespondenceObjective(graphs, inputs, 0.2)]


class Script:
    """A objective whose held-out losses are prescribed."""

    name = "scripted"

    def __init__(self, losses: list[float]) -> None:
        self.losses = iter(losses)

    def __call__(
        self, network: MatchingNetwork, size: int, generator: torch.Generator
    ) -> ObjectiveResult:
        loss = next(self.losses)
        return ObjectiveResult(loss + 0 * network.log_scale, torch.tensor(1 / (1 + loss)))


def weights(network: MatchingNetwork) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(one[name], two[name]) for name in one)


def test_the_rate_rises_then_falls_to_nothing() -> None:
    schedule = replace(SCHEDULE, max_steps=100, learning_rate=0.5)
    rates = [schedule.rate(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.5 / WARM_UP)
    assert max(rates) == rates[WARM_UP - 1]
    assert rates[WARM_UP:] == sorted(rates[WARM_UP:], reverse=True)
    assert 0 < rates[-1] < 0.06


def test_the_loss_falls(objectives: list[Objective], inputs: NodeInput) -> None:
    seen: list[Progress] = []
    network = fresh(inputs)
    schedule = replace(SCHEDULE, max_steps=30, evaluate_every=10, batch_size=16)
    fit = FitState(network, torch.optim.Adam(network.parameters()))
    evaluate_held_out(fit, objectives, schedule)
    before = fit.best_loss
    scores = fit_network(network, objectives, objectives, schedule, seen.append)
    after = FitState(network, torch.optim.Adam(network.parameters()))
    evaluate_held_out(after, objectives, schedule)
    assert after.best_loss < 0.8 * before
    assert scores == after.best_scores
    assert set(scores) == {"triplet accuracy", "copies found"}
    assert [progress.done for progress in seen] == list(range(1, 31))
    assert [not progress.metrics for progress in seen] == [True] * 9 + [False] * 21
    assert seen[-1].metrics == scores


def test_a_look_takes_more_examples_than_a_small_batch_has(inputs: NodeInput) -> None:
    seen: list[int] = []

    class Counting:
        name = "counting"

        def __call__(
            self, network: MatchingNetwork, size: int, generator: torch.Generator
        ) -> ObjectiveResult:
            seen.append(size)
            return ObjectiveResult(network.log_scale.square(), torch.tensor(0.5))

    for batch_size, examples in ((8, HELD_OUT_EXAMPLES), (256, 256)):
        schedule = replace(SCHEDULE, batch_size=batch_size, max_steps=2, evaluate_every=2)
        fit_network(fresh(inputs), [Counting()], [Counting()], schedule)
        assert seen == [batch_size, batch_size, examples]
        seen.clear()


def test_it_stops_by_patience_and_restores_the_best(
    objectives: list[Objective], inputs: NodeInput
) -> None:
    network, kept, totals = fresh(inputs), [], []

    def report(progress: Progress) -> None:
        totals.append(progress.total)
        if progress.done % SCHEDULE.evaluate_every == 0:
            kept.append(weights(network))

    schedule = replace(SCHEDULE, max_steps=100, patience=2)
    scores = fit_network(network, objectives, [Script([3.0, 1.0, 2.0, 1.5, 0.1])], schedule, report)
    assert len(kept) == 4, "two looks without improvement are enough"
    assert same(weights(network), kept[1])
    assert not same(kept[1], kept[3])
    assert scores == {"scripted": 0.5}
    assert totals == [100] * 11 + [12], "the last report says that it is over"


def test_the_same_seed_gives_the_same_weights_whatever_torch_s_own_state(
    objectives: list[Objective], inputs: NodeInput
) -> None:
    results = []
    for seed, state in ((0, 1), (0, 2), (1, 1)):
        network = fresh(inputs)
        torch.manual_seed(state)
        fit_network(network, objectives, objectives, replace(SCHEDULE, seed=seed))
        results.append(weights(network))
    assert same(results[0], results[1])
    assert not same(results[0], results[2])


@pytest.mark.slow
@pytest.mark.parametrize("stop", [3, 6, 9, 12])
def test_an_interrupted_fit_continues_to_the_same_bits(
    objectives: list[Objective], inputs: NodeInput, tmp_path: Path, stop: int
) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done == stop:
            raise KeyboardInterrupt

    seen: list[Progress] = []
    file = CheckpointFile(tmp_path / "fit.safetensors", "f")
    with pytest.raises(KeyboardInterrupt):
        fit_network(fresh(inputs), objectives, objectives, SCHEDULE, interrupt, file)
    resumed, whole = fresh(inputs), fresh(inputs)
    scores = fit_network(resumed, objectives, objectives, SCHEDULE, seen.append, file)
    assert scores == fit_network(whole, objectives, objectives, SCHEDULE)
    assert same(weights(resumed), weights(whole))
    assert [progress.done for progress in seen] == list(range(stop + 1, 13)), (
        "it went on from there"
    )


def test_an_interruption_between_two_looks_goes_back_to_the_last(
    objectives: list[Objective], inputs: NodeInput, tmp_path: Path
) -> None:
    class Stopping:
        name, calls = "stopping", 0

        def __call__(
            self, network: MatchingNetwork, size: int, generator: torch.Generator
        ) -> ObjectiveResult:
            self.calls += 1
            if self.calls == 5:
                raise KeyboardInterrupt
            return objectives[0](network, size, generator)

    file = CheckpointFile(tmp_path / "fit.safetensors", "f")
    with pytest.raises(KeyboardInterrupt):
        fit_network(fresh(inputs), [Stopping()], objectives[:1], SCHEDULE, checkpoint=file)
    assert file.read()[1]["step"] == 3
    resumed, whole = fresh(inputs), fresh(inputs)
    fit_network(resumed, objectives[:1], objectives[:1], SCHEDULE, checkpoint=file)
    fit_network(whole, objectives[:1], objectives[:1], SCHEDULE)
    assert same(weights(resumed), weights(whole))


def test_patience_survives_an_interruption(
    objectives: list[Objective], inputs: NodeInput, tmp_path: Path
) -> None:
    file, schedule = (
        CheckpointFile(tmp_path / "fit", "f"),
        replace(SCHEDULE, max_steps=6, patience=3),
    )
    fit_network(fresh(inputs), objectives, [Script([1.0, 2.0])], schedule, checkpoint=file)
    seen: list[Progress] = []
    longer = replace(schedule, max_steps=100)
    fit_network(fresh(inputs), objectives, [Script([3.0, 4.0, 0.0])], longer, seen.append, file)
    assert [progress.done for progress in seen] == [7, 8, 9, 10, 11, 12]


def test_a_loss_that_is_no_number_is_an_error(inputs: NodeInput) -> None:
    network = fresh(inputs)
    fit = FitState(network, torch.optim.Adam(network.parameters()))

    class Broken:
        name = "broken"

        def __call__(
            self, network: MatchingNetwork, size: int, generator: torch.Generator
        ) -> ObjectiveResult:
            return ObjectiveResult(network.log_scale * torch.nan, torch.tensor(0.0))

    with pytest.raises(
        SmixupError, match=r"not finite in step 1: lower its learning rate, which is 0\.01"
    ):
        train_step(fit, [Broken()], SCHEDULE)
