"""Whatever goes into JSON comes out of it again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from smixup.models.plain import plain


def test_values_become_plain() -> None:
    given = {"a": np.float32(0.5), 1: (np.int64(3), True, None), "nan": np.nan, "p": Path("x/y")}
    found = plain(given)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found == {"a": 0.5, "1": [3, True, None], "nan": None, "p": "x/y"}
    assert plain({"o": {1}}) == {"o": "{1}"}
