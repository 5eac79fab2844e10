"""Names in any case, options that exist, and errors that help."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets import import_archive, known_datasets, load_dataset
from smixup.datasets.catalogue import available_datasets
from smixup.errors import SmixupError, UsageError

PAPER = {
    "IMDB-BINARY",
    "PROTEINS",
    "NCI1",
    "REDDIT-BINARY",
    "IMDB-MULTI",
    "REDDIT-MULTI-5K",
    "ogbg-molhiv",
}


def test_the_paper_s_datasets_are_known_with_their_figures() -> None:
    entries = {entry.name: entry for entry in known_datasets()}
    assert {name for name, entry in entries.items() if entry.table2} == PAPER
    assert entries["NCI1"].source == "https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip"
    assert entries["REDDIT-MULTI-5K"].table2 is not None
    assert entries["REDDIT-MULTI-5K"].table2.graphs == 4999


def test_motif_needs_no_files(root: Path) -> None:
    dataset = load_dataset("motif", root, num_graphs=12, features="degree")
    assert (dataset.name, len(dataset.graphs), dataset.graphs.num_features) == ("MOTIF", 12, 0)
    assert not root.exists()


def test_any_case_and_short_names(tiny: Path, molecules: Path, root: Path) -> None:
    import_archive(tiny, root)
    import_archive(molecules, root)
    assert load_dataset("tInY", root, attributes=True).graphs.num_features == 4
    assert {load_dataset(name, root).name for name in ("molhiv", "OGBG-MolHIV")} == {"ogbg-molhiv"}


def test_a_set_imported_under_another_case_is_found(
    make_tu: Callable[..., Path], root: Path
) -> None:
    folder = make_tu()
    for path in list(folder.iterdir()):
        path.rename(folder / path.name.replace("TINY", "nci1"))
    import_archive(folder, root)
    assert load_dataset("nci1", root).name == "nci1"


def test_the_root_of_the_environment(
    tiny: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMIXUP_ROOT", str(root))
    import_archive(tiny)
    assert load_dataset("TINY").name == "TINY"


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["imdb-b", "REDDIT-M5", "molhiv", "DD"])
def test_offline(name: str, root: Path) -> None:
    with pytest.raises(
        SmixupError, match=r"could not be fetched from https?://.*\.zip: .*smixup data import PATH"
    ) as error:
        load_dataset(name, root)
    assert not isinstance(error.value, UsageError), "the name is right: the work failed"


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["IMDB-BINRY", "../TINY", "a/b", ""])
def test_unknown_names(name: str, root: Path) -> None:
    with pytest.raises(UsageError, match=f"unknown dataset '{name}'"):
        load_dataset(name, root)
    assert not root.exists()


@pytest.mark.parametrize(
    ("name", "options", "allowed"),
    [
        ("MOTIF", {"attributes": True}, "num_graphs, label_noise, features, seed"),
        ("TINY", {"num_graphs": 3}, "attributes"),
        ("molhiv", {"seed": 1}, "bonds"),
    ],
)
def test_options_that_do_not_exist(
    name: str, options: dict[str, object], allowed: str, tiny: Path, molecules: Path, root: Path
) -> None:
    import_archive(tiny, root)
    import_archive(molecules, root)
    with pytest.raises(UsageError, match=f"no option .*; it has {allowed}"):
        load_dataset(name, root, **options)


def test_what_is_at_hand(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    at_hand = [entry.name for entry, present in available_datasets(root).items() if present]
    assert at_hand == ["MOTIF", "THREADS-5K", "TINY"]


def test_the_catalogue_needs_no_torch() -> None:
    code = "import sys, smixup.datasets as d; d.known_datasets(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("offline")
def test_a_folder_that_no_reader_knows_tells_what_it_holds(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cases").mkdir()
    Path("cases", "transactions.parquet").touch()
    for name in ("cases", "./cases"):
        with pytest.raises(
            UsageError, match=r"the folder holds transactions\.parquet, and no reader"
        ):
            load_dataset(name, root)


@pytest.mark.usefixtures("offline")
def test_what_is_to_be_imported_first_is_told(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("TOWNS").mkdir()
    Path("TOWNS", "TOWNS_A.txt").touch()
    Path("my towns.zip").touch()
    for name, typed in (("TOWNS", "TOWNS"), ("./my towns.zip", "'./my towns.zip'")):
        with pytest.raises(UsageError, match=f"is imported first: smixup data import {typed}\\."):
            load_dataset(name, root)
    Path("gone.csv").symlink_to("nowhere.csv")
    with pytest.raises(UsageError, match="it is a link that leads nowhere"):
        load_dataset("./gone.csv", root)
