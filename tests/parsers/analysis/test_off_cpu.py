# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute the times on and off CPU between samples of threads."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Iterable, Optional, Sequence, Union

import pytest
from helpers.cli import Capture, run, told
from helpers.readers import input_of, opened
from helpers.served import answered, session_of
from helpers.writers import (
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    ctxt,
    json_chunk,
    pmd,
    session,
    simple_capture,
)
from pfmparse import PfmParseError
from pfmparse.analysis import off_cpu
from pfmparse.analysis.requests import Window
from pfmparse.analysis.selection import Selection
from pfmparse.analysis.weights import usual
from pfmparse.capture.live import LiveCapture
from pfmparse.formats.roles import Role
from pfmparse.recording import Batch, Recording

CLOCK, STATE = 1, 255
TIMER, SWITCHES_PMD = 0, 2  # with --wall-clock
FIRST = 10**9


def described(clock: Optional[int] = CLOCK) -> Json:
    """Describe a session that records the CPU time and the thread's state."""
    found = session({0: [pmd(0, [CLOCK, STATE]), pmd(CLOCK, sampling=False)]})
    return {**found, "off_cpu": clock}


def switch(wall: int, on_cpu: int, state: str = "S", ip: int = 0x401000) -> Sample:
    """Describe a context switch at these times in ns."""
    values = ((CLOCK, on_cpu), (STATE, ord(state)))
    return Sample(ip=ip, tstamp=FIRST + wall, pmds=values)


def of_wall_clock(sess: Json) -> Json:
    """Describe a session that also samples a clock."""
    pmds = [pmd(n, [CLOCK, STATE]) for n in (TIMER, SWITCHES_PMD)]
    sets = session({0: [*pmds, pmd(CLOCK, sampling=False)]})["sets"]
    return {**sess, "sets": sets, "wall_clock": TIMER}


def left(wall: int, on_cpu: int, state: str = "S") -> Sample:
    """Describe a context switch in a session that also samples a clock."""
    return replace(switch(wall, on_cpu, state), ovfl_pmd=SWITCHES_PMD)


def tick(wall: int, on_cpu: int, state: str = "R", ip: int = 0x402000) -> Sample:
    """Describe a sample of the clock."""
    return replace(switch(wall, on_cpu, state, ip), ovfl_pmd=TIMER)


def times(file: bytes) -> list[tuple[int, int]]:
    """Return each sample's time since FIRST, and the time off CPU after it."""
    return times_of(opened(file).batches())


def times_of(batches: Iterable[Batch], name: str = "off") -> list[tuple[int, int]]:
    """Return each sample's time since FIRST, and its value in the column ``name``.

    The default column contains the time off CPU after the sample.
    """
    return [
        (wall - FIRST, off)
        for batch in batches
        for wall, off in zip(
            batch.samples.role(Role.TIME).tolist(),
            batch.samples.column(name).tolist(),
        )
    ]


def recorded(*buffers: Sequence[Sample], sess: Optional[Json] = None) -> bytes:
    """Build a capture of one thread; each buffer has mappings of its own."""
    maps = json_chunk("MAPS", {"tgid": 100, "comm": "x", "maps": []})
    parts = [maps + bufr(buffer(samples)) for samples in buffers]
    return capture(json_chunk("SESS", sess or described()), *parts)


SWITCHES = [switch(0, 5), switch(100, 15), switch(300, 20), switch(1000, 700)]
OFF = [(0, 90), (100, 195), (300, 20), (1000, 0)]


@pytest.mark.parametrize("cut", range(len(SWITCHES) + 1))
def test_time_off_cpu_is_that_until_the_next_sample(cut: int) -> None:
    assert times(recorded(SWITCHES[:cut], SWITCHES[cut:])) == OFF


def test_sample_keeps_the_mappings_of_its_own_buffer() -> None:
    file = recorded(SWITCHES[:1], SWITCHES[1:])
    batches = [batch for batch in opened(file).batches() if batch.samples.count]
    assert batches[0].samples.count == 1
    assert batches[0].epoch < batches[1].epoch


def test_threads_are_independent() -> None:
    other = [switch(50, 0), switch(950, 100)]
    file = capture(
        json_chunk("SESS", described()),
        ctxt(1, 101, 100),
        bufr(buffer(SWITCHES[:2])),
        bufr(buffer(other[:1]), context=1),
        bufr(buffer(SWITCHES[2:])),
        bufr(buffer(other[1:]), context=1),
    )
    assert sorted(times(file)) == sorted([*OFF, (50, 800), (950, 0)])


def of_family() -> Json:
    """Describe a session of a family of contexts (docs/following.md).

    All threads share one buffer per CPU.
    """
    found = described()
    (root,) = found["contexts"]
    cpus = [{**root, "id": cpu, "tid": None, "tgid": None} for cpu in range(2)]
    return {**found, "contexts": cpus}


def in_family(*buffers: tuple[int, Sequence[Sample]]) -> bytes:
    """Build a capture of a family; each buffer is given as a CPU and its samples."""
    parts = [bufr(buffer(samples), context=cpu) for cpu, samples in buffers]
    return capture(json_chunk("SESS", of_family()), *parts)


def test_threads_of_a_family_change_their_cpus() -> None:
    other = [replace(switch(*at), pid=101) for at in ((50, 0), (950, 100))]
    # Buffers are saved when they are full, so the first samples may come last.
    file = in_family(
        (1, [SWITCHES[1], other[1]]), (0, SWITCHES[2:]), (1, []), (0, other[:1])
    )
    assert sorted(times(file)) == sorted([*OFF[1:], (50, 800), (950, 0)])
    file = in_family((1, SWITCHES[1:3]), (0, [SWITCHES[0], SWITCHES[3]]))
    assert sorted(times(file)) == OFF


def test_new_thread_with_the_same_id_begins_anew() -> None:
    new = [switch(5000, 2), switch(5100, 12)]
    found = times(in_family((0, SWITCHES), (1, new)))
    assert found == [*OFF, (5000, 90), (5100, 0)]
    ended = [switch(0, 1), switch(100, 1, "X")]
    found = times(in_family((0, ended), (1, new)))
    assert found == [(0, 100), (100, 0), (5000, 90), (5100, 0)]


def seen_live(
    *buffers: tuple[int, Sequence[Sample]], name: str = "off"
) -> list[list[tuple[int, int]]]:
    """Read a live capture with a TICK chunk after each buffer.

    Return what times_of() returns at each of these chunks, sorted.
    """
    sess = of_family() if name == "off" else of_wall_clock(of_family())
    live = LiveCapture()
    end = json_chunk("TICK", {"elapsed_ns": 1, "samples": 1, "lost": 0})
    parts = [bufr(buffer(samples), context=cpu) + end for cpu, samples in buffers]
    ticks = live.ticks(capture(json_chunk("SESS", sess), *parts))
    next(ticks)
    source = input_of(Recording(live))
    seen = [times_of(source.batches(), name)]
    seen += [times_of(source.batches(), name) for _ in ticks]
    return [sorted(some) for some in seen]


def test_live_capture_holds_back_last_sample_of_threads() -> None:
    other = replace(switch(50, 0), pid=101)
    seen = seen_live((0, [*SWITCHES[:2], other]), (1, SWITCHES[2:]))
    assert seen == [OFF[:1], OFF[1:3]]


def test_live_capture_holds_back_a_limited_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(off_cpu, "MOST_HELD", 1)
    other = replace(switch(50, 0), pid=101)
    seen = seen_live((0, SWITCHES[:1]), (1, [other]), (0, SWITCHES[1:2]))
    assert seen == [[], [(0, 0)], [(50, 0)]]


def test_live_capture_shows_the_end_of_a_thread_at_once() -> None:
    seen = seen_live((0, [switch(0, 0), switch(100, 0, "X")]), (0, []))
    assert seen == [[(0, 100), (100, 0)], []]


STOPPED = [switch(0, 0, "t"), switch(100, 10, "D"), switch(200, 20)]


def test_stops_by_the_tracer_do_not_count() -> None:
    assert times(recorded(STOPPED)) == [(0, 0), (100, 90), (200, 0)]


def test_stops_by_another_tracer_count_in_a_family() -> None:
    assert times(in_family((0, STOPPED))) == [(0, 90), (100, 90), (200, 0)]


def test_clocks_that_disagree_give_no_negative_time() -> None:
    assert times(recorded([switch(0, 0), switch(10, 11)])) == [(0, 0), (10, 0)]


@pytest.mark.parametrize("clock", [None, 2])
def test_other_sessions_have_no_such_column(clock: Optional[int]) -> None:
    (batch,) = opened(recorded(SWITCHES, sess=described(clock))).batches()
    assert not batch.samples.has("off")
    assert usual(batch.samples) == "count"


def test_reports_weigh_by_the_time(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "off.cap"
    samples = [switch(0, 0), switch(30, 10, "R"), switch(100, 40, "D")]
    file.write_bytes(simple_capture(samples, described()))
    document = told(capsys, "report", "--by", "state", str(file))
    assert (document["weight"], document["total_weight"]) == ("off", 60)
    weights = {row["key"]: row["weight"] for row in document["rows"]}
    assert weights == {"runnable": 40, "sleeping": 20, "uninterruptible": 0}


def test_damaged_number_of_the_pmd_is_refused() -> None:
    with pytest.raises(PfmParseError, match="off_cpu"):
        opened(recorded(SWITCHES, sess=described(320)))


def walls(*buffers: tuple[int, Sequence[Sample]]) -> list[tuple[int, int]]:
    """Return the wall-clock time of each sample of a family."""
    parts = [bufr(buffer(samples), context=cpu) for cpu, samples in buffers]
    sess = json_chunk("SESS", of_wall_clock(of_family()))
    return sorted(times_of(opened(capture(sess, *parts)).batches(), "wall"))


# This thread starts at -5 ns, is preempted at 320 ns, and ends at 600 ns. Its CPU time
# is 45 ns.
RUN = [left(0, 5), tick(90, 10), left(95, 15), tick(300, 20), left(320, 40, "R")]
RUN += [left(600, 45, "X")]
WALL = [(0, 85), (90, 10), (95, 200), (300, 10), (320, 275), (600, 25)]


def test_cpu_time_belongs_to_samples_of_the_clock() -> None:
    assert walls((0, RUN)) == WALL
    assert sum(time for _, time in WALL) == 605


@pytest.mark.parametrize("cut", range(len(RUN) + 1))
def test_live_capture_has_the_same_wall_clock_times(cut: int) -> None:
    other = [replace(tick(2, 2), pid=101)]
    ticks = seen_live((0, RUN[:cut]), (1, [*RUN[cut:], *other]), name="wall")
    assert sorted(sum(ticks, [])) == WALL


def test_cpu_time_of_a_sample_given_up_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(off_cpu, "MOST_HELD", 1)
    other = [replace(tick(2, 2), pid=101)]
    ticks = seen_live((0, RUN[:1]), (1, other), (0, RUN[1:]), name="wall")
    assert ticks == [[], [(0, 0)], WALL[1:]]


def test_lost_samples_do_not_change_the_sum() -> None:
    for lost in range(len(RUN) - 1):
        found = walls((0, [*RUN[:lost], *RUN[lost + 1 :]]))
        # The time off CPU before the first sample is unknown.
        first = 605 if lost else 600 - 90 + 10
        assert sum(time for _, time in found) == first


def test_cpu_time_without_clock_samples_is_at_the_end() -> None:
    assert walls((0, [left(0, 5), left(90, 20, "X")])) == [(0, 75), (90, 20)]


def test_clock_sample_at_end_has_the_rest_of_the_cpu_time() -> None:
    end = [tick(90, 20, "X"), left(90, 20, "X")]
    assert walls((0, [left(0, 5), *end, *NEXT])) == [
        (0, 75),
        (90, 0),
        (90, 20),
        (1003, 3),
        (1010, 7),
    ]


def test_last_sample_of_a_living_thread_has_its_cpu_time() -> None:
    assert walls((0, RUN[:3])) == [*WALL[:2], (95, 5)]


NEXT = [tick(1003, 3), left(1010, 10, "X")]


@pytest.mark.parametrize("used", [3, 60, 400])
def test_new_thread_has_all_of_its_cpu_time(used: int) -> None:
    new = [tick(1003, used), left(1010, used + 7, "X")]
    expected = [(1003, used), (1010, 7)]
    assert walls((0, [*RUN, *new])) == [*WALL, *expected]
    assert seen_live((0, RUN), (1, new), name="wall") == [WALL, expected]


def test_thread_after_lost_end_has_all_of_its_cpu_time() -> None:
    expected = [*WALL[:4], (320, 20), (1003, 3), (1010, 7)]
    assert walls((0, [*RUN[:-1], *NEXT])) == expected
    ticks = seen_live((0, RUN[:-1]), (1, NEXT), name="wall")
    assert sum(ticks, []) == expected


def test_live_sample_after_a_later_one_has_no_cpu_time() -> None:
    ticks = seen_live((1, RUN[-1:]), (0, RUN[:-1]), (0, NEXT), name="wall")
    late = [(0, 85), (90, 0), (95, 200), (300, 0)]
    assert ticks == [[(600, 45)], late, [(320, 0), (1003, 3), (1010, 7)]]


@pytest.mark.parametrize("used", [1, 1000])
def test_thread_switched_while_it_exits_counts_once(used: int) -> None:
    samples = [left(0, used, "X"), tick(40, used + 10, "X"), left(50, used + 20, "X")]
    expected = [(0, used), (40, 10), (50, 10)]
    assert walls((0, samples)) == expected
    ticks = seen_live((0, samples[:1]), (0, samples[1:]), name="wall")
    assert sum(ticks, []) == expected


def test_clocks_that_disagree_do_not_change_the_sum() -> None:
    samples = [tick(0, 0), tick(10, 11), left(30, 20)]
    expected = [(0, 0), (10, 10 + 11), (30, 9)]
    assert walls((0, samples)) == expected
    parts = [(0, [sample]) for sample in (*samples, left(40, 21))]
    assert sum(seen_live(*parts, name="wall"), []) == expected


def test_clocks_that_disagree_make_no_new_thread() -> None:
    samples = [tick(0, 10), tick(10, 20), tick(12, 15), left(40, 30)]
    assert walls((0, samples)) == [(0, 10), (10, 10), (12, 13), (40, 15)]


LARGE = [0, 1 << 62, 1 << 63, (1 << 64) - 1]


@pytest.mark.parametrize("first", LARGE)
@pytest.mark.parametrize("second", LARGE)
def test_damaged_times_do_not_become_negative(first: int, second: int) -> None:
    for cpu in itertools.product(LARGE, repeat=2):
        samples = [tick(first - FIRST, cpu[0]), left(second - FIRST, cpu[1])]
        samples += [left(second - FIRST, cpu[1], "X"), tick(second - FIRST, cpu[0])]
        assert all(time >= 0 for _, time in walls((0, samples)))


def test_views_tell_running_from_runnable(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "wall.cap"
    # The clock interrupts a thread that is about to sleep.
    samples = [tick(10, 10), tick(20, 20, "S"), left(30, 30, "R"), tick(100, 40)]
    samples += [left(100, 40), left(160, 50, "X")]
    file.write_bytes(simple_capture(samples, of_wall_clock(described())))
    document = told(capsys, "report", "--by", "state", str(file))
    assert (document["weight"], document["total_weight"]) == ("wall", 160)
    weights = {row["key"]: row["weight"] for row in document["rows"]}
    assert weights == {"running": 40, "runnable": 60, "sleeping": 50, "ended": 10}
    selected = told(capsys, "report", "--weight", "off", "--by", "state", str(file))
    assert selected["total_weight"] == 110


def timeline(
    capsys: Capture, file: Path, step: int, *options: str
) -> dict[Union[int, str], dict[int, int]]:
    """Return the sums of each column of a timeline by step."""
    argv = ["timeline", "--step", f"{step}ns", *options, str(file)]
    columns = told(capsys, *argv, warns=True)["columns"]
    return {column["key"]: dict(column["steps"]) for column in columns}


def test_timeline_divides_time_off_cpu_among_steps(
    capsys: Capture, tmp_path: Path
) -> None:
    file = tmp_path / "off.cap"
    file.write_bytes(recorded([switch(20, 5), switch(460, 35), switch(500, 75, "X")]))
    # The thread sleeps from 20 to 430.
    assert timeline(capsys, file, 100) == {
        "samples": {0: 80, 1: 100, 2: 100, 3: 100, 4: 30, 5: 0}
    }
    found = timeline(capsys, file, 100, "--by", "state")
    assert found == {
        "sleeping": {0: 80, 1: 100, 2: 100, 3: 100, 4: 30},
        "ended": {5: 0},
    }
    assert timeline(capsys, file, 100, "--weight", "count") == {
        "samples": {0: 1, 4: 1, 5: 1}
    }


@pytest.mark.parametrize("step", (1, 7, 10, 50, 410, 1000))
def test_no_thread_is_off_cpu_for_longer_than_a_step(
    step: int, capsys: Capture, tmp_path: Path
) -> None:
    file = tmp_path / "off.cap"
    other = [replace(switch(*at), pid=101) for at in ((50, 0), (950, 100))]
    file.write_bytes(in_family((0, [*SWITCHES, *other])))
    found = timeline(capsys, file, step, "--by", "tid")
    assert {tid: sum(steps.values()) for tid, steps in found.items()} == {
        100: sum(time for _, time in OFF),
        101: 800,
    }
    assert max(max(steps.values()) for steps in found.values()) <= step


def test_timeline_adds_cpu_time_to_the_step_of_its_sample(
    capsys: Capture, tmp_path: Path
) -> None:
    file = tmp_path / "wall.cap"
    samples = [tick(90, 90), tick(110, 110), left(120, 120), left(350, 140, "X")]
    file.write_bytes(simple_capture(samples, of_wall_clock(described())))
    # The thread sleeps from 120 to 330.
    found = timeline(capsys, file, 100, "--by", "state")
    assert found == {
        "running": {0: 90, 1: 20},
        "sleeping": {1: 80, 2: 100, 3: 30},
        "ended": {3: 30},
    }


def test_timeline_of_damaged_times_is_refused(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "off.cap"
    file.write_bytes(recorded([switch(0, 0), switch(1 << 62, 0)]))
    status, out, err = run(capsys, "timeline", str(file))
    assert (status, out) == (1, "") and "use a longer --step" in err


def test_timeline_limits_the_steps_of_all_threads(
    capsys: Capture, tmp_path: Path
) -> None:
    file = tmp_path / "off.cap"
    switches = [
        replace(switch(*at), pid=pid)
        for pid in range(100, 106)
        for at in ((1, 0), (900_000, 1))
    ]
    file.write_bytes(in_family((0, switches)))
    status, out, err = run(capsys, "timeline", "--step=1ns", "--by=tid", str(file))
    assert (status, out) == (1, "") and "use a longer --step" in err


@pytest.mark.parametrize("most", (10, 1 << 22))
def test_page_divides_time_off_cpu_like_timeline(
    most: int, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfmparse.web.cells.MAX_WHOLE_STEPS", most)
    file = tmp_path / "off.cap"
    other = [replace(switch(*at), pid=101) for at in ((50, 0), (950, 100))]
    file.write_bytes(in_family((0, [*SWITCHES, *other])))
    with session_of(file) as session:
        step = session.cells.clock.step
        rows = answered(session, "heat", by="thread")["rows"]
        assert answered(session, "steps")["steps"] == [
            sum(both) for both in zip(*(row["steps"] for row in rows))
        ]
        found = {row["select"]["tid"]: row["steps"] for row in rows}
        window = {"from": 400 // step, "to": 600 // step}
        # Thread 101 waits during this time, in which there are no samples.
        assert answered(session, "table", **window)["total"] == 200
    assert step == (2 if most > 10 else 200)
    by_tid = timeline(capsys, file, step, "--by", "tid")
    for tid, sums in by_tid.items():
        assert found[tid] == [sums.get(at, 0) for at in range(len(found[tid]))]


def test_page_shows_selected_wait_until_its_end(tmp_path: Path) -> None:
    file = tmp_path / "off.cap"
    file.write_bytes(recorded(SWITCHES))
    selection = Selection(time=Window(100, 101))
    with session_of(file, selection=selection) as session:
        assert session.cells.clock.step == 1
        steps = answered(session, "steps")["steps"]
    assert steps == [0] * 100 + [1] * 195 + [0]
