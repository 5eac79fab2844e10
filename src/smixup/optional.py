"""Packages that only an extra of smixup installs: imported when they are needed, or asked for."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from smixup.errors import SmixupError


class MissingPackageError(SmixupError):
    """A package that only an extra installs is not there."""


def import_optional(module: str, package: str, extra: str) -> ModuleType:
    """Import a module of a package that only an extra installs, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_package(package, extra) from error


def require_optional(module: str, package: str, extra: str, who: str) -> None:
    """Refuse what cannot be done without a package, before anything that takes time.

    Args:
        module: the package, as it is imported.
        package: as it is called.
        extra: of smixup, which installs it.
        who: needs it.
    """
    if find_spec(module) is None:
        raise missing_package(package, extra, who)


def missing_package(package: str, extra: str, who: str = "this") -> MissingPackageError:
    """Return the error for a package that is not installed."""
    return MissingPackageError(
        f"{who} needs {package}, which is missing: pip install 'smixup[{extra}]'."
    )
