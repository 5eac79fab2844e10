"""A run is its configuration and the code behind it, no less and no more."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from smixup.lab.runs.config import RunConfig, configure
from smixup.lab.sweeps import identity
from smixup.lab.sweeps.identity import code_version, run_id


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's source that a test may change."""
    copy = tmp_path / "smixup"
    shutil.copytree(identity.SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(identity, "SOURCE", copy)
    forget()
    yield copy
    forget()


def forget() -> None:
    for cached in (identity.version_of, identity._imports, identity._essence, identity._passed_on):
        cached.cache_clear()


def version(method: str = "vanilla", backbone: str = "gin", **settings: object) -> str:
    forget()
    return code_version(configure("MOTIF", backbone, method, method_settings=settings))


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_the_configuration_decides() -> None:
    first = configure("MOTIF", "gin", "vanilla")
    assert run_id(first) == run_id(RunConfig(**first.to_dict()))
    assert run_id(first) != run_id(configure("MOTIF", "gin", "vanilla", seed=1))
    assert run_id(first) != run_id(configure("MOTIF", "gin", "vanilla", epochs=3))


def test_a_setting_at_its_default_is_no_other_run() -> None:
    plain = configure("MOTIF", "gin", "s-mixup")
    spelt = {"alpha": 0.2, "matcher": "graph-matcher", "matcher.num_layers": 5}
    assert run_id(plain) == run_id(configure("MOTIF", "gin", "s-mixup", method_settings=spelt))
    assert run_id(plain) != run_id(
        configure("MOTIF", "gin", "s-mixup", method_settings={"alpha": 0.3})
    )


def test_words_do_not_matter(source: Path) -> None:
    before = version()
    file = source / "training" / "loop.py"
    tree = ast.parse(file.read_text())
    first_line = ast.get_docstring(tree)
    assert first_line is not None
    file.write_text(file.read_text().replace(first_line, "Other words.") + "\n# a comment\n")
    assert version() == before


def test_code_that_every_run_executes_matters(source: Path) -> None:
    before = version()
    append(source / "training" / "loop.py", "\nEXTRA = 1\n")
    assert version() != before


@pytest.mark.slow
def test_only_runs_that_use_a_part_depend_on_it(source: Path) -> None:
    cases = {
        "augment/baselines/submix.py": ("submix", {}),
        "augment/smixup.py": ("s-mixup", {}),
        "matching/rrwm.py": ("s-mixup", {"matcher": "rrwm"}),
    }
    for file, (method, settings) in cases.items():
        before, others = version(method, **settings), version()
        append(source / file, "\nEXTRA = 1\n")
        assert version(method, **settings) != before, file
        assert version() == others, f"{file} is no business of vanilla"


def test_the_other_backbone_does_not_matter(source: Path) -> None:
    before = version(backbone="gcn")
    append(source / "classifiers" / "gin.py", "\nEXTRA = 1\n")
    assert version(backbone="gcn") == before
    append(source / "classifiers" / "gcn.py", "\nEXTRA = 1\n")
    assert version(backbone="gcn") != before


def test_names_and_pictures_do_not_matter(source: Path) -> None:
    before = version("s-mixup")
    for file in (
        "lab/runs/presets.py",
        "lab/runs/registry.py",
        "lab/pages/report.py",
        "datasets/download.py",
    ):
        append(source / file, "\nEXTRA = 1\n")
    assert version("s-mixup") == before
