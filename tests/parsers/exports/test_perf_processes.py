# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write thread names and mappings to perf.data."""

from __future__ import annotations

import struct

import numpy as np
from helpers import perf_file
from helpers.readers import opened
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    cook,
    json_chunk,
    mapping,
    maps,
    session,
    thrd,
    thread,
)
from pfmparse.exports.perf_processes import FILE_SIZE, FILES_AT, Processes


def processes(*chunks: bytes) -> Processes:
    """Return the processes of a capture with these chunks and a final buffer."""
    first, last = json_chunk("SESS", session()), bufr(buffer([Sample()]))
    return Processes(opened(capture(first, *chunks, last)))


def mapped(records: bytes) -> list[tuple[int, int, int, str]]:
    """Return the process, start, offset and path of each mapping record."""
    found = []
    for record in perf_file.parsed(records, 0):
        assert record.kind == 10
        tgid, _, start, _, offset = struct.unpack_from("<IIQQQ", record.body)
        path = record.body[64:].split(b"\0")[0].decode()
        found.append((tgid, start, offset, path))
    return found


def of(tgid: int, *paths: str) -> bytes:
    """Build a MAPS chunk."""
    where = [mapping(0x1000 * n, 0x1000 * n + 1, n, p) for n, p in enumerate(paths, 1)]
    return json_chunk("MAPS", maps(tgid, where))


def test_perf_threads_have_names() -> None:
    names = processes(thrd(thread(5, 5, "x"), thread(6, 5, "y"))).names()
    found = [record.body for record in perf_file.parsed(names, 0)]
    assert [struct.unpack_from("<II", body) for body in found] == [(5, 5), (5, 6)]
    assert [body[8:].rstrip(b"\0") for body in found] == [b"x", b"y"]


def test_perf_mappings_are_written_at_their_epoch() -> None:
    known = processes(of(5, "/a"), of(6, "/b", "/gone (deleted)"), of(5, "/c"))
    # Epoch 1 is followed by the later mapping of process 5, /c, so this mapping is also
    # written. It precedes /a, so that /a replaces it in perf.
    records, replace = known.mappings(1)
    assert not replace
    assert mapped(records) == [
        (5, 0x1000, 1, "/c"),
        (5, 0x1000, 1, "/a"),
        (6, 0x1000, 1, "/b"),
        (6, 0x2000, 2, "/gone"),
    ]
    assert known.mappings(1) == known.mappings(2) == (b"", False)
    records, replace = known.mappings(3)
    assert replace and mapped(records) == [(5, 0x1000, 1, "/c")]
    assert known.mappings(4) == (b"", False)


def test_perf_cookie_files_have_their_own_addresses() -> None:
    known = processes(cook([(7, "/a", None), (8, "/b", None)]))

    def placed(tgid: int, *offsets: tuple[int, int]) -> tuple[list[int], bytes]:
        cookies, ats = (np.array(part, np.uint64) for part in zip(*offsets))
        tgids = np.full(len(offsets), tgid, np.uint64)
        found, records = known.in_files(tgids, cookies, ats)
        return found.tolist(), records

    at, second = FILES_AT, FILES_AT + FILE_SIZE
    found, records = placed(5, (7, 0x10), (0, 0x20), (8, 0x30), (7, 0x40))
    assert found == [at + 0x10, 0x20, second + 0x30, at + 0x40]
    assert mapped(records) == [(5, at, 0, "/a"), (5, second, 0, "/b")]
    found, records = placed(6, (8, 0x10))
    assert found == [second + 0x10] and mapped(records) == [(6, second, 0, "/b")]
    assert placed(6, (8, 0x10)) == ([second + 0x10], b"")
    # Cookie 9 is unknown: no record is written. The offset FILE_SIZE is beyond the
    # largest possible file, so it is returned unchanged.
    assert placed(5, (9, 0x10), (7, FILE_SIZE)) == (
        [second + FILE_SIZE + 0x10, FILE_SIZE],
        b"",
    )
