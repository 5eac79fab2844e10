"""`make test` comes before the extra docs is installed: no module of tests needs it to be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OF_THE_EXTRA = ("docutils", "furo", "myst_parser", "sphinx")


def test_all_modules_of_tests_are_read_without_the_extra() -> None:
    without = f"import sys; sys.modules.update(dict.fromkeys({OF_THE_EXTRA}))"
    collect = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    options = ["--collect-only", "--quiet", "-p", "no:cacheprovider", str(HERE)]
    done = subprocess.run(
        [sys.executable, "-c", f"{without}; {collect}", *options],
        capture_output=True,
        text=True,
        cwd=HERE.parents[1],
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_site_style" in done.stdout
    assert "test_gallery.py::" not in done.stdout, "the gallery does need the extra"
