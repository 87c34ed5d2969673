# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print the summary at the end of info and report."""

from __future__ import annotations

from io import BytesIO

import pytest
from helpers.cli import printed, told
from helpers.readers import read_capture
from helpers.sink_buffer import UUID_SINK, SinkRegion, sink
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    pebs_capture,
    session,
    simple_capture,
    totals,
)
from pfmparse.commands import summary
from pfmparse.recording import Recording, open_capture


def test_summary_has_losses_by_region(
    nway_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = told(capsys, "report", "--by", "ip", nway_file)
    assert [(row["address"], row["count"]) for row in report["rows"]] == [
        (0x1000, 2),
        (0x2000, 1),
    ]
    assert report["lost_in_buffers"] == {"overwritten": 3, "dropped": 4}
    assert report["lost_in_regions"] == [
        {"context": 0, "region": 0, "overwritten": 3, "dropped": 0},
        {"context": 0, "region": 1, "overwritten": 0, "dropped": 4},
        {"context": 0, "region": 2, "overwritten": 0, "dropped": 0},
    ]
    lines = printed(capsys, "report", nway_file).splitlines()
    at = lines.index("lost in buffers: 3 overwritten, 4 dropped")
    assert lines[at + 1 : at + 4] == [
        "lost in context 0, region 0: 3 overwritten, 0 dropped",
        "lost in context 0, region 1: 0 overwritten, 4 dropped",
        "notifications: 3",
    ]


def read(data: bytes) -> Recording:
    """Read a capture to its end and return the recording."""
    return read_capture(data)[1]


def test_summary_of_truncated_capture_is_unknown() -> None:
    recording = read(simple_capture([Sample()])[:-8])
    found = summary.as_json(recording)
    assert (found["lost"], found["notifications"]) == (None, None)
    assert found["truncated"] is True
    assert found["problems"] == [
        {"offset": problem.offset, "message": problem.message}
        for problem in recording.problems
    ]
    assert summary.lines(recording) == [
        ("lost samples", "unknown"),
        ("notifications", "unknown"),
    ]


def test_summary_omits_losses_that_are_not_recorded() -> None:
    recording = read(simple_capture([Sample()]))
    assert summary.as_json(recording)["lost_in_buffers"] == {}
    assert summary.lines(recording) == [("lost samples", "7"), ("notifications", "3")]


def throttled(times: int) -> Recording:
    """Read a capture whose counters were throttled, and limited twice as often."""
    done = json_chunk("DONE", {**totals(1), "throttled": times, "limited": 2 * times})
    return read(capture(json_chunk("SESS", session()), bufr(buffer([Sample()])), done))


def test_summary_tells_how_often_counters_were_throttled() -> None:
    recording = throttled(5)
    assert summary.as_json(recording)["throttled"] == 5
    assert ("throttled", "5 times") in summary.lines(recording)
    assert summary.as_json(recording)["limited"] == 10
    assert ("limit reached", "10 times") in summary.lines(recording)


def test_summary_omits_throttling_that_did_not_happen() -> None:
    recording = throttled(0)
    assert summary.as_json(recording)["throttled"] == 0
    assert summary.as_json(recording)["limited"] == 0
    assert summary.lines(recording) == [("lost samples", "7"), ("notifications", "3")]


def skipping(*skipped: int, **done: int) -> Recording:
    """Read a capture of successive copies of a sink buffer that skipped samples.

    ``skipped`` has the number of skipped samples in each copy.
    """
    document = json_chunk("DONE", {**totals(1), **done})
    copies = [bufr(sink([SinkRegion()], number)) for number in skipped]
    chunks = [json_chunk("SESS", session(uuid=UUID_SINK)), *copies, document]
    recording = open_capture(BytesIO(capture(*chunks)), any_format=True)
    assert not list(recording.batches()) or not recording.samples
    return recording


def test_summary_has_skipped_samples_of_tool() -> None:
    recording = skipping(5, 9, skipped=4)
    assert summary.as_json(recording)["skipped"] == 4
    assert ("skipped samples", "4") in summary.lines(recording)


def test_summary_has_skipped_samples_of_buffers() -> None:
    recording = skipping(5, 9)
    assert summary.as_json(recording)["skipped"] == 9
    assert ("skipped samples", "9") in summary.lines(recording)
    assert summary.of_all([recording, skipping(2)])["skipped"] == 11


def test_summary_has_evicted_thread_states() -> None:
    recording = skipping(5, evicted=3)
    assert summary.as_json(recording)["evicted"] == 3
    assert ("evicted thread states", "3") in summary.lines(recording)


def test_summary_counts_imprecise_samples() -> None:
    sess = session(uuid=UUID_PEBS64)
    recording = read(pebs_capture([{}, {}, {}], 144, sess))
    assert summary.as_json(recording)["imprecise"] == 2
    assert ("imprecise samples", "2") in summary.lines(recording)
    assert ("lost in buffers", "0 dropped, 0 no_room") in summary.lines(recording)
