# SPDX-License-Identifier: MIT OR GPL-2.0
"""Return samples as table rows."""

from __future__ import annotations

from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from helpers.writers import (
    IIP_HDR,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    json_chunk,
    pmd,
    session,
)
from pfmparse.analysis.columns import NOBODY
from pfmparse.analysis.rows import NUMBERS, RowMaker, Rows, numbers_of, pmds_of


def rows(data: bytes, pmds: tuple[int, ...] = ()) -> Rows:
    """Return the rows of a capture with one buffer."""
    source = opened(data)
    (batch,) = source.batches()
    return RowMaker(source, pmds).rows(batch)


def test_unrecorded_row_fields_are_none() -> None:
    found = rows(captured([Sample(ip=5)], flags=IIP_HDR))
    assert found.count == 1 and found.addresses.tolist() == [5]
    assert found.times is None and found.cpus is None and found.tgids is None
    assert found.names is None and found.stacks is None and found.latencies is None
    assert found.tids is not None and found.tids.tolist() == [100]
    found = rows(captured([Sample(pid=7, tstamp=3)]))
    assert found.times is not None and found.times.tolist() == [3]
    assert found.names is not None and found.counts is None


def test_row_pmd_values_mark_unrecorded_samples() -> None:
    samples = [Sample(pmds=((1, 8),)), Sample(ovfl_pmd=2, pmds=((5, 9),)), Sample()]
    sets = {0: [pmd(0, [1]), pmd(2, [5])]}
    data = capture(json_chunk("SESS", session(sets)), bufr(buffer(samples[:2])))
    assert pmds_of([opened(data), opened(stack_capture())]) == [1, 5]
    found = rows(data, (1, 5, 9))
    assert [values.tolist() for values, _ in found.pmds] == [[8, 0], [0, 9], [0, 0]]
    assert [there.tolist() for _, there in found.pmds] == [
        *([True, False], [False, True], [False, False]),
    ]


def test_rows_have_stacks_with_call_chains() -> None:
    found = rows(stack_capture())
    assert found.stacks is not None and len(set(found.stacks.tolist())) == 3


def test_numbers_are_those_that_captures_record() -> None:
    plain, flat = opened(captured([Sample()])), opened(captured([], flags=IIP_HDR))
    assert {"time", "cpu", "pid"} <= set(numbers_of([plain, flat]))
    assert "latency" not in numbers_of([plain])
    assert set(numbers_of([flat])) == {"pid", "tid", "period", "count"}


def test_unrecorded_numbers_are_unknown() -> None:
    found = rows(captured([Sample(ip=5)] * 2, flags=IIP_HDR))
    values = {name: NUMBERS[name].of(found).tolist() for name in ("cpu", "count")}
    assert values == {"cpu": [NOBODY] * 2, "count": [1, 1]}
    assert NUMBERS["time"].of(found).tolist() == [0, 0]
