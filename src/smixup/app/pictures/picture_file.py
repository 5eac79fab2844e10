"""A picture as a file; the ending of its name says what kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure

from smixup.app.pictures.style import to_png, to_svg
from smixup.errors import UsageError
from smixup.files import require_writable, write_whole

SVG_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def _svg_file(figure: Figure) -> bytes:
    return (SVG_HEAD + to_svg(figure)).encode()


KINDS: dict[str, Callable[[Figure], bytes]] = {".svg": _svg_file, ".png": to_png}


def require_kind(path: Path) -> None:
    """Raise an error unless a picture can be written under this name; to be asked before long
    work.
    """
    if path.suffix.lower() not in KINDS:
        raise UsageError(f"a picture's name must end with {' or '.join(KINDS)}: {path} does not.")
    require_writable(path, "the picture")


def write_picture(figure: Figure, path: Path) -> Path:
    """Write a picture; it appears at `path` whole or not at all."""
    require_kind(path)
    return write_whole(path, KINDS[path.suffix.lower()](figure), "the picture")
