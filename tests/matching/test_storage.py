"""A saved matcher is the same matcher, or is refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs import Codes, Graphs
from smixup.matching import GraphMatcher
from smixup.matching import storage as module
from smixup.sealed import seal


@pytest.fixture
def fitted(tiny: Callable[..., GraphMatcher], graphs: Graphs) -> GraphMatcher:
    return tiny(normalization="columns", perplexity=2.0, similarity="cosine", seed=3).fit(graphs)


@pytest.fixture
def folder(fitted: GraphMatcher, tmp_path: Path) -> Path:
    fitted.save(tmp_path / "new" / "matcher")
    return tmp_path / "new" / "matcher"


def change(folder: Path, **changes: Any) -> None:
    """Change a matcher as somebody would who knows how digests are made."""
    path = folder / "matcher.json"
    about = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(seal(about, load_file(folder / "matcher.safetensors"))))


def change_setting(folder: Path, **changes: Any) -> None:
    settings = json.loads((folder / "matcher.json").read_text())["settings"]
    change(folder, settings=settings | changes)


def test_a_loaded_matcher_yields_the_same_assignments(
    fitted: GraphMatcher, folder: Path, graphs: Graphs, device: torch.device
) -> None:
    loaded, graphs = GraphMatcher.load(folder), graphs.to(device)
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 4]]
    assert torch.equal(loaded(left, right).to_dense(), fitted(left, right).to_dense())
    assert loaded == fitted
    assert loaded.calibrated_temperature == fitted.calibrated_temperature is not None
    assert loaded.temperature == fitted.temperature == 1.0
    assert (loaded.num_classes, loaded.fit_scores) == (2, fitted.fit_scores)
    assert sorted(path.name for path in folder.iterdir()) == ["matcher.json", "matcher.safetensors"]
    assert [path.name for path in folder.parent.iterdir()] == ["matcher"], "nothing temporary stays"


def test_a_loaded_matcher_can_be_fitted_again(
    fitted: GraphMatcher, folder: Path, graphs: Graphs
) -> None:
    left, right = graphs[[0, 4]], graphs[[5, 2]]
    again = GraphMatcher.load(folder).fit(graphs)
    assert torch.equal(again(left, right).to_dense(), fitted(left, right).to_dense())


def test_saving_again_replaces_a_matcher_and_nothing_else(
    fitted: GraphMatcher, folder: Path, tmp_path: Path
) -> None:
    fitted.temperature = 5.0
    fitted.save(str(folder))
    assert GraphMatcher.load(str(folder)).temperature == 5.0
    with pytest.raises(SmixupError, match="exists and holds no matcher"):
        fitted.save(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(SmixupError, match="exists and holds no matcher"):
        fitted.save(tmp_path / "file")


def test_a_failing_write_leaves_the_old_matcher(
    fitted: GraphMatcher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, text: str) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(SmixupError, match="No space left"):
            fitted.save(folder)
        with pytest.raises(SmixupError, match="No space left"):
            fitted.save(folder.with_name("other"))
    assert [path.name for path in folder.parent.iterdir()] == ["matcher"]
    assert GraphMatcher.load(folder) == fitted


def test_a_failing_swap_leaves_the_old_matcher(
    fitted: GraphMatcher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".unfinished"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        patch.setattr("smixup.files._exchange", lambda one, other: False)
        with pytest.raises(SmixupError, match="Input/output error"):
            fitted.save(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["matcher"]
    assert GraphMatcher.load(folder) == fitted


def test_an_unfitted_matcher_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="nothing to save"):
        GraphMatcher().save(tmp_path / "matcher")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def of_codes(tiny: Callable[..., GraphMatcher]) -> tuple[GraphMatcher, Batch]:
    """A matcher of graphs whose only feature is a code, and these graphs."""
    torch.manual_seed(0)
    data = [
        Data(torch.randint(5, (n, 1)), torch.stack([torch.arange(n), torch.arange(n).roll(1)]))
        for n in (4, 5, 6, 7)
    ]
    matcher = tiny(triplets=False, encode="one-hot", seed=1).fit(data)
    return matcher, Batch.from_data_list(data)


def test_codes_are_saved(of_codes: tuple[GraphMatcher, Batch], tmp_path: Path) -> None:
    matcher, batch = of_codes
    matcher.save(tmp_path / "codes")
    loaded = GraphMatcher.load(tmp_path / "codes")
    assert loaded == matcher
    assert loaded.codes == matcher.codes == Codes(nodes=(5,))
    for found, wanted in zip(loaded.match(batch, batch), matcher.match(batch, batch), strict=True):
        assert torch.equal(found, wanted)
    for text in ("one-hot", "codes(nodes=-1)", "five", 5):
        change(tmp_path / "codes", codes=text)
        with pytest.raises(SmixupError, match="do not describe one matcher"):
            GraphMatcher.load(tmp_path / "codes")


def test_files_from_before_there_were_codes(fitted: GraphMatcher, folder: Path) -> None:
    about = json.loads((folder / "matcher.json").read_text())
    assert about["codes"] is about["settings"]["encode"] is None
    del about["codes"], about["settings"]["encode"], about["digest"]
    (folder / "matcher.json").write_text(json.dumps(about | {"version": 2}))
    loaded = GraphMatcher.load(folder)
    assert loaded == fitted
    assert loaded.codes is None


@pytest.mark.parametrize("name", ["matcher.json", "matcher.safetensors"])
def test_missing_truncated_or_foreign_files(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    for damaged in (whole[:-7], whole[:20], b"", b"hello", b"[" * 100_000):
        (folder / name).write_bytes(damaged)
        with pytest.raises(SmixupError, match=f"{name} is truncated or no matcher"):
            GraphMatcher.load(folder)
    (folder / name).unlink()
    with pytest.raises(SmixupError, match=f"no saved matcher in .*{name} is missing"):
        GraphMatcher.load(folder)
    with pytest.raises(SmixupError, match="no saved matcher"):
        GraphMatcher.load(folder / "nowhere")


def test_another_kind_or_a_newer_format(folder: Path) -> None:
    change(folder, version=module.VERSION + 1)
    with pytest.raises(SmixupError, match="written by a newer smixup"):
        GraphMatcher.load(folder)
    for changes in ({"kind": "recipe"}, {"kind": []}, {"kind": {}}, {"kind": None}):
        change(folder, version=module.VERSION, **changes)
        with pytest.raises(SmixupError, match="does not describe a matcher"):
            GraphMatcher.load(folder)
    for version in (0, -1, True, 3.0, "4", None):
        change(folder, version=version, kind=next(iter(module.kinds())))
        with pytest.raises(SmixupError, match="does not describe a matcher"):
            GraphMatcher.load(folder)
    (folder / "matcher.json").write_text(
        json.dumps({"kind": next(iter(module.kinds())), "version": 1, "settings": {}})
    )
    with pytest.raises(SmixupError, match="num_features, num_classes is missing"):
        GraphMatcher.load(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_channels": 16},
        {"hidden_channels": 10**9},
        {"hidden_channels": -1},
        {"hidden_channels": "8"},
        {"num_layers": 3},
        {"random_walk": 2},
        {"similarity": "taste"},
        {"encode": "taste"},
        {"temperature": "hot"},
        {"temperature": 0},
        {"num_layers": 10**9},
        {"seed": True},
        {"colour": 1},
    ],
)
def test_tampered_settings(folder: Path, changes: dict[str, Any]) -> None:
    change_setting(folder, **changes)
    with pytest.raises(SmixupError, match="do not describe one matcher"):
        GraphMatcher.load(folder)


@pytest.mark.parametrize(
    "changes",
    [
        *({"num_features": wrong} for wrong in (4, None, 10**9, 2**70, [3], 1.5)),
        *({"num_classes": wrong} for wrong in ("x", [], -1, 10**9, 2**70, True, 2.5)),
        *({"calibrated_temperature": wrong} for wrong in (0, -1, float("nan"), "x", 10**400)),
        *({"fit_scores": wrong} for wrong in ([], "x", {"a": "b"}, {"a": [1]})),
        *({"held_out": 1}, {"dataset": 3}, {"train_fingerprint": []}, {"settings": [1]}),
    ],
)
def test_tampered_numbers(folder: Path, changes: dict[str, Any]) -> None:
    change(folder, **changes)
    with pytest.raises(SmixupError, match="do not describe one matcher"):
        GraphMatcher.load(folder)


@pytest.mark.parametrize("name", ["matcher.json", "matcher.safetensors"])
def test_a_flipped_bit_is_found(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    for place in range(0, len(whole), len(whole) // 97):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        (folder / name).write_bytes(changed)
        with pytest.raises(SmixupError, match=r"again\.$|matcher\.$|upgrade it\.$"):
            GraphMatcher.load(folder)


def test_a_changed_weight_or_setting_is_named_as_such(folder: Path) -> None:
    path = folder / "matcher.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about | {"dataset": "OTHER"}))
    with pytest.raises(SmixupError, match="has changed since it was written; fit and save it"):
        GraphMatcher.load(folder)
    path.write_text(json.dumps(about, indent=7))  # other spaces are no other matcher
    GraphMatcher.load(folder)
    tensors = load_file(folder / "matcher.safetensors")
    tensors["network.log_scale"] += 1e-6
    save_file(tensors, folder / "matcher.safetensors")
    with pytest.raises(SmixupError, match="has changed since it was written"):
        GraphMatcher.load(folder)


def test_weights_that_are_no_numbers(folder: Path) -> None:
    path = folder / "matcher.safetensors"
    tensors = load_file(path)
    for name in ("network.log_scale", "inputs.mean"):
        for wrong in (tensors[name].double(), tensors[name] * torch.nan):
            save_file(tensors | {name: wrong}, path)
            with pytest.raises(SmixupError, match="finite 32-bit numbers"):
                GraphMatcher.load(folder)


def test_data_of_another_width(folder: Path, make_graphs: Callable[..., Graphs]) -> None:
    other = make_graphs([4, 3], num_features=5)
    with pytest.raises(
        SmixupError, match="have 5 node features, but the matcher was fitted on graphs with 3"
    ):
        GraphMatcher.load(folder)(other[[0]], other[[1]])
