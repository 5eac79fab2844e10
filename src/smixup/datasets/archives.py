"""Importing a publisher's archive or folder: checked first, then moved into place in one step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from smixup.datasets.layouts import Layout, find_layout
from smixup.datasets.location import data_root
from smixup.datasets.unpacking import unpack
from smixup.errors import SmixupError
from smixup.files import swap_folder, unfinished_folder


def import_archive(path: Path, root: Path | None = None) -> str:
    """Import a zip, tar or folder in its publisher's layout, and return the dataset's name.

    Texts are brought into one form: no mark before UTF-8, lines that end in a newline. Nothing is
    kept unless every check passes and graphs can be made of the files. A dataset of the same name
    under the root is replaced, with everything that was computed from it, and only once the new one
    has passed.
    """
    path = Path(path).expanduser()
    if not path.exists():
        raise SmixupError(f"nothing to import: {path} does not exist.")
    try:
        return install(path, data_root(root))
    except SmixupError as reason:
        raise SmixupError(f"{path} was not imported: {reason}") from reason


def install(path: Path, root: Path, expected: str | None = None) -> str:
    """Do the work of `import_archive`; if a name is expected, another dataset is refused."""
    try:
        with working_folder(root) as folder:
            layout = _found(path, folder, expected)
            for source, target in layout.files().items():
                staged = folder / "staged" / target
                staged.parent.mkdir(parents=True, exist_ok=True)
                layout.copy(source, staged)
            layout.under(folder / "staged").load()
            swap_folder(folder / "staged" / layout.name, root / layout.name)
    except OSError as reason:
        raise SmixupError(f"{reason.strerror or reason} ({reason.filename}).") from reason
    return layout.name


@contextmanager
def working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data, and leave nothing of it behind, nor of
    an import that was killed.
    """
    created = [each for each in (root, *root.parents) if not each.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(root / "import") as folder:
            yield folder
    except BaseException:
        for each in created:
            if each.is_dir() and not any(each.iterdir()):
                each.rmdir()
        raise


def _found(path: Path, folder: Path, expected: str | None) -> Layout:
    """Return the dataset of an archive or folder, of which no file is missing."""
    source = path
    if not path.is_dir():
        source = folder / "unpacked"
        unpack(path, source)
    layout = find_layout(source)
    if expected is not None and layout.name != expected:
        raise SmixupError(f"it holds {layout.name}, not {expected}.")
    layout.require()
    return layout
