"""Ray, for real, on a cluster of this machine: the same results bit for bit, deaths included."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

import pytest
from warm_processes import WARM

from smixup.app.runs.config import configure
from smixup.app.sweeps import local as module
from smixup.app.sweeps.driver import sweep
from smixup.app.sweeps.local import LocalEngine
from smixup.app.sweeps.ray_engine import RayEngine
from smixup.app.sweeps.store import Store
from smixup.errors import SmixupError

pytestmark = [
    pytest.mark.ray,
    pytest.mark.skipif(
        find_spec("ray") is None, reason="ray is not installed: pip install 'smixup[cluster]'"
    ),
]

SCRIPT = """
import json, os, signal, sys
from pathlib import Path
from smixup.app.runs.config import RunConfig
from smixup.app.sweeps.driver import sweep
from smixup.app.sweeps.job import execute
from smixup.app.sweeps.ray_engine import RayEngine
from smixup.app.sweeps.store import Store

folder, runs = Path(sys.argv[1]), [RunConfig(**each) for each in json.loads(sys.argv[2])]

def dies_once(job):
    mark = folder / f"{job.id}.died"
    if job.config["seed"] == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(job)

if __name__ == "__main__":
    sweep(runs, Store(folder / "ray.db"), RayEngine(2, function=dies_once), root=folder)
"""


def test_the_same_runs_as_on_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"epochs": 2, "dataset_options": {"num_graphs": 40}}
    learning = {"matcher.max_steps": 2, "matcher.hidden_channels": 8, "matcher.num_layers": 2}
    runs = [configure("MOTIF", "gin", "drop-node", seed, **options) for seed in range(3)]
    runs.append(configure("MOTIF", "gcn", "s-mixup", 0, method_settings=learning, **options))
    runs.append(configure("NOSUCH", "gcn", "vanilla", 0, epochs=1))
    script = tmp_path / "by_ray.py"
    script.write_text(SCRIPT)
    command = [sys.executable, script, tmp_path, json.dumps([each.to_dict() for each in runs])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    ray, local = (Store(tmp_path / f"{name}.db") for name in ("ray", "local"))
    monkeypatch.setattr(module, "CONTEXT", multiprocessing.get_context(WARM))
    sweep(runs, local, LocalEngine(2), root=tmp_path)
    for store in (ray, local):
        errors = [each.error for each in store.records().values() if not each.done]
        assert (len(store.records()), len(errors)) == (5, 1), errors
    assert ray.curves() == local.curves()
    assert len(ray.curves()) == 4
    scores = ("test", "validation", "test_loss", "calibration_error", "best_epoch")
    for id, record in local.records().items():
        other = ray.records()[id]
        assert (other.done, other.error) == (record.done, record.error)
        assert [getattr(other.result, name, None) for name in scores] == [
            getattr(record.result, name, None) for name in scores
        ]
    assert len(list(tmp_path.glob("*.died"))) == 1, "a worker was killed and its run tried again"
    assert json.dumps(sorted(ray.records())) == json.dumps(sorted(local.records()))


LISTENING = """
import psutil
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.ray_engine import RayEngine

def answer(job):
    return Outcome(job.id)

if __name__ == "__main__":
    with RayEngine(1, function=answer) as engine:
        engine.start(Job("one", {}))
        engine.wait()
        own = psutil.Process()
        ours = {own.pid, *(child.pid for child in own.children(recursive=True))}
        for each in psutil.net_connections("tcp"):
            if each.status == "LISTEN" and each.pid in ours:
                print(each.laddr.ip)
"""


def test_a_cluster_of_its_own_listens_to_this_machine_alone(tmp_path: Path) -> None:
    pytest.importorskip("psutil")
    script = tmp_path / "listening.py"
    script.write_text(LISTENING)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = [ip_address(line) for line in done.stdout.split()]
    assert len(found) > 3
    for each in found:
        plain = getattr(each, "ipv4_mapped", None) or each
        assert plain.is_loopback, each


def test_without_ray_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SmixupError, match=r"smixup\[cluster\]"):
        RayEngine(1).open()


@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://127.0.0.1:9", "127.0.0.1:port"])
def test_an_address_at_which_nobody_listens(address: str) -> None:
    with pytest.raises(SmixupError, match=f"nobody listens at {address}"):
        RayEngine(1, address).open()
