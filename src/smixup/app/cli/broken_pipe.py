"""Whoever reads our output may stop: `smixup data list | head -1` is no failure of ours."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

READER_GONE = 141
"""What a shell reports of a program whose reader has gone: 128 and the number of SIGPIPE."""


@contextmanager
def ends_with_its_reader() -> Iterator[None]:
    """End quietly if nobody reads standard output any more; other broken pipes are errors."""
    try:
        yield
    except BrokenPipeError:
        if sys.__stdout__ is None or not reader_gone():
            raise
        with Path(os.devnull).open("w") as nowhere:  # what is still buffered goes there as we end
            os.dup2(nowhere.fileno(), sys.__stdout__.fileno())
        raise typer.Exit(READER_GONE) from None
    except SystemExit as end:  # rich has met the broken pipe, and done the same
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        raise typer.Exit(READER_GONE) from None


def reader_gone() -> bool:
    """Tell whether standard output is a pipe whose other end is closed."""
    if sys.__stdout__ is None or not hasattr(select, "poll"):
        return False
    try:
        poll = select.poll()
        poll.register(sys.__stdout__.fileno(), 0)
        return any(event & select.POLLERR for _, event in poll.poll(0))
    except (OSError, ValueError):
        return False
