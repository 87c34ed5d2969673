# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export as comma-separated values."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from helpers.cli import rows as reported
from helpers.cli import run, told
from helpers.exporting import called
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import (
    IIP_HDR,
    UUID_OPROFILE,
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    cook,
    json_chunk,
    mapped,
    mapping,
    maps,
    oprofile,
    oprofile_words,
    pebs_capture,
    pmd,
    session,
)
from pfmparse.exports import csv as csv_export

Row = dict[str, str]


def exported(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *captures: bytes,
    weight: str = "count",
) -> list[Row]:
    """Export captures and return the rows."""
    files = []
    for number, data in enumerate(captures):
        files.append(str(tmp_path / f"{number}.pfm"))
        Path(files[-1]).write_bytes(data)
    path = tmp_path / "x.csv"
    options = ["--to", "csv", "-o", str(path), "--weight", weight]
    told(capsys, "export", *files, *options, warns=True)
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, strict=True))


def test_csv_export_has_all_fields_of_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {0: [pmd(0, [1, 7]), pmd(1)]}
    samples = [
        Sample(ip=0x1008, pid=101, cpu=3, tstamp=5, pmds=((1, 8), (7, 1 << 63))),
        Sample(ip=0x9000, ovfl_pmd=1, tstamp=6, last_reset_val=(1 << 64) - 7),
    ]
    where = json_chunk("MAPS", maps(100, [mapping(0x1000, 0x2000, 0, "/x")], "prog"))
    data = capture(json_chunk("SESS", session(sets)), where, bufr(buffer(samples)))
    known = {"function": "", "line": "", "stack": "", "data_address": ""}
    known |= {"latency": "", "data_source": "", "count": "1", "pid": "100"}
    assert exported(tmp_path, capsys, data) == [
        known
        | {"time": "5", "cpu": "3", "tid": "101", "comm": "prog", "event": "event-0"}
        | {"period": "1000", "address": "0x1008", "object": "/x"}
        | {"pmd1": "8", "pmd7": str(1 << 63)},
        known
        | {"time": "6", "cpu": "0", "tid": "100", "comm": "prog", "event": "event-1"}
        | {"period": "7", "address": "0x9000", "object": "[unknown]"}
        | {"pmd1": "", "pmd7": ""},
    ]


def test_csv_export_stacks_start_outermost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = exported(tmp_path, capsys, stack_capture())
    assert Counter(row["stack"] for row in found) == {
        "main;hot": 6,
        "main;warm": 3,
        "main;warm;schedule": 1,
    }
    assert {row["comm"] for row in found} == {"program", "worker"}
    assert Counter(row["function"] for row in found) == reported(
        capsys, "function", tmp_path / "0.pfm"
    )


def test_csv_export_leaves_unrecorded_fields_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = captured([Sample(ip=0x1000)], flags=IIP_HDR)
    (row,) = exported(tmp_path, capsys, data)
    assert {name for name, value in row.items() if value} == {
        *("tid", "event", "period", "count", "address", "object"),
    }
    assert row["tid"] == "100"


def test_csv_export_has_memory_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"ip": 1, "dla": 0x20, "lat": 9, "dse": 0x68100142}]
    data = pebs_capture(records, 176, session(uuid=UUID_PEBS64))
    (row,) = exported(tmp_path, capsys, data)
    assert (row["data_address"], row["latency"]) == ("0x20", "9")
    assert row["data_source"] == "L1 hit, TLB L1 or L2 hit"


def test_csv_export_leaves_unknown_process_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [("cookie", 5), ("at", 0x10, 0)]
    data = capture(
        json_chunk("SESS", session(uuid=UUID_OPROFILE)),
        cook([(5, "/bin/x", None)]),
        bufr(oprofile(oprofile_words(steps))),
    )
    (row,) = exported(tmp_path, capsys, data)
    assert (row["cpu"], row["pid"], row["tid"]) == ("", "", "")
    assert (row["address"], row["object"]) == ("0x10", "/bin/x")


def test_csv_export_leaves_unrecorded_pmds_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def data(*pmds: int) -> bytes:
        samples = [
            Sample(ovfl_pmd=at, pmds=((7, 5 + n),) if at else ())
            for n, at in enumerate(pmds)
        ]
        sess = session({0: [pmd(0), pmd(1, [7])]})
        return capture(json_chunk("SESS", sess), bufr(buffer(samples)))

    found = exported(tmp_path, capsys, data(1, 1), data(0, 0), data(0, 1), data(1))
    assert [row["pmd7"] for row in found] == ["5", "6", "", "", "", "6", "5"]


def test_csv_export_quotes_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = 'a,"b"\r\nc'
    data = captured([Sample(ip=0x1000)], mapped(mapping(0x1000, 0x2000, 0, path)))
    (row,) = exported(tmp_path, capsys, data)
    assert row["object"] == path
    text = (tmp_path / "x.csv").read_bytes()
    assert text.startswith(b"time,cpu,pid,") and text.endswith(b"\r\n")
    assert b'"a,""b""\r\nc"' in text


def test_csv_export_keeps_order_of_captures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = captured([Sample(tstamp=1), Sample(tstamp=2)])
    two = captured([Sample(tstamp=9), Sample(tstamp=3)])
    found = exported(tmp_path, capsys, one, two, captured([]))
    assert [row["time"] for row in found] == ["1", "2", "9", "3"]


def test_csv_export_stacks_have_no_separator_in_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("<[u8; 32] as Debug>::fmt", "main")
    (row,) = exported(tmp_path, capsys, stack_capture([Stack(names)], names))
    assert row["stack"] == "main;<[u8: 32] as Debug>::fmt"
    assert row["function"] == names[0]


@pytest.mark.parametrize("contexts", [1, 2])
def test_csv_export_formats_each_used_stack_once(
    contexts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stacks = [Stack(("hot", *["warm"] * at, "main")) for at in (60, 61)]
    (tmp_path / "0.pfm").write_bytes(stack_capture(stacks * 2, contexts=contexts))
    quoted = csv_export._quoted
    asked: Counter[int] = Counter()

    def counted(text: str) -> str:
        asked[text.count(";")] += 1
        return quoted(text)

    monkeypatch.setattr(csv_export, "_quoted", counted)
    argv = ["export", str(tmp_path / "0.pfm"), "--to", "csv"]
    assert called(*argv, "-o", str(tmp_path / "x.csv"))[0] == 0
    del asked[0]  # fields without a semicolon are not stacks
    assert asked == {61: 1, 62: 1}


def test_csv_export_has_a_weight_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = [Sample(cpu=3), Sample(cpu=5, last_reset_val=(1 << 64) - 7)]
    data = captured(samples)
    for weight, known in (("cpu", ["3", "5"]), ("period", ["1000", "7"])):
        found = exported(tmp_path, capsys, data, weight=weight)
        assert [row["weight"] for row in found] == known
        assert list(found[0])[7:10] == ["count", "weight", "address"]
    assert "weight" not in exported(tmp_path, capsys, data)[0]


@pytest.mark.parametrize("to", ["csv", "npz", "sql"])
@pytest.mark.parametrize("weight", ["nonsense", "pmd9"])
def test_table_export_refuses_missing_weight(
    to: str, weight: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "1.pfm", tmp_path / "x"
    path.write_bytes(captured([Sample()]))
    argv = ["export", str(path), "--to", to, "-o", str(out), "--weight", weight]
    status, printed, err = run(capsys, *argv)
    assert (status, printed) == (1, "") and not out.exists()
    assert weight.removeprefix("pmd") in err
