"""Small graphs, small matchers and results of runs, which many tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import torch
from fake_device import FAKE, FakeDevice

from smixup.app.runs.run import RunResult
from smixup.datasets import import_archive
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets
from smixup.matching import GraphMatcher

os.environ.setdefault("OMP_NUM_THREADS", "1")  # for processes that tests start
torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that asks for a publisher's archive, so that none is forgotten."""
    for item in items:
        if "archive" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


FAKES = [pytest.param("fake", marks=pytest.mark.nightly)]  # every operation goes through Python
DEVICES = ["cpu", *FAKES, *(["cuda:0"] if torch.cuda.is_available() else [])]
"""Where contract tests run. The fake device shows on any machine what would fail on a GPU."""


def random_graphs(
    sizes: list[int], num_features: int = 3, num_classes: int = 2, seed: int = 0
) -> Graphs:
    """Undirected weighted random graphs; every third one has no edges at all."""
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for place, n in enumerate(sizes):
        upper = (torch.rand(n, n, generator=generator) < 0.4).triu(1) * (place % 3 != 2)
        dense = upper * (0.5 + torch.rand(n, n, generator=generator))
        dense = dense + dense.T
        target, source = dense.nonzero(as_tuple=True)
        parts.append(
            SparseOperator.from_edges(torch.stack([source, target]), dense[target, source], n)
        )
    total = sum(sizes)
    labels = torch.arange(len(sizes)) % num_classes
    return Graphs(
        x=torch.randn(total, num_features, generator=generator),
        adj=SparseOperator.stack(parts),
        y=torch.nn.functional.one_hot(labels, num_classes).float(),
        ptr=offsets(torch.tensor(sizes)),
    )


def set_of(nx_graphs: list[nx.Graph], labels: list[int] | None = None, width: int = 1) -> Graphs:
    """Unweighted networkx graphs with constant features."""
    parts = []
    for graph in nx_graphs:
        dense = torch.from_numpy(nx.to_numpy_array(graph)).float()
        target, source = dense.nonzero(as_tuple=True)
        parts.append(
            SparseOperator.from_edges(
                torch.stack([source, target]), dense[target, source], len(dense)
            )
        )
    sizes = torch.tensor([graph.number_of_nodes() for graph in nx_graphs])
    y = torch.nn.functional.one_hot(
        torch.tensor(labels or [0] * len(parts)), max(labels or [0]) + 1
    ).float()
    return Graphs(
        torch.ones(int(sizes.sum()), width), SparseOperator.stack(parts), y, offsets(sizes)
    )


def tiny_matcher(**settings: object) -> GraphMatcher:
    small: dict[str, object] = {
        "num_layers": 2,
        "hidden_channels": 8,
        "batch_size": 8,
        "max_steps": 4,
    }
    small |= {"evaluate_every": 2, "random_walk": 4}
    return GraphMatcher(**(small | settings))  # type: ignore[arg-type]


def permuted_batch(batch: Graphs, seed: int = 0) -> tuple[Graphs, torch.Tensor]:
    """The same graphs with their nodes renumbered, and the old number of every new node."""
    random = torch.Generator().manual_seed(seed)
    parts = [
        torch.randperm(int(n), generator=random).to(batch.device) + first
        for n, first in zip(batch.sizes, batch.ptr, strict=False)
    ]
    old = torch.cat(parts)
    dense = batch.adj.to_dense()[old][:, old]
    row, column = dense.nonzero(as_tuple=True)
    adj = SparseOperator.from_entries(row, column, dense[row, column], (old.numel(), old.numel()))
    return batch.replace(x=batch.x[old], adj=adj), old


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> Iterator[torch.device]:
    """Every device on which the package promises to work."""
    if request.param != "fake":
        yield torch.device(request.param)
        return
    with FakeDevice():
        yield FAKE


@pytest.fixture(scope="session")
def tiny() -> Callable[..., GraphMatcher]:
    return tiny_matcher


@pytest.fixture(scope="session")
def permuted() -> Callable[..., tuple[Graphs, torch.Tensor]]:
    return permuted_batch


@pytest.fixture
def graphs() -> Graphs:
    """Seven ragged graphs: one node, no edges, and one that is larger than the rest among them."""
    return random_graphs([4, 1, 6, 3, 9, 5, 2])


@pytest.fixture(scope="session")
def make_graphs() -> Callable[..., Graphs]:
    return random_graphs


@pytest.fixture(scope="session")
def from_networkx() -> Callable[..., Graphs]:
    return set_of


@pytest.fixture(scope="session")
def archive() -> Callable[[str], Path]:
    """Find a publisher's archive by file name, or skip."""

    def find(name: str) -> Path:
        folder = os.environ.get("SMIXUP_DATA_ARCHIVES")
        if folder is None:
            pytest.skip("no real data: SMIXUP_DATA_ARCHIVES names no folder of archives")
        path = Path(folder).expanduser() / name
        if not path.exists():
            pytest.skip(f"no real data: {name} is not in {folder} (SMIXUP_DATA_ARCHIVES)")
        return path

    return find


@pytest.fixture(scope="session")
def real_data(
    archive: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Import a publisher's archive once for all tests, and return the data root, to read only."""
    root = tmp_path_factory.mktemp("real-data")

    @cache
    def imported(name: str) -> Path:
        import_archive(archive(name), root)
        return root

    return imported


@pytest.fixture
def make_result() -> Callable[..., RunResult]:
    """Make a result that nobody computed."""

    def result(**changes: Any) -> RunResult:
        scores = {"test": 0.5, "validation": 0.5, "test_loss": 1.0, "calibration_error": 0.1}
        others = {"metric": "accuracy", "best_epoch": 1, "epochs": 2, "seconds": 1.5}
        further = {"accuracy": 0.5, "rocauc": 0.5, "brier": 0.5, "temperature": 1.0}
        scaled = ("scaled_loss", "scaled_brier", "scaled_calibration_error")
        scores |= further | dict.fromkeys(scaled, 0.25)
        fields = scores | others | {"versions": {"torch": "2"}} | changes
        return RunResult(**({"curves": {"test_loss": [2.0, fields["test_loss"]]}} | fields))

    return result


if hasattr(signal, "SIGHUP"):  # ignored under nohup, and then by every process that a test starts
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so it is behind `&` in a script
    signal.signal(signal.SIGINT, signal.default_int_handler)
