"""The benchmarks by name; a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from smixup.errors import unknown_name
from smixup.lab.bench.epoch import compare_epochs, compare_methods
from smixup.lab.bench.matching import compare_mixes, compare_steps
from smixup.lab.bench.settings import Settings
from smixup.lab.bench.timing import Comparison
from smixup.lab.bench.vanilla import compare_vanilla

BENCHMARKS: dict[str, Callable[[Settings], Iterable[Comparison]]] = {
    "vanilla": compare_vanilla,
    "epoch": compare_epochs,
    "methods": compare_methods,
    "align-mix": compare_mixes,
    "matcher-step": compare_steps,
}


def run_benchmarks(settings: Settings, only: Sequence[str] = ()) -> Iterator[Comparison]:
    """Run the named benchmarks, or all, and yield each comparison as soon as it is made."""
    for name in only:
        if name not in BENCHMARKS:
            raise unknown_name("benchmark", name, BENCHMARKS)
    for name in only or BENCHMARKS:
        yield from BENCHMARKS[name](settings)
