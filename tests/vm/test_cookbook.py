# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the examples of docs/cookbook.md in a guest with the NMI PMU.

The NMI PMU (tests/guest/pmu_nmi) is a perf PMU for tests. Its precise events have known
addresses, latencies, data sources and branches. Three examples are tested elsewhere:
lines in test_memory.py, mini in test_precise.py and threshold in live_sessions.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import boot
import pytest
from boot import ROOT
from reading import pfmparse, plugin, told

TARGET = boot.Target("x86_64", "6.12")
PERIOD = 2
EXAMPLES = (
    *("cgroups", "sharing", "slowest", "intervals", "chains"),
    *("requests", "spans", "mispredicts"),
)
MODULES = (
    "tests/guest/pmu_nmi/pfm_nmi",
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    *(f"examples/format_{name}/pfm_fmt_{name}" for name in EXAMPLES),
)
RIG = "/sys/kernel/debug/pfm_nmi"
ADDRESS = 0x7F0000000000
LOAD, STORE = 0x2, 0x4  # PERF_MEM_OP_*
GROUPS = {"a": 10, "b": 20}  # samples
SLOW, FAST, KEEP = 20, 30, 8  # samples
TURNS = {"first": 8, "second": 6}  # samples of two threads
BRANCH, MISPREDICTED, PREDICTED = 0x401000, 1, 2  # of struct perf_branch_entry
BRANCHES = 4  # of each sample
ROUNDS = 300
# The format intervals keeps at most STATES states of threads.
STATES, MANY = 1024 + 7, 1100

Row = dict[str, Any]


def _fire(samples: int, **settings: int) -> str:
    """Return shell commands that cause samples in the thread that runs them."""
    words = [f"echo {value} >{RIG}/{name}" for name, value in settings.items()]
    return "; ".join([*words, f"echo -1 {PERIOD * samples} >{RIG}/fire"])


SCRIPTS = {
    "cgroups": [
        f"sh -c 'echo $$ >/sys/fs/cgroup/{name}/cgroup.procs; {_fire(samples)}'"
        for name, samples in GROUPS.items()
    ],
    "sharing": [
        _fire(0, addr=ADDRESS, source=STORE),
        f"write_twice {RIG}/fire '-1 {PERIOD * 8}' >/out/writers",
        _fire(8, source=LOAD),
        # This process writes to the same line of addresses, but to its own memory.
        f"sh -c 'echo $$ >/out/third; {_fire(8, source=STORE)}'",
    ],
    "slowest": [_fire(SLOW, addr=ADDRESS, latency=1000), _fire(FAST, latency=10)],
    # The latency of each sample is higher by 1 than that of the one before.
    "intervals": [
        _fire(TURNS["first"] // 2, latency=100),
        f"sh -c '{_fire(TURNS['second'])}'",
        _fire(TURNS["first"] // 2),
    ],
    "requests": [
        "echo $$ >/out/one",
        _fire(4, latency=100),
        f"sh -c 'echo $$ >/out/other; {_fire(6)}'",
    ],
    "spans": [_fire(5), f"sh -c '{_fire(4)}'"],
    "mispredicts": [
        _fire(8, branch_from=BRANCH, branch_flags=MISPREDICTED),
        _fire(5, branch_flags=PREDICTED),
    ],
}
OPTIONS = {
    "cgroups": "",
    "sharing": "--smpl-pmds=addr,source",
    "slowest": f"--smpl-pmds=addr,latency --smpl-arg=keep={KEEP}",
    "intervals": "--smpl-pmds=latency --smpl-arg=pmd=261",
    "requests": "--smpl-pmds=tid,latency --smpl-arg=pmd=261",
    "spans": "",
    "mispredicts": "--smpl-pmds=branches",
}


def _script() -> str:
    """Return the guest's script."""
    lines = ["set -e"]
    lines += [f"insmod /lib/modules/$(uname -r)/extra/{name}.ko" for name in MODULES]
    lines.append(f"echo {BRANCHES} >{RIG}/branches")
    for name in GROUPS:
        lines.append(f"mkdir /sys/fs/cgroup/{name}")
        lines.append(f"ls -id /sys/fs/cgroup/{name} >/out/{name}")
    for name, commands in SCRIPTS.items():
        lines += [f"cat >/tmp/{name}.sh <<'END'", *commands, "END"]
        lines.append(
            f"taskset -c 0 pfmon --system-wide -e cycles:kp --smpl-module={name}"
            f" --long-smpl-periods={PERIOD} {OPTIONS[name]} -o /out/{name}.cap"
            f" sh /tmp/{name}.sh"
        )
    lines.append(
        "pfmon -e cpu-clock:u --long-smpl-periods=1000000 --smpl-module=chains"
        f" -o /out/chains.cap hotframes {ROUNDS}"
    )
    lines.append(
        "taskset -c 0 pfmon --system-wide -e page-faults --long-smpl-periods=1"
        " --smpl-module=intervals --smpl-arg=min=1000000000000 -o /out/many.cap"
        f" sh -c 'for i in $(seq {MANY}); do (:); done'"
    )
    return "\n".join(lines)


@pytest.fixture(scope="module", name="out")
def fixture_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the captures, with pfmon's output in "output"."""
    out = tmp_path_factory.mktemp("cookbook")
    boot.run_script(TARGET, _script(), out, "--no-modules")
    return out


@pytest.fixture(name="parsers")
def fixture_parsers(tmp_path: Path) -> tuple[Path, ...]:
    """Install the examples' parsers; return their folders."""
    return plugin(tmp_path, *EXAMPLES)


def _rows(capture: Path, parsers: tuple[Path, ...], *options: str) -> list[Row]:
    rows: list[Row] = told("report", *options, capture, plugins=parsers)["rows"]
    return rows


def test_samples_are_counted_by_cgroup(out: Path, parsers: tuple[Path, ...]) -> None:
    ids = {name: int((out / name).read_text().split()[0]) for name in GROUPS}
    rows = _rows(out / "cgroups.cap", parsers, "--by", "cgroup_id")
    assert {row["key"]: row["count"] for row in rows} == {
        ids[name]: samples for name, samples in GROUPS.items()
    }


def test_writers_are_compared_in_each_process(
    out: Path, parsers: tuple[Path, ...]
) -> None:
    # The address of each sample is higher by 1 than that of the one before.
    first, second = map(int, (out / "writers").read_text().split())
    third = int((out / "third").read_text())
    options = ("--by", "data-address", "--stat", "min,max", "--of", "writer,offset")
    for process, *expected in (
        (first, 16, {"min": first, "max": second}, {"min": 0, "max": 15}),
        (third, 8, {"min": third, "max": third}, {"min": 24, "max": 31}),
    ):
        (row,) = _rows(out / "sharing.cap", parsers, "--pid", str(process), *options)
        stats = row["stats"]
        assert [row["count"], stats["writer"], stats["offset"]] == expected
        assert row["address"] == ADDRESS
    said = (out / "output").read_text()
    assert re.search(r"pfmon: 24 samples, 0 lost, 8 skipped.*sharing\.cap", said)


def test_slowest_accesses_are_kept(out: Path, parsers: tuple[Path, ...]) -> None:
    rows = _rows(out / "slowest.cap", parsers, "--by", "latency")
    assert sorted(row["key"] for row in rows) == [1000 + i for i in range(SLOW)]
    lines = pfmparse("dump", out / "slowest.cap", plugins=parsers).splitlines()
    # All samples are in the kernel, in a system call of the shell.
    assert all(re.search(r" callers=0x[0-9a-f]+", line) for line in lines)
    said = (out / "output").read_text()
    assert f"pfmon: {SLOW} samples, 0 lost, {FAST} skipped" in said


def test_intervals_of_threads_are_their_own(
    out: Path, parsers: tuple[Path, ...]
) -> None:
    lines = pfmparse("dump", out / "intervals.cap", plugins=parsers).splitlines()
    counted: dict[str, list[int]] = {}
    for line in lines:
        count, thread = re.findall(r"\b(?:counted|tid)=([0-9]+)", line)
        counted.setdefault(thread, []).append(int(count))
    # While the second thread takes all its samples, the first thread waits, so that one
    # of its intervals spans them.
    half = TURNS["first"] // 2
    first = [*(half - 1) * [1], TURNS["second"] + 1, *(half - 1) * [1]]
    assert sorted(counted.values()) == sorted([first, (TURNS["second"] - 1) * [1]])
    said = (out / "output").read_text()
    assert f"pfmon: {len(lines)} samples, 0 lost, 2 skipped" in said


def test_evicted_thread_states_are_reported(
    out: Path, parsers: tuple[Path, ...]
) -> None:
    evicted = told("info", out / "many.cap", plugins=parsers)["evicted"]
    assert evicted >= MANY - STATES
    said = (out / "output").read_text()
    assert re.search(rf", {evicted} thread states evicted, .* -> /out/many\.cap", said)


def test_latencies_are_summed_by_request(out: Path, parsers: tuple[Path, ...]) -> None:
    options = ("--by", "request", "--stat", "sum,min,max", "--of", "value")
    rows = _rows(out / "requests.cap", parsers, *options)
    one, other = (int((out / name).read_text()) for name in ("one", "other"))
    latencies = {one: range(100, 104), other: range(104, 110)}
    assert {row["key"]: row["stats"]["value"] for row in rows} == {
        tid: {"sum": sum(values), "min": min(values), "max": max(values)}
        for tid, values in latencies.items()
    }


def test_spans_of_threads_are_their_own(out: Path, parsers: tuple[Path, ...]) -> None:
    options = ("--by", "thread,from,pmd", "--stat", "sum,mean,max", "--of", "span")
    rows = _rows(out / "spans.cap", parsers, *options)
    assert sorted(row["count"] for row in rows) == [3, 4]
    for row in rows:
        assert 0 < row["stats"]["span"]["max"] < row["stats"]["span"]["sum"]
    said = (out / "output").read_text()
    assert re.search(r"pfmon: 7 samples, 0 lost, 2 skipped.*spans\.cap", said)


def test_mispredicted_branches_are_counted(
    out: Path, parsers: tuple[Path, ...]
) -> None:
    rows = _rows(out / "mispredicts.cap", parsers, "--by", "branch-from")
    assert {row["address"]: row["count"] for row in rows} == {
        BRANCH + number: 1 for number in range(8)
    }
    said = (out / "output").read_text()
    assert re.search(r"pfmon: 8 samples, 0 lost, 5 skipped.*mispredicts\.cap", said)


def test_equal_stacks_are_stored_once(out: Path, parsers: tuple[Path, ...]) -> None:
    capture, symfs = out / "chains.cap", f"--symfs={ROOT}/build/x86_64/tests"
    rows = _rows(capture, parsers, "--callers", symfs)
    callers = {row["key"]: [c["key"] for c in row["callers"]] for row in rows}
    for name in ("hot_sixty", "hot_thirty", "hot_ten"):
        # Check only the most frequent caller, because samples in the first or last
        # instructions of a function lack the function's caller.
        assert callers[name][0] == "main"
    lines = pfmparse("dump", capture, plugins=parsers).splitlines()
    stacks = [re.sub("count=[0-9]+ ", "", line) for line in lines]
    assert len(stacks) == len(set(stacks))
    counts = [int(re.findall("count=([0-9]+)", line)[0]) for line in lines]
    assert sum(counts) > 2 * len(counts)
    assert f"pfmon: {sum(counts)} samples, 0 lost" in (out / "output").read_text()
