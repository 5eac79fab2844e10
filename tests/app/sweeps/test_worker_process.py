"""A worker's first module is light: until it runs, nobody watches the driver."""

from __future__ import annotations

import subprocess
import sys


def test_a_worker_watches_its_driver_before_it_imports_torch() -> None:
    code = (
        "import sys; import smixup.app.sweeps.worker_process; "
        "print(sorted({'torch', 'numpy', 'torch_geometric'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
