"""Names of OGB's sets, and of the folders in which they come."""

from __future__ import annotations

import pytest

from smixup.datasets.catalogue import canonical_name, known_datasets
from smixup.datasets.ogb_sets import OGB_SETS, set_of_folder
from smixup.datasets.sources import OGB, source_of
from smixup.training.metrics import metric_named


@pytest.mark.parametrize("name", OGB_SETS)
def test_every_set_is_known_by_name(name: str) -> None:
    entries = {entry.name: entry.source for entry in known_datasets()}
    assert entries[name] == OGB_SETS[name].url
    assert canonical_name(name.removeprefix("ogbg-").upper()) == name
    assert source_of(name) == (name if name == "ogbg-molhiv" else OGB)
    assert metric_named(OGB_SETS[name].metric)


@pytest.mark.parametrize("name", OGB_SETS)
def test_folders(name: str) -> None:
    for folder in (OGB_SETS[name].archive, name, name.replace("-", "_")):
        assert set_of_folder(folder) == name


def test_others() -> None:
    assert set_of_folder("photos") is None
    assert "another ogbg-mol" not in {entry.name for entry in known_datasets()}
