"""Pages: jinja2 templates that become one HTML file with all its pictures inside.

A page fetches nothing, is light or dark, and can be read on a phone; every value is escaped.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.figure import Figure

import smixup
from smixup.app.pictures.style import to_svg

UNBROKEN = re.compile(r"\b[A-Z]+-Mixup\b|\[[+-]?[\d.]+, [+-]?[\d.]+\]")


def render(template: str, **values: object) -> str:
    """Return a page from a template, named by its path within `smixup/app`."""
    return templates().get_template(template).render(values)


def running(text: str) -> Markup:
    """Escape a sentence whose lines do not end within the name of a method or an interval."""
    return Markup(UNBROKEN.sub(r'<span class="unbroken">\g<0></span>', str(escape(text))))


def inline_svg(figure: Figure, description: str) -> Markup:
    """Return a picture as an element, described for those who cannot see it."""
    head = Markup('<svg role="img" aria-label="{}"').format(description)
    return Markup(to_svg(figure, themed=True).replace("<svg", head, 1))


@cache
def templates() -> Environment:
    """Return all templates, by their paths within `smixup/app`."""
    loader = PackageLoader("smixup.app", "")
    shape: Any = {"trim_blocks": True, "lstrip_blocks": True}
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, **shape)
    environment.filters.update(running=running, svg=inline_svg)
    environment.globals.update(version=smixup.__version__)
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    return environment
