"""Packages that only an extra of smixup installs: imported when they are needed, or asked for."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from smixup.errors import SmixupError


def import_optional(module: str, package: str, extra: str) -> ModuleType:
    """Import a module of a package that only an extra installs, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_package(package, extra) from error


def find_optional(module: str) -> ModuleType | None:
    """Import a module that makes things faster where it is installed, or return None."""
    try:
        return import_module(module)
    except ImportError:
        return None


def missing_package(package: str, extra: str, who: str = "this") -> SmixupError:
    """Return the error for a package that is not installed."""
    return SmixupError(f"{who} needs {package}, which is missing: pip install 'smixup[{extra}]'.")
