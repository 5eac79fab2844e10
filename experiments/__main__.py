"""`python -m experiments list | run | table | keep`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path

from experiments import records, run, show
from experiments.tables import TABLES
from smixup.errors import SmixupError

STORE = Path("runs/experiments.db")


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    whole = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = whole.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the tables")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("table", choices=TABLES, metavar="TABLE", help="its name, see `list`")
    common.add_argument("--store", type=Path, action="append", help=f"default {STORE}")
    common.add_argument("--root", type=Path, help="the data root")

    running = commands.add_parser("run", parents=[common], help="do what is missing")
    names = {"action": "append", "default": [], "metavar": "NAME"}
    running.add_argument("--dataset", dest="columns", **names, help="a dataset or a column")
    running.add_argument("--backbone", dest="backbones", **names)
    running.add_argument("--arm", dest="arms", **names, help="the first arm always stays")
    running.add_argument("--seeds", type=int, help="paired runs per cell")
    running.add_argument("--first-seed", type=int, default=0, help="100, say, for a trial")
    running.add_argument("--epochs", type=int, help="for a rehearsal")
    running.add_argument("--search", action="store_true", help="the whole grid of every arm")
    running.add_argument("--workers", type=int, default=1)
    running.add_argument("--cluster", help="address of a Ray cluster, or auto")
    running.add_argument("--shard", default="0/1", help="1/8: the second of eight parts")
    showing = commands.add_parser("table", parents=[common], help="ours beside the published")
    showing.add_argument("--search", action="store_true", help="arms at the best of the grid")
    commands.add_parser("keep", parents=[common], help="write finished runs on record")
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
        known = {each.place: each for each in records.read()}
        known |= run.finished(asked.table, [each for each in stores if each.is_file()], asked.root)
        print(*show.tables(known.values(), asked.table, asked.search), sep="\n\n")
    elif asked.command == "keep":
        new, before = run.keep(asked.table, stores, asked.root)
        print(f"{new} new records; {before} are replaced.")
    else:
        part = run.Part(**{each.name: getattr(asked, each.name) for each in fields(run.Part)})
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
