# SPDX-License-Identifier: MIT OR GPL-2.0
"""The command line: output, JSON as documented, exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pfmparse.__main__ import main
from writers import (
    IIP_HDR,
    NO_HDR,
    UUID_2_2,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapping,
    maps,
    pmd,
    session,
    simple_capture,
    totals,
)

PARSERS = Path(__file__).parents[2] / "parsers"
SETS = {0: [pmd(0, [2]), pmd(1, [2]), pmd(2, sampling=False)]}
SAMPLES = [
    Sample(ip=0x1000, pid=101, cpu=1, pmds=((2, (1 << 64) - 1),)),
    Sample(ip=0x1000, pid=101, pmds=((2, 5),)),
    Sample(ip=0x2000, pid=102, ovfl_pmd=1, pmds=((2, 6),)),
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A complete capture of SAMPLES."""
    path = tmp_path / "x.pfm"
    where = maps(100, [mapping(0x1000, 0x1800, 0, "[vdso]")])
    path.write_bytes(
        capture(
            json_chunk("SESS", session(SETS)),
            json_chunk("MAPS", where),
            bufr(buffer(SAMPLES)),
            json_chunk("DONE", totals(3)),
        )
    )
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Exit status, output and error output of a command."""
    status = main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run_json(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    """The JSON that a command prints without complaint."""
    status, out, err = run(capsys, *argv, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_info_json_describes_the_capture(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session()
    assert run_json(capsys, "info", file) == {
        "format": {
            "name": "default",
            "uuid": UUID_2_2,
            "arg": {"buf_size": 65536, "buf_flags": 0},
        },
        "tool": sess["tool"],
        "command": sess["command"],
        "mode": "thread",
        "machine": sess["machine"],
        "start_ns": sess["start_ns"],
        "end_ns": totals(3)["end_ns"],
        "exit_status": 0,
        "contexts": sess["contexts"],
        "events": [
            {
                "pmd": p["num"],
                "set": 0,
                **{
                    name: p[name]
                    for name in ("event", "sampling", "notify")
                    + ("long_reset", "short_reset", "smpl_pmds")
                },
            }
            for p in SETS[0]
        ],
        "counts": totals(3)["counts"],
        "processes": [{"tgid": 100, "comm": "hotloops"}],
        "kernel_symbols": False,
        "buffers": 1,
        "samples": 3,
        "lost": 7,
        "lost_in_buffers": {},
        "lost_in_regions": [],
        "imprecise": 0,
        "notifications": 3,
        "truncated": False,
        "problems": [],
    }


def test_info_text_names_command_and_totals(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "info", file)
    assert status == 0
    for line in ("command: ./hotloops --fast", "samples: 3", "lost samples: 7"):
        assert line in out.splitlines()


def test_dump_json_has_one_sample_per_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "dump", "--json", file)
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict() for sample in SAMPLES
    ]


def test_dump_text_has_one_sample_per_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "dump", file)
    assert len(out.splitlines()) == 3
    first = out.splitlines()[0].split()
    assert {"pid=101", "ip=0x1000", "pmd2=18446744073709551615"} <= set(first)


@pytest.mark.parametrize("flags", [NO_HDR, IIP_HDR])
def test_dump_has_only_the_fields_that_were_recorded(
    flags: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    chunks = [json_chunk("SESS", session(SETS)), bufr(buffer(SAMPLES, flags=flags))]
    path.write_bytes(capture(*chunks, json_chunk("DONE", totals(3))))
    _, out, _ = run(capsys, "dump", "--json", str(path))
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict(flags) for sample in SAMPLES
    ]


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
    assert run_json(capsys, "report", "--by", by, file) == {
        "by": by,
        "total": 3,
        "lost": 7,
        "lost_in_buffers": {},
        "lost_in_regions": [],
        "imprecise": 0,
        "notifications": 3,
        "truncated": False,
        "problems": [],
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
    report = run_json(capsys, "report", "--by", "ip", "--top", "1", file)
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
    chunks = [json_chunk("SESS", session(SETS)), bufr(buffer(SAMPLES, flags=NO_HDR))]
    path.write_bytes(capture(*chunks, json_chunk("DONE", totals(3))))
    status, out, err = run(capsys, "report", str(path))
    assert (status, out) == (1, "")
    assert "the samples have no ip" in err


@pytest.mark.parametrize("command", ["info", "dump", "report"])
def test_truncated_capture_gives_its_samples_and_a_warning(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(file).read_bytes()
    cut = data.index(buffer(SAMPLES)) + 128 + 2 * 48
    Path(file).write_bytes(data[:cut])
    status, out, err = run(capsys, command, "--json", file)
    assert status == 0
    assert f"pfmparse: {file}: offset {cut:#x}: " in err
    if command == "dump":
        assert len(out.splitlines()) == 2
    else:
        told = json.loads(out)
        assert told["truncated"] and told["lost"] is None
        assert told["problems"][0]["offset"] == cut
        assert told["total" if command == "report" else "samples"] == 2


def test_damaged_capture_without_samples_fails(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(Path(file).read_bytes())
    data[data.index(buffer(SAMPLES)) + 200] ^= 1
    Path(file).write_bytes(data)
    status, _, err = run(capsys, "report", file)
    assert status == 1
    assert "BUFR has a wrong checksum" in err


@pytest.mark.parametrize("command", ["info", "dump", "report"])
def test_what_is_no_capture_fails_with_name_and_offset(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text"
    path.write_text("just text")
    assert run(capsys, command, str(path)) == (
        1,
        "",
        f"pfmparse: {path}: offset 0x0: not a capture\n",
    )


def test_missing_file_fails(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "info", "/nonexistent")
    assert (status, err) == (1, "pfmparse: /nonexistent: No such file or directory\n")


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["report"],
        ["frobnicate", "x"],
        ["report", "x", "--top", "0"],
        ["report", "x", "--by", "colour"],
        ["dump", "x", "--symfs", "y"],
        ["dump", "x", "--raw"],
        ["dump", "x", "--session", "y"],
    ],
)
def test_wrong_usage_exits_with_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2


def raw_arguments(tmp_path: Path, data: bytes) -> list[str]:
    """Arguments for a raw buffer in a file, and its session in another."""
    image, described = tmp_path / "buffer.bin", tmp_path / "session.json"
    image.write_bytes(data)
    described.write_text(json.dumps(session(SETS)))
    return ["--raw", "--session", str(described), str(image)]


@pytest.mark.parametrize("size", [None, 65536])
def test_raw_buffer_is_decoded(
    size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = buffer(SAMPLES)
    arguments = raw_arguments(tmp_path, data.ljust(size or len(data), b"\xa5"))
    assert run_json(capsys, "report", *arguments)["total"] == 3
    assert run_json(capsys, "info", *arguments)["samples"] == 3
    status, out, _ = run(capsys, "dump", *arguments, "--json")
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict() for sample in SAMPLES
    ]


def test_truncated_raw_buffer_gives_its_samples_and_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = raw_arguments(tmp_path, buffer(SAMPLES)[:-1])
    status, out, err = run(capsys, "dump", *arguments)
    assert status == 0 and len(out.splitlines()) == 2
    assert "2 of 3 entries are whole" in err


def test_damaged_raw_buffer_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = raw_arguments(tmp_path, bytes(4096))
    status, out, err = run(capsys, "dump", *arguments)
    assert (status, out) == (1, "")
    assert "offset 0x28: hdr_version" in err


def test_text_output_escapes_what_disturbs_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    sess = {**session(), "command": ["\x1b[2J", "\ud800"]}
    path.write_bytes(simple_capture([], sess))
    _, out, _ = run(capsys, "info", str(path))
    assert "command: \\x1b[2J \\ud800" in out


def test_package_runs_as_a_program(file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", "report", "--json", file],
        env={**os.environ, "PYTHONPATH": str(PARSERS)},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["total"] == 3
    assert done.stderr == b""


def test_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample()] * 20_000))
    process = subprocess.Popen(
        [sys.executable, "-m", "pfmparse", "dump", str(path)],
        env={**os.environ, "PYTHONPATH": str(PARSERS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait() == 0
    assert process.stderr.read() == b""
    process.stderr.close()
