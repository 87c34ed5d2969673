# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the recent samples of a live capture."""

from __future__ import annotations

import struct
from typing import Sequence

import pytest
from helpers.sink_buffer import FILLING, SinkRegion, sink
from helpers.writers import (
    UUID_PEBS64,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapped,
    mapping,
    pebs,
    session,
    thrd,
    thread,
)
from pfmparse.analysis import recent as recent_module
from pfmparse.analysis.inputs import Options
from pfmparse.analysis.recent import Place, Recent
from pfmparse.analysis.selection import Selection
from pfmparse.capture.live import LiveCapture
from pfmparse.formats.histogram import UUID as UUID_HISTOGRAM
from pfmparse.recording import Recording
from pfmparse.symbols.location import UNKNOWN, SymbolOptions

S = 10**9
HOT = Place(UNKNOWN, "/bin/hot", "hot")
WORK = Place(UNKNOWN, "/bin/hot", "work")
ELSEWHERE = Place(UNKNOWN, UNKNOWN, "hot")


class Fed:
    """A live capture to which the tests add samples."""

    def __init__(
        self,
        selection: Selection = Selection(),
        window: int = 2 * S,
        told: Json = session(),
    ) -> None:
        """Start a capture; ``told`` describes its session."""
        self.live = LiveCapture()
        self.feed(
            capture(
                json_chunk("SESS", told),
                mapped(mapping(0x400000, 0x500000, 0, "/bin/hot")),
                thrd(thread(100, 100, "hot"), thread(101, 100, "work")),
            )
        )
        self.recent = Recent(
            Recording(self.live), Options(selection, SymbolOptions()), print, window
        )

    def feed(self, data: bytes) -> None:
        assert not list(self.live.ticks(data))

    def add(self, samples: Sequence[Sample]) -> None:
        self.feed(bufr(buffer(samples)))
        self.recent.take()


def test_recent_counts_by_function_file_and_thread() -> None:
    fed = Fed()
    fed.add([Sample(), Sample(ip=0x401001), Sample(pid=101), Sample(ip=1)])
    step = fed.recent.end_step(S, 7)
    assert step.counts == {HOT: 2, WORK: 1, ELSEWHERE: 1}
    assert (step.lost, fed.recent.samples) == (7, 4)


def test_recent_rows_cover_the_window_only() -> None:
    fed = Fed()
    for count in (5, 3, 1):
        fed.add([Sample()] * count)
        fed.recent.end_step(S, 0)
    assert fed.recent.counts() == {HOT: 4}
    assert fed.recent.span_ns() == 2 * S
    assert fed.recent.samples == 9
    fed.recent.forget()
    assert not fed.recent.counts()


@pytest.mark.parametrize("window", [0, 2 * S])
def test_recent_keeps_a_step_longer_than_the_window(window: int) -> None:
    fed = Fed(window=window)
    fed.add([Sample()])
    fed.recent.end_step(10 * S, 0)
    assert fed.recent.counts() == {HOT: 1}


def test_recent_losses_are_per_step() -> None:
    fed = Fed()
    assert [fed.recent.end_step(S, lost).lost for lost in (3, 3, 10)] == [3, 0, 7]


def test_recent_counts_selected_samples_only() -> None:
    fed = Fed(Selection(tids=[101]))
    fed.add([Sample(), Sample(pid=101)])
    assert fed.recent.end_step(S, 0).counts == {WORK: 1}


def test_recent_renumbers_places_beyond_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recent_module, "MANY", 2)
    fed = Fed()
    for first in (0x401000, 0x402000):
        fed.add([Sample(ip=first + at) for at in range(5)])
        assert fed.recent.end_step(S, 0).counts == {HOT: 5}
    assert fed.recent.counts() == {HOT: 10}


def test_recent_unknown_thread_has_no_name() -> None:
    fed = Fed()
    fed.add([Sample(pid=999, tgid=998, ip=1)])
    (place,) = fed.recent.end_step(S, 0).counts
    assert place == Place(UNKNOWN, UNKNOWN, UNKNOWN)


def test_recent_sample_without_thread_has_no_name() -> None:
    # The thread is unknown: PEBS records do not contain a thread ID, and the context
    # of a CPU samples all threads.
    whole_cpu = {"id": 0, "tid": None, "cpu": 0, "buf_size": 65536}
    system_wide = session(uuid=UUID_PEBS64)
    system_wide |= {"mode": "system-wide", "contexts": [whole_cpu]}
    fed = Fed(told=system_wide)
    fed.feed(mapped(mapping(0x400000, 0x500000, 0, "/bin/hot"), tgid=200))
    fed.feed(thrd(thread(200, 200, "hot")))
    fed.feed(bufr(pebs([{"ip": 0x401000}] * 3, UUID_PEBS64, 176)))
    fed.recent.take()
    assert fed.recent.end_step(S, 0).counts == {Place(UNKNOWN, UNKNOWN, UNKNOWN): 3}


def test_recent_counts_weights() -> None:
    fed = Fed(told=session(uuid=UUID_HISTOGRAM))
    for count in (5, 12):
        entry = struct.pack("<HHIQQ", 0, 0, 100, 0x401000, count)
        fed.feed(bufr(sink([SinkRegion(1, (entry,), FILLING)])))
        fed.recent.take()
    assert fed.recent.end_step(S, 0).counts == {HOT: 12}
    assert fed.recent.samples == 12


def test_recent_events_are_sampling_events() -> None:
    assert [event.name for event in Fed().recent.events] == ["event-0"]
