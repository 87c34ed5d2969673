# SPDX-License-Identifier: MIT OR GPL-2.0
"""Count and sort the rows of a report."""

from __future__ import annotations

import pytest
from helpers.readers import opened
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    pebs_capture,
    pmd,
    session,
    simple_capture,
    totals,
)
from pfmparse.commands import report_rows
from pfmparse.commands.outcome import BadInput

BUFFERS = [
    [Sample(ip=0x1000 + n, cpu=n % 3) for n in range(size)] for size in (1, 7, 3, 20)
]


def made(by: str, data: bytes) -> report_rows.Report:
    """Make a report on a capture."""
    return report_rows.make([opened(data, by)], report_rows.Options([by]))


def keys(by: str, data: bytes) -> list[object]:
    """Return the keys of the report's rows, in their order."""
    return [row.values[0].key for row in made(by, data).rows]


def test_report_sums_batches() -> None:
    chunks = [bufr(buffer(samples)) for samples in BUFFERS]
    done = json_chunk("DONE", totals(31))
    data = capture(json_chunk("SESS", session()), *chunks, done)
    counts = {row.values[0].key: row.samples for row in made("cpu", data).rows}
    cpus = [sample.cpu for samples in BUFFERS for sample in samples]
    assert counts == {cpu: cpus.count(cpu) for cpu in set(cpus)}


def test_report_rows_refuse_a_missing_field() -> None:
    with pytest.raises(BadInput, match="x.pfm: .*no latency; they have pid, "):
        made("latency", simple_capture([Sample()]))


def test_report_rows_sort_by_count_then_key() -> None:
    ips = [0x30, 0x20, 0x30, 0x100, 0x20]
    data = simple_capture([Sample(ip=ip) for ip in ips])
    assert keys("ip", data) == ["0x20", "0x30", "0x100"]
    cpus = [Sample(cpu=cpu) for cpu in (10, 9, 2, 10)]
    assert keys("cpu", simple_capture(cpus)) == [10, 2, 9]


def test_report_rows_sort_unknown_keys_last() -> None:
    sess = session({0: [pmd(0), pmd(3)]}, UUID_PEBS64)
    records = [{"status": status} for status in (0, 1 << 3, 1)]
    assert keys("pmd", pebs_capture(records, 176, sess)) == [0, 3, "[unknown]"]
