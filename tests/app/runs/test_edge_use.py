"""What a backbone does not take of the edges is left out, and said in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from smixup.app.runs.edge_use import with_used_edges
from smixup.graphs import Graphs, open_packed, pack
from smixup.graphs.edge_features import SHARE


@pytest.fixture
def bonded(graphs: Graphs) -> Graphs:
    return graphs.replace(edge_attrs={"edge_attr": (graphs.adj,), SHARE: (graphs.adj,)})


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_a_plain_backbone_leaves_them_out_and_names_others(bonded: Graphs, backbone: str) -> None:
    sentence = (
        rf"^{backbone} takes no features of edges, and leaves out 'edge_attr' of MUTAG: use "
        r"gcn-edge or gine to train on them\.$"
    )
    with pytest.warns(UserWarning, match=sentence) as said:
        found = with_used_edges(bonded, "MUTAG", backbone)
    assert len(said) == 1
    assert not found.edge_attrs
    assert found.fingerprint() == bonded.fingerprint()


@pytest.mark.parametrize("backbone", ["gcn-edge", "gine"])
def test_those_that_take_them_keep_them_in_silence(bonded: Graphs, backbone: str) -> None:
    assert with_used_edges(bonded, "MUTAG", backbone) is bonded


@pytest.mark.parametrize("backbone", ["gin", "gine"])
def test_nothing_is_said_of_graphs_without(graphs: Graphs, backbone: str) -> None:
    assert with_used_edges(graphs, "MOTIF", backbone) is graphs


def test_other_attributes_than_features_are_named(bonded: Graphs) -> None:
    more = bonded.replace(edge_attrs=dict(bonded.edge_attrs) | {"length": (bonded.adj,)})
    with pytest.warns(UserWarning, match="gine takes 'edge_attr' alone.* out 'length': put all"):
        assert set(with_used_edges(more, "MINE", "gine").edge_attrs) == {"edge_attr", SHARE}


def test_graphs_on_disk_are_read_without_them(bonded: Graphs, tmp_path: Path) -> None:
    pack(bonded.replace(edge_attrs={"edge_attr": (bonded.adj,)}), tmp_path / "packed")
    packed = open_packed(tmp_path / "packed")
    assert packed.num_edge_features == 1
    with pytest.warns(UserWarning, match="gin takes no features of edges"):
        found = with_used_edges(packed, "packed", "gin")
    assert found.num_edge_features == 0
    assert not found[:].edge_attrs
    assert torch.equal(found[:].adj.to_dense(), bonded.adj.to_dense())
    assert with_used_edges(packed, "packed", "gine")[[0, 4]].num_edge_features == 1
