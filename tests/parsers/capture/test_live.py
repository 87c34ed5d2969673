# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read captures while they are being written."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from helpers.writers import (
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    chunk,
    code_of,
    ctxt,
    json_chunk,
    mapped,
    mapping,
    proc,
    session,
    thrd,
    thread,
    totals,
)
from pfmparse.capture.live import KEPT_PROBLEMS, LiveCapture
from pfmparse.capture.metadata import MAX_MAPPINGS
from pfmparse.errors import PfmParseError

HOT = mapping(0x400000, 0x500000, 0, "/bin/hot")


def tick(number: int) -> bytes:
    """Build a TICK chunk after ``number`` seconds."""
    document: Json = {"elapsed_ns": number * 10**9, "samples": 1, "lost": number}
    return json_chunk("TICK", document)


WHOLE = capture(
    json_chunk("SESS", session()),
    mapped(HOT),
    thrd(thread(101, 100, "worker")),
    bufr(buffer([Sample()])),
    tick(1),
    bufr(buffer([Sample(), Sample()]), compress=True),
    tick(2),
    json_chunk("DONE", totals(3)),
)


@pytest.mark.parametrize("size", [1, 7, 24, 1000, len(WHOLE)])
def test_live_capture_accepts_pieces_of_any_size(size: int) -> None:
    live, lost, sizes = LiveCapture(), [], []
    for start in range(0, len(WHOLE), size):
        for step in live.ticks(WHOLE[start : start + size]):
            lost.append(step.lost)
            sizes.append([len(b.data) for b in live.buffers()])
    assert lost == [1, 2]
    assert [len(some) for some in sizes] == [1, 1]
    assert sizes[0][0] < sizes[1][0]
    assert live.begun and live.session.mode == "thread"
    assert live.threads.name(101) == "worker"
    assert [maps.tgid for _, maps in live.maps.all()] == [100]
    assert live.totals is not None and live.problems == []
    assert live.came == len(WHOLE)


def test_live_capture_skips_unknown_chunks() -> None:
    live = LiveCapture()
    odd = chunk("WHAT", bytes(100)) + chunk("WHAT", b"")
    data = capture(json_chunk("SESS", session()), odd, tick(3))
    assert [step.lost for step in live.ticks(data)] == [3]
    assert live.problems == []


def test_live_capture_loses_only_the_damaged_chunk() -> None:
    live = LiveCapture()
    bad = bytearray(bufr(buffer([Sample()])))
    bad[-1] ^= 1
    good = bufr(buffer([Sample()]))
    data = capture(json_chunk("SESS", session()), bytes(bad), good, tick(1))
    assert len(list(live.ticks(data))) == 1
    assert [buffer.unread for buffer in live.buffers()] == [1]
    assert "wrong checksum" in live.problems[0].message


def test_live_capture_limits_kept_problems() -> None:
    live = LiveCapture()
    bad = bufr(b"", context=9)
    data = capture(json_chunk("SESS", session()), bad * (KEPT_PROBLEMS + 5))
    assert not list(live.ticks(data))
    assert len(live.problems) == KEPT_PROBLEMS


@pytest.mark.parametrize(
    "data,complaint",
    [
        (b"x" * 16, "not a capture"),
        (capture(tick(1)), "the session is not the first chunk"),
        (capture(bytes(24)), "wrong checksum: the rest of the file is not read"),
    ],
)
def test_live_capture_refuses_other_data(data: bytes, complaint: str) -> None:
    with pytest.raises(PfmParseError, match=complaint):
        list(LiveCapture().ticks(data))


def test_second_session_in_live_capture_is_a_problem() -> None:
    live = LiveCapture()
    sess = json_chunk("SESS", session())
    assert not list(live.ticks(capture(sess, sess)))
    assert "a second SESS" in live.problems[0].message


def test_live_capture_forgets_replaced_mappings() -> None:
    live = LiveCapture()
    list(live.ticks(capture(json_chunk("SESS", session()))))
    for tgid in (1, 2, 1):
        list(live.ticks(mapped(HOT, tgid)))
    live._mappings = MAX_MAPPINGS // 2 + 1  # a number that days of recording reach
    list(live.ticks(mapped(HOT, 3)))
    assert live._mappings == 3
    assert [(epoch, maps.tgid) for epoch, maps in live.maps.all()] == [
        *((2, 2), (3, 1), (4, 3)),
    ]


def test_live_capture_forgets_old_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.kallsyms.MAX_CODE", 16)
    live = LiveCapture()
    list(live.ticks(capture(json_chunk("SESS", session()))))
    start = 1 << 63
    list(live.ticks(proc(code_of(0, start, start + 1, "loaded"))))
    for n in range(1, 20):
        for gone in (False, True):
            event = code_of(n, start + n, start + n + 1, "f", gone=gone)
            list(live.ticks(proc(event)))
    assert live.problems == [] and live.kernel_code is not None
    found = live.kernel_code.find(np.arange(start, start + 20, dtype=np.uint64))
    assert found.tolist() == [0] + [-1] * 18 + [2]


def test_live_capture_cannot_be_read_again() -> None:
    with pytest.raises(PfmParseError, match="can be read only once"):
        LiveCapture().again()


def test_live_capture_waits_for_the_file_header() -> None:
    live = LiveCapture()
    assert not list(live.ticks(WHOLE[:9]))
    assert live.came == 9 and not live.begun
    assert struct.unpack_from("<8s", WHOLE)[0] == b"PFMCAP\r\n"


def test_live_capture_accepts_later_contexts() -> None:
    live = LiveCapture()
    later = [ctxt(7, 131, 123), bufr(buffer([Sample()]), context=7), tick(1)]
    assert len(list(live.ticks(capture(json_chunk("SESS", session()), *later)))) == 1
    assert [found.context for found in live.buffers()] == [7]
    assert live.problems == []
