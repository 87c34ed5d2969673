# SPDX-License-Identifier: MIT OR GPL-2.0
"""Damage captures: each function damages a capture in one way."""

from __future__ import annotations

import json
import struct
from random import Random
from typing import Any, Callable, Iterator

from helpers import writers

HEADER = 16  # bytes of the file header
CHUNK = 24  # bytes of a chunk header
LARGE = ((1 << 64) - 1, 1 << 63, 1 << 40, 1 << 32, (1 << 31) - 1)
# Values of the wrong type, too large, too long or not printable.
VALUES: tuple[object, ...] = (None, True, -1, 1 << 64, 10**400, 1e308, [], {}, [[]])
VALUES += ("", "\x1b[2J", "\0", "\udc80", "x" * 2000)

Chunk = tuple[bytes, bytes]  # header without checksums, and payload


def chunks_of(data: bytes) -> list[Chunk]:
    """Return the complete chunks of a capture."""
    found, at = [], HEADER
    while at + CHUNK <= len(data):
        length = struct.unpack_from("<Q", data, at + 8)[0]
        end = at + CHUNK + length + -length % 8
        if end > len(data):
            break
        found.append((data[at : at + 16], data[at + CHUNK : at + CHUNK + length]))
        at = end
    return found


def damaged(random: Random, data: bytes) -> bytes:
    """Return a capture that was damaged one to three times."""
    for _ in range(random.randint(1, 3)):
        if len(data) <= HEADER:
            break
        data = random.choice(DAMAGES)(random, data)
    return data


def _rebuilt(data: bytes, chunks: list[Chunk]) -> bytes:
    """Build a capture of these headers and payloads, with correct checksums."""
    built = [
        writers.chunk(
            head[:4].decode("latin-1"), body, flags=struct.unpack_from("<I", head, 4)[0]
        )
        for head, body in chunks
    ]
    return data[:HEADER] + b"".join(built)


def _with_body(
    random: Random, data: bytes, change: Callable[[Random, bytes], bytes]
) -> bytes:
    """Change the payload of a chunk and correct the checksums."""
    chunks = chunks_of(data)
    if not chunks:
        return data
    which = random.randrange(len(chunks))
    head, body = chunks[which]
    chunks[which] = head, change(random, body)
    return _rebuilt(data, chunks)


def _with_byte(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def cut(random: Random, data: bytes) -> bytes:
    """Truncate the file."""
    return data[: random.randrange(HEADER, len(data))]


def flipped(random: Random, data: bytes) -> bytes:
    """Change a byte without correcting the checksums."""
    return _with_byte(random, data)


def changed(random: Random, data: bytes) -> bytes:
    """Change a number or a byte of a payload."""
    return _with_body(random, data, _changed)


def _changed(random: Random, body: bytes) -> bytes:
    if not body:
        return body
    if len(body) < 8 or random.random() < 0.5:
        return _with_byte(random, body)
    at = random.randrange(len(body) // 8) * 8
    size = random.choice((2, 4, 8))
    number = random.choice(LARGE) if random.random() < 0.5 else random.randint(0, 300)
    wide = number.to_bytes(8, "little")[:size]
    return body[:at] + wide + body[at + size :]


def shortened(random: Random, data: bytes) -> bytes:
    """Truncate a payload."""
    return _with_body(
        random, data, lambda _, body: body[: random.randint(0, len(body))]
    )


def retyped(random: Random, data: bytes) -> bytes:
    """Give a member of a JSON payload another value."""
    return _with_body(random, data, _retyped)


def _retyped(random: Random, body: bytes) -> bytes:
    if not body.startswith(b"{"):
        return body
    try:
        document = json.loads(body)
    except ValueError:
        return body
    places = list(_places(document))
    if not places:
        return body
    holder, key = random.choice(places)
    holder[key] = random.choice(VALUES)
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each object or array in ``value`` with each of its keys or indexes."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def moved(random: Random, data: bytes) -> bytes:
    """Delete, duplicate or move a chunk."""
    chunks = chunks_of(data)
    if not chunks:
        return data
    chunk = random.choice(chunks)
    if random.random() < 0.5:
        chunks.remove(chunk)
    if random.random() < 0.5:
        chunks.insert(random.randint(0, len(chunks)), chunk)
    return _rebuilt(data, chunks)


DAMAGES = (cut, flipped, changed, changed, shortened, retyped, moved)
