"""Every command of README.md and docs is understood, and is run, only smaller, or is listed with
the reason why not.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import own_files
import pytest
from documented import ROOT, commands, understood, words_of
from typer.testing import CliRunner

from smixup.app.cli.main import app

KNOWN = commands()
OURS = [command for command in KNOWN if command.startswith("smixup ")]

HOURS = "takes hours; smaller: tests/app/cli/test_sweep.py"
STORED = "needs runs of that sweep; smaller: tests/app/cli/{}"
NOT_RUN = {
    # set up an environment, or are for developers
    "git clone <this repository> smixup && cd smixup": "the repository has no public address yet",
    "pip install --constraint constraints.txt '.[lab]'": "installs; .github/workflows/ci.yml does",
    "pip install 'smixup[lab,cluster]'": "installs",
    "pip install 'smixup[lab,slurm]'": "installs",
    "make check": "runs these tests",
    "make test": "runs these tests",
    "make coverage": "runs these tests",
    "make lint": "part of .ci/run",
    "make docs": "part of .ci/run",
    "make package": "part of .ci/run",
    "ray start --head": "starts a cluster; tests/app/sweeps/test_ray_engine.py does",
    "SMIXUP_TEST_KILLS=1000 SMIXUP_TEST_TALLY=kills.jsonl python -m pytest "
    "tests/app/sweeps/test_kills.py -k many": "is a test",
    "SMIXUP_TEST_TALLY=faults.jsonl python -m pytest tests/test_faults.py": "is a test",
    # take minutes or hours whatever is said; their own tests run them smaller
    "smixup demo --open": "takes two minutes; smaller: tests/app/cli/test_demo.py",
    "smixup demo --out runs/demo --open": "the same; smaller: tests/app/cli/test_demo.py",
}
PREFIXES = {
    "python -m tests.fuzz": "takes minutes or hours; smaller: tests/fuzz/test_fuzz.py",
    "python -m tests.mutation": "takes minutes; its parts: tests/mutation/test_changes.py",
    "python -m tests.compatibility": "installs torch; its parts: "
    "tests/compatibility/test_environment.py and tests/compatibility/test_table.py",
    "python -m pytest": "runs tests",
    "smixup sweep run": HOURS,
    "smixup sweep plan": "asks for datasets; smaller: tests/app/cli/test_sweep.py",
    "smixup sweep status": STORED.format("test_sweep.py"),
    "smixup sweep export": STORED.format("test_sweep.py"),
    "smixup sweep import": STORED.format("test_sweep.py"),
    "smixup sweep agree": STORED.format("test_sweep_agree.py"),
    "smixup table": STORED.format("test_table.py"),
    "smixup report": STORED.format("test_report.py"),
    "smixup figure curves": STORED.format("test_figure.py"),
    "smixup figure ged": "takes minutes; smaller: tests/app/cli/test_figure_ged.py",
    "smixup bench": "takes minutes; smaller: tests/app/cli/test_bench.py",
    "smixup audit": "mixes by every method; smaller: tests/app/cli/test_audit.py",
    "smixup harm": "trains 40 models; smaller: tests/app/cli/test_harm.py",
    "smixup match evaluate --dataset MOTIF --fit full": "minutes; tests/app/cli/test_match.py",
    "smixup data import tox21.zip": "a download; tests/datasets/test_ogb.py",
    "smixup data stats moltox21": "its data",
    "smixup train --dataset moltox21": "its data",
}


def reason(command: str) -> str | None:
    """Return why a command is not run."""
    found = (why for start, why in PREFIXES.items() if command.startswith(start))
    return NOT_RUN.get(command) or next(found, None)


RUN = [command for command in KNOWN if reason(command) is None]
TINY = ["--epochs", "1", "--num-layers", "1", "--hidden-channels", "4"]
COMPARED = ["--method", "drop-edge", "--num-folds", "3", "--seeds", "2", "--workers", "1"]
GENERATED = ["--data", "num_graphs=60"]
PUBLISHED = ("MUTAG", "NCI1", "ENZYMES", "IMDB-BINARY")


def smaller(words: list[str]) -> list[str]:
    """Return a command with options that make it small; the last one of a name counts."""
    verb, text = words[0], " ".join(words)
    data = GENERATED if not any(each in text for each in ("./", ".csv", *PUBLISHED)) else []
    if verb == "compare":
        return [*words, *TINY, *COMPARED]
    if verb == "train" and "--config" not in words:
        few = ["--train-graphs", "6"] if "--train-graphs" in words else []
        folds = ["--num-folds", "3"] if "--num-folds" in words else []
        learns = "s-mixup" in words and "matcher=" not in text
        quick = ["--set", "matcher.max_steps=1"] if learns else []
        return [*words, *TINY, *few, *folds, *quick, *data]
    if verb == "explore":
        model = "--model" in words
        return [*words, "--pairs", "2", *([] if model else data)]
    if verb == "figure":
        return [*words, *(["--pairs", "4"] if "case-study" in words else []), *data]
    if words[:2] == ["match", "fit"]:
        return [*words, "--set", "max_steps=1", *data]
    if words[:2] == ["match", "evaluate"]:
        return [*words, "--pairs", "4", *data]
    return words


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that the documents speak of."""
    folder, runner = tmp_path_factory.mktemp("desk"), CliRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SMIXUP_ROOT", str(folder / "root"))
        rows = own_files.molecules(folder).read_text().replace("name,smiles,kind", "name,smiles,x")
        table = [line.split(",") for line in rows.splitlines()[1:]]
        lines = [f"{n},{s},{int(k == 'ring')},{len(s)}.5,{k == 'ring':d}" for n, s, k in table]
        for name in ("molecules.csv", "new.csv"):
            Path(name).write_text("\n".join(["name,smiles,active,logp,HIV_active", *lines]))
        Path("proteins").mkdir()
        own_files.graphml(folder / "proteins")
        own_files.matrices(folder)
        Path("published").mkdir()
        for name in PUBLISHED:
            imported = runner.invoke(app, ["data", "import", str(as_published(folder, name))])
            assert imported.exit_code == 0, imported.stderr
        shutil.make_archive("NCI1", "zip", "published", "NCI1")
        Path("run.toml").write_text(
            'dataset = "MOTIF"\nepochs = 1\ndataset_options.num_graphs = 60'
        )
        for words in PREPARED:
            done = runner.invoke(app, words)
            assert done.exit_code == 0, done.stderr
        yield folder


def as_published(folder: Path, name: str) -> Path:
    """Write a small set under the name of a published one, with labels of edges."""
    own = own_files.tu(folder)
    edges = (own / "OWN_A.txt").read_text().splitlines()
    (own / "OWN_edge_labels.txt").write_text("\n".join(str(n % 2) for n in range(len(edges))))
    for file in own.iterdir():
        file.rename(own / file.name.replace("OWN", name))
    return own.rename(folder / "published" / name)


PREPARED = [
    ["train", "molecules.csv", "--target", "active", *TINY, "--out", "of-molecules"],
    ["train", "MUTAG", *TINY, "--out", "of-mutag"],
    ["match", "fit", "--dataset", "MOTIF", "--out", "matcher", "--set", "max_steps=1", *GENERATED],
    ["data", "pack", "NCI1", "--out", "nci1"],
]


def test_every_command_is_run_or_listed() -> None:
    stale = set(NOT_RUN) - set(KNOWN)
    assert not stale, f"no document has these any more: {sorted(stale)}"
    unused = [start for start in PREFIXES if not any(each.startswith(start) for each in KNOWN)]
    assert not unused, f"no document has these any more: {unused}"
    strange = [command for command in RUN if not command.startswith("smixup ")]
    assert not strange, f"neither run nor listed: {strange}"


@pytest.mark.parametrize("why", sorted({*NOT_RUN.values(), *PREFIXES.values()}))
def test_tests_that_stand_in_for_a_command_exist(why: str) -> None:
    named = [word for word in why.split() if word.startswith("tests/")]
    assert all((ROOT / file).is_file() for file in named)


@pytest.mark.parametrize("command", OURS)
def test_every_command_is_understood(command: str) -> None:
    understood(command)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::smixup.app.runs.edge_use.EdgesLeftOut")
@pytest.mark.parametrize("command", RUN)
def test_every_command_runs(command: str, desk: Path) -> None:
    shutil.rmtree(desk / "model", ignore_errors=True)
    if "--out model" not in command:
        kept = "of-mutag" if "MUTAG" in command else "of-molecules"
        shutil.copytree(desk / kept, desk / "model")
    done = CliRunner().invoke(app, smaller(words_of(command)))
    assert done.exit_code == 0, done.stderr


def test_an_unknown_option_would_be_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        understood("smixup train --dateset MOTIF")
