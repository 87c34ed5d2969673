# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the samples of a recording's buffers, and the losses that they report."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.readers import read_capture
from helpers.sample_capture import DONE, FIRST, SAMPLES, SECOND, SESS
from helpers.writers import (
    HDR_SIZE,
    READY,
    UUID_NWAY,
    UUID_PEBS64,
    NwayRegion,
    Sample,
    buffer,
    bufr,
    capture,
    contexts,
    json_chunk,
    mapped,
    mapping,
    nway,
    pebs_capture,
    session,
)
from pfmparse import (
    Data,
    Decoded,
    Decoder,
    Lost,
    Region,
    Samples,
    Session,
    open_capture,
    open_raw,
)
from pfmparse.errors import PfmParseError


def test_damaged_capture_with_samples_is_not_useless() -> None:
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


def test_each_context_has_its_own_decoder() -> None:
    described = session(uuid=UUID_NWAY)
    described["contexts"] *= 2
    described["contexts"][1] = {**described["contexts"][0], "id": 1}
    data = nway([NwayRegion(1, READY, (Sample(ip=1),)), NwayRegion()])
    chunks = [bufr(data, context=0), bufr(data, context=1), bufr(data, context=0)]
    file = capture(json_chunk("SESS", described), *chunks)
    assert len(read_capture(file)[0]) == 2


def test_losses_come_from_last_buffer_of_each_context() -> None:
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


def test_batches_have_the_epoch_of_their_buffer() -> None:
    maps = mapped(mapping(0, 1, 0, "/x"))
    data = capture(SESS, FIRST, maps, FIRST, DONE)
    recording = open_capture(io.BytesIO(data))
    assert [batch.epoch for batch in recording.batches()] == [0, 1]
    assert (recording.buffers, recording.samples) == (2, 8)


def test_raw_buffer_has_samples_only() -> None:
    recording = open_raw(buffer(SAMPLES), json.dumps(session()).encode())
    (batch,) = recording.batches()
    assert batch.samples.column("ip").tolist() == [sample.ip for sample in SAMPLES]
    assert (recording.lost, recording.notifications) == (None, None)
    assert not recording.truncated and recording.problems == []
    assert recording.source.maps.processes() == {} and not recording.source.cookies


def test_raw_buffer_can_be_read_again() -> None:
    recording = open_raw(buffer(SAMPLES), json.dumps(session()).encode())
    for read in (recording, recording.reopened()):
        assert sum(batch.samples.count for batch in read.batches()) == len(SAMPLES)


def test_raw_buffer_problem_has_its_offset() -> None:
    recording = open_raw(buffer(SAMPLES)[:-1], json.dumps(session()).encode())
    assert sum(batch.samples.count for batch in recording.batches()) == 5
    (problem,) = recording.problems
    assert problem.offset == len(buffer(SAMPLES)) - 1 and problem.truncated


def test_format_without_parser_is_refused_at_opening() -> None:
    sess = session(uuid="00" * 16)
    with pytest.raises(PfmParseError, match="no parser for format 00000000-0000"):
        open_raw(b"", json.dumps(sess).encode())
    with pytest.raises(PfmParseError, match="no parser for format 00000000-0000"):
        open_capture(io.BytesIO(capture(json_chunk("SESS", sess))))


def test_decoder_may_refuse_a_session() -> None:
    refused = PfmParseError("its sampling PMD is missing", 5)

    def decoder(parsed: Session) -> Decoder:
        raise refused

    recording = open_capture(io.BytesIO(capture(SESS, FIRST, DONE)))
    recording.format = replace(recording.format, decoder=decoder)
    with pytest.raises(PfmParseError) as error:
        list(recording.batches())
    assert error.value is refused


def test_unreadable_buffer_restarts_stream_decoder() -> None:
    made: list[int] = []

    def decoder(parsed: Session) -> Decoder:
        made.append(len(parsed.contexts))
        return lambda data: Decoded(())

    for stream, decoders in ((True, 2), (False, 1)):
        made.clear()
        data = capture(SESS, FIRST, bufr(b"", context=5), FIRST, SECOND, DONE)
        recording = open_capture(io.BytesIO(data))
        recording.format = replace(recording.format, decoder=decoder, stream=stream)
        assert list(recording.batches()) == []
        assert len(made) == decoders


def test_only_imprecise_regions_count_as_imprecise() -> None:
    data = pebs_capture([{}, {}, {}], 144, session(uuid=UUID_PEBS64))
    assert read_capture(data)[1].imprecise == 2
    assert read_capture(capture(SESS, FIRST, DONE))[1].imprecise == 0


def weighted(context_of: int = 0) -> Decoded:
    """Return a region of two samples, which together have the weight 7, and a region of
    one sample.
    """
    heavy = Samples(2, {"weight": np.array([3, 4])})
    plain = Samples(1, {"ip": np.array([1])})
    lost = Lost({"full": 10 + context_of})
    return Decoded((Region(0, heavy, imprecise=True), Region(0, plain)), (), lost)


def test_recording_sums_weights_and_counts_losses_once() -> None:
    recording = open_capture(io.BytesIO(capture(SESS, FIRST, SECOND, DONE)))
    answers = [weighted(), weighted(5)]
    recording.format = replace(
        recording.format, decoder=lambda parsed: lambda data: answers.pop(0)
    )
    batches = list(recording.batches())
    assert (recording.samples, recording.imprecise) == (16, 14)
    assert [batch.lost for batch in batches] == [{"full": 10}, {}, {"full": 5}, {}]
    assert [batch.context for batch in batches] == [0, 0, 0, 0]
    assert recording.lost_in_buffers() == {"full": 15}


def test_unjoined_decoder_gets_single_buffers() -> None:
    got: list[int] = []

    def decode(data: Data) -> Decoded:
        got.append(len(data))
        columns = {"ip": np.array([len(got)])}
        return Decoded((Region(0, Samples(1, columns)),) * 2)

    recording = open_capture(io.BytesIO(capture(SESS, *[FIRST] * 3, DONE)))
    recording.format = replace(
        recording.format, decoder=lambda parsed: decode, joined=False
    )
    batches = list(recording.batches())
    assert got == [HDR_SIZE + 4 * 40] * 3
    assert [batch.samples.column("ip").tolist() for batch in batches] == [
        *([1], [1]),
        *([2], [2]),
        *([3], [3]),
    ]


def test_batch_sums_losses_of_its_buffers() -> None:
    chunks = [
        bufr(nway([NwayRegion(n, READY, (Sample(ip=n),)), NwayRegion()], **lost))
        for n, lost in (
            (1, {"overwritten": 3, "dropped": 0}),
            (2, {"overwritten": 5, "dropped": 1}),
            (3, {"overwritten": 9, "dropped": 1}),
        )
    ]
    data = capture(json_chunk("SESS", session(uuid=UUID_NWAY)), *chunks)
    (batch,) = open_capture(io.BytesIO(data)).batches()
    assert batch.samples.column("ip").tolist() == [1, 2, 3]
    assert batch.lost == {"overwritten": 9, "dropped": 1}
