"""ifMixup on padded matrices, R-Mixup by SciPy's logarithms and exponentials."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.linalg import expm, logm
from torch import Tensor

from smixup.augment import RMixup
from smixup.augment.baselines.if_mixup import IfMixup, interpolate_in_order
from smixup.augment.baselines.r_mixup import edges_of, matrices_of
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, SparseOperator
from smixup.progress import silent


def pad(matrix: Tensor, rows: int, columns: int) -> Tensor:
    return torch.nn.functional.pad(matrix, (0, columns - matrix.size(1), 0, rows - matrix.size(0)))


def blocks(batch: Graphs) -> list[tuple[Tensor, Tensor]]:
    dense = batch.adj.to_dense()
    bounds = zip(batch.ptr[:-1].tolist(), batch.ptr[1:].tolist(), strict=True)
    return [(batch.x[a:b], dense[a:b, a:b]) for a, b in bounds]


def test_pairs_are_mixed_as_padded_matrices(graphs: Graphs) -> None:
    left, partner = graphs[[0, 4, 1, 2]], torch.tensor([1, 2, 3, 0])
    right, lam = left[partner], torch.tensor([0.3, 0.9, 0.5, 1.0])
    mixed = interpolate_in_order(left, partner, lam)
    assert mixed.sizes.tolist() == [9, 9, 6, 6]
    pairs = zip(blocks(left), blocks(right), blocks(mixed), lam, strict=True)
    for (x1, A1), (x2, A2), (x, A), ratio in pairs:
        n = max(len(x1), len(x2))
        torch.testing.assert_close(x, ratio * pad(x1, n, 3) + (1 - ratio) * pad(x2, n, 3))
        torch.testing.assert_close(A, ratio * pad(A1, n, n) + (1 - ratio) * pad(A2, n, n))
    torch.testing.assert_close(
        mixed.y, lam.unsqueeze(1) * left.y + (1 - lam.unsqueeze(1)) * right.y
    )


def test_ratios_are_near_one_by_default(graphs: Graphs) -> None:
    graphs = graphs.replace(y=torch.eye(7))
    method = IfMixup(seed=0)
    own = torch.cat([method.on_batch(graphs[range(7)]).y.diagonal() for _ in range(300)])
    assert float(own[own < 1].mean()) == pytest.approx(20 / 21, abs=0.01)


def connectomes(matrices: Tensor) -> Graphs:
    """Graphs with a matrix each, and two features."""
    B, n, _ = matrices.shape
    x = torch.arange(2.0 * B * n).view(-1, 2)
    y, ptr = torch.eye(2)[torch.arange(B) % 2], n * torch.arange(B + 1)
    return Graphs(x, edges_of(matrices), y, ptr).renumbered()


@pytest.fixture
def brains() -> Graphs:
    random = np.random.default_rng(0)
    correlations = [np.corrcoef(random.normal(size=(5, 40))) for _ in range(6)]
    return connectomes(torch.from_numpy(np.stack(correlations)))


def test_mixes_are_on_the_geodesic_and_determinants_do_not_swell(brains: Graphs) -> None:
    tags = brains.replace(graph_attrs={"tag": torch.eye(6)})
    mixes = RMixup(seed=1).fit(tags, silent).on_batch(tags)
    given = matrices_of(brains).numpy()
    swollen = 0
    for b in range(6):
        share = mixes.graph_attrs["tag"][b].double().numpy()
        log = sum(s * logm(one) for s, one in zip(share, given, strict=True) if s > 0)
        expected = expm(log)
        found = matrices_of(mixes)[b].numpy() + np.diag(np.diag(expected) - 1)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        volumes = [np.log(np.linalg.det(one)) for one in given]
        assert np.log(np.linalg.det(found)) == pytest.approx(share @ volumes, abs=1e-4)
        line = np.log(np.linalg.det(sum(s * one for s, one in zip(share, given, strict=True))))
        swollen += line > share @ volumes + 1e-3
        torch.testing.assert_close(mixes.y[b].double(), torch.from_numpy(share) @ brains.y.double())
    assert swollen >= 3, "on a straight line they do"


def test_small_and_negative_eigenvalues_are_raised() -> None:
    matrix = torch.tensor([[[1.0, 2.0], [2.0, 1.0]]], dtype=torch.double)  # eigenvalues 3, -1
    mixes = RMixup(alpha=0.0, least=0.01).on_batch(connectomes(matrix))
    torch.testing.assert_close(mixes.adj.weight, torch.full((2,), (3.0 - 0.01) / 2))


def test_other_graphs_are_refused_in_a_sentence(brains: Graphs, graphs: Graphs) -> None:
    with pytest.raises(UsageError, match="on the same nodes, and these have 1 to 9: choose"):
        RMixup().fit(graphs, silent)
    with pytest.raises(SmixupError, match="up to 4 nodes, and these have 5: raise max_nodes"):
        RMixup(max_nodes=4).fit(brains, silent)
    named = brains.replace(edge_attrs={"bond": brains.adj.weight.unsqueeze(1)})
    with pytest.raises(SmixupError, match="leave out self-loops and attributes of edges"):
        RMixup().on_batch(named)
    adj = brains.adj
    one_way = adj.mask_entries(adj.row < adj.column)
    one_way = SparseOperator(one_way.row_ptr, one_way.column, one_way.weight, adj.num_columns)
    with pytest.raises(SmixupError, match="make edges undirected"):
        RMixup().on_batch(brains.replace(adj=one_way))
