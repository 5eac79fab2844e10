"""# Paired differences

At one seed all methods share the split, the initial weights and the order of batches. So a
difference is taken seed by seed, and its mean has an interval. The page reads finished runs that
are kept beside these pages, and draws one dot for every pair of runs.
"""

import csv
import gzip
from collections import defaultdict
from pathlib import Path

from smixup.app.pictures.paired_dots import DotRow, draw_dots
from smixup.app.tables.comparison import Difference

# %% Read the runs
# The experiment `few-labels` trains a GIN on 25 labelled graphs of MOTIF, validates with 25 others,
# and tests on all the rest. The file is what `smixup sweep export` writes.

RECORDS = Path(__file__).parents[1] / "results" / "few_labels.csv.gz"
csv.field_size_limit(10**8)
scores = defaultdict(dict)
with gzip.open(RECORDS, "rt", encoding="utf-8", newline="") as file:
    for run in csv.DictReader(file):
        if run["column"] == "MOTIF-25" and run["backbone"] == "gin" and run["state"] == "done":
            scores[run["row"]][int(run["seed"])] = 100 * float(run["test"])
for method, found in scores.items():
    mean = sum(found.values()) / len(found)
    print(f"{method}: {len(found)} runs, mean accuracy {mean:.1f} %")

# %% Subtract seed by seed
# Runs at the same seed are a pair. The interval of their mean difference is Student's.


def row(method: str) -> DotRow:
    """Compare a method with Vanilla on the seeds that both have."""
    seeds = sorted(scores[method].keys() & scores["Vanilla"].keys())
    ours, theirs = ([scores[name][seed] for seed in seeds] for name in (method, "Vanilla"))
    found = Difference.between(ours, theirs)
    print(f"{method}: {found.mean:+.1f} points, 95 % in [{found.low:+.1f}, {found.high:+.1f}]")
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    return DotRow(method, differences, found.mean, found.low, found.high)


rows = [row("S-Mixup"), row("random one-to-one")]

# %% The dot plot
# Every dot is a pair of runs, the diamond their mean, the bar its interval. The grey band holds
# differences of less than a point, which hardly anyone would care about. Single pairs differ by ten
# points and more: this is why one seed proves nothing. The control, mixing along random matches,
# gains as much as S-Mixup here. So at this size the gain is that of mixing, and not of the
# alignment; the [results](../results.md#is-it-the-alignment) have all sets and sizes.

draw_dots(rows, "test accuracy less Vanilla's, points", margin=1.0)
