"""Downloads come from a server on this machine."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from smixup.datasets import download, load_dataset
from smixup.datasets.download import fetch, is_reachable
from smixup.errors import SmixupError, UsageError


class Server:
    """Serves `files`; a file's announced length may be larger than what is sent."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, int]] = {}
        files = self.files

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path not in files:
                    self.send_error(404)
                    return
                content, announced = files[self.path]
                self.send_response(200)
                self.send_header("Content-Length", str(announced))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def put(self, name: str, content: bytes, missing: int = 0) -> None:
        self.files[f"/{name}"] = (content, len(content) + missing)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    server = Server()
    monkeypatch.setattr(download, "tu_url", lambda name: f"{server.url}/{name}.zip")
    Thread(target=server.http.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def packed(tiny: Path, tmp_path: Path) -> bytes:
    return Path(
        shutil.make_archive(str(tmp_path / "packed"), "zip", tiny.parent, "TINY")
    ).read_bytes()


def test_a_download_is_imported(server: Server, packed: bytes, root: Path) -> None:
    server.put("TINY.zip", packed)
    fetch("TINY", f"{server.url}/TINY.zip", root)
    assert [path.name for path in root.iterdir()] == ["TINY"]


def test_any_name_of_the_collection_works(server: Server, packed: bytes, root: Path) -> None:
    server.put("TINY.zip", packed)
    assert len(load_dataset("TINY", root).graphs) == 3
    server.files.clear()
    assert len(load_dataset("tiny", root).graphs) == 3, (
        "in any case, and without the network, once it is there"
    )


def test_a_name_the_collection_does_not_have(server: Server, root: Path) -> None:
    with pytest.raises(
        UsageError, match=r"unknown dataset 'NCI2'\. Did you mean 'NCI1'\?.*404.*smixup data import"
    ):
        load_dataset("NCI2", root)
    assert not root.exists()


@pytest.mark.parametrize("missing", [0, 50])
def test_half_a_download_leaves_nothing(
    server: Server, packed: bytes, root: Path, missing: int
) -> None:
    server.put("TINY.zip", packed[:-50], missing)
    with pytest.raises(SmixupError, match="smixup data import PATH"):
        fetch("TINY", f"{server.url}/TINY.zip", root)
    assert not root.exists()


def test_another_dataset_than_asked_for(server: Server, packed: bytes, root: Path) -> None:
    server.put("DD.zip", packed)
    with pytest.raises(SmixupError, match="holds TINY, not DD"):
        fetch("DD", f"{server.url}/DD.zip", root)
    assert not root.exists()


def test_reachability(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_reachable(server.url)
    monkeypatch.setattr("smixup.datasets.download.getproxies", lambda: {"https": server.url})
    assert is_reachable("https://host.invalid/x.zip"), "the proxy is what must be reached"
    monkeypatch.setattr("smixup.datasets.download.getproxies", dict)
    assert not is_reachable("https://host.invalid/x.zip")


def test_a_name_server_that_never_answers_is_given_up(
    monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    answered = Event()

    def hang(*_: object) -> None:
        answered.wait(60)
        raise TimeoutError

    monkeypatch.setattr("smixup.datasets.download.socket.create_connection", hang)
    start = time.perf_counter()
    with pytest.raises(SmixupError) as error:
        load_dataset("enzymes", root)
    assert time.perf_counter() - start < 30, "it waited for an answer"
    answered.set()
    for part in (
        "ENZYMES",
        "https://www.chrsmrrs.com/graphkerneldatasets/ENZYMES.zip",
        "smixup data import PATH",
    ):
        assert part in str(error.value)
    assert not root.exists()
