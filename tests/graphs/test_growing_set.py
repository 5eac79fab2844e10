"""Columns are as small as what they hold, and change when something larger comes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from packed_kinds import assert_identical, attributed, directed, soft, unweighted, written

from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedWriter, SparseOperator, open_packed


def test_what_becomes_more_general_on_the_way(graphs: Graphs, tmp_path: Path) -> None:
    """Weights that are no longer one, targets no longer one-hot, attributes of other edges."""
    plain = unweighted(graphs).replace(x=graphs.x)
    parts = plain[:3], graphs[3:5], soft(graphs)[5:]
    assert_identical(written(tmp_path / "set", *parts), Graphs.cat(parts))
    told = json.loads((tmp_path / "set" / "packed.json").read_text())
    assert told["adj"]["weight"] == "adj"

    rich = attributed(graphs)
    alike = rich.replace(
        edge_attrs={"bond": (rich.edge_attrs["bond"][0],) * 2}
        | {"odd / name": rich.edge_attrs["odd / name"]}
    )
    parts = alike[:4], rich[4:]
    assert_identical(written(tmp_path / "other", *parts), Graphs.cat(parts))


def test_small_types_and_no_weights_unless_needed(graphs: Graphs, tmp_path: Path) -> None:
    written(tmp_path / "set", unweighted(graphs))
    names = {path.name for path in (tmp_path / "set").iterdir()}
    columns = {"ptr.npy", "x.npy", "y.npy", "adj.ptr.npy", "adj.count.npy", "adj.column.npy"}
    assert names == columns | {"packed.json"}
    assert open_packed(tmp_path / "set").columns["x"].dtype == "uint8"
    assert open_packed(tmp_path / "set").columns["adj.column"].dtype == "int32"
    assert open_packed(tmp_path / "set").columns["y"].dtype == "int32"


def test_indicators_in_bytes_as_long_as_they_are(graphs: Graphs, tmp_path: Path) -> None:
    ones = graphs.replace(x=(graphs.x > 0).float())
    parts = ones[:3], ones[3:5], graphs[5:]
    for number in (2, 3):
        with PackedWriter(tmp_path / "set", indicators_in_bytes=True) as writer:
            for part in parts[:number]:
                writer.add(part)
        found = open_packed(tmp_path / "set")[:]
        assert found.x.dtype == (torch.uint8 if number == 2 else torch.float)
        assert_identical(found.floating(), Graphs.cat(parts[:number]))
    assert not (tmp_path / "set" / "before.npy").exists()
    assert written(tmp_path / "plain", ones).x.dtype == torch.float


def test_one_directed_part_makes_the_set_directed(graphs: Graphs, tmp_path: Path) -> None:
    assert written(tmp_path / "set", graphs[:3], directed(graphs)[3:]).adj.symmetric is False


def test_parts_that_do_not_fit_together(graphs: Graphs, tmp_path: Path) -> None:
    rich = attributed(graphs)
    narrow = rich.replace(edge_attrs=rich.edge_attrs | {"bond": rich.edge_attrs["bond"][:1]})
    cases = {
        r"x is .* make them alike": (graphs, graphs.replace(x=graphs.x[:, :2])),
        r"only some .* attribute 'bond'": (rich, graphs),
        r"'bond' of edges has 1 columns": (rich, narrow),
        r"targets have 1 columns": (soft(graphs), soft(graphs).replace(y=graphs.y[:, :1])),
        r"are classes .* others are values": (graphs, graphs.replace(has_classes=False)),
    }
    for message, parts in cases.items():
        with pytest.raises(SmixupError, match=message):
            written(tmp_path / "set", *parts)
    assert list(tmp_path.iterdir()) == []


def test_what_no_column_can_hold_is_refused(graphs: Graphs, tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="made of degrees"):
        written(tmp_path / "set", graphs.replace(degree_encoding=torch.sqrt))
    edges = torch.tensor([[0, 4], [4, 0]])
    joined = SparseOperator.from_edges(edges, torch.ones(2), graphs.num_nodes)
    with pytest.raises(SmixupError, match="joins two different graphs"):
        written(tmp_path / "set", graphs.replace(adj=joined))
