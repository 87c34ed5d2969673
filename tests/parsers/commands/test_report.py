# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the report command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import every_format
from helpers.cli import rows, run, told
from helpers.programs import compiled
from helpers.sink_buffer import UUID_SINK, SinkRegion, sink
from helpers.three_samples import SUMMARY, whole_capture
from helpers.writers import (
    NO_HDR,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    maps,
    pmd,
    session,
    simple_capture,
    totals,
)
from pfmparse.layout import KERNEL_START


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


def test_report_by_unrecorded_field_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(whole_capture(NO_HDR))
    status, out, err = run(capsys, "report", str(path))
    assert (status, out) == (1, "")
    assert "the samples have no instruction address; they have no columns at all" in err


@pytest.mark.parametrize("by", ["colour", "data-address", "caller"])
def test_report_by_unknown_key_lists_known_ones(
    by: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "report", "--by", by, file)
    what = "call chains" if by == "caller" else by
    assert (status, out) == (1, "")
    said = f"pfmparse: {file}: the samples have no {what}; they have pid, ovfl_pmd, "
    assert err.startswith(said)


@pytest.mark.parametrize("command", ["report", "timeline"])
def test_events_without_ids_are_grouped_by_pmd(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, command, "--by", "event", file)
    assert (status, out) == (1, "")
    assert "the samples have no event; they have pid, ovfl_pmd, " in err
    assert err.endswith(". Use 'pmd' instead of 'event'\n")
    assert run(capsys, command, "--by", "pmd", file)[0] == 0


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
def test_report_by_any_role_or_column(
    by: str, keys: list[object], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = told(capsys, "report", "--by", by, file)["rows"]
    assert [row["key"] for row in rows] == keys


def test_report_by_several_keys_counts_combinations(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = told(capsys, "report", "--by", "ip,cpu", file)["rows"]
    found = {tuple(row["key"]): row["count"] for row in rows}
    assert sum(found.values()) == 3 and len(found) == len(rows)
    assert {key[0] for key in found} == {"0x1000", "0x2000"}
    assert {key[1] for key in found} == {0, 1}


def test_report_omits_rows_below_min_percent(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = told(capsys, "report", "--by", "cpu", "--min-percent", "50", file)
    assert [row["key"] for row in report["rows"]] == [0] and report["total"] == 3


@pytest.mark.parametrize("weight,total", [("period", 3000), ("cpu", 1)])
def test_report_sums_weights_and_samples(
    weight: str, total: int, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = told(capsys, "report", "--by", "cpu", "--weight", weight, file)
    assert (report["weight"], report["total"]) == (weight, 3)
    assert report["total_weight"] == total
    assert sum(row["weight"] for row in report["rows"]) == total
    assert sum(row["percent"] for row in report["rows"]) == pytest.approx(100)


def test_report_merges_captures_unless_by_file(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.pfm"
    other.write_bytes(simple_capture([Sample(cpu=1), Sample(cpu=1)]))
    merged = told(capsys, "report", "--by", "cpu", file, str(other))
    assert {row["key"]: row["count"] for row in merged["rows"]} == {0: 2, 1: 3}
    assert merged["total"] == 5 and len(merged["recordings"]) == 2
    apart = told(capsys, "report", "--by", "file", file, str(other))
    assert {row["key"]: row["count"] for row in apart["rows"]} == {
        file: 3,
        str(other): 2,
    }


def test_report_prints_nothing_if_a_capture_fails(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.pfm"
    other.write_bytes(b"just text")
    status, out, err = run(capsys, "report", file, str(other))
    assert (status, out) == (1, "") and f"{other}: offset 0x0: not a capture" in err


def test_report_of_unknown_formats_counts_one_capture_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    region = SinkRegion(1, (bytes(8), bytes(8)))
    path.write_bytes(
        capture(json_chunk("SESS", session(uuid=UUID_SINK)), bufr(sink([region])))
    )
    why = f"pfmparse: {path}: no parser for format {UUID_SINK}"
    status, out, err = run(capsys, "report", str(path))
    assert status == 1 and "samples: 2\n" in out and why in err
    status, out, err = run(capsys, "report", str(path), str(path))
    assert (status, out) == (1, "") and err.startswith(why)


@pytest.mark.parametrize(
    "option,expected",
    [
        (["--tid", "100"], "samples: 2\n"),
        (["--tid", "101"], "samples: 0\n"),
        (["--symbol", "main"], "the samples have no instruction address"),
        (["--cpu", "0"], "the samples have no cpu"),
    ],
)
def test_report_of_unknown_format_selects_samples(
    option: list[str],
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "x.pfm"
    region = SinkRegion(1, (bytes(8), bytes(8)))
    path.write_bytes(
        capture(json_chunk("SESS", session(uuid=UUID_SINK)), bufr(sink([region])))
    )
    status, out, err = run(capsys, "report", *option, str(path))
    assert status == 1 and expected in out + err
    assert f"no parser for format {UUID_SINK}" in err
    assert bool(out) == expected.startswith("samples: ")


def test_report_refuses_stat_of_the_count(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "report", "--stat", "max", file)
    assert (status, out) == (1, "") and "--stat needs values: use --of or" in err


def test_report_by_comm_works_for_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = compiled(tmp_path / "hotspots")
    names = {}
    for name, path in every_format.write(program, tmp_path).items():
        names[name] = set(rows(capsys, "comm", path, warns=True))
    # These formats do not record threads, so the keys are process names.
    without = dict.fromkeys(("pebs32", "pebs64", "histogram"), {"program"})
    both = dict.fromkeys(every_format.FORMATS, {"program", "worker"})
    assert names == {**both, **without}


def test_report_has_functions_of_branches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = compiled(tmp_path / "hotspots")
    hot, main = program.ip("hot"), program.ip("main")
    branches = [(hot, main, 1), (hot, main, 1), (KERNEL_START, hot, 2), (0, 0, 0)]
    samples = [
        Sample(tgid=100, pmds=tuple(zip((272, 280, 288), branch)))
        for branch in branches
    ]
    described = session({0: [pmd(0, [272, 280, 288])]})
    path = tmp_path / "x.pfm"
    path.write_bytes(
        capture(
            json_chunk("SESS", described),
            json_chunk("MAPS", maps(100, [program.mapping])),
            bufr(buffer(samples)),
            json_chunk("DONE", totals(4)),
        )
    )
    targets = told(capsys, "report", "--by", "branch-to", str(path))["rows"]
    assert [(row["address"], row["symbol"], row["count"]) for row in targets] == [
        (main, "main", 2),
        (0, None, 1),
        (hot, "hot", 1),
    ]
    sources = told(capsys, "report", "--by", "branch-from", str(path))["rows"]
    assert [(row["symbol"], row["object"], row["count"]) for row in sources] == [
        ("hot", str(program.path), 2),
        (None, "[unknown]", 1),
        (None, "[kernel]", 1),
    ]
    assert rows(capsys, "branch-flags", str(path)) == {
        "mispredicted": 2,
        "predicted": 1,
        "not available": 1,
    }
