"""Fetching a dataset from its publisher: quick to give up offline, and nothing is kept before it is
checked.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from smixup.datasets.archives import install
from smixup.datasets.layouts import NAME, tu_url
from smixup.datasets.leftovers import working_folder
from smixup.datasets.transfer import Limits, in_time, transfer
from smixup.errors import SmixupError
from smixup.shown import shown

REACH_SECONDS = 0.7
LIMITS = Limits()


def fetch(name: str, url: str, root: Path) -> None:
    """Download a dataset and import it under the root.

    Raises:
        SmixupError: naming the dataset, its URL and the import command, within a second if there is
            no network.
    """
    try:
        _download_and_import(name, url, root)
    except SmixupError as reason:
        advice = "Download it elsewhere and run: smixup data import PATH."
        raise SmixupError(
            f"{name} is not under {root} and could not be fetched from {url}: {reason} {advice}"
        ) from reason


def fetch_unlisted(name: str, root: Path) -> str:
    """Download a dataset of the TU collection that is known by its publisher only, and return its
    name.
    """
    if not NAME.fullmatch(name):
        raise SmixupError(f"'{shown(name)}' cannot be the name of a dataset.")
    _download_and_import(name, tu_url(name), root)
    return name


def is_reachable(url: str, seconds: float = REACH_SECONDS) -> bool:
    """Tell whether the host of a URL, or the proxy in front of it, takes connections."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    gate = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else parts
    port = gate.port or (443 if gate.scheme == "https" else 80)
    return _finishes(
        lambda: socket.create_connection((gate.hostname or "", port), seconds).close(), seconds
    )


def _finishes(action: Callable[[], None], seconds: float) -> bool:
    """Tell whether an action succeeds in time."""
    try:
        in_time(action, seconds)
    except (OSError, UnicodeError):
        return False
    return True


def _download_and_import(name: str, url: str, root: Path) -> None:
    if not is_reachable(url):
        raise SmixupError("the publisher cannot be reached.")
    with working_folder(root):
        part = root / f".{name}.download"
        transfer(url, part, LIMITS)
        try:
            install(part, root, expected=name)
        finally:
            part.unlink(missing_ok=True)
