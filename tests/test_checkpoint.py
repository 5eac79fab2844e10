"""A checkpoint is whole, belongs to its run, or is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from smixup.checkpoint import (
    CheckpointFile,
    is_checkpoint,
    optimizer_tensors,
    require_place,
    restore_optimizer,
)
from smixup.errors import SmixupError

TENSORS = {"a": torch.arange(4.0), "b": torch.tensor(3, dtype=torch.uint8)}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "new" / "run.safetensors", "f")
    file.write(TENSORS, {"epoch": 3, "loss": 0.1})
    tensors, notes = file.read()
    assert notes == {"epoch": 3, "loss": 0.1}
    assert all(
        torch.equal(tensors[name], tensor) and tensors[name].dtype == tensor.dtype
        for name, tensor in TENSORS.items()
    )
    assert [path.name for path in file.path.parent.iterdir()] == ["run.safetensors"], (
        "no temporary file stays"
    )


def test_a_failing_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "f")
    file.write(TENSORS, {"epoch": 1})

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SmixupError, match="No space left"):
        file.write(TENSORS, {"epoch": 2})
    assert file.read()[1] == {"epoch": 1}
    assert len(list(tmp_path.iterdir())) == 1


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"no checkpoint .*start without resuming"):
        CheckpointFile(tmp_path / "none", "f").read()


def test_truncated_or_foreign(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "f")
    file.write(TENSORS, {})
    whole = file.path.read_bytes()
    for damaged in (whole[:-5], whole[:20], b"", b"hello"):
        file.path.write_bytes(damaged)
        with pytest.raises(SmixupError, match="truncated or no checkpoint"):
            file.read()
    save_file(TENSORS, file.path)
    with pytest.raises(SmixupError, match="no checkpoint of this version"):
        file.read()


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "f")
    file.write(TENSORS, {"epoch": 3, "curves": [0.5, 0.25]})
    whole = file.path.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        file.path.write_bytes(changed)
        with pytest.raises(SmixupError, match=r"afresh\.$|another file\.$|another\.$"):
            file.read()


def test_files_from_before_there_were_digests(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "f")
    header = {"format": "smixup-checkpoint-1", "fingerprint": "f", "notes": '{"epoch": 3}'}
    save_file(TENSORS, file.path, header)
    assert file.read()[1] == {"epoch": 3}
    for notes in ("[", "[" * 100_000, "3", "[]"):
        save_file(TENSORS, file.path, header | {"notes": notes})
        with pytest.raises(SmixupError, match=r"(no checkpoint|no notes of a run); delete it"):
            file.read()


def test_a_state_that_cannot_be_taken_up(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "f")
    file.write(TENSORS, {"epoch": 3})
    seen = []
    file.restore(lambda tensors, notes: seen.append((sorted(tensors), notes)))
    assert seen == [(["a", "b"], {"epoch": 3})]
    for error in (KeyError, IndexError, RuntimeError, TypeError, ValueError, AttributeError):

        def fail(*_: object, error: type[Exception] = error) -> None:
            raise error("model.bias")

        with pytest.raises(SmixupError, match=r"does not hold the state of this run; delete it"):
            file.restore(fail)


def test_of_another_configuration(tmp_path: Path) -> None:
    CheckpointFile(tmp_path / "run", "f").write(TENSORS, {})
    with pytest.raises(SmixupError, match="other settings"):
        CheckpointFile(tmp_path / "run", "g").read()


def test_a_part_of_a_run_keeps_its_state_beside_it(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "here")
    part = file.beside("teacher-0")
    assert part.path == tmp_path / "run.teacher-0.safetensors"
    part.write({"x": torch.ones(1)}, {})
    assert (part.exists, file.exists) == (True, False)
    with pytest.raises(SmixupError, match="a run with other settings"):
        CheckpointFile(part.path, "here").read()


def test_a_place_is_refused_where_something_else_is(tmp_path: Path) -> None:
    CheckpointFile(tmp_path / "run", "f").write(TENSORS, {})
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "empty").write_text("")
    assert is_checkpoint(tmp_path / "run")
    assert not is_checkpoint(tmp_path / "notes.txt")
    assert not is_checkpoint(tmp_path / "missing")
    for free in ("run", "empty", "new"):
        require_place(tmp_path / free)
    with pytest.raises(SmixupError, match="is there and is no checkpoint"):
        require_place(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_optimizer_goes_on_as_it_would_have(tmp_path: Path) -> None:
    def trained(steps: int, model: torch.nn.Linear, optimizer: torch.optim.Optimizer) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.ones(1, 2)).square().sum().backward()
            optimizer.step()

    torch.manual_seed(0)
    model = torch.nn.Linear(2, 3)
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    trained(2, model, optimizer)
    kept, weights = (
        optimizer_tensors(optimizer),
        {k: v.clone() for k, v in model.state_dict().items()},
    )
    kept = {name: each.clone() for name, each in kept.items()}
    trained(2, model, optimizer)
    other = torch.nn.Linear(2, 3)
    other.load_state_dict(weights)
    again = torch.optim.Adam(other.parameters(), 0.1)
    restore_optimizer(again, kept)
    trained(2, other, again)
    assert torch.equal(other.weight, model.weight)
