# SPDX-License-Identifier: MIT OR GPL-2.0
"""Reports of batches that are counted in a thread."""

from __future__ import annotations

import io

import pytest
from pfmparse.commands import report
from pfmparse.errors import PfmParseError
from pfmparse.recording import open_capture
from writers import Sample, buffer, bufr, capture, json_chunk, session, totals

BUFFERS = [
    [Sample(ip=0x1000 + n, cpu=n % 3) for n in range(size)] for size in (1, 7, 3, 20)
]


def made(by: str) -> report.Report:
    """The report on all buffers."""
    chunks = [bufr(buffer(samples)) for samples in BUFFERS]
    done = json_chunk("DONE", totals(31))
    data = capture(json_chunk("SESS", session()), *chunks, done)
    recording = open_capture(io.BytesIO(data))
    return report.make(recording, report.Options(by, None, []), print)


@pytest.mark.parametrize("large", [1, 5, 100])
def test_small_and_large_batches_are_counted_together(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "LARGE", large)
    counts = {row.key: row.count for row in made("cpu").rows}
    cpus = [sample.cpu for samples in BUFFERS for sample in samples]
    assert counts == {cpu: cpus.count(cpu) for cpu in set(cpus)}


@pytest.mark.parametrize("large", [1, 100])
def test_report_by_a_field_that_is_missing_is_refused(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "LARGE", large)
    with pytest.raises(PfmParseError, match="no lat"):
        made("latency")
