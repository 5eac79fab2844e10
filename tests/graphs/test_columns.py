"""Columns grow row by row, and NumPy reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from smixup.errors import SmixupError
from smixup.graphs.columns import ColumnWriter, read_column


def written(path: Path, *parts: torch.Tensor) -> Path:
    column = ColumnWriter(path)
    for part in parts:
        column.append(part)
    column.close()
    return path


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bool, torch.int32, torch.long, torch.float])
def test_numpy_reads_what_was_appended(tmp_path: Path, dtype: torch.dtype) -> None:
    parts = [torch.arange(6).view(3, 2).to(dtype), torch.ones(1, 2).to(dtype)]
    found = np.load(written(tmp_path / "a.npy", *parts))
    assert torch.equal(torch.from_numpy(found), torch.cat(parts))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (5, 0)])
def test_columns_without_numbers(tmp_path: Path, shape: tuple[int, ...]) -> None:
    found = read_column(written(tmp_path / "a.npy", torch.zeros(shape)))
    assert found.shape == shape
    assert found.dtype == np.float32


def test_a_copy_goes_its_own_way(tmp_path: Path) -> None:
    first = ColumnWriter(tmp_path / "a.npy")
    first.append(torch.tensor([1, 2]))
    second = first.copied(tmp_path / "b.npy")
    first.append(torch.tensor([3]))
    second.append(torch.tensor([4, 5]))
    first.close()
    second.close()
    assert read_column(tmp_path / "a.npy").tolist() == [1, 2, 3]
    assert read_column(tmp_path / "b.npy").tolist() == [1, 2, 4, 5]


def test_other_types_and_shapes_are_refused_by_name(tmp_path: Path) -> None:
    column = ColumnWriter(tmp_path / "a.npy", "x")
    column.append(torch.zeros(2, 3))
    for other in (torch.zeros(2, 4), torch.zeros(2, 3, dtype=torch.uint8)):
        with pytest.raises(SmixupError, match=r"x is .* make them alike"):
            column.append(other)
    with pytest.raises(SmixupError, match="x is bfloat16"):
        column.append(torch.zeros(2, 3, dtype=torch.bfloat16))
    with pytest.raises(SmixupError, match="x is complex, which cannot be packed"):
        column.append(torch.zeros(2, 3, dtype=torch.cfloat))
    column.close()


def test_nothing_is_loaded(tmp_path: Path) -> None:
    found = read_column(written(tmp_path / "a.npy", torch.arange(5)))
    assert not found.flags.owndata
    assert not found.flags.writeable
