"""On a device that is not the CPU, matchers and training do what they do there. The device is a
fake one that refuses what CUDA refuses; all its operations go through Python, so this is of the
night.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from fake_device import FAKE, FakeDevice
from torch import Tensor, nn

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
MIXED: list[Callable[[Tensor], object]] = [
    lambda x: x + torch.ones(3),
    lambda x: torch.ones(4, 3).add_(x),
    lambda x: torch.ones(4)[torch.tensor([1], device=FAKE)],
    lambda x: x.index_put_((torch.tensor([1, 2]),), torch.ones(2, 3)),
    lambda x: torch.cumsum(x, 0, out=torch.empty(4, 3)),
    lambda x: nn.Linear(3, 2)(x),
]
ALLOWED: list[Callable[[Tensor], Tensor]] = [
    lambda x: torch.where(x > 0, torch.tensor(0.5), 2 * x + torch.tensor(1.0)),
    lambda x: x[torch.tensor([2, 0])].cumsum(0)[1:].clone().mul_(2).flatten()[::2],
    lambda x: x.clone().index_put_((torch.tensor([1]),), torch.tensor(3.0)),
    lambda x: x.unique(return_inverse=True)[1],
]


def test_the_device_refuses_what_cuda_refuses_and_computes_what_the_cpu_does() -> None:
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    with FakeDevice():
        for mix in MIXED:
            with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
                mix(x.to(FAKE))
        for compute in ALLOWED:
            there = compute(x.to(FAKE))
            assert there.device == FAKE and torch.equal(there.cpu(), compute(x))
        with pytest.raises(TypeError, match="device type tensor to numpy"):
            x.to(FAKE).numpy()
        with pytest.raises(RuntimeError, match="device type for generator"):
            torch.rand(2, generator=torch.Generator(), device=FAKE)


MATCHERS: list[Callable[[], Matcher]] = [
    Identity,
    RRWM,
    FusedGromovWasserstein,
    lambda: SiameseMatcher(**SMALL, normalization="columns"),  # type: ignore[arg-type]
    lambda: GraphMatcher(**SMALL),  # type: ignore[arg-type]
    lambda: GraphMatcher(**SMALL, normalization="consensus"),  # type: ignore[arg-type]
]


def test_graphs_and_matchers_there_are_those_here(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = torch.tensor([0, 4, 3]), torch.tensor([5, 2, 4])
    with FakeDevice():
        there = graphs.renumbered().to(FAKE)
        again = from_pyg_batch(to_pyg(there))
        torch.testing.assert_close(again.adj.to_dense().cpu(), graphs.adj.to_dense())
        found = KnownGraphs.of(there).find(again[[3, 1]])
        assert found is not None and found.tolist() == [3, 1]
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
        return model, result.history.curves["test_loss"]

    for kind in (GCN, GIN):
        expected, here = trained(torch.device("cpu"), kind)
        with FakeDevice():
            model, away = trained(FAKE, kind)
            assert away == pytest.approx(here, rel=1e-3)
            for name, tensor in model.state_dict().items():  # the model itself stays on the CPU
                torch.testing.assert_close(
                    tensor, expected.state_dict()[name], rtol=1e-3, atol=1e-3
                )
