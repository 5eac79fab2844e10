"""What is alike in two graphs is drawn alike."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from smixup.app.pictures.graph_drawing import layout_of, turned
from smixup.app.pictures.pair_layout import pair_layouts
from smixup.app.studies.alignment import Alignment
from smixup.graphs import Graphs
from smixup.matching import Identity


def aligned(left: Graphs, right: Graphs) -> Alignment:
    return Alignment(Identity(partial=True)(left, right).to_dense())


def test_motifs_of_one_class_lie_alike(motif_graphs: Graphs) -> None:
    labels = motif_graphs.labels.tolist()
    pairs = [(a, b) for a in range(12) for b in range(a) if labels[a] == labels[b]]
    for one, other in pairs[:6]:
        left, right = motif_graphs[[one]], motif_graphs[[other]]
        places1, places2 = pair_layouts(left, right, aligned(left, right))
        assert left.motif is not None and right.motif is not None
        own1, own2 = places1[left.motif.numpy()], places2[right.motif.numpy()]
        first, second = own1 - own1.mean(0), own2 - own2.mean(0)
        apart = np.linalg.norm(first[:, None] - second[None], axis=2)
        assert apart.min(0) == pytest.approx([0] * 5, abs=0.02), "each node lies on one of G1"
        assert sorted(apart.argmin(0).tolist()) == [0, 1, 2, 3, 4]


def test_without_motif_counterparts_come_near(motif_graphs: Graphs) -> None:
    left, right = (motif_graphs[[place]].replace(node_attrs={}) for place in (0, 1))
    alignment = aligned(left, right)
    places1, places2 = pair_layouts(left, right, alignment)
    plain = layout_of(right.adj.to_dense())
    targets = alignment.M.double().numpy().T @ places1
    assert np.allclose(places2, turned(plain, targets, alignment.matched2))


def test_motifs_of_two_classes_are_not_forced_together(motif_graphs: Graphs) -> None:
    other = int((motif_graphs.labels != motif_graphs.labels[0]).nonzero()[0])
    left, right = motif_graphs[[0]], motif_graphs[[other]]
    places1, places2 = pair_layouts(left, right, aligned(left, right))
    assert np.isfinite(places2).all()
    assert torch.from_numpy(places1).shape == (left.num_nodes, 2)
