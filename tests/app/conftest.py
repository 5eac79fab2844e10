"""A pair of tiny graphs with motifs."""

from __future__ import annotations

import pytest

from smixup.app.pictures.mixed_pair import MixedPair
from smixup.datasets import load_dataset
from smixup.graphs import Graphs
from smixup.matching import Uniform


@pytest.fixture(scope="session")
def motif_graphs() -> Graphs:
    return load_dataset("MOTIF", num_graphs=12).graphs


@pytest.fixture
def pair(motif_graphs: Graphs) -> MixedPair:
    different = int((motif_graphs.labels != motif_graphs.labels[0]).nonzero()[0])
    return MixedPair.of(Uniform(), motif_graphs[[0]], motif_graphs[[different]], 0.75)
