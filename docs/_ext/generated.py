"""Parts of pages that are made from the source when the pages are built.

A line `<!-- generated: NAME -->` is replaced by what the maker of that name returns, in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import error_messages
from field_tables import sections
from range_messages import range_messages

import smixup

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

MARK = re.compile(r"^<!-- generated: ([\w-]+) -->$", re.MULTILINE)
OUTSIDE = re.compile(r"\[`?([^\]`]+)`?\]\(((?:\.\./)+examples/\w+\.py)\)")
PACKAGE = Path(smixup.__file__).parent
WITHOUT_PAGE = {"__version__", "nn"}


def errors() -> str:
    """Return all error messages."""
    return error_messages.page(PACKAGE, range_messages())


def methods() -> str:
    """Return the fields of all methods."""
    from smixup.app.runs.registry import METHODS

    return sections((name, METHODS.factory(name)) for name in METHODS)  # type: ignore[misc]


def matchers() -> str:
    """Return the fields of all matchers."""
    from smixup.app.runs.registry import MATCHERS

    return sections((name, MATCHERS.factory(name)) for name in MATCHERS)  # type: ignore[misc]


def normalizations() -> str:
    """Return the fields of all ways from scores to M."""
    from smixup.matching.normalizations import NORMALIZATIONS

    return sections(NORMALIZATIONS.classes.items())


def transports() -> str:
    """Return the fields of all ways from M to G2'."""
    from smixup.augment.transport import TRANSPORTS

    return sections(TRANSPORTS.classes.items())


def pairings() -> str:
    """Return the fields of all ways to choose a partner."""
    from smixup.augment.pairing import PAIRINGS

    return sections(PAIRINGS.classes.items())


def public_names() -> Iterable[tuple[str, str]]:
    """Yield every public name of the package, and the full name under which it is described: that
    of its package if this has it, too.
    """
    for name in smixup.__all__:
        if name not in WITHOUT_PAGE:
            home = smixup._LAZY[name]
            package = ".".join(home.split(".")[:2])
            listed = getattr(import_module(package), "__all__", ())
            yield name, f"{package if name in listed else home}.{name}"


def names() -> str:
    """Return a table of all public names of the package, each with the first line of its
    docstring.
    """
    rows = []
    for name, full in sorted(public_names(), key=lambda pair: pair[0].casefold()):
        text = (getattr(smixup, name).__doc__ or "").partition("\n\n")[0]
        rows.append(f"| {{py:obj}}`{name} <{full}>` | {' '.join(text.split())} |\n")
    return "| name | what it is |\n|---|---|\n" + "".join(rows)


def gallery() -> str:
    """Return the cards of the gallery."""
    from gallery import cards

    return cards()


MAKERS: dict[str, Callable[[], str]] = {
    "errors": errors,
    "gallery": gallery,
    "matchers": matchers,
    "methods": methods,
    "names": names,
    "normalizations": normalizations,
    "pairings": pairings,
    "transports": transports,
}


def filled(text: str) -> str:
    """Return a page with what is generated in the places of its marks."""
    return MARK.sub(lambda found: MAKERS[found.group(1)](), text)


def with_downloads(text: str) -> str:
    """Return a page whose links to files outside of the pages, such as examples, hand these out."""
    return OUTSIDE.sub(r"{download}`\1 <\2>`", text)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill a page before it is parsed, as Sphinx asks."""
    source[0] = with_downloads(filled(source[0]))


def check_names(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of a public name that no page of the reference describes."""
    from sphinx.util import logging

    described = env.domains.python_domain.objects
    for name, full in public_names():
        if full not in described:
            logging.getLogger(__name__).warning("smixup.%s (%s) is on no page", name, full)


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to pages as they are read, and look over the whole at the end."""
    app.connect("source-read", fill)
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
