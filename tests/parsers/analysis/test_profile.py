# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum samples by stack, event and thread."""

from __future__ import annotations

from collections import Counter

from helpers.readers import opened
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    json_chunk,
    mapped,
    mapping,
    pmd,
    session,
    simple_capture,
)
from pfmparse.analysis.profile import (
    Frame,
    Profile,
    Profiler,
    Row,
    by_function,
    by_place,
)
from pfmparse.symbols.location import Frame as Inline
from pfmparse.symbols.location import Location

ONE, TWO = mapping(0x1000, 0x2000, 0, "[one]"), mapping(0x1000, 0x2000, 0, "[two]")


def profile(*captures: bytes, weight: str = "count", apart: bool = False) -> Profile:
    """Build a profile; if ``apart``, each sampled address has frames of its own."""
    profiler = Profiler(weight, by_place) if apart else Profiler(weight)
    for data in captures:
        source = opened(data)
        profiler.add(source, source.batches())
    return profiler.profile


def summed(found: Profile) -> Counter[tuple[str, str, object]]:
    """Sum samples by innermost object, event and thread."""
    sums: Counter[tuple[str, str, object]] = Counter()
    for row in found.rows:
        (frame,) = found.stack(row.node)
        thread = found.threads[row.thread]
        sums[frame.object, found.events[row.event], thread.thread] += row.samples
    return sums


def test_profile_sums_captures_by_name() -> None:
    samples = [Sample(ip=0x1000), Sample(ip=0x1008), Sample(ip=0x1000, pid=7)]
    one = captured(samples, mapped(ONE))
    found = profile(one, captured(samples[:1], mapped(TWO)), one)
    assert summed(found) == {
        ("[one]", "event-0", 100): 4,
        ("[one]", "event-0", 7): 2,
        ("[two]", "event-0", 100): 1,
    }
    assert found.total() == 7
    assert {thread.process for thread in found.threads} == {100}


def test_profile_hides_unknown_event_without_samples() -> None:
    sess = session({0: [pmd(0), pmd(1)]})
    found = profile(captured([Sample()]))
    assert [found.events[at] for at in found.sampled_events()] == ["event-0"]
    found = profile(simple_capture([], sess))
    names = [found.events[at] for at in found.sampled_events()]
    assert names == ["event-0", "event-1"]
    found.rows.append(Row(0, found.events.index("[unknown]"), 0, 1, 1))
    assert len(found.sampled_events()) == 3


def test_profile_by_place_separates_addresses() -> None:
    data = captured([Sample(ip=0x1000), Sample(ip=0x1008)], mapped(ONE))
    assert len(profile(data).parents) == 1
    found = profile(data, apart=True)
    assert {frame.address for frame in found.frames} == {0x1000, 0x1008}


def test_profile_sums_weights_and_samples() -> None:
    sets = {0: [pmd(0), pmd(1)]}
    samples = [Sample(), Sample(ovfl_pmd=1, last_reset_val=(1 << 64) - 5)]
    data = capture(json_chunk("SESS", session(sets)), bufr(buffer(samples)))
    found = profile(data, weight="period")
    rows = {found.events[row.event]: (row.samples, row.weight) for row in found.rows}
    assert rows == {"event-0": (1, 1000), "event-1": (1, 5)}


INLINED = Location("x", "outer", "x.c:9", (Inline("inner", "y.c", 3), Inline("outer")))


def test_profile_has_frames_of_inlined_functions() -> None:
    assert by_function(INLINED, 5) == [
        Frame("outer", "x"),
        Frame("inner", "x", inlined=True),
    ]
    outer, inner = by_place(INLINED, 5)
    assert outer == Frame("outer", "x", address=5)
    assert inner == Frame("inner", "x", "y.c", 3, 5, inlined=True)


def test_place_without_inlining_has_one_frame() -> None:
    (frame,) = by_place(Location("x", "f", "x.c:9"), 7)
    assert frame == Frame("f", "x", "x.c", 9, 7)
    assert by_function(Location("x"), 7) == [Frame("[unknown]", "x")]


def test_profiler_take_rows_keeps_numbers() -> None:
    one = captured([Sample(ip=0x1000)], mapped(ONE))
    two = captured([Sample(ip=0x1000)] * 2, mapped(ONE))
    profiler, taken = Profiler(), []
    for data in (one, two):
        source = opened(data)
        profiler.add(source, source.batches())
        taken.append(profiler.take_rows())
    (before,), (after,) = taken
    assert (before.samples, after.samples) == (1, 2)
    assert (before.node, before.thread) == (after.node, after.thread)
    assert profiler.profile.rows == []
