"""Fetching a dataset from its publisher: quick to give up offline, and nothing is kept before it is
checked.
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import getproxies, urlopen

from smixup.datasets.archives import install, working_folder
from smixup.datasets.layouts import NAME, tu_url
from smixup.errors import SmixupError

REACH_SECONDS = 0.7
READ_SECONDS = 30.0


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
        raise SmixupError(f"'{name}' cannot be the name of a dataset.")
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
    """Run an action in a thread, as looking up a host name knows no time limit; tell whether it
    succeeded in time.
    """
    done: list[bool] = []

    def run() -> None:
        try:
            action()
        except (OSError, UnicodeError):
            return
        done.append(True)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(done)


def _download_and_import(name: str, url: str, root: Path) -> None:
    if not is_reachable(url):
        raise SmixupError("the publisher cannot be reached.")
    with working_folder(root) as folder:
        archive = folder / Path(urlsplit(url).path).name
        _download(url, archive)
        install(archive, root, expected=name)


def _download(url: str, target: Path) -> None:
    try:
        with urlopen(url, timeout=READ_SECONDS) as response, target.open("wb") as file:
            shutil.copyfileobj(response, file)
            expected = response.headers.get("Content-Length")
    except HTTPError as reason:
        raise SmixupError(f"the publisher answers {reason.code} ({reason.reason}).") from reason
    except (URLError, OSError) as reason:
        raise SmixupError(f"the download broke off ({reason}).") from reason
    if expected is not None and target.stat().st_size != int(expected):
        raise SmixupError("the download broke off.")
