# SPDX-License-Identifier: MIT OR GPL-2.0
"""Select samples."""

from __future__ import annotations

import io
import re
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapping,
    maps,
    pebs_capture,
    pmd,
    session,
    thread,
)
from pfmparse import Batch, Role, Samples
from pfmparse.analysis.requests import CONDITIONS, Window
from pfmparse.analysis.selection import Selection, _within, first_time, selected
from pfmparse.errors import PfmParseError
from pfmparse.recording import open_capture

KERNEL = 1 << 63
SETS = {0: [pmd(0), pmd(1)], 1: [pmd(0)]}
SAMPLES = [
    Sample(pid=11, tgid=10, cpu=0, ip=0x1000, tstamp=1000),
    Sample(pid=12, tgid=10, cpu=1, ip=0x2000, tstamp=2000, ovfl_pmd=1),
    Sample(pid=20, tgid=20, cpu=2, ip=0x1000, tstamp=3000, set=1),
    Sample(pid=20, tgid=20, cpu=3, ip=KERNEL, tstamp=4000),
]


def whole() -> bytes:
    """Return a capture with samples of two processes in two buffers."""
    where = [
        mapping(0x1000, 0x2000, 0, "/bin/one"),
        mapping(0x2000, 0x3000, 0, "[two]"),
    ]
    return capture(
        json_chunk("SESS", session(SETS)),
        json_chunk("MAPS", {**maps(10, where), "comm": "first"}),
        json_chunk("MAPS", {**maps(20, where), "comm": "second"}),
        bufr(buffer(SAMPLES[:1])),
        bufr(buffer(SAMPLES[1:])),
    )


def times_of(data: bytes, **what: Any) -> list[int]:
    """Return the timestamps of the selected samples."""
    source = opened(data, selection=Selection(**what), warn=lambda text: None)
    found = [batch.samples.column("tstamp").tolist() for batch in source.batches()]
    assert source.selected == sum(map(len, found))
    assert source.recording.samples == len(SAMPLES)
    return [time for times in found for time in times]


@pytest.mark.parametrize(
    "what,times",
    [
        ({}, [1000, 2000, 3000, 4000]),
        ({"pids": [20]}, [3000, 4000]),
        ({"tids": [11, 12]}, [1000, 2000]),
        ({"cpus": [1, 3, 99]}, [2000, 4000]),
        ({"sets": [1]}, [3000]),
        ({"events": ["event-1"]}, [2000]),
        ({"events": ["event-0"]}, [1000, 3000, 4000]),
        ({"events": ["event-0", "event-1"]}, [1000, 2000, 3000, 4000]),
        ({"comms": ["f*"]}, [1000, 2000]),
        ({"comms": ["third"]}, []),
        ({"kernel": True}, [4000]),
        ({"kernel": False}, [1000, 2000, 3000]),
        ({"time": Window(0, 1001)}, [1000, 2000]),
        ({"time": Window(3000, None)}, [4000]),
        ({"objects": ["one"]}, [1000, 3000]),
        ({"objects": ["/bin/*", "[two]"]}, [1000, 2000, 3000]),
        ({"symbols": [re.compile("nothing"), re.compile("none")]}, []),
        (
            {"symbols": [re.compile("nothing"), re.compile("^")]},
            [1000, 2000, 3000, 4000],
        ),
        ({"pids": [20], "kernel": False}, [3000]),
        ({"pids": [10], "sets": [1]}, []),
        ({"pids": [1 << 31]}, []),
        ({"pids": [(1 << 32) + 20]}, []),
        ({"cpus": [(1 << 16) + 1]}, []),
        ({"cpus": [(1 << 16) + 1, 2]}, [3000]),
        ({"sets": [1 << 16]}, []),
    ],
)
def test_selection_combines_all_conditions(what: Any, times: list[int]) -> None:
    assert times_of(whole(), **what) == times


def test_selecting_an_unsampled_event_is_refused() -> None:
    with pytest.raises(
        PfmParseError, match="event 'cycles' was not sampled; sampled events"
    ):
        opened(whole(), selection=Selection(events=["cycles"]))


def test_tid_selection_falls_back_to_the_only_thread() -> None:
    sess = session({0: [pmd(0)]}, UUID_PEBS64)
    data = pebs_capture([{"ip": 1}], 144, sess)
    tid = sess["contexts"][0]["tid"]
    for wanted, count in ((tid, 1), (tid + 1, 0)):
        source = opened(data, selection=Selection(tids=[wanted]))
        assert sum(batch.samples.count for batch in source.batches()) == count


def test_selection_by_a_column_of_booleans() -> None:
    columns = {"there": np.array([True, False, True])}
    samples = Samples(3, columns, roles={Role.CPU: "there"})
    source = opened(whole())
    select = Selection(cpus=[1, 2]).of(source.recording, source.events, source.places)
    assert select(Batch(samples, 0)).samples.column("there").tolist() == [True, True]


def test_selection_by_missing_column_is_refused() -> None:
    data = pebs_capture([{"ip": 1}], 144, session(uuid=UUID_PEBS64))
    with pytest.raises(PfmParseError, match="the samples have no cpu"):
        list(opened(data, selection=Selection(cpus=[1])).batches())


DOCKER = "/system.slice/docker-0a1b2c3d4e.scope"


def groups_of() -> list[bytes]:
    """Return chunks with the control groups of the processes."""
    return [
        json_chunk("THRD", {"threads": [thread(tgid, tgid, "x")], "cgroup": path})
        for tgid, path in ((10, DOCKER), (20, "/user.slice/a.scope"))
    ]


@pytest.mark.parametrize(
    "what,times",
    [
        ({"cgroups": [DOCKER]}, [1000, 2000]),
        ({"cgroups": ["/system.slice"]}, [1000, 2000]),
        ({"cgroups": ["/*slice/docker-*"]}, [1000, 2000]),
        ({"cgroups": ["/"]}, [1000, 2000, 3000, 4000]),
        ({"cgroups": ["/system"]}, []),
        ({"cgroups": ["/user.slice", DOCKER]}, [1000, 2000, 3000, 4000]),
        ({"containers": ["0a1b"]}, [1000, 2000]),
        ({"containers": ["a1b2"]}, []),
        ({"containers": ["user"]}, []),
    ],
)
def test_selection_by_control_group_or_container(
    what: dict[str, Any], times: list[int]
) -> None:
    head = capture(json_chunk("SESS", session(SETS)), *groups_of())
    assert times_of(head + bufr(buffer(SAMPLES)), **what) == times


def test_unknown_control_group_matches_the_root_only() -> None:
    times = [sample.tstamp for sample in SAMPLES]
    assert times_of(whole(), cgroups=["/system.slice"]) == []
    assert times_of(whole(), cgroups=["/"]) == times
    assert times_of(whole(), cgroups=["/x", "*"], containers=["x"]) == times


def of_session(groups: list[str], **what: Any) -> list[int]:
    """Return the times of the selected samples in a capture of these control groups."""
    sess = json_chunk("SESS", {**session(SETS), "cgroups": groups})
    return times_of(capture(sess, *groups_of()) + bufr(buffer(SAMPLES)), **what)


def test_control_groups_default_to_the_captures() -> None:
    assert of_session([DOCKER]) == [1000, 2000]
    assert of_session(["/user.slice", "/none"]) == [3000, 4000]
    assert of_session([]) == [1000, 2000, 3000, 4000]
    assert of_session([DOCKER], cpus=[1, 2]) == [2000]


@pytest.mark.parametrize(
    "what,times",
    [
        ({"cgroups": ["/user.slice"]}, [3000, 4000]),
        ({"cgroups": ["/"]}, [1000, 2000, 3000, 4000]),
        ({"containers": ["0a1b"]}, [1000, 2000]),
    ],
)
def test_control_group_option_overrides_the_capture(
    what: dict[str, Any], times: list[int]
) -> None:
    assert of_session(["/none"], **what) == times


def test_each_condition_has_its_own_field() -> None:
    names = {field.name for field in fields(Selection)}
    own = [condition.field for condition in CONDITIONS.values()]
    assert sorted([*own, "kernel", "time"]) == sorted(names)


def test_conditions_become_a_selection() -> None:
    window = Window(1, 2)
    found = selected({"pid": [1], "comm": ["c*"]}, False, window)
    assert found == Selection(pids=[1], comms=["c*"], kernel=False, time=window)


def test_time_window_excludes_its_end() -> None:
    times = np.array([9, 10, 14, 15], np.uint64)
    assert _within(times, Window(0, 5).after(10)).tolist() == [False, True, True, False]
    assert _within(times, Window(5, None).after(10)).tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_time_window_beyond_64_bits_is_empty() -> None:
    times = np.array([0, (1 << 64) - 1], np.uint64)
    assert not _within(times, Window(1 << 64, None)).any()
    assert _within(times, Window(0, 1 << 70)).all()


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
