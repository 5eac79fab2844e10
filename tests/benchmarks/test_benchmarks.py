"""Every row runs, both ways do the same work, and ratios are of rounds."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch_geometric.data import Batch

from benchmarks.__main__ import main, summary, turns
from benchmarks.plain import PlainGCN, PlainGIN, mix_pair
from benchmarks.rows import ROWS
from benchmarks.setup import Setup
from smixup.augment.mixing import interpolate, transform
from smixup.classifiers import GCN, GIN
from smixup.matching import Uniform

SLOW = {"startup", "matcher", "large-pairs"}


@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=[pytest.mark.nightly] * (row in SLOW)) for row in ROWS]
)
@pytest.mark.filterwarnings("ignore")
def test_every_row_runs(row: str) -> None:
    cases = 0
    for case, ours, reference in ROWS[row](Setup(quick=True)):
        assert " : " in case
        ours(), reference()
        cases += 1
    assert cases


def test_ratios_are_of_rounds() -> None:
    text = summary([(1.0, 2.0), (10.0, 10.0), (2.0, 8.0)])
    assert text == "2 s, 2.00x [1.50, 3.00]"
    order: list[str] = []
    rounds = turns(lambda: order.append("ours"), lambda: order.append("other"), 3)
    assert (len(rounds), order) == (3, ["ours", "other"] * 4)


def test_rows_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["mixing", "--quick", "--repeat", "2"])
    assert "pairs : pair by pair" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["mixng"])


@pytest.mark.parametrize(("ours", "plain"), [(GCN, PlainGCN), (GIN, PlainGIN)])
def test_networks_are_equal_to_pyg_s(ours: type[nn.Module], plain: type[nn.Module]) -> None:
    setup = Setup(quick=True)
    models = [kind(*setup.sizes).double() for kind in (ours, plain)]
    weights = [[p for p in model.parameters() if p.dim() == 2] for model in models]
    with torch.no_grad():
        for mine, theirs in zip(*weights, strict=True):
            theirs.copy_(mine)
        for model in models:
            for part in model.head:
                nn.init.zeros_(part.bias) if isinstance(part, nn.Linear) else None
    batch = Batch.from_data_list(setup.data)
    batch.x = batch.x.double()
    graphs = setup.graphs.replace(x=setup.graphs.x.double())
    torch.testing.assert_close(models[0](graphs), models[1](batch))


def test_mixes_are_equal_pair_by_pair() -> None:
    setup = Setup(quick=True)
    left, right = setup.graphs[[0]], setup.graphs[[5]]
    M = Uniform()(left, right)
    mixed = interpolate(left, transform(M, left, right), torch.tensor([0.7]))
    x, A = mix_pair(setup.data[0], setup.data[5], M.to_dense(), 0.7)
    torch.testing.assert_close(mixed.x, x)
    torch.testing.assert_close(mixed.adj.to_dense(), A)
