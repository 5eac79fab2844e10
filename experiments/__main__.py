"""`python -m experiments list | run | table | keep`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiments import records, run, show
from experiments.tables import TABLES
from smixup.errors import SmixupError

STORE = Path("runs/experiments.db")


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parts = argparse.ArgumentParser(add_help=False)
    parts.add_argument("table", help="its name, see `list`")
    parts.add_argument("--dataset", action="append", default=[], help="a dataset or a column")
    parts.add_argument("--backbone", action="append", default=[])
    parts.add_argument("--arm", action="append", default=[], help="the first arm always stays")
    parts.add_argument("--seeds", type=int, help="paired runs per cell")
    parts.add_argument("--first-seed", type=int, default=0, help="100, say, for a trial")
    parts.add_argument("--epochs", type=int, help="for a rehearsal")
    parts.add_argument("--search", action="store_true", help="the whole grid of every arm")
    place = argparse.ArgumentParser(add_help=False)
    place.add_argument("--store", type=Path, action="append", help=f"default {STORE}")
    place.add_argument("--root", type=Path, help="the data root")

    whole = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = whole.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the tables")
    running = commands.add_parser("run", parents=[parts, place], help="do what is missing")
    running.add_argument("--workers", type=int, default=1)
    running.add_argument("--cluster", help="address of a Ray cluster, or auto")
    running.add_argument("--shard", default="0/1", help="1/8: the second of eight parts")
    showing = commands.add_parser("table", parents=[place], help="ours beside the published")
    showing.add_argument("table")
    showing.add_argument("--search", action="store_true", help="arms at the best of the grid")
    keeping = commands.add_parser("keep", parents=[place], help="write finished runs on record")
    keeping.add_argument("table")
    return whole


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    asked = parser().parse_args(arguments)
    if asked.command == "list":
        for name, table in TABLES.items():
            print(f"{name:16} {table.title}")
        return
    stores = asked.store or [STORE]
    if asked.command == "table":
        run.table_named(asked.table)
        known = {each.place: each for each in records.read()}
        known |= run.finished(asked.table, [each for each in stores if each.is_file()], asked.root)
        print(*show.tables(known.values(), asked.table, asked.search), sep="\n\n")
        return
    if asked.command == "keep":
        new, before = run.keep(asked.table, stores, asked.root)
        print(f"{new} new records; {before} are replaced.")
        return
    part = run.Part(
        columns=asked.dataset,
        backbones=asked.backbone,
        arms=asked.arm,
        seeds=asked.seeds,
        first_seed=asked.first_seed,
        epochs=asked.epochs,
        search=asked.search,
    )
    runs = run.shard(run.configurations(asked.table, part), asked.shard)
    options = {"root": asked.root, "workers": asked.workers, "cluster": asked.cluster}
    for line in run.run(runs, stores[0], **options):
        print(line, flush=True)


if __name__ == "__main__":
    try:
        main()
    except SmixupError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted. The same command goes on.")
