"""How well the matcher of a comparison aligns graphs that it has not seen."""

from __future__ import annotations

from smixup.analysis.matcher_quality import Quality, evaluate_matcher
from smixup.app.runs.build import make_method
from smixup.app.runs.opened import open_run
from smixup.app.studies.paired_runs import PairedRuns
from smixup.app.sweeps.identity import matcher_version
from smixup.app.sweeps.matcher_cache import CachedMatcher, MatcherCache
from smixup.app.sweeps.store import Store
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import Matcher, RandomOrder, Uniform

PAIRS = 200
MOST_GRAPHS = 5000


def alignment_quality(found: PairedRuns, store: Store) -> dict[str, Quality]:
    """Measure the matcher of the first run, and controls, on held-out graphs of its split.

    Nothing is measured (an empty answer) where no method learns a matcher, its runs have left none
    behind, or graphs are too many to be read for it.

    Args:
        found: the comparison.
        store: of its runs; their matchers are kept beside it.
    """
    folder = store.workspace / "matchers"
    if found.facts.graphs > MOST_GRAPHS or not folder.is_dir():
        return {}
    for arm in found.methods:
        config = found.settings.config(arm, 0)
        if 0 not in found.runs.get(arm.name, {}):
            continue
        cache, kept = MatcherCache(folder, matcher_version(config)), list[Matcher]()

        def wrap(
            matcher: Matcher, cache: MatcherCache = cache, kept: list[Matcher] = kept
        ) -> Matcher:
            kept.append(cache.wrap(matcher))
            return kept[-1]

        make_method(config.method, config.seed, config.method_settings, wrap)
        if not kept or not isinstance(kept[0], CachedMatcher):
            continue
        opened = open_run(config, found.settings.root)
        try:
            return beside_controls(kept[0].fit(opened.train).matcher, opened.held_out, PAIRS)
        except SmixupError:  # too few graphs of a class for pairs of it
            return {}
    return {}


def beside_controls(matcher: Matcher, graphs: Graphs, pairs: int) -> dict[str, Quality]:
    """Measure a matcher and the controls on the same pairs."""
    matchers = {"learned": matcher, "random order": RandomOrder(), "uniform": Uniform()}
    return {name: evaluate_matcher(each, graphs, pairs) for name, each in matchers.items()}
