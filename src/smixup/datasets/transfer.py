"""A file from a server that is not trusted: within a time and a size, whole or not at all.

A transfer that breaks off goes on where it stopped, now and at the next attempt, if the server
tells by which mark the file would be known again (`ETag`, `Last-Modified`).
"""

from __future__ import annotations

import json
import shutil
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import IO, Annotated, Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from smixup.errors import SmixupError
from smixup.memory import in_words
from smixup.ranges import Positive, Range, RangedFields
from smixup.shown import shown

BLOCK = 1 << 16
ATTEMPTS = 5
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Limits(RangedFields):
    """What a transfer may take.

    Attributes:
        silence: seconds without a byte, or before the answer begins.
        seconds: all in all.
        size: bytes.
    """

    silence: Positive = 30.0
    seconds: Positive = 1800.0
    size: Annotated[int, Range(at_least=1)] = 1 << 30


class Broken(SmixupError):  # noqa: N818 (an event, not a defect)
    """A transfer that broke off, and may go on."""


def transfer(url: str, target: Path, limits: Limits | None = None) -> None:
    """Fetch a file.

    Args:
        url: of http or https; from https, no server may lead back to http.
        target: the file; what came before a transfer broke off is kept there, if it can go on.
        limits: of time and size.

    Raises:
        SmixupError: a sentence on whatever the server did instead.
    """
    limits = limits or Limits()
    work = _Transfer(url, target, limits, time.monotonic() + limits.seconds)
    for attempt in range(ATTEMPTS):
        before = work.received
        try:
            work.once()
            return
        except Broken:
            if not work.can_go_on or work.received == before or attempt == ATTEMPTS - 1:
                work.keep_or_remove()
                raise
        except BaseException:
            work.keep_or_remove()
            raise


@dataclass
class _Transfer:
    url: str
    target: Path
    limits: Limits
    end: float
    mark: str = ""

    def __post_init__(self) -> None:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        try:
            about = json.loads(self._about.read_text())
            self.mark = str(about["mark"]) if about["url"] == self.url else ""
        except (OSError, ValueError, KeyError, TypeError):
            pass
        if not self.mark:
            self.forget()

    @property
    def _about(self) -> Path:
        return self.target.with_name(f"{self.target.name}.json")

    @property
    def received(self) -> int:
        return self.target.stat().st_size if self.target.is_file() else 0

    @property
    def can_go_on(self) -> bool:
        return bool(self.mark) and self.received > 0

    def forget(self) -> None:
        self.target.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)

    def keep_or_remove(self) -> None:
        """Keep what came, with the mark by which to go on, or nothing."""
        if self.can_go_on:
            self._about.write_text(json.dumps({"url": self.url, "mark": self.mark}))
        else:
            self.forget()

    def once(self) -> None:
        """Ask for the file, or for what is missing of it, and write down what comes."""
        headers = {"User-Agent": "smixup", "Accept-Encoding": "identity"}
        if self.can_go_on:
            headers |= {"Range": f"bytes={self.received}-", "If-Range": self.mark}
        with _sentences(), self._answer(Request(self.url, headers=headers)) as answer:
            start = self._start(answer)
            self.mark = _mark(answer.headers)
            missing = _length(answer.headers)
            self._require_size(start + (missing or 0))
            with self.target.open("r+b" if start else "wb") as file:
                file.truncate(start)
                file.seek(start)
                came = self._copy(answer, file, start)
            if missing is not None and came != missing:
                raise Broken("the download broke off.")
            self._check_digest(answer.headers)
        self._about.unlink(missing_ok=True)

    def _answer(self, request: Request) -> Any:
        """Open the connection in time; looking up a name and reading headers know no limit."""
        wait = min(self.limits.silence, max(self.end - time.monotonic(), 0))
        opener = build_opener(_Redirects)
        return in_time(lambda: opener.open(request, timeout=wait), wait)

    def _start(self, answer: Any) -> int:
        """Return from which byte on the answer is."""
        if answer.status == 200:
            return 0
        told = str(answer.headers.get("Content-Range", ""))
        if answer.status == 206 and told.startswith(f"bytes {self.received}-"):
            return self.received
        self.mark = ""
        raise SmixupError(f"the publisher answers {answer.status}, not with a file.")

    def _copy(self, answer: Any, file: IO[bytes], start: int) -> int:
        came = 0
        while block := answer.read1(BLOCK):
            came += len(block)
            self._require_size(start + came)
            file.write(block)
            if time.monotonic() > self.end:
                self.mark = ""
                raise SmixupError(
                    f"the download takes more than {self.limits.seconds:.0f} seconds, and "
                    f"{in_words(start + came)} have come."
                )
        return came

    def _require_size(self, size: int) -> None:
        if size > self.limits.size:
            self.mark = ""
            raise SmixupError(
                f"the publisher sends more than {in_words(self.limits.size)}, which no dataset "
                "that is known has."
            )
        if size - self.received > shutil.disk_usage(self.target.parent).free:
            raise SmixupError(f"the file has {in_words(size)}, more than the disk has room for.")

    def _check_digest(self, headers: Mapping[str, str]) -> None:
        """Compare the file with the digest that the server sent, if it sent one (RFC 9530)."""
        told = str(headers.get("Repr-Digest", ""))
        _, found, value = told.partition("sha-256=:")
        if not found:
            return
        with self.target.open("rb") as file:
            digest = sha256()
            while block := file.read(BLOCK):
                digest.update(block)
        try:
            expected = b64decode(value.partition(":")[0], validate=True)
        except ValueError:
            expected = b""
        if digest.digest() != expected:
            self.mark = ""
            raise SmixupError("the file is damaged: its digest is not the one that was announced.")


class _Redirects(HTTPRedirectHandler):
    """Follows servers that send elsewhere, but not from https to less."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        before, after = (urlsplit(each).scheme for each in (req.full_url, newurl))
        if after not in ("http", "https") or (before == "https" and after != "https"):
            if fp is not None:
                fp.close()
            raise SmixupError(f"the publisher leads from {before} to {shown(after) or 'nowhere'}.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def in_time(action: Callable[[], Answer], seconds: float) -> Answer:
    """Return what an action does, or give it up after some seconds; it goes on in a thread that
    nobody waits for, and what comes of it is closed.
    """
    found: Future[Answer] = Future()

    def run() -> None:
        try:
            answer = action()
        except BaseException as error:
            if found.set_running_or_notify_cancel():
                found.set_exception(error)
            return
        if found.set_running_or_notify_cancel():
            found.set_result(answer)
        elif hasattr(answer, "close"):
            answer.close()

    Thread(target=run, daemon=True).start()
    try:
        return found.result(seconds)
    except FutureTimeout:
        if found.cancel():
            raise TimeoutError("timed out") from None
        return found.result()


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn whatever a server may do into a sentence."""
    try:
        yield
    except SmixupError:
        raise
    except HTTPError as reason:
        told = shown(reason.reason)
        reason.close()
        raise SmixupError(f"the publisher answers {reason.code} ({told}).") from reason
    except TimeoutError as reason:
        raise Broken("the publisher does not answer in time.") from reason
    except URLError as reason:
        raise Broken(f"the download broke off ({shown(reason.reason, 200)}).") from reason
    except (OSError, HTTPException, ValueError) as reason:
        told = shown(str(reason) or type(reason).__name__, 200)
        raise Broken(f"the download broke off ({told}).") from reason


def _mark(headers: Mapping[str, str]) -> str:
    """Return by what the file would be known again; a weak mark is none."""
    found = str(headers.get("ETag") or headers.get("Last-Modified") or "")
    ranges = str(headers.get("Accept-Ranges", "bytes")).lower()
    fine = found.isprintable() and len(found) < 200 and not found.startswith("W/")
    return found if fine and ranges == "bytes" else ""


def _length(headers: Mapping[str, str]) -> int | None:
    told = headers.get("Content-Length")
    if told is None:
        return None
    if not (told.isascii() and told.isdigit() and len(told) < 19):
        raise SmixupError(f"the publisher announces '{shown(told)}' bytes.")
    return int(told)
