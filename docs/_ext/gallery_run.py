"""Runs a script of the gallery, and keeps what came out until script or package change."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

from gallery_script import Cell, cells_of

PACKAGES = ("matplotlib", "networkx", "numpy", "scipy", "torch", "torch_geometric")
RECORDS = Path(__file__).parents[1] / "results"
RUNNER = (Path(__file__), Path(__file__).with_name("gallery_script.py"))


@dataclass(frozen=True)
class Shown:
    """What a section of a page shows behind its code.

    Attributes:
        printed: what the code printed.
        pictures: names of files in the folder of pictures.
    """

    printed: str
    pictures: tuple[str, ...]


@cache
def package_digest(package: Path) -> str:
    """Return a number that stands for all that scripts use: the source of a package, the versions
    it runs on, and the records of runs beside the pages.
    """
    found = sha256()
    records = (path for path in RECORDS.iterdir() if path.is_file())
    for path in (*RUNNER, *sorted(package.rglob("*.py")), *sorted(records)):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    found.update(" ".join(version(name) for name in PACKAGES).encode())
    return found.hexdigest()


def outcome(script: Path, kept: Path, digest: str) -> list[tuple[Cell, Shown]]:
    """Return the sections of a script with what they show, run anew if anything has changed.

    Args:
        script: the file.
        kept: the folder of pictures and records.
        digest: of all that the script uses.
    """
    source = script.read_text(encoding="utf-8")
    key = sha256((digest + source).encode()).hexdigest()[:16]
    record = kept / f"{script.stem}.json"
    shown = _read(record, key, kept)
    if shown is None:
        kept.mkdir(parents=True, exist_ok=True)
        for old in kept.glob(f"{script.stem}-*.svg"):
            old.unlink()
        shown = run(script, source, kept)
        record.write_text(json.dumps({"key": key, "shown": [asdict(each) for each in shown]}))
    return list(zip(cells_of(source), shown, strict=True))


def _read(record: Path, key: str, kept: Path) -> list[Shown] | None:
    """Return what is kept, None if it is of another source or not whole."""
    if not record.exists():
        return None
    found = json.loads(record.read_text())
    shown = [Shown(each["printed"], tuple(each["pictures"])) for each in found["shown"]]
    whole = all((kept / picture).exists() for each in shown for picture in each.pictures)
    return shown if found["key"] == key and whole else None


def run(script: Path, source: str, kept: Path) -> list[Shown]:
    """Run all sections of a script one after another; warnings are errors."""
    names: dict[str, Any] = {"__name__": "__gallery__", "__file__": str(script)}
    shown: list[Shown] = []
    with quiet():
        for place, cell in enumerate(cells_of(source)):
            printed, figures = run_cell(cell, script, names)
            files = tuple(f"{script.stem}-{place}-{each}.svg" for each in range(len(figures)))
            for file, figure in zip(files, figures, strict=True):
                write(figure, kept / file)
            shown.append(Shown(printed, files))
    return shown


def run_cell(cell: Cell, script: Path, names: dict[str, Any]) -> tuple[str, list[Any]]:
    """Run one section; return what it prints, and pictures that stand there as expressions."""
    tree = ast.parse("\n" * (cell.line - 1) + cell.code, str(script))
    figures, text = [], StringIO()
    with redirect_stdout(text):
        for statement in tree.body:
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), str(script), "eval"), names)
                figures += [value] if hasattr(value, "savefig") else []
            else:
                exec(compile(ast.Module([statement], []), str(script), "exec"), names)
    return text.getvalue(), figures


@contextmanager
def quiet() -> Iterator[None]:
    """Draw the same numbers in every run, on one thread; a warning ends it."""
    import torch

    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", ".*torch.jit.script.*", DeprecationWarning)
            yield
    finally:
        torch.set_num_threads(threads)
        torch.random.set_rng_state(state)


def write(figure: Any, path: Path) -> None:
    """Write a picture that is the same text whenever it is the same picture."""
    from smixup.app.pictures.style import to_svg

    path.write_text(to_svg(figure), encoding="utf-8")
