"""Every experiment has a name and a file of that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.tables import definitions
from smixup.app.tables.registry import NAMES, experiment_named, title_of
from smixup.errors import UsageError

ASKED_FOR = {
    *("performance", "robustness", "strategies", "matchers", "normalization", "alpha"),
    *("motif", "controls", "quick"),
}


def test_the_papers_tables_are_there() -> None:
    assert set(NAMES) >= ASKED_FOR
    assert len(set(NAMES)) == len(NAMES)


def test_every_experiment_in_a_file_is_registered() -> None:
    folder = Path(definitions.__file__).parent
    files = {
        path.stem.replace("_", "-")
        for path in folder.glob("*.py")
        if "\nEXPERIMENT = " in path.read_text(encoding="utf-8")
    }
    assert files == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_finds_its_experiment(name: str) -> None:
    assert experiment_named(name).name == name
    assert experiment_named(name).title == title_of(name)


@pytest.mark.parametrize("name", ["perfomance", "PERFORMANCE", "cell", "../quick"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown experiment"):
        experiment_named(name)
