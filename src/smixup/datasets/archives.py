"""Importing a publisher's archive or folder: checked first, then moved into place in one step."""

from __future__ import annotations

from pathlib import Path

from smixup.datasets.bounds import require_regular
from smixup.datasets.layout import Layout
from smixup.datasets.layouts import find_layout, is_wanted
from smixup.datasets.leftovers import working_folder
from smixup.datasets.location import data_root
from smixup.datasets.unpacking import unpack
from smixup.errors import SmixupError
from smixup.files import swap_folder
from smixup.shown import shown


def import_archive(path: Path, root: Path | None = None, large: bool = False) -> str:
    """Import a zip, tar or folder in its publisher's layout, and return the dataset's name.

    Texts are brought into one form: no mark before UTF-8, lines that end in a newline. Nothing is
    kept unless every check passes and graphs can be made of the files. A dataset of the same name
    under the root is replaced, with everything that was computed from it, and only once the new one
    has passed.

    Args:
        path: of the archive or folder.
        root: the data root; see `data_root`.
        large: allow an archive that unpacks to more than `bounds.Unpacked` does.
    """
    path = Path(path).expanduser()
    if not path.exists():
        raise SmixupError(f"nothing to import: {path} does not exist.")
    require_regular(path)
    try:
        return install(path, data_root(root), large=large)
    except SmixupError as reason:
        raise SmixupError(f"{shown(path, 300)} was not imported: {reason}") from reason


def install(path: Path, root: Path, expected: str | None = None, large: bool = False) -> str:
    """Do the work of `import_archive`; if a name is expected, another dataset is refused."""
    try:
        with working_folder(root) as folder:
            layout = _found(path, folder, expected, large)
            for source, target in layout.files().items():
                staged = folder / "staged" / target
                staged.parent.mkdir(parents=True, exist_ok=True)
                layout.copy(source, staged)
            layout.under(folder / "staged").load()
            swap_folder(folder / "staged" / layout.name, root / layout.name)
    except OSError as reason:
        place = shown(reason.filename, 300)
        raise SmixupError(f"{reason.strerror or reason} ({place}).") from reason
    return layout.name


def _found(path: Path, folder: Path, expected: str | None, large: bool) -> Layout:
    """Return the dataset of an archive or folder, of which no file is missing."""
    source = path
    if not path.is_dir():
        source = folder / "unpacked"
        unpack(path, source, is_wanted, large)
    layout = find_layout(source)
    if expected is not None and layout.name != expected:
        raise SmixupError(f"it holds {shown(layout.name)}, not {expected}.")
    layout.require()
    return layout
