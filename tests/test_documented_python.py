"""Every block of Python in README.md and docs runs, with what it takes for granted at hand, or is
listed with the test that runs it. Blocks of other kinds are listed with what they show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import own_files
import pytest
import torch
from documented import ROOT, Block, blocks, is_shell
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from typer.testing import CliRunner

import smixup
from smixup.app.cli.main import app
from smixup.classifiers import GIN
from smixup.matching import GraphMatcher
from smixup.training import TrainSettings

PYTHON = [block for block in blocks() if block.language == "python"]
ELSEWHERE = {
    "README.md#1": "tests/test_examples.py",
    "CONTRIBUTING.md#1": "tests/test_contributing.py",
    "CONTRIBUTING.md#2": "tests/test_contributing.py",
    "CONTRIBUTING.md#3": "tests/test_contributing.py",
}
SHOWN = {
    "docs/architecture.md": "drawings of the tree",
    "docs/compare.md": "what a command printed",
    "docs/experiments.md": "what commands print",
    "docs/your-data.md": "a file; `desk` of tests/test_documented_commands.py has one",
    "docs/your-data-graphs.md": "folders; tests/own_files.py writes them",
}
RUN = [block for block in PYTHON if block.name not in ELSEWHERE]


SMALLER = {
    "10**6": "24",
    'budget="30m"': 'budget="1s", epochs=1',
    "epochs=50": "epochs=1",
    "level=0.9": "level=0.5",
    '["vanilla", "drop-edge", "s-mixup"]': '["vanilla"]',
    '["gin", "gcn"]': '["gin"]',
}
"""What is written in a block, and what stands for it here: the same, only less of it."""


class Weighted(torch.nn.Module):
    """A model of a user, which takes edge weights."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(1, 2)

    def forward(self, x: Any, edge_index: Any, edge_weight: Any = None, batch: Any = None) -> Any:
        weight = torch.ones(edge_index.size(1)) if edge_weight is None else edge_weight
        source, target = edge_index
        summed = torch.zeros_like(x).index_add(0, target, weight[:, None] * x[source])
        out = torch.zeros(int(batch.max()) + 1, 2)
        return out.index_add(0, batch, self.linear(summed))


def own_graphs() -> list[Data]:
    """Rings and stars, with masses of nodes as features."""
    found = []
    for graph, kind in zip(own_files.graphs(), own_files.kinds(), strict=True):
        masses = torch.tensor([[mass] for _, mass in graph.nodes("mass")])
        ends = torch.tensor([*graph.edges()]).T
        both = torch.cat([ends, ends.flip(0)], 1)
        found.append(Data(x=masses, edge_index=both, y=torch.tensor([int(kind == "ring")])))
    return found


def with_labels(place: int) -> smixup.Graphs:
    """Graphs with two labels each."""
    found = own_graphs()[8 * place : 8 * place + 8]
    for i, graph in enumerate(found):
        graph.y = torch.tensor([[float(graph.y), float(i % 3 == 0)]])
    return smixup.from_pyg(found)


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with the files that blocks read; matchers learn for one step."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMIXUP_ROOT", str(tmp_path / "root"))
    original: Callable[..., None] = GraphMatcher.__init__

    def quick(self: GraphMatcher, *given: Any, **named: Any) -> None:
        original(self, *given, **{"max_steps": 1} | named)

    monkeypatch.setattr(GraphMatcher, "__init__", quick)
    for name in ("proteins", "more", "mails"):
        Path(name).mkdir()
    own_files.graphml(tmp_path / "proteins")
    own_files.graphml(tmp_path / "more", known=False)
    with torch.random.fork_rng():
        yield


def molecules() -> None:
    """Write molecules.csv and new.csv."""
    text = own_files.molecules(Path()).read_text().replace("smiles,kind", "smiles,active")
    for name in ("molecules.csv", "new.csv"):
        Path(name).write_text(text)


def model_kept() -> None:
    molecules()
    words = ["train", "molecules.csv", "--target", "active", "--epochs", "1", "--num-layers", "1"]
    done = CliRunner().invoke(app, [*words, "--out", "model"])
    assert done.exit_code == 0, done.stderr


def mails() -> None:
    own_files.edge_list(Path("mails"))
    edges = Path("mails/edges.csv")
    arrow = pytest.importorskip("pyarrow.csv")
    pytest.importorskip("pyarrow.parquet").write_table(arrow.read_csv(edges), "mails/links.parquet")
    edges.unlink()


FILES = {
    "docs/models.md#2": model_kept,
    "docs/your-data.md#1": molecules,
    "docs/your-data.md#4": molecules,
    "docs/your-data-graphs.md#7": mails,
}


def taken_for_granted(name: str) -> dict[str, Any]:
    """Return what a block does not make itself, as a reader would have it."""
    found, model = own_graphs(), Weighted()
    few = own_graphs()[:3] if name == "docs/your-data-graphs.md#7" else found
    charged = [nx.Graph(graph, energy=float(len(graph))) for graph in own_files.graphs()]
    given: dict[str, Any] = {
        **{name: getattr(smixup, name) for name in ("SMixup", "Compose", "DropEdge")},
        "smixup": smixup,
        "to_json": smixup.to_json,
        "from_json": smixup.from_json,
        "F": torch.nn.functional,
        "model": model,
        "make": lambda i: found[i],
        **dict.fromkeys(("dataset", "train_dataset", "graphs", "new_graphs"), found),
        "list_of_data": few,
        "y": own_files.kinds(),
        "data1": found[0],
        "data2": found[1],
        **dict.fromkeys(("loader", "train_loader"), DataLoader(found, 8)),
        "batch": Batch.from_data_list(found),
        "networkx_graphs": charged,
        "stack": np.stack([nx.to_numpy_array(each) for each in own_files.graphs(9)]),
        "groups": np.array(own_files.kinds()),
        "ages": np.arange(24.0),
        "settings": TrainSettings(epochs=1, learning_rate=0.01, batch_size=8),
    }
    if name == "docs/targets.md#0":
        labels = [with_labels(place) for place in range(3)]
        given |= dict(zip(("train", "validation", "test"), labels, strict=True))
        given["model"] = GIN(labels[0].x.size(1), 2, 4, 1)
    if name.startswith("docs/drop-in.md"):
        given["mix"] = smixup.SMixup().fit(found, smixup.silent)
    return given


def test_every_block_is_run_or_listed() -> None:
    names = {block.name for block in PYTHON}
    assert set(ELSEWHERE) <= names
    assert all((ROOT / file).is_file() for file in ELSEWHERE.values())
    others = [block for block in blocks() if not is_shell(block) and block not in PYTHON]
    assert {block.document for block in others} == set(SHOWN)
    assert all(block.language == "text" for block in others)
    assert set(FILES) <= {block.name for block in RUN}


def test_what_is_made_smaller_is_there() -> None:
    texts = [block.text for block in RUN]
    assert all(any(each in text for text in texts) for each in SMALLER)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", RUN, ids=lambda block: block.name)
def test_every_block_of_python_runs(block: Block) -> None:
    text = block.text
    for written, small in SMALLER.items():
        text = text.replace(written, small)
    FILES.get(block.name, lambda: None)()
    exec(compile(text, block.name, "exec"), taken_for_granted(block.name))
