"""Packages that only an extra of smixup installs: imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from smixup.errors import SmixupError


class MissingPackageError(SmixupError):
    """A package that only an extra installs is not there."""


def import_optional(module: str, package: str, extra: str) -> ModuleType:
    """Import a module of a package that only an extra installs, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"this needs {package}, which is missing: pip install 'smixup[{extra}]'."
        ) from error
