"""`smixup data` through its command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.data import app
from smixup.errors import SmixupError, UsageError


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def two_graphs(tmp_path: Path) -> Path:
    folder = tmp_path / "PAIR"
    folder.mkdir()
    for part, text in {
        "A": "1, 2\n2, 1\n",
        "graph_indicator": "1\n1\n2\n",
        "graph_labels": "0\n1\n",
    }.items():
        (folder / f"PAIR_{part}.txt").write_text(text)
    return folder


def test_import_list_stats(two_graphs: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    result = run("import", two_graphs, "--root", root)
    assert (result.exit_code, result.stdout) == (0, f"PAIR is now in {root / 'PAIR'}\n")
    lines = run("list", "--root", root).stdout.splitlines()
    assert any(line.split()[:3] == ["PAIR", "at", "hand"] for line in lines)
    assert any(line.split()[:2] == ["NCI1", "-"] for line in lines)
    stats = run("stats", "pair", "--root", root)
    assert stats.exit_code == 0
    assert ["average", "nodes", "1.50"] in [line.split() for line in stats.stdout.splitlines()]


def test_json_is_one_value_each(two_graphs: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    imported = json.loads(run("import", two_graphs, "--root", root, "--json").stdout)
    assert imported == {"name": "PAIR", "path": str(root / "PAIR"), "node_attributes": 0}
    listed = {
        each["name"]: each for each in json.loads(run("list", "--root", root, "--json").stdout)
    }
    assert listed["PAIR"]["present"]
    assert listed["MOTIF"]["present"]
    assert not listed["NCI1"]["present"]
    assert listed["NCI1"]["table2"]["average_nodes"] == 29.87
    stats = json.loads(run("stats", "PAIR", "--root", root, "--json").stdout)
    assert stats == {
        "name": "PAIR",
        "graphs": 2,
        "classes": 2,
        "average_nodes": 1.5,
        "average_edges": 0.5,
        "features": 0,
        "unused_attributes": 0,
        "notes": [],
    }


def test_node_attributes_are_named(two_graphs: Path, tmp_path: Path) -> None:
    (two_graphs / "PAIR_node_attributes.txt").write_text("0.5, 1\n1.5, 2\n2.5, 3\n")
    root = tmp_path / "root"
    alone = run("import", two_graphs, "--root", root).stdout
    assert alone.splitlines()[1:] == ["2 node attributes, used: there are no node labels"]
    (two_graphs / "PAIR_node_labels.txt").write_text("0\n1\n0\n")
    beside = run("import", two_graphs, "--root", root).stdout
    hint = "2 node attributes, not used: --data attributes=true"
    assert beside.splitlines()[1:] == [hint]
    lines = run("stats", "pair", "--root", root).stdout.splitlines()
    assert lines[-2].split() == ["features", "2"]
    assert lines[-1] == hint
    used = run("stats", "pair", "--root", root, "--data", "attributes=true").stdout
    assert used.splitlines()[-1].split() == ["features", "4"]


def test_what_edges_and_graphs_have_is_named(two_graphs: Path, tmp_path: Path) -> None:
    (two_graphs / "PAIR_edge_labels.txt").write_text("0\n0\n")
    (two_graphs / "PAIR_graph_attributes.txt").write_text("0.5\n1.5\n")
    notes = [
        "edge labels are there and not used: --data edges=true.",
        "graph attributes are there and not used: --data target=attributes.",
    ]
    assert run("import", two_graphs, "--root", tmp_path).stdout.splitlines()[1:] == notes
    assert run("stats", "PAIR", "--root", tmp_path).stdout.splitlines()[-2:] == notes
    used = ("--data", "edges=true", "--data", "target=attributes")
    lines = run("stats", "PAIR", "--root", tmp_path, *used).stdout.splitlines()
    assert lines[2].split() == ["targets", "1"]
    assert lines[-1].split() == ["features", "0"]


def test_stats_of_files_of_ones_own(tmp_path: Path) -> None:
    pytest.importorskip("rdkit", reason="RDKit comes with the extra 'chem'")
    path = tmp_path / "molecules.csv"
    path.write_text("smiles,active\nC,0\nCCO,1\nx,1\n")
    found = run("stats", path, "--data", "invalid=skip").stdout.splitlines()
    assert found[:2] == ["name           molecules", "graphs         2"]
    assert found[-2:] == [
        "target 'active' was read as classes 0, 1 (1 of 2 is 1).",
        "1 of 3 rows holds no molecule and was left out: row 3 'x'.",
    ]
    refused = run("stats", path)
    assert isinstance(refused.exception, SmixupError)


def test_formats() -> None:
    text = run("formats").stdout
    assert "smiles: Molecules as SMILES with targets" in text
    assert "smiles, target, task, metric, invalid=refuse" in text
    assert "attributes, edges=false, target" in text
    assert "smixup data import tox21.zip" in text
    assert {each["name"] for each in json.loads(run("formats", "--json").stdout)} >= {
        "smiles",
        "TU",
        "OGB",
    }


def test_a_wrong_setting_of_the_dataset(two_graphs: Path, tmp_path: Path) -> None:
    run("import", two_graphs, "--root", tmp_path)
    for data in ("attributes=true", "attributes=yess", "attributez=true"):
        result = run("stats", "PAIR", "--root", tmp_path, "--data", data)
        assert isinstance(result.exception, UsageError)


@pytest.mark.slow
def test_messages_of_the_reader_stay_off_stdout(two_graphs: Path, tmp_path: Path) -> None:
    run("import", two_graphs, "--root", tmp_path / "root")
    code = "from smixup.app.cli.data import app; app()"
    command = [
        sys.executable,
        "-c",
        code,
        "stats",
        "PAIR",
        "--json",
        "--root",
        str(tmp_path / "root"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["graphs"] == 2


def test_failures_are_raised_for_the_main_program_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smixup.datasets.download.is_reachable", lambda url: False)
    for arguments in (("import", tmp_path / "absent"), ("stats", "NCI1"), ("stats", "NCI0")):
        result = run(*arguments, "--root", tmp_path / "root")
        assert isinstance(result.exception, SmixupError)
        assert result.stdout == ""
    assert not (tmp_path / "root").exists()


def test_listing_and_offline_failure_do_without_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from smixup.app.cli.data import app; from smixup.errors import SmixupError\n"
        "import smixup.datasets.download as d\n"
        "d.is_reachable = lambda url: False\n"
        "for words in (['list'], ['stats', 'DD'], ['--help']):\n"
        "    try: app(words + ['--root', sys.argv[1]] * (words != ['--help']), "
        "standalone_mode=False)\n"
        "    except SmixupError: pass\n"
        "sys.exit('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "root")]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_a_real_archive(archive: Callable[[str], Path], tmp_path: Path) -> None:
    run("import", archive("MUTAG.zip"), "--root", tmp_path)
    stats = json.loads(run("stats", "mutag", "--root", tmp_path, "--json").stdout)
    assert (stats["graphs"], stats["features"]) == (188, 7)


def test_pack_by_name_or_from_files(two_graphs: Path, tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "packed"
    run("import", two_graphs, "--root", root)
    by_name = run("pack", "pair", "--out", out, "--root", root)
    assert by_name.exit_code == 0
    assert by_name.stdout.splitlines()[0].startswith(f"PAIR is now in {out}: 2 graphs")
    assert f"smixup train --dataset {out}" in by_name.stdout
    stats = json.loads(run("stats", out, "--json").stdout)
    assert stats == json.loads(run("stats", "PAIR", "--root", root, "--json").stdout)
    files = json.loads(run("pack", two_graphs, "--out", tmp_path / "other", "--json").stdout)
    assert (files["name"], files["graphs"]) == ("PAIR", 2)
    assert files["bytes"] == sum(path.stat().st_size for path in (tmp_path / "other").iterdir())
    again = run("pack", out, "--out", tmp_path / "third")
    assert again.exit_code == 0
    assert json.loads(run("stats", tmp_path / "third", "--json").stdout) == stats


def test_pack_refuses(two_graphs: Path, tmp_path: Path) -> None:
    taken = run("pack", two_graphs, "--out", tmp_path)
    assert isinstance(taken.exception, UsageError)
    assert "exists and holds no packed graphs" in str(taken.exception)
    nothing = run("pack", tmp_path / "nothing", "--out", tmp_path / "out")
    assert isinstance(nothing.exception, UsageError)
    assert not (tmp_path / "out").exists()
