"""Positions of the switch, and the order in which an assignment is drawn."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from smixup.app.pages.explorer.ways import Carried, WayKind, orders
from smixup.app.studies.alignment import Alignment
from smixup.augment.transport import TRANSPORTS


def soft(share: np.ndarray) -> Alignment:
    return Alignment(torch.from_numpy(share))


def test_orders_bring_mass_to_the_diagonal_and_the_motif_last() -> None:
    band = sum(np.diag(np.full(12 - abs(k), 1.0), k) for k in (-1, 0, 1))
    rows, columns = (
        np.random.default_rng(0).permutation(12),
        np.random.default_rng(1).permutation(12),
    )
    share = (band / band.sum(0))[rows][:, columns]
    found_rows, found_columns = orders(soft(share), None, None)
    sorted_share = share[found_rows][:, found_columns]
    off = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    assert (sorted_share * off).sum() <= (band / band.sum(0) * off).sum() + 1e-9
    blocks = np.kron(np.eye(3), np.full((4, 4), 0.25))[rows][:, columns]
    found_rows, found_columns = orders(soft(blocks), None, None)
    assert np.array_equal(
        blocks[found_rows][:, found_columns], np.kron(np.eye(3), np.full((4, 4), 0.25))
    )
    motif = torch.arange(12) < 3
    found_rows, found_columns = orders(soft(share), motif, ~motif)
    assert {*found_rows[-3:]} == {0, 1, 2}
    assert {*found_columns[:3]} == {0, 1, 2}


def test_counterparts_lie_on_the_diagonal_of_the_map() -> None:
    rows = np.random.default_rng(0).permutation(6)
    matches = torch.eye(6)[torch.from_numpy(rows)][:, :4]
    found_rows, found_columns = orders(Alignment(matches), None, None)
    assert torch.equal(matches[found_rows][:, found_columns], torch.eye(6)[:, :4])


@pytest.mark.parametrize(
    ("transport", "features", "edges"),
    [("paper", False, False), ("partial", True, False), ("partial(edges=true)", True, True)],
)
def test_what_becomes_of_a_node_without_counterpart(
    transport: str, features: bool, edges: bool
) -> None:
    carried = Carried.by(TRANSPORTS.of(transport))
    assert (carried.keeps_features, carried.keeps_edges) == (features, edges)
    assert carried.name == transport.partition("(")[0]


def test_a_control_has_its_own_name_on_the_first_button() -> None:
    assert WayKind.named("aligned", "graph-matcher").title == "aligned"
    assert WayKind.named("aligned", "identity").title == "no alignment"
    assert WayKind.named("uniform", "uniform").title == "uniform"
