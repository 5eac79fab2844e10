"""Names in any case, options that exist, and errors that help."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import user_data_path

from smixup.datasets import import_archive, known_datasets, load_dataset
from smixup.datasets.catalogue import canonical_name
from smixup.datasets.sources import MOLHIV, OGB_SETS, data_root, find_layout, present_names
from smixup.errors import SmixupError, UsageError

PAPER = {"IMDB-BINARY", "PROTEINS", "NCI1", "REDDIT-BINARY", "IMDB-MULTI", "REDDIT-MULTI-5K"}


def test_known_datasets() -> None:
    sources = known_datasets()
    assert PAPER | {MOLHIV} <= set(sources)
    assert sources["NCI1"] == "https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip"
    for name, known in OGB_SETS.items():
        assert sources[name].endswith(f"/csv_mol_download/{known.archive}.zip")
        assert canonical_name(name.removeprefix("ogbg-").upper()) == name


def test_any_case_and_short_names(
    tiny: Path, molecules: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load_dataset("motif", root, num_graphs=12, features="degree")
    assert (dataset.name, len(dataset.graphs), dataset.graphs.num_features) == ("MOTIF", 12, 0)
    assert not root.exists()
    monkeypatch.setenv("SMIXUP_ROOT", str(root))
    import_archive(tiny)
    import_archive(molecules)
    assert load_dataset("tInY", attributes=True).graphs.num_features == 4
    assert {load_dataset(name, root).name for name in ("molhiv", "OGBG-MolHIV")} == {MOLHIV}
    assert present_names(root) == ["TINY", MOLHIV]
    for name, options, allowed in (
        ("MOTIF", {"attributes": True}, "num_graphs, label_noise, features, seed"),
        ("TINY", {"num_graphs": 3}, "attributes"),
        ("molhiv", {"seed": 1}, "none"),
    ):
        with pytest.raises(UsageError, match=f"no option .*; it has {allowed}"):
            load_dataset(name, root, **options)


@pytest.mark.usefixtures("offline")
def test_offline_and_unknown_names(root: Path) -> None:
    for name in ("imdb-b", "molhiv", "DD"):
        words = r"could not be fetched from https?://.*\.zip: .*smixup data import PATH"
        with pytest.raises(SmixupError, match=words) as error:
            load_dataset(name, root)
        assert not isinstance(error.value, UsageError), "the name is right: the work failed"
    for name in ("IMDB-BINRY", "../TINY", "a/b", ""):
        with pytest.raises(UsageError, match=f"unknown dataset '{name}'"):
            load_dataset(name, root)
    assert not root.exists()


def test_where_data_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SMIXUP_ROOT", "~/graphs")
    assert data_root(tmp_path / "given") == tmp_path / "given"
    assert data_root() == Path.home() / "graphs"
    monkeypatch.setenv("SMIXUP_ROOT", "")
    assert data_root() == user_data_path("smixup", appauthor=False)


def test_layouts_are_found_wherever_in_a_folder_their_files_are(
    tiny: Path, molecules: Path, tmp_path: Path
) -> None:
    with pytest.raises(SmixupError, match=r"there are 2: TINY, ogbg-molhiv"):
        find_layout(tmp_path)
    molecules.rename(tmp_path.parent / f"{tmp_path.name}-molecules")
    for hidden in ("._TINY_A.txt", ".cache/X_A.txt", "__MACOSX/X_A.txt"):
        (tiny / hidden).parent.mkdir(exist_ok=True)
        (tiny / hidden).write_text("")
    for top in (tiny, tiny.parent, tmp_path):
        assert find_layout(top).name == "TINY"
    (tmp_path / "photos").mkdir()
    with pytest.raises(SmixupError, match=r"known layout is needed \(NAME_A.txt.*: none"):
        find_layout(tmp_path / "photos")
    for name in ("", "-x", "a b", "ä", "MOTIF", "ogbg-molesol"):
        path = tmp_path / "photos" / f"{name}_A.txt"
        path.write_text("")
        with pytest.raises(SmixupError, match="cannot be the name"):
            find_layout(tmp_path / "photos")
        path.unlink()
