# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record samples with data addresses and branches in each format that records PMDs.

The guest uses the NMI PMU (tests/guest/pmu_nmi), whose samples have known data
addresses and branches. pfmon measures a CPU, and pfmparse reads the captures.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import boot
import pytest
from boot import ROOT
from reading import pfmparse, plugin, told

TARGET = boot.Target("x86_64", "6.12")
# The formats that record process, thread and CPU. Tests add an example format.
FORMATS = ("default", "nway", "callstack", "flight")
EXAMPLE = "mini"
OPTIONS = {"flight": "--smpl-notify=0"}  # save all samples at the end
MODULES = (
    "tests/guest/pmu_nmi/pfm_nmi",
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    "unwind/pfm_unwind",
    *(f"formats/{name}/pfm_fmt_{name}" for name in FORMATS),
    f"examples/format_{EXAMPLE}/pfm_fmt_{EXAMPLE}",
)
PARSER = ROOT / f"examples/format_{EXAMPLE}/parser"
RIG = "/sys/kernel/debug/pfm_nmi"
SAMPLES, PERIOD, BRANCHES = 40, 2, 8
# The values of the first sample. The address and latency of each later sample are one
# more than those of the sample before. The address of the data and the target of the
# newest branch are the address of a function.
LATENCY, SOURCE = 100, 0x2 | 0x0A << 5 | 0x1A << 26
WEIGHT2, WEIGHT3, TRANSACTION = 7, 9, 5
FROM, FLAGS = 0x401000, 2 | 1 << 20  # of the newest branch
TARGET_SYMBOL = "schedule"
KERNEL = 0xFFFFFFFF80000000  # where the kernel's code maps the physical address 0
PMDS = ("addr", "latency", "weight2", "weight3", "source", "physical", "transaction")
ADDR, LAT, WGT2, SRC, BRANCH = 260, 261, 262, 264, 272  # PFM_PMD_* of perfmon.h
# Captures of the format flight that freeze if a sample is later than a page fault: the
# period of page faults, and the time in ns. "late" freezes, the others never do.
MARKERS = {"late": (1, 1), "early": (1, 10**15), "unmarked": (10**9, 1)}
KEPT = 5
# The latency of the sample that makes the format flight freeze, and the number of
# samples that it records after this sample.
TRIGGER, AFTER = LATENCY + 10, 3


def _script() -> str:
    """Return the guest's script."""
    extra = "/lib/modules/$(uname -r)/extra"
    measure = (
        f"taskset -c 0 pfmon --system-wide -e cycles:kp --long-smpl-periods={PERIOD}"
        f" --smpl-pmds={','.join(PMDS)},branches"
    )
    marked = "taskset -c 0 pfmon --system-wide -e cycles:kp,page-faults:u"
    fire = f"echo $$ >/out/firing; echo -1 {PERIOD * SAMPLES} >{RIG}/fire"
    values = {
        "addr": "$to",
        "latency": LATENCY,
        "weight2": WEIGHT2,
        "weight3": WEIGHT3,
        "transaction": TRANSACTION,
        "source": f"{SOURCE:#x}",
        "branches": BRANCHES + 4,
        "branch_from": f"{FROM:#x}",
        "branch_to": "$to",
        "branch_flags": FLAGS,
    }
    return "\n".join(
        [
            "set -e",
            *(f"insmod {extra}/{module}.ko" for module in MODULES),
            f"to=0x$(grep ' T {TARGET_SYMBOL}$' /proc/kallsyms | cut -d ' ' -f 1)",
            "echo $to >/out/target",
            *(f"echo {value} >{RIG}/{name}" for name, value in values.items()),
            *(
                f"{measure} --smpl-module={name} {OPTIONS.get(name, '')}"
                f" -o /out/{name}.cap sh -c '{fire}'\n"
                f"mv /out/firing /out/{name}.pid"
                for name in (*FORMATS, EXAMPLE)
            ),
            # The difference decreases, so the first samples are the worst.
            f"{measure} --smpl-module=flight --smpl-notify=0"
            f" --smpl-arg=pmd={SRC},minus={LAT},keep={KEPT} -o /out/keep.cap"
            f" sh -c '{fire}'",
            f"{measure} --smpl-module=flight --smpl-arg=pmd={LAT},minus={WGT2},"
            f"above={TRIGGER - WEIGHT2 - 1},after={AFTER} -o /out/apart.cap"
            f" sh -c '{fire}'",
            *(
                f"{marked} --long-smpl-periods={PERIOD},{period} --smpl-module=flight"
                f" --smpl-arg=marker=1,within={within} -o /out/{name}.cap"
                f" sh -c '{fire}'"
                for name, (period, within) in MARKERS.items()
            ),
            f"echo 0 >{RIG}/branches",
            f"! {measure} -o /out/no.cap true",
        ]
    )


@pytest.fixture(scope="module", name="out")
def fixture_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the captures, with pfmon's output in "output"."""
    out = tmp_path_factory.mktemp("precise")
    boot.run_script(TARGET, _script(), out, "--no-modules")
    plugin(out, EXAMPLE)
    return out


def _rows(out: Path, name: str) -> list[dict[str, str]]:
    """Return the samples of a capture as rows of pfmparse's CSV output."""
    capture = out / f"{name}.cap"
    options = ("--to", "csv", "-o", "-")
    data = pfmparse("export", capture, *options, plugins=(out, PARSER))
    return list(csv.DictReader(io.StringIO(data)))


def _told(out: Path, *arguments: str | Path) -> Any:
    return told(*arguments, plugins=(out, PARSER))["rows"]


def _to(out: Path) -> int:
    return int((out / "target").read_text(), 16)


def _pid(out: Path, name: str) -> int:
    return int((out / f"{name}.pid").read_text())


@pytest.mark.parametrize("name", (*FORMATS, EXAMPLE))
def test_samples_have_their_data(out: Path, name: str) -> None:
    rows = _rows(out, name)
    assert len(rows) == SAMPLES
    for number, row in enumerate(rows):
        found = [int(row[f"pmd{ADDR + at}"]) for at in range(len(PMDS))]
        address, latency = _to(out) + number, LATENCY + number
        assert found == [
            *(address, latency, WEIGHT2, WEIGHT3),
            *(SOURCE, address - KERNEL, TRANSACTION),
        ]


@pytest.mark.parametrize("name", (*FORMATS, EXAMPLE))
def test_samples_have_their_branches(out: Path, name: str) -> None:
    to = _to(out)
    for number, row in enumerate(_rows(out, name)):
        numbers = [int(row[f"pmd{BRANCH + at}"]) for at in range(3 * BRANCHES)]
        ages = range(BRANCHES)
        assert numbers == [
            *(FROM + 64 * age + number for age in ages),
            *(to + 64 * age + number for age in ages),
            *(FLAGS + (age << 4) for age in ages),
        ]


@pytest.mark.parametrize("name", FORMATS)
def test_samples_have_process_thread_and_cpu(out: Path, name: str) -> None:
    pid = _pid(out, name)
    for row in _rows(out, name):
        assert (int(row["pid"]), int(row["tid"]), int(row["cpu"])) == (pid, pid, 0)


def test_samples_of_the_example_have_their_thread(out: Path) -> None:
    pid = _pid(out, EXAMPLE)
    assert {int(row["tid"]) for row in _rows(out, EXAMPLE)} == {pid}


@pytest.mark.parametrize("name", (*FORMATS, EXAMPLE))
def test_reports_know_roles_of_data_and_branches(out: Path, name: str) -> None:
    capture = out / f"{name}.cap"
    (level,) = _told(out, "mem", "--view", "level", capture)
    assert level["count"] == SAMPLES and level["key"] == "L1 hit"
    targets = _told(out, "report", "--by", "branch-to", capture)
    assert {row["address"] for row in targets} == {
        _to(out) + number for number in range(SAMPLES)
    }
    assert {row["symbol"] for row in targets} == {TARGET_SYMBOL}
    (branch,) = _told(out, "report", "--by", "branch-flags", capture)
    assert (branch["key"], branch["count"]) == ("cond, predicted", SAMPLES)


def test_reports_name_data_without_role(out: Path) -> None:
    values = {"weight2": WEIGHT2, "weight3": WEIGHT3, "transaction": TRANSACTION}
    options = ("--by", "pmd", "--stat", "sum", "--of", ",".join(values))
    (row,) = _told(out, "report", *options, out / "default.cap")
    assert row["stats"] == {
        column: {"sum": value * SAMPLES} for column, value in values.items()
    }


def test_dump_lists_branches_oldest_first(out: Path) -> None:
    lines = pfmparse("dump", out / "default.cap").splitlines()
    texts = [line.partition(" branches=")[2].split()[0].split(",") for line in lines]
    assert texts == [
        [
            f"{FROM + 64 * age + number:#x}/{_to(out) + 64 * age + number:#x}"
            f"/P/-/-/{age}/COND"
            for age in reversed(range(BRANCHES))
        ]
        for number in range(SAMPLES)
    ]


def test_flight_keeps_samples_with_largest_differences(out: Path) -> None:
    latencies = [int(row[f"pmd{LAT}"]) for row in _rows(out, "keep")]
    assert latencies == list(range(LATENCY, LATENCY + KEPT))
    said = (out / "output").read_text()
    assert re.search(
        rf"{KEPT} samples, 0 lost, {SAMPLES - KEPT} skipped.* -> /out/keep\.cap", said
    )


def test_flight_freezes_after_a_large_difference(out: Path) -> None:
    latencies = [int(row[f"pmd{LAT}"]) for row in _rows(out, "apart")]
    assert latencies == list(range(LATENCY, TRIGGER + AFTER + 1))
    said = (out / "output").read_text()
    assert re.search(r", 1 notification, .* -> /out/apart\.cap", said)


@pytest.mark.parametrize("name", MARKERS)
def test_flight_freezes_at_samples_late_after_a_marker(out: Path, name: str) -> None:
    said = (out / "output").read_text()
    found = re.search(rf"(\d+) notifications?, .* -> /out/{name}\.cap", said)
    assert found and bool(int(found[1])) is (name == "late")
    events = [row["event"] for row in _rows(out, name)]
    assert events.count("cycles:kp") == (1 if name == "late" else SAMPLES)


def test_branches_that_a_pmu_lacks_are_explained(out: Path) -> None:
    said = (out / "output").read_text()
    assert "an event does not provide the branches that --smpl-pmds requests" in said
