"""A run is its configuration and the code behind it, no less and no more."""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import smixup
from smixup.app.runs.config import RunConfig, configure
from smixup.app.sweeps import identity
from smixup.app.sweeps.identity import code_version, matcher_version, run_id
from smixup.datasets.sources import SOURCES
from smixup.errors import SmixupError
from smixup.graphs import Graphs, pack

AS_PYTHON_3_11 = (
    "Module(body=[ClassDef(name='A', bases=[], keywords=[], body=[FunctionDef(name='f', "
    "args=arguments(posonlyargs=[], args=[arg(arg='self')], kwonlyargs=[], kw_defaults=[],"
    " defaults=[]), "
    "body=[Return(value=JoinedStr(values=[FormattedValue(value=Name(id='self', "
    "ctx=Load()), conversion=-1, format_spec=JoinedStr(values=[Constant(value='>'), "
    "FormattedValue(value=Constant(value=3), conversion=-1)])), "
    "FormattedValue(value=Name(id='self', ctx=Load()), conversion=114)]))], "
    "decorator_list=[], returns=Name(id='str', ctx=Load()))], decorator_list=[])], "
    "type_ignores=[])"
)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's source that a test may change."""
    copy = tmp_path / "smixup"
    shutil.copytree(identity.SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(identity, "SOURCE", copy)
    forget()
    yield copy
    forget()


def forget() -> None:
    for cached in (identity.version_of, identity._imports, identity._text):
        cached.cache_clear()


def version(
    method: str = "vanilla", backbone: str = "gin", dataset: str = "MOTIF", **settings: object
) -> str:
    return code_version(configure(dataset, backbone, method, method_settings=settings))


def claimed(code: str, part: ModuleType) -> set[str]:
    """The modules that count for a part with this code, apart from itself."""
    write(Path(str(part.__file__)), code)
    return identity._closure([part.__name__]) - {part.__name__}


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module outside of this package."""
    module = ModuleType("elsewhere")
    module.__file__ = str(tmp_path / "elsewhere.py")
    monkeypatch.setitem(sys.modules, "elsewhere", module)
    return module


def write(file: Path, text: str) -> None:
    file.write_text(text)
    forget()


def append(file: Path, text: str) -> None:
    write(file, file.read_text() + text)


def test_the_configuration_decides() -> None:
    first = configure("MOTIF", "gin", "vanilla")
    assert run_id(first) == run_id(RunConfig(**first.to_dict()))
    assert run_id(first) != run_id(configure("MOTIF", "gin", "vanilla", seed=1))
    assert run_id(first) != run_id(configure("MOTIF", "gin", "vanilla", epochs=3))
    assert run_id(first) != run_id(configure("MOTIF", "gin", "vanilla", teachers=1))


def test_a_setting_at_its_default_is_no_other_run() -> None:
    plain = configure("MOTIF", "gin", "s-mixup")
    spelt = {"alpha": 0.2, "matcher": "graph-matcher", "matcher.num_layers": 4}
    assert run_id(plain) == run_id(configure("MOTIF", "gin", "s-mixup", method_settings=spelt))
    assert run_id(plain) != run_id(
        configure("MOTIF", "gin", "s-mixup", method_settings={"alpha": 0.3})
    )


def test_words_do_not_matter(source: Path) -> None:
    before = version()
    file = source / "training" / "loop.py"
    tree = ast.parse(file.read_text())
    first_line = ast.get_docstring(tree)
    assert first_line is not None
    write(file, file.read_text().replace(first_line, "Other words.") + "\n# a comment\n")
    assert version() == before


def test_code_that_every_run_executes_matters(source: Path) -> None:
    before = version()
    append(source / "training" / "loop.py", "\nEXTRA = 1\n")
    assert version() != before


@pytest.mark.slow
def test_only_runs_that_use_a_part_depend_on_it(source: Path) -> None:
    cases = {
        "augment/baselines/submix.py": ("submix", {}),
        "augment/smixup.py": ("s-mixup", {}),
        "matching/rrwm.py": ("s-mixup", {"matcher": "rrwm"}),
    }
    for file, (method, settings) in cases.items():
        before, others = version(method, **settings), version()
        append(source / file, "\nEXTRA = 1\n")
        assert version(method, **settings) != before, file
        assert version() == others, f"{file} is no business of vanilla"


def test_the_other_backbone_does_not_matter(source: Path) -> None:
    before = version(backbone="gcn")
    append(source / "classifiers" / "gin.py", "\nEXTRA = 1\n")
    assert version(backbone="gcn") == before
    append(source / "classifiers" / "gcn.py", "\nEXTRA = 1\n")
    assert version(backbone="gcn") != before


DATASETS = ("MOTIF", "THREADS-5K", "NCI1", "PROTEINS", "ogbg-molhiv")
USED_BY = {
    "datasets/motif.py": {"MOTIF"},
    "datasets/threads.py": {"THREADS-5K"},
    "datasets/tu.py": {"NCI1", "PROTEINS"},
    "datasets/tu_text.py": {"NCI1", "PROTEINS"},
    "datasets/text_tables.py": {"NCI1", "PROTEINS", "ogbg-molhiv"},
    "datasets/atoms.py": {"ogbg-molhiv"},
    "datasets/bonds.py": {"ogbg-molhiv"},
    "datasets/edge_columns.py": {"NCI1", "PROTEINS", "ogbg-molhiv"},
    "datasets/gaps.py": {"ogbg-molhiv"},
    "datasets/ogb.py": {"ogbg-molhiv"},
    "datasets/ogb_sets.py": {"ogbg-molhiv"},
    "datasets/one_hot.py": {"ogbg-molhiv"},
    "datasets/base.py": set(DATASETS),
    "datasets/edge_standardisation.py": set(DATASETS),
    "datasets/features.py": set(DATASETS),
    "datasets/splits.py": set(DATASETS),
    "datasets/label_corruption.py": set(DATASETS),
    "datasets/packed_set.py": set(),
    "datasets/packed_features.py": set(),
    "datasets/statistics.py": set(),
}


@pytest.mark.parametrize("file", USED_BY)
def test_only_runs_on_data_from_a_source_depend_on_it(source: Path, file: str) -> None:
    before = {dataset: version(dataset=dataset) for dataset in DATASETS}
    append(source / file, "\nEXTRA = 1\n")
    assert {each for each in DATASETS if version(dataset=each) != before[each]} == USED_BY[file]


@pytest.mark.parametrize("file", ["packed_set", "packed_features"])
def test_runs_on_packed_graphs_depend_on_how_they_are_read(
    source: Path, file: str, graphs: Graphs, tmp_path: Path
) -> None:
    folder = str(pack(graphs, tmp_path / "packed").folder)
    before = version(dataset=folder)
    append(source / "datasets" / f"{file}.py", "\nEXTRA = 1\n")
    assert version(dataset=folder) != before


def test_every_file_of_data_is_accounted_for() -> None:
    files = {path.stem for path in (identity.SOURCE / "datasets").glob("[!_]*.py")}
    beside = {name.rpartition(".")[2] for name in identity.BESIDE if ".datasets." in name}
    assert files - beside == {Path(file).stem for file in USED_BY}


def test_a_constant_of_the_data_matters(source: Path) -> None:
    before, other, file = version(dataset="molhiv"), version(), source / "datasets" / "atoms.py"
    write(file, file.read_text().replace("(119,", "(120,"))
    assert version(dataset="molhiv") != before
    assert version() == other


def test_names_and_pictures_do_not_matter(source: Path) -> None:
    before = version("s-mixup")
    for file in (
        "app/runs/presets.py",
        "app/runs/registry.py",
        "app/pages/report.py",
        "datasets/download.py",
    ):
        append(source / file, "\nEXTRA = 1\n")
    assert version("s-mixup") == before


def test_code_that_s_mixup_does_not_run_does_not_matter(source: Path) -> None:
    before = version("s-mixup")
    others = [
        *("matching/siamese.py", "matching/storage.py", "matching/rrwm.py", "graphs/pyg.py"),
        *(
            "graphs/sound_batch.py",
            "graphs/batch_fields.py",
            "graphs/appending.py",
            "graphs/refused_codes.py",
        ),
        *("augment/edge_weight.py", "augment/__init__.py", "matching/__init__.py"),
        *(
            "augment/baselines/*.py",
            "analysis/*.py",
            "edits/*.py",
            "app/pages/**/*.py",
            "app/cli/*.py",
        ),
    ]
    for pattern in others:
        files = list(source.glob(pattern))
        assert files, pattern
        for file in files:
            append(file, "\nEXTRA = 1\n")
    assert version("s-mixup") == before


def test_a_fitted_matcher_depends_on_its_own_code_alone(source: Path) -> None:
    def versions() -> list[str]:
        settings = ({"matcher": name} for name in ("graph-matcher", "siamese"))
        return [
            matcher_version(configure("MOTIF", "gin", "s-mixup", method_settings=each))
            for each in settings
        ]

    changed = []
    for file in ("graph_matcher", "siamese", "fitting", "rrwm"):
        before = versions()
        append(source / "matching" / f"{file}.py", "\nEXTRA = 1\n")
        changed.append([a != b for a, b in zip(before, versions(), strict=True)])
    assert changed == [[True, False], [False, True], [True, True], [False, False]]


def test_only_what_is_imported_with_a_module_counts(part: ModuleType) -> None:
    late = "def late():\n    from smixup.matching.rrwm import RRWM\n"
    for_types = "if TYPE_CHECKING:\n    from smixup.matching.rrwm import RRWM\n"
    assert claimed(late + for_types + for_types.replace("TYPE", "typing.TYPE"), part) == set()
    guarded = "try:\n    import numpy\nexcept ImportError:\n    import smixup.graphs.ragged\n"
    assert claimed(guarded, part) == {"smixup.graphs.ragged"}
    other = for_types.replace("TYPE", "not TYPE").replace(
        "matching.rrwm import RRWM", "seeding import derive"
    )
    assert claimed(other, part) == {"smixup.seeding"}


def test_a_package_counts_by_the_names_that_are_taken_from_it(part: ModuleType) -> None:
    assert claimed("import smixup.matching\nfrom smixup import matching\n", part) == set()
    by_module = claimed("from smixup.matching.rrwm import RRWM\n", part)
    assert "smixup.matching.rrwm" in by_module
    assert claimed("from smixup.matching import RRWM\n", part) == by_module
    assert claimed("from smixup import SMixup\n", part) == claimed(
        "from smixup.augment.smixup import SMixup\n", part
    )


def test_the_version_of_the_package_does_not_matter(source: Path) -> None:
    before = {method: version(method) for method in ("vanilla", "s-mixup")}
    home = source / "__init__.py"
    text = home.read_text()
    assert f'__version__ = "{smixup.__version__}"' in text
    write(home, text.replace(smixup.__version__, "99.0"))
    assert {method: version(method) for method in before} == before


def test_code_is_written_alike_by_every_python() -> None:
    code = 'class A:\n    def f(self) -> str:\n        return f"{self:>{3}}" f"{self!r}"\n'
    assert identity._dumped(ast.parse(code)) == AS_PYTHON_3_11


def test_the_files_of_packages_hold_no_code() -> None:
    kinds = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign)
    for path in identity.SOURCE.glob("*/**/__init__.py"):
        odd = [node for node in ast.parse(path.read_text()).body if not isinstance(node, kinds)]
        assert odd == [], path


def test_a_part_from_elsewhere_counts_with_its_file(
    part: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def data() -> None: ...

    data.__module__ = "elsewhere"
    monkeypatch.setitem(SOURCES.entries, "MINE", data)
    versions = []
    for code in ("SIZE = 1\n", "SIZE = 2\n", "SIZE = 2  # nodes\n"):
        write(Path(str(part.__file__)), code)
        versions.append(version(dataset="MINE"))
    assert versions[0] != versions[1] == versions[2]
    del part.__file__
    forget()
    with pytest.raises(SmixupError, match="put elsewhere into a file"):
        version(dataset="MINE")
