"""The case study draws pairs of one class by its seed and measures all matchers on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from smixup.app.runs.fit_matcher import fit_matcher

from smixup.app.runs.opened import open_dataset
from smixup.app.studies.case_study import (
    CaseStudy,
    MotifShare,
    case_study,
    pairs_of_one_class,
    rank_correlation,
)
from smixup.errors import UsageError
from smixup.graphs import SparseOperator
from smixup.matching import Uniform
from smixup.matching.quality import motif_kept

DATA = {"num_graphs": 60}
SMALL = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("case") / "matcher"
    fit_matcher("motif", folder, seed=2, settings=SMALL, dataset_options=DATA)
    return folder


def study(saved: Path, seed: int | None = None) -> CaseStudy:
    return case_study(seed, saved, num_pairs=20, paper=False, dataset_options=DATA)


def test_pairs_are_of_one_class_and_of_two_graphs() -> None:
    data = open_dataset("motif", 0, options=DATA)
    left, right = pairs_of_one_class(data.train, 30, 0)
    assert torch.equal(left.y, right.y)
    assert (left.ids != right.ids).all()
    again, _ = pairs_of_one_class(data.train, 30, 0)
    other, _ = pairs_of_one_class(data.train, 30, 1)
    fewer, _ = pairs_of_one_class(data.train, 3, 0)
    assert torch.equal(left.ids, again.ids)
    assert torch.equal(left.ids[:3], fewer.ids), (
        "the pair that is drawn does not hang on how many are measured"
    )
    assert not torch.equal(left.ids, other.ids)


def test_the_saved_matcher_is_measured_on_graphs_it_has_not_seen(saved: Path) -> None:
    found = study(saved)
    assert found.seed == 2, "the saved matcher's, if none is given"
    assert [row.matcher for row in found.rows] == ["random-order", "uniform", "graph-matcher"]
    data = open_dataset("motif", 2, options=DATA)
    left, right = pairs_of_one_class(data.held_out, 20, 2)
    shares = motif_kept(Uniform()(left, right), left, right)
    row = found.rows[1]
    assert row.mean == pytest.approx(float(shares.mean()))
    assert row.shown == pytest.approx(float(shares[0]))
    assert row.low < row.mean < row.high
    shown = found.shown["graph-matcher"]
    assert torch.equal(shown.left.adj.to_dense(), left[:1].adj.to_dense())


def test_what_is_shown_is_what_was_measured(saved: Path) -> None:
    found = study(saved)
    rows = {row.matcher: row for row in found.rows}
    assert list(found.shown) == ["random-order", "graph-matcher"]
    for name, pair in found.shown.items():
        row, column = pair.assignment.nonzero(as_tuple=True)
        weight, shape = pair.assignment[row, column], tuple(pair.assignment.shape)
        M = SparseOperator.from_entries(row, column, weight, shape)
        kept = motif_kept(M, pair.left, pair.right)
        assert rows[name].shown == pytest.approx(float(kept)), f"{name} was drawn once"
        assert pair.lam == 0.5


def test_a_seed_chooses_other_pairs_of_the_same_split(saved: Path) -> None:
    one, two, again = (study(saved, seed) for seed in (4, 5, 4))
    held_out = set(open_dataset("motif", 2, options=DATA).held_out.ids.tolist())
    for pair in (*one.shown.values(), *two.shown.values()):
        assert {int(pair.left.ids), int(pair.right.ids)} <= held_out
    assert one.rows == again.rows
    assert one.rows != two.rows
    assert json.loads(json.dumps(one.to_dict()))["matchers"][0]["matcher"] == "random-order"


def test_the_interval_is_students() -> None:
    row = MotifShare.of("m", torch.tensor([0.0, 1.0, 0.5, 0.5]), torch.tensor([0.6, 0.2, 0.4, 0.4]))
    assert row.distortion == pytest.approx(0.4)
    assert row.foretold == pytest.approx(1)
    assert (row.mean, row.shown) == (0.5, 0.0)
    half = 3.18245 * (1 / 6) ** 0.5 / 2
    assert row.high - row.mean == pytest.approx(half, abs=1e-4)
    assert row.mean - row.low == pytest.approx(half, abs=1e-4)


def test_ranks_and_what_hardly_varies() -> None:
    ranks = [torch.tensor(each) for each in ([0.1, 0.2, 0.3, 0.9], [5.0, 8.0, 6.0, 7.0])]
    assert rank_correlation(*ranks) == pytest.approx(1 - 6 * (0 + 4 + 1 + 1) / (4 * 15)), (
        "by the textbook"
    )
    assert rank_correlation(ranks[0], torch.full((4,), 0.5)) is None


def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="number of pairs must be 1 or more"):
        case_study(num_pairs=0)
