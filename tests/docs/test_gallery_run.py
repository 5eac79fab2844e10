"""Running the scripts of the gallery, and keeping what came out."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from gallery_run import outcome, package_digest

import smixup

SCRIPT = '''"""# Title"""

import torch
from smixup.app.pictures import style

print(torch.get_num_threads(), float(torch.rand(1)))

# %% Picture
figure = style.new_figure(1, 1)
figure
figure.savefig
None
'''


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "thing.py"
    path.write_text(SCRIPT)
    return path


def test_what_is_printed_and_drawn_is_shown(script: Path, tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    (_, first), (_, second) = outcome(script, tmp_path / "kept", "a")
    assert first.printed == f"1 {float(torch.rand(1, generator=torch.manual_seed(0)))}\n"
    assert (first.pictures, second.printed) == ((), "")
    assert second.pictures == ("thing-1-0.svg",)
    assert (tmp_path / "kept" / "thing-1-0.svg").read_text().startswith("<svg")
    torch.random.set_rng_state(before)


def test_it_is_run_again_only_if_something_changed(script: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    outcome(script, kept, "a")
    picture, record = kept / "thing-1-0.svg", kept / "thing.json"
    picture.write_text("kept")
    outcome(script, kept, "a")
    assert picture.read_text() == "kept"
    outcome(script, kept, "b")
    assert picture.read_text() != "kept"
    picture.unlink()
    outcome(script, kept, "b")
    assert picture.exists()
    before = record.read_text()
    script.write_text(SCRIPT + "print(1)\n")
    assert outcome(script, kept, "b")[1][1].printed == "1\n"
    assert record.read_text() != before


def test_a_warning_or_an_error_ends_it_and_nothing_is_kept(script: Path, tmp_path: Path) -> None:
    script.write_text(SCRIPT + "import warnings\nwarnings.warn('no')\n")
    with pytest.raises(UserWarning, match="no"):
        outcome(script, tmp_path / "kept", "a")
    assert not (tmp_path / "kept" / "thing.json").exists()


def test_an_error_names_the_line_of_the_script(script: Path, tmp_path: Path) -> None:
    script.write_text(SCRIPT + "1 / 0\n")
    with pytest.raises(ZeroDivisionError) as raised:
        outcome(script, tmp_path / "kept", "a")
    assert raised.traceback[-1].lineno + 1 == len(script.read_text().splitlines())


def test_the_digest_follows_the_source(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("1")
    first = package_digest(tmp_path)
    package_digest.cache_clear()
    (tmp_path / "one.py").write_text("2")
    assert package_digest(tmp_path) != first
    assert package_digest(Path(smixup.__file__).parent) not in (first, package_digest(tmp_path))
