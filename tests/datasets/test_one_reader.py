"""What an import accepts is what is loaded, and what a plain reading finds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fuzz.harness import Malformed
from fuzz.subjects.tu_files import PARTS, imported, plain_tu
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smixup.datasets.archives import import_archive
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError

CELLS = st.sampled_from(
    [
        "1",
        "2",
        "6",
        "0",
        "-1",
        "7",
        " 3 ",
        "+2",
        "1e3",
        "1.5",
        "",
        "x",
        "nan",
        str(2**63),
        "3e8",
        "01",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", " \n", "\n \n"])


@st.composite
def texts(draw: st.DrawFn) -> dict[str, bytes]:
    """The files of a small set, with some cells exchanged, and line ends of any program."""
    found = {}
    for part, text in PARTS.items():
        lines = text.splitlines()
        if draw(st.booleans()) and draw(st.booleans()):
            place = draw(st.integers(0, len(lines) - 1))
            cells = lines[place].split(",")
            cells[draw(st.integers(0, len(cells) - 1))] = draw(CELLS)
            lines[place] = ",".join(cells)
        end = draw(ENDS)
        whole = end.join(lines) + (end if draw(st.booleans()) else "")
        mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
        found[f"T_{part}.txt"] = mark + whole.encode()
    return found


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("cell", [str(2**63), str(-(2**63) - 1), "3e8", "nan", ""])
def test_what_no_number_of_a_table_is_is_refused_by_both(
    part: str, cell: str, tmp_path: Path
) -> None:
    lines = PARTS[part].splitlines()
    lines[-1] = ",".join([*lines[-1].split(",")[:-1], cell])
    files = {f"T_{name}.txt": text.encode() for name, text in PARTS.items()}
    files[f"T_{part}.txt"] = "\n".join(lines).encode()
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises((Malformed, IndexError, ValueError)):
        plain_tu(files)
    with pytest.raises(SmixupError, match="was not imported"):
        import_archive(tmp_path, tmp_path / "root")


@pytest.mark.slow
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=texts())
def test_import_load_and_a_plain_reading_agree(files: dict[str, bytes], tmp_path: Path) -> None:
    for each in tmp_path.iterdir():
        shutil.rmtree(each)
    folder = tmp_path / "given"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        expected = plain_tu(files)
    except (Malformed, IndexError, ValueError):
        expected = None
    try:
        found = imported(folder, tmp_path / "root")
    except SmixupError:
        assert not (tmp_path / "root").exists()
        assert expected is None or "3e8" in str(files), "a plain reading accepts it"
        return
    assert found == expected


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("way", ["no newline", "blank lines", "CRLF", "mark"])
def test_the_last_line_counts_however_it_ends(tmp_path: Path, part: str, way: str) -> None:
    change = {
        "no newline": lambda text: text.rstrip("\n"),
        "blank lines": lambda text: "\n" + text.replace("\n", "\n\n") + " \n\n",
        "CRLF": lambda text: text.replace("\n", "\r\n"),
        "mark": lambda text: "\ufeff" + text,
    }[way]
    for name, text in PARTS.items():
        (tmp_path / f"T_{name}.txt").write_text(change(text) if name == part else text, newline="")
    import_archive(tmp_path, tmp_path / "root")
    plain = {f"T_{name}.txt": text.encode() for name, text in PARTS.items()}
    assert imported(tmp_path, tmp_path / "root") == plain_tu(plain)
    raw = tmp_path / "root" / "T" / "raw"
    assert {path.name: path.read_bytes() for path in raw.iterdir()} == plain


def test_a_set_that_cannot_be_loaded_does_not_replace_one_that_can(tmp_path: Path) -> None:
    for name, text in PARTS.items():
        (tmp_path / f"T_{name}.txt").write_text(text)
    import_archive(tmp_path, tmp_path / "root")
    for odd in ("1e3\n", f"{2**63 - 1}\n", "300000000\n", "\n"):
        (tmp_path / "T_node_labels.txt").write_text(odd + PARTS["node_labels"].partition("\n")[2])
        with pytest.raises(SmixupError, match="was not imported"):
            import_archive(tmp_path, tmp_path / "root")
        assert len(tu_dataset("T", tmp_path / "root").graphs) == 3
