# SPDX-License-Identifier: MIT OR GPL-2.0
"""Time spans, and time windows of a recording."""

from __future__ import annotations

import io

import numpy as np
import pytest
from helpers.writers import Sample, buffer, bufr, capture, json_chunk, session
from pfmparse.analysis.times import Window, first_time, parse_span, parse_window
from pfmparse.recording import open_capture


@pytest.mark.parametrize(
    "text,ns",
    [("2s", 2 * 10**9), ("1.5s", 15 * 10**8), ("20ms", 2 * 10**7), ("3us", 3000)]
    + [("7ns", 7), ("4", 4 * 10**9), ("0.000000001", 1)],
)
def test_time_span_parses_units(text: str, ns: int) -> None:
    assert parse_span(text) == ns


@pytest.mark.parametrize("text", ["", "s", "1h", "-1s", "1e3", "one", "1.s", " 1s"])
def test_invalid_time_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a time such as"):
        parse_span(text)


@pytest.mark.parametrize(
    "text,window",
    [
        ("2ns-5ns", Window(2, 5)),
        ("2ns-", Window(2, None)),
        ("-5ns", Window(0, 5)),
        ("-", Window(0, None)),
    ],
)
def test_time_window_is_parsed(text: str, window: Window) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["5s", "5s-2s", "2s-2s", "a-b", "1-2-3"])
def test_invalid_time_window_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_window(text)


def test_time_window_excludes_its_end() -> None:
    times = np.array([9, 10, 14, 15], np.uint64)
    assert Window(0, 5).after(10).has(times).tolist() == [False, True, True, False]
    assert Window(5, None).after(10).has(times).tolist() == [False, False, False, True]


def test_time_window_beyond_64_bits_is_empty() -> None:
    times = np.array([0, (1 << 64) - 1], np.uint64)
    assert not Window(1 << 64, None).has(times).any()
    assert Window(0, 1 << 70).has(times).all()


def test_first_time_leaves_buffers_to_be_read() -> None:
    times: list[list[int]] = [[70, 50], [], [60]]
    chunks = [bufr(buffer([Sample(tstamp=at) for at in some])) for some in times]
    recording = open_capture(
        io.BytesIO(capture(json_chunk("SESS", session()), *chunks))
    )
    assert first_time(recording) == 50
    assert sum(batch.samples.count for batch in recording.batches()) == 3
    assert recording.samples == 3


def test_first_time_of_no_samples_is_0() -> None:
    data = capture(json_chunk("SESS", session()), bufr(buffer([])))
    assert first_time(open_capture(io.BytesIO(data))) == 0
