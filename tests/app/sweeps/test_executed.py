"""What a run executes is what its identity contains: watched, not believed."""

from __future__ import annotations

import ast
import gzip
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.registry import MATCHERS, METHODS, SAME_NODES
from smixup.app.runs.run import run
from smixup.app.sweeps import identity
from smixup.app.sweeps.matcher_cache import MatcherCache
from smixup.datasets import load_dataset
from smixup.graphs import pack

SMALL = {"num_layers": 1, "hidden_channels": 4, "max_steps": 2, "batch_size": 4}
FEW_STEPS = {f"matcher.{key}": value for key, value in SMALL.items()}
LEARNED = dict.fromkeys(("graph-matcher", "siamese", "s-mixup", "s-cut"), FEW_STEPS)


@dataclass(frozen=True)
class Case:
    """A run of two epochs on a dozen graphs."""

    dataset: str = "MOTIF"
    method: str = "vanilla"
    settings: dict[str, Any] = field(default_factory=dict)
    backbone: str = "gin"
    teachers: int = 0
    refit: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def config(self, root: Path) -> RunConfig:
        few = {"num_graphs": 12} if self.dataset in ("MOTIF", "THREADS-5K") else {}
        options = few | self.options
        dataset = str(root.parent / "packed") if self.dataset == "packed" else self.dataset
        parts = dataset, self.backbone, self.method
        changes = {
            "method_settings": self.settings,
            "dataset_options": options,
            "teachers": self.teachers,
            "refit": self.refit,
        }
        return configure(*parts, root=root, epochs=2, batch_size=8, **changes)


OTHER_WAYS = {
    "partners": None,
    "adaptive": True,
    "pairing": "same-class",
    "label": "arrived",
    "edges": "sampled",
    "matcher.normalization": "columns",
    "matcher.perplexity": 2.0,
}
CASES = {
    **{
        name: Case(method=name, settings=LEARNED.get(name, {}))
        for name in METHODS
        if name not in SAME_NODES
    },
    **{
        f"s-mixup by {name}": Case("MOTIF", "s-mixup", {"matcher": name} | LEARNED.get(name, {}))
        for name in MATCHERS
    },
    "s-mixup in other ways": Case("MOTIF", "s-mixup", FEW_STEPS | OTHER_WAYS),
    "s-cut by uniform": Case("MOTIF", "s-cut", {"matcher": "uniform"}),
    "gcn": Case(backbone="gcn"),
    "taught": Case(teachers=1),
    "anew": Case(refit=True),
    "s-mixup, anew": Case("MOTIF", "s-mixup", {"matcher": "identity"}, refit=True),
    "s-mixup, taught": Case("MOTIF", "s-mixup", {"matcher": "identity"}, teachers=1),
    "THREADS-5K": Case("THREADS-5K"),
    "TU": Case("RINGS"),
    "packed": Case("packed"),
    "packed, s-mixup": Case("packed", "s-mixup", FEW_STEPS),
    "ogbg-molhiv": Case("ogbg-molhiv", options={"bonds": False}),
    "ogbg-molhiv, gine": Case("ogbg-molhiv", backbone="gine"),
    "ogbg-molhiv, gcn-edge": Case("ogbg-molhiv", backbone="gcn-edge"),
    "ogbg-molhiv, gine, s-mixup": Case("ogbg-molhiv", "s-mixup", FEW_STEPS, "gine"),
}
IDLE = {
    "smixup.packed_folder": "for sets on disk",
    "smixup.numerals": "for splits by time",
    "smixup.classifiers.counted_norm": "for batches of some hundred nodes",
    "smixup.graphs.colours": "for batches of some hundred nodes",
    "smixup.choice": "for parts with settings alone",
    "smixup.augment.alignments": "for partners that are computed once",
    "smixup.augment.drawing": "for sampled edges and codes",
    "smixup.augment.light_edges": "for edges that are cut, sampled or made whole",
    "smixup.augment.normalize": "for models with batch norm, in batches with mixes",
    "smixup.augment.packed_alignments": "for sets on disk",
    "smixup.augment.partners": "a draw of similar partners is another",
    "smixup.augment.published": "settings",
    "smixup.edits.enumeration": "for pairs of few nodes",
    "smixup.augment.transport": "a cut has a transport of its own",
    "smixup.datasets.atoms": "a constant",
    "smixup.datasets.bonds": "a constant",
    "smixup.datasets.edge_columns": "for edges with features",
    "smixup.datasets.base": "fields without functions",
    "smixup.datasets.readers.molecule_table": "for molecules",
    "smixup.datasets.readers.molecules": "for molecules",
    "smixup.datasets.splits": "ogbg-molhiv has a split of its own",
    "smixup.graphs.codes": "for graphs of PyG, or for their codes",
    "smixup.graphs.bundle": "for features of edges, along soft assignments",
    "smixup.graphs.conversion": "for sets in memory",
    "smixup.graphs.edge_features": "for features of edges",
    "smixup.graphs.edge_dropping": "for sampled edges, if nothing else drops any",
    "smixup.datasets.features": "sets on disk encode by a file of their own",
    "smixup.datasets.packed_features": "for sets on disk without features in bytes",
    "smixup.graphs.blocks": "for matchers that score nodes",
    "smixup.graphs.columns": "for sets on disk",
    "smixup.graphs.growing_set": "for sets on disk, and for text that is read",
    "smixup.graphs.hashing": "for graphs of PyG, and for large graphs",
    "smixup.graphs.packed": "for sets on disk, and for text that was read before",
    "smixup.graphs.packed_columns": "for sets on disk, and for text that was read before",
    "smixup.graphs.packed_fingerprint": "for saved matchers",
    "smixup.graphs.packed_reading": "for sets on disk, and for text that was read before",
    "smixup.graphs.packed_writer": "for sets on disk, and for text that is read",
    "smixup.graphs.packing": "for sets on disk, and for text that is read",
    "smixup.graphs.padding": "for matchers that score nodes",
    "smixup.graphs.recognition": "for graphs of PyG, whose loaders do not number them",
    "smixup.classifiers.node_norm": "for batch norms",
    "smixup.graphs.refinement": "for large graphs",
    "smixup.graphs.shared_places": "for features of edges",
    "smixup.matching.assignment": "for sharpness and sparsity",
    "smixup.matching.attention": "for graphs that exchange messages",
    "smixup.matching.base": "the siamese matcher overrides all of it that a run calls",
    "smixup.matching.calibration": "for a wished perplexity alone",
    "smixup.matching.candidates": "for large pairs",
    "smixup.matching.consensus": "for its two normalisations",
    "smixup.matching.near_far": "for labels and values",
    "smixup.matching.neighbour_search": "for large pairs",
    "smixup.matching.normalization": "for matchers that score nodes",
    "smixup.matching.normalizations": "names",
    "smixup.matching.normalized": "for matchers that score nodes",
    "smixup.matching.objective": "a protocol",
    "smixup.matching.published": "settings that have become part of the configuration",
    "smixup.matching.similarity": "for matchers that score nodes",
    "smixup.matching.sparse_consensus": "for large pairs",
    "smixup.matching.sparse_rounding": "for large pairs",
    "smixup.matching.tables": "for large pairs",
    "smixup.matching.target_distance": "for labels and values",
    "smixup.matching.tie_breaks": "for two normalisations, and for large pairs",
    "smixup.matching.twins": "for graphs that exchange messages",
    "smixup.matching.walk_estimates": "for very large graphs",
    "smixup.tasks.base": "what tasks share; classes have it all of their own",
    "smixup.tasks.kinds": "a set of OGB says its task",
    "smixup.tasks.labels": "for several labels",
    "smixup.tasks.values": "for regression",
}
"""What may count for a run that executes no function of it, and why."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Twelve rings in the TU layout, twelve molecules in OGB's, and twelve packed graphs."""
    for name, text in (tu_files(12) | molhiv_files(12)).items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    pack(load_dataset("MOTIF", num_graphs=12).graphs, tmp_path / "packed")
    return tmp_path / "data"


def tu_files(number: int) -> dict[str, str]:
    rings = [(4 * graph, i) for graph in range(number) for i in range(4)]
    parts = {
        "A": "".join(f"{first + i + 1}, {first + (i + 1) % 4 + 1}\n" for first, i in rings),
        "graph_indicator": "".join(f"{graph + 1}\n" * 4 for graph in range(number)),
        "graph_labels": "0\n1\n" * (number // 2),
    }
    return {f"RINGS/raw/RINGS_{part}.txt": text for part, text in parts.items()}


def molhiv_files(number: int) -> dict[str, str]:
    parts = {
        "raw/num-node-list": "3\n" * number,
        "raw/num-edge-list": "2\n" * number,
        "raw/edge": "0,1\n1,2\n" * number,
        "raw/edge-feat": "0,0,0\n1,0,1\n" * number,
        "raw/node-feat": "5,0,4,5,3,0,2,0,1\n" * 3 * number,
        "raw/graph-label": "0\n1\n" * (number // 2),
        "mapping/mol": "HIV_active,smiles,mol_id\n" + "0,CCO,a\n" * number,
    }
    graphs = [f"{graph}\n" for graph in range(number)]
    for part, few in (("train", graphs[:-6]), ("valid", graphs[-6:-3]), ("test", graphs[-3:])):
        parts[f"split/scaffold/{part}"] = "".join(few)
    return {f"ogbg-molhiv/{part}.csv.gz": text for part, text in parts.items()}


def claimed(config: RunConfig) -> set[str]:
    return identity._closure([identity.RUN, *identity._parts(config)])


def executed(work: Callable[[], object]) -> set[str]:
    """The modules of this package of which functions are called; what modules and classes do when
    they are imported does not count.
    """
    files: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:
            files.add(frame.f_code.co_filename)

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    ours = (Path(file) for file in files if Path(file).is_relative_to(identity.SOURCE))
    places = (path.relative_to(identity.SOURCE.parent).with_suffix("") for path in ours)
    return {".".join(place.parts) for place in places}


@pytest.mark.parametrize("case", CASES)
def test_what_is_executed_counts_and_what_counts_is_executed(
    case: str, root: Path, tmp_path: Path
) -> None:
    config = CASES[case].config(root)
    file, matchers = tmp_path / "run.safetensors", MatcherCache(tmp_path / "matchers")
    counted = claimed(config)
    seen = executed(lambda: run(config, root, checkpoint=file, wrap_matcher=matchers.wrap))
    assert {identity.RUN, "smixup.training.loop"} <= seen, "nothing was watched"
    assert seen - counted - identity.BESIDE == set(), "executed, but no part of the identity"
    assert counted - seen - IDLE.keys() == set(), "part of the identity, but not executed"


def test_a_run_without_mixing_has_no_code_of_it() -> None:
    mixing = ("smixup.augment.baselines.", "smixup.matching.", "smixup.augment.smixup")
    taught = ("smixup.augment.teacher", "smixup.augment.compose", "smixup.training.teachers")
    found = claimed(configure("MOTIF"))
    assert [name for name in found if name.startswith((*mixing, *taught))] == []
    assert {*taught} <= claimed(configure("MOTIF", teachers=1))
    assert identity.REFITTING not in found
    assert claimed(configure("MOTIF", refit=True)) == found | {identity.REFITTING}


def test_the_lists_name_what_exists_once() -> None:
    assert [name for name in (*identity.BESIDE, *IDLE) if identity._file(name) is None] == []
    assert identity.BESIDE.isdisjoint(IDLE)


def taken_from_beside(module: str) -> Iterator[tuple[str, object]]:
    """The names that a module takes from those that do not count, and what they stand for."""
    for node in identity._at_import(ast.parse(identity._text(module)).body):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            home = identity._home(str(node.module), alias.name)
            if home in identity.BESIDE:
                yield alias.name, getattr(import_module(home), alias.name)


def test_no_number_comes_from_code_that_does_not_count(root: Path) -> None:
    """Constants are read without a call, so that the runs above cannot tell."""
    counted = {name for case in CASES.values() for name in claimed(case.config(root))}
    taken = dict(pair for module in counted for pair in taken_from_beside(module))
    assert len(taken) > 10
    names = {"THREADS", "MATCHER", "BACKBONES", "METHODS", "MATCHERS"}  # of parts, which count
    names |= {"CELL"}  # by which a table is refused, or read as it is
    assert {name for name, value in taken.items() if not callable(value)} == names
