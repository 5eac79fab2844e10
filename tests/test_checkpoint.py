"""A checkpoint is whole, belongs to its run, or is refused with a reason; what was sealed and has
changed is found.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from smixup.errors import SmixupError
from smixup.saved import CheckpointFile, is_whole, seal

TENSORS = {"a": torch.arange(4.0), "b": torch.tensor(3, dtype=torch.uint8)}


@pytest.fixture
def file(tmp_path: Path) -> CheckpointFile:
    file = CheckpointFile(tmp_path / "new" / "run.safetensors", "f")
    file.write(TENSORS, {"epoch": 3, "curves": [0.5, 0.25]})
    return file


def test_what_is_written_is_read(file: CheckpointFile) -> None:
    tensors, notes = file.read()
    assert notes == {"epoch": 3, "curves": [0.5, 0.25]}
    for name, tensor in TENSORS.items():
        assert torch.equal(tensors[name], tensor) and tensors[name].dtype == tensor.dtype
    assert [path.name for path in file.path.parent.iterdir()] == ["run.safetensors"]


def test_what_is_no_state_of_this_run_is_refused(file: CheckpointFile, tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="delete it and start afresh"), file.described():
        file.read()[0]["c"]
    with pytest.raises(SmixupError, match=r"no checkpoint .*start without resuming"):
        CheckpointFile(tmp_path / "none", "f").read()
    with pytest.raises(SmixupError, match="other settings"):
        CheckpointFile(file.path, "g").read()
    whole = file.path.read_bytes()
    for damaged in (whole[:-5], whole[:20], b"", b"hello"):
        file.path.write_bytes(damaged)
        with pytest.raises(SmixupError, match="is damaged"):
            file.read()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        file.path.write_bytes(changed)
        with pytest.raises(SmixupError, match=r"afresh\.$|another file\.$|another\.$"):
            file.read()
    save_file(TENSORS, file.path)
    with pytest.raises(SmixupError, match="is damaged"):
        file.read()


def test_what_was_sealed_is_whole_and_no_change_passes() -> None:
    about = {"kind": "matcher", "version": 4, "settings": {"alpha": 0.5, "b": None}}
    w, half = torch.arange(6.0).reshape(2, 3), torch.ones(3, dtype=torch.bfloat16)
    tensors = {"w": w, "scale": torch.tensor(2.5), "half": half, "none": torch.zeros(0, 4)}
    sealed = seal(about, tensors)
    assert is_whole(sealed, tensors) and is_whole(seal(sealed, tensors), tensors)
    assert seal(about, {}) == seal(dict(reversed(about.items())), {}) and not is_whole(about, {})
    assert is_whole(seal(about, {"w": w.T}), {"w": w.T.contiguous()})
    for change in ({"version": 3}, {"settings": {"alpha": 0.5}}, {"more": 1}, {"digest": None}):
        assert not is_whole(sealed | change, tensors), change
    others = [{"w": w.reshape(3, 2)}, {"w": w.nextafter(torch.tensor(9.0))}]
    others += [{"w": w.view(torch.int32)}, {"scale": torch.tensor([2.5])}, {"more": torch.zeros(0)}]
    for changed in (*others, {"half": half.to(torch.float16)}, {"none": torch.zeros(0, 5)}):
        assert not is_whole(sealed, tensors | changed), changed
