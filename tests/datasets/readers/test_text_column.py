"""Values of a column, each once, are those that NumPy finds."""

from __future__ import annotations

import numpy as np
import pytest

from smixup.datasets.readers.text_column import factorise


@pytest.mark.parametrize("length", [1, 8, 9, 30])
def test_factorise_is_numpys_unique(length: int) -> None:
    random = np.random.default_rng(length)
    letters = random.integers(97, 100, (500, length), dtype=np.uint8)
    letters[random.random(500) < 0.3, length // 2 :] = 0
    cells = letters.view(f"S{length}").reshape(-1)
    values, codes = factorise(cells)
    expected, places = np.unique(cells, return_inverse=True)
    assert values.tolist() == expected.tolist() and codes.tolist() == places.tolist()
