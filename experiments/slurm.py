"""A table on a Slurm cluster: `python -m experiments.slurm 20 table2 --dataset NCI1 --root DATA`.

Twenty jobs do a part each, into stores of their own; the same line goes on where they ended. Then
`python -m experiments keep table2 --store runs/slurm/0.db --store runs/slurm/1.db ...`.
"""

import sys
from pathlib import Path

import submitit

from experiments.__main__ import main

FOLDER = Path("runs/slurm")


def part(shard: int, shards: int, arguments: list[str]) -> None:
    """Do one part."""
    main(["run", *arguments, "--shard", f"{shard}/{shards}", "--store", f"{FOLDER}/{shard}.db"])


if __name__ == "__main__":
    number = int(sys.argv[1])
    executor = submitit.AutoExecutor(FOLDER)
    executor.update_parameters(timeout_min=240, mem_gb=4, cpus_per_task=1)
    each = range(number), [number] * number, [sys.argv[2:]] * number
    print(*(job.job_id for job in executor.map_array(part, *each)))
