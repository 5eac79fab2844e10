"""`docs/results.md`, `docs/results.csv`, the figure of few labels and README's table, from the
records alone: `make results`. The prose is in `results.md.jinja`; no number is typed there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np
from jinja2 import Environment, StrictUndefined
from matplotlib.figure import Figure

from experiments import judge, records
from experiments.judge import Difference, Runs
from experiments.show import cells_of, interval, markdown, published, rows_of, signed
from experiments.tables import EPOCHS, FEW_LABELS, NOISY, STUDY, STUDY_DATA, TABLES, WRONG
from smixup.app.pictures import style
from smixup.files import write_whole

ROOT = Path(__file__).parents[1]
DATA = ROOT / "experiments" / "data"
MARKED = re.compile(r"(<!-- records: what to expect -->\n).*?(<!-- end of records -->)", re.DOTALL)

RANDOM = "random alignment"
HELPS, CONTROL, ALIGNS = ("S-Mixup", "Vanilla"), (RANDOM, "Vanilla"), ("S-Mixup", RANDOM)
LATER = tuple((name, "Vanilla") for name in ("FGWMixup", "GeoMix", "GED-Mixup"))
PAPER = ("table2", "table3", "table4", "table5", "table6", "table7")
VARIANTS = PAPER[2:]  # of forms of S-Mixup: one form alone, which Table 2 has, answers nothing
AGAIN = {("table4", "S-Mixup"), ("table5", "S-Mixup"), ("table6", "one-to-one")}  # as in Table 2
REAL = tuple(name for name in FEW_LABELS if name != "MOTIF")
LABELS = {f"{n} labels": [f"{name}-{n}" for name in FEW_LABELS] for n in EPOCHS}
SHARES = {f"{s:.0%} wrong": [f"{name}, {s:.0%} wrong" for name in NOISY] for s in WRONG}
LOSSES = {
    "log_loss": "log loss",
    "scaled_loss": "log loss, scaled",
    "brier": "Brier score",
    "scaled_brier": "Brier score, scaled",
}


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
def compared(experiment: str, arm: str, against: str, outcome: str) -> list[Difference]:
    """Compare two arms in all cells in which both were run."""
    cells = []
    for (column, backbone), arms in arms_of(experiment).items():
        paired = judge.compare(arms.get(arm, {}), arms.get(against, {}), outcome)
        if paired is not None:
            cells.append(Difference(column, backbone, paired, paired.estimate))
    return judge.with_holm(cells)


def digits_of(outcome: str) -> int:
    """Return how many digits an outcome is written with."""
    return 2 if outcome == "accuracy" else 3


def listed(names: Iterable[str]) -> str:
    """Write names as people do: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


# What the page shows


def pooled(
    experiment: str,
    pools: dict[str, list[str]],
    pairs: Sequence[tuple[str, str]],
    outcome: str = "accuracy",
) -> str:
    """Write estimates over datasets, a row for each pool of columns."""
    head = ["", "datasets", *(f"{arm} less {against}" for arm, against in pairs)]
    return markdown([*head, "spread"], pooled_rows(experiment, pools, pairs, outcome))


def pooled_rows(
    experiment: str,
    pools: dict[str, list[str]],
    pairs: Sequence[tuple[str, str]],
    outcome: str,
) -> Iterator[list[str]]:
    """Yield the rows of `pooled`; the spread is that of the first pair between datasets."""
    digits = digits_of(outcome)
    for name, columns in pools.items():
        found = [
            judge.over_datasets(compared(experiment, *pair, outcome), columns) for pair in pairs
        ]
        texts = [interval(each[0], digits) if each else "" for each in found]
        if found[0]:
            (estimate, tau) = found[0]
            yield [name, str(estimate.number), *texts, f"{tau:.{digits}f}"]


def counted(experiment: str, arm: str, against: str, outcome: str = "accuracy") -> str:
    """Count the cells that are decided, either way, and name them."""
    cells, sign = compared(experiment, arm, against, outcome), 1 if outcome == "accuracy" else -1
    decided = [cell for cell in cells if cell.estimate.decided]
    parts = []
    for word, side in (("better", sign), ("worse", -sign)):
        where = [each.column for each in decided if each.estimate.mean * side > 0]
        names = dict.fromkeys(re.split("[-,]", column)[0] for column in where)
        parts.append(f"{word} in {len(where)} ({listed(names)})" if where else f"{word} in none")
    holds = sum(cell.holm < 0.05 for cell in cells)
    return f"of {len(cells)} cells {', '.join(parts)}; {holds or 'none'} after Holm's correction"


def within_a_point(experiment: str, arm: str, against: str) -> int:
    """Count the cells in which a difference of a point is ruled out, either way."""
    return sum(cell.estimate.within(1.0) for cell in compared(experiment, arm, against, "accuracy"))


def cell(
    experiment: str, column: str, backbone: str, arm: str, against: str, outcome: str = "accuracy"
) -> str:
    """Write one difference."""
    found = compared(experiment, arm, against, outcome)
    one = next(each for each in found if (each.column, each.backbone) == (column, backbone))
    return interval(one.estimate, digits_of(outcome))


def study() -> str:
    """Write the arms on the folds of the 2026 study, pooled over the datasets that have them."""
    rows = []
    for arm in list(TABLES["icml2026"].arms)[1:]:
        cells = compared("icml2026", arm, "Vanilla", "accuracy")
        found = judge.over_datasets(cells, STUDY_DATA)
        if found:
            datasets = judge.by_dataset(cells, STUDY_DATA)
            rows.append([arm, ", ".join(datasets), interval(found[0])])
    return markdown(["", "datasets", "less Vanilla, points"], rows)


def rounds() -> str:
    """Count how often the folds of the study were tested, cell by cell."""
    shown = [arm for arm in TABLES["icml2026"].arms if arm in ("S-Mixup", RANDOM, STUDY, "SubMix")]
    numbers = Counter[int]()
    for arm in shown:
        for each in compared("icml2026", arm, "Vanilla", "accuracy"):
            tested = Counter(seed % 5 for seed in each.paired.seeds)
            numbers[min(tested[fold] for fold in range(5))] += 1
    return listed(f"{number} in {cells}" for number, cells in sorted(numbers.items()) if number)


def study_lost() -> dict[str, str]:
    """Say by how much the study's S-Mixup lost there, on average and where most, paired by fold."""
    theirs = published("icml2026.csv", "backbone", "method", "dataset")
    ours = {place: row for place, row in theirs.items() if place[1] == "S-Mixup"}
    gaps = [
        float(r["mean"]) - float(theirs[b, "Vanilla", d]["mean"]) for (b, _, d), r in ours.items()
    ]
    worst = min(float(row["difference"]) for row in ours.values())
    return {"average": signed(fmean(gaps), 1), "worst": signed(worst, 1)}


def searched() -> dict[str, str]:
    """Compare S-Mixup with Vanilla on MUTAG with GCN, both choosing among all settings."""
    found = cells_of(all_records(), "icml2026-search")["MUTAG", "gcn"]
    ours, theirs = (judge.chosen(found[arm], by_fold=True) for arm in HELPS)
    paired = judge.compare(ours, theirs, "accuracy")
    assert paired is not None
    preset = fmean(run.score("accuracy") for run in found["Vanilla"]["{}"].values())
    return {
        "vanilla": f"{paired.reference:.1f}",
        "preset": f"{preset:.1f}",
        "difference": interval(paired.estimate),
    }


def paper() -> str:
    """Write the paper's tables as far as they were run, beside the paper's differences."""
    lines = []
    for name in PAPER:
        for (column, backbone), arms in arms_of(name).items():
            plain = arms.get("Vanilla", {})
            known = {
                arm: runs
                for arm, runs in arms.items()
                if arm != "Vanilla" and len(runs.keys() & plain.keys()) >= judge.FEWEST
            }
            if len(known) >= (2 if name in VARIANTS else 1):
                rows = rows_of(name, column, backbone, {"Vanilla": plain, **known})
                place = f"{name[-1]}: {column}, {backbone.upper()}"
                shown = (row for row in rows if row[0] != "Vanilla" and (name, row[0]) not in AGAIN)
                lines += [[place, *row[:2], row[2].split()[0], row[3], row[5]] for row in shown]
    return markdown(["table", "", "n", "accuracy", "less Vanilla", "the paper's"], lines)


def cost() -> dict[str, str]:
    """Say how many times as long S-Mixup trains, and how long a matcher takes. Other work on the
    machine only ever makes a run longer, so the shortest run of each cell counts.
    """
    ratios, preparing = [], dict[str, float]()
    for arms in arms_of("few-labels").values():
        mixed, plain = (arms[arm].values() for arm in HELPS)
        ratios.append(
            min(r.training_seconds for r in mixed) / min(r.training_seconds for r in plain)
        )
    for column in TABLES["few-labels"].columns:
        both = [arms["S-Mixup"] for (c, _), arms in arms_of("few-labels").items() if c == column]
        seeds = {seed for runs in both for seed in runs}
        before = [
            max(r[s].seconds - r[s].training_seconds for r in both if s in r) for s in seeds
        ]  # of the runs of a split, one fits the matcher and the others find it done
        preparing |= {column: min(before)} if before else {}
    ratios.sort()
    return {
        "middle": f"{ratios[len(ratios) // 4]:.1f} to {ratios[3 * len(ratios) // 4]:.1f}",
        "all": f"{ratios[0]:.1f} to {ratios[-1]:.1f}",
        "preparing": f"{min(preparing.values()):.0f} to {max(preparing.values()):.0f}",
    }


def by_seeds(
    experiment: str, column: str, backbone: str, arm: str, against: str = "Vanilla"
) -> str:
    """Write a difference in accuracy of runs that kept no predictions, with Student's interval."""
    arms = arms_of(experiment)[column, backbone]
    pairs = [(run.score("test"), arms[against].get(seed)) for seed, run in arms[arm].items()]
    return interval(judge.by_runs([ours - run.score("test") for ours, run in pairs if run]))


def in_loops() -> str:
    """Count the cells of the drop-in in foreign loops (`data/harm.jsonl`), and the lowest mean."""
    cells = dict[tuple[str, str], list[float]]()
    for line in (DATA / "harm.jsonl").read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        cells.setdefault((run["dataset"], run["model"]), []).append(run["mixed"] - run["plain"])
    found = [judge.by_runs(differences) for differences in cells.values()]
    worse = sum(each.decided and each.mean < 0 for each in found)
    lowest = min(found, key=lambda each: each.mean)
    return f"{worse} of {len(found)} cells (lowest {interval(lowest)})"


def selection() -> str:
    """Count the cells of development seeds in which the smoothed loss chose worse epochs."""
    cells = dict[tuple[str, ...], list[float]]()
    for line in (DATA / "selection_development.jsonl").read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        place = run["dataset"], run["backbone"], run["method"]
        score = run["accuracy"]
        cells.setdefault(place, []).append(score["smoothed-loss"] - score["score"])
    return f"{sum(fmean(each) < 0 for each in cells.values())} of {len(cells)}"


# README


def expectations() -> str:
    """Write the table of README.md."""
    kept = json.loads((DATA / "case_study.json").read_text(encoding="utf-8"))
    shares = {row["matcher"]: _share(row) for row in kept["matchers"]}
    few = {pair: compared("few-labels", *pair, "accuracy") for pair in (HELPS, ALIGNS)}
    scaled = {pair: compared("few-labels", *pair, "scaled_loss") for pair in (HELPS, ALIGNS)}
    motif = []
    for number in EPOCHS:
        parts = [each.paired for each in few[HELPS] if each.column == f"MOTIF-{number}"]
        both = judge.averaged(parts)
        assert both is not None
        motif.append(f"{interval(both.estimate)} with {number}")
    columns = [f"{name}-100" for name in REAL]
    over = "the same, over mixes along a random alignment"
    folds = compared("icml2026", *HELPS, "accuracy")
    number = len(judge.by_dataset(folds, STUDY_DATA))
    times = cost()
    rows = [
        (
            f"share of a motif that a mix keeps (MOTIF, {kept['pairs']} held-out pairs)",
            f"**{shares['graph-matcher']}**, mixed in random order {shares['random-order']}",
        ),
        (
            "few labels, structure decides (MOTIF): points over no augmentation",
            ", ".join(motif) + " labels",
        ),
        (f"100 labels, {len(REAL)} real datasets: points over none", _over(few[HELPS], columns)),
        (over, _over(few[ALIGNS], columns)),
        (
            f"100 labels, {len(judge.by_dataset(scaled[HELPS], columns))} real datasets: log loss "
            "after calibration, less that of none (below zero is better)",
            _over(scaled[HELPS], columns, 3),
        ),
        (over, _over(scaled[ALIGNS], columns, 3)),
        (
            f"all labels, the folds of the 2026 study ({number} of its {len(STUDY_DATA)} "
            "datasets): points over none; looked at twice while runs came in, so no proof",
            _over(folds, STUDY_DATA),
        ),
        (
            "time to train",
            f"{times['middle']} times as long in the middle half of the cells ({times['all']} in "
            "all), and a matcher once per split",
        ),
    ]
    return markdown(["S-Mixup at its defaults", "what was measured"], rows)


def _over(cells: Sequence[Difference], columns: Sequence[str], digits: int = 2) -> str:
    found = judge.over_datasets(cells, columns)
    return interval(found[0], digits) if found else ""


def _share(row: dict[str, float]) -> str:
    mean, low, high = (min(100 * row[name], 100.0) for name in ("mean", "low", "high"))
    return f"{mean:.0f} % [{low:.0f}, {high:.0f}]"


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
                    for each in compared("few-labels", arm, "Vanilla", "accuracy")
                    if each.column.startswith(f"{dataset}-") and each.backbone == backbone
                }
                axes.errorbar(
                    np.array(list(gains)) * (1 + 0.035 * (2 * place - 3)),
                    [each.mean for each in gains.values()],
                    yerr=[each.reach(0.95) for each in gains.values()],
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
    head = ["experiment", "column", "backbone", "outcome", "arm", "against", "pairs"]
    lines = [[*head, "reference", "difference", "low", "high", "p", "holm", "published"]]
    for name, table in TABLES.items():
        few = name == "few-labels"
        pairs = [(arm, "Vanilla") for arm in table.arms if arm != "Vanilla"]
        for pair in [*pairs, ALIGNS] if RANDOM in table.arms else pairs:
            for outcome in ("accuracy", *(LOSSES if few else ())):
                for each in compared(name, *pair, outcome):
                    found, said = each.estimate, theirs.get((name, *_place(each), pair[0]), {})
                    numbers = (found.mean, found.low, found.high, found.p, each.holm)
                    text = [f"{x:.4f}" for x in (each.paired.reference, *numbers)]
                    place = [name, *_place(each), outcome, *pair, str(len(each.paired.seeds))]
                    lines.append([*place, *text, said.get("mean", "")])
    return "".join(",".join(f'"{x}"' if "," in x else x for x in line) + "\n" for line in lines)


def _place(each: Difference) -> tuple[str, str]:
    return each.column, each.backbone


def page() -> str:
    """Return `docs/results.md`."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    template = (ROOT / "experiments" / "results.md.jinja").read_text(encoding="utf-8")
    return environment.from_string(template).render(globals())


def files() -> dict[Path, bytes]:
    """Return all files that the records make."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = expectations()
    new = MARKED.sub(lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", readme)
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return {
        ROOT / "docs" / "results.md": page().encode(),
        ROOT / "docs" / "results.csv": all_cells().encode(),
        ROOT / "docs" / "images" / "few-labels.svg": (head + style.to_svg(figure())).encode(),
        ROOT / "README.md": new.encode(),
    }


def main() -> None:
    """Write them."""
    for path, content in files().items():
        write_whole(path, content, "the results")


if __name__ == "__main__":
    main()
