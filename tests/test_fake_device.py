"""On a device that is not the CPU, matchers and training do what they do there. The device is a
fake one that refuses what CUDA refuses; all its operations go through Python, so this is of the
night.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from fake_device import FAKE, FakeDevice

from smixup.augment import Augmentation, DropEdge, GMixup, SMixup
from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Codes, Graphs
from smixup.graphs.content import KnownGraphs
from smixup.graphs.pyg import from_pyg_batch, to_pyg
from smixup.matching import RRWM, GraphMatcher, Identity, Matcher, SiameseMatcher, large
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.training import Splits, TrainSettings, fit, loop

pytestmark = pytest.mark.nightly
SMALL = {"max_steps": 2, "hidden_channels": 8, "num_layers": 2, "batch_size": 8}
MATCHERS: list[Callable[[], Matcher]] = [
    Identity,
    RRWM,
    FusedGromovWasserstein,
    lambda: SiameseMatcher(**SMALL, normalization="columns"),  # type: ignore[arg-type]
    lambda: GraphMatcher(**SMALL),  # type: ignore[arg-type]
    lambda: GraphMatcher(**SMALL, normalization="one-to-one"),  # type: ignore[arg-type]
]


def test_graphs_and_matchers_there_are_those_here(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = torch.tensor([0, 4, 3]), torch.tensor([5, 2, 4])
    with FakeDevice():
        there = graphs.renumbered().to(FAKE)
        again = from_pyg_batch(to_pyg(there))
        torch.testing.assert_close(again.adj.to_dense().cpu(), graphs.adj.to_dense())
        found = KnownGraphs.of(there).recognised(again[[3, 1]]).ids
        assert found.tolist() == [3, 1]
        coded = to_pyg(there)
        coded.x = torch.arange(30, device=FAKE) % 4
        assert from_pyg_batch(coded, encode=Codes(nodes=(4,))).x.device == FAKE
        for cells in (large.CELLS, 20):  # by tables, and by candidates
            monkeypatch.setattr(large, "CELLS", cells)
            for make in MATCHERS:
                away = make().fit(there)
                M = away.assign(away.prepare(there), left, right)
                expected = make().fit(graphs)(graphs[left], graphs[right]).to_dense()
                assert M.device == FAKE
                torch.testing.assert_close(M.to_dense().cpu(), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    "method",
    [
        Augmentation,
        lambda: DropEdge(seed=0),
        lambda: GMixup(seed=0),
        lambda: SMixup(GraphMatcher(**SMALL), seed=0, partners=2),  # type: ignore[arg-type]
    ],
)
def test_training_there_is_training_here(
    method: Callable[[], Augmentation],
    make_graphs: Callable[..., Graphs],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numbers differ by rounding alone: all that is drawn is drawn on the CPU."""
    graphs = make_graphs([5, 4, 6] * 8)
    splits = Splits(graphs[:16], graphs[16:20], graphs[20:])

    def trained(device: torch.device, kind: type[Classifier]) -> tuple[Classifier, list[float]]:
        monkeypatch.setattr(loop, "device_of", lambda accelerator: device)
        torch.manual_seed(3)
        model = kind(3, 2, hidden_channels=8, num_layers=2)
        result = fit(model, splits, method(), TrainSettings(2, 0.01, 8))
        return model, [result.history.test_loss]

    for kind in (GCN, GIN):
        expected, here = trained(torch.device("cpu"), kind)
        with FakeDevice():
            model, away = trained(FAKE, kind)
            assert away == pytest.approx(here, rel=1e-3)
            for name, tensor in model.state_dict().items():  # the model itself stays on the CPU
                torch.testing.assert_close(
                    tensor, expected.state_dict()[name], rtol=1e-3, atol=1e-3
                )
