"""Numbers are written one way everywhere."""

from __future__ import annotations

from math import inf, nan

from smixup.app.words import capital, counted, decimal, finite, signed


def test_words() -> None:
    assert [counted(number, "seed") for number in (0, 1, 30)] == ["0 seeds", "1 seed", "30 seeds"]
    assert capital("random one-to-one helps.") == "Random one-to-one helps."
    assert [decimal(value, 2) for value in (1.126, -0.001, None)] == ["1.13", "0.00", "-"]
    differences = {1.46: "+1.5", -1.46: "-1.5", 0.04: "0.0", -0.04: "0.0"}
    assert [signed(value, 1) for value in differences] == [*differences.values()]
    assert finite({"a": [nan, 1.0, {"b": inf}]}) == {"a": [None, 1.0, {"b": None}]}
