"""Publishers' archives: fetched, unpacked, checked, and moved into place in one step."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from shutil import copyfile, copyfileobj
from urllib.request import Request, urlopen

from smixup.datasets.sources import (
    NAME,
    OGB_SETS,
    SOURCES,
    Layout,
    data_root,
    layout_of,
    ogb_layout,
    tu_layout,
    url_of,
)
from smixup.datasets.tables import readable
from smixup.errors import SmixupError, shown
from smixup.files import swap_folder, unfinished_folder

SILENCE = 20.0  # seconds of a download without a byte


def import_archive(path: Path, root: Path | None = None) -> str:
    """Import a zip or a folder in its publisher's layout, and return the dataset's name.

    Nothing is kept unless graphs can be made of the files. A dataset of the same name under the
    root is replaced, and only once the new one has passed.

    Args:
        path: of the archive or folder.
        root: the data root; see `data_root`.
    """
    path = Path(path).expanduser()
    if not path.is_file() and not path.is_dir():
        raise SmixupError(f"nothing to import: there is no file or folder {shown(path, 300)}.")
    try:
        with _working_folder(data_root(root)) as folder:
            return _install(path, folder, data_root(root))
    except (SmixupError, OSError) as reason:
        raise SmixupError(f"{shown(path, 300)} was not imported: {reason}") from reason


def fetch(name: str, root: Path) -> None:
    """Download a dataset and import it under the root; an error names the import command."""
    if not NAME.fullmatch(name):
        raise SmixupError(f"'{shown(name)}' cannot be the name of a dataset.")
    request = Request(url_of(name), headers={"User-Agent": "smixup"})
    try:
        with _working_folder(root) as folder:
            archive = folder / "archive"
            with urlopen(request, timeout=SILENCE) as answer, archive.open("wb") as file:
                copyfileobj(answer, file)
            _install(archive, folder, root)
    except (SmixupError, OSError, HTTPException) as reason:
        raise SmixupError(
            f"{name} is not under {root} and could not be fetched from {request.full_url}: "
            f"{reason} Download it elsewhere and run: smixup data import PATH."
        ) from reason


@contextmanager
def _working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data."""
    try:
        with unfinished_folder(root / "import") as folder:
            yield folder
    finally:
        with suppress(OSError):
            root.rmdir()  # if nothing is in it


def _install(path: Path, folder: Path, root: Path) -> str:
    """Import an archive by way of a folder."""
    source = path
    if not path.is_dir():
        source = folder / "unpacked"
        unpack(path, source)
    layout = find_layout(source)
    name = layout.name
    for file in layout.files():
        staged = layout_of(name, folder / "staged").folder / file.relative_to(layout.folder)
        staged.parent.mkdir(parents=True, exist_ok=True)
        copyfile(file, staged)
    from smixup.datasets import ogb, tu  # which take torch

    read = ogb.ogb_dataset if name in OGB_SETS else tu.tu_dataset
    read(name, folder / "staged")  # refuses files that do not go together
    swap_folder(folder / "staged" / name, root / name)
    return name


def find_layout(top: Path) -> Layout:
    """Return the one dataset in a folder; one of the TU collection has a name that is not taken."""
    layouts = [tu_layout(path.parent, path.name[: -len("_A.txt")]) for path in _in(top, "*_A.txt")]
    for layout in layouts:
        if not NAME.fullmatch(layout.name) or layout.name in (*SOURCES, *OGB_SETS):
            raise SmixupError(
                f"'{shown(layout.name)}' cannot be the name of a set: rename its files."
            )
    folders = [path.parents[1] for path in _in(top, "raw/num-node-list.csv.gz")]
    layouts += [ogb_layout(folder, _name_of_ogb_set(folder)) for folder in folders]
    if len(layouts) != 1:
        names = shown(", ".join(sorted({layout.name for layout in layouts})) or "none")
        raise SmixupError(
            "one dataset in a known layout is needed (NAME_A.txt, ..., or OGB's raw/, split/...), "
            f"and there are {len(layouts)}: {names}."
        )
    return layouts[0]


def _name_of_ogb_set(folder: Path) -> str:
    """Return the set that a folder is called by."""
    called = folder.name.lower().replace("_", "-")
    for name, published in OGB_SETS.items():
        if called in (name, published.archive):
            return name
    raise SmixupError(
        f"it holds OGB's files in a folder '{shown(folder.name)}', which does not tell the set: "
        "call the folder by the name of a set, such as ogbg-moltox21 or tox21."
    )


def _in(top: Path, pattern: str) -> list[Path]:
    """Return files in a folder that are no by-products of a system, as in `__MACOSX/`."""
    paths = sorted(path for path in top.rglob(pattern) if path.is_file())
    hidden = re.compile(r"(^|/)(\.|__MACOSX)")
    return [path for path in paths if not hidden.search(path.relative_to(top).as_posix())]


def unpack(path: Path, target: Path) -> None:
    """Unpack a zip inside a new folder, which the caller removes."""
    with readable(path, " Is it a whole zip archive?"), zipfile.ZipFile(path) as archive:
        archive.extractall(target)
