# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure memory latency in a guest: with the format dear-hist, PMDs and tables.

The guest uses the NMI PMU (tests/guest/pmu_nmi), whose precise events have known
addresses, latencies and data sources. The number of samples of each memory level is
fixed. pfmparse reads the captures. One of the tables comes from a new format, which is
made as docs/cookbook.md describes.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import boot
import pytest
from boot import ROOT
from reading import pfmparse, plugin, told

TARGET = boot.Target("x86_64", "6.12")
PERIOD = 2
COOKBOOK = (ROOT / "docs/cookbook.md").read_text()
# The command that makes a new format, and the lines of the handler that its author has
# to write.
(MAKE,) = re.findall(r"^\$ (pfm-new-format slow .*)$", COOKBOOK, re.MULTILINE)
(HANDLER,) = re.findall(
    r"^```c\n(\t\t\.addr =.*\n)\.\.\.\n((?:\t.*\n)+)```$", COOKBOOK, re.MULTILINE
)
((EXPORT, QUERY),) = re.findall(
    r"^\$ pfmparse export all\.cap (.*) -o .* sqlite3 .* '(.*)'$",
    COOKBOOK,
    re.MULTILINE,
)
(REPORT,) = re.findall(r"^\$ pfmparse report (.*) slow\.cap$", COOKBOOK, re.MULTILINE)
# The smallest latency that the tables record.
SLOW = int(QUERY.partition("latency >= ")[2].split()[0])
TABLES = ("lines", "slow")
SAMPLE_PMDS = "addr,latency,source"
SYSTEM_WIDE = f"--system-wide --long-smpl-periods={PERIOD}"
RIG = "/sys/kernel/debug/pfm_nmi"
ADDRESS, LATENCY = 0x7F0000000000, 100  # of the first sample; each later sample adds 1


@dataclass(frozen=True)
class Phase:
    """Successive samples that share a data source.

    samples: their number. source: the data source, a union perf_mem_data_src. level,
    tlb: the names that pfmparse prints for this data source.
    """

    samples: int
    source: int
    level: str
    tlb: str


PHASES = (
    Phase(600, 0x2 | 0x0A << 5 | 0x1A << 26, "L1 hit", "L1 or L2 hit"),
    Phase(30, 0x2 | 0x12 << 5 | 0x1A << 26, "LFB hit", "L1 or L2 hit"),
    Phase(300, 0x2 | 0x42 << 5 | 0x14 << 26, "L3 hit", "L2 miss"),
    Phase(100, 0x2 | 0x82 << 5 | 0x14 << 26, "RAM hit", "L2 miss"),
)
# perf's names of memory levels, where they differ from pfmparse's.
PERF_NAMES = {"RAM hit": "Local RAM hit", "LFB hit": "LFB/MAB hit"}
PERF_ROW = re.compile(r"^ +([0-9.]+)% +([0-9]+)  (?:\[.\] )?(.*?) *$", re.MULTILINE)
TOTAL = sum(phase.samples for phase in PHASES)


def latencies() -> Iterator[tuple[Phase, range]]:
    """Yield the latencies of each phase's samples."""
    first = LATENCY
    for phase in PHASES:
        yield phase, range(first, first + phase.samples)
        first += phase.samples


def _script() -> str:
    """Return the guest's script."""
    extra = "/lib/modules/$(uname -r)/extra"
    shots = "; ".join(
        f"echo {phase.source:#x} >{RIG}/source; "
        f"echo -1 {PERIOD * phase.samples} >{RIG}/fire"
        for phase in PHASES
    )
    viewer = "/bin/pfmparse"
    return "\n".join(
        [
            "set -e",
            # perfmon looks for precise events when the module pfm_pmu_perf is loaded.
            "rmmod pfm_pmu_perf",
            f"insmod {extra}/tests/guest/pmu_nmi/pfm_nmi.ko",
            f"insmod {extra}/pmu/perf/pfm_pmu_perf.ko",
            f"echo {ADDRESS:#x} >{RIG}/addr",
            f"echo {LATENCY} >{RIG}/latency",
            # The guest has no Python: a fake viewer prints its arguments.
            f"printf '#!/bin/sh\\necho asked: $*\\n' >{viewer}",
            f"chmod +x {viewer}",
            f"pfmon --smpl-module=dear-hist --smpl-level-view --smpl-show-top=10"
            f" --smpl-entries={2 * TOTAL} -e cycles:kpp"
            f" --long-smpl-periods={PERIOD} -o /out/loads.cap sh -c '{shots}'",
            # Without the modifier p, which dear-hist implies.
            f"taskset -c 0 pfmon {SYSTEM_WIDE} -e cycles:k --smpl-module=dear-hist"
            f" --smpl-periods-random=1:5 -o /out/random.cap sh -c"
            f" 'echo $$ >/out/shooting; {shots}'",
            f"rm {viewer}",
            f"! pfmon --smpl-module=dear-hist -e cycles:kpp -o /out/no.cap"
            f" --long-smpl-periods={PERIOD} touch /out/has-run",
            f"taskset -c 0 pfmon {SYSTEM_WIDE} -e cycles:kp"
            f" --smpl-pmds={SAMPLE_PMDS} -o /out/system.cap sh -c"
            f" 'echo $$ >/out/firing; {shots}'",
            *(
                f"pfmon --smpl-module={name} --smpl-arg=min={SLOW} -e cycles:kp"
                f" --smpl-pmds=addr,latency --long-smpl-periods={PERIOD}"
                f" -o /out/{name}.cap sh -c '{shots}'"
                for name in TABLES
            ),
            "! pfmon -e page-faults --smpl-pmds=latency --long-smpl-periods=1"
            " -o /out/no.cap true",
        ]
    )


@pytest.fixture(scope="module", name="slow")
def fixture_slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the new format; return its folder.

    pfmparse finds the parser in this folder by its entry point, as if it was installed.
    """
    where = tmp_path_factory.mktemp("formats")
    _, *options = shlex.split(MAKE)
    subprocess.run([ROOT / "sdk/pfm-new-format", *options], cwd=where, check=True)
    module = where / "slow/pfm_fmt_slow.c"
    text, end = module.read_text(), "\n\treturn slow_add("
    line, filtering = HANDLER
    assert text.count("\t\t.addr =") == text.count(end) == 1
    text = re.sub(r"\t\t\.addr =.*\n", line, text).replace(end, f"\n{filtering}{end}")
    module.write_text(text)
    entry = "parser/pfmparse_slow.egg-info/entry_points.txt"
    subprocess.run(["make", "-s", entry], cwd=where / "slow", check=True)
    return where / "slow"


@pytest.fixture(scope="module", name="out")
def fixture_out(tmp_path_factory: pytest.TempPathFactory, slow: Path) -> Path:
    """Return the directory of the captures, with pfmon's output in "output"."""
    out = tmp_path_factory.mktemp("memory")
    boot.run_script(TARGET, _script(), out, "--format", str(slow))
    return out


def test_dear_hist_capture_has_all_levels(out: Path) -> None:
    found = told("mem", "--view", "level", out / "loads.cap")
    assert found["total"] == TOTAL and found["data_source"]
    rows = {row["key"]: (row["count"], row["latency"]) for row in found["rows"]}
    assert rows == {
        phase.level: (phase.samples, sum(cycles)) for phase, cycles in latencies()
    }


def test_tlbs_and_cache_lines_match_samples(out: Path) -> None:
    found = told("mem", "--view", "tlb", out / "loads.cap")
    tlbs = {phase.tlb: 0 for phase in PHASES}
    for phase in PHASES:
        tlbs[phase.tlb] += phase.samples
    assert {row["key"]: row["count"] for row in found["rows"]} == tlbs
    options = ("--view", "data", "--per", "cacheline", "--sort", "value")
    lines = told("mem", *options, out / "loads.cap")["rows"]
    assert lines[0]["address"] == ADDRESS and lines[0]["count"] == 64
    assert len(lines) == -(-TOTAL // 64)


def test_dear_hist_shows_view(out: Path) -> None:
    said = (out / "output").read_text()
    assert f"pfmon: {TOTAL} samples, 0 lost" in said
    assert "asked: show -- /out/loads.cap" in said
    shown = told("show", out / "loads.cap")
    assert shown == told("mem", "--view=level", "--top=10", out / "loads.cap")


def test_dear_hist_without_viewer_measures_nothing(out: Path) -> None:
    said = (out / "output").read_text()
    assert "dear-hist needs pfmparse to show its view, and pfmparse is neither" in said
    assert not (out / "no.cap").exists() and not (out / "has-run").exists()


def test_system_wide_dear_hist_names_process_and_thread(out: Path) -> None:
    capture, pid = out / "random.cap", int((out / "shooting").read_text())
    (row,) = told("report", "--by", "comm,process,thread,cpu", capture)["rows"]
    assert row["key"] == ["sh", pid, pid, 0]


def test_dear_hist_takes_random_periods(out: Path) -> None:
    data = pfmparse("export", out / "random.cap", "--to", "csv", "-o", "-")
    rows = list(csv.DictReader(io.StringIO(data)))
    first = ADDRESS, LATENCY
    assert [(int(row["pmd260"]), int(row["pmd261"])) for row in rows] == [
        tuple(value + number for value in first) for number in range(len(rows))
    ]
    assert len(rows) == TOTAL
    assert len({row["period"] for row in rows}) == 2


def test_system_wide_pmds_have_all_levels(out: Path) -> None:
    found = told("mem", "--view", "level", out / "system.cap")
    rows = {row["key"]: (row["count"], row["latency"]) for row in found["rows"]}
    assert rows == {
        phase.level: (phase.samples, sum(cycles)) for phase, cycles in latencies()
    }


def test_system_wide_addresses_have_thread_and_cpu(out: Path) -> None:
    pid = int((out / "firing").read_text())
    data = pfmparse("export", out / "system.cap", "--to", "csv", "-o", "-")
    rows = list(csv.DictReader(io.StringIO(data)))
    assert [int(row["pmd260"]) - ADDRESS for row in rows] == list(range(TOTAL))
    for row in rows:
        assert (int(row["pid"]), int(row["tid"]), int(row["cpu"])) == (pid, pid, 0)


def _slow_lines() -> dict[int, list[int]]:
    """Return, for each cache line, its latencies that are SLOW or higher."""
    expected: dict[int, list[int]] = {}
    for number in range(SLOW - LATENCY, TOTAL):
        line = (ADDRESS + number) // 64 * 64
        expected.setdefault(line, []).append(LATENCY + number)
    return expected


@pytest.mark.parametrize("name", TABLES)
def test_table_sums_slow_accesses_by_cache_line(
    out: Path, tmp_path: Path, slow: Path, name: str
) -> None:
    capture, expected = out / f"{name}.cap", _slow_lines()
    plugins = (*plugin(tmp_path, "lines"), slow / "parser")
    options: tuple[str, ...] = ("--view", "data", "--per", "cacheline")
    rows = told("mem", *options, capture, plugins=plugins)["rows"]
    assert {row["address"]: (row["count"], row["latency"]) for row in rows} == {
        line: (len(cycles), sum(cycles)) for line, cycles in expected.items()
    }
    options = ("--by", "data-address", "--stat", "max", "--of", "latency")
    rows = told("report", *options, capture, plugins=plugins)["rows"]
    assert {row["address"]: row["stats"]["latency"]["max"] for row in rows} == {
        line: max(cycles) for line, cycles in expected.items()
    }
    said = (out / "output").read_text()
    skipped = SLOW - LATENCY
    found = f"pfmon: {TOTAL - skipped} samples, 0 lost, {skipped} skipped"
    assert re.search(rf"{found}.* -> /out/{name}\.cap$", said, re.MULTILINE)


def test_table_has_percentiles_by_cache_line(out: Path, slow: Path) -> None:
    capture, plugins = out / "slow.cap", (slow / "parser",)
    rows = told("report", *shlex.split(REPORT), capture, plugins=plugins)["rows"]
    assert {row["address"]: row["stats"]["latency"] for row in rows} == {
        line: {
            "sum": sum(cycles),
            "mean": sum(cycles) / len(cycles),
            "p99": (1 << max(cycles).bit_length()) - 1,
            "max": max(cycles),
        }
        for line, cycles in _slow_lines().items()
    }


def test_histogram_of_table_is_that_of_samples(out: Path, slow: Path) -> None:
    plugins = (slow / "parser",)
    (table, samples) = (
        told(
            *("report", "--by", by, "--stat", "hist", "--of", latency, out / name),
            plugins=plugins,
        )["rows"][0]["stats"][latency]["hist"]
        for name, by, latency in (
            ("slow.cap", "event", "latency"),
            ("system.cap", "ovfl_pmd", "lat"),
        )
    )
    # The table does not have the latencies below SLOW.
    above = [bucket for bucket in samples if bucket["low"] > SLOW]
    assert table[1:] == above != []


def test_samples_can_be_summed_by_cache_line_with_sql(out: Path) -> None:
    database = out / "all.sqlite"
    pfmparse("export", out / "system.cap", *shlex.split(EXPORT), "-o", database)
    with closing(sqlite3.connect(database)) as link:
        rows = link.execute(QUERY).fetchall()
    assert rows == [
        (line, len(cycles), sum(cycles), max(cycles))
        for line, cycles in _slow_lines().items()
    ]


def test_event_without_the_data_is_explained(out: Path) -> None:
    said = (out / "output").read_text()
    assert "an event does not provide the data that --smpl-pmds or the sampling" in said


@dataclass(frozen=True)
class PerfRow:
    """A row of `perf mem report`: samples, and percentage of the total latency."""

    samples: int
    percent: str


@pytest.fixture(scope="module", name="exported")
def fixture_exported(out: Path) -> Path:
    """Return the capture exported to perf's format."""
    if not shutil.which("perf"):
        pytest.skip("perf (from the package linux-perf) is not installed")
    data = out / "perf.data"
    pfmparse("export", out / "loads.cap", "--to", "perf-data", "-o", data)
    return data


def _perf(data: Path, sort: str) -> dict[str, PerfRow]:
    """Return the rows of `perf mem report`, by name."""
    done = subprocess.run(
        ["perf", "mem", "report", "-i", data, "--stdio", "-n", f"--sort={sort}"],
        env={**os.environ, "PERF_CONFIG": "/dev/null", "HOME": str(data.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = PERF_ROW.findall(done.stdout)
    return {name: PerfRow(int(samples), percent) for percent, samples, name in rows}


@pytest.mark.parametrize(
    ("sort", "options"),
    [
        ("mem", ("--view", "level")),
        ("tlb", ("--view", "tlb")),
        ("dcacheline", ("--view", "data", "--per", "cacheline")),
    ],
)
def test_perf_mem_report_agrees(
    exported: Path, sort: str, options: tuple[str, ...]
) -> None:
    ours = told("mem", *options, exported.with_name("loads.cap"))
    every = sum(row["latency"] for row in ours["rows"])
    expected = {}
    for row in ours["rows"]:
        name = f"{row['address']:#018x}" if "address" in row else row["key"]
        percent = f"{100 * row['latency'] / every:.2f}"
        expected[PERF_NAMES.get(name, name)] = PerfRow(row["count"], percent)
    assert _perf(exported, sort) == expected
