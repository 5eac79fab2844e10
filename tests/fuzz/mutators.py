"""Ways to damage files, each a function of a random source and some bytes."""

from __future__ import annotations

import gzip
import json
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

Files = dict[str, bytes]
"""Contents by path below a folder."""

ODD_CELLS = (
    *(
        "",
        " ",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "7",
        "99",
        "+1",
        "01",
        " 1 ",
        "1.0",
        "1.5",
        "1e3",
        "1e-400",
    ),
    *("nan", "NaN", "inf", "-inf", "1e38", "1e39", "-1e39", "1e309", "0x10", "1_0", "true", "None"),
    *(
        str(2**31),
        str(2**31 - 1),
        str(2**63 - 1),
        str(-(2**63)),
        str(2**63),
        str(2**64),
        "300000000",
    ),
    *("x", "\u0663", "\u00b2", "\uff11", '"', '"1"', "'", "#", "1#", ";", "\\", "\x1b[31m", "\x00"),
    *("\u202e", "\ufeff", "=cmd()", "../x", "x" * 300, "9" * 5000),
)
ODD_LINES = (
    "",
    " ",
    "\t",
    ",",
    "1",
    "1,2",
    "1, 2, 3",
    "#",
    "\x0c",
    "\x0b",
    "\x85",
    "\u2028",
    "\x1c",
)
ODD_JSON: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3, 1.5, 10**6, 2**31, 2**63, 2**70, 1e308, float("nan")),
    *(float("inf"), "", "x", "\x1b[31m", "n" * 5000, [], {}, [[]], [None], {"a": 1}, ["x"] * 9),
)
NUMBER = re.compile(rb"-?\d+(\.\d+)?")


def damaged(random: Random, files: Files) -> Files:
    """Return files with one to four damages."""
    found = dict(files)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        name = random.choice(sorted(found)) if found else ""
        if not name or random.random() < 0.04:
            found = _as_a_whole(random, found)
        else:
            found[name] = content(random, name, found[name])
    return found


def content(random: Random, name: str, before: bytes) -> bytes:
    """Damage a file as its name tells."""
    if random.random() < 0.15:
        return raw(random, before)
    if name.endswith(".gz"):
        try:
            return gzip.compress(text(random, gzip.decompress(before)), 1)
        except (OSError, EOFError, ValueError, zlib.error):
            return raw(random, before)
    for ending, way in BY_ENDING.items():
        if name.endswith(ending):
            return way(random, before)
    return text(random, before)


def raw(random: Random, before: bytes) -> bytes:
    """Flip, cut, insert, repeat or overwrite bytes."""
    if not before:
        return random.choice((b"\0", b"\n", b"x", b"PK\x03\x04"))
    at = random.randrange(len(before))
    way = random.randrange(8)
    if way == 0:
        flipped = bytearray(before)
        for _ in range(random.choice((1, 1, 2, 8))):
            flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
        return bytes(flipped)
    if way == 1:
        return before[:at]
    if way == 2:
        return before[:at] + random.randbytes(random.choice((1, 4, 64))) + before[at:]
    if way == 3:
        return before[:at] + before[at + random.choice((1, 2, 16, 512)) :]
    if way == 4:
        number = random.choice((0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1))
        packed = struct.pack(random.choice(("<Q", ">Q")), number)[: random.choice((1, 2, 4, 8))]
        return before[:at] + packed + before[at + len(packed) :]
    if way == 5:
        return before[:at] + bytes(min(64, len(before) - at)) + before[at + 64 :]
    if way == 6:
        return before + before[at : at + 256]
    return before + random.choice((b"\0", b"\n", b"\r\n", b"\xff", b"\x1a"))


def text(random: Random, before: bytes) -> bytes:
    """Damage lines, cells and numbers."""
    return random.choice(TEXT_WAYS)(random, before)


def _cell(random: Random, before: bytes) -> bytes:
    places = list(NUMBER.finditer(before))
    if not places:
        return before + random.choice(ODD_CELLS).encode()
    at = random.choice(places)
    return before[: at.start()] + random.choice(ODD_CELLS).encode() + before[at.end() :]


def _near(random: Random, before: bytes) -> bytes:
    places = list(NUMBER.finditer(before))
    if not places:
        return before
    at = random.choice(places)
    number = float(at[0]) + random.choice((-2, -1, 1, 2))
    return before[: at.start()] + f"{number:g}".encode() + before[at.end() :]


def _lines(random: Random, before: bytes) -> bytes:
    lines = before.split(b"\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    way = random.randrange(6)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(other, lines[at])
    elif way == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 3:
        lines.insert(at, random.choice(ODD_LINES).encode())
    elif way == 4:
        lines[at] += random.choice((b",", b" ", b",1", b"\r", b"\t", b" #", b'"'))
    else:
        lines = lines[:at]
    return b"\n".join(lines)


def _ends(random: Random, before: bytes) -> bytes:
    return random.choice(
        (
            before.replace(b"\n", b"\r\n"),
            before.replace(b"\n", b"\r"),
            before.rstrip(b"\n"),
            before + b"\n\n",
            b"\xef\xbb\xbf" + before,
            b"\n" + before,
            before.replace(b", ", b","),
            before.replace(b",", random.choice((b";", b"\t", b" ", b" , ", b",,"))),
            before.decode("utf-8", "replace").encode("utf-16"),
            b"",
        )
    )


TEXT_WAYS: tuple[Callable[[Random, bytes], bytes], ...] = (
    _cell,
    _cell,
    _cell,
    _near,
    _lines,
    _lines,
    _ends,
)


def as_json(random: Random, before: bytes) -> bytes:
    """Put something else at a place in JSON, or take it away."""
    try:
        whole = json.loads(before)
    except (ValueError, RecursionError):
        return text(random, before)
    if random.random() < 0.03:
        return random.choice((b"[" * 100_000, b"null", b"[]", b"{}", b"1e999", b'"x"'))
    return json.dumps(odd_json(random, whole)).encode()


def odd_json(random: Random, whole: Any) -> Any:
    """Return a value with one place in it changed."""
    if isinstance(whole, dict) and whole and random.random() < 0.9:
        key = random.choice(sorted(whole))
        if random.random() < 0.15:
            return {name: each for name, each in whole.items() if name != key}
        if random.random() < 0.05:
            return whole | {random.choice(("x", "", key + "x")): whole[key]}
        return whole | {key: odd_json(random, whole[key])}
    if isinstance(whole, list) and whole and random.random() < 0.8:
        at = random.randrange(len(whole))
        if random.random() < 0.2:
            return whole[:at] + whole[at + 1 :]
        return [*whole[:at], odd_json(random, whole[at]), *whole[at + 1 :]]
    if isinstance(whole, int | float) and random.random() < 0.3:
        return whole + random.choice((-1, 1, 0.5))
    return random.choice(ODD_JSON)


def safetensors(random: Random, before: bytes) -> bytes:
    """Change the header of a safetensors file, so that its length stays right, or the numbers."""
    if len(before) < 8 or random.random() < 0.3:
        return raw(random, before)
    size = struct.unpack("<Q", before[:8])[0]
    head, numbers = before[8 : 8 + size], before[8 + size :]
    if random.random() < 0.3 and numbers:
        return before[: 8 + size] + raw(random, numbers)
    new = as_json(random, head)
    return struct.pack("<Q", len(new)) + new + numbers


def _npy(random: Random, before: bytes) -> bytes:
    """Change the header of an .npy file as text, or the bytes."""
    if random.random() < 0.5 or b"}" not in before[:256]:
        return raw(random, before)
    end = before.index(b"}") + 1
    head = random.choice(
        (
            lambda: before[10:end].replace(b"<", b">"),
            lambda: NUMBER.sub(
                lambda _: str(random.choice((0, 1, 7, 10**12))).encode(), before[10:end]
            ),
            lambda: before[10:end].replace(b"'descr': '", b"'descr': '|O"),
            lambda: before[10:end].replace(b"False", b"True"),
            lambda: _cell(random, before[10:end]),
        )
    )()
    size = struct.unpack("<H", before[8:10])[0]
    return before[:10] + head.ljust(size - 1)[: size - 1] + b"\n" + before[10 + size :]


BY_ENDING: Mapping[str, Callable[[Random, bytes], bytes]] = {
    ".json": as_json,
    ".safetensors": safetensors,
    ".npy": _npy,
    **dict.fromkeys((".npz", ".zip", ".tar", ".tgz", ".pt", ".parquet", ".db"), raw),
}


def _as_a_whole(random: Random, files: Files) -> Files:
    """Remove, rename, add or exchange files."""
    names = sorted(files)
    way = random.randrange(4)
    if not names or way == 0:
        return files | {random.choice(("x", "x.txt", "._x", "labels.csv")): b"1,2\n"}
    name = random.choice(names)
    if way == 1:
        return {each: files[each] for each in names if each != name}
    if way == 2:
        others = {each: files[each] for each in names if each != name}
        stem, dot, ending = name.rpartition(".")
        return others | {
            random.choice((f"{stem}x{dot}{ending}", f"{name}x", name.upper())): files[name]
        }
    return files | {name: files[random.choice(names)]}
