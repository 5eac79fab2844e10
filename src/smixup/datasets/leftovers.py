"""What a killed import leaves under the data root, and how it goes away.

An import works in a hidden folder, which it removes however it ends, unless it is killed; then the
next one sweeps it, see `files.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from smixup.files import OLD, hidden_state, sweep_leftovers, unfinished_folder

IMPORT = "import"
PARTS = (".download", ".download.json")
LONG = 7 * 24 * 3600.0
"""Seconds for which a part of a download is kept, to go on from."""


@contextmanager
def working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data, and leave nothing of it behind; sweep
    what others left.
    """
    created = [each for each in (root, *root.parents) if not each.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        sweep(root)
        with unfinished_folder(root / IMPORT) as folder:
            yield folder
    except BaseException:
        for each in created:
            if each.is_dir() and not any(each.iterdir()):
                each.rmdir()
        raise


def sweep(root: Path) -> None:
    """Remove what killed imports left under a data root, and put back a dataset that one of them
    had moved aside.
    """
    for path in list(root.glob(".*")) if root.is_dir() else ():
        with suppress(OSError):
            name, state = hidden_state(path.name)
            if state == OLD or name == IMPORT:
                sweep_leftovers(root / name)
            elif path.name.endswith(PARTS) and time.time() - path.stat().st_mtime > LONG:
                path.unlink()
