"""Servers on this machine that do everything wrong: each gets a sentence, in time, and nothing is
left behind but what can be resumed.
"""

from __future__ import annotations

import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread

import pytest

from smixup.datasets.transfer import ATTEMPTS, Limits, transfer
from smixup.errors import SmixupError

QUICK = Limits(silence=0.5, seconds=1.5, size=1 << 20)
CONTENT = bytes(range(256)) * 40
Answer = Callable[[socket.socket, bytes, Event], None]


class Server:
    """Answers every connection by the next of some functions, the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.requests, self.over = list(answers), [], Event()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/x.zip"
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
                with connection, suppress(OSError):
                    request = b""
                    while b"\r\n\r\n" not in request:
                        request += connection.recv(4096)
                    self.requests.append(request)
                    answer(connection, request, self.over)

    def close(self) -> None:
        self.over.set()
        self.listening.close()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    servers: list[Server] = []

    def start(*answers: Answer) -> Server:
        servers.append(Server(*answers))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def says(*parts: bytes) -> Answer:
    return lambda connection, *_: connection.sendall(b"".join(parts))


def header(status: str = "200 OK", **fields: object) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def drips(first: bytes, part: bytes) -> Answer:
    def answer(connection: socket.socket, _: bytes, over: Event) -> None:
        connection.sendall(first)
        while not over.wait(0.05):
            connection.sendall(part)

    return answer


def pours(connection: socket.socket, _: bytes, over: Event) -> None:
    connection.sendall(header())
    while not over.is_set():
        connection.sendall(bytes(1 << 16))


CHUNKED = header(Transfer_Encoding="chunked")
ODD: dict[str, tuple[Answer, str]] = {
    "length that is no number": (
        says(header(Content_Length="abc"), CONTENT),
        "announces 'abc' bytes",
    ),
    "negative length": (says(header(Content_Length="-5"), CONTENT), "announces '-5' bytes"),
    "endless length": (says(header(Content_Length="9" * 5000), CONTENT), "announces '999"),
    "great length": (says(header(Content_Length=1 << 40), CONTENT), "more than 1 MB"),
    "length too large": (says(header(Content_Length=len(CONTENT) + 5), CONTENT), "broke off"),
    "broken chunk": (says(CHUNKED, b"ffff\r\nabc"), "broke off"),
    "bad chunk size": (says(CHUNKED, b"zz\r\nabc\r\n"), "broke off"),
    "no status line": (says(b"hello\r\n\r\n"), "broke off"),
    "a line that never ends": (says(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000), "broke off"),
    "many headers": (says(b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n" * 200, b"\r\n"), "broke off"),
    "nothing at all": (says(), "broke off"),
    "not found": (says(header("404 Not Here", Content_Length=0)), r"answers 404 \(Not Here\)"),
    "words that a terminal obeys": (says(header("500 \x1b[2J", Content_Length=0)), r"500 \(\\x1b"),
    "a part that nobody asked for": (
        says(
            header("206 Partial Content", Content_Range="bytes 5-9/10", Content_Length=5), b"abcde"
        ),
        "answers 206",
    ),
    "to a file": (
        says(header("302 Found", Location="file:///etc/passwd", Content_Length=0)),
        r"answers 302 \(Found - Redirection",
    ),
    "to ftp": (
        says(header("302 Found", Location="ftp://host/x", Content_Length=0)),
        "leads from http to ftp",
    ),
    "round in circles": (
        says(header("302 Found", Location="/x.zip", Content_Length=0)),
        "answers 302",
    ),
    "silence": (lambda _, __, over: over.wait(9) and None, "does not answer in time"),
    "headers drop by drop": (drips(b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n"), "does not answer in time"),
    "content drop by drop": (drips(header(), b"x"), "takes more than 2 seconds"),
    "no end": (pours, "more than 1 MB"),
    "another digest": (
        says(header(Content_Length=len(CONTENT), Repr_Digest="sha-256=:AAAA:"), CONTENT),
        "its digest is not",
    ),
}


@pytest.mark.parametrize("way", ODD)
def test_every_odd_answer_is_one_sentence_in_time(
    serve: Callable[..., Server], tmp_path: Path, way: str
) -> None:
    answer, words = ODD[way]
    began = time.monotonic()
    with pytest.raises(SmixupError, match=words) as error:
        transfer(serve(answer).url, tmp_path / "x.part", QUICK)
    assert time.monotonic() - began < 20, "it waited"
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300
    assert not list(tmp_path.iterdir())


def test_a_whole_file_with_its_digest(serve: Callable[..., Server], tmp_path: Path) -> None:
    digest = f"sha-256=:{b64encode(sha256(CONTENT).digest()).decode()}:"
    server = serve(says(header(Content_Length=len(CONTENT), Repr_Digest=digest), CONTENT))
    transfer(server.url, tmp_path / "x.part", QUICK)
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    assert [each.name for each in tmp_path.iterdir()] == ["x.part"]


def resumed(connection: socket.socket, request: bytes, _: Event) -> None:
    """Send a tenth of what is missing, and break off."""
    _, found, start = request.partition(b"Range: bytes=")
    first = int(start.partition(b"-")[0]) if found else 0
    assert not first or b'If-Range: "mark"' in request
    fields = {"ETag": '"mark"', "Content_Length": len(CONTENT) - first}
    if first:
        fields["Content_Range"] = f"bytes {first}-{len(CONTENT) - 1}/{len(CONTENT)}"
    status = "206 Partial Content" if first else "200 OK"
    connection.sendall(header(status, **fields) + CONTENT[first : first + len(CONTENT) // 8])


def test_what_broke_off_goes_on_at_once_and_the_next_time(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    server = serve(resumed)
    with pytest.raises(SmixupError, match="broke off"):
        transfer(server.url, tmp_path / "x.part", QUICK)
    assert len(server.requests) == ATTEMPTS
    assert (tmp_path / "x.part").stat().st_size == ATTEMPTS * (len(CONTENT) // 8)
    transfer(server.url, tmp_path / "x.part", QUICK)
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    assert [each.name for each in tmp_path.iterdir()] == ["x.part"], "the mark goes with the part"


def test_another_file_begins_anew(serve: Callable[..., Server], tmp_path: Path) -> None:
    broken = says(header(ETag='"old"', Content_Length=len(CONTENT)), b"old" * 10)
    whole = says(header(ETag='"new"', Content_Length=len(CONTENT)), CONTENT)
    server = serve(broken, whole)
    transfer(server.url, tmp_path / "x.part", QUICK)
    assert b"Range: bytes=30-" in server.requests[1]
    assert (tmp_path / "x.part").read_bytes() == CONTENT


def test_a_part_of_another_address_is_not_used(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    (tmp_path / "x.part").write_bytes(b"old")
    (tmp_path / "x.part.json").write_text('{"url": "http://elsewhere", "mark": "m"}')
    server = serve(says(header(Content_Length=len(CONTENT)), CONTENT))
    transfer(server.url, tmp_path / "x.part", QUICK)
    assert b"Range" not in server.requests[0]
    assert (tmp_path / "x.part").read_bytes() == CONTENT


def test_https_is_not_left_for_http() -> None:
    from urllib.request import Request

    from smixup.datasets.transfer import _Redirects

    with pytest.raises(SmixupError, match="leads from https to http"):
        _Redirects().redirect_request(Request("https://a/x"), None, 302, "", {}, "http://a/x")
