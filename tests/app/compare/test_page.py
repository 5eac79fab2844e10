"""Comparing from Python, with real runs and pretended ones: a page says what was found."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from app.compare.pretended import BETTER, EQUAL, asked, compared
from torch_geometric.data import Data

import smixup
from smixup.app.compare import page as module
from smixup.app.compare.page import compare_page
from smixup.app.compare.verdicts import Comparison
from smixup.app.runs.registry import BACKBONES
from smixup.models import load_model


def page_of(found: Comparison) -> str:
    return " ".join(compare_page(found).split())


def test_everything_is_on_it(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    found = compared(store, asked(control=True, seeds=10), right=BETTER)
    page = page_of(found)
    words = re.sub(r"</?span[^>]*>", "", page)
    assert "<h1>Train with S-Mixup: it helps on MOTIF.</h1>" in words
    headings = ("Verdict", "Paired differences", "The data", "How sure is this?", "Settings")
    assert all(f"<h2>{heading}" in page for heading in headings)
    first = page[: page.index("<section")]
    assert first.count("<svg") == 1 and "difference of accuracy, points" in first
    assert page.count("<svg") == 2
    assert "MOTIF has 120 graphs; the first run trained on 96 of them." in page
    assert "The alignment helps" in page and "Methods are compared graph by graph" in page
    assert "Vanilla is training without augmentation. S-Mixup adds mixes" in words
    assert "nodes are aligned at random" in page
    assert "chose these epochs of 100," in page and '<td data-label="best epoch">1</td>' in page
    assert found.command in page and "To train the recommended model and keep it:" in page
    assert "smixup compare MOTIF --backbone gin --seeds 10 --data num_graphs=120" in page
    known = ("http://www.w3.org", "https://matplotlib.org", "http://purl.org")
    for address in (*known, "http://creativecommons.org"):
        page = page.replace(address, "")
    assert "src=" not in page and "http" not in page, "nothing is fetched"


def test_errors_have_no_log_loss_and_are_compared_run_by_run(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    page = page_of(compared(store, asked(seeds=3), right=BETTER, metric="mae"))
    assert "corrected resampled t" in page and "difference of mae" in page
    assert "There is no bar yet: bounds come with the first look" in page
    assert page.count("<svg") == 1


def test_the_first_lines_say_what_was_trained_and_what_the_numbers_count(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    page = page_of(compared(store, asked(seeds=12), right=EQUAL))
    first = page[: page.index("<figure")]
    assert "is a GIN, a graph isomorphism network. 12 paired runs so far; " in first
    assert "these rest on the first 10." in first
    assert "The column mean is over all 12 paired runs." in page


def test_every_backbone_is_explained() -> None:
    template = Path(module.__file__).with_name("compare.html").read_text(encoding="utf-8")
    assert all(f'"{name}": "graph' in template for name in BACKBONES)


def circle_or_path(number: int, closed: bool) -> Data:
    forth = torch.arange(number - 1)
    edges = torch.stack([forth, forth + 1])
    if closed:
        edges = torch.cat([edges, torch.tensor([[number - 1], [0]])], 1)
    both = torch.cat([edges, edges.flip(0)], 1)
    return Data(x=torch.ones(number, 1), edge_index=both, y=torch.tensor([int(closed)]))


@pytest.mark.slow
def test_graphs_of_ones_own(tmp_path: Path) -> None:
    """From a list in memory to a verdict, a page and a model; the same call again without a run."""
    graphs = [circle_or_path(4 + place % 3, place % 2 == 0) for place in range(40)]
    asked: dict[str, Any] = {"seeds": 2, "num_folds": 4, "epochs": 2, "root": tmp_path}
    threads = torch.get_num_threads()
    page, model, seen = tmp_path / "compare.html", tmp_path / "model", set[int]()
    found = smixup.compare(
        graphs,
        ["drop-edge", "m-mixup"],
        out=page,
        model=model,
        watch=lambda pairs: seen.add(pairs.pairs(pairs.methods[0])),
        **asked,
    )
    assert torch.get_num_threads() == threads
    assert [found.pairs.pairs(arm) for arm in found.pairs.methods] == [2, 2]
    assert (found.recommended, found.pairs.facts.graphs, seen) == ("vanilla", 40, {0, 1, 2})
    again = smixup.compare(graphs, ["drop-edge", "m-mixup"], **asked)
    assert again.rows() == found.rows()
    folders = [
        path for path in (tmp_path / "compare").iterdir() if (path / "packed.json").is_file()
    ]
    assert len(folders) == 1
    assert str(folders[0]) in found.command
    cost = found.verdicts[0]
    assert cost is not None and not math.isnan(cost.ratio)
    html = page.read_text(encoding="utf-8")
    assert "The recommended model was trained" in html and "To train the recommended" not in html
    assert load_model(model).about["command"] == found.command.replace("model/", str(model))
