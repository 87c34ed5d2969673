# SPDX-License-Identifier: MIT OR GPL-2.0
"""The report command."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from helpers.cli import run, told
from helpers.three_samples import SUMMARY, whole_capture
from helpers.writers import (
    NO_HDR,
    UUID_PEBS64,
    Json,
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
from pfmparse.commands import report
from pfmparse.errors import PfmParseError
from pfmparse.recording import open_capture


@pytest.mark.parametrize(
    "by,rows",
    [
        (
            "function",
            [
                {"key": "[vdso]", "symbol": None, "object": "[vdso]", "count": 2},
                {"key": "[unknown]", "symbol": None, "object": "[unknown]", "count": 1},
            ],
        ),
        (
            "line",
            [
                {"key": "[vdso]", "symbol": None, "object": "[vdso]", "count": 2},
                {"key": "[unknown]", "symbol": None, "object": "[unknown]", "count": 1},
            ],
        ),
        (
            "ip",
            [
                {
                    "key": "0x1000",
                    "symbol": None,
                    "object": "[vdso]",
                    "address": 0x1000,
                    "count": 2,
                },
                {
                    "key": "0x2000",
                    "symbol": None,
                    "object": "[unknown]",
                    "address": 0x2000,
                    "count": 1,
                },
            ],
        ),
        ("tid", [{"key": 101, "count": 2}, {"key": 102, "count": 1}]),
        ("cpu", [{"key": 0, "count": 2}, {"key": 1, "count": 1}]),
        (
            "pmd",
            [
                {"key": 0, "set": 0, "event": "event-0", "count": 2},
                {"key": 1, "set": 0, "event": "event-1", "count": 1},
            ],
        ),
    ],
)
def test_report_json_has_the_documented_rows(
    by: str, rows: list[Json], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "report", "--by", by, file) == {
        "by": by,
        "total": 3,
        **SUMMARY,
        "rows": [{**row, "percent": 100 * row["count"] / 3} for row in rows],
    }


def test_report_text_is_a_flat_profile_with_totals(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "report", "--by", "cpu", file)
    assert [line.split() for line in out.splitlines()] == [
        ["samples", "percent", "cumulative", "cpu"],
        ["2", "66.67%", "66.67%", "0"],
        ["1", "33.33%", "100.00%", "1"],
        [],
        ["samples:", "3"],
        ["lost", "samples:", "7"],
        ["notifications:", "3"],
        ["file:", file],
    ]


def test_top_limits_the_rows_but_not_the_total(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = told(capsys, "report", "--by", "ip", "--top", "1", file)
    assert report["total"] == 3
    assert [row["key"] for row in report["rows"]] == ["0x1000"]


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_report_of_no_samples_is_empty(
    as_json: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([]))
    status, out, err = run(capsys, "report", str(path), *as_json)
    assert (status, err) == (0, "")
    assert not as_json or json.loads(out)["rows"] == []


def test_report_by_a_field_that_was_not_recorded_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(whole_capture(NO_HDR))
    status, out, err = run(capsys, "report", str(path))
    assert (status, out) == (1, "")
    assert "the samples have no address; they have no columns at all" in err


@pytest.mark.parametrize("by", ["colour", "data-address", "caller"])
def test_report_by_what_the_format_lacks_says_what_it_has(
    by: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "report", "--by", by, file)
    what = "call chains" if by == "caller" else by
    assert (status, out) == (1, "")
    assert f"the samples have no {what}; they have pid, ovfl_pmd, " in err


@pytest.mark.parametrize(
    "by,keys",
    [
        ("address", ["0x1000", "0x2000"]),
        ("process", [100]),
        ("thread", [101, 102]),
        ("time", [10**9]),
        ("period", [1000]),
        ("tstamp", [10**9]),
        ("last_reset_val", [(1 << 64) - 1000]),
    ],
)
def test_any_role_or_column_can_be_counted_by(
    by: str, keys: list[object], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = told(capsys, "report", "--by", by, file)["rows"]
    assert [row["key"] for row in rows] == keys


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
    with pytest.raises(PfmParseError, match="no latency; they have pid, "):
        made("latency")


def test_rows_with_the_most_samples_come_first_then_by_key() -> None:
    ips = [0x30, 0x20, 0x30, 0x100, 0x20]
    made_of = open_capture(io.BytesIO(simple_capture([Sample(ip=ip) for ip in ips])))
    rows = report.make(made_of, report.Options("ip", None, []), print).rows
    assert [row.key for row in rows] == ["0x20", "0x30", "0x100"]
    cpus = [Sample(cpu=cpu) for cpu in (10, 9, 2, 10)]
    made_of = open_capture(io.BytesIO(simple_capture(cpus)))
    rows = report.make(made_of, report.Options("cpu", None, []), print).rows
    assert [row.key for row in rows] == [10, 2, 9]


def test_rows_without_a_number_come_after_those_with_one() -> None:
    sess = session({0: [pmd(0), pmd(3)]}, UUID_PEBS64)
    records = [{"status": status} for status in (0, 1 << 3, 1)]
    made_of = open_capture(io.BytesIO(pebs_capture(records, 176, sess)))
    rows = report.make(made_of, report.Options("pmd", None, []), print).rows
    assert [row.key for row in rows] == [0, 3, "[unknown]"]
