"""`docs/results.md`, `docs/results.csv`, the figure of few labels and README's table, from the
records alone: `make results`. The prose is in `results.md.jinja`; no number is typed there.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Sequence
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path
from statistics import fmean, median

import numpy as np
from jinja2 import Environment, StrictUndefined
from matplotlib.figure import Figure

from experiments import dose, harm, judge, records
from experiments.judge import FEWEST, OUTCOMES, Difference, Runs
from experiments.show import cells_of, interval, markdown, published, rows_of
from experiments.tables import EPOCHS, FEW_LABELS, NOISY, STUDY_DATA, TABLES, WRONG
from smixup.app.pictures import style
from smixup.app.words import signed
from smixup.files import write_whole

ROOT = Path(__file__).parents[1]
DATA = ROOT / "experiments" / "data"
MARKED = re.compile(r"(<!-- records: what to expect -->\n).*?(<!-- end of records -->)", re.DOTALL)

RANDOM = "random alignment"
HELPS, CONTROL, ALIGNS = ("S-Mixup", "Vanilla"), (RANDOM, "Vanilla"), ("S-Mixup", RANDOM)
LATER = tuple((name, "Vanilla") for name in ("FGWMixup", "GeoMix", "GED-Mixup"))
PAPER = ("table2", "table3", "table4", "table5", "table6", "table7")
REAL = tuple(name for name in FEW_LABELS if name != "MOTIF")
HUNDRED = [f"{name}-100" for name in REAL]
LABELS = {f"{n} labels": [f"{name}-{n}" for name in FEW_LABELS] for n in EPOCHS}
SHARES = {f"{s:.0%} wrong": [f"{name}, {s:.0%} wrong" for name in NOISY] for s in WRONG}


# Records


@cache
def arms_of(experiment: str) -> dict[tuple[str, str], dict[str, Runs]]:
    """Return the runs at the defaults of every arm, by column and backbone."""
    return {
        place: {arm: runs["{}"] for arm, runs in arms.items() if "{}" in runs}
        for place, arms in cells_of(all_records(), experiment).items()
    }


@cache
def all_records() -> list[records.Record]:
    """Read the records once."""
    return records.read()


@cache
def compared(
    experiment: str, arm: str, against: str, outcome: str = "accuracy"
) -> list[Difference]:
    """Compare two arms in all cells in which both were run."""
    cells = (
        judge.compare(*place, arms.get(arm, {}), arms.get(against, {}), outcome)
        for place, arms in arms_of(experiment).items()
    )
    return [cell for cell in cells if cell is not None]


def digits_of(outcome: str) -> int:
    """Return how many digits an outcome is written with."""
    return 2 if outcome == "accuracy" else 3


# What the page shows


def pooled(
    experiment: str,
    pools: dict[str, list[str]],
    pairs: Sequence[tuple[str, str]],
    outcome: str = "accuracy",
) -> str:
    """Write estimates over datasets, a row for each pool of columns; the spread between datasets
    is that of the first pair.
    """
    digits, rows = digits_of(outcome), []
    for name, columns in pools.items():
        each = [
            judge.over_datasets(compared(experiment, *pair, outcome), columns) for pair in pairs
        ]
        texts = [interval(found[0], digits) if found else "" for found in each]
        if each[0]:
            number, spread = each[0][0].number, each[0][1]
            rows.append([name, str(number), *texts, f"{spread:.{digits}f}"])
    heads = [f"{arm} less {against}" for arm, against in pairs]
    return markdown(["", "datasets", *heads, "spread"], rows)


def over(
    experiment: str, pair: tuple[str, str], columns: Sequence[str], outcome: str = "accuracy"
) -> str:
    """Write one estimate over datasets, all of which must have runs."""
    found = judge.over_datasets(compared(experiment, *pair, outcome), columns)
    assert found is not None
    assert found[0].number == len(columns)
    return interval(found[0], digits_of(outcome))


def counted(experiment: str, arm: str, against: str, outcome: str = "accuracy") -> str:
    """Count the cells that are decided, either way, and name their datasets."""
    cells, sign = compared(experiment, arm, against, outcome), 1 if outcome == "accuracy" else -1
    parts = []
    for word, side in (("better", sign), ("worse", -sign)):
        decided = [c for c in cells if c.estimate.decided and c.estimate.mean * side > 0]
        names = dict.fromkeys(re.split("[-,]", cell.column)[0] for cell in decided)
        where = f" ({', '.join(names)})" if names else ""
        parts.append(f"{word} in {len(decided) or 'none'}{where}")
    holds = sum(p < 0.05 for p in judge.holm([cell.estimate.p for cell in cells]))
    return f"of {len(cells)} cells {', '.join(parts)}; {holds or 'none'} after Holm's correction"


def cell(
    experiment: str, column: str, backbone: str, arm: str, against: str, outcome: str = "accuracy"
) -> str:
    """Write one difference."""
    found = compared(experiment, arm, against, outcome)
    one = next(each for each in found if (each.column, each.backbone) == (column, backbone))
    return interval(one.estimate, digits_of(outcome))


def on_motif(labels: int) -> str:
    """Write what S-Mixup gains on MOTIF, backbones averaged."""
    column = f"MOTIF-{labels}"
    return interval(judge.by_dataset(compared("few-labels", *HELPS), [column])[column])


def study() -> str:
    """Write the arms on the folds of the 2026 study, pooled over the datasets that have them."""
    rows = []
    for arm in TABLES["icml2026"].arms:
        cells = compared("icml2026", arm, "Vanilla")
        found = judge.over_datasets(cells, STUDY_DATA)
        if found and arm != "Vanilla":
            datasets = judge.by_dataset(cells, STUDY_DATA)
            rows.append([arm, ", ".join(datasets), interval(found[0])])
    return markdown(["", "datasets", "less Vanilla, points"], rows)


def study_lost() -> dict[str, str]:
    """Say by how much the study's S-Mixup lost there, on average and where most, paired by fold."""
    theirs = published("icml2026.csv", "backbone", "method", "dataset")
    ours = {place: row for place, row in theirs.items() if place[1] == "S-Mixup"}
    gaps = [
        float(r["mean"]) - float(theirs[b, "Vanilla", d]["mean"]) for (b, _, d), r in ours.items()
    ]
    worst = min(float(row["difference"]) for row in ours.values())
    return {"average": signed(fmean(gaps), 1), "worst": signed(worst, 1)}


def paper() -> str:
    """Write the paper's tables as far as they were run, beside the paper's differences."""
    lines = []
    for name in PAPER:
        for (column, backbone), arms in arms_of(name).items():
            plain = arms.get("Vanilla", {}).keys()
            known = {k: runs for k, runs in arms.items() if len(runs.keys() & plain) >= FEWEST}
            place = f"{name[-1]}: {column}, {backbone.upper()}"
            for arm, number, score, gain, _, theirs in rows_of(name, column, backbone, known):
                if gain:
                    lines.append([place, arm, number, score.split()[0], gain, theirs])
    return markdown(["table", "", "n", "accuracy", "less Vanilla", "the paper's"], lines)


def cost() -> str:
    """Say how many times as long S-Mixup trains in the middle of all cells. Other work on the
    machine only ever makes a run longer, so the shortest run of each cell counts.
    """
    ratios = []
    for arms in arms_of("few-labels").values():
        ours, theirs = (min(run.training_seconds for run in arms[arm].values()) for arm in HELPS)
        ratios.append(ours / theirs)
    return f"{median(ratios):.1f}"


def in_loops(arm: str) -> str:
    """Count the cells in which an arm loses in foreign loops, and name the lowest."""
    scores = {tuple(line[key] for key in harm.KEY): line["score"] for line in harm.read()}
    cells = dict[tuple[str, str], list[float]]()
    for (dataset, model, seed, name), score in scores.items():
        if name == arm:
            without = scores[dataset, model, seed, "none"]
            cells.setdefault((dataset, model), []).append(score - without)
    found = {where: judge.by_runs(each) for where, each in cells.items()}
    worse = sum(each.decided and each.mean < 0 for each in found.values())
    where, lowest = min(found.items(), key=lambda pair: pair[1].mean)
    return f"{worse} of {len(found)} cells (lowest {interval(lowest, 1)}: {', '.join(where)})"


def motif_kept() -> dict[str, str]:
    """Say how much of a motif mixes keep, by matcher (`data/case_study.json`)."""
    study = json.loads((DATA / "case_study.json").read_text(encoding="utf-8"))
    texts = {"pairs": str(study["pairs"])}
    for row in study["matchers"]:
        mean, low, high = (min(100 * row[name], 100.0) for name in ("mean", "low", "high"))
        texts[row["matcher"]] = f"{mean:.0f} % [{low:.0f}, {high:.0f}]"
    return texts


# Files


def figure() -> Figure:
    """Draw the gain in accuracy over Vanilla against the number of labels, a panel a dataset."""
    series = [
        (arm, backbone, colour, look)
        for backbone, look in (("gcn", "o-"), ("gin", "s--"))
        for arm, colour in (("S-Mixup", "#0a9a70"), (RANDOM, "#8f6fd0"))
    ]
    with style.styled():
        picture = style.new_figure(7.8, 4.7)
        panels = picture.subplots(2, 3).ravel()
        for axes, dataset in zip(panels, FEW_LABELS, strict=True):
            axes.axhline(0, color=style.INK, linewidth=0.8)
            for place, (arm, backbone, colour, look) in enumerate(series):
                gains = {
                    int(each.column.rpartition("-")[2]): each.estimate
                    for each in compared("few-labels", arm, "Vanilla")
                    if each.column.startswith(f"{dataset}-") and each.backbone == backbone
                }
                axes.errorbar(
                    np.array(list(gains)) * (1 + 0.035 * (2 * place - 3)),
                    [each.mean for each in gains.values()],
                    yerr=[each.reach(0.025) for each in gains.values()],
                    color=colour,
                    fmt=look,
                    markersize=4,
                    linewidth=1.2,
                    elinewidth=1.0,
                    label=f"{arm}, {backbone.upper()}",
                )
            axes.set(title=dataset, xscale="log")
            axes.set_xticks(list(gains), [str(number) for number in gains])
            axes.minorticks_off()
            axes.grid(axis="y", color=style.INK, alpha=0.2, linewidth=0.6)
        picture.supxlabel("graphs to train on", color=style.INK, fontsize=style.FONT_SIZE)
        label = "accuracy less Vanilla's, points"
        picture.supylabel(label, color=style.INK, fontsize=style.FONT_SIZE)
        lines, names = panels[0].get_legend_handles_labels()
        picture.legend(lines, names, loc="outside upper center", ncols=4)
    return picture


def all_cells() -> str:
    """Return every comparison of two arms at the defaults, cell by cell, as CSV."""
    theirs = published("icml2023.csv", "experiment", "column", "backbone", "arm")
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    head = ["experiment", "column", "backbone", "outcome", "arm", "against", "pairs"]
    lines.writerow([*head, "reference", "difference", "low", "high", "p", "holm", "published"])
    for name, table in TABLES.items():
        pairs = [(arm, "Vanilla") for arm in table.arms if arm != "Vanilla"]
        pairs += [ALIGNS] * (RANDOM in table.arms)
        for pair, outcome in product(pairs, OUTCOMES):
            cells = compared(name, *pair, outcome)
            adjusted = judge.holm([each.estimate.p for each in cells])
            for each, p in zip(cells, adjusted, strict=True):
                found, place = each.estimate, (name, each.column, each.backbone)
                numbers = (each.reference, found.mean, found.low, found.high, found.p, p)
                texts = [f"{x:.4f}" if math.isfinite(x) else "" for x in numbers]
                said = theirs.get((*place, pair[0]), {}).get("mean", "")
                lines.writerow([*place, outcome, *pair, len(each.seeds), *texts, said])
    return text.getvalue()


def rendered(template: str) -> str:
    """Return a page whose numbers are calls of the functions above."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    text = (ROOT / "experiments" / template).read_text(encoding="utf-8")
    return environment.from_string(text).render({**globals(), "dose": dose})


def files() -> dict[Path, str]:
    """Return all files that the records make."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = rendered("readme.md.jinja")
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return {
        ROOT / "docs" / "results.md": rendered("results.md.jinja"),
        ROOT / "docs" / "results.csv": all_cells(),
        ROOT / "docs" / "images" / "few-labels.svg": head + style.to_svg(figure()),
        ROOT / "README.md": MARKED.sub(lambda marks: f"{marks[1]}\n{table}\n{marks[2]}", readme),
    }


def main() -> None:
    """Write them."""
    for path, content in files().items():
        write_whole(path, content.encode(), "the results")


if __name__ == "__main__":
    main()
