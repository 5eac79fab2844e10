"""Where data comes from, and where it lies; importing this needs no torch.

A source returns a `Dataset`. It is given the dataset's `name`, its `path` if it is files of one's
own (`readers/`), and the data `root`, if it has parameters of these names; its other parameters are
the options of the dataset. To add one, add a line to `SOURCES`.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

from platformdirs import user_data_path

from smixup.datasets.readers.registry import READERS, reader_of
from smixup.datasets.tables import readable
from smixup.errors import SmixupError, shown
from smixup.files import swap_folder, unfinished_folder
from smixup.names import Registry
from smixup.packed_folder import is_packed

if TYPE_CHECKING:  # names are asked for by `smixup data list`, which does without torch
    from smixup.datasets.base import Dataset

ROOT_VARIABLE = "SMIXUP_ROOT"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
OGB_DOWNLOADS = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download"
MOTIF, MOLHIV = "MOTIF", "ogbg-molhiv"
LARGEST = 4 * 10**9  # bytes of a download, and of what an archive holds
SILENCE = 20.0  # seconds of a download without a byte
PACKED, OGB, ANY_OTHER = "a folder of packed graphs", "another ogbg-mol", "any other"

SOURCES: Registry[Dataset] = Registry(
    "source of data",
    {
        MOTIF: "smixup.datasets.motif:motif_dataset",
        OGB: "smixup.datasets.ogb:ogb_dataset",
        PACKED: "smixup.datasets.packed_set:packed_dataset",
        ANY_OTHER: "smixup.datasets.tu:tu_dataset",
        **READERS,
    },
)


@dataclass(frozen=True)
class OgbSet:
    """What OGB calls the archive of a set, and its metric by our name."""

    archive: str
    metric: str = "rocauc"


OGB_SETS = {
    "ogbg-molbace": OgbSet("bace"),
    "ogbg-molbbbp": OgbSet("bbbp"),
    "ogbg-molchembl": OgbSet("chembl"),
    "ogbg-molclintox": OgbSet("clintox"),
    "ogbg-molesol": OgbSet("esol", "rmse"),
    "ogbg-molfreesolv": OgbSet("freesolv", "rmse"),
    MOLHIV: OgbSet("hiv"),
    "ogbg-mollipo": OgbSet("lipophilicity", "rmse"),
    "ogbg-molmuv": OgbSet("muv", "ap"),
    "ogbg-molpcba": OgbSet("pcba", "ap"),
    "ogbg-molsider": OgbSet("sider"),
    "ogbg-moltox21": OgbSet("tox21"),
    "ogbg-moltoxcast": OgbSet("toxcast"),
}


def source_of(dataset: str) -> str:
    """Return the name under which `SOURCES` has a dataset, given by its own spelling or path."""
    if dataset in SOURCES and dataset not in READERS:
        return dataset
    if dataset in OGB_SETS:
        return OGB
    if is_packed(dataset):
        return PACKED
    return reader_of(dataset) or ANY_OTHER if Path(dataset).is_absolute() else ANY_OTHER


def url_of(name: str) -> str:
    """Return where its publisher keeps a dataset."""
    if name in OGB_SETS:
        return f"{OGB_DOWNLOADS}/{OGB_SETS[name].archive}.zip"
    return f"{TU_COLLECTION}/{name}.zip"


def data_root(root: Path | None = None) -> Path:
    """Return `root` if given, else the folder that `SMIXUP_ROOT` names, else the platform's user
    data folder.
    """
    if root is not None:
        return Path(root).expanduser()
    named = os.environ.get(ROOT_VARIABLE)
    return Path(named).expanduser() if named else user_data_path("smixup", appauthor=False)


@dataclass(frozen=True)
class Layout:
    """The files of a dataset as its publisher gives them, `{prefix}{part}{ending}` in a folder."""

    folder: Path
    name: str
    prefix: str
    ending: str
    first: str  # a part that every such dataset has

    def path(self, part: str) -> Path:
        """Return the file of one part, such as `graph_labels`."""
        return self.folder / f"{self.prefix}{part}{self.ending}"

    def has(self, part: str) -> bool:
        """Tell whether the file of a part is there."""
        return self.path(part).is_file()

    def files(self) -> list[Path]:
        """Return the files that are there, none if the first part is not."""
        pattern = f"{self.prefix}*{self.ending}"
        return sorted(self.folder.rglob(pattern)) if self.has(self.first) else []


def tu_layout(folder: Path, name: str) -> Layout:
    """Return the layout of the TU collection: `NAME_A.txt` and its companions in one folder."""
    return Layout(folder, name, f"{name}_", ".txt", "A")


def ogb_layout(folder: Path, name: str) -> Layout:
    """Return OGB's layout of a set ogbg-mol*: `raw/edge.csv.gz` and others."""
    return Layout(folder, name, "", ".csv.gz", "raw/num-node-list")


def layout_of(name: str, root: Path) -> Layout:
    """Return the layout of a dataset under the data root."""
    if name in OGB_SETS:
        return ogb_layout(root / name, name)
    return tu_layout(root / name / "raw", name)


def present_names(root: Path) -> list[str]:
    """Return the names of all datasets whose files are under the root."""
    folders = sorted(root.iterdir()) if root.is_dir() else []
    names = [folder.name for folder in folders if NAME.fullmatch(folder.name)]
    return [name for name in names if layout_of(name, root).files()]


# --- publishers' archives: fetched, unpacked, checked, and moved into place in one step


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
                while chunk := answer.read(2**20):
                    if file.tell() > LARGEST:
                        raise SmixupError(f"it is larger than {LARGEST:,} bytes.")
                    file.write(chunk)
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
        size = sum(entry.file_size for entry in archive.infolist())
        if size > LARGEST:
            raise SmixupError(f"{path.name} would unpack to {size:,} bytes: unpack it by hand.")
        archive.extractall(target)
