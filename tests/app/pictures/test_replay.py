"""A replay is drawn with its graphs' numbers, its ratio and its links."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Batch

from smixup import AlignedCut, Graphs, Identity, SMixup, Uniform, silent, to_pyg
from smixup.app.pictures import replay
from smixup.app.pictures.mixed_pair import draw_mixed_pair, target_text
from smixup.app.pictures.replay import draw_replay
from smixup.errors import UsageError


@pytest.mark.parametrize(
    "mix",
    [SMixup(Identity(partial=True), seed=0), AlignedCut(Identity(), seed=0), SMixup(Uniform())],
)
def test_a_picture_of_a_mix(
    mix: SMixup, motif_graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = to_pyg(motif_graphs).to_data_list()
    mix.fit(data, silent)(Batch.from_data_list(data[3:6]))
    how = mix.replay(1)
    drawn = []

    def watched(*args: object) -> object:
        drawn.append(draw_mixed_pair(*args))  # type: ignore[arg-type]
        return drawn[-1]

    monkeypatch.setattr(replay, "draw_mixed_pair", watched)
    assert draw_replay(how, tmp_path / "mix.svg") == tmp_path / "mix.svg"
    assert (tmp_path / "mix.svg").read_text().startswith("<?xml")
    assert draw_replay(how, str(tmp_path / "mix.png")).read_bytes().startswith(b"\x89PNG")
    titles = [axes.get_title() for axes in drawn[0].axes]
    assert titles[0].startswith("G1, training graph 4\n")
    assert titles[1].startswith(f"G2, training graph {how.second}\n")
    assert f"λ = {how.ratio:.2f}" in titles[3]
    links = 0 if isinstance(mix.matcher, Uniform) else int(how.alignment.sum())
    assert len(drawn[0].artists) == links


def test_a_name_of_another_kind_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end with .svg or .png"):
        draw_replay(None, tmp_path / "mix.pdf")  # type: ignore[arg-type]


def test_values_are_no_shares_of_classes(motif_graphs: Graphs) -> None:
    values = motif_graphs[[0]].replace(y=torch.tensor([[0.31, -2.0]]), has_classes=False)
    assert target_text(values) == "y = 0.31, -2"
    assert target_text(motif_graphs[[0]], ("a", "b", "c")) in ("a", "b", "c")
