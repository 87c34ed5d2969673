# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the mem command."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from helpers import dear_hist
from helpers.cli import printed, run, told
from helpers.dear_hist import DATA, FUNCTIONS, INSTRUCTIONS, LEVELS
from helpers.every_format import UUID_HISTOGRAM
from helpers.itanium import CODE, CODE_EAR, ear_capture, ear_session, fetch, load
from helpers.programs import LOAD as BASE
from helpers.programs import SOURCE, compiled
from helpers.sink_buffer import SinkRegion, sink
from helpers.writers import (
    UUID_PEBS64,
    Json,
    Sample,
    bufr,
    capture,
    json_chunk,
    mapped,
    mapping,
    maps,
    pebs,
    pebs_capture,
    pmd,
    session,
    simple_capture,
    totals,
)

L1, LFB, L2, L3, RAM = 0x8, 0x10, 0x20, 0x40, 0x80
HIT, MISS = 0x2, 0x4
LOAD = 0x2


def source(level: int, outcome: int = HIT, tlb: int = 0x1A) -> int:
    """Encode a load with this memory level and TLB result as perf's data source."""
    return LOAD | (level | outcome) << 5 | tlb << 26


RECORDS = [
    {"ip": 0x1000, "dla": 0x7000, "dse": source(L1), "lat": 4},
    {"ip": 0x1000, "dla": 0x7008, "dse": source(L1), "lat": 6},
    {"ip": 0x1000, "dla": 0x7040, "dse": source(RAM, tlb=0x14), "lat": 300},
    {"ip": 0x1010, "dla": 0x7048, "dse": source(L3), "lat": 50},
    {"ip": 0x1FFF, "dla": 0x8000, "dse": 0, "lat": 0},
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the path of a capture of loads with data sources."""
    path = tmp_path / "x.pfm"
    sess = session({0: [pmd(0)]}, UUID_PEBS64)
    path.write_bytes(pebs_capture(RECORDS, 176, sess))
    return str(path)


def written(tmp_path: Path, data: bytes) -> str:
    """Write a file and return its name."""
    path = tmp_path / "x.pfm"
    path.write_bytes(data)
    return str(path)


def itanium(tmp_path: Path, samples: list[Sample], sess: Json) -> str:
    """Write an Itanium capture and return its name."""
    return written(tmp_path, ear_capture(samples, sess))


@pytest.mark.parametrize(
    "table,options,rest",
    [
        (INSTRUCTIONS, ["--top", "21"], ["--view", "inst", "--per", "address"]),
        (FUNCTIONS, ["--top", "10", "--per", "function"], ["--view", "inst"]),
        (DATA, ["--top", "10", "--view", "data"], ["--per", "address"]),
        (LEVELS, ["--top", "10", "--view", "level"], ["--per", "latency"]),
    ],
    ids=["instructions", "functions", "data", "levels"],
)
def test_mem_reproduces_histograms_of_the_manual(
    table: str,
    options: list[str],
    rest: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = written(tmp_path, dear_hist.made(table, tmp_path / "foo"))
    assert printed(capsys, "mem", *options, path) == table
    # The options in ``rest`` are the defaults, so they change nothing.
    assert printed(capsys, "mem", *options, *rest, path) == table


def test_mem_json_equals_the_histogram(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, dear_hist.made(FUNCTIONS, tmp_path / "foo"))
    found = told(capsys, "mem", "--per", "function", path)
    assert found["total"] == 9794 and found["khz"] == 1400000
    assert (found["view"], found["per"], found["sort"]) == ("inst", "function", "count")
    assert found["thresholds"] == {"l2": 5, "l3": 14} and not found["data_source"]
    rows = [
        (row["address"], row["count"], tuple(row["levels"][name] for name in LEVEL_3))
        for row in found["rows"]
    ]
    expected = dear_hist.lines(FUNCTIONS)
    assert rows == [(line.at, line.count, line.of_levels) for line in expected]
    assert [row["symbol"] for row in found["rows"]] == [line.place for line in expected]
    assert found["rows"][-1]["cumulative"] == 100.0
    cycles = sum(row["latency"] for row in found["rows"])
    parts = [sum(line.of_levels[at] for line in expected) for at in range(3)]
    assert cycles == sum(n * c for n, c in zip(parts, dear_hist.CYCLES))


LEVEL_3 = ("L2", "L3", "RAM")


def test_mem_levels_come_from_the_data_source(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, "mem", file)
    there = {name: number for name, number in found["levels"].items() if number}
    assert there == {"L1": 2, "L3": 1, "RAM": 1, "n/a": 1}
    assert found["data_source"] and found["thresholds"] is None
    rows = [(row["key"], row["count"], row["levels"]["L1"]) for row in found["rows"]]
    assert rows == [("0x1000", 3, 2), ("0x1fff", 1, 0), ("0x1010", 1, 0)]
    text = printed(capsys, "mem", file).splitlines()
    assert "# levels are from the data source" in text
    assert text[-4].split() == [
        *("#", "#count", "%self", "%cum", "%L1", "%L3", "%RAM", "%n/a"),
        *("instruction", "addr"),
    ]


def test_mem_thresholds_override_the_data_source(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, "mem", "--l2", "5", "--l3", "50", file)
    there = {name: number for name, number in found["levels"].items() if number}
    assert there == {"L2": 1, "L3": 2, "RAM": 1, "n/a": 1}
    assert found["thresholds"] == {"l2": 5, "l3": 50} and not found["data_source"]


@pytest.mark.parametrize(
    "view,per,keys",
    [
        ("data", "address", {"0x7000": 1, "0x7008": 1, "0x7040": 1, "0x7048": 1}),
        ("data", "cacheline", {"0x7000": 2, "0x7040": 2, "0x8000": 1}),
        ("data", "page", {"0x7000": 4, "0x8000": 1}),
        ("data", "symbol", {"[unknown]": 5}),
        ("inst", "cacheline", {"0x1000": 4, "0x1fc0": 1}),
        ("inst", "page", {"0x1000": 5}),
        ("inst", "function", {"[vdso]": 5}),
        ("inst", "line", {"[vdso]": 5}),
        ("level", "level", {"L1 hit": 2, "RAM hit": 1, "L3 hit": 1}),
        ("level", "latency", {4: 1, 6: 1, 300: 1, 50: 1, 0: 1}),
        ("tlb", "level", {"L1 or L2 hit": 3, "L2 miss": 1, "not available": 1}),
        ("tlb", "page", {"0x7000": 4, "0x8000": 1}),
        ("tlb", "function", {"[vdso]": 5}),
    ],
)
def test_mem_rows_follow_view_and_per(
    view: str,
    per: str,
    keys: dict[object, int],
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = told(capsys, "mem", "--view", view, "--per", per, file)
    counts = {row["key"]: row["count"] for row in found["rows"]}
    assert keys.items() <= counts.items() and sum(counts.values()) == 5
    printed(capsys, "mem", "--view", view, "--per", per, file)


def test_mem_rows_by_line_have_their_symbol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = compiled(tmp_path / "hotspots")
    data = capture(
        json_chunk("SESS", session({0: [pmd(0)]}, UUID_PEBS64)),
        mapped(program.mapping),
        bufr(pebs([{"ip": program.ip("hot")}] * 2, UUID_PEBS64, 176)),
        json_chunk("DONE", totals(2)),
    )
    found = told(capsys, "mem", "--per", "line", written(tmp_path, data))
    (row,) = found["rows"]
    assert (row["symbol"], row["object"]) == ("hot", str(program.path))
    assert row["key"].startswith(f"{SOURCE}:") and row["count"] == 2


def test_mem_uses_the_machines_cache_line_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session({0: [pmd(0)]}, UUID_PEBS64)
    for kind in sess["machine"]["processors"][0]["caches"]:
        kind["line_size"] = 128
    path = written(tmp_path, pebs_capture(RECORDS, 176, sess))
    options = ("--view", "data", "--per", "cacheline")
    rows = told(capsys, "mem", *options, path)["rows"]
    assert [(row["key"], row["count"]) for row in rows] == [
        ("0x7000", 4),
        ("0x8000", 1),
    ]


def test_mem_level_view_has_mean_latency(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "mem", "--view", "level", file)
    assert text.splitlines()[-4:] == [
        "       2  40.00%  40.00%           5       2  L1 hit",
        "       1  20.00%  60.00%          50      18  L3 hit",
        "       1  20.00%  80.00%         300     107  RAM hit",
        "       1  20.00% 100.00%           0       0  not available",
    ]
    slower = printed(capsys, "mem", "--view", "level", "--frequency", "500MHz", file)
    assert "           5      10  L1 hit" in slower


def test_mem_omits_ns_if_frequency_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session({0: [pmd(0)]}, UUID_PEBS64)
    sess["machine"]["processors"][0]["khz"] = None
    path = written(tmp_path, pebs_capture(RECORDS, 176, sess))
    text = printed(capsys, "mem", "--view", "level", path)
    assert "           5       -  L1 hit" in text
    assert told(capsys, "mem", path)["khz"] is None


@pytest.mark.parametrize(
    "options,keys",
    [
        (["--sort", "count"], ["0x1000", "0x1fff", "0x1010"]),
        (["--sort", "value"], ["0x1000", "0x1010", "0x1fff"]),
        (["--sort", "level"], ["0x1000", "0x1010", "0x1fff"]),
        (["--top", "1"], ["0x1000"]),
        (["--cum", "60"], ["0x1000"]),
        (["--cum", "61%"], ["0x1000", "0x1fff"]),
    ],
)
def test_mem_sorts_and_limits_rows(
    options: list[str], keys: list[str], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, "mem", *options, file)
    assert [row["key"] for row in found["rows"]] == keys
    assert found["total"] == 5 and sum(found["levels"].values()) == 5


def test_mem_shows_rows_of_tiny_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = {0x1000: 1 << 62, 0x2000: 1}
    records = tuple(struct.pack("<HHIQQ", 0, 0, 1, *row) for row in counts.items())
    data = sink([SinkRegion(1, records)])
    sess = json_chunk("SESS", session({0: [pmd(0)]}, UUID_HISTOGRAM))
    done = json_chunk("DONE", totals(2))
    path = written(tmp_path, capture(sess, bufr(data), done))
    found = told(capsys, "mem", path)
    assert [row["count"] for row in found["rows"]] == [1 << 62, 1]
    assert found["total"] == (1 << 62) + 1


def test_mem_sorts_farthest_level_first(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--view", "level", "--sort", "level")
    rows = told(capsys, "mem", *options, file)["rows"]
    keys = [row["key"] for row in rows]
    assert keys == ["RAM hit", "L3 hit", "L1 hit", "not available"]


@pytest.mark.parametrize(
    "samples,event,pmds,text",
    [
        (
            [load(CODE, 8, found_by=by) for by in (1, 1, 2, 3)],
            "data_ear_tlb_all",
            (2, 3, 17),
            "  50.00%  25.00%  25.00% 0x4000000000000000",
        ),
        (
            [fetch(CODE + 32, found_by=by) for by in (1, 1, 2, 3)],
            "L1I_EAR_TLB_ALL",
            CODE_EAR,
            "  50.00%  25.00%  25.00% 0x4000000000000020",
        ),
    ],
    ids=["data", "code"],
)
def test_mem_tlb_event_selects_tlb_columns(
    samples: list[Sample],
    event: str,
    pmds: tuple[int, ...],
    text: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = itanium(tmp_path, samples, ear_session(event, pmds))
    lines = printed(capsys, "mem", path).splitlines()
    assert lines[-2].split()[4:7] == ["%L2", "%walk", "%OS"]
    assert lines[-1] == "       4 100.00% 100.00%" + text
    levels = printed(capsys, "mem", "--view", "level", path).splitlines()
    assert [line.split()[-2:] for line in levels[-3:]] == [
        ["L2", "hit"],
        ["OS", "hit"],
        ["walker", "hit"],
    ]
    assert levels[1] == "# tlb view"


def test_mem_reads_latencies_of_the_code_ear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = [fetch(CODE + 32, latency) for latency in (5, 12, 12, 40)]
    sess = ear_session("l1i_ear_cache_lat0", CODE_EAR)
    path = itanium(tmp_path, samples, sess)
    (row,) = told(capsys, "mem", path)["rows"]
    assert [row["levels"][name] for name in LEVEL_3] == [1, 2, 1]
    status, out, err = run(capsys, "mem", "--view", "data", path)
    assert (status, out) == (1, "") and "no data-address" in err


def test_mem_reports_lost_samples(
    tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "# lost_samples 7" in printed(capsys, "mem", file).splitlines()


def test_mem_reports_skipped_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = json_chunk("SESS", session({0: [pmd(0)]}, UUID_PEBS64))
    records = bufr(pebs(RECORDS, UUID_PEBS64, 176))
    done = json_chunk("DONE", {**totals(len(RECORDS)), "skipped": 9})
    path = written(tmp_path, capture(sess, records, done))
    lines = printed(capsys, "mem", path, path).splitlines()
    assert lines[1:3] == ["# lost_samples 14", "# skipped_samples 18"]


@pytest.mark.parametrize(
    "command,default",
    [
        ("mem", "count, or the first sum if the format does not count samples"),
        ("report", "the first sum that the format records, else count"),
    ],
)
def test_help_tells_the_default_weight(
    command: str, default: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        run(capsys, command, "--help")
    assert f"pmdN; default: {default}" in " ".join(capsys.readouterr().out.split())


def test_mem_merges_captures(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, "mem", file, file)
    assert found["total"] == 10 and found["rows"][0]["count"] == 6
    assert [row["key"] for row in found["rows"]] == ["0x1000", "0x1fff", "0x1010"]


def test_mem_applies_the_selection(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "mem", "--kernel", file)["rows"] == []
    assert "# total_samples 0" in printed(capsys, "mem", "--kernel", file)


@pytest.mark.parametrize(
    "options,reason",
    [
        (
            ["--view", "data", "--per", "line"],
            "--per line is not available for --view data",
        ),
        (["--l2", "5"], "--l2 and --l3 must be used together"),
        (["--l2", "9", "--l3", "5"], "--l2 9 must not be greater than --l3 5"),
    ],
)
def test_mem_refuses_contradicting_options(
    options: list[str], reason: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "mem", *options, file)
    assert (status, out) == (1, "") and reason in err


@pytest.mark.parametrize("option", ["--frequency=fast", "--view=all", "--cum=101"])
def test_mem_refuses_invalid_options(
    option: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(capsys, "mem", option, file)


@pytest.mark.parametrize("view", ["data", "level", "tlb"])
def test_mem_refuses_samples_without_memory_data(
    view: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, simple_capture([Sample()]))
    status, out, err = run(capsys, "mem", "--view", view, path)
    assert (status, out) == (1, "") and "the samples have no" in err


@pytest.mark.parametrize("sort", ["count", "value", "level"])
@pytest.mark.parametrize("limit", [["--top", "3"], ["--cum", "50"]])
def test_mem_top_rows_equal_first_of_all_rows(
    sort: str, limit: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [
        {"dla": 8 * (n * n % 17), "dse": source((L1, L3, RAM)[n % 3]), "lat": n}
        for n in range(60)
    ]
    sess = session({0: [pmd(0)]}, UUID_PEBS64)
    path = written(tmp_path, pebs_capture(records, 176, sess))
    options = ("mem", "--view", "data", "--sort", sort)
    every = told(capsys, *options, path)
    some = told(capsys, *options, *limit, path)
    assert 0 < len(some["rows"]) < len(every["rows"])
    assert some["rows"] == every["rows"][: len(some["rows"])]
    assert {**some, "rows": []} == {**every, "rows": []}


VARIABLES = """
static int table[1000] = { 1 };
static char zeros[1 << 16];
int main(int argc, char **argv) { return table[argc] + zeros[argc]; }
"""


def variables(tmp_path: Path) -> str:
    """Return the path of a capture of loads from two variables and another address."""
    source_file = tmp_path / "variables.c"
    source_file.write_text(VARIABLES)
    made = compiled(tmp_path / "variables", "-O0", source=source_file)
    table, zeros = made.offset_of("table"), made.offset_of("zeros")
    first, size = table & ~0xFFF, 0x3000
    file = mapping(BASE, BASE + size, first, str(made.path), made.build_id, "rw-p")
    # The part of .bss that is beyond the file's pages is in anonymous memory.
    more = mapping(BASE + size, BASE + 0x20000, 0, "", None, "rw-p")
    places = [table + 8, table + 8, table + 64, zeros + 0x8000, 0x12345678 + first]
    records = [{"dla": place - first + BASE, "dse": source(L1)} for place in places]
    data = capture(
        json_chunk("SESS", session({0: [pmd(0)]}, UUID_PEBS64)),
        json_chunk("MAPS", maps(100, [file, more])),
        bufr(pebs(records, UUID_PEBS64, 176)),
        json_chunk("DONE", totals(len(records))),
    )
    return written(tmp_path, data)


def test_mem_finds_variables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = variables(tmp_path)
    options = ("mem", "--view", "data")
    rows = told(capsys, *options, "--per", "symbol", path)["rows"]
    assert [(row["key"], row["count"]) for row in rows] == [
        ("table", 3),
        ("[unknown]", 1),
        ("zeros", 1),
    ]
    text = printed(capsys, *options, path)
    assert " table+0x8\n" in text and " table+0x40\n" in text
    assert " zeros+0x8000\n" in text
    by = told(capsys, "report", "--by", "data-symbol", path)["rows"]
    assert {row["key"]: row["count"] for row in by} == {
        "table": 3,
        "zeros": 1,
        "[unknown]": 1,
    }


def test_mem_sums_the_chosen_weight(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("mem", "--per", "address", "--weight", "latency")
    found = told(capsys, *options, file)
    assert (found["total"], found["weight"]) == (360, "latency")
    rows = [(row["key"], row["count"]) for row in found["rows"]]
    assert rows == [("0x1000", 310), ("0x1010", 50)]
    assert found["levels"]["RAM"] == 300
    assert printed(capsys, *options, file).startswith("# total_latency 360\n")
    assert told(capsys, "mem", "--weight", "period", file)["total"] == 5000
