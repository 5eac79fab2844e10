"""What makes a run that run: its configuration, and the code that computes it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import smixup
from smixup.lab.runs.config import RunConfig
from smixup.lab.runs.registry import BACKBONES, MATCHERS, METHODS, chosen_matcher

SOURCE = Path(smixup.__file__).parent
RUN = "smixup.lab.runs.run"
LENGTH = 16

BESIDE = frozenset(
    f"smixup.{name}"
    for name in (
        *("errors", "files", "optional", "progress", "training.interrupt", "training.keeper"),
        *(
            f"lab.runs.{each}"
            for each in ("config", "environment", "options", "presets", "registry", "saved_matcher")
        ),
        "lab.sweeps.matcher_cache",
        *(
            f"datasets.{each}"
            for each in ("archives", "catalogue", "download", "layouts", "location", "unpacking")
        ),
    )
)
"""Modules that name, find, fetch or report: a run's configuration being given, no number depends on
them.
"""


def run_id(config: RunConfig) -> str:
    """Return the identity of a run."""
    return sha256(f"{config.fingerprint()}/{code_version(config)}".encode()).hexdigest()[:LENGTH]


def code_version(config: RunConfig) -> str:
    """Return a digest of the code that a run executes: that of every run, and its backbone, method
    and matcher.
    """
    return version_of(RUN, *_parts(config))


def _parts(config: RunConfig) -> Iterator[str]:
    yield BACKBONES.module(config.backbone)
    yield METHODS.module(config.method)
    matcher = chosen_matcher(config.method, config.method_settings)
    if matcher is not None:
        yield MATCHERS.module(matcher)


@lru_cache
def version_of(*modules: str) -> str:
    """Return a digest of modules and all that they import of this package; comments and docstrings
    do not count.
    """
    found = sorted(_closure(modules))
    return sha256("".join(f"{name}:{_essence(name)}" for name in found).encode()).hexdigest()[
        :LENGTH
    ]


def _closure(modules: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


@lru_cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the modules of this package whose names a module imports."""
    found: list[str] = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [_home(node.module, alias.name) for alias in node.names]
    return tuple(name for name in found if _counts(name))


def _home(module: str, name: str) -> str:
    """Return where a name is defined that `module` may only pass on."""
    if not module.startswith("smixup"):
        return module
    if _file(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    passed_on = _passed_on(module)
    return _home(passed_on[name], name) if name in passed_on else module


@lru_cache
def _passed_on(module: str) -> dict[str, str]:
    """Return the names that a package's own file imports from elsewhere, with the modules they come
    from.
    """
    file = _file(module)
    if file is None or file.name != "__init__.py":
        return {}
    imports = (
        node for node in _tree(module).body if isinstance(node, ast.ImportFrom) and node.module
    )
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def _counts(module: str) -> bool:
    return module.startswith("smixup.") and module not in BESIDE and _file(module) is not None


@lru_cache
def _essence(module: str) -> str:
    tree = _tree(module)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return sha256(ast.dump(tree).encode()).hexdigest()


def _tree(module: str) -> ast.Module:
    file = _file(module)
    assert file is not None, f"{module} has no source"
    return ast.parse(file.read_text(encoding="utf-8"))


def _file(module: str) -> Path | None:
    place = SOURCE.joinpath(*module.split(".")[1:])
    return next(
        (file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None
    )
