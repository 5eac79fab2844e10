"""Intervals stay on one line, and long names break at their joints."""

from __future__ import annotations

import pytest

nodes = pytest.importorskip("docutils.nodes", reason="pages need the extra docs")

from unbroken import jointed, kept_together, options_kept  # noqa: E402


def unbroken(text: str) -> list[str]:
    parts = list(kept_together(text))
    assert "".join(part.astext() for part in parts) == text, "nothing is lost"
    return [part.astext() for part in parts if isinstance(part, nodes.inline)]


def breaks(code: str) -> list[str]:
    """Return what stands between two places at which a line may end."""
    shown = "".join("|" if isinstance(part, nodes.raw) else part.astext() for part in jointed(code))
    assert shown.replace("|", "") == code, "nothing is lost"
    return shown.split("|")


@pytest.mark.parametrize(
    "kept",
    [
        *("[+0.11, +1.56]", "[-0.042, 0.0]", "[97, 100]", "72.80 ± 4.08", "95 %"),
        *("-3.5 %", "(n = 30)", "S-Mixup", "G-Mixup", "s-mixup", "--any-code"),
        *("IMDB-BINARY", "PROTEINS-25", "REDDIT-MULTI-5K"),
    ],
)
def test_what_belongs_together(kept: str) -> None:
    assert unbroken(f"before {kept} and after") == [kept]
    assert unbroken(kept) == [kept]


def test_the_mean_may_stay_behind() -> None:
    assert unbroken("+0.84 [+0.11, +1.56] points") == ["[+0.11, +1.56]"]


@pytest.mark.parametrize("text", ["", "plain words", "see [Ling et al., 2023]", "a mixup, 3 of 5"])
def test_other_words_flow(text: str) -> None:
    assert unbroken(text) == []


def test_long_names_break_at_their_joints() -> None:
    assert breaks("augment/baselines/drop_edge.py") == [
        *("augment/", "baselines/", "drop_", "edge.py"),
    ]
    assert breaks("tests/test_files.py::test_all") == [
        *("tests/", "test_", "files.py::", "test_", "all"),
    ]
    assert breaks("smixup.datasets.readers") == ["smixup.", "datasets.", "readers"]


@pytest.mark.parametrize("code", ["graph-transplant", "torch.cat", "smixup sweep run performance"])
def test_short_names_do_not(code: str) -> None:
    assert breaks(code) == [code]


def test_options_of_commands_stay_whole() -> None:
    code = '<div class="highlight-sh notranslate"><pre>smixup sweep --first-seed 100</pre></div>'
    kept = '<span class="unbroken">--first-seed</span>'
    assert options_kept(code) == code.replace("--first-seed", kept)
    assert options_kept(code.replace("-sh ", "-python ")) == code.replace("-sh ", "-python ")
    assert options_kept("<p>--first-seed</p>") == "<p>--first-seed</p>"


def test_names_of_commands_stay_whole() -> None:
    code = '<div class="highlight-sh notranslate"><pre>smixup train --method s-mixup</pre></div>'
    found = options_kept(code)
    assert '<span class="unbroken">--method</span> <span class="unbroken">s-mixup</span>' in found
    assert found.startswith('<div class="highlight-sh notranslate">'), "tags stay as they are"
