"""What a folder of packed graphs says of itself; looking at one needs no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from smixup.errors import SmixupError, shown
from smixup.files import restore_folder

MANIFEST = "packed.json"
FORMAT, VERSION = "smixup packed graphs", 2


def is_packed(folder: Path | str) -> bool:
    """Tell whether a folder holds packed graphs."""
    return Path(folder, MANIFEST).is_file()


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a packed set says of itself, or say why it cannot be read."""
    restore_folder(folder)
    if not is_packed(folder):
        raise SmixupError(f"{folder} holds no packed graphs: there is no {MANIFEST}.")
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        known = manifest["format"] == FORMAT and manifest["version"] == VERSION
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as reason:
        raise damaged(folder, f"{MANIFEST}: {shown(reason)}") from reason
    if not known:
        raise SmixupError(
            f"the graphs in {folder} were packed by another version of smixup: pack them again."
        )
    return manifest


def damaged(folder: Path, reason: str) -> SmixupError:
    """Return the error for a packed set that cannot be read."""
    return SmixupError(
        f"the packed graphs in {folder} are damaged ({reason.rstrip('.')}): pack them again."
    )


def digest_of(dataset: str) -> str:
    """Return a text that differs between packed sets; nothing for the name of another dataset."""
    return str(read_manifest(Path(dataset))["digest"]) if is_packed(dataset) else ""


def name_of(dataset: str) -> str:
    """Return the name of a dataset, which a packed one has in its folder."""
    notes = read_manifest(Path(dataset)).get("notes", {}) if is_packed(dataset) else {}
    return str(notes.get("name", dataset))
