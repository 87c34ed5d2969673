# SPDX-License-Identifier: MIT OR GPL-2.0
"""The samples of all buffers of a recording, and what they say was lost."""

from __future__ import annotations

from readers import read_capture
from sample_capture import DONE, FIRST, SESS
from writers import (
    READY,
    UUID_NWAY,
    NwayRegion,
    Sample,
    buffer,
    bufr,
    capture,
    contexts,
    json_chunk,
    nway,
    session,
)


def test_damaged_capture_is_useless_only_without_any_sample() -> None:
    _, recording = read_capture(capture(SESS, bufr(b"no header"), DONE))
    assert recording.useless
    _, recording = read_capture(capture(SESS, bufr(b"no header"), FIRST, DONE))
    assert not recording.useless


def test_several_contexts_are_concatenated() -> None:
    sess = session()
    sess["mode"] = "system-wide"
    sess["contexts"] = contexts(2)
    chunks = [bufr(buffer([Sample(cpu=n)]), context=n) for n in (1, 0)]
    data = capture(json_chunk("SESS", sess), *chunks, DONE)
    assert [sample["cpu"] for sample in read_capture(data)[0]] == [1, 0]


def test_decoders_of_two_contexts_do_not_know_each_other() -> None:
    described = session(uuid=UUID_NWAY)
    described["contexts"] *= 2
    described["contexts"][1] = {**described["contexts"][0], "id": 1}
    data = nway([NwayRegion(1, READY, (Sample(ip=1),)), NwayRegion()])
    chunks = [bufr(data, context=0), bufr(data, context=1), bufr(data, context=0)]
    file = capture(json_chunk("SESS", described), *chunks)
    assert len(read_capture(file)[0]) == 2


def test_lost_samples_are_those_of_the_last_buffer_of_each_context() -> None:
    described = session(uuid=UUID_NWAY)
    described["contexts"] = contexts(2)

    def saved(context: int, base: int) -> bytes:
        regions = [
            NwayRegion(overwritten=base, dropped=base + 1),
            NwayRegion(overwritten=base + 2, dropped=base + 3),
        ]
        data = nway(regions, overwritten=2 * base + 2, dropped=2 * base + 4)
        return bufr(data, context)

    chunks = [saved(0, 10), saved(1, 100), saved(0, 20)]
    _, recording = read_capture(capture(json_chunk("SESS", described), *chunks))
    assert recording.lost_in_buffers() == {
        "overwritten": 42 + 202,
        "dropped": 44 + 204,
    }
    assert recording.lost_in_regions() == [
        {"context": 0, "region": 0, "overwritten": 20, "dropped": 21},
        {"context": 0, "region": 1, "overwritten": 22, "dropped": 23},
        {"context": 1, "region": 0, "overwritten": 100, "dropped": 101},
        {"context": 1, "region": 1, "overwritten": 102, "dropped": 103},
    ]
