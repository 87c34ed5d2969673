# SPDX-License-Identifier: MIT OR GPL-2.0
"""Show and export a third-party format that sums and counts samples by value."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import struct
from pathlib import Path
from typing import Any, Sequence

import pfmparse
import pytest
from helpers import perf_file
from helpers.cli import run, told
from helpers.exporting import samples_in
from helpers.served import answered, session_of
from helpers.sink_buffer import FILLING, SinkRegion, sink
from helpers.writers import (
    bufr,
    capture,
    json_chunk,
    mapped,
    mapping,
    pmd,
    session,
    totals,
)
from pfmparse import (
    Format,
    Records,
    Role,
    Roles,
    Samples,
    Session,
    record_columns,
    sink_decoder,
    struct_dtype,
)
from pfmparse.exports.registry import OURS as EXPORTS
from pfmparse.formats import registry
from pfmparse.formats.registry import Parser

Capsys = pytest.CaptureFixture[str]
UUID = "00000000-0000-4000-8000-0000000000ab"
RECORD = struct_dtype(
    80,
    [
        ("id", "<u8", 0),
        ("ip", "<u8", 8),
        ("addr", "<u8", 16),
        ("tgid", "<u4", 24),
        ("number", "<u4", 28),
        ("total", "<u8", 32),
        ("least", "<u8", 40),
        ("most", "<u8", 48),
        ("bytes", "<u8", 56),
        ("powers", "8<u2", 64),
    ],
)
MERGED: Roles = {
    Role.DATA_ADDRESS: "addr",
    Role.SUM: {"latency": "total", "bytes": "bytes"},
    Role.MIN: {"latency": "least"},
    Role.MAX: {"latency": "most"},
}
COUNTED: Roles = {**MERGED, Role.WEIGHT: "number"}
# Another role for the column "ip", so that the samples have no instruction address.
WITHOUT_CODE: Roles = {**COUNTED, Role.PERIOD: "ip"}
SPREAD: Roles = {**COUNTED, Role.LOG2: {"latency": "powers"}}

# A table's rows at two times: id, ip, addr, number, total, least, most, bytes.
EARLY = [(7, 0x1010, 0x5000, 2, 30, 10, 20, 64), (8, 0x1020, 0x5008, 1, 9, 9, 9, 1)]
LATE = [
    (7, 0x1010, 0x5000, 5, 100, 5, 40, 100),
    (8, 0x1020, 0x5008, 1, 9, 9, 9, 1),
    (7, 0x1020, 0x6000, 1, 50, 50, 50, 8),
]
NUMBER, TOTAL = 7, 159
# PMDs with the data address and the latency, as with --smpl-pmds=addr,latency.
SMPL_PMDS = (260, 261)
# The latencies of the samples in each row, by their sum.
LATENCIES = {sum(each): each for each in ([10, 20], [9], [5, 10, 20, 25, 40], [50])}


def table(rows: Sequence[tuple[int, ...]]) -> bytes:
    """Build a buffer with one region."""
    records = []
    for row in rows:
        powers = [0] * 8
        for latency in LATENCIES[row[4]]:
            powers[latency.bit_length()] += 1
        records.append(struct.pack("<QQQIIQQQQ8H", *row[:3], 100, *row[3:], *powers))
    return sink([SinkRegion(1, tuple(records), FILLING)])


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that writes a capture with the tables EARLY and LATE.

    The function also registers a parser that gives the columns these roles.
    """

    def write(roles: Roles) -> str:
        def read(records: Records, _: Session) -> Samples:
            rows = records.fixed(RECORD)
            return Samples(rows.size, record_columns(rows), roles=roles)

        decoder = sink_decoder(read, 1 << 16, rising=True)
        form = Format(name="requests", uuid=UUID, decoder=decoder)
        known = {**registry.known(), UUID: Parser(form, "other (other.package)")}
        monkeypatch.setattr(registry, "known", lambda: known)
        path = tmp_path / "requests.pfm"
        path.write_bytes(
            capture(
                json_chunk("SESS", session({0: [pmd(0, SMPL_PMDS)]}, UUID)),
                mapped(mapping(0x1000, 0x2000, 0, "[served]")),
                *(bufr(table(rows)) for rows in (EARLY, LATE)),
                json_chunk("DONE", totals(NUMBER)),
            )
        )
        return str(path)

    return write


@pytest.fixture
def file(written: Any) -> str:
    """Return the path of a capture whose format counts the samples in each sum."""
    path: str = written(COUNTED)
    return path


def by_id(capsys: Capsys, file: str, *options: str) -> Any:
    """Return the JSON of a report by ID."""
    return told(capsys, "report", "--by", "id", *options, file)


@pytest.mark.parametrize("weight", ["", "--weight latency", "--weight total"])
def test_report_weighs_by_recorded_sum(weight: str, file: str, capsys: Capsys) -> None:
    report = by_id(capsys, file, *weight.split())
    assert (report["total"], report["total_weight"]) == (NUMBER, TOTAL)
    rows = [(row["key"], row["count"], row["weight"]) for row in report["rows"]]
    assert rows == [(7, 6, 150), (8, 1, 9)]
    assert report["rows"][0]["percent"] == pytest.approx(100 * 150 / TOTAL)


def test_library_sums_what_report_weighs_by(file: str) -> None:
    with pfmparse.open(file) as captures:
        by_sum, by_count = captures.groups("id"), captures.groups("id", "count")
    assert by_sum["weight"].tolist() == [150, 9]
    assert by_count["count"].tolist() == [6, 1]
    assert "weight" not in by_count


def test_page_sums_what_report_weighs_by(file: str) -> None:
    with session_of(file) as session:
        assert answered(session, "session")["unit"] == "latency"
        assert session.cells.sums.total() == TOTAL
        places = answered(session, "table", by="ip")["rows"]
        assert sum(row["own"] for row in places) == TOTAL
    with session_of(file, weight="count") as session:
        assert session.cells.sums.total() == NUMBER


def test_report_text_shows_count_and_sum(file: str, capsys: Capsys) -> None:
    status, out, _ = run(capsys, "report", "--by", "id", file)
    lines = [line.split() for line in out.splitlines()]
    assert status == 0
    assert lines[0] == ["samples", "latency", "percent", "cumulative", "id"]
    assert lines[1] == ["6", "150", "94.34%", "94.34%", "7"]
    assert ["samples:", "7"] in lines and ["latency:", "159"] in lines


def test_count_and_other_sums_can_be_the_weight(file: str, capsys: Capsys) -> None:
    counted = by_id(capsys, file, "--weight", "count")
    assert [(row["key"], row["count"]) for row in counted["rows"]] == [(7, 6), (8, 1)]
    assert by_id(capsys, file, "--weight", "bytes")["total_weight"] == 109


STATS = {"sum": 150, "mean": 25.0, "min": 5, "max": 50, "count": 6}


def test_stats_merge_sums_minima_and_maxima(file: str, capsys: Capsys) -> None:
    rows = by_id(capsys, file, "--stat", ",".join(STATS))["rows"]
    assert [row["stats"] for row in rows] == [
        {"latency": STATS},
        {"latency": {"sum": 9, "mean": 9.0, "min": 9, "max": 9, "count": 1}},
    ]
    both = by_id(capsys, file, "--of", "most,bytes/latency", "--stat", "max")["rows"]
    assert both[0]["stats"] == {
        "most": {"max": 50},
        "bytes/latency": {"ratio": 108 / 150},
    }


def test_stats_are_columns_of_text_and_csv(file: str, capsys: Capsys) -> None:
    argv = ["report", "--by", "id", "--stat", ",".join(STATS), file]
    _, out, _ = run(capsys, *argv)
    head, first = (line.split() for line in out.splitlines()[:2])
    assert head[2:12:2] == ["latency"] * 5 and head[3:12:2] == list(STATS)
    assert first[2:7] == ["150", "25", "5", "50", "6"]
    _, out, _ = run(capsys, *argv, "--csv")
    row = next(csv.DictReader(out.splitlines()))
    assert {stat: float(row[f"latency {stat}"]) for stat in STATS} == STATS


@pytest.mark.parametrize(
    "options,said",
    [
        (
            "--stat p99",
            "p99 of 'latency' cannot be computed: the format does not record each "
            "value, only sum, min, max, count, mean",
        ),
        ("--stat hist", "hist of 'latency' cannot be computed"),
        (
            "--of bytes --stat min",
            "min of 'bytes' cannot be computed: .* only sum, count",
        ),
        (
            "--of most --stat sum",
            "sum of 'most' cannot be computed: .* only max, count",
        ),
        ("--weight most", "records only max of 'most', not its sum: use another we"),
        (
            "--by total",
            r"cannot be grouped by column 'total', .* \(role SUM\) .*: use --w",
        ),
        ("--of colour", "the samples have no colour; they have id, ip, addr"),
    ],
)
def test_figures_that_sums_do_not_have_are_refused(
    options: str, said: str, file: str, capsys: Capsys
) -> None:
    status, out, err = run(capsys, "report", "--by", "id", *options.split(), file)
    assert (status, out) == (1, "")
    assert re.search(said, err), err


@pytest.mark.parametrize(
    "command",
    [
        "report --weight pmd261",
        "report --by pmd261",
        "report --of pmd261 --stat sum",
        "report --of pmd261/latency",
        "mem --view data --weight pmd261",
        "diff --by id --weight pmd261",
        "export --to folded --weight pmd261",
    ],
)
def test_pmds_that_sums_do_not_have_are_refused(
    command: str, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    out = ["-o", str(tmp_path / "out")] if command.startswith("export") else []
    files = [file, file] if command.startswith("diff") else [file]
    status, _, err = run(capsys, *command.split(), *out, *files)
    assert status == 1
    assert "the samples have no pmd261; they have id, ip, addr" in err


@pytest.mark.parametrize("to", ["csv", "npz"])
def test_exports_of_sums_have_no_pmds(to: str, file: str, capsys: Capsys) -> None:
    assert b"pmd261" not in exported(capsys, file, to).read_bytes()


def test_library_has_no_pmds_of_sums(file: str) -> None:
    with pfmparse.open(file) as captures:
        assert "pmd261" not in captures.columns
        with pytest.raises(pfmparse.PfmParseError, match="have no pmd261; they have"):
            captures.samples(["pmd261"])


def test_percentiles_come_from_recorded_histogram(written: Any, capsys: Capsys) -> None:
    rows = by_id(capsys, written(SPREAD), "--stat", "p16,p50,p99,max,hist")["rows"]
    found = [row["stats"]["latency"] for row in rows]
    figures = [list(each.values())[:4] for each in found]
    assert figures == [[7, 31, 63, 50], [15, 15, 15, 9]]
    assert [tuple(bucket.values()) for bucket in found[0]["hist"]] == [
        *((4, 7, 1), (8, 15, 1), (16, 31, 2), (32, 63, 2))
    ]


def test_histogram_is_not_a_key(written: Any, capsys: Capsys) -> None:
    status, _, err = run(capsys, "report", "--by", "powers4", written(SPREAD))
    assert status == 1 and "(role LOG2) summarises several samples" in err


def test_sums_without_count_weigh_records(written: Any, capsys: Capsys) -> None:
    file = written(MERGED)
    report = by_id(capsys, file, "--stat", "sum,max")
    assert report["total_weight"] == TOTAL
    assert report["rows"][0]["stats"] == {"latency": {"sum": 150, "max": 50}}
    for stat in ("mean", "count"):
        status, _, err = run(capsys, "report", "--stat", stat, file)
        assert status == 1 and "only sum, min, max\n" in err


def lines_of(capsys: Capsys, file: str, *options: str) -> Any:
    """Return the weight, the total and the rows of a `mem` view by cache line."""
    found = told(capsys, "mem", "--view=data", "--per=cacheline", *options, file)
    rows = [(row["key"], row["count"], row["latency"]) for row in found["rows"]]
    return found["weight"], found["total"], rows


def test_mem_shows_recorded_sums_of_latencies(file: str, capsys: Capsys) -> None:
    assert lines_of(capsys, file) == (
        "count",
        NUMBER,
        [("0x5000", 6, 109), ("0x6000", 1, 50)],
    )
    assert lines_of(capsys, file, "--weight", "latency") == (
        "latency",
        TOTAL,
        [("0x5000", 109, None), ("0x6000", 50, None)],
    )
    _, out, _ = run(capsys, "mem", file)
    assert "levels are unknown: the format records only sums of latencies" in out
    status, _, err = run(capsys, "mem", "--l2", "5", "--l3", "9", file)
    assert status == 1
    assert "only sums of latencies, and levels cannot be derived from sums" in err


def test_mem_weighs_sums_without_count(written: Any, capsys: Capsys) -> None:
    rows = [("0x5000", 109, None), ("0x6000", 50, None)]
    assert lines_of(capsys, written(MERGED)) == ("latency", TOTAL, rows)


@pytest.mark.parametrize("options", [[], ["--per=line"], ["--view=tlb", "--per=line"]])
def test_mem_suggests_view_of_data_addresses(
    options: list[str], written: Any, capsys: Capsys
) -> None:
    status, out, err = run(capsys, "mem", *options, written(WITHOUT_CODE))
    assert (status, out) == (1, "")
    assert "no instruction address; they have id, " in err
    assert err.endswith("; use --view data\n")


@pytest.mark.parametrize(
    "command",
    [["top", "--batch"], ["report"], *(["export", "--to", to] for to in EXPORTS)],
    ids=lambda words: str(words[-1]),
)
def test_commands_that_need_code_suggest_report(
    command: list[str], written: Any, tmp_path: Path, capsys: Capsys
) -> None:
    if command[-1] == "parquet":
        pytest.importorskip("pyarrow")
    file, out = written(WITHOUT_CODE), tmp_path / "out"
    options = ["-o", str(out)] if command[0] == "export" else []
    status, _, err = run(capsys, *command, *options, file)
    assert status == 1 and not out.exists()
    assert "the samples have no instruction address; they have id, " in err
    remedy = "use pfmparse report --by COLUMN, for other tools with --csv or --json"
    assert err.endswith(f"; {remedy}\n")


def test_report_exports_tables_without_code(written: Any, capsys: Capsys) -> None:
    options = ("--by", "data-address", "--csv")
    status, out, err = run(capsys, "report", *options, written(WITHOUT_CODE))
    assert (status, err) == (0, "")
    rows = {row["data-address"]: row for row in csv.DictReader(out.splitlines())}
    assert (rows["0x5000"]["count"], rows["0x5000"]["latency"]) == ("5", "100")


def exported(capsys: Capsys, file: str, to: str, *options: str) -> Path:
    """Export a capture, and return the exported file."""
    out = Path(file).with_name(f"out.{to}")
    status, _, err = run(capsys, "export", file, "--to", to, "-o", str(out), *options)
    assert status == 0, err
    return out


def test_exports_weigh_by_recorded_sum(file: str, capsys: Capsys) -> None:
    rows = list(csv.DictReader(exported(capsys, file, "csv").read_text().splitlines()))
    assert sum(int(row["count"]) for row in rows) == NUMBER
    assert sum(int(row["weight"]) for row in rows) == TOTAL
    folded = exported(capsys, file, "folded").read_text().splitlines()
    assert sum(int(line.split()[-1]) for line in folded) == TOTAL
    profiles = json.loads(exported(capsys, file, "speedscope").read_text())["profiles"]
    assert sum(sum(profile["weights"]) for profile in profiles) == TOTAL
    pprof = exported(capsys, file, "pprof")
    assert samples_in(pprof, "pprof") == NUMBER + TOTAL
    perf = perf_file.records(exported(capsys, file, "perf-data"))
    periods = [r.fields["period"] for r in perf if r.kind == perf_file.SAMPLE]
    assert sum(periods) == TOTAL


@pytest.mark.parametrize("rows", ["sample", "location"])
def test_sql_periods_are_recorded_sums(rows: str, file: str, capsys: Capsys) -> None:
    path = exported(capsys, file, "sql", "--rows", rows)
    with sqlite3.connect(path) as database:
        query = "SELECT SUM(count), SUM(period) FROM samples"
        assert database.execute(query).fetchone() == (NUMBER, TOTAL)
    database.close()


def test_export_names_columns_that_it_lacks(file: str, capsys: Capsys) -> None:
    out = Path(file).with_name("out.csv")
    found = told(capsys, "export", file, "--to", "csv", "-o", str(out), warns=True)
    assert "columns id, least, most, bytes, powers0, powers1" in str(found)


def test_export_names_histogram_once(written: Any, capsys: Capsys) -> None:
    file = written(SPREAD)
    out = Path(file).with_name("out.csv")
    found = told(capsys, "export", file, "--to", "csv", "-o", str(out), warns=True)
    assert "columns id, least, most, bytes, powers" in found["not_carried"]


def test_top_weighs_by_recorded_sum(file: str, capsys: Capsys) -> None:
    status, out, _ = run(capsys, "top", "--batch", file)
    lines = [line.split() for line in out.splitlines()]
    assert status == 0 and lines[0][-2:] == ["by", "latency"]
    assert lines[1][:2] == [f"{NUMBER}", "samples,"]
    assert lines[2][:2] == ["%", "latency"] and lines[3][:2] == ["100.00", f"{TOTAL}"]


def test_diff_compares_recorded_sums(file: str, capsys: Capsys) -> None:
    found = told(capsys, "diff", file, file, "--by", "id")
    assert (found["weight"], found["old_total"]) == ("latency", TOTAL)
