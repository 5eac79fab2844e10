"""The benchmarks by name; a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from smixup.app.bench.measurement import Measurement
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison
from smixup.optional import MissingPackageError
from smixup.registry import Registry

BENCHMARKS: Registry[Iterable[Comparison]] = Registry(
    "benchmark",
    {
        "vanilla": "smixup.app.bench.vanilla:compare_vanilla",
        "precision": "smixup.app.bench.precision:compare_precision",
        "epoch": "smixup.app.bench.epoch:compare_epochs",
        "drop-in": "smixup.app.bench.drop_in:compare_drop_in",
        "methods": "smixup.app.bench.epoch:compare_methods",
        "align-mix": "smixup.app.bench.matching:compare_mixes",
        "one-to-one": "smixup.app.bench.one_to_one:compare_alignments",
        "transport": "smixup.app.bench.transport:compare_couplings",
        "matcher-step": "smixup.app.bench.matching:compare_steps",
        "large-pairs": "smixup.app.bench.large_pairs:compare_large",
        "reddit-step": "smixup.app.bench.reddit:compare_steps",
        "reddit-epoch": "smixup.app.bench.reddit:compare_epochs",
        "reddit-fit": "smixup.app.bench.reddit:measure_fit",
        "many-graphs": "smixup.app.bench.many_graphs:compare_many",
        "molecules": "smixup.app.bench.molecules:compare_molecules",
        "stored": "smixup.app.bench.stored:compare_stored",
    },
)
ON_REQUEST = frozenset({"reddit-fit"})
"""Those that take minutes, and are run only by name."""


def run_benchmarks(
    found: Measurement, settings: Settings, only: Sequence[str] = ()
) -> Iterator[str]:
    """Run the named benchmarks, or all but those that take minutes, unless they are finished
    already; yield the name of each before it begins. If none is named, those that need a package
    that is missing are left out, with a note.

    Args:
        found: takes each comparison as soon as it is made.
        settings: on which data, how often, at which size.
        only: the names; none for all.
    """
    names = only or [name for name in BENCHMARKS if name not in ON_REQUEST]
    benchmarks = {name: BENCHMARKS.factory(name) for name in names}
    for name in [name for name in benchmarks if name not in found.finished]:
        yield name
        try:
            for comparison in benchmarks[name](settings):
                found.add(comparison)
        except MissingPackageError as reason:
            if only:
                raise
            settings.note(f"{name} is left out: {reason}")
        else:
            found.finish(name)
