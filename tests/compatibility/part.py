"""The part of the test suite that is run for every pair of a Python and a set of versions: what
other packages could break, in under a minute of one core.
"""

from __future__ import annotations

FILES = (
    "tests/test_main.py",  # the command, and its sentence without the extra
    "tests/test_golden.py::test_files_of_earlier_versions_mean_what_they_meant",
    "tests/test_optional.py",
    "tests/test_registry.py",
    "tests/graphs/test_pyg.py",  # to PyG and back
    "tests/graphs/test_sparse.py",  # torch's sparse products
    "tests/graphs/test_packed.py",  # arrays on disk
    "tests/nn",  # PyG's layers with weights
    "tests/classifiers",
    "tests/matching/test_assign.py",  # SciPy's assignment
    "tests/matching/test_solvers.py",  # POT
    "tests/augment/test_mixing.py",  # equations 6 and 7
    "tests/augment/test_calling.py",  # on batches of PyG
    "tests/augment/test_loader.py",
    "tests/datasets/readers/test_networkx_graphs.py",
    "tests/tasks",
    "tests/training/test_metrics.py",  # torchmetrics
    "tests/app/test_store.py",
    "tests/app/cli/test_doctor.py",
    "tests/app/cli/test_printing.py",
)
MARKS = "not slow and not ray and not browser and not data"
EXTRAS = ("lab", "matching", "chem", "large", "tables")
TOOLS = ("pytest", "hypothesis")
REPORTED = ("torch", "torch_geometric", "numpy", "scipy", "networkx", "scikit-learn", "rdkit")
