"""What makes a run that run: its configuration, and the code that computes it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import smixup
from smixup.app.runs.config import RunConfig
from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS, chosen_matcher
from smixup.datasets.sources import SOURCES, source_of
from smixup.errors import SmixupError

SOURCE = Path(smixup.__file__).parent
RUN = "smixup.app.runs.run"
TEACHERS = "smixup.training.teachers"
REFITTING = "smixup.training.refitting"
LENGTH = 16
FOR_TYPES = ("TYPE_CHECKING", "typing.TYPE_CHECKING")

# What a run executes and its identity leaves out, because no number depends on it.
BESIDE = frozenset(
    f"smixup.{name}"
    for name in (
        "errors",  # words for the user
        "field_types",  # checks settings that are in the configuration
        "files",  # how bytes get to the disk, not which
        "hints",  # types of settings that are in the configuration
        "optional",  # imports other people's packages
        "progress",  # tells how far a run is
        "ranges",  # refuses numbers, changes none
        "registry",  # looks a name up
        "sealed",  # tells whether a file is whole
        "shown",  # words for the user
        "warning",  # words for the user
        "augment.not_compiled",  # what a compiled model calls as it is
        "datasets.archives",  # a temporary folder; numbers of imported files are not changed
        "datasets.bounds",  # refuses files, changes none
        "datasets.catalogue",  # finds the source, hands it the options of the configuration
        "datasets.download",  # fetches files that are not there
        "datasets.fingerprint",  # tells which data it is; that is kept beside the identity
        "datasets.layout",  # checks files, changes none
        "datasets.layouts",  # tells which files are there
        "datasets.leftovers",  # temporary folders
        "datasets.location",  # where the data root is
        "datasets.ogb_layout",  # checks files, changes none
        "datasets.plain_text",  # ends of lines
        "datasets.published_labels",  # symbols of atoms, for pictures
        "datasets.readers.endings",  # tells by its name whether a file is a table
        "datasets.readers.parquet",  # opens a file, or says what is wrong with it
        "datasets.readers.recognition",  # tells which reader is for a path
        "datasets.readers.registry",  # finds the reader, which counts
        "datasets.sources",  # names of sources; the source of the run's data counts
        "datasets.text_streams",  # opens tables, and refuses what is too large
        "datasets.transfer",  # fetches files
        "datasets.tu_layout",  # checks files, changes none
        "datasets.unpacking",  # opens what was fetched
        "app.runs.config",  # the configuration itself is in the identity, value by value
        "app.runs.environment",  # versions, kept beside the numbers
        "app.runs.options",  # checks settings that are in the configuration
        "app.runs.registry",  # names of the parts; these, and what builds them, count
        "app.runs.saved_matcher",  # its content is in the identity; refuses, never changes a run
        "app.sweeps.matcher_cache",  # a matcher fitted before, by the same code on the same graphs
        "matching.storage",  # weights on disk, read as they were written
        "interrupt",  # a signal ends a run, it changes none
    )
)


def run_id(config: RunConfig) -> str:
    """Return the identity of a run."""
    return sha256(f"{config.fingerprint()}/{code_version(config)}".encode()).hexdigest()[:LENGTH]


def code_version(config: RunConfig) -> str:
    """Return a digest of the code that a run executes: that of every run, and that of its data,
    backbone, method, matcher, teachers, and of training anew.
    """
    return version_of(RUN, *_parts(config))


def matcher_version(config: RunConfig) -> str:
    """Return a digest of the code that fits the matcher of a run."""
    return version_of(*_matcher(config))


def _parts(config: RunConfig) -> Iterator[str]:
    yield SOURCES.module(source_of(config.dataset))
    yield BACKBONES.module(config.backbone)
    yield METHODS.module(config.method)
    yield from _matcher(config)
    if config.teachers:
        yield TEACHERS
    if config.refit:
        yield REFITTING


def _matcher(config: RunConfig) -> Iterator[str]:
    name = chosen_matcher(config.method, config.method_settings)
    if name is not None:
        yield MATCHERS.module(name)


@cache
def version_of(*modules: str) -> str:
    """Return a digest of modules and all that they import of this package; comments and docstrings
    do not count.
    """
    parts = [f"{name}:{_code(_text(name)).essence}" for name in sorted(_closure(modules))]
    return sha256("".join(parts).encode()).hexdigest()[:LENGTH]


def _closure(modules: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the modules of this package from which a module takes names as it is imported."""
    imported = _code(_text(module)).imported
    found = [from_ if name is None else _home(from_, name) for from_, name in imported]
    return tuple(name for name in found if _counts(name))


@dataclass(frozen=True)
class Code:
    """What identities ask of a file.

    Attributes:
        imported: `(module, name)` for every name that is taken from a module as the file is
            imported, `(module, None)` for a module itself.
        essence: a digest of all but comments and docstrings.
    """

    imported: tuple[tuple[str, str | None], ...]
    essence: str


@cache
def _code(text: str) -> Code:
    """Read the text of a file, once however many runs it counts for."""
    tree, imported = ast.parse(text), list[tuple[str, str | None]]()
    for node in _at_import(tree.body):
        if isinstance(node, ast.Import):
            imported += [(alias.name, None) for alias in node.names]
        elif node.module:
            imported += [(node.module, alias.name) for alias in node.names]
    return Code(tuple(imported), _essence(tree))


def _at_import(nodes: Iterable[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that happen when a module is imported.

    Those inside functions and those for type checkers are ways that a run does not take;
    `tests/app/sweeps/test_executed.py` sees to it.
    """
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) in FOR_TYPES:
            yield from _at_import(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _at_import(ast.iter_child_nodes(node))


def _home(module: str, name: str) -> str:
    """Return where a name is defined that `module` may only pass on."""
    if not _is_ours(module):
        return module
    if _file(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    passed_on = _passed_on(module)
    return _home(passed_on[name], name) if name in passed_on else module


def _passed_on(module: str) -> Mapping[str, str]:
    """Return the names that a package's own file imports from elsewhere, with the modules they come
    from.
    """
    return _named(_text(module)) if _is_package(module) else {}


@cache
def _named(text: str) -> Mapping[str, str]:
    nodes = ast.walk(ast.parse(text))  # `smixup` itself names for type checkers what it passes on
    imports = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module)
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def _counts(module: str) -> bool:
    """Tell whether a module's code is part of an identity; a package's own file holds none."""
    return (
        _is_ours(module)
        and module not in BESIDE
        and not _is_package(module)
        and _file(module) is not None
    )


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "smixup"


def _is_package(module: str) -> bool:
    file = _file(module)
    return file is not None and file.name == "__init__.py"


def _essence(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    return sha256(_dumped(tree).encode()).hexdigest()


def _dumped(tree: ast.AST) -> str:
    """Write a tree as Python 3.11 does, so that a run is the same run on every Python: later ones
    know parameters of types (3.12), end some f-strings with nothing (3.12), and leave empty lists
    out (3.13).
    """
    for node in ast.walk(tree):
        if getattr(node, "type_params", None) == []:
            del node.type_params  # type: ignore[attr-defined]
        if isinstance(node, ast.JoinedStr):
            node.values = [each for each in node.values if getattr(each, "value", None) != ""]
    if sys.version_info >= (3, 13):
        return ast.dump(tree, show_empty=True)
    return ast.dump(tree)


@cache
def _text(module: str) -> str:
    file = _file(module)
    if file is None:
        raise SmixupError(f"a run needs code that can be read again: put {module} into a file.")
    return file.read_text(encoding="utf-8")


def _file(module: str) -> Path | None:
    """Return the source of a module: of this package, or of a part that comes from elsewhere."""
    if not _is_ours(module):
        elsewhere = getattr(import_module(module), "__file__", None)
        return Path(elsewhere) if elsewhere else None
    place = SOURCE.joinpath(*module.split(".")[1:])
    files = place.with_suffix(".py"), place / "__init__.py"
    return next((file for file in files if file.is_file()), None)
